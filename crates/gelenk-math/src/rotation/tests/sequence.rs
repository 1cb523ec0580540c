//! Cardan and Euler sequences: the table of the specification, round trips, rate maps, singularities.

use super::*;

/// ST-R1: Cardan matrix against the product written out (stelzner 3.1 table: first row).
#[test]
fn cardan_matrix_entries() {
    let [a, b, c] = ANGLES[0];
    let r = cardan([a, b, c]);
    assert!((r[(0, 0)] - b.cos() * c.cos()).abs() < 1e-15);
    assert!((r[(0, 2)] - b.sin()).abs() < 1e-15);
    assert!((r[(1, 2)] + a.sin() * b.cos()).abs() < 1e-15);
}

/// ST-R1: the matrices of the table in stelzner 3.1 for x-y-z and z-x-z, entry by entry.
#[test]
fn rate_maps_of_the_table() {
    let [a, b, c] = [0.4, 0.9, -1.7f64];
    let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sin(), b.cos());
    let xyz = Mat3::new(1.0, 0.0, sb, 0.0, ca, -sa * cb, 0.0, sa, ca * cb);
    let xyz_inverse = Mat3::new(cb, sa * sb, -ca * sb, 0.0, ca * cb, sa * cb, 0.0, -sa, ca) / cb;
    let zxz = Mat3::new(0.0, ca, sa * sb, 0.0, sa, -ca * sb, 1.0, 0.0, cb);
    let zxz_inverse = Mat3::new(-sa * cb, ca * cb, sb, ca * sb, sa * sb, 0.0, sa, -ca, 0.0) / sb;
    for (sequence, map, inverse) in [(Sequence::Xyz, xyz, xyz_inverse), (Sequence::Zxz, zxz, zxz_inverse)] {
        assert!((sequence.rate_map([a, b, c]) - map).norm() < 1e-15, "{sequence}");
        assert!((sequence.rate_map_inverse([a, b, c]).unwrap() - inverse).norm() < 1e-14, "{sequence}");
    }
}

/// ST-R1: the matrix of every sequence is the product about its axes, named by its letters.
#[test]
fn sequences_turn_about_their_axes() {
    let basis = |letter: u8| match letter {
        b'x' => Vec3::x(),
        b'y' => Vec3::y(),
        _ => Vec3::z(),
    };
    for sequence in Sequence::ALL {
        let name = sequence.to_string();
        let axes = [0, 2, 4].map(|i| basis(name.as_bytes()[i]));
        for [a, b, c] in ANGLES {
            let product = about_axis(&axes[0], a) * about_axis(&axes[1], b) * about_axis(&axes[2], c);
            assert!((sequence.matrix([a, b, c]) - product).norm() < 1e-14, "{sequence}");
        }
        let mut unit = [0; 3];
        for (i, axis) in axes.iter().enumerate() {
            unit[i] = axis.imax();
        }
        assert_eq!(sequence.axes(), unit);
        assert_eq!(sequence.is_cardan(), unit[0] != unit[2]);
    }
}

/// ST-R1: at the singularity of every sequence the angles still give the matrix, the first is zero, and the
/// result says that it is singular; the inverse rate map refuses by name.
#[test]
fn sequences_at_their_singularity() {
    for sequence in Sequence::ALL {
        let middles =
            if sequence.is_cardan() { [FRAC_PI_2, -FRAC_PI_2, 3.0 * FRAC_PI_2] } else { [0.0, PI, -PI] };
        for b in middles {
            for (a, c) in [(0.4, 1.9), (-2.8, 0.3), (0.0, 0.0), (FRAC_PI_2, PI)] {
                let r = sequence.matrix([a, b, c]);
                let found = sequence.angles(&r);
                assert!(found.is_singular() && found.regular().is_err(), "{sequence} {b}");
                assert_eq!(found.parameters[0], 0.0);
                assert!((sequence.matrix(found.parameters) - r).norm() < 1e-14, "{sequence} {a} {b} {c}");
                let error = sequence.rate_map_inverse([a, b, c]).unwrap_err();
                assert_eq!(error.margin.parametrisation, Parametrisation::Angles(sequence));
                assert!(error.margin.value < 1e-15);
                assert!(error.to_string().starts_with(&format!("the sequence {sequence} is singular here")));
                assert!(sequence.rate_map([a, b, c]).determinant().abs() < 1e-15);
            }
        }
    }
}

