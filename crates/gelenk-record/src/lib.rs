//! Columns over time with units and meaning; no files.
//!
//! A study writes rows into a [`Sink`]. The sink in memory is a [`Recording`]; the one on disk lives in
//! `gelenk-io`, so that whoever only needs numbers does not compile a file format.
//!
//! | module | content |
//! |---|---|
//! | [`change`] | [`Change`]: what happens at an event |
//! | [`mod@column`] | [`Column`]: name, unit and meaning of one quantity |
//! | [`elements`] | contact elements over time: a table beside a recording |
//! | [`event`] | [`Event`]: something that happened at an instant |
//! | [`mod@format`] | what the page reads: the scene and the description of recordings, defined once |
//! | [`recording`] | [`Recording`]: columns, events and metadata; lookup, interpolation, slices, extremes |
//! | [`sink`] | [`Sink`]: where a study puts its rows |
//! | [`thin`] | fewer points for a plot, extremes kept |

pub mod change;
pub mod column;
pub mod elements;
pub mod event;
pub mod format;
pub mod recording;
pub mod sink;
pub mod thin;

pub use change::Change;
pub use column::Column;
pub use elements::Elements;
pub use event::Event;
pub use recording::{RecordError, Recording};
pub use sink::{Sink, SinkError};
