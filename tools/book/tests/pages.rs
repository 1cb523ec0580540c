//! Equations and links of the book, the README and the other pages of the repository.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gelenk_book::{equations, links, pages};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages of the book and of the repository's front, by their paths.
fn all() -> BTreeMap<PathBuf, String> {
    let root = root();
    let front = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root.join(name));
    let book = pages(&root.join("docs/src")).unwrap();
    front
        .into_iter()
        .chain(book)
        .map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap()))
        .collect()
}

/// Every equation of the book is TeX that can be set.
#[test]
fn every_equation_is_set() {
    let (mut count, mut mistakes) = (0, Vec::new());
    for (path, text) in all() {
        let (_, found, wrong) = equations::render(&text);
        count += found;
        mistakes.extend(wrong.iter().map(|mistake| format!("{}, {mistake}", path.display())));
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    assert!(count > 100, "only {count} equations were found");
}

/// Every link to a page, a heading or a picture of the repository leads there. The web is not asked.
#[test]
fn every_link_leads_somewhere() {
    let all = all();
    let mut broken = Vec::new();
    for (path, text) in &all {
        for link in links::links(text) {
            if let Some(problem) = problem(&all, path, &link.target) {
                broken.push(format!("{}:{}: {} {problem}", path.display(), link.line, link.target));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What is wrong with a link.
fn problem(all: &BTreeMap<PathBuf, String>, page: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) =
        target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let path = match file {
        "" => page.to_owned(),
        file => match page.parent()?.join(file).canonicalize() {
            Ok(path) => path,
            Err(_) => return Some("does not exist"),
        },
    };
    let heading = heading?;
    match all.get(&path) {
        Some(text) if links::anchors(text).iter().any(|own| own == heading) => None,
        Some(_) => Some("has no such heading"),
        None => Some("is not a page with headings"),
    }
}

/// Every page of the book is in its table of contents.
#[test]
fn every_page_is_in_the_contents() {
    let source = root().join("docs/src");
    let contents = std::fs::read_to_string(source.join("SUMMARY.md")).unwrap();
    let listed: Vec<PathBuf> = links::links(&contents).iter().map(|link| source.join(&link.target)).collect();
    // Included by another page.
    let parts = [source.join("SUMMARY.md"), source.join("elements/table.md")];
    for page in pages(&source).unwrap() {
        assert!(listed.contains(&page) || parts.contains(&page), "{} is not in SUMMARY.md", page.display());
    }
}

/// The functions and types that the architecture page and its drawing name, from file to picture, exist in the sources.
#[test]
fn the_way_of_a_model_names_what_exists() {
    let root = root();
    let page = std::fs::read_to_string(root.join("docs/src/architecture.md")).unwrap();
    let part = page.split("## One model from file to picture").nth(1).unwrap().split("\n## ").next().unwrap();
    let drawing = std::fs::read_to_string(root.join("docs/src/pictures/architecture.svg")).unwrap();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut sources = Vec::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                sources.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let (mut found, mut missing) = (0, Vec::new());
    let words = [part, drawing.as_str()].into_iter().flat_map(|text| text.split(|c: char| !is_name(c)));
    for word in words {
        let segments: Vec<&str> =
            word.trim_matches(':').split("::").filter(|segment| !segment.is_empty()).collect();
        let (Some(&last), true) = (segments.last(), segments.len() > 1) else { continue };
        // A crate limits the search, the others are modules or types.
        let folder = segments[0].replace('_', "-");
        let in_crate = |path: &Path| {
            !segments[0].starts_with("gelenk") || path.starts_with(root.join("crates").join(&folder))
        };
        let defines = |text: &str, name: &str| {
            ["fn", "struct", "enum", "mod", "trait"].iter().any(|word| {
                text.match_indices(&format!("{word} {name}")).any(|(at, whole)| {
                    !text[at + whole.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                })
            })
        };
        let known = |name: &str| sources.iter().any(|(path, text)| in_crate(path) && defines(text, name));
        found += 1;
        let modules = segments.iter().filter(|segment| !segment.starts_with("gelenk"));
        if !modules.clone().all(|segment| known(segment)) || last.starts_with("gelenk") {
            missing.push(word);
        }
    }
    assert!(missing.is_empty(), "not in the sources: {missing:?}");
    assert!(found > 30, "only {found} names were found");
}
