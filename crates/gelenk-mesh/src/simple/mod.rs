//! Contact between simple bodies: point, plane, sphere, capsule, box.
//!
//! Where two of them touch is a small set of [`Spot`]s, each with a place, a normal and a depth; a law of depth and its
//! rate then gives the forces. Everything is generic over the scalar, so that dual numbers give the derivatives at fixed
//! features. A box that lies on something has a spot at every corner of the common face, a capsule one at either end, so
//! that both rest flat.
//!
//! ```
//! use gelenk_math::spatial::{Mat3, Pose, Vec3};
//! use gelenk_mesh::simple::{Simple, Spots};
//! let (ground, ball) = (Simple::Plane, Simple::Sphere { radius: 0.1 });
//! let mut spots = Spots::new();
//! spots.find(&ground, &ball, &Pose::new(Mat3::identity(), Vec3::new(0.3, 0.0, 0.09)));
//! assert!((spots.gap + 0.01_f64).abs() < 1e-15);
//! assert_eq!(spots.all().len(), 1);
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`mod@self`] | shapes, spots, which pair is which |
//! | `round` | spheres and capsules with each other, everything with the plane |
//! | `capsule_box` | spheres and capsules with boxes |
//! | `boxes` | boxes with each other |
//! | `flush` | two faces of boxes that lie against each other |

mod boxes;
mod capsule_box;
mod flush;
mod round;

use crate::{TriMesh, make};
use gelenk_math::Real;
use gelenk_math::spatial::{Mat3, Pose, Vec3};

/// A simple body about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simple<T> {
    /// The origin.
    Point,
    /// Everything below the plane z = 0.
    Plane,
    /// A sphere.
    Sphere {
        /// Radius (m).
        radius: T,
    },
    /// A cylinder along z with half spheres at its ends.
    Capsule {
        /// Radius (m).
        radius: T,
        /// Length without the half spheres (m).
        length: T,
    },
    /// A box with edges along the axes.
    Box {
        /// Lengths of its edges (m).
        size: [T; 3],
    },
}

impl<T: Real> Simple<T> {
    /// The radius of its round surface (m); a point has none, and neither has what is flat.
    pub fn radius(&self) -> Option<T> {
        match *self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => Some(radius),
            Self::Point | Self::Plane | Self::Box { .. } => None,
        }
    }
}

impl Simple<f64> {
    /// A mesh for pictures; a plane reaches this far (m), a point has none.
    pub fn mesh(&self, reach: f64) -> Option<TriMesh> {
        Some(match *self {
            Self::Point => return None,
            Self::Plane => make::plane([2.0 * reach; 2], [1, 1]),
            Self::Sphere { radius } => make::icosphere(radius, 3),
            Self::Capsule { radius, length } => make::capsule(radius, length, 24, 6),
            Self::Box { size } => make::cuboid(size, 1),
        })
    }
}

/// Most spots of a pair: of two boxes, two faces with two others each, which clip each other to octagons, the same once more
/// for faces that lie against each other, and two pairs of edges.
pub const SPOTS: usize = 66;

/// A place where two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot<T> {
    /// Middle between the two surfaces, in the frame of the first body (m).
    pub position: Vec3<T>,
    /// Unit normal into the first body, in its frame.
    pub normal: Vec3<T>,
    /// Depth of the penetration along the normal (m), greater than zero.
    pub depth: T,
    /// Share of the law that acts here. It is 1 but for capsules that are nearly along what they touch, and for faces of
    /// boxes whose common part is no rectangle, or which share the force with other faces and edges.
    pub weight: T,
}

/// The spots of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Spots<T> {
    spots: [Spot<T>; SPOTS],
    len: usize,
    /// Distance of the bodies (m); where they overlap, minus the greatest depth. Of two boxes that are apart the greatest
    /// distance along an axis, which is at most theirs: see [`Spots::distance`].
    pub gap: T,
    /// Nearest or deepest place: position and normal as of a spot, also where the bodies are apart.
    pub nearest: [Vec3<T>; 2],
}

