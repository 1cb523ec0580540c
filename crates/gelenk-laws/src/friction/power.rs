//! Power-based friction without memory.

use gelenk_math::{Lockstep, Real};

use super::curve::{VISCOUS, tanh};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// Smooth friction from a dissipation function (specker 3.1, eq. 2.1 to 2.14): `F = dD/dv` with
///
/// ```text
/// D = F_v v^2/2 + F_C v_C ln cosh(v/v_C) - F_D v_P exp(1/2 - (v/v_P)^2/2)
/// F = F_v v + F_C tanh(v/v_C) + F_D (v/v_P) exp(1/2 - (v/v_P)^2/2)
/// F_D = F_S - F_C tanh(v_P/v_C) - F_v v_P          so that F(v_P) = F_S
/// ```
///
/// Parts are left out by `coulomb = 0`, `viscous = 0` or `breakaway = 0`. Without memory the force falls to zero at
/// rest, so a loaded body creeps.
pub struct PowerBased;

/// Level of fast sliding.
const COULOMB: ParamSpec =
    ParamSpec::positive("coulomb", "F_C", Kind::Effort, "Level in fast sliding; 0 for none.")
        .or_zero()
        .typical(&[1.0]);
/// Largest level.
const BREAKAWAY: ParamSpec = ParamSpec::positive(
    "breakaway",
    "F_S",
    Kind::Effort,
    "Level at the velocity v_P; 0 for no Stribeck part.",
)
.or_zero()
.or(0.0)
.typical(&[1.4]);
/// Transition velocity of the Coulomb part.
const TRANSITION: ParamSpec =
    ParamSpec::positive("transition", "v_C", Kind::Rate, "Velocity over which the Coulomb part is reached.")
        .or(5e-3);
/// Velocity of the largest level.
const PEAK: ParamSpec = ParamSpec::positive(
    "peak",
    "v_P",
    Kind::Rate,
    "Velocity at which the level F_S is reached; 0 for twice the transition.",
)
.or_zero()
.or(0.0);

/// Parameters of all power-based laws, without those of their memory.
pub(crate) const STATIC: [ParamSpec; 5] = [COULOMB, BREAKAWAY, TRANSITION, PEAK, VISCOUS.typical(&[0.1])];

/// `tanh(2)`.
const TANH_2: f64 = 0.964_027_580_075_816_9;

/// Velocity of the largest level.
#[inline]
fn peak_velocity<T: Lockstep>(transition: T, peak: T) -> T {
    T::either(peak.above(T::of(0.0)), || peak, || transition * T::of(2.0))
}

/// The amplitude `F_D` of the Stribeck part.
#[inline]
fn amplitude<T: Lockstep>([coulomb, breakaway, transition, peak, viscous]: [T; 5]) -> T {
    let zero = T::of(0.0);
    let level = || {
        // The usual ratio of two needs no function.
        let reached = T::fork(peak.above(zero), || tanh(peak / transition), || T::of(TANH_2));
        breakaway - coulomb * reached - viscous * peak_velocity(transition, peak)
    };
    T::fork(breakaway.equals(zero), || zero, level)
}

/// `F/v`, analytic at rest: the force of a friction point is this times its velocity, in any number of dimensions
/// (specker 3.2).
#[inline]
pub(crate) fn secant<T: Real>(p: [T; 5], v: T) -> T {
    let [coulomb, breakaway, transition, peak, viscous] = p;
    let x = v / transition;
    let slope = if x.re().abs() < 1e-4 { (T::c(1.0) - x * x / T::c(3.0)) / transition } else { tanh(x) / v };
    let mut secant = viscous + coulomb * slope;
    if breakaway.re() > 0.0 {
        let peak = peak_velocity(transition, peak);
        let share = v / peak;
        secant += amplitude(p) / peak * (T::c(0.5) - share * share * T::c(0.5)).exp();
    }
    secant
}

/// The static force.
#[inline]
pub(crate) fn force<T: Lockstep>(p: [T; 5], v: T) -> T {
    let [coulomb, breakaway, transition, peak, viscous] = p;
    let force = viscous * v + coulomb * tanh(v / transition);
    let peaked = || {
        let share = v / peak_velocity(transition, peak);
        force + amplitude(p) * share * (T::of(0.5) - share * share * T::of(0.5)).exp()
    };
    T::fork(breakaway.above(T::of(0.0)), peaked, || force)
}

