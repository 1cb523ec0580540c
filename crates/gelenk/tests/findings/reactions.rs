//! Reactions.
