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

use gelenk_laws::{Kind, ParamSpec, stop};
use gelenk_math::Real;
use gelenk_math::spatial::Vec3;
use gelenk_record::Change;

use super::contract::{Act, ELASTIC_AND_DAMPING, Element, ElementSpec, Look, PlaceKind, Step, fixed};
use super::modes;
use crate::tree::forces::angle;

/// The law of a stop ([`gelenk_laws::stop`]) on the swing and the twist of a ball joint.
pub struct BallStop;

/// Contacts of a stop: swing, lower and upper twist.
const CONTACTS: usize = 3;

/// One contact: how deep, and what changes that.
struct Contact<T: Real> {
    penetration: T,
    gradient: Vec3<T>,
    rate: T,
}

impl BallStop {
    fn contacts<T: Real>(look: &Look<'_, T>) -> (stop::Stop<T>, [Contact<T>; CONTACTS]) {
        let [x, y, z, most, lower, upper, stiffness, exponent, damping, depth, clamp] = fixed(look.p);
        let law = stop::Stop { stiffness, exponent, damping, depth, clamp: clamp.re() != 0.0 };
        let axis = Vec3::new(x, y, z);
        let u = axis / axis.norm();
        let q = look.x;
        // Both signs are the same rotation; the twist is told within half a turn.
        let side = T::c(if q[0].re() < 0.0 { -1.0 } else { 1.0 });
        let (w, v) = (q[0] * side, Vec3::new(q[1], q[2], q[3]) * side);
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
        let turn = Vec3::new(look.v[0], look.v[1], look.v[2]);
        let contact =
            |penetration: T, gradient: Vec3<T>| Contact { penetration, gradient, rate: gradient.dot(&turn) };
        let contacts = [
            contact(swing - most, swinging),
            contact(lower - twist, -twisting),
            contact(twist - upper, twisting),
        ];
        (law, contacts)
    }

    /// What the modes depend on: the penetrations, then the pulls that the clamp takes away; each is on while positive.
    fn signs(look: &Look<'_, f64>) -> [f64; 2 * CONTACTS] {
        let (stop, contacts) = Self::contacts(look);
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

impl Element for BallStop {
    const SPEC: ElementSpec = ElementSpec {
        name: "ball-stop",
        table: "",
        title: "Elastic stops of a ball joint, by swing and twist.",
        equation: "M = -g (c e_p^e + d de_p/dt ramp(e_p/e_d))",
        source: "stelzner 3.10",
        place: PlaceKind::Ball,
        params: &[
            ParamSpec::axis("axis", "u", "Axis of the twist in the joint frame, of any length but zero."),
            ParamSpec::positive(
                "swing",
                "",
                Kind::Displacement,
                "Largest angle between the axis and its image; no limit if omitted.",
            )
            .or_infinite()
            .or(f64::INFINITY),
            ParamSpec::limits(
                "twist",
                "",
                Kind::Displacement,
                "Lower and upper limit of the rotation about the axis, within half a revolution; an infinite one is absent.",
            )
            .or(f64::INFINITY),
            ParamSpec::positive("stiffness", "c", Kind::Stiffness, "Stiffness beyond the limit.")
                .per_power("exponent"),
            ParamSpec::positive("exponent", "e", Kind::Ratio, "Exponent of the penetration, at least 1.")
                .not_below(1.0)
                .or(1.0),
            ParamSpec::positive("damping", "d", Kind::Damping, "Damping beyond the limit.").or_zero().or(0.0),
            ParamSpec::positive(
                "depth",
                "e_d",
                Kind::Displacement,
                "Penetration at which the damping reaches its full value; with 0 it acts in full at once.",
            )
            .or_zero()
            .or(0.0),
            ParamSpec::flag("clamp", true, "Whether it is prevented from pulling on rebound."),
        ],
        inputs: &[],
        outputs: &[],
        accounts: ELASTIC_AND_DAMPING,
    };

    fn key(&self) -> &'static str {
        "stop"
    }

    fn memory(&self, _: usize) -> usize {
        2 * CONTACTS
    }

    fn switches(&self, _: usize) -> usize {
        2 * CONTACTS
    }

    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        let (stop, contacts) = Self::contacts(&e.look);
        for (k, Contact { penetration, gradient, rate }) in contacts.into_iter().enumerate() {
            // In continuous mode the memory says which contact is on, so that no step meets a kink.
            let modes = (e.step == Step::Rate).then(|| (e.look.m[k] != 0.0, e.look.m[CONTACTS + k] != 0.0));
            if !modes.map_or(penetration.re() > 0.0, |(closed, _)| closed) {
                continue;
            }
            let [spring, damping] = stop.in_contact(penetration, rate);
            let pulls = modes.map_or((spring + damping).re() < 0.0, |(_, pulls)| pulls);
            let total = if stop.clamp && pulls { T::c(0.0) } else { spring + damping };
            e.power(0, -spring * rate);
            e.power(1, -(total - spring) * rate);
            for i in 0..3 {
                e.exert(i, -gradient[i] * total);
            }
        }
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let (stop, contacts) = Self::contacts(look);
        stored[0] = contacts.iter().fold(T::c(0.0), |sum, contact| sum + stop.stored(contact.penetration));
    }

    fn commit(&self, look: &Look<'_, f64>, m: &mut [f64]) {
        modes::settle(&Self::signs(look), m);
    }

    fn switching(&self, look: &Look<'_, f64>, g: &mut [f64]) {
        modes::switching(&Self::signs(look), look.m, g);
    }

    fn switch(&self, _: &Look<'_, f64>, index: usize, _: &mut [f64], m: &mut [f64]) -> Option<Change> {
        Some(modes::turn(index, CONTACTS, m))
    }
}
