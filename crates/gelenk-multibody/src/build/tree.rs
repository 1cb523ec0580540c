//! Joints lowered to links, and the matrix `F` between coordinates and tree velocities.

use gelenk_system::Param;

use super::BuildError;
use super::names::Names;
use crate::blueprint::{Blueprint, BodyRef, Joint, JointMotion, Scalar};
use crate::mechanism::{Axis, Link, LinkKind, MassInfo, Shift, Source, Spin, SpinStart};

/// The body that carries what stands on `on`, and the constant pose from that body to `on`.
pub(super) fn mount(blueprint: &Blueprint, on: BodyRef) -> (BodyRef, Vec<Shift>) {
    let (mut body, mut poses) = (on, Vec::new());
    // A chain longer than there are frames would be a cycle, which `check_frames` refuses.
    while let (BodyRef::Frame(index), true) = (body, poses.len() <= blueprint.frames.len()) {
        let Some(frame) = blueprint.frames.get(index.index()) else { return (BodyRef::Ground, Vec::new()) };
        poses.push([Shift::Position(frame.position), Shift::Cardan(frame.orientation)]);
        body = frame.body;
    }
    (body, poses.into_iter().rev().flatten().collect())
}

/// Refuses frames that stand on each other.
fn check_frames(blueprint: &Blueprint) -> Result<(), BuildError> {
    let frames = &blueprint.frames;
    for frame in frames {
        let place = format!("frame {}", frame.name);
        let (mut body, mut passed) = (frame.body, 0);
        while let BodyRef::Frame(next) = body {
            passed += 1;
            if passed > frames.len() {
                let message = format!(
                    "{place} is attached to itself through other frames; attach one of them to a body"
                );
                return Err(BuildError::Tree { message });
            }
            body = frames[next].body;
        }
    }
    Ok(())
}

/// Joints so that every parent stands before its children; also checks that they make a tree. All ids exist.
pub(super) fn link_order(blueprint: &Blueprint) -> Result<Vec<usize>, BuildError> {
    let bodies = &blueprint.bodies;
    check_frames(blueprint)?;
    let mut carried = vec![None; bodies.len()];
    for (i, joint) in blueprint.joints.iter().enumerate() {
        if let Some(first) = carried[joint.child.index()].replace(i) {
            let first: &Joint = &blueprint.joints[first];
            let message = format!(
                "body {} is the child of joints {} and {}; close the second connection with a loop",
                bodies[joint.child].name, first.name, joint.name
            );
            return Err(BuildError::Tree { message });
        }
    }
    let mut order = Vec::with_capacity(blueprint.joints.len());
    let mut placed = vec![false; bodies.len()];
    while order.len() < blueprint.joints.len() {
        let before = order.len();
        for (i, joint) in blueprint.joints.iter().enumerate() {
            let ready = match mount(blueprint, joint.parent).0 {
                BodyRef::Body(parent) => placed[parent.index()],
                BodyRef::Ground | BodyRef::Frame(_) => true,
            };
            if ready && !placed[joint.child.index()] {
                placed[joint.child.index()] = true;
                order.push(i);
            }
        }
        if order.len() == before {
            break;
        }
    }
    if let Some(lost) = placed.iter().position(|p| !p) {
        let message = match carried[lost] {
            None => format!(
                "body {} is not the child of any joint; connect it to ground or another body",
                bodies[lost].name
            ),
            Some(_) => {
                format!("body {} is not connected to ground: its joints form a cycle", bodies[lost].name)
            }
        };
        return Err(BuildError::Tree { message });
    }
    Ok(order)
}

/// Whether a joint has a quaternion, and if so, whether it also translates.
pub(super) fn spins(joint: &Joint) -> Option<bool> {
    match joint.motion {
        JointMotion::Ball { .. } => Some(false),
        JointMotion::Free { .. } => Some(true),
        _ => None,
    }
}

