//! A sensor: bias, noise, drop-out and resolution.

use gelenk_math::Real;

use super::chance::{normal, uniform};
use super::contract::{Block, BlockPort, BlockSpec, Stage, Tick, relative};
use crate::contract::{Kind, ParamSpec, fixed};

/// `y = q round((u + b + s n_k)/q)`: an offset, normal noise by seed, and rounding to multiples of the resolution. With the
/// given probability a sample is lost, and the last one stays.
pub struct Sensor;

impl Block for Sensor {
    const SPEC: BlockSpec = BlockSpec {
        name: "sensor",
        title: "A sampled measurement, held between samples.",
        equation: "y = q round((u + b + s n_k)/q)",
        source: "kubisch 1.3; ruderman 3.15",
        stage: Stage::Sense,
        inputs: &[BlockPort { name: "of", kind: relative(1, 0, 0), meaning: "Measured quantity." }],
        params: &[
            ParamSpec::positive(
                "quantum",
                "q",
                relative(1, 0, 0),
                "Resolution: values are rounded to multiples of it; 0 for no rounding.",
            )
            .or_zero()
            .or(0.0),
            ParamSpec::positive("bias", "b", relative(1, 0, 0), "Offset added to every sample.")
                .signed()
                .or(0.0),
            ParamSpec::positive("noise", "s", relative(1, 0, 0), "Standard deviation of normal noise.")
                .or_zero()
                .or(0.0),
            ParamSpec::positive("dropout", "P", Kind::Ratio, "Probability that a sample is lost, at most 1.")
                .or_zero()
                .up_to(1.0)
                .or(0.0),
            ParamSpec::positive("seed", "", Kind::Ratio, "Seed of noise and drop-out.")
                .or_zero()
                .or(1.0)
                .structural(),
        ],
        outputs: &[BlockPort {
            name: "",
            kind: relative(1, 0, 0),
            meaning: "the last sample that was not lost",
        }],
    };

    const MEMORY: usize = 1;

    fn tick<T: Real>(p: &[T], u: &[T], tick: Tick, m: &mut [T], y: &mut [T]) {
        let [quantum, bias, noise, dropout, seed] = fixed(p);
        let seed = seed.re().to_bits();
        // The first sample is never lost: there is none before it.
        if tick.number == 0 || dropout.re() <= 0.0 || uniform(seed ^ 1, tick.number) >= dropout.re() {
            let mut value = u[0] + bias;
            if noise.re() > 0.0 {
                value += noise * T::c(normal(seed, tick.number));
            }
            m[0] = value;
            if quantum.re() > 0.0 {
                // The steps have no slope, but on the whole the value goes along: as derivatives see it, nothing is rounded.
                let rounded = quantum * T::c((value / quantum).re().round());
                m[0] = rounded + (value - T::c(value.re()));
            }
        }
        y[0] = m[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(p: [f64; 5], n: u64) -> Vec<f64> {
        let (mut m, mut y) = ([0.0], [0.0]);
        (0..n)
            .map(|number| {
                Sensor::tick(&p, &[1.0], Tick { number, period: 1e-3 }, &mut m, &mut y);
                y[0]
            })
            .collect()
    }

    /// Closed forms: rounding to the nearest multiple; mean and deviation of 100,000 samples of noise within five standard
    /// errors; the same seed gives the same samples, another one others.
    #[test]
    fn noise_has_its_mean_and_deviation() {
        assert_eq!(samples([0.3, 0.0, 0.0, 0.0, 1.0], 1), [0.3 * 3.0]);
        let noisy = samples([0.0, 0.5, 0.2, 0.0, 7.0], 100_000);
        let mean = noisy.iter().sum::<f64>() / 1e5;
        let square = noisy.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 1.5).abs() < 5.0 * 0.2 / 1e5f64.sqrt(), "{mean}");
        assert!((square.sqrt() - 0.2).abs() < 5.0 * 0.2 / 2e5f64.sqrt(), "{square}");
        assert_eq!(noisy[..9], samples([0.0, 0.5, 0.2, 0.0, 7.0], 9));
        assert_ne!(noisy[1..9], samples([0.0, 0.5, 0.2, 0.0, 8.0], 9)[1..]);
    }

    /// A quarter of the samples is lost: those that repeat the one before, within five standard errors of a binomial count.
    #[test]
    fn lost_samples_repeat_the_one_before() {
        let noisy = samples([0.0, 0.0, 1.0, 0.25, 3.0], 100_000);
        let lost = noisy.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
        assert!((lost - 25_000.0).abs() < 5.0 * (1e5f64 * 0.25 * 0.75).sqrt(), "{lost}");
    }
}
