//! One small model across every seam: a quaternion body, a shared coordinate, a loop, LuGre friction, a law with
//! reversal memory, a stop, a wire, a sampled controller on a quantising encoder, and a load from a log.

use std::path::Path;

use gelenk::open::{self, Overrides, Prepared};
use gelenk::run::run;
use gelenk_math::Real;
use gelenk_record::Recording;
use gelenk_solve::{Method, Options, jacobian};
use gelenk_system::{Constrained, Nanos, Sampled, System};

fn seams() -> Prepared {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/seams/model.toml");
    open::simulation(&model, &Overrides::default()).unwrap()
}

fn nanos(seconds: f64) -> Nanos {
    Nanos::from_seconds(seconds).unwrap()
}

fn record(prepared: &Prepared, method: Method) -> Recording {
    let options = Options { until: nanos(1.0), output: nanos(0.01), method };
    run(&prepared.mechanism, &prepared.parameters.values(), &options).unwrap().0
}

/// Largest difference of the coordinates over the run; with a run at twice the step, `b` is extrapolated.
fn distance(a: &Recording, b: &Recording, coarse: Option<&Recording>) -> f64 {
    let mut worst = 0.0f64;
    for name in ["theta", "elbow", "swing", "float.x", "float.y", "float.z", "float.qx", "float.qz"] {
        let (a, b) = (a.column(name).unwrap(), b.column(name).unwrap());
        let coarse = coarse.map(|c| c.column(name).unwrap());
        for i in 0..a.len() {
            let value = coarse.map_or(b[i], |coarse| 2.0 * b[i] - coarse[i]);
            worst = worst.max((a[i] - value).abs());
        }
    }
    worst
}

/// Both ways to run give the same answer as the step goes to zero: the stepped mode with order 1.
#[test]
fn stepped_mode_converges_to_continuous_mode() {
    let prepared = seams();
    let exact = record(&prepared, Method::Dopri5 { rtol: 1e-10, atol: 1e-10, max_step: f64::INFINITY });
    let moved = exact.extremes("swing").unwrap().unwrap();
    assert!(moved.1 - moved.0 > 0.1, "the mechanism moves");
    let steps = [1e-3, 5e-4, 2.5e-4];
    let runs = steps.map(|h| record(&prepared, Method::Stepped { step: nanos(h) }));
    let errors = [0, 1, 2].map(|i| distance(&exact, &runs[i], None));
    println!("step and largest error: {:?}", steps.iter().zip(errors).collect::<Vec<_>>());
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((0.9..1.1).contains(&order), "order {order} of {errors:?}");
    }
    // Extrapolated to a vanishing step the two modes agree to second order.
    let extrapolated = distance(&exact, &runs[2], Some(&runs[1]));
    assert!(extrapolated < 0.1 * errors[2], "{extrapolated} {errors:?}");
}

/// The variants of the stepped mode converge to the same motion; the one with two stages is the more exact one.
#[test]
fn variants_of_the_stepped_mode_agree() {
    let prepared = seams();
    let exact = record(&prepared, Method::Dopri5 { rtol: 1e-10, atol: 1e-10, max_step: f64::INFINITY });
    let error = |method: fn(Nanos) -> Method, h| distance(&exact, &record(&prepared, method(nanos(h))), None);
    let [euler, second, once]: [fn(Nanos) -> Method; 3] =
        [|step| Method::Stepped { step }, |step| Method::Stepped2 { step }, |step| Method::RealTime { step }];
    let found = [euler, second, once].map(|method| [error(method, 1e-3), error(method, 2.5e-4)]);
    println!("errors at 1 ms and 0.25 ms of stepped, stepped2 and real-time: {found:?}");
    assert!(found[1][0] < 0.1 * found[0][0] && found[1][1] < 0.5 * found[1][0], "{found:?}");
    assert!(found[2][1] < 0.35 * found[2][0] && found[2][0] < 3.0 * found[0][0], "{found:?}");
}

