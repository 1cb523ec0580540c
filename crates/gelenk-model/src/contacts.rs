//! Contact between meshes: materials, surfaces, contacts.

use crate::bodies::MeshShape;
use crate::parts::Reflection;
use crate::quantity::{ArealDamping, ArealStiffness, Fixed, Length, Modulus, Quantity, Ratio, Velocity};
use crate::simple::{SimpleShape, SpotLaw};
use crate::sorts;
use gelenk_file::read::{Pair, Spanned, Text};
use gelenk_file::{choice, one_of, table};

table! {
    /// How a surface deforms: give "modulus", "poisson" and "depth" of an elastic layer, or its
    /// "stiffness". Simple bodies need no depth.
    pub struct Material {
        /// Young's modulus.
        modulus: optional Quantity<Modulus>,
        /// Poisson ratio, below 0.5.
        poisson: optional Quantity<Ratio>,
        /// Thickness of the layer.
        depth: optional Quantity<Length>,
        /// Stiffness per area, instead.
        stiffness: optional Quantity<ArealStiffness>,
    }
}

table! {
    /// Behaviour of a pair of materials, for contacts that do not give their own.
    pub struct Pairing {
        /// The two materials; a surface without one is "rigid".
        between: required Pair<Text> => refers(sorts::SIDE),
        /// Damping per area.
        damping: default Quantity<ArealDamping> = "0",
        /// Penetration at which the damping reaches its full value; with 0 it acts in full at once.
        depth: default Quantity<Length> = "0",
        /// Coefficient of friction.
        friction: default Quantity<Ratio> = "0",
        /// Sliding speed at which friction has reached its level.
        speed: default Quantity<Velocity> = "\"1 mm/s\"",
        /// How friction rises from rest.
        regularisation: default Regularisation = "\"quadratic\"",
        /// Force at each contact point of simple bodies.
        law: optional SpotLaw,
    }
}

table! {
    /// A surface that can be in contact; give one of "mesh", "make" and "simple", else it is the shape of its body.
    pub struct Surface {
        /// The body or frame that it is fixed on, in whose axes its coordinates are; or "ground".
        on: required Text => refers(sorts::PLACE),
        /// A mesh from a file.
        mesh: optional MeshShape,
        /// A mesh of a simple body.
        make: optional Make,
        /// A simple body, for contact with other simple bodies.
        simple: optional SimpleShape,
        /// Which of the several shapes of its body it is.
        shape: optional Text,
        /// Whether inside and outside are exchanged.
        reversed: default bool = "false",
        /// Its material; a surface without one is rigid.
        material: optional Text => refers(sorts::MATERIAL),
        /// A name for several surfaces, which contacts can use.
        group: optional Text => names(sorts::GROUP),
    }
    beside {
        /// How it is reflected, in a mirrored part.
        reflection: Reflection,
    }
}

table! {
    /// Contact between two surfaces, or between all of two groups; give one of "between" and "pairs".
    pub struct Contact {
        /// Two surfaces or groups; one group twice stands for all its pairs. The first surface is E of the thesis.
        between: optional Pair<Text> => refers(sorts::SURFACE_OR_GROUP),
        /// Several pairs like "between", instead of it.
        pairs: optional Vec<Pair<Text>> => refers(sorts::SURFACE_OR_GROUP),
        /// Pairs of surfaces that are excluded, from groups.
        except: optional Vec<Pair<Text>> => refers(sorts::SURFACE_OR_GROUP),
        /// Materials of the first and the second surfaces in this contact, instead of those that the surfaces have.
        materials: optional Pair<Text> => refers(sorts::SIDE),
        /// Which surface provides the contact elements; "auto" uses the finer one, or both if they are similar.
        master: default MasterWord = "\"auto\"",
        /// Damping per area; by default as the pairing of the materials says, else 0.
        damping: optional Quantity<ArealDamping>,
        /// Penetration at which the damping reaches its full value; with 0 it acts in full at once.
        depth: optional Quantity<Length>,
        /// Coefficient of friction.
        friction: optional Quantity<Ratio>,
        /// Sliding speed at which friction has reached its level.
        speed: optional Quantity<Velocity>,
        /// How friction rises from rest.
        regularisation: optional Regularisation,
        /// Force at each contact point of simple bodies; by default as the pairing of the materials says.
        law: optional SpotLaw,
        /// How pairs of triangles are found.
        detection: default DetectionWord = "\"modern\"",
        /// Whether opening and closing are events, at which methods with error control stop; meshes only, as simple
        /// bodies always have them.
        events: default bool = "false",
        /// Least cosine between the normal of an element and the face behind it; 0 as in the thesis.
        steep: default Spanned<Fixed<Ratio>> = "0.1",
        /// Which face counts where the line from an element meets the other surface several times.
        undercut: default UndercutWord = "\"nearest\"",
    }
}

