//! Mechanisms built in code.
//!
//! A [`Builder`] is filled in by calls that return typed ids; its numbers get the paths that they would have in a model file,
//! so that fits, sweeps and overrides find them. Mistakes are kept until [`Builder::build`], which reports the first one.
//!
//! ```
//! use gelenk_multibody::builder::{Builder, Ground, Mass};
//!
//! let mut builder = Builder::new([0.0, 0.0, -9.81]);
//! let rod = builder.body("rod", Mass::cylinder(1.2, 0.01, 0.5).at([0.0, 0.0, -0.25]));
//! let phi = builder.joint("hinge", Ground, rod).revolute([0.0, 1.0, 0.0], "phi");
//! builder.start(phi, 0.3, 0.0);
//! builder.spring("return", phi, 2.0, 0.05);
//! let mechanism = builder.build()?;
//! assert_eq!(mechanism.parameters().find("bodies.rod.mass").map(|_| ()), Ok(()));
//! # Ok::<(), gelenk_multibody::builder::BuilderError>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `value` | numbers and masses |
//! | `joint` | joints and coordinates |
//! | `settings` | parameters of laws, elements and blocks by name |

mod joint;
mod settings;
mod value;

use std::sync::atomic::{AtomicU32, Ordering};

use gelenk_laws::Friction;
use gelenk_laws::control::Sampled;
use gelenk_math::expression::{Expression, ExpressionError};
use gelenk_system::{Param, ParameterError, ParameterTable, Schedule};
use thiserror::Error;

use crate::blueprint::Reference;
use crate::blueprint::{
    Blueprint, Body, BodyRef, CoordinateKind, Course, Element, Frame, Loop, LoopKind, Output, Part, Signal,
    SignalKind,
};
use crate::build::BuildError;
use crate::elements::{Acting, Attachment};
use crate::inertia::Verdict;
use crate::mechanism::Mechanism;
use settings::Of;

pub use crate::blueprint::{BodyId, CoordinateId, ElementId, FrameId, Ground, JointId, LoopId, SignalId};
pub use joint::JointBuilder;
pub use settings::Settings;
pub use value::{Mass, Value};

/// What a builder was given that cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BuilderError {
    /// A formula that cannot be read.
    #[error("{place}: {text:?}: {error}")]
    Formula {
        /// Who has it.
        place: String,
        /// The formula.
        text: String,
        /// What is wrong with it.
        error: ExpressionError,
    },
    /// A parameter that the law, element or block does not have.
    #[error("{path}: {what} has no parameter {name:?}{}", .closest.as_ref().map(|c| format!("; did you mean {c:?}?")).unwrap_or_default())]
    UnknownSetting {
        /// Where.
        path: String,
        /// The kind.
        what: String,
        /// The name.
        name: String,
        /// The most similar name.
        closest: Option<String>,
    },
    /// A number where one of several words is meant.
    #[error("{path} = {value}: for {what} this must be the index (from 0) of one of {count} choices")]
    Choice {
        /// Where.
        path: String,
        /// The kind.
        what: String,
        /// The number.
        value: f64,
        /// How many choices there are.
        count: usize,
    },
    /// Numbers that are missing, or too many of them.
    #[error("{path}: {what} needs {expected} values, {given} given")]
    Count {
        /// Where.
        path: String,
        /// The kind.
        what: String,
        /// How many are needed.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// An element where its kind cannot act.
    #[error("{name}: {what} cannot act there; it acts {place}")]
    Place {
        /// The element.
        name: String,
        /// The kind.
        what: String,
        /// Where elements of the kind act.
        place: &'static str,
    },
    /// An inertia that no body has.
    #[error(
        "bodies.{body}.inertia: these moments of inertia are physically impossible; each principal moment is at least 0 and at most the sum of the \
         other two"
    )]
    Inertia {
        /// The body.
        body: String,
    },
    /// An id that this builder did not make, or of something else than what is meant.
    #[error("{place}: the id does not refer to {what} of this builder")]
    Foreign {
        /// What refers to it.
        place: String,
        /// What it should be.
        what: &'static str,
    },
    /// A refused number.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The parts do not make a mechanism.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Kinds of loops between two frames, see [`LoopKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopType {
    /// The origins coincide.
    Point,
    /// The z axes are parallel.
    Parallel,
    /// The z axes are perpendicular.
    Perpendicular,
    /// All axes are parallel.
    Orientation,
    /// The second origin lies in the first xy plane.
    Plane,
    /// Welded.
    Rigid,
    /// Hinge about z.
    Revolute,
    /// Turn about and slide along z.
    Cylindrical,
    /// Slide along z.
    Prismatic,
    /// Origins coincide, the first x axis is perpendicular to the second y axis.
    Universal,
}

