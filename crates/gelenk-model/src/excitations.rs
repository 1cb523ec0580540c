//! Excitations in files: shapes over time with an amplitude, which is a parameter.

use gelenk_signal::{Trajectory, Waveform};

use crate::model_file::Signal;
use crate::quantity::{Angle, Anything, Fixed, Frequency, Quantity, Ratio, Time};
use gelenk_file::read::Spanned;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_file::{choice, table};

table! {
    /// `offset + amplitude sin(2 pi frequency t + phase)`.
    pub struct Sine {
        /// Amplitude.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Frequency.
        frequency: required Fixed<Frequency>,
        /// Phase at the start.
        phase: default Fixed<Angle> = "0",
    }
}

table! {
    /// A sine whose frequency changes linearly from one to another; zero after its duration.
    pub struct Chirp {
        /// Amplitude.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Frequency at the start.
        from: required Fixed<Frequency>,
        /// Frequency at the end; may be below the first.
        to: required Fixed<Frequency>,
        /// Duration.
        duration: required Fixed<Time>,
    }
}

table! {
    /// A sum of sines in geometric steps of frequency, with phases that keep the peaks low.
    pub struct Multisine {
        /// Largest value.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Lowest frequency.
        from: required Fixed<Frequency>,
        /// Highest frequency.
        to: required Fixed<Frequency>,
        /// Number of sines.
        tones: default Fixed<Ratio> = "12",
        /// Time over which the largest value is that of the amplitude.
        duration: required Fixed<Time>,
    }
}

table! {
    /// A straight line from zero to the amplitude.
    pub struct Ramp {
        /// Value after the duration.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// When it begins.
        start: default Fixed<Time> = "0",
        /// Time to the amplitude.
        duration: required Fixed<Time>,
        /// Whether it stays there; otherwise it continues to rise.
        hold: default bool = "true",
    }
}

table! {
    /// Levels, as multiples of the amplitude, held one after the other; the last one stays.
    pub struct Staircase {
        /// Value of the level 1.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// The levels.
        levels: required Spanned<Vec<Fixed<Ratio>>>,
        /// Time on each level.
        hold: required Fixed<Time>,
    }
}

table! {
    /// Straight lines from zero through reversal values, as multiples of the amplitude; the last one stays.
    pub struct Zigzag {
        /// Value that 1 represents.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// The values at the reversals.
        reversals: required Spanned<Vec<Fixed<Ratio>>>,
        /// Time from 0 to 1, and so the rate of all lines.
        rise: required Fixed<Time>,
    }
}

table! {
    /// Straight lines through points; the first value before them, the last one after them.
    pub struct Points {
        /// Value that 1 represents.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Times of the points, increasing.
        times: required Spanned<Vec<Fixed<Time>>>,
        /// Values of the points, as multiples of the amplitude.
        values: required Spanned<Vec<Fixed<Ratio>>>,
    }
}

table! {
    /// Plus or minus the amplitude, chosen at random every period; the same in every run.
    pub struct Binary {
        /// Amplitude.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Time between draws.
        period: required Fixed<Time>,
        /// Seed of the draws, a whole number.
        seed: required Fixed<Ratio>,
    }
}

table! {
    /// A sine whose frequency sweeps up and down and whose amplitude falls: small and large motions at all frequencies.
    pub struct Decaying {
        /// Amplitude at the start.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Lowest frequency.
        from: required Fixed<Frequency>,
        /// Highest frequency.
        to: required Fixed<Frequency>,
        /// Time of a sweep up; down takes as long.
        sweep: required Fixed<Time>,
        /// Share of the amplitude that is left at the end.
        last: default Fixed<Ratio> = "0.1",
        /// Duration; zero beyond.
        duration: required Fixed<Time>,
    }
}

choice! {
    /// The trajectories of Ruderman's comparison of controllers.
    pub enum TrajectoryWord {
        /// Steps of both signs from 30 down to 0.2 times the amplitude.
        A = "a",
        /// A multisine up to 2 Hz, below 1, then up to 18, then below 1.
        B = "b",
        /// A multisine up to 5 Hz with peak 1.
        C = "c",
    }
}

table! {
    /// A trajectory of 60 s on which controllers are compared.
    pub struct TrajectoryTable {
        /// Value that 1 represents; in the thesis one revolution per second.
        amplitude: required Quantity<Anything>,
        /// Offset.
        offset: optional Quantity<Anything>,
        /// Which one.
        which: required TrajectoryWord,
    }
}

/// An excitation of a signal.
pub(crate) struct Excited<'a> {
    pub(crate) amplitude: &'a Quantity<Anything>,
    pub(crate) offset: Option<&'a Quantity<Anything>>,
    pub(crate) shape: Waveform,
}

/// A number with a bound, for the checks.
struct Bound<'a> {
    key: &'a str,
    value: f64,
    span: Span,
    least: f64,
    open: bool,
}

fn above<'a, Q>(key: &'a str, number: &Fixed<Q>) -> Bound<'a> {
    Bound { key, value: number.value, span: number.span, least: 0.0, open: true }
}

fn from_zero<'a, Q>(key: &'a str, number: &Fixed<Q>) -> Bound<'a> {
    Bound { open: false, ..above(key, number) }
}

