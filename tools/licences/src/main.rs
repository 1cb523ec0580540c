//! Writes `THIRD-PARTY.md`: the notices of all that the program, its page and the book contain.
//!
//! ```text
//! cargo run -p gelenk-licences              # writes the file
//! cargo run -p gelenk-licences -- --check   # fails where the file is not up to date
//! ```
//!
//! The crates are those of the program `gelenk` for Linux on x86-64, as `Cargo.lock` has them; their notices are taken from
//! their sources in cargo's registry. Those of the page are taken from `studio/node_modules`. Where the
//! packages of the page are not installed, their notices stay as they are in the file.

mod notices;
mod packages;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use packages::Package;

const FILE: &str = "THIRD-PARTY.md";
/// Where the notices of the page begin.
const PAGE: &str = "## The page of reports and views\n";

fn main() -> ExitCode {
    let check = std::env::args().nth(1).is_some_and(|word| word == "--check");
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ =
                std::io::Write::write_all(&mut std::io::stderr(), format!("error: {message}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

fn say(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stdout(), format!("{text}\n").as_bytes());
}

fn run(check: bool) -> Result<(), String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join(FILE);
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let mut text = String::from(
        "# Third-party notices\n\nGelenk is licensed under [MIT](LICENSE-MIT) or [Apache-2.0](LICENSE-APACHE). The program, \
         its page and the book contain the work of others, whose notices are below. This file is written by \
         `cargo run -p gelenk-licences`; `./test` checks that it is up to date.\n\n## The program\n\n",
    );
    text += &notices::section(&packages::crates(&root)?);
    text += "\n## The book\n\n";
    text += &notices::section(&packages::of_book(&root)?);
    text += "\n";
    text += PAGE;
    match packages::of_page(&root)? {
        Some(found) => {
            text += "\n";
            text += &notices::section(&found);
        }
        None => {
            say(
                "skipped: notices of the page, because the packages in studio/node_modules are not installed",
            );
            text += before
                .split_once(PAGE)
                .map(|(_, rest)| rest)
                .ok_or("there are no notices of the page yet")?;
        }
    }
    if !check {
        std::fs::write(&file, text).map_err(|error| format!("{FILE} cannot be written: {error}"))?;
        say(FILE);
        return Ok(());
    }
    if text == before {
        return Ok(());
    }
    let changed = before.lines().zip(text.lines()).find(|(a, b)| a != b);
    let place =
        changed.map(|(old, new)| format!("\n  in the file: {old}\n  now:         {new}")).unwrap_or_default();
    Err(format!("{FILE} is not up to date: run `cargo run -p gelenk-licences` and commit it{place}"))
}

/// Reads a text and ends its lines as ours end.
fn read(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let lines: Vec<&str> = text.trim_matches('\n').lines().map(str::trim_end).collect();
    Ok(lines.join("\n"))
}
