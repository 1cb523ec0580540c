//! Frictional lag: friction differs between rising and falling speed.

use super::Sample;
use crate::Driven;

/// A lag loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Lag {
    /// Force at the mean speed while it rises (N, N m).
    pub rising: f64,
    /// Force at the mean speed while it falls (N, N m).
    pub falling: f64,
    /// The last cycle.
    pub cycle: Vec<Sample>,
}

/// Drives the law at `v = mean + amplitude sin(2 pi f t)` for three cycles of `samples` steps and looks at the third
/// (ruderman 3.8, RU-18).
///
/// `amplitude` below `mean` keeps the direction. The samples are taken at the middles of the steps, where the velocity
/// of a step holds to second order.
pub fn lag(driven: &mut Driven, mean: f64, amplitude: f64, f: f64, samples: usize) -> Lag {
    driven.reset();
    let samples = samples.max(8);
    let h = 1.0 / (f * samples as f64);
    let mut cycle = Vec::with_capacity(samples);
    for k in 0..3 * samples {
        let t = (k as f64 + 0.5) * h;
        let v = mean + amplitude * (2.0 * std::f64::consts::PI * f * t).sin();
        driven.step(v, h);
        if k >= 2 * samples {
            cycle.push(Sample { t, x: driven.travel(), v, force: driven.effort() });
        }
    }
    let at = |k: usize| cycle.get(k % samples).map_or(0.0, |s| s.force);
    // The mean speed lies between two samples.
    let rising = 0.5 * (at(0) + at(samples - 1));
    let falling = 0.5 * (at(samples / 2) + at(samples / 2 - 1));
    Lag { rising, falling, cycle }
}

/// Interpolates the force of a lag cycle at speed `v`: on the rising, then on the falling branch.
pub fn at_speed(cycle: &[Sample], v: f64) -> (Option<f64>, Option<f64>) {
    let mut found = (None, None);
    for pair in cycle.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        if (a.v - v) * (b.v - v) > 0.0 || a.v == b.v {
            continue;
        }
        let force = a.force + (b.force - a.force) * (v - a.v) / (b.v - a.v);
        if b.v > a.v {
            found.0 = Some(force);
        } else {
            found.1 = Some(force);
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Friction;

    /// RU-R15: a bristle lags: more friction while the speed rises than while it falls (ruderman 3.8, test 4); without
    /// a state there is none.
    #[test]
    fn bristles_lag_and_curves_do_not() {
        let mut bristles =
            Driven::with(Friction::LuGre, &[("stribeck", &[0.1]), ("sigma0", &[50.0])]).unwrap();
        let loops = lag(&mut bristles, 0.2, 0.15, 1.0, 4000);
        assert!(loops.rising > loops.falling + 0.01, "{} {}", loops.rising, loops.falling);
        let (rising, falling) = at_speed(&loops.cycle, 0.1);
        assert!(rising > falling && falling.is_some());
        let none =
            lag(&mut Driven::with(Friction::Viscous, &[("viscous", &[2.0])]).unwrap(), 0.2, 0.15, 1.0, 400);
        assert!((none.rising - none.falling).abs() < 1e-9);
    }
}
