//! What the parts of a blueprint refer to: every id in it, with the part that has it.

use super::ids::Reference;
use super::{Blueprint, BodyRef, JointMotion, LoopKind, NormalForce, Scalar, SignalKind};
use crate::build::BuildError;
use crate::elements::Attachment;

impl BodyRef {
    fn reference(self) -> Option<Reference> {
        match self {
            Self::Ground => None,
            Self::Body(body) => Some(body.reference()),
            Self::Frame(frame) => Some(frame.reference()),
        }
    }
}

impl JointMotion {
    /// The scalars that the joint moves by.
    pub(crate) fn scalars(&self) -> Vec<&Scalar> {
        match self {
            Self::Revolute { value, .. } | Self::Prismatic { value, .. } => vec![value],
            Self::General { translation, rotation, .. } => translation.iter().chain(rotation).collect(),
            Self::Fixed | Self::Ball { .. } | Self::Free { .. } => Vec::new(),
        }
    }
}

impl Attachment {
    fn references(&self) -> impl Iterator<Item = Reference> {
        let own = match *self {
            Self::Coordinate(coordinate) => Some(coordinate.reference()),
            Self::Ball(joint) => Some(joint.reference()),
            _ => None,
        };
        own.into_iter().chain(self.frames().map(|frame| frame.reference()))
    }
}

impl Blueprint {
    /// Shows every id with the part that has it.
    pub(crate) fn references(&self, see: &mut dyn FnMut(&str, Reference)) {
        for frame in &self.frames {
            frame.body.reference().into_iter().for_each(|id| see(&format!("frame {}", frame.name), id));
        }
        for joint in &self.joints {
            let place = format!("joint {}", joint.name);
            see(&place, joint.child.reference());
            joint.parent.reference().into_iter().for_each(|id| see(&place, id));
            for scalar in joint.motion.scalars() {
                if let Scalar::Coordinate(coordinate) | Scalar::Reverse(coordinate) = scalar {
                    see(&place, coordinate.reference());
                }
            }
        }
        for closure in &self.loops {
            let place = format!("loop {}", closure.name);
            closure.kind.between().into_iter().flatten().for_each(|frame| see(&place, frame.reference()));
        }
        for element in &self.elements {
            element.on.references().for_each(|id| see(&element.name, id));
        }
        for factor in &self.factors {
            see("factors", factor.element.reference());
        }
        for normal in &self.normals {
            see("normals", normal.element.reference());
            match normal.force {
                NormalForce::Given(_) => {}
                NormalForce::Contact(contact) => see("normals", contact.reference()),
                NormalForce::Joint { joint, .. } => see("normals", joint.reference()),
                NormalForce::Loop { closure, .. } => see("normals", closure.reference()),
            }
        }
        for signal in &self.signals {
            let place = format!("signal {}", signal.name);
            match signal.kind {
                SignalKind::Measure(between, _) | SignalKind::Reversed(between, _) => {
                    between.into_iter().for_each(|frame| see(&place, frame.reference()));
                }
                SignalKind::BlockOutput { signal, .. } => see(&place, signal.reference()),
                _ => {}
            }
        }
        for joint in &self.replaced {
            let place = format!("joint {}", joint.name);
            see(&place, joint.body.reference());
            joint.loops.iter().for_each(|closure| see(&place, closure.reference()));
            joint.elements.iter().for_each(|element| see(&place, element.reference()));
        }
    }

    /// Refuses ids of what does not exist.
    pub(crate) fn check_references(&self) -> Result<(), BuildError> {
        let mut missing = None;
        self.references(&mut |place, id| {
            if id.index >= (id.count)(self) {
                let (place, what, index) = (place.to_owned(), id.what, id.index);
                missing.get_or_insert(BuildError::Index { place, what, index });
            }
        });
        missing.map_or(Ok(()), Err)
    }
}

impl LoopKind {
    /// The frames that the constraint is between; none for a coupling.
    pub fn between(&self) -> Option<[super::FrameId; 2]> {
        match *self {
            Self::Point(between)
            | Self::Parallel(between)
            | Self::Perpendicular(between)
            | Self::Orientation(between)
            | Self::Distance(between, _)
            | Self::Plane(between)
            | Self::Ellipsoid(between, _)
            | Self::Rigid(between)
            | Self::Revolute(between)
            | Self::Cylindrical(between)
            | Self::Prismatic(between)
            | Self::Universal(between) => Some(between),
            Self::Coupling(_) => None,
        }
    }
}
