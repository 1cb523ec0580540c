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
