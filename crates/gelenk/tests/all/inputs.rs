//! Inputs that are bound when a run starts, or set while it runs.

use std::path::Path;
use std::sync::Arc;

use gelenk::open::{Overrides, Prepared, simulation};
use gelenk::prelude::*;
use gelenk::run::{run, run_bound};

/// A block on a spring and on dry friction, pushed by a signal.
fn model(folder: &Path, signals: &str) -> Prepared {
    let text = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        [simulate]
        until = "2 s"
        output = "10 ms"
        [bodies.block]
        mass = "1 kg"
        inertia = [1, 1, 1]
        [joints.slide]
        type = "prismatic"
        parent = "ground"
        child = "block"
        axis = [1, 0, 0]
        coordinate = {{ name = "x", spring = {{ stiffness = "40 N/m", damping = "1 N s/m" }} }}
        friction = {{ law = "coulomb", coulomb = "0.8 N" }}
        [drives.push]
        on = "x"
        force = "u + 0.5 [N]*max(0, u/1 [N] - 1)"
        {signals}
        "#
    );
    let path = folder.join("model.toml");
    std::fs::write(&path, text).unwrap();
    simulation(&path, &Overrides::default()).unwrap()
}

fn methods() -> Vec<Method> {
    let step = Nanos(5_000_000);
    let (rtol, atol, max_step) = (1e-8, 1e-8, f64::INFINITY);
    vec![
        Method::Rk4 { step },
        Method::Bs23 { rtol, atol, max_step },
        Method::Dopri5 { rtol, atol, max_step },
        Method::Dop853 { rtol, atol, max_step },
        Method::Stepped { step },
        Method::Stepped2 { step },
        Method::RealTime { step },
    ]
}

const TIME: [f64; 5] = [0.0, 0.3, 0.7, 0.71, 1.6];
const FORCE: [f64; 5] = [0.0, 2.5, 2.0, -2.5, 1.0];

/// What an input is bound to at run time gives the same numbers, to the bit, as the same signal in the model file.
#[test]
fn bound_inputs_are_signals_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let rows = TIME.iter().zip(FORCE).map(|(t, u)| format!("{t},{u}\n")).collect::<String>();
    std::fs::write(folder.path().join("log.csv"), format!("t,u\n{rows}")).unwrap();
    let open = model(folder.path(), "[signals.u]\ninput = \"0 N\"");
    let log = |more: &str| {
        let signal = format!(
            "[signals.u]\nlog = {{ file = \"log.csv\", time = \"t\", column = \"u\", unit = \"N\"{more} }}"
        );
        model(folder.path(), &signal)
    };
    let sine = Waveform::Sine { frequency: 1.5, phase: 0.4 };
    let cases = [
        (log(""), Course::table(TIME.into(), FORCE.into()).unwrap()),
        (log(", interpolation = \"hold\""), Course::steps(TIME.into(), FORCE.into()).unwrap()),
        (
            model(
                folder.path(),
                "[signals.u]\nsine = { amplitude = \"3 N\", frequency = \"1.5 Hz\", phase = \"0.4 rad\" }",
            ),
            Course::Shape { shape: Arc::new(sine), amplitude: 3.0, offset: 0.0 },
        ),
        (
            model(
                folder.path(),
                "[signals.u]\nchirp = { amplitude = \"3 N\", offset = \"0.1 N\", from = \"0.5 Hz\", to = \"4 Hz\", duration = \"1.234 s\" }",
            ),
            Course::Shape {
                shape: Arc::new(Waveform::Chirp { from: 0.5, to: 4.0, duration: 1.234 }),
                amplitude: 3.0,
                offset: 0.1,
            },
        ),
        (model(folder.path(), "[signals.u]\ninput = \"1.7 N\""), Course::Held(1.7)),
    ];
    let u = find_input(&open.mechanism, "u").unwrap();
    for (given, course) in &cases {
        for method in methods() {
            let options = Options { method, ..open.options };
            let (file, _) = run(&given.mechanism, &given.parameters.values(), &options).unwrap();
            let p = open.parameters.values();
            let (bound, _) =
                run_bound(&open.mechanism, &p, &[(u, course.clone())], &options, &Default::default())
                    .unwrap();
            assert_eq!(file.column("x"), bound.column("x"), "{method:?} {course:?}");
            assert!(file.column("x").unwrap().iter().any(|x| x.abs() > 1e-3), "{course:?} moves it");
        }
    }
}

