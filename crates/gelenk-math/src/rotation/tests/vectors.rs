//! Rodrigues vector, axis and angle, rotation vector: round trips, rate maps, singularities.

use nalgebra::Vector4;

use super::*;

/// ST-R1: the Rodrigues vector is the Cayley transform (eqs. 1.10 to 1.16) and the closed-form extraction.
#[test]
fn rodrigues_is_the_cayley_transform() {
    let s = Vec3::new(0.3, -1.4, 0.6);
    let (r, one) = (from_rodrigues(&s), Mat3::identity());
    let cayley = (one - skew(&s)).try_inverse().unwrap() * (one + skew(&s));
    assert!((r - cayley).norm() < 1e-14);
    let back = (r - one) * (r + one).try_inverse().unwrap();
    assert!((back - skew(&s)).norm() < 1e-14);
    let extracted = unskew(&r) * (2.0 / (1.0 + r.trace()));
    assert!((extracted - s).norm() < 1e-14);
    let (u, phi) = (s.normalize(), 2.0 * s.norm().atan());
    assert!((about_axis(&u, phi) - r).norm() < 1e-14 && ((r.trace() - 1.0) / 2.0 - phi.cos()).abs() < 1e-15);
    let (before, after) = (Vec3::new(0.2, 0.5, -0.9), r * Vec3::new(0.2, 0.5, -0.9));
    assert!((after - before - s.cross(&(after + before))).norm() < 1e-15);
}

/// ST-R1: at 180 deg there is no Rodrigues vector, which is a typed error; just before it the vector is long but
/// right, while axis, angle and rotation vector go through.
#[test]
fn rodrigues_at_the_half_turn() {
    for axis in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, -2.0, 0.5).normalize()] {
        let r = about_axis(&axis, PI);
        let error = to_rodrigues(&r).unwrap_err();
        assert_eq!(error.margin.parametrisation, Parametrisation::Rodrigues);
        assert!(error.margin.value.abs() < 1e-15);
        let found = to_axis_angle(&r);
        assert!((found.parameters.axis.dot(&axis).abs() - 1.0).abs() < 1e-15 && !found.is_singular());
        assert!((found.parameters.angle - PI).abs() < 1e-15);
        let vector = to_rotation_vector(&r);
        assert!(vector.is_singular());
        assert!((from_rotation_vector(&vector.parameters) - r).norm() < 1e-14);
        for away in [1e-2, 1e-4, 1e-6] {
            let near = to_rodrigues(&about_axis(&axis, PI - away)).unwrap();
            let length = ((PI - away) / 2.0).tan();
            assert!((near.parameters / length - axis).norm() < 1e-14 / away, "{away}");
            assert!((near.margin.value - (away / 2.0).sin()).abs() < 1e-15);
        }
    }
}

/// ST-R1: no turn has no axis: the result says so and still gives the matrix; its rates are refused.
#[test]
fn axis_without_a_turn() {
    let found = to_axis_angle(&Mat3::<f64>::identity());
    assert!(found.is_singular());
    assert_eq!(found.parameters, AxisAngle { axis: Vec3::x(), angle: 0.0 });
    assert!(found.parameters.rate_map_inverse().is_err());
    let tiny = Vec3::new(0.6, 0.0, 0.8) * 1e-20;
    let r = Mat3::identity() + skew(&tiny);
    assert!((to_rotation_vector(&r).parameters - tiny).norm() < 1e-35);
    assert!((to_axis_angle(&r).parameters.axis - tiny / 1e-20).norm() < 1e-15);
}

/// ST-R1: the rotation vector is regular at zero and beyond the half turn, singular at whole turns.
#[test]
fn rotation_vector_singularities() {
    assert_eq!(rotation_vector_rate_map_inverse(&Vec3::<f64>::zeros()).unwrap(), Mat3::identity());
    let u = Vec3::new(2.0, -1.0, 2.0) / 3.0;
    for turns in [1.0, 2.0, 5.0] {
        let error = rotation_vector_rate_map_inverse(&(u * (2.0 * PI * turns))).unwrap_err();
        assert_eq!(error.margin.parametrisation, Parametrisation::RotationVectorRate);
    }
    for phi in [1e-12, 1e-3, 0.5, 0.999_999, 1.0, 1.000_001, 3.0, PI, 5.0, 6.0, 7.0] {
        let v: Vec3<f64> = u * phi;
        let product = rotation_vector_rate_map(&v) * rotation_vector_rate_map_inverse(&v).unwrap();
        assert!((product - Mat3::identity()).norm() < 1e-13, "{phi}");
        assert!((from_rotation_vector(&v) - about_axis(&u, phi)).norm() < 1e-14, "{phi}");
    }
    // The two ways to compute the coefficients meet at one radian.
    let (below, above) = (u * (1.0 - 1e-12), u * (1.0 + 1e-12));
    let dv = Vec3::new(0.3, 0.9, -0.4);
    let jump = rotation_vector_rate_map_dot(&above, &dv) - rotation_vector_rate_map_dot(&below, &dv);
    assert!(jump.norm() < 1e-11);
}

