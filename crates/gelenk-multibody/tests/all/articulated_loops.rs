//! Accelerations of random mechanisms with loops against the equations that define them.

use gelenk_math::dense::{cholesky_pivoted, solve_pivoted};
use gelenk_math::expression::Expression;
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_system::{Constrained, System};
use gelenk_testing::random::Random;
use gelenk_testing::trees::{Scalars, draft};
use nalgebra::{DMatrix, DVector};

/// A random tree with loops of random kinds between random bodies, the ground included.
fn mechanism(random: &mut Random, bodies: usize, scalars: Scalars, loops: usize) -> Mechanism {
    let mut draft = draft(random, bodies, scalars);
    let coordinates = draft.blueprint.coordinates.len();
    for k in 0..loops {
        let between = [0, 1].map(|_| {
            let body = match random.below(bodies + 1) {
                0 => BodyRef::Ground,
                k => BodyId::nth(k - 1).into(),
            };
            let (position, orientation) = (draft.numbers(random.numbers()), draft.numbers(random.numbers()));
            let name = format!("f{}", draft.blueprint.frames.len());
            draft.add(Frame { name, body, position, orientation })
        });
        let kind = match random.below(7) {
            0 => LoopKind::Point(between),
            1 => LoopKind::Perpendicular(between),
            2 => LoopKind::Distance(between, draft.number(0.7)),
            3 => LoopKind::Ellipsoid(between, draft.numbers([0.4, 0.7, 1.1])),
            4 => LoopKind::Revolute(between),
            5 => LoopKind::Plane(between),
            _ => {
                let (a, b) = (random.below(coordinates), random.below(coordinates));
                LoopKind::Coupling(Expression::parse(&format!("q{a} - 0.3*sin(q{b}) + 0.1*q{b}*t")).unwrap())
            }
        };
        draft.add(Loop { name: format!("loop{k}"), kind });
    }
    draft.build()
}

fn state(random: &mut Random, mechanism: &Mechanism) -> Vec<f64> {
    let layout = mechanism.layout();
    let mut x = vec![0.0; layout.nx()];
    let identity: Vec<f64> = {
        let mut q = vec![0.0; layout.nq];
        // Ball and free joints: a quaternion stands wherever there are more positions than velocities.
        let mut open = mechanism.data::<f64>();
        let mut whole = vec![0.0; layout.nx()];
        let _ = mechanism.start(&mut open, &mut whole, &mut vec![0.0; layout.nm]);
        q.copy_from_slice(&whole[layout.q()]);
        q
    };
    let mut q = vec![0.0; layout.nq];
    mechanism.retract(&identity, &random.vector(layout.nv), &mut q);
    x[layout.q()].copy_from_slice(&q);
    x[layout.v()].copy_from_slice(&random.vector(layout.nv));
    x
}

/// ST-R18: with `C`, `gamma`, mass matrix and bias from their own algorithms, the accelerations of a mechanism with loops
/// satisfy `C a = gamma`, and `M a + c` lies in the span of the rows of `C`. Of articulated bodies (coordinates used
/// once, or prescribed) and of the bordered solve (shared coordinates).
#[test]
fn accelerations_satisfy_the_constrained_equations() {
    let mut rows_seen = 0;
    for seed in 0..60 {
        for scalars in [Scalars::Plain, Scalars::Prescribed, Scalars::Moving] {
            let mut random = Random::new(100 + seed);
            let bodies = [7, 8, 10, 13][seed as usize % 4];
            let mechanism = mechanism(&mut random, bodies, scalars, 1 + seed as usize % 4);
            let layout = mechanism.layout();
            let (nv, nc) = (layout.nv, layout.nc);
            if nc + 3 > nv {
                continue;
            }
            let name = format!("seed {seed}, {scalars:?}, {nc} equations, {nv} velocities");
            let x = state(&mut random, &mechanism);
            let t = 0.3;
            let mut d = mechanism.data();
            let mut dx = vec![0.0; layout.nx()];
            mechanism.rates(&mut d, t, &x, &vec![0.0; layout.nm], &mut dx).unwrap();
            // Positions, velocities and accelerations as callers see them.
            let along: Vec<Dual> = x
                .iter()
                .zip(&dx)
                .map(|(&x, &dx)| Dual::c(x) + gelenk_math::seed(0.0, 0) * Dual::c(dx))
                .collect();
            let (mut q, mut v) = (along[layout.q()].to_vec(), along[layout.v()].to_vec());
            mechanism.state_to_origin(&mechanism.data::<Dual>(), &mut q, &mut v);
            let a: Vec<f64> = v.iter().map(|&v| partial(v, 0)).collect();
            let (q, v): (Vec<f64>, Vec<f64>) =
                (q.iter().map(|x| x.re()).collect(), v.iter().map(|x| x.re()).collect());
            let size = a.iter().fold(1.0f64, |max, a| max.max(a.abs()));
            let at = mechanism.origin_constraints(&mut d, t, &q, &v);
            let rows = at.rows.dense();
            let row = |r: usize| &rows[r * nv..(r + 1) * nv];
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let mut gram: Vec<f64> = (0..nc)
                .flat_map(|a| (0..nc).map(move |b| (a, b)))
                .map(|(a, b)| dot(row(a), row(b)))
                .collect();
            let mut order = vec![0; nc];
            let rank = cholesky_pivoted(&mut gram, nc, &mut order);
            if at.gamma.iter().any(|gamma| gamma.abs() > 1e8) {
                // A random state close to where an equation has no direction says nothing about rounding.
                continue;
            }
            if rank < nc {
                // Equations that depend on each other contradict each other at a state that is not assembled.
                continue;
            }
            for row in 0..nc {
                let sum: f64 = at.rows.row(row).map(|(k, entry)| entry * a[k]).sum();
                assert!(
                    (sum - at.gamma[row]).abs() < 1e-9 * size,
                    "{name}, row {row}: {sum} {}",
                    at.gamma[row]
                );
            }
            let mut rest = vec![0.0; nv];
            mechanism.inverse_dynamics(&mut d, t, &q, &v, &a, &mut rest).unwrap();
            let load = rest.iter().fold(1.0f64, |max, x| max.max(x.abs()));
            // What is left of M a + c beyond the span of the rows.
            let mut along: Vec<f64> = (0..nc).map(|r| dot(row(r), &rest)).collect();
            solve_pivoted(&gram, nc, &order, rank, &mut along);
            for (r, along) in along.iter().enumerate() {
                rest.iter_mut().zip(row(r)).for_each(|(x, c)| *x -= along * c);
            }
            let left = rest.iter().fold(0.0f64, |max, x| max.max(x.abs()));
            assert!(left < 1e-9 * load, "{name}: {left} of {load}");
            rows_seen += nc;
        }
    }
    assert!(rows_seen > 200, "only {rows_seen} equations were looked at");
}