/// Links and the matrix `F` while they are built.
pub(super) struct Tree {
    pub(super) nq: usize,
    pub(super) nv: usize,
    pub(super) nu: usize,
    pub(super) links: Vec<Link>,
    /// Link of each body.
    place: Vec<Option<usize>>,
    pub(super) spins: Vec<Spin>,
    pub(super) rows: Vec<std::ops::Range<usize>>,
    pub(super) columns: Vec<usize>,
    pub(super) rheonomic: bool,
}

impl Tree {
    /// Whether every velocity is one tree velocity, and every other tree velocity prescribed.
    pub(super) fn is_direct(&self) -> bool {
        // The first entry of a row is its own; free joints have more, which they undo themselves.
        let mut uses = vec![0; self.nv];
        for row in self.rows.iter().filter(|row| !row.is_empty()) {
            uses[self.columns[row.start]] += 1;
        }
        let plain = self.links.iter().all(|link| match &link.kind {
            LinkKind::Revolute { source: Source::Function(function), .. }
            | LinkKind::Prismatic { source: Source::Function(function), .. } => function.first.is_empty(),
            _ => true,
        });
        plain && uses.iter().all(|&n| n == 1)
    }

    pub(super) fn new(coordinates: usize, bodies: usize) -> Self {
        Self {
            nq: coordinates,
            nv: coordinates,
            nu: 0,
            links: Vec::new(),
            place: vec![None; bodies],
            spins: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            rheonomic: false,
        }
    }

    pub(super) fn link_of(&self, body: BodyRef) -> Option<usize> {
        match body {
            BodyRef::Ground | BodyRef::Frame(_) => None,
            BodyRef::Body(b) => self.place.get(b.index()).copied().flatten(),
        }
    }

    /// Lowers a joint to links of one freedom each, or to one with a quaternion; the last one carries the body.
    pub(super) fn push(
        &mut self,
        blueprint: &Blueprint,
        joint: &Joint,
        names: &Names,
    ) -> Result<(), BuildError> {
        let (body, mut shifts) = mount(blueprint, joint.parent);
        shifts.extend([Shift::Position(joint.position), Shift::Cardan(joint.orientation)]);
        let mut chain = Chain { parent: self.link_of(body), shifts };
        match &joint.motion {
            JointMotion::Fixed => self.link(&mut chain, joint, LinkKind::Fixed, 0),
            JointMotion::Revolute { axis, value } => {
                self.turn(&mut chain, blueprint, joint, axis, value, names)?
            }
            JointMotion::Prismatic { axis, value } => {
                self.slide(&mut chain, blueprint, joint, Axis::Given(*axis), value, names)?;
            }
            JointMotion::General { translation, axes, rotation } => {
                for (axis, value) in translation.iter().enumerate() {
                    self.slide(&mut chain, blueprint, joint, Axis::Unit(axis), value, names)?;
                }
                for (axis, value) in axes.iter().zip(rotation) {
                    self.turn(&mut chain, blueprint, joint, axis, value, names)?;
                }
            }
            JointMotion::Ball { orientation, angular_velocity } => {
                let start = SpinStart {
                    orientation: *orientation,
                    angular_velocity: *angular_velocity,
                    origin: None,
                };
                let spin = Spin { q: self.nq, v: self.nv, origin: None, link: self.links.len() };
                self.spin(&mut chain, joint, spin, LinkKind::Ball { spin, start }, (4, 3));
            }
            JointMotion::Free { position, orientation, angular_velocity, velocity } => {
                let origin = Some((*position, *velocity));
                let start =
                    SpinStart { orientation: *orientation, angular_velocity: *angular_velocity, origin };
                let origin = Some((self.nq, self.nv + 3));
                let spin = Spin { q: self.nq + 3, v: self.nv, origin, link: self.links.len() };
                self.spin(&mut chain, joint, spin, LinkKind::Free { spin, start }, (7, 6));
            }
        }
        // Constants behind the last freedom place the body's frame on the last link.
        if !chain.shifts.is_empty() {
            self.link(&mut chain, joint, LinkKind::Fixed, 0);
        }
        let body = &blueprint.bodies[joint.child];
        if let Some(link) = self.links.last_mut() {
            link.body = body.name.clone();
            link.inertia = Some(MassInfo { mass: body.mass, centre: body.centre, inertia: body.inertia });
        }
        self.place[joint.child.index()] = Some(self.links.len() - 1);
        Ok(())
    }

