//! Wrenches through the joints.
//!
//! The wrench of a joint acts on the child at the origin of its frame, and opposite on the parent at the same point
//! (stelzner 3.7). It holds what the joint's own elements exert along its freedoms (springs, friction, drives) and the
//! reaction across them.

use gelenk_math::spatial::{Motion, Wrench};
use gelenk_system::Channel;

use crate::data::Data;
use crate::mechanism::Mechanism;

const PARTS: [(&str, &str); 6] =
    [("fx", "N"), ("fy", "N"), ("fz", "N"), ("mx", "N m"), ("my", "N m"), ("mz", "N m")];

impl Mechanism {
    /// Records the wrench through every joint, too: six columns `reactions.JOINT.fx` to `.mz`, on the child at the
    /// origin of its frame, in its axes.
    pub fn record_reactions(&mut self) {
        if std::mem::replace(&mut self.reactions, true) {
            return;
        }
        for link in self.links.iter().filter(|link| link.inertia.is_some()) {
            for (part, unit) in PARTS {
                self.channels.push(Channel {
                    name: format!("reactions.{}.{part}", link.joint),
                    unit: unit.into(),
                    meaning: "wrench of the joint on its child at the child's origin, child axes".into(),
                });
            }
        }
    }

    /// Hands the six parts of every joint's wrench to `put`, after an evaluation of the rates.
    pub(crate) fn write_reactions(&self, d: &mut Data<f64>, mut put: impl FnMut(f64)) {
        if !self.reactions {
            return;
        }
        self.joint_wrenches(d);
        for (i, _) in self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some()) {
            let Wrench { ang, lin } = d.links[i].wrench + d.extra[i].1;
            lin.iter().chain(&ang).for_each(|&part| put(part));
        }
    }

    /// What the solved accelerations and the loops add to the wrenches that the bias accelerations need, summed from
    /// the leaves to the root.
    fn joint_wrenches(&self, d: &mut Data<f64>) {
        for i in 0..self.links.len() {
            let link = &self.links[i];
            let mut motion = match link.parent {
                Some(parent) => d.links[i].pose.motion_into(&d.extra[parent].0),
                None => Motion::zero(),
            };
            for dof in link.dofs.clone() {
                let rate: f64 =
                    self.rows[dof].clone().map(|k| d.f[k] * d.acceleration[self.columns[k]]).sum();
                motion += self.freedom(d, i, dof).scale(rate);
            }
            d.extra[i] = (motion, d.links[i].inertia.momentum(&motion));
        }
        for (row, equation) in self.equations.iter().enumerate() {
            let Some((wrenches, frames)) = self.row_wrenches(d, equation) else { continue };
            for (frame, wrench) in frames.into_iter().zip(wrenches) {
                if let Some(link) = self.frames[frame].link {
                    // The loop acts with minus lambda; what it takes over, the joint need not carry.
                    let local = into_frame(&d.links[link].world, &wrench.scale(-d.lambda[row]));
                    d.extra[link].1 = d.extra[link].1 - local;
                }
            }
        }
        for i in (0..self.links.len()).rev() {
            if let Some(parent) = self.links[i].parent {
                let carried = d.links[i].pose.wrench_out(&d.extra[i].1);
                d.extra[parent].1 += carried;
            }
        }
    }
}

/// A wrench about the ground origin, expressed in a frame at its origin.
fn into_frame(world: &gelenk_math::spatial::Pose<f64>, wrench: &Wrench<f64>) -> Wrench<f64> {
    let moment = wrench.ang - world.position.cross(&wrench.lin);
    Wrench::new(world.rotation.tr_mul(&moment), world.rotation.tr_mul(&wrench.lin))
}
