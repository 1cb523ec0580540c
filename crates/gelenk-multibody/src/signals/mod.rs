//! Signals: logs, expressions, sampled blocks, switches, and what is known of them ahead.
//!
//! | file | content |
//! |---|---|
//! | `compiled`, `workspace` | the signals of a mechanism, and what an evaluation knows of them: their fields are seen here only |
//! | `curves` | calls of curves in formulas |
//! | `driven` | motions in time that jump or have kinks are refused |
//! | `inputs` | corners and bends of what is known ahead |
//! | [`values`] | logs, expressions, sampled sensors and controllers |
//! | `switches` | signals that conditions turn on and off |

mod compiled;
pub(crate) mod curves;
pub(crate) mod driven;
pub(crate) mod inputs;
pub(crate) mod switches;
pub mod values;
mod workspace;

pub(crate) use compiled::{Node, PortInfo, Ports, Sampler, SignalInfo, SignalRun, Signals};
pub(crate) use workspace::SignalData;
