//! The rotation vector `phi u`: exponential and logarithm of a rotation.

use super::{Extracted, Margin, Parametrisation, SingularError, difference, to_quaternion};
use crate::Real;
use crate::spatial::{Mat3, Vec3, skew};

/// Terms of the power series below one radian: the next one is under `1 / 23!`.
const TERMS: u32 = 10;

/// The coefficients of the exponential as functions of `x = phi^2`, where all of them are smooth.
struct Coefficients<T> {
    /// `sin phi / phi`.
    sine: T,
    /// `(1 - cos phi) / phi^2`.
    cosine: T,
    /// `(phi - sin phi) / phi^3`.
    cubic: T,
    /// Derivative of `cosine` with respect to `x`.
    cosine_slope: T,
    /// Derivative of `cubic` with respect to `x`.
    cubic_slope: T,
}

impl<T: Real> Coefficients<T> {
    fn of(x: T) -> Self {
        let one = T::c(1.0);
        if x.re() < 1.0 {
            return Self {
                sine: series(x, 1),
                cosine: series(x, 2),
                cubic: series(x, 3),
                cosine_slope: series_slope(x, 2),
                cubic_slope: series_slope(x, 3),
            };
        }
        let phi = x.sqrt();
        let sine = phi.sin() / phi;
        // Half angles, because 1 - cos loses its digits near whole turns.
        let half = (phi * T::c(0.5)).sin();
        let cosine = T::c(2.0) * half * half / x;
        let cubic = (one - sine) / x;
        Self {
            sine,
            cosine,
            cubic,
            cosine_slope: (sine - T::c(2.0) * cosine) / (T::c(2.0) * x),
            cubic_slope: (cosine - T::c(3.0) * cubic) / (T::c(2.0) * x),
        }
    }
}

/// `sum_n (-x)^n / (2 n + k)!`.
fn series<T: Real>(x: T, k: u32) -> T {
    let mut sum = T::c(0.0);
    for n in (0..=TERMS).rev() {
        sum = T::c(1.0 / factorial(2 * n + k)) - x * sum;
    }
    sum
}

/// Derivative of [`series`] with respect to `x`.
fn series_slope<T: Real>(x: T, k: u32) -> T {
    let mut sum = T::c(0.0);
    for n in (1..=TERMS).rev() {
        sum = T::c(f64::from(n) / factorial(2 * n + k)) - x * sum;
    }
    -sum
}

fn factorial(n: u32) -> f64 {
    (2..=n).fold(1.0, |product, k| product * f64::from(k))
}

/// The rotation matrix of a rotation vector `phi u` (rad): the exponential of `skew(phi u)`.
pub fn from_rotation_vector<T: Real>(v: &Vec3<T>) -> Mat3<T> {
    let c = Coefficients::of(v.dot(v));
    let cross = skew(v);
    Mat3::identity() + cross * c.sine + cross * cross * c.cosine
}

/// The rotation vector (rad, length at most pi) of a rotation matrix: its logarithm.
///
/// The margin is `cos(phi/2)`. At the half turn `v` and `-v` mean the same rotation; which one comes out there
/// is not promised.
pub fn to_rotation_vector<T: Real>(r: &Mat3<T>) -> Extracted<Vec3<T>> {
    let q = to_quaternion(r);
    let identity = [T::c(1.0), T::c(0.0), T::c(0.0), T::c(0.0)];
    let margin = Margin { parametrisation: Parametrisation::RotationVector, value: q[0].re() };
    Extracted { parameters: difference(identity, q), margin }
}

/// The rate map `G = I + (1 - cos phi)/phi^2 S + (phi - sin phi)/phi^3 S S` with `S = skew(v)` of
/// `w_AB_A = G v'`, in the parent frame.
pub fn rotation_vector_rate_map<T: Real>(v: &Vec3<T>) -> Mat3<T> {
    let c = Coefficients::of(v.dot(v));
    let cross = skew(v);
    Mat3::identity() + cross * c.cosine + cross * cross * c.cubic
}

/// The time derivative of [`rotation_vector_rate_map`] under the rate `dv` (rad/s).
pub fn rotation_vector_rate_map_dot<T: Real>(v: &Vec3<T>, dv: &Vec3<T>) -> Mat3<T> {
    let c = Coefficients::of(v.dot(v));
    let (cross, turning) = (skew(v), skew(dv));
    let growth = T::c(2.0) * v.dot(dv);
    cross * (c.cosine_slope * growth)
        + turning * c.cosine
        + cross * cross * (c.cubic_slope * growth)
        + (turning * cross + cross * turning) * c.cubic
}

/// The inverse of the rate map: `v' = (I - S/2 + (1 - (phi/2) cot(phi/2))/phi^2 S S) w_AB_A`.
///
/// # Errors
/// The vector is a whole turn (or several), where the map has no inverse. The zero vector is regular.
pub fn rotation_vector_rate_map_inverse<T: Real>(v: &Vec3<T>) -> Result<Mat3<T>, SingularError> {
    let c = Coefficients::of(v.dot(v));
    // 2 (1 - cos phi) / phi^2 is the square of sin(phi/2) / (phi/2).
    let value = (2.0 * c.cosine.re()).sqrt();
    Margin { parametrisation: Parametrisation::RotationVectorRate, value }.check()?;
    let cross = skew(v);
    // The last coefficient is -1 times the logarithmic slope of (1 - cos phi)/phi^2.
    Ok(Mat3::identity() - cross * T::c(0.5) - cross * cross * (c.cosine_slope / c.cosine))
}
