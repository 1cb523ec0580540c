//! A spring behind a play.

use gelenk_math::Lockstep;
use gelenk_record::Change;

use super::curve::sign;
use super::prandtl_ishlinskii::play;
use crate::contract::{Kind, Law, LawSpec, Memory, Modes, ParamSpec, Properties, fixed};
use crate::in_lanes;

/// The play operator with a stiffness: `F = k y`, `y' = max(x - r, min(x + r, y))` (ruderman 3.12). The force lags
/// behind the displacement by the half width, so a cycle gives out energy: it is a building block for comparison, not a
/// friction law by itself. With a spring in front the difference `k (x - y)` is the Maxwell element, which does
/// dissipate.
///
/// States: the displacement and the play. The memory: engaged backward, free, forward.
pub struct Play;

impl Law for Play {
    const SPEC: LawSpec = LawSpec {
        name: "play",
        title: "Play with a spring",
        equation: "F = k y,  y' = max(x - r, min(x + r, y))",
        source: "ruderman 3.12",
        params: &[
            ParamSpec::positive("stiffness", "k", Kind::Stiffness, "Stiffness of the spring.")
                .typical(&[1e5]),
            ParamSpec::positive("radius", "r", Kind::Displacement, "Half width of the play.")
                .typical(&[5e-6]),
        ],
        modes: Modes { continuous: true, stepped: true },
        properties: Properties {
            bounded: false,
            rate_independent: true,
            memory: Memory::NonLocal,
            drifts: false,
            sticks: false,
            passive: false,
            ..Properties::BRISTLE
        },
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

    in_lanes! {}

    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, dz: &mut [T]) -> T {
        dz[0] = v;
        dz[1] = T::either(m[0].is(0.0), || T::of(0.0), || v);
        p[0] * z[1]
    }

    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], _: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T {
        z1[0] = z[0] + v * T::of(h);
        z1[1] = play(z1[0], p[1], z[1]);
        p[0] * z1[1]
    }

    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        let ahead = z[0] - z[1];
        m[0] = if ahead.abs() >= p[1] * (1.0 - 1e-12) && v * ahead > 0.0 { sign(v) } else { 0.0 };
    }

    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        g[0] = if m[0] == 0.0 { p[1] - (z[0] - z[1]).abs() } else { m[0] * v };
    }

    fn switch(p: &[f64], _: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        if m[0] == 0.0 {
            m[0] = sign(z[0] - z[1]);
            z[1] = z[0] - m[0] * p[1];
            Some(Change::PlayEngages)
        } else {
            // A hair inside, so that rounding does not close it again.
            z[1] = z[0] - m[0] * p[1] * (1.0 - 1e-12);
            m[0] = 0.0;
            Some(Change::PlayOpens)
        }
    }

    fn scale(p: &[f64], scale: &mut [f64]) {
        scale.fill(p[1]);
    }

    /// The lag `-k r`; the force also grows with the displacement.
    fn steady(p: &[f64], v: f64) -> f64 {
        let [k, radius]: [f64; 2] = fixed(p);
        -sign(v) * k * radius
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{Driven, Friction};

    /// RU-R9: out to 3, back by less and by more than the width `2 r = 1` (closed form).
    #[test]
    fn force_waits_for_the_width() {
        let mut law = Driven::new(Friction::Play, &[2.0, 0.5], 0).unwrap();
        for (dx, expected) in [(0.4, 0.0), (2.6, 5.0), (-0.8, 5.0), (-0.7, 4.0), (0.5, 4.0)] {
            assert!((law.step(dx, 1.0) - expected).abs() < 1e-14);
        }
    }

    /// A cycle of amplitude `A` gives out `4 k r (A - r)`: the loop runs the other way round than friction's.
    #[test]
    fn a_cycle_gives_out_energy() {
        let mut law = Driven::new(Friction::Play, &[2.0, 0.5], 0).unwrap();
        let mut run = |dx: f64| {
            law.run(dx / 1000.0, 1.0, 1000);
            law.work()
        };
        run(3.0);
        run(-6.0);
        let before = run(6.0);
        run(-6.0);
        assert!((run(6.0) - before + 4.0 * 2.0 * 0.5 * 2.5).abs() < 1e-3);
    }
}
