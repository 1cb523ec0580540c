//! The modified Maxwell-slip hysteresis.

use gelenk_math::{Lockstep, Real};
use gelenk_record::Change;

use super::curve::sign;
use crate::contract::{Kind, Law, LawError, LawSpec, Modes, ParamSpec, Properties, fixed};

/// One slider on a spring that softens with the path since the last reversal (ruderman 3.7, eq. 3.2 to 3.4).
///
/// ```text
/// dz/dx = kappa (F_C - s z),  s = sgn(v),  kappa = K/nu^p
/// nu = |s F_C - z|/(2 F_C) at the last reversal, with the new direction
/// ```
///
/// On a branch the closed form is `z' = s F_C - (s F_C - z) exp(-kappa |dx|)`; that is the stepped form. The
/// exponent of the thesis is `p = 2`, with which the law gives out energy on small cycles; `p <= 0.9` does not.
///
/// States: the force, and `nu - 1/2` of the present branch (zero for the virgin one). The memory is the direction.
/// Velocities against it up to the dead band are no reversal: the force is held (RU-R12).
pub struct Mms;

/// `nu` is not taken smaller (ruderman 8, pitfall 6).
const SMALLEST: f64 = 1e-3;

/// Stiffness parameter of the hysteresis.
pub(crate) const STEEPNESS: ParamSpec = ParamSpec::positive(
    "steepness",
    "K",
    Kind::PerDisplacement,
    "Inverse of the distance over which the force reaches its level after a full reversal.",
)
.typical(&[5e4]);
/// Exponent of the stiffness law.
pub(crate) const SHAPE: ParamSpec = ParamSpec::positive(
    "shape",
    "p",
    Kind::Ratio,
    "Exponent of the stiffness law; 2 is that of the thesis; up to 0.9 the law is passive.",
)
.or_zero()
.or(0.5);
/// Dead band of the reversals.
pub(crate) const BAND: ParamSpec =
    ParamSpec::positive("band", "v_b", Kind::Rate, "Speed up to which a reversal counts as rest.")
        .or_zero()
        .or(0.0);

/// Rate `kappa` of the branch that begins with the capacity `omega = |s F_C - z|`, and its `nu - 1/2`.
#[inline]
pub(crate) fn branch<T: Lockstep>(omega: T, coulomb: T) -> T {
    let nu = omega / (coulomb * T::of(2.0));
    T::either(nu.below(T::of(SMALLEST)), || T::of(SMALLEST), || nu) - T::of(0.5)
}

/// `K/nu^p` of the branch with the state `nu - 1/2`.
#[inline]
pub(crate) fn stiffness<T: Lockstep>(steepness: T, shape: T, nu: T) -> T {
    let nu = nu + T::of(0.5);
    let power = || steepness / nu.powf(shape);
    let square = || T::fork(shape.is(2.0), || steepness / (nu * nu), power);
    let whole = || T::fork(shape.is(1.0), || steepness / nu, square);
    let root = || T::fork(shape.is(0.5), || steepness / nu.sqrt(), whole);
    T::fork(shape.is(0.0), || steepness, root)
}

/// Which way the law goes at velocity `v` with the direction in memory: rest, along the branch, or a reversal.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    /// The force is held.
    Rest,
    /// On with the present branch.
    Along,
    /// A new branch.
    Back,
}

/// The way at velocity `v` with the memory `direction` and the dead band.
#[inline]
pub(crate) fn way(v: f64, direction: f64, band: f64) -> Way {
    if v == 0.0 {
        Way::Rest
    } else if v * direction > 0.0 {
        Way::Along
    } else if direction != 0.0 && v.abs() <= band {
        Way::Rest
    } else {
        Way::Back
    }
}

/// The same on any scalar: where it rests, and where it goes on along the branch.
#[inline]
pub(crate) fn ways<T: Lockstep>(v: T::Plain, direction: T::Plain, band: T::Plain) -> (T::Mask, T::Mask) {
    let zero = T::Plain::of(0.0);
    let along = (v * direction).above(zero);
    let rests = v.equals(zero) | (!along & !direction.equals(zero) & v.abs().at_most(band));
    (rests, along)
}

/// The direction after an accepted step; at the start a direction is taken on, which the first motion corrects.
pub(crate) fn turn(v: f64, band: f64, m: &mut [f64]) {
    if m[0] == 0.0 {
        m[0] = if v < 0.0 { -1.0 } else { 1.0 };
    } else if way(v, m[0], band) == Way::Back {
        m[0] = sign(v);
    }
}

