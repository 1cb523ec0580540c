//! A factor that is made once and used for several right sides.
//!
//! The matrix of an implicit step has masses of any size beside constraints of any size, so which of its rows are redundant
//! can be told only after scaling: velocities by the roots of their diagonal entries, constraints and multipliers by their
//! largest entries. The factors of scaling are powers of two, so they do not round.

/// A pivot below this share of the largest one counts as zero; where constraints are redundant, some are.
const RANK: f64 = 1e-14;
/// The same for what is left between constraints and multipliers, and for a constraint beside the largest one: positions are
/// differences of larger numbers, so a constraint that follows from others, or moves nothing, keeps more than rounding of
/// its own size.
const REDUNDANT: f64 = 1e-12;

/// `P A Q = L U` of a square matrix by rows.
pub(crate) struct Lu {
    /// The matrix, then its factors.
    pub(crate) a: Vec<f64>,
    n: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// What rows and columns were multiplied by.
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    rank: usize,
    positive: bool,
    scratch: Vec<f64>,
}

impl Lu {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            a: vec![0.0; n * n],
            n,
            rows: vec![0; n],
            columns: vec![0; n],
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            rank: 0,
            positive: true,
            scratch: vec![0.0; n],
        }
    }

    /// Takes a matrix of another size, at most that of [`Lu::new`].
    pub(crate) fn resize(&mut self, n: usize) {
        self.n = n;
    }

    /// Scales the matrix: of its rows and columns the first `leading` belong to each other and have a diagonal, those behind
    /// are what borders them.
    fn scale(&mut self, leading: usize) {
        let n = self.n;
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, |max, v| max.max(v.abs()));
        for i in 0..leading {
            let row = &self.a[i * n..i * n + leading];
            // Where a falling law takes the diagonal away, the row tells how large it was.
            let size = row[i].abs().max(f64::EPSILON * largest(&mut row.iter().copied()));
            let scale = power_of_two(1.0 / size.sqrt());
            (self.row_scale[i], self.column_scale[i]) = (scale, scale);
        }
        let (mut tallest, mut widest) = (0.0f64, 0.0f64);
        for i in leading..n {
            let entries = self.a[i * n..i * n + leading].iter().zip(&self.column_scale);
            self.row_scale[i] = largest(&mut entries.map(|(a, scale)| a * scale));
            let entries = (0..leading).map(|k| self.a[k * n + i] * self.row_scale[k]);
            self.column_scale[i] = largest(&mut { entries });
            (tallest, widest) = (tallest.max(self.row_scale[i]), widest.max(self.column_scale[i]));
        }
        for i in leading..n {
            // What is rounding beside the others stays as small as it is.
            self.row_scale[i] = power_of_two(1.0 / floored(self.row_scale[i], tallest));
            self.column_scale[i] = power_of_two(1.0 / floored(self.column_scale[i], widest));
        }
        for (row, scale) in self.a.chunks_exact_mut(n.max(1)).zip(&self.row_scale).take(n) {
            row.iter_mut().zip(&self.column_scale).for_each(|(a, other)| *a *= scale * other);
        }
    }

    /// Factors `a` in place, of which the first `leading` rows and columns are bordered by the others. With a border, pivots
    /// are looked for in columns too, as redundant equations need it; what is then left of the matrix is dropped.
    pub(crate) fn factor(&mut self, leading: usize, full: bool) {
        let n = self.n;
        self.scale(leading);
        for i in 0..n {
            (self.rows[i], self.columns[i]) = (i, i);
        }
        (self.rank, self.positive) = (n, true);
        let mut largest = 0.0f64;
        for j in 0..n {
            let (mut row, mut column, mut value) = (j, j, 0.0f64);
            for i in j..n {
                for k in j..if full { n } else { j + 1 } {
                    let magnitude = self.a[i * n + k].abs();
                    if magnitude > value {
                        (row, column, value) = (i, k, magnitude);
                    }
                }
            }
            largest = largest.max(value);
            let border = self.rows[row] >= leading && self.columns[column] >= leading;
            if value <= if border { REDUNDANT } else { RANK } * largest {
                self.rank = j;
                return;
            }
            if row != j {
                let (above, below) = self.a.split_at_mut(row * n);
                above[j * n..(j + 1) * n].swap_with_slice(&mut below[..n]);
                self.rows.swap(j, row);
                self.positive = !self.positive;
            }
            if column != j {
                (0..n).for_each(|i| self.a.swap(i * n + j, i * n + column));
                self.columns.swap(j, column);
                self.positive = !self.positive;
            }
            let (done, rest) = self.a.split_at_mut((j + 1) * n);
            let pivot_row = &done[j * n..];
            let pivot = pivot_row[j];
            self.positive ^= pivot < 0.0;
            for row in rest.chunks_exact_mut(n).take(n - j - 1) {
                let factor = row[j] / pivot;
                row[j] = factor;
                if factor != 0.0 {
                    for (a, &p) in row[j + 1..].iter_mut().zip(&pivot_row[j + 1..]) {
                        *a -= factor * p;
                    }
                }
            }
        }
    }

    /// Whether the determinant is positive; `None` where the matrix is singular.
    pub(crate) fn positive(&self) -> Option<bool> {
        (self.rank == self.n).then_some(self.positive)
    }

    /// Solves `A x = b`; unknowns beyond the rank become zero.
    pub(crate) fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        for i in 0..rank {
            let row = self.rows[i];
            let mut sum = b[row] * self.row_scale[row];
            for k in 0..i {
                sum -= self.a[i * n + k] * self.scratch[k];
            }
            self.scratch[i] = sum;
        }
        for i in (0..rank).rev() {
            let mut sum = self.scratch[i];
            for k in i + 1..rank {
                sum -= self.a[i * n + k] * self.scratch[k];
            }
            self.scratch[i] = sum / self.a[i * n + i];
        }
        for (i, &column) in self.columns[..n].iter().enumerate() {
            x[column] = if i < rank { self.scratch[i] * self.column_scale[column] } else { 0.0 };
        }
    }
}

