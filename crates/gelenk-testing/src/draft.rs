//! Mechanisms with unnamed numbers, for tests and benchmarks that need no model file.
#![allow(clippy::unwrap_used)]

use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Blueprint, Mechanism};
use gelenk_solve::{Observer, Options, StopRun, Summary, simulate};
use gelenk_system::{Nanos, Param, ParameterTable};

/// A blueprint and its parameters while they are filled in; what has paths is built with
/// [`Builder`](gelenk_multibody::Builder).
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its numbers.
    pub table: ParameterTable,
    /// Its parts.
    pub blueprint: Blueprint,
}

impl Draft {
    /// Nothing but gravity (m/s^2).
    pub fn new(gravity: [f64; 3]) -> Self {
        let mut table = ParameterTable::new();
        let gravity = [0, 1, 2].map(|i| table.free(&format!("gravity.{i}"), gravity[i], "m/s^2").unwrap());
        let blueprint = Blueprint::new(gravity);
        Self { table, blueprint }
    }

    /// Adds a part.
    pub fn add<P: Part>(&mut self, part: P) -> P::Id {
        self.blueprint.add(part)
    }

    /// A number, SI.
    pub fn number(&mut self, value: f64) -> Param {
        let path = format!("n{}", self.table.len());
        self.table.free(&path, value, "").unwrap()
    }

    /// Several numbers, SI.
    pub fn numbers<const N: usize>(&mut self, values: [f64; N]) -> [Param; N] {
        values.map(|value| self.number(value))
    }

    /// An angle with its start (rad) and rate (rad/s).
    pub fn coordinate(&mut self, name: &str, start: f64, rate: f64) -> CoordinateId {
        let [start, rate] = self.numbers([start, rate]);
        let kind = CoordinateKind::Angle;
        let (name, exact) = (name.into(), Exact::default());
        self.add(Coordinate { name, kind, start, rate, exact, rotor: None })
    }

    /// A body with its principal inertias (kg, m, kg m^2).
    pub fn body(&mut self, name: &str, mass: f64, centre: [f64; 3], inertia: [f64; 3]) -> BodyId {
        let mass = self.number(mass);
        let centre = self.numbers(centre);
        let inertia = self.numbers([inertia[0], inertia[1], inertia[2], 0.0, 0.0, 0.0]);
        self.add(Body { name: name.into(), mass, centre, inertia })
    }

    /// A joint at a place on its parent (m), with parallel axes.
    pub fn joint(
        &mut self,
        name: &str,
        parent: BodyRef,
        child: BodyId,
        at: [f64; 3],
        motion: JointMotion,
    ) -> JointId {
        let position = self.numbers(at);
        let orientation = self.numbers([0.0; 3]);
        self.add(Joint { name: name.into(), parent, child, position, orientation, motion })
    }

    /// A rotation by a coordinate.
    pub fn revolute(&mut self, axis: [f64; 3], coordinate: CoordinateId) -> JointMotion {
        JointMotion::Revolute { axis: self.numbers(axis), value: Scalar::Coordinate(coordinate) }
    }

    /// A free motion from a tilted start with these velocities (rad/s, m/s).
    pub fn free(&mut self, angular_velocity: [f64; 3], velocity: [f64; 3]) -> JointMotion {
        JointMotion::Free {
            position: self.numbers([0.0; 3]),
            orientation: self.numbers([0.3, -0.2, 0.5]),
            angular_velocity: self.numbers(angular_velocity),
            velocity: self.numbers(velocity),
        }
    }

    /// The mechanism.
    pub fn build(self) -> Mechanism {
        self.blueprint.compile(self.table).unwrap()
    }
}

/// Rows of a run.
#[derive(Debug, Default)]
pub struct Rows(pub Vec<Vec<f64>>);

impl Observer for Rows {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        self.0.push(row.to_vec());
        Ok(())
    }
}

/// Runs a mechanism until a time with rows at every `output` (s).
pub fn run(
    mechanism: &Mechanism,
    method: gelenk_solve::Method,
    until: f64,
    output: f64,
) -> (Vec<Vec<f64>>, Summary) {
    let mut rows = Rows::default();
    let nanos = |s: f64| Nanos::from_seconds(s).unwrap();
    let options = Options { until: nanos(until), output: nanos(output), method };
    let summary = simulate(mechanism, &mechanism.parameters().values(), &options, &mut rows).unwrap();
    (rows.0, summary)
}