choice! {
    /// Which surface provides the contact elements.
    pub enum MasterWord {
        /// The first one.
        First = "first",
        /// The second one.
        Second = "second",
        /// Both; the force is the mean of the two.
        Both = "both",
        /// The finer one; both if they are similar within a factor of two.
        Auto = "auto",
    }
}

choice! {
    /// Which face counts where the line from an element meets the other surface several times.
    pub enum UndercutWord {
        /// The nearest face decides: a triangle whose centroid is outside gives no element.
        Nearest = "nearest",
        /// The nearest face that faces the element, whatever is in front of it, as in the thesis.
        Thesis = "thesis",
    }
}

choice! {
    /// How friction rises from rest to its level, always with the slope 2/speed at rest.
    pub enum Regularisation {
        /// A parabola up to the speed, as in the thesis.
        Quadratic = "quadratic",
        /// A line up to half the speed.
        Linear = "linear",
        /// A hyperbolic tangent.
        Tanh = "tanh",
        /// An arc tangent.
        Arctan = "arctan",
    }
}

choice! {
    /// How pairs of triangles are found.
    pub enum DetectionWord {
        /// Balanced trees of boxes.
        Modern = "modern",
        /// The trees and the box test of the thesis.
        Thesis = "thesis",
    }
}

one_of! {
    /// A mesh of a simple body about the origin; bodies of revolution about z.
    pub enum Make {
        /// A rectangle that faces up.
        Plane(PlaneMesh) = "plane",
        /// A box.
        Box(BoxMesh) = "box",
        /// An inverted square pyramid of four triangles, open at the top, its tip at the origin.
        Funnel(FunnelMesh) = "funnel",
        /// A sphere with poles on z.
        Sphere(SphereMesh) = "sphere",
        /// A sphere from an icosahedron.
        Icosphere(IcosphereMesh) = "icosphere",
        /// A square piece of a paraboloid that faces up.
        Paraboloid(ParaboloidMesh) = "paraboloid",
        /// A cylinder with discs at its ends.
        Cylinder(RoundMesh) = "cylinder",
        /// A cylinder with half spheres at its ends.
        Capsule(RoundMesh) = "capsule",
        /// A cone with its base at z = 0.
        Cone(RoundMesh) = "cone",
        /// A ring.
        Torus(TorusMesh) = "torus",
        /// Two spheres joined by a groove.
        DumbBell(DumbBellMesh) = "dumb-bell",
        /// A profile rotated about y.
        Wheel(WheelMesh) = "wheel",
        /// An ellipsoid of triangles of similar size.
        Ellipsoid(EllipsoidMesh) = "ellipsoid",
        /// The hull of two spheres of different size, of triangles of similar size.
        TaperedCapsule(TaperedMesh) = "tapered-capsule",
        /// A closed shell through cross sections, such as a car.
        Loft(LoftMesh) = "loft",
    }
}

table! {
    /// A rectangle in the plane z = 0.
    pub struct PlaneMesh {
        /// Length of the edges along x and y.
        size: required Pair<Fixed<Length>>,
        /// Divisions of each edge.
        divisions: default Fixed<Ratio> = "1",
    }
}

table! {
    /// A box.
    pub struct BoxMesh {
        /// Lengths of the edges.
        size: required gelenk_file::fields::Three<Fixed<Length>>,
        /// Divisions of each edge.
        divisions: default Fixed<Ratio> = "1",
    }
}

table! {
    /// An inverted square pyramid.
    pub struct FunnelMesh {
        /// Edge of the square opening.
        opening: required Fixed<Length>,
        /// Height.
        height: required Fixed<Length>,
        /// How often every triangle is split in four.
        refine: default Fixed<Ratio> = "0",
        /// Divisions of every edge, before: 4 n^2 triangles.
        divisions: default Fixed<Ratio> = "1",
    }
}

