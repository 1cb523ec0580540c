//! Maxwell-slip (Iwan) hysteresis.

use gelenk_math::{Lockstep, Real};
use gelenk_record::Change;

use crate::contract::{Kind, Law, LawSpec, Memory, Modes, ParamSpec, Properties};
use crate::in_lanes;

/// Parallel massless sliders on springs, with non-local memory (ruderman 3.2).
///
/// ```text
/// dz_i/dt = k_i v   while the element sticks, |z_i| < W_i
/// dz_i/dt = 0       while it slips, until the velocity reverses
/// F = sum z_i
/// ```
///
/// The states are the element forces, the memory holds one slip flag an element (-1, 0, +1). The stepped
/// form `z_i' = clamp(z_i + k_i v h, -W_i, W_i)` is exact for any motion that does not reverse inside
/// the step.
pub struct MaxwellSlip;

/// Stiffnesses and levels of the elements.
#[inline]
fn split<T>(p: &[T]) -> (&[T], &[T]) {
    p.split_at(p.len() / 2)
}

impl Law for MaxwellSlip {
    const SPEC: LawSpec = LawSpec {
        name: "maxwell-slip",
        title: "Maxwell-slip hysteresis",
        equation: "F = sum z_i,  dz_i/dt = k_i v while |z_i| < W_i, else 0 until v reverses",
        source: "ruderman 3.2; Iwan 1966",
        params: &[
            ParamSpec::positive("stiffness", "k_i", Kind::Stiffness, "Stiffness of each element.")
                .each()
                .typical(&[4e4, 2.5e4, 1.5e4, 1.2e4, 8e3]),
            ParamSpec::positive("level", "W_i", Kind::Effort, "Effort at which each element slips.")
                .each()
                .typical(&[0.1, 0.15, 0.2, 0.25, 0.3]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties {
            bounded: true,
            odd: true,
            rate_independent: true,
            memory: Memory::NonLocal,
            drifts: false,
            sticks: true,
            passive: true,
        },
    };

    fn states(elements: usize) -> usize {
        elements
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
        let (stiffness, _) = split(p);
        let mut y = T::of(0.0);
        for (i, &k) in stiffness.iter().enumerate() {
            dz[i] = T::either(m[i].is(0.0), || k * v, || T::of(0.0));
            y += z[i];
        }
        y
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        let (stiffness, level) = split(p);
        let mut y = T::of(0.0);
        for i in 0..stiffness.len() {
            let trial = z[i] + stiffness[i] * v * T::of(h);
            let upper = T::either(trial.above(level[i]), || level[i], || trial);
            z1[i] = T::either(trial.below(-level[i]), || -level[i], || upper);
            y += z1[i];
        }
        y
    }

    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        let (_, level) = split(p);
        for i in 0..level.len() {
            let at_level = z[i].abs() >= level[i] * (1.0 - 1e-12);
            m[i] = if at_level && v * z[i] > 0.0 { z[i].signum() } else { 0.0 };
        }
    }

    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        let (_, level) = split(p);
        for i in 0..level.len() {
            g[i] = if m[i] == 0.0 { level[i] - z[i].abs() } else { m[i] * v };
        }
    }

    fn switch(p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        let (_, level) = split(p);
        if m[index] == 0.0 {
            m[index] = z[index].signum();
            z[index] = m[index] * level[index];
            Some(Change::ElementSlips)
        } else {
            m[index] = 0.0;
            Some(Change::ElementSticks)
        }
    }

    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        let (stiffness, _) = split(p);
        let mut energy = T::c(0.0);
        for (&k, &force) in stiffness.iter().zip(z) {
            energy += force * force / (T::c(2.0) * k);
        }
        energy
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.copy_from_slice(split(p).1);
    }

    fn steady(p: &[f64], v: f64) -> f64 {
        if v == 0.0 { 0.0 } else { v.signum() * split(p).1.iter().sum::<f64>() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 6] = [3.0, 2.0, 1.0, 0.3, 0.5, 0.9];

    fn drive(z: &mut [f64; 3], path: &[f64]) -> f64 {
        let mut y = 0.0;
        for &dx in path {
            let old = *z;
            y = MaxwellSlip::advance(&P, &old, &[], dx, 1.0, z);
        }
        y
    }

    /// RU-R6: minor loops close at their departure point and the outer branch resumes (non-local memory).
    #[test]
    fn minor_loop_closes_and_is_wiped_out() {
        let (mut plain, mut looped) = ([0.0; 3], [0.0; 3]);
        let departed = drive(&mut looped, &[0.4]);
        let closed = drive(&mut looped, &[-0.15, 0.15]);
        assert!((departed - closed).abs() < 1e-15);
        assert!((drive(&mut plain, &[0.7]) - drive(&mut looped, &[0.3])).abs() < 1e-15);
    }

    /// Virgin curve in closed form: the sum of `min(k_i x, W_i)`.
    #[test]
    fn virgin_curve_is_piecewise_linear() {
        let x = 0.3;
        let expected: f64 = (0..3).map(|i| (P[i] * x).min(P[i + 3])).sum();
        assert!((drive(&mut [0.0; 3], &[0.1, 0.2]) - expected).abs() < 1e-15);
    }

    /// Both forms agree over a path with reversals when the events are handled.
    #[test]
    fn continuous_form_with_events_equals_stepped_form() {
        let (mut z, mut m, mut exact) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        MaxwellSlip::commit(&P, &z, 0.0, &mut m);
        let h = 1e-4;
        for step in 0..30_000 {
            let v = (step as f64 * h * 4.0).sin();
            let mut g = [0.0; 3];
            MaxwellSlip::switching(&P, &z, &m, v, &mut g);
            for (i, g) in g.iter().enumerate() {
                if *g < 0.0 {
                    MaxwellSlip::switch(&P, i, &mut z, &mut m);
                }
            }
            let mut dz = [0.0; 3];
            MaxwellSlip::rate(&P, &z, &m, v, &mut dz);
            for i in 0..3 {
                z[i] += h * dz[i];
            }
            let old = exact;
            MaxwellSlip::advance(&P, &old, &[], v, h, &mut exact);
        }
        for i in 0..3 {
            assert!((z[i] - exact[i]).abs() < 2.0 * P[i] * h, "{z:?} {exact:?}");
        }
    }
}
