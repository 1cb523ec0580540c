//! Stops at both ends of a range.

use gelenk_laws::{Kind, ParamSpec, stop};
use gelenk_math::Real;
use gelenk_record::Change;

use super::contract::{Act, ELASTIC_AND_DAMPING, Element, ElementSpec, Look, PlaceKind, Step, fixed};
use super::modes;

/// The law of a stop ([`gelenk_laws::stop`]) below the lower and above the upper limit of a displacement.
pub struct Stop;

/// A contact at each end.
const CONTACTS: usize = 2;

impl Stop {
    /// The law, and the penetrations below the lower and above the upper limit.
    fn law<T: Real>(look: &Look<'_, T>) -> (stop::Stop<T>, [T; 2]) {
        let [lower, upper, stiffness, exponent, damping, depth, clamp] = fixed(look.p);
        let law = stop::Stop { stiffness, exponent, damping, depth, clamp: clamp.re() != 0.0 };
        (law, [lower - look.x[0], look.x[0] - upper])
    }

    /// What the modes depend on: the penetrations, and the pull that the clamp takes away there. Each mode is on while its
    /// value is positive.
    fn signs(look: &Look<'_, f64>) -> [f64; 2 * CONTACTS] {
        let (stop, [below, above]) = Self::law(look);
        let pull = |penetration: f64, rate: f64| {
            let [elastic, damping] = stop.in_contact(penetration, rate);
            if stop.clamp && penetration > 0.0 { -elastic - damping } else { 0.0 }
        };
        [below, above, pull(below, -look.v[0]), pull(above, look.v[0])]
    }
}

impl Element for Stop {
    const SPEC: ElementSpec = ElementSpec {
        name: "stop",
        table: "",
        title: "Elastic stops at both ends of a range.",
        equation: "F = c e_p^e + d de_p/dt ramp(e_p/e_d)",
        source: "stelzner 3.10",
        place: PlaceKind::Scalar,
        params: &[
            ParamSpec::limits(
                "range",
                "x_l, x_u",
                Kind::Displacement,
                "Lower and upper limit; an infinite one is absent.",
            ),
            ParamSpec::positive(
                "stiffness",
                "c",
                Kind::Stiffness,
                "Stiffness beyond the limit; 0 for a range without force.",
            )
            .or_zero()
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

    #[inline]
    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        let (stop, depths) = Self::law(&e.look);
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            // In continuous mode the memory says which contact is on, so that no step meets a kink.
            let modes = (e.step == Step::Rate).then(|| (e.look.m[k], e.look.m[CONTACTS + k]));
            if modes.map_or(depths[k].re() <= 0.0, |(closed, _)| closed == 0.0) {
                continue;
            }
            let [spring, damping] = stop.in_contact(depths[k], e.look.v[0] * T::c(-sign));
            let pulls = modes.map_or((spring + damping).re() < 0.0, |(_, pulls)| pulls != 0.0);
            e.push(0, 0, spring * T::c(sign));
            // A clamp takes the pull away, and with it what the spring would still give back.
            let rest = if stop.clamp && pulls { -spring } else { damping };
            e.push(1, 0, rest * T::c(sign));
        }
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let (stop, [below, above]) = Self::law(look);
        stored[0] = stop.stored(below) + stop.stored(above);
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

    fn range(&self, p: &[f64]) -> Option<[f64; 2]> {
        let [lower, upper] = fixed(p);
        Some([lower, upper])
    }
}
