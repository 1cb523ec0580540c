//! Drives of joints, and couplings of joints by fixed tendons.

use crate::names::Name;
use crate::robot::{Motion, Robot};

/// What a drive acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// The joint of a link.
    Joint(usize),
    /// A fixed tendon.
    Tendon(usize),
}

/// What the command of a drive is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Effort,
    Position,
    Velocity,
}

/// A drive: with the length `l` and the rate `v` of its target times the gear ratio, and the command `u` within its range,
/// the effort is `f = (g0 + g1 l + g2 v) u + b0 + b1 l + b2 v` within its own range, and the target gets the ratio times it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Drive {
    pub(crate) name: Name,
    /// Its tables on further coordinates.
    pub(crate) others: Vec<Name>,
    /// The parameter with its command.
    pub(crate) command: Name,
    /// The signal with its effort, where it acts on several coordinates.
    pub(crate) effort: Name,
    pub(crate) target: Target,
    pub(crate) kind: Command,
    pub(crate) gear: f64,
    pub(crate) gain: [f64; 3],
    pub(crate) bias: [f64; 3],
    pub(crate) command_range: Option<[f64; 2]>,
    pub(crate) effort_range: Option<[f64; 2]>,
    /// Range of what the joint gets.
    pub(crate) joint_range: Option<[f64; 2]>,
    /// Speed of the joint at which the drive can give nothing more.
    pub(crate) fastest: Option<f64>,
    /// The command at the start.
    pub(crate) value: f64,
}

impl Drive {
    /// A drive of a joint whose effort is its command.
    pub(crate) fn effort(name: &str, link: usize) -> Self {
        Self {
            name: Name::new(None, format!("{name}_drive")),
            others: Vec::new(),
            command: Name::new(None, format!("{name}_command")),
            effort: Name::new(None, format!("{name}_effort")),
            target: Target::Joint(link),
            kind: Command::Effort,
            gear: 1.0,
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            command_range: None,
            effort_range: None,
            joint_range: None,
            fastest: None,
            value: 0.0,
        }
    }

    /// Its numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        let ranges =
            [self.command_range, self.effort_range, self.joint_range].into_iter().flatten().flatten();
        let numbers = self.gain.into_iter().chain(self.bias).chain([self.gear, self.value]);
        numbers.chain(ranges).chain(self.fastest)
    }
}

/// A weighted sum of joint displacements with what acts along it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tendon {
    pub(crate) name: String,
    /// Links whose joints it runs over, each with its coefficient.
    pub(crate) joints: Vec<(usize, f64)>,
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    /// Lengths between which its spring is slack; the length in the pose of the file where none is given.
    pub(crate) slack: Option<[f64; 2]>,
}

impl Tendon {
    /// Its length in the pose of the file.
    pub(crate) fn length(&self, robot: &Robot) -> f64 {
        let reference = |link: usize| robot.links.get(link).map_or(0.0, |link| link.joint.reference);
        self.joints.iter().map(|&(link, factor)| factor * reference(link)).sum()
    }

    /// Whether all its joints slide, so that its length is one.
    pub(crate) fn is_length(&self, robot: &Robot) -> bool {
        let slides = |link: usize| robot.links.get(link).is_some_and(|l| l.joint.motion == Motion::Prismatic);
        self.joints.iter().all(|&(link, _)| slides(link))
    }
}

/// The length of a tendon, from that in the pose of the file on, as a polynomial of another's.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TendonEquality {
    pub(crate) name: Name,
    pub(crate) tendon: usize,
    pub(crate) other: Option<usize>,
    pub(crate) coefficients: Vec<f64>,
}

/// Gives the links their new numbers; `place` says where each link is afterwards.
pub(crate) fn renumber(robot: &mut Robot, place: &dyn Fn(usize) -> Option<usize>) {
    for drive in &mut robot.drives {
        if let Target::Joint(link) = &mut drive.target {
            *link = place(*link).unwrap_or(*link);
        }
    }
    for (link, _) in robot.tendons.iter_mut().flat_map(|tendon| &mut tendon.joints) {
        *link = place(*link).unwrap_or(*link);
    }
}

/// Takes out drives that move nothing, since their joints are held by others.
pub(crate) fn settle(robot: &mut Robot, wanted: bool) {
    let drives = std::mem::take(&mut robot.drives);
    for drive in drives {
        let moves = |link: usize| {
            let joint = robot.links.get(link).map(|link| &link.joint);
            joint.is_some_and(|j| j.is_scalar() && j.coupling.as_ref().is_none_or(|c| c.master.is_some()))
        };
        let moved = match drive.target {
            Target::Joint(link) => moves(link),
            Target::Tendon(tendon) => {
                robot.tendons.get(tendon).is_some_and(|t| t.joints.iter().any(|&(link, _)| moves(link)))
            }
        };
        let name = drive.name.original.as_deref().unwrap_or(&drive.name.fallback);
        let mut drive = drive.clone();
        if let Target::Tendon(tendon) = drive.target {
            let count = robot.tendons.get(tendon).map_or(0, |tendon| tendon.joints.len());
            drive.others = (1..count).map(|i| Name::new(None, format!("{name}_{}", i + 1))).collect();
        }
        if !wanted {
            robot.left_out.add("drives", name);
        } else if !moved {
            robot.left_out.add("drives of fixed or locked joints", name);
        } else {
            robot.drives.push(drive);
        }
    }
}
