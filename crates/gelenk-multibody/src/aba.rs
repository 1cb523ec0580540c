//! Forward dynamics by articulated bodies.
//!
//! After Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 7, with one change: the links first get the
//! accelerations that they have with all tree accelerations at their bias values, and the wrenches for these. What is
//! left is linear, a response to the efforts that are missing, and needs no velocities.

use gelenk_math::Real;
use gelenk_math::dense::{backward, cholesky, forward};
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3, Wrench, skew};

use crate::data::{Data, LinkData, family, read3};
use crate::kernels::{self, dot, fma, motion_into, turn_into, turn_out, wrench_out};
use crate::mechanism::{LinkKind, Mechanism};
use crate::moments::{Moments, Symmetric};

/// Inertia of a link that carries others through joints which give way: `moment = J w + X v`, `force = X^T w + L v`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Articulated<T> {
    pub(crate) ang: Symmetric<T>,
    pub(crate) cross: Mat3<T>,
    pub(crate) lin: Symmetric<T>,
}

impl<T: Real> Articulated<T> {
    pub(crate) fn zero() -> Self {
        let none = Symmetric::diagonal(T::c(0.0));
        Self { ang: none, cross: Mat3::from_element(T::c(0.0)), lin: none }
    }

    /// Of a rigid mass.
    #[inline]
    fn rigid(mass: &Moments<T>) -> Self {
        Self { ang: mass.second.complement(), cross: skew(&mass.first), lin: Symmetric::diagonal(mass.mass) }
    }

    /// `self - response response^T / inertia`: what is left of it when one freedom gives way.
    #[inline]
    fn released(&self, response: &Wrench<T>, gain: &Wrench<T>) -> Self {
        let (a, b) = (response, gain);
        Self {
            ang: self.ang.plus(|i, k, entry| fma(-a.ang[i], b.ang[k], entry)),
            cross: Mat3::from_fn(|i, k| fma(-a.ang[i], b.lin[k], self.cross[(i, k)])),
            lin: self.lin.plus(|i, k, entry| fma(-a.lin[i], b.lin[k], entry)),
        }
    }

    /// The same inertia seen from frame `A`, when `pose` is `X_AB`.
    #[inline]
    fn seen_from(&self, pose: &Pose<T>) -> Self {
        let (r, p) = (&pose.rotation, &pose.position);
        let lin = self.lin.turned(r);
        let column = |m: &Mat3<T>, k: usize| Vec3::new(m[(0, k)], m[(1, k)], m[(2, k)]);
        let row = |m: &Mat3<T>, i: usize| Vec3::new(m[(i, 0)], m[(i, 1)], m[(i, 2)]);
        // R X R^T, column by column.
        let half = [0, 1, 2].map(|k| turn_out(&self.cross, &row(r, k)));
        let turned = half.map(|v| turn_out(r, &v));
        // J' = R J R^T - R X R^T skew(p) + skew(p) X'^T with X' = R X R^T + skew(p) R L R^T
        let l = lin.matrix();
        let cross = [0, 1, 2].map(|k| kernels::cross(p, &column(&l, k), &turned[k]));
        let ang = self.ang.turned(r).plus(|i, k, entry| {
            let (x, y) = ((i + 1) % 3, (i + 2) % 3);
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            // Row i of skew(p) X'^T and column k of R X R^T skew(p).
            let outer = fma(p[x], cross[y][k], fma(-p[y], cross[x][k], entry));
            fma(turned[v][i], p[u], fma(-turned[u][i], p[v], outer))
        });
        Self { ang, cross: Mat3::from_columns(&cross), lin }
    }
}

impl<T: Real> std::ops::AddAssign for Articulated<T> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.ang += other.ang;
        self.cross += other.cross;
        self.lin += other.lin;
    }
}

