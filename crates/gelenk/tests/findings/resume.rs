//! Resume.
