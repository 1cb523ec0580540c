//! Tests of the command line, one module a subject.

#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout)]

mod book;
mod command_line;
mod completions;
mod contact_elements;
mod convert;
mod convert_options;
mod findings;
mod json;
mod laws;
mod matrices;
mod motion_commands;
mod own_data;
mod pictures;
mod robot_page;
mod servo_logs;
mod support;
mod sweeps;
mod usage;
