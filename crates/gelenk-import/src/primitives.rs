//! Mass, inertia and drawing of simple shapes.

use crate::robot::Link;
use gelenk_math::spatial::{Inertia, Mat3, Pose, Vec3, skew};
use std::f64::consts::PI;

/// A solid around the origin; round ones lie along z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Solid {
    /// Lengths of the edges.
    Box(Vec3<f64>),
    Cylinder {
        radius: f64,
        length: f64,
    },
    Sphere {
        radius: f64,
    },
    /// The length does not count the half spheres.
    Capsule {
        radius: f64,
        length: f64,
    },
    /// Half axes.
    Ellipsoid(Vec3<f64>),
}

impl Solid {
    /// Volume (m^3).
    pub(crate) fn volume(&self) -> f64 {
        match *self {
            Self::Box(size) => size.x * size.y * size.z,
            Self::Cylinder { radius, length } => PI * radius * radius * length,
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Capsule { radius, length } => PI * radius * radius * (length + 4.0 / 3.0 * radius),
            Self::Ellipsoid(half) => 4.0 / 3.0 * PI * half.x * half.y * half.z,
        }
    }

    /// Principal moments of inertia (kg m^2) for a mass of one; the formulas of a capsule are those of model files.
    pub(crate) fn moments(&self) -> Vec3<f64> {
        let of_squares = |s: Vec3<f64>, divisor: f64| {
            let s = s.component_mul(&s);
            Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) / divisor
        };
        match *self {
            Self::Box(size) => of_squares(size, 12.0),
            Self::Ellipsoid(half) => of_squares(half, 5.0),
            Self::Sphere { radius } => Vec3::from_element(0.4 * radius * radius),
            Self::Cylinder { radius, length } => {
                let across = (3.0 * radius * radius + length * length) / 12.0;
                Vec3::new(across, across, radius * radius / 2.0)
            }
            Self::Capsule { radius: r, length: l } => {
                let ends = 4.0 / 3.0 * r;
                let ball = 0.4 * r * r;
                let across =
                    l * (l * l / 12.0 + r * r / 4.0) + ends * (ball + l * l / 4.0 + 3.0 / 8.0 * l * r);
                Vec3::new(across, across, l * r * r / 2.0 + ends * ball) / (l + ends)
            }
        }
    }

    /// Area of the surface (m^2); of an ellipsoid Thomsen's approximation, as MuJoCo takes it.
    pub(crate) fn area(&self) -> f64 {
        match *self {
            Self::Box(s) => 2.0 * (s.x * s.y + s.y * s.z + s.z * s.x),
            Self::Cylinder { radius, length } => 2.0 * PI * radius * (length + radius),
            Self::Sphere { radius } => 4.0 * PI * radius * radius,
            Self::Capsule { radius, length } => 2.0 * PI * radius * (length + 2.0 * radius),
            Self::Ellipsoid(half) => {
                const P: f64 = 1.6075;
                let products = [half.x * half.y, half.y * half.z, half.z * half.x];
                4.0 * PI * (products.iter().map(|x| x.powf(P)).sum::<f64>() / 3.0).powf(1.0 / P)
            }
        }
    }

    /// Principal moments of inertia (kg m^2) of the surface alone for a mass of one.
    pub(crate) fn shell_moments(&self) -> Vec3<f64> {
        match *self {
            Self::Box(size) => {
                // Second moments of the six faces along each axis.
                let second = Vec3::from_fn(|i, _| {
                    let (a, b, c) = (size[i], size[(i + 1) % 3], size[(i + 2) % 3]);
                    a * a * (b * c / 2.0 + a * (b + c) / 6.0)
                }) / self.area();
                Vec3::new(second.y + second.z, second.x + second.z, second.x + second.y)
            }
            Self::Sphere { radius } => Vec3::from_element(2.0 / 3.0 * radius * radius),
            Self::Cylinder { radius: r, length: l } => {
                // The mantle and both ends.
                let (mantle, ends) = (l / (l + r), r / (l + r));
                let across = mantle * (r * r / 2.0 + l * l / 12.0) + ends * (r * r / 4.0 + l * l / 4.0);
                Vec3::new(across, across, r * r * (mantle + ends / 2.0))
            }
            Self::Capsule { radius: r, length: l } => {
                let (mantle, ends) = (l / (l + 2.0 * r), 2.0 * r / (l + 2.0 * r));
                let across = mantle * (r * r / 2.0 + l * l / 12.0)
                    + ends * (2.0 / 3.0 * r * r + l * l / 4.0 + l * r / 2.0);
                Vec3::new(across, across, r * r * (mantle + 2.0 / 3.0 * ends))
            }
            Self::Ellipsoid(half) => {
                // A layer that adds the same to all half axes, as in MuJoCo: the change of the moments over that of the
                // volume.
                let product = half.x * half.y * half.z;
                let change = half.x * half.y + half.y * half.z + half.z * half.x;
                let moment = |a: f64, b: f64| (a * a + b * b + 2.0 * product * (a + b) / change) / 5.0;
                Vec3::new(moment(half.y, half.z), moment(half.x, half.z), moment(half.x, half.y))
            }
        }
    }

    /// Whether all lengths are positive numbers.
    pub(crate) fn is_proper(&self) -> bool {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Self::Box(size) | Self::Ellipsoid(size) => size.iter().all(|x| positive(*x)),
            Self::Cylinder { radius, length } | Self::Capsule { radius, length } => {
                positive(radius) && positive(length)
            }
            Self::Sphere { radius } => positive(radius),
        }
    }

    /// Largest length.
    fn size(&self) -> f64 {
        match *self {
            Self::Box(size) | Self::Ellipsoid(size) => size.amax(),
            Self::Cylinder { radius, length } | Self::Capsule { radius, length } => radius.max(length),
            Self::Sphere { radius } => radius,
        }
    }
}

