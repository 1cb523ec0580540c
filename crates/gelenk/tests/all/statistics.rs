//! Statistics of the solver over time, and failures that name what is behind them.

use std::path::Path;

use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::{columns, has_statistics, run, run_into, statistics_columns};
use gelenk_record::Recording;
use gelenk_solve::{Method, Options, SolveError, Summary};
use gelenk_system::Nanos;

fn case(name: &str) -> Prepared {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    open::simulation(&cases.join(name).join("model.toml"), &Overrides::default()).unwrap()
}

fn options(method: Method) -> Options {
    let time = |seconds| Nanos::from_seconds(seconds).unwrap();
    Options { until: time(1.0), output: time(0.01), method }
}

/// A run with statistics by a clock that ticks a millisecond whenever it is read.
fn with_statistics(prepared: &Prepared, options: &Options) -> (Recording, Summary) {
    let mut all = columns(&prepared.mechanism);
    all.extend(statistics_columns());
    let mut recording = Recording::new(all).unwrap();
    let mut ticks = 0.0;
    let mut clock = || {
        ticks += 1e-3;
        ticks
    };
    let p = prepared.parameters.values();
    let summary =
        run_into(&prepared.mechanism, &p, options, Some(&mut clock), &mut recording, &mut |_, _| true)
            .unwrap();
    (recording, summary)
}

const TIGHT: Method = Method::Dopri5 { rtol: 1e-8, atol: 1e-8, max_step: f64::INFINITY };

/// H-R46 (but for Jacobians on their own): the counts of the last row are those of the summary, they never fall, and what the mechanism does stays the
/// same to the bit.
#[test]
fn counts_over_time_end_in_the_summary() {
    let stepped = Method::Stepped { step: Nanos::from_seconds(2e-3).unwrap() };
    for (method, order) in [(TIGHT, 5.0), (stepped, 1.0)] {
        let prepared = case("seams");
        let options = options(method);
        let (recording, summary) = with_statistics(&prepared, &options);
        let (plain, _) = run(&prepared.mechanism, &prepared.parameters.values(), &options).unwrap();
        assert!(has_statistics(recording.columns()) && !has_statistics(plain.columns()));
        for (k, column) in plain.columns().iter().enumerate() {
            assert_eq!(plain.values(k), recording.values(k), "{}", column.name);
        }
        let counts = [
            ("steps", summary.steps),
            ("rejected", summary.rejected),
            ("evaluations", summary.evaluations),
            ("iterations", summary.iterations),
            ("events", summary.events),
        ];
        for (name, count) in counts {
            let values = recording.column(&format!("solver.{name}")).unwrap();
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{name}");
            assert_eq!(*values.last().unwrap(), count as f64, "{name}");
        }
        assert!(recording.column("solver.order").unwrap()[1..].iter().all(|&o| o == order));
        assert!(recording.column("solver.step").unwrap()[1..].iter().all(|&h| h > 0.0 && h <= 0.1));
        // One tick a row of 10 ms.
        let factors = recording.column("solver.real_time_factor").unwrap();
        assert!(factors[1..].iter().all(|f| (f - 0.1).abs() < 1e-9), "{factors:?}");
    }
}

/// A force that runs away in finite time leaves no step, and the message names what the state with the largest error
/// belongs to. `x'' = 1000 x^3` from rest at `x = 1` ends at `L / sqrt(500)`, where `L = 1.3110287771` is the integral of
/// `1 / sqrt(x^4 - 1)` from 1 on (a quarter of the lemniscate).
#[test]
fn a_vanishing_step_names_the_element() {
    let model = r#"
        schema = 1
        gravity = [0, 0, 0]
        parameters.gain = "1000 N/m^3"
        bodies.block = { mass = "1 kg", inertia = [0, 0, 0] }
        joints.slide = { type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0], coordinate = { name = "x", start = "1 m" } }
        drives.push = { on = "x", force = "gain * x^3" }
        simulate = { until = "1 s" }
    "#;
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runaway.toml");
    std::fs::write(&file, model).unwrap();
    let prepared = open::simulation(&file, &Overrides::default()).unwrap();
    let p = prepared.parameters.values();
    let failed = run(&prepared.mechanism, &p, &options(TIGHT)).err().unwrap();
    let gelenk::run::RunError::Solve(SolveError::StepTooSmall { element, t, .. }) = &failed else {
        unreachable!("{failed}")
    };
    assert!(element == "coordinate x" && (t - 1.3110287771 / 500f64.sqrt()).abs() < 1e-7, "{failed}");
}

/// A tolerance below rounding cannot be met; it is refused before anything runs.
#[test]
fn a_tolerance_below_rounding_is_refused() {
    let prepared = case("stick-slip");
    let method = Method::Dopri5 { rtol: 1e-30, atol: 1e-30, max_step: f64::INFINITY };
    let failed = run(&prepared.mechanism, &prepared.parameters.values(), &options(method)).err().unwrap();
    assert!(failed.to_string().contains("give 1e-14 or more"), "{failed}");
}
