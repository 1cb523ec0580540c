//! Robots, cut, doubled and flipped at random places: converted or refused, never a panic.

use gelenk_import::{Limits, Options, import_text};
use gelenk_model::parse_model;

/// A small generator with a fixed seed (splitmix64), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }
}

/// Pieces that mean something to the readers.
const PIECES: [&str; 22] = [
    "\"",
    "<",
    ">",
    "/>",
    "&#10;",
    "&lt;",
    "<!--",
    "1e308",
    "-1e-308",
    "nan",
    "inf",
    "0 0 0",
    "<frame>",
    "</frame>",
    "<body>",
    "</body>",
    "<joint/>",
    "<geom/>",
    "<inertial/>",
    " class=\"leg\"",
    " mesh=\"m\"",
    "<joint type=\"ball\"/>",
];

fn mutate(text: &str, random: &mut Random) -> String {
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
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            4..7 => {
                // Another digit, or a huge exponent, keeps the file well-formed.
                let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
                if let Some(&i) = digits.get(random.below(digits.len())) {
                    bytes[i] = b'0' + random.below(10) as u8;
                    if random.below(6) == 0 {
                        bytes.splice(i + 1..i + 1, *b"e300");
                    }
                }
            }
            _ => {
                // Exchanges or doubles whole lines, so that elements stand where they do not belong.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut lines: Vec<&str> = text.lines().collect();
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                if random.below(2) == 0 && !lines.is_empty() {
                    lines.swap(a, b);
                } else if let Some(line) = lines.get(a).copied() {
                    lines.insert(b, line);
                }
                bytes = lines.join("\n").into_bytes();
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_robots_never_panic_and_give_readable_models() {
    let samples = [
        include_str!("../import/gripper.urdf"),
        include_str!("../import/rover.urdf"),
        include_str!("../import/leg.xml"),
        include_str!("../import/parts/body.xml"),
    ];
    let mut random = Random(7);
    let (mut converted, mut refused) = (0, 0);
    for round in 0..3000 {
        let options = Options {
            free_base: false,
            armature: round % 3 > 0,
            limits: [Limits::Stops, Limits::Ranges, Limits::Omitted][round % 3],
            drives: round % 4 > 0,
            repair_inertia: round % 5 > 2,
            ..Options::default()
        };
        let text = mutate(samples[round % samples.len()], &mut random);
        match import_text(&text, &options) {
            Ok(imported) => {
                converted += 1;
                // The numbers may be nonsense, but the text must be a table that the reader can judge.
                let table = imported.text().parse::<toml::Table>();
                assert!(table.is_ok(), "{table:?}\n{}", imported.text());
                let _ = parse_model(&imported.text(), None).map_err(|failure| failure.to_string());
            }
            Err(failure) => {
                refused += 1;
                assert!(failure.report.has_errors());
                for diagnostic in failure.report.iter() {
                    let file = failure.sources.get(diagnostic.span.file).unwrap();
                    assert!(diagnostic.span.end <= file.text.len(), "{diagnostic:?}");
                }
                assert!(!failure.to_string().is_empty());
            }
        }
    }
    assert!(converted > 300 && refused > 300, "{converted} converted, {refused} refused");
}
