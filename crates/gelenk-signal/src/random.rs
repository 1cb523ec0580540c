//! Random numbers that are the same everywhere: a seed and a place in the sequence give the number.

/// The bits at place `k` of the sequence of `seed` (SplitMix64: Steele, Lea and Flood, *Fast splittable pseudorandom
/// number generators*, 2014).
pub fn bits(seed: u64, k: u64) -> u64 {
    let mut z = seed.wrapping_add(k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number from 0 to below 1, evenly distributed.
pub fn uniform(seed: u64, k: u64) -> f64 {
    (bits(seed, k) >> 11) as f64 / (1u64 << 53) as f64
}

/// A normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
pub fn normal(seed: u64, k: u64) -> f64 {
    // One minus the number is never zero, so that the logarithm is finite.
    let radius = (-2.0 * (1.0 - uniform(seed, 2 * k)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * uniform(seed, 2 * k + 1)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of SplitMix64 with seed 1234567, as its authors' program prints them.
    #[test]
    fn sequence_is_that_of_splitmix() {
        let expected = [6457827717110365317u64, 3203168211198807973, 9817491932198370423];
        for (k, number) in expected.into_iter().enumerate() {
            assert_eq!(bits(1234567, k as u64), number);
        }
    }

    /// Mean and variance of many numbers within five standard errors of 0 and 1.
    #[test]
    fn normal_numbers_have_mean_and_variance() {
        let n = 40_000;
        let values: Vec<f64> = (0..n).map(|k| normal(7, k)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 5.0 / (n as f64).sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / n as f64).sqrt(), "{variance}");
    }
}
