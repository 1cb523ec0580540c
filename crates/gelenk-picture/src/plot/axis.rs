//! A range of numbers with round ticks.

/// Beyond this, differences of two numbers leave the range of f64; larger ones are drawn here.
const MOST: f64 = 1e300;

/// A range of numbers with round ticks.
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    /// Number of ticks asked for at most.
    most: f64,
    /// Power of ten that the labels leave out and the unit shows.
    power: i32,
}

impl Axis {
    /// An axis over some values; `room` is the share of free space at each end, `ticks` their number at most.
    pub(super) fn new(range: Option<(f64, f64)>, room: f64, ticks: f64) -> Self {
        let (low, high) = range.map_or((0.0, 1.0), |(a, b)| (a.clamp(-MOST, MOST), b.clamp(-MOST, MOST)));
        let size = low.abs().max(high.abs());
        // What differs by less is a constant with round-off.
        let least = if size > 1e-290 { size * 1e-9 } else { 1e-3 };
        let (low, high) = if high - low < least {
            let half = if size > 1e-290 { size * 0.1 } else { 1.0 };
            ((low + high) / 2.0 - half, (low + high) / 2.0 + half)
        } else {
            (low - room * (high - low), high + room * (high - low))
        };
        let rough = (high - low) / ticks.max(1.0);
        let ten = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|m| m * ten).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * ten);
        // A run of 19.999 s is a run of 20 s to the eye: an end just short of a tick moves there.
        let next = (high / step).ceil() * step;
        let high = if next - high < 0.01 * (high - low) { next.max(high) } else { high };
        let exponent = low.abs().max(high.abs()).log10().floor() as i32;
        let power = if (-2..5).contains(&exponent) { 0 } else { exponent.div_euclid(3) * 3 };
        Self { low, high, step, most: ticks, power }
    }

    /// Length of the range.
    pub(super) fn span(&self) -> f64 {
        self.high - self.low
    }

    /// The axis about the same middle over a longer range.
    pub(super) fn widened(&self, span: f64) -> Self {
        let middle = 0.5 * (self.low + self.high);
        let half = 0.5 * span.max(self.span());
        let mut axis = Self::new(Some((middle - half, middle + half)), 0.0, self.most);
        // Exactly this range, though its end may lie just short of a tick.
        (axis.low, axis.high) = (middle - half, middle + half);
        axis
    }

    /// Where ticks stand, with their labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let scaled = self.step / 10_f64.powi(self.power);
        let digits = (-(scaled.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
        let first = (self.low / self.step - 1e-9).ceil();
        let count = ((self.high / self.step + 1e-9).floor() - first).clamp(0.0, 100.0) as i32;
        let tick = |i: i32| {
            // Adding zero turns -0 into 0.
            let n = first + f64::from(i) + 0.0;
            (n * self.step, format!("{:.digits$}", n * scaled).replace('-', "\u{2212}"))
        };
        (0..=count).map(tick).collect()
    }

    /// The unit in brackets, with the power of ten that the labels leave out.
    pub(super) fn unit(&self, unit: &str) -> String {
        let raised: String = self.power.to_string().chars().map(superscript).collect();
        match (self.power, unit) {
            (0, unit) => format!("[{unit}]"),
            (_, "1") => format!("[10{raised}]"),
            (_, unit) => format!("[10{raised} {unit}]"),
        }
    }

    /// Place of a value on a line from `start` to `end`.
    pub(super) fn place(&self, value: f64, start: f64, end: f64) -> f64 {
        let part = (value.clamp(-MOST, MOST) - self.low) / (self.high - self.low);
        // Clamped, because a value may lie far outside.
        (start + part * (end - start)).clamp(-1e6, 1e6)
    }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        digit => digit.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_share_their_digits() {
        assert_eq!(
            labels(&Axis::new(Some((0.0, 1.0)), 0.0, 5.0)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(&Axis::new(Some((-1.0, 1.0)), 0.1, 3.0)), ["\u{2212}1", "0", "1"]);
        assert_eq!(labels(&Axis::new(Some((0.0, 19.999)), 0.0, 5.0)), ["0", "5", "10", "15", "20"]);
    }

    #[test]
    fn large_and_small_numbers_move_a_power_of_ten_to_the_unit() {
        let small = Axis::new(Some((0.0, 2e-6)), 0.0, 4.0);
        assert_eq!(labels(&small), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(small.unit("N m"), "[10\u{207b}\u{2076} N m]");
        let large = Axis::new(Some((0.0, 4.2e6)), 0.0, 5.0);
        assert_eq!(labels(&large), ["0", "1", "2", "3", "4"]);
        assert_eq!(large.unit("1"), "[10\u{2076}]");
        assert_eq!(Axis::new(Some((0.0, 9000.0)), 0.0, 5.0).unit("N"), "[N]");
    }

    #[test]
    fn every_range_gives_a_few_finite_ticks_inside() {
        let ends = [0.0, 1e-320, -1e-300, 1e-9, 1.0, 1.0 + 1e-15, -3.7, 1e5, 1e299, f64::MAX, f64::MIN];
        for a in ends {
            for b in ends.into_iter().filter(|&b| b >= a) {
                let axis = Axis::new(Some((a, b)), 0.06, 5.0);
                let ticks = axis.ticks();
                assert!((2..=8).contains(&ticks.len()), "{a} to {b}: {} ticks", ticks.len());
                for (value, label) in ticks {
                    assert!(value.is_finite() && label.len() < 24, "{a} to {b}: {label}");
                    assert!((-1.0..=1001.0).contains(&axis.place(value, 0.0, 1000.0)), "{a} to {b}: {label}");
                }
            }
        }
        assert!(!Axis::new(None, 0.0, 5.0).ticks().is_empty());
    }
}