impl Mechanism {
    /// Tree accelerations `d.du` under the efforts `d.tree_effort` over tree velocities and the links' wrenches, which
    /// are those of the accelerations [`Self::motions`] found. A freedom without a column in `F` keeps its motion.
    /// Refuses a tree velocity that moves no mass.
    pub(crate) fn aba<T: Real>(&self, d: &mut Data<T>) -> Result<(), usize> {
        for link in &mut d.links {
            link.articulated = Articulated::rigid(&link.moments);
        }
        for (i, link) in self.links.iter().enumerate().rev() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let dof = link.dofs.start;
            let body = data.articulated;
            match &link.kind {
                LinkKind::Fixed => {}
                LinkKind::Revolute { .. } | LinkKind::Prismatic { .. } if self.rows[dof].is_empty() => {}
                LinkKind::Revolute { .. } => {
                    let response = Wrench::new(body.ang.times(&data.axis), turn_into(&body.cross, &data.axis));
                    let missing = d.tree_effort[dof] - dot(&data.axis, &data.wrench.ang);
                    d.du[dof] = data.give(dot(&data.axis, &response.ang), &response, missing, dof)?;
                }
                LinkKind::Prismatic { .. } => {
                    let response = Wrench::new(turn_out(&body.cross, &data.axis), body.lin.times(&data.axis));
                    let missing = d.tree_effort[dof] - dot(&data.axis, &data.wrench.lin);
                    d.du[dof] = data.give(dot(&data.axis, &response.lin), &response, missing, dof)?;
                }
                LinkKind::Ball { .. } => {
                    let effort = read3(&d.tree_effort, dof);
                    let missing = effort - data.wrench.ang;
                    d.du[dof..dof + 3].copy_from_slice(missing.as_slice());
                    // `J^-1` of the missing moment and of the columns of X; the joint passes on only what L keeps.
                    let Symmetric { xx, yy, zz, xy, xz, yz } = body.ang;
                    let mut factor = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
                    cholesky(&mut factor, 3).map_err(|k| dof + k)?;
                    let solve = |b: &mut [T]| {
                        forward(&factor, 3, b);
                        backward(&factor, 3, b);
                    };
                    solve(&mut d.du[dof..dof + 3]);
                    data.reach = body.cross;
                    data.reach.as_mut_slice().chunks_exact_mut(3).for_each(solve);
                    let lost = body.cross.tr_mul(&data.reach);
                    data.wrench =
                        Wrench::new(effort, data.wrench.lin + body.cross.tr_mul(&read3(&d.du, dof)));
                    data.articulated = Articulated::zero();
                    data.articulated.lin = body.lin;
                    data.articulated.lin += Symmetric::of(|i, k| -lost[(i, k)]);
                }
                LinkKind::Free { .. } => {
                    let effort = Wrench::new(read3(&d.tree_effort, dof), read3(&d.tree_effort, dof + 3));
                    let missing = effort - data.wrench;
                    let mut factor = [T::c(0.0); 36];
                    let (ang, lin) = (body.ang.matrix(), body.lin.matrix());
                    for i in 0..3 {
                        for k in 0..3 {
                            factor[6 * i + k] = ang[(i, k)];
                            factor[6 * (i + 3) + k] = body.cross[(k, i)];
                            factor[6 * (i + 3) + k + 3] = lin[(i, k)];
                        }
                    }
                    cholesky(&mut factor, 6).map_err(|k| dof + k)?;
                    let du = &mut d.du[dof..dof + 6];
                    du[..3].copy_from_slice(missing.ang.as_slice());
                    du[3..].copy_from_slice(missing.lin.as_slice());
                    forward(&factor, 6, du);
                    backward(&factor, 6, du);
                    data.wrench = effort;
                    data.articulated = Articulated::zero();
                }
            }
            if let Some(parent) = parent {
                parent.articulated += data.articulated.seen_from(&data.pose);
                parent.wrench += wrench_out(&data.pose, &data.wrench);
            }
        }
        self.responses(d);
        Ok(())
    }

    /// From the ground to the tips: the additional acceleration of every link, and what it takes from its joint.
    fn responses<T: Real>(&self, d: &mut Data<T>) {
        for (i, link) in self.links.iter().enumerate() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let mut extra = match parent {
                Some(parent) => motion_into(&data.pose, &parent.response),
                None => Motion::zero(),
            };
            let dof = link.dofs.start;
            match &link.kind {
                LinkKind::Fixed => {}
                LinkKind::Revolute { .. } | LinkKind::Prismatic { .. } if self.rows[dof].is_empty() => {}
                LinkKind::Revolute { .. } => {
                    d.du[dof] -= extra.dot(&data.gain);
                    extra.ang += data.axis * d.du[dof];
                }
                LinkKind::Prismatic { .. } => {
                    d.du[dof] -= extra.dot(&data.gain);
                    extra.lin += data.axis * d.du[dof];
                }
                LinkKind::Ball { .. } => {
                    let turn = read3(&d.du, dof) - data.reach * extra.lin;
                    d.du[dof..dof + 3].copy_from_slice((turn - extra.ang).as_slice());
                    extra.ang = turn;
                }
                LinkKind::Free { .. } => {
                    let all = Motion::new(read3(&d.du, dof), read3(&d.du, dof + 3));
                    let own = all - extra;
                    d.du[dof..dof + 3].copy_from_slice(own.ang.as_slice());
                    d.du[dof + 3..dof + 6].copy_from_slice(own.lin.as_slice());
                    extra = all;
                }
            }
            data.response = extra;
        }
    }
}

impl<T: Real> LinkData<T> {
    /// Lets one freedom give way: `response` is the articulated inertia times its unit motion, `inertia` their product
    /// with that motion, `missing` the effort that accelerates it. Returns its acceleration while the parent keeps still.
    #[inline]
    fn give(&mut self, inertia: T, response: &Wrench<T>, missing: T, dof: usize) -> Result<T, usize> {
        if inertia.re().is_nan() || inertia.re() <= 0.0 {
            return Err(dof);
        }
        self.gain = response.scale(T::c(1.0) / inertia);
        self.articulated = self.articulated.released(response, &self.gain);
        self.wrench += self.gain.scale(missing);
        Ok(missing / inertia)
    }
}
