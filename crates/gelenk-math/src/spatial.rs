//! Spatial vectors, poses and inertias, angular part first.
//!
//! A spatial quantity of body `B` is expressed in `B`'s own frame at `B`'s origin unless a name says
//! otherwise. `X_AB` is the pose of frame `B` in frame `A` (rotation `R_AB`, position `p_AoBo_A`).
//! After Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 2.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use nalgebra::{Matrix3, Vector3};

use crate::Lockstep;

/// A 3-vector.
pub type Vec3<T> = Vector3<T>;
/// A 3x3 matrix.
pub type Mat3<T> = Matrix3<T>;

/// Length of a vector whose derivative at zero is taken as zero, where that of the square root has none.
#[inline]
pub fn length<T: Lockstep>(a: &Vec3<T>) -> T {
    let square = a.dot(a);
    T::either(square.above(T::of(f64::MIN_POSITIVE)), || square.sqrt(), || T::of(0.0))
}

/// The Euclidean norm; its derivative at zero is that of the square root, which has none.
#[inline]
pub fn norm<T: Lockstep>(a: &Vec3<T>) -> T {
    a.dot(a).sqrt()
}

/// The skew matrix of `a`: `skew(a) b = a x b`.
#[inline]
pub fn skew<T: Lockstep>(a: &Vec3<T>) -> Mat3<T> {
    let o = T::of(0.0);
    Mat3::new(o, -a.z, a.y, a.z, o, -a.x, -a.y, a.x, o)
}

/// A motion vector: twist (rad/s, m/s) or its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<T> {
    /// Angular part.
    pub ang: Vec3<T>,
    /// Linear part, of the frame's origin.
    pub lin: Vec3<T>,
}

/// A force vector: wrench (N m, N) or momentum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench<T> {
    /// Moment about the frame's origin.
    pub ang: Vec3<T>,
    /// Force.
    pub lin: Vec3<T>,
}

macro_rules! linear {
    ($name:ident) => {
        impl<T: Lockstep> $name<T> {
            /// The vector with these parts.
            #[inline]
            pub fn new(ang: Vec3<T>, lin: Vec3<T>) -> Self {
                Self { ang, lin }
            }

            /// The zero vector.
            #[inline]
            pub fn zero() -> Self {
                Self::new(Vec3::from_element(T::of(0.0)), Vec3::from_element(T::of(0.0)))
            }

            /// Component `i` of six, angular first; zero beyond.
            #[inline]
            pub fn get(&self, i: usize) -> T {
                match i {
                    0..3 => self.ang[i],
                    3..6 => self.lin[i - 3],
                    _ => T::of(0.0),
                }
            }

            /// Multiplies by a scalar.
            #[inline]
            pub fn scale(&self, factor: T) -> Self {
                Self::new(self.ang * factor, self.lin * factor)
            }
        }

        impl<T: Lockstep> Add for $name<T> {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self::new(self.ang + other.ang, self.lin + other.lin)
            }
        }

        impl<T: Lockstep> AddAssign for $name<T> {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                self.ang += other.ang;
                self.lin += other.lin;
            }
        }

        impl<T: Lockstep> Sub for $name<T> {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self::new(self.ang - other.ang, self.lin - other.lin)
            }
        }

        impl<T: Lockstep> Neg for $name<T> {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self::new(-self.ang, -self.lin)
            }
        }
    };
}

linear!(Motion);
linear!(Wrench);

impl<T: Lockstep> Motion<T> {
    /// The unit motion of degree of freedom `i` of six.
    #[inline]
    pub fn unit(i: usize) -> Self {
        let mut motion = Self::zero();
        match i {
            0..3 => motion.ang[i] = T::of(1.0),
            3..6 => motion.lin[i - 3] = T::of(1.0),
            _ => {}
        }
        motion
    }

    /// Power of `wrench` along this motion (W).
    #[inline]
    pub fn dot(&self, wrench: &Wrench<T>) -> T {
        self.ang.dot(&wrench.ang) + self.lin.dot(&wrench.lin)
    }

    /// `self x other`: rate of `other` carried along by `self`.
    #[inline]
    pub fn cross(&self, other: &Self) -> Self {
        Self::new(self.ang.cross(&other.ang), self.ang.cross(&other.lin) + self.lin.cross(&other.ang))
    }

    /// `self x* wrench`: rate of `wrench` carried along by `self`.
    #[inline]
    pub fn cross_wrench(&self, wrench: &Wrench<T>) -> Wrench<T> {
        Wrench::new(self.ang.cross(&wrench.ang) + self.lin.cross(&wrench.lin), self.ang.cross(&wrench.lin))
    }
}

/// The pose of a frame `B` in a frame `A`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T> {
    /// Rotation `R_AB`: `v_A = R_AB v_B`.
    pub rotation: Mat3<T>,
    /// Position of `B`'s origin in `A` (m).
    pub position: Vec3<T>,
}

impl<T: Lockstep> Pose<T> {
    /// The pose with these parts.
    #[inline]
    pub fn new(rotation: Mat3<T>, position: Vec3<T>) -> Self {
        Self { rotation, position }
    }

    /// Both frames coincide.
    #[inline]
    pub fn identity() -> Self {
        Self::new(Mat3::identity(), Vec3::from_element(T::of(0.0)))
    }

    /// The point with position `point` in `B`, as position in `A`.
    #[inline]
    pub fn point(&self, point: &Vec3<T>) -> Vec3<T> {
        self.position + self.rotation * point
    }

