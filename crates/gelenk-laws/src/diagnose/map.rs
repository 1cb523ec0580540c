//! The way from rest to sliding, and friction in steady sliding (kubisch 2.1.2).

use super::Scales;
use crate::Driven;

/// Shares of the break-away force at which the displacement is told.
pub const SHARES: [f64; 3] = [0.5, 0.9, 0.99];
/// Speeds of the map of steady friction, in multiples of [`Scales::speed`].
pub const SPEEDS: [f64; 7] = [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0];

/// Travel of the slow pull, in multiples of [`Scales::distance`].
const SHORTEST: f64 = 1e-6;
const LONGEST: f64 = 100.0;
/// Travel over which the slope at rest is taken, in the same multiples.
const SMALL: f64 = 1e-4;
/// Ratio of the travels at which the force is looked at.
const RATIO: f64 = 1.01;
/// Rise of the force over the second half of the pull, as a share of it, above which no break-away is in sight.
const RISING: f64 = 0.01;

/// Presliding and break-away of a law that holds a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Presliding {
    /// Slope of the force at rest (N/m, N m/rad); infinite for a law that sticks without moving.
    pub stiffness: f64,
    /// The largest force of a slow pull from rest (N, N m), what Kubisch calls stiction; with a mass and a fast ramp the
    /// body breaks away below it.
    pub breakaway: f64,
    /// Displacements from rest (m, rad) at which a slow pull has reached the [`SHARES`] of the break-away force.
    pub displacements: [f64; 3],
}

/// Friction in steady sliding at one speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// Speed (m/s, rad/s).
    pub speed: f64,
    /// Force against the motion forward (N, N m).
    pub forward: f64,
    /// Force against the motion backward, positive against it (N, N m).
    pub backward: f64,
}

/// What a law does between rest and sliding, measured by a pull at [`Scales::slow`]; `None` for a law that holds no load,
/// or whose force rises on and on. The law forgets its motion.
pub fn presliding(driven: &mut Driven, scales: &Scales) -> Option<Presliding> {
    let law = driven.law();
    if let Some(sticking) = law.sticking(driven.parameters()) {
        let (stiffness, displacements) = (f64::INFINITY, [0.0; 3]);
        return Some(Presliding { stiffness, breakaway: sticking.breakaway, displacements });
    }
    if !law.spec().properties.sticks {
        return None;
    }
    let pull = pulled(driven, scales);
    let &(longest, last) = pull.last()?;
    let half = pull.iter().find(|(x, _)| *x >= 0.5 * longest)?.1;
    let breakaway = pull.iter().map(|(_, force)| *force).fold(0.0, f64::max);
    if breakaway <= 0.0 || last - half > RISING * last.abs() {
        return None;
    }
    // The first point has what depends on the velocity alone; the slope is that from there on.
    let (&first, &next) = (pull.get(1)?, pull.iter().find(|(x, _)| *x >= SMALL * scales.distance)?);
    let stiffness = (next.1 - first.1) / (next.0 - first.0);
    let reached = |share: f64| {
        let level = share * breakaway;
        let k = pull.iter().position(|(_, force)| *force >= level).unwrap_or(0).max(1);
        let ((x0, f0), (x1, f1)) = (pull[k - 1], pull[k]);
        if f1 > f0 { x0 + (x1 - x0) * (level - f0) / (f1 - f0) } else { x1 }
    };
    Some(Presliding { stiffness, breakaway, displacements: SHARES.map(reached) })
}

/// Travel and force of a slow pull from rest, from `(0, 0)` on.
fn pulled(driven: &mut Driven, scales: &Scales) -> Vec<(f64, f64)> {
    driven.reset();
    let mut pull = vec![(0.0, 0.0)];
    let mut next = SHORTEST * scales.distance;
    while next < LONGEST * scales.distance {
        let way = next - driven.travel();
        let force = driven.step(scales.slow, way / scales.slow);
        pull.push((driven.travel(), force));
        next *= RATIO;
    }
    driven.reset();
    pull
}

