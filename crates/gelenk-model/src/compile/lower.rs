//! The walk over the model.

use super::{Compiled, LogColumns, LogRequest, logs, structure};
use crate::blocks::BlockDimensions;
use crate::check::coordinates::{Coordinates, Setting};
use crate::check::curves::Curves;
use crate::check::names::Names;
use crate::check::parameters::Parameters;
use crate::check::signals;
use crate::elements::DRIVES;
use crate::friction::{FrictionLaw, FrictionStart};
use crate::model_file::{ExactWord, ModelFile, Up};
use crate::normal::{Normal, NormalForce, NormalSource};
use crate::quantity::{Fixed, Formula, Measure, Number, OnCoordinate, Time, measure_of};
use crate::rubbing::{Place, Way};
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::{Sources, Span};
use gelenk_laws::Kind;
use gelenk_math::expression::Expression;
use gelenk_math::units::Dimension;
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{
    self, Blueprint, BodyRef, CoordinateKind, Element, Exact, Release, SignalKind,
};
use gelenk_multibody::elements::Slider;
use gelenk_system::{Nanos, Param, ParameterTable, Schedule};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bound of a number that must be greater than 0.
const SMALLEST: f64 = f64::MIN_POSITIVE;

pub(super) fn lower(
    model: &ModelFile,
    sources: &Sources,
    read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    report: &mut Report,
) -> Compiled {
    let mut quiet = Report::new();
    let mut curves = Curves::collect(model, sources, &mut quiet);
    curves.complete(model, &mut |file| logs::read_curve(file, sources, read_log), report);
    let mut parameters = Parameters::collect(model, curves.clone(), &mut quiet);
    let coordinates = Coordinates::collect(model, &mut quiet);
    let names = Names::collect(model, &coordinates, &parameters, &mut quiet);
    let names = signals::resolve(model, names, &mut parameters);
    let mut walk = Lower {
        table: ParameterTable::new(),
        dimensions: BTreeMap::new(),
        structural: Vec::new(),
        following: Vec::new(),
        shapes: Vec::new(),
        visuals: Vec::new(),
        meshes: super::meshes::Meshes::default(),
        names,
        curves,
        report,
    };
    walk.parameters(&parameters);
    let gravity = walk.gravity(model);
    // An inertia may be given in a frame, whose numbers it needs.
    let framed = model.bodies.iter().any(|(_, body)| body.inertia_frame.is_some());
    let early = framed.then(|| walk.frames(model));
    let bodies: Vec<blueprint::Body> =
        model.bodies.iter().map(|(name, body)| walk.body(name, body, model, sources)).collect();
    let joints: Vec<blueprint::Joint> = model
        .joints
        .iter()
        .zip(&coordinates.of_joint)
        .filter_map(|((name, joint), moved)| walk.joint(model, name, joint, moved, &coordinates))
        .collect();
    let mut elements = walk.ball_stops(model, &joints);
    let (mut factors, mut pressed) = (Vec::new(), Vec::new());
    let list = coordinates
        .list
        .iter()
        .enumerate()
        .map(|(index, coordinate)| {
            let kind = coordinate.kind.unwrap_or(CoordinateKind::Angle);
            let name = &coordinate.name;
            let start =
                walk.start(coordinate.start.as_ref(), name, "start", measure_of(Kind::Displacement), kind);
            let rate = walk.start(coordinate.rate.as_ref(), name, "rate", measure_of(Kind::Rate), kind);
            let on = Attachment::Coordinate(index);
            for setting in coordinate.spring.iter().chain(&coordinate.stop) {
                elements.push(walk.element(setting.path.clone(), setting.value, on, kind));
            }
            if let Some(friction) = &coordinate.friction {
                walk.factors(friction.value, elements.len(), &mut factors);
                pressed.extend(friction.value.normal.as_ref().map(|normal| (elements.len(), normal)));
                let law = friction.value;
                elements.push(walk.friction(&friction.path, law, Slider::new(law.law), on, kind));
            }
            let rotor = coordinate.rotor.as_ref().map(|rotor| walk.at_least(rotor.value, kind, 0.0));
            let exact = match coordinate.exact.as_ref().map(|exact| *exact.value) {
                None => Exact::default(),
                Some(ExactWord::Start) => Exact { start: true, rate: false },
                Some(ExactWord::Rate) => Exact { start: false, rate: true },
                Some(ExactWord::Both) => Exact { start: true, rate: true },
            };
            blueprint::Coordinate { name: name.text.clone(), kind, start, rate, exact, rotor }
        })
        .collect();
    let mut frames = early.unwrap_or_else(|| walk.frames(model));
    let kind_at = |index: usize| coordinates.list[index].kind.unwrap_or(CoordinateKind::Angle);
    for (name, element) in model.friction.iter() {
        let slider = Slider::new(element.law.law);
        let place = match &element.place {
            Place::Coordinate(on) => {
                coordinates.find(on).map(|index| (slider, Attachment::Coordinate(index), kind_at(index)))
            }
            Place::Between(between, way) => walk.between(model, &between.0, &mut frames).map(|between| {
                let between = match (element.reversed, *way) {
                    (true, Way::Along(axis) | Way::About(axis)) => {
                        [walk.turned(between[0], (axis + 1) % 3, &mut frames), between[1]]
                    }
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
        let Some((slider, on, kind)) = place else { continue };
        walk.factors(&element.law, elements.len(), &mut factors);
        pressed.extend(element.law.normal.as_ref().map(|normal| (elements.len(), normal)));
        elements.push(walk.friction(&format!("friction.{}", name.text), &element.law, slider, on, kind));
    }
    walk.visuals(model, sources);
    let loops = walk.loops(model, &mut frames);
    walk.elements(model, &coordinates, &mut frames, &mut elements, |table| table != DRIVES);
    walk.contacts(model, sources, &mut frames, &mut elements);
    let normals = pressed
        .into_iter()
        .filter_map(|(element, normal)| walk.normal(normal, element, model, &elements))
        .collect();
    walk.elements(model, &coordinates, &mut frames, &mut elements, |table| table == DRIVES);
    let mut signals = walk.signals(model, sources, read_log);
    walk.measures(model, &mut frames, &mut signals);
    let outputs = model
        .outputs
        .iter()
        .map(|(name, formula)| blueprint::Output {
            name: name.text.clone(),
            unit: walk.unit(formula),
            value: walk.bind(formula),
        })
        .collect();
    if let Err(error) = walk.table.finish() {
        walk.fault(Span::default(), &error);
    }
    let blueprint = Blueprint {
        replaced: Vec::new(),
        gravity,
        coordinates: list,
        bodies,
        joints,
        frames,
        loops,
        elements,
        factors,
        normals,
        signals,
        outputs,
    };
    Compiled {
        warnings: Report::new(),
        parameters: walk.table,
        blueprint,
        shapes: walk.shapes,
        visuals: walk.visuals,
        y_up: model.up == Up::Y,
        dimensions: walk.dimensions,
        structural: walk.structural,
        settled: structure::settled(model),
        following: walk.following,
    }
}

pub(super) struct Lower<'r, 'a> {
    pub(super) table: ParameterTable,
    pub(super) dimensions: BTreeMap<String, Option<Dimension>>,
    pub(super) structural: Vec<String>,
    /// Paths of numbers that follow from the shapes of a body.
    pub(super) following: Vec<String>,
    pub(super) shapes: Vec<super::Drawn>,
    pub(super) visuals: Vec<super::Drawn>,
    pub(super) meshes: super::meshes::Meshes,
    names: Names,
    pub(super) curves: Curves<'a>,
    pub(super) report: &'r mut Report,
}

impl Lower<'_, '_> {
    fn gravity(&mut self, model: &ModelFile) -> [Param; 3] {
        match &model.gravity {
            Some(gravity) => self.vector(gravity),
            None => self.implied_vector("gravity", Dimension::ACCELERATION),
        }
    }

    fn start(
        &mut self,
        given: Option<&Setting<'_, Number>>,
        name: &Text,
        key: &str,
        measure: Measure,
        kind: CoordinateKind,
    ) -> Param {
        match given {
            Some(setting) => self.param(setting.value, kind),
            None => {
                let dimension = measure.on(kind).unwrap_or_default();
                self.implied(&format!("coordinates.{}.{key}", name.text), 0.0, dimension)
            }
        }
    }

    /// Stops of ball joints.
    fn ball_stops(&mut self, model: &ModelFile, joints: &[blueprint::Joint]) -> Vec<Element> {
        let mut elements = Vec::new();
        for (name, joint) in model.joints.iter() {
            let place = joints.iter().position(|known| known.name == name.text);
            let stop = joint.stop.as_ref().filter(|stop| stop.is_of_ball());
            if let (Some(stop), Some(place)) = (stop, place) {
                let name = format!("joints.{}.stop", name.text);
                elements.push(self.element(name, stop, Attachment::Ball(place), CoordinateKind::Angle));
            }
        }
        elements
    }

    /// Factors on the parameters of the friction element with the index `element`.
    fn factors(&mut self, law: &FrictionLaw, element: usize, factors: &mut Vec<blueprint::Factor>) {
        for (place, formula) in &law.factors {
            let (before, rest) = law.law.spec().params.split_at(*place);
            let count = |param: &gelenk_laws::ParamSpec| if param.per_element { law.elements } else { 1 };
            let start: usize = before.iter().map(count).sum();
            let parameters = start..start + rest.first().map_or(0, count);
            factors.push(blueprint::Factor { element, parameters, factor: self.bind(formula) });
        }
    }

    /// The normal force of the friction element with the index `element`.
    fn normal(
        &mut self,
        normal: &Normal,
        element: usize,
        model: &ModelFile,
        elements: &[Element],
    ) -> Option<blueprint::Normal> {
        let nominal = self.at_least(&normal.nominal, CoordinateKind::Length, f64::MIN_POSITIVE);
        let force = match &normal.force {
            NormalForce::Given(force) => blueprint::NormalForce::Given(self.bind(force)),
            NormalForce::From(source) => self.pressed_by(source, model, elements)?,
        };
        Some(blueprint::Normal { element, force, nominal })
    }

    fn pressed_by(
        &mut self,
        source: &NormalSource,
        model: &ModelFile,
        elements: &[Element],
    ) -> Option<blueprint::NormalForce> {
        let lag = self.at_least(&source.lag, CoordinateKind::Length, f64::MIN_POSITIVE);
        if let Some(joint) = &source.joint {
            return Some(blueprint::NormalForce::Joint { joint: model.joints.position(joint)?, lag });
        }
        if let Some(closure) = &source.closure {
            return Some(blueprint::NormalForce::Loop { closure: model.loops.position(closure)?, lag });
        }
        let contact = source.contact.as_ref()?;
        let name = format!("contacts.{}", contact.text);
        let found = elements.iter().position(|element| element.name == name);
        if found.is_none() && !self.report.has_errors() {
            let message = format!("the contact \"{}\" is not one pair of surfaces", contact.text);
            self.report.push(Diagnostic::error(contact.span, message));
        }
        found.map(blueprint::NormalForce::Contact)
    }

    fn friction(
        &mut self,
        path: &str,
        law: &FrictionLaw,
        slider: Slider,
        on: Attachment,
        kind: CoordinateKind,
    ) -> Element {
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
        Element::new(path, slider, on, &parameters).with_lists(law.elements)
    }

    fn signals(
        &mut self,
        model: &ModelFile,
        sources: &Sources,
        read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    ) -> Vec<blueprint::Signal> {
        let mut list: Vec<blueprint::Signal> = Vec::new();
        let add = |list: &mut Vec<blueprint::Signal>,
                   name: &str,
                   dimension: Option<Dimension>,
                   kind: SignalKind| {
            let unit = dimension.unwrap_or_default().tidy().to_string();
            list.push(blueprint::Signal { name: name.to_owned(), unit, kind });
        };
        for (name, signal) in model.signals.iter() {
            let dimension = self.names.dimension(name);
            if let Some(log) = &signal.log {
                add(
                    &mut list,
                    name,
                    dimension,
                    SignalKind::Log(logs::read(log, sources, read_log, self.report)),
                );
            } else if let Some(value) = &signal.value {
                add(&mut list, name, dimension, SignalKind::Value(self.bind(value)));
            } else if let Some(excited) = signal.excitations().into_iter().next() {
                let amplitude = self.declare(&excited.amplitude.path, &excited.amplitude.formula, dimension);
                let offset =
                    excited.offset.map(|offset| self.declare(&offset.path, &offset.formula, dimension));
                let shape = Arc::new(excited.shape);
                add(&mut list, name, dimension, SignalKind::Excitation { shape, amplitude, offset });
            }
        }
        for (name, switch) in model.switches.iter() {
            let off = match &switch.off {
                Some(off) => Release::When(self.bind(&off.0)),
                None if switch.latched.value => Release::Never,
                None => Release::Otherwise,
            };
            let (on, start, stop) = (self.bind(&switch.on.0), switch.start, switch.stop);
            add(&mut list, name, Some(Dimension::NONE), SignalKind::Switch { on, off, start, stop });
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
                self.table.bound(declared, lower, param.upper);
                if param.structural {
                    self.structural.push(number.path.clone());
                }
                declared
            });
            let parameters = parameters.collect();
            let inputs = block.inputs.iter().map(|input| self.bind(input)).collect();
            let schedule = schedule(name, [&block.period, &block.delay, &block.jitter]);
            add(
                &mut list,
                name,
                output,
                SignalKind::Block { block: block.block, inputs, parameters, schedule },
            );
            let signal = list.len() - 1;
            for (k, port) in spec.outputs.iter().enumerate().skip(1) {
                let kind = SignalKind::BlockOutput { signal, output: k };
                add(&mut list, &format!("{}.{}", name.text, port.name), known.of(port.kind), kind);
            }
        }
        list
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
        gelenk_file::dimensions::of(formula, &self.names).ok().flatten()
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
            let frame = || model.frames.position(name).map(BodyRef::Frame);
            model.bodies.position(name).map(BodyRef::Body).or_else(frame)
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
