//! States from which a run goes on as if it had never stopped.

use std::fmt::Write;

use gelenk_math::hash::Fnv;
use gelenk_system::{Course, Layout, Nanos, System};

use crate::options::{Method, Options};
use crate::summary::{EnergyBalance, Summary};

/// Rows between two checkpoints. At each of them the method forgets what it remembers beside state and memory, whether
/// somebody keeps the checkpoint or not, so that a run that goes on from there gives the same bits.
pub const CHECKPOINT_ROWS: u64 = 64;

/// First word of the text, with the number of its format.
const FORMAT: &str = "gelenk-state-3";

/// Everything that a run is at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Of the system, its parameters and the options; a run goes on only with the same ones.
    pub(crate) fingerprint: u64,
    /// The last time of the clock that has passed, and that of the state (s), which may lie behind it.
    pub(crate) t: Nanos,
    pub(crate) at: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) m: Vec<f64>,
    /// Counts so far.
    pub(crate) summary: Summary,
    /// Kinetic energy and stored energies at the very start (J).
    pub(crate) kinetic: f64,
    pub(crate) stored: Vec<f64>,
}

impl Checkpoint {
    /// Rows recorded so far, the one at this instant included.
    pub fn rows(&self) -> u64 {
        self.summary.rows
    }

    /// Events recorded so far.
    pub fn events(&self) -> u64 {
        self.summary.events
    }

    /// Time (s).
    pub fn time(&self) -> f64 {
        self.at
    }

    /// Whether a run of `system` with these parameters and options can go on from here.
    pub fn fits<S: System>(&self, system: &S, p: &[f64], options: &Options) -> bool {
        let same = self.fingerprint == fingerprint(system, p, &[], Some(options.output), options.method);
        same && self.is_of(&system.layout())
    }

    /// Whether it has the sizes of a system.
    pub(crate) fn is_of(&self, layout: &Layout) -> bool {
        (layout.nx(), layout.nm, layout.nw) == (self.x.len(), self.m.len(), self.stored.len())
    }

    /// The checkpoint as text: every number by its bits, so that none is rounded.
    pub fn to_text(&self) -> String {
        // Only the end of a step on the clock is written.
        let Self { fingerprint, t, at: _, x, m, summary, kinetic, stored } = self;
        let Summary {
            time: _,
            ended: _,
            steps,
            rejected,
            evaluations,
            iterations,
            substeps,
            events,
            samples,
            rows,
            drift,
            energy,
        } = summary;
        // Works and the kinetic energy of the balance are made at the end of a run.
        let EnergyBalance { kinetic: _, works: _, residue, mismatch, mismatched, scale, floor: _ } = energy;
        let mismatched = mismatched.map_or(u64::MAX, |account| account as u64);
        let counts = [steps, rejected, evaluations, iterations, substeps, events, samples, rows];
        let sizes = [x.len(), m.len(), stored.len()];
        let words = [*fingerprint, t.0]
            .into_iter()
            .chain(sizes.map(|n| n as u64))
            .chain(counts.map(|n| *n))
            .chain([drift, residue, mismatch, scale, kinetic].map(|f| f.to_bits()))
            .chain([mismatched])
            .chain(x.iter().chain(m).chain(stored).map(|f| f.to_bits()));
        let mut text = String::from(FORMAT);
        for word in words {
            text.push_str(&format!(" {word:016x}"));
        }
        text
    }

    /// Reads [`Self::to_text`]; `None` where the text is something else.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        if words.next() != Some(FORMAT) {
            return None;
        }
        let whole = |word: &str| (word.len() == 16).then(|| u64::from_str_radix(word, 16).ok()).flatten();
        let mut words = words.map(whole);
        let mut next = || words.next().flatten();
        let (fingerprint, t) = (next()?, Nanos(next()?));
        let sizes = [next()?, next()?, next()?];
        let [steps, rejected, evaluations, iterations, substeps, events, samples, rows] =
            [next()?, next()?, next()?, next()?, next()?, next()?, next()?, next()?];
        let [drift, residue, mismatch, scale, kinetic] =
            [next()?, next()?, next()?, next()?, next()?].map(f64::from_bits);
        let mismatched = Some(next()?).filter(|&account| account < sizes[2]).map(|account| account as usize);
        let mut numbers = |n: u64| (0..n).map(|_| next().map(f64::from_bits)).collect::<Option<Vec<f64>>>();
        let (x, m, stored) = (numbers(sizes[0])?, numbers(sizes[1])?, numbers(sizes[2])?);
        if words.next().is_some() {
            return None;
        }
        let energy = EnergyBalance { residue, mismatch, mismatched, scale, ..EnergyBalance::default() };
        let summary = Summary {
            ended: None,
            time: t.seconds(),
            steps,
            rejected,
            evaluations,
            iterations,
            substeps,
            events,
            samples,
            rows,
            drift,
            energy,
        };
        Some(Self { fingerprint, t, at: t.seconds(), x, m, summary, kinetic, stored })
    }
}

/// What a run must have in common with the one that it continues: the whole system, the parameters and all options but
/// the end.
///
/// A number that an input holds is part of the state, so that only the fact counts that it is held.
pub(crate) fn fingerprint<S: System>(
    system: &S,
    p: &[f64],
    inputs: &[Option<Course>],
    output: Option<Nanos>,
    method: Method,
) -> u64 {
    let mut hash = Fnv::default();
    // Taking in text never fails.
    let _ = system.describe(&mut hash).and_then(|()| write!(hash, " {output:?} {method:?}"));
    for (index, course) in inputs.iter().enumerate() {
        let _ = match course {
            None => Ok(()),
            Some(Course::Held(_)) => write!(hash, " {index} held"),
            Some(course) => write!(hash, " {index} {course:?}"),
        };
    }
    p.iter().flat_map(|p| p.to_bits().to_le_bytes()).for_each(|byte| hash.take(byte));
    hash.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_every_bit() {
        let summary = Summary { time: 0.25, steps: 7, rows: 64, drift: 1e-300, ..Summary::default() };
        let checkpoint = Checkpoint {
            fingerprint: u64::MAX,
            t: Nanos(250_000_000),
            at: 0.25,
            x: vec![0.1 + 0.2, -0.0, f64::MIN_POSITIVE],
            m: vec![],
            summary,
            kinetic: 1.0 / 3.0,
            stored: vec![2.0],
        };
        let text = checkpoint.to_text();
        assert_eq!(Checkpoint::from_text(&text).as_ref(), Some(&checkpoint));
        for wrong in
            ["", "gelenk-state-2 0", &text[..text.len() - 3], &format!("{text} 0"), "gelenk-state-3 zz"]
        {
            assert_eq!(Checkpoint::from_text(wrong), None, "{wrong}");
        }
    }
}