/// A controller in the program that holds its output over sampling periods gives the same bytes as the same controller in the
/// model file: PI control with a limit, its equation from the specification of the block.
#[test]
fn a_controller_by_hand_is_the_controller_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = r#"
        [controllers.u]
        type = "pi"
        measure = "x"
        target = "50 mm"
        kp = "30 N/m"
        ki = "60 N/(m s)"
        limit = "2 N"
        period = "20 ms"
        "#;
    let file = model(folder.path(), blocks);
    let open = model(folder.path(), "[signals.u]\ninput = \"0 N\"");
    let p = open.parameters.values();
    let period = Nanos(20_000_000);
    for method in methods() {
        // Steps end at the ticks in both, and rows of a run do not make the method forget anything up to the 64th.
        let options = Options { method, output: period, until: Nanos(1_200_000_000) };
        let (expected, _) = run(&file.mechanism, &file.parameters.values(), &options).unwrap();
        let expected = expected.column("x").unwrap();
        let mut robot = Simulation::new(&open.mechanism, &p, method).unwrap();
        let (u, mut integral) = (robot.input("u").unwrap(), 0.0);
        for (tick, expected) in expected.iter().enumerate() {
            robot.advance_to(Nanos(period.0 * tick as u64)).unwrap();
            assert_eq!(robot.state()[0].to_bits(), expected.to_bits(), "{method:?} at tick {tick}");
            let error = 0.05 - robot.state()[0];
            let wanted: f64 = 30.0 * error + integral;
            let value = wanted.clamp(-2.0, 2.0);
            if value == wanted || (wanted - value) * error < 0.0 {
                integral += 60.0 * error * 0.02;
            }
            robot.set_input(u, value).unwrap();
        }
        assert_eq!((expected.len(), robot.time()), (61, 1.2));
        assert!(expected[60] > 0.02, "it moves");
    }
}

/// What is held belongs to the state: it comes back with a checkpoint, and a run is a function of what was set.
#[test]
fn held_inputs_belong_to_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let open = model(folder.path(), "[signals.u]\ninput = \"2 N\"");
    let p = open.parameters.values();
    for method in methods() {
        let mut robot = Simulation::new(&open.mechanism, &p, method).unwrap();
        robot.advance_to(Nanos(100_000_000)).unwrap();
        robot.set_input(0, -3.0).unwrap();
        let kept = robot.checkpoint();
        robot.advance_to(Nanos(300_000_000)).unwrap();
        let pulled = robot.state().to_vec();
        robot.set_input(0, 5.0).unwrap();
        robot.advance_to(Nanos(400_000_000)).unwrap();
        assert_ne!(pulled, robot.state());
        robot.restore(&kept).unwrap();
        robot.advance_to(Nanos(300_000_000)).unwrap();
        assert_eq!(pulled, robot.state(), "{method:?}");
        // Back at the start it has the value of the model.
        robot.reset().unwrap();
        robot.advance_to(Nanos(100_000_000)).unwrap();
        assert!(robot.state()[0] > 0.0);
    }
}

/// Mistakes are refused by name, and nothing is changed.
#[test]
fn inputs_that_are_not_there_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = model(folder.path(), "[signals.u]\ninput = \"2 N\"");
    let p = open.parameters.values();
    let mut robot = Simulation::new(&open.mechanism, &p, Method::Rk4 { step: Nanos(1_000_000) }).unwrap();
    let message = |result: Result<(), SolveError>| result.unwrap_err().to_string();
    assert!(robot.input("U").unwrap_err().to_string().contains("did you mean `u`"));
    assert!(message(robot.set_input(1, 0.0)).contains("no input number 1"));
    assert!(message(robot.set_input(0, f64::NAN)).contains("input u cannot be set to NaN"));
    let bad = Course::Table(Arc::new(gelenk_signal::LogTable { time: vec![], value: vec![], hold: false }));
    assert!(message(robot.bind_input(0, bad)).contains("input u: the log has 0 times"));
    robot.bind_input(0, Course::table(vec![0.0, 1.0], vec![0.0, 1.0]).unwrap()).unwrap();
    assert!(message(robot.set_input(0, 1.0)).contains("follows a table"));
}
