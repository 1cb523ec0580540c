//! Stepping allocates nothing: counted by the allocator.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use gelenk::open::{self, Overrides};
use gelenk_solve::{Method, Observer, Options, Simulation, StopRun, batch, simulate};
use gelenk_system::{Course, Layout, Nanos, System};
use gelenk_testing::allocations::{self, Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Notes the count at the first row and at every later one.
#[derive(Default)]
struct Watch {
    first: Option<u64>,
    last: u64,
    rows: u64,
}

impl Observer for Watch {
    fn row(&mut self, _: &[f64]) -> Result<(), StopRun> {
        self.last = allocations::of_thread();
        self.first.get_or_insert(self.last);
        self.rows += 1;
        Ok(())
    }
}

/// RU-R36: the same with friction that sticks and slips in stepped mode.
#[test]
fn sticking_allocates_nothing() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/friction-oscillator/model.toml");
    let prepared = open::simulation(&model, &Overrides::default()).unwrap();
    let nanos = |s: f64| Nanos::from_seconds(s).unwrap();
    let step = nanos(1e-2);
    for method in [Method::Stepped { step }, Method::Stepped2 { step }, Method::RealTime { step }] {
        let options = Options { until: nanos(30.0), output: nanos(0.1), method };
        let mut watch = Watch::default();
        let summary =
            simulate(&prepared.mechanism, &prepared.parameters.values(), &options, &mut watch).unwrap();
        assert!(summary.events > 6);
        assert_eq!(watch.last - watch.first.unwrap(), 0, "{method:?}");
    }
}

/// RU-R36: no allocation between rows, in every method, on the model with all seams: steps, events, samples, projection
/// and Newton iterations included. A row itself allocates where constraints are redundant, as the loop of this model is,
/// and shares their reactions: as much with ten times the steps between two rows.
#[test]
fn stepping_allocates_nothing() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/seams/model.toml");
    let prepared = open::simulation(&model, &Overrides::default()).unwrap();
    let nanos = |s: f64| Nanos::from_seconds(s).unwrap();
    for method in [
        Method::Stepped { step: nanos(1e-3) },
        Method::SemiImplicitEuler { step: nanos(2e-4) },
        Method::Stepped2 { step: nanos(1e-3) },
        Method::RealTime { step: nanos(1e-3) },
        Method::Rk4 { step: nanos(2e-4) },
        Method::Bs23 { rtol: 1e-6, atol: 1e-6, max_step: f64::INFINITY },
        Method::Dop853 { rtol: 1e-8, atol: 1e-8, max_step: f64::INFINITY },
        Method::Dopri5 { rtol: 1e-8, atol: 1e-8, max_step: f64::INFINITY },
    ] {
        let a_row = |output: f64| {
            let options = Options { until: nanos(0.5), output: nanos(output), method };
            let mut watch = Watch::default();
            let summary =
                simulate(&prepared.mechanism, &prepared.parameters.values(), &options, &mut watch).unwrap();
            assert!(summary.steps > 100);
            (watch.last - watch.first.unwrap()) as f64 / (watch.rows - 1) as f64
        };
        let [often, seldom] = [a_row(5e-3), a_row(5e-2)];
        assert!(often == seldom && often < 64.0, "{method:?}: {often} and {seldom}");
    }
}

/// A simulation in the hand, with friction that sticks and an input: every call but those that make something allocates nothing.
#[test]
fn a_simulation_in_the_hand_allocates_nothing() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/fit-two-logs/model.toml");
    let prepared = open::simulation(&model, &Overrides::default()).unwrap();
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    let Layout { nq, nv, nz, .. } = mechanism.layout();
    let ms = |count: u64| Nanos(count * 1_000_000);
    for method in [
        Method::Stepped { step: ms(1) },
        Method::Stepped2 { step: ms(1) },
        Method::RealTime { step: ms(1) },
        Method::Rk4 { step: ms(1) },
        Method::Dopri5 { rtol: 1e-8, atol: 1e-8, max_step: f64::INFINITY },
    ] {
        let mut simulation = Simulation::new(mechanism, &p, method).unwrap();
        let input = simulation.input("force").unwrap();
        simulation.bind_input(input, Course::Held(1.0)).unwrap();
        let saved = simulation.checkpoint();
        let state = simulation.state()[..nq + nv + nz].to_vec();
        let (mut y, mut x) = (vec![0.0; mechanism.channels().len()], simulation.state().to_vec());
        // The first round fills what grows to its size.
        for round in 0..3 {
            let before = allocations::of_thread();
            simulation.advance_to(ms(40)).unwrap();
            simulation.set_input(input, -2.0).unwrap();
            let t = simulation.step().unwrap();
            if matches!(method, Method::Rk4 { .. } | Method::Dopri5 { .. }) {
                simulation.interpolate(t - 1e-4, &mut x).unwrap();
            }
            simulation.outputs(&mut y).unwrap();
            simulation.set_state(&state).unwrap();
            simulation.restore(&saved).unwrap();
            simulation.advance_to(ms(20)).unwrap();
            simulation.reset().unwrap();
            let after = allocations::of_thread();
            assert!(round == 0 || after == before, "{method:?}: {}", after - before);
        }
    }
}

/// Between the runs of a batch nothing is allocated: a hundred runs take as many allocations as ten.
#[test]
fn a_batch_allocates_nothing_between_its_runs() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/fit-two-logs/model.toml");
    let prepared = open::simulation(&model, &Overrides::default()).unwrap();
    let p = prepared.parameters.values();
    let method = Method::Stepped { step: Nanos(1_000_000) };
    let counts: Vec<u64> = [10, 100]
        .into_iter()
        .map(|runs| {
            let runs = vec![p.clone(); runs];
            // One thread, so that its count is that of all.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            pool.install(|| {
                let counted = batch(&prepared.mechanism, method, &runs, |_, simulation| {
                    simulation.advance_to(Nanos(20_000_000))?;
                    Ok(allocations::of_thread())
                });
                // The first run makes the workspace.
                counted.last().unwrap().as_ref().unwrap() - counted[0].as_ref().unwrap()
            })
        })
        .collect();
    assert_eq!(counts, [0, 0]);
}
