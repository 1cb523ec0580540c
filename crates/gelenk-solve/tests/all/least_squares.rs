//! The one least squares on problems with known answers.

use std::convert::Infallible;

use gelenk_solve::least_squares::{
    Failure, LeastSquares, Loss, Rows, SearchError, SearchOptions, Shape, Stop, minimise,
};
use nalgebra::{DMatrix, DVector, Rotation3, Vector3};

type Of<T> = Result<T, Failure<Infallible>>;

/// Residuals and derivatives as functions of numbers.
struct Plain<F> {
    f: F,
    bounds: Vec<[f64; 2]>,
}

impl<F: FnMut(&[f64]) -> (Vec<f64>, Vec<Vec<f64>>)> LeastSquares for Plain<F> {
    type Point = Vec<f64>;
    type Error = Infallible;

    fn residuals(&mut self, x: &Vec<f64>, r: &mut Vec<f64>) -> Of<()> {
        *r = (self.f)(x).0;
        Ok(())
    }

    fn jacobian(&mut self, x: &Vec<f64>, _: &mut Vec<f64>, rows: &mut Rows) -> Of<()> {
        rows.clear(Shape::dense(x.len()));
        (self.f)(x).1.iter().for_each(|row| rows.push(0, row, &[]));
        Ok(())
    }

    fn retract(&mut self, x: &Vec<f64>, step: &[f64]) -> Of<Vec<f64>> {
        Ok(x.iter().zip(step).map(|(x, step)| x + step).collect())
    }

    fn room(&self, x: &Vec<f64>, k: usize) -> [f64; 2] {
        self.bounds.get(k).map_or([f64::NEG_INFINITY, f64::INFINITY], |[a, b]| [a - x[k], b - x[k]])
    }
}

fn rosenbrock(x: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let r = vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]];
    (r, vec![vec![-20.0 * x[0], 10.0], vec![-1.0, 0.0]])
}

/// Rosenbrock (1960): the minimum is (1, 1); with x0 <= 0.5 it is (0.5, 0.25).
#[test]
fn rosenbrock_with_and_without_a_bound() {
    let mut free = Plain { f: rosenbrock, bounds: Vec::new() };
    let found = minimise(&mut free, vec![-1.2, 1.0], &SearchOptions::default(), &mut |_| {}).unwrap();
    assert!(
        found.stop.converged() && (found.point[0] - 1.0).abs() < 1e-8,
        "{:?} {}",
        found.point,
        found.stop
    );
    let all = f64::INFINITY;
    let mut bounded = Plain { f: rosenbrock, bounds: vec![[-all, 0.5], [-all, all]] };
    let found = minimise(&mut bounded, vec![-1.2, 1.0], &SearchOptions::default(), &mut |_| {}).unwrap();
    assert!(found.stop.converged() && found.point[0] == 0.5, "{:?} {}", found.point, found.stop);
    assert!((found.point[1] - 0.25).abs() < 1e-8 && found.model.held()[0], "{:?}", found.point);
}

/// A line through points of which one is far off: at the minimum the sum of the slopes of the losses vanishes, and the line
/// is near that of the others.
#[test]
fn outliers_count_less() {
    let samples: Vec<(f64, f64)> = (0..20)
        .map(|i| (f64::from(i), 1.0 + 0.5 * f64::from(i) + 0.01 * (f64::from(i) * 12.9898).sin()))
        .chain([(10.0, 100.0)])
        .collect();
    let line = |x: &[f64]| {
        let r = samples.iter().map(|(t, y)| x[0] + x[1] * t - y).collect();
        (r, samples.iter().map(|(t, _)| vec![1.0, *t]).collect())
    };
    let slope = |loss: Loss, r: f64| match loss {
        Loss::Squares => r,
        Loss::Huber(s) => r.clamp(-s, s),
        Loss::Cauchy(s) => r / (1.0 + (r / s).powi(2)),
    };
    let mut off = Vec::new();
    for loss in [Loss::Squares, Loss::Huber(0.02), Loss::Cauchy(0.02)] {
        let options = SearchOptions { loss, tolerance: 1e-10, ..SearchOptions::default() };
        let mut problem = Plain { f: line, bounds: Vec::new() };
        // Losses that bend back need a start among the many.
        let found = minimise(&mut problem, vec![0.9, 0.52], &options, &mut |_| {}).unwrap();
        assert!(found.stop.converged(), "{loss:?}: {}", found.stop);
        let sums = samples.iter().zip(&found.residuals).fold([0.0, 0.0], |sum, ((t, _), &r)| {
            let s = slope(loss, r);
            [sum[0] + s, sum[1] + t * s]
        });
        assert!(sums[0].abs() < 1e-6 && sums[1].abs() < 1e-5, "{loss:?}: {sums:?}");
        off.push((found.point[1] - 0.5).abs() + (found.point[0] - 1.0).abs());
    }
    assert!(off[0] > 3.0 && off[1] < 0.02 && off[2] < 0.01, "{off:?}");
    let wrong = SearchOptions { loss: Loss::Huber(0.0), ..SearchOptions::default() };
    let refused = minimise(&mut Plain { f: line, bounds: Vec::new() }, vec![1.0, 0.5], &wrong, &mut |_| {});
    assert!(matches!(refused, Err(SearchError::Option { option: "loss", .. })));
}

/// Numbers along a line, bent as little as possible, with an offset that all measurements share.
struct Smoothing {
    measured: Vec<f64>,
    shape: Shape,
}

impl Smoothing {
    fn rows(&self) -> Vec<(usize, [f64; 3], f64)> {
        let n = self.measured.len();
        let values = (0..n).map(|i| (i, [1.0, 0.0, 0.0], 1.0));
        let bends = (0..n - 2).map(|i| (i, [5.0, -10.0, 5.0], 0.0));
        // The offset is known at the first number.
        values.chain(bends).chain([(0, [3.0, 0.0, 0.0], 0.0)]).collect()
    }
}

