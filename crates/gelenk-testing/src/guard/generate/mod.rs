//! A model for every seed.
//!
//! | module | content |
//! |---|---|
//! | `bodies` | bodies and the tree of joints |
//! | `coordinates` | springs, stops and friction on coordinates |
//! | `laws` | friction laws by what they say about themselves |
//! | `elements` | what acts between frames |
//! | `signals` | signals, logs, curves, sensors, controllers, switches, drives |
//! | `loops` | loops that are closed at the start |
//! | `contacts` | simple bodies that touch |

mod bodies;
mod contacts;
mod coordinates;
mod elements;
mod laws;
mod loops;
mod signals;

use super::dice::Dice;
use super::scale::Dim;
use super::sketch::{Sketch, Term, Value, table};

/// What a model may have. What is `false` is never drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wishes {
    /// Loops.
    pub loops: bool,
    /// Joints that are functions of coordinates or time, shared coordinates, screws.
    pub functions: bool,
    /// Friction on coordinates by other laws than the viscous one.
    pub laws: bool,
    /// Friction that is set-valued at rest.
    pub holds: bool,
    /// Friction with states or memory.
    pub memory: bool,
    /// Compliant stops.
    pub stops: bool,
    /// Stops with restitution.
    pub impacts: bool,
    /// Simple bodies that touch.
    pub contacts: bool,
    /// Sensors and controllers.
    pub sampled: bool,
    /// Switches.
    pub switches: bool,
    /// Anything that depends on time explicitly.
    pub time: bool,
    /// Shapes over time and logs.
    pub signals: bool,
    /// Corners in forces: curves of straight lines, logs, `if`, `max`, jumps of signals, laws with corners.
    pub corners: bool,
    /// Friction pressed by the force through a joint.
    pub pressed: bool,
    /// Friction whose parameters follow expressions.
    pub varying: bool,
    /// Inertia of rotors on coordinates.
    pub rotors: bool,
    /// Loops that leave a coordinate no motion at all: what acts on it sees velocities of rounding.
    pub locked: bool,
    /// Whether every coordinate has a damped spring, and there are no others.
    pub anchored: bool,
}

impl Wishes {
    /// Everything.
    pub const ALL: Self = Self {
        loops: true,
        functions: true,
        laws: true,
        holds: true,
        memory: true,
        stops: true,
        impacts: true,
        contacts: true,
        sampled: true,
        switches: true,
        time: true,
        signals: true,
        corners: true,
        pressed: true,
        varying: true,
        rotors: true,
        locked: true,
        anchored: false,
    };

    /// Only what has derivatives of any order.
    pub const SMOOTH: Self = Self {
        holds: false,
        memory: false,
        stops: false,
        impacts: false,
        contacts: false,
        sampled: false,
        switches: false,
        corners: false,
        pressed: false,
        ..Self::ALL
    };
}

/// A coordinate of the model that is made.
#[derive(Debug, Clone)]
struct Coordinate {
    name: String,
    angle: bool,
    start: f64,
}

impl Coordinate {
    fn dim(&self) -> Dim {
        if self.angle { Dim::ANGLE } else { Dim::LENGTH }
    }

    fn effort(&self) -> Dim {
        if self.angle { Dim::TORQUE } else { Dim::FORCE }
    }

    /// A typical effort on it (N m, N): what moves its body well within the run.
    fn strength(&self) -> f64 {
        if self.angle { 0.4 } else { 4.0 }
    }
}

/// A model that is being made.
struct Draft {
    dice: Dice,
    wishes: Wishes,
    sketch: Sketch,
    bodies: Vec<String>,
    coordinates: Vec<Coordinate>,
    /// Names of frames and of the bodies that they are on.
    frames: Vec<(String, String)>,
    /// Free and ball joints that move by quaternions.
    free: Vec<String>,
    /// Runtime expressions without unit that others may use as factors, by name.
    factors: Vec<String>,
}

impl Draft {
    fn add(&mut self, group: &str, name: &str, value: Value) {
        self.sketch.add(group, name, value);
    }

    /// A new frame on a body or on the ground.
    fn frame(&mut self, body: &str) -> String {
        let name = format!("f{}", self.frames.len());
        let mut value = table([("body", Value::word(body))]);
        value.set("position", Value::vector(self.dice.vector(0.3), Dim::LENGTH));
        if self.dice.chance(60) {
            value.set("orientation", Value::vector(self.dice.vector(1.2), Dim::ANGLE));
        }
        self.add("frames", &name, value);
        self.frames.push((name.clone(), body.into()));
        name
    }

    /// A body, or now and then the ground.
    fn body_or_ground(&mut self) -> String {
        let k = self.dice.below(self.bodies.len() + 1);
        self.bodies.get(k).cloned().unwrap_or_else(|| "ground".into())
    }

    /// Two frames on different bodies.
    fn pair(&mut self) -> [String; 2] {
        let k = self.dice.below(self.bodies.len());
        let first = self.bodies[k].clone();
        let mut second = self.body_or_ground();
        if second == first {
            second = "ground".into();
        }
        let mut pair = [first, second];
        self.dice.shuffle(&mut pair);
        pair.map(|body| self.frame(&body))
    }

    fn coordinate(&mut self) -> Option<Coordinate> {
        let k = self.dice.below(self.coordinates.len());
        self.coordinates.get(k).cloned()
    }
}

/// Joins pieces of an expression.
fn expression(pieces: impl IntoIterator<Item = Term>) -> Value {
    Value::Expression(pieces.into_iter().collect())
}

/// A piece of text.
fn text(text: impl Into<String>) -> Term {
    Term::Text(text.into())
}

/// The model of a seed.
pub fn generate(seed: u64, wishes: Wishes) -> Sketch {
    let mut dice = Dice::new(seed);
    let gravity = match dice.below(4) {
        0 => [0.0; 3],
        1 => [0.0, 0.0, -9.81],
        _ => dice.vector(7.0),
    };
    let until = if dice.chance(30) { 0.4 } else { 0.2 };
    let sketch = Sketch { gravity, until, output: 0.01, ..Sketch::default() };
    let (bodies, coordinates, frames, free, factors) = (vec![], vec![], vec![], vec![], vec![]);
    let mut draft = Draft { dice, wishes, sketch, bodies, coordinates, frames, free, factors };
    draft.parameters();
    draft.tree();
    draft.loops();
    draft.signals();
    draft.elements();
    draft.contacts();
    draft.outputs();
    draft.sketch
}
