//! Spring with an exponent, and damping that grows with the stretch.

use gelenk_laws::stop::Stop;
use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::Real;

use super::contract::{Act, ELASTIC_AND_DAMPING, Element, ElementSpec, Look, PlaceKind, fixed};

/// The law of a stop ([`gelenk_laws::stop`]) to both sides of the rest value:
/// `F = -sign(x) k |x|^e - d ramp(|x|) dx/dt`.
pub struct PowerSpring;

impl PowerSpring {
    /// The law, the stretch beyond the rest value as a positive number, and its sign.
    fn law<T: Real>(look: &Look<'_, T>) -> (Stop<T>, T, T) {
        let [stiffness, exponent, damping, depth, rest] = fixed(look.p);
        let stretch = look.x[0] - rest;
        let side = T::c(if stretch.re() < 0.0 { -1.0 } else { 1.0 });
        (Stop { stiffness, exponent, damping, depth, clamp: false }, stretch * side, side)
    }
}

impl Element for PowerSpring {
    const SPEC: ElementSpec = ElementSpec {
        name: "power-spring",
        table: "",
        title: "Spring with an exponent and damper on a coordinate.",
        equation: "F = -sign(x - x_0) k |x - x_0|^e - d ramp(|x - x_0|) dx/dt",
        source: "stelzner 3.10",
        place: PlaceKind::Scalar,
        params: &[
            ParamSpec::positive("stiffness", "k", Kind::Stiffness, "Stiffness.")
                .or_zero()
                .per_power("exponent"),
            ParamSpec::positive("exponent", "e", Kind::Ratio, "Exponent of the stretch, at least 1.")
                .not_below(1.0)
                .or(1.0),
            ParamSpec::positive("damping", "d", Kind::Damping, "Damping.").or_zero().or(0.0),
            ParamSpec::positive(
                "depth",
                "e_d",
                Kind::Displacement,
                "Stretch at which the damping reaches its full value; with 0 it acts in full at once.",
            )
            .or_zero()
            .or(0.0),
            ParamSpec::positive("rest", "x_0", Kind::Displacement, "Displacement at which it is relaxed.")
                .signed()
                .or(0.0),
        ],
        inputs: &[],
        outputs: &[],
        accounts: ELASTIC_AND_DAMPING,
    };

    fn key(&self) -> &'static str {
        "spring"
    }

    #[inline]
    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        let (law, stretch, side) = Self::law(&e.look);
        let [elastic, damping] = law.in_contact(stretch, e.look.v[0] * side);
        e.push(0, 0, -elastic * side);
        e.push(1, 0, -damping * side);
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let (law, stretch, _) = Self::law(look);
        stored[0] = law.stored(stretch);
    }
}
