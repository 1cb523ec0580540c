//! Reactions of redundant constraints.
//!
//! Where equations depend on each other, as those of a second hinge of a door do, the motion is unique and the multipliers
//! are not: with every `n` for which `C^T n = 0`, `lambda + n` moves the bodies alike. Rigid bodies do not say how such
//! joints share their load. Of all reactions that give the motion, those are taken whose squares have the least sum over
//! all joints and loops, those of the tree included: forces in N, moments divided by 1 m. The wrench of a joint is taken
//! at its child's origin, that of a loop at its second frame, so that the tree and the absolute coordinates of a model give
//! the same reactions.

use gelenk_math::Real;
use gelenk_math::spatial::Wrench;
use gelenk_system::{Fault, System};
use nalgebra::{DMatrix, DVector};

use crate::data::Data;
use crate::loops::projection::Basis;
use crate::mechanism::Mechanism;
use crate::studies::ik::algebra::pseudo_inverse;
use crate::tree::kernels::wrench_out;

/// Solutions with the Gram matrix that make a dependence exact to rounding.
const REFINEMENTS: usize = 3;
/// Share of the largest change of a reaction below which one does not take part.
const UNTOUCHED: f64 = 1e-9;
/// Share of its size above which the pivot of an equation is not rounding.
const CLEAR: f64 = 1e-6;
/// Products of numbers that are spent on rows themselves at most.
const WORK: usize = 1 << 22;

