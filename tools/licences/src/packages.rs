//! What the program and its page are made of, with the texts of the licences.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::read;

/// A package with its notices.
pub(crate) struct Package {
    pub name: String,
    pub licence: String,
    pub texts: Vec<String>,
}

/// The machine whose program is described.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";
/// What a package brings beside its own work: the package, what it is called, its licence, and the text.
const INSIDE: [(&str, &str, &str, &str); 1] = [(
    "dejavu",
    "DejaVu fonts",
    "Bitstream Vera, Arev, public domain",
    "assets/dejavu-fonts-ttf-2.37/LICENSE",
)];

/// What the book contains of others: the font of its equations, with the readme that names its authors.
pub(crate) fn of_book(root: &Path) -> Result<Vec<Package>, String> {
    let folder = root.join("docs/src/math");
    let texts = vec![read(&folder.join("README.txt"))?, read(&folder.join("GUST-FONT-LICENSE.txt"))?];
    let licence = "GUST Font License 1.0 (LPPL 1.3c or later)".into();
    Ok(vec![Package { name: "Latin Modern Math".into(), licence, texts }])
}

/// The crates of the program, by name.
pub(crate) fn crates(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", PLATFORM])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let mut found: BTreeMap<String, Package> = BTreeMap::new();
    for package in linked(&metadata, "gelenk-cli")? {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let (name, manifest) = (text("name"), PathBuf::from(text("manifest_path")));
        // What has no source is of this project.
        if package["source"].is_null() {
            continue;
        }
        let folder = manifest.parent().unwrap_or(Path::new("."));
        let licence = text("license").replace('/', " OR ");
        let texts = licence_texts(root, &name, &licence, folder)?;
        for (_, inside, licence, file) in INSIDE.iter().filter(|(of, ..)| *of == name) {
            let texts = vec![read(&folder.join(file))?];
            let package = Package { name: (*inside).to_owned(), licence: (*licence).to_owned(), texts };
            found.insert(inside.to_lowercase(), package);
        }
        // Two versions of a crate have one notice, as long as their texts are the same.
        let entry = found.entry(name.to_lowercase()).or_insert(Package { name, licence, texts: Vec::new() });
        for text in texts {
            if !entry.texts.contains(&text) {
                entry.texts.push(text);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Packages that are linked into a program: what it depends on, but neither for its build nor its tests, and no macros.
fn linked<'a>(metadata: &'a Value, program: &str) -> Result<Vec<&'a Value>, String> {
    fn list(value: &Value) -> &[Value] {
        value.as_array().map(Vec::as_slice).unwrap_or_default()
    }
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).iter().filter_map(|p| Some((p["id"].as_str()?, p))).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().filter_map(|n| Some((n["id"].as_str()?, n))).collect();
    let root = packages.iter().find(|(_, package)| package["name"] == program);
    let (root, _) = root.ok_or_else(|| format!("there is no package {program}"))?;
    let (mut seen, mut waiting, mut found) = (BTreeSet::new(), vec![*root], Vec::new());
    while let Some(id) = waiting.pop() {
        let Some(package) = packages.get(id).filter(|_| seen.insert(id)) else { continue };
        let macros = |target: &Value| list(&target["kind"]).iter().any(|kind| kind == "proc-macro");
        if list(&package["targets"]).iter().any(macros) {
            continue;
        }
        found.push(*package);
        for dependency in nodes.get(id).map(|node| list(&node["deps"])).unwrap_or_default() {
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                waiting.extend(dependency["pkg"].as_str());
            }
        }
    }
    Ok(found)
}

/// The texts that a package has to be passed on with. Of a choice that has it, MIT is taken.
fn licence_texts(root: &Path, name: &str, licence: &str, folder: &Path) -> Result<Vec<String>, String> {
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .map_err(|error| format!("{} cannot be read: {error}; run `cargo fetch`", folder.display()))?
        .flatten()
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|file| {
            let upper = file.to_uppercase();
            ["LICEN", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|start| upper.starts_with(start))
        })
        .collect();
    files.sort();
    let choice = !licence.contains(" AND ") && licence.contains("MIT");
    if choice && files.iter().any(|file| file.to_uppercase().contains("MIT")) {
        files.retain(|file| file.to_uppercase().contains("MIT"));
    }
    if !files.is_empty() {
        return files.iter().map(|file| read(&folder.join(file))).collect();
    }
    match licence {
        "Apache-2.0" => Ok(vec![read(&root.join("LICENSE-APACHE"))?]),
        _ => Err(format!("the package {name} ({licence}) has no text of its licence")),
    }
}

/// The packages that the page is built of; `None` where they are not installed.
pub(crate) fn of_page(root: &Path) -> Result<Option<Vec<Package>>, String> {
    let studio = root.join("studio");
    let json = |path: PathBuf| -> Result<Value, String> {
        serde_json::from_str(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))
    };
    let page = json(studio.join("package.json"))?;
    let names: Vec<&String> =
        page["dependencies"].as_object().into_iter().flat_map(|all| all.keys()).collect();
    let folder = |name: &str| studio.join("node_modules").join(name);
    if names.iter().any(|name| !folder(name).is_dir()) {
        return Ok(None);
    }
    let package = |name: &&String| -> Result<Package, String> {
        let folder = folder(name);
        let licence = json(folder.join("package.json"))?["license"].as_str().unwrap_or_default().to_owned();
        let texts = licence_texts(root, name, &licence, &folder)?;
        Ok(Package { name: (*name).clone(), licence, texts })
    };
    names.iter().map(package).collect::<Result<Vec<_>, _>>().map(Some)
}
