//! Fixed steps that bodies do not pass through each other in.
//!
//! Nobody looks at the error of a fixed step, so a body could be on one side of another at its beginning and on the other
//! side at its end. The system says how long a step may be by where bodies are and how fast they move; where it is
//! shorter than the step, the step is cut. That is asked before a step, with the velocities at its beginning, and after
//! it, with those that the bodies had on the way, since forces may have made them faster. Cuts depend on nothing but the
//! state.

use gelenk_system::{Reach, Simulated};

use crate::error::SolveError;
use crate::run::Run;

/// Pieces into which a step is cut at most.
pub(crate) const MOST: f64 = 4096.0;

/// Into how many equal parts a step over `h` is to be cut.
pub(crate) fn before<S: Simulated>(run: &mut Run<S>, t: f64, h: f64) -> Result<f64, SolveError> {
    let reach = run.system.reach(&mut run.data, t, &run.x, h);
    if reach.longest >= h {
        return Ok(1.0);
    }
    let parts = (h / reach.longest).ceil();
    // What is no number is too many, too.
    if parts <= MOST { Ok(parts) } else { Err(too_fast(reach, t)) }
}

/// Whether a step over `h` was short enough for how the bodies moved: with a share of the velocities `v1` at its end and
/// the rest of those at its beginning. `x` is overwritten.
pub(crate) fn after<S: Simulated>(
    run: &mut Run<S>,
    (t, h): (f64, f64),
    v1: &[f64],
    share: f64,
    x: &mut [f64],
) -> bool {
    // What became of numbers that are not finite is for others to say.
    if !v1.iter().all(|v| v.is_finite()) {
        return true;
    }
    x.copy_from_slice(&run.x);
    for (v, v1) in x[run.system.layout().v()].iter_mut().zip(v1) {
        *v += share * (v1 - *v);
    }
    run.system.reach(&mut run.data, t, x, h).longest >= h
}

/// Why a step that may not be cut is refused.
pub(crate) fn too_fast(reach: Reach, t: f64) -> SolveError {
    // Two digits, rounded down: the message prints as many.
    let digit = 10f64.powf(reach.always.log10().floor() - 1.0);
    SolveError::TooFast { element: reach.element.into(), t, step: (reach.always / digit).floor() * digit }
}