/// A solid at its place on a body.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Placed {
    pub(crate) solid: Solid,
    pub(crate) pose: Pose<f64>,
}

impl Placed {
    /// The solid as the shape of a model file, which stands at `centre` with its axes along those of the body.
    pub(crate) fn drawn(&self, centre: &Vec3<f64>) -> Option<Solid> {
        // A picture forgives a thousandth.
        let near = (self.pose.position - centre).norm() <= 1e-3 * self.solid.size();
        let along = |x: f64| x.abs() > 1.0 - 1e-6;
        let r = &self.pose.rotation;
        match self.solid {
            _ if !near || !self.solid.is_proper() => None,
            Solid::Sphere { .. } => Some(self.solid),
            Solid::Cylinder { .. } | Solid::Capsule { .. } => along(r[(2, 2)]).then_some(self.solid),
            Solid::Box(size) => {
                let aligned = (0..3).all(|i| (0..3).any(|j| along(r[(i, j)])));
                // The edges in the order of the body's axes, without the noise of the rotation.
                let turned = Mat3::from_fn(|i, j| if along(r[(i, j)]) { 1.0 } else { 0.0 }) * size;
                aligned.then_some(Solid::Box(turned))
            }
            Solid::Ellipsoid(_) => None,
        }
    }
}

/// A solid, or its surface alone, with a mass (kg).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Weighed {
    pub(crate) placed: Placed,
    pub(crate) mass: f64,
    /// Whether the mass is on the surface.
    pub(crate) shell: bool,
}

