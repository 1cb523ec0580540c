//! Runs in lockstep are single runs.

use gelenk_solve::lanes::{Pick, WIDTH, lanes};
use gelenk_solve::problems::Slider;
use gelenk_solve::{Method, Options, SolveError, batch};

use super::common::nanos;

/// Methods that run in lanes, with a step (s).
fn methods(step: f64) -> [Method; 6] {
    let step = nanos(step);
    [
        Method::Euler { step },
        Method::SemiImplicitEuler { step },
        Method::Heun { step },
        Method::FixedBs23 { step },
        Method::Rk4 { step },
        Method::Stepped { step },
    ]
}

/// Stiffness, damping and hardening of each run.
fn runs(count: usize) -> Vec<[f64; 3]> {
    let run = |k: f64| [0.5 + 0.3 * k, 0.02 * k, 0.1 * (k - 4.0).max(0.0)];
    (0..count).map(|k| run(k as f64)).collect()
}

/// Positions at the rows of a run in lanes.
fn together(method: Method, runs: &[[f64; 3]]) -> Vec<Result<Vec<f64>, SolveError>> {
    let options = Options { until: nanos(3.0), output: nanos(0.25), method };
    let picked = [Pick::State(0), Pick::Channel(1)];
    lanes(&Slider::default(), &options, &picked, runs, |_, rows| {
        assert_eq!((rows.times().len(), rows.times()[12]), (13, 3.0));
        Ok(rows.iter().flatten().copied().collect())
    })
    .unwrap()
}

/// In every method, at every row, a run in lanes is the single run but for rounding.
#[test]
fn lanes_are_single_runs() {
    let runs = runs(2 * WIDTH + 3);
    for method in methods(2.5e-3) {
        let single = batch(&Slider::default(), method, &runs, |_, simulation| {
            let mut rows = Vec::new();
            for row in 0..13 {
                simulation.advance_to(nanos(0.25 * f64::from(row)))?;
                rows.extend(simulation.state());
            }
            Ok(rows)
        });
        for (found, expected) in together(method, &runs).into_iter().zip(single) {
            let (found, expected): (Vec<f64>, Vec<f64>) = (found.unwrap(), expected.unwrap());

            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-13, "{method:?}: {found} instead of {expected}");
            }
        }
    }
}

/// To the bit, a result depends on its own parameters only: not on its lane, the runs beside it, or the number of threads.
#[test]
fn lanes_do_not_see_each_other() {
    let runs = runs(3 * WIDTH + 1);
    for method in methods(1e-2) {
        let all = together(method, &runs);
        let mut backwards: Vec<[f64; 3]> = runs.iter().rev().copied().collect();
        let mut turned = together(method, &backwards);
        turned.reverse();
        assert_eq!(all, turned, "{method:?}");
        backwards.truncate(1);
        assert_eq!(together(method, &backwards)[0], all[3 * WIDTH], "{method:?}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(|| together(method, &runs)), all, "{method:?}");
    }
}

/// A run that runs away, one whose Newton iteration fails, one of the wrong length and one with a parameter that is no number say
/// what they say alone; the runs beside them are what they are without them.
#[test]
fn failures_stay_in_their_lane() {
    let good = runs(WIDTH);
    for method in methods(1e-2) {
        let mut mixed = good.clone();
        mixed[2] = [1.0, 0.0, -4.0];
        mixed[5] = [f64::NAN, 0.0, 0.0];
        let (clean, found) = (together(method, &good), together(method, &mixed));
        let single =
            batch(&Slider::default(), method, &mixed, |_, simulation| simulation.advance_to(nanos(3.0)));
        for k in 0..WIDTH {
            match k {
                2 | 5 => {
                    let error = single[k].clone().unwrap_err();
                    assert_eq!(found[k].clone().unwrap_err().to_string(), error.to_string(), "{method:?}");
                }
                _ => assert_eq!(found[k], clean[k], "{method:?}"),
            }
        }
    }
    let step = nanos(1e-2);
    let options = Options { until: nanos(0.1), output: nanos(0.1), method: Method::Rk4 { step } };
    let uneven = [vec![1.0, 0.0, 0.0], vec![1.0], vec![2.0, 0.0, 0.0]];
    let found = lanes(&Slider::default(), &options, &[Pick::State(0)], &uneven, |_, rows| Ok(rows.last()[0]));
    let found = found.unwrap();
    assert!(found[0].is_ok() && found[2].is_ok());
    assert!(found[1].clone().unwrap_err().to_string().contains("1 parameters are given"));
}

/// What does not run in lanes is refused, with what does.
#[test]
fn refusals() {
    let step = nanos(1e-2);
    let runs = runs(1);
    let refused = |method: Method, picked: &[Pick]| {
        let options = Options { until: nanos(1.0), output: step, method };
        lanes(&Slider::default(), &options, picked, &runs, |_, _| Ok(())).unwrap_err().to_string()
    };
    let controlled = Method::Dopri5 { rtol: 1e-6, atol: 1e-6, max_step: f64::INFINITY };
    for method in [controlled, Method::Stepped2 { step }, Method::RealTime { step }] {
        let message = refused(method, &[]);
        assert!(message.contains(method.name()) && message.contains("batch"), "{message}");
    }
    assert!(refused(Method::Rk4 { step: nanos(0.0) }, &[]).contains("1 ns"));
    assert!(refused(Method::Rk4 { step }, &[Pick::State(2)]).contains("state 2"));
    assert!(refused(Method::Rk4 { step }, &[Pick::Channel(2)]).contains("channel 2"));
    let hint = Pick::channel(&Slider::default(), "x.rat").unwrap_err().to_string();
    assert!(hint.contains("x.rate"), "{hint}");
    let none: [[f64; 3]; 0] = [];
    let options = Options { until: nanos(1.0), output: step, method: Method::Rk4 { step } };
    assert!(lanes(&Slider::default(), &options, &[], &none, |_, _| Ok(())).unwrap().is_empty());
}
