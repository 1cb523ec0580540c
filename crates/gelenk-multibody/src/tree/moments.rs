//! Mass distributions by their moments, and symmetric matrices.
//!
//! A rigid body's accelerations are affine in the place: the point at `r` has `a + A r` with
//! `A = skew(w') + skew(w)^2`. Its inertial wrench is then linear in the moments of its mass,
//! `int dm`, `int r dm` and `int r r^T dm` (together the pseudo-inertia of Wensing, Kim and Slotine, *Linear matrix
//! inequalities for physically consistent inertial parameter identification*, 2018): neither the angular momentum nor
//! the velocity of the origin is needed.

use std::ops::AddAssign;

use gelenk_math::Lockstep;
use gelenk_math::spatial::{Inertia, Mat3, Pose, Vec3, Wrench};

use crate::tree::kernels::{along, dot, fma, times, turn_out};

/// A symmetric 3x3 matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetric<T> {
    pub(crate) xx: T,
    pub(crate) yy: T,
    pub(crate) zz: T,
    pub(crate) xy: T,
    pub(crate) xz: T,
    pub(crate) yz: T,
}

impl<T: Lockstep> Symmetric<T> {
    /// The multiple `value` of the identity.
    #[inline]
    pub(crate) fn diagonal(value: T) -> Self {
        let o = T::of(0.0);
        Self { xx: value, yy: value, zz: value, xy: o, xz: o, yz: o }
    }

    /// `tr(S) 1 - S`: takes the second moments of a mass to its inertia tensor.
    #[inline]
    pub(crate) fn complement(&self) -> Self {
        Self {
            xx: self.yy + self.zz,
            yy: self.xx + self.zz,
            zz: self.xx + self.yy,
            xy: -self.xy,
            xz: -self.xz,
            yz: -self.yz,
        }
    }

    #[inline]
    pub(crate) fn times(&self, v: &Vec3<T>) -> Vec3<T> {
        Vec3::new(
            fma(self.xz, v.z, fma(self.xy, v.y, self.xx * v.x)),
            fma(self.yz, v.z, fma(self.yy, v.y, self.xy * v.x)),
            fma(self.zz, v.z, fma(self.yz, v.y, self.xz * v.x)),
        )
    }

    /// `r S r^T`.
    #[inline]
    pub(crate) fn turned(&self, r: &Mat3<T>) -> Self {
        let row = |i: usize| Vec3::new(r[(i, 0)], r[(i, 1)], r[(i, 2)]);
        let rows = [row(0), row(1), row(2)];
        let half = rows.map(|row| self.times(&row));
        Self::of(|i, k| dot(&half[i], &rows[k]))
    }

    /// All nine entries.
    #[inline]
    pub(crate) fn matrix(&self) -> Mat3<T> {
        Mat3::new(self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz)
    }

    /// The matrix with its entries changed by `entry(row, column, before)`.
    #[inline]
    pub(crate) fn plus(&self, entry: impl Fn(usize, usize, T) -> T) -> Self {
        Self {
            xx: entry(0, 0, self.xx),
            yy: entry(1, 1, self.yy),
            zz: entry(2, 2, self.zz),
            xy: entry(0, 1, self.xy),
            xz: entry(0, 2, self.xz),
            yz: entry(1, 2, self.yz),
        }
    }

    /// The matrix with the entries `entry(row, column)`, of which only one of each pair is asked for.
    #[inline]
    pub(crate) fn of(entry: impl Fn(usize, usize) -> T) -> Self {
        Self {
            xx: entry(0, 0),
            yy: entry(1, 1),
            zz: entry(2, 2),
            xy: entry(0, 1),
            xz: entry(0, 2),
            yz: entry(1, 2),
        }
    }
}

impl<T: Lockstep> AddAssign for Symmetric<T> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.xx += other.xx;
        self.yy += other.yy;
        self.zz += other.zz;
        self.xy += other.xy;
        self.xz += other.xz;
        self.yz += other.yz;
    }
}

/// The accelerations of a rigid body: the point at `r` has `origin + gradient r`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<T> {
    pub(crate) origin: Vec3<T>,
    pub(crate) gradient: Mat3<T>,
}

