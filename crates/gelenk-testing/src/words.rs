//! Texts that users read, taken out of the sources: messages, help of the command line, descriptions of keys.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// What it says, without its quotes.
    pub text: String,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.text)
    }
}

/// What a scan over Rust sources collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// String literals.
    Strings,
    /// String literals and doc comments but those of functions: the help of commands and the descriptions of keys.
    StringsAndDocs,
}

/// All texts of the Rust files below `folder`, without tests, in the order of the files' names.
///
/// # Errors
/// Files that cannot be read.
pub fn texts_below(folder: &Path, scope: Scope) -> std::io::Result<Vec<Text>> {
    let mut texts = Vec::new();
    for file in files_below(folder, "rs")? {
        let source = fs::read_to_string(&file)?;
        for (line, text) in texts_of(&source, scope) {
            texts.push(Text { file: file.clone(), line, text });
        }
    }
    Ok(texts)
}

/// All files below `folder` whose names end so, sorted.
///
/// # Errors
/// Folders that cannot be read.
pub fn files_below(folder: &Path, end: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|known| known == end) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Texts of one Rust source with their lines. Unit tests, which end a file, are left out.
pub fn texts_of(source: &str, scope: Scope) -> Vec<(usize, String)> {
    let source = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut texts = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            if scope == Scope::StringsAndDocs && rest.starts_with("///") && !is_of_function(rest) {
                texts.push((line, rest[3..end].trim().to_owned()));
            }
            end
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some((text, end)) = raw_string(rest) {
            texts.push((line, text.to_owned()));
            end
        } else if first == '"' {
            let end = string_end(rest);
            texts.push((line, unfolded(rest.get(1..end.saturating_sub(1)).unwrap_or_default())));
            end
        } else if first == '\'' {
            character(rest)
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        line += rest.get(..length).map_or(0, |passed| passed.matches('\n').count());
        rest = rest.get(length..).unwrap_or_default();
    }
    texts
}

/// Whether the doc comment at the beginning belongs to a function.
fn is_of_function(docs: &str) -> bool {
    let mut lines = docs.lines().map(str::trim_start);
    let item = lines.find(|line| !line.starts_with("//") && !line.starts_with("#[")).unwrap_or_default();
    let words = item.split(['(', '<', ' ']);
    let mut words = words.filter(|word| !matches!(*word, "pub" | "crate)" | "super)" | "const" | "async"));
    words.next() == Some("fn")
}

/// Texts of one TypeScript source with their lines: strings and templates, without comments and regular expressions.
pub fn texts_of_script(source: &str) -> Vec<(usize, String)> {
    let mut texts = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '/' if is_expression_next(&source[..source.len() - rest.len()]) => closed(rest, '/', true),
            '"' | '\'' | '`' => closed(rest, first, false),
            _ => first.len_utf8(),
        };
        let passed = rest.get(..length).unwrap_or(rest);
        if matches!(first, '"' | '\'' | '`') {
            let text = passed.get(1..length.saturating_sub(1)).unwrap_or_default();
            texts.push((line, text.to_owned()));
        }
        line += passed.matches('\n').count();
        rest = rest.get(length..).unwrap_or_default();
    }
    texts
}

/// Whether a slash after this code begins a regular expression and is not a division.
fn is_expression_next(code: &str) -> bool {
    let code = code.trim_end();
    code.ends_with("return") || code.ends_with(|c| "(,=>:[!&|?{};".contains(c))
}

/// Length of what ends with `close`, with both ends; in regular expressions it counts outside of brackets only.
fn closed(rest: &str, close: char, brackets: bool) -> usize {
    let (mut escaped, mut inside) = (false, false);
    for (place, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if brackets => inside = true,
            ']' if brackets => inside = false,
            c if c == close && !inside => return place + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The text of a raw string and its whole length.
fn raw_string(rest: &str) -> Option<(&str, usize)> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close)?;
    Some((&body[..end], rest.len() - body.len() + end + close.len()))
}

/// Length of a string literal with its quotes.
fn string_end(rest: &str) -> usize {
    let mut escaped = false;
    for (place, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return place + 1,
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// Length of a character literal, or of the quote of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => rest.get(2..).and_then(|more| more.find('\'')).map_or(1, |end| end + 3),
        (_, Some((place, '\''))) => place + 1,
        _ => 1,
    }
}

/// A literal as it is read: lines that are continued are joined, quotes are plain.
fn unfolded(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let mut text = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| text.push_str(part.trim_start()));
    text.replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_docs_are_found_and_code_is_not() {
        let source = "/// Says \"how\".\nfn f<'a>(c: char) -> &'a str { // \"no\"\n    if c == '\"' || c == '\\'' { \"one \\\"two\\\"\" } \
                      else { r#\"three \"four\"\"# } }\nlet br_x = \"a \\\n        b\";\n#[cfg(test)]\nmod tests { \"five\" }";
        let strings =
            [(3, "one \"two\"".to_owned()), (3, "three \"four\"".to_owned()), (4, "a b".to_owned())];
        assert_eq!(texts_of(source, Scope::Strings), strings);
        assert_eq!(
            texts_of(source, Scope::StringsAndDocs),
            strings,
            "documentation of a function is a code comment"
        );
        let table =
            "/// A table.\n#[derive(Debug)]\npub struct Table {\n    /// The mass.\n    mass: f64,\n}\n";
        let docs = [(1, "A table.".to_owned()), (4, "The mass.".to_owned())];
        assert_eq!(texts_of(table, Scope::StringsAndDocs), docs);
    }

    #[test]
    fn texts_of_a_script_are_its_strings() {
        let source = "/** No. */\nconst a = /[\",'/]/.test(b) ? `one ${c}` : 'two'; // \"no\"\nconst d = e / f / \"th\\\"ree\".length;\n";
        let texts = [(2, "one ${c}".to_owned()), (2, "two".to_owned()), (3, "th\\\"ree".to_owned())];
        assert_eq!(texts_of_script(source), texts);
    }
}
