//! Robots of other formats from any text. A panic is a finding.

use gelenk_import::{Limits, Options, import_text};

use crate::mutator::bytes;
use crate::random::Random;

/// Reads a text as a robot with several options; what is read is checked as a model. Every text is worth changing further
/// that still is one.
pub fn reader(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    for limits in [Limits::Stops, Limits::Ranges] {
        let options = Options { limits, repair_inertia: limits == Limits::Ranges, ..Options::default() };
        match import_text(text, &options) {
            Ok(imported) => {
                // A robot may be wrong in ways that its own format does not mind, but the report is complete.
                if let Err(failure) = imported.model(None) {
                    assert!(!failure.to_string().is_empty());
                }
            }
            Err(failure) => {
                assert!(failure.report.has_errors());
                for diagnostic in failure.report.iter() {
                    let file = failure.sources.get(diagnostic.span.file);
                    assert!(
                        file.is_some_and(|file| diagnostic.span.end <= file.text.len()),
                        "{diagnostic:?}"
                    );
                }
                assert!(!failure.to_string().is_empty());
            }
        }
    }
    true
}

/// Pieces that the readers of macros, frames and numbers stumble over.
const PIECES: [&str; 24] = [
    "${",
    "}",
    "$(arg ",
    "$(find x)",
    "$$",
    "**",
    "1e308",
    "-",
    "nan",
    "inf",
    "(",
    ")",
    "[",
    "' '",
    " if x else ",
    "//0",
    "<xacro:insert_block name=\"origin\"/>",
    "<xacro:bar/>",
    " relative_to=\"boom\"",
    " relative_to=\"slew\"",
    "<pose relative_to=\"luff\">0 0 0 1 2 3</pose>",
    "ropes::",
    "__model__",
    "world",
];

/// A changed text: other bytes, other pieces, or lines in another order.
pub fn change(data: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(4) {
        0 => {
            let text = String::from_utf8_lossy(data).into_owned();
            let mut lines: Vec<&str> = text.lines().collect();
            let (a, b) = (random.below(lines.len()), random.below(lines.len()));
            if random.below(2) == 0 && !lines.is_empty() {
                lines.swap(a, b);
            } else if let Some(line) = lines.get(a).copied() {
                lines.insert(b, line);
            }
            lines.join("\n").into_bytes()
        }
        1 => {
            let mut data = data.to_vec();
            let at = random.below(data.len() + 1).min(data.len());
            data.splice(at..at, PIECES[random.below(PIECES.len())].bytes());
            data
        }
        2 => {
            let mut data = data.to_vec();
            let digits: Vec<usize> = (0..data.len()).filter(|&i| data[i].is_ascii_digit()).collect();
            if let Some(&i) = digits.get(random.below(digits.len())) {
                data[i] = b'0' + random.below(10) as u8;
            }
            data
        }
        _ => bytes(data, random),
    }
}