table! {
    /// A sphere with poles.
    pub struct SphereMesh {
        /// Radius.
        radius: required Fixed<Length>,
        /// Meridians.
        segments: default Fixed<Ratio> = "32",
        /// Circles of latitude between the poles.
        rings: default Fixed<Ratio> = "15",
    }
}

table! {
    /// A sphere of 20 * 4^depth triangles.
    pub struct IcosphereMesh {
        /// Radius.
        radius: required Fixed<Length>,
        /// How often every triangle is split in four.
        depth: default Fixed<Ratio> = "3",
    }
}

table! {
    /// The paraboloid z = (x^2 + y^2)/(2 radius).
    pub struct ParaboloidMesh {
        /// Radius of curvature; a negative one bends it down.
        radius: required Fixed<Length>,
        /// Edge of the square.
        size: required Fixed<Length>,
        /// Vertices along an edge.
        vertices: required Fixed<Ratio>,
    }
}

table! {
    /// A round body along z.
    pub struct RoundMesh {
        /// Radius.
        radius: required Fixed<Length>,
        /// Length along z, of a capsule without its half spheres.
        length: required Fixed<Length>,
        /// Divisions around the axis.
        segments: default Fixed<Ratio> = "32",
        /// Divisions along the side, of a capsule on each half sphere.
        rings: default Fixed<Ratio> = "8",
    }
}

table! {
    /// A ring about z.
    pub struct TorusMesh {
        /// Radius of the centre line of the ring.
        radius: required Fixed<Length>,
        /// Radius of its tube.
        tube: required Fixed<Length>,
        /// Divisions around the axis.
        segments: default Fixed<Ratio> = "48",
        /// Divisions around the tube.
        rings: default Fixed<Ratio> = "24",
    }
}

table! {
    /// Two spheres on z joined by a groove that is tangent to both.
    pub struct DumbBellMesh {
        /// Radius of the spheres.
        radius: required Fixed<Length>,
        /// Distance of their centres from the origin.
        offset: required Fixed<Length>,
        /// Radius of the groove in the profile.
        groove: required Fixed<Length>,
        /// Meridians.
        segments: default Fixed<Ratio> = "25",
        /// Circles of latitude between the poles.
        rings: default Fixed<Ratio> = "19",
    }
}

table! {
    /// A profile rotated about y, with a row of vertices at the bottom.
    pub struct WheelMesh {
        /// Points of the profile from left to right: position along y, radius.
        profile: required Vec<Pair<Fixed<Length>>>,
        /// Divisions around the axis.
        segments: default Fixed<Ratio> = "48",
    }
}

table! {
    /// An ellipsoid about the origin.
    pub struct EllipsoidMesh {
        /// Semi-axes along x, y and z.
        radii: required gelenk_file::fields::Three<Fixed<Length>>,
        /// Number of triangles, even.
        triangles: default Fixed<Ratio> = "1000",
    }
}

table! {
    /// The hull of two spheres on z.
    pub struct TaperedMesh {
        /// Radii of the lower and the upper sphere.
        radii: required Pair<Fixed<Length>>,
        /// Distance between their centres; the origin is half way between them.
        length: required Fixed<Length>,
        /// Number of triangles, even.
        triangles: default Fixed<Ratio> = "1000",
    }
}

table! {
    /// A closed shell through rounded rectangles across x.
    pub struct LoftMesh {
        /// The cross sections along x, in either direction.
        sections: required Vec<LoftSection>,
        /// Strips between two of them.
        divisions: default Fixed<Ratio> = "1",
        /// Vertices around each.
        around: default Fixed<Ratio> = "24",
        /// Exponent of the superellipse of each: 2 for ellipses, more for corners.
        power: default Fixed<Ratio> = "4",
    }
}

table! {
    /// A cross section of a loft.
    pub struct LoftSection {
        /// Its position along x.
        x: required Fixed<Length>,
        /// Lowest and highest z.
        heights: required Pair<Fixed<Length>>,
        /// Width along y, half of it on either side.
        width: required Fixed<Length>,
    }
}
