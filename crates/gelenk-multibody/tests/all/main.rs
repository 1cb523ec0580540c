//! Tests of mechanisms, one module a subject.

#![allow(clippy::needless_range_loop, clippy::print_stdout, clippy::unwrap_used)]

mod absolute;
mod articulated_loops;
mod auto;
mod ball_stop;
mod book;
mod builder;
mod closed;
mod closed_forms;
mod closing;
mod constraints;
mod energy;
mod lanes;
mod loops;
mod maxwell;
mod models;
mod motions;
mod orders;
mod own_elements;
mod reference;
mod robotics;
mod rotor;
mod simple_contact;
mod small_motions;
mod stepped;
mod ticks;
mod trees;
