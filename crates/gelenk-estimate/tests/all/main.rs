//! Tests of fitting, one module a subject.

#![allow(clippy::panic, clippy::unwrap_used)]

mod least_squares;
mod nist;
