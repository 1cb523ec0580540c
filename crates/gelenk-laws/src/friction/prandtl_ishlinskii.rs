//! Prandtl-Ishlinskii hysteresis.

use gelenk_math::Lockstep;
use gelenk_record::Change;

use super::curve::{larger, sign, smaller};
use crate::contract::{Kind, Law, LawSpec, Memory, Modes, ParamSpec, Properties};
use crate::in_lanes;

/// A weighted sum of play operators of the displacement `x` (ruderman 3.12):
/// `F = sum rho_j y_j`, `y_j' = max(x - r_j, min(x + r_j, y_j))`.
///
/// Weights may be negative, and with `sum rho_j = 0` the force is bounded: one element with `r = 0` and the weight `k`
/// and others with negative weights that add up to `-k` make the Maxwell-slip hysteresis. With positive weights only
/// the force lags behind the displacement, as that of a magnet, and a cycle gives out energy.
///
/// States: the displacement, then the plays. The memory holds one flag a play: engaged backward, free, forward.
pub struct PrandtlIshlinskii;

/// Weights and radii.
#[inline]
fn split<T>(p: &[T]) -> (&[T], &[T]) {
    p.split_at(p.len() / 2)
}

/// One play operator.
#[inline]
pub(crate) fn play<T: Lockstep>(x: T, radius: T, y: T) -> T {
    larger(x - radius, smaller(x + radius, y))
}

impl Law for PrandtlIshlinskii {
    const SPEC: LawSpec = LawSpec {
        name: "prandtl-ishlinskii",
        title: "Prandtl-Ishlinskii hysteresis",
        equation: "F = sum rho_j y_j,  y_j' = max(x - r_j, min(x + r_j, y_j))",
        source: "ruderman 3.12; Prandtl 1928, Ishlinskii 1944",
        params: &[
            ParamSpec::positive("weight", "rho_j", Kind::Stiffness, "Stiffness of each play, of any sign.")
                .signed()
                .each()
                .typical(&[1e5, -4e4, -2.5e4, -1.5e4, -1.2e4, -8e3]),
            ParamSpec::positive("radius", "r_j", Kind::Displacement, "Half width of each play.")
                .or_zero()
                .each()
                .typical(&[0.0, 2.5e-6, 6e-6, 1.3e-5, 2.1e-5, 3.75e-5]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties {
            bounded: false,
            rate_independent: true,
            memory: Memory::NonLocal,
            drifts: false,
            ..Properties::BRISTLE
        },
    };

    fn states(elements: usize) -> usize {
        1 + elements
    }

    fn memory(elements: usize) -> usize {
        elements
    }

    fn switches(elements: usize) -> usize {
        elements
    }

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, dz: &mut [T]) -> T {
        let (weight, _) = split(p);
        dz[0] = v;
        let mut y = T::of(0.0);
        for (j, &weight) in weight.iter().enumerate() {
            dz[1 + j] = T::either(m[j].is(0.0), || T::of(0.0), || v);
            y += weight * z[1 + j];
        }
        y
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let (weight, radius) = split(p);
        z1[0] = z[0] + v * T::of(h);
        let mut y = T::of(0.0);
        for j in 0..weight.len() {
            z1[1 + j] = play(z1[0], radius[j], z[1 + j]);
            y += weight[j] * z1[1 + j];
        }
        y
    }

    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        for (j, &radius) in split(p).1.iter().enumerate() {
            let ahead = z[0] - z[1 + j];
            let tight = ahead.abs() >= radius * (1.0 - 1e-12);
            m[j] = if tight && (v * ahead > 0.0 || radius == 0.0) { sign(v) } else { 0.0 };
        }
    }

    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        for (j, &radius) in split(p).1.iter().enumerate() {
            g[j] = if m[j] == 0.0 { radius - (z[0] - z[1 + j]).abs() } else { m[j] * v };
        }
    }

    fn switch(p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        let radius = split(p).1[index];
        if radius == 0.0 {
            // A play without width is always engaged.
            m[index] = if m[index] < 0.0 { 1.0 } else { -1.0 };
            z[1 + index] = z[0];
            Some(Change::PlayReverses)
        } else if m[index] == 0.0 {
            m[index] = sign(z[0] - z[1 + index]);
            z[1 + index] = z[0] - m[index] * radius;
            Some(Change::PlayEngages)
        } else {
            // A hair inside, so that rounding does not close it again.
            z[1 + index] = z[0] - m[index] * radius * (1.0 - 1e-12);
            m[index] = 0.0;
            Some(Change::PlayOpens)
        }
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        let largest = split(p).1.iter().copied().fold(0.0, f64::max);
        scale.fill(if largest > 0.0 { largest } else { 1.0 });
    }

    /// The hysteretic part `-sum rho_j r_j`; with weights that do not cancel the force also grows with the displacement.
    fn steady(p: &[f64], v: f64) -> f64 {
        let (weight, radius) = split(p);
        -sign(v) * weight.iter().zip(radius).map(|(weight, radius)| weight * radius).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Driven, Friction};

    /// RU-R9: with weights `k, -k_1, -k_2, ...` it is the Maxwell-slip hysteresis with `W_i = k_i r_i`.
    #[test]
    fn stops_are_maxwell_slip() {
        let pi = [6.0, -3.0, -2.0, -1.0, 0.0, 0.1, 0.25, 0.9];
        let maxwell = [3.0, 2.0, 1.0, 0.3, 0.5, 0.9];
        let mut a = Driven::new(Friction::PrandtlIshlinskii, &pi, 4).unwrap();
        let mut b = Driven::new(Friction::MaxwellSlip, &maxwell, 3).unwrap();
        for k in 0..2000 {
            let v =
                (0.01 * f64::from(k)).sin() * (1.0 + 0.001 * f64::from(k)) + (0.0231 * f64::from(k)).sin();
            assert!((a.step(v, 0.01) - b.step(v, 0.01)).abs() < 1e-12);
        }
        assert!((PrandtlIshlinskii::steady(&pi, 1.0) - 1.7).abs() < 1e-12);
    }
}
