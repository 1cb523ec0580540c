//! Tests of typed files, one module a subject.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod roles;
