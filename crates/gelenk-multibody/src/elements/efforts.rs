//! Efforts given by formulas: on coordinates, along lines, about axes, on frames.

use gelenk_laws::Kind;
use gelenk_math::Lockstep;
use gelenk_math::units::Dimension;

use super::contract::{Act, Element, ElementSpec, InputSpec, Parity, PlaceKind, WORK};
use super::lane::in_lanes;

const FORCE: Kind = Kind::Fixed(Dimension::FORCE);
const TORQUE: Kind = Kind::Fixed(Dimension::TORQUE);

/// A specification without parameters and states, whose only input is its effort.
const fn given(
    [name, table]: [&'static str; 2],
    title: &'static str,
    equation: &'static str,
    place: PlaceKind,
    inputs: &'static [InputSpec],
) -> ElementSpec {
    let source = "stelzner 3.10";
    ElementSpec {
        name,
        table,
        title,
        equation,
        source,
        place,
        params: &[],
        inputs,
        outputs: &[],
        accounts: WORK,
    }
}

/// An effort on a displacement.
pub struct Given;

impl Element for Given {
    const SPEC: ElementSpec = given(
        ["effort", ""],
        "An effort on a coordinate.",
        "F = F(t, ...)",
        PlaceKind::Scalar,
        &[InputSpec::scalar("effort", Kind::Effort, "Effort on the coordinate, such as a curve of it.")],
    );

    fn key(&self) -> &'static str {
        "spring"
    }

    in_lanes! {}

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        e.push(0, 0, e.look.u[0]);
    }
}

/// An effort on a coordinate that expressions can name, and that inverse dynamics can leave to be found.
pub struct Drive;

impl Element for Drive {
    const SPEC: ElementSpec = given(
        ["drive", "drives"],
        "An effort on a coordinate that expressions can name.",
        "F = F(t, ...)",
        PlaceKind::Coordinate,
        &[InputSpec::scalar("effort", Kind::Effort, "Effort along the coordinate.").also("force", "torque")],
    );

    in_lanes! {}
    fn is_signal(&self) -> bool {
        true
    }

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        Given.act_lanes(e);
    }
}

/// A force along the line between two frames.
pub struct Line;

impl Element for Line {
    const SPEC: ElementSpec = given(
        ["line", "lines"],
        "A force along the line between the origins of two frames.",
        "tension = F(t, ...)",
        PlaceKind::Line,
        &[InputSpec::scalar("tension", FORCE, "Tension: positive pulls the origins together.")],
    );

    in_lanes! {}

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        e.push(0, 0, -e.look.u[0]);
    }
}

/// A torque between two bodies.
pub struct TorqueBetween;

impl Element for TorqueBetween {
    const SPEC: ElementSpec = given(
        ["torque", "torques"],
        "A torque about the z axis of the first frame, positive on the second body and opposite on the first.",
        "M = M(t, ...)",
        PlaceKind::Axis,
        &[InputSpec::scalar("torque", TORQUE, "Torque on the second body.").parity(Parity::Axial)],
    );

    in_lanes! {}

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        Given.act_lanes(e);
    }
}

/// Three components, pushed as they are given.
#[inline]
fn vector<T: Lockstep>(e: &mut Act<'_, T>) {
    for k in 0..3 {
        e.push(0, k, e.look.u[k]);
    }
}

/// A force on one body.
pub struct Force;

impl Element for Force {
    const SPEC: ElementSpec = given(
        ["force", "forces"],
        "A force on one body at the origin of a frame.",
        "F = F(t, ...)",
        PlaceKind::Force,
        &[InputSpec::vector("force", FORCE, Parity::Polar, "Components of the force.")],
    );

    in_lanes! {}

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        vector(e);
    }
}

/// A torque on one body.
pub struct Torque;

impl Element for Torque {
    const SPEC: ElementSpec = given(
        ["torque", "forces"],
        "A torque on one body.",
        "M = M(t, ...)",
        PlaceKind::Torque,
        &[InputSpec::vector("torque", TORQUE, Parity::Axial, "Components of the torque.")],
    );

    in_lanes! {}

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        vector(e);
    }
}
