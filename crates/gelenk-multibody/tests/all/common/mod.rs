//! Blueprints written by hand, for tests that need no model file.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod random;

use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Blueprint, Mechanism};
use gelenk_solve::{Observer, Options, StopRun, Summary, simulate};
use gelenk_system::{Nanos, Param, ParameterTable};

/// A blueprint and its parameters while they are filled in.
pub(crate) struct Draft {
    pub(crate) table: ParameterTable,
    pub(crate) blueprint: Blueprint,
}

impl Draft {
    pub(crate) fn new(gravity: [f64; 3]) -> Self {
        let mut table = ParameterTable::new();
        let gravity = [0, 1, 2].map(|i| table.free(&format!("gravity.{i}"), gravity[i], "m/s^2").unwrap());
        let blueprint = Blueprint {
            replaced: Vec::new(),
            gravity,
            coordinates: vec![],
            bodies: vec![],
            joints: vec![],
            frames: vec![],
            loops: vec![],
            elements: vec![],
            factors: vec![],
            normals: vec![],
            signals: vec![],
            outputs: vec![],
        };
        Self { table, blueprint }
    }

    pub(crate) fn number(&mut self, value: f64) -> Param {
        let path = format!("n{}", self.table.len());
        self.table.free(&path, value, "").unwrap()
    }

    pub(crate) fn numbers<const N: usize>(&mut self, values: [f64; N]) -> [Param; N] {
        values.map(|value| self.number(value))
    }

    pub(crate) fn coordinate(&mut self, name: &str, start: f64, rate: f64) -> usize {
        let [start, rate] = self.numbers([start, rate]);
        let kind = CoordinateKind::Angle;
        self.blueprint.coordinates.push(Coordinate {
            name: name.into(),
            kind,
            start,
            rate,
            exact: Exact::default(),
            rotor: None,
        });
        self.blueprint.coordinates.len() - 1
    }

    pub(crate) fn body(&mut self, name: &str, mass: f64, centre: [f64; 3], inertia: [f64; 3]) -> usize {
        let mass = self.number(mass);
        let centre = self.numbers(centre);
        let inertia = self.numbers([inertia[0], inertia[1], inertia[2], 0.0, 0.0, 0.0]);
        self.blueprint.bodies.push(Body { name: name.into(), mass, centre, inertia });
        self.blueprint.bodies.len() - 1
    }

    pub(crate) fn joint(
        &mut self,
        name: &str,
        parent: BodyRef,
        child: usize,
        at: [f64; 3],
        motion: JointMotion,
    ) {
        let position = self.numbers(at);
        let orientation = self.numbers([0.0; 3]);
        self.blueprint.joints.push(Joint { name: name.into(), parent, child, position, orientation, motion });
    }

    pub(crate) fn revolute(&mut self, axis: [f64; 3], coordinate: usize) -> JointMotion {
        JointMotion::Revolute { axis: self.numbers(axis), value: Scalar::Coordinate(coordinate) }
    }

    pub(crate) fn free(&mut self, angular_velocity: [f64; 3], velocity: [f64; 3]) -> JointMotion {
        JointMotion::Free {
            position: self.numbers([0.0; 3]),
            orientation: self.numbers([0.3, -0.2, 0.5]),
            angular_velocity: self.numbers(angular_velocity),
            velocity: self.numbers(velocity),
        }
    }

    pub(crate) fn build(self) -> Mechanism {
        self.blueprint.compile(self.table).unwrap()
    }
}

/// Rows of a run.
#[derive(Default)]
pub(crate) struct Rows(pub(crate) Vec<Vec<f64>>);

impl Observer for Rows {
    fn row(&mut self, row: &[f64]) -> Result<(), StopRun> {
        self.0.push(row.to_vec());
        Ok(())
    }
}

pub(crate) fn run(
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
