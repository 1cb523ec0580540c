//! Tests of laws, one module a subject.

#![allow(clippy::unwrap_used)]

mod book;
mod experiments;
mod lanes;
mod parameter_derivatives;
mod properties;
mod rig;
