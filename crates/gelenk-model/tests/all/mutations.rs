//! Valid files, cut, doubled and flipped at random places: read or refused, never a panic.

use gelenk_model::{LogColumns, compile, parse_model, parse_study};
use gelenk_testing::mutator::mutate;
use gelenk_testing::random::Random;

/// Pieces that mean something to the reader.
const PIECES: [&str; 24] = [
    "\"", "[", "]", "{", "}", "=", ".", "\n", "#", "'''", "rod", "phi", "t", "-", "1e999", "inf", "nan",
    " N m/rad", "²", "µ", "\\u0041", "sin(", "if(", "ground",
];

/// Whether a text is found right; then it must also compile and build.
fn survives(text: &str) -> bool {
    match parse_model(text, None) {
        Ok(loaded) => {
            let columns = LogColumns { time: vec![0.0, 1.0], value: vec![0.0, 1.0] };
            let compiled = compile(&loaded, &mut |_| Ok(columns.clone()));
            let compiled = compiled.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
            compiled.build().unwrap_or_else(|error| panic!("{error}\n{text}"));
            true
        }
        Err(failure) => {
            assert!(failure.report.has_errors());
            let shown = failure.to_string();
            assert!(shown.starts_with("error: ") || shown.starts_with("warning: "), "{shown}");
            false
        }
    }
}

/// A model with parts, and a part with everything that a mirror touches: mutated in turns.
#[test]
fn st_r52_mutated_parts_never_panic() {
    let whole = "schema = 1\ngravity = [0, 0, -9.81]\n[parameters]\nlong = \"0.5 m\"\n\
        [bodies.hub]\nmass = 1\ninertia = [1, 1, 1]\n[joints.hub]\ntype = \"free\"\nparent = \"ground\"\nchild = \"hub\"\n\
        [parts.a]\nfile = \"limb.toml\"\non = \"hub\"\nset = { \"parameters.upper\" = \"long\" }\n\
        [parts.b]\nfile = \"limb.toml\"\non = \"a\"\nposition = [0.1, 0, 0]\nmirror = \"xz\"\nprefix = \"b_\"\n\
        [outputs]\nboth = \"a_bend + b_bend\"\n";
    let limb = include_str!("../valid/limb.toml");
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("limb.toml");
    std::fs::write(folder.path().join("corner.obj"), include_str!("../valid/corner.obj")).unwrap();
    let survives = |text: &str, limb: &str| {
        std::fs::write(&part, limb).unwrap();
        match parse_model(text, Some(folder.path())) {
            // A mesh whose name was changed is found missing by the compiler.
            Ok(loaded) => match compile(&loaded, &mut |_| Err("no tables here".into())) {
                Ok(compiled) => {
                    compiled.build().unwrap_or_else(|error| panic!("{error}\n{text}\n{limb}"));
                    true
                }
                Err(failure) => {
                    assert!(
                        failure.to_string().contains(".obj\"") || failure.to_string().contains("mesh"),
                        "{failure}"
                    );
                    false
                }
            },
            Err(failure) => {
                assert!(failure.report.has_errors() && !failure.to_string().is_empty());
                false
            }
        }
    };
    assert!(survives(whole, limb));
    let mut random = Random::new(3);
    let read = (0..100).filter(|_| survives(&mutate(whole, &PIECES, &mut random), limb)).count();
    assert!((5..95).contains(&read), "the mutations are too weak or too strong: {read}");
    let read = (0..150).filter(|_| survives(whole, &mutate(limb, &PIECES, &mut random))).count();
    assert!((10..145).contains(&read), "the mutations are too weak or too strong: {read}");
}

/// Joints, loops and forces of every type.
#[test]
fn st_r52_mutated_mechanisms_never_panic() {
    let mut random = Random::new(2);
    for model in [
        include_str!("../valid/joints.toml"),
        include_str!("../valid/loops.toml"),
        include_str!("../valid/forces.toml"),
    ] {
        assert!(survives(model));
        let read = (0..1000).filter(|_| survives(&mutate(model, &PIECES, &mut random))).count();
        assert!((50..950).contains(&read), "the mutations are too weak or too strong: {read}");
    }
}

#[test]
fn st_r52_mutated_models_never_panic() {
    let model = include_str!("../valid/everything.toml").replace("include = [\"parts/load.toml\"]", "");
    let model = format!("{model}\n{}", include_str!("../valid/parts/load.toml").replace("schema = 1", "[x]"));
    let model = model
        .replace("[x]\ntitle  = \"A load that others include\"\n\n[parameters]\nload_mass = \"2 kg\"\n", "");
    let model = model.replace("[parameters]", "[parameters]\nload_mass = \"2 kg\"");
    parse_model(&model, None).unwrap_or_else(|failure| panic!("{failure}"));
    let studies = [
        include_str!("../valid/fit.toml"),
        include_str!("../valid/motion.toml"),
        include_str!("../valid/inverse.toml"),
        include_str!("../valid/ik.toml"),
    ];
    let mut random = Random::new(1);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..2000 {
        match survives(&mutate(&model, &PIECES, &mut random)) {
            true => read += 1,
            false => refused += 1,
        }
        for study in studies {
            match parse_study(&mutate(study, &PIECES, &mut random), None) {
                Err(failure) => assert!(!failure.to_string().is_empty()),
                // No model knows these names; that is told, too.
                Ok(study) => {
                    let _ = gelenk_model::motion_plan(&study, &gelenk_model::Known::default());
                    let _ = gelenk_model::task_plans(&study, &gelenk_model::Known::default());
                }
            }
        }
    }
    assert!(read > 100 && refused > 100, "the mutations are too weak or too strong: {read} {refused}");
}
