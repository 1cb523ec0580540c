//! What URDF, SDF and MJCF have in common: links, joints, frames and loops.

use crate::account::Listing;
use crate::assets::Assets;
use crate::coupling::{self, Coupling};
use crate::drives::{self, Drive, Tendon, TendonEquality};
use crate::massless;
use crate::names::{self, Name};
use crate::primitives::Solid;
use crate::skins::{Collider, Skin};
use crate::stops::{self, Settling, Stop};
use crate::{Collide, Options};
use gelenk_math::spatial::{Mat3, Pose, Vec3};

/// A robot, ready to be written.
pub(crate) struct Robot {
    pub(crate) title: Option<String>,
    pub(crate) gravity: Vec3<f64>,
    /// Parents before children.
    pub(crate) links: Vec<Link>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) tendons: Vec<Tendon>,
    pub(crate) equalities: Vec<TendonEquality>,
    pub(crate) drives: Vec<Drive>,
    /// What was taken over otherwise than the file has it.
    pub(crate) changed: Listing,
    /// What has no counterpart.
    pub(crate) left_out: Listing,
    /// What is only seen.
    pub(crate) skins: Vec<Skin>,
    /// Collision shapes.
    pub(crate) colliders: Vec<Collider>,
    /// Pairs of links that do not collide with each other.
    pub(crate) excluded: Vec<[usize; 2]>,
    pub(crate) collide: Collide,
    pub(crate) assets: Assets,
    pub(crate) remarks: Vec<String>,
}

/// A body and the joint that carries it. The frame of the body is that of the joint.
pub(crate) struct Link {
    pub(crate) name: Name,
    pub(crate) mass: f64,
    /// Centre of mass in the body frame.
    pub(crate) centre: Vec3<f64>,
    /// About the centre of mass, in body axes.
    pub(crate) inertia: Mat3<f64>,
    pub(crate) shape: Option<Solid>,
    /// Whether the inertia is that of the shape and need not be said.
    pub(crate) inertia_from_shape: bool,
    /// Part of its weight that a force on its centre of mass carries.
    pub(crate) gravity_compensation: f64,
    /// The frame at its centre of mass, where something acts there.
    pub(crate) centre_frame: Name,
    /// Comments on the body.
    pub(crate) remarks: Vec<String>,
    pub(crate) joint: Joint,
}

/// How a link moves in its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Motion {
    Fixed,
    Revolute,
    Prismatic,
    Ball,
    Free,
}

pub(crate) struct Joint {
    pub(crate) name: Name,
    pub(crate) motion: Motion,
    /// Index of the parent link; the ground where there is none.
    pub(crate) parent: Option<usize>,
    /// The joint frame in the parent's frame, at the reference of the coordinate.
    pub(crate) placement: Pose<f64>,
    pub(crate) axis: Vec3<f64>,
    /// Value of the coordinate in the pose of the file.
    pub(crate) reference: f64,
    /// Where the coordinate starts if not at the reference, and its rate.
    pub(crate) start_value: Option<f64>,
    pub(crate) start_rate: f64,
    /// Pose of a free or ball joint in the joint frame at the start, and its velocity in body axes: angular, then linear.
    pub(crate) start: Pose<f64>,
    pub(crate) start_velocity: [Vec3<f64>; 2],
    pub(crate) coupling: Option<Coupling>,
    pub(crate) damping: f64,
    /// Level of dry friction.
    pub(crate) dry_friction: f64,
    pub(crate) stiffness: f64,
    /// Value of the coordinate at which the spring is relaxed.
    pub(crate) rest: f64,
    pub(crate) range: Option<[f64; 2]>,
    /// Range of what all drives of the joint may give together.
    pub(crate) effort_range: Option<[f64; 2]>,
    /// How the file itself wants its limits to settle.
    pub(crate) settling: Option<Settling>,
    /// Inertia of a rotor that turns with the coordinate.
    pub(crate) armature: f64,
    pub(crate) stop: Option<Stop>,
    pub(crate) rotor: Option<Rotor>,
    /// The joint frame on the parent, where something acts between it and the child.
    pub(crate) frame: Name,
}

/// Names of the body and the joint that stand for the armature of a joint that follows others.
pub(crate) struct Rotor {
    pub(crate) body: Name,
    pub(crate) joint: Name,
}

/// A frame on a link, or on the ground.
pub(crate) struct Frame {
    pub(crate) name: Name,
    pub(crate) body: Option<usize>,
    pub(crate) pose: Pose<f64>,
    pub(crate) remark: Option<&'static str>,
}

/// Two frames that stay together.
pub(crate) struct Loop {
    pub(crate) name: Name,
    /// "point" for their origins, "rigid" for their axes as well.
    pub(crate) kind: &'static str,
    pub(crate) between: [usize; 2],
}

