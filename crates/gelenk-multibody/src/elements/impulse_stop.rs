//! Stops at both ends of a range by impulses.

use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::Real;

use super::attachment::Attachment;
use super::contract::{Act, Element, ElementSpec, Holding, Limits, PlaceKind, WORK, fixed};

/// A rebound with a restitution where a coordinate hits a limit, and rest. What it does is done by impulses
/// (`impacts`) and, at rest, by a hold (`holds`).
pub struct ImpulseStop;

impl Element for ImpulseStop {
    const SPEC: ElementSpec = ElementSpec {
        name: "impulse stop",
        table: "",
        title: "Stops at both ends of a range by impulses: a rebound without duration, and rest.",
        equation: "n+ = -e n-",
        source: "stelzner 3.10",
        place: PlaceKind::Coordinate,
        params: &[
            ParamSpec::limits(
                "range",
                "x_l, x_u",
                Kind::Displacement,
                "Lower and upper limit; an infinite one is absent.",
            ),
            ParamSpec::positive(
                "restitution",
                "e",
                Kind::Ratio,
                "Restitution: 0 keeps nothing of the speed, 1 all of it.",
            )
            .or_zero()
            .up_to(1.0),
            ParamSpec::choice(
                "law",
                "",
                &["newton", "poisson"],
                "Ratio that is the restitution: of velocities or of impulses.",
            ),
            ParamSpec::positive("rest", "v_r", Kind::Rate, "Speed of a rebound that ends in rest.")
                .or_zero()
                .or(1e-10),
        ],
        inputs: &[],
        outputs: &[],
        accounts: WORK,
    };

    fn key(&self) -> &'static str {
        "stop"
    }

    /// Whether something rests on each limit.
    fn memory(&self, _: usize) -> usize {
        2
    }

    fn switches(&self, _: usize) -> usize {
        2
    }

    #[inline]
    fn act<T: Real>(&self, _: &mut Act<'_, T>) {}

    fn fits(&self, on: &Attachment) -> Result<(), String> {
        match on {
            Attachment::Coordinate(_) => Ok(()),
            _ => Err("it limits a coordinate".into()),
        }
    }

    fn holding(&self) -> Holding {
        Holding::Limits
    }

    fn limits(&self, p: &[f64]) -> Option<Limits> {
        let [lower, upper, restitution, law, rest] = fixed(p);
        Some(Limits { range: [lower, upper], restitution, poisson: law != 0.0, rest })
    }
}
