//! At which distance, speed and force a law shows what it does.

use crate::Driven;
use crate::contract::Kind;

/// Magnitudes at which experiments on a law are worthwhile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// Travel from rest over which the stiffness falls to a tenth (m, rad); that of a parameter, or 1 mm, for a law
    /// without.
    pub distance: f64,
    /// Smallest speed among the parameters (m/s, rad/s), or 0.01.
    pub speed: f64,
    /// A speed at which damping and viscous shares do not count (m/s, rad/s).
    pub slow: f64,
    /// Force in steady sliding (N, N m).
    pub force: f64,
}

impl Scales {
    /// The scales of a law, found by moving it; it forgets its motion.
    pub fn of(driven: &mut Driven) -> Self {
        let law = driven.law();
        let p = driven.parameters().to_vec();
        let lists = law.spec().params.iter().filter(|param| param.per_element).count();
        let single = law.spec().params.len() - lists;
        let elements = p.len().saturating_sub(single) / lists.max(1);
        let owners = law
            .spec()
            .params
            .iter()
            .flat_map(|param| std::iter::repeat_n(param, if param.per_element { elements } else { 1 }));
        let of_kind: Vec<(Kind, f64)> = owners.zip(&p).map(|(param, value)| (param.kind, *value)).collect();
        let usable = |kind: Kind| {
            of_kind
                .iter()
                .filter(move |(k, value)| *k == kind && *value > 0.0 && value.is_finite())
                .map(|(_, value)| *value)
        };
        let speed = usable(Kind::Rate).fold(f64::INFINITY, f64::min);
        let speed = if speed.is_finite() { speed } else { 0.01 };
        let damping = usable(Kind::Damping).fold(0.0, f64::max);
        let steady = law.steady(&p, speed).abs();
        let effort = usable(Kind::Effort).fold(0.0, f64::max).max(steady).max(f64::MIN_POSITIVE);
        let slow = (1e-3 * speed).min(if damping > 0.0 { 1e-5 * effort / damping } else { f64::INFINITY });
        let largest = usable(Kind::Displacement).fold(0.0, f64::max);
        let distance = softening(driven, slow);
        driven.reset();
        let distance = distance.unwrap_or(if largest > 0.0 { largest } else { 1e-3 });
        let force = if steady > 0.0 { steady } else { effort };
        Self { distance, speed, slow, force }
    }
}

/// Travel after which the stiffness has fallen below a tenth of what it was at first.
fn softening(driven: &mut Driven, slow: f64) -> Option<f64> {
    driven.reset();
    let mut step = 1e-12;
    // The first step brings what depends on the velocity alone; the second shows the stiffness.
    let sliding = driven.step(slow, step / slow);
    let first = (driven.step(slow, step / slow) - sliding) / step;
    if !(first > 0.0 && first.is_finite()) {
        return None;
    }
    for _ in 0..400 {
        let before = driven.effort();
        let stiffness = (driven.step(slow, step / slow) - before) / step;
        if stiffness < 0.1 * first {
            let travel = located(driven, slow, driven.travel(), 0.1 * first);
            // Where it softens at once there is no presliding to speak of.
            return (travel > 1e-9).then_some(travel);
        }
        step *= 1.12;
        if step > 1e3 {
            return None;
        }
    }
    None
}

/// Where the stiffness falls below a level before the travel `end`, in even steps: those that found the end are a good part of
/// the travel, and stepped forms err with their length.
fn located(driven: &mut Driven, slow: f64, end: f64, level: f64) -> f64 {
    const STEPS: usize = 20_000;
    let step = end / STEPS as f64;
    driven.reset();
    driven.step(slow, step / slow);
    for _ in 0..STEPS {
        let before = driven.effort();
        if (driven.step(slow, step / slow) - before) / step < level {
            break;
        }
    }
    driven.travel() - 0.5 * step
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Friction;

    /// Closed form: the bristle of LuGre at `v -> 0` follows `F_S (1 - exp(-sigma0 x/F_S))`, so that its stiffness has
    /// fallen to a tenth at `x = ln(10) F_S/sigma0`.
    #[test]
    fn distance_of_the_bristle_is_found() {
        let given: [(&str, &[f64]); 4] =
            [("breakaway", &[1.5]), ("stribeck", &[1e-3]), ("sigma0", &[1e5]), ("viscous", &[0.4])];
        let scales = Scales::of(&mut Driven::with(Friction::LuGre, &given).unwrap());
        let expected = 10f64.ln() * 1.5 / 1e5;
        // The step with which the stiffness at rest is found shows as a part of ten thousand.
        assert!((scales.distance / expected - 1.0).abs() < 1e-3, "{scales:?} {expected}");
        assert_eq!(scales.speed, 1e-3);
    }

    /// Closed forms: Dahl with `F_C = 1` at `ln(10)/sigma0`, one slider of Maxwell's at `level/stiffness`. On a grid of 12 %
    /// they were 8 to 17 % too large.
    #[test]
    fn distances_are_as_good_as_their_digits() {
        for (sigma0, expected) in [(50.0, 10f64.ln() / 50.0), (52.0, 10f64.ln() / 52.0)] {
            let given: [(&str, &[f64]); 2] = [("sigma0", &[sigma0]), ("coulomb", &[1.0])];
            let distance = Scales::of(&mut Driven::with(Friction::Dahl, &given).unwrap()).distance;
            assert!((distance / expected - 1.0).abs() < 2e-4, "{distance} {expected}");
        }
        let given: [(&str, &[f64]); 2] = [("stiffness", &[50.0]), ("level", &[1.0])];
        let distance = Scales::of(&mut Driven::with(Friction::MaxwellSlip, &given).unwrap()).distance;
        assert!((distance / 0.02 - 1.0).abs() < 1e-4, "{distance}");
    }

    #[test]
    fn a_law_without_presliding_has_a_default() {
        assert_eq!(Scales::of(&mut Driven::typical(Friction::Coulomb).unwrap()).distance, 1e-3);
    }
}
