//! Elementary functions of lanes without branches, so that they become vector instructions. Errors are about one unit in the
//! last place.

// Constants are written with all the digits that their sources give.
#![allow(clippy::excessive_precision)]

use super::Lanes;
use crate::lockstep::{Blend, Lockstep, Mask};

/// `1.5 2^52`: added to a smaller number it rounds that to a whole one, which then stands in the last bits.
const ROUND: f64 = 6755399441055744.0;
/// `ln 2` in two parts; the first has so few digits that its products with whole exponents are exact (fdlibm, `e_exp.c`).
const LN2: [f64; 2] = [6.93147180369123816490e-01, 1.90821492927058770002e-10];
/// Coefficients of `r (e^r + 1)/(e^r - 1) = 2 + P1 r^2 + ...` (fdlibm, `e_exp.c`).
const P: [f64; 5] = [
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
];
/// `pi/2` in three parts, the first two with 33 digits (fdlibm, `e_rem_pio2.c`).
const HALF_PI: [f64; 3] =
    [1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21];
/// Coefficients of `sin x = x + S1 x^3 + ...` on `|x| <= pi/4` (fdlibm, `k_sin.c`).
const S: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];
/// Coefficients of `cos x = 1 - x^2/2 + C1 x^4 + ...` on `|x| <= pi/4` (fdlibm, `k_cos.c`).
const C: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];
/// Angles up to which the three parts of `pi/2` give the remainder to the last digit.
const TURNS: f64 = 1e5;

/// `exp(x)`: `x = n ln 2 + r`, and `e^r` by the quotient above.
#[inline]
pub(super) fn exp<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    x.map(exp_of)
}

#[inline(always)]
fn exp_of(x: f64) -> f64 {
    // Beyond these bounds it is infinite or zero; what is no number passes both comparisons.
    let y = if x > 710.0 { 710.0 } else { x };
    let y = if y < -746.0 { -746.0 } else { y };
    let shifted = y * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let (high, low) = (y - n * LN2[0], n * LN2[1]);
    let r = high - low;
    let t = r * r;
    let c = r - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
    let e = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    // In two factors, since the power itself may be out of range where the result is not.
    let whole = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i64;
    let half = whole >> 1;
    let power = |n: i64| f64::from_bits(((n + 1023) as u64) << 52);
    e * power(half) * power(whole - half)
}

/// `sin(x)` and `cos(x)`: the remainder by quarter turns, then polynomials; beyond [`TURNS`] lane by lane.
#[inline]
pub(super) fn sin_cos<const N: usize>(x: Lanes<N>) -> (Lanes<N>, Lanes<N>) {
    let near = Lockstep::abs(&x).at_most(Lanes::of(TURNS));
    let (mut sin, mut cos) = ([0.0; N], [0.0; N]);
    for k in 0..N {
        (sin[k], cos[k]) = sin_cos_of(x.0[k]);
    }
    let close = (Lanes(sin), Lanes(cos));
    if near.all() {
        return close;
    }
    Blend::blend(near, close, (x.map(f64::sin), x.map(f64::cos)))
}

#[inline(always)]
fn sin_cos_of(x: f64) -> (f64, f64) {
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    let quarter = shifted.to_bits();
    // The remainder with what rounding takes from it.
    let first = x - n * HALF_PI[0];
    let part = n * HALF_PI[1];
    let r = first - part;
    let rest = ((first - r) - part) - n * HALF_PI[2];
    let y = r + rest;
    let rest = (r - y) + rest;
    let z = y * y;
    let s = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    let sin = y - ((z * (0.5 * rest - z * y * s) - rest) - z * y * S[0]);
    let c = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (z * c - y * rest));
    let swap = quarter & 1 != 0;
    let (a, b) = (if swap { cos } else { sin }, if swap { sin } else { cos });
    // The sign bits: the sine turns with the second quarter bit, the cosine with its sum with the first.
    let sign = |value: f64, bits: u64| f64::from_bits(value.to_bits() ^ ((bits & 2) << 62));
    (sign(a, quarter), sign(b, quarter.wrapping_add(1)))
}

/// `tanh(x) = e/(2 - e)` with `e = 1 - exp(-2 x)`, by magnitude.
#[inline]
pub(super) fn tanh<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let e = (Lockstep::abs(&x) * Lanes::of(2.0)).decayed();
    (e / (Lanes::of(2.0) - e)).with(x, f64::copysign)
}
