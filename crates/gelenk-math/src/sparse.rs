//! Factors of sparse symmetric matrices whose pattern stays the same.
//!
//! `A = L D L^T` for positive semi-definite `A`, as the Gram matrix of constraint rows is. The order of elimination is
//! chosen once, by minimum degree; then every factorisation runs over a fixed pattern and allocates nothing. A pivot
//! that vanishes against its diagonal entry belongs to a row that depends on those before it: it is dropped, and its
//! unknown is zero.

use std::collections::BTreeSet;

use crate::dense::{RANK_TOLERANCE, ROUNDING};

/// Pattern of a matrix and of its factor.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Row that is eliminated at each stage.
    order: Vec<usize>,
    /// Stage at which each row is eliminated.
    stage: Vec<usize>,
    /// Entries of `L` below the diagonal: start of every column in `rows`.
    starts: Vec<usize>,
    /// Their rows, by stage, rising in each column.
    rows: Vec<usize>,
}

/// Place of an entry in a [`Factor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// On the diagonal, by stage.
    Diagonal(usize),
    /// Below it.
    Lower(usize),
}

impl Pattern {
    /// Pattern of an `n x n` matrix with entries at `pairs` and on the diagonal; pairs beyond `n` are left out.
    pub fn new(n: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![BTreeSet::new(); n];
        for (a, b) in pairs.into_iter().filter(|&(a, b)| a != b && a < n && b < n) {
            neighbours[a].insert(b);
            neighbours[b].insert(a);
        }
        let mut waiting: BTreeSet<(usize, usize)> =
            neighbours.iter().enumerate().map(|(row, near)| (near.len(), row)).collect();
        let (mut order, mut columns) = (Vec::with_capacity(n), Vec::with_capacity(n));
        while let Some((_, row)) = waiting.pop_first() {
            let column: Vec<usize> = std::mem::take(&mut neighbours[row]).into_iter().collect();
            // Eliminating a row ties all its neighbours to each other.
            for &a in &column {
                waiting.remove(&(neighbours[a].len(), a));
                neighbours[a].remove(&row);
                neighbours[a].extend(column.iter().copied().filter(|&b| b != a));
                waiting.insert((neighbours[a].len(), a));
            }
            order.push(row);
            columns.push(column);
        }
        let mut stage = vec![0; n];
        for (at, &row) in order.iter().enumerate() {
            stage[row] = at;
        }
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for column in columns {
            let first = rows.len();
            rows.extend(column.into_iter().map(|row| stage[row]));
            rows[first..].sort_unstable();
            starts.push(rows.len());
        }
        Self { order, stage, starts, rows }
    }

    /// Place of the entry in row `a` and column `b`; `None` outside the pattern.
    pub fn slot(&self, a: usize, b: usize) -> Option<Slot> {
        let (a, b) = (*self.stage.get(a)?, *self.stage.get(b)?);
        let (column, row) = (a.min(b), a.max(b));
        if column == row {
            return Some(Slot::Diagonal(column));
        }
        let range = self.starts[column]..self.starts[column + 1];
        let at = self.rows[range.clone()].binary_search(&row).ok()?;
        Some(Slot::Lower(range.start + at))
    }
}

/// A matrix over a [`Pattern`], then its factor.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    diagonal: Vec<f64>,
    lower: Vec<f64>,
    /// Inverse pivots; zero for dropped rows.
    inverse: Vec<f64>,
    /// The unknowns by stage.
    work: Vec<f64>,
}

