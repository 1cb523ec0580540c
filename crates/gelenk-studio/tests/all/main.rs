//! Tests of the page and its server, one module a subject.

#![allow(clippy::unwrap_used)]

mod report;
mod server;
