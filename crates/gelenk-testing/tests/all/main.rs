//! Fuzz targets on the stable compiler, the program compared with itself (`guard`), and whole models beside closed forms. The tests of models answer faults that
//! were planted by hand and that no test had noticed; each fails with its fault.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::print_stdout)]

mod energy;
mod fuzz;
mod guard;
mod limits;
mod scales;
mod signals;
mod words;
