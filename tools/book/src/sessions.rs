//! Terminal sessions: blocks marked `console`, whose lines with `$ ` are commands and whose other lines are what they print.
//!
//! A line `...` stands for any number of lines. Runs of spaces count as one. Numbers agree within a tolerance that depends
//! on the line, because times, sizes and rounding differ from machine to machine: see [`Tolerance`].

use std::ops::Range;

use crate::fences::Fence;

/// A command of a session and what it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The command, its continued lines joined.
    pub command: String,
    /// Bytes of its output in the page.
    pub output: Range<usize>,
    /// Line of the command, counted from 1.
    pub line: usize,
}

/// The commands of a block.
pub fn steps(page: &str, fence: &Fence) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let mut at = fence.body.start;
    let mut continued = false;
    for (number, line) in page[fence.body.clone()].split_inclusive('\n').enumerate() {
        let end = at + line.len();
        let text = line.trim_end();
        match (text.strip_prefix("$ "), found.last_mut()) {
            (None, Some(step)) if continued => {
                step.command.push_str(text.trim_start().trim_end_matches('\\'));
                step.output = end..end;
                continued = text.ends_with('\\');
            }
            (Some(command), _) => {
                continued = text.ends_with('\\');
                let command = command.trim_end_matches('\\').to_owned();
                found.push(Step { command, output: end..end, line: fence.line + 1 + number });
            }
            (None, Some(step)) => step.output.end = end,
            (None, None) => {}
        }
        at = end;
    }
    found
}

/// How far a number may be from the one in the book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// A share of the number. Two units of the last printed digit are always allowed, and whole numbers must be equal if
    /// the share is below 1e-3.
    Share(f64),
    /// A factor of thirty: rounding errors and what is left of an iteration.
    Rounding,
    /// Anything: times and sizes.
    Any,
}

/// What a line must contain to have a tolerance of its own. The first one counts.
const LINES: &[(&str, Tolerance)] = &[
    (" CPU, real-time factor ", Tolerance::Any),
    (" bytes", Tolerance::Any),
    (" on disk", Tolerance::Any),
    ("residue", Tolerance::Rounding),
    ("mismatch", Tolerance::Rounding),
    ("residual", Tolerance::Rounding),
    ("off the constraints", Tolerance::Rounding),
    ("closed to", Tolerance::Rounding),
    ("was moved by", Tolerance::Share(1e-3)),
    ("between the knots", Tolerance::Rounding),
    ("  steps ", Tolerance::Share(0.02)),
    ("  evaluated ", Tolerance::Share(0.02)),
];

/// Compares what a command printed with the book. The answer names the first line of the book that is not met.
pub fn compare(book: &str, printed: &str, usual: Tolerance) -> Result<(), String> {
    let (wanted, got) = (lines(book), lines(printed));
    let parts: Vec<&[&str]> = wanted.split(|line| line.trim() == "...").collect();
    let mut from = 0;
    for (index, part) in parts.iter().enumerate() {
        let (first, last) = (index == 0, index + 1 == parts.len());
        let place = match (first, last) {
            (true, _) => Some(0),
            (false, true) => got.len().checked_sub(part.len()).filter(|start| *start >= from),
            (false, false) => (from..=got.len().saturating_sub(part.len()))
                .find(|start| part.iter().zip(&got[*start..]).all(|(a, b)| agree(a, b, usual))),
        };
        let Some(place) = place else {
            return Err(format!("not printed: {}", part.first().copied().unwrap_or_default()));
        };
        for (row, line) in part.iter().enumerate() {
            match got.get(place + row) {
                Some(printed) if agree(line, printed, usual) => {}
                Some(printed) => return Err(format!("book:    {line}\nprinted: {printed}")),
                None => return Err(format!("not printed: {line}")),
            }
        }
        from = place + part.len();
    }
    match got.get(from) {
        Some(line) if wanted.last().is_none_or(|last| last.trim() != "...") => {
            Err(format!("not in the book: {line}"))
        }
        _ => Ok(()),
    }
}

/// What the page should say: the printed lines, shortened by `...` as the page had them.
pub fn shortened(book: &str, printed: &str) -> String {
    let (wanted, got) = (lines(book), lines(printed));
    let parts: Vec<&[&str]> = wanted.split(|line| line.trim() == "...").collect();
    if parts.len() == 1 {
        return got.iter().map(|line| format!("{line}\n")).collect();
    }
    let gaps: Vec<&str> = wanted.iter().copied().filter(|line| line.trim() == "...").collect();
    let mut text = String::new();
    let mut from = 0;
    for (index, part) in parts.iter().enumerate() {
        let room = got.len().saturating_sub(part.len()).max(from);
        let place = match index {
            0 => 0,
            _ if index + 1 == parts.len() => room,
            // The place where most lines have the words that the page has.
            _ => (from..=room)
                .max_by_key(|start| (alike(part, &got[*start..]), usize::MAX - start))
                .unwrap_or(from),
        };
        if index > 0 {
            text.push_str(gaps.get(index - 1).map_or("...", |line| line));
            text.push('\n');
        }
        for line in got.iter().skip(place).take(part.len()) {
            text.push_str(line);
            text.push('\n');
        }
        from = place + part.len();
    }
    text
}

/// How many lines have the same words.
fn alike(part: &[&str], got: &[&str]) -> usize {
    let words =
        |line: &str| tokens(line).into_iter().filter(|token| number(token).is_none()).collect::<String>();
    part.iter().zip(got).filter(|(a, b)| words(a) == words(b)).count()
}

