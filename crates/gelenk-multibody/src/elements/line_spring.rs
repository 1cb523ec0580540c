//! Linear spring and damper between two points.

use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::{Lockstep, Real};

use super::contract::{Act, ELASTIC_AND_DAMPING, Element, ElementSpec, Look, PlaceKind};
use super::lane::in_lanes;
use super::spring::Spring;

/// The linear spring along the line between the origins of two frames; its rest is a length.
pub struct LineSpring;

impl Element for LineSpring {
    const SPEC: ElementSpec = ElementSpec {
        name: "spring",
        table: "springs",
        title: "A spring and damper along the line between the origins of two frames.",
        equation: "tension = k (l - l_0) + d dl/dt",
        source: "stelzner 3.10",
        place: PlaceKind::Line,
        params: &[
            ParamSpec::positive("stiffness", "k", Kind::Stiffness, "Stiffness.").or_zero(),
            ParamSpec::positive("damping", "d", Kind::Damping, "Damping.").or_zero().or(0.0),
            ParamSpec::positive(
                "length",
                "l_0",
                Kind::Displacement,
                "Length at which the spring is relaxed.",
            )
            .or_zero(),
        ],
        inputs: &[],
        outputs: &[],
        accounts: ELASTIC_AND_DAMPING,
    };

    in_lanes! {}
    fn drawn(&self) -> Option<&'static str> {
        Some("spring")
    }

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        Spring.act_lanes(e);
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        Spring.stored(look, stored);
    }
}
