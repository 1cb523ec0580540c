//! Texts that users read are plain technical English: none has a phrase of the list in CONTRIBUTING.
//!
//! `GELENK_MESSAGES=1 cargo test -p gelenk-testing --test all words -- --nocapture` prints every text with its place.

use std::path::Path;

use gelenk_testing::words::{Scope, Text, files_below, texts_below};

/// Phrases that a native engineer would not write, and what to write instead. A phrase with a space at its ends is a word.
const PHRASES: &[(&str, &str)] = &[
    ("what is told", "output"),
    (" is told", "is reported, is given"),
    (" are told", "are reported, are given"),
    (" tells so", "says so"),
    ("goes on from it", "resumes"),
    (" anew", "again; restarts"),
    ("is no robot", "is not a robot"),
    ("is no view", "unknown view"),
    ("hang together", "are connected"),
    ("goes by `make`", "needs a mesh: use `make`"),
    ("nothing to go on", "no data to continue from"),
    ("stands beside", "is next to"),
    ("stand beside", "are next to"),
    ("cannot be had", "is not available"),
    (" rub ", "friction"),
    (" rubs ", "slides with friction"),
    ("half a turn", "half a revolution"),
    ("quarter turn", "a quarter of a revolution"),
    ("take a smaller", "use a smaller"),
    ("give out energy", "generate energy"),
    ("gives out energy", "generates energy"),
    ("read in two ways", "is ambiguous"),
    ("leave it out", "omit it"),
    ("was left out", "was omitted"),
    ("is fully there", "reaches its full value"),
    ("needs it beside", "also needs it"),
    (" must stand in", "must be in"),
    ("is warned of", "gives a warning"),
    ("without a word", "silently"),
];

/// Words before "is no" and "are no" with which it is plain English.
const NEGATED: &[&str] = &["there", "and", "it"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Messages of all crates but those of tests, help of the command line, and descriptions of keys.
fn texts() -> Vec<Text> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let scope = match name.as_str() {
            "gelenk-testing" => continue,
            "gelenk-cli" | "gelenk-model" => Scope::StringsAndDocs,
            _ => Scope::Strings,
        };
        texts.extend(texts_below(&folder.join("src"), scope).unwrap());
    }
    for text in &mut texts {
        text.file = text.file.strip_prefix(root()).unwrap_or(&text.file).to_path_buf();
    }
    texts.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    texts
}

/// The first phrase of the list in a text.
fn foreign(text: &str) -> Option<(String, &'static str)> {
    let padded = format!(" {} ", text.to_lowercase().replace('\n', " "));
    let listed = PHRASES.iter().find(|(phrase, _)| padded.contains(phrase));
    if let Some((phrase, better)) = listed {
        return Some((phrase.trim().to_owned(), better));
    }
    for verb in [" is no ", " are no "] {
        for (place, _) in padded.match_indices(verb) {
            let before = padded[..place].rsplit(' ').next().unwrap_or_default();
            let after = padded[place + verb.len()..].split(' ').next().unwrap_or_default();
            if !NEGATED.contains(&before.trim_matches(|c: char| !c.is_alphabetic()))
                && !["more", "longer"].contains(&after)
            {
                return Some((format!("{before}{verb}{after}"), "is not a, is not"));
            }
        }
    }
    None
}

#[test]
fn messages_and_help_are_plain_english() {
    let texts = texts();
    assert!(texts.len() > 3000, "only {} texts were found", texts.len());
    if std::env::var_os("GELENK_MESSAGES").is_some() {
        // Names and keys are not sentences.
        texts.iter().filter(|text| text.text.contains(' ')).for_each(|text| println!("{text}"));
    }
    let found: Vec<String> = texts
        .iter()
        .filter_map(|text| {
            foreign(&text.text).map(|(phrase, better)| format!("{text}\n    not {phrase:?} but {better:?}"))
        })
        .collect();
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_book_is_plain_english() {
    let mut files = files_below(&root().join("docs/src"), "md").unwrap();
    files.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (k, line) in text.lines().enumerate() {
            if let Some((phrase, better)) = foreign(line) {
                found.push(format!("{}:{}: not {phrase:?} but {better:?}: {line}", file.display(), k + 1));
            }
        }
    }
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
}
