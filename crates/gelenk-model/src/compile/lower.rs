//! The walk over the model.

use super::{Compiled, LogColumns, LogRequest, logs, structure};
use crate::blocks::BlockDimensions;
use crate::check::Resolved;
use crate::check::coordinates::{Coordinate, Coordinates, Setting};
use crate::check::curves::Curves;
use crate::check::names::Names;
use crate::elements::DRIVES;
use crate::friction::{FrictionLaw, FrictionStart};
use crate::friction_place::{FrictionAxis as Way, FrictionPlace as Place};
use crate::model_file::{ExactWord, ModelFile, Up};
use crate::normal::{Normal, NormalForce, NormalSource};
use crate::quantity::{Fixed, Formula, Measure, Number, OnCoordinate, Time, measure_of};
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::{Sources, Span};
use gelenk_laws::Kind;
use gelenk_math::expression::Expression;
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::{
    self, Blueprint, BodyId, BodyRef, CoordinateId, CoordinateKind, Course, Element, ElementId, Exact,
    FrameId, JointId, LoopId, Output, Release, SignalId, SignalKind,
};
use gelenk_multibody::elements::Slider;
use gelenk_multibody::{Attachment, Builder};
use gelenk_system::{Nanos, Param, ParameterTable, Schedule};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bound of a number that must be greater than 0.
const SMALLEST: f64 = f64::MIN_POSITIVE;

pub(super) fn lower(
    model: &ModelFile,
    resolved: &Resolved,
    sources: &Sources,
    read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    report: &mut Report,
) -> Compiled {
    let Resolved { parameters, coordinates, names } = resolved;
    let mut curves = parameters.curves.clone();
    curves.complete(model, &mut |file| logs::read_curve(file, sources, read_log), report);
    let mut walk = Lower {
        builder: Builder::weightless(),
        dimensions: BTreeMap::new(),
        powers: BTreeMap::new(),
        structural: Vec::new(),
        following: Vec::new(),
        shapes: Vec::new(),
        visuals: Vec::new(),
        meshes: super::meshes::Meshes::default(),
        names,
        curves,
        report,
    };
    walk.parameters(parameters);
    walk.gravity(model);
    // An inertia may be given in a frame, whose numbers it needs.
    let framed = model.bodies.iter().any(|(_, body)| body.inertia_frame.is_some());
    if framed {
        walk.frames(model);
    }
    for (name, body) in model.bodies.iter() {
        walk.body(name, body, model, sources);
    }
    for ((name, joint), moved) in model.joints.iter().zip(&coordinates.of_joint) {
        walk.joint(model, name, joint, moved, coordinates);
    }
    walk.ball_stops(model);
    let mut pressed = Vec::new();
    for (index, coordinate) in coordinates.list.iter().enumerate() {
        let on = Attachment::Coordinate(CoordinateId::nth(index));
        walk.coordinate(coordinate, on, &mut pressed);
    }
    if !framed {
        walk.frames(model);
    }
    walk.frictions(model, coordinates, &mut pressed);
    walk.visuals(model, sources);
    walk.loops(model);
    walk.elements(model, coordinates, |table| table != DRIVES);
    walk.contacts(model, sources);
    for (element, normal) in pressed {
        walk.normal(normal, element, model);
    }
    walk.elements(model, coordinates, |table| table == DRIVES);
    walk.signals(model, sources, read_log);
    walk.measures(model);
    for (name, formula) in model.outputs.iter() {
        let output = Output { name: name.text.clone(), unit: walk.unit(formula), value: walk.bind(formula) };
        walk.builder.blueprint_mut().outputs.push(output);
    }
    walk.finish(model)
}

pub(super) struct Lower<'r, 'a> {
    pub(super) builder: Builder,
    pub(super) dimensions: BTreeMap<String, Option<Dimension>>,
    pub(super) powers: BTreeMap<String, Vec<super::Power>>,
    pub(super) structural: Vec<String>,
    /// Paths of numbers that follow from the shapes of a body.
    pub(super) following: Vec<String>,
    pub(super) shapes: Vec<super::Drawn>,
    pub(super) visuals: Vec<super::Drawn>,
    pub(super) meshes: super::meshes::Meshes,
    names: &'a Names,
    pub(super) curves: Curves,
    pub(super) report: &'r mut Report,
}

