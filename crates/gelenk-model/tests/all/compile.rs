//! Checked models become parameters and a mechanism.

use gelenk_model::{Compiled, LoadedModel, LogColumns, compile, load_model, load_study, parse_model};
use gelenk_multibody::blueprint::{Course, SignalKind};
use gelenk_system::ParameterTable;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid")
}

fn everything() -> LoadedModel {
    load_model(folder().join("everything.toml")).unwrap_or_else(|failure| panic!("{failure}"))
}

fn compiled() -> Compiled {
    compile(&everything(), &mut |request| {
        assert!(request.file.ends_with("parts/run.csv"), "{}", request.file.display());
        assert_eq!((request.time.as_str(), request.column.as_str()), ("t", "torque"));
        Ok(LogColumns { time: vec![0.0, 500.0, 1000.0], value: vec![0.0, 100.0, -50.0] })
    })
    .unwrap_or_else(|failure| panic!("{failure}"))
}

fn value(table: &ParameterTable, path: &str) -> f64 {
    table.find(path).unwrap_or_else(|error| panic!("{error}")).of(&table.values())
}

#[test]
fn every_number_has_a_path_and_the_model_builds() {
    let compiled = compiled();
    for (path, expected) in [
        ("parameters.rod", 0.25),
        ("parameters.half", 0.125),
        ("gravity.z", -9.81),
        ("bodies.crank.centre.z", -0.125),
        ("bodies.coupler.inertia.xx", 1e-4),
        ("bodies.load.mass", 2.0),
        // A box of 2 kg with edges of 0.1 m: m (a^2 + b^2)/12.
        ("bodies.load.inertia.zz", 2.0 * 0.02 / 12.0),
        // A cylinder: m (3 r^2 + l^2)/12.
        ("bodies.crank.inertia.xx", 0.15 * (3.0 * 0.004f64.powi(2) + 0.25f64.powi(2)) / 12.0),
        // A sphere: 2/5 m r^2.
        ("bodies.ball.inertia.yy", 0.4 * 0.03f64.powi(2)),
        ("joints.shoulder.coordinate.start", 30f64.to_radians()),
        ("joints.shoulder.coordinate.stop.range.upper", f64::INFINITY),
        ("joints.shoulder.friction.sigma0", 2400.0),
        ("joints.shoulder.friction.sigma1", 0.0),
        ("joints.elbow.spring.rest", std::f64::consts::FRAC_PI_4),
        ("coordinates.psi.start", 0.0),
        ("coordinates.rail.start", 0.1),
        ("joints.flight.start.angular_velocity.x", 2.0 * std::f64::consts::PI),
        ("friction.hysteresis.level.1", 0.2),
        ("sensors.encoder.quantum", 0.3f64.to_radians()),
        ("controllers.servo.kp", 2.0),
        ("springs.tether.length", 1.0),
    ] {
        let found = value(&compiled.parameters, path);
        assert!(found == expected || (found - expected).abs() < 1e-15, "{path}: {found} {expected}");
    }
    let names: Vec<&str> = compiled.blueprint.elements.iter().map(|element| element.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "joints.shoulder.coordinate.stop",
            "joints.shoulder.friction",
            "joints.elbow.spring",
            "coordinates.rail.friction",
            "friction.hysteresis",
            "springs.tether",
            "drives.motor",
            "drives.push",
        ]
    );
    let units: Vec<(&str, &str)> = compiled
        .blueprint
        .signals
        .iter()
        .map(|signal| (signal.name.as_str(), signal.unit.as_str()))
        .collect();
    assert_eq!(units, [("command", "N m"), ("wanted", "rad"), ("encoder", "rad"), ("servo", "N m")]);
    assert_eq!(compiled.blueprint.outputs[0].unit, "W");
    compiled.validate().unwrap();
    compiled.build().unwrap();
}

#[test]
fn logs_are_converted_to_si() {
    let compiled = compiled();
    let SignalKind::Input { course: Course::Table(table), .. } = &compiled.blueprint.signals[0].kind else {
        panic!("a log")
    };
    assert_eq!(table.time, [0.0, 0.5, 1.0]);
    assert_eq!(table.value, [0.0, 0.1, -0.05]);
}

#[test]
fn faults_of_logs_are_told_at_their_place() {
    let model = everything();
    let message = |columns: Result<LogColumns, String>| {
        compile(&model, &mut |_| columns.clone()).unwrap_err().to_string()
    };
    let text = message(Ok(LogColumns { time: vec![0.0, 0.0], value: vec![1.0, 2.0] }));
    assert!(text.contains("do not increase at sample 2") && text.contains("everything.toml:"), "{text}");
    assert!(message(Err("no column \"torque\"".into())).contains("no column"));
    assert!(message(Ok(LogColumns { time: vec![], value: vec![] })).contains("0 times"));
    assert!(message(Ok(LogColumns { time: vec![0.0], value: vec![f64::NAN] })).contains("finite"));
}

#[test]
fn settings_flow_into_what_depends_on_them() {
    let mut compiled = compiled();
    compiled.set("parameters.rod", "300 mm").unwrap();
    assert_eq!(value(&compiled.parameters, "bodies.crank.centre.z"), -0.15);
    // A derived number becomes free.
    compiled.set("bodies.crank.centre.z", "-10 cm").unwrap();
    assert_eq!(value(&compiled.parameters, "bodies.crank.centre.z"), -0.1);
    // An angle is a plain number to the SI.
    compiled.set("joints.shoulder.coordinate.start", "pi/4").unwrap();
    assert_eq!(value(&compiled.parameters, "joints.shoulder.coordinate.start"), std::f64::consts::FRAC_PI_4);
    // The inertia of a shape follows the mass.
    let before = value(&compiled.parameters, "bodies.ball.inertia.xx");
    compiled.set("bodies.ball.mass", "2 kg").unwrap();
    assert_eq!(value(&compiled.parameters, "bodies.ball.inertia.xx"), 2.0 * before);
    compiled.validate().unwrap();
}