impl Robot {
    pub(crate) fn new(title: Option<&str>) -> Self {
        Self {
            title: title.filter(|title| !title.is_empty()).map(str::to_owned),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            links: Vec::new(),
            frames: Vec::new(),
            loops: Vec::new(),
            tendons: Vec::new(),
            equalities: Vec::new(),
            drives: Vec::new(),
            changed: Listing::default(),
            left_out: Listing::default(),
            skins: Vec::new(),
            colliders: Vec::new(),
            excluded: Vec::new(),
            collide: Collide::None,
            assets: Assets::default(),
            remarks: Vec::new(),
        }
    }

    /// World poses of all links in the pose of the file.
    pub(crate) fn poses(&self) -> Vec<Pose<f64>> {
        let mut poses: Vec<Pose<f64>> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let parent = link.joint.parent.and_then(|parent| poses.get(parent).copied());
            let pose = parent.unwrap_or_else(Pose::identity) * link.joint.placement * link.joint.start;
            poses.push(pose);
        }
        poses
    }

    /// Whether all numbers are finite; products of those in a file may not be.
    pub(crate) fn is_finite(&self) -> bool {
        let pose = |pose: &Pose<f64>| pose.rotation.iter().chain(&pose.position).all(|x| x.is_finite());
        self.links.iter().all(|link| {
            let joint = &link.joint;
            let numbers = [
                link.mass,
                link.gravity_compensation,
                joint.reference,
                joint.start_value.unwrap_or(0.0),
                joint.start_rate,
                joint.damping,
                joint.dry_friction,
                joint.stiffness,
                joint.rest,
                joint.armature,
            ];
            let moving = joint.start_velocity.iter().flat_map(Vec3::iter).all(|x| x.is_finite());
            let stop = joint.stop.as_ref().is_none_or(|stop| stop.range.iter().all(|x| !x.is_nan()));
            let body = link.centre.iter().chain(&link.inertia).chain(&joint.axis).all(|x| x.is_finite());
            let shape = link.shape.as_ref().is_none_or(Solid::is_proper);
            body && shape
                && stop
                && moving
                && pose(&joint.placement)
                && pose(&joint.start)
                && numbers.iter().all(|x| x.is_finite())
        }) && self.frames.iter().all(|frame| pose(&frame.pose))
            && self.gravity.iter().all(|x| x.is_finite())
            && self.drives.iter().all(|drive| drive.numbers().all(|x| !x.is_nan()))
            && self.skins.iter().all(|skin| pose(&skin.pose) && skin.form.is_proper())
            && self.colliders.iter().all(|collider| pose(&collider.pose) && collider.form.is_proper())
    }

    /// Everything that does not depend on the format.
    pub(crate) fn finish(&mut self, options: &Options) {
        // What follows comes from the robot as a whole.
        self.left_out.nowhere();
        self.changed.nowhere();
        if !options.friction {
            self.omit_friction();
        }
        coupling::resolve(self);
        massless::lock(self, options.armature);
        self.leaves_to_frames();
        stops::add(self, options);
        self.add_rotors(options.armature);
        drives::settle(self, options.drives);
        self.choose_names();
    }

    /// A fixed link without mass and without children is only a frame.
    fn leaves_to_frames(&mut self) {
        let count = self.links.len();
        let mut has_children = vec![false; count];
        let mut leaf = vec![false; count];
        // Children stand behind their parents, so that one pass from the end finds chains of empty links.
        for (i, link) in self.links.iter().enumerate().rev() {
            let empty = link.mass == 0.0 && link.inertia.iter().all(|x| *x == 0.0) && link.shape.is_none();
            leaf[i] = link.joint.motion == Motion::Fixed && empty && !has_children[i];
            if let Some(parent) = link.joint.parent.filter(|_| !leaf[i]) {
                has_children[parent] = true;
            }
        }
        if !leaf.contains(&true) {
            return;
        }
        // Where each link is afterwards, and where its frame lies there.
        let mut place: Vec<(Option<usize>, Pose<f64>)> = Vec::with_capacity(count);
        let mut kept = Vec::new();
        let mut frames = Vec::new();
        for (i, mut link) in std::mem::take(&mut self.links).into_iter().enumerate() {
            let (body, base) = match link.joint.parent.and_then(|parent| place.get(parent).copied()) {
                Some((body, base)) => (body, base),
                None => (None, Pose::identity()),
            };
            if leaf[i] {
                let pose = base * link.joint.placement;
                place.push((body, pose));
                frames.push(Frame { name: link.name, body, pose, remark: Some("a link without mass") });
            } else {
                // Only leaves hang on leaves, so the parent of this link stayed.
                link.joint.parent = body;
                place.push((Some(kept.len()), Pose::identity()));
                kept.push(link);
            }
        }
        self.links = kept;
        drives::renumber(self, &|link| place.get(link)?.0);
        crate::collisions::renumber(self, &|link| place.get(link).copied());
        for frame in &mut self.frames {
            if let Some((body, base)) = frame.body.and_then(|body| place.get(body).copied()) {
                frame.body = body;
                frame.pose = base * frame.pose;
            }
        }
        self.frames.extend(frames);
        for link in &mut self.links {
            if let Some(coupling) = &mut link.joint.coupling {
                coupling.master = coupling.master.and_then(|master| place.get(master)?.0);
            }
        }
    }

    fn omit_friction(&mut self) {
        for link in &mut self.links {
            if std::mem::take(&mut link.joint.dry_friction) != 0.0 {
                self.left_out.add("dry friction of joints", link.joint.name.wanted());
            }
        }
    }

    fn add_rotors(&mut self, wanted: bool) {
        for link in &mut self.links {
            let joint = &mut link.joint;
            if joint.armature == 0.0 {
                continue;
            }
            let name = joint.name.original.as_deref().unwrap_or(&joint.name.fallback);
            match joint.motion {
                Motion::Revolute | Motion::Prismatic if wanted && joint.coupling.is_none() => {}
                Motion::Revolute | Motion::Prismatic if wanted => {
                    let fallback = format!("{name}_rotor");
                    joint.rotor =
                        Some(Rotor { body: Name::new(None, &*fallback), joint: Name::new(None, fallback) });
                }
                Motion::Revolute | Motion::Prismatic => {
                    self.left_out.add("rotor inertias (armature)", name);
                    joint.armature = 0.0;
                }
                _ => self.left_out.add("rotor inertias of ball and free joints (armature)", name),
            }
        }
        if self.links.iter().any(|link| link.joint.rotor.is_some()) {
            self.remarks.push(
                "Rotor inertias (armature) of joints that follow others are bodies without mass on the ground."
                    .to_owned(),
            );
        }
    }

    fn choose_names(&mut self) {
        let mut bodies: Vec<&mut Name> = Vec::new();
        let mut joints: Vec<&mut Name> = Vec::new();
        for link in &mut self.links {
            if link.gravity_compensation != 0.0 {
                link.centre_frame.fallback = format!("{}_centre", link.name.wanted());
                bodies.push(&mut link.centre_frame);
            }
            bodies.push(&mut link.name);
            if !link.joint.is_scalar() && (link.joint.damping != 0.0 || link.joint.stiffness != 0.0) {
                link.joint.frame.fallback = format!("{}_frame", link.joint.name.wanted());
                bodies.push(&mut link.joint.frame);
            }
            joints.push(&mut link.joint.name);
            if let Some(rotor) = &mut link.joint.rotor {
                bodies.push(&mut rotor.body);
                joints.push(&mut rotor.joint);
            }
        }
        bodies.extend(self.frames.iter_mut().map(|frame| &mut frame.name));
        for drive in &mut self.drives {
            joints.extend([&mut drive.name, &mut drive.command, &mut drive.effort]);
            joints.extend(&mut drive.others);
        }
        bodies.extend(self.colliders.iter_mut().map(|collider| &mut collider.name));
        names::choose(self.skins.iter_mut().map(|skin| &mut skin.name), "visual", &[]);
        names::choose(bodies.into_iter(), "body", &["ground"]);
        names::choose(joints.into_iter(), "joint", &names::reserved_in_expressions());
        let loops = self.loops.iter_mut().map(|item| &mut item.name);
        let equalities = self.equalities.iter_mut().map(|item| &mut item.name);
        names::choose(loops.chain(equalities), "loop", &[]);
    }
}

