//! Efforts with bounds: which of several holds hold, and which let go.
//!
//! Given the motion `b` that would be without efforts and the answers `A` to unit efforts, the motion is `w = A x + b`.
//! Every effort has a range, and gives way only at the end of it:
//!
//! ```text
//! low < x < high   w  = 0     it holds
//! x = low          w >= 0     it gives way forward
//! x = high         w <= 0     it gives way backward
//! ```
//!
//! Friction has the range `[-F_S, F_S]`, a limit from below `[0, inf)`. For a symmetric positive semi-definite `A` these are
//! the conditions of the minimum of `x^T A x / 2 + b^T x` in the box, so `w` is unique and does not depend on the order of
//! the rows. Where rows depend on each other, several `x` hold alike; they share the load as in the one with the least
//! `sum A_ii x_i^2`, which does not depend on the order, either: the diagonal is raised a little, which makes `x` unique, and
//! what that leaves open is solved for again (the proximal point method; Rockafellar, *SIAM J. Control Optim.* 14, 1976).

use crate::dense::solve_general;

/// Share of the terms that make up a `w` below which it counts as zero.
const ZERO: f64 = 1e-12;
/// Share of the diagonal that is added: above the rounding of dependent rows, below what mass ratios of 1e10 leave of them.
const SHARED: f64 = 1e-10;
/// Solutions at most, each for what the raised diagonal left open in the one before.
const PASSES: usize = 40;
/// Share of the largest load by which one solution differs from the one before, below which the last one counts. Rounding moves
/// what dependent rows share by some 1e-6.
const SAME: f64 = 1e-5;

/// The workspace of problems with up to a given number of rows.
#[derive(Clone, Debug, Default)]
pub struct Bounded {
    size: Vec<f64>,
    state: Vec<State>,
    free: Vec<usize>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    step: Vec<f64>,
    columns: Vec<usize>,
    /// `a` with a raised diagonal, and `b` with what is raised at the last solution taken back.
    raised: Vec<f64>,
    lowered: Vec<f64>,
    /// The last solution.
    last: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Low,
    High,
    /// At a bound that rounding alone would have it leave.
    Kept,
    /// No effort moves it.
    Unmoved,
}

impl Bounded {
    /// A workspace for up to `n` rows.
    pub fn new(n: usize) -> Self {
        Self {
            size: vec![0.0; n],
            state: vec![State::Free; n],
            free: Vec::with_capacity(n),
            matrix: vec![0.0; n * n],
            right: vec![0.0; n],
            step: vec![0.0; n],
            columns: vec![0; n],
            raised: vec![0.0; n * n],
            lowered: vec![0.0; n],
            last: vec![0.0; n],
        }
    }

    /// Solves the problem with `n = b.len()` rows of `a` (row by row) for the efforts `x` and the motion `w`; `range(i)` is
    /// the lower and upper bound of row `i`, infinite ones included. Returns whether the conditions were met; a problem
    /// without a solution, or one that does not end, leaves what was found last.
    ///
    /// An `a` that is not symmetric is solved by the same exchange of rows, which then need not end.
    pub fn solve(
        &mut self,
        a: &[f64],
        b: &[f64],
        range: impl Fn(usize) -> [f64; 2],
        x: &mut [f64],
        w: &mut [f64],
    ) -> bool {
        let n = b.len();
        for i in 0..n {
            let diagonal = a[i * n + i];
            self.size[i] = if diagonal > 0.0 { diagonal.sqrt() } else { 0.0 };
            let [low, high] = range(i);
            x[i] = 0.0f64.clamp(low.min(high), high);
            self.state[i] = match x[i] {
                _ if self.size[i] == 0.0 => State::Unmoved,
                x if x == low => State::Low,
                x if x == high => State::High,
                _ => State::Free,
            };
        }
        let (mut raised, mut lowered) = (std::mem::take(&mut self.raised), std::mem::take(&mut self.lowered));
        raised[..n * n].copy_from_slice(a);
        for i in 0..n {
            raised[i * n + i] *= 1.0 + SHARED;
        }
        let mut met = false;
        for pass in 0..PASSES {
            self.last[..n].copy_from_slice(x);
            for i in 0..n {
                lowered[i] = b[i] - SHARED * a[i * n + i] * x[i];
            }
            met = self.exchange(&raised[..n * n], &lowered[..n], &range, x, w);
            if !met || (pass > 0 && same(&self.size, x, &self.last)) {
                break;
            }
        }
        (self.raised, self.lowered) = (raised, lowered);
        moved(a, b, x, w);
        if met {
            self.leave_unmoved(&range, x, w);
        }
        met
    }

