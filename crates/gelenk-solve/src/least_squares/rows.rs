//! Rows of a Jacobian with their structure, and the triangle that they are turned into.

use nalgebra::DMatrix;

/// Which columns a row of the Jacobian may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of columns: the components of a step.
    pub columns: usize,
    /// Neighbouring columns that one row reaches.
    pub band: usize,
    /// Last columns, which every row may reach.
    pub border: usize,
}

impl Shape {
    /// Every row reaches every column.
    pub fn dense(columns: usize) -> Self {
        Self { columns, band: columns, border: 0 }
    }

    /// Every row reaches `band` neighbouring columns: smoothing along a motion.
    pub fn banded(columns: usize, band: usize) -> Self {
        Self::arrow(columns, band, 0)
    }

    /// Every row reaches `band` neighbouring columns and the last `border` ones: a motion, and numbers that all of it shares.
    pub fn arrow(columns: usize, band: usize, border: usize) -> Self {
        let border = border.min(columns);
        Self { columns, band: band.min(columns - border), border }
    }

    /// Columns before the border.
    fn local(self) -> usize {
        self.columns - self.border
    }

    /// Numbers that are kept of a row.
    fn width(self) -> usize {
        self.band + self.border
    }

    /// The column of number `k` of a row that begins at column `first`; `None` beyond the last one.
    fn column(self, first: usize, k: usize) -> Option<usize> {
        if k >= self.band {
            return Some(self.local() + k - self.band);
        }
        (first + k < self.local()).then_some(first + k)
    }
}

/// A Jacobian by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    shape: Shape,
    first: Vec<usize>,
    entries: Vec<f64>,
}

impl Rows {
    /// No rows yet.
    pub fn new(shape: Shape) -> Self {
        Self { shape, first: Vec::new(), entries: Vec::new() }
    }

    /// The structure.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Begins anew with another structure; keeps what was allocated.
    pub fn clear(&mut self, shape: Shape) {
        self.shape = shape;
        self.first.clear();
        self.entries.clear();
    }

    /// Appends a row: its entries from column `first` on, and those of the border. What is not given is zero, and what is beyond
    /// the band is left out.
    pub fn push(&mut self, first: usize, band: &[f64], border: &[f64]) {
        let Shape { band: width, border: edge, .. } = self.shape;
        let fill = |wanted: usize, given: &[f64]| wanted.saturating_sub(given.len());
        self.first.push(first.min(self.shape.local()));
        for (wanted, given) in [(width, band), (edge, border)] {
            self.entries.extend_from_slice(&given[..given.len().min(wanted)]);
            self.entries.extend(std::iter::repeat_n(0.0, fill(wanted, given)));
        }
    }

    /// The first column of row `row`, and its numbers.
    fn row(&self, row: usize) -> (usize, &[f64]) {
        let width = self.shape.width();
        (self.first[row], &self.entries[row * width..(row + 1) * width])
    }

    /// Multiplies a row by a factor.
    pub(super) fn scale(&mut self, row: usize, factor: f64) {
        let width = self.shape.width();
        self.entries[row * width..(row + 1) * width].iter_mut().for_each(|entry| *entry *= factor);
    }

    /// Euclidean norms of all columns, without overflow on the way.
    pub(super) fn norms(&self) -> Vec<f64> {
        let mut largest = vec![0.0f64; self.shape.columns];
        self.each(|column, entry| largest[column] = largest[column].max(entry.abs()));
        let mut sums = vec![0.0; self.shape.columns];
        self.each(|column, entry| {
            if largest[column] > 0.0 {
                sums[column] += (entry / largest[column]).powi(2);
            }
        });
        largest.iter().zip(&sums).map(|(largest, sum): (&f64, &f64)| largest * sum.sqrt()).collect()
    }

    pub(super) fn is_finite(&self) -> bool {
        self.entries.iter().all(|entry| entry.is_finite())
    }

    fn each(&self, mut see: impl FnMut(usize, f64)) {
        for row in 0..self.len() {
            let (first, entries) = self.row(row);
            for (k, &entry) in entries.iter().enumerate() {
                if let Some(column) = self.shape.column(first, k) {
                    see(column, entry);
                }
            }
        }
    }
}