/// The equations that the contract gives to solvers, with the entries at the places of the pattern: the accelerations of a run meet
/// the third gap, and balance with multipliers that the residual itself gives by least squares.
#[test]
fn residual_form_has_the_accelerations_of_a_run() {
    let mut seen = 0;
    for seed in 0..20 {
        for scalars in [Scalars::Plain, Scalars::Prescribed, Scalars::Moving] {
            let mut random = Random::new(300 + seed);
            let mechanism = mechanism(&mut random, 8, scalars, 1 + seed as usize % 3);
            let layout = mechanism.layout();
            let (nv, nc, nm, nx) = (layout.nv, layout.nc, layout.nm, layout.nx());
            if nc + 3 > nv {
                continue;
            }
            let (x, t, m) = (state(&mut random, &mechanism), 0.3, vec![0.0; nm]);
            let (mut d, mut dx) = (mechanism.data(), vec![0.0; nx]);
            mechanism.rates(&mut d, t, &x, &m, &mut dx).unwrap();
            let a = dx[layout.v()].to_vec();
            let mut gaps = [vec![0.0; nc], vec![0.0; nc], vec![0.0; nc]];
            mechanism.gaps(&mut d, t, &x, gaps.each_mut().map(Vec::as_mut_slice));
            let pattern = mechanism.pattern();
            let mut entries = vec![0.0; pattern.iter().map(Vec::len).sum()];
            mechanism.constraint_entries(&mut d, t, &x[layout.q()], &mut entries);
            let mut rows = DMatrix::zeros(nc, nv);
            let places = pattern.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&k| (i, k)));
            places.zip(&entries).for_each(|(place, &entry)| rows[place] = entry);
            let mut dense = vec![0.0; nc * nv];
            mechanism.constraint_rows(&mut d, t, &x[layout.q()], &mut dense);
            assert_eq!(rows, DMatrix::from_row_slice(nc, nv, &dense));
            let values = rows.transpose().svd(true, true);
            if values.singular_values.min() < 1e-3 || gaps[2].iter().any(|gamma| gamma.abs() > 1e4) {
                continue;
            }
            let size = a.iter().fold(1.0f64, |max, a| max.max(a.abs()));
            let open = &rows * DVector::from_column_slice(&a) - DVector::from_column_slice(&gaps[2]);
            assert!(open.amax() < 1e-9 * size, "seed {seed}, {scalars:?}: {open}");
            let mut r = vec![0.0; nv];
            mechanism.balance(&mut d, (t, &x, &m), [&a, &vec![0.0; nc]], &mut r).unwrap();
            let load = DVector::from_column_slice(&r);
            let lambda = values.solve(&-&load, 1e-12).unwrap();
            mechanism.balance(&mut d, (t, &x, &m), [&a, lambda.as_slice()], &mut r).unwrap();
            let left = DVector::from_column_slice(&r).amax();
            assert!(left < 1e-9 * load.amax().max(1.0), "seed {seed}, {scalars:?}: {left:e}");
            seen += nc;
        }
    }
    assert!(seen > 50, "only {seen} equations were looked at");
}

/// Derivatives of the accelerations through the recursion against central differences.
#[test]
fn accelerations_have_exact_derivatives() {
    let mut random = Random::new(7);
    let mechanism = mechanism(&mut random, 8, Scalars::Prescribed, 3);
    let layout = mechanism.layout();
    let x = state(&mut random, &mechanism);
    let direction = random.vector(layout.nx());
    let along = |h: f64| {
        let moved: Vec<f64> = x.iter().zip(&direction).map(|(x, e)| x + h * e).collect();
        let mut dx = vec![0.0; layout.nx()];
        mechanism.rates(&mut mechanism.data(), 0.2, &moved, &vec![0.0; layout.nm], &mut dx).unwrap();
        dx[layout.v()].to_vec()
    };
    let (plus, minus) = (along(1e-6), along(-1e-6));
    let moving: Vec<Dual> =
        x.iter().zip(&direction).map(|(&x, &e)| Dual::c(x) + seed(0.0, 0) * Dual::c(e)).collect();
    let mut dx = vec![Dual::c(0.0); layout.nx()];
    mechanism.rates(&mut mechanism.data(), Dual::c(0.2), &moving, &vec![0.0; layout.nm], &mut dx).unwrap();
    for (k, slot) in layout.v().enumerate() {
        let slope = (plus[k] - minus[k]) / 2e-6;
        let exact = partial(dx[slot], 0);
        assert!((slope - exact).abs() < 1e-5 * (1.0 + exact.abs()), "{k}: {slope} {exact}");
    }
}