proptest! {
    /// ST-R1: Rodrigues vector: round trip, velocity, `G'` and the closed inverse.
    #[test]
    fn rodrigues_maps(s in vector(3.0), ds in vector(2.0)) {
        let r = from_rodrigues(&s);
        prop_assert!(is_rotation(&r, 1e-14));
        let found = to_rodrigues(&r).unwrap();
        prop_assert!((found.parameters - s).norm() < 1e-13 * (1.0 + s.norm_squared()));
        prop_assert!((found.margin.value - 1.0 / (1.0 + s.norm_squared()).sqrt()).abs() < 1e-15);
        let moved = Vec3::from(moving(s.into(), ds.into()));
        let map = rodrigues_rate_map(&s);
        prop_assert!((spin(&from_rodrigues(&moved)) - map * ds).norm() < 1e-13);
        prop_assert!((split(&rodrigues_rate_map(&moved)).1 - rodrigues_rate_map_dot(&s, &ds)).norm() < 1e-13);
        prop_assert!((slope(|t| rodrigues_rate_map(&(s + ds * t))) - rodrigues_rate_map_dot(&s, &ds)).norm() < 1e-7);
        prop_assert!((rodrigues_rate_map_inverse(&s) * map - Mat3::identity()).norm() < 1e-14 * (1.0 + s.norm_squared()));
        prop_assert!((map.determinant() - 8.0 * found.margin.value.powi(4)).abs() < 1e-13);
    }

    /// ST-R1: axis and angle: round trip, velocity (eq. 1.45), `G'` and the inverse.
    #[test]
    fn axis_angle_maps(axis in vector(1.0), angle in 0.01f64..3.1, dangle in -2.0f64..2.0, turning in vector(2.0)) {
        prop_assume!(axis.norm() > 0.1);
        let axis = axis.normalize();
        let here = AxisAngle { axis, angle };
        let found = to_axis_angle(&here.matrix());
        prop_assert!((found.parameters.axis - axis).norm() < 1e-15 / angle + 1e-14);
        prop_assert!((found.parameters.angle - angle).abs() < 1e-14);
        prop_assert!((found.margin.value - here.margin().value).abs() < 1e-15);
        // A unit axis moves across itself.
        let du = turning - axis * axis.dot(&turning);
        let rate = Vector4::new(dangle, du.x, du.y, du.z);
        let w = here.rate_map() * rate;
        let expected = axis * dangle + du * angle.sin() + axis.cross(&du) * (1.0 - angle.cos());
        prop_assert!((w - expected).norm() < 1e-15 * (1.0 + w.norm()));
        let moved = AxisAngle {
            axis: Vec3::from(moving(axis.into(), du.into())),
            angle: moving([angle], [dangle])[0],
        };
        prop_assert!((spin(&moved.matrix()) - w).norm() < 1e-13);
        let dual = moved.rate_map().map(|x| partial(x, 0));
        prop_assert!((dual - here.rate_map_dot(dangle, &du)).norm() < 1e-14);
        let inverse = here.rate_map_inverse().unwrap();
        prop_assert!((inverse * w - rate).norm() < 1e-13 / angle);
        prop_assert!((here.rate_map() * inverse - Mat3::identity()).norm() < 1e-13 / angle);
    }

    /// ST-R1: rotation vector: logarithm of the exponential, velocity, `G'` and the inverse, up to 1.8 turns.
    #[test]
    fn rotation_vector_maps(v in vector(6.5), dv in vector(2.0), tiny in 0i32..12) {
        for v in [v, v * 10f64.powi(-tiny)] {
            let (phi, r) = (v.norm(), from_rotation_vector(&v));
            prop_assert!(is_rotation(&r, 1e-13));
            let found = to_rotation_vector(&r);
            if phi < 3.1 {
                prop_assert!((found.parameters - v).norm() < 1e-14 * phi + 1e-15);
            }
            prop_assert!((from_rotation_vector(&found.parameters) - r).norm() < 1e-13);
            let moved = Vec3::from(moving(v.into(), dv.into()));
            let (map, dot) = (rotation_vector_rate_map(&v), rotation_vector_rate_map_dot(&v, &dv));
            prop_assert!((spin(&from_rotation_vector(&moved)) - map * dv).norm() < 1e-12);
            prop_assert!((split(&rotation_vector_rate_map(&moved)).1 - dot).norm() < 1e-12);
            prop_assert!((slope(|t| rotation_vector_rate_map(&(v + dv * t))) - dot).norm() < 1e-7);
            let margin = map.determinant().sqrt();
            if margin > 1e-2 {
                let inverse = rotation_vector_rate_map_inverse(&v).unwrap();
                prop_assert!((inverse * map - Mat3::identity()).norm() < 1e-12 / margin.powi(2));
            }
        }
    }
}
