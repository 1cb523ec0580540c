//! Tests of meshes, one module a subject.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod contact;
mod contact_rules;
mod contact_study;
mod meshes;
mod placing;
mod shapes;
mod simple;
