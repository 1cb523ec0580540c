//! Blocks that act at sampling instants.

use crate::{Fault, Nanos, System};

/// A system with sensors and controllers that sample: their outputs are held in the memory between the instants.
pub trait Sampled: System {
    /// A sampled controller, by its name, where there is one.
    fn controller(&self) -> Option<&str> {
        None
    }

    /// The first sample after `now`, or the first jump of an input that is known ahead; integration steps end there.
    fn next_sample(&self, data: &Self::Data<f64>, now: Nanos) -> Option<Nanos> {
        let _ = (data, now);
        None
    }

    /// Whether input `index` is a number that is held, so that [`Sampled::hold`] can change it.
    fn holds(&self, data: &Self::Data<f64>, index: usize) -> bool {
        let _ = (data, index);
        false
    }

    /// Writes a number into the memory that input `index` holds from now on; see [`System::bind_input`].
    fn hold(&self, index: usize, value: f64, m: &mut [f64]) {
        let _ = (index, value, m);
    }

    /// Runs what is due at `now`: sense, then control, into the memory (zero-order hold).
    fn sample(&self, data: &mut Self::Data<f64>, now: Nanos, x: &[f64], m: &mut [f64]) -> Result<(), Fault> {
        let _ = (data, now, x, m);
        Ok(())
    }
}