/// Gives a body the mass of solids, and of what else has one, seen from the body.
pub(crate) fn add_mass(link: &mut Link, solids: &[Weighed], others: &[Inertia<f64>]) {
    let mut sum = Inertia::zero();
    for other in others {
        sum += *other;
    }
    for Weighed { placed, mass, shell } in solids {
        let moments = if *shell { placed.solid.shell_moments() } else { placed.solid.moments() };
        let tensor = Mat3::from_diagonal(&(moments * *mass));
        sum += Inertia::about_centre(*mass, Vec3::zeros(), tensor).seen_from(&placed.pose);
    }
    link.mass = sum.mass;
    if sum.mass > 0.0 {
        link.centre = sum.moment / sum.mass;
        let cross = skew(&link.centre);
        link.inertia = sum.tensor + cross * cross * sum.mass;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Name;
    use crate::robot::{Joint, Motion};
    use gelenk_math::rotation::cardan;

    /// A box cut into two halves has the mass, centre and inertia of the whole.
    #[test]
    fn halves_of_a_box_make_the_box() {
        let turn = cardan([0.3, -0.5, 0.9]);
        let half = Solid::Box(Vec3::new(0.2, 0.4, 0.3));
        let at = |x: f64| Placed { solid: half, pose: Pose::new(turn, turn * Vec3::new(x, 0.5, 0.0)) };
        let joint = Joint::new(Name::default(), Motion::Fixed, None, Pose::identity());
        let mut link = Link::new(Name::default(), joint);
        let heavy = |x: f64| Weighed { placed: at(x), mass: 1.5, shell: false };
        add_mass(&mut link, &[heavy(-0.1), heavy(0.1)], &[]);
        let whole = Solid::Box(Vec3::new(0.4, 0.4, 0.3));
        let expected = turn * Mat3::from_diagonal(&(whole.moments() * 3.0)) * turn.transpose();
        assert_eq!(link.mass, 3.0);
        assert!((link.centre - turn * Vec3::new(0.0, 0.5, 0.0)).norm() < 1e-15);
        assert!((link.inertia - expected).norm() < 1e-15);
        assert!((whole.volume() - 2.0 * half.volume()).abs() < 1e-15);
    }

    /// A long thin capsule is nearly a rod, a short one nearly a sphere.
    #[test]
    fn capsules_lie_between_rod_and_sphere() {
        let rod = Solid::Capsule { radius: 1e-6, length: 2.0 }.moments();
        assert!((rod.x - 4.0 / 12.0).abs() < 1e-5 && rod.z < 1e-11);
        let ball = Solid::Capsule { radius: 0.5, length: 1e-12 };
        assert!((ball.moments() - Solid::Sphere { radius: 0.5 }.moments()).norm() < 1e-11);
        assert!((ball.volume() - Solid::Sphere { radius: 0.5 }.volume()).abs() < 1e-11);
    }

    /// Moments for 1 kg and areas as MuJoCo 4.0.0 gives them for geoms with `shellinertia` (size 0.1, 0.2 and 0.3 m).
    #[test]
    fn shells_are_those_of_mujoco() {
        let half = Vec3::new(0.1, 0.2, 0.3);
        for (solid, moments, area) in [
            (Solid::Sphere { radius: 0.1 }, [0.006_666_67; 3], 0.125_663_706),
            (
                Solid::Capsule { radius: 0.1, length: 0.4 },
                [0.034_444_44, 0.034_444_44, 0.008_888_89],
                0.376_991_118,
            ),
            (
                Solid::Cylinder { radius: 0.1, length: 0.4 },
                [0.023_166_67, 0.023_166_67, 0.009],
                0.314_159_265,
            ),
            (Solid::Box(half * 2.0), [0.061_515_15, 0.047_878_79, 0.027_575_76], 0.88),
            (Solid::Ellipsoid(half), [0.036_909_25, 0.028_727_41, 0.016_545_56], 0.489_719_333),
        ] {
            // MuJoCo takes a layer of finite thickness on an ellipsoid.
            assert!((solid.shell_moments() - Vec3::from(moments)).amax() < 3e-7, "{solid:?}");
            assert!((solid.area() - area).abs() < 1e-9, "{solid:?}: {}", solid.area());
        }
    }

    #[test]
    fn only_what_stands_along_the_axes_is_drawn() {
        let centre = Vec3::new(0.1, 0.0, 0.0);
        let placed =
            |solid, angles, x| Placed { solid, pose: Pose::new(cardan(angles), Vec3::new(x, 0.0, 0.0)) };
        let quarter = std::f64::consts::FRAC_PI_2;
        let bar = Solid::Box(Vec3::new(1.0, 2.0, 3.0));
        let turned = placed(bar, [quarter, 0.0, 0.0], 0.1).drawn(&centre);
        assert_eq!(turned, Some(Solid::Box(Vec3::new(1.0, 3.0, 2.0))));
        assert_eq!(placed(bar, [0.3, 0.0, 0.0], 0.1).drawn(&centre), None);
        assert_eq!(placed(bar, [0.0; 3], 0.4).drawn(&centre), None);
        let rod = Solid::Cylinder { radius: 0.1, length: 1.0 };
        assert_eq!(placed(rod, [0.0, 0.0, 0.7], 0.1).drawn(&centre), Some(rod));
        assert_eq!(placed(rod, [quarter, 0.0, 0.0], 0.1).drawn(&centre), None);
    }
}