/// ST-R1: on the way into the singularity the margin falls with the distance, the angles give the matrix back to
/// rounding, and the verdict comes at the documented margin.
#[test]
fn sequences_near_their_singularity() {
    for sequence in Sequence::ALL {
        let centre = if sequence.is_cardan() { FRAC_PI_2 } else { 0.0 };
        for k in 1..18 {
            let distance = 10f64.powi(-k);
            let b = if sequence.is_cardan() { centre - distance } else { distance };
            let r = sequence.matrix([0.8, b, -1.3]);
            let found = sequence.angles(&r);
            assert!((sequence.matrix(found.parameters) - r).norm() < 2e-14, "{sequence} {k}");
            assert!((found.margin.value - distance.sin()).abs() < 2e-16, "{sequence} {k}");
            assert_eq!(found.is_singular(), k > 8 || (k == 8 && found.margin.value <= SINGULAR_MARGIN));
            if k < 8 {
                assert!((found.parameters[0] - 0.8).abs() < 1e-15 / distance, "{sequence} {k}");
            }
        }
    }
}

proptest! {
    /// ST-R1: angles of every sequence from the matrix and back; the angles lie in their ranges.
    #[test]
    fn sequence_round_trip(given in angles()) {
        for sequence in Sequence::ALL {
            let r = sequence.matrix(given);
            prop_assert!(is_rotation(&r, 1e-14));
            let found = sequence.angles(&r);
            prop_assert!((sequence.matrix(found.parameters) - r).norm() < 1e-14);
            let b = found.parameters[1];
            let range = if sequence.is_cardan() { -FRAC_PI_2..=FRAC_PI_2 } else { 0.0..=PI };
            prop_assert!(range.contains(&b), "{sequence} {b}");
            prop_assert!((found.margin.value - sequence.margin(given).value).abs() < 1e-14);
            // Inside the ranges the angles themselves come back.
            let inside = if sequence.is_cardan() { [given[0], given[1] / 2.0, given[2]] } else { [given[0], given[1].abs(), given[2]] };
            let again = sequence.angles(&sequence.matrix(inside));
            for (found, expected) in again.parameters.iter().zip(inside) {
                prop_assert!((found - expected).abs() < 1e-14 / again.margin.value);
            }
        }
    }

    /// ST-R1: `w = G theta'` is the velocity of the matrix, `G'` its rate, and the inverse gives the rates back,
    /// for every sequence; the determinant of `G` is the margin.
    #[test]
    fn sequence_rate_maps(at in angles(), rate in angles()) {
        for sequence in Sequence::ALL {
            let margin = sequence.margin(at);
            let map = sequence.rate_map(at);
            let w = map * Vec3::from(rate);
            let moved = moving(at, rate);
            prop_assert!((spin(&sequence.matrix(moved)) - w).norm() < 1e-13);
            let (_, dual) = split(&sequence.rate_map(moved));
            let dot = sequence.rate_map_dot(at, rate);
            prop_assert!((dual - dot).norm() < 1e-13);
            let difference = slope(|t| sequence.rate_map(std::array::from_fn(|i| at[i] + t * rate[i])));
            prop_assert!((difference - dot).norm() < 1e-7);
            prop_assert!((map.determinant().abs() - margin.value).abs() < 1e-15);
            if margin.value > 1e-3 {
                let back = sequence.rate_map_inverse(at).unwrap() * w;
                prop_assert!((back - Vec3::from(rate)).norm() < 1e-13 / margin.value);
                // Duals through the extraction: the angles move as the inverse map says.
                let angles = sequence.angles(&sequence.matrix(moved)).parameters;
                let found = sequence.rate_map_inverse(angles.map(|x| x.re())).unwrap() * w;
                for i in 0..3 {
                    prop_assert!((partial(angles[i], 0) - found[i]).abs() < 1e-12 / margin.value.powi(2));
                }
            }
        }
    }
}
