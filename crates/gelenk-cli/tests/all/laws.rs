//! Laws in models and on the command line.

use std::process::Command;

use gelenk::law::{Block, Conditions, Experiment, Subject, block, findings, perform};
use gelenk_laws::Friction;
use gelenk_laws::diagnose::memory;

fn gelenk(arguments: &[&str]) -> (bool, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_gelenk")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.success(), text(out.stdout), text(out.stderr))
}

/// A block of 10 g under a force, in steps of 10 ms where the law has a stepped form: positions and times.
fn pushed(subject: &Subject, force: String, until: f64) -> (Vec<f64>, Vec<f64>) {
    let stepped = subject.law.spec().modes.stepped;
    let block = Block {
        subject: subject.clone(),
        mass: 0.01,
        force,
        until,
        output: 1e-2,
        step: stepped.then_some(1e-2),
        ..Block::default()
    };
    let (mechanism, options) = block.prepare().unwrap();
    let (recording, _) = gelenk::run::run(&mechanism, &mechanism.parameters().values(), &options).unwrap();
    (recording.time().to_vec(), recording.column(block::POSITION).unwrap().to_vec())
}

fn at(t: &[f64], x: &[f64], time: f64) -> f64 {
    gelenk_signal::sampling::resample(t, x, &[time])[0]
}

/// Workload W6b, K-R35, RU-R19: under a constant load of half its level every law that sticks stays where it is for
/// 10 s, to a millionth of its presliding distance. MuJoCo's `frictionloss` drifts by 0.475 rad in this workload.
#[test]
fn w6b_laws_that_stick_do_not_drift_under_a_constant_load() {
    for law in Friction::ALL.iter().filter(|law| law.spec().properties.sticks) {
        let subject = Subject::typical(law.spec().name).unwrap();
        let scales = subject.scales().unwrap();
        let (t, x) = pushed(&subject, format!("{:e} [N]", 0.5 * scales.force), 10.0);
        let drift = at(&t, &x, 10.0) - at(&t, &x, 2.0);
        assert!(drift.abs() < 1e-6 * scales.distance, "{}: {drift}", law.spec().name);
    }
}

/// W6b with an oscillating load: GMS and elasto-plastic friction do not drift, LuGre does (ruderman table 3.10).
#[test]
fn w6b_under_an_oscillating_load() {
    let drift = |name: &str| {
        let subject = Subject::typical(name).unwrap();
        let (t, x) = pushed(&subject, "0.5 [N] + 0.2 [N]*sin(2*pi*1 [Hz]*t)".into(), 12.0);
        at(&t, &x, 12.0) - at(&t, &x, 4.0)
    };
    assert!(drift("gms").abs() < 1e-12 && drift("elasto-plastic").abs() < 1e-12);
    assert!(drift("lugre") > 1e-6);
}

/// RU-R10: every law can be looked up, moved and measured by its name.
#[test]
fn every_law_is_listed_shown_and_measured() {
    let (good, list, _) = gelenk(&["law", "list"]);
    assert!(good);
    for law in Friction::ALL {
        let spec = law.spec();
        assert!(list.contains(spec.name) && list.contains(spec.title));
        let (good, text, _) = gelenk(&["law", "show", spec.name]);
        assert!(good && text.contains(spec.source) && text.contains("Properties"), "{text}");
        for param in spec.params {
            assert!(text.contains(param.meaning), "{}: {}", spec.name, param.name);
        }
        // The diagnostics agree with what the law says about its memory.
        let subject = Subject::typical(spec.name).unwrap();
        let found = memory(&mut subject.driven().unwrap(), &subject.scales().unwrap());
        assert_eq!(found, spec.properties.memory, "{}", spec.name);
    }
}

/// RU-R16: the findings report that MMS with the exponent of the thesis is not passive, and that with 0.5 it is;
/// `law diagnose` says so.
#[test]
fn findings_tell_what_is_not_passive() {
    let least = |text: &str| findings(&Subject::parse(text).unwrap()).unwrap().least_work.unwrap();
    assert!(least("mms:shape=2") < -0.05 && least("mms:shape=0.5") > 0.0);
    let (good, text, _) = gelenk(&["law", "diagnose", "mms:shape=2"]);
    assert!(good && text.contains("not passive") && text.contains("local"), "{text}");
}

/// Every experiment gives every law a finite curve, or says why not.
#[test]
fn every_experiment_works_on_every_law() {
    let subjects: Vec<Subject> =
        Friction::ALL.iter().map(|law| Subject::typical(law.spec().name).unwrap()).collect();
    for experiment in Experiment::ALL {
        // Break-away is a simulation a point; one law that sticks is enough here.
        let some = if experiment == Experiment::Breakaway { &subjects[..3] } else { &subjects[..] };
        let curves = perform(experiment, some, &Conditions::default()).unwrap();
        assert_eq!(curves.recordings.len() + curves.missing.len(), some.len());
        for (label, recording) in &curves.recordings {
            let values = recording.column(&curves.y).unwrap();
            assert!(values.len() > 5 && values.iter().all(|v| v.is_finite()), "{label} {experiment:?}");
        }
    }
}

