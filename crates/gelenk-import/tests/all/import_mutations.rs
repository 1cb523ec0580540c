//! Robots, cut, doubled and flipped at random places: converted or refused, never a panic.

use gelenk_import::{Limits, Options, import_text};
use gelenk_model::parse_model;
use gelenk_testing::mutator::mutate;
use gelenk_testing::random::Random;

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

#[test]
fn mutated_robots_never_panic_and_give_readable_models() {
    let samples = [
        include_str!("../import/gripper.urdf"),
        include_str!("../import/rover.urdf"),
        include_str!("../import/leg.xml"),
        include_str!("../import/parts/body.xml"),
    ];
    let mut random = Random::new(7);
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
        let text = mutate(samples[round % samples.len()], &PIECES, &mut random);
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
