//! The instant inside a step at which a limit is reached.

use gelenk_system::Stepped;

/// Distance (m, rad) from a limit, per unit of velocity and one, at which it is reached.
const NEAR: f64 = 1e-12;
/// Trials of a search; the last ones halve the span.
const TRIALS: u32 = 60;
/// Share of the span that a trial keeps away from its ends.
const MARGIN: f64 = 1e-3;

/// What a search says about a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Landing {
    /// No limit is passed.
    Free,
    /// The limit of the given hold is reached after the given span (s): zero, or that of the last trial.
    Here(f64, usize),
    /// A limit is passed: try this span (s).
    Try(f64),
}

/// A search for the first limit that the motion from a committed state reaches: a secant method on the distances, kept
/// inside the span that holds the root (the Illinois variant; Dowell and Jarratt, *BIT* 11, 1971).
pub(crate) struct Search {
    low: f64,
    high: f64,
    /// Of every hold at both ends and in the last trial: the distance, or where the motion began at the limit, its mean
    /// rate. Infinite where there is no limit or something rests on it.
    at_low: Vec<f64>,
    at_high: Vec<f64>,
    now: Vec<f64>,
    at_limit: Vec<bool>,
    /// Whether the upper end moved last.
    upper: Option<bool>,
    trials: u32,
}

impl Search {
    pub(crate) fn new(holds: usize) -> Self {
        let far = || vec![f64::INFINITY; holds];
        let at_limit = vec![false; holds];
        let (low, high, upper, trials) = (0.0, 0.0, None, 0);
        Self { low, high, at_low: far(), at_high: far(), now: far(), at_limit, upper, trials }
    }

    /// Begins at a state with positions `q` and velocities `v`.
    pub(crate) fn begin<S: Stepped>(&mut self, system: &S, data: &S::Data<f64>, q: &[f64], v: &[f64]) {
        (self.low, self.high, self.upper, self.trials) = (0.0, 0.0, None, 0);
        for index in 0..self.at_low.len() {
            let gap = system.gap(data, index, q, v);
            self.at_limit[index] = gap.is_some_and(|[gap, rate]| gap <= near_limit(rate));
            self.at_low[index] = match gap {
                Some([_, rate]) if self.at_limit[index] => rate,
                Some([gap, _]) => gap,
                None => f64::INFINITY,
            };
        }
    }

    /// Looks at a trial over `h` that ended at `q`, `v` with the given modes.
    pub(crate) fn look<S: Stepped>(
        &mut self,
        system: &S,
        data: &S::Data<f64>,
        (q, v, modes): (&[f64], &[f64], &[f64]),
        h: f64,
    ) -> Landing {
        self.trials += 1;
        let (mut worst, mut nearest) = (None::<(f64, usize)>, None::<usize>);
        for index in 0..self.now.len() {
            let free = system.held(modes, index).is_none();
            let Some([gap, rate]) = free.then(|| system.gap(data, index, q, v)).flatten() else {
                self.now[index] = f64::INFINITY;
                continue;
            };
            self.now[index] = if self.at_limit[index] { gap / h } else { gap };
            let slack = near_limit(rate);
            if gap < -slack && worst.is_none_or(|(least, _)| gap < least) {
                worst = Some((gap, index));
            } else if gap.abs() <= slack && rate < 0.0 {
                nearest = Some(index);
            }
        }
        match (worst, nearest) {
            (None, Some(index)) => return Landing::Here(h, index),
            (None, None) if self.high == 0.0 => return Landing::Free,
            // One linear solve depends on where it began, so the end that passed a limit may stop short of it when it is tried
            // again. Nothing is left between the ends then: the limit is here.
            (None, None) if h >= self.high => return Landing::Here(h, self.passed()),
            (None, None) => {
                self.low = h;
                self.at_low.copy_from_slice(&self.now);
                self.moved(false);
            }
            (Some((_, index)), _) => {
                let narrow = h - self.low <= 4.0 * f64::EPSILON * h || self.trials > TRIALS;
                if narrow && self.trials > 1 {
                    return Landing::Here(h, index);
                }
                self.high = h;
                self.at_high.copy_from_slice(&self.now);
                self.moved(true);
            }
        }
        self.next()
    }

    /// The limit that the upper end passed farthest.
    fn passed(&self) -> usize {
        let indices = 0..self.at_high.len();
        indices.min_by(|&a, &b| self.at_high[a].total_cmp(&self.at_high[b])).unwrap_or(0)
    }

    /// An end that stays while the other one moves twice counts for less, so that it moves too.
    fn moved(&mut self, upper: bool) {
        if self.upper == Some(upper) {
            let other = if upper { &mut self.at_low } else { &mut self.at_high };
            other.iter_mut().for_each(|value| *value *= 0.5);
        }
        self.upper = Some(upper);
    }

    /// The span to try next, from the limit that is passed first.
    fn next(&self) -> Landing {
        let width = self.high - self.low;
        let mut first = 1.0f64;
        for (index, (&low, &high)) in self.at_low.iter().zip(&self.at_high).enumerate() {
            if high >= 0.0 {
                continue;
            }
            if low <= 0.0 && self.low == 0.0 {
                return Landing::Here(0.0, index);
            }
            // Where the limit was out of the way at the lower end, the middle is as good as anything.
            let share = if low.is_finite() { low.max(0.0) / (low.max(0.0) - high) } else { 0.5 };
            first = first.min(share);
        }
        let share = if self.trials > TRIALS / 2 { 0.5 } else { first.clamp(MARGIN, 1.0 - MARGIN) };
        // The margin keeps trials apart; at the width of rounding only the upper end is left.
        let span = self.low + share * width;
        Landing::Try(if span > self.low && span < self.high { span } else { self.high })
    }
}

/// How close is at the limit, for a rate of the distance.
fn near_limit(rate: f64) -> f64 {
    NEAR * (1.0 + rate.abs())
}