impl<T: Lockstep> Field<T> {
    /// Acceleration of the origin, angular velocity and angular acceleration.
    #[inline]
    pub(crate) fn new(origin: Vec3<T>, w: &Vec3<T>, dw: &Vec3<T>) -> Self {
        let (xx, yy, zz) = (w.x * w.x, w.y * w.y, w.z * w.z);
        let (xy, xz, yz) = (w.x * w.y, w.x * w.z, w.y * w.z);
        let gradient = Mat3::new(
            -(yy + zz),
            xy - dw.z,
            xz + dw.y,
            xy + dw.z,
            -(xx + zz),
            yz - dw.x,
            xz - dw.y,
            yz + dw.x,
            -(xx + yy),
        );
        Self { origin, gradient }
    }

    /// Acceleration of the point at `r`.
    #[inline]
    pub(crate) fn at(&self, r: &Vec3<T>) -> Vec3<T> {
        times(&self.gradient, r, &self.origin)
    }
}

/// Moments of a mass distribution about the origin of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments<T> {
    /// `int dm` (kg).
    pub(crate) mass: T,
    /// `int r dm` (kg m).
    pub(crate) first: Vec3<T>,
    /// `int r r^T dm` (kg m^2).
    pub(crate) second: Symmetric<T>,
}

impl<T: Lockstep> Moments<T> {
    /// Of a rigid body: the second moments are `tr(J)/2 1 - J`.
    pub(crate) fn new(inertia: &Inertia<T>) -> Self {
        let j = &inertia.tensor;
        let half = j.trace() * T::of(0.5);
        let o = T::of(0.0);
        let second = Symmetric::of(|i, k| if i == k { half } else { o } - j[(i, k)]);
        Self { mass: inertia.mass, first: inertia.moment, second }
    }

    /// The wrench about the origin that gives the mass the accelerations of `field`.
    #[inline]
    pub(crate) fn wrench(&self, field: &Field<T>) -> Wrench<T> {
        let (h, s) = (&self.first, &self.second);
        let row = |i: usize| (field.gradient[(i, 0)], field.gradient[(i, 1)], field.gradient[(i, 2)]);
        let (a, (x, y, z)) = (&field.origin, (row(0), row(1), row(2)));
        // int a_i r_j dm; the moment is the axial vector of this matrix.
        let xy = fma(x.2, s.yz, fma(x.1, s.yy, fma(x.0, s.xy, a.x * h.y)));
        let xz = fma(x.2, s.zz, fma(x.1, s.yz, fma(x.0, s.xz, a.x * h.z)));
        let yx = fma(y.2, s.xz, fma(y.1, s.xy, fma(y.0, s.xx, a.y * h.x)));
        let yz = fma(y.2, s.zz, fma(y.1, s.yz, fma(y.0, s.xz, a.y * h.z)));
        let zx = fma(z.2, s.xz, fma(z.1, s.xy, fma(z.0, s.xx, a.z * h.x)));
        let zy = fma(z.2, s.yz, fma(z.1, s.yy, fma(z.0, s.xy, a.z * h.y)));
        let force = times(&field.gradient, h, &(a * self.mass));
        Wrench::new(Vec3::new(zy - yz, xz - zx, yx - xy), force)
    }

    /// Momentum of a unit turn about `axis` through the origin.
    #[inline]
    pub(crate) fn of_turn(&self, axis: &Vec3<T>) -> Wrench<T> {
        Wrench::new(self.second.complement().times(axis), axis.cross(&self.first))
    }

    /// Momentum of a unit shift along `axis`.
    #[inline]
    pub(crate) fn of_shift(&self, axis: &Vec3<T>) -> Wrench<T> {
        Wrench::new(self.first.cross(axis), axis * self.mass)
    }

    /// The same mass seen from frame `A`, when `pose` is `X_AB`.
    #[inline]
    pub(crate) fn seen_from(&self, pose: &Pose<T>) -> Self {
        let (r, p) = (&pose.rotation, &pose.position);
        let turned = turn_out(r, &self.first);
        let first = along(p, self.mass, &turned);
        // int (R r + p)(R r + p)^T dm = R S R^T + R h p^T + p (R h + m p)^T
        let second =
            self.second.turned(r).plus(|i, k, entry| fma(turned[i], p[k], fma(p[i], first[k], entry)));
        Self { mass: self.mass, first, second }
    }
}

impl<T: Lockstep> AddAssign for Moments<T> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
    }
}