impl<T: Real> Default for Spots<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real> Spots<T> {
    /// No spots.
    pub fn new() -> Self {
        let none = Vec3::from_element(T::c(0.0));
        let spot = Spot { position: none, normal: none, depth: T::c(0.0), weight: T::c(0.0) };
        Self { spots: [spot; SPOTS], len: 0, gap: T::c(f64::INFINITY), nearest: [none; 2] }
    }

    /// The spots that were found.
    #[inline]
    pub fn all(&self) -> &[Spot<T>] {
        &self.spots[..self.len]
    }

    /// Finds where two bodies touch; `pose` is that of the second one in the frame of the first.
    pub fn find(&mut self, first: &Simple<T>, second: &Simple<T>, pose: &Pose<T>) {
        self.clear();
        let (a, b) = (Placed::new(first, &Pose::identity()), Placed::new(second, pose));
        use Placed::{Ball, Box, Capsule, Plane};
        match (a, b) {
            (Plane(plane), Ball(ball)) => round::ball_plane(&ball, &plane, true, self),
            (Ball(ball), Plane(plane)) => round::ball_plane(&ball, &plane, false, self),
            (Plane(plane), Capsule(capsule)) => round::capsule_plane(&capsule, &plane, true, self),
            (Capsule(capsule), Plane(plane)) => round::capsule_plane(&capsule, &plane, false, self),
            (Plane(plane), Box(cuboid)) => round::box_plane(&cuboid, &plane, true, self),
            (Box(cuboid), Plane(plane)) => round::box_plane(&cuboid, &plane, false, self),
            (Plane(_), Plane(_)) => {}
            (Ball(a), Ball(b)) => round::balls(&a, &b, T::c(1.0), self),
            (Ball(a), Capsule(b)) => round::balls(&a, &b.at(b.nearest(&a.centre)), T::c(1.0), self),
            (Capsule(a), Ball(b)) => round::balls(&a.at(a.nearest(&b.centre)), &b, T::c(1.0), self),
            (Capsule(a), Capsule(b)) => round::capsules(&a, &b, self),
            (Ball(ball), Box(cuboid)) => capsule_box::ball_box(&ball, &cuboid, false, self),
            (Box(cuboid), Ball(ball)) => capsule_box::ball_box(&ball, &cuboid, true, self),
            (Capsule(capsule), Box(cuboid)) => capsule_box::capsule_box(&capsule, &cuboid, false, self),
            (Box(cuboid), Capsule(capsule)) => capsule_box::capsule_box(&capsule, &cuboid, true, self),
            (Box(a), Box(b)) => boxes::boxes(&a, &b, self),
        }
    }

    /// Distance of the two bodies that were found last (m), also of boxes; where they overlap, minus the greatest depth.
    pub fn distance(&self, [first, second]: &[Simple<T>; 2], pose: &Pose<T>) -> T {
        match (Placed::new(first, &Pose::identity()), Placed::new(second, pose)) {
            (Placed::Box(a), Placed::Box(b)) if self.gap.re() > 0.0 => boxes::distance(&a, &b),
            _ => self.gap,
        }
    }

    fn clear(&mut self) {
        self.len = 0;
        self.gap = T::c(f64::INFINITY);
    }

    /// Takes up a candidate; only what is deeper than zero and has a weight is a spot.
    fn push(&mut self, position: Vec3<T>, normal: Vec3<T>, depth: T, weight: T) {
        if weight.re() <= 0.0 {
            return;
        }
        if -depth.re() < self.gap.re() {
            self.gap = -depth;
            self.nearest = [position, normal];
        }
        if depth.re() > 0.0 && self.len < SPOTS {
            self.spots[self.len] = Spot { position, normal, depth, weight };
            self.len += 1;
        }
    }
}

/// A sphere, or a point if its radius is zero.
#[derive(Clone, Copy)]
struct PlacedBall<T: Real> {
    centre: Vec3<T>,
    radius: T,
}