/// An upper triangle with the structure of rows, and a right side. Rows are rotated into it one after another (George and
/// Heath 1980, doi:10.1016/0024-3795(80)90156-6), so no more is kept than the triangle itself.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    shape: Shape,
    /// Row `i` begins at column `i`; rows of the border have nothing but their part of it.
    entries: Vec<f64>,
    taken: Vec<bool>,
    pub(super) right: Vec<f64>,
    work: Vec<f64>,
}

impl Triangle {
    pub(super) fn new(shape: Shape) -> Self {
        let n = shape.columns;
        Self {
            shape,
            entries: vec![0.0; n * shape.width()],
            taken: vec![false; n],
            right: vec![0.0; n],
            work: vec![0.0; shape.width()],
        }
    }

    /// The triangle of `J D^-1`, and `Q^T r` as its right side.
    pub(super) fn of(rows: &Rows, r: &[f64], scales: &[f64]) -> Self {
        let mut triangle = Self::new(rows.shape);
        let mut entries = vec![0.0; rows.shape.width()];
        for (row, &right) in r.iter().enumerate().take(rows.len()) {
            let (first, own) = rows.row(row);
            for (k, (to, from)) in entries.iter_mut().zip(own).enumerate() {
                *to = rows.shape.column(first, k).map_or(0.0, |column| from / scales[column]);
            }
            triangle.take(first, &entries, right);
        }
        triangle
    }

    fn clear(&mut self) {
        self.entries.fill(0.0);
        self.taken.fill(false);
        self.right.fill(0.0);
    }

    /// Rotates a row into the triangle.
    fn take(&mut self, first: usize, row: &[f64], mut right: f64) {
        let Shape { band, columns, .. } = self.shape;
        let (local, width) = (self.shape.local(), self.shape.width());
        let mut work = std::mem::take(&mut self.work);
        work.copy_from_slice(row);
        for k in first..columns {
            // From the border on, what is left of the row begins at its number `lead`.
            let lead = if k < local { 0 } else { band + k - local };
            if k < local && band == 0 {
                continue;
            }
            if work[lead] != 0.0 {
                let own = &mut self.entries[k * width..(k + 1) * width];
                if !self.taken[k] {
                    own[lead..].copy_from_slice(&work[lead..]);
                    if lead >= band {
                        own[..lead].fill(0.0);
                    }
                    self.right[k] = right;
                    self.taken[k] = true;
                    break;
                }
                let length = own[lead].hypot(work[lead]);
                let (c, s) = (own[lead] / length, work[lead] / length);
                for (own, entry) in own[lead..].iter_mut().zip(&mut work[lead..]) {
                    (*own, *entry) = (c * *own + s * *entry, c * *entry - s * *own);
                }
                (self.right[k], right) = (c * self.right[k] + s * right, c * right - s * self.right[k]);
            }
            if k < local {
                work.copy_within(1..band, 0);
                work[band - 1] = 0.0;
            }
        }
        self.work = work;
    }

