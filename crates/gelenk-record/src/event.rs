//! Things that happened at an instant.

/// Something that happened during a run: a stop closed, a velocity reversed, a Newton step was cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Time of the event in s.
    pub t: f64,
    /// Path of the element it happened to, for example `joints.knee.stop`.
    pub element: String,
    /// What happened, for example `closed`.
    pub what: String,
}

impl Event {
    /// An event from its parts; `t` in s.
    pub fn new(t: f64, element: impl Into<String>, what: impl Into<String>) -> Self {
        Self { t, element: element.into(), what: what.into() }
    }
}
