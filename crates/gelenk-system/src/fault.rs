//! What can go wrong while a system is evaluated.

use thiserror::Error;

/// A failed evaluation; names the element and the way out.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Fault {
    /// A number is infinite or not a number.
    #[error(
        "{element} gives a value that is not finite at t = {t} s; check its parameters or use a smaller step"
    )]
    NotFinite {
        /// The element, coordinate or signal.
        element: String,
        /// Time (s).
        t: f64,
    },
    /// The mass matrix is not positive definite.
    #[error(
        "{coordinate} moves no mass at t = {t} s; give mass or inertia to a body it moves, or remove the coordinate"
    )]
    NoMass {
        /// The coordinate whose pivot vanishes.
        coordinate: String,
        /// Time (s).
        t: f64,
    },
    /// A loop cannot be closed.
    #[error(
        "loop {element} stays open by {gap:.3e} m after {iterations} iterations at t = {t} s; \
         check the lengths and the start values of its coordinates"
    )]
    OpenLoop {
        /// The loop with the largest gap.
        element: String,
        /// Its gap (m).
        gap: f64,
        /// Iterations tried.
        iterations: usize,
        /// Time (s).
        t: f64,
    },
    /// The motion of a loop is not determined.
    #[error(
        "loop {element} is at a singular position at t = {t} s, where its motion can branch, and its velocity there \
         is too small to determine the branch; start it elsewhere, use a smaller step, or keep it away from there"
    )]
    Singular {
        /// The loop.
        element: String,
        /// Time (s).
        t: f64,
    },
    /// Parameters that an element refuses.
    #[error("{element}: {reason}")]
    Refused {
        /// The element.
        element: String,
        /// What is wrong and what would work.
        reason: String,
    },
}