/// The map of steady friction at the [`SPEEDS`].
pub fn steady(driven: &Driven, scales: &Scales) -> [Steady; 7] {
    let (law, p) = (driven.law(), driven.parameters());
    SPEEDS.map(|multiple| {
        let speed = multiple * scales.speed;
        Steady { speed, forward: law.steady(p, speed), backward: -law.steady(p, -speed) }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Friction;

    fn measured(law: Friction, given: &[(&str, &[f64])]) -> Option<Presliding> {
        let mut driven = Driven::with(law, given).unwrap();
        let scales = Scales::of(&mut driven);
        presliding(&mut driven, &scales)
    }

    /// K-R22, closed forms of the slow pull: bristles follow `F = F_S (1 - exp(-sigma0 x/F_S))`, so that a share `s` is
    /// reached at `-F_S/sigma0 ln(1 - s)`; the same for Dahl's law with its level.
    #[test]
    fn bristles_follow_their_exponential() {
        let lugre: &[(&str, &[f64])] = &[
            ("coulomb", &[1.0]),
            ("breakaway", &[1.5]),
            ("stribeck", &[1e-3]),
            ("sigma0", &[1e5]),
            ("viscous", &[0.4]),
        ];
        let dahl: &[(&str, &[f64])] = &[("coulomb", &[2.0]), ("sigma0", &[4e3])];
        for (law, given, level, sigma0) in
            [(Friction::LuGre, lugre, 1.5, 1e5), (Friction::Dahl, dahl, 2.0, 4e3)]
        {
            let found = measured(law, given).unwrap();
            assert!((found.stiffness / sigma0 - 1.0).abs() < 3e-4, "{found:?}");
            assert!((found.breakaway / level - 1.0).abs() < 1e-4, "{found:?}");
            for (share, x) in SHARES.into_iter().zip(found.displacements) {
                let expected = -level / sigma0 * (1.0 - share).ln();
                assert!((x / expected - 1.0).abs() < 2e-3, "{share}: {x} {expected}");
            }
        }
    }

    /// K-R22, closed form of Maxwell-slip: springs of 3, 2 and 1 N/m that slip at 0.3, 0.4 and 0.5 N stretch to 0.1, 0.2
    /// and 0.5 m. Half of the 1.2 N is reached at 0.1 m, 90 % (1.08 N) where only the softest spring holds.
    #[test]
    fn sliders_follow_their_corners() {
        let found =
            measured(Friction::MaxwellSlip, &[("stiffness", &[3.0, 2.0, 1.0]), ("level", &[0.3, 0.4, 0.5])])
                .unwrap();
        assert!((found.stiffness - 6.0).abs() < 1e-9 && (found.breakaway - 1.2).abs() < 1e-9, "{found:?}");
        for (x, expected) in found.displacements.into_iter().zip([0.1, 1.08 - 0.7, 1.188 - 0.7]) {
            assert!((x - expected).abs() < 5e-4, "{x} {expected}");
        }
    }

    /// K-R22 for every law of the registry: what sticks has a break-away force, displacements that grow with the share, and
    /// a steady friction that is finite; a law that holds no load has neither.
    #[test]
    fn every_law_has_a_map() {
        for &law in Friction::ALL {
            let mut driven = Driven::typical(law).unwrap();
            let scales = Scales::of(&mut driven);
            let name = law.spec().name;
            match presliding(&mut driven, &scales) {
                Some(found) => {
                    assert!(law.spec().properties.sticks, "{name}");
                    assert!(found.breakaway > 0.0 && found.stiffness > 0.0, "{name}: {found:?}");
                    let [a, b, c] = found.displacements;
                    assert!(0.0 <= a && a <= b && b <= c, "{name}: {found:?}");
                }
                None => assert!(!law.spec().properties.sticks || !law.spec().properties.bounded, "{name}"),
            }
            let map = steady(&driven, &scales);
            assert!(map.iter().all(|s| s.forward.is_finite() && s.backward.is_finite()), "{name}: {map:?}");
            assert!(map.iter().all(|s| s.forward == law.steady(driven.parameters(), s.speed)), "{name}");
        }
    }
}
