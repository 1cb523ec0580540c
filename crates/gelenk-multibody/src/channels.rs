//! What is recorded of a mechanism.

use gelenk_math::Real;
use gelenk_math::spatial::Wrench;
use gelenk_system::Channel;

use crate::blueprint::CoordinateId;
use crate::data::Data;
use crate::elements::Attachment;
use crate::elements::ElementInfo;
use crate::mechanism::{LinkKind, Mechanism};

const PLACE: [(&str, &str, &str); 3] =
    [("x", "m", "position"), ("y", "m", "position"), ("z", "m", "position")];
const QUATERNION: [(&str, &str, &str); 4] = [
    ("qw", "1", "quaternion"),
    ("qx", "1", "quaternion"),
    ("qy", "1", "quaternion"),
    ("qz", "1", "quaternion"),
];
const TURN: [(&str, &str, &str); 3] = [
    ("wx", "rad/s", "angular velocity, body frame"),
    ("wy", "rad/s", "angular velocity, body frame"),
    ("wz", "rad/s", "angular velocity, body frame"),
];
const VELOCITY: [(&str, &str, &str); 3] = [
    ("vx", "m/s", "velocity of the origin, body frame"),
    ("vy", "m/s", "velocity of the origin, body frame"),
    ("vz", "m/s", "velocity of the origin, body frame"),
];

/// Suffix, unit and meaning of the positions of a ball joint, or of a free one, in their order in `q`.
pub(crate) fn positions(free: bool) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    PLACE.into_iter().take(if free { 3 } else { 0 }).chain(QUATERNION)
}

/// Suffix, unit and meaning of the velocities of a ball joint, or of a free one, in their order in `v`.
pub(crate) fn velocities(free: bool) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    TURN.into_iter().chain(VELOCITY.into_iter().take(if free { 3 } else { 0 }))
}

/// Meaning of the channel of friction on a line.
const RESISTANCE: &str = "resistance, positive against the motion";

impl Mechanism {
    /// The channels, in the order in which [`Self::write_channels`] writes them.
    pub(crate) fn list_channels(
        &self,
        signal_units: &[String],
        outputs: &[(String, String)],
    ) -> Vec<Channel> {
        let mut channels = Vec::new();
        let mut add = |name: String, unit: &str, meaning: &str| {
            channels.push(Channel { name, unit: unit.into(), meaning: meaning.into() });
        };
        for coordinate in &self.coordinates {
            add(coordinate.name.clone(), coordinate.kind.units()[0], "coordinate");
        }
        let spinning = || {
            self.links.iter().filter_map(|link| match link.kind {
                LinkKind::Ball { .. } => Some((&link.joint, false)),
                LinkKind::Free { .. } => Some((&link.joint, true)),
                _ => None,
            })
        };
        for (joint, free) in spinning() {
            for (suffix, unit, meaning) in positions(free) {
                add(format!("{joint}.{suffix}"), unit, meaning);
            }
        }
        for coordinate in &self.coordinates {
            add(format!("{}.rate", coordinate.name), coordinate.kind.units()[1], "rate of a coordinate");
        }
        for (joint, free) in spinning() {
            for (suffix, unit, meaning) in velocities(free) {
                add(format!("{joint}.{suffix}"), unit, meaning);
            }
        }
        for (signal, unit) in self.signals.iter().zip(signal_units) {
            add(signal.name.clone(), unit, "signal");
        }
        for element in self.elements.iter() {
            let on = &element.on.on;
            let effort_unit = |id: CoordinateId| self.coordinates[id.index()].kind.units()[2];
            let (unit, meaning) = match (on.channel(&effort_unit), on) {
                ((unit, _), Attachment::Plane(_)) => (unit, "magnitude of the resistance"),
                ((unit, _), _) if element.kind.resists() => (unit, RESISTANCE),
                (channel, _) => channel,
            };
            // A drive is recorded among the signals.
            if !element.kind.is_signal() {
                add(element.name.clone(), unit, meaning);
            }
            let mut part = |name: &str, unit: &str, meaning: &str| {
                add(format!("{}.{name}", element.name), unit, meaning);
            };
            let angle = !matches!(unit, "N");
            for output in element.kind.spec().outputs {
                part(output.name, &output.kind.dimension(angle).to_string(), output.meaning);
            }
            if matches!(on, Attachment::Plane(_)) {
                let meaning = "resistance along an axis of the first frame, positive against the motion";
                ["x", "y"].into_iter().for_each(|axis| part(axis, "N", meaning));
            }
            for (name, unit, meaning) in element.kind.records() {
                part(name, unit, meaning);
            }
        }
        for closure in self.loops.iter() {
            let name = |part: &str| format!("loops.{}.{part}", closure.name);
            if closure.frame.is_none() {
                add(name("effort"), &closure.effort, "effort of the coupling, minus its multiplier");
                continue;
            }
            for part in ["fx", "fy", "fz"] {
                add(name(part), "N", "force of the loop on its second body, ground axes");
            }
            for part in ["mx", "my", "mz"] {
                add(name(part), "N m", "moment of the loop on its second body at its frame, ground axes");
            }
        }
        add("energy.kinetic".into(), "J", "kinetic energy");
        add("energy.stored".into(), "J", "energy held by gravity, springs, stops and friction laws");
        for (name, unit) in outputs {
            add(name.clone(), unit, "output");
        }
        channels
    }

    /// Writes one value for every channel after an evaluation of the rates; `contact` puts what a contact records,
    /// and at the end, without one, the times that contacts took.
    pub(crate) fn write_channels<T: Real>(
        &self,
        d: &mut Data<T>,
        y: &mut [T],
        contact: impl Fn(&Data<T>, Option<&ElementInfo>, &mut dyn FnMut(T)),
    ) {
        let mut slots = y.iter_mut();
        let mut put = |value: T| {
            if let Some(slot) = slots.next() {
                *slot = value;
            }
        };
        // A partitioned mechanism has closed its loops since it was handed the state.
        d.table[self.table.q..self.table.p].iter().for_each(|&value| put(value));
        d.table[self.table.signals..self.table.outputs].iter().for_each(|&value| put(value));
        for (index, (element, &effort)) in self.elements.iter().zip(d.elements.effort()).enumerate() {
            // Friction is recorded positive against the motion; nothing is plus zero.
            let recorded = if element.kind.resists() { T::c(0.0) - effort } else { effort };
            if !element.kind.is_signal() {
                put(recorded);
            }
            d.table[element.y.clone()].iter().for_each(|&value| put(value));
            if let Attachment::Plane(_) = element.on.on {
                d.elements.vectors()[index].iter().take(2).for_each(|&part| put(T::c(0.0) - part));
            }
            if element.contact.is_some() {
                contact(d, Some(element), &mut put);
            }
        }
        for (index, closure) in self.loops.iter().enumerate() {
            if closure.frame.is_none() {
                put(-d.loops.lambda()[closure.rows.start]);
                continue;
            }
            let Wrench { ang, lin } = self.loop_reaction(d, index);
            lin.iter().chain(&ang).for_each(|&part| put(part));
        }
        let mut stored = std::mem::take(d.elements.power_mut());
        put(self.stored(d, &mut stored));
        put(stored.iter().fold(T::c(0.0), |sum, &part| sum + part));
        *d.elements.power_mut() = stored;
        for program in &self.outputs {
            put(program.eval(&d.table, &mut d.scratch));
        }
        contact(d, None, &mut put);
        if self.accelerations {
            self.origin_accelerations(d, &mut put);
        }
        self.write_reactions(d, &mut put);
        self.write_poses(d, put);
    }
}