impl Law for Mms {
    const SPEC: LawSpec = LawSpec {
        name: "mms",
        title: "Modified Maxwell-slip hysteresis",
        equation: "dz/dx = kappa (F_C - s z),  kappa = K/nu^p,  nu = |s F_C - z|/(2 F_C) at the last reversal,  s = sgn(v)",
        source: "ruderman 3.7 (3.2-3.4, 3.10)",
        params: &[super::curve::COULOMB, STEEPNESS, SHAPE, BAND],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { rate_independent: true, ..Properties::BRISTLE },
    };

    fn states(_: usize) -> usize {
        2
    }

    fn memory(_: usize) -> usize {
        1
    }

    fn switches(_: usize) -> usize {
        1
    }

    #[inline]
    fn rate<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, dz: &mut [T]) -> T {
        let [coulomb, steepness, shape, _] = fixed(p);
        let s = m[0];
        // Against the direction it waits for the event.
        let along = v.re() * s > 0.0;
        let kappa = stiffness(steepness, shape, z[1]);
        dz[0] = if along { kappa * v * (coulomb - z[0] * T::c(s)) } else { T::c(0.0) };
        dz[1] = T::c(0.0);
        z[0]
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, h: f64, z1: &mut [T]) -> T {
        let [coulomb, steepness, shape, band] = fixed(p);
        (z1[0], z1[1]) = (z[0], z[1]);
        let way = way(v.re(), m[0], band.re());
        if way == Way::Rest {
            let s = T::c(m[0]);
            z1[0] += stiffness(steepness, shape, z[1]) * (coulomb - z[0] * s) * (v - T::c(v.re())) * T::c(h);
            return z1[0];
        }
        let s = T::c(sign(v));
        let omega = coulomb - z[0] * s;
        if way == Way::Back {
            z1[1] = branch(omega, coulomb);
        }
        let left = (-stiffness(steepness, shape, z1[1]) * v.abs() * T::c(h)).exp();
        z1[0] = s * (coulomb - omega * left);
        z1[0]
    }

    fn commit(p: &[f64], _: &[f64], v: f64, m: &mut [f64]) {
        turn(v, p[3], m);
    }

    fn switching(p: &[f64], _: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        g[0] = m[0] * v + p[3];
    }

    fn switch(p: &[f64], _: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        m[0] = -m[0];
        z[1] = branch(p[0] - m[0] * z[0], p[0]);
        Some(Change::Reverses)
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale[0] = p[0];
        scale[1] = 1.0;
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        sign(v) * p[0]
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        active(Self::SPEC.name, 2, p[2])
    }
}

