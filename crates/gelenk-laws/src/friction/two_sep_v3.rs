//! The law 2SEP with the viscous part outside.

use gelenk_math::Lockstep;
use gelenk_record::Change;

use super::mms::active;
use super::two_sep::{PARAMS, Set, TwoSep, check};
use crate::contract::{Law, LawError, LawSpec, Modes, Properties};
use crate::in_lanes;

/// 2SEP in the variant V3 (ruderman 3.8, proposed there): as [`TwoSep`](super::TwoSep) with the curve `s(v)` without
/// its viscous part, which is added to the output and so acts at once.
pub struct TwoSepV3;

impl Law for TwoSepV3 {
    const SPEC: LawSpec = LawSpec {
        name: "2sep-v3",
        title: "2SEP friction, viscous part outside (V3)",
        equation: "dG/dt = dz_1/dt + B |v| (s(v) - G)/|s(v)|,  F = G + F_v v",
        source: "ruderman 3.8, variant V3 (proposed there)",
        params: PARAMS,
        modes: Modes { continuous: true, stepped: true },
        properties: Properties::BRISTLE,
    };

    fn states(_: usize) -> usize {
        3
    }

    fn memory(_: usize) -> usize {
        1
    }

    fn switches(_: usize) -> usize {
        1
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let set = Set::new(p);
        set.rate(z, m[0], v, set.levels(v).0, dz);
        z[0] + set.viscous * v
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let set = Set::new(p);
        set.step(z, m[0], v, h, set.levels(v).0, z1);
        z1[0] + set.viscous * v
    }

    // The memory, its reversals and the steady curve are those of the variant V2.

    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        TwoSep::commit(p, z, v, m);
    }

    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        TwoSep::switching(p, z, m, v, g);
    }

    fn switch(p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        TwoSep::switch(p, index, z, m)
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        TwoSep::scale(p, scale);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        TwoSep::steady(p, v)
    }

    fn validate(p: &[f64]) -> Result<(), LawError> {
        check(&Self::SPEC, p)
    }

    fn caution(p: &[f64]) -> Option<LawError> {
        active(Self::SPEC.name, 7, p[7])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{Driven, Friction};

    /// RU-R8, RU-18: lag at 1 Hz, `w = 1 + 0.9 sin`: at `w = 0.5` 1.2452 accelerating and 1.1633 decelerating (checked in the
    /// specification), to 1 %.
    #[test]
    fn lag_at_one_hertz() {
        let p = [1.0, 1.5, 0.2, 1.0, 0.3, 100.0, 20.0, 2.0, 0.0];
        let mut law = Driven::new(Friction::TwoSepV3, &p, 0).unwrap();
        let (h, mut last) = (1e-4, 1.0);
        let mut found = [0.0; 2];
        for k in 1..=30_000 {
            let w = 1.0 + 0.9 * (std::f64::consts::TAU * h * f64::from(k)).sin();
            let force = law.ramp(w, h);
            if k > 10_000 && (last - 0.5) * (w - 0.5) <= 0.0 {
                found[usize::from(w < last)] = force;
            }
            last = w;
        }
        assert!(
            (found[0] / 1.2452 - 1.0).abs() < 0.01 && (found[1] / 1.1633 - 1.0).abs() < 0.01,
            "{found:?}"
        );
    }
}
