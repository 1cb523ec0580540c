//! Error control keeps what it is asked for, at costs that are kept.

use std::fmt::Write;

use gelenk_solve::Method;
use gelenk_solve::problems::{
    Andrews, Brusselator, FrictionOscillator, Hires, IndexThreePendulum, Problem, Robertson, VanDerPol,
};
use gelenk_system::Simulated;

use super::common::{CONTROLLED, MECHANICAL, begin, error, nanos};

/// Errors stay near the tolerance, and fall with it. What a problem costs is kept: steps, rejected steps, evaluations.
#[test]
fn tolerances_are_kept() {
    let mut costs = String::new();
    smooth("Van der Pol", &Problem::new(VanDerPol), 10.0, &VanDerPol::AT_10, &mut costs);
    smooth("Brusselator", &Problem::new(Brusselator), 20.0, &Brusselator::AT_20, &mut costs);
    let bottom = [0.0, -1.0, -(2.0 * 9.81f64).sqrt(), 0.0];
    smooth("pendulum", &IndexThreePendulum::default(), IndexThreePendulum::QUARTER, &bottom, &mut costs);
    smooth("Andrews", &Andrews::default(), Andrews::END, &Andrews::AT_END, &mut costs);
    insta::assert_snapshot!(costs);
}

fn smooth<S: Simulated>(name: &str, system: &S, t: f64, right: &[f64], costs: &mut String) {
    for (method, of) in CONTROLLED {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let mut simulation = begin(system, of(tolerance));
            simulation.advance_to(nanos(t)).unwrap();
            let off = error(simulation.state(), right);
            assert!(off < 300.0 * tolerance, "{name} {method} {tolerance}: {off}");
            let count = simulation.summary();
            writeln!(
                costs,
                "{name:<12} {method:<7} {tolerance:.0e} {:>5} steps {:>3} rejected {:>6} evaluations",
                count.steps, count.rejected, count.evaluations
            )
            .unwrap();
        }
    }
}

/// What implicit steps cost is kept: Newton iterations and evaluations, pieces where steps are divided.
#[test]
fn implicit_steps_have_their_costs() {
    let mut costs = String::new();
    let (pendulum, oscillator) = (IndexThreePendulum::default(), FrictionOscillator::default());
    for (name, _, of) in MECHANICAL.into_iter().skip(1) {
        implicit("pendulum", name, &pendulum, of(nanos(1e-3)), &mut costs);
        // Linearised once a step, no step can be tried with other holds.
        if name != "real-time" {
            implicit("friction", name, &oscillator, of(nanos(1e-2)), &mut costs);
        }
    }
    insta::assert_snapshot!(costs);
}

fn implicit<S: Simulated>(problem: &str, name: &str, system: &S, method: Method, costs: &mut String) {
    let mut simulation = begin(system, method);
    simulation.advance_to(nanos(5.0)).unwrap();
    let count = simulation.summary();
    writeln!(
        costs,
        "{problem:<9} {name:<9} {:>5} steps {:>3} pieces more {:>6} iterations {:>6} evaluations",
        count.steps, count.substeps, count.iterations, count.evaluations
    )
    .unwrap();
}

/// Stiff problems are right with explicit methods, too, at steps that stability bounds: the counts show what implicit
/// methods have to save. The solutions are those of SciPy's Radau and of the test set for initial value problems.
#[test]
fn stiff_problems_are_right_and_dear() {
    let kinetics = Problem::new(Robertson);
    let mut simulation = begin(&kinetics, CONTROLLED[1].1(1e-8));
    for (t, right) in [0.4, 40.0].into_iter().zip(Robertson::AT_0_4_AND_40) {
        simulation.advance_to(nanos(t)).unwrap();
        assert!(error(simulation.state(), &right) < 1e-6, "{t}: {:?}", simulation.state());
    }
    let light = Problem::new(Hires);
    let mut response = begin(&light, CONTROLLED[1].1(1e-8));
    response.advance_to(nanos(Hires::END)).unwrap();
    assert!(error(response.state(), &Hires::AT_END) < 1e-8, "{:?}", response.state());
    let steps = [simulation.summary().steps, response.summary().steps];
    insta::assert_snapshot!(format!("Robertson {}, HIRES {} steps", steps[0], steps[1]));
}
