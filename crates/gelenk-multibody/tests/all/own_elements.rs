//! A program's own elements that do not keep to what they say about themselves: refused by name, and never a panic.

use gelenk_laws::Kind;
use gelenk_multibody::Mechanism;
use gelenk_multibody::builder::{Builder, Ground, Mass, Settings};
use gelenk_multibody::elements::contract::{AccountSpec, Holding, OutputSpec, PlaceKind, WORK};
use gelenk_multibody::elements::{Act, ElementSpec, Look, Own, OwnElement, Step};
use gelenk_solve::{Method, Simulation};
use gelenk_system::Nanos;

const NO_ACCOUNTS: &[AccountSpec] = &[];

const fn spec(accounts: &'static [AccountSpec]) -> ElementSpec {
    ElementSpec {
        name: "probe",
        table: "probes",
        title: "An element of this test.",
        equation: "",
        source: "this test",
        place: PlaceKind::Scalar,
        params: &[],
        inputs: &[],
        outputs: &[OutputSpec { name: "seen", kind: Kind::Displacement, meaning: "a displacement" }],
        accounts,
    }
}

const PROBE: ElementSpec = spec(WORK);
const WITHOUT_ACCOUNTS: ElementSpec = spec(NO_ACCOUNTS);

/// An element that does what a function says.
struct Probe {
    spec: &'static ElementSpec,
    states: usize,
    holding: Holding,
    act: fn(&mut Act<'_, f64>),
}

const PLAIN: Probe = Probe { spec: &PROBE, states: 1, holding: Holding::Nothing, act: |_| {} };

impl OwnElement for Probe {
    fn spec(&self) -> &'static ElementSpec {
        self.spec
    }

    fn states(&self, _: usize) -> usize {
        self.states
    }

    fn start(&self, _: &Look<'_, f64>, z: &mut [f64]) {
        z.fill(0.25);
    }

    fn memory(&self, _: usize) -> usize {
        usize::from(self.states == 0)
    }

    fn switches(&self, _: usize) -> usize {
        2 * usize::from(self.states == 0)
    }

    fn switching(&self, _: &Look<'_, f64>, g: &mut [f64]) {
        g.fill(1.0);
    }

    fn holding(&self) -> Holding {
        self.holding
    }

    fn act(&self, e: &mut Act<'_, f64>) {
        (self.act)(e);
    }
}

fn built(probe: Probe) -> Result<Mechanism, String> {
    let mut builder = Builder::new([0.0, 0.0, -9.81]);
    let block = builder.body("block", Mass::point(2.0));
    let x = builder.joint("slide", Ground, block).prismatic([1.0, 0.0, 0.0], "x");
    builder.element("one", Own::boxed(Box::new(probe)), x, Settings::new());
    builder.build().map_err(|error| error.to_string())
}

/// The state after 10 ms, or why there is none.
fn moved(probe: Probe, method: Method) -> Result<Vec<f64>, String> {
    let mechanism = built(probe)?;
    let p = mechanism.parameters().values();
    let mut simulation = Simulation::new(&mechanism, &p, method).map_err(|error| error.to_string())?;
    simulation.advance_to(Nanos(10_000_000)).map_err(|error| error.to_string())?;
    Ok(simulation.state().to_vec())
}

fn methods() -> [Method; 4] {
    let step = Nanos(1_000_000);
    [
        Method::Dopri5 { rtol: 1e-9, atol: 1e-9, max_step: f64::INFINITY },
        Method::Rk4 { step },
        Method::Stepped { step },
        Method::Stepped2 { step },
    ]
}

/// A displacement, account, output or state that the element does not have panicked with an index of the program.
#[test]
fn numbers_beyond_the_specification() {
    for (act, expected) in [
        ((|e| e.push(0, 1, 1.0)) as fn(&mut Act<'_, f64>), "displacement 1, but there are 1"),
        (|e| e.push(2, 0, 1.0), "account 2, but there are 1"),
        (|e| e.exert(6, 1.0), "displacement 6, but there are 1"),
        (|e| e.power(1, 1.0), "account 1, but there are 1"),
        (|e| e.output(3, 1.0), "output 3, but there are 1"),
        (|e| _ = e.relax(1, 0.0, 1.0), "state 1, but there are 1"),
        (|e| _ = e.integrate(usize::MAX, 0.0), "state 18446744073709551615, but there are 1"),
    ] {
        for method in methods() {
            let message = moved(Probe { act, ..PLAIN }, method).unwrap_err();
            let all = format!("probes.one: its function `act` uses {expected}, counted from 0");
            assert!(message.contains(&all), "{method:?}: {message}");
        }
        let probe = Own::boxed(Box::new(Probe { act, ..PLAIN }));
        let look = Look { z: &[0.0], ..Look::new(&[0.0], &[0.0], &[]) };
        let beyond = probe.alone(&look, Step::Rate).beyond.unwrap();
        assert!(beyond.to_string().contains(expected), "{beyond}");
    }
}

/// What a kind says about itself must fit together.
#[test]
fn kinds_that_cannot_act() {
    for (probe, expected) in [
        (Probe { spec: &WITHOUT_ACCOUNTS, ..PLAIN }, "probes.one: a probe needs at least one account"),
        (
            Probe { holding: Holding::Sticking, ..PLAIN },
            "probes.one: a probe is friction that sticks: it acts on a coordinate and has a memory of 1, 2 switching functions",
        ),
        (Probe { holding: Holding::Limits, ..PLAIN }, "probes.one: a probe is a limit of a coordinate"),
    ] {
        let message = built(probe).map(|_| ()).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
    // It sticks, but does not say how.
    let message = moved(Probe { holding: Holding::Sticking, states: 0, ..PLAIN }, methods()[0]).unwrap_err();
    assert!(message.contains("probes.one: its function `sticking` returns None"), "{message}");
}

/// A state that is not written stays as it is; in the stepped modes it became zero.
#[test]
fn states_that_are_not_written() {
    for method in methods() {
        assert_eq!(moved(PLAIN, method).unwrap()[2], 0.25, "{method:?}");
    }
}
