//! Bouc-Wen hysteresis.

use gelenk_math::{Formula, Lockstep, Real, each};

use super::curve::{relaxation, sign, signs, within};
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// A spring in parallel with a hysteretic one (ruderman 3.12; Bouc 1967, Wen 1976):
///
/// ```text
/// F = alpha k x + (1 - alpha) k z
/// dz/dt = a v - beta |v| |z|^(n-1) z - gamma v |z|^n
/// ```
///
/// States are the displacement `x` from the start and `z`, which stays within `(a/(beta + gamma))^(1/n)`. The stepped
/// form is exact for `n = 1`; for other exponents it cuts the path into pieces and takes the slope into account.
pub struct BoucWen;

/// Pieces of a step, at most.
const PIECES: f64 = 16.0;

/// `z` along the motion after a path `x >= 0`: `du/dx = a - (gamma + beta sgn(u)) |u|^n`.
struct Followed;

impl Formula<6> for Followed {
    #[inline]
    fn eval<T: Real>(&self, [u, x, a, beta, gamma, n]: [T; 6]) -> T {
        followed(u, x, [a, beta, gamma, n])
    }
}

#[inline]
fn followed<T: Real>(mut u: T, mut x: T, [a, beta, gamma, n]: [T; 4]) -> T {
    if n.is(1.0) {
        if u.re() < 0.0 {
            // du/dx = a + (gamma - beta) u up to zero.
            let slope = gamma - beta;
            let zero = if slope.re().abs() < 1e-12 * (beta + gamma).re() {
                -u / a
            } else {
                (a / (a + slope * u)).ln() / slope
            };
            if x.re() < zero.re() {
                let growth = slope * x;
                let mean = if growth.re().abs() < 1e-8 {
                    T::c(1.0) + growth * T::c(0.5)
                } else {
                    growth.exp_m1() / growth
                };
                return u + (a + slope * u) * x * mean;
            }
            (u, x) = (T::c(0.0), x - zero);
        }
        let both = beta + gamma;
        return u + (a / both - u) * (both * x).decayed();
    }
    let bound = (a / (beta + gamma)).powf(T::c(1.0) / n);
    let pieces = (8.0 * (a * x / bound).re()).ceil().clamp(1.0, PIECES);
    let piece = x / T::c(pieces);
    for _ in 0..pieces as usize {
        let factor = gamma + beta * T::c(sign(u));
        let (size, slope) = if u.re() == 0.0 {
            (T::c(0.0), T::c(0.0))
        } else {
            let power = u.abs().powf(n - T::c(1.0));
            (power * u.abs(), n * power * T::c(sign(u)))
        };
        let falls = factor * slope * piece;
        let rate = a - factor * size;
        // Where it grows a plain step is safe, since the bound is near.
        let mean = if falls.re() > 0.0 { relaxation(falls).1 } else { T::c(1.0) };
        u = within(u + piece * rate * mean, bound);
    }
    u
}

