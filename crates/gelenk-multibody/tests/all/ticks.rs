//! The cost of a tick over the number of control loops.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gelenk_laws::Kind;
use gelenk_laws::control::Sampled;
use gelenk_multibody::Mechanism;
use gelenk_multibody::builder::{Builder, Ground, Mass, Settings};
use gelenk_multibody::elements::contract::{InputSpec, OutputSpec, PlaceKind, WORK};
use gelenk_multibody::elements::{Act, ElementSpec, Own, OwnElement};
use gelenk_solve::{Method, Simulation};
use gelenk_system::{Nanos, Schedule};

const SPEC: ElementSpec = ElementSpec {
    name: "actuator",
    table: "actuators",
    title: "An effort that counts how often it is evaluated.",
    equation: "F = u",
    source: "this test",
    place: PlaceKind::Scalar,
    params: &[],
    inputs: &[InputSpec::scalar("level", Kind::Effort, "Effort.")],
    outputs: &[OutputSpec { name: "effort", kind: Kind::Effort, meaning: "effort" }],
    accounts: WORK,
};

struct Actuator(Arc<AtomicUsize>);

impl OwnElement for Actuator {
    fn spec(&self) -> &'static ElementSpec {
        &SPEC
    }

    fn act(&self, e: &mut Act<'_, f64>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        e.push(0, 0, e.look.u[0]);
        e.output(0, e.look.u[0]);
    }
}

/// Masses, each with a PI controller of its position that moves an actuator.
fn controlled(loops: usize, count: &Arc<AtomicUsize>) -> Mechanism {
    let mut builder = Builder::new([0.0; 3]);
    let every = Schedule::every(Nanos(1_000_000));
    for k in 0..loops {
        let block = builder.body(&format!("block{k}"), Mass::point(1.0));
        let x =
            builder.joint(&format!("slide{k}"), Ground, block).prismatic([1.0, 0.0, 0.0], &format!("x{k}"));
        let gains = [("kp", 50.0), ("ki", 20.0)];
        builder.block(&format!("pi{k}"), "N", Sampled::Pi, &[&format!("x{k}"), "0.1"], gains, every);
        let actuator = Own::boxed(Box::new(Actuator(count.clone())));
        builder.element_with(&format!("a{k}"), actuator, x, Settings::new(), &[&format!("pi{k}")]);
        builder.output(&format!("effort{k}"), &format!("a{k}.effort"), "N");
    }
    builder.build().unwrap()
}

/// Evaluations of actuators in ten ticks.
fn evaluations(loops: usize) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let mechanism = controlled(loops, &count);
    let p = mechanism.parameters().values();
    let mut simulation = Simulation::new(&mechanism, &p, Method::Rk4 { step: Nanos(1_000_000) }).unwrap();
    simulation.advance_to(Nanos(10_000_000)).unwrap();
    count.load(Ordering::Relaxed)
}

/// What four times as many control loops evaluate is four times as much; when every block evaluated all signals it was
/// more than ten times as much.
#[test]
fn a_tick_costs_in_proportion_to_its_loops() {
    let [few, many] = [12, 48].map(evaluations);
    assert!(few >= 12 * 10, "{few}");
    assert!(many < 5 * few, "{few} evaluations with 12 loops, {many} with 48");
}
