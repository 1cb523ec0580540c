//! Runs that once went wrong in silence, each with what is right and where that is known from.
//!
//! One module a mechanism; the models that are too long for a test stand in `models/`.

mod absolute;
mod branches;
mod breakaway;
mod contact;
mod damaged;
mod driven;
mod equilibrium;
mod fits;
mod free_body;
mod friction;
mod hang;
mod holds;
mod import;
mod injury;
mod interrupts;
mod inverse;
mod kinematics;
mod ledger;
mod locked;
mod loops;
mod mirror;
mod normal_force;
mod outside;
mod random_contact;
mod reactions;
mod reading;
mod recover;
mod redundant;
mod reports;
mod resume;
mod rigs;
mod rotor;
mod scales;
mod shapes;
mod stops;
mod support;
