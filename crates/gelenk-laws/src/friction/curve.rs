//! Curves that several laws share.

use gelenk_math::Real;

use crate::contract::{Kind, LawError, LawSpec, ParamSpec};

/// Level in fast sliding.
pub(crate) const COULOMB: ParamSpec =
    ParamSpec::positive("coulomb", "F_C", Kind::Effort, "Level in fast sliding.").typical(&[1.0]);
/// Level at rest.
pub(crate) const BREAKAWAY: ParamSpec = ParamSpec::positive(
    "breakaway",
    "F_S",
    Kind::Effort,
    "Level at rest; with a negative exponent that of fast sliding.",
)
.typical(&[1.5])
.at_least("coulomb");
/// Width of the Stribeck decay.
pub(crate) const STRIBECK: ParamSpec =
    ParamSpec::positive("stribeck", "v_S", Kind::Rate, "Velocity over which the level changes.")
        .or(0.01)
        .typical(&[1e-3]);
/// Exponent of the Stribeck decay.
pub(crate) const EXPONENT: ParamSpec = ParamSpec::positive(
    "exponent",
    "delta",
    Kind::Ratio,
    "Exponent of the decay: 2 for a Gaussian curve, 1 for an exponential one; with a negative one the level rises from F_C.",
)
.signed()
.or(2.0);
/// Viscous share.
pub(crate) const VISCOUS: ParamSpec =
    ParamSpec::positive("viscous", "F_v", Kind::Damping, "Effort per velocity.").or_zero().or(0.0);

/// The sign of a velocity as a number; zero at rest.
#[inline]
pub(crate) fn sign<T: Real>(v: T) -> f64 {
    let v = v.re();
    if v > 0.0 {
        1.0
    } else if v < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// `tanh(x)` whose derivative stays finite: beyond 20 it is one to the last bit.
#[inline]
pub(crate) fn tanh<T: Real>(x: T) -> T {
    if x.re().abs() > 20.0 { T::c(sign(x)) } else { x.tanh() }
}

/// The larger of two.
#[inline]
pub(crate) fn larger<T: Real>(a: T, b: T) -> T {
    if b.re() > a.re() { b } else { a }
}

/// The smaller of two.
#[inline]
pub(crate) fn smaller<T: Real>(a: T, b: T) -> T {
    if b.re() < a.re() { b } else { a }
}

/// `x` kept within `-limit..limit`.
#[inline]
pub(crate) fn within<T: Real>(x: T, limit: T) -> T {
    larger(-limit, smaller(limit, x))
}

/// `exp(-|v/width|^exponent)`; its limit at rest is one, and zero for a negative exponent.
#[inline]
pub(crate) fn decay<T: Real>(v: T, width: T, exponent: T) -> T {
    // The reciprocal does not wait for the velocity, as a quotient would.
    let share = v * (T::c(1.0) / width);
    if exponent.is(2.0) {
        return (-(share * share)).exp();
    }
    let share = share.abs();
    if exponent.is(1.0) {
        return (-share).exp();
    }
    if share.re() == 0.0 {
        return T::c(if exponent.re() < 0.0 { 0.0 } else { 1.0 });
    }
    (-share.powf(exponent)).exp()
}

/// Magnitude of the Stribeck curve, `F_C + (F_S - F_C) exp(-|v/v_S|^delta)` (ruderman 2.5).
#[inline]
pub(crate) fn level<T: Real>([coulomb, breakaway, stribeck, exponent]: [T; 4], v: T) -> T {
    coulomb + (breakaway - coulomb) * decay(v, stribeck, exponent)
}

/// What a step adds to the force `z` of a bristle with the stiffness `sigma0` that relaxes towards `level` along the motion,
/// as a distance and the share of it: the exact solution of `dz/dt = sigma0 (v - |v| z/level)` at held velocity.
#[inline]
pub(crate) fn bend<T: Real>(z: T, v: T, h: f64, sigma0: T, level: T) -> (T, T) {
    let path = sigma0 * v * T::c(h);
    match sign(v) {
        // The slope with the velocity there is that of the spring.
        0.0 => (path, T::c(1.0)),
        s => (level * T::c(s) - z, (path.abs() / level).decayed()),
    }
}

/// A state that comes closer to `level` along the motion by the share `1 - exp(-|v| share)`: a bristle whose level does not
/// depend on the velocity, after a step.
#[inline]
pub(crate) fn relaxed_to<T: Real>(z: T, v: T, share: T, level: T) -> T {
    match sign(v) {
        // The slope with the velocity there is that of the spring.
        0.0 => z + level * share * v,
        s => z + (level * T::c(s) - z) * (v.abs() * share).decayed(),
    }
}

/// `1 - exp(-x)` and `(1 - exp(-x))/x` by one exponential and without cancellation, `x >= 0`.
#[inline]
pub(crate) fn relaxation<T: Real>(x: T) -> (T, T) {
    if x.re() < 1e-8 {
        return (x, T::c(1.0) - x * T::c(0.5));
    }
    let lost = x.decayed();
    (lost, lost / x)
}

/// Refuses an exponent of zero, which has no curve.
pub(crate) fn check_exponent(spec: &'static LawSpec, exponent: f64, param: usize) -> Result<(), LawError> {
    if exponent == 0.0 {
        let reason = "exponent = 0 gives no curve; give 2, 1, or a negative number for a rising level".into();
        return Err(LawError { law: spec.name, param, reason });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_math::{partial, seed};

    /// RU-R1: the curve of the specification's table 4.3, row 2SEP (golden `S(w)` of ruderman 4.1, in Nm over rev/s).
    #[test]
    fn golden_values_of_the_rising_curve() {
        let (sigma, p) = (0.0041, [0.0199, 0.0480, 0.7921, -1.5953]);
        let golden = [
            (0.1, 0.02031),
            (0.2, 0.02072),
            (0.5, 0.02545),
            (1.0, 0.03810),
            (2.0, 0.05047),
            (5.0, 0.06705),
            (10.0, 0.08851),
            (20.0, 0.12984),
            (28.0, 0.16270),
        ];
        for (w, expected) in golden {
            assert!((level(p, w) + sigma * w - expected).abs() < 6e-6, "{w}");
        }
    }

    /// RU-R1: safe at rest for both signs of the exponent, also in its derivative.
    #[test]
    fn limits_at_rest() {
        for (exponent, expected) in [(2.0, 1.5), (1.0, 1.5), (0.7, 1.5), (-0.3, 1.0), (-2.0, 1.0)] {
            assert_eq!(level([1.0, 1.5, 0.1, exponent], 0.0), expected);
            let p = [1.0, 1.5, 0.1, exponent].map(gelenk_math::Dual::from_re);
            assert!(partial(level(p, seed(0.0, 0)), 0).is_finite());
        }
    }
}
