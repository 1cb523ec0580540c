//! The bodies of a model file: mass, inertia, shapes.

use crate::parts::Reflection;
use crate::quantity::{Angle, Density, Inertia, Length, Mass, Quantity, Vec3};
use crate::sorts;
use gelenk_file::document::{Node, Value};
use gelenk_file::fields::UnitText;
use gelenk_file::read::{Definitions, Named, Read, Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::{one_of, table};
use serde_json::{Value as Json, json};

table! {
    /// A rigid body; its frame is that of the joint that carries it.
    pub struct Body {
        /// Mass, at least 0; by default that of the shapes with their density.
        mass: optional Quantity<Mass>,
        /// Density of the shapes, instead of a mass.
        density: optional Quantity<Density>,
        /// Centre of mass in the body frame; by default that of "shapes" or of a mesh, else the origin.
        centre: default Vec3<Length> = "[0, 0, 0]" => polar,
        /// Inertia about the centre of mass in body axes: xx, yy, zz and optionally xy, xz, yz.
        inertia: optional Inertia,
        /// A frame on the body, or the body itself: the inertia is then given about its origin and in its axes.
        inertia_frame: optional Text => refers(sorts::INERTIA_FRAME),
        /// Shape centred at the centre of mass, for pictures, and for the inertia where none is given.
        shape: optional Shape,
        /// Several shapes, each with its position on the body.
        shapes: default Named<ShapeTable> = "{}",
    }
}

one_of! {
    /// A simple shape; of uniform density where it gives the inertia.
    pub enum Shape {
        /// A box.
        Box(BoxShape) = "box",
        /// A cylinder along z.
        Cylinder(RoundShape) = "cylinder",
        /// A sphere.
        Sphere(SphereShape) = "sphere",
        /// A cylinder along z with half spheres at its ends.
        Capsule(RoundShape) = "capsule",
        /// A closed surface of triangles from a file, whose coordinates are those of the body.
        Mesh(MeshShape) = "mesh",
    }
}

table! {
    /// One of several shapes of a body: give one of "box", "cylinder", "sphere", "capsule" and "mesh".
    pub struct ShapeTable {
        /// A box.
        cuboid as "box": optional BoxShape,
        /// A cylinder along z.
        cylinder: optional RoundShape,
        /// A sphere.
        sphere: optional SphereShape,
        /// A cylinder along z with half spheres at its ends.
        capsule: optional RoundShape,
        /// A closed surface of triangles from a file.
        mesh: optional MeshShape,
        /// Centre of the shape, or origin of the mesh, in the body frame.
        position: default Vec3<Length> = "[0, 0, 0]" => polar,
        /// Cardan x-y-z angles of the shape in the body frame.
        orientation: default Vec3<Angle> = "[0, 0, 0]" => axial,
        /// Density; by default that of the body.
        density: optional Quantity<Density>,
    }
}

impl ShapeTable {
    /// The shapes that are given; a right piece has one.
    pub fn shapes(&self) -> Vec<Shape> {
        let all = [
            self.cuboid.clone().map(Shape::Box),
            self.cylinder.clone().map(Shape::Cylinder),
            self.sphere.clone().map(Shape::Sphere),
            self.capsule.clone().map(Shape::Capsule),
            self.mesh.clone().map(Shape::Mesh),
        ];
        all.into_iter().flatten().collect()
    }
}

table! {
    /// A box with edges along the axes.
    pub struct BoxShape {
        /// Lengths of the edges.
        size: required Vec3<Length>,
    }
}

table! {
    /// A round shape along z.
    pub struct RoundShape {
        /// Radius.
        radius: required Quantity<Length>,
        /// Length along z, of a capsule without its half spheres.
        length: required Quantity<Length>,
    }
}

table! {
    /// A sphere.
    pub struct SphereShape {
        /// Radius.
        radius: required Quantity<Length>,
    }
}

table! {
    /// A closed surface of triangles.
    pub struct MeshShape {
        /// The STL, OBJ, PLY, DAE, glTF or MSH file; its path is relative to the file that names it.
        file: required Text,
        /// Unit of the coordinates in the file.
        unit: default UnitText = "\"m\"",
        /// Factor of the coordinates, or one for each axis; a negative one mirrors.
        scale: default Scale = "1",
    }
    beside {
        /// How it is reflected, in a mirrored part.
        reflection: Reflection,
    }
}

impl MeshShape {
    /// Factors from the coordinates of the file to metres, in the part as it is before any mirror.
    pub fn factors(&self) -> [f64; 3] {
        let unit = self.unit.unit.to_si(1.0);
        self.scale.0.map(|factor| factor * unit)
    }
}

/// Factors of coordinates: one number for all, or three.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale(pub [f64; 3]);

impl Read for Scale {
    const EXPECTED: &'static str = "a number, or an array of three";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let factors = numbers(node).and_then(|list| match *list.as_slice() {
            [one] => Some([one; 3]),
            [x, y, z] => Some([x, y, z]),
            _ => None,
        });
        let Some(factors) = factors else {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        };
        if factors.iter().any(|factor| *factor == 0.0 || !factor.is_finite()) {
            reader.push(Diagnostic::error(node.span, "a factor must be finite and not 0"));
            return None;
        }
        Some(Self(factors))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "oneOf": [
            { "type": "number" },
            { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 },
        ] })
    }
}

/// A number, or a list of them.
pub(crate) fn numbers(node: &Node) -> Option<Vec<f64>> {
    let number = |node: &Node| match node.value {
        Value::Number { value, .. } => Some(value),
        _ => None,
    };
    match &node.value {
        Value::Array(items) => items.iter().map(number).collect(),
        _ => number(node).map(|number| vec![number]),
    }
}