impl Law for BoucWen {
    const SPEC: LawSpec = LawSpec {
        name: "bouc-wen",
        title: "Bouc-Wen hysteresis",
        equation: "F = alpha k x + (1 - alpha) k z,  dz/dt = a v - beta |v| |z|^(n-1) z - gamma v |z|^n",
        source: "ruderman 3.12; Bouc 1967, Wen 1976",
        params: &[
            ParamSpec::positive("stiffness", "k", Kind::Stiffness, "Stiffness at a reversal.")
                .typical(&[1e5]),
            ParamSpec::positive(
                "elastic_share",
                "alpha",
                Kind::Ratio,
                "Share of the spring without hysteresis.",
            )
            .or_zero()
            .or(0.0),
            ParamSpec::positive("amplitude", "a", Kind::Ratio, "Slope of z at a reversal.").or(1.0),
            ParamSpec::positive(
                "beta",
                "beta",
                Kind::PerDisplacement,
                "Dissipative part, for n = 1 per displacement.",
            )
            .typical(&[5e4]),
            ParamSpec::positive("gamma", "gamma", Kind::PerDisplacement, "Part that shapes the loops.")
                .signed()
                .or(0.0)
                .typical(&[5e4]),
            ParamSpec::positive("exponent", "n", Kind::Ratio, "Sharpness of the transition.").or(1.0),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { bounded: false, rate_independent: true, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        2
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let [k, alpha, a, beta, gamma, n] = fixed(p);
        let zero = T::of(0.0);
        let power = || T::fork(z[1].equals(zero), || zero, || z[1].abs().powf(n));
        let size = T::fork(n.is(1.0), || z[1].abs(), power);
        dz[0] = v;
        dz[1] = a * v - (beta * v.abs() * signs(z[1]) + gamma * v) * size;
        k * (alpha * z[0] + (T::of(1.0) - alpha) * z[1])
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let [k, alpha, a, beta, gamma, n] = fixed(p);
        let path = v * T::of(h);
        z1[0] = z[0] + path;
        let s = signs(v);
        let moved = || s * each(&Followed, [z[1] * s, path * s, a, beta, gamma, n]);
        z1[1] = T::fork(s.equals(T::of(0.0)), || z[1] + a * path, moved);
        k * (alpha * z1[0] + (T::of(1.0) - alpha) * z1[1])
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        let [k, alpha, a, ..]: [T; 6] = fixed(p);
        (alpha * z[0] * z[0] + (T::c(1.0) - alpha) * z[1] * z[1] / a) * k * T::c(0.5)
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill((p[2] / (p[3] + p[4])).powf(1.0 / p[5]));
    }

    /// The hysteretic part; the elastic one grows with the displacement.
    fn steady(p: &[f64], v: f64) -> f64 {
        sign(v) * (1.0 - p[1]) * p[0] * (p[2] / (p[3] + p[4])).powf(1.0 / p[5])
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        let refuse = |param, reason| Err(LawError { law: Self::SPEC.name, param, reason });
        if p[1] >= 1.0 {
            return refuse(1, format!("elastic_share = {} leaves no hysteresis; give less than 1", p[1]));
        }
        if p[3] + p[4] <= 0.0 {
            let reason =
                format!("gamma = {} lets z grow without bound; give more than -beta = {}", p[4], -p[3]);
            return refuse(4, reason);
        }
        Ok(())
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        (p[4] > p[3]).then(|| {
            let reason = format!(
                "gamma = {} above beta = {} can generate energy; {} or less does not",
                p[4], p[3], p[3]
            );
            LawError { law: Self::SPEC.name, param: 4, reason }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::Dahl;

    /// RU-R9: `n = 1`, `alpha = 0` and `beta = gamma` unload elastically; with `gamma = 0` the law is Dahl's with
    /// `sigma0 = k a`, `F_C = k a/beta` (closed form).
    #[test]
    fn contains_dahl() {
        let (mut z, mut f) = ([0.0; 2], [0.0]);
        for k in 0..600 {
            let v = 0.3 * (0.05 * f64::from(k)).sin() + 0.1;
            let (old, force) = (z, f);
            let found = BoucWen::advance(&[50.0, 0.0, 1.0, 50.0, 0.0, 1.0], &old, &[], v, 0.01, &mut z);
            Dahl::advance(&[1.0, 50.0, 1.0], &force, &[], v, 0.01, &mut f);
            assert!((found - f[0]).abs() < 1e-12, "{k}");
        }
        let mut back = [0.0; 2];
        BoucWen::advance(&[50.0, 0.0, 1.0, 25.0, 25.0, 1.0], &[0.0, -0.01], &[], 1.0, 0.004, &mut back);
        assert!((back[1] + 0.006).abs() < 1e-15);
    }

    /// The step against a fine integration for exponents above one, and the bound `(a/(beta + gamma))^(1/n)`.
    #[test]
    fn step_against_fine_integration() {
        for n in [1.0, 1.5, 2.0, 3.0] {
            let p = [1.0, 0.1, 1.0, 0.7, 0.2, n];
            for travel in [0.3, 1.0, 3.0] {
                let mut one = [0.0; 2];
                BoucWen::advance(&p, &[0.2, -0.8], &[], 1.0, travel, &mut one);
                let mut z = [0.2, -0.8];
                for _ in 0..20_000 {
                    let mut dz = [0.0; 2];
                    BoucWen::rate(&p, &z, &[], 1.0, &mut dz);
                    (0..2).for_each(|i| z[i] += travel / 2e4 * dz[i]);
                }
                assert!((one[1] - z[1]).abs() < 0.01, "{n} {travel}: {one:?} {z:?}");
            }
            let mut far = [0.0; 2];
            BoucWen::advance(&p, &[0.0; 2], &[], -5.0, 1e3, &mut far);
            assert!((far[1] + (1.0 / 0.9f64).powf(1.0 / n)).abs() < 1e-6, "{n} {far:?}");
        }
    }

    #[test]
    fn unbounded_sets_are_refused() {
        assert!(BoucWen::validate(&[1.0, 0.0, 1.0, 0.5, -0.6, 1.0]).is_err());
        assert!(BoucWen::caution(&[1.0, 0.0, 1.0, 0.5, 0.6, 1.0]).is_some());
    }
}
