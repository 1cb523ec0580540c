//! Tables of what acts on the mechanism: drives with their commands, gravity compensation, damping of ball and free joints,
//! couplings by tendons.

use super::{body_name, given, pose, remark, vector};
use crate::drives::{Command, Drive, Target};
use crate::formulas;
use crate::robot::{Motion, Robot};
use gelenk_file::draft::{Section, number};
use gelenk_math::spatial::Vec3;

/// The parameters that hold the commands of the drives.
pub(super) fn commands(robot: &Robot) -> Option<Section> {
    let mut table = Section::new(&["parameters"]);
    for drive in robot.drives.iter().filter(|drive| is_commanded(drive)) {
        let is_length = match drive.target {
            Target::Joint(link) => robot.links.get(link).is_some_and(|l| l.joint.motion == Motion::Prismatic),
            Target::Tendon(tendon) => robot.tendons.get(tendon).is_some_and(|t| t.is_length(robot)),
        };
        let unit = match (drive.kind, is_length) {
            (Command::Effort, false) => "N m",
            (Command::Effort, true) => "N",
            (Command::Position, false) => "rad",
            (Command::Position, true) => "m",
            (Command::Velocity, false) => "rad/s",
            (Command::Velocity, true) => "m/s",
        };
        table.key(&drive.command.chosen, format!("{} {unit}", number(drive.value)).as_str());
    }
    (!table.is_empty()).then_some(table)
}

/// Whether its command moves anything.
fn is_commanded(drive: &Drive) -> bool {
    drive.gain.iter().any(|gain| *gain != 0.0)
}

/// Signals and drives.
pub(super) fn drives(robot: &Robot) -> Vec<Section> {
    let mut tables = Vec::new();
    for drive in &robot.drives {
        let (signal, efforts) = formulas::drive(robot, drive);
        if let Some(signal) = signal {
            let mut table = Section::new(&["signals", &drive.effort.chosen]);
            table.key("value", signal.as_str());
            tables.push(table);
        }
        for (i, effort) in efforts.iter().enumerate() {
            let name = i.checked_sub(1).and_then(|i| drive.others.get(i)).unwrap_or(&drive.name);
            let mut table = Section::new(&["drives", &name.chosen]);
            remark(&mut table, drive.name.remark());
            table.key("on", effort.coordinate.as_str());
            table.key("effort", effort.expression.as_str());
            tables.push(table);
        }
    }
    tables
}

/// Forces at centres of mass that carry part of the weight.
pub(super) fn compensations(robot: &Robot) -> Vec<Section> {
    let mut tables = Vec::new();
    for link in &robot.links {
        let force = -robot.gravity * (link.mass * link.gravity_compensation);
        if force == Vec3::zeros() {
            continue;
        }
        let body = link.name.chosen.as_str();
        let frame = link.centre_frame.chosen.as_str();
        let at_origin = link.centre == Vec3::zeros();
        if !at_origin {
            let mut table = Section::new(&["frames", frame]);
            table.remark(format!("centre of mass of {body}"));
            table.key("body", body);
            given(&mut table, "position", &link.centre, &Vec3::zeros());
            tables.push(table);
        }
        let mut table = Section::new(&["forces", &format!("{body}_gravity_compensation")]);
        table.key("on", if at_origin { body } else { frame });
        table.key("force", vector(&force));
        tables.push(table);
    }
    tables
}

/// Damping of ball and free joints, and springs of ball joints.
pub(super) fn loose_joints(robot: &Robot) -> Vec<Section> {
    let mut tables = Vec::new();
    for link in &robot.links {
        let joint = &link.joint;
        let free = match joint.motion {
            Motion::Ball => false,
            Motion::Free => true,
            _ => continue,
        };
        if joint.damping == 0.0 && joint.stiffness == 0.0 {
            continue;
        }
        let frame = joint.frame.chosen.as_str();
        let mut table = Section::new(&["frames", frame]);
        table.remark(format!("of the joint {}", joint.name.chosen));
        table.key("body", body_name(robot, joint.parent));
        pose(&mut table, &joint.placement);
        tables.push(table);
        let same = |x: f64| vector(&Vec3::new(x, x, x));
        let mut table = Section::new(&["bushings", &format!("{}_damping", joint.name.chosen)]);
        table.key("between", vec![frame.into(), link.name.chosen.as_str().into()]);
        table.key("stiffness", same(0.0));
        table.key("torsion", same(joint.stiffness));
        if joint.damping != 0.0 {
            if free {
                table.key("damping", same(joint.damping));
            }
            table.key("torsion_damping", same(joint.damping));
        }
        tables.push(table);
    }
    tables
}

/// Equalities between tendons.
pub(super) fn couplings(robot: &Robot) -> Vec<Section> {
    let mut tables = Vec::new();
    for equality in &robot.equalities {
        let Some(equation) = formulas::equation(robot, equality) else { continue };
        let mut table = Section::new(&["loops", &equality.name.chosen]);
        remark(&mut table, equality.name.remark());
        table.key("type", "coupling");
        table.key("equation", equation.as_str());
        tables.push(table);
    }
    tables
}
