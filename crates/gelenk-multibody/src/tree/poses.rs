//! Poses of the bodies and vectors of applied loads, for pictures of a run.

use gelenk_math::Real;
use gelenk_math::rotation::to_quaternion;
use gelenk_system::Channel;

use crate::data::Data;
use crate::elements::Attachment;
use crate::elements::ElementInfo;
use crate::mechanism::Mechanism;

/// Suffixes of the columns of a pose, with their units: origin, then quaternion, real part first.
const POSE: [(&str, &str); 7] =
    [("x", "m"), ("y", "m"), ("z", "m"), ("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")];

impl Mechanism {
    /// Records the pose of every body, too: seven columns `bodies.NAME.x` to `.qz`, those that kinematics record, and
    /// the components in ground axes of every force and torque on a frame, `NAME.fx` to `.fz` or `NAME.mx` to `.mz`.
    pub fn record_poses(&mut self) {
        if std::mem::replace(&mut self.poses, true) {
            return;
        }
        let poses = self.pose_columns();
        self.channels.extend(poses);
        for element in self.elements.iter() {
            let (parts, unit, meaning) = match element.on.on {
                Attachment::Point { .. } => (["fx", "fy", "fz"], "N", "force, ground axes"),
                Attachment::Turn { .. } => (["mx", "my", "mz"], "N m", "torque, ground axes"),
                _ => continue,
            };
            for part in parts {
                self.channels.push(Channel {
                    name: format!("{}.{part}", element.name),
                    unit: unit.into(),
                    meaning: meaning.into(),
                });
            }
        }
    }

    /// The columns of [`Self::body_poses`]: `bodies.NAME.x` to `.qz` of every body, in the order of the tree.
    pub fn pose_columns(&self) -> Vec<Channel> {
        let of_body = |body: &str| {
            let column = |(k, (part, unit)): (usize, (&str, &str))| Channel {
                name: format!("bodies.{body}.{part}"),
                unit: unit.into(),
                meaning: if k < 3 {
                    "position of the origin, ground axes"
                } else {
                    "quaternion in the ground frame"
                }
                .into(),
            };
            POSE.into_iter().enumerate().map(column).collect::<Vec<_>>()
        };
        self.body_names().flat_map(of_body).collect()
    }

    /// Hands the poses of the bodies in the state that was taken over last to `put`: origin (m) and quaternion.
    pub fn body_poses<T: Real>(&self, d: &Data<T>, mut put: impl FnMut(T)) {
        for (i, _) in self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some()) {
            let world = &d.links[i].world;
            world.position.iter().for_each(|&part| put(part));
            to_quaternion(&world.rotation).into_iter().for_each(&mut put);
        }
    }

    /// Number of columns that [`Self::record_poses`] has added; they are the last ones.
    pub(crate) fn pose_channels(&self) -> usize {
        let vectors = self.elements.iter().filter(|element| on_a_frame(element)).count();
        if self.poses { POSE.len() * self.body_count() + 3 * vectors } else { 0 }
    }

    /// Hands the poses and vectors to `put`, after an evaluation of the rates.
    pub(crate) fn write_poses<T: Real>(&self, d: &Data<T>, mut put: impl FnMut(T)) {
        if !self.poses {
            return;
        }
        self.body_poses(d, &mut put);
        for (_, vector) in
            self.elements.iter().zip(d.elements.vectors()).filter(|(element, _)| on_a_frame(element))
        {
            vector.iter().for_each(|&part| put(part));
        }
    }
}

/// Whether an element acts on a single frame, and so has a force or torque to be drawn.
fn on_a_frame(element: &ElementInfo) -> bool {
    matches!(element.on.on, Attachment::Point { .. } | Attachment::Turn { .. })
}
