//! Sampled signals.
//!
//! | module | content |
//! |---|---|
//! | [`zero_phase`] | a low-pass filter that shifts nothing in time |

pub mod zero_phase;

pub use zero_phase::{FilterError, low_pass};
