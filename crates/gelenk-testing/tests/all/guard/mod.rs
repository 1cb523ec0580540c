//! The program compared with itself: each file is a relation that must hold for every model that the generator makes.
//!
//! `GELENK_GUARD_SEED=17` looks at one model alone, `GELENK_GUARD_SEEDS=1000` at as many of each relation (from
//! `GELENK_GUARD_FROM` on). `GELENK_GUARD_BASE=N` adds models that nobody has seen, and so does `GELENK_FULL=1`, seven times as many, from
//! the time on: 5000 in all relations together. `GELENK_GUARD_KEEP=FOLDER` writes the smallest models that fail there; in
//! `models` they are looked at every time.

// What is not a number fits nothing.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod compare;
mod derivatives;
mod formulations;
mod harness;
mod kept;
mod ledger;
mod methods;
mod newton;
mod order;
mod parts;
mod rest;
mod restarted;
mod resumed;
mod settings;
mod settled;
mod sizes;
mod split;
mod studies;
mod trial;
mod units;
mod wrenches;