/// Says that a stiffness law gives out energy.
pub(crate) fn active(law: &'static str, param: usize, shape: f64) -> Option<LawError> {
    (shape > 0.9).then(|| {
        let reason = format!(
            "with shape = {shape} small cycles generate energy; with 0.9 or less they do not, 0.5 is usual"
        );
        LawError { law, param, reason }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Driven, Friction};

    fn turning(shape: f64, positions: &[f64], steps: usize) -> Vec<f64> {
        let mut law = Driven::new(Friction::Mms, &[1.0, 1.0, shape, 0.0], 0).unwrap();
        let mut found = Vec::new();
        let mut last = positions[0];
        for &x in positions {
            law.run((x - last) / steps as f64, 1.0, steps);
            last = x;
            found.push(law.effort());
        }
        found
    }

    /// RU-R7, RU-11, RU-14: the golden turning points, to 1e-6, in one step a branch and in many.
    #[test]
    fn golden_turning_points() {
        let positions = [0.0, 0.5, 0.2, 0.5, -0.5, 0.0, -0.25, 0.0, 0.5];
        let golden = [
            (2.0, [0.0, 0.864665, 0.320425, 0.949445, -0.319545, 0.581612, 0.060440, 0.697338, 0.968593]),
            (1.0, [0.0, 0.632121, 0.130048, 0.563519, -0.564921, 0.174012, -0.233149, 0.177901, 0.634623]),
            (0.0, [0.0, 0.393469, 0.032307, 0.283116, -0.527968, 0.073241, -0.164159, 0.093352, 0.450090]),
        ];
        for (shape, expected) in golden {
            for steps in [1, 7] {
                let found = turning(shape, &positions, steps);
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-6, "{shape}: {found} {expected}");
                }
            }
        }
    }

    /// RU-16: steady turning values of a sinusoidal path, 0.999909 for the amplitude 5 and 0.831387 for 1 (`p = 2`),
    /// `tanh 1` for `p = 0`; the first ones for the amplitude 1 are .981684, -.741586, .875413, -.807127.
    #[test]
    fn steady_turning_values() {
        let path = |amplitude: f64| -> Vec<f64> {
            std::iter::once(0.0)
                .chain((0..41).map(|k| if k % 2 == 0 { amplitude } else { -amplitude }))
                .collect()
        };
        let found = turning(2.0, &path(1.0), 1);
        for (found, expected) in found[1..].iter().zip([0.981684, -0.741586, 0.875413, -0.807127]) {
            assert!((found - expected).abs() < 1e-6);
        }
        assert!((found[40].abs() - 0.831387).abs() < 1e-6);
        assert!((turning(2.0, &path(5.0), 1)[40].abs() - 0.999909).abs() < 1e-6);
        assert!((turning(0.0, &path(1.0), 1)[40].abs() - 1f64.tanh()).abs() < 1e-6);
    }

    /// Minor loops from the level stay open by `Omega exp(-K D/nu^p)`: 0.465 for `p = 0`, 0.104 for `p = 2` at
    /// `K D = 1` (ruderman 3.7).
    #[test]
    fn deficit_of_a_minor_loop() {
        for (shape, deficit) in [(0.0, 0.465), (2.0, 0.104)] {
            let found = turning(shape, &[0.0, 60.0, 59.0, 60.0], 1);
            assert!((1.0 - found[3] - deficit).abs() < 5e-4, "{}", found[3]);
        }
    }

    /// RU-R16: the cycle `0 -> 0.5 F_C -> 0` takes 0.04829 and gives back 0.05318 `F_C/K` with `p = 2` (ruderman 3.7);
    /// the law says so.
    #[test]
    fn thesis_exponent_gives_out_energy() {
        let mut law = Driven::new(Friction::Mms, &[1.0, 1.0, 2.0, 0.0], 0).unwrap();
        let out = 2f64.ln() / 4.0;
        law.run(out / 4000.0, 1.0, 4000);
        assert!((law.effort() - 0.5).abs() < 1e-9 && (law.work() - 0.04829).abs() < 5e-6);
        let before = law.work();
        let back = 0.75f64.powi(2) * 1.5f64.ln();
        law.run(-back / 4000.0, 1.0, 4000);
        assert!(law.effort().abs() < 1e-9 && (before - law.work() - 0.05318).abs() < 5e-6);
        assert!(
            Mms::caution(&[1.0, 1.0, 2.0, 0.0]).is_some() && Mms::caution(&[1.0, 1.0, 0.9, 0.0]).is_none()
        );
    }

    /// RU-R12: noise below the dead band does not begin a new branch; above it, it does.
    #[test]
    fn dead_band_of_reversals() {
        let mut law = Driven::new(Friction::Mms, &[1.0, 25.0, 0.5, 1e-3], 0).unwrap();
        law.step(0.1, 0.1);
        let (held, nu) = (law.effort(), law.state().0[1]);
        law.step(-9e-4, 1.0);
        assert_eq!((law.effort(), law.state().0[1]), (held, nu));
        law.step(-2e-3, 1.0);
        assert!(law.effort() < held && law.state().0[1] != nu);
    }

    /// Both forms agree over a motion with reversals, with the events handled.
    #[test]
    fn continuous_form_with_events_equals_stepped_form() {
        let p = [1.0, 25.0, 0.5, 0.0];
        let mut law = Driven::new(Friction::Mms, &p, 0).unwrap();
        let (mut z, mut m, h) = ([0.0; 2], [0.0], 1e-4);
        Mms::commit(&p, &z, 0.0, &mut m);
        for step in 0..30_000 {
            let v = 0.1 * (f64::from(step) * h * 4.0).sin();
            let (mut g, mut dz) = ([0.0], [0.0; 2]);
            Mms::switching(&p, &z, &m, v, &mut g);
            if g[0] < 0.0 {
                Mms::switch(&p, 0, &mut z, &mut m);
            }
            Mms::rate(&p, &z, &m, v, &mut dz);
            z[0] += h * dz[0];
            law.step(v, h);
        }
        assert!((z[0] - law.effort()).abs() < 2e-3, "{z:?} {}", law.effort());
    }
}
