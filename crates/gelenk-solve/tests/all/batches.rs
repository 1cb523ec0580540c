//! Many runs of one system.

use gelenk_solve::problems::{BouncingBall, IndexThreePendulum};
use gelenk_solve::{Simulation, batch};

use super::common::{CONTROLLED, EXPLICIT, MECHANICAL, nanos};

/// Every run of a batch is the run alone, to the bit, in every method and in any order, whatever ran before it on its thread.
#[test]
fn runs_are_independent() {
    let pendulum = IndexThreePendulum::default();
    let gravities: Vec<[f64; 1]> = (0..40).map(|k| [1.0 + 0.5 * f64::from(k)]).collect();
    let backwards: Vec<[f64; 1]> = gravities.iter().rev().copied().collect();
    let fixed = EXPLICIT.into_iter().chain(MECHANICAL).map(|(_, _, of)| of(nanos(3e-3)));
    for method in fixed.chain(CONTROLLED.into_iter().map(|(_, of)| of(1e-6))) {
        let go = |_: usize, simulation: &mut Simulation<'_, _>| {
            simulation.advance_to(nanos(0.5))?;
            Ok(simulation.state().to_vec())
        };
        let forwards = batch(&pendulum, method, &gravities, go);
        let mut others = batch(&pendulum, method, &backwards, go);
        others.reverse();
        assert_eq!(forwards, others, "{method:?}");
        let mut alone = Simulation::new(&pendulum, &gravities[7], method).unwrap();
        alone.advance_to(nanos(0.5)).unwrap();
        assert_eq!(forwards[7].as_deref(), Ok(alone.state()), "{method:?}");
    }
}

/// A run that fails says so in its place, and the others have their results.
#[test]
fn failures_stay_alone() {
    let ball = BouncingBall::default();
    let runs = [vec![9.81, 0.5], vec![9.81], vec![f64::NAN, 0.5], vec![9.81, 0.9]];
    let found = batch(&ball, CONTROLLED[1].1(1e-8), &runs, |_, simulation| {
        simulation.advance_to(nanos(1.0))?;
        Ok(simulation.summary().events)
    });
    assert!(found[0].is_ok() && found[3].is_ok() && found[1].is_err(), "{found:?}");
    assert_eq!(found.len(), 4);
    let none: [[f64; 2]; 0] = [];
    assert!(batch(&ball, CONTROLLED[1].1(1e-8), &none, |_, _| Ok(())).is_empty());
}
