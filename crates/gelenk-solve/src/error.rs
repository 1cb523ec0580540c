//! Why a run ended early.

use gelenk_system::Fault;
use thiserror::Error;

/// A run that did not reach its end. What was recorded before stays valid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolveError {
    /// An evaluation failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The step that the tolerance asks for is below the rounding of time.
    #[error(
        "the step fell to {step:.3e} s at t = {t} s because of {element}: it is too stiff or not smooth there; \
         loosen rtol, soften it, or use method = \"stepped\" with a step"
    )]
    StepTooSmall {
        /// Time (s).
        t: f64,
        /// Step (s).
        step: f64,
        /// What the state belongs to whose error is largest.
        element: String,
    },
    /// The steps that the tolerance asks for are too many.
    #[error(
        "the steps are {step:.1e} s long at t = {t} s because of {element}, and {left:.0e} more of them would be needed; \
         it is too fast or too stiff: soften it, loosen rtol, or use method = \"stepped2\" with a step"
    )]
    Endless {
        /// Time (s).
        t: f64,
        /// Mean step (s).
        step: f64,
        /// Steps to the end at this pace.
        left: f64,
        /// What the state belongs to whose error is largest.
        element: String,
    },
    /// The coordinates of a joint are singular.
    #[error(
        "joint {joint} reaches the singular angle of its coordinates at t = {t} s: two of its axes are parallel \
         there, and the \
         rates grow without bound; omit its \"coordinates\", so that it uses a quaternion, or choose another \"sequence\""
    )]
    Singular {
        /// The joint.
        joint: String,
        /// Time (s).
        t: f64,
    },
    /// Newton's method failed even after cutting the step.
    #[error(
        "Newton's iteration found no solution for the step at t = {t} s, even subdivided to {step:.3e} s, because of {element}; use a smaller step"
    )]
    Newton {
        /// Time (s).
        t: f64,
        /// Smallest step tried (s).
        step: f64,
        /// The element whose balance is off most.
        element: String,
    },
    /// A step was cut into too many pieces.
    #[error(
        "{element} needs more than {pieces} parts of the step at t = {t} s; use a smaller step, or soften it"
    )]
    Pieces {
        /// Time (s).
        t: f64,
        /// Pieces taken.
        pieces: u32,
        /// The element whose balance is off most.
        element: String,
    },
    /// Bodies would pass through each other inside a step.
    #[error(
        "{element} is closing too fast at t = {t} s: the bodies would pass through each other within one step; use a \
         step of {step:.1e} s or less there, or a method with error control"
    )]
    TooFast {
        /// Name of the contact.
        element: String,
        /// Time (s).
        t: f64,
        /// Longest step in which the contact is seen (s).
        step: f64,
    },
    /// An element changes its mode again and again without time passing.
    #[error(
        "{element} changes its mode endlessly at t = {t} s; use method = \"stepped\" with a step, soften it, or \
         give a switch an \"off\" that differs from its \"on\""
    )]
    Chatter {
        /// The element.
        element: String,
        /// Time (s).
        t: f64,
    },
    /// The run reached its end, but its energy is wrong.
    #[error("{0}")]
    Energy(crate::ledger::Imbalance),
    /// A wrong option.
    #[error("{0}")]
    Options(String),
    /// The observer asked to stop.
    #[error("interrupted at t = {t} s")]
    Interrupted {
        /// Time (s).
        t: f64,
    },
    /// The observer failed, for instance to write.
    #[error("{0}")]
    Observer(String),
}
