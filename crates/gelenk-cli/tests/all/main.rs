//! Tests of the command line, one module a subject.

#![allow(clippy::panic, clippy::unwrap_used)]

mod command_line;
mod contact_elements;
mod convert;
mod findings;
mod laws;
mod matrices;
mod motion_commands;
mod pictures;
