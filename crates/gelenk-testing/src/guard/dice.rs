//! What chance decides, the same for the same seed.

use crate::random::Random;

/// A source of choices and numbers.
#[derive(Debug, Clone)]
pub struct Dice(Random);

impl Dice {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)))
    }

    /// A number below `bound`, or 0 where that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of three digits between two others.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        rounded(low + (high - low) * self.unit())
    }

    /// The same over decades.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        rounded(low * (high / low).powf(self.unit()))
    }

    /// The same with either sign.
    pub fn signed(&mut self, low: f64, high: f64) -> f64 {
        let size = self.between(low, high);
        if self.chance(50) { size } else { -size }
    }

    /// Three numbers of both signs.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| self.between(-size, size))
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// One of several words.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        self.pick(words).copied().unwrap_or_default()
    }

    /// Another order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for k in (1..list.len()).rev() {
            list.swap(k, self.below(k + 1));
        }
    }
}

/// Three digits are enough, and can be read.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