/// The other methods on the same model agree with DOPRI5: events, samples and projection are handled alike.
#[test]
fn all_explicit_methods_agree_with_dopri5() {
    let prepared = seams();
    let exact = record(&prepared, Method::Dopri5 { rtol: 1e-10, atol: 1e-10, max_step: f64::INFINITY });
    for (method, allowed) in [
        (Method::Rk4 { step: nanos(2e-4) }, 1e-5),
        (Method::FixedBs23 { step: nanos(2e-4) }, 1e-5),
        (Method::SemiImplicitEuler { step: nanos(5e-5) }, 1e-2),
        (Method::Bs23 { rtol: 1e-8, atol: 1e-8, max_step: f64::INFINITY }, 1e-5),
        (Method::Dop853 { rtol: 1e-10, atol: 1e-10, max_step: f64::INFINITY }, 1e-6),
    ] {
        let apart = distance(&exact, &record(&prepared, method), None);
        println!("{}: {apart:e}", method.name());
        assert!(apart < allowed, "{}: {apart:e}", method.name());
    }
}

/// A state in motion, off all kinks.
fn state(prepared: &Prepared) -> (f64, Vec<f64>, Vec<f64>) {
    let system = &prepared.mechanism;
    let layout = system.layout();
    let mut data = system.data::<f64>();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    system.start(&mut data, &mut x, &mut m).unwrap();
    for (i, value) in x[layout.v()].iter_mut().enumerate() {
        *value += 0.3 + 0.1 * i as f64;
    }
    for (i, value) in x[layout.z()].iter_mut().enumerate() {
        *value = 0.03 + 0.01 * i as f64;
    }
    system.project(&mut data, 0.0, &mut x, &mut m).unwrap();
    system.sample(&mut data, Nanos::ZERO, &x, &mut m).unwrap();
    (0.0137, x, m)
}

fn rates(prepared: &Prepared, p: &[f64], t: f64, x: &[f64], m: &[f64]) -> Vec<f64> {
    let mut data = prepared.mechanism.data::<f64>();
    prepared.mechanism.bind(&mut data, p);
    let mut dx = vec![0.0; x.len()];
    prepared.mechanism.rates(&mut data, t, x, m, &mut dx).unwrap();
    dx
}

fn compare(exact: &[f64], plus: &[f64], minus: &[f64], step: f64, what: &str) {
    let scale = exact.iter().fold(1.0f64, |max, d| max.max(d.abs()));
    for i in 0..exact.len() {
        let difference = (plus[i] - minus[i]) / (2.0 * step);
        assert!((exact[i] - difference).abs() <= 1e-6 * scale, "{what}, row {i}: {} {difference}", exact[i]);
    }
}

/// Derivatives of the state rate by the state: duals against central differences.
#[test]
fn derivatives_by_state_match_differences() {
    let prepared = seams();
    let (t, x, m) = state(&prepared);
    let p = prepared.parameters.values();
    let columns = jacobian::by_state(&prepared.mechanism, &p, t, &x, &m).unwrap();
    assert_eq!(columns.len(), x.len());
    for (i, exact) in columns.iter().enumerate() {
        let step = 1e-6 * (1.0 + x[i].abs());
        let moved = |by: f64| {
            let mut x = x.clone();
            x[i] += by;
            rates(&prepared, &p, t, &x, &m)
        };
        compare(exact, &moved(step), &moved(-step), step, &format!("state {i}"));
    }
}

/// Derivatives of the state rate by every parameter of the model, derived ones included in the chain.
#[test]
fn derivatives_by_parameters_match_differences() {
    let prepared = seams();
    let (t, x, m) = state(&prepared);
    let p = prepared.parameters.values();
    let free: Vec<_> = prepared
        .parameters
        .iter()
        .filter(|(param, entry)| !entry.is_derived() && param.of(&p).is_finite())
        .map(|(param, entry)| (param, entry.path.clone()))
        .collect();
    assert!(free.len() > 80, "{}", free.len());
    let by: Vec<_> = free.iter().map(|(param, _)| *param).collect();
    let columns = jacobian::by_parameters(&prepared.mechanism, &p, &by, t, &x, &m).unwrap();
    let mut active = 0;
    for ((param, path), exact) in free.iter().zip(&columns) {
        let step = 1e-6 * (0.1 + param.of(&p).re().abs());
        let moved = |by: f64| {
            let mut p = p.clone();
            p[param.index()] += by;
            prepared.mechanism.parameters().resolve(&mut p);
            rates(&prepared, &p, t, &x, &m)
        };
        compare(exact, &moved(step), &moved(-step), step, path);
        active += usize::from(exact.iter().any(|d| d.abs() > 1e-9));
    }
    assert!(active > 50, "only {active} parameters matter");
}
