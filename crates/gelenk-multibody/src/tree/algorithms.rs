//! The recursive algorithms by themselves: inverse dynamics, mass matrix, forward dynamics, gravity and bias of the tree.
//!
//! Positions `q`, velocities `v`, accelerations and efforts stand in the order of the
//! [contract](gelenk_system::System): first the coordinates, then every ball and free joint in the order of the tree.
//! A free joint has its position (m) and quaternion `w x y z` in `q`, angular and linear velocity in the body frame in
//! `v` (rad/s, m/s), and the moment and force that go with them (N m, N) among the efforts. Elements and loops do not
//! take part; gravity and prescribed motions do.

use gelenk_math::Real;
use gelenk_math::dense::{backward, cholesky, forward};
use gelenk_math::spatial::{Pose, Wrench};
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;
use crate::tree::places::Place;

/// A wrench that something outside exerts on a body.
#[derive(Clone, Copy, Debug)]
pub struct External<T> {
    /// Where it acts.
    pub at: Place,
    /// Moment (N m) and force (N) in ground axes; the force acts at the origin of the place.
    pub wrench: Wrench<T>,
}

impl Mechanism {
    /// Efforts `tau` that the accelerations `a` need at time `t` (s): `tau = M a + c(q, v, t)`, by recursive
    /// Newton-Euler on the tree and `F^T`.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn inverse_dynamics<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
    ) -> Result<(), Fault> {
        self.inverse_dynamics_under(d, t, q, v, a, &[], tau)
    }

    /// [`Self::inverse_dynamics`] with wrenches from outside: `tau = M a + c(q, v, t) - sum J_k^T w_k`.
    ///
    /// # Errors
    /// A slice has the wrong length.
    #[allow(clippy::too_many_arguments)]
    pub fn inverse_dynamics_under<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
        a: &[T],
        external: &[External<T>],
        tau: &mut [T],
    ) -> Result<(), Fault> {
        let nv = self.layout.nv;
        self.lengths(&[
            ("q", q.len(), self.layout.nq),
            ("v", v.len(), nv),
            ("a", a.len(), nv),
            ("tau", tau.len(), nv),
        ])?;
        self.move_tree(d, t, q, v, a);
        self.apply_external(d, external);
        self.rnea(d);
        tau.fill(T::c(0.0));
        self.pull_back(&d.f, &d.tree_effort, tau);
        for ((tau, &a), &rotor) in tau.iter_mut().zip(a).zip(&d.rotors) {
            *tau += rotor * a;
        }
        Ok(())
    }

    /// The symmetric `nv x nv` mass matrix `m`, row by row, at time `t` (s): composite rigid bodies on the tree, then
    /// `F^T M F`.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn mass_matrix<T: Real>(&self, d: &mut Data<T>, t: T, q: &[T], m: &mut [T]) -> Result<(), Fault> {
        let nv = self.layout.nv;
        self.lengths(&[("q", q.len(), self.layout.nq), ("m", m.len(), nv * nv)])?;
        d.load_origin(self, t, q, &[]);
        self.scalars(d);
        self.poses(d);
        self.mass(d, m);
        Ok(())
    }

    /// Accelerations `a` under the efforts `tau` at time `t` (s): `M a = tau - c(q, v, t)`.
    ///
    /// Articulated bodies, at a cost linear in the number of links, where every coordinate is the value of one joint
    /// scalar; where coordinates are shared or enter through functions, the mass matrix and its Cholesky factor.
    ///
    /// # Errors
    /// A slice has the wrong length, or a coordinate moves no mass.
    pub fn forward_dynamics<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
        tau: &[T],
        a: &mut [T],
    ) -> Result<(), Fault> {
        self.forward_dynamics_under(d, t, q, v, tau, &[], a)
    }

    /// [`Self::forward_dynamics`] with wrenches from outside: `M a = tau - c(q, v, t) + sum J_k^T w_k`.
    ///
    /// # Errors
    /// A slice has the wrong length, or a coordinate moves no mass.
    #[allow(clippy::too_many_arguments)]
    pub fn forward_dynamics_under<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
        tau: &[T],
        external: &[External<T>],
        a: &mut [T],
    ) -> Result<(), Fault> {
        let nv = self.layout.nv;
        self.lengths(&[
            ("q", q.len(), self.layout.nq),
            ("v", v.len(), nv),
            ("tau", tau.len(), nv),
            ("a", a.len(), nv),
        ])?;
        d.load_origin(self, t, q, v);
        self.scalars(d);
        self.poses(d);
        d.du.copy_from_slice(&d.bias);
        self.motions(d);
        self.apply_external(d, external);
        let massless = |v: usize| Fault::NoMass { coordinate: self.velocity_names[v].clone(), t: t.re() };
        if self.direct {
            self.to_tree(d, tau);
            self.aba::<T, false>(d).map_err(|dof| massless(self.columns[self.rows[dof].start]))?;
            self.tree_rates(d, |k, rate| a[k] = rate);
        } else {
            self.rnea(d);
            a.fill(T::c(0.0));
            self.pull_back(&d.f, &d.tree_effort, a);
            for (a, &tau) in a.iter_mut().zip(tau) {
                *a = tau - *a;
            }
            self.crba(d);
            cholesky(&mut d.mass, nv).map_err(massless)?;
            forward(&d.mass, nv, a);
            backward(&d.mass, nv, a);
        }
        Ok(())
    }

    /// Takes over a motion of the tree: poses, velocities and accelerations of all links, gravity included.
    #[inline]
    pub(crate) fn move_tree<T: Real>(&self, d: &mut Data<T>, t: T, q: &[T], v: &[T], a: &[T]) {
        d.load_origin(self, t, q, v);
        self.scalars(d);
        self.poses(d);
        self.tree_accelerations(d, a);
        self.motions(d);
    }

    /// Efforts `tau` that hold the mechanism at rest against gravity at time `t` (s): `tau = g(q, t)`, what
    /// [`Self::inverse_dynamics`] gives without velocities and accelerations.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn gravity_efforts<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        tau: &mut [T],
    ) -> Result<(), Fault> {
        let none = vec![T::c(0.0); self.layout.nv];
        self.inverse_dynamics(d, t, q, &none, &none, tau)
    }

    /// Efforts `tau` of an unaccelerated motion at time `t` (s): `tau = c(q, v, t)`, centrifugal, Coriolis and gyroscopic ones
    /// and gravity together. The part without gravity is the difference to [`Self::gravity_efforts`].
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn bias_efforts<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
        tau: &mut [T],
    ) -> Result<(), Fault> {
        let none = vec![T::c(0.0); self.layout.nv];
        self.inverse_dynamics(d, t, q, v, &none, tau)
    }

    /// Replaces all applied wrenches by these. Needs [`Self::poses`] only: poses in the ground are gathered on the way.
    fn apply_external<T: Real>(&self, d: &mut Data<T>, external: &[External<T>]) {
        self.clear_applied(d);
        for External { at, wrench } in external {
            let Some(link) = at.link() else { continue };
            let local = self.local(d, at);
            let mut world = Pose::identity();
            let mut up = Some(link);
            while let Some(i) = up {
                world = d.links[i].pose * world;
                up = self.links[i].parent;
            }
            // From ground axes into those of the link, then from the place to the link's origin.
            let turned = Wrench::new(world.rotation.tr_mul(&wrench.ang), world.rotation.tr_mul(&wrench.lin));
            let moment = turned.ang + local.position.cross(&turned.lin);
            d.links[link].applied += Wrench::new(moment, turned.lin);
        }
    }

    /// `du = F a + bias`.
    pub(crate) fn tree_accelerations<T: Real>(&self, d: &mut Data<T>, a: &[T]) {
        for (row, (du, &bias)) in self.rows.iter().zip(d.du.iter_mut().zip(&d.bias)) {
            *du = row.clone().fold(bias, |sum, k| sum + d.f[k] * a[self.columns[k]]);
        }
    }

    /// Refuses a slice whose length is not the wanted one; entries are name, length and wanted length.
    #[inline]
    pub(crate) fn lengths(&self, slices: &[(&str, usize, usize)]) -> Result<(), Fault> {
        if slices.iter().all(|(_, length, wanted)| length == wanted) { Ok(()) } else { wrong_length(slices) }
    }
}

#[cold]
fn wrong_length(slices: &[(&str, usize, usize)]) -> Result<(), Fault> {
    match slices.iter().find(|(_, length, wanted)| length != wanted) {
        Some((name, length, wanted)) => Err(Fault::Refused {
            element: format!("argument {name}"),
            reason: format!("expected {wanted} entries, got {length}"),
        }),
        None => Ok(()),
    }
}