impl Lower<'_, '_> {
    /// What was lowered.
    fn finish(self, model: &ModelFile) -> Compiled {
        let Self { builder, dimensions, powers, structural, following, shapes, visuals, report, .. } = self;
        let mut fault = |error: &dyn std::fmt::Display| {
            report.push(Diagnostic::error(Span::default(), error.to_string()))
        };
        let (blueprint, mut parameters) = builder.into_parts().unwrap_or_else(|error| {
            fault(&error);
            (Blueprint::new([Param::default(); 3]), ParameterTable::new())
        });
        if let Err(error) = parameters.finish() {
            fault(&error);
        }
        Compiled {
            warnings: Report::new(),
            parameters,
            blueprint,
            shapes,
            visuals,
            y_up: model.up == Up::Y,
            dimensions,
            powers,
            structural,
            settled: structure::settled(model),
            following,
        }
    }

    fn gravity(&mut self, model: &ModelFile) {
        let gravity = match &model.gravity {
            Some(gravity) => self.vector(gravity),
            None => self.implied_vector("gravity", Dimension::ACCELERATION),
        };
        self.builder.set_gravity(gravity);
    }

    /// A coordinate, and what acts on it.
    fn coordinate<'m>(
        &mut self,
        coordinate: &'m Coordinate,
        on: Attachment,
        pressed: &mut Vec<(ElementId, &'m Normal)>,
    ) {
        let kind = coordinate.kind.unwrap_or(CoordinateKind::Angle);
        let name = &coordinate.name;
        let start =
            self.start(coordinate.start.as_ref(), name, "start", measure_of(Kind::Displacement), kind);
        let rate = self.start(coordinate.rate.as_ref(), name, "rate", measure_of(Kind::Rate), kind);
        for setting in coordinate.spring.iter().chain(&coordinate.stop) {
            self.element(setting.path.clone(), &setting.value, on, kind);
        }
        if let Some(friction) = &coordinate.friction {
            let law = &friction.value;
            self.friction(&friction.path, law, (Slider::new(law.law), on, kind), pressed);
        }
        let rotor = coordinate.rotor.as_ref().map(|rotor| self.at_least(&rotor.value, kind, 0.0));
        let exact = match coordinate.exact.as_ref().map(|exact| exact.value) {
            None => Exact::default(),
            Some(ExactWord::Start) => Exact { start: true, rate: false },
            Some(ExactWord::Rate) => Exact { start: false, rate: true },
            Some(ExactWord::Both) => Exact { start: true, rate: true },
        };
        self.builder.add(blueprint::Coordinate { name: name.text.clone(), kind, start, rate, exact, rotor });
    }

    /// `[friction]`.
    fn frictions<'m>(
        &mut self,
        model: &'m ModelFile,
        coordinates: &Coordinates,
        pressed: &mut Vec<(ElementId, &'m Normal)>,
    ) {
        for (name, element) in model.friction.iter() {
            let slider = Slider::new(element.law.law);
            let place = match &element.place {
                Place::Coordinate(on) => coordinates.find(on).map(|id| {
                    (
                        slider,
                        Attachment::Coordinate(id),
                        coordinates[id].kind.unwrap_or(CoordinateKind::Angle),
                    )
                }),
                Place::Between(between, way) => self.between(model, &between.0).map(|between| {
                    let between = match (element.reversed, *way) {
                        (true, Way::Along(axis) | Way::About(axis)) => self.reversed(between, (axis + 1) % 3),
                        _ => between,
                    };
                    let (slider, on) = match *way {
                        Way::Along(axis) => (slider, Attachment::Along { between, axis }),
                        Way::About(axis) => (slider, Attachment::About { between, axis }),
                        Way::Plane(law) => (Slider::on_plane(law), Attachment::Plane(between)),
                    };
                    (slider, on, way.kind())
                }),
            };
            if let Some(place) = place {
                self.friction(&format!("friction.{}", name.text), &element.law, place, pressed);
            }
        }
    }

    fn start(
        &mut self,
        given: Option<&Setting<Number>>,
        name: &Text,
        key: &str,
        measure: Measure,
        kind: CoordinateKind,
    ) -> Param {
        match given {
            Some(setting) => self.param(&setting.value, kind),
            None => {
                let dimension = measure.on(kind).unwrap_or_default();
                self.implied(&format!("coordinates.{}.{key}", name.text), 0.0, dimension)
            }
        }
    }

