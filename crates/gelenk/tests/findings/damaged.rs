//! Damaged.
