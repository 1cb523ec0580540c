//! Tests of importers, one module a subject.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod confined;
mod formats;
mod geometry_peer;
mod hostile;
mod import;
mod import_mutations;
mod import_peer;
mod inverse_peer;
mod massless;
