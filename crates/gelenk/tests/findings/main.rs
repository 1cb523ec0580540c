//! Runs that once went wrong in silence, each with what is right and where that is known from.
//!
//! One module a mechanism; the models that are too long for a test stand in `models/`.

#![allow(clippy::unwrap_used)]

mod breakaway;
mod contact;
mod damaged;
mod driven;
mod free_body;
mod friction;
mod hang;
mod holds;
mod import;
mod ledger;
mod loops;
mod reactions;
mod recover;
mod resume;
mod support;
