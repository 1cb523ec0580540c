//! Stick-slip and sticking at large fixed steps, on the models of the cases.

use std::path::Path;

use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::run;
use gelenk_record::Recording;
use gelenk_solve::{Method, Options, Summary};
use gelenk_system::Nanos;

fn case(name: &str) -> Prepared {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(name).join("model.toml");
    open::simulation(&model, &Overrides::default()).unwrap()
}

fn nanos(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds).unwrap()
}

/// A run of `until` seconds with a row every `output` seconds.
fn record(prepared: &Prepared, method: Method, until: f64, output: f64) -> (Recording, Summary) {
    let options = Options { until: nanos(until), output: nanos(output), method };
    run(&prepared.mechanism, &prepared.parameters.values(), &options).unwrap()
}

/// Row period of the comparison: a multiple of every step, because steps end at rows.
const PERIOD: f64 = 0.05;

/// Beginnings of motion faster than 20 mm/s, as the workload counts them.
fn slips(x: &[f64]) -> usize {
    let fast: Vec<bool> = x.windows(2).map(|pair| (pair[1] - pair[0]) / PERIOD > 0.02).collect();
    fast.windows(2).filter(|pair| pair[1] && !pair[0]).count()
}

/// Slips and RMS error (m) against `exact`; prints what the run took.
fn compare(prepared: &Prepared, method: Method, step: f64, exact: &[f64]) -> (usize, f64) {
    let (recording, summary) = record(prepared, method, 40.0, PERIOD);
    let x = recording.column("x").unwrap();
    let square: f64 = x.iter().zip(exact).map(|(a, b)| (a - b).powi(2)).sum();
    let rms = (square / x.len() as f64).sqrt();
    println!(
        "{:9} {:5} ms: {} slips, rms {:8.4} mm, {:.2} iterations a step, {} substeps, energy residue {:.1e} J",
        method.name(),
        1e3 * step,
        slips(x),
        1e3 * rms,
        summary.iterations as f64 / summary.steps as f64,
        summary.substeps,
        summary.energy.residue,
    );
    (slips(x), rms)
}

/// K-R35, RU-R19 and specker 3.4 (workload W6): six slips at every fixed step; with order 2 the error is at most 15 mm at
/// 10 ms and falls with the step. The reference is DOPRI5 at rtol 1e-8, which meets SciPy's Radau (x(30 s) = 2.54510190 m).
#[test]
fn six_slips_at_every_step() {
    let prepared = case("stick-slip");
    let method = Method::Dopri5 { rtol: 1e-8, atol: 1e-10, max_step: f64::INFINITY };
    let exact = record(&prepared, method, 40.0, PERIOD).0;
    let exact = exact.column("x").unwrap();
    assert!((exact[600] - 2.54510190).abs() < 1e-6 && slips(exact) == 6, "{}", exact[600]);
    let steps = [5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2];
    let run = |method: fn(Nanos) -> Method| steps.map(|h| compare(&prepared, method(nanos(h)), h, exact));
    let euler = run(|step| Method::Stepped { step });
    let second = run(|step| Method::Stepped2 { step });
    let once = run(|step| Method::RealTime { step });
    for runs in [euler, second, once] {
        assert!(runs.iter().all(|(slips, _)| *slips == 6), "{runs:?}");
        assert!(runs[..5].windows(2).all(|pair| pair[0].1 < pair[1].1), "{runs:?}");
    }
    assert!(second[4].1 < 3e-3, "{second:?}");
    assert!((3.5..4.5).contains(&(second[1].1 / second[0].1)), "order 2: {second:?}");
    assert!((1.8..2.2).contains(&(euler[1].1 / euler[0].1)), "order 1: {euler:?}");
    assert!(euler[4].1 < 2.2e-2 && euler[6].1 < 6e-2, "{euler:?}");
}

/// K-R35, RU-R19 (workload W6b): under a constant half load the joint does not drift, with every method and step; it
/// rests at the closed form `load / sigma0` or beyond, where the bristle has crept while it took the load.
#[test]
fn half_a_load_is_held_without_drift() {
    let prepared = case("joint-hold");
    for step in [1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2] {
        let step = nanos(step);
        for method in [Method::Stepped { step }, Method::Stepped2 { step }, Method::RealTime { step }] {
            let (recording, _) = record(&prepared, method, 10.0, 0.05);
            let phi = recording.column("phi").unwrap();
            let last = &phi[180..];
            let drift = last.iter().fold(0.0f64, |max, q| max.max((q - last[0]).abs()));
            println!("{:9} {step}: drift {drift:.1e} rad, angle {:.6e} rad", method.name(), phi[200]);
            assert!(drift < 1e-9, "{method:?}: {drift}");
            assert!((5e-5..2e-4).contains(&phi[200]), "{method:?}: {}", phi[200]);
        }
    }
}

/// K-R35, RU-R19: ten links with LuGre in every joint at 10 ms stay bounded: no joint is ever faster than the whole fall
/// could make the lightest link, `sqrt(2 m g l / I)`, and the energy that the method took is reported.
#[test]
fn chain_with_friction_stays_bounded() {
    let prepared = case("friction-chain");
    let step = nanos(1e-2);
    // Ten links fall by 0.5 m on average: 4.9 J; a link has 0.1 kg 0.1^2 m^2/12 about its centre.
    let bound = (2.0 * 4.905 / (0.1 * 0.01 / 12.0f64)).sqrt();
    for method in [Method::Stepped { step }, Method::Stepped2 { step }, Method::RealTime { step }] {
        let (recording, summary) = record(&prepared, method, 20.0, 0.01);
        let fastest = (1..=10).fold(0.0f64, |max, k| {
            let (low, high) = recording.extremes(&format!("q{k}.rate")).unwrap().unwrap();
            max.max(high).max(-low)
        });
        println!(
            "{:9}: fastest joint {fastest:.1} rad/s, residue {:.2e} J ({:.1e}), {:.2} iterations a step, {} substeps",
            method.name(),
            summary.energy.residue,
            summary.energy.relative_residue(),
            summary.iterations as f64 / summary.steps as f64,
            summary.substeps
        );
        assert!(fastest < bound, "{method:?}: {fastest}");
        assert!(summary.energy.residue.is_finite() && summary.energy.residue.abs() > 0.0);
        for k in 1..=10 {
            let rate = recording.column(&format!("q{k}.rate")).unwrap()[2000];
            assert!(rate.abs() < 1e-3, "{method:?}: q{k} at rest in the end, {rate}");
        }
    }
}
