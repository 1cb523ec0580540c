//! Coulomb friction with a ramp through rest.

use gelenk_math::Real;

use super::curve::{COULOMB, VISCOUS, sign, tanh};
use crate::contact::Regularisation;
use crate::contract::{Kind, Law, LawSpec, Modes, ParamSpec, Properties, fixed};

/// Coulomb friction whose jump at rest is a ramp over the band `v_eps`, in four shapes of equal slope `2 F_C/v_eps` at
/// rest (hippmann 3.5.1). With `q = v/v_eps`:
///
/// | shape | `F/F_C` |
/// |---|---|
/// | `quadratic` | `q (2 - abs(q))` up to `abs(q) = 1`, then `sgn(q)` |
/// | `linear` | `2 q` up to `abs(q) = 1/2`, then `sgn(q)` |
/// | `tanh` | `tanh(2 q)` |
/// | `arctan` | `2/pi arctan(pi q)` |
pub struct Regularised;

/// Names of the ramps, in the order of their places: those of friction in contacts.
pub(crate) const SHAPES: &[&str] = &Regularisation::WORDS;

/// The ramp over `q = v/v_eps`.
#[inline]
pub(crate) fn ramp<T: Real>(shape: T, q: T) -> T {
    let steep = T::c(sign(q));
    match shape.re() as usize {
        1 if q.re().abs() < 0.5 => q * T::c(2.0),
        0 if q.re().abs() < 1.0 => q * (T::c(2.0) - q.abs()),
        0 | 1 => steep,
        2 => tanh(q * T::c(2.0)),
        _ => (q * T::c(std::f64::consts::PI)).atan() * T::c(std::f64::consts::FRAC_2_PI),
    }
}

impl Law for Regularised {
    const SPEC: LawSpec = LawSpec {
        name: "regularised",
        title: "Regularised Coulomb friction",
        equation: "F = F_C r(v/v_eps) + F_v v, with a ramp r of slope 2 at rest",
        source: "hippmann 3.5.1 (Fig. 3.15), ruderman 3.1",
        params: &[
            COULOMB,
            ParamSpec::positive("band", "v_eps", Kind::Rate, "Velocity over which the level is reached.")
                .or(1e-3),
            ParamSpec::choice("shape", "r", SHAPES, "The form of the ramp."),
            VISCOUS,
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::CURVE,
    };

    fn states(_: usize) -> usize {
        0
    }

    #[inline]
    fn rate<T: Real>(p: &[T], _: &[T], _: &[f64], v: T, _: &mut [T]) -> T {
        let [coulomb, band, shape, viscous] = fixed(p);
        coulomb * ramp(shape, v / band) + viscous * v
    }

    #[inline]
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, _: f64, z1: &mut [T]) -> T {
        Self::rate(p, z, m, v, z1)
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        Self::rate(p, &[], &[], v, &mut [])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RU-R2: all ramps have slope `2 F_C/v_eps` at rest and the level `F_C` far away (hippmann 3.5.1, closed forms);
    /// the quadratic one has `3/4` of it at half the band.
    #[test]
    fn slope_and_level_of_every_shape() {
        for shape in 0..4 {
            let p = [2.0, 0.1, f64::from(shape), 0.3];
            let (force, slope) = Regularised::tangent(&p, &[], &[], 0.0, 1e-3);
            assert_eq!(force, 0.0);
            assert!((slope - 40.3).abs() < 1e-12, "{shape} {slope}");
            let far = Regularised::steady(&p, -1e4) + 3e3;
            assert!((far + 2.0).abs() < 1e-5, "{shape} {far}");
        }
        assert!((Regularised::steady(&[2.0, 0.1, 0.0, 0.0], 0.05) - 1.5).abs() < 1e-15);
    }
}
