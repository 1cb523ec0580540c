//! Blocks that act at sampling instants.

use crate::{Fault, Nanos, System};

/// A system with sensors and controllers that sample: their outputs are held in the memory between the instants.
pub trait Sampled: System {
    /// A sampled controller, by its name, where there is one.
    fn controller(&self) -> Option<&str> {
        None
    }

    /// The first sample after `now`; integration steps end there.
    fn next_sample(&self, now: Nanos) -> Option<Nanos> {
        let _ = now;
        None
    }

    /// Runs what is due at `now`: sense, then control, into the memory (zero-order hold).
    fn sample(&self, data: &mut Self::Data<f64>, now: Nanos, x: &[f64], m: &mut [f64]) -> Result<(), Fault> {
        let _ = (data, now, x, m);
        Ok(())
    }
}