impl Factor {
    /// The zero matrix.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.order.len();
        let lower = vec![0.0; pattern.rows.len()];
        Self { diagonal: vec![0.0; n], lower, inverse: vec![0.0; n], work: vec![0.0; n] }
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.diagonal.fill(0.0);
        self.lower.fill(0.0);
    }

    /// Writes an entry, which stands for itself and for its mirror image.
    #[inline]
    pub fn put(&mut self, slot: Slot, value: f64) {
        match slot {
            Slot::Diagonal(at) => self.diagonal[at] = value,
            Slot::Lower(at) => self.lower[at] = value,
        }
    }

    /// Factors the matrix in place; returns its rank.
    pub fn factor(&mut self, pattern: &Pattern) -> usize {
        self.factor_above(pattern, |_| 0.0)
    }

    /// [`Self::factor`] that also drops every row whose pivot is not above its `floor`.
    pub fn factor_above(&mut self, pattern: &Pattern, floor: impl Fn(usize) -> f64) -> usize {
        let n = pattern.order.len();
        let mut rank = 0;
        self.work.copy_from_slice(&self.diagonal);
        let rounding = ROUNDING * self.diagonal.iter().fold(0.0, |max: f64, &entry| max.max(entry));
        for j in 0..n {
            let range = pattern.starts[j]..pattern.starts[j + 1];
            let (pivot, whole) = (self.diagonal[j], self.work[j]);
            if !(pivot > RANK_TOLERANCE * whole && pivot > rounding && pivot > floor(pattern.order[j])) {
                self.inverse[j] = 0.0;
                self.lower[range].fill(0.0);
                continue;
            }
            rank += 1;
            let inverse = 1.0 / pivot;
            self.inverse[j] = inverse;
            for at in range.clone() {
                let (k, entry) = (pattern.rows[at], self.lower[at]);
                let scaled = entry * inverse;
                self.diagonal[k] -= entry * scaled;
                // The rows below k in column j stand in column k too; both rise.
                let mut target = pattern.starts[k];
                for below in at + 1..range.end {
                    while pattern.rows[target] < pattern.rows[below] {
                        target += 1;
                    }
                    self.lower[target] -= self.lower[below] * scaled;
                }
            }
            for entry in &mut self.lower[range] {
                *entry *= inverse;
            }
        }
        rank
    }

    /// Solves `A x = b` in place; unknowns of dropped rows become zero.
    pub fn solve(&mut self, pattern: &Pattern, b: &mut [f64]) {
        let n = pattern.order.len();
        for (work, &row) in self.work.iter_mut().zip(&pattern.order) {
            *work = b[row];
        }
        for j in 0..n {
            if self.inverse[j] == 0.0 {
                self.work[j] = 0.0;
                continue;
            }
            let known = self.work[j];
            for at in pattern.starts[j]..pattern.starts[j + 1] {
                self.work[pattern.rows[at]] -= self.lower[at] * known;
            }
        }
        for j in (0..n).rev() {
            let mut sum = self.work[j] * self.inverse[j];
            for at in pattern.starts[j]..pattern.starts[j + 1] {
                sum -= self.lower[at] * self.work[pattern.rows[at]];
            }
            self.work[j] = if self.inverse[j] == 0.0 { 0.0 } else { sum };
        }
        for (&work, &row) in self.work.iter().zip(&pattern.order) {
            b[row] = work;
        }
    }

    /// Rows that the last factorisation kept, each with its pivot.
    pub fn pivots<'a>(&'a self, pattern: &'a Pattern) -> impl Iterator<Item = (usize, f64)> + 'a {
        let stages = self.inverse.iter().zip(&pattern.order);
        stages.filter(|(inverse, _)| **inverse != 0.0).map(|(&inverse, &row)| (row, 1.0 / inverse))
    }

    /// Whether the last factorisation dropped rows.
    pub fn drops(&self) -> bool {
        self.inverse.contains(&0.0)
    }

    /// Rows that the last factorisation dropped, rising.
    pub fn dropped(&self, pattern: &Pattern) -> Vec<usize> {
        let stages = self.inverse.iter().enumerate().filter(|(_, inverse)| **inverse == 0.0);
        let mut rows: Vec<usize> = stages.map(|(stage, _)| pattern.order[stage]).collect();
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sparse Gram matrix `R R^T` with the pattern that its rows give.
    fn gram(rows: &[Vec<f64>]) -> (Pattern, Factor, Vec<Vec<f64>>) {
        let n = rows.len();
        let dot = |a: usize, b: usize| -> f64 { rows[a].iter().zip(&rows[b]).map(|(x, y)| x * y).sum() };
        let touch = |a: usize, b: usize| rows[a].iter().zip(&rows[b]).any(|(x, y)| x * y != 0.0);
        let pairs = (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| touch(a, b));
        let pattern = Pattern::new(n, pairs);
        let mut factor = Factor::new(&pattern);
        let dense: Vec<Vec<f64>> = (0..n).map(|a| (0..n).map(|b| dot(a, b)).collect()).collect();
        for (a, row) in dense.iter().enumerate() {
            for (b, &entry) in row.iter().enumerate() {
                if let Some(slot) = pattern.slot(a, b) {
                    factor.put(slot, entry);
                } else {
                    assert_eq!(entry, 0.0);
                }
            }
        }
        (pattern, factor, dense)
    }

    /// Rows of a ring with one that reaches over all columns.
    fn ring(n: usize) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = (0..n)
            .map(|a| {
                let mut row = vec![0.0; 2 * n];
                for k in 0..4 {
                    row[(2 * a + k) % (2 * n)] = ((a * 7 + k * 3) % 5) as f64 - 1.7;
                }
                row
            })
            .collect();
        rows.push((0..2 * n).map(|k| (k % 3) as f64 - 0.9).collect());
        rows
    }

    #[test]
    fn a_solution_satisfies_the_equations() {
        let (pattern, mut factor, dense) = gram(&ring(9));
        assert_eq!(factor.factor(&pattern), 10);
        let b: Vec<f64> = (0..10).map(|k| (k as f64).sin() + 0.3).collect();
        let mut x = b.clone();
        factor.solve(&pattern, &mut x);
        for (row, want) in dense.iter().zip(&b) {
            let sum: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((sum - want).abs() < 1e-10, "{sum} {want}");
        }
    }

    #[test]
    fn a_row_that_depends_on_others_is_dropped() {
        let mut rows = ring(5);
        let sum: Vec<f64> = rows[1].iter().zip(&rows[2]).map(|(a, b)| 2.0 * a - b).collect();
        rows.push(sum);
        let (pattern, mut factor, dense) = gram(&rows);
        assert_eq!(factor.factor(&pattern), 6);
        assert_eq!(factor.dropped(&pattern).len(), 1);
        // A right side in the range of the matrix is met by all rows, the dropped one included.
        let y: Vec<f64> = (0..7).map(|k| 0.2 * k as f64 - 0.5).collect();
        let b: Vec<f64> = dense.iter().map(|row| row.iter().zip(&y).map(|(a, y)| a * y).sum()).collect();
        let mut x = b.clone();
        factor.solve(&pattern, &mut x);
        for (row, want) in dense.iter().zip(&b) {
            let sum: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((sum - want).abs() < 1e-9, "{sum} {want}");
        }
    }

    /// A band with an arrow keeps its band: the row that touches all others is eliminated last.
    #[test]
    fn fill_stays_with_the_band() {
        let n = 200;
        let pairs = (1..n).map(|k| (k, k - 1)).chain((0..n).map(|k| (n, k)));
        let pattern = Pattern::new(n + 1, pairs);
        assert!(pattern.rows.len() <= 3 * n, "{} entries", pattern.rows.len());
    }

    #[test]
    fn nothing_is_a_matrix_too() {
        let pattern = Pattern::new(0, [(0, 1)]);
        let mut factor = Factor::new(&pattern);
        assert_eq!(factor.factor(&pattern), 0);
        factor.solve(&pattern, &mut []);
        assert_eq!(pattern.slot(0, 0), None);
    }
}
