//! Events, impacts and samples.

use gelenk_solve::Method;
use gelenk_solve::problems::{BouncingBall, FrictionOscillator, SampledIntegrator};

use super::common::{CONTROLLED, EXPLICIT, at, begin, error, nanos};

/// The ball is where its flights have brought it (closed form), also behind twenty impacts, and rests behind the
/// accumulation point at `3 sqrt(2/g)`.
#[test]
fn a_ball_bounces_and_rests() {
    let ball = BouncingBall::default();
    let rest = 3.0 * (2.0f64 / 9.81).sqrt();
    let fixed = EXPLICIT.into_iter().skip(1).map(|(name, _, of)| (name, of(nanos(1e-3))));
    let controlled = CONTROLLED.into_iter().map(|(name, of)| (name, of(1e-9)));
    for (name, method) in fixed.chain(controlled) {
        for t in [0.3, 0.5, 1.0, 1.3, rest * (1.0 - 1e-6)] {
            let off = error(&at(&ball, method, t), &BouncingBall::exact(t));
            assert!(off < 1e-8, "{name} at {t}: {off}");
        }
        let mut simulation = begin(&ball, method);
        simulation.advance_to(nanos(2.0)).unwrap();
        assert_eq!(simulation.state(), [0.0, 0.0], "{name}");
        // Rebounds halve the speed of 4.4 m/s down to 1e-9 m/s: 32 impacts, the last one to rest.
        assert_eq!(simulation.summary().events, 33, "{name}");
    }
}

/// Rest after seven turns (closed form), at a place that does not move by a bit any more.
#[test]
fn friction_sticks() {
    let oscillator = FrictionOscillator::default();
    for (name, of) in CONTROLLED {
        let mut simulation = begin(&oscillator, of(1e-10));
        simulation.advance_to(nanos(30.0)).unwrap();
        let rest = simulation.state().to_vec();
        assert!(error(&rest, &[FrictionOscillator::REST, 0.0]) < 1e-7, "{name}: {rest:?}");
        assert_eq!(simulation.summary().events, 8, "{name}");
        simulation.advance_to(nanos(100.0)).unwrap();
        assert_eq!(simulation.state(), rest, "{name}");
    }
}

/// In the stepped modes it comes to rest near the place, sticks, and does not move by a bit any more. The place follows from the
/// amplitudes only, which the method of order 2 damps with order 3 (its amplification is 1 - O(h^4) in a step).
#[test]
fn friction_sticks_in_stepped_modes() {
    let oscillator = FrictionOscillator::default();
    let rest = |method: Method| {
        let mut simulation = begin(&oscillator, method);
        simulation.advance_to(nanos(30.0)).unwrap();
        let rest = simulation.state().to_vec();
        assert_eq!((rest[1], simulation.memory()[0]), (0.0, 0.0), "{method:?}");
        simulation.advance_to(nanos(100.0)).unwrap();
        assert_eq!(simulation.state(), rest, "{method:?}");
        (rest[0] - FrictionOscillator::REST).abs()
    };
    let [coarse, fine] = [2e-3, 1e-3].map(|step| rest(Method::Stepped { step: nanos(step) }));
    assert!(fine < 0.1 && (coarse / fine - 2.0).abs() < 0.3, "{coarse} {fine}");
    let [coarse, fine] = [2e-2, 1e-2].map(|step| rest(Method::Stepped2 { step: nanos(step) }));
    assert!(fine < 1e-3 && (coarse / fine - 8.0).abs() < 0.5, "{coarse} {fine}");
}

/// The sampled loop follows the powers of its discrete matrix, in every method of order two or more to rounding: between
/// two samples the force is constant.
#[test]
fn samples_are_held() {
    let integrator = SampledIntegrator::default();
    let fixed = EXPLICIT.into_iter().skip(1).map(|(_, _, of)| of(nanos(0.03)));
    for method in fixed.chain(CONTROLLED.into_iter().map(|(_, of)| of(1e-9))) {
        let mut simulation = begin(&integrator, method);
        for periods in 1..=50 {
            simulation.advance_to(nanos(0.1 * periods as f64)).unwrap();
            let off = error(simulation.state(), &SampledIntegrator::exact(periods));
            assert!(off < 1e-13, "{method:?} after {periods}: {off}");
        }
        assert_eq!(simulation.summary().samples, 51);
    }
}

/// A system without a stepped form says so.
#[test]
fn what_has_no_stepped_form_refuses_it() {
    let ball = BouncingBall::default();
    let mut simulation = begin(&ball, Method::Stepped { step: nanos(1e-3) });
    let error = simulation.advance_to(nanos(0.1)).unwrap_err().to_string();
    assert_eq!(error, "the system: it has no stepped form; use a continuous solver");
}
