//! Modes of contacts that open and close: a sign says which mode holds.

use gelenk_record::Change;

/// What is said where a mode changes; the first `contacts` modes are contacts.
pub(crate) fn mode_change(mode: usize, contacts: usize, on: bool) -> Change {
    match (mode < contacts, on) {
        (true, true) => Change::ContactCloses,
        (true, false) => Change::ContactOpens,
        (false, true) => Change::ReboundWithoutForce,
        (false, false) => Change::ForceAgain,
    }
}

/// Settles modes on what they depend on.
pub(crate) fn settle(signs: &[f64], m: &mut [f64]) {
    for (mode, &sign) in m.iter_mut().zip(signs) {
        *mode = if sign > 0.0 { 1.0 } else { 0.0 };
    }
}

/// Switching functions of modes: each is valid while its function is not negative.
pub(crate) fn switching(signs: &[f64], m: &[f64], g: &mut [f64]) {
    for ((g, &mode), &sign) in g.iter_mut().zip(m).zip(signs) {
        *g = if mode == 0.0 { -sign } else { sign };
    }
}

/// Turns a mode over; says what happened.
pub(crate) fn turn(index: usize, contacts: usize, m: &mut [f64]) -> Change {
    m[index] = if m[index] == 0.0 { 1.0 } else { 0.0 };
    mode_change(index, contacts, m[index] == 1.0)
}