    /// Stops of ball joints.
    fn ball_stops(&mut self, model: &ModelFile) {
        for (name, joint) in model.joints.iter() {
            let mut joints = self.builder.blueprint().joints.iter();
            let place = joints.position(|known| known.name == name.text).map(JointId::nth);
            let stop = joint.stop.as_ref().filter(|stop| stop.is_of_ball());
            if let (Some(stop), Some(place)) = (stop, place) {
                let name = format!("joints.{}.stop", name.text);
                self.element(name, stop, Attachment::Ball(place), CoordinateKind::Angle);
            }
        }
    }

    /// Factors on the parameters of a friction element.
    fn factors(&mut self, law: &FrictionLaw, element: ElementId) {
        for (place, formula) in &law.factors {
            let (before, rest) = law.law.spec().params.split_at(*place);
            let count = |param: &gelenk_laws::ParamSpec| if param.per_element { law.elements } else { 1 };
            let start: usize = before.iter().map(count).sum();
            let parameters = start..start + rest.first().map_or(0, count);
            let factor = blueprint::Factor { element, parameters, factor: self.bind(formula) };
            self.builder.blueprint_mut().factors.push(factor);
        }
    }

    /// The normal force of a friction element.
    fn normal(&mut self, normal: &Normal, element: ElementId, model: &ModelFile) {
        let nominal = self.at_least(&normal.nominal, CoordinateKind::Length, f64::MIN_POSITIVE);
        let force = match &normal.force {
            NormalForce::Given(force) => Some(blueprint::NormalForce::Given(self.bind(force))),
            NormalForce::From(source) => self.pressed_by(source, model),
        };
        if let Some(force) = force {
            let normal = blueprint::Normal { element, force, nominal };
            self.builder.blueprint_mut().normals.push(normal);
        }
    }

    fn pressed_by(&mut self, source: &NormalSource, model: &ModelFile) -> Option<blueprint::NormalForce> {
        let lag = self.at_least(&source.lag, CoordinateKind::Length, f64::MIN_POSITIVE);
        if let Some(joint) = &source.joint {
            let joint = JointId::nth(model.joints.position(joint)?);
            return Some(blueprint::NormalForce::Joint { joint, lag });
        }
        if let Some(closure) = &source.closure {
            let closure = LoopId::nth(model.loops.position(closure)?);
            return Some(blueprint::NormalForce::Loop { closure, lag });
        }
        let contact = source.contact.as_ref()?;
        let name = format!("contacts.{}", contact.text);
        let found = self.builder.blueprint().elements.iter().position(|element| element.name == name);
        if found.is_none() && !self.report.has_errors() {
            let message = format!("the contact \"{}\" is not one pair of surfaces", contact.text);
            self.report.push(Diagnostic::error(contact.span, message));
        }
        found.map(|contact| blueprint::NormalForce::Contact(ElementId::nth(contact)))
    }

    fn friction<'m>(
        &mut self,
        path: &str,
        law: &'m FrictionLaw,
        (slider, on, kind): (Slider, Attachment, CoordinateKind),
        pressed: &mut Vec<(ElementId, &'m Normal)>,
    ) {
        let element = ElementId::nth(self.builder.blueprint().elements.len());
        self.factors(law, element);
        pressed.extend(law.normal.as_ref().map(|normal| (element, normal)));
        let params = law.law.spec().params.iter();
        let owners = params
            .flat_map(|spec| std::iter::repeat_n(spec, if spec.per_element { law.elements } else { 1 }));
        let parameters: Vec<Param> = law
            .parameters
            .iter()
            .zip(owners)
            .map(|(number, spec)| {
                // The next number above an excluded bound is the smallest admissible one.
                let lower = if spec.lower_open { spec.lower.next_up() } else { spec.lower };
                self.at_least(number, kind, lower)
            })
            .collect();
        let slider = if law.start == FrictionStart::Sliding { slider.from_sliding() } else { slider };
        self.builder.add(Element::new(path, slider, on, &parameters).with_lists(law.elements));
    }