#[derive(Clone, Copy)]
struct PlacedCapsule<T: Real> {
    ends: [Vec3<T>; 2],
    radius: T,
}

impl<T: Real> PlacedCapsule<T> {
    fn along(&self) -> Vec3<T> {
        self.ends[1] - self.ends[0]
    }

    /// The ball at a share of the way from one end to the other.
    fn at(&self, share: T) -> PlacedBall<T> {
        PlacedBall { centre: self.ends[0] + self.along() * share, radius: self.radius }
    }

    /// Share of the way at which the axis is nearest to a place.
    fn nearest(&self, place: &Vec3<T>) -> T {
        let along = self.along();
        let square = along.norm_squared();
        if square.re() <= f64::MIN_POSITIVE {
            return T::c(0.5);
        }
        clamped((place - self.ends[0]).dot(&along) / square)
    }
}

#[derive(Clone, Copy)]
struct PlacedBox<T: Real> {
    centre: Vec3<T>,
    axes: Mat3<T>,
    half: Vec3<T>,
}

impl<T: Real> PlacedBox<T> {
    fn axis(&self, k: usize) -> Vec3<T> {
        self.axes.column(k).into_owned()
    }
}

#[derive(Clone, Copy)]
struct PlacedPlane<T: Real> {
    origin: Vec3<T>,
    /// Out of the body.
    normal: Vec3<T>,
}

#[derive(Clone, Copy)]
enum Placed<T: Real> {
    Ball(PlacedBall<T>),
    Capsule(PlacedCapsule<T>),
    Box(PlacedBox<T>),
    Plane(PlacedPlane<T>),
}

impl<T: Real> Placed<T> {
    fn new(shape: &Simple<T>, pose: &Pose<T>) -> Self {
        let (centre, axes) = (pose.position, pose.rotation);
        let z = axes.column(2).into_owned();
        match *shape {
            Simple::Point => Self::Ball(PlacedBall { centre, radius: T::c(0.0) }),
            Simple::Plane => Self::Plane(PlacedPlane { origin: centre, normal: z }),
            Simple::Sphere { radius } => Self::Ball(PlacedBall { centre, radius }),
            Simple::Capsule { radius, length } => {
                let half = z * (length * T::c(0.5));
                Self::Capsule(PlacedCapsule { ends: [centre - half, centre + half], radius })
            }
            Simple::Box { size: [x, y, z] } => {
                Self::Box(PlacedBox { centre, axes, half: Vec3::new(x, y, z) * T::c(0.5) })
            }
        }
    }
}

/// Between 0 and 1.
#[inline]
fn clamped<T: Real>(share: T) -> T {
    if share.re() <= 0.0 {
        T::c(0.0)
    } else if share.re() >= 1.0 {
        T::c(1.0)
    } else {
        share
    }
}

/// Plus or minus one.
#[inline]
fn sign<T: Real>(x: T) -> T {
    T::c(if x.re() < 0.0 { -1.0 } else { 1.0 })
}

/// Direction and length of a vector; `other` and zero where it has none, without an infinite derivative.
#[inline]
fn direction<T: Real>(vector: &Vec3<T>, other: &Vec3<T>) -> (Vec3<T>, T) {
    let square = vector.norm_squared();
    if square.re() <= f64::MIN_POSITIVE {
        return (*other, T::c(0.0));
    }
    let length = square.sqrt();
    (vector / length, length)
}

/// How much a capsule counts as crossing what it touches, by the square of the sine between them: from nothing along it
/// to all of it at five degrees.
#[inline]
fn crossing<T: Real>(sine_squared: T) -> T {
    const FULL: f64 = 0.0076;
    clamped(sine_squared / T::c(FULL))
}

/// Weight of either end of a common length: one place shared by both where there is hardly any, a place of its own for
/// each from a length of the radius on.
#[inline]
fn both_ends<T: Real>(common: T, radius: T) -> T {
    if common.re() >= radius.re() {
        return T::c(1.0);
    }
    T::c(0.5) + common / radius * T::c(0.5)
}
