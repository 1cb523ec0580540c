//! Tests of recordings on disk, one module a subject.

#![allow(clippy::unwrap_used)]

mod following;
mod foreign;
mod kill;
mod peer;
mod pieces;
mod recordings;
