//! Nonlinear regression problems of the NIST Statistical Reference Datasets
//! (StRD, <https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml>): data,
//! both starting points, certified values, certified standard deviations of the
//! estimates and certified residual sums of squares are NIST's.
use gelenk_estimate::{Fit, FitOptions, Unknown, least_squares};

struct Problem {
    name: &'static str,
    x: &'static [f64],
    y: &'static [f64],
    model: fn(f64, &[f64]) -> f64,
    starts: [&'static [f64]; 2],
    certified: &'static [f64],
    deviations: &'static [f64],
    sum_of_squares: f64,
}

/// Lower difficulty: dental research, monomolecular adsorption.
const MISRA1A: Problem = Problem {
    name: "Misra1a",
    x: &[77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0],
    y: &[10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78],
    model: |x, b| b[0] * (1.0 - (-b[1] * x).exp()),
    starts: [&[500.0, 1e-4], &[250.0, 5e-4]],
    certified: &[2.3894212918e2, 5.5015643181e-4],
    deviations: &[2.7070075241, 7.2668688436e-6],
    sum_of_squares: 1.2455138894e-1,
};

/// Higher difficulty: electron mobility, a ratio of cubics in seven unknowns.
const THURBER: Problem = Problem {
    name: "Thurber",
    x: &[
        -3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699, -2.633, -2.481, -2.363, -2.322,
        -1.501, -1.460, -1.274, -1.212, -1.100, -1.046, -0.915, -0.714, -0.566, -0.545, -0.400, -0.309,
        -0.109, -0.103, 0.010, 0.119, 0.377, 0.790, 0.963, 1.006, 1.115, 1.572, 1.841, 2.047, 2.200,
    ],
    y: &[
        80.574, 84.248, 87.264, 87.195, 89.076, 89.608, 89.868, 90.101, 92.405, 95.854, 100.696, 101.060,
        401.672, 390.724, 567.534, 635.316, 733.054, 759.087, 894.206, 990.785, 1090.109, 1080.914, 1122.643,
        1178.351, 1260.531, 1273.514, 1288.339, 1327.543, 1353.863, 1414.509, 1425.208, 1421.384, 1442.962,
        1464.350, 1468.705, 1447.894, 1457.628,
    ],
    model: |x, b| (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1.0 + x * (b[4] + x * (b[5] + x * b[6]))),
    starts: [&[1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03], &[1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05]],
    certified: &[
        1.2881396800e3,
        1.4910792535e3,
        5.8323836877e2,
        7.5416644291e1,
        9.6629502864e-1,
        3.9797285797e-1,
        4.9727297349e-2,
    ],
    deviations: &[
        4.6647963344,
        3.9571156086e1,
        2.8698696102e1,
        5.5675370270,
        3.1333340687e-2,
        1.4984928198e-2,
        6.5842344623e-3,
    ],
    sum_of_squares: 5.6427082397e3,
};

/// Higher difficulty: Kowalik and Osborne; the first start is far away.
const MGH09: Problem = Problem {
    name: "MGH09",
    x: &[4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625],
    y: &[0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246],
    model: |x, b| b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]),
    starts: [&[25.0, 39.0, 41.5, 39.0], &[0.25, 0.39, 0.415, 0.39]],
    certified: &[1.9280693458e-1, 1.9128232873e-1, 1.2305650693e-1, 1.3606233068e-1],
    deviations: &[1.1435312227e-2, 1.9633220911e-1, 8.0842031232e-2, 9.0025542308e-2],
    sum_of_squares: 3.0750560385e-4,
};

/// Higher difficulty: Meyer; unknowns of very different size, all positive.
const MGH10: Problem = Problem {
    name: "MGH10",
    x: &[
        50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0, 105.0, 110.0, 115.0, 120.0, 125.0,
    ],
    y: &[
        34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0, 6005.0,
        5147.0, 4427.0, 3820.0, 3307.0, 2872.0,
    ],
    model: |x, b| b[0] * (b[1] / (x + b[2])).exp(),
    starts: [&[2.0, 400_000.0, 25_000.0], &[0.02, 4000.0, 250.0]],
    certified: &[5.6096364710e-3, 6.1813463463e3, 3.4522363462e2],
    deviations: &[1.5687892471e-4, 2.3309021107e1, 7.8486103508e-1],
    sum_of_squares: 8.7945855171e1,
};

fn solve(problem: &Problem, unknowns: &[Unknown]) -> Fit {
    let residual = |b: &[f64]| {
        let pairs = problem.x.iter().zip(problem.y);
        Ok(pairs.map(|(&x, y)| (problem.model)(x, b) - y).collect())
    };
    let options = FitOptions { max_iterations: 500, ..FitOptions::default() };
    least_squares(unknowns, &residual, &options, &mut |_| {}).unwrap()
}

fn unknowns(problem: &Problem, start: usize) -> Vec<Unknown> {
    problem.starts[start]
        .iter()
        .enumerate()
        .map(|(k, &b)| Unknown::new(format!("b{}", k + 1), b, f64::NEG_INFINITY, f64::INFINITY))
        .collect()
}

fn compare(problem: &Problem, fit: &Fit, digits: f64, case: &str) {
    let near = |what: String, got: f64, want: f64, tolerance: f64| {
        let error = ((got - want) / want).abs();
        assert!(error <= tolerance, "{} {case} {what}: {got} instead of {want}, {fit:?}", problem.name);
    };
    assert!(fit.stop.converged(), "{} {case}: {fit:?}", problem.name);
    assert_eq!(fit.rank, fit.values.len());
    assert!(fit.unidentifiable.is_empty());
    near("sum of squares".to_owned(), 2.0 * fit.cost, problem.sum_of_squares, 1e-9);
    for k in 0..fit.values.len() {
        near(format!("b{}", k + 1), fit.values[k], problem.certified[k], digits);
        let deviation = fit.standard_errors[k].unwrap();
        near(format!("deviation of b{}", k + 1), deviation, problem.deviations[k], 1e-5);
    }
}

#[test]
fn certified_values_from_both_starts() {
    for (problem, digits) in [(&MISRA1A, 1e-8), (&THURBER, 1e-6), (&MGH09, 1e-6)] {
        for start in 0..2 {
            let fit = solve(problem, &unknowns(problem, start));
            compare(problem, &fit, digits, &format!("start {}", start + 1));
        }
    }
    let fit = solve(&MGH10, &unknowns(&MGH10, 1));
    compare(&MGH10, &fit, 1e-7, "start 2");
}

/// Standard errors come out in the unknowns' own units. On a linear scale the
/// first start of MGH10 leads into a valley along which the search only creeps.
#[test]
fn certified_values_on_a_log_scale() {
    for problem in [&MISRA1A, &MGH10] {
        for start in 0..2 {
            let unknowns: Vec<Unknown> = unknowns(problem, start)
                .into_iter()
                .map(|k| Unknown { lower: 1e-9, upper: 1e9, log: true, ..k })
                .collect();
            let fit = solve(problem, &unknowns);
            compare(problem, &fit, 1e-7, &format!("log, start {}", start + 1));
        }
    }
}
