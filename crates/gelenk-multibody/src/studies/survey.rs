//! What kinematics record at an instant.

use gelenk_math::rotation::to_quaternion;
use gelenk_math::spatial::Vec3;
use gelenk_system::{Channel, Fault};

use crate::data::Data;
use crate::mechanism::{LinkKind, Mechanism};
use crate::studies::inverse::Instant;
use crate::tree::places::Place;

/// Parts of a vector.
const XYZ: [&str; 3] = ["x", "y", "z"];

impl Mechanism {
    /// Positions, velocities and accelerations as columns: those of a run, then `NAME.acceleration` of every coordinate
    /// and `JOINT.wx.rate` and so on of every ball and free joint.
    pub fn motion_channels(&self) -> Vec<Channel> {
        let (nq, nv) = (self.layout.nq, self.layout.nv);
        let mut channels: Vec<Channel> = self.channels.iter().take(nq + nv).cloned().collect();
        for k in 0..nv {
            let rate = &self.channels[nq + k];
            let (name, unit) = match k < self.coordinates.len() {
                true => (
                    format!("{}.acceleration", self.coordinates[k].name),
                    format!("{}/s^2", self.coordinates[k].kind.units()[0]),
                ),
                false => (format!("{}.rate", rate.name), format!("{}^2", rate.unit)),
            };
            let meaning = format!("rate of {}", rate.name);
            channels.push(Channel { name, unit, meaning });
        }
        channels
    }

    /// Records the accelerations, too, under the names that [`Self::motion_channels`] gives them.
    pub fn record_accelerations(&mut self) {
        if std::mem::replace(&mut self.accelerations, true) {
            return;
        }
        let accelerations = self.motion_channels().split_off(self.layout.nq + self.layout.nv);
        // Reactions and poses are written after them.
        let reactions = if self.reactions { 6 * self.body_count() } else { 0 };
        let place = self.channels.len() - reactions - self.pose_channels();
        self.channels.splice(place..place, accelerations);
    }

    /// Columns of [`Self::survey`]: the motion, signals and outputs of the model, the motion of `places` by their names,
    /// the relative motion of the joints that carry those of them that are bodies, centre of mass, momenta, energies.
    pub fn survey_channels(&self, places: &[(String, Place)]) -> Vec<Channel> {
        let mut channels = self.motion_channels();
        let own = |meaning: &'static str| self.channels.iter().filter(move |c| c.meaning == meaning).cloned();
        channels.extend(own("signal").chain(own("output")));
        let mut add = |name: String, unit: &str, meaning: &str| {
            channels.push(Channel { name, unit: unit.into(), meaning: meaning.into() });
        };
        for (name, _) in places {
            XYZ.iter().for_each(|k| add(format!("{name}.{k}"), "m", "position of the origin, ground axes"));
            for k in ["qw", "qx", "qy", "qz"] {
                add(format!("{name}.{k}"), "1", "quaternion in the ground frame");
            }
            let parts = [
                ("w", "rad/s", "angular velocity, ground axes"),
                ("v", "m/s", "velocity of the origin, ground axes"),
                ("alpha", "rad/s^2", "angular acceleration, ground axes"),
                ("a", "m/s^2", "acceleration of the origin, ground axes"),
            ];
            for (letter, unit, meaning) in parts {
                XYZ.iter().for_each(|k| add(format!("{name}.{letter}{k}"), unit, meaning));
            }
        }
        for joint in places.iter().filter_map(|(_, place)| self.joint_of(place)) {
            let name = |part: &str| format!("joints.{}.{part}", self.links[joint].joint);
            XYZ.iter().for_each(|k| add(name(k), "m", "origin of the child in the parent body"));
            for k in ["qw", "qx", "qy", "qz"] {
                add(name(k), "1", "quaternion of the child in the parent body");
            }
            for k in XYZ {
                add(name(&format!("w{k}")), "rad/s", "angular velocity in the parent body, parent axes");
            }
            for k in XYZ {
                add(
                    name(&format!("v{k}")),
                    "m/s",
                    "velocity of the child's origin in the parent body, parent axes",
                );
            }
        }
        let sums = [
            ("centre.", "m", "centre of mass of the model"),
            ("centre.v", "m/s", "velocity of the centre of mass"),
            ("momentum.", "N s", "linear momentum of the model"),
            ("spin.", "N m s", "angular momentum about the centre of mass"),
            ("angular_momentum.", "N m s", "angular momentum about the ground origin"),
        ];
        for (name, unit, meaning) in sums {
            XYZ.iter().for_each(|k| add(format!("{name}{k}"), unit, meaning));
        }
        add("energy.kinetic".into(), "J", "kinetic energy");
        add("energy.potential".into(), "J", "energy in the field of gravity");
        channels
    }