    /// Frees rows that give way the wrong way, one after the other, from the present states and efforts.
    fn exchange(
        &mut self,
        a: &[f64],
        b: &[f64],
        range: &impl Fn(usize) -> [f64; 2],
        x: &mut [f64],
        w: &mut [f64],
    ) -> bool {
        let n = b.len();
        let mut done = self.settle_free(a, b, range, x, w);
        for _ in 0..4 * n + 8 {
            if !done {
                return false;
            }
            moved(a, b, x, w);
            let Some(worst) = self.worst(a, b, range, x, w) else { return true };
            let before = x[worst];
            self.state[worst] = State::Free;
            done = self.settle_free(a, b, range, x, w);
            if x[worst] == before && self.state[worst] != State::Free {
                self.state[worst] = State::Kept;
            } else {
                // Something moved, so what rounding kept may be looked at again.
                for (i, state) in self.state.iter_mut().enumerate().take(n) {
                    if *state == State::Kept {
                        *state = if x[i] == range(i)[0] { State::Low } else { State::High };
                    }
                }
            }
        }
        false
    }

    /// Brings the motion of all free rows to zero, and holds at its bound what would leave its range on the way.
    fn settle_free(
        &mut self,
        a: &[f64],
        b: &[f64],
        range: &impl Fn(usize) -> [f64; 2],
        x: &mut [f64],
        w: &mut [f64],
    ) -> bool {
        let n = b.len();
        loop {
            self.free.clear();
            self.free.extend((0..n).filter(|&i| self.state[i] == State::Free));
            let k = self.free.len();
            if k == 0 {
                return true;
            }
            moved(a, b, x, w);
            for (p, &i) in self.free.iter().enumerate() {
                self.right[p] = -w[i] / self.size[i];
                for (q, &j) in self.free.iter().enumerate() {
                    self.matrix[p * k + q] = a[i * n + j] / (self.size[i] * self.size[j]);
                }
            }
            let (matrix, right) = (&mut self.matrix[..k * k], &mut self.right[..k]);
            solve_general(matrix, k, right, &mut self.columns[..k], &mut self.step[..k]);
            // The first bound on the way.
            let (mut share, mut first) = (1.0, None);
            for (p, &i) in self.free.iter().enumerate() {
                let step = self.step[p] / self.size[i];
                let [low, high] = range(i);
                let (room, state) =
                    if step < 0.0 { (low - x[i], State::Low) } else { (high - x[i], State::High) };
                if !step.is_finite() {
                    return false;
                }
                if step != 0.0 && room / step < share {
                    (share, first) = ((room / step).max(0.0), Some((i, state)));
                }
            }
            for (p, &i) in self.free.iter().enumerate() {
                let [low, high] = range(i);
                x[i] = (x[i] + share * self.step[p] / self.size[i]).clamp(low.min(high), high);
            }
            let Some((i, state)) = first else { return true };
            x[i] = range(i)[usize::from(state == State::High)];
            self.state[i] = state;
        }
    }

    /// The row at a bound that gives way the wrong way, most of all.
    fn worst(
        &self,
        a: &[f64],
        b: &[f64],
        range: &impl Fn(usize) -> [f64; 2],
        x: &[f64],
        w: &[f64],
    ) -> Option<usize> {
        let n = b.len();
        let off = |i: usize| {
            let [low, high] = range(i);
            let wrong = match self.state[i] {
                State::Low if high > low => -w[i],
                State::High if high > low => w[i],
                _ => return None,
            };
            let terms = (0..n).fold(b[i].abs(), |sum, k| sum + (a[i * n + k] * x[k]).abs());
            (wrong > ZERO * terms).then_some((i, wrong / self.size[i]))
        };
        (0..n).filter_map(off).max_by(|p, q| p.1.total_cmp(&q.1)).map(|(i, _)| i)
    }

