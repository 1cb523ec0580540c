//! Curves that several laws share.

use gelenk_math::{Lockstep, Real};

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

/// The same on any scalar.
#[inline]
pub(crate) fn signs<T: Lockstep>(v: T) -> T {
    let zero = T::of(0.0);
    T::either(v.above(zero), || T::of(1.0), || T::either(v.below(zero), || T::of(-1.0), || zero))
}

/// `tanh(x)` whose derivative stays finite: beyond 20 it is one to the last bit.
#[inline]
pub(crate) fn tanh<T: Lockstep>(x: T) -> T {
    let far = x.plain().abs().above(T::Plain::of(20.0));
    T::either(far, || signs(x), || x.tanh())
}

/// The larger of two.
#[inline]
pub(crate) fn larger<T: Lockstep>(a: T, b: T) -> T {
    T::either(b.above(a), || b, || a)
}

/// The smaller of two.
#[inline]
pub(crate) fn smaller<T: Lockstep>(a: T, b: T) -> T {
    T::either(b.below(a), || b, || a)
}

/// `x` kept within `-limit..limit`.
#[inline]
pub(crate) fn within<T: Lockstep>(x: T, limit: T) -> T {
    larger(-limit, smaller(limit, x))
}

/// `exp(-|v/width|^exponent)`; its limit at rest is one, and zero for a negative exponent.
#[inline]
pub(crate) fn decay<T: Lockstep>(v: T, width: T, exponent: T) -> T {
    // The reciprocal does not wait for the velocity, as a quotient would.
    let share = v * (T::of(1.0) / width);
    let other = || {
        let share = share.abs();
        let power = || {
            let rest = || {
                let rises = exponent.below(T::of(0.0));
                T::either(rises, || T::of(0.0), || T::of(1.0))
            };
            T::fork(share.equals(T::of(0.0)), rest, || (-share.powf(exponent)).exp())
        };
        T::fork(exponent.is(1.0), || (-share).exp(), power)
    };
    T::fork(exponent.is(2.0), || (-(share * share)).exp(), other)
}

/// Magnitude of the Stribeck curve, `F_C + (F_S - F_C) exp(-|v/v_S|^delta)` (ruderman 2.5).
#[inline]
pub(crate) fn level<T: Lockstep>([coulomb, breakaway, stribeck, exponent]: [T; 4], v: T) -> T {
    coulomb + (breakaway - coulomb) * decay(v, stribeck, exponent)
}

/// What a step adds to the force `z` of a bristle with the stiffness `sigma0` that relaxes towards `level` along the motion,
/// as a distance and the share of it: the exact solution of `dz/dt = sigma0 (v - |v| z/level)` at held velocity.
#[inline]
pub(crate) fn bend<T: Lockstep>(z: T, v: T, h: f64, sigma0: T, level: T) -> (T, T) {
    let path = sigma0 * v * T::of(h);
    let s = signs(v);
    T::either(
        s.equals(T::of(0.0)),
        // The slope with the velocity there is that of the spring.
        || (path, T::of(1.0)),
        || (level * s - z, (path.abs() / level).decayed()),
    )
}

/// A state that comes closer to `level` along the motion by the share `1 - exp(-|v| share)`: a bristle whose level does not
/// depend on the velocity, after a step.
#[inline]
pub(crate) fn relaxed_to<T: Lockstep>(z: T, v: T, share: T, level: T) -> T {
    let s = signs(v);
    T::either(
        s.equals(T::of(0.0)),
        // The slope with the velocity there is that of the spring.
        || z + level * share * v,
        || z + (level * s - z) * (v.abs() * share).decayed(),
    )
}

/// `1 - exp(-x)` and `(1 - exp(-x))/x` by one exponential and without cancellation, `x >= 0`.
#[inline]
pub(crate) fn relaxation<T: Lockstep>(x: T) -> (T, T) {
    T::either(
        x.below(T::of(1e-8)),
        || (x, T::of(1.0) - x * T::of(0.5)),
        || {
            let lost = x.decayed();
            (lost, lost / x)
        },
    )
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
