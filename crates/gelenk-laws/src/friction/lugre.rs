//! LuGre friction.

use gelenk_math::{Lockstep, Real};

use super::curve::{
    BREAKAWAY, COULOMB, EXPONENT, STRIBECK, VISCOUS, bend, check_exponent, decay, level, sign,
};
use super::power_viscous::{VISCOUS_EXPONENT, power};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// The LuGre law in scaled form, whose state `z` is the bristle force (kubisch 3.3, eq. 2.12 to 2.14; ruderman 3.4).
///
/// ```text
/// g(v) = F_C + (F_S - F_C) exp(-|v/v_S|^delta)
/// dz/dt = sigma0 (v - |v| z / g(v))
/// F = z + sigma1 exp(-(v/v_d)^2) / sigma0 dz/dt + F_v |v|^delta_v sgn(v)
/// ```
///
/// The damping is given as `sigma1`, or by the ratio `zeta` and the moving mass: `sigma1 = 2 zeta sqrt(sigma0 m)`.
/// The stepped form solves the state equation exactly at held velocity, so `|z| <= F_S` for any step
/// (eq. 2.18), and takes `(z' - z)/h` for the rate in the damping term.
pub struct LuGre;

/// Number of parameters.
pub(crate) const N: usize = 11;

/// `exp(-(v/w)^2)`; one for an infinite `w`.
#[inline]
pub(crate) fn gauss<T: Lockstep>(v: T, w: T) -> T {
    T::fork(w.finite(), || decay(v, w, T::of(2.0)), || T::of(1.0))
}

/// Damping of the bristles.
#[inline]
fn damping<T: Lockstep>(p: [T; N]) -> T {
    let [.., ratio, mass] = p;
    // Only one of the two is given, and their sum is smooth where a fit moves one of them from zero.
    // Without a mass there is nothing to damp, and the root has no slope.
    let none = ratio.is(0.0) | mass.equals(T::of(0.0));
    T::fork(none, || p[4], || p[4] + ratio * T::of(2.0) * (p[3] * mass).sqrt())
}

/// The terms both forms share: `(level g(v), damping sigma1(v)/sigma0)`.
#[inline]
pub(crate) fn terms<T: Lockstep>(p: [T; N], v: T) -> (T, T) {
    let [coulomb, breakaway, stribeck, sigma0, _, limit, _, exponent, ..] = p;
    let level = level([coulomb, breakaway, stribeck, exponent], v);
    let sigma1 = damping(p);
    let share = T::fork(sigma1.is(0.0), || sigma1, || sigma1 * gauss(v, limit) / sigma0);
    (level, share)
}

/// Damping before sliding.
pub(crate) const SIGMA1: ParamSpec =
    ParamSpec::positive("sigma1", "sigma1", Kind::Damping, "Damping before sliding.").or(0.0).or_zero();
/// Stiffness before sliding.
pub(crate) const SIGMA0: ParamSpec =
    ParamSpec::positive("sigma0", "sigma0", Kind::Stiffness, "Stiffness before sliding.").typical(&[1e5]);
/// Velocity beyond which the damping fades.
pub(crate) const LIMIT: ParamSpec =
    ParamSpec::positive("damping_limit", "v_d", Kind::Rate, "Velocity beyond which sigma1 fades.")
        .or(f64::INFINITY);

/// Says that a limited damping is not limited enough: energy is given out where `sigma1(v) |v| > 4 g(v)` (kubisch 3.3,
/// property 7), and the largest `|v| exp(-(v/v_d)^2)` is `0.4289 v_d`. The classic law without a limit does it
/// always at high speed, which its page tells; whoever gives a limit wants it to help.
pub(crate) fn active(
    law: &'static str,
    param: usize,
    [coulomb, sigma1, limit]: [f64; 3],
) -> Option<LawError> {
    let allowed = 4.0 * coulomb / (0.42888 * sigma1);
    (sigma1 > 0.0 && limit.is_finite() && limit > allowed).then(|| {
        let reason = format!(
            "with damping_limit = {limit} the law can generate energy; {allowed:.4} or less keeps it passive"
        );
        LawError { law, param, reason }
    })
}

