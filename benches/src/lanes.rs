//! Many runs of a pendulum with LuGre friction in lockstep, beside single runs of the same compiled mechanism: one thread each,
//! other parameters in every run.

use gelenk_laws::Friction;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Attachment, Mechanism};
use gelenk_solve::lanes::{Pick, WIDTH, lanes};
use gelenk_solve::{Method, Options, SolveError, batch};
use gelenk_system::Nanos;
use gelenk_testing::draft::Draft;

use crate::clock::cpu_time;

/// Runs of a block.
const RUNS: usize = 256;
/// Steps of a run.
const STEPS: u64 = 1200;
/// Alternating blocks; the best one of each counts.
const BLOCKS: usize = 7;
/// Coulomb and breakaway torque (N m), Stribeck velocity (rad/s), bristle stiffness (N m/rad) and damping (N m s/rad),
/// limit of the damping (rad/s), viscous share (N m s/rad): of the size of a small servo.
const LUGRE: [f64; 11] = [0.02, 0.03, 0.05, 200.0, 0.5, 0.8, 0.004, 2.0, 1.0, 0.0, 0.0];

/// A rod of 0.25 m with a mass of 0.15 kg at its end, released at 60 degrees; its parameters are those of the runs.
fn pendulum() -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let phi = draft.coordinate("phi", 1.047, 0.0);
    let body = draft.body("pendulum", 0.15, [0.0, 0.0, -0.25], [1e-4, 1e-4, 1e-5]);
    let motion = draft.revolute([0.0, 1.0, 0.0], phi);
    draft.joint("shoulder", BodyRef::Ground, body, [0.0; 3], motion);
    let parameters = draft.numbers(LUGRE).to_vec();
    draft.add(Element::new("friction", Friction::LuGre, Attachment::Coordinate(phi), &parameters));
    draft.build()
}

/// Parameter vectors around those of the model; what is zero, one, two or infinite stays.
fn variants(mechanism: &Mechanism) -> Vec<Vec<f64>> {
    let own = mechanism.parameters().values();
    let kept = |p: f64| p == 0.0 || p.abs() == 1.0 || p == 2.0 || !p.is_finite() || p == -9.81;
    // Low-discrepancy shares of 20 %, so that every run has its own.
    let share = |run: usize, k: usize| {
        let phase =
            0.618_033_988_75 * (run + 1) as f64 + 0.324_717_957_24 * (k + 1) as f64 * (run + 7) as f64;
        0.9 + 0.2 * phase.fract()
    };
    (0..RUNS)
        .map(|run| {
            own.iter().enumerate().map(|(k, &p)| if kept(p) { p } else { p * share(run, k) }).collect()
        })
        .collect()
}

/// Final angles and rates by single runs.
fn alone(mechanism: &Mechanism, options: &Options, runs: &[Vec<f64>]) -> Vec<Result<[f64; 2], SolveError>> {
    batch(mechanism, options.method, runs, |_, simulation| {
        simulation.advance_to(options.until)?;
        Ok([simulation.state()[0], simulation.state()[1]])
    })
}

/// The same in lanes, with whether the run was done alone.
type Found = Result<([f64; 2], bool), SolveError>;

fn together(mechanism: &Mechanism, options: &Options, runs: &[Vec<f64>]) -> Result<Vec<Found>, SolveError> {
    lanes(mechanism, options, &[Pick::State(0), Pick::State(1)], runs, |_, rows| {
        let last = rows.last();
        Ok(([last[0], last[1]], rows.alone()))
    })
}

/// Prints the cost of a step of a run, both ways, and how far the results are apart.
pub(crate) fn print() -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(measure)
}

fn measure() -> Result<(), String> {
    let mechanism = pendulum();
    let runs = variants(&mechanism);
    println!("pendulum with LuGre, {RUNS} runs of {STEPS} steps, {WIDTH} in lockstep, one thread");
    for (name, method, step) in [
        ("stepped", (|step| Method::Stepped { step }) as fn(Nanos) -> Method, Nanos(1_000_000)),
        ("rk4", |step| Method::Rk4 { step }, Nanos(50_000)),
    ] {
        let until = Nanos(STEPS * step.0);
        let options = Options { until, output: until, method: method(step) };
        let mut best = [f64::INFINITY; 2];
        let (mut single, mut lockstep) = (Vec::new(), Vec::new());
        for _ in 0..BLOCKS {
            let start = cpu_time();
            single = alone(&mechanism, &options, &runs);
            let middle = cpu_time();
            lockstep = together(&mechanism, &options, &runs).map_err(|error| error.to_string())?;
            let end = cpu_time();
            best = [best[0].min(middle - start), best[1].min(end - middle)];
        }
        let (mut apart, mut left) = (0.0f64, 0);
        for (single, lockstep) in single.iter().zip(&lockstep) {
            let single = single.as_ref().map_err(|error| error.to_string())?;
            let (found, alone) = lockstep.as_ref().map_err(|error| error.to_string())?;
            left += usize::from(*alone);
            apart = single.iter().zip(found).fold(apart, |max, (a, b)| max.max((a - b).abs()));
        }
        let steps = (RUNS as u64 * STEPS) as f64;
        let [alone, together] = best.map(|time| 1e9 * time / steps);
        println!(
            "  {name:<8} single {alone:>7.1} ns a step, lanes {together:>6.1} ns a step, {:.2} times as fast, \
             apart by {apart:.1e}, {left} done alone",
            alone / together
        );
    }
    Ok(())
}
