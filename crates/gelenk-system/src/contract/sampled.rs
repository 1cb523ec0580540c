//! Blocks that act at sampling instants.

use gelenk_math::Real;

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

    /// Value of input `index` at `t` (s) by what it is bound to.
    fn input_at(&self, data: &Self::Data<f64>, index: usize, t: f64) -> f64 {
        let _ = (data, index, t);
        0.0
    }

    /// Writes a number into the memory that input `index` holds from now on; see [`System::bind_input`].
    fn hold(&self, index: usize, value: f64, m: &mut [f64]) {
        let _ = (index, value, m);
    }

    /// Runs what is due at `now`: sense, then control, into the memory (zero-order hold). On a scalar with derivatives they
    /// are kept in the workspace, see [`Sampled::variation`].
    fn sample<T: Real>(
        &self,
        data: &mut Self::Data<T>,
        now: Nanos,
        x: &[T],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        let _ = (data, now, x, m);
        Ok(())
    }

    /// How the numbers of [`System::varying`] vary after a sample: with what [`System::vary`] has let vary, and with the state.
    /// Values are zero.
    fn variation<T: Real>(&self, data: &Self::Data<T>, by: &mut [T]) {
        let _ = data;
        by.fill(T::c(0.0));
    }

    /// An instant at which all samplers run, from which on every cycle does the same to the memory, and the length of the cycle;
    /// `None` where there is none, as with jitter.
    fn cycle(&self) -> Option<(Nanos, Nanos)> {
        None
    }
}
