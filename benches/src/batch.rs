//! Many runs of one small system: a rod on a hinge with LuGre friction in the stepped mode, beside a loop written by hand over
//! the same law, and what a batch costs around its steps.

use std::hint::black_box;

use gelenk_laws::Friction;
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::builder::{Builder, Ground, Mass};
use gelenk_solve::{Method, Simulation, batch};
use gelenk_system::Nanos;

use crate::clock::cpu_time;

/// Coulomb and breakaway torque (N m), Stribeck velocity (rad/s), bristle stiffness (N m/rad) and damping (N m s/rad), limit of
/// the damping (rad/s), viscous share (N m s/rad), Stribeck exponent, and two numbers that are not used.
const LUGRE: [f64; 11] = [0.05, 0.08, 0.1, 200.0, 0.5, f64::INFINITY, 0.02, 2.0, 1.0, 0.0, 0.0];
/// Mass (kg), distance of its centre (m), moment of inertia about the centre (kg m^2), gravity (m/s^2).
const ROD: [f64; 4] = [1.2, 0.25, 0.025, 9.81];
/// Angle from which it falls (rad).
const START: f64 = 1.0;
const STEP: Nanos = Nanos(1_000_000);
const STEPS: u64 = 2000;
/// Alternating blocks; the best one of each counts.
const BLOCKS: usize = 20;
/// Runs of a batch.
const RUNS: usize = 256;

fn mechanism() -> Result<Mechanism, String> {
    let [mass, centre, inertia, gravity] = ROD;
    let mut builder = Builder::new([0.0, 0.0, -gravity]);
    let rod = builder.body("rod", Mass::point(mass).with_inertia([inertia; 3]).at([0.0, 0.0, -centre]));
    let phi = builder.joint("hinge", Ground, rod).revolute([0.0, 1.0, 0.0], "phi");
    builder.start(phi, START, 0.0);
    let [coulomb, breakaway, stribeck, sigma0, sigma1, _, viscous, ..] = LUGRE;
    let law = [
        ("coulomb", coulomb),
        ("breakaway", breakaway),
        ("stribeck", stribeck),
        ("sigma0", sigma0),
        ("sigma1", sigma1),
        ("viscous", viscous),
    ];
    builder.friction("hinge", phi, Friction::LuGre, law);
    builder.build().map_err(|error| error.to_string())
}

/// Share of the weight that turns the rod back.
fn pull<T: Real>(angle: T) -> T {
    angle.sin()
}

/// Implicit Euler by Newton's method, with the law's own tangent; returns angle, rate and bristle.
fn by_hand(steps: u64) -> [f64; 3] {
    let [mass, centre, inertia, gravity] = ROD;
    let h = STEP.seconds();
    let (inertia, weight) = (inertia + mass * centre * centre, mass * gravity * centre);
    let p = LUGRE.map(Dual::c);
    let (mut q, mut v, mut z) = (START, 0.0, 0.0);
    for _ in 0..steps {
        let mut v1 = v;
        let mut z1 = [Dual::c(0.0)];
        for _ in 0..30 {
            let rate = seed(v1, 0);
            let friction = Friction::LuGre.advance(&p, &[Dual::c(z)], &[], rate, h, &mut z1);
            let angle = Dual::c(q) + rate * h;
            let residual = (rate - v) * inertia + (pull(angle) * weight + friction) * h;
            let change = residual.re() / partial(residual, 0);
            v1 -= change;
            if change.abs() <= 1e-11 * (1.0 + v1.abs()) {
                break;
            }
        }
        Friction::LuGre.advance(&p, &[Dual::c(z)], &[], Dual::c(v1), h, &mut z1);
        (q, v, z) = (q + h * v1, v1, z1[0].re());
    }
    [q, v, z]
}

/// CPU time of an action (s), the best of several in turn with others.
fn best(times: &mut f64, action: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let start = cpu_time();
    action()?;
    *times = times.min(cpu_time() - start);
    Ok(())
}

/// Prints the costs of a step, of a start, and of a batch on one thread and on two.
pub(crate) fn print() -> Result<(), String> {
    let mechanism = mechanism()?;
    let p = mechanism.parameters().values();
    let method = Method::Stepped { step: STEP };
    let text = |error: gelenk_solve::SolveError| error.to_string();
    let mut simulation = Simulation::new(&mechanism, &p, method).map_err(text)?;
    let [mut hand, mut ours, mut start] = [f64::INFINITY; 3];
    let mut end = [0.0; 3];
    const STARTS: u32 = 10_000;
    for _ in 0..BLOCKS {
        best(&mut hand, || {
            end = black_box(by_hand(black_box(STEPS)));
            Ok(())
        })?;
        simulation.reset().map_err(text)?;
        best(&mut ours, || simulation.advance_to(Nanos(STEPS * STEP.0)).map_err(text))?;
        let off = simulation.state().iter().zip(end).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if off > 1e-9 {
            return Err(format!("the two ways differ by {off:e}"));
        }
        best(&mut start, || (0..STARTS).try_for_each(|_| simulation.bind(&p).map_err(text)))?;
    }
    println!("a rod with LuGre friction, stepped, {} ms, best of {BLOCKS}:", 1e3 * STEP.seconds());
    let step = |time: f64| 1e6 * time / STEPS as f64;
    println!("  by hand       {:.3} us a step", step(hand));
    println!("  Simulation    {:.3} us a step, {:.2} of the loop by hand", step(ours), ours / hand);
    println!("  start of a run in a batch {:.3} us", 1e6 * start / f64::from(STARTS));
    threads(&mechanism, &p, method)
}

/// Wall-clock time of a batch on one thread and on two, in turn.
fn threads(mechanism: &Mechanism, p: &[f64], method: Method) -> Result<(), String> {
    let runs = vec![p.to_vec(); RUNS];
    let mut times = [f64::INFINITY; 2];
    for _ in 0..5 {
        for (threads, time) in (1..).zip(&mut times) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| error.to_string())?;
            let start = std::time::Instant::now();
            let ends = pool.install(|| {
                batch(mechanism, method, &runs, |_, simulation| {
                    simulation.advance_to(Nanos(STEPS * STEP.0))?;
                    Ok(simulation.state()[0])
                })
            });
            if let Some(Err(error)) = ends.into_iter().find(Result::is_err) {
                return Err(error.to_string());
            }
            *time = time.min(start.elapsed().as_secs_f64());
        }
    }
    let [one, two] = times;
    println!(
        "  {RUNS} runs: {:.1} ms on one thread, {:.1} ms on two: {:.2} times",
        1e3 * one,
        1e3 * two,
        one / two
    );
    Ok(())
}
