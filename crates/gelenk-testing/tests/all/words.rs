//! Texts that users read are plain technical English: none has a phrase of the list in CONTRIBUTING.
//!
//! `GELENK_MESSAGES=1 cargo test -p gelenk-testing --test all words -- --nocapture` prints every text with its place.

use std::path::{Path, PathBuf};

use gelenk_testing::words::{Scope, Text, files_below, texts_below, texts_of_script};

/// Phrases that a native engineer would not write, and what to write instead. A phrase with a space at its ends is a word or
/// several, wherever it is in a sentence.
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
    (" tells ", "says, reports, shows"),
    (" was told ", "was reported"),
    (" were told ", "were reported"),
    (" stand in ", "are in"),
    (" stands in ", "is in"),
    (" stand there ", "are there"),
    (" looks at ", "examines, checks"),
    (" looked at ", "examined, checked"),
    (" looks for ", "searches"),
    (" looked for ", "searched"),
    (" asks for ", "requires, requests"),
    (" asked for ", "requested"),
    (" leave out ", "omit"),
    (" leaves out ", "omits"),
    (" left out ", "omitted"),
    (" touch ", "contact; reach"),
    (" touches ", "is in contact with; reaches"),
    (" touched ", "in contact; reached"),
    (" touching ", "in contact with"),
    (" beside ", "next to; in addition to"),
    (" by way of ", "through"),
    (" announced ", "declared"),
    (" disagree about ", "have different"),
    (" must lie ", "must be"),
    (" go on ", "continue"),
    (" goes on ", "continues"),
    (" but for ", "except for"),
    (" half turn ", "half a revolution"),
    (" a turn ", "a rotation, a revolution"),
    (" mere ", "only, plain"),
    (" wants ", "requires"),
    (" is not there ", "does not exist"),
    (" no body has ", "physically impossible"),
    (" no body can have ", "physically impossible"),
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
    let words = text
        .split_whitespace()
        .map(|word| word.trim_matches(['.', ',', ';', ':', '!', '?', '(', ')', '"', '*', '|']));
    let padded = format!(" {} ", words.collect::<Vec<_>>().join(" ").to_lowercase());
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

/// Fails with all texts of the files that have a phrase of the list; `texts` gives those of one file with their lines.
fn assert_plain(files: &[PathBuf], texts: impl Fn(&str) -> Vec<(usize, String)>) {
    let mut found = Vec::new();
    for file in files {
        for (line, text) in texts(&std::fs::read_to_string(file).unwrap()) {
            if let Some((phrase, better)) = foreign(&text) {
                found.push(format!("{}:{line}: not {phrase:?} but {better:?}: {text}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}

fn lines(text: &str) -> Vec<(usize, String)> {
    text.lines().enumerate().map(|(k, line)| (k + 1, line.to_owned())).collect()
}

/// Paragraphs with the lines at which they begin: a phrase may go over the end of a line.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut fresh = true;
    for (number, line) in lines(text) {
        match found.last_mut() {
            Some((_, paragraph)) if !fresh => *paragraph += &format!("\n{line}"),
            _ => found.push((number, line.clone())),
        }
        fresh = line.trim().is_empty();
    }
    found
}

#[test]
fn the_book_is_plain_english() {
    let mut files = files_below(&root().join("docs/src"), "md").unwrap();
    files.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    assert_plain(&files, paragraphs);
}

/// Models, studies and cases are read by users with their comments.
#[test]
fn the_cases_are_plain_english() {
    let files = files_below(&root().join("cases"), "toml").unwrap();
    assert!(files.len() > 100, "only {} files were found", files.len());
    assert_plain(&files, lines);
}

#[test]
fn the_page_is_plain_english() {
    let files = files_below(&root().join("studio/src"), "ts").unwrap();
    assert!(files.len() > 30, "only {} files were found", files.len());
    assert_plain(&files, texts_of_script);
}

#[test]
fn a_phrase_is_found_at_the_end_of_a_sentence_and_not_in_a_name() {
    assert!(foreign("They touch.").is_some() && foreign("(left out, as said)").is_some());
    assert!(foreign("contacts.touch.fz of out left").is_none());
}