    /// The row of column `i`: its entries with their columns.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let width = self.shape.width();
        let own = &self.entries[i * width..(i + 1) * width];
        let from = if i < self.shape.local() { 0 } else { self.shape.band };
        own.iter()
            .enumerate()
            .skip(from)
            .filter_map(move |(k, &entry)| self.shape.column(i, k).map(|column| (column, entry)))
    }

    /// `R p`.
    pub(super) fn times(&self, p: &[f64]) -> Vec<f64> {
        (0..self.shape.columns).map(|i| self.row(i).map(|(k, entry)| entry * p[k]).sum()).collect()
    }

    /// `R^T y`.
    pub(super) fn transposed_times(&self, y: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.shape.columns];
        for (i, &y) in y.iter().enumerate() {
            self.row(i).for_each(|(k, entry)| out[k] += entry * y);
        }
        out
    }

    /// Least-squares solution of `[R; sqrt(damping) I] p = [target; 0]` over the columns that are free; the others stay zero.
    /// `None` where it is not finite.
    pub(super) fn solve(
        &self,
        free: &[bool],
        target: &[f64],
        damping: f64,
        into: &mut Self,
    ) -> Option<Vec<f64>> {
        let Shape { columns, band, .. } = self.shape;
        let (local, width) = (self.shape.local(), self.shape.width());
        into.clear();
        let mut entries = vec![0.0; width];
        for i in 0..columns {
            let own = &self.entries[i * width..(i + 1) * width];
            for (k, (to, from)) in entries.iter_mut().zip(own).enumerate() {
                let column = self.shape.column(i, k);
                *to = if column.is_some_and(|column| free[column]) { *from } else { 0.0 };
            }
            let first = i.min(local);
            into.take(first, &entries, target[i]);
            entries.fill(0.0);
            let lead = if i < local { 0 } else { band + i - local };
            entries[lead] = if free[i] { damping.sqrt() } else { 1.0 };
            into.take(first, &entries, 0.0);
        }
        into.back()
    }

    /// Solves `R p = right`. `None` where it is not finite.
    fn back(&self) -> Option<Vec<f64>> {
        let mut p = vec![0.0; self.shape.columns];
        for i in (0..p.len()).rev() {
            let (mut sum, mut lead) = (self.right[i], 0.0);
            for (k, entry) in self.row(i) {
                if k == i {
                    lead = entry;
                } else if k > i {
                    sum -= entry * p[k];
                }
            }
            p[i] = sum / lead;
        }
        p.iter().all(|p| p.is_finite()).then_some(p)
    }

    /// The triangle as a dense matrix.
    pub(super) fn dense(&self) -> DMatrix<f64> {
        let n = self.shape.columns;
        let mut dense = DMatrix::zeros(n, n);
        for i in 0..n {
            self.row(i).filter(|(k, _)| *k >= i).for_each(|(k, entry)| dense[(i, k)] = entry);
        }
        dense
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    /// Rows of every structure against the normal equations of the same numbers, dense.
    #[test]
    fn every_structure_is_solved_like_a_dense_one() {
        let mut state = 3;
        for shape in [
            Shape::dense(6),
            Shape::banded(40, 5),
            Shape::arrow(40, 4, 3),
            Shape::arrow(5, 2, 5),
            Shape::arrow(7, 9, 2),
        ] {
            let mut rows = Rows::new(shape);
            let m = 3 * shape.columns;
            let mut dense = DMatrix::zeros(m, shape.columns);
            let mut r = vec![0.0; m];
            for (row, r) in r.iter_mut().enumerate() {
                // In an order that is not sorted.
                let first = if shape.local() == 0 { 0 } else { (row * 7) % shape.local() };
                let band: Vec<f64> = (0..shape.band).map(|_| random(&mut state)).collect();
                let border: Vec<f64> = (0..shape.border).map(|_| random(&mut state)).collect();
                rows.push(first, &band, &border);
                *r = random(&mut state);
                for (k, entry) in band.iter().chain(&border).enumerate() {
                    if let Some(column) = shape.column(first, k) {
                        dense[(row, column)] = *entry;
                    }
                }
            }
            let scales = vec![1.0; shape.columns];
            let triangle = Triangle::of(&rows, &r, &scales);
            let right = nalgebra::DVector::from_column_slice(&r);
            let gram = dense.transpose() * &dense;
            let off = (triangle.dense().transpose() * triangle.dense() - &gram).norm() / gram.norm();
            assert!(off < 1e-13, "{shape:?}: {off:e}");
            let damping = 0.1;
            let target: Vec<f64> = triangle.right.iter().map(|r| -r).collect();
            let free: Vec<bool> = (0..shape.columns).map(|k| k != 2).collect();
            let p = triangle.solve(&free, &target, damping, &mut Triangle::new(shape)).expect("finite");
            // Normal equations over the free columns.
            let some: Vec<usize> = (0..shape.columns).filter(|&k| free[k]).collect();
            let own = dense.select_columns(&some);
            let normal = own.transpose() * &own + DMatrix::identity(some.len(), some.len()) * damping;
            let expected = normal.lu().solve(&(-own.transpose() * &right)).expect("regular");
            for (value, &k) in expected.iter().zip(&some) {
                assert!((p[k] - value).abs() < 1e-12, "{shape:?}: {} {value}", p[k]);
            }
            assert_eq!(p[2], 0.0);
        }
    }
}