/// The dissipation function `D(v)` (W) of the static parameters `[coulomb, breakaway, transition, peak, viscous]`:
/// the force is its derivative. It is not the dissipated power `F v`.
pub fn dissipation<T: Real>(p: [T; 5], v: T) -> T {
    let [coulomb, breakaway, transition, peak, viscous] = p;
    let half = T::c(0.5);
    let x = (v / transition).abs();
    let ln_cosh = x + (-(x * T::c(2.0))).exp().ln_1p() - T::c(std::f64::consts::LN_2);
    let mut value = viscous * v * v * half + coulomb * transition * ln_cosh;
    if breakaway.re() > 0.0 {
        let peak = peak_velocity(transition, peak);
        let share = v / peak;
        value -= amplitude(p) * peak * (half - share * share * half).exp();
    }
    value
}

/// Slope of the static force at rest, `F_v + F_C/v_C + F_D sqrt(e)/v_P`.
pub(crate) fn slope_at_rest(p: [f64; 5]) -> f64 {
    secant(p, 0.0)
}

/// Refuses a Stribeck part that would make a dip.
pub(crate) fn check(spec: &'static LawSpec, p: &[f64]) -> Result<(), LawError> {
    let p: [f64; 5] = fixed(p.get(..5).unwrap_or_default());
    let amplitude = amplitude(p);
    if amplitude < 0.0 {
        let reason = format!(
            "breakaway = {} makes a dip, since the other parts reach more at v_P; give breakaway >= {:.6} or 0",
            p[1],
            p[1] - amplitude
        );
        return Err(LawError { law: spec.name, param: 1, reason });
    }
    Ok(())
}

impl Law for PowerBased {
    const SPEC: LawSpec = LawSpec {
        name: "power",
        title: "Power-based friction without memory",
        equation: "F = F_v v + F_C tanh(v/v_C) + F_D (v/v_P) exp(1/2 - (v/v_P)^2/2), F_D so that F(v_P) = F_S",
        source: "specker 3.1 (2.1-2.14)",
        params: &STATIC,
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::CURVE,
    };

    fn states(_: usize) -> usize {
        0
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], _: &[T], _: &[T::Plain], v: T, _: &mut [T]) -> T {
        force(fixed(p), v)
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate_lanes(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        force(fixed(p), v)
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check(&Self::SPEC, p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_math::{Dual, partial, seed};
    use proptest::prelude::*;

    /// The set of specker 3.4 with the ratios of (2.16).
    const P: [f64; 5] = [1.0, 1.4, 5e-3, 1e-2, 0.1];

    /// SP-R3: `F(v_P) = F_S` exactly; the true maximum lies slightly beyond it and is 1.4077 (specker 3.1, derived).
    #[test]
    fn peak_is_met() {
        assert!((force(P, 1e-2) - 1.4).abs() < 1e-15);
        let largest = (0..40_000).map(|k| force(P, 1e-6 * f64::from(k))).fold(0.0, f64::max);
        assert!((largest - 1.4077).abs() < 5e-5, "{largest}");
    }

    /// The slope at rest `F_v + F_C/v_C + F_D e^(1/2)/v_P` (specker 3.1, derived).
    #[test]
    fn slope_at_rest_in_closed_form() {
        let amplitude = 1.4 - 2f64.tanh() - 1e-3;
        let expected = 0.1 + 200.0 + amplitude * 0.5f64.exp() / 1e-2;
        assert!((slope_at_rest(P) - expected).abs() < 1e-9);
        let (_, slope) = PowerBased::tangent(&P, &[], &[], 0.0, 1e-3);
        assert!((slope - expected).abs() < 1e-9);
    }

    /// SP-R2: parts can be left out, and a dip is refused with the smallest level that makes none.
    #[test]
    fn parts_and_dip() {
        assert_eq!(force([0.0, 0.0, 5e-3, 0.0, 0.1], 2.0), 0.2);
        assert!((force([1.0, 0.0, 5e-3, 0.0, 0.0], 2.0) - 1.0).abs() < 1e-12);
        assert!((force([0.0, 1.4, 5e-3, 1e-2, 0.0], 1e-2) - 1.4).abs() < 1e-15);
        let refused = PowerBased::validate(&[1.0, 0.9, 5e-3, 1e-2, 0.1]);
        assert!(refused.is_err_and(|error| error.reason.contains("give breakaway >= 0.965")));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]
        /// SP-R2, SP-R3: the force is the derivative of the dissipation function, odd, dissipative, and the secant
        /// times the velocity.
        #[test]
        fn force_is_the_derivative_of_the_dissipation(v in -0.2..0.2f64) {
            let p = P.map(Dual::from_re);
            let slope = partial(dissipation(p, seed(v, 0)), 0);
            prop_assert!((slope - force(P, v)).abs() < 1e-12);
            prop_assert!(force(P, v) * v >= 0.0);
            prop_assert_eq!(force(P, -v), -force(P, v));
            prop_assert!((secant(P, v) * v - force(P, v)).abs() < 1e-13);
        }
    }
}