/// SP-R10: a rig compares laws in one table; the picture and the recording have all of them.
#[test]
fn a_rig_compares_laws() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rig.parquet");
    let rig = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/stick-slip-coarse/rig.toml");
    let out_text = out.to_str().unwrap();
    let (good, text, error) = gelenk(&["law", "run", rig, "-o", out_text, "--plot", "x,v"]);
    assert!(good, "{error}");
    for part in ["power", "lugre", "slips [1]", "max_speed [m/s]", "drift [m]"] {
        assert!(text.contains(part), "{text}");
    }
    let recording = gelenk_io::read(&out).unwrap();
    assert!(recording.column("power.x").is_ok() && recording.column("lugre.friction").is_ok());
    assert!(std::fs::read_to_string(out.with_extension("svg")).unwrap().contains("lugre"));
    let (good, text, _) = gelenk(&["check", rig]);
    assert!(good && text.contains("a rig with 2 runs"), "{text}");
    let (good, _, error) = gelenk(&["run", rig]);
    assert!(!good && error.contains("gelenk law run"), "{error}");
}

/// Mistakes on the command line are told with what was probably meant.
#[test]
fn mistakes_are_reported() {
    for (arguments, part) in [
        (["law", "show", "lugr", ""], "lugre"),
        (["law", "plot", "lugre:sigma9=1", ""], "sigma0"),
        (["law", "plot", "lugre", "-e=strbeck"], "stribeck"),
        (["law", "plot", "lugre", "--speed=-1 m/s"], "greater than 0"),
    ] {
        let arguments: Vec<&str> = arguments.into_iter().filter(|a| !a.is_empty()).collect();
        let (good, _, error) = gelenk(&arguments);
        assert!(!good && error.contains(part), "{arguments:?}: {error}");
    }
}

/// SP-5, SP-R11: halving the step of RK4 changes nothing by more than a thousandth.
#[test]
fn sp_5_half_the_step_changes_nothing() {
    let rig = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/stick-slip-fine/rig.toml");
    let text = std::fs::read_to_string(&rig).unwrap();
    let half = std::env::temp_dir().join(format!("gelenk-half-step-{}.toml", std::process::id()));
    let halved = text.replace("step = \"0.1 ms\"", "step = \"0.05 ms\"");
    assert_ne!(halved, text);
    std::fs::write(&half, halved).unwrap();
    let (whole, finer) = (gelenk::law::run_rig(&rig).unwrap(), gelenk::law::run_rig(&half).unwrap());
    std::fs::remove_file(half).unwrap();
    for ((name, value), (_, finer)) in whole.numbers().into_iter().zip(finer.numbers()) {
        // What is still at rest is so to rounding.
        assert!((value - finer).abs() <= 1e-3 * value.abs() + 1e-9, "{name}: {value} {finer}");
    }
}

/// Wrong numbers on the command line are told, with what they are measured in.
#[test]
fn options_of_plots_have_units() {
    for (option, value, reported) in [
        ("--amplitude", "1 s", "measured in m"),
        ("--amplitude", "-1 mm", "greater than 0"),
        ("--speed", "1 rad/s", "measured in m/s"),
        ("--frequency", "2 m", "measured in 1/s"),
    ] {
        let (good, _, error) = gelenk(&["law", "plot", "lugre", option, value, "-o", "unwritten.svg"]);
        assert!(!good && error.contains(reported), "{option} {value}: {error}");
    }
    for (mass, coulomb, viscous, reported) in [
        ("1 m", "1 N", "1 N s/m", "measured in kg"),
        ("1 kg", "1 N m", "1 N s/m", "measured in N"),
        ("1 kg m^2", "1 N", "1 N s/m", "measured in N m"),
        ("1 kg", "1 N", "1 N", "measured in N s/m"),
        ("-1 kg", "1 N", "1 N s/m", "greater than 0"),
    ] {
        let options = ["--step", "1 ms", "--mass", mass, "--coulomb", coulomb, "--viscous", viscous];
        let (good, _, error) = gelenk(&[&["law", "suggest"], &options[..]].concat());
        assert!(!good && error.contains(reported), "{options:?}: {error}");
    }
}

/// K-R22: the map of every law; numbers of LuGre by the closed form of the slow pull, `x = -F_S/sigma0 ln(1 - share)`, and
/// of steady sliding, `F_C + (F_S - F_C) exp(-(v/v_S)^2) + F_v v`.
#[test]
fn maps_of_laws() {
    let (done, text, _) = gelenk(&["law", "map", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(done && all["result"]["laws"].as_array().unwrap().len() == Friction::ALL.len());
    let law = "lugre:coulomb=1 N,breakaway=1.5 N,stribeck=1 mm/s,sigma0=1e5 N/m,viscous=0.4 N s/m";
    let (done, text, _) = gelenk(&["law", "map", "--json", law]);
    assert!(done);
    let map: serde_json::Value = serde_json::from_str(&text).unwrap();
    let map = &map["result"]["laws"];
    let near = |value: &serde_json::Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value / expected - 1.0).abs() < 2e-3, "{value}, not {expected}");
    };
    let presliding = &map[0]["presliding"];
    near(&presliding["stiffness"], 1e5);
    near(&presliding["breakaway"], 1.5);
    for (k, share) in [0.5, 0.9, 0.99].into_iter().enumerate() {
        near(&presliding["displacements"][k]["displacement"], -1.5e-5 * (1.0f64 - share).ln());
    }
    for point in map[0]["steady"].as_array().unwrap() {
        let v = point["speed"].as_f64().unwrap();
        near(&point["forward"], 1.0 + 0.5 * (-(v / 1e-3).powi(2)).exp() + 0.4 * v);
        near(&point["backward"], 1.0 + 0.5 * (-(v / 1e-3).powi(2)).exp() + 0.4 * v);
    }
    let (done, text, _) = gelenk(&["law", "map", "coulomb", "viscous"]);
    assert!(done && text.contains("rigid") && text.contains("none: it sustains no load"), "{text}");
}
