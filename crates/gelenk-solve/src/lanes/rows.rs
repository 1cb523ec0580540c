//! What is kept of a run.

use gelenk_system::System;

use crate::error::SolveError;

/// A number of a run that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// A number of the state `[q, v, z]`, by its place; it costs nothing.
    State(usize),
    /// A channel, by its number; each row costs an evaluation of all outputs.
    Channel(usize),
}

impl Pick {
    /// The channel with this name.
    ///
    /// # Errors
    /// A name that no channel has, with the nearest one.
    pub fn channel<S: System>(system: &S, name: &str) -> Result<Self, SolveError> {
        let channels = system.channels();
        if let Some(channel) = channels.iter().position(|channel| channel.name == name) {
            return Ok(Self::Channel(channel));
        }
        let hint = gelenk_math::suggest::hint(name, channels.iter().map(|channel| channel.name.as_str()));
        Err(SolveError::Options(format!("there is no channel \"{name}\"{hint}")))
    }
}

/// The picked numbers of a run over time.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub(super) times: &'a [f64],
    pub(super) values: &'a [f64],
    pub(super) width: usize,
    pub(super) alone: bool,
}

impl<'a> Rows<'a> {
    /// Times of the rows (s).
    pub fn times(&self) -> &'a [f64] {
        self.times
    }

    /// The picked numbers at one of the times; empty where there is none.
    pub fn row(&self, index: usize) -> &'a [f64] {
        self.values.get(index * self.width..(index + 1) * self.width).unwrap_or_default()
    }

    /// The picked numbers at the end.
    pub fn last(&self) -> &'a [f64] {
        self.row(self.times.len().saturating_sub(1))
    }

    /// All rows, in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        let rows = *self;
        (0..self.times.len()).map(move |index| rows.row(index))
    }

    /// Whether the run was done alone, since its method could not go on with it in lockstep.
    pub fn alone(&self) -> bool {
        self.alone
    }
}
