//! Units at the border: dimensions, units such as `N m s/rad`, and quantities such as `250 mm`.
//!
//! | module | content |
//! |---|---|
//! | [`dimension`] | exponents of kg, m, s, A, K and rad |
//! | [`unit`](mod@unit) | a factor to SI with its dimension, and its notation |
//! | [`quantity`] | a number with a unit |
//!
//! Inside Gelenk every number is SI with angles in radian; these types serve files, options and messages.

pub mod dimension;
mod known;
pub mod quantity;
pub mod unit;

pub use dimension::Dimension;
pub use quantity::Quantity;
pub use unit::{Unit, UnitError};
