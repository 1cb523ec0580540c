//! Bounds, failures, rank and determinism of the least-squares fit.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gelenk_estimate::{Fit, FitError, FitOptions, StopReason, Unknown, least_squares};

fn free(name: &str, start: f64) -> Unknown {
    Unknown::new(name, start, f64::NEG_INFINITY, f64::INFINITY)
}

fn fit(
    unknowns: &[Unknown],
    residual: impl Fn(&[f64]) -> Result<Vec<f64>, String> + Sync,
) -> Result<Fit, FitError> {
    least_squares(unknowns, &residual, &FitOptions::default(), &mut |_| {})
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} instead of {want}");
}

/// RU-R24: linear least squares with weights, without and with an active bound.
///
/// The line `y = a + b x` through (0, 1), (1, 2), (2, 4) with the weights 1, 1, 4
/// has the normal equations `6a + 9b = 19`, `9a + 17b = 34`, so `a = 17/21` and
/// `b = 33/21` (closed form). With `b <= 1.5` the bound is active and
/// `a = (19 - 13.5)/6 = 11/12`.
#[test]
fn ru_r24_weighted_line_with_and_without_an_active_bound() {
    let samples = [(0.0, 1.0, 1.0), (1.0, 2.0, 1.0), (2.0, 4.0, 4.0)];
    let residual = |v: &[f64]| {
        let weighted = |&(x, y, w): &(f64, f64, f64)| f64::sqrt(w) * (v[0] + v[1] * x - y);
        Ok(samples.iter().map(weighted).collect())
    };
    let open = fit(&[free("a", 0.0), free("b", 0.0)], residual).unwrap();
    close(open.values[0], 17.0 / 21.0, 1e-8);
    close(open.values[1], 33.0 / 21.0, 1e-8);
    assert_eq!(open.at_bound, [false, false]);
    // Covariance 2 cost / (3 - 2) N^-1 with N^-1 = [[17, -9], [-9, 6]] / 21.
    close(open.standard_errors[1].unwrap(), (2.0 * open.cost * 6.0 / 21.0).sqrt(), 1e-8);
    close(open.correlation_of(0, 1).unwrap(), -9.0 / (17.0_f64 * 6.0).sqrt(), 1e-8);

    // From inside, from the bound itself, and from the far bound.
    for start in [0.3, 1.5, -4.0] {
        let unknowns = [free("a", 0.0), Unknown::new("b", start, -4.0, 1.5)];
        let bounded = fit(&unknowns, residual).unwrap();
        assert!(bounded.stop.converged(), "{bounded:?}");
        close(bounded.values[0], 11.0 / 12.0, 1e-8);
        assert_eq!(bounded.values[1], 1.5);
        assert_eq!(bounded.at_bound, [false, true]);
        assert_eq!(bounded.standard_errors[1], None);
        assert_eq!(bounded.correlation_of(0, 1), None);
        // One free unknown: variance 2 cost / (3 - 1), divided by the weights' sum.
        close(bounded.standard_errors[0].unwrap(), (bounded.cost / 6.0).sqrt(), 1e-8);
        assert!(bounded.unidentifiable.is_empty() && bounded.rank == 2);
    }
}

/// RU-R24: Levenberg-Marquardt on Rosenbrock's valley with a bound that the
/// valley crosses. With `x <= 0.5` the minimum is (0.5, 0.25) with the cost
/// `(1 - 0.5)^2 / 2` (closed form); with `y <= 0.25` too it is the same corner.
#[test]
fn ru_r24_curved_valley_against_bounds() {
    let residual = |v: &[f64]| Ok(vec![10.0 * (v[1] - v[0] * v[0]), 1.0 - v[0]]);
    let inside = fit(&[free("x", -1.2), free("y", 1.0)], residual).unwrap();
    close(inside.values[0], 1.0, 1e-8);
    close(inside.values[1], 1.0, 1e-8);
    assert_eq!(inside.standard_errors, [None, None], "no spare sample");
    for upper in [5.0, 0.25] {
        let unknowns = [Unknown::new("x", -1.2, -2.0, 0.5), Unknown::new("y", 0.1, -1.0, upper)];
        let bounded = fit(&unknowns, residual).unwrap();
        assert!(bounded.stop.converged(), "{bounded:?}");
        assert_eq!(bounded.values[0], 0.5);
        close(bounded.values[1], 0.25, 1e-8);
        close(bounded.cost, 0.125, 1e-12);
    }
}

#[test]
fn the_residual_is_never_called_outside_the_bounds() {
    let seen = Mutex::new(Vec::new());
    let unknowns = [
        Unknown::new("a", 1.0, 1.0, 3.0),
        Unknown::new("b", 2.0, 1e-3, 2.0).on_log_scale(),
        Unknown::new("c", 1.0, 1.0, 1.0 + 1e-9),
    ];
    let result = fit(&unknowns, |v| {
        seen.lock().unwrap().push(v.to_vec());
        Ok(vec![v[0] - 5.0, v[1] + 1.0, v[2], v[0] * v[1]])
    });
    assert!(result.unwrap().stop.converged());
    for v in seen.into_inner().unwrap() {
        for (unknown, value) in unknowns.iter().zip(v) {
            assert!(unknown.lower <= value && value <= unknown.upper);
        }
    }
}

