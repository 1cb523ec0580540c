//! Stops of ball joints by swing and twist.
//!
//! A quaternion has no scalar coordinates to stop. With the unit quaternion `(w, v)` of the child in the joint frame, a
//! unit axis `u` and `s = v . u`, the rotation is a twist about `u` followed by a swing that tilts `u`:
//!
//! ```text
//! twist = 2 atan2(s, w)                                  within half a turn, w >= 0
//! swing = 2 atan2(|v - s u|, sqrt(w^2 + s^2))            the angle between u and its image
//! ```
//!
//! Their rates are `g . w_B` with the angular velocity `w_B` in the child's frame and the gradients
//!
//! ```text
//! g_twist = (w^2 u + w u x v + s v)/(w^2 + s^2)
//! g_swing = n/|n|,   n = (s v - w v x u) x u
//! ```
//!
//! so a torque `-F g` for every penetration is the gradient of the stored energy: without damping a stop takes nothing.
//! The twist is singular where the swing is half a turn; the direction of the swing is undefined where there is none,
//! which no stop reaches.

use gelenk_laws::stop::Stop;
use gelenk_math::Real;
use gelenk_math::spatial::Vec3;
use gelenk_system::Param;

use crate::data::Data;
use crate::forces::angle;
use crate::mechanism::Mechanism;

/// A stop of a ball joint.
#[derive(Clone, Debug)]
pub(crate) struct BallStopRun {
    /// First component of the quaternion and of the angular velocity, in the table that expressions read.
    pub(crate) quaternion: usize,
    pub(crate) rate: usize,
    /// First component of the angular velocity in `v`.
    pub(crate) v: usize,
    pub(crate) axis: [Param; 3],
    pub(crate) swing: Param,
    pub(crate) twist: [Param; 2],
    pub(crate) stiffness: Param,
    pub(crate) exponent: Param,
    pub(crate) damping: Param,
    pub(crate) depth: Param,
    pub(crate) clamp: bool,
}

/// Contacts of a stop: swing, lower and upper twist.
pub(crate) const CONTACTS: usize = 3;

/// One contact: how deep, and what changes that.
struct Contact<T: Real> {
    penetration: T,
    gradient: Vec3<T>,
    rate: T,
}

impl Mechanism {
    fn contacts<T: Real>(&self, d: &Data<T>, run: &BallStopRun) -> (Stop<T>, [Contact<T>; CONTACTS]) {
        let param = |p: Param| d.param(self, p);
        let stop = Stop {
            stiffness: param(run.stiffness),
            exponent: param(run.exponent),
            damping: param(run.damping),
            depth: param(run.depth),
            clamp: run.clamp,
        };
        let axis = Vec3::new(param(run.axis[0]), param(run.axis[1]), param(run.axis[2]));
        let u = axis / axis.norm();
        let at = |k: usize| d.table[run.quaternion + k];
        // Both signs are the same rotation; the twist is told within half a turn.
        let side = T::c(if at(0).re() < 0.0 { -1.0 } else { 1.0 });
        let (w, v) = (at(0) * side, Vec3::new(at(1), at(2), at(3)) * side);
        let s = v.dot(&u);
        let along = w * w + s * s;
        let twist = angle(s, w) * T::c(2.0);
        let twisting = (u * (w * w) + u.cross(&v) * w + v * s) / along;
        let tilt = (v * s - v.cross(&u) * w).cross(&u);
        let across = v - u * s;
        let still = Vec3::from_element(T::c(0.0));
        let (swing, swinging) = if across.norm_squared().re() > 0.0 {
            (angle(across.norm(), along.sqrt()) * T::c(2.0), tilt / tilt.norm())
        } else {
            (T::c(0.0), still)
        };
        let turn = Vec3::new(d.table[run.rate], d.table[run.rate + 1], d.table[run.rate + 2]);
        let contact =
            |penetration: T, gradient: Vec3<T>| Contact { penetration, gradient, rate: gradient.dot(&turn) };
        let contacts = [
            contact(swing - param(run.swing), swinging),
            contact(param(run.twist[0]) - twist, -twisting),
            contact(twist - param(run.twist[1]), twisting),
        ];
        (stop, contacts)
    }

    /// Adds the efforts; returns the elastic power, the power of the damping, and the sum of the moments.
    pub(crate) fn ball_stop<T: Real>(
        &self,
        d: &mut Data<T>,
        run: &BallStopRun,
        m: &[f64],
        stepped: bool,
    ) -> [T; 3] {
        let (stop, contacts) = self.contacts(d, run);
        let [mut elastic, mut damped, mut moment] = [T::c(0.0); 3];
        for (k, Contact { penetration, gradient, rate }) in contacts.into_iter().enumerate() {
            // In continuous mode the memory says which contact is on, so that no step meets a kink.
            let modes = (!stepped).then(|| (m[k] != 0.0, m[CONTACTS + k] != 0.0));
            if !modes.map_or(penetration.re() > 0.0, |(closed, _)| closed) {
                continue;
            }
            let [spring, damping] = stop.in_contact(penetration, rate);
            let pulls = modes.map_or((spring + damping).re() < 0.0, |(_, pulls)| pulls);
            let total = if stop.clamp && pulls { T::c(0.0) } else { spring + damping };
            elastic -= spring * rate;
            damped -= (total - spring) * rate;
            moment += total;
            for i in 0..3 {
                d.effort[run.v + i] -= gradient[i] * total;
            }
        }
        [elastic, damped, moment]
    }

    /// Energy that the stop holds.
    pub(crate) fn ball_stop_energy<T: Real>(&self, d: &Data<T>, run: &BallStopRun) -> T {
        let (stop, contacts) = self.contacts(d, run);
        contacts.iter().fold(T::c(0.0), |sum, contact| sum + stop.stored(contact.penetration))
    }

    /// What the modes depend on: the penetrations, then the pulls that the clamp takes away; each is on while positive.
    pub(crate) fn ball_stop_signs(&self, d: &Data<f64>, run: &BallStopRun) -> [f64; 2 * CONTACTS] {
        let (stop, contacts) = self.contacts(d, run);
        std::array::from_fn(|k| {
            let Contact { penetration, rate, .. } = contacts[k % CONTACTS];
            if k < CONTACTS {
                return penetration;
            }
            let [elastic, damping] = stop.in_contact(penetration, rate);
            if stop.clamp && penetration > 0.0 { -elastic - damping } else { 0.0 }
        })
    }
}

/// What is said where a mode of a stop changes; the first `contacts` modes are its contacts.
pub(crate) fn told(mode: usize, contacts: usize, on: bool) -> &'static str {
    match (mode < contacts, on) {
        (true, true) => "contact closes",
        (true, false) => "contact opens",
        (false, true) => "rebound without force",
        (false, false) => "force again",
    }
}

/// Settles the modes of a stop on what they depend on.
pub(crate) fn settle(signs: &[f64], m: &mut [f64]) {
    for (mode, &sign) in m.iter_mut().zip(signs) {
        *mode = if sign > 0.0 { 1.0 } else { 0.0 };
    }
}

/// Switching functions of the modes of a stop: each is valid while its function is not negative.
pub(crate) fn switching(signs: &[f64], m: &[f64], g: &mut [f64]) {
    for ((g, &mode), &sign) in g.iter_mut().zip(m).zip(signs) {
        *g = if mode == 0.0 { -sign } else { sign };
    }
}
