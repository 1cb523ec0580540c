//! Signals: what excites a system, and what is made of its samples.
//!
//! | module | content |
//! |---|---|
//! | [`excitation`] | sines, chirps, multisines, ramps, staircases, zig-zags, random binary and decaying sequences |
//! | [`course`] | numbers, tables and shapes over time that inputs are bound to |
//! | [`random`] | random numbers that are the same everywhere |
//! | [`butterworth`] | low-pass and high-pass filters of any order |
//! | [`zero_phase`] | a low-pass filter that shifts nothing in time |
//! | [`injury`] | the head injury criterion |
//! | [`metrics`] | how far two signals are apart |
//! | [`sampling`] | derivatives of samples, and samples at other times |

pub mod butterworth;
pub mod course;
pub mod excitation;
pub mod injury;
pub mod metrics;
pub mod random;
pub mod sampling;
pub mod zero_phase;

pub use butterworth::{Butterworth, Pass};
pub use course::{Course, LogTable};
pub use excitation::{Trajectory, Waveform};
pub use zero_phase::{FilterError, low_pass};