impl Law for LuGre {
    const SPEC: LawSpec = LawSpec {
        name: "lugre",
        title: "LuGre friction",
        equation: "dz/dt = sigma0 (v - |v| z/g(v)),  g(v) = F_C + (F_S - F_C) exp(-|v/v_S|^delta),  \
                   F = z + sigma1 exp(-(v/v_d)^2)/sigma0 dz/dt + F_v |v|^delta_v sgn(v)",
        source: "kubisch 3.3 (2.12-2.19), ruderman 3.4; Canudas de Wit et al. 1995",
        params: &[
            COULOMB,
            BREAKAWAY,
            STRIBECK,
            SIGMA0,
            SIGMA1,
            LIMIT,
            VISCOUS,
            EXPONENT,
            VISCOUS_EXPONENT,
            ParamSpec::positive(
                "damping_ratio",
                "zeta",
                Kind::Ratio,
                "Gives sigma1 = 2 zeta sqrt(sigma0 m) instead; with 0, sigma1 is used as given.",
            )
            .or(0.0)
            .or_zero(),
            ParamSpec::positive("mass", "m", Kind::Inertia, "Moving mass or inertia for the damping ratio.")
                .or(0.0)
                .or_zero(),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::BRISTLE,
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let p: [T; N] = fixed(p);
        let (level, damping) = terms(p, v);
        let rate = p[3] * (v - v.abs() * z[0] / level);
        dz[0] = rate;
        z[0] + damping * rate + power(p[6], p[8], v)
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let p: [T; N] = fixed(p);
        let (level, damping) = terms(p, v);
        let (way, share) = bend(z[0], v, h, p[3], level);
        z1[0] = z[0] + way * share;
        // The share comes last, since it takes longest.
        z[0] + power(p[6], p[8], v) + (T::of(1.0) + damping * T::of(1.0 / h)) * way * share
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] / (T::c(2.0) * p[3])
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale[0] = p[1].max(p[0]);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let p: [f64; N] = fixed(p);
        if v == 0.0 { 0.0 } else { level([p[0], p[1], p[2], p[7]], v) * sign(v) + power(p[6], p[8], v) }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check_exponent(&Self::SPEC, p[7], 7)?;
        let refuse = |param, reason| Err(LawError { law: Self::SPEC.name, param, reason });
        if p[9] > 0.0 && p[4] > 0.0 {
            let reason =
                format!("damping_ratio and sigma1 = {} both set the damping; give one of them", p[4]);
            return refuse(9, reason);
        }
        if p[9] > 0.0 && p[10] == 0.0 {
            return refuse(10, "damping_ratio needs the mass that moves; give mass > 0".into());
        }
        Ok(())
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        let p: [f64; N] = fixed(p);
        active(Self::SPEC.name, 5, [p[0], damping(p), p[5]])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// The 1995 set with unit mass: Canudas de Wit et al., table I.
    const P: [f64; 11] = [1.0, 1.5, 1e-3, 1e5, 316.227766, f64::INFINITY, 0.4, 2.0, 1.0, 0.0, 0.0];

    /// K-R2: the ODE at constant velocity ends in the closed form `g(v) sgn(v) + F_v v`.
    #[test]
    fn steady_sliding_is_reached() {
        for v in [-0.3, 2e-4, 1e-3, 0.05] {
            let mut z = [0.0];
            for _ in 0..2000 {
                let old = z;
                LuGre::advance(&P, &old, &[], v, 1e-3, &mut z);
            }
            let y = LuGre::rate(&P, &z, &[], v, &mut [0.0]);
            assert!((y - LuGre::steady(&P, v)).abs() < 1e-9, "v = {v}: {y}");
        }
    }

    /// K-R5, in part (the exponential scheme): exactness at held velocity; one step of `h` equals a thousand of `h/1000`.
    #[test]
    fn step_is_exact_at_held_velocity() {
        let (v, h) = (3e-4, 0.02);
        let mut one = [0.0];
        LuGre::advance(&P, &[0.3], &[], v, h, &mut one);
        let mut many = [0.3];
        for _ in 0..1000 {
            let old = many;
            LuGre::advance(&P, &old, &[], v, h / 1000.0, &mut many);
        }
        assert!((one[0] - many[0]).abs() < 1e-12);
    }

    /// Stiffness before sliding is sigma0 (kubisch 3.3, property 4): `z = sigma0 x` for small `x`.
    #[test]
    fn presliding_stiffness_is_sigma0() {
        let mut z = [0.0];
        let y = LuGre::advance(&P, &[0.0], &[], 1e-9, 1.0, &mut z);
        assert!((z[0] / (P[3] * 1e-9) - 1.0).abs() < 1e-4 && y > 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

        /// K-R6, RU-R4: `|z| <= F_S` for any step and velocity.
        #[test]
        fn state_stays_bounded(moves in prop::collection::vec((-10.0..10.0f64, -6.0..1.0f64), 1..50)) {
            let mut z = [0.0];
            for (v, exponent) in moves {
                let old = z;
                LuGre::advance(&P, &old, &[], v, 10f64.powf(exponent), &mut z);
                prop_assert!(z[0].abs() <= P[1] * (1.0 + 1e-12));
            }
        }

        /// The tangent of the trial equals a central difference.
        #[test]
        fn tangent_matches_difference(v in -0.01..0.01f64, z in -1.0..1.0f64) {
            prop_assume!(v.abs() > 1e-6);
            let step = 1e-9;
            let (_, slope) = LuGre::tangent(&P, &[z], &[], v, 1e-3);
            let (plus, _) = LuGre::tangent(&P, &[z], &[], v + step, 1e-3);
            let (minus, _) = LuGre::tangent(&P, &[z], &[], v - step, 1e-3);
            let difference = (plus - minus) / (2.0 * step);
            prop_assert!((slope - difference).abs() < 1e-4 * (1.0 + slope.abs()), "{slope} {difference}");
        }
    }

    /// K-R4: the damping ratio one gives `sigma1 = 2 sqrt(sigma0 m)`, that is the set above for `m = 1/4`; both at
    /// once, or a ratio without a mass, are refused.
    #[test]
    fn damping_ratio_gives_sigma1() {
        let ratio = [1.0, 1.5, 1e-3, 1e5, 0.0, f64::INFINITY, 0.4, 2.0, 1.0, 1.0, 0.25];
        let (mut a, mut b) = ([0.0], [0.0]);
        let given = LuGre::advance(&P, &[0.2], &[], 0.01, 1e-3, &mut a);
        let found = LuGre::advance(&ratio, &[0.2], &[], 0.01, 1e-3, &mut b);
        assert!((given - found).abs() < 1e-6 && a == b);
        let mut both = ratio;
        both[4] = 1.0;
        assert!(LuGre::validate(&both).is_err_and(|error| error.reason.contains("give one")));
        both = ratio;
        both[10] = 0.0;
        assert!(LuGre::validate(&both).is_err_and(|error| error.reason.contains("mass > 0")));
    }

    #[test]
    fn breakaway_below_coulomb_is_refused() {
        let mut p = P;
        p[1] = 0.5;
        assert!(crate::Friction::LuGre.validate(&p, 0).unwrap_err().reason.contains("breakaway >= 1"));
    }

    /// The servo of kubisch table 4.1 can give out energy; a limit of 0.549 rad/s would not (kubisch 8.2).
    #[test]
    fn active_set_is_reported() {
        let set = |limit| {
            [0.077155, 0.4318759, 0.0659532, 23.810246, 1.310269, limit, 0.2870523, 2.0, 1.0, 0.0, 0.0]
        };
        assert!(LuGre::caution(&set(0.8785457)).is_some_and(|caution| caution.reason.contains("0.549")));
        assert!(LuGre::caution(&set(0.549)).is_none());
        assert!(LuGre::caution(&set(f64::INFINITY)).is_none());
    }
}
