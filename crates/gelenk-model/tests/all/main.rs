//! Tests of model and study files, one module a subject.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod bodies;
mod book;
mod compile;
mod contacts;
mod curves;
mod frames;
mod joints;
mod malformed;
mod malformed_cases;
mod malformed_studies;
mod mutations;
mod old_files;
mod parts;
mod pedestrian;
mod schema;
mod valid;
