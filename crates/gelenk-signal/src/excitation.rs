//! Shapes of excitations: functions of time within about -1 to 1, to be multiplied by an amplitude.
//!
//! Those of Ruderman's identification and control studies (specification 3.11, 3.14 and 4.5), as functions that give
//! their value at any time, on `f64` and on duals, without a table of samples.

use std::f64::consts::PI;

use gelenk_math::Real;
use gelenk_math::interval::Interval;

use crate::random;

/// One tone of a multisine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// Frequency (Hz).
    pub frequency: f64,
    /// Phase (rad).
    pub phase: f64,
}

/// A shape over time (s).
#[derive(Clone, Debug, PartialEq)]
pub enum Waveform {
    /// `sin(2 pi f t + phase)`.
    Sine {
        /// Frequency `f` (Hz).
        frequency: f64,
        /// Phase (rad).
        phase: f64,
    },
    /// `sin(2 pi (f0 t + (f1 - f0)/(2 T) t^2))` up to `T`, zero beyond (ruderman 2.20); down where `f1 < f0`.
    Chirp {
        /// Frequency at the start `f0` (Hz).
        from: f64,
        /// Frequency at the end `f1` (Hz).
        to: f64,
        /// Duration `T` (s).
        duration: f64,
    },
    /// A sum of sines, scaled.
    Multisine {
        /// The tones.
        tones: Vec<Tone>,
        /// Factor that brings the largest value to 1, see [`Waveform::multisine`].
        scale: f64,
    },
    /// Zero up to `start`, then a straight line that is 1 after `duration`, and goes on with `hold` false.
    Ramp {
        /// When it begins (s).
        start: f64,
        /// Time to 1 (s).
        duration: f64,
        /// Whether it stays at 1.
        hold: bool,
    },
    /// Levels that are held one after the other; the last one stays.
    Staircase {
        /// The levels.
        levels: Vec<f64>,
        /// Time on each (s).
        hold: f64,
    },
    /// Straight lines at one rate through turning values, from zero; the last one stays.
    Zigzag {
        /// Times of the turning values (s), rising.
        times: Vec<f64>,
        /// The turning values.
        turns: Vec<f64>,
    },
    /// 1 or -1 anew every `period`, by chance.
    Binary {
        /// Time between draws (s).
        period: f64,
        /// Seed of the draws.
        seed: u64,
    },
    /// A sine whose frequency sweeps up and down again and whose amplitude falls from 1 to `last`: small and large
    /// motions at all frequencies in one run (ruderman 3.14, P5; the law of the sweep is ours).
    Decaying {
        /// Lowest frequency (Hz).
        from: f64,
        /// Highest frequency (Hz).
        to: f64,
        /// Time of a sweep up (s); down takes as long.
        sweep: f64,
        /// Amplitude at the end.
        last: f64,
        /// Duration (s); zero beyond.
        duration: f64,
    },
    /// Another shape under a window that rises from `base` by `height` between `rise` and `fall`, as two mirrored
    /// sigmoids of a `width` (ruderman 4.5, trajectory B).
    Windowed {
        /// What is windowed.
        shape: Box<Waveform>,
        /// Value of the window outside.
        base: f64,
        /// How much higher it is inside.
        height: f64,
        /// Middle of the rise (s).
        rise: f64,
        /// Middle of the fall (s).
        fall: f64,
        /// Width of rise and fall (s).
        width: f64,
    },
}

/// The three trajectories on which Ruderman compares controllers (specification 4.5, RU-35; durations and phases are
/// proposals of the specification).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trajectory {
    /// Steps of both signs from 30 down to 0.2.
    A,
    /// A multisine up to 2 Hz, small, then large between 20 s and 40 s, then small.
    B,
    /// A multisine up to 5 Hz with peak 1.
    C,
}

/// Duration of the three trajectories (s).
pub const TRAJECTORY: f64 = 60.0;

impl Waveform {
    /// A multisine of `count` tones in geometric steps from `from` to `to` (Hz) with phases `-pi k (k-1)/count`
    /// (Schroeder's choice, which keeps peaks low), scaled so that the largest value over `duration` (s) is 1.
    pub fn multisine(from: f64, to: f64, count: usize, duration: f64) -> Self {
        let count = count.max(1);
        let ratio = if count > 1 { (to / from).powf(1.0 / (count - 1) as f64) } else { 1.0 };
        let tones: Vec<Tone> = (0..count)
            .map(|k| {
                let phase = -PI * (k as f64) * (k as f64 + 1.0) / count as f64;
                Tone { frequency: from * ratio.powi(i32::try_from(k).unwrap_or(i32::MAX)), phase }
            })
            .collect();
        let peak = peak(&tones, duration);
        Self::Multisine { tones, scale: if peak > 0.0 { 1.0 / peak } else { 1.0 } }
    }

