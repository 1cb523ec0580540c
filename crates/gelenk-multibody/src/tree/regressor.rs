//! The torque regressor: efforts as a linear function of the inertial parameters.
//!
//! For a given motion the inverse dynamics are linear in mass, first moment and inertia tensor of every body,
//! `tau = Y(q, v, a, t) pi + rotors a` (Atkeson, An and Hollerbach, *Estimation of inertial parameters of manipulator loads
//! and links*, 1986). Every body has ten parameters, about the origin of its own frame and in its axes:
//!
//! ```text
//! m, m c_x, m c_y, m c_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz        kg, kg m, kg m^2
//! ```
//!
//! with the products of inertia as entries of the tensor, `J_xy = -int x y dm`.

use gelenk_math::Real;
use gelenk_math::spatial::{Inertia, Mat3, Vec3};
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;
use crate::tree::moments::Moments;

/// Inertial parameters of a body.
pub const INERTIAL: usize = 10;

/// Their names, in order.
pub const INERTIAL_NAMES: [&str; INERTIAL] =
    ["mass", "moment.x", "moment.y", "moment.z", "xx", "yy", "zz", "xy", "xz", "yz"];

/// The body that has one of them, and nothing else.
fn unit<T: Real>(parameter: usize) -> Inertia<T> {
    let one = T::c(1.0);
    let mut inertia = Inertia::zero();
    match parameter {
        0 => inertia.mass = one,
        1..=3 => inertia.moment[parameter - 1] = one,
        4..=6 => inertia.tensor[(parameter - 4, parameter - 4)] = one,
        _ => {
            let (i, k) = [(0, 1), (0, 2), (1, 2)][(parameter - 7).min(2)];
            (inertia.tensor[(i, k)], inertia.tensor[(k, i)]) = (one, one);
        }
    }
    inertia
}

impl Mechanism {
    /// Inertial parameters `pi` of all bodies as the workspace has them, ten for every body in the order of
    /// [`Self::body_names`].
    pub fn inertial_parameters<T: Real>(&self, d: &Data<T>) -> Vec<T> {
        let bodies = self.links.iter().zip(&d.links).filter(|(link, _)| link.inertia.is_some());
        let parameters = |inertia: &Inertia<T>| {
            let (h, j): (Vec3<T>, Mat3<T>) = (inertia.moment, inertia.tensor);
            let tensor = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|ik| j[ik]);
            [inertia.mass, h.x, h.y, h.z].into_iter().chain(tensor).collect::<Vec<T>>()
        };
        bodies.flat_map(|(_, data)| parameters(&data.inertia)).collect()
    }

    /// The regressor `y`, `nv x 10 n` row by row for `n` bodies, of the motion `q`, `v`, `a` at time `t` (s): the
    /// [inverse dynamics](Self::inverse_dynamics) are `y` times the
    /// [inertial parameters](Self::inertial_parameters), and rotor inertias times the accelerations of their coordinates.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn regressor<T: Real>(
        &self,
        d: &mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
        a: &[T],
        y: &mut [T],
    ) -> Result<(), Fault> {
        let nv = self.layout.nv;
        let width = INERTIAL * self.body_names().count();
        self.lengths(&[
            ("q", q.len(), self.layout.nq),
            ("v", v.len(), nv),
            ("a", a.len(), nv),
            ("y", y.len(), nv * width),
        ])?;
        self.move_tree(d, t, q, v, a);
        y.fill(T::c(0.0));
        let bodies = self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some());
        for (body, (i, _)) in bodies.enumerate() {
            for parameter in 0..INERTIAL {
                let column = body * INERTIAL + parameter;
                let mut wrench = Moments::new(&unit(parameter)).wrench(&d.links[i].field);
                let mut link = Some(i);
                // The wrench through every joint on the way to the ground, in the frame that the joint carries.
                while let Some(at) = link {
                    for dof in self.links[at].dofs.clone() {
                        let effort = self.freedom(d, at, dof).dot(&wrench);
                        for k in self.rows[dof].clone() {
                            y[self.columns[k] * width + column] += d.f[k] * effort;
                        }
                    }
                    wrench = d.links[at].pose.wrench_out(&wrench);
                    link = self.links[at].parent;
                }
            }
        }
        Ok(())
    }
}
