//! Power-based friction behind a low-pass filter.

use gelenk_math::Lockstep;

use super::power::{STATIC, check, force};
use crate::contract::{Kind, Law, LawError, LawSpec, Memory, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// The force of [`PowerBased`](super::PowerBased) through a first-order low-pass (specker 3.3, eq. 2.25):
/// `dQ/dt = (F(v) - Q)/T_F`. At rest the force decays to zero. The stepped form is exact at held velocity.
pub struct PowerLti;

/// Time constant of the filter.
pub(crate) const TIME: ParamSpec =
    ParamSpec::positive("time", "T_F", Kind::Time, "Time constant of the filter.").or(0.03);

impl Law for PowerLti {
    const SPEC: LawSpec = LawSpec {
        name: "power-lti",
        title: "Power-based friction with linear memory",
        equation: "dQ/dt = (F(v) - Q)/T_F with F(v) of the law \"power\"",
        source: "specker 3.3 (2.25)",
        params: &[STATIC[0], STATIC[1], STATIC[2], STATIC[3], STATIC[4], TIME],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties { memory: Memory::Local, passive: false, ..Properties::CURVE },
    };

    fn states(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let [a, b, c, d, e, time] = fixed(p);
        dz[0] = (force([a, b, c, d, e], v) - z[0]) / time;
        z[0]
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let [a, b, c, d, e, time] = fixed(p);
        let lost = (T::of(h) / time).decayed();
        z1[0] = z[0] + (force([a, b, c, d, e], v) - z[0]) * lost;
        z1[0]
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[1].max(p[0]));
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        let [a, b, c, d, e, _] = fixed(p);
        force([a, b, c, d, e], v)
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check(&Self::SPEC, p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP-R7: at held velocity the filter answers `F (1 - exp(-t/T_F))`, and at rest the force decays (closed forms).
    #[test]
    fn first_order_answer() {
        let p = [1.0, 1.4, 5e-3, 1e-2, 0.1, 0.03];
        let mut z = [0.0];
        PowerLti::advance(&p, &[0.0], &[], 0.2, 0.045, &mut z);
        assert!((z[0] - PowerLti::steady(&p, 0.2) * (1.0 - (-1.5f64).exp())).abs() < 1e-14);
        let held = z;
        PowerLti::advance(&p, &held, &[], 0.0, 0.03, &mut z);
        assert!((z[0] - held[0] * (-1.0f64).exp()).abs() < 1e-14);
    }
}
