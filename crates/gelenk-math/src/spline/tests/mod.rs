//! Splines against polynomials, SciPy and their own definition.

use proptest::prelude::*;

use super::*;
use crate::{Real, partial, seed};

/// Knee translation rx (m) over the knee angle (rad), stelzner section 4 (data set H).
#[allow(clippy::approx_constant)] // One knot is 60 deg, rounded as the source has it.
const KNEE: [[f64; 12]; 2] = [
    [
        -2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, -0.174533, 0.197344, 0.337395, 0.490178,
        1.52146, 2.0944,
    ],
    [
        -0.0032, 0.00179, 0.00411, 0.0041, 0.00212, -0.001, -0.0031, -0.005227, -0.005435, -0.005574,
        -0.005435, -0.00525,
    ],
];

const CLAMPED: End = End::Clamped { first: 0.02, last: -0.001 };

fn knee(end: End) -> CubicSpline {
    CubicSpline::new(&KNEE[0], &KNEE[1], end).unwrap()
}

fn near(jet: Jet<f64>, [value, first, second]: [f64; 3], tolerance: f64) -> bool {
    (jet.value - value).abs() <= tolerance * (1.0 + value.abs())
        && (jet.first - first).abs() <= tolerance * (1.0 + first.abs())
        && (jet.second - second).abs() <= tolerance * (1.0 + second.abs())
}

/// ST-R6: value and derivatives of the knee spline as SciPy 1.17.1 computes them
/// (`scipy.interpolate.CubicSpline` with `bc_type` "not-a-knot", "natural" and slopes 0.02, -0.001).
#[test]
#[rustfmt::skip]
fn knee_spline_equals_scipy() {
    let reference = [
        (End::NotAKnot, [
            [-2.0, -0.0015637830904830373, 0.016168115288567392, -0.024371757768729147],
            [-1.2, 0.004383290658280163, -0.0004311956431967274, -0.018606135696578725],
            [-0.3, -0.0015961257895815608, -0.012433903937735328, -0.006328389161029218],
            [0.0, -0.004499855185584253, -0.0056468846981407896, 0.02376775526457345],
            [0.4, -0.0054988467261012355, -0.0009449547628810164, 0.002425824759000292],
            [1.0, -0.0056654514055575625, 0.00024563870307453306, 0.0012152548294111084],
            [2.0, -0.005255539570419955, 0.0001308306845582031, -0.0014448708664437666],
        ]),
        (End::Natural, [
            [-2.0, -0.001704512523019467, 0.01559791330719616, -0.007757893558744804],
            [-1.2, 0.004374048360748558, -0.00038483057423581825, -0.018085311164196097],
            [-0.3, -0.0015960537062775202, -0.01243331179038007, -0.006359314312412264],
            [0.0, -0.004499937923715183, -0.005646899959695862, 0.02377261197579375],
            [0.4, -0.0054989919639653155, -0.0009468843565290749, 0.0024653571120423073],
            [1.0, -0.005652507322815298, 0.00026810157231070276, 0.0011197937084535094],
            [2.0, -0.00527587694505173, 0.00027684233421107946, -8.650911795598181e-05],
        ]),
        (CLAMPED, [
            [-2.0, -0.0014815821933019011, 0.01650117379346955, -0.03407601261474229],
            [-1.2, 0.00438868964274837, -0.00045827692221769666, -0.01891039051470365],
            [-0.3, -0.0015961743715708875, -0.012434375632437501, -0.006309348664378475],
            [0.0, -0.004499707080789714, -0.005646421229929456, 0.023759639251298904],
            [0.4, -0.005498357935952001, -0.0009384212720509633, 0.002293167075351321],
            [1.0, -0.005709274876785943, 0.0001695668427355487, 0.0015384459968053926],
            [2.0, -0.005186674298030856, -0.0003635844528795838, -0.00604450077289397],
        ]),
    ];
    for (end, rows) in reference {
        let spline = knee(end);
        for [x, value, first, second] in rows {
            assert!(near(spline.jet(x), [value, first, second], 1e-14), "{end:?} {x} {:?}", spline.jet(x));
        }
    }
}

/// Few points as SciPy 1.17.1 `CubicSpline` treats them: values at 0.4 for knots 0, 1, 2.5 and values 1, 3, -1 (or
/// the first two of them); slopes 0.5 and -2 where clamped.
#[test]
fn few_points() {
    let (knots, values) = ([0.0, 1.0, 2.5], [1.0, 3.0, -1.0]);
    let clamped = End::Clamped { first: 0.5, last: -2.0 };
    for (count, end, expected) in [
        (2, End::NotAKnot, [1.8, 2.0, 0.0]),
        (2, End::Natural, [1.8, 2.0, 0.0]),
        (2, clamped, [1.968, 3.46, 0.8]),
        (3, End::NotAKnot, [2.248, 2.3733333333333333, -3.7333333333333334]),
        (3, End::Natural, [2.1136, 2.485333333333333, -2.24]),
        (3, clamped, [1.7328, 2.676, 1.78]),
    ] {
        let spline = CubicSpline::new(&knots[..count], &values[..count], end).unwrap();
        assert!(near(spline.jet(0.4), expected, 1e-14), "{count} {end:?} {:?}", spline.jet(0.4));
    }
}

