//! The joints of a model file.

use crate::friction::FrictionLaw;
use crate::keyed::{JointStopKey, Keyed, SpringKey, StopKey};
use crate::model_file::ExactWord;
use crate::parts::Reflection;
use crate::quantity::{
    Angle, AngularVelocity, Displacement, Formula, Length, Number, Quantity, Rate, Ratio, RotorInertia, Vec3,
    Velocity,
};
use crate::sorts;
use gelenk_file::document::{Node, Value};
use gelenk_file::fields::Three;
use gelenk_file::read::{Definitions, Read, Reader, Spanned, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::role::Role;
use gelenk_file::source::Span;
use gelenk_file::visit::Visitor;
use gelenk_file::{choice, table};
use serde_json::{Value as Json, json};

choice! {
    /// How a joint lets its child move.
    pub enum JointType {
        /// Not at all.
        Fixed = "fixed",
        /// Rotation about an axis.
        Revolute = "revolute",
        /// Translation along an axis.
        Prismatic = "prismatic",
        /// About a point.
        Ball = "ball",
        /// Along and about z.
        Cylindrical = "cylindrical",
        /// About x, then about y.
        Universal = "universal",
        /// Along x and y, and about z.
        Planar = "planar",
        /// About z and along it, in proportion.
        Screw = "screw",
        /// Along x, y and z, then about three axes, each by an expression.
        General = "general",
        /// Freely.
        Free = "free",
    }
}

table! {
    /// A joint that carries a body.
    pub struct Joint {
        /// How the child moves.
        kind as "type": required Spanned<JointType>,
        /// The parent body, or "ground".
        parent: required Text => refers(sorts::CARRIER),
        /// The body that the joint carries.
        child: required Text => refers(sorts::CHILD),
        /// Origin of the joint frame in the parent frame.
        position: default Vec3<Length> = "[0, 0, 0]" => polar,
        /// Cardan x-y-z angles of the joint frame in the parent frame.
        orientation: default Vec3<Angle> = "[0, 0, 0]" => axial,
        /// Axis in the joint frame, of any length but zero.
        axis: default Vec3<Ratio> = "[0, 0, 1]" => by(Joint::axis_role),
        /// The coordinate that moves the joint: its name, or a table with settings; by default the joint's name.
        coordinate: optional JointCoordinate => names(sorts::COORDINATE),
        /// Instead of a coordinate: the joint's motion as an expression over coordinates, parameters and t.
        value: optional Formula,
        /// The coordinates of a joint with several: names, or tables with name and settings.
        coordinates: optional Spanned<Vec<JointCoordinate>> => names(sorts::COORDINATE),
        /// Axes of the successive rotations of a ball joint with coordinates; by default "xyz".
        sequence: optional Spanned<Sequence>,
        /// Length per revolution of a screw.
        lead: optional Quantity<Length>,
        /// What a general joint does: constants, coordinates or expressions.
        motion: optional GeneralMotion,
        /// Axes of the three rotations of a general joint; by default x, y and z.
        axes: optional Axes => axial,
        /// Initial state of a free joint, or of a ball joint without coordinates.
        start: optional FreeStart,
        /// Friction on the joint's coordinate.
        friction: optional FrictionLaw,
        /// Spring on the joint's coordinate.
        spring: optional Keyed<SpringKey>,
        /// Stop of the joint's coordinate, or of a ball joint by swing and twist.
        stop: optional Keyed<JointStopKey>,
    }
    beside {
        /// How the axes of the joint frame are reflected, in a mirrored part.
        reflection: Reflection,
    }
}

impl Joint {
    /// A slide goes along its axis, all others turn about it.
    fn axis_role(&self) -> Role {
        match self.kind.value {
            JointType::Prismatic => Role::Polar,
            _ => Role::Axial,
        }
    }
}

/// The coordinate of a joint.
#[derive(Clone, PartialEq, Debug)]
pub enum JointCoordinate {
    /// Only a name.
    Name(Text),
    /// A name, perhaps, and settings.
    Table(Box<CoordinateTable>),
}

impl JointCoordinate {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Self::Name(name) => name.span,
            Self::Table(table) => table.span,
        }
    }
}

impl Read for JointCoordinate {
    const EXPECTED: &'static str = "a name, or a table with the settings of a coordinate";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String { text, .. } => Some(Self::Name(Text { text: text.clone(), span: node.span })),
            Value::Table(_) => Some(Self::Table(Box::new(CoordinateTable::read(node, reader)?))),
            _ => {
                reader.wrong_type(node, Self::EXPECTED);
                None
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "oneOf": [Text::schema(definitions), CoordinateTable::schema(definitions)] })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        match self {
            Self::Name(name) => name.walk(role, visitor),
            Self::Table(table) => table.walk(role, visitor),
        }
    }
}

