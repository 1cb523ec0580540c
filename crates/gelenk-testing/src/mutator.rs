//! Changes of bytes, and changes that leave a text mostly well-formed, so that more of them get past the reader's
//! syntax.

use crate::random::Random;

/// Numbers at the edges of what fields and floating point allow.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "-0.0",
    "1e-9",
    "1e-300",
    "5e-324",
    "1e9",
    "1e150",
    "1e308",
    "-1e308",
    "1e999",
    "inf",
    "nan",
    "4096",
    "9223372036854775807",
    "\"0 m\"",
    "\"1/0\"",
];

/// Bytes at the edges of what a number of one byte is used for.
const BYTES: [u8; 9] = [0, 1, 2, 127, 128, 129, 255, b'.', b'\n'];

/// Changes the first `size` bytes of `data` in place and returns their new number, at most `max_size`; `None`
/// where they are no text or the chosen change does not apply.
pub fn change(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> Option<usize> {
    let text = edited(std::str::from_utf8(data.get(..size)?).ok()?, &mut Random::new(seed.into()))?;
    let space = data.get_mut(..text.len()).filter(|space| space.len() <= max_size)?;
    space.copy_from_slice(text.as_bytes());
    Some(text.len())
}

/// A changed text, mostly well-formed where it was so before.
pub fn text(data: &[u8], random: &mut Random) -> Vec<u8> {
    let changed = std::str::from_utf8(data).ok().and_then(|text| edited(text, random));
    changed.map_or_else(|| bytes(data, random), String::into_bytes)
}

/// A changed text; half of the changes make nonsense.
pub fn any_text(data: &[u8], random: &mut Random) -> Vec<u8> {
    if random.next().is_multiple_of(2) { text(data, random) } else { bytes(data, random) }
}

/// Bytes with one change: a bit, a byte, a piece left out, doubled or moved, or a new piece.
pub fn bytes(data: &[u8], random: &mut Random) -> Vec<u8> {
    let mut data = data.to_vec();
    let at = random.below(data.len());
    let length = (1 + random.below(16)).min(data.len() - at);
    match random.next() % 8 {
        0 | 1 if !data.is_empty() => data[at] ^= 1 << random.below(8),
        2 | 3 if !data.is_empty() => data[at] = random.next() as u8,
        4 if !data.is_empty() => data[at] = BYTES[random.below(BYTES.len())],
        5 => drop(data.drain(at..at + length)),
        6 => {
            let piece = data[at..at + length].to_vec();
            let to = random.below(data.len() + 1);
            data.splice(to..to, piece);
        }
        _ => {
            let piece: Vec<u8> = (0..=random.below(8)).map(|_| random.next() as u8).collect();
            data.splice(at..at, piece);
        }
    }
    data
}

/// A text with up to three changes: pieces cut out, doubled, flipped or put in (`pieces` are those that mean something to its
/// reader), other digits, lines exchanged or doubled.
pub fn mutate(text: &str, pieces: &[&str], random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len() + 1);
        let length = random.below(60).min(bytes.len() - at);
        match random.below(9) {
            0 => drop(bytes.drain(at..at + length)),
            1 => {
                let piece = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            2 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            3 => {
                let piece = random.pick(pieces).copied().unwrap_or_default();
                bytes.splice(at..at, piece.bytes());
            }
            4..7 => other_digit(&mut bytes, random),
            _ => bytes = other_lines(&bytes, random),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Another digit, or a huge exponent: the text stays well-formed.
fn other_digit(bytes: &mut Vec<u8>, random: &mut Random) {
    let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
    let Some(&i) = random.pick(&digits) else { return };
    bytes[i] = b'0' + random.below(10) as u8;
    if random.below(6) == 0 {
        bytes.splice(i + 1..i + 1, *b"e300");
    }
}

/// Whole lines exchanged or doubled, so that things stand where they do not belong.
fn other_lines(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<&str> = text.lines().collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    if random.below(2) == 0 && !lines.is_empty() {
        lines.swap(a, b);
    } else if let Some(line) = lines.get(a).copied() {
        lines.insert(b, line);
    }
    lines.join("\n").into_bytes()
}

/// A changed text, or `None` where the chosen change does not apply.
fn edited(text: &str, random: &mut Random) -> Option<String> {
    match random.next() % 6 {
        // Another number in the place of one.
        0 | 1 => {
            let number = *random.pick(&NUMBERS)?;
            let place = random.pick(&runs(text, |c| c.is_ascii_digit() || c == '.'))?.clone();
            Some(replaced(text, place, number))
        }
        // A word of the text in the place of another one.
        2 => {
            let words = runs(text, |c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            let (from, to) = (random.pick(&words)?.clone(), random.pick(&words)?.clone());
            Some(replaced(text, to, &text[from]))
        }
        // What stands between quotes in the place of something else that does.
        3 => {
            let quoted: Vec<_> = runs(text, |c| c != '"').into_iter().skip(1).step_by(2).collect();
            let (from, to) = (random.pick(&quoted)?.clone(), random.pick(&quoted)?.clone());
            Some(replaced(text, to, &text[from]))
        }
        // A line left out, or at another place.
        _ => {
            let mut lines: Vec<&str> = text.lines().collect();
            if lines.is_empty() {
                return None;
            }
            let line = lines.remove(random.below(lines.len()));
            if random.next().is_multiple_of(2) {
                lines.insert(random.below(lines.len() + 1), line);
            }
            Some(lines.join("\n"))
        }
    }
}

/// Longest runs of characters of one kind.
fn runs(text: &str, belongs: impl Fn(char) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| belongs(*c)) {
        match found.last_mut() {
            Some(run) if run.end == at => run.end += c.len_utf8(),
            _ => found.push(at..at + c.len_utf8()),
        }
    }
    found
}

fn replaced(text: &str, place: std::ops::Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..place.start], &text[place.end..])
}
