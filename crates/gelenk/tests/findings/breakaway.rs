//! Breakaway.
