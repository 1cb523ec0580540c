//! Simple bodies that touch, and the laws of their contact.

use crate::bodies::{BoxShape, RoundShape, SphereShape};
use crate::quantity::{
    Length, LinearDamping, LinearStiffness, PerSpeed, Quantity, Ratio, Stiffness, Velocity,
};
use gelenk_file::document::{Node, Value};
use gelenk_file::read::{Definitions, Read, Reader, Text};
use gelenk_file::role::Role;
use gelenk_file::table::unknown_word;
use gelenk_file::visit::Visitor;
use gelenk_file::{choice, one_of, table};
use serde_json::{Value as Json, json};

/// A simple body: a word, or a table with its sizes.
#[derive(Clone, PartialEq, Debug)]
pub enum SimpleShape {
    /// One without a size.
    Sizeless(Sizeless),
    /// One with sizes.
    Solid(Box<Solid>),
}

choice! {
    /// A simple body without a size.
    pub enum Sizeless {
        /// The origin of its frame.
        Point = "point",
        /// Everything below the plane z = 0 of its frame.
        Plane = "plane",
    }
}

one_of! {
    /// A simple body about the origin of its frame.
    pub enum Solid {
        /// A sphere.
        Sphere(SphereShape) = "sphere",
        /// A cylinder along z with half spheres at its ends.
        Capsule(RoundShape) = "capsule",
        /// A box.
        Box(BoxShape) = "box",
    }
}

impl Read for SimpleShape {
    const EXPECTED: &'static str =
        "\"point\", \"plane\", or a table with the sizes of a sphere, capsule or box";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Table(_) => Solid::read(node, reader).map(|solid| Self::Solid(Box::new(solid))),
            Value::String { text, .. } => {
                let text = Text { text: text.clone(), span: node.span };
                match text.text.as_str() {
                    "point" => Some(Self::Sizeless(Sizeless::Point)),
                    "plane" => Some(Self::Sizeless(Sizeless::Plane)),
                    _ => {
                        unknown_word(&text, Sizeless::WORDS, reader);
                        None
                    }
                }
            }
            _ => {
                reader.wrong_type(node, Self::EXPECTED);
                None
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [Sizeless::schema(definitions), Solid::schema(definitions)] })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        match self {
            Self::Sizeless(word) => word.walk(role, visitor),
            Self::Solid(solid) => solid.walk(role, visitor),
        }
    }
}

one_of! {
    /// Force at each contact point of simple bodies, from the depth d and its rate v; it never pulls.
    pub enum SpotLaw {
        /// K d.
        Linear(LinearLaw) = "linear",
        /// K d + D v.
        KelvinVoigt(KelvinVoigtLaw) = "kelvin-voigt",
        /// K d^1.5.
        Hertz(HertzLaw) = "hertz",
        /// K d^n (1 + 1.5 alpha v).
        HuntCrossley(HuntCrossleyLaw) = "hunt-crossley",
        /// K d^n (1 + 0.75 (1 - e^2) v/v_0), v_0 at first contact.
        LankaraniNikravesh(LankaraniNikraveshLaw) = "lankarani-nikravesh",
    }
}

table! {
    /// A one-sided spring.
    pub struct LinearLaw {
        /// Stiffness K at each contact point.
        stiffness: required Quantity<LinearStiffness>,
    }
}

table! {
    /// A one-sided spring with a damper in parallel.
    pub struct KelvinVoigtLaw {
        /// Stiffness K at each contact point.
        stiffness: required Quantity<LinearStiffness>,
        /// Damping D.
        damping: required Quantity<LinearDamping>,
        /// Depth at which the damping reaches its full value; with 0 it acts in full at once.
        depth: default Quantity<Length> = "0",
    }
}

table! {
    /// Hertz's law without loss.
    pub struct HertzLaw {
        /// Stiffness K in N/m^1.5; by default from the materials and the radii.
        stiffness: optional Quantity<Stiffness>,
    }
}

table! {
    /// A loss that grows with the depth.
    pub struct HuntCrossleyLaw {
        /// Stiffness K in N/m^n; by default from the materials and the radii.
        stiffness: optional Quantity<Stiffness>,
        /// Exponent n of the depth, at least 1.
        exponent: default Quantity<Ratio> = "1.5",
        /// Dissipation alpha: at small speeds the restitution is 1 - alpha v.
        dissipation: required Quantity<PerSpeed>,
    }
}

table! {
    /// A loss by the restitution.
    pub struct LankaraniNikraveshLaw {
        /// Stiffness K in N/m^n; by default from the materials and the radii.
        stiffness: optional Quantity<Stiffness>,
        /// Exponent n of the depth, at least 1.
        exponent: default Quantity<Ratio> = "1.5",
        /// Restitution e, 0 to 1.
        restitution: required Quantity<Ratio>,
        /// Lower bound of the speed v_0, so that slow contacts do not stick.
        slowest: default Quantity<Velocity> = "\"1 cm/s\"",
    }
}

impl SpotLaw {
    /// Whether the stiffness is Hertz's of the materials.
    pub fn needs_materials(&self) -> bool {
        match self {
            Self::Linear(_) | Self::KelvinVoigt(_) => false,
            Self::Hertz(law) => law.stiffness.is_none(),
            Self::HuntCrossley(law) => law.stiffness.is_none(),
            Self::LankaraniNikravesh(law) => law.stiffness.is_none(),
        }
    }
}
