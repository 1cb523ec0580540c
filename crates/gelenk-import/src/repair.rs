//! Inertias that no body has: which of them matter, and their repair.

use crate::names::shown;
use crate::robot::{Link, Motion, Robot};
use gelenk_math::spatial::Mat3;
use gelenk_multibody::inertia::{Piece, Verdict, is_exact, judge, nearest};
use std::fmt;

/// An inertia that was replaced by the nearest one that a body can have.
#[derive(Clone, PartialEq, Debug)]
pub struct Repair {
    /// The link, by its name in the file.
    pub link: String,
    /// About the centre of mass in the axes of the link (kg m^2), as the file has it: xx, yy, zz, xy, xz, yz.
    pub before: [f64; 6],
    /// The same, repaired.
    pub after: [f64; 6],
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "link \"{}\": inertia {} becomes {}", self.link, Entries(self.before), Entries(self.after))
    }
}

/// Six moments with the digits that a person compares.
struct Entries([f64; 6]);

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let six = self.0.map(|x| {
            let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
            gelenk_file::draft::number(rounded)
        });
        write!(f, "[{}]", six.join(", "))
    }
}

/// Replaces every inertia that no body has by the nearest one that is possible.
pub(crate) fn repair(robot: &mut Robot) -> Vec<Repair> {
    let mut repairs = Vec::new();
    for link in &mut robot.links {
        if link.inertia_from_shape || !link.inertia.iter().all(|x| x.is_finite()) || is_exact(&link.inertia) {
            continue;
        }
        let before = link.inertia;
        link.inertia = nearest(&before);
        let repair = Repair { link: name(link), before: entries(&before), after: entries(&link.inertia) };
        link.remarks.push(format!("inertia repaired, was {}", Entries(repair.before)));
        repairs.push(repair);
    }
    repairs
}

/// Names of the links whose inertias no body has and that would show in the motion.
pub(crate) fn impossible(robot: &Robot) -> Vec<String> {
    let pieces: Vec<Piece> = robot
        .links
        .iter()
        .map(|link| Piece {
            mass: link.mass,
            centre: link.centre,
            tensor: link.inertia,
            parent: link.joint.parent,
            pose: link.joint.placement,
            rigid: link.joint.motion == Motion::Fixed,
        })
        .collect();
    let verdicts = judge(&pieces);
    let wrong = robot.links.iter().zip(verdicts).filter(|(_, verdict)| *verdict == Verdict::Impossible);
    wrong.map(|(link, _)| name(link)).collect()
}

fn name(link: &Link) -> String {
    shown(link.name.original.as_deref().unwrap_or(&link.name.fallback)).to_string()
}

fn entries(tensor: &Mat3<f64>) -> [f64; 6] {
    [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|place| tensor[place])
}
