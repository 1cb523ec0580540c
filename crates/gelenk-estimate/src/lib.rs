//! Fitting parameters of any system to measurements.
//!
//! | module | content |
//! |---|---|
//! | [`unknown`] | what is searched: name, start, bounds, scale |
//! | [`options`] | tolerances, loss, and what is reported while the search runs |
//! | [`least_squares`](mod@least_squares) | the search |
//! | [`fit`] | the answer: values, uncertainties, why the search ended |
//! | [`error`] | what is refused, and the way out |
//!
//! The residual is any function of the unknowns, so nothing here knows about
//! models, logs or laws. Weights belong in the residual: a sample with the
//! weight `w` and the error `e` contributes the component `sqrt(w) e`.
//!
//! ```
//! use gelenk_estimate::{FitOptions, Unknown, least_squares};
//!
//! // Two unknowns of y = a + b x, from three samples without noise.
//! let samples = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
//! let unknowns = [
//!     Unknown::new("a", 0.0, -10.0, 10.0),
//!     Unknown::new("b", 1.0, -10.0, 10.0),
//! ];
//! let residual = |v: &[f64]| Ok(samples.iter().map(|(x, y)| v[0] + v[1] * x - y).collect());
//! let fit = least_squares(&unknowns, &residual, &FitOptions::default(), &mut |_| {})?;
//! assert!((fit.values[0] - 1.0).abs() < 1e-8 && (fit.values[1] - 2.0).abs() < 1e-8);
//! # Ok::<(), gelenk_estimate::FitError>(())
//! ```

pub mod error;
pub mod fit;
pub mod least_squares;
pub mod options;
pub mod unknown;

mod jacobian;
mod objective;
mod statistics;

pub use error::FitError;
pub use fit::{Fit, StopReason};
pub use gelenk_solve::least_squares::Loss;
pub use least_squares::least_squares;
pub use options::{FitOptions, Progress};
pub use unknown::Unknown;
