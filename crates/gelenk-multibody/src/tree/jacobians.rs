//! Jacobians of frames in three conventions, and of the centre of mass.

use gelenk_math::Real;
use gelenk_math::spatial::{Motion, Pose, Vec3};
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;
use crate::tree::places::Place;

/// Of what point and in which axes the velocity is that a Jacobian gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// Of the point of the body that is at the ground's origin, in ground axes (the spatial velocity; Pinocchio's `WORLD`).
    Ground,
    /// Of the origin of the place, in its own axes (the body velocity; Pinocchio's `LOCAL`).
    Body,
    /// Of the origin of the place, in ground axes (Pinocchio's `LOCAL_WORLD_ALIGNED`).
    Origin,
}

impl Mechanism {
    /// Jacobian of a place in the state that was taken over last, `6 x nv` row by row: `[angular; linear] = J v`, up to what
    /// explicit functions of time add. Units: rad/s and m/s for every unit of the velocity.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn frame_jacobian<T: Real>(
        &self,
        d: &Data<T>,
        place: &Place,
        convention: Convention,
        j: &mut [T],
    ) -> Result<(), Fault> {
        let nv = self.layout.nv;
        self.lengths(&[("j", j.len(), 6 * nv)])?;
        j.fill(T::c(0.0));
        let pose = self.pose_of(d, place);
        self.each_freedom(d, place, |column, spatial| {
            let unit = match convention {
                Convention::Ground => spatial,
                Convention::Body => pose.motion_into(&spatial),
                Convention::Origin => at_point(&spatial, &pose),
            };
            for axis in 0..3 {
                j[axis * nv + column] += unit.ang[axis];
                j[(3 + axis) * nv + column] += unit.lin[axis];
            }
        });
        Ok(())
    }

    /// Jacobian of the centre of mass in the state that was taken over last, `3 x nv` row by row, in ground axes: its velocity
    /// is `J v`, up to what explicit functions of time add. Zero where there is no mass.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn centre_jacobian<T: Real>(&self, d: &Data<T>, j: &mut [T]) -> Result<(), Fault> {
        let nv = self.layout.nv;
        self.lengths(&[("j", j.len(), 3 * nv)])?;
        j.fill(T::c(0.0));
        // Mass and first moment of everything that each link carries, about the ground origin.
        let none = Vec3::from_element(T::c(0.0));
        let mut carried = vec![(T::c(0.0), none); self.links.len()];
        let mut whole = T::c(0.0);
        for (i, link) in self.links.iter().enumerate().rev() {
            let own = &d.links[i];
            let (mass, moment) = &mut carried[i];
            *mass += own.inertia.mass;
            *moment += own.world.position * own.inertia.mass + own.world.rotation * own.inertia.moment;
            let (mass, moment) = (*mass, *moment);
            whole += own.inertia.mass;
            if let Some(parent) = link.parent {
                carried[parent].0 += mass;
                carried[parent].1 += moment;
            }
        }
        if whole.re() <= 0.0 {
            return Ok(());
        }
        for (i, link) in self.links.iter().enumerate() {
            let (mass, moment) = carried[i];
            for dof in link.dofs.clone() {
                let unit = d.links[i].world.motion_out(&self.freedom(d, i, dof));
                let shift = (unit.lin * mass + unit.ang.cross(&moment)) / whole;
                for k in self.rows[dof].clone() {
                    for axis in 0..3 {
                        j[axis * nv + self.columns[k]] += shift[axis] * d.f[k];
                    }
                }
            }
        }
        Ok(())
    }
}

/// A motion about the ground origin, carried to the origin of a pose, in ground axes.
fn at_point<T: Real>(motion: &Motion<T>, pose: &Pose<T>) -> Motion<T> {
    Motion::new(motion.ang, motion.lin + motion.ang.cross(&pose.position))
}