    /// Hands the values of [`Self::survey_channels`] to `put`; `m` is the memory of sampled signals.
    ///
    /// # Errors
    /// Slices of the wrong length, signals that are not finite.
    pub fn survey(
        &self,
        d: &mut Data<f64>,
        at: Instant<'_>,
        m: &[f64],
        places: &[(String, Place)],
        mut put: impl FnMut(f64),
    ) -> Result<(), Fault> {
        self.set_motion(d, at.t, at.q, at.v, at.a)?;
        self.signals(d, m, None)?;
        at.q.iter().chain(at.v).chain(at.a).for_each(|&x| put(x));
        d.table[self.table.signals..].iter().for_each(|&x| put(x));
        for program in &self.outputs {
            put(program.eval(&d.table, &mut d.scratch));
        }
        let vector = |v: &Vec3<f64>, put: &mut dyn FnMut(f64)| v.iter().for_each(|&x| put(x));
        for (_, place) in places {
            let motion = self.motion_of(d, place);
            vector(&motion.pose.position, &mut put);
            to_quaternion(&motion.pose.rotation).into_iter().for_each(&mut put);
            for part in [&motion.velocity, &motion.acceleration] {
                vector(&part.ang, &mut put);
                vector(&part.lin, &mut put);
            }
        }
        for joint in places.iter().filter_map(|(_, place)| self.joint_of(place)) {
            let child = self.motion_of(d, &Place::body(joint));
            let parent = self.parent_body(joint).map_or(Place::GROUND, Place::body);
            let parent = self.motion_of(d, &parent);
            let axes = &parent.pose.rotation;
            let arm = child.pose.position - parent.pose.position;
            vector(&axes.tr_mul(&arm), &mut put);
            to_quaternion(&axes.tr_mul(&child.pose.rotation)).into_iter().for_each(&mut put);
            vector(&axes.tr_mul(&(child.velocity.ang - parent.velocity.ang)), &mut put);
            let carried = parent.velocity.lin + parent.velocity.ang.cross(&arm);
            vector(&axes.tr_mul(&(child.velocity.lin - carried)), &mut put);
        }
        let totals = self.totals(d);
        for v in [totals.centre, totals.velocity, totals.momentum, totals.spin, totals.angular_momentum] {
            vector(&v, &mut put);
        }
        put(totals.kinetic);
        put(totals.potential);
        Ok(())
    }

    /// Place of a position number in `q` by the name of its column, such as `phi` or `hip.qw`.
    pub fn position_index(&self, name: &str) -> Option<usize> {
        self.channels.iter().take(self.layout.nq).position(|c| c.name == name)
    }

    /// Names of the position numbers, in their order in `q`.
    pub fn position_names(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().take(self.layout.nq).map(|c| c.name.as_str())
    }

    /// Velocity components that belong to a coordinate or to a ball or free joint of this name.
    pub fn velocities_of(&self, name: &str) -> Option<std::ops::Range<usize>> {
        if let Some(k) = self.coordinates.iter().position(|c| c.name == name) {
            return Some(k..k + 1);
        }
        self.links.iter().filter(|link| link.joint == name).find_map(|link| match &link.kind {
            LinkKind::Ball { spin, .. } | LinkKind::Free { spin, .. } => {
                Some(spin.v..spin.v + link.dofs.len())
            }
            _ => None,
        })
    }

    /// Ball and free joints: name, first place of the position (free only) and of the quaternion in `q`, first place of
    /// the angular velocity in `v`; the velocity stands three behind it.
    pub fn spinning_joints(&self) -> Vec<SpinningJoint> {
        let joints = self.links.iter().filter_map(|link| match &link.kind {
            LinkKind::Ball { spin, .. } | LinkKind::Free { spin, .. } => Some(SpinningJoint {
                name: link.joint.clone(),
                quaternion: spin.q,
                turn: spin.v,
                origin: spin.origin,
            }),
            _ => None,
        });
        joints.collect()
    }
}

/// Where the numbers of a ball or free joint stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpinningJoint {
    /// Name of the joint.
    pub name: String,
    /// First component of the quaternion in `q`.
    pub quaternion: usize,
    /// First component of the angular velocity in `v`.
    pub turn: usize,
    /// Of a free joint: first components of the position in `q` and of the velocity in `v`.
    pub origin: Option<(usize, usize)>,
}
