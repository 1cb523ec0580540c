//! What bodies look like, apart from their mass and from what they touch with.

use crate::bodies::{BoxShape, MeshShape, RoundShape, SphereShape, numbers};
use crate::quantity::{Angle, Length, Vec3};
use crate::sorts;
use gelenk_file::document::{Node, Value};
use gelenk_file::read::{Definitions, Read, Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::table;
use serde_json::{Value as Json, json};

table! {
    /// A shape that is only seen; give one of "box", "cylinder", "sphere", "capsule", "ellipsoid" and "mesh".
    pub struct Visual {
        /// The body or frame that it is fixed on, or "ground".
        on: required Text => refers(sorts::PLACE),
        /// A box.
        cuboid as "box": optional BoxShape,
        /// A cylinder along z.
        cylinder: optional RoundShape,
        /// A sphere.
        sphere: optional SphereShape,
        /// A cylinder along z with half spheres at its ends.
        capsule: optional RoundShape,
        /// An ellipsoid.
        ellipsoid: optional EllipsoidShape,
        /// A surface of triangles from a file, which need not be closed.
        mesh: optional MeshShape,
        /// Middle of the shape, or origin of the mesh.
        position: default Vec3<Length> = "[0, 0, 0]" => polar,
        /// Cardan x-y-z angles.
        orientation: default Vec3<Angle> = "[0, 0, 0]" => axial,
        /// Colour; by default that of the file of a mesh, else that of the body in pictures.
        colour: optional Colour,
    }
}

table! {
    /// An ellipsoid with half axes along x, y and z.
    pub struct EllipsoidShape {
        /// Half axes.
        radii: required Vec3<Length>,
    }
}

impl Visual {
    /// How many forms are given; a right visual has one.
    pub(crate) fn forms(&self) -> usize {
        [
            self.cuboid.is_some(),
            self.cylinder.is_some(),
            self.sphere.is_some(),
            self.capsule.is_some(),
            self.ellipsoid.is_some(),
            self.mesh.is_some(),
        ]
        .into_iter()
        .filter(|given| *given)
        .count()
    }
}

/// Red, green, blue and opacity from 0 to 1 (sRGB): three or four numbers, or "#rrggbb" or "#rrggbbaa".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Colour(pub [f64; 4]);

impl Read for Colour {
    const EXPECTED: &'static str = "three or four numbers from 0 to 1, or a string such as \"#4c8fd6\"";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let parts = match &node.value {
            Value::String { text, .. } => hexadecimal(text),
            _ => numbers(node),
        };
        let colour = parts.and_then(|parts| match parts.as_slice() {
            &[r, g, b] => Some([r, g, b, 1.0]),
            &[r, g, b, a] => Some([r, g, b, a]),
            _ => None,
        });
        let Some(colour) = colour else {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        };
        if colour.iter().any(|part| !(0.0..=1.0).contains(part)) {
            reader.push(Diagnostic::error(node.span, "the parts of a colour are between 0 and 1"));
            return None;
        }
        Some(Self(colour))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "oneOf": [
            { "type": "array", "items": { "type": "number", "minimum": 0, "maximum": 1 }, "minItems": 3, "maxItems": 4 },
            { "type": "string", "pattern": "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$" },
        ] })
    }
}

fn hexadecimal(text: &str) -> Option<Vec<f64>> {
    let digits: Option<Vec<u32>> = text.strip_prefix('#')?.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| matches!(digits.len(), 6 | 8))?;
    Some(digits.chunks_exact(2).map(|pair| f64::from(16 * pair[0] + pair[1]) / 255.0).collect())
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn colours_in_hexadecimal() {
        assert_eq!(hexadecimal("#ff0033"), Some(vec![1.0, 0.0, 0.2]));
        assert_eq!(hexadecimal("#00000080").map(|c| c[3]), Some(128.0 / 255.0));
        for wrong in ["ff0033", "#ff003", "#ff00zz", "#", "#é0033é"] {
            assert_eq!(hexadecimal(wrong), None, "{wrong}");
        }
    }
}
