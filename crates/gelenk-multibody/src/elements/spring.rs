//! Linear spring and damper.

use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::{Lockstep, Real};

use super::contract::{Act, ELASTIC_AND_DAMPING, Element, ElementSpec, Look, PlaceKind, fixed};
use super::lane::in_lanes;

/// `F = -k (x - x_0) - d dx/dt` along a displacement `x`.
pub struct Spring;

impl Element for Spring {
    const SPEC: ElementSpec = ElementSpec {
        name: "spring",
        table: "",
        title: "Linear spring and damper on a coordinate.",
        equation: "F = -k (x - x_0) - d dx/dt",
        source: "stelzner 3.10",
        place: PlaceKind::Scalar,
        params: &[
            ParamSpec::positive("stiffness", "k", Kind::Stiffness, "Stiffness.").or_zero(),
            ParamSpec::positive("damping", "d", Kind::Damping, "Damping.").or_zero().or(0.0),
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

    in_lanes! {}

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        let [stiffness, damping, rest] = fixed(e.look.p);
        e.push(0, 0, -stiffness * (e.look.x[0] - rest));
        e.push(1, 0, -damping * e.look.v[0]);
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let [stiffness, _, rest] = fixed(look.p);
        let stretch = look.x[0] - rest;
        stored[0] = stiffness * stretch * stretch * T::c(0.5);
    }
}
