//! What a fit refuses, and the way out.

use thiserror::Error;

/// Why a fit could not be made. Every message names the unknown or the place
/// and says what would work.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// The list of unknowns is empty.
    #[error("there is nothing to fit: name at least one unknown")]
    NoUnknowns,
    /// Two unknowns have the same name.
    #[error("the unknown `{name}` is listed twice; remove one of the two")]
    DuplicateUnknown {
        /// The repeated name.
        name: String,
    },
    /// The start is NaN or infinite.
    #[error("the start of `{name}` is {start:?}; give a finite number between its bounds")]
    StartNotFinite {
        /// The unknown.
        name: String,
        /// Its start.
        start: f64,
    },
    /// A bound is NaN.
    #[error("a bound of `{name}` is not a number; give a number, or an infinity for no bound on that side")]
    BoundNotANumber {
        /// The unknown.
        name: String,
    },
    /// The lower bound is not below the upper bound.
    #[error(
        "the bounds of `{name}` leave no room: lower = {lower:?}, upper = {upper:?}; \
         make lower smaller than upper, or remove `{name}` to keep it constant"
    )]
    EmptyRange {
        /// The unknown.
        name: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The start lies outside the bounds.
    #[error(
        "the start of `{name}` is {start:?}, outside its bounds; \
         start between {lower:?} and {upper:?}, or widen the bounds"
    )]
    StartOutsideBounds {
        /// The unknown.
        name: String,
        /// Its start.
        start: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A logarithmic search over a range that reaches zero or below.
    #[error(
        "`{name}` is searched on a log scale, but its lower bound is {lower:?}; \
         give a lower bound above zero{example}, or search it on a linear scale"
    )]
    LogNeedsPositiveBound {
        /// The unknown.
        name: String,
        /// Its lower bound.
        lower: f64,
        /// A proposal made from the start, empty if the start is not positive.
        example: String,
    },
    /// An option is out of its range.
    #[error("the fit option `{option}` is {value:?}; it must be {expected}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// The residual has no component.
    #[error(
        "the residual is empty: there is nothing to compare; check that the data overlap the simulated time"
    )]
    EmptyResidual,
    /// The residual cannot be computed at the start.
    #[error(
        "the residual cannot be computed at the start ({values}): {message}; \
         start from values for which it can"
    )]
    ResidualAtStart {
        /// The unknowns at the start, as `name = value`.
        values: String,
        /// What went wrong.
        message: String,
    },
    /// The residual cannot be computed near the start, so that no derivative
    /// exists there.
    #[error(
        "the residual cannot be computed near the start ({values}), varying `{name}`: {message}; \
         start further inside the region where it can"
    )]
    DerivativeAtStart {
        /// The unknown that was varied.
        name: String,
        /// The unknowns at the start, as `name = value`.
        values: String,
        /// What went wrong.
        message: String,
    },
    /// The residual changed its number of components.
    #[error(
        "the residual has {got} components at {values}, but had {expected} at the start; \
         compare at the same samples whatever the unknowns are"
    )]
    ResidualLength {
        /// Number of components at the start.
        expected: usize,
        /// Number of components here.
        got: usize,
        /// The unknowns here, as `name = value`.
        values: String,
    },
}