fn ratios(list: &[Fixed<Ratio>]) -> Vec<f64> {
    list.iter().map(|item| item.value).collect()
}

/// Most tones of a multisine.
const MOST_TONES: f64 = 1000.0;

impl Signal {
    /// The excitations that are given: one in a signal that is right.
    pub(crate) fn excitations(&self) -> Vec<Excited<'_>> {
        let mut all = Vec::new();
        macro_rules! add {
            ($field:ident, $shape:expr) => {
                if let Some(item) = &self.$field {
                    let shape: fn(&_) -> Waveform = $shape;
                    all.push(Excited {
                        amplitude: &item.amplitude,
                        offset: item.offset.as_ref(),
                        shape: shape(item),
                    });
                }
            };
        }
        add!(sine, |s: &Sine| Waveform::Sine { frequency: s.frequency.value, phase: s.phase.value });
        add!(chirp, |s: &Chirp| Waveform::Chirp {
            from: s.from.value,
            to: s.to.value,
            duration: s.duration.value
        });
        add!(multisine, |s: &Multisine| {
            let tones = s.tones.value.clamp(1.0, MOST_TONES) as usize;
            Waveform::multisine(s.from.value, s.to.value, tones, s.duration.value)
        });
        add!(ramp, |s: &Ramp| Waveform::Ramp {
            start: s.start.value,
            duration: s.duration.value,
            hold: s.hold
        });
        add!(staircase, |s: &Staircase| Waveform::Staircase {
            levels: ratios(&s.levels.value),
            hold: s.hold.value
        });
        add!(zigzag, |s: &Zigzag| Waveform::zigzag(&ratios(&s.reversals.value), 1.0 / s.rise.value));
        add!(points, |s: &Points| {
            let times = s.times.value.iter().map(|time| time.value).collect();
            Waveform::Zigzag { times, turns: ratios(&s.values.value) }
        });
        add!(binary, |s: &Binary| Waveform::Binary { period: s.period.value, seed: s.seed.value as u64 });
        add!(decaying, |s: &Decaying| Waveform::Decaying {
            from: s.from.value,
            to: s.to.value,
            sweep: s.sweep.value,
            last: s.last.value,
            duration: s.duration.value
        });
        add!(trajectory, |s: &TrajectoryTable| Waveform::trajectory(match s.which {
            TrajectoryWord::A => Trajectory::A,
            TrajectoryWord::B => Trajectory::B,
            TrajectoryWord::C => Trajectory::C,
        }));
        all
    }

    /// Complains about numbers that no excitation can have.
    pub(crate) fn check_excitations(&self, report: &mut Report) {
        let mut bounds = Vec::new();
        if let Some(s) = &self.sine {
            bounds.push(from_zero("frequency", &s.frequency));
        }
        if let Some(s) = &self.chirp {
            bounds.extend([
                from_zero("from", &s.from),
                from_zero("to", &s.to),
                above("duration", &s.duration),
            ]);
        }
        if let Some(s) = &self.multisine {
            bounds.extend([above("from", &s.from), above("to", &s.to), above("duration", &s.duration)]);
            let count = s.tones.value;
            if !(1.0..=MOST_TONES).contains(&count) || count.fract() != 0.0 {
                let message = format!("\"tones\" must be a whole number from 1 to {MOST_TONES}");
                report.push(Diagnostic::error(s.tones.span, message));
            }
        }
        if let Some(s) = &self.ramp {
            bounds.push(above("duration", &s.duration));
        }
        if let Some(s) = &self.staircase {
            bounds.push(above("hold", &s.hold));
            empty("levels", &s.levels, report);
        }
        if let Some(s) = &self.zigzag {
            bounds.push(above("rise", &s.rise));
            empty("reversals", &s.reversals, report);
        }
        if let Some(s) = &self.points {
            empty("values", &s.values, report);
            if s.times.value.len() != s.values.value.len() {
                let message = "\"times\" must have as many entries as \"values\"";
                report.push(Diagnostic::error(s.times.span, message));
            }
            if let Some(pair) = s.times.value.windows(2).find(|pair| pair[0].value >= pair[1].value) {
                report.push(Diagnostic::error(pair[1].span, "\"times\" must increase"));
            }
        }
        if let Some(s) = &self.binary {
            bounds.push(above("period", &s.period));
            if !(0.0..=9e15).contains(&s.seed.value) || s.seed.value.fract() != 0.0 {
                report.push(Diagnostic::error(s.seed.span, "\"seed\" must be a whole number, at least 0"));
            }
        }
        if let Some(s) = &self.decaying {
            bounds.extend([from_zero("from", &s.from), from_zero("to", &s.to)]);
            bounds.extend([above("sweep", &s.sweep), above("duration", &s.duration), above("last", &s.last)]);
        }
        for Bound { key, value, span, least, open } in bounds {
            if value < least || (open && value == least) {
                let relation = if open { "greater than" } else { "at least" };
                report.push(Diagnostic::error(span, format!("\"{key}\" must be {relation} {least}")));
            }
        }
    }
}

fn empty(key: &str, list: &Spanned<Vec<Fixed<Ratio>>>, report: &mut Report) {
    if list.value.is_empty() {
        report.push(Diagnostic::error(list.span, format!("\"{key}\" must have at least one entry")));
    }
}