    /// Lines from zero through `turns` at `rate` (1/s).
    pub fn zigzag(turns: &[f64], rate: f64) -> Self {
        let (mut t, mut from) = (0.0, 0.0);
        let (mut times, mut values) = (vec![0.0], vec![0.0]);
        for &to in turns.iter().filter(|turn| turn.is_finite()) {
            if to == from {
                continue;
            }
            t += (to - from).abs() / rate;
            from = to;
            times.push(t);
            values.push(to);
        }
        Self::Zigzag { times, turns: values }
    }

    /// A trajectory of Ruderman's comparison; its unit is one revolution a second.
    pub fn trajectory(which: Trajectory) -> Self {
        match which {
            Trajectory::A => {
                let levels = [30.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2];
                Self::Staircase { levels: levels.iter().flat_map(|&l| [l, -l]).collect(), hold: 3.75 }
            }
            Trajectory::B => Self::Windowed {
                shape: Box::new(Self::multisine(0.01, 2.0, 12, TRAJECTORY)),
                base: 0.8,
                height: 24.2,
                rise: 20.0,
                fall: 40.0,
                width: 1.5,
            },
            Trajectory::C => Self::multisine(0.01, 5.0, 12, TRAJECTORY),
        }
    }

    /// The value at time `t` (s).
    pub fn at<T: Real>(&self, t: T) -> T {
        let (zero, one, turn) = (T::c(0.0), T::c(1.0), T::c(2.0 * PI));
        match self {
            Self::Sine { frequency, phase } => (turn * T::c(*frequency) * t + T::c(*phase)).sin(),
            Self::Chirp { from, to, duration } => {
                if !(0.0..=*duration).contains(&t.re()) {
                    return zero;
                }
                let rise = T::c((to - from) / (2.0 * duration));
                (turn * (T::c(*from) * t + rise * t * t)).sin()
            }
            Self::Multisine { tones, scale } => {
                let sum = tones
                    .iter()
                    .fold(zero, |sum, tone| sum + (turn * T::c(tone.frequency) * t + T::c(tone.phase)).sin());
                sum * T::c(*scale)
            }
            Self::Ramp { start, duration, hold } => {
                let share = (t - T::c(*start)) / T::c(*duration);
                if share.re() <= 0.0 {
                    zero
                } else if *hold && share.re() >= 1.0 {
                    one
                } else {
                    share
                }
            }
            Self::Staircase { levels, hold } => {
                let place = number(t.re(), *hold) as usize;
                T::c(levels.get(place).or(levels.last()).copied().unwrap_or(0.0))
            }
            Self::Zigzag { times, turns } => {
                let next = times.partition_point(|&x| x <= t.re());
                match (next.checked_sub(1), turns.get(next)) {
                    // Before its first point it stands there, as a log does.
                    (None, _) => T::c(turns.first().copied().unwrap_or(0.0)),
                    (Some(last), None) => T::c(turns.get(last).copied().unwrap_or(0.0)),
                    (Some(last), Some(&to)) => {
                        let slope = (to - turns[last]) / (times[next] - times[last]);
                        T::c(turns[last]) + (t - T::c(times[last])) * T::c(slope)
                    }
                }
            }
            Self::Binary { period, seed } => {
                let place = number(t.re(), *period) as u64;
                T::c(if random::bits(*seed, place) >> 63 == 0 { 1.0 } else { -1.0 })
            }
            Self::Decaying { from, to, sweep, last, duration } => {
                if !(0.0..=*duration).contains(&t.re()) {
                    return zero;
                }
                let half = (t.re() / sweep).floor();
                let into = t - T::c(half * sweep);
                // Cycles of the whole sweeps before, and of the one begun, whose frequency is a line up or down.
                let before = T::c(0.5 * (from + to) * sweep * half);
                let up = half % 2.0 == 0.0;
                let (first, slope) =
                    if up { (*from, (to - from) / sweep) } else { (*to, (from - to) / sweep) };
                let cycles = before + T::c(first) * into + T::c(0.5 * slope) * into * into;
                let fade = (T::c(last.ln() / duration) * t).exp();
                fade * (turn * cycles).sin()
            }
            Self::Windowed { shape, base, height, rise, fall, width } => {
                let sigmoid = |middle: f64| one / (one + (-(t - T::c(middle)) / T::c(*width)).exp());
                shape.at(t) * (T::c(*base) + T::c(*height) * (sigmoid(*rise) - sigmoid(*fall)))
            }
        }
    }

