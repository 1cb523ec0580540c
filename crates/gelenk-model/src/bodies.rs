//! The bodies of a model file: mass, inertia, shapes.

use crate::parts::Reflection;
use crate::quantity::{Angle, Density, Inertia, Length, Mass, Quantity, Vec3};
use crate::sorts;
use gelenk_file::fields::UnitText;
use gelenk_file::read::{Named, Text};
use gelenk_file::{one_of, table};

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
        shapes: default Named<Piece> = "{}",
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
    pub struct Piece {
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

impl Piece {
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
        /// The STL, OBJ or PLY file; its path is relative to the file that names it.
        file: required Text,
        /// Unit of the coordinates in the file.
        unit: default UnitText = "\"m\"",
    }
    beside {
        /// How it is reflected, in a mirrored part.
        reflection: Reflection,
    }
}
