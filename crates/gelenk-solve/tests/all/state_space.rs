//! Poles of sampled loops against the closed form.

use gelenk_solve::problems::SampledIntegrator;
use gelenk_solve::{cycle, state_space};
use gelenk_system::{Sampled, System};

/// `x'' = u` with `u = -k x - d x'` held over `h`: the map is `[1 - k h^2/2, h - d h^2/2; -k h, 1 - d h]` (zero-order hold of a
/// double integrator, e.g. Franklin, Powell and Workman, Digital Control of Dynamic Systems, 4.3), and what is held is forgotten.
#[test]
fn poles_of_a_double_integrator_are_those_of_the_discrete_loop() {
    let system = SampledIntegrator::default();
    let p: Vec<f64> = system.parameters().values().to_vec();
    let (mut x, mut m, mut data) = ([0.0; 2], [0.0], system.data::<f64>());
    system.start(&mut data, &mut x, &mut m).unwrap();
    system.sample(&mut data, gelenk_system::Nanos::ZERO, &x, &mut m).unwrap();
    let found = cycle(&system, &p, (&x, &m)).unwrap();
    let (k, d, h) = (4.0, 2.0, SampledIntegrator::PERIOD.seconds());
    assert_eq!(found.period, SampledIntegrator::PERIOD);
    let (a, b, c, e) = (1.0 - 0.5 * k * h * h, h - 0.5 * d * h * h, -k * h, 1.0 - d * h);
    let (half, determinant) = (0.5 * (a + e), a * e - b * c);
    let imaginary = (determinant - half * half).sqrt();
    let poles = found.poles();
    assert_eq!(poles.len(), 3);
    for (pole, sign) in poles.iter().zip([1.0, -1.0]) {
        let off = (pole.re - half).abs().max((pole.im - sign * imaginary).abs());
        assert!(off < 1e-12, "{pole} instead of {half} + {imaginary}i");
    }
    assert!(poles[2].norm() < 1e-12, "{}", poles[2]);
}

/// Two periods by the map are two periods of the exact recursion.
#[test]
fn the_map_of_a_cycle_is_the_loop_from_sample_to_sample() {
    let system = SampledIntegrator::default();
    let p: Vec<f64> = system.parameters().values().to_vec();
    let map = cycle(&system, &p, (&[1.0, 0.0], &[-4.0])).unwrap().map;
    let mut s = nalgebra::DVector::from_vec(vec![1.0, 0.0, -4.0]);
    for periods in 1..=20 {
        s = &map * s;
        let [x, v] = SampledIntegrator::exact(periods);
        assert!((s[0] - x).abs() < 1e-12 && (s[1] - v).abs() < 1e-12, "{periods}: {s}");
    }
}

/// Without a controller the continuous equations of the same system: two integrators in a row, channels as they are.
#[test]
fn a_double_integrator_has_two_integrators() {
    let system = SampledIntegrator::default();
    let p: Vec<f64> = system.parameters().values().to_vec();
    let linear = state_space(&system, &p, (0.0, &[1.0, 0.5], &[0.0]), &[1, 0]).unwrap();
    assert_eq!(linear.states.a, nalgebra::dmatrix![0.0, 1.0; 0.0, 0.0]);
    assert_eq!(linear.c, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]);
    assert_eq!(linear.b.shape(), (2, 0));
}
