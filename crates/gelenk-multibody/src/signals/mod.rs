//! Signals: logs, expressions, sampled blocks, switches, and what is known of them ahead.
//!
//! | file | content |
//! |---|---|
//! | `curves` | calls of curves in formulas |
//! | `driven` | motions in time that jump or have kinks are refused |
//! | `inputs` | corners and bends of what is known ahead |
//! | [`values`] | logs, expressions, sampled sensors and controllers |
//! | `switches` | signals that conditions turn on and off |

pub(crate) mod curves;
pub(crate) mod driven;
pub(crate) mod inputs;
pub(crate) mod switches;
pub mod values;