    /// How fast the phase of a wave, or what else it does, moves between `t` and `t1` (rad/s): a step that is to see it is
    /// shorter than a turn.
    pub fn phase_rate(&self, t: f64, t1: f64) -> f64 {
        let turn = 2.0 * PI;
        match self {
            Self::Sine { frequency, .. } => turn * frequency.abs(),
            Self::Chirp { from, to, duration } => {
                let at = |t: f64| (from + (to - from) * t.clamp(0.0, *duration) / duration).abs();
                if t >= *duration { 0.0 } else { turn * at(t).max(at(t1)) }
            }
            Self::Multisine { tones, .. } => {
                turn * tones.iter().map(|tone| tone.frequency.abs()).fold(0.0, f64::max)
            }
            Self::Decaying { from, to, duration, .. } => {
                if t >= *duration {
                    0.0
                } else {
                    turn * from.abs().max(to.abs())
                }
            }
            Self::Windowed { shape, width, .. } => shape.phase_rate(t, t1).max(1.0 / width.abs()),
            Self::Ramp { .. } | Self::Staircase { .. } | Self::Zigzag { .. } | Self::Binary { .. } => 0.0,
        }
    }

    /// What the value and its slope (1/s) can be over a span of time without a break inside.
    pub fn over(&self, t: Interval) -> [Interval; 2] {
        if let Self::Sine { frequency, phase } = self {
            let turn = Interval::point(2.0 * PI * frequency);
            let phase = turn * t + Interval::point(*phase);
            return [phase.sin(), turn * phase.cos()];
        }
        let (peak, steepest) = (self.peak(), self.steepest());
        let (half, middle) = (0.5 * t.width(), 0.5 * (t.low + t.high));
        let straight = matches!(self, Self::Ramp { .. } | Self::Zigzag { .. });
        if straight && half.is_finite() && half > 0.0 && self.next_break(t.low).is_none_or(|b| b >= t.high) {
            let ends = [self.at(t.low), self.at(t.high)];
            return [Interval::new(ends[0], ends[1]), Interval::point((ends[1] - ends[0]) / t.width())];
        }
        let value = if half.is_finite() {
            let (here, reach) = (self.at(middle), steepest * half);
            Interval::new((here - reach).max(-peak), (here + reach).min(peak))
        } else {
            Interval::about_zero(peak)
        };
        [value, Interval::about_zero(steepest)]
    }