/// Builders that were made, so that each has a number of its own and knows its ids.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A mechanism while it is built.
#[derive(Clone, Debug)]
pub struct Builder {
    table: ParameterTable,
    blueprint: Blueprint,
    weighs: bool,
    owner: u32,
    failed: Option<BuilderError>,
}

impl Builder {
    /// Nothing but gravity, in ground axes (m/s^2).
    pub fn new(gravity: [f64; 3]) -> Self {
        let mut builder = Self::weightless();
        let gravity = builder.vector("gravity", gravity, "m/s^2");
        builder.set_gravity(gravity);
        builder
    }

    /// Nothing, and no gravity unless [`Self::set_gravity`] is called.
    pub fn weightless() -> Self {
        // Zero is the owner of ids by place.
        let owner = MADE.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1);
        let blueprint = Blueprint::new([Param::default(); 3]);
        Self { table: ParameterTable::new(), blueprint, weighs: false, owner, failed: None }
    }

    /// The parameters that are gravity, in ground axes (m/s^2).
    pub fn set_gravity(&mut self, gravity: [Param; 3]) {
        self.blueprint.gravity = gravity;
        self.weighs = true;
    }

    /// The numbers that are declared so far.
    pub fn parameters(&self) -> &ParameterTable {
        &self.table
    }

    /// The same, to declare or limit numbers that the builder has no call for.
    pub fn parameters_mut(&mut self) -> &mut ParameterTable {
        &mut self.table
    }

    /// What is built so far.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The same, for what the builder has no call for.
    pub fn blueprint_mut(&mut self) -> &mut Blueprint {
        &mut self.blueprint
    }

    /// Any part; its parameters are declared before, see [`Self::number`].
    pub fn add<P: Part>(&mut self, part: P) -> P::Id {
        self.blueprint.add(part);
        P::id(P::all(&mut self.blueprint).len() - 1, self.owner)
    }

    /// A parameter that formulas can name, SI.
    pub fn parameter(&mut self, name: &str, value: impl Into<Value>, unit: &str) -> Param {
        self.number(&format!("parameters.{name}"), value, unit)
    }

    /// A number at a path, with the unit that is shown beside it.
    pub fn number(&mut self, path: &str, value: impl Into<Value>, unit: &str) -> Param {
        let declared = match value.into() {
            Value::Number(value) => self.table.free(path, value, unit).map_err(BuilderError::from),
            Value::Formula(text) => {
                let expression = self.formula(path, &text);
                self.declare(path, &expression, unit).map_err(|error| match error {
                    BuildError::Expression { place, error } => BuilderError::Formula { place, text, error },
                    other => other.into(),
                })
            }
        };
        match declared {
            Ok(param) => param,
            Err(error) => {
                self.fail(error);
                Param::default()
            }
        }
    }

    /// A number at a path that is an expression over parameters, with the unit that is shown beside it.
    ///
    /// # Errors
    /// Names that are no parameters, and a path that is taken.
    pub fn declare(&mut self, path: &str, expression: &Expression, unit: &str) -> Result<Param, BuildError> {
        let table = &self.table;
        let lookup = |name: &str| {
            let short = name.strip_prefix("parameters.").unwrap_or(name);
            table.find(&format!("parameters.{short}")).ok().map(Param::index)
        };
        let program = expression
            .compile(&lookup)
            .map_err(|error| BuildError::Expression { place: path.to_owned(), error })?;
        Ok(self.table.computed(path, program, unit)?)
    }

    /// A body. It moves with the joint that carries it; its frame is that joint's.
    pub fn body(&mut self, name: &str, mass: Mass) -> BodyId {
        let path = format!("bodies.{name}");
        let Mass { mass, centre, inertia } = mass;
        let mass = self.at_least(&format!("{path}.mass"), mass, "kg", 0.0);
        let centre = self.vector(&format!("{path}.centre"), centre, "m");
        let mut tensor = [mass; 6];
        for ((slot, value), end) in tensor.iter_mut().zip(inertia).zip(["xx", "yy", "zz", "xy", "xz", "yz"]) {
            *slot = self.number(&format!("{path}.inertia.{end}"), value, "kg m^2");
        }
        self.add(Body { name: name.into(), mass, centre, inertia: tensor })
    }

    /// A joint that carries `child`; what is returned says how.
    pub fn joint(&mut self, name: &str, parent: impl Into<BodyRef>, child: BodyId) -> JointBuilder<'_> {
        JointBuilder {
            builder: self,
            name: name.into(),
            parent: parent.into(),
            child,
            position: [0.0; 3],
            orientation: [0.0; 3],
        }
    }

    /// A frame at a position (m) with Cardan x-y-z angles (rad) on a body, on the ground or on another frame.
    pub fn frame(
        &mut self,
        name: &str,
        on: impl Into<BodyRef>,
        position: [f64; 3],
        orientation: [f64; 3],
    ) -> FrameId {
        let path = format!("frames.{name}");
        let position = self.vector(&format!("{path}.position"), position, "m");
        let orientation = self.vector(&format!("{path}.orientation"), orientation, "rad");
        self.add(Frame { name: name.into(), body: on.into(), position, orientation })
    }

    /// A loop between two frames.
    pub fn close(&mut self, name: &str, kind: LoopType, between: [FrameId; 2]) -> LoopId {
        self.constrain(
            name,
            match kind {
                LoopType::Point => LoopKind::Point(between),
                LoopType::Parallel => LoopKind::Parallel(between),
                LoopType::Perpendicular => LoopKind::Perpendicular(between),
                LoopType::Orientation => LoopKind::Orientation(between),
                LoopType::Plane => LoopKind::Plane(between),
                LoopType::Rigid => LoopKind::Rigid(between),
                LoopType::Revolute => LoopKind::Revolute(between),
                LoopType::Cylindrical => LoopKind::Cylindrical(between),
                LoopType::Prismatic => LoopKind::Prismatic(between),
                LoopType::Universal => LoopKind::Universal(between),
            },
        )
    }

    /// Two origins that keep a distance (m).
    pub fn keep_distance(&mut self, name: &str, between: [FrameId; 2], distance: f64) -> LoopId {
        let length = self.at_least(&format!("loops.{name}.length"), distance, "m", 0.0);
        self.constrain(name, LoopKind::Distance(between, length))
    }

    /// An expression of coordinates and time that vanishes: a gear, a rack.
    pub fn couple(&mut self, name: &str, expression: &str) -> LoopId {
        let expression = self.formula(&format!("loops.{name}"), expression);
        self.constrain(name, LoopKind::Coupling(expression))
    }

    /// Any constraint.
    pub fn constrain(&mut self, name: &str, kind: LoopKind) -> LoopId {
        self.add(Loop { name: name.into(), kind })
    }

    /// An element of the registry with parameters and without inputs: `gelenk element list` names the kinds.
    pub fn element(
        &mut self,
        name: &str,
        kind: Acting,
        on: impl Into<Attachment>,
        settings: impl Into<Settings>,
    ) -> ElementId {
        self.element_with(name, kind, on, settings, &[])
    }

    /// An element of the registry with parameters, and inputs as formulas of the time `t`, coordinates, signals and parameters;
    /// a vector has one for every component.
    pub fn element_with(
        &mut self,
        name: &str,
        kind: Acting,
        on: impl Into<Attachment>,
        settings: impl Into<Settings>,
        inputs: &[&str],
    ) -> ElementId {
        let (spec, on) = (kind.spec(), on.into());
        let path = if spec.table.is_empty() { name.into() } else { format!("{}.{name}", spec.table) };
        if !spec.place.admits(&on) || kind.fits(&on).is_err() {
            let place = crate::elements::page::acts(spec.place);
            self.fail(BuilderError::Place { name: path.clone(), what: spec.name.into(), place });
        }
        let rotation = self.turns(on);
        let of = Of { path: &path, what: spec.name, rotation };
        let (parameters, size) = self.settings(&of, spec.params, &settings.into());
        let inputs = self.inputs(&of, spec.input_count(), inputs);
        self.add(Element { name: path, kind, on, parameters, size, inputs })
    }

    /// A spring with a damper on a coordinate (N/m and N s/m, N m/rad and N m s/rad), at rest at zero.
    pub fn spring(
        &mut self,
        name: &str,
        on: CoordinateId,
        stiffness: impl Into<Value>,
        damping: impl Into<Value>,
    ) -> ElementId {
        let settings = Settings::new().set("stiffness", stiffness).set("damping", damping);
        self.element(name, Acting::Spring, on, settings)
    }

    /// An effort on a coordinate as a formula (N, N m).
    pub fn drive(&mut self, name: &str, on: CoordinateId, effort: &str) -> ElementId {
        self.element_with(name, Acting::Drive, on, Settings::new(), &[effort])
    }

    /// A friction law on a coordinate, or along or about an axis between frames; its memory begins unloaded.
    pub fn friction(
        &mut self,
        name: &str,
        on: impl Into<Attachment>,
        law: Friction,
        settings: impl Into<Settings>,
    ) -> ElementId {
        self.element(&format!("friction.{name}"), Acting::from(law), on, settings)
    }

    /// A signal that is a formula, with its SI unit.
    pub fn signal(&mut self, name: &str, value: &str, unit: &str) -> SignalId {
        let value = self.formula(&format!("signals.{name}"), value);
        self.push_signal(name, unit, SignalKind::Value(value))
    }

    /// An input with its SI unit: a signal that is bound when a run starts, see
    /// [`System::bind_input`](gelenk_system::System::bind_input). Without that it follows `course`.
    pub fn input(&mut self, name: &str, course: Course, unit: &str) -> SignalId {
        self.push_signal(name, unit, SignalKind::Input { course, start: None })
    }

    /// A sampled block: its first output is the signal `name`, the others are `name.OUTPUT`.
    pub fn block(
        &mut self,
        name: &str,
        unit: &str,
        block: Sampled,
        inputs: &[&str],
        settings: impl Into<Settings>,
        schedule: Schedule,
    ) -> SignalId {
        let (spec, path) = (block.spec(), name.to_owned());
        let of = Of { path: &path, what: spec.name, rotation: false };
        let (parameters, _) = self.settings(&of, spec.params, &settings.into());
        let inputs = self.inputs(&of, spec.inputs.len(), inputs);
        let first = self.push_signal(name, unit, SignalKind::Block { block, inputs, parameters, schedule });
        for (output, spec) in spec.outputs.iter().enumerate().skip(1) {
            let kind = SignalKind::BlockOutput { signal: first, output };
            self.push_signal(&format!("{name}.{}", spec.name), unit, kind);
        }
        first
    }

    /// Any signal, with its SI unit.
    pub fn push_signal(&mut self, name: &str, unit: &str, kind: SignalKind) -> SignalId {
        self.add(Signal { name: name.into(), unit: unit.into(), kind })
    }

    /// An expression that is recorded, with its SI unit.
    pub fn output(&mut self, name: &str, value: &str, unit: &str) {
        let value = self.formula(&format!("outputs.{name}"), value);
        self.blueprint.outputs.push(Output { name: name.into(), unit: unit.into(), value });
    }

    /// The mechanism.
    ///
    /// # Errors
    /// The first mistake, also of calls before.
    pub fn build(self) -> Result<Mechanism, BuilderError> {
        let (blueprint, mut table) = self.into_parts()?;
        table.finish().map_err(BuildError::from)?;
        let p = table.values();
        for (param, entry) in table.iter() {
            let value = param.of(&p);
            if !(value >= entry.lower && value <= entry.upper) {
                return Err(BuilderError::Parameter(entry.outside(value)));
            }
        }
        let verdicts = blueprint.inertias(&p).into_iter().zip(&blueprint.bodies);
        if let Some((_, body)) = verdicts.into_iter().find(|(verdict, _)| *verdict == Verdict::Impossible) {
            return Err(BuilderError::Inertia { body: body.name.clone() });
        }
        Ok(blueprint.compile(table)?)
    }

    /// The description and its parameters, for what a builder has no words for.
    ///
    /// # Errors
    /// The first mistake of the calls before.
    pub fn into_parts(mut self) -> Result<(Blueprint, ParameterTable), BuilderError> {
        if !self.weighs {
            self.blueprint.gravity = self.vector("gravity", [0.0; 3], "m/s^2");
        }
        let (owner, mut foreign) = (self.owner, None);
        self.blueprint.references(&mut |place, id| {
            if id.owner != 0 && id.owner != owner {
                foreign.get_or_insert(BuilderError::Foreign { place: place.to_owned(), what: id.what });
            }
        });
        match self.failed.or(foreign) {
            Some(failed) => Err(failed),
            None => Ok((self.blueprint, self.table)),
        }
    }

    /// Three numbers at `path.x` to `path.z`.
    pub fn vector<V: Into<Value>>(&mut self, path: &str, values: [V; 3], unit: &str) -> [Param; 3] {
        let [x, y, z] = values;
        [("x", x), ("y", y), ("z", z)]
            .map(|(axis, value)| self.number(&format!("{path}.{axis}"), value, unit))
    }

    /// Inputs of an element or block as formulas.
    fn inputs(&mut self, of: &Of<'_>, expected: usize, inputs: &[&str]) -> Vec<Expression> {
        if inputs.len() != expected {
            let (path, given) = (format!("{}: inputs", of.path), inputs.len());
            self.fail(BuilderError::Count { path, what: of.what.into(), expected, given });
        }
        inputs.iter().map(|text| self.formula(of.path, text)).collect()
    }

    fn at_least(&mut self, path: &str, value: impl Into<Value>, unit: &str, lower: f64) -> Param {
        self.bounded(path, value, unit, [lower, f64::INFINITY])
    }

    fn bounded(
        &mut self,
        path: &str,
        value: impl Into<Value>,
        unit: &str,
        [lower, upper]: [f64; 2],
    ) -> Param {
        let param = self.number(path, value, unit);
        self.table.bound(param, lower, upper);
        param
    }

    fn set(&mut self, param: Param, value: f64) {
        if let Err(error) = self.table.set(param, value) {
            self.fail(error.into());
        }
    }

    /// Whether what an element acts on is an angle.
    fn turns(&self, on: Attachment) -> bool {
        match on {
            Attachment::Coordinate(k) => {
                self.blueprint.coordinates.get(k.index()).is_some_and(|c| c.kind == CoordinateKind::Angle)
            }
            Attachment::Angle(_)
            | Attachment::About { .. }
            | Attachment::Turn { .. }
            | Attachment::Ball(_) => true,
            _ => false,
        }
    }

    /// Whether an id is of this builder, as a call needs it.
    fn owns(&self, id: Reference) -> bool {
        (id.owner == 0 || id.owner == self.owner) && id.index < (id.count)(&self.blueprint)
    }

    fn foreign(&mut self, place: &str, what: &'static str) {
        self.fail(BuilderError::Foreign { place: place.to_owned(), what });
    }

    fn fail(&mut self, error: BuilderError) {
        self.failed.get_or_insert(error);
    }
}
