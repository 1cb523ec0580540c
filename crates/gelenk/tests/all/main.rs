//! Tests of the studies, one module a subject.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod andrews;
mod built;
mod contact_at_rest;
mod contact_energy;
mod contact_events;
mod excitations;
mod friction_between;
mod impacts;
mod inputs;
mod linear;
mod poses;
mod robots;
mod sampling;
mod seams;
mod simple_contact;
mod splined;
mod statistics;
mod stepped_holds;
mod stick_slip;
mod switches;
mod varying_friction;
