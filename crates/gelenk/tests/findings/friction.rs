//! Friction.