/// From x = 20 the full step for `ln x = 1` leads to about -20, where there is no
/// logarithm. The root is e.
#[test]
fn a_failing_trial_point_is_a_rejected_step() {
    for nan in [false, true] {
        let failures = AtomicUsize::new(0);
        let residual = |v: &[f64]| {
            if v[0] > 0.0 {
                return Ok(vec![v[0].ln() - 1.0]);
            }
            failures.fetch_add(1, Ordering::Relaxed);
            if nan { Ok(vec![v[0].ln()]) } else { Err("no logarithm".to_owned()) }
        };
        let mut rejected = 0;
        let options = FitOptions::default();
        let fit = least_squares(&[free("x", 20.0)], &residual, &options, &mut |p| {
            rejected += usize::from(!p.accepted);
        })
        .unwrap();
        assert!(fit.stop.converged(), "{fit:?}");
        close(fit.values[0], std::f64::consts::E, 1e-8);
        assert!(failures.into_inner() > 0 && rejected > 0);
    }
}

/// A trial point that can be computed but has no derivative is not taken: beyond
/// x = 1 only whole numbers are allowed, and the bound makes the first step end
/// at 2 exactly.
#[test]
fn a_point_without_derivative_is_a_rejected_step() {
    let residual = |v: &[f64]| match v[0] {
        x if x > 1.0 && x.fract() != 0.0 => Err("between the teeth".to_owned()),
        x => Ok(vec![x - 5.0]),
    };
    let unknowns = [Unknown::new("x", 0.0, 0.0, 2.0)];
    let fit = fit(&unknowns, residual).unwrap();
    assert_eq!(fit.stop, StopReason::ResidualFails("between the teeth".to_owned()));
    assert!(fit.values[0] <= 1.0, "{fit:?}");
}

#[test]
fn a_wall_of_failures_ends_the_search_with_its_message() {
    let wall = |v: &[f64]| match v[0] {
        x if x > 1.0 => Err("the spring broke".to_owned()),
        x => Ok(vec![x - 2.0, 0.5]),
    };
    let result = fit(&[free("x", 0.0)], wall).unwrap();
    assert_eq!(result.stop, StopReason::ResidualFails("the spring broke".to_owned()));
    assert!(!result.stop.converged());
    assert!(result.values[0] > 0.99 && result.values[0] <= 1.0, "{result:?}");

    let blocked = fit(&[free("x", 5.0)], wall).unwrap_err();
    assert_eq!(
        blocked.to_string(),
        "the residual cannot be computed at the start (x = 5.0): the spring broke; \
         start from values for which it can"
    );
    let infinite = fit(&[free("x", 5.0)], |_| Ok(vec![0.0, f64::INFINITY])).unwrap_err();
    assert!(infinite.to_string().contains("component 1 of the residual is not finite"));
    let alone = fit(&[free("x", 5.0), free("y", 1.0)], |v| {
        if v[1] == 1.0 { Ok(vec![v[0]]) } else { Err("no".to_owned()) }
    });
    assert!(matches!(alone.unwrap_err(), FitError::DerivativeAtStart { name, .. } if name == "y"));
}

#[test]
fn a_residual_of_changing_length_is_refused() {
    let growing = |v: &[f64]| Ok(vec![v[0]; if v[0] == 3.0 { 2 } else { 4 }]);
    let error = fit(&[free("x", 3.0)], growing).unwrap_err();
    assert!(
        matches!(&error, FitError::ResidualLength { expected: 2, got: 4, values } if values.starts_with("x = ")),
        "{error}"
    );
    assert_eq!(fit(&[free("x", 3.0)], |_| Ok(vec![])), Err(FitError::EmptyResidual));
}

