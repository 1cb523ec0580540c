//! Inverse dynamics by recursive Newton-Euler.

use gelenk_math::Real;
use gelenk_math::spatial::Wrench;

use crate::data::Data;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Efforts over tree velocities that the bias accelerations need against the applied wrenches:
    /// the sum of inertial, gyroscopic and gravitational terms. Needs [`Self::kinematics`].
    pub(crate) fn rnea<T: Real>(&self, d: &mut Data<T>) {
        for link in &mut d.links {
            let momentum = link.inertia.momentum(&link.velocity);
            link.wrench = link.inertia.momentum(&link.acceleration) + link.velocity.cross_wrench(&momentum)
                - link.applied;
        }
        for i in (0..self.links.len()).rev() {
            let link = &self.links[i];
            for dof in link.dofs.clone() {
                d.tree_effort[dof] = self.freedom(d, i, dof).dot(&d.links[i].wrench);
            }
            if let Some(parent) = link.parent {
                let carried = d.links[i].pose.wrench_out(&d.links[i].wrench);
                d.links[parent].wrench += carried;
            }
        }
    }

    /// Removes all applied wrenches.
    pub(crate) fn clear_applied<T: Real>(&self, d: &mut Data<T>) {
        for link in &mut d.links {
            link.applied = Wrench::zero();
        }
    }
}