/// What is no number, or sets sizes and times of the compiled model, is refused for that reason; tables of such keys, too.
#[test]
fn keys_of_the_structure_are_refused_as_such() {
    let mut compiled = compiled();
    for path in [
        "joints.rail.type",
        "joints.rail.parent",
        "loops.close.between",
        "loops.close.between.0",
        "springs.tether.between",
        "friction.hysteresis.on",
        "friction.hysteresis.law",
        "signals.command.log.file",
        "signals.wanted",
        "signals.wanted.value",
        "sensors.encoder.jitter",
        "controllers.servo.type",
        "controllers.servo.delay",
        "controllers.servo.target",
        "drives.motor.torque",
        "outputs.power",
        "simulate.solver.rtol",
        "simulate",
    ] {
        let error = compiled.set(path, "1").unwrap_err().to_string();
        assert!(error.starts_with(&format!("\"{path}\" sets the structure of the model")), "{error}");
    }
    // A table with numbers in it is none of them.
    let error = compiled.set("joints.shoulder.friction", "1").unwrap_err().to_string();
    assert!(error.contains("it is a table with"), "{error}");
}

#[test]
fn refused_settings_say_why_and_what_was_meant() {
    let mut compiled = compiled();
    let mut message = |path: &str, text: &str| compiled.set(path, text).unwrap_err().to_string();
    for (path, text, expected) in [
        (
            "parameters.rdo",
            "1 m",
            "the model has no parameter \"parameters.rdo\"; did you mean \"parameters.rod\"?",
        ),
        ("rod", "1 m", "the model has no parameter \"rod\"; did you mean \"parameters.rod\"?"),
        (
            "bodies.ball.centre",
            "1 m",
            "the model has no parameter \"bodies.ball.centre\"; it is a table with \"bodies.ball.centre.x\", \"bodies.ball.centre.y\", ...",
        ),
        (
            "sensors.encoder.period",
            "1 s",
            "\"sensors.encoder.period\" sets the structure of the model and can only be changed in the file",
        ),
        (
            "parameters.rod",
            "3 kg",
            "parameters.rod: \"3 kg\" cannot be its value: a length (m) was expected, this is a mass (kg); give it in m",
        ),
        (
            "parameters.rod",
            "2*half",
            "parameters.rod: \"2*half\" cannot be its value: \"half\" is not a number",
        ),
        ("bodies.ball.mass", "-1 kg", "bodies.ball.mass = -1 kg must be at least 0"),
        (
            "parameters.rod",
            "3 mmm",
            "parameters.rod: \"3 mmm\" cannot be its value: unknown unit `mmm`; did you mean `mm`?",
        ),
    ] {
        assert_eq!(message(path, text), expected);
    }
}

#[test]
fn values_that_break_a_relation_are_found() {
    let mut compiled = compiled();
    compiled.set("joints.shoulder.friction.breakaway", "0.01 N m").unwrap();
    assert!(compiled.validate().unwrap_err().to_string().contains("joints.shoulder.friction"));
}

#[test]
fn a_study_sets_and_varies() {
    let study = load_study(folder().join("fit.toml")).unwrap();
    let mut compiled = compiled();
    compiled.apply(&study).unwrap();
    assert_eq!(value(&compiled.parameters, "joints.shoulder.friction.sigma0"), 1e4);
    let list = compiled.variations(&study).unwrap();
    assert_eq!((list.len(), list[0].lower, list[0].upper, list[0].logarithmic), (1, 1e2, 1e5, true));
}

#[test]
fn faults_of_a_study_are_told_at_their_place() {
    let text = r#"
schema = 1
kind = "fit"
model = "everything.toml"
set = { "parameters.rdo" = 1, "parameters.rod" = "1 kg" }
data = { file = "a.csv", time = "t" }
compare = [{ output = "phi", column = "phi", unit = "deg" }]
vary = [
  { path = "bodies.ball.mass", lower = "2 kg", upper = "1 kg" },
  { path = "bodies.ball.mass", lower = "2 kg", upper = "3 kg" },
  { path = "bodies.ball.mass", lower = 0, upper = "3 kg", scale = "log" },
  { path = "bodies.ball.mass", lower = "1 m", upper = "3 kg" },
]
"#;
    let study = gelenk_model::parse_study(text, None).unwrap();
    let mut compiled = compiled();
    let shown = compiled.apply(&study).unwrap_err().to_string();
    assert!(
        shown.contains("study.toml:5:9") && shown.contains("did you mean \"parameters.rod\"?"),
        "{shown}"
    );
    assert!(shown.contains("a length (m) was expected, this is a mass (kg)"), "{shown}");
    let shown = compiled.variations(&study).unwrap_err();
    assert_eq!(shown.report.len(), 4, "{shown}");
}

#[test]
fn order_of_parameters_does_not_matter() {
    let text = r#"
schema = 1
gravity = ["g_x", 0, "-g"]
[parameters]
a = "2*b"
b = "parameters.c + 1 m"
c = "10 cm"
g_x = "g/2"
g = "9.81 m/s^2"
[bodies.p]
mass = 1
centre = ["a", 0, 0]
inertia = [0, 0, 0]
[joints.j]
type = "free"
parent = "ground"
child = "p"
"#;
    let model = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    let compiled = compile(&model, &mut |_| Err(String::new())).unwrap();
    assert_eq!(value(&compiled.parameters, "bodies.p.centre.x"), 2.2);
    assert_eq!(value(&compiled.parameters, "gravity.x"), 4.905);
    compiled.build().unwrap();
}
