//! Counts what a robot has, for the report of an import.

use crate::account::Listing;
use crate::robot::{Motion, Robot};

/// What the model has from the file, one entry for each kind.
pub(crate) fn count(robot: &Robot) -> Listing {
    let mut list = Listing::default();
    for link in robot.links.iter().filter(|link| link.mass != 0.0) {
        list.add("bodies with mass", link.name.wanted());
    }
    for link in robot.links.iter().filter(|link| link.mass == 0.0) {
        list.add("bodies without mass", link.name.wanted());
    }
    for kind in [
        (Motion::Fixed, "fixed joints"),
        (Motion::Revolute, "revolute joints"),
        (Motion::Prismatic, "prismatic joints"),
        (Motion::Ball, "ball joints"),
        (Motion::Free, "free joints"),
    ] {
        for link in robot.links.iter().filter(|link| link.joint.motion == kind.0) {
            list.add(kind.1, link.joint.name.wanted());
        }
    }
    for link in &robot.links {
        let joint = &link.joint;
        let name = joint.name.wanted();
        for (there, kind) in [
            (joint.coupling.is_some(), "joints that follow others"),
            (joint.damping != 0.0, "damping of joints"),
            (joint.dry_friction != 0.0, "dry friction of joints"),
            (joint.stiffness != 0.0, "springs of joints"),
            (joint.armature != 0.0 && joint.is_scalar(), "rotor inertias (armature)"),
        ] {
            if there {
                list.add(kind, name);
            }
        }
        if link.gravity_compensation != 0.0 {
            list.add("gravity compensation of bodies", link.name.wanted());
        }
    }
    for tendon in &robot.tendons {
        list.add("fixed tendons", &tendon.name);
    }
    for item in &robot.loops {
        list.add("loops", item.name.wanted());
    }
    for item in &robot.equalities {
        list.add("couplings by tendons", item.name.wanted());
    }
    for drive in &robot.drives {
        list.add("drives", drive.name.wanted());
    }
    for frame in &robot.frames {
        list.add("frames", frame.name.wanted());
    }
    for skin in &robot.skins {
        list.add("visuals", skin.name.wanted());
    }
    for collider in &robot.colliders {
        list.add("collision shapes", collider.name.wanted());
    }
    list
}
