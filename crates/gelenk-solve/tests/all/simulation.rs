//! The run in the hand.

use gelenk_solve::problems::{BouncingBall, IndexThreePendulum, Problem, SampledIntegrator, VanDerPol};
use gelenk_solve::{Method, Observer, Options, Simulation, StopRun, simulate};
use gelenk_system::{Nanos, Simulated};

use super::common::{CONTROLLED, EXPLICIT, MECHANICAL, begin, error, nanos};

/// The last row of a run.
struct Last(Vec<f64>);

impl Observer for Last {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        self.0.clear();
        self.0.extend_from_slice(row);
        Ok(())
    }
}

fn methods() -> Vec<Method> {
    let fixed = EXPLICIT.into_iter().chain(MECHANICAL).map(|(_, _, of)| of(nanos(7e-3)));
    fixed.chain(CONTROLLED.into_iter().map(|(_, of)| of(1e-7))).collect()
}

/// A simulation that goes on, and one that was taken back and goes on again, are the same to the bit, in every method; so is
/// one after a reset.
fn comes_back<S: Simulated>(system: &S, method: Method) {
    let mut simulation = begin(system, method);
    simulation.advance_to(nanos(0.4)).unwrap();
    let half = simulation.checkpoint();
    simulation.advance_to(nanos(0.9)).unwrap();
    let (end, memory) = (simulation.state().to_vec(), simulation.memory().to_vec());
    simulation.restore(&half).unwrap();
    assert_eq!(simulation.time(), 0.4);
    simulation.advance_to(nanos(0.9)).unwrap();
    assert_eq!((simulation.state(), simulation.memory()), (&end[..], &memory[..]), "{method:?}");
    simulation.reset().unwrap();
    assert_eq!(simulation.summary().steps, 0);
    simulation.advance_to(nanos(0.4)).unwrap();
    simulation.checkpoint();
    simulation.advance_to(nanos(0.9)).unwrap();
    assert_eq!((simulation.state(), simulation.memory()), (&end[..], &memory[..]), "{method:?}");
}

#[test]
fn checkpoints_and_resets_come_back() {
    for method in methods() {
        comes_back(&IndexThreePendulum::default(), method);
        if !method.is_stepped() {
            comes_back(&BouncingBall::default(), method);
            comes_back(&SampledIntegrator::default(), method);
        }
    }
}

/// A whole run with one row at its end, and the same by hand, are the same to the bit.
#[test]
fn by_hand_as_a_whole_run() {
    let pendulum = IndexThreePendulum::default();
    let p = gelenk_system::System::parameters(&pendulum).values();
    for method in methods() {
        let mut last = Last(Vec::new());
        let options = Options { until: nanos(1.3), output: nanos(1.3), method };
        simulate(&pendulum, &p, &options, &mut last).unwrap();
        let mut simulation = begin(&pendulum, method);
        simulation.advance_to(nanos(1.3)).unwrap();
        let mut y = [0.0; 4];
        simulation.outputs(&mut y).unwrap();
        assert_eq!(last.0[1..], y, "{method:?}");
    }
}

/// One step at a time: fixed steps stop on their grid and at samples, steps with error control where they want, and all come
/// to where a run in one piece comes.
#[test]
fn one_step_at_a_time() {
    let integrator = SampledIntegrator::default();
    let mut simulation = begin(&integrator, Method::Rk4 { step: nanos(0.04) });
    let times: Vec<f64> = (0..7).map(|_| simulation.step().unwrap()).collect();
    assert_eq!(times, [0.04, 0.08, 0.1, 0.12, 0.16, 0.2, 0.24]);
    let oscillator = Problem::new(VanDerPol);
    for (name, of) in CONTROLLED {
        let mut simulation = begin(&oscillator, of(1e-8));
        while simulation.time() < 9.9 {
            simulation.step().unwrap();
        }
        simulation.advance_to(nanos(11.0)).unwrap();
        let whole = super::common::at(&oscillator, of(1e-11), 11.0);
        assert!(error(simulation.state(), &whole) < 1e-5, "{name}");
    }
}

/// Inside the last step the dense output has nearly the accuracy of the method; outside, and in implicit steps, it is refused.
#[test]
fn the_last_step_can_be_looked_into() {
    let oscillator = Problem::new(VanDerPol);
    let mut x = [0.0; 2];
    for (name, of) in CONTROLLED {
        let mut simulation = begin(&oscillator, of(1e-8));
        simulation.advance_to(nanos(3.0)).unwrap();
        let before = simulation.time();
        let after = simulation.step().unwrap();
        let middle = (0.5e9 * (before + after)).round() * 1e-9;
        simulation.interpolate(middle, &mut x).unwrap();
        let right = super::common::at(&oscillator, CONTROLLED[2].1(1e-12), middle);
        assert!(error(&x, &right) < 1e-6, "{name}: {x:?} {right:?}");
        let refused = simulation.interpolate(after + 1.0, &mut x).unwrap_err().to_string();
        assert!(refused.contains("outside the last step"), "{refused}");
    }
    let pendulum = IndexThreePendulum::default();
    let mut simulation = begin(&pendulum, Method::Stepped { step: nanos(1e-3) });
    simulation.step().unwrap();
    let refused = simulation.interpolate(5e-4, &mut [0.0; 5]).unwrap_err().to_string();
    assert!(refused.contains("implicit methods have no dense output"), "{refused}");
}

/// A state can be set where it is on the constraints; the wrong length, numbers that are not finite and states off the
/// constraints are refused by name, and change nothing.
#[test]
fn states_are_set_or_refused() {
    let pendulum = IndexThreePendulum::default();
    let mut simulation = begin(&pendulum, Method::Rk4 { step: nanos(1e-3) });
    simulation.set_state(&[0.0, -1.0, 0.5, 0.0]).unwrap();
    assert_eq!(simulation.state()[..4], [0.0, -1.0, 0.5, 0.0]);
    for (state, reason) in [
        (vec![0.0, -1.0, 0.5], "a state has 4 numbers here, but 3 were given"),
        (vec![0.0, f64::NAN, 0.5, 0.0], "number 1 of the state, y, is not finite"),
        (vec![0.0, -1.1, 0.5, 0.0], "off its constraints by 1.000e-1"),
        (vec![0.0, -1.0, 0.5, 0.2], "off its constraints by 2.000e-1"),
    ] {
        let refused = simulation.set_state(&state).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
        assert_eq!(simulation.state()[..4], [0.0, -1.0, 0.5, 0.0]);
    }
}

/// Other parameters begin a new run, the same as that of a new simulation; a checkpoint of the old ones does not fit.
#[test]
fn parameters_are_bound() {
    let pendulum = IndexThreePendulum::default();
    for method in methods() {
        let mut simulation = begin(&pendulum, method);
        simulation.advance_to(nanos(0.5)).unwrap();
        let old = simulation.checkpoint();
        simulation.bind(&[1.62]).unwrap();
        simulation.advance_to(nanos(0.5)).unwrap();
        let mut fresh = Simulation::new(&pendulum, &[1.62], method).unwrap();
        fresh.advance_to(nanos(0.5)).unwrap();
        assert_eq!(simulation.state(), fresh.state(), "{method:?}");
        let refused = simulation.restore(&old).unwrap_err().to_string();
        assert!(refused.contains("other parameters"), "{refused}");
        let refused = simulation.bind(&[1.0, 2.0]).unwrap_err().to_string();
        assert_eq!(refused, "2 parameters are given, and the system has 1");
    }
    assert!(Simulation::new(&pendulum, &[], Method::Rk4 { step: Nanos(1) }).is_err());
}
