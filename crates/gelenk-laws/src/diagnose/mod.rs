//! What a law does, measured by moving it: the same questions for every law of the registry.
//!
//! A law is [driven](crate::Driven) through a motion by its stepped form and its force is looked at. Nothing here knows a law
//! by name.
//!
//! | module | question |
//! |---|---|
//! | [`forms`] | do the stepped and the continuous form agree? |
//! | [`scales`] | over which distance, at which speed and force does anything happen? |
//! | [`loops`] | presliding loop, closure error, memory, work of branches, rate independence |
//! | [`cycles`] | drift, work and gain of cycles between two forces |
//! | [`mod@lag`] | by how much friction depends on whether the speed rises or falls |

pub mod cycles;
pub mod forms;
pub mod lag;
pub mod loops;
pub mod scales;

pub use cycles::{Gain, force_cycle, search_gain};
pub use forms::forms_differ;
pub use lag::{Lag, lag};
pub use loops::{Closure, Sample, closure, memory, path, rate_dependence};
pub use scales::Scales;

/// A law with its defaults, else typical numbers, and those given by name.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
fn with(law: crate::Friction, given: &[(&str, &[f64])]) -> crate::Driven {
    let elements = given.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let mut p = Vec::new();
    for param in law.spec().params {
        let values = given.iter().find(|(name, _)| *name == param.name).map(|(_, values)| *values);
        let default = param.default.as_ref().map(std::slice::from_ref);
        p.extend(values.or(default).unwrap_or_else(|| param.typical_values()));
    }
    crate::Driven::new(law, &p, if law.spec().has_elements() { elements } else { 0 }).unwrap()
}
