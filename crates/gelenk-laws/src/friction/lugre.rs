//! LuGre friction.

use gelenk_math::Real;

use crate::contract::{Kind, Law, LawError, LawSpec, Memory, Modes, ParamSpec, Properties, fixed};

/// The LuGre law in scaled form, whose state `z` is the bristle force (kubisch 3.3, eq. 2.12 to 2.14).
///
/// ```text
/// g(v) = F_C + (F_S - F_C) exp(-(v/v_S)^2)
/// dz/dt = sigma0 (v - |v| z / g(v))
/// F = z + sigma1 exp(-(v/v_d)^2) / sigma0 dz/dt + F_v v
/// ```
///
/// The stepped form solves the state equation exactly at held velocity, so `|z| <= F_S` for any step
/// (eq. 2.18), and takes `(z' - z)/h` for the rate in the damping term.
pub struct LuGre;

/// `(1 - exp(-x))/x` without cancellation, `x >= 0`.
#[inline]
fn phi1<T: Real>(x: T) -> T {
    if x.re() < 1e-8 { T::c(1.0) - x * T::c(0.5) } else { -(-x).exp_m1() / x }
}

/// `exp(-(v/w)^2)`; one for an infinite `w`.
#[inline]
fn gauss<T: Real>(v: T, w: T) -> T {
    if w.re().is_finite() {
        let ratio = v / w;
        (-ratio * ratio).exp()
    } else {
        T::c(1.0)
    }
}

/// The terms both forms share: `(level g(v), relaxation rate a, damping sigma1(v)/sigma0)`.
#[inline]
fn terms<T: Real>([coulomb, breakaway, stribeck, sigma0, sigma1, limit, _]: [T; 7], v: T) -> (T, T, T) {
    let level = coulomb + (breakaway - coulomb) * gauss(v, stribeck);
    (level, sigma0 * v.abs() / level, sigma1 * gauss(v, limit) / sigma0)
}

impl Law for LuGre {
    const SPEC: LawSpec = LawSpec {
        name: "lugre",
        title: "LuGre friction",
        equation: "dz/dt = sigma0 (v - |v| z/g(v)),  g(v) = F_C + (F_S - F_C) exp(-(v/v_S)^2),  \
                   F = z + sigma1 exp(-(v/v_d)^2)/sigma0 dz/dt + F_v v",
        source: "kubisch 3.3 (2.12-2.19), ruderman 3.4; Canudas de Wit et al. 1995",
        params: &[
            ParamSpec::positive("coulomb", "F_C", Kind::Effort, "Level in fast sliding.").typical(&[1.0]),
            ParamSpec::positive("breakaway", "F_S", Kind::Effort, "Level at rest.").typical(&[1.5]),
            ParamSpec::positive("stribeck", "v_S", Kind::Rate, "Velocity over which the level falls.")
                .or(0.01).typical(&[0.1]),
            ParamSpec::positive("sigma0", "sigma0", Kind::Stiffness, "Stiffness before sliding.").typical(&[50.0]),
            ParamSpec::positive("sigma1", "sigma1", Kind::Damping, "Damping before sliding.")
                .or(0.0)
                .or_zero(),
            ParamSpec::positive("damping_limit", "v_d", Kind::Rate, "Velocity beyond which sigma1 fades.")
                .or(f64::INFINITY),
            ParamSpec::positive("viscous", "F_v", Kind::Damping, "Viscous share.").or(0.0).or_zero(),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties {
            bounded: true,
            odd: true,
            rate_independent: false,
            memory: Memory::Local,
            drifts: true,
            sticks: true,
            passive: true,
        },
    };

    fn states(_: usize) -> usize {
        1
    }

    #[inline]
    fn rate<T: Real>(p: &[T], z: &[T], _: &[f64], v: T, dz: &mut [T]) -> T {
        let p: [T; 7] = fixed(p);
        let (_, a, damping) = terms(p, v);
        let rate = p[3] * v - a * z[0];
        dz[0] = rate;
        z[0] + damping * rate + p[6] * v
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], _: &[f64], v: T, h: f64, z1: &mut [T]) -> T {
        let p: [T; 7] = fixed(p);
        let (_, a, damping) = terms(p, v);
        let h = T::c(h);
        let x = a * h;
        let next = z[0] * (-x).exp() + h * p[3] * v * phi1(x);
        z1[0] = next;
        next + damping * (next - z[0]) / h + p[6] * v
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        z[0] * z[0] / (T::c(2.0) * p[3])
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale[0] = p[1].max(p[0]);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let p: [f64; 7] = fixed(p);
        let (level, ..) = terms(p, v);
        if v == 0.0 { 0.0 } else { level * v.signum() + p[6] * v }
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        if p[1] < p[0] {
            let reason =
                format!("breakaway = {} lies below coulomb = {}; give breakaway >= {}", p[1], p[0], p[0]);
            return Err(LawError { law: Self::SPEC.name, param: 1, reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The 1995 set with unit mass: Canudas de Wit et al., table I.
    const P: [f64; 7] = [1.0, 1.5, 1e-3, 1e5, 316.227766, f64::INFINITY, 0.4];

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

    /// K-R5: exactness at held velocity; one step of `h` equals a thousand of `h/1000`.
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

    #[test]
    fn breakaway_below_coulomb_is_refused() {
        let p = [1.0, 0.5, 1e-3, 1e5, 0.0, f64::INFINITY, 0.0];
        assert!(crate::Friction::LuGre.validate(&p, 0).unwrap_err().reason.contains("breakaway >= 1"));
    }
}
