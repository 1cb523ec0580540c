#![allow(clippy::unwrap_used)]
use super::*;
use crate::{Dual, Real, partial, seed};

/// Lanes of one number each, which the functions do not mix.
fn one(x: f64) -> Lanes<4> {
    Lanes([x, 0.3, -1.7, 2.0])
}

fn near(a: f64, b: f64, units: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a - b).abs() <= units * f64::EPSILON * b.abs() + f64::from_bits(4)
}

/// Elementary functions beside those of the standard library, over all magnitudes, to few units in the last place.
#[test]
fn functions_are_those_of_numbers() {
    for k in -4000..=3200 {
        let size = 10f64.powf(f64::from(k) / 400.0);
        for x in [size, -size] {
            let lanes = one(x);
            assert!(near(Lockstep::exp(&lanes).0[0], x.exp(), 2.0), "exp {x}");
            assert!(near(Lockstep::tanh(&lanes).0[0], x.tanh(), 6.0), "tanh {x}");
            assert!(near(lanes.decayed().0[0], x.decayed(), 6.0), "decayed {x}");
            let (sin, cos) = Lockstep::sin_cos(&lanes);
            assert!(near(sin.0[0], x.sin(), 2.0), "sin {x}: {} {}", sin.0[0], x.sin());
            assert!(near(cos.0[0], x.cos(), 2.0), "cos {x}: {} {}", cos.0[0], x.cos());
        }
    }
}

/// At zero, beyond the range and where there is no number.
#[test]
fn functions_at_the_edges() {
    for x in [
        0.0,
        -0.0,
        1e-320,
        709.7,
        709.79,
        -708.5,
        -740.0,
        -745.2,
        800.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ] {
        let lanes = one(x);
        assert!(near(Lockstep::exp(&lanes).0[0], x.exp(), 2.0), "exp {x}: {}", Lockstep::exp(&lanes).0[0]);
        assert!(
            near(Lockstep::tanh(&lanes).0[0], x.tanh(), 2.0),
            "tanh {x}: {}",
            Lockstep::tanh(&lanes).0[0]
        );
        assert!(near(Lockstep::sin(&lanes).0[0], x.sin(), 2.0), "sin {x}");
        assert!(near(Lockstep::cos(&lanes).0[0], x.cos(), 2.0), "cos {x}");
    }
}

/// A formula that uses everything, on any scalar.
fn formula<T: Lockstep>(x: T, p: T) -> T {
    let two = T::of(2.0);
    let a = (x * p).sin() + x.cos() / (two + x.tanh()) - (-x * x).exp();
    let b = (x.abs() + p).sqrt() * (x.abs() + p).ln() - x.abs().decayed();
    let c = (x.abs() + p).powf(two - p) + x.powi(3) - (x / (two + x.abs())).atan();
    T::either(x.below(p), || a + b, || b * c) - p.recip()
}

/// The slope of lanes is that of dual numbers, lane by lane.
#[test]
fn slopes_are_those_of_duals() {
    let values = [0.4, -1.3, 2.5, 7.0];
    let slope = formula(Slope::seed(Lanes(values)), Slope::of(0.7));
    for (k, &x) in values.iter().enumerate() {
        let dual = formula(seed(x, 0), Dual::c(0.7));
        assert!(near(slope.re.0[k], dual.re(), 16.0) && near(slope.eps.0[k], partial(dual, 0), 64.0), "{x}");
        assert_eq!(slope.lane(k).re, slope.re.0[k]);
        assert_eq!(partial(slope.lane(k), 0), slope.eps.0[k]);
    }
}