#[test]
fn unknowns_that_the_residual_does_not_determine_are_named() {
    // Only a + b and c matter; d does nothing. a + b = 2.5 on average, c = 2.
    let residual = |v: &[f64]| {
        Ok((0..6)
            .map(|i| {
                let noise = if i % 2 == 0 { 0.1 } else { -0.1 };
                v[0] + v[1] - 2.5 + (v[2] - 2.0) * f64::from(i) + noise
            })
            .collect())
    };
    let unknowns = [Unknown::new("a", 1.0, 0.0, 9.0), free("b", 1.0), free("c", 0.0), free("d", 7.0)];
    let fit = fit(&unknowns, residual).unwrap();
    assert!(fit.stop.converged());
    assert_eq!(fit.rank, 2);
    assert_eq!(fit.unidentifiable, ["a", "b", "d"]);
    assert_eq!(fit.standard_errors[0], None);
    assert_eq!(fit.standard_errors[1], None);
    assert_eq!(fit.standard_errors[3], None);
    assert_eq!(fit.values[3], 7.0, "an unknown without influence stays");
    // Variance of a slope over x = 0..5: s^2 / 17.5, s^2 = 2 cost / (6 - 2).
    close(fit.standard_errors[2].unwrap(), (2.0 * fit.cost / 4.0 / 17.5).sqrt(), 1e-8);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let residual = |v: &[f64]| {
        Ok((0..200)
            .map(|i| {
                let t = f64::from(i) * 0.05;
                let data = 1.3 * (-0.4 * t).exp() * (2.0 * t + 0.3).sin() + 0.01 * (37.0 * t).sin();
                v[0] * (-v[1] * t).exp() * (v[2] * t + v[3]).sin() - data
            })
            .collect())
    };
    let unknowns = [
        free("amplitude", 1.0),
        Unknown::new("decay", 0.1, 1e-4, 10.0).on_log_scale(),
        Unknown::new("frequency", 1.8, 0.1, 9.0),
        Unknown::new("phase", 0.0, -1.0, 1.0),
    ];
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut reported = Vec::new();
        let fit = pool.install(|| {
            least_squares(&unknowns, &residual, &FitOptions::default(), &mut |p| {
                reported.push((p.cost.to_bits(), p.damping.to_bits(), p.evaluations));
            })
        });
        (fit.unwrap(), reported)
    };
    let (first, reported) = run(1);
    assert!(first.stop.converged() && (first.values[1] - 0.4).abs() < 0.01, "{first:?}");
    let bits = |fit: &Fit| -> Vec<u64> {
        let errors = fit.standard_errors.iter().chain(&fit.correlation).flatten();
        fit.values.iter().chain([&fit.cost]).chain(errors).map(|v| v.to_bits()).collect()
    };
    for threads in [2, 8, 8] {
        let (again, told_again) = run(threads);
        assert_eq!(bits(&again), bits(&first));
        assert_eq!((again, told_again), (first.clone(), reported.clone()));
    }
}

#[test]
fn progress_is_told_and_can_stop_the_search() {
    let residual = |v: &[f64]| Ok(vec![10.0 * (v[1] - v[0] * v[0]), 1.0 - v[0]]);
    let unknowns = [free("x", -1.2), free("y", 1.0)];
    let mut costs = Vec::new();
    let fit = least_squares(&unknowns, &residual, &FitOptions::default(), &mut |p| {
        assert_eq!(p.iteration, costs.len());
        costs.push(p.cost);
        if p.iteration == 3 {
            p.stop();
        }
    })
    .unwrap();
    assert_eq!((fit.stop, fit.iterations), (StopReason::Interrupted, 3));
    assert_eq!(costs.len(), 4);
    assert_eq!((costs[0], costs[3]), (fit.start_cost, fit.cost));
    assert!(costs.windows(2).all(|c| c[1] <= c[0]) && costs[3] < costs[0]);

    let options = FitOptions { max_iterations: 0, ..FitOptions::default() };
    let none = least_squares(&unknowns, &residual, &options, &mut |_| {}).unwrap();
    assert_eq!(none.stop, StopReason::MaxIterations);
    assert_eq!(none.values, [-1.2, 1.0]);
    // One for the start and two a column.
    assert_eq!(none.evaluations, 5);
}

#[test]
fn options_out_of_range_are_refused() {
    for (tolerance, difference) in [(0.0, 1e-6), (f64::NAN, 1e-6), (1e-8, 0.0), (1e-8, 1.0)] {
        let options = FitOptions { tolerance, difference, ..FitOptions::default() };
        let result = least_squares(&[free("x", 1.0)], &|v| Ok(v.to_vec()), &options, &mut |_| {});
        assert!(matches!(result, Err(FitError::Option { .. })));
    }
}

/// Extremes of magnitude: no panic, no false convergence to a wrong number.
#[test]
fn extreme_numbers_are_survived() {
    let unknowns = [Unknown::new("x", 1e300, -f64::MAX, f64::MAX)];
    let fit1 = fit(&unknowns, |v| Ok(vec![v[0] / 1e300 - 2.0])).unwrap();
    close(fit1.values[0] / 1e300, 2.0, 1e-8);
    let tiny = [Unknown::new("x", 1e-120, 0.0, 1e-110)];
    let fit2 = fit(&tiny, |v| Ok(vec![v[0] * 1e120 - 2.0])).unwrap();
    close(fit2.values[0] * 1e120, 2.0, 1e-8);
    let steep = fit(&[free("x", 1.0)], |v| Ok(vec![(v[0] - 1.0) * 1e300, 1.0]));
    assert!(matches!(steep, Err(FitError::DerivativeAtStart { .. })), "{steep:?}");
    let perfect = fit(&[free("x", 1.0)], |v| Ok(vec![v[0] - 1.0])).unwrap();
    assert_eq!((perfect.stop, perfect.iterations), (StopReason::Cost, 0));
}