/// Lines without trailing spaces and without empty ones at the end. Progress, which depends on time, is left out.
fn lines(text: &str) -> Vec<&str> {
    let progress = |line: &&str| line.starts_with("t = ") && line.ends_with(" samples on disk");
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !progress(line)).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether a printed line agrees with the book.
fn agree(book: &str, printed: &str, usual: Tolerance) -> bool {
    let tolerance = LINES.iter().find(|(words, _)| book.contains(words)).map_or(usual, |(_, own)| *own);
    let (wanted, got) = (tokens(book), tokens(printed));
    wanted.len() == got.len() && wanted.iter().zip(&got).all(|(a, b)| a == b || close(a, b, tolerance))
}

/// Whether two tokens are numbers that agree.
fn close(book: &str, printed: &str, tolerance: Tolerance) -> bool {
    let (Some((a, unit)), Some((b, _))) = (number(book), number(printed)) else { return false };
    let whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let apart = (a - b).abs();
    // What rounding leaves of zero.
    if a.abs().max(b.abs()) < 1e-12 && !(whole(book) && whole(printed)) {
        return true;
    }
    match tolerance {
        Tolerance::Any => true,
        Tolerance::Rounding => {
            let tiny = 1e-9;
            apart <= 2.0 * unit || (a.abs() < tiny && b.abs() < tiny) || {
                let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
                high <= 30.0 * low
            }
        }
        Tolerance::Share(share) if whole(book) && whole(printed) && share < 1e-3 => a == b,
        Tolerance::Share(share) => apart <= 2.0 * unit || apart <= share * a.abs().max(b.abs()),
    }
}

/// The value of a number, and one unit of its last digit.
fn number(token: &str) -> Option<(f64, f64)> {
    let value: f64 = token.parse().ok()?;
    token.bytes().any(|byte| byte.is_ascii_digit()).then_some(())?;
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, behind)| behind.len());
    let places = exponent.parse::<i32>().ok()? - i32::try_from(decimals).ok()?;
    let unit = if decimals == 0 && exponent == "0" { 0.0 } else { 10f64.powi(places) };
    Some((value, unit))
}

/// Words, numbers and signs of a line; spaces only separate. A number that belongs to a name (`q4`) is a part of it.
fn tokens(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
        let signed = matches!(bytes[at], b'-' | b'+') && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if digit(at) || (signed && digit(at + 1)) {
            at += 1;
            while digit(at) || (bytes.get(at) == Some(&b'.') && digit(at + 1)) {
                at += 1;
            }
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
            if matches!(bytes.get(at), Some(b'e' | b'E')) && digit(at + 1 + sign) {
                at += 2 + sign;
                while digit(at) {
                    at += 1;
                }
            }
        } else if bytes[at].is_ascii_alphabetic() || bytes[at] == b'_' {
            while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                at += 1;
            }
        } else {
            at += line[at..].chars().next().map_or(1, char::len_utf8);
        }
        found.push(&line[start..at]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fences::fences;

    const USUAL: Tolerance = Tolerance::Share(1e-6);

    #[test]
    fn commands_and_outputs() {
        let page = "```console\n$ a \\\n    b\none\ntwo\n$ c\n```\n";
        let found = steps(page, &fences(page)[0]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].command.as_str(), &page[found[0].output.clone()]), ("a b", "one\ntwo\n"));
        assert_eq!((found[1].command.as_str(), &page[found[1].output.clone()], found[1].line), ("c", "", 6));
    }

    #[test]
    fn numbers_agree_within_their_tolerance() {
        let met = |book, printed| compare(book, printed, USUAL).is_ok();
        assert!(met("x  1.234567", "x 1.234568") && !met("x 1.2345", "x 1.2348"));
        assert!(!met("3 rows", "4 rows") && !met("q4 1", "q5 1") && met("-2.5e-3 N", "-0.0025 N"));
        assert!(met(
            "simulated 5 s in 0.001 s CPU, real-time factor 2e-4",
            "simulated 5 s in 3.2 s CPU, real-time factor 0.64"
        ));
        assert!(met("energy residue -2.89e-8 J (lost)", "energy residue -9.1e-8 J (lost)"));
        assert!(!met("energy residue -2.89e-8 J (lost)", "energy residue -2.9e-5 J (lost)"));
        assert!(met("  steps   392 (39 rejected)", "  steps   393 (39 rejected)"));
        assert!(!met("  steps   392 (39 rejected)", "  steps   492 (39 rejected)"));
        assert!(!met("names", "name"));
    }

    #[test]
    fn lines_left_out() {
        let met = |book, printed| compare(book, printed, USUAL).is_ok();
        assert!(
            met("a\n...\n", "a\nb\nc\n")
                && met("a\n...\nc\n", "a\nb\nc\n")
                && met("a\n...\nb\n...\n", "a\nx\nb\nc\n")
        );
        assert!(!met("a\n", "a\nb\n") && !met("a\nb\n", "a\n") && !met("a\n...\nd\n", "a\nb\nc\n"));
        assert!(met("a\n", "t = 0.5 s of 2 s, 100 samples on disk\na\n\n"));
        assert_eq!(shortened("a 1\n...\nc 1\n", "a 2\nb 2\nb 3\nc 4\n"), "a 2\n...\nc 4\n");
        assert_eq!(
            shortened("a 1\n  ...\n  m 1\n  ...\n", "a 2\n  b 2\n  m 3\n  c 4\n"),
            "a 2\n  ...\n  m 3\n  ...\n"
        );
    }
}