/// ST-R6: beyond the end knots every curve is the touching line: value and slope go on, curvature is zero.
#[test]
fn straight_beyond_the_ends() {
    let table = Curve::from(LinearTable::new(&KNEE[0], &KNEE[1]).unwrap());
    for curve in [Curve::from(knee(End::NotAKnot)), knee(End::Natural).into(), knee(CLAMPED).into(), table] {
        for (end, side) in curve.domain().into_iter().zip([-1.0, 1.0]) {
            let edge = curve.jet(end);
            assert!(curve.contains(end) && !curve.contains(end + side * 1e-9));
            let touch = curve.jet(end + side * 1e-9);
            assert!((touch.value - edge.value).abs() < 1e-10 && (touch.first - edge.first).abs() < 1e-14);
            for distance in [0.1, 3.0, 1e6] {
                let x = end + side * distance;
                let jet = curve.jet(x);
                let line = edge.value + edge.first * (x - end);
                assert!((jet.value - line).abs() < 1e-12 * (1.0 + line.abs()) && jet.second == 0.0);
                assert_eq!(partial(curve.value(seed(x, 3)), 3), jet.first);
            }
        }
    }
    assert!(knee(End::NotAKnot).jet(f64::NAN).value.is_nan());
    assert!(knee(End::NotAKnot).jet(f64::INFINITY).value.is_infinite());
}

/// A table: values on the lines, slopes of the pieces, at a knot that of the piece above.
#[test]
fn linear_table_by_hand() {
    let curve = Curve::from(LinearTable::new(&[0.0, 1.0, 3.0], &[1.0, 3.0, 2.0]).unwrap());
    for (x, value, slope) in [
        (-1.0, -1.0, 2.0),
        (0.0, 1.0, 2.0),
        (0.25, 1.5, 2.0),
        (1.0, 3.0, -0.5),
        (3.0, 2.0, -0.5),
        (5.0, 1.0, -0.5),
    ] {
        assert_eq!(curve.jet(x), Jet { value, first: slope, second: 0.0 }, "{x}");
    }
    assert_eq!(curve.domain(), [0.0, 3.0]);
}

/// Points that make no curve are refused with the index of the first wrong one.
#[test]
fn wrong_points() {
    let cubic = |k: &[f64], v: &[f64]| CubicSpline::new(k, v, End::NotAKnot).map(|_| ()).unwrap_err();
    let linear = |k: &[f64], v: &[f64]| LinearTable::new(k, v).map(|_| ()).unwrap_err();
    let zeros = [0.0; 4];
    for build in [&cubic as &dyn Fn(&[f64], &[f64]) -> CurveError, &linear] {
        assert_eq!(build(&[0.0, 1.0], &[0.0]), CurveError::Lengths { knots: 2, values: 1 });
        assert_eq!(build(&[], &[]), CurveError::TooFew { found: 0, needed: 2 });
        assert_eq!(build(&[1.0], &[2.0]), CurveError::TooFew { found: 1, needed: 2 });
        let unsorted = CurveError::Unsorted { index: 2, knot: 0.5, before: 1.0 };
        assert_eq!(build(&[0.0, 1.0, 0.5, 2.0], &zeros), unsorted);
        assert_eq!(build(&[0.0, 1.0, 2.0, 2.0], &zeros), CurveError::Duplicate { index: 3, knot: 2.0 });
        assert_eq!(build(&[-0.0, 0.0, 2.0, 3.0], &zeros), CurveError::Duplicate { index: 1, knot: 0.0 });
        let infinite = CurveError::KnotNotFinite { index: 3, knot: f64::INFINITY };
        assert_eq!(build(&[0.0, 1.0, 2.0, f64::INFINITY], &zeros), infinite);
        let nan = build(&[0.0, 1.0, 2.0, 3.0], &[0.0, f64::NAN, 0.0, 0.0]);
        assert!(matches!(nan, CurveError::ValueNotFinite { index: 1, .. }), "{nan}");
        assert_eq!(build(&[0.0, 5e-324], &[0.0, 1.0]), CurveError::Overflow { index: 0 });
        assert_eq!(build(&[-1e308, 1e308], &[0.0, 1.0]), CurveError::Overflow { index: 0 });
    }
    let end = End::Clamped { first: 0.0, last: f64::INFINITY };
    let error = CubicSpline::new(&[0.0, 1.0], &[0.0, 1.0], end).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the prescribed slope at the upper end is inf: it has to be a finite number"
    );
    let error = linear(&[0.0, 1.0, 0.5], &zeros[..3]).to_string();
    assert!(error.contains("knot 2") && error.contains("sort"), "{error}");
}

