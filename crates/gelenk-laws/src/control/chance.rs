//! Numbers by chance that depend on a seed and on a count alone, so that runs repeat and can be resumed.

/// A uniform number from 0 to less than 1.
pub(super) fn uniform(seed: u64, count: u64) -> f64 {
    // The finaliser of SplitMix64 (Steele, Lea, Flood 2014), twice.
    let mut x = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    x = mix(x ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// A number of the standard normal distribution (Box and Muller 1958).
pub(super) fn normal(seed: u64, count: u64) -> f64 {
    let radius = 1.0 - uniform(seed ^ 0x5851_f42d_4c95_7f2d, count);
    let angle = std::f64::consts::TAU * uniform(seed ^ 0x1405_7b7e_f767_814f, count);
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
