//! Inverse dynamics by recursive Newton-Euler.

use gelenk_math::Lockstep;
use gelenk_math::spatial::Wrench;

use crate::data::{Data, LinkData, family};
use crate::mechanism::{LinkKind, Mechanism};
use crate::tree::kernels::{dot, wrench_out};

impl Mechanism {
    /// Efforts over tree velocities that the links' accelerations need against the applied wrenches:
    /// the sum of inertial, gyroscopic and gravitational terms. Needs [`Self::motions`].
    pub(crate) fn rnea<T: Lockstep>(&self, d: &mut Data<T>) {
        for link in &mut d.links {
            link.wrench = link.load();
        }
        self.joint_efforts(d);
    }

    /// Gathers the links' wrenches through the joints, from the tips to the ground, and projects them on the freedoms.
    pub(crate) fn joint_efforts<T: Lockstep>(&self, d: &mut Data<T>) {
        for (i, link) in self.links.iter().enumerate().rev() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let (wrench, dof) = (&data.wrench, link.dofs.start);
            match &link.kind {
                LinkKind::Fixed => {}
                LinkKind::Revolute { .. } => d.tree_effort[dof] = dot(&data.axis, &wrench.ang),
                LinkKind::Prismatic { .. } => d.tree_effort[dof] = dot(&data.axis, &wrench.lin),
                LinkKind::Ball { .. } => {
                    d.tree_effort[dof..dof + 3].copy_from_slice(wrench.ang.as_slice());
                }
                LinkKind::Free { .. } => {
                    d.tree_effort[dof..dof + 3].copy_from_slice(wrench.ang.as_slice());
                    d.tree_effort[dof + 3..dof + 6].copy_from_slice(wrench.lin.as_slice());
                }
            }
            if let Some(parent) = parent {
                parent.wrench += wrench_out(&data.pose, wrench);
            }
        }
    }

    /// Removes all applied wrenches.
    pub(crate) fn clear_applied<T: Lockstep>(&self, d: &mut Data<T>) {
        for link in &mut d.links {
            link.applied = Wrench::zero();
        }
    }
}

impl<T: Lockstep> LinkData<T> {
    /// The wrench that the link needs for its accelerations beyond the applied one.
    #[inline]
    pub(crate) fn load(&self) -> Wrench<T> {
        self.moments.wrench(&self.field) - self.applied
    }
}