/// Points with random steps.
fn points() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    proptest::collection::vec((0.05f64..1.5, -2.0f64..2.0), 4..20).prop_map(|points| {
        let mut x = -3.0;
        points
            .into_iter()
            .map(|(step, value)| {
                x += step;
                (x, value)
            })
            .unzip()
    })
}

proptest! {
    /// ST-R6: a cubic polynomial is reproduced by not-a-knot, and by clamped ends with its own slopes.
    #[test]
    fn cubic_polynomials_are_reproduced((knots, _) in points(), [a, b, c, d] in proptest::array::uniform4(-2.0f64..2.0), at in 0.0f64..1.0) {
        let value = |x: f64| a + x * (b + x * (c + x * d));
        let first = |x: f64| b + x * (2.0 * c + 3.0 * x * d);
        let second = |x: f64| 2.0 * c + 6.0 * x * d;
        let values: Vec<f64> = knots.iter().map(|&x| value(x)).collect();
        let [lower, upper] = [knots[0], knots[knots.len() - 1]];
        let x = lower + at * (upper - lower);
        let closest = knots.windows(2).map(|k| k[1] - k[0]).fold(f64::INFINITY, f64::min);
        let scale = values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        for end in [End::NotAKnot, End::Clamped { first: first(lower), last: first(upper) }] {
            let jet = CubicSpline::new(&knots, &values, end).unwrap().jet(x);
            prop_assert!((jet.value - value(x)).abs() < 1e-12 * scale, "{end:?}");
            prop_assert!((jet.first - first(x)).abs() < 1e-12 * scale / closest, "{end:?}");
            prop_assert!((jet.second - second(x)).abs() < 1e-12 * scale / closest.powi(2), "{end:?}");
        }
    }

    /// ST-R6: the spline goes through its points, is C2 at every inner knot, its end conditions hold, and its
    /// derivatives are those of its value: by duals and by differences.
    #[test]
    fn definition_of_the_spline((knots, values) in points(), at in 0.0f64..1.0) {
        let (lower, upper) = (knots[0], knots[knots.len() - 1]);
        for end in [End::NotAKnot, End::Natural, End::Clamped { first: 0.3, last: -1.2 }] {
            let spline = CubicSpline::new(&knots, &values, end).unwrap();
            let pieces = spline.pieces();
            let size = pieces.iter().flatten().fold(1.0f64, |m, c| m.max(c.abs()));
            for (&knot, &value) in knots.iter().zip(&values) {
                prop_assert!((spline.jet(knot).value - value).abs() < 1e-13 * size);
            }
            for (piece, pair) in knots.windows(2).enumerate().take(pieces.len() - 1) {
                let h = pair[1] - pair[0];
                let [a, b, c, d] = pieces[piece];
                let next = pieces[piece + 1];
                prop_assert!((a + h * (b + h * (c + h * d)) - next[0]).abs() < 1e-13 * size);
                prop_assert!((b + h * (2.0 * c + 3.0 * h * d) - next[1]).abs() < 1e-13 * size);
                prop_assert!((c + 3.0 * h * d - next[2]).abs() < 1e-13 * size);
            }
            match end {
                End::NotAKnot => {
                    let n = pieces.len();
                    prop_assert!((pieces[0][3] - pieces[1][3]).abs() < 1e-11 * size);
                    prop_assert!((pieces[n - 1][3] - pieces[n - 2][3]).abs() < 1e-11 * size);
                }
                End::Natural => {
                    prop_assert!(spline.jet(lower).second.abs() < 1e-12 * size);
                    prop_assert!(spline.jet(upper).second.abs() < 1e-12 * size);
                }
                End::Clamped { first, last } => {
                    prop_assert!((spline.jet(lower).first - first).abs() < 1e-13);
                    prop_assert!((spline.jet(upper).first - last).abs() < 1e-13 * size);
                }
            }
            // A little beyond the ends on both sides.
            let x = lower - 0.5 + at * (upper - lower + 1.0);
            let (jet, dual) = (spline.jet(x), spline.jet(seed(x, 0)));
            prop_assert!(dual.value.re() == jet.value && dual.first.re() == jet.first && dual.second.re() == jet.second);
            prop_assert!((partial(dual.value, 0) - jet.first).abs() < 1e-12 * size);
            prop_assert!((partial(dual.first, 0) - jet.second).abs() < 1e-12 * size);
            let h = 1e-6;
            let slope = (spline.jet(x + h).value - spline.jet(x - h).value) / (2.0 * h);
            prop_assert!((slope - jet.first).abs() < 1e-6 * size);
        }
    }
}