table! {
    /// A coordinate with settings, inside a joint.
    pub struct CoordinateTable {
        /// Its name; by default the joint's name.
        name: optional Text => names(sorts::COORDINATE),
        /// Initial value.
        start: optional Quantity<Displacement>,
        /// Initial rate.
        rate: optional Quantity<Rate>,
        /// Which of the two keeps its given value when loops are closed at the start.
        exact: optional Spanned<ExactWord>,
        /// Inertia that moves with the coordinate and belongs to no body, such as that of a rotor, reduced to the
        /// coordinate.
        rotor_inertia: optional Quantity<RotorInertia>,
        /// Spring on the coordinate.
        spring: optional Keyed<SpringKey>,
        /// Stop of the coordinate.
        stop: optional Keyed<StopKey>,
        /// Friction on the coordinate.
        friction: optional FrictionLaw,
    }
}

table! {
    /// Initial state of a free joint or a ball joint; velocities in the body frame.
    pub struct FreeStart {
        /// Position of the child's origin in the joint frame.
        position: default Vec3<Length> = "[0, 0, 0]" => polar,
        /// Cardan x-y-z angles of the child in the joint frame.
        orientation: default Vec3<Angle> = "[0, 0, 0]" => axial,
        /// Velocity of the child's origin, in the body frame.
        velocity: default Vec3<Velocity> = "[0, 0, 0]" => polar,
        /// Angular velocity, in the body frame.
        angular_velocity: default Vec3<AngularVelocity> = "[0, 0, 0]" => axial,
    }
}

/// Axes of the three rotations of a general joint.
#[derive(Clone, PartialEq, Debug)]
pub struct Axes {
    /// Each of any length but zero.
    pub vectors: [Vec3<Ratio>; 3],
    /// Their place.
    pub span: Span,
}

impl Read for Axes {
    const EXPECTED: &'static str = "an array of three vectors";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if let Value::Array(items) = &node.value
            && items.iter().any(|item| !matches!(item.value, Value::Array(_)))
        {
            reader.push(
                Diagnostic::error(node.span, "\"axes\" are the three axes of a general joint")
                    .help("did you mean \"axis\"?"),
            );
            return None;
        }
        let Three(vectors) = Three::read(node, reader)?;
        Some(Self { vectors, span: node.span })
    }

    fn schema(definitions: &mut Definitions) -> Json {
        Three::<Vec3<Ratio>>::schema(definitions)
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        self.vectors.iter_mut().for_each(|vector| vector.walk(role, visitor));
    }
}

choice! {
    /// Axes of three successive rotations, each of the frame that those before it have made.
    pub enum Sequence {
        /// Cardan angles.
        Xyz = "xyz",
        /// Cardan angles that begin with y.
        Yzx = "yzx",
        /// Cardan angles that begin with z.
        Zxy = "zxy",
        /// Euler angles.
        Zxz = "zxz",
        /// Euler angles about x and y.
        Xyx = "xyx",
        /// Euler angles about y and z.
        Yzy = "yzy",
    }
}

impl Sequence {
    /// The axes: 0 is x, 1 is y, 2 is z.
    pub fn axes(self) -> [usize; 3] {
        match self {
            Self::Xyz => [0, 1, 2],
            Self::Yzx => [1, 2, 0],
            Self::Zxy => [2, 0, 1],
            Self::Zxz => [2, 0, 2],
            Self::Xyx => [0, 1, 0],
            Self::Yzy => [1, 2, 1],
        }
    }
}

table! {
    /// The six scalars of a general joint. Each is a number or an expression over coordinates, parameters and t.
    pub struct GeneralMotion {
        /// Along x of the joint frame.
        x: default Quantity<Length> = "0",
        /// Along y of the joint frame.
        y: default Quantity<Length> = "0",
        /// Along z of the joint frame.
        z: default Quantity<Length> = "0",
        /// About the first axis.
        w1: default Quantity<Angle> = "0",
        /// About the second axis, as rotated by the first rotation.
        w2: default Quantity<Angle> = "0",
        /// About the third axis, as rotated by the other rotations.
        w3: default Quantity<Angle> = "0",
    }
}

impl GeneralMotion {
    /// The translations.
    pub fn translation(&self) -> [&Number; 3] {
        [&self.x, &self.y, &self.z]
    }

    /// The rotations.
    pub fn rotation(&self) -> [&Number; 3] {
        [&self.w1, &self.w2, &self.w3]
    }
}
