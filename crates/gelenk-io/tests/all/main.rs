//! Tests of recordings on disk, one module a subject.

#![allow(clippy::unwrap_used)]

mod kill;
mod pieces;
mod recordings;
