//! The quantities of mechanics, as fields of a file.

pub use gelenk_file::fixed::{Fixed, Literal};
pub use gelenk_file::formula::{Condition, Formula};
pub use gelenk_file::quantity::{Measure, Number, Quantitative, Quantity, Vec3};

use gelenk_file::document::Node;
use gelenk_file::quantities;
use gelenk_file::quantity::{read_array, wrong_count};
use gelenk_file::read::{Definitions, Read, Reader};
use gelenk_file::role::Role;
use gelenk_file::visit::Visitor;
use gelenk_laws::Kind;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::CoordinateKind;
use serde_json::{Value as Json, json};

/// What a number of this kind measures.
pub const fn measure_of(kind: Kind) -> Measure {
    match kind {
        Kind::Time | Kind::Ratio | Kind::Fixed(_) => Measure::Fixed(kind.dimension(false)),
        // The ports of a block tell.
        Kind::Relative { .. } => Measure::Any,
        _ => Measure::Varies { length: kind.dimension(false), angle: kind.dimension(true) },
    }
}

/// What a number measures where it belongs to a coordinate.
pub trait OnCoordinate {
    /// The dimension on a coordinate of this kind; `None` if any is admitted.
    fn on(self, kind: CoordinateKind) -> Option<Dimension>;
}

impl OnCoordinate for Measure {
    fn on(self, kind: CoordinateKind) -> Option<Dimension> {
        self.dimension(kind == CoordinateKind::Angle)
    }
}

quantities! {
    /// A mass in kg.
    Mass = Measure::Fixed(Dimension::MASS);
    /// A density in kg/m^3.
    Density = Measure::Fixed(Dimension::DENSITY);
    /// A length in m.
    Length = Measure::Fixed(Dimension::LENGTH);
    /// An angle in rad.
    Angle = Measure::Fixed(Dimension::ANGLE);
    /// A time in s.
    Time = Measure::Fixed(Dimension::TIME);
    /// A frequency in Hz.
    Frequency = Measure::Fixed(Dimension::FREQUENCY);
    /// A plain number.
    Ratio = Measure::Fixed(Dimension::NONE);
    /// A velocity in m/s.
    Velocity = Measure::Fixed(Dimension::VELOCITY);
    /// An angular velocity in rad/s.
    AngularVelocity = Measure::Fixed(Dimension::ANGULAR_VELOCITY);
    /// An acceleration in m/s^2.
    Acceleration = Measure::Fixed(Dimension::ACCELERATION);
    /// A moment of inertia in kg m^2.
    MomentOfInertia = Measure::Fixed(Dimension::INERTIA);
    /// A stiffness in N/m.
    LinearStiffness = Measure::Fixed(Dimension::STIFFNESS);
    /// A damping in N s/m.
    LinearDamping = Measure::Fixed(Dimension::DAMPING);
    /// A stiffness in N m/rad.
    AngularStiffness = Measure::Fixed(Dimension::ANGULAR_STIFFNESS);
    /// A damping in N m s/rad.
    AngularDamping = Measure::Fixed(Dimension::ANGULAR_DAMPING);
    /// A modulus of elasticity in N/m^2.
    Modulus = Measure::Fixed(Dimension::PRESSURE);
    /// A stiffness per area in N/m^3.
    ArealStiffness = Measure::Fixed(Dimension::new([1, -2, -2, 0, 0, 0]));
    /// A damping per area in N s/m^3.
    ArealDamping = Measure::Fixed(Dimension::new([1, -2, -1, 0, 0, 0]));
    /// The inverse of a speed in s/m.
    PerSpeed = Measure::Fixed(Dimension::new([0, -1, 1, 0, 0, 0]));
    /// A displacement of a coordinate.
    Displacement = measure_of(Kind::Displacement);
    /// A rate of a coordinate.
    Rate = measure_of(Kind::Rate);
    /// A force or torque on a coordinate.
    Effort = measure_of(Kind::Effort);
    /// A force or torque on a coordinate over time.
    EffortRate = measure_of(Kind::EffortRate);
    /// A stiffness on a coordinate.
    Stiffness = measure_of(Kind::Stiffness);
    /// A damping on a coordinate.
    Damping = measure_of(Kind::Damping);
    /// An inertia that moves with a coordinate: kg m^2 or kg.
    RotorInertia = measure_of(Kind::Inertia);
    /// Anything.
    Anything = Measure::Any;
}

/// Three or six moments of inertia: xx, yy, zz and optionally xy, xz, yz.
#[derive(Clone, PartialEq, Debug)]
pub struct Inertia(pub Vec<Quantity<MomentOfInertia>>);

/// Ends of the paths of an inertia, in its order.
pub const INERTIA_NAMES: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

impl Read for Inertia {
    const EXPECTED: &'static str = "an array of three or six numbers";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let list = read_array(node, reader, INERTIA_NAMES, "three or six")?;
        if list.len() != 3 && list.len() != 6 {
            wrong_count(node, reader, "three or six", list.len());
            return None;
        }
        Some(Self(list))
    }

    fn schema(_: &mut Definitions) -> Json {
        let items = Number::schema_of(MomentOfInertia::MEASURE);
        json!({ "oneOf": [
            { "type": "array", "items": items, "minItems": 3, "maxItems": 3 },
            { "type": "array", "items": items, "minItems": 6, "maxItems": 6 },
        ] })
    }

    /// With the signs `S` of the axes the tensor `I` becomes `S I S`: products change their sign with that of both axes.
    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        let with = |i: usize, k: usize| Role::Signed(std::array::from_fn(|axis| axis == i || axis == k));
        let roles = [Role::Plain, Role::Plain, Role::Plain, with(0, 1), with(0, 2), with(1, 2)];
        self.0.iter_mut().zip(roles).for_each(|(quantity, role)| quantity.walk(role, visitor));
    }
}
