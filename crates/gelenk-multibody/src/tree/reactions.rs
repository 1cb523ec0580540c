//! Wrenches through the joints.
//!
//! The wrench of a joint acts on the child at the origin of its frame, and opposite on the parent at the same point
//! (stelzner 3.7). It holds what the joint's own elements exert along its freedoms (springs, friction, drives) and the
//! reaction across them.

use gelenk_math::spatial::{Motion, Wrench};
use gelenk_math::{Lockstep, Real};
use gelenk_system::Channel;

use crate::data::Data;
use crate::loops::Replaced;
use crate::mechanism::Mechanism;
use crate::tree::kernels::motion_into;

const PARTS: [(&str, &str); 6] =
    [("fx", "N"), ("fy", "N"), ("fz", "N"), ("mx", "N m"), ("my", "N m"), ("mz", "N m")];

impl Mechanism {
    /// Records the wrench through every joint, too: six columns `reactions.JOINT.fx` to `.mz`, on the child at the
    /// origin of its frame, in its axes.
    pub fn record_reactions(&mut self) {
        if std::mem::replace(&mut self.reactions, true) {
            return;
        }
        // Poses are written after them.
        let place = self.channels.len() - self.pose_channels();
        let mut added = Vec::new();
        let bodies = self.links.iter().filter(|link| link.inertia.is_some()).map(|link| &link.joint);
        let joints = self.loops.replaced().iter().map(|joint| &joint.name);
        let bodies = bodies.filter(|_| self.loops.replaced().is_empty());
        for joint in joints.chain(bodies) {
            for (part, unit) in PARTS {
                added.push(Channel {
                    name: format!("reactions.{joint}.{part}"),
                    unit: unit.into(),
                    meaning: "wrench of the joint on its child at the child's origin, child axes".into(),
                });
            }
        }
        self.channels.splice(place..place, added);
    }

    /// Hands the six parts of every joint's wrench to `put`, after an evaluation of the rates.
    pub(crate) fn write_reactions<T: Real>(&self, d: &mut Data<T>, mut put: impl FnMut(T)) {
        if !self.reactions {
            return;
        }
        for joint in self.loops.replaced() {
            let Wrench { ang, lin } = self.replaced_wrench(d, joint);
            lin.iter().chain(&ang).for_each(|&part| put(part));
        }
        if !self.loops.replaced().is_empty() {
            return;
        }
        self.joint_wrenches(d);
        for (i, _) in self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some()) {
            let Wrench { ang, lin } = d.links[i].wrench;
            lin.iter().chain(&ang).for_each(|&part| put(part));
        }
    }

    /// What a joint exerts on its child that loops and elements have taken the place of, at the child's origin in its axes.
    fn replaced_wrench<T: Real>(&self, d: &Data<T>, joint: &Replaced) -> Wrench<T> {
        let mut wrench = Wrench::zero();
        for &index in &joint.loops {
            wrench += self.loop_reaction(d, index);
        }
        for &index in &joint.elements {
            let [force, torque] = self.elements[index].on.wrench(self, d, d.elements.effort()[index]);
            wrench += Wrench::new(torque, force);
        }
        let axes = d.links[joint.link].world.rotation;
        Wrench::new(axes.tr_mul(&wrench.ang), axes.tr_mul(&wrench.lin))
    }

    /// Wrenches through the joints, and the efforts over tree velocities that they exert on the freedoms, under the
    /// accelerations `d.acceleration` and multipliers `d.loops.lambda`. Needs [`Self::evaluate`].
    pub(crate) fn joint_wrenches<T: Lockstep>(&self, d: &mut Data<T>) {
        for (i, link) in self.links.iter().enumerate() {
            let mut response = match link.parent {
                Some(parent) => motion_into(&d.links[i].pose, &d.links[parent].response),
                None => Motion::zero(),
            };
            for dof in link.dofs.clone() {
                let rate = self.rows[dof].clone();
                let rate = rate.fold(T::of(0.0), |sum, k| sum + d.f[k] * d.acceleration[self.columns[k]]);
                response += self.freedom(d, i, dof).scale(rate);
            }
            let data = &mut d.links[i];
            data.response = response;
            data.wrench = data.load() + data.inertia.momentum(&response);
        }
        for (row, equation) in self.loops.equations().iter().enumerate() {
            let Some(frames) = equation.frames() else { continue };
            for (frame, wrench) in frames.into_iter().zip(*d.loops.wrenches(row)) {
                if let Some(link) = self.frames[frame].link {
                    // The loop acts with minus lambda; what it takes away, the joint has to carry.
                    let data = &mut d.links[link];
                    data.wrench += data.world.wrench_into(&wrench.scale(d.loops.lambda()[row]));
                }
            }
        }
        self.joint_efforts(d);
    }
}
