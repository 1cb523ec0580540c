//! Hang.
