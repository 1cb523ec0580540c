//! Stops of joints in files: of a coordinate by a range, of a ball joint by swing and twist.

use crate::model_file::Stop;
use crate::quantity::{Damping, Displacement, Limit, Limits, Quantity, Rate, Ratio, Stiffness, Vec3};
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Read, Reader};
use gelenk_file::role::Role;
use gelenk_file::source::Span;
use gelenk_file::visit::Visitor;
use gelenk_file::{choice, table};
use serde_json::{Value as Json, json};

table! {
    /// An elastic stop of a ball joint without coordinates: of the angle between an axis and its image (swing), and of
    /// the turn about it (twist).
    pub struct BallStop {
        /// Largest swing; none where it is left out.
        swing: default Quantity<Limit> = "inf",
        /// Lowest and highest twist, within half a turn; an infinite one is absent.
        twist: default Limits = "[-inf, inf]",
        /// Axis of the twist in the joint frame, of any length but zero.
        axis: default Vec3<Ratio> = "[0, 0, 1]" => axial,
        /// Stiffness beyond the limit.
        stiffness: required Quantity<Stiffness>,
        /// Exponent of the penetration in the elastic moment, at least 1.
        exponent: default Quantity<Ratio> = "1",
        /// Damping beyond the limit.
        damping: default Quantity<Damping> = "0",
        /// Penetration at which the damping is fully there; 0 damps fully at once.
        depth: default Quantity<Displacement> = "0",
        /// Whether the stop is kept from pulling on rebound.
        clamp: default bool = "true",
    }
}

choice! {
    /// What a restitution is the ratio of.
    pub enum Restitution {
        /// Velocities after and before an impact.
        Newton = "newton",
        /// Impulses of expansion and of compression.
        Poisson = "poisson",
    }
}

table! {
    /// Stops at both ends of a range by impulses: a rebound without duration, and rest.
    pub struct ImpulseStop {
        /// Lower and upper limit; an infinite one is absent.
        range: required Limits,
        /// Restitution: 0 keeps nothing of the speed, 1 all of it.
        restitution: required Quantity<Ratio>,
        /// What the restitution is the ratio of.
        law: default Restitution = "\"newton\"",
        /// Speed of a rebound that ends in rest.
        rest: default Quantity<Rate> = "1e-10",
    }
}

/// The stop of a coordinate.
#[derive(Clone, PartialEq, Debug)]
pub enum RangeStop {
    /// With a stiffness.
    Elastic(Box<Stop>),
    /// By impulses.
    Impulse(Box<ImpulseStop>),
}

impl RangeStop {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Self::Elastic(stop) => stop.span,
            Self::Impulse(stop) => stop.span,
        }
    }

    /// Lower and upper limit.
    pub fn range(&self) -> &Limits {
        match self {
            Self::Elastic(stop) => &stop.range,
            Self::Impulse(stop) => &stop.range,
        }
    }
}

impl Read for RangeStop {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if node.get("restitution").is_some() {
            ImpulseStop::read(node, reader).map(|stop| Self::Impulse(Box::new(stop)))
        } else {
            Stop::read(node, reader).map(|stop| Self::Elastic(Box::new(stop)))
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [Stop::schema(definitions), ImpulseStop::schema(definitions)] })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        match self {
            Self::Elastic(stop) => stop.walk(role, visitor),
            Self::Impulse(stop) => stop.walk(role, visitor),
        }
    }
}

/// The stop of a joint.
#[derive(Clone, PartialEq, Debug)]
pub enum JointStop {
    /// Of its coordinate.
    Range(Box<RangeStop>),
    /// Of a ball joint.
    Ball(Box<BallStop>),
}

impl JointStop {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Self::Range(stop) => stop.span(),
            Self::Ball(stop) => stop.span,
        }
    }

    /// The stop of a coordinate.
    pub fn range(&self) -> Option<&RangeStop> {
        match self {
            Self::Range(stop) => Some(stop),
            Self::Ball(_) => None,
        }
    }

    /// The stop of a ball joint.
    pub fn ball(&self) -> Option<&BallStop> {
        match self {
            Self::Range(_) => None,
            Self::Ball(stop) => Some(stop),
        }
    }
}

impl Read for JointStop {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if node.get("swing").is_some() || node.get("twist").is_some() {
            BallStop::read(node, reader).map(|stop| Self::Ball(Box::new(stop)))
        } else {
            RangeStop::read(node, reader).map(|stop| Self::Range(Box::new(stop)))
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [RangeStop::schema(definitions), BallStop::schema(definitions)] })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        match self {
            Self::Range(stop) => stop.walk(role, visitor),
            Self::Ball(stop) => stop.walk(role, visitor),
        }
    }
}
