//! Cost a step of every friction law, with the cost of its own exponentials beside it.

use std::hint::black_box;

use gelenk_laws::friction as laws;
use gelenk_laws::{Driven, Friction, Law};

use crate::clock::cpu_time;

/// Steps of one sweep.
const STEPS: usize = 1024;
/// Sweeps of one block.
const SWEEPS: usize = 64;
/// Blocks; the best one counts.
const BLOCKS: usize = 15;
/// Length of a step (s).
const H: f64 = 1e-3;

/// A function with its name.
type Function = (&'static str, fn(f64) -> f64);

/// Transcendental functions, in the order of the counts below.
const FUNCTIONS: [Function; 6] = [
    ("exp", |x| (-x * x).exp()),
    ("expm1", |x| (-x.abs()).exp_m1()),
    ("tanh", |x| x.tanh()),
    ("pow", |x| (x.abs() + 1e-3).powf(1.6)),
    ("sqrt", |x| (x.abs() + 1e-3).sqrt()),
    ("sincos", |x| {
        let (sin, cos) = x.sin_cos();
        sin + cos
    }),
];

/// How often a step with typical parameters needs each of [`FUNCTIONS`].
fn own(law: Friction) -> [usize; 6] {
    match law {
        Friction::PowerViscous => [0, 0, 0, 1, 0, 0],
        Friction::Coulomb | Friction::Stribeck | Friction::StribeckRaw => [1, 0, 0, 0, 0, 0],
        Friction::Makkar => [0, 0, 3, 0, 0, 0],
        Friction::Asymmetric | Friction::PowerBased => [1, 0, 1, 0, 0, 0],
        Friction::GearLoss => [0, 0, 1, 0, 0, 0],
        Friction::PowerLti => [1, 1, 1, 0, 0, 0],
        Friction::PowerLpv => [1, 2, 1, 0, 0, 0],
        Friction::Dahl | Friction::BlimanSorine1 | Friction::BoucWen => [0, 1, 0, 0, 0, 0],
        Friction::BlimanSorine2 => [0, 2, 0, 0, 0, 0],
        Friction::LuGre | Friction::LuGreOriginal | Friction::LuGreAsymmetric | Friction::Gms => {
            [1, 1, 0, 0, 0, 0]
        }
        Friction::ElastoPlastic => [1, 1, 0, 0, 0, 1],
        Friction::Leuven => [1, 0, 0, 0, 0, 0],
        Friction::Mms => [1, 0, 0, 0, 1, 0],
        Friction::TwoSep | Friction::TwoSepV3 => [1, 2, 0, 0, 1, 0],
        Friction::TwoSepV1 => [2, 1, 0, 0, 1, 0],
        _ => [0; 6],
    }
}

/// Velocities over three decades with a reversal every 64 steps.
fn velocities() -> Vec<f64> {
    (0..STEPS)
        .map(|k| {
            let size = 10f64.powf(-2.0 + 1.5 * (0.37 * k as f64).sin());
            if (k / 64) % 2 == 0 { size } else { -size }
        })
        .collect()
}

/// The best time of one call of `sweep` over all steps, by step (s).
fn best(mut sweep: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..BLOCKS {
        let start = cpu_time();
        for _ in 0..SWEEPS {
            sweep();
        }
        best = best.min((cpu_time() - start) / (SWEEPS * STEPS) as f64);
    }
    best
}

/// A result that the next input waits for, so that latencies count and nothing overlaps.
#[inline]
fn after(v: f64, result: f64) -> f64 {
    v + 1e-300 * result
}

/// Cost of [`Law::advance`] over kept states (s).
fn trial<L: Law>(p: &[f64], states: &[(Vec<f64>, Vec<f64>)], velocities: &[f64]) -> f64 {
    let mut z1 = vec![0.0; states[0].0.len()];
    best(|| {
        let mut y = 0.0;
        for ((z, m), &v) in states.iter().zip(velocities) {
            y = L::advance(p, z, m, after(black_box(v), y), H, &mut z1);
        }
        black_box(y);
    })
}

/// Declares the measure of a law by its name in the registry.
macro_rules! trials {
    ($($law:ident)+) => {
        fn trial_of(law: Friction, p: &[f64], states: &[(Vec<f64>, Vec<f64>)], velocities: &[f64]) -> f64 {
            match law { $(Friction::$law => trial::<laws::$law>(p, states, velocities)),+ }
        }
    };
}

trials! {
    Viscous PowerViscous Coulomb Karnopp Stribeck StribeckRaw Regularised Makkar Asymmetric GearLoss PowerBased PowerLti
    PowerLpv Dahl BlimanSorine1 BlimanSorine2 LuGre LuGreOriginal LuGreAsymmetric ElastoPlastic MaxwellSlip Gms Leuven Mms
    TwoSep TwoSepV1 TwoSepV3 BoucWen Play PrandtlIshlinskii Preisach
}

/// Steps of LuGre friction in its stepped form, 256 a sweep, for an instruction counter.
pub(crate) fn sweeps(count: usize) -> Result<(), String> {
    let velocities = velocities();
    let mut driven = Driven::typical(Friction::LuGre).map_err(|error| error.to_string())?;
    for _ in 0..count {
        for &v in &velocities[..256] {
            black_box(driven.step(black_box(v), H));
        }
    }
    Ok(())
}

/// Measures and prints.
pub(crate) fn print() -> Result<(), String> {
    let velocities = velocities();
    let functions = FUNCTIONS.map(|(_, function)| {
        best(|| {
            let mut y = 0.0;
            for &v in &velocities {
                y = function(after(black_box(v), y));
            }
            black_box(y);
        })
    });
    let empty = best(|| {
        let mut y = 0.0;
        for &v in &velocities {
            y = after(black_box(v), y);
        }
        black_box(y);
    });
    println!("{:<20}{:>10}{:>10}{:>8}{:>10}   own functions", "law", "advance", "own", "ratio", "step");
    println!("{:<20}{:>10}{:>10}{:>8}{:>10}", "", "ns", "ns", "", "ns");
    let mut above = Vec::new();
    for &law in Friction::ALL {
        let name = law.spec().name;
        let mut driven = Driven::typical(law).map_err(|error| error.to_string())?;
        // The states and memories before each step, so that trials can be timed alone.
        let states: Vec<(Vec<f64>, Vec<f64>)> = velocities
            .iter()
            .map(|&v| {
                let (z, m) = driven.state();
                let before = (z.to_vec(), m.to_vec());
                driven.step(v, H);
                before
            })
            .collect();
        let p = driven.parameters().to_vec();
        let advance = trial_of(law, &p, &states, &velocities);
        let step = best(|| {
            for &v in &velocities {
                black_box(driven.step(black_box(v), H));
            }
        });
        let counts = own(law);
        let floor: f64 =
            counts.iter().zip(functions).map(|(&count, time)| count as f64 * (time - empty)).sum();
        let list: Vec<String> = counts
            .iter()
            .zip(FUNCTIONS)
            .filter(|(count, _)| **count > 0)
            .map(|(count, (name, _))| if *count == 1 { name.to_owned() } else { format!("{count} {name}") })
            .collect();
        let (own, ratio) = if floor > 0.0 {
            let ratio = (advance - empty) / floor;
            if ratio > 1.3 {
                above.push(name);
            }
            (format!("{:.2}", 1e9 * floor), format!("{ratio:.2}"))
        } else {
            ("-".to_owned(), "-".to_owned())
        };
        println!(
            "{name:<20}{:>10.2}{own:>10}{ratio:>8}{:>10.2}   {}",
            1e9 * (advance - empty),
            1e9 * (step - empty),
            list.join(", ")
        );
    }
    if above.is_empty() {
        println!("no law takes more than 1.3 times its own functions");
    } else {
        println!("above 1.3 times their own functions: {}", above.join(", "));
    }
    Ok(())
}
