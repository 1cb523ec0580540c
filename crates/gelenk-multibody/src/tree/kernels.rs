//! Products of small vectors and matrices for the recursive algorithms.
//!
//! Written out so that each is the shortest chain of multiply-adds: these few lines are where the algorithms spend
//! their time.

use gelenk_math::Lockstep;
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3, Wrench};

/// `a b + c`, in one instruction where the processor has it; where it has not, a call would cost more than it saves.
#[inline(always)]
pub(crate) fn fma<T: Lockstep>(a: T, b: T, c: T) -> T {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

/// `a . b`.
#[inline(always)]
pub(crate) fn dot<T: Lockstep>(a: &Vec3<T>, b: &Vec3<T>) -> T {
    fma(a.z, b.z, fma(a.y, b.y, a.x * b.x))
}

/// `c + a s`.
#[inline(always)]
pub(crate) fn along<T: Lockstep>(a: &Vec3<T>, s: T, c: &Vec3<T>) -> Vec3<T> {
    Vec3::new(fma(a.x, s, c.x), fma(a.y, s, c.y), fma(a.z, s, c.z))
}

/// `c + a x b`.
#[inline(always)]
pub(crate) fn cross<T: Lockstep>(a: &Vec3<T>, b: &Vec3<T>, c: &Vec3<T>) -> Vec3<T> {
    Vec3::new(
        fma(a.y, b.z, fma(-a.z, b.y, c.x)),
        fma(a.z, b.x, fma(-a.x, b.z, c.y)),
        fma(a.x, b.y, fma(-a.y, b.x, c.z)),
    )
}

/// `c + m v`.
#[inline(always)]
pub(crate) fn times<T: Lockstep>(m: &Mat3<T>, v: &Vec3<T>, c: &Vec3<T>) -> Vec3<T> {
    let row = |i: usize, c: T| fma(m[(i, 2)], v.z, fma(m[(i, 1)], v.y, fma(m[(i, 0)], v.x, c)));
    Vec3::new(row(0, c.x), row(1, c.y), row(2, c.z))
}

/// `r v`.
#[inline(always)]
pub(crate) fn turn_out<T: Lockstep>(r: &Mat3<T>, v: &Vec3<T>) -> Vec3<T> {
    let row = |i: usize| fma(r[(i, 2)], v.z, fma(r[(i, 1)], v.y, r[(i, 0)] * v.x));
    Vec3::new(row(0), row(1), row(2))
}

/// `r^T v`.
#[inline(always)]
pub(crate) fn turn_into<T: Lockstep>(r: &Mat3<T>, v: &Vec3<T>) -> Vec3<T> {
    let column = |k: usize| fma(r[(2, k)], v.z, fma(r[(1, k)], v.y, r[(0, k)] * v.x));
    Vec3::new(column(0), column(1), column(2))
}

/// [`Pose::motion_into`].
#[inline(always)]
pub(crate) fn motion_into<T: Lockstep>(pose: &Pose<T>, motion: &Motion<T>) -> Motion<T> {
    let lin = cross(&motion.ang, &pose.position, &motion.lin);
    Motion::new(turn_into(&pose.rotation, &motion.ang), turn_into(&pose.rotation, &lin))
}

/// [`Pose::wrench_out`].
#[inline(always)]
pub(crate) fn wrench_out<T: Lockstep>(pose: &Pose<T>, wrench: &Wrench<T>) -> Wrench<T> {
    let lin = turn_out(&pose.rotation, &wrench.lin);
    Wrench::new(cross(&pose.position, &lin, &turn_out(&pose.rotation, &wrench.ang)), lin)
}