    /// Efforts on what they do not move are against its motion.
    fn leave_unmoved(&self, range: &impl Fn(usize) -> [f64; 2], x: &mut [f64], w: &[f64]) {
        for i in (0..w.len()).filter(|&i| self.state[i] == State::Unmoved) {
            let [low, high] = range(i);
            let bound = if w[i] > 0.0 { low } else { high };
            if w[i] != 0.0 && bound.is_finite() {
                x[i] = bound;
            }
        }
    }
}

/// `w = A x + b`.
fn moved(a: &[f64], b: &[f64], x: &[f64], w: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        w[i] = (0..n).fold(b[i], |sum, k| sum + a[i * n + k] * x[k]);
    }
}

/// Whether two solutions are the same loads `x_i sqrt(A_ii)`; `size` has the roots.
fn same(size: &[f64], x: &[f64], last: &[f64]) -> bool {
    let (mut change, mut largest) = (0.0f64, 0.0f64);
    for ((&x, &last), &size) in x.iter().zip(last).zip(size) {
        change = change.max((x - last).abs() * size);
        largest = largest.max(x.abs() * size);
    }
    change <= SAME * largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn solve(a: &[f64], b: &[f64], ranges: &[[f64; 2]]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = b.len();
        let (mut x, mut w) = (vec![0.0; n], vec![0.0; n]);
        Bounded::new(n).solve(a, b, |i| ranges[i], &mut x, &mut w).then_some((x, w))
    }

    /// Two frictions of 2 N and 3 N on one mass of 1 kg hold 4.5 N together, and let go of 6 N with 1 m/s^2 left (by hand).
    #[test]
    fn frictions_add_up() {
        let one = [1.0; 4];
        let ranges = [[-2.0, 2.0], [-3.0, 3.0]];
        // The first one at its level, the second one with the rest: nearest to equal shares.
        let (x, w) = solve(&one, &[-4.5, -4.5], &ranges).unwrap_or_default();
        assert!(
            x[0] == 2.0 && (x[1] - 2.5).abs() < 1e-12 && w.iter().all(|w| w.abs() < 1e-12),
            "{x:?} {w:?}"
        );
        let (x, _) = solve(&one, &[-4.5, -4.5], &[ranges[1], ranges[0]]).unwrap_or_default();
        assert!((x[0] - 2.5).abs() < 1e-12 && x[1] == 2.0, "{x:?}");
        let (x, w) = solve(&one, &[-6.0, -6.0], &ranges).unwrap_or_default();
        assert_eq!((x, w), (vec![2.0, 3.0], vec![-1.0, -1.0]));
    }

    /// A block of 1 kg on another of 1 kg: 4 N on the upper one, 2 N between them, 4.5 N on the lower one, which the ground
    /// holds with 7.5 N: the upper one slides at 2 m/s^2 and the lower one stands with 6.5 N, whatever the order (by hand).
    #[test]
    fn the_order_of_rows_does_not_matter() {
        // Relative coordinates: the upper one on the lower one (mass matrix [[1, 1], [1, 2]]), and the lower one.
        let (a, b) = ([2.0, -1.0, -1.0, 1.0], [2.0 * 4.0 - 8.5, -4.0 + 8.5]);
        let (x, w) = solve(&a, &b, &[[-2.0, 2.0], [-7.5, 7.5]]).unwrap_or_default();
        let swapped = [a[3], a[2], a[1], a[0]];
        let (y, u) = solve(&swapped, &[b[1], b[0]], &[[-7.5, 7.5], [-2.0, 2.0]]).unwrap_or_default();
        assert_eq!((x[0], x[1]), (y[1], y[0]));
        assert_eq!((w[0], w[1]), (u[1], u[0]));
        let found = [x[0], x[1], w[0], w[1]].into_iter().zip([-2.0, -6.5, 2.0, 0.0]);
        assert!(found.into_iter().all(|(a, b): (f64, f64)| (a - b).abs() < 1e-12), "{x:?} {w:?}");
    }

    /// A heavy block on a light one on the ground, relative coordinates, pushed by 1 N: both contacts hold 1 N whatever the masses
    /// are (statics), though their rows depend on each other all but exactly.
    #[test]
    fn masses_of_any_ratio_are_held() {
        for ratio in [1.0, 1e4, 1e8, 1e10, 1e12] {
            // Upper mass `ratio`, lower mass 1: the inverse of [[r, r], [r, r + 1]], and the free accelerations under (1, 1) N.
            let a = [1.0 + 1.0 / ratio, -1.0, -1.0, 1.0];
            let b = [1.0 / ratio, 0.0];
            let (x, w) = solve(&a, &b, &[[-5.0, 5.0], [-5.0, 5.0]]).unwrap_or_default();
            let near = 1e-12 * ratio.max(1e3);
            assert!((x[0] + 1.0).abs() < near && (x[1] + 1.0).abs() < near, "{ratio}: {x:?} {w:?}");
        }
    }

    /// A row that no effort moves goes on, with its effort against it.
    #[test]
    fn a_dead_point_moves_on() {
        let (x, w) = solve(&[0.0, 0.0, 0.0, 1.0], &[3.0, -1.0], &[[-2.0, 2.0]; 2]).unwrap_or_default();
        assert_eq!((x, w), (vec![-2.0, 1.0], vec![3.0, 0.0]));
    }

    proptest! {
        /// The conditions hold for Gram matrices of any rank and ranges of any kind, over twelve decades of scale, and the
        /// motion does not depend on the order of the rows.
        #[test]
        fn conditions(
            columns in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 1..7),
            push in proptest::array::uniform3(-1.0..1.0f64),
            levels in proptest::array::uniform6(0.0..2.0f64),
            kinds in proptest::array::uniform6(0..3usize),
            scale in -6.0..6.0f64,
        ) {
            let (n, scale) = (columns.len(), 10f64.powf(scale));
            let dot = |p: &[f64; 3], q: &[f64; 3]| p.iter().zip(q).map(|(a, b)| a * b).sum::<f64>();
            let a: Vec<f64> = columns.iter().flat_map(|p| columns.iter().map(move |q| dot(p, q) * scale)).collect();
            let b: Vec<f64> = columns.iter().map(|p| dot(p, &push) * scale).collect();
            let ranges: Vec<[f64; 2]> = (0..n).map(|i| match kinds[i] {
                0 => [0.0, f64::INFINITY],
                1 => [-levels[i], levels[i]],
                _ => [-levels[i], 2.0 * levels[i]],
            }).collect();
            let Some((x, w)) = solve(&a, &b, &ranges) else {
                return Err(TestCaseError::fail("no answer"));
            };
            for i in 0..n {
                let terms = (0..n).fold(b[i].abs(), |sum, k| sum + (a[i * n + k] * x[k]).abs());
                let zero = 1e-9 * terms;
                let [low, high] = ranges[i];
                prop_assert!(x[i] >= low && x[i] <= high);
                prop_assert!(w[i] >= -zero || x[i] == high, "{x:?} {w:?}");
                prop_assert!(w[i] <= zero || x[i] == low, "{x:?} {w:?}");
            }
            let back: Vec<f64> = (0..n * n).map(|ij| a[n * n - 1 - ij]).collect();
            let turned: Vec<f64> = b.iter().rev().copied().collect();
            let others: Vec<[f64; 2]> = ranges.iter().rev().copied().collect();
            let Some((y, u)) = solve(&back, &turned, &others) else {
                return Err(TestCaseError::fail("no answer backwards"));
            };
            for i in 0..n {
                let terms = (0..n).fold(b[i].abs(), |sum, k| sum + (a[i * n + k] * x[k]).abs());
                prop_assert!((w[i] - u[n - 1 - i]).abs() <= 1e-7 * terms, "{x:?} {w:?} {y:?} {u:?}");
                let loads = x.iter().zip(&columns).map(|(x, c)| x.abs() * dot(c, c).sqrt()).fold(0.0, f64::max);
                let load = |x: f64| x * dot(&columns[i], &columns[i]).sqrt();
                prop_assert!((load(x[i]) - load(y[n - 1 - i])).abs() <= 1e-5 * loads, "{x:?} {y:?}");
            }
        }
    }
}
