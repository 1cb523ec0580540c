//! Quantities that are given over time from outside: numbers, tables, shapes.

use std::sync::Arc;

use gelenk_math::Real;
use gelenk_math::interval::Interval;

use crate::excitation::Waveform;

/// A row or break that lies within this time (s) of an instant by rounding is there.
pub const BESIDE: f64 = 1e-9;

/// A table over time with linear or held interpolation; constant beyond its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTable {
    /// Strictly rising times (s).
    pub time: Vec<f64>,
    /// Values, SI.
    pub value: Vec<f64>,
    /// Whether a value holds until the next time; else it is interpolated.
    pub hold: bool,
}

impl LogTable {
    /// Value at time `t` (s); constant beyond the ends, zero for an empty table.
    pub fn at<T: Real>(&self, t: T) -> T {
        let next = self.time.partition_point(|&x| x <= t.re());
        let (Some(&first), Some(&last)) = (self.value.first(), self.value.last()) else {
            return T::c(0.0);
        };
        if next == 0 {
            return T::c(first);
        }
        if next >= self.time.len().min(self.value.len()) {
            return T::c(last);
        }
        let (t0, t1, y0, y1) = (self.time[next - 1], self.time[next], self.value[next - 1], self.value[next]);
        if self.hold { T::c(y0) } else { T::c(y0) + (t - T::c(t0)) * T::c((y1 - y0) / (t1 - t0)) }
    }

    /// Largest minus smallest value; zero for an empty table.
    pub fn range(&self) -> f64 {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = self.value.iter().fold(ends, |(low, high), &y| (low.min(y), high.max(y)));
        (high - low).max(0.0)
    }

    /// First and last time (s); `None` for an empty table.
    pub fn span(&self) -> Option<[f64; 2]> {
        Some([*self.time.first()?, *self.time.last()?])
    }

    /// Why the table cannot be used: lengths that differ, times that do not increase, numbers that are not finite.
    pub fn fault(&self) -> Option<String> {
        let Self { time, value, .. } = self;
        if time.is_empty() || time.len() != value.len() {
            return Some(format!("the log has {} times and {} values", time.len(), value.len()));
        }
        // A NaN compares with nothing and so counts as not rising.
        let rises = |pair: &[f64]| pair[0].partial_cmp(&pair[1]) == Some(std::cmp::Ordering::Less);
        if let Some(i) = time.windows(2).position(|pair| !rises(pair)) {
            return Some(format!("the times of the log do not increase at sample {}", i + 2));
        }
        let i = value.iter().zip(time).position(|(v, t)| !v.is_finite() || !t.is_finite())?;
        Some(format!("sample {} of the log is not a finite number", i + 1))
    }

    /// The time up to which the log is a straight line from `t` on, but for `tolerance`: `t1`, or a row before it. No more
    /// than `rows` are looked at.
    pub fn straight_until(&self, t: f64, t1: f64, tolerance: f64, rows: usize) -> f64 {
        let first = self.time.partition_point(|&x| x <= t + BESIDE);
        let start = self.at(t);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut last = t1;
        let points = self.time[first..].iter().copied().zip(self.value[first..].iter().copied());
        for (x, y) in points.take(rows) {
            let slope = (y - start) / (x - t);
            if !(low <= slope && slope <= high) {
                return last;
            }
            if x >= t1 - BESIDE {
                return t1;
            }
            let slack = tolerance / (x - t);
            (low, high) = (low.max(slope - slack), high.min(slope + slack));
            last = x;
        }
        // Behind its last row a log keeps the value.
        let over = self.time.len().saturating_sub(first) <= rows;
        if over && !(low <= 0.0 && 0.0 <= high) { last } else { t1 }
    }

    /// What value and slope can be over a span of time; anything where the span has no end.
    pub fn over(&self, span: Interval) -> [Interval; 2] {
        if !span.width().is_finite() {
            return [Interval::ALL; 2];
        }
        let ends = Interval::new(self.at(span.low), self.at(span.high));
        let inside =
            self.time.partition_point(|&x| x <= span.low)..self.time.partition_point(|&x| x < span.high);
        let Some(rows) = self.value.get(inside.clone()) else { return [Interval::ALL; 2] };
        let value = rows.iter().fold(ends, |range, &y| range.hull(Interval::point(y)));
        // On a straight piece the slope is known.
        let slope = if inside.is_empty() {
            Interval::point((self.at(span.high) - self.at(span.low)) / span.width())
        } else {
            Interval::ALL
        };
        [value, slope]
    }
}

/// What an input of a system does over time. It is bound when a run starts; the compiled system knows only that there is an
/// input.
///
/// A course is cheap to clone: tables and shapes are shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// A number at the start, held until another one is set (SI).
    Held(f64),
    /// A table over time.
    Table(Arc<LogTable>),
    /// `offset + amplitude shape(t)`.
    Shape {
        /// The shape, of amplitude one.
        shape: Arc<Waveform>,
        /// What it is multiplied by (SI).
        amplitude: f64,
        /// What is added (SI).
        offset: f64,
    },
}

impl Course {
    /// A table over time (s, SI), linear between its rows.
    ///
    /// # Errors
    /// Lengths that differ, times that do not increase, numbers that are not finite.
    pub fn table(time: Vec<f64>, value: Vec<f64>) -> Result<Self, String> {
        let table = LogTable { time, value, hold: false };
        match table.fault() {
            None => Ok(Self::Table(Arc::new(table))),
            Some(reason) => Err(reason),
        }
    }

