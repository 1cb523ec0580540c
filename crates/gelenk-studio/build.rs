//! Puts the page of `studio/` into the crate.
//!
//! The page is taken as it was built last, where its sources have not changed since; else it is built here with npm,
//! which fetches its packages as cargo fetches crates. Where that is not possible the crate is built without a page, and
//! the commands that need it say how to get it. The environment variable `GELENK_STUDIO` names another built page, or
//! says `none`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Files and folders of `studio/` that the page is made of.
const SOURCES: [&str; 6] =
    ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "src"];

fn main() {
    println!("cargo::rerun-if-env-changed=GELENK_STUDIO");
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let studio = crate_folder.join("../../studio");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", studio.join(source).display());
    }
    println!("cargo::rerun-if-changed={}", studio.join("dist").display());
    let page = match env::var("GELENK_STUDIO") {
        Ok(word) if word == "none" => None,
        Ok(path) => {
            println!("cargo::rerun-if-changed={path}");
            fs::read_to_string(&path).inspect_err(|error| warn(&format!("{path}: {error}"))).ok()
        }
        Err(_) => built(&studio),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page.html");
    if let Err(error) = fs::write(&out, page.unwrap_or_default()) {
        println!("cargo::error={} cannot be written: {error}", out.display());
    }
}

/// The page of the sources as they are now.
fn built(studio: &Path) -> Option<String> {
    let (page, stamp) = (studio.join("dist/index.html"), studio.join("dist/stamp"));
    let wanted = fingerprint(studio)?;
    let current = || fs::read_to_string(&stamp).is_ok_and(|stamp| stamp.trim() == wanted);
    if !current() {
        if let Err(reason) = build(studio) {
            warn(&format!("{reason}; `gelenk report` and `gelenk view` will say how to get it"));
        } else if let Err(error) = fs::write(&stamp, &wanted) {
            warn(&format!("{}: {error}", stamp.display()));
        }
    }
    // A page of older sources is better than none.
    fs::read_to_string(page).ok()
}

fn build(studio: &Path) -> Result<(), String> {
    let installed = fs::read(studio.join("node_modules/.gelenk-lock")).ok();
    let wanted = fs::read(studio.join("package-lock.json")).map_err(|error| error.to_string())?;
    if installed.as_ref() != Some(&wanted) {
        npm(
            studio,
            &[
                "install",
                "--no-save",
                "--no-audit",
                "--no-fund",
                "--fetch-retries=1",
                "--fetch-timeout=30000",
            ],
        )?;
        // A missing note only means that packages are fetched again.
        let _ = fs::write(studio.join("node_modules/.gelenk-lock"), wanted);
    }
    npm(studio, &["run", "build"])
}

fn npm(studio: &Path, arguments: &[&str]) -> Result<(), String> {
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let done = Command::new(name).args(arguments).current_dir(studio).stdin(Stdio::null()).output();
    let done =
        done.map_err(|_| "the page is not built because npm is not there (install Node.js 20.19 or newer)")?;
    if done.status.success() {
        return Ok(());
    }
    let complaint =
        String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    let last = complaint.lines().map(str::trim).find(|line| line.contains("rror")).unwrap_or_default();
    Err(format!("the page is not built because `npm {}` failed: {last}", arguments.join(" ")))
}

/// A number that changes with the sources (FNV-1a over names and contents).
fn fingerprint(studio: &Path) -> Option<String> {
    let mut files = Vec::new();
    for source in SOURCES {
        collect(&studio.join(source), &mut files);
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in &files {
        let name = file.strip_prefix(studio).ok()?.to_string_lossy().into_owned();
        for byte in name.bytes().chain(fs::read(file).ok()?) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    (!files.is_empty()).then(|| format!("{hash:016x}"))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}

fn warn(message: &str) {
    println!("cargo::warning={message}");
}
