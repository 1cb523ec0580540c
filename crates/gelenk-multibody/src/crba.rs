//! Mass matrix by composite rigid bodies.

use gelenk_math::Real;

use crate::data::Data;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Writes the mass matrix over tree velocities and `F^T M F` over `v`. Needs [`Self::kinematics`].
    pub(crate) fn crba<T: Real>(&self, d: &mut Data<T>) {
        let (nu, nv) = (self.nu, self.layout.nv);
        for link in &mut d.links {
            link.composite = link.inertia;
        }
        d.tree_mass.fill(T::c(0.0));
        for i in (0..self.links.len()).rev() {
            if let Some(parent) = self.links[i].parent {
                let seen = d.links[i].composite.seen_from(&d.links[i].pose);
                d.links[parent].composite += seen;
            }
            for dof in self.links[i].dofs.clone() {
                let mut momentum = d.links[i].composite.momentum(&self.freedom(d, i, dof));
                let mut j = i;
                loop {
                    for other in self.links[j].dofs.clone() {
                        let entry = self.freedom(d, j, other).dot(&momentum);
                        d.tree_mass[dof * nu + other] = entry;
                        d.tree_mass[other * nu + dof] = entry;
                    }
                    let Some(parent) = self.links[j].parent else { break };
                    momentum = d.links[j].pose.wrench_out(&momentum);
                    j = parent;
                }
            }
        }
        d.mass.fill(T::c(0.0));
        for a in 0..nu {
            for b in 0..nu {
                let entry = d.tree_mass[a * nu + b];
                for k in self.rows[a].clone() {
                    for l in self.rows[b].clone() {
                        d.mass[self.columns[k] * nv + self.columns[l]] += d.f[k] * entry * d.f[l];
                    }
                }
            }
        }
    }
}
