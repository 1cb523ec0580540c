//! Recover.
