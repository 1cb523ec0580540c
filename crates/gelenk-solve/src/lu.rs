//! A factor that is made once and used for several right sides.

/// A pivot below this share of the largest one counts as zero; where constraints are redundant, some are.
const RANK: f64 = 1e-14;

/// `P A Q = L U` of a square matrix by rows.
pub(crate) struct Lu {
    /// The matrix, then its factors.
    pub(crate) a: Vec<f64>,
    n: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    rank: usize,
    positive: bool,
    scratch: Vec<f64>,
}

impl Lu {
    pub(crate) fn new(n: usize) -> Self {
        let (rows, columns) = (vec![0; n], vec![0; n]);
        Self { a: vec![0.0; n * n], n, rows, columns, rank: 0, positive: true, scratch: vec![0.0; n] }
    }

    /// Takes a matrix of another size, at most that of [`Lu::new`].
    pub(crate) fn resize(&mut self, n: usize) {
        self.n = n;
    }

    /// Factors `a` in place. With `full` pivots are looked for in columns too, as redundant equations need it; what is
    /// then left of the matrix is dropped.
    pub(crate) fn factor(&mut self, full: bool) {
        let n = self.n;
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
            if value <= RANK * largest {
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
            let mut sum = b[self.rows[i]];
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
            x[column] = if i < rank { self.scratch[i] } else { 0.0 };
        }
    }
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
            lu.factor(full);
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
        lu.factor(true);
        let mut x = [9.0; 3];
        lu.solve(&b, &mut x);
        assert_eq!(lu.positive(), None);
        assert!(times(&a, &x).iter().zip(&b).all(|(p, q)| (p - q).abs() < 1e-12), "{x:?}");
        assert!(x.contains(&0.0), "{x:?}");
    }
}
