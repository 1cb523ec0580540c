//! Fitting parameters of any system to measurements.