    /// A bound of the value.
    fn peak(&self) -> f64 {
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |max, v| max.max(v.abs()));
        match self {
            Self::Sine { .. } | Self::Chirp { .. } | Self::Binary { .. } => 1.0,
            Self::Decaying { last, .. } => last.max(1.0),
            Self::Multisine { tones, scale } => tones.len() as f64 * scale.abs(),
            Self::Ramp { hold, .. } => {
                if *hold {
                    1.0
                } else {
                    f64::INFINITY
                }
            }
            Self::Staircase { levels, .. } => largest(levels),
            Self::Zigzag { turns, .. } => largest(turns),
            Self::Windowed { shape, base, height, .. } => shape.peak() * (base.abs() + height.abs()),
        }
    }

    /// A bound of the slope between breaks (1/s).
    fn steepest(&self) -> f64 {
        let turn = 2.0 * PI;
        match self {
            Self::Sine { frequency, .. } => turn * frequency.abs(),
            Self::Chirp { from, to, .. } => turn * from.abs().max(to.abs()),
            Self::Multisine { tones, scale } => {
                turn * scale.abs() * tones.iter().map(|tone| tone.frequency.abs()).sum::<f64>()
            }
            Self::Ramp { duration, .. } => 1.0 / duration.abs(),
            Self::Staircase { .. } | Self::Binary { .. } => 0.0,
            Self::Zigzag { times, turns } => {
                let slopes = times.windows(2).zip(turns.windows(2));
                slopes.map(|(t, y)| ((y[1] - y[0]) / (t[1] - t[0])).abs()).fold(0.0, f64::max)
            }
            Self::Decaying { from, to, last, duration, .. } => {
                self.peak() * (turn * from.abs().max(to.abs()) + (last.ln() / duration).abs())
            }
            Self::Windowed { shape, base, height, width, .. } => {
                let fade = 0.5 * height.abs() / width.abs();
                shape.steepest() * (base.abs() + height.abs()) + shape.peak() * fade
            }
        }
    }

    /// Whether it is constant between its breaks, so that it jumps there.
    pub fn is_stepwise(&self) -> bool {
        matches!(self, Self::Staircase { .. } | Self::Binary { .. })
    }

    /// Where the shape jumps to zero and stays there (s); its value at that time is the one before the jump.
    pub fn end(&self) -> Option<f64> {
        match self {
            Self::Chirp { duration, .. } | Self::Decaying { duration, .. } => Some(*duration),
            Self::Windowed { shape, .. } => shape.end(),
            _ => None,
        }
    }

    /// The first time after `t` (s) at which the value jumps or its slope breaks; `None` if there is none.
    pub fn next_break(&self, t: f64) -> Option<f64> {
        let after = |period: f64| (number(t, period) + 1.0) * period;
        let first = |times: &[f64]| times.iter().copied().filter(|&x| x > t).fold(None, least);
        match self {
            Self::Sine { .. } | Self::Multisine { .. } => None,
            Self::Chirp { duration, .. } => first(&[*duration]),
            Self::Ramp { start, duration, hold } => {
                let end = if *hold { start + duration } else { *start };
                first(&[*start, end])
            }
            Self::Staircase { levels, hold } => {
                let next = after(*hold);
                (next < (levels.len() as f64 - 0.5) * hold).then_some(next)
            }
            Self::Zigzag { times, .. } => first(times),
            Self::Binary { period, .. } => Some(after(*period)),
            Self::Decaying { sweep, duration, .. } => {
                let next = after(*sweep).min(*duration);
                (next > t).then_some(next)
            }
            Self::Windowed { shape, .. } => shape.next_break(t),
        }
    }
}

/// Samples on which the largest value of a multisine is looked for, where that is fine enough.
const SAMPLES: f64 = 2e5;
/// Sines that are evaluated for it at most where it is not.
const EVALUATIONS: f64 = 2e7;
/// Samples around which the largest value is looked for more closely.
const CANDIDATES: usize = 64;

/// The largest magnitude of a sum of tones over a duration (s).
fn peak(tones: &[Tone], duration: f64) -> f64 {
    let value = |t: f64| -> f64 {
        tones.iter().map(|tone| (2.0 * PI * tone.frequency * t + tone.phase).sin()).sum::<f64>().abs()
    };
    let highest = tones.iter().map(|tone| tone.frequency).fold(0.0, f64::max);
    let fine = 50.0 * highest * duration;
    if fine <= SAMPLES {
        let samples = fine.max(1.0) as usize;
        return (0..=samples).map(|k| value(duration * k as f64 / samples as f64)).fold(0.0, f64::max);
    }
    // Even samples of tones in a simple ratio to them see one phase only, so each stands at a place of its own in its
    // stretch: that of the golden section. The best are then climbed from.
    let samples = (16.0 * highest * duration).min(EVALUATIONS / tones.len().max(1) as f64).max(SAMPLES);
    let stretch = duration / samples.floor();
    let mut best: Vec<(f64, f64)> = Vec::with_capacity(CANDIDATES + 1);
    for k in 0..samples as usize {
        let t = stretch * (k as f64 + (k as f64 * 0.618_033_988_749_894_9).fract());
        let found = value(t);
        if best.len() < CANDIDATES || best.last().is_some_and(|(worst, _)| found > *worst) {
            let place = best.partition_point(|(known, _)| *known >= found);
            best.insert(place, (found, t));
            best.truncate(CANDIDATES);
        }
    }
    best.into_iter().map(|(_, t)| climbed(&value, t, 0.1 / highest, duration)).fold(0.0, f64::max)
}

/// The largest value near `t`, by steps that halve where neither side is higher.
fn climbed(value: &dyn Fn(f64) -> f64, mut t: f64, mut step: f64, end: f64) -> f64 {
    let mut height = value(t);
    for _ in 0..60 {
        let sides = [(t - step).max(0.0), (t + step).min(end)].map(|side| (value(side), side));
        match sides.into_iter().find(|(side, _)| *side > height) {
            Some(higher) => (height, t) = higher,
            None => step *= 0.5,
        }
    }
    height
}