    fn signals(
        &mut self,
        model: &ModelFile,
        sources: &Sources,
        read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    ) {
        for (name, signal) in model.signals.iter() {
            let dimension = self.names.dimension(name);
            if let Some(log) = &signal.log {
                let log = logs::read(log, sources, read_log, self.report);
                let kind = SignalKind::Input { course: Course::Table(log), start: None };
                self.signal(name, dimension, kind);
            } else if let Some(input) = &signal.input {
                let start = self.declare(&input.path, &input.formula, dimension);
                let kind = SignalKind::Input { course: Course::Held(0.0), start: Some(start) };
                self.signal(name, dimension, kind);
            } else if let Some(value) = &signal.value {
                let value = self.bind(value);
                self.signal(name, dimension, SignalKind::Value(value));
            } else if let Some(excited) = signal.excitations().into_iter().next() {
                let amplitude = self.declare(&excited.amplitude.path, &excited.amplitude.formula, dimension);
                let offset =
                    excited.offset.map(|offset| self.declare(&offset.path, &offset.formula, dimension));
                let shape = Arc::new(excited.shape);
                self.signal(name, dimension, SignalKind::Excitation { shape, amplitude, offset });
            }
        }
        for (name, switch) in model.switches.iter() {
            let off = match &switch.off {
                Some(off) => Release::When(self.bind(&off.0)),
                None if switch.latched.value => Release::Never,
                None => Release::Otherwise,
            };
            let (on, start, stop) = (self.bind(&switch.on.0), switch.start, switch.stop);
            self.signal(name, Some(Dimension::NONE), SignalKind::Switch { on, off, start, stop });
        }
        let blocks = (model.sensors.iter().map(|(name, sensor)| (name, &**sensor)))
            .chain(model.controllers.iter().map(|(name, controller)| (name, &**controller)));
        for (name, block) in blocks {
            let spec = block.block.spec();
            let output = self.names.dimension(name);
            let input = block.inputs.first().and_then(|input| self.dimension_of(input));
            let known = BlockDimensions { input, output, gain: None };
            let parameters = block.numbers().map(|(param, number)| {
                let declared = self.declare(&number.path, &number.formula, known.of(param.kind));
                let lower = if param.lower_open && param.lower == 0.0 { SMALLEST } else { param.lower };
                self.table().bound(declared, lower, param.upper);
                if param.structural {
                    self.structural.push(number.path.clone());
                }
                declared
            });
            let parameters = parameters.collect();
            let inputs = block.inputs.iter().map(|input| self.bind(input)).collect();
            let schedule = schedule(name, [&block.period, &block.delay, &block.jitter]);
            let kind = SignalKind::Block { block: block.block, inputs, parameters, schedule };
            let signal = self.signal(name, output, kind);
            for (k, port) in spec.outputs.iter().enumerate().skip(1) {
                let kind = SignalKind::BlockOutput { signal, output: k };
                self.signal(&format!("{}.{}", name.text, port.name), known.of(port.kind), kind);
            }
        }
    }

    fn signal(&mut self, name: &str, dimension: Option<Dimension>, kind: SignalKind) -> SignalId {
        let unit = dimension.unwrap_or_default().tidy().to_string();
        self.builder.push_signal(name, &unit, kind)
    }

    /// The expression with its curves.
    pub(super) fn bind(&mut self, formula: &Formula) -> Expression {
        match self.curves.bind(&formula.expression) {
            Ok(expression) => expression,
            Err(error) => {
                // A checked model knows all curves; one from a file that could not be read was reported there.
                if !self.report.has_errors() {
                    self.fault(formula.place(error.span.clone()), &error);
                }
                formula.expression.clone()
            }
        }
    }

    fn dimension_of(&self, formula: &Formula) -> Option<Dimension> {
        gelenk_file::dimensions::of(formula, self.names).ok().flatten()
    }

    fn unit(&self, formula: &Formula) -> String {
        self.dimension_of(formula).unwrap_or_default().tidy().to_string()
    }
}

/// What a joint or a frame stands on.
pub(super) fn body_ref(model: &ModelFile, name: &Text) -> Option<BodyRef> {
    match &**name {
        "ground" => Some(BodyRef::Ground),
        name => {
            let frame = || model.frames.position(name).map(|index| FrameId::nth(index).into());
            model.bodies.position(name).map(|index| BodyId::nth(index).into()).or_else(frame)
        }
    }
}

/// Sampling instants from period, delay and jitter; every block has a jitter of its own, by its name.
fn schedule(name: &str, times: [&Fixed<Time>; 3]) -> Schedule {
    let [whole, delay, jitter] = times.map(|time| Nanos::from_seconds(time.value).unwrap_or(Nanos::ZERO));
    let seed = name.bytes().fold(0u64, |seed, byte| seed.wrapping_mul(257).wrapping_add(u64::from(byte)));
    let schedule = Schedule { period: whole, rest: 0, delay, jitter, seed };
    schedule.with_period(times[0].value).unwrap_or(schedule)
}