impl LeastSquares for Smoothing {
    type Point = Vec<f64>;
    type Error = Infallible;

    fn residuals(&mut self, x: &Vec<f64>, r: &mut Vec<f64>) -> Of<()> {
        let n = self.measured.len();
        let value = |(i, (first, own, offset)): (usize, (usize, [f64; 3], f64))| {
            let sum: f64 =
                own.iter().enumerate().filter(|(_, w)| **w != 0.0).map(|(k, w)| w * x[first + k]).sum();
            sum + offset * x[n] - if i < n { self.measured[i] } else { 0.0 }
        };
        *r = self.rows().into_iter().enumerate().map(value).collect();
        Ok(())
    }

    fn jacobian(&mut self, _: &Vec<f64>, _: &mut Vec<f64>, rows: &mut Rows) -> Of<()> {
        rows.clear(self.shape);
        let n = self.measured.len();
        for (first, own, offset) in self.rows() {
            if self.shape.border == 1 {
                rows.push(first, &own, &[offset]);
            } else {
                let mut row = vec![0.0; n + 1];
                (0..3).filter(|k| own[*k] != 0.0).for_each(|k| row[first + k] = own[k]);
                row[n] = offset;
                rows.push(0, &row, &[]);
            }
        }
        Ok(())
    }

    fn retract(&mut self, x: &Vec<f64>, step: &[f64]) -> Of<Vec<f64>> {
        Ok(x.iter().zip(step).map(|(x, step)| x + step).collect())
    }
}

/// A linear problem with 300 numbers: the arrow-shaped and the dense search end at the solution of the normal equations.
#[test]
fn an_arrow_is_solved_like_a_dense_problem() {
    let n = 300;
    let measured: Vec<f64> =
        (0..n).map(|i| 2.0 + (0.05 * i as f64).sin() + 0.1 * (1e4 * i as f64).sin()).collect();
    let (mut a, mut b) = (DMatrix::zeros(2 * n - 1, n + 1), DVector::zeros(2 * n - 1));
    let rows = Smoothing { measured: measured.clone(), shape: Shape::dense(n + 1) }.rows();
    for (i, (first, own, offset)) in rows.into_iter().enumerate() {
        (0..3).filter(|k| own[*k] != 0.0).for_each(|k| a[(i, first + k)] = own[k]);
        a[(i, n)] = offset;
        b[i] = if i < n { measured[i] } else { 0.0 };
    }
    let expected = (a.transpose() * &a).cholesky().unwrap().solve(&(a.transpose() * b));
    for shape in [Shape::arrow(n + 1, 3, 1), Shape::dense(n + 1)] {
        let mut problem = Smoothing { measured: measured.clone(), shape };
        let options = SearchOptions { tolerance: 1e-12, ..SearchOptions::default() };
        let found = minimise(&mut problem, vec![0.0; n + 1], &options, &mut |_| {}).unwrap();
        let off = (DVector::from_column_slice(&found.point) - &expected).amax();
        assert!(off < 1e-7, "{shape:?}: {off:e}, {}", found.stop);
    }
}

/// Directions seen in two frames.
struct Turned {
    pairs: Vec<(Vector3<f64>, Vector3<f64>)>,
}

impl LeastSquares for Turned {
    type Point = Rotation3<f64>;
    type Error = Infallible;

    fn residuals(&mut self, at: &Rotation3<f64>, r: &mut Vec<f64>) -> Of<()> {
        *r = self
            .pairs
            .iter()
            .flat_map(|(a, b)| {
                let e = at * a - b;
                [e.x, e.y, e.z]
            })
            .collect();
        Ok(())
    }

    fn jacobian(&mut self, at: &Rotation3<f64>, _: &mut Vec<f64>, rows: &mut Rows) -> Of<()> {
        rows.clear(Shape::dense(3));
        for (a, _) in &self.pairs {
            // exp(w) R a: its derivative by w is -[R a]x.
            let slope = -(at * a).cross_matrix();
            slope.row_iter().for_each(|row| rows.push(0, &[row[0], row[1], row[2]], &[]));
        }
        Ok(())
    }

    fn retract(&mut self, at: &Rotation3<f64>, step: &[f64]) -> Of<Rotation3<f64>> {
        Ok(Rotation3::new(Vector3::from_column_slice(step)) * at)
    }
}

/// Wahba's problem without noise: the rotation is found from far away.
#[test]
fn rotations_are_points() {
    let right = Rotation3::from_euler_angles(0.4, -1.1, 2.0);
    let axes = [Vector3::x(), Vector3::y(), Vector3::new(0.3, -0.5, 0.8)];
    let mut problem = Turned { pairs: axes.iter().map(|a| (*a, right * a)).collect() };
    let found =
        minimise(&mut problem, Rotation3::identity(), &SearchOptions::default(), &mut |_| {}).unwrap();
    assert!(
        (found.point.matrix() - right.matrix()).norm() < 1e-8 && found.stop.converged(),
        "{}",
        found.stop
    );
}

/// The progress is reported from the start on, and can end the search.
#[test]
fn it_can_be_interrupted() {
    let mut count = 0;
    let mut problem = Plain { f: rosenbrock, bounds: Vec::new() };
    let found = minimise(&mut problem, vec![-1.2, 1.0], &SearchOptions::default(), &mut |report| {
        count += 1;
        if report.iteration == 2 {
            report.stop();
        }
    });
    assert_eq!((found.unwrap().stop, count), (Stop::Interrupted, 3));
}
