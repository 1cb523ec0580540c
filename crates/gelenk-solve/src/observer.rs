//! Whoever follows a run.

use gelenk_record::Change;

use crate::checkpoint::Checkpoint;
use crate::summary::{StepFacts, Summary};

/// Why an observer ends a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopRun {
    /// The user asked for it.
    Interrupted,
    /// Something failed; the text says what.
    Failed(String),
}

/// Whoever follows a run.
pub trait Observer {
    /// Takes a row: the time, then one value for every channel.
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun>;

    /// Takes the counts so far and what the last step took, before every row.
    fn statistics(&mut self, so_far: &Summary, last: StepFacts) {
        let _ = (so_far, last);
    }

    /// Takes the state behind the row that came last, every [`CHECKPOINT_ROWS`](crate::checkpoint::CHECKPOINT_ROWS) rows where the row is the end of a step;
    /// a run resumes from it by [`resume`](crate::resume). Making the checkpoint allocates, so it is made only when asked for.
    fn checkpoint(&mut self, make: &dyn Fn() -> Checkpoint) {
        let _ = make;
    }

    /// Takes note of a mode change or a cut step.
    fn event(&mut self, t: f64, element: &str, what: Change) {
        let _ = (t, element, what);
    }

    /// Whether the user wants to stop; asked between rows where a step takes long.
    fn interrupted(&mut self, t: f64) -> bool {
        let _ = t;
        false
    }
}