    /// Adds a link whose tree velocities are the last `freedoms` rows.
    fn link(&mut self, chain: &mut Chain, joint: &Joint, kind: LinkKind, freedoms: usize) {
        self.links.push(Link {
            joint: joint.name.clone(),
            body: String::new(),
            parent: chain.parent,
            placement: std::mem::take(&mut chain.shifts),
            kind,
            dofs: self.nu - freedoms..self.nu,
            inertia: None,
        });
        chain.parent = Some(self.links.len() - 1);
    }

    fn spin(
        &mut self,
        chain: &mut Chain,
        joint: &Joint,
        spin: Spin,
        kind: LinkKind,
        (nq, nv): (usize, usize),
    ) {
        for k in 0..3 {
            self.row([self.nv + k].into_iter());
        }
        // The velocity of the origin in the body frame, by the velocity of the centre in the joint frame and the turn.
        for k in 0..nv - 3 {
            let (l, m) = ((k + 1) % 3, (k + 2) % 3);
            let columns = [k + 3, l + 3, m + 3, l, m].map(|column| self.nv + column);
            self.row(columns.into_iter());
        }
        self.nq += nq;
        self.nv += nv;
        self.spins.push(spin);
        self.link(chain, joint, kind, nv);
    }

    fn turn(
        &mut self,
        chain: &mut Chain,
        blueprint: &Blueprint,
        joint: &Joint,
        axis: &[Param; 3],
        value: &Scalar,
        names: &Names,
    ) -> Result<(), BuildError> {
        if let Scalar::Constant(angle) = value {
            chain.shifts.push(Shift::Turn(*axis, *angle));
            return Ok(());
        }
        let source = self.source(blueprint, joint, value, names)?;
        self.link(chain, joint, LinkKind::Revolute { axis: Axis::Given(*axis), source }, 1);
        Ok(())
    }

    fn slide(
        &mut self,
        chain: &mut Chain,
        blueprint: &Blueprint,
        joint: &Joint,
        axis: Axis,
        value: &Scalar,
        names: &Names,
    ) -> Result<(), BuildError> {
        if let (Scalar::Constant(length), Axis::Unit(axis)) = (value, &axis) {
            chain.shifts.push(Shift::Along(*axis, *length));
            return Ok(());
        }
        let axis = match (value, axis) {
            (Scalar::Reverse(_), Axis::Unit(axis)) => Axis::Minus(axis),
            (_, axis) => axis,
        };
        let source = self.source(blueprint, joint, value, names)?;
        self.link(chain, joint, LinkKind::Prismatic { axis, source }, 1);
        Ok(())
    }

    fn row(&mut self, columns: impl Iterator<Item = usize>) {
        let start = self.columns.len();
        self.columns.extend(columns);
        self.rows.push(start..self.columns.len());
        self.nu += 1;
    }

    fn source(
        &mut self,
        blueprint: &Blueprint,
        joint: &Joint,
        value: &Scalar,
        names: &Names,
    ) -> Result<Source, BuildError> {
        let place = format!("joint {}", joint.name);
        match value {
            Scalar::Coordinate(a) | Scalar::Reverse(a) => {
                self.row([a.index()].into_iter());
                Ok(Source::Coordinate(a.index()))
            }
            Scalar::Constant(_) => {
                // Only a prismatic joint along a given axis comes here: it does not move, and says so by a name.
                Err(BuildError::Tree {
                    message: format!("{place} has a constant value; make it a fixed joint"),
                })
            }
            Scalar::Function(expression) => {
                let function = names.function(blueprint, &place, expression)?;
                self.row(function.first.iter().map(|(a, _)| *a));
                self.rheonomic |= function.time.is_some();
                Ok(Source::Function(Box::new(function)))
            }
        }
    }
}

/// A joint while it is lowered: the last link, and the constants since.
struct Chain {
    parent: Option<usize>,
    shifts: Vec<Shift>,
}
