//! Tests of pictures, one module a subject.

#![allow(clippy::unwrap_used)]

mod common;
mod film;
mod gltf;
mod render;