/// The size that a row is scaled by: its own, or where that is rounding beside the largest one, that.
fn floored(size: f64, largest: f64) -> f64 {
    if size > REDUNDANT * largest { size } else { largest }
}

/// The largest power of two below a number; one for what has none.
fn power_of_two(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    if value.is_normal() { f64::from_bits(value.to_bits() & EXPONENT) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::Lu;

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }

    /// Two right sides with one factor, and the sign of a determinant known in closed form: -(0*...) by Sarrus' rule.
    #[test]
    fn one_factor_serves_several_right_sides() {
        // Sarrus: 0*(-1)*1 + 2*0.5*3 + 1*1*0 - 1*(-1)*3 - 0*0.5*0 - 2*1*1 = 4.
        let a = [0.0, 2.0, 1.0, 1.0, -1.0, 0.5, 3.0, 0.0, 1.0];
        for full in [false, true] {
            let mut lu = Lu::new(3);
            lu.a.copy_from_slice(&a);
            lu.factor(3, full);
            assert_eq!(lu.positive(), Some(true));
            for x in [[1.0, 2.0, 3.0], [-0.5, 0.0, 4.0]] {
                let mut found = [0.0; 3];
                lu.solve(&times(&a, &x), &mut found);
                assert!(x.iter().zip(&found).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?}");
            }
        }
    }

    /// A row twice: the solution meets the equations, one unknown is zero, and there is no sign.
    #[test]
    fn redundant_rows_are_dropped() {
        let a = [1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 5.0];
        let b = times(&a, &[1.0, 1.0, 1.0]);
        let mut lu = Lu::new(3);
        lu.a.copy_from_slice(&a);
        lu.factor(3, true);
        let mut x = [9.0; 3];
        lu.solve(&b, &mut x);
        assert_eq!(lu.positive(), None);
        assert!(times(&a, &x).iter().zip(&b).all(|(p, q)| (p - q).abs() < 1e-12), "{x:?}");
        assert!(x.contains(&0.0), "{x:?}");
    }

    /// Masses over thirty decades beside constraints over twelve, one of them twice: the rank is the same, and the free motion
    /// is that of the closed form: `m1 v1 = p1` alone, and two masses with one velocity, `(m2 + m3) v = p2 + p3`.
    #[test]
    fn scales_do_not_matter() {
        for mass in [1e-15, 1e-6, 1.0, 1e7, 1e15] {
            for size in [1e-6, 1.0, 1e6] {
                let (m, c) = ([mass * 1e-3, mass, 2.0 * mass], size);
                #[rustfmt::skip]
                let a = [
                    m[0], 0.0,  0.0,  0.0,      0.0,
                    0.0,  m[1], 0.0,  1e-3 * c, 2e-3 * c,
                    0.0,  0.0,  m[2], -1e-3 * c, -2e-3 * c,
                    0.0,  c,    -c,   0.0,      0.0,
                    0.0,  2.0 * c, -2.0 * c, 0.0, 0.0,
                ];
                let mut lu = Lu::new(5);
                lu.a.copy_from_slice(&a);
                lu.factor(3, true);
                let mut x = [0.0; 5];
                lu.solve(&[mass, mass, mass, 0.0, 0.0], &mut x);
                let exact = [1e3, 2.0 / 3.0, 2.0 / 3.0];
                assert!(x.iter().zip(exact).all(|(x, y)| (x / y - 1.0).abs() < 1e-12), "{mass} {size} {x:?}");
                assert_eq!(lu.rank, 4);
            }
        }
    }
}