impl Mechanism {
    /// Names of the joints and loops whose reactions are not unique at the start with the parameters `p`, as `joint NAME`
    /// and `loop NAME`.
    ///
    /// # Errors
    /// A start that cannot be assembled.
    pub fn shared_reactions(&self, p: &[f64]) -> Result<Vec<String>, Fault> {
        if self.layout.nc == 0 {
            return Ok(Vec::new());
        }
        let mut d = self.data::<f64>();
        self.bind(&mut d, p);
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        self.constraints(&mut d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        let nulls = self.dependences(&mut d);
        d.loops.row_wrench.copy_from_slice(&d.loops.row_whole);
        let changes: Vec<Vec<f64>> = nulls.iter().map(|n| self.reaction_change(&d, n)).collect();
        let largest = changes.iter().flatten().fold(0.0f64, |max, x| max.max(x.abs()));
        let joints = self.joint_names().map(|name| (format!("joint {name}"), 6));
        let loops = self.loops.iter().map(|closure| {
            let parts = if closure.frame.is_some() { 6 } else { 1 };
            (format!("loop {}", closure.name), parts)
        });
        let mut place = 0;
        let mut names = Vec::new();
        for (name, parts) in joints.chain(loops) {
            let range = place..place + parts;
            place += parts;
            let moved =
                |change: &Vec<f64>| change[range.clone()].iter().any(|x| x.abs() > UNTOUCHED * largest);
            if changes.iter().any(moved) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Takes the reactions of least norm among those that give the accelerations: changes `d.loops.lambda` where equations
    /// depend on each other. Needs accelerations and multipliers. Allocates only where there is something to share.
    pub(crate) fn share_reactions<T: Real>(&self, d: &mut Data<T>) {
        if self.layout.nc == 0 {
            return;
        }
        let nulls = self.dependences(d);
        // Equations across which nothing moves have no part in the motion; here they count.
        d.loops.row_wrench.copy_from_slice(&d.loops.row_whole);
        if nulls.is_empty() {
            return;
        }
        let nulls = self.vary_nulls(d, &nulls);
        let changes: Vec<Vec<T>> = nulls.iter().map(|n| self.reaction_change(d, n)).collect();
        let columns: Vec<DVector<f64>> = changes
            .iter()
            .map(|change| DVector::from_iterator(change.len(), change.iter().map(|x| x.re())))
            .collect();
        // Numbers that are not finite have been reported by whoever made them.
        let Ok(inverse) = pseudo_inverse(&DMatrix::from_columns(&columns)) else { return };
        self.joint_wrenches(d);
        let now = self.reactions_now(d);
        let mut shares: Vec<T> = (0..nulls.len())
            .map(|k| now.iter().enumerate().fold(T::c(0.0), |sum, (i, &r)| sum - r * T::c(inverse[(k, i)])))
            .collect();
        if T::VARIES {
            // What is left of the normal equations B^T (r + B s) = 0 varies as the directions B do; a step of Newton with
            // (B^T B)^-1 = B^+ B^+^T gives the derivatives.
            let sum = |i: usize| changes.iter().zip(&shares).fold(now[i], |sum, (b, &s)| sum + b[i] * s);
            let sums: Vec<T> = (0..now.len()).map(sum).collect();
            let slope = |b: &Vec<T>| b.iter().zip(&sums).fold(T::c(0.0), |sum, (&b, &r)| sum + b * r);
            let slopes: Vec<T> = changes.iter().map(slope).collect();
            let solved = &inverse * inverse.transpose();
            for (k, share) in shares.iter_mut().enumerate() {
                slopes.iter().enumerate().for_each(|(j, &slope)| *share -= slope * T::c(solved[(k, j)]));
            }
        }
        for (n, &share) in nulls.iter().zip(&shares) {
            for (lambda, &n) in d.loops.lambda.iter_mut().zip(n) {
                *lambda += share * n;
            }
        }
    }

    /// The same combinations of equations where the equations vary: `n - (C^T)^+ C^T n`.
    fn vary_nulls<T: Real>(&self, d: &Data<T>, nulls: &[Vec<f64>]) -> Vec<Vec<T>> {
        let mut varied: Vec<Vec<T>> = nulls.iter().map(|n| n.iter().map(|&n| T::c(n)).collect()).collect();
        let (nc, nv) = (self.layout.nc, self.layout.nv);
        if !T::VARIES {
            return varied;
        }
        let rows = self.constraint_matrix(d).dense();
        let transposed = DMatrix::from_fn(nv, nc, |k, row| rows[row * nv + k].re());
        let Ok(inverse) = pseudo_inverse(&transposed) else { return varied };
        for n in &mut varied {
            let left: Vec<T> = (0..nv)
                .map(|k| n.iter().enumerate().fold(T::c(0.0), |sum, (row, &n)| sum + rows[row * nv + k] * n))
                .collect();
            for (row, n) in n.iter_mut().enumerate() {
                left.iter().enumerate().for_each(|(k, &left)| *n -= left * T::c(inverse[(row, k)]));
            }
        }
        varied
    }

    /// A basis of the `n` with `C^T n = 0`: one for each equation that depends on others.
    ///
    /// Rows are looked at themselves as long as there is room for them, like in [`Self::redundant`]: the product `C C^T`
    /// squares what tells an equation that depends on others from a weak one, and rounding would decide from row to row.
    fn dependences<T: Real>(&self, d: &mut Data<T>) -> Vec<Vec<f64>> {
        self.factor_gram(d);
        let pattern = &self.loops.paths.gram.pattern;
        let clear = |(row, pivot): (usize, f64)| pivot > CLEAR * d.loops.row_size[row];
        if !d.loops.gram.drops() && d.loops.gram.pivots(pattern).all(clear) {
            return Vec::new();
        }
        let (nc, nv) = (self.layout.nc, self.layout.nv);
        if nc * nc * (nc + nv) <= WORK {
            let rows: Vec<f64> = self.constraint_matrix(d).dense().iter().map(|entry| entry.re()).collect();
            return combinations(&rows, nc, nv);
        }
        let dropped = d.loops.gram.dropped(pattern);
        let of = |d: &Data<T>, row: usize| -> Vec<(usize, f64)> {
            self.constraint_matrix(d).row(row).map(|(k, entry)| (k, entry.re())).collect()
        };
        let rows: Vec<Vec<(usize, f64)>> = (0..nc).map(|row| of(d, row)).collect();
        let mut found = Vec::with_capacity(dropped.len());
        for &own in &dropped {
            let mut n = vec![0.0; rows.len()];
            n[own] = 1.0;
            for _ in 0..REFINEMENTS {
                // What is left of C^T n, taken out by the equations that were kept.
                let mut left = vec![0.0; nv];
                for (row, &share) in rows.iter().zip(&n) {
                    row.iter().for_each(|&(k, entry)| left[k] += share * entry);
                }
                let mut right: Vec<f64> =
                    rows.iter().map(|row| row.iter().map(|&(k, entry)| entry * left[k]).sum()).collect();
                d.loops.gram.solve(pattern, &mut right);
                n.iter_mut().zip(right).for_each(|(n, y)| *n -= y);
            }
            found.push(n);
        }
        found
    }

    /// Wrenches of all joints and loops that go with multipliers alone, in one row: six numbers each, one of a coupling.
    fn reaction_change<T: Real>(&self, d: &Data<T>, n: &[T]) -> Vec<T> {
        let mut through = vec![Wrench::zero(); self.links.len()];
        for (row, equation) in self.loops.equations.iter().enumerate().filter(|(row, _)| !n[*row].is(0.0)) {
            let Some(frames) = equation.frames() else { continue };
            for (frame, wrench) in frames.into_iter().zip(d.loops.row_wrench[row]) {
                if let Some(link) = self.frames[frame].link {
                    through[link] += d.links[link].world.wrench_into(&wrench.scale(n[row]));
                }
            }
        }
        for (i, link) in self.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let carried = wrench_out(&d.links[i].pose, &through[i]);
                through[parent] += carried;
            }
        }
        let mut out = Vec::new();
        let bodies = self.links.iter().zip(&through).filter(|(link, _)| link.inertia.is_some());
        bodies.for_each(|(_, wrench)| out.extend((0..6).map(|k| wrench.get(k))));
        for index in 0..self.loops.len() {
            self.loop_parts(d, index, |row| n[row], |part| out.push(part));
        }
        out
    }

    /// The reactions as they are, in the order of [`Self::reaction_change`]. Needs the joint wrenches.
    fn reactions_now<T: Real>(&self, d: &Data<T>) -> Vec<T> {
        let mut out = Vec::new();
        for (data, _) in d.links.iter().zip(&self.links).filter(|(_, link)| link.inertia.is_some()) {
            out.extend((0..6).map(|k| data.wrench.get(k)));
        }
        for index in 0..self.loops.len() {
            self.loop_parts(d, index, |row| d.loops.lambda[row], |part| out.push(part));
        }
        out
    }

    /// Hands the reaction of a loop under given multipliers to `put`.
    fn loop_parts<T: Real>(
        &self,
        d: &Data<T>,
        index: usize,
        lambda: impl Fn(usize) -> T,
        mut put: impl FnMut(T),
    ) {
        let closure = &self.loops[index];
        if closure.frame.is_none() {
            return put(-lambda(closure.rows.start));
        }
        let wrench = self.wrench_of(d, index, lambda);
        (0..6).for_each(|k| put(wrench.get(k)));
    }
}

/// Of every row that depends on those before it, the combination of rows that vanishes.
fn combinations(rows: &[f64], nc: usize, nv: usize) -> Vec<Vec<f64>> {
    // Every row stands before what it is a combination of, itself at first, and both are worked on alike.
    let mut basis = Basis::new(nv);
    let mut found = Vec::new();
    for row in 0..nc {
        let mut rest = rows[row * nv..(row + 1) * nv].to_vec();
        rest.extend((0..nc).map(|k| f64::from(k == row)));
        if !basis.take(&mut rest) {
            found.push(rest.split_off(nv));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The third row is the first one less twice the second, which is weak beside it: 1e-4 of its direction is its own.
    #[test]
    fn a_combination_of_a_weak_row() {
        let (a, b) = ([1.0, 2.0, 3.0, -1.0], [1.0, 2.0, 3.0, -1.0 + 1e-4]);
        let c: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - 2.0 * b).collect();
        let rows = [&a[..], &b[..], &c[..]].concat();
        let found = combinations(&rows, 3, 4);
        assert_eq!(found.len(), 1);
        let n = &found[0];
        assert!((n[0] + 1.0).abs() < 1e-9 && (n[1] - 2.0).abs() < 1e-9 && n[2] == 1.0, "{n:?}");
    }
}