    /// A table over time (s, SI) whose values hold until the next row.
    ///
    /// # Errors
    /// Those of [`Course::table`].
    pub fn steps(time: Vec<f64>, value: Vec<f64>) -> Result<Self, String> {
        let table = LogTable { time, value, hold: true };
        match table.fault() {
            None => Ok(Self::Table(Arc::new(table))),
            Some(reason) => Err(reason),
        }
    }

    /// Why it cannot be used.
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Held(value) => (!value.is_finite()).then(|| format!("{value} is not a finite number")),
            Self::Table(table) => table.fault(),
            Self::Shape { amplitude, offset, .. } => {
                let bad = [amplitude, offset].into_iter().find(|number| !number.is_finite())?;
                Some(format!("{bad} is not a finite number"))
            }
        }
    }

    /// Whether it is constant but for jumps, so that steps end at them and a level is held between.
    pub fn is_stepwise(&self) -> bool {
        match self {
            Self::Held(_) => true,
            Self::Table(table) => table.hold,
            Self::Shape { shape, .. } => shape.is_stepwise(),
        }
    }

    /// Value at time `t` (s); of a number, the one at the start.
    pub fn at<T: Real>(&self, t: T) -> T {
        match self {
            Self::Held(value) => T::c(*value),
            Self::Table(table) => table.at(t),
            Self::Shape { shape, amplitude, offset } => T::c(*offset) + T::c(*amplitude) * shape.at(t),
        }
    }

    /// The first time after `t` (s) at which it jumps, or at which the slope of a shape breaks. Rows of linear tables are
    /// no breaks; see [`LogTable::straight_until`].
    pub fn next_break(&self, t: f64) -> Option<f64> {
        match self {
            Self::Held(_) => None,
            Self::Table(table) if table.hold => {
                table.time.get(table.time.partition_point(|&row| row <= t)).copied()
            }
            Self::Table(_) => None,
            Self::Shape { shape, .. } => shape.next_break(t),
        }
    }

    /// Where it jumps to its offset and stays there (s).
    pub fn end(&self) -> Option<f64> {
        match self {
            Self::Shape { shape, .. } => shape.end(),
            Self::Held(_) | Self::Table(_) => None,
        }
    }

    /// The value behind [`Course::end`].
    pub fn rest(&self) -> f64 {
        match self {
            Self::Shape { offset, .. } => *offset,
            Self::Held(value) => *value,
            Self::Table(table) => table.value.last().copied().unwrap_or(0.0),
        }
    }

    /// First and last time (s) that it is given for, where that is bounded.
    pub fn span(&self) -> Option<[f64; 2]> {
        match self {
            Self::Table(table) => table.span(),
            Self::Held(_) | Self::Shape { .. } => None,
        }
    }

    /// Largest minus smallest value; infinite where it is not looked for.
    pub fn range(&self) -> f64 {
        match self {
            Self::Table(table) => table.range(),
            Self::Held(_) | Self::Shape { .. } => f64::INFINITY,
        }
    }

    /// What value and slope can be over a span of time.
    pub fn over(&self, span: Interval) -> [Interval; 2] {
        match self {
            Self::Held(value) => [Interval::point(*value), Interval::point(0.0)],
            Self::Table(table) => table.over(span),
            Self::Shape { shape, amplitude, offset } => {
                let [value, slope] = shape.over(span);
                let amplitude = Interval::point(*amplitude);
                [Interval::point(*offset) + amplitude * value, amplitude * slope]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_interpolates_and_holds() {
        let mut log = LogTable { time: vec![0.0, 1.0, 3.0], value: vec![1.0, 2.0, 0.0], hold: false };
        assert_eq!([-1.0, 0.5, 1.0, 2.0, 9.0].map(|t| log.at(t)), [1.0, 1.5, 2.0, 1.0, 0.0]);
        assert_eq!((log.range(), log.span()), (2.0, Some([0.0, 3.0])));
        log.hold = true;
        assert_eq!([-1.0, 0.5, 1.0, 2.0, 9.0].map(|t| log.at(t)), [1.0, 1.0, 2.0, 2.0, 0.0]);
        let empty = LogTable { time: vec![], value: vec![], hold: false };
        assert_eq!((empty.at(1.0), empty.range()), (0.0, 0.0));
    }

    #[test]
    fn a_table_that_cannot_be_used_says_why() {
        let refused = |time: &[f64], value: &[f64]| Course::table(time.into(), value.into()).unwrap_err();
        assert!(refused(&[0.0, 1.0], &[1.0]).contains("2 times and 1 values"));
        assert!(refused(&[0.0, 0.0], &[1.0, 2.0]).contains("do not increase at sample 2"));
        assert!(
            refused(&[0.0, 1.0], &[1.0, f64::NAN]).contains("sample 2 of the log is not a finite number")
        );
        assert!(Course::Held(f64::INFINITY).fault().is_some());
    }

    #[test]
    fn breaks_are_the_rows_of_held_tables() {
        let steps = Course::steps(vec![0.0, 0.5, 2.0], vec![1.0, 3.0, 2.0]).unwrap();
        assert_eq!(
            [-1.0, 0.0, 0.6, 2.0].map(|t| steps.next_break(t)),
            [Some(0.0), Some(0.5), Some(2.0), None]
        );
        assert!(steps.is_stepwise());
        let line = Course::table(vec![0.0, 2.0], vec![1.0, 3.0]).unwrap();
        assert_eq!(line.next_break(0.0), None);
        let [value, slope] = line.over(Interval::new(0.5, 1.0));
        assert_eq!([value.low, value.high, slope.low, slope.high], [1.5, 2.0, 1.0, 1.0]);
    }
}
