//! Driven.