impl Link {
    /// A link without mass.
    pub(crate) fn new(name: Name, joint: Joint) -> Self {
        Self {
            name,
            mass: 0.0,
            centre: Vec3::zeros(),
            inertia: Mat3::zeros(),
            shape: None,
            inertia_from_shape: false,
            gravity_compensation: 0.0,
            centre_frame: Name::new(None, "centre"),
            remarks: Vec::new(),
            joint,
        }
    }
}

impl Joint {
    /// A joint along or about z without any force in it.
    pub(crate) fn new(name: Name, motion: Motion, parent: Option<usize>, placement: Pose<f64>) -> Self {
        Self {
            name,
            motion,
            parent,
            placement,
            axis: Vec3::z(),
            reference: 0.0,
            start_value: None,
            start_rate: 0.0,
            start: Pose::identity(),
            start_velocity: [Vec3::zeros(); 2],
            coupling: None,
            damping: 0.0,
            dry_friction: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            range: None,
            effort_range: None,
            settling: None,
            armature: 0.0,
            stop: None,
            rotor: None,
            frame: Name::new(None, "joint_frame"),
        }
    }

    /// Whether a coordinate moves it, or could.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.motion, Motion::Revolute | Motion::Prismatic)
    }
}

/// The inverse of a pose.
pub(crate) fn inverse(pose: &Pose<f64>) -> Pose<f64> {
    let rotation = pose.rotation.transpose();
    Pose::new(rotation, -(rotation * pose.position))
}