/// How many periods have passed; a time that misses a multiple by rounding counts as there.
fn number(t: f64, period: f64) -> f64 {
    (t / period + 1e-9).floor().max(0.0)
}

fn least(known: Option<f64>, time: f64) -> Option<f64> {
    Some(known.map_or(time, |known| known.min(time)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_math::{partial, seed};

    fn peak(shape: &Waveform, duration: f64) -> f64 {
        (0..=60_000).map(|k| shape.at(duration * f64::from(k) / 6e4).abs()).fold(0.0, f64::max)
    }

    /// The amplitude is that of the largest value also where tones and samples stand in a simple ratio (1.76, 1.33 and 6e9
    /// before). For one tone it is 1 by definition, for two of 1 : 2 it is found on a fine grid of the common period.
    #[test]
    fn multisines_of_many_cycles_have_their_amplitude() {
        for (from, to, tones) in [(1000.0, 1000.0, 1), (500.0, 1000.0, 2), (100.0, 1000.0, 4)] {
            let shape = Waveform::multisine(from, to, tones, 100.0);
            // Three tenths of a second at four hundred samples a cycle.
            let most = (0..=120_000).map(|k| shape.at(0.3 * f64::from(k) / 1.2e5).abs()).fold(0.0, f64::max);
            assert!(most <= 1.0 + 1e-6, "{from} {to} {tones}: {most}");
            if tones <= 2 {
                assert!(most >= 1.0 - 1e-3, "{from} {to} {tones}: {most}");
            }
        }
    }

    /// Points stand at their first value before their first time, as logs do.
    #[test]
    fn points_hold_their_first_value() {
        let shape = Waveform::Zigzag { times: vec![1.0, 2.0, 3.0], turns: vec![1.0, -1.0, 3.0] };
        assert_eq!([0.0, 0.5, 1.0, 1.5, 4.0].map(|t| shape.at(t)), [1.0, 1.0, 1.0, 0.0, 3.0]);
    }

    /// RU-R22, ruderman 2.20: the frequency of a chirp is a line from the first to the last, seen in the slope of its
    /// phase where it passes zero.
    #[test]
    fn chirp_sweeps_both_ways() {
        for (from, to) in [(0.1, 10.0), (10.0, 0.1)] {
            let shape = Waveform::Chirp { from, to, duration: 20.0 };
            for t in [0.0, 5.0, 12.0] {
                // At a zero of the sine the slope is the angular frequency.
                let zero = (0..)
                    .map(|k| t + f64::from(k) * 1e-4)
                    .find(|&t| shape.at(t).abs() < 1e-2 && partial(shape.at(seed(t, 0)), 0) > 0.0);
                let t = zero.unwrap_or(0.0);
                let frequency = partial(shape.at(seed(t, 0)), 0) / (2.0 * PI);
                let expected = from + (to - from) * t / 20.0;
                assert!((frequency / expected - 1.0).abs() < 1e-3, "{t}: {frequency} {expected}");
            }
            assert_eq!(shape.at(20.1), 0.0);
        }
    }

    /// RU-R22, ruderman RU-35: peak of trajectory B is 18.4, of C is 1, of A is 30.
    #[test]
    fn trajectories_have_the_peaks_of_the_specification() {
        assert!((peak(&Waveform::trajectory(Trajectory::B), TRAJECTORY) - 18.4).abs() < 0.05);
        assert!((peak(&Waveform::trajectory(Trajectory::C), TRAJECTORY) - 1.0).abs() < 1e-3);
        assert_eq!(peak(&Waveform::trajectory(Trajectory::A), TRAJECTORY), 30.0);
        assert_eq!(Waveform::trajectory(Trajectory::A).at(59.0), -0.2);
    }

    /// RU-R22: a zig-zag goes at one speed through its turns.
    #[test]
    fn zigzag_meets_its_turns() {
        let shape = Waveform::zigzag(&[1.0, -0.5, 0.25], 0.5);
        for (t, value) in
            [(0.0, 0.0), (1.0, 0.5), (2.0, 1.0), (3.0, 0.5), (5.0, -0.5), (6.5, 0.25), (9.0, 0.25)]
        {
            assert!((shape.at(t) - value).abs() < 1e-12, "{t}");
        }
        assert_eq!(shape.next_break(2.5), Some(5.0));
        assert_eq!(shape.next_break(6.5), None);
        assert!((partial(shape.at(seed(3.0, 0)), 0) + 0.5).abs() < 1e-15);
    }

    /// RU-R22: chance is the same in every run, both values come, and it breaks at every period.
    #[test]
    fn binary_sequence_is_repeatable() {
        let shape = Waveform::Binary { period: 0.1, seed: 3 };
        let values: Vec<f64> = (0..1000).map(|k| shape.at(0.1 * (f64::from(k) + 0.5))).collect();
        let sum: f64 = values.iter().sum();
        assert!(values.iter().all(|v| v.abs() == 1.0) && sum.abs() < 150.0);
        assert_eq!(shape.at(0.05), Waveform::Binary { period: 0.1, seed: 3 }.at(0.09));
        assert!((shape.next_break(0.25).unwrap_or(0.0) - 0.3).abs() < 1e-12);
        let other = Waveform::Binary { period: 0.1, seed: 4 };
        assert!((0..100).any(|k| other.at(0.1 * f64::from(k) + 0.01) != shape.at(0.1 * f64::from(k) + 0.01)));
    }

    /// RU-R22: the decaying sequence is continuous where its sweeps meet and ends at its last amplitude.
    #[test]
    fn decaying_sequence_is_continuous() {
        let shape = Waveform::Decaying { from: 0.1, to: 20.0, sweep: 7.0, last: 0.1, duration: 35.0 };
        for t in [7.0, 14.0, 21.0, 28.0] {
            assert!((shape.at(t - 1e-9) - shape.at(t + 1e-9)).abs() < 1e-6, "{t}");
            let slope = |t: f64| partial(shape.at(seed(t, 0)), 0);
            assert!((slope(t - 1e-9) - slope(t + 1e-9)).abs() < 1e-3 * (1.0 + slope(t).abs()), "{t}");
        }
        let end = (0..2000).map(|k| shape.at(34.0 + f64::from(k) * 5e-4).abs()).fold(0.0, f64::max);
        assert!((end - 0.1f64.powf(34.5 / 35.0)).abs() < 0.01, "{end}");
    }

    /// Values and difference quotients lie in the enclosures of spans around them.
    #[test]
    fn enclosures_contain_the_shape() {
        for shape in [
            Waveform::Sine { frequency: 2.0, phase: 0.3 },
            Waveform::Chirp { from: 0.1, to: 10.0, duration: 20.0 },
            Waveform::multisine(0.1, 5.0, 5, 10.0),
            Waveform::zigzag(&[1.0, -0.5, 0.25], 0.5),
            Waveform::Ramp { start: 1.0, duration: 2.0, hold: true },
            Waveform::Decaying { from: 0.1, to: 20.0, sweep: 7.0, last: 0.1, duration: 35.0 },
            Waveform::trajectory(Trajectory::B),
        ] {
            for k in 0..300u32 {
                let (low, width) = (0.061 * f64::from(k), [1e-3, 0.1, 1.0][k as usize % 3]);
                if shape.next_break(low).is_some_and(|b| b < low + width) {
                    continue;
                }
                let [value, slope] = shape.over(Interval::new(low, low + width));
                for j in 0..10 {
                    let t = low + width * f64::from(j) / 10.0;
                    let (a, b) = (shape.at(t), shape.at(t + width / 10.0));
                    let rise = (b - a) * 10.0 / width;
                    assert!(value.low - 1e-9 <= a && a <= value.high + 1e-9, "{shape:?} {t}: {a} {value:?}");
                    let near = 1e-6 * (1.0 + rise.abs());
                    assert!(slope.low - near <= rise && rise <= slope.high + near, "{shape:?} {t}: {rise}");
                }
            }
        }
    }

    #[test]
    fn staircase_and_ramp() {
        let stairs = Waveform::Staircase { levels: vec![1.0, -1.0, 0.5], hold: 2.0 };
        assert_eq!([0.0, 1.9, 2.0, 4.1, 99.0].map(|t| stairs.at(t)), [1.0, 1.0, -1.0, 0.5, 0.5]);
        assert_eq!([0.0, 2.0, 4.0].map(|t| stairs.next_break(t)), [Some(2.0), Some(4.0), None]);
        let ramp = Waveform::Ramp { start: 1.0, duration: 2.0, hold: true };
        assert_eq!([0.5, 2.0, 5.0].map(|t| ramp.at(t)), [0.0, 0.5, 1.0]);
        assert_eq!([0.0, 1.0, 3.0].map(|t| ramp.next_break(t)), [Some(1.0), Some(3.0), None]);
    }
}