    /// A motion given in `A`, expressed in `B` at `B`'s origin.
    #[inline]
    pub fn motion_into(&self, motion: &Motion<T>) -> Motion<T> {
        let lin = motion.lin + motion.ang.cross(&self.position);
        Motion::new(self.rotation.tr_mul(&motion.ang), self.rotation.tr_mul(&lin))
    }

    /// A motion given in `B`, expressed in `A` at `A`'s origin.
    #[inline]
    pub fn motion_out(&self, motion: &Motion<T>) -> Motion<T> {
        let ang = self.rotation * motion.ang;
        Motion::new(ang, self.rotation * motion.lin + self.position.cross(&ang))
    }

    /// A wrench given in `B`, expressed in `A` at `A`'s origin.
    #[inline]
    pub fn wrench_out(&self, wrench: &Wrench<T>) -> Wrench<T> {
        let lin = self.rotation * wrench.lin;
        Wrench::new(self.rotation * wrench.ang + self.position.cross(&lin), lin)
    }

    /// A wrench given in `A`, expressed in `B` at `B`'s origin.
    #[inline]
    pub fn wrench_into(&self, wrench: &Wrench<T>) -> Wrench<T> {
        let ang = wrench.ang - self.position.cross(&wrench.lin);
        Wrench::new(self.rotation.tr_mul(&ang), self.rotation.tr_mul(&wrench.lin))
    }
}

impl<T: Lockstep> Mul for Pose<T> {
    type Output = Self;

    /// `X_AC = X_AB * X_BC`.
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::new(self.rotation * other.rotation, self.point(&other.position))
    }
}

/// The inertia of a rigid body about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia<T> {
    /// Mass (kg).
    pub mass: T,
    /// First moment, mass times centre (kg m).
    pub moment: Vec3<T>,
    /// Second moment about the origin (kg m^2).
    pub tensor: Mat3<T>,
}

impl<T: Lockstep> Inertia<T> {
    /// No mass.
    #[inline]
    pub fn zero() -> Self {
        Self {
            mass: T::of(0.0),
            moment: Vec3::from_element(T::of(0.0)),
            tensor: Mat3::from_element(T::of(0.0)),
        }
    }

    /// From mass (kg), centre (m) and the tensor about the centre (kg m^2), all in the body frame:
    /// `J = J_C - m skew(c) skew(c)`.
    #[inline]
    pub fn about_centre(mass: T, centre: Vec3<T>, tensor: Mat3<T>) -> Self {
        let cross = skew(&centre);
        Self { mass, moment: centre * mass, tensor: tensor - cross * cross * mass }
    }

    /// Momentum of the body moving with `motion`.
    #[inline]
    pub fn momentum(&self, motion: &Motion<T>) -> Wrench<T> {
        Wrench::new(
            self.tensor * motion.ang + self.moment.cross(&motion.lin),
            motion.lin * self.mass - self.moment.cross(&motion.ang),
        )
    }

    /// The same body seen from frame `A`, when `pose` is `X_AB`.
    #[inline]
    pub fn seen_from(&self, pose: &Pose<T>) -> Self {
        let (r, p) = (&pose.rotation, &pose.position);
        let turned = r * self.moment;
        let moment = turned + p * self.mass;
        let tensor = r * self.tensor * r.transpose() - skew(p) * skew(&turned) - skew(&moment) * skew(p);
        Self { mass: self.mass, moment, tensor }
    }
}

impl<T: Lockstep> AddAssign for Inertia<T> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.moment += other.moment;
        self.tensor += other.tensor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::cardan;

    fn pose() -> Pose<f64> {
        Pose::new(cardan([0.3, -0.7, 1.1]), Vec3::new(0.4, -0.2, 0.9))
    }

    /// Power is independent of the frame.
    #[test]
    fn power_is_invariant() {
        let motion = Motion::new(Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.7, -1.1));
        let wrench = Wrench::new(Vec3::new(0.2, 0.9, -0.4), Vec3::new(-1.0, 2.0, 0.1));
        let there = pose().motion_out(&motion);
        assert!((there.dot(&pose().wrench_out(&wrench)) - motion.dot(&wrench)).abs() < 1e-14);
        let back = pose().motion_into(&there);
        assert!((back.ang - motion.ang).norm() + (back.lin - motion.lin).norm() < 1e-14);
    }

    /// ST-R12: the momentum of a body is the same whether the inertia or the momentum is shifted.
    #[test]
    fn shifted_inertia_gives_the_shifted_momentum() {
        let tensor = Mat3::from_diagonal(&Vec3::new(0.1, 0.2, 0.25));
        let body = Inertia::about_centre(2.0, Vec3::new(0.1, 0.3, -0.2), tensor);
        let motion = Motion::new(Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.7, -1.1));
        let moved = body.seen_from(&pose()).momentum(&pose().motion_out(&motion));
        let expected = pose().wrench_out(&body.momentum(&motion));
        assert!((moved.ang - expected.ang).norm() + (moved.lin - expected.lin).norm() < 1e-14);
    }

    /// The cross product with a motion is the rate of a carried motion: `d/dt (X m) = X (V x m)`.
    #[test]
    fn cross_is_the_rate_of_a_carried_motion() {
        let spin = Motion::new(Vec3::new(0.0, 0.0, 2.0), Vec3::zeros());
        let carried = Motion::new(Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
        let step = 1e-6;
        let turn = |t: f64| Pose::new(cardan([0.0, 0.0, 2.0 * t]), Vec3::zeros()).motion_out(&carried);
        let difference = (turn(step) - turn(-step)).scale(0.5 / step);
        let rate = spin.cross(&carried);
        assert!((difference.ang - rate.ang).norm() + (difference.lin - rate.lin).norm() < 1e-9);
    }
}
