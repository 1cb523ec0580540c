//! Runtime expressions: their names, dimensions and loops.

use super::coordinates::{Coordinates, Role, kind_of, role};
use super::names::Names;
use super::parameters::Parameters;
use crate::blocks::{BlockDimensions, BlockTable};
use crate::elements::{ElementPlace, ElementTable};
use crate::model_file::ModelFile;
use crate::normal::{NormalForce, NormalSource};
use crate::quantity::{Anything, Quantity};
use crate::quantity::{Fixed, Formula, OnCoordinate, Time, measure_of};
use gelenk_file::dimensions;
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Sources;
use gelenk_laws::Kind;
use gelenk_math::graph;
use gelenk_math::suggest::closest;
use gelenk_math::units::{Dimension, Unit};
use gelenk_multibody::blueprint::CoordinateKind;

pub(super) fn check(
    model: &ModelFile,
    sources: &Sources,
    coordinates: &Coordinates,
    names: Names,
    parameters: &mut Parameters,
    report: &mut Report,
) -> Names {
    let mut signals = Signals { names, parameters, report };
    check_logs(model, sources, signals.report);
    signals.logs(model);
    signals.ports(model);
    for (_, joint) in model.joints.iter() {
        if let (Some(value), Some(kind)) = (&joint.value, kind_of(joint.kind.value)) {
            signals.joint_value(value, kind, coordinates);
        }
        if let Some(motion) = &joint.motion {
            let translation = motion.translation().map(|number| (number, CoordinateKind::Length));
            let rotation = motion.rotation().map(|number| (number, CoordinateKind::Angle));
            for (number, kind) in translation.into_iter().chain(rotation) {
                if matches!(role(number, model), Role::Function) {
                    signals.joint_value(&number.formula, kind, coordinates);
                }
            }
        }
    }
    for coordinate in &coordinates.list {
        for setting in coordinate.spring.iter().chain(&coordinate.stop) {
            signals.element(&setting.value, coordinate.kind);
        }
    }
    let on_coordinates = coordinates.list.iter().filter_map(|coordinate| coordinate.friction.as_ref());
    let further = model.friction.iter().map(|(_, element)| &element.law);
    for law in on_coordinates.map(|friction| &friction.value).chain(further) {
        law.factors.iter().for_each(|(_, factor)| signals.expect(factor, Dimension::NONE));
        match law.normal.as_ref().map(|normal| &normal.force) {
            Some(NormalForce::Given(force)) => signals.expect(force, Dimension::FORCE),
            Some(NormalForce::From(source)) => expect_source(model, source, signals.report),
            None => {}
        }
    }
    for (_, item) in model.loops.iter() {
        if let Some(equation) = &item.equation {
            signals.coupling(equation, coordinates);
        }
    }
    for (_, element) in model.elements.iter() {
        signals.element(element, coordinates.kind_at(&element.place));
    }
    signals.switches(model);
    for (_, output) in model.outputs.iter() {
        signals.any(output);
    }
    algebraic_loops(model, signals.report);
    signals.names
}

/// What a normal force comes from is one thing, and has a force.
fn expect_source(model: &ModelFile, source: &NormalSource, report: &mut Report) {
    if source.count() != 1 {
        let message = "a normal force needs exactly one of \"contact\", \"joint\" and \"loop\"";
        report.push(Diagnostic::error(source.span, message));
    } else if let Some(name) = &source.closure
        && model.loops.get(name).is_some_and(|item| item.between.is_none())
    {
        // A coupling of coordinates has no force.
        let between = model.loops.iter().filter(|(_, item)| item.between.is_some());
        let near = closest(name, between.map(|(name, _)| name.text.as_str()));
        let diagnostic = Diagnostic::error(name.span, format!("there is no loop \"{}\"", name.text));
        report.push(diagnostic.meant(near));
    }
}

struct Signals<'r, 'p> {
    names: Names,
    parameters: &'p mut Parameters,
    report: &'r mut Report,
}

/// A signal, sensor or controller whose dimension follows from an expression.
enum Port<'m> {
    Value(&'m Formula),
    Block(&'m BlockTable),
}

impl Signals<'_, '_> {
    /// Dimensions of logs are those of their units.
    fn logs(&mut self, model: &ModelFile) {
        for (name, signal) in model.signals.iter() {
            signal.check_excitations(self.report);
            let excitations = signal.excitations();
            let others = [signal.log.is_some(), signal.value.is_some(), signal.input.is_some()];
            let count = others.into_iter().filter(|given| *given).count();
            if count + excitations.len() != 1 {
                let message = match count + excitations.len() {
                    0 => format!("signal \"{}\" needs a source", name.text),
                    _ => format!("signal \"{}\" has more than one source", name.text),
                };
                let help = "give one of \"log\", \"value\", \"input\" and an excitation such as \"chirp\"";
                self.report.push(Diagnostic::error(signal.span, message).help(help));
            }
            if let Some(log) = &signal.log {
                self.names.set(name, Some(log.unit.unit.dimension));
            }
            if let Some(input) = &signal.input {
                let dimension = self.open_quantity(input);
                self.names.set(name, dimension);
            }
            for excited in &excitations {
                let dimension = self.excitation(excited);
                self.names.set(name, dimension);
            }
        }
    }

    /// Dimension of a number that may have any; a plain one leaves it open.
    fn open_quantity(&mut self, quantity: &Quantity<Anything>) -> Option<Dimension> {
        let formula = &quantity.formula;
        let known = self.parameters.check_names(formula, self.report);
        match dimensions::of(formula, &*self.parameters) {
            Ok(dimension) => dimension.filter(|_| known && !formula.expression.is_plain_number()),
            Err(diagnostic) => {
                self.report.push(*diagnostic);
                None
            }
        }
    }

    /// An excitation has the dimension of its amplitude.
    fn excitation(&mut self, excited: &crate::excitations::Excited<'_>) -> Option<Dimension> {
        let dimension = self.open_quantity(excited.amplitude);
        if let Some(offset) = excited.offset
            && self.parameters.check_names(&offset.formula, self.report)
        {
            self.parameters.check_dimension(offset, dimension, self.report);
        }
        dimension
    }

    /// Complains about unknown names; `true` if all are known.
    fn known(&mut self, formula: &Formula) -> bool {
        let mut all = self.parameters.curves.check_calls(formula, self.report);
        for (name, range) in formula.expression.variables() {
            self.parameters.mention(name);
            if !self.names.is_known(name) {
                all = false;
                // Names of tables that could not be read are missing through no fault of this expression.
                if !self.names.incomplete {
                    let diagnostic =
                        Diagnostic::error(formula.place(range), format!("unknown name \"{name}\""));
                    let (near, curves) = (self.names.closest(name), &self.parameters.curves);
                    self.report.push(match near {
                        Some(_) => diagnostic.meant(near),
                        None if curves.is_known(name) => diagnostic.help(curves.how_to_call(name)),
                        None if Unit::parse(name).is_ok() => diagnostic
                            .help(format!("if \"{name}\" is part of a unit, put that in brackets, as in \"2 [m/s]\"")),
                        None => diagnostic
                            .help("expressions may use t, coordinates, signals, switches, measures, sensors, controllers, drives and parameters"),
                    });
                }
            }
        }
        all
    }

    /// Checks a formula of any dimension and returns it.
    fn any(&mut self, formula: &Formula) -> Option<Dimension> {
        if !self.known(formula) {
            return None;
        }
        match dimensions::of(formula, &self.names) {
            Ok(dimension) => dimension,
            Err(diagnostic) => {
                self.report.push(*diagnostic);
                None
            }
        }
    }

    /// Checks a formula that must have a dimension.
    fn expect(&mut self, formula: &Formula, expected: Dimension) {
        if self.known(formula)
            && let Some(diagnostic) = dimensions::mismatch(formula, expected, &self.names)
        {
            self.report.push(diagnostic);
        }
    }

    /// Finds dimensions of signals, sensors and controllers in an order in which each follows what it uses.
    fn ports(&mut self, model: &ModelFile) {
        let ports: Vec<(&Text, Port<'_>)> = (model.signals.iter())
            .filter_map(|(name, signal)| Some((name, Port::Value(signal.value.as_ref()?))))
            .chain(model.sensors.iter().map(|(name, sensor)| (name, Port::Block(sensor))))
            .chain(model.controllers.iter().map(|(name, controller)| (name, Port::Block(controller))))
            .collect();
        // Further outputs of a block are known with it.
        let position = |name: &str| {
            let find = |name: &str| ports.iter().position(|(known, _)| known.text == name);
            find(name).or_else(|| name.rsplit_once('.').and_then(|(block, _)| find(block)))
        };
        let needs: Vec<Vec<usize>> = ports
            .iter()
            .map(|(_, port)| {
                let formula = match port {
                    Port::Value(formula) => Some(*formula),
                    Port::Block(block) => block.inputs.first(),
                };
                let names = formula.into_iter().flat_map(|formula| formula.expression.variables());
                names.filter_map(|(name, _)| position(name)).collect()
            })
            .collect();
        let order = graph::order(&needs);
        let mut done = vec![false; ports.len()];
        for i in order.nodes.iter().copied().inspect(|&i| done[i] = true) {
            let (name, port) = &ports[i];
            let dimension = match port {
                Port::Value(_) => self.port(port),
                Port::Block(block) => {
                    let known = self.block(block);
                    for output in &block.block.spec().outputs[1..] {
                        self.names.set(&format!("{}.{}", name.text, output.name), known.of(output.kind));
                    }
                    known.output
                }
            };
            self.names.set(name, dimension);
        }
        // What lies on a cycle keeps an open dimension, but its other mistakes are told.
        for (_, (_, port)) in done.iter().zip(&ports).filter(|(done, _)| !**done) {
            self.port(port);
        }
        // Further inputs may use any signal, so they are compared when all dimensions are known.
        let blocks = (model.sensors.iter().map(|(_, sensor)| &**sensor))
            .chain(model.controllers.iter().map(|(_, controller)| &**controller));
        for block in blocks {
            let input = block.inputs.first().and_then(|input| self.quiet(input));
            let known = BlockDimensions { input, output: None, gain: None };
            for (port, formula) in block.block.spec().inputs.iter().zip(&block.inputs).skip(1) {
                match known.of(port.kind) {
                    Some(dimension) => self.expect(formula, dimension),
                    None => {
                        self.any(formula);
                    }
                }
            }
        }
    }

    /// The dimension of a formula, without complaints.
    fn quiet(&self, formula: &Formula) -> Option<Dimension> {
        dimensions::of(formula, &self.names).ok().flatten()
    }

    fn port(&mut self, port: &Port<'_>) -> Option<Dimension> {
        match port {
            Port::Value(formula) => self.any(formula),
            Port::Block(block) => self.block(block).output,
        }
    }

    /// Checks a block but for its further inputs. Its output has the dimension that its gain makes of the first input; a
    /// gain that is a plain number leaves it open.
    fn block(&mut self, block: &BlockTable) -> BlockDimensions {
        check_schedule([&block.period, &block.delay, &block.jitter], self.report);
        let measured = block.inputs.first().and_then(|input| self.any(input));
        let gain = block.gain().map(|(param, number)| {
            let plain = number.formula.expression.is_plain_number();
            let known = self.parameters.check_names(&number.formula, self.report);
            let dimension = match dimensions::of(&number.formula, &*self.parameters) {
                Ok(dimension) => dimension.filter(|_| known && !plain),
                Err(diagnostic) => {
                    self.report.push(*diagnostic);
                    None
                }
            };
            (param, dimension)
        });
        let known = match gain {
            Some((param, dimension)) => BlockDimensions::of_gain(measured, param.kind, dimension),
            None => BlockDimensions { input: measured, output: measured, gain: None },
        };
        for (param, number) in block.numbers() {
            if gain.is_some_and(|(gain, _)| gain.name == param.name) || !param.choices.is_empty() {
                continue;
            }
            if number.is_given()
                && self.parameters.check_names(&number.formula, self.report)
                && let Some(value) =
                    self.parameters.check_dimension(number, known.of(param.kind), self.report)
                && !param.admits(value)
            {
                let (rule, bound) = match param.lower_open {
                    _ if value > param.upper => ("must be at most", param.upper),
                    true => ("must be greater than", param.lower),
                    false => ("must be at least", param.lower),
                };
                let message = format!("\"{}\" {rule} {bound}", param.name);
                self.report.push(Diagnostic::error(number.formula.span, message));
            }
        }
        known
    }

    /// The motion of a joint may follow from coordinates, parameters and time only.
    fn joint_value(&mut self, value: &Formula, kind: CoordinateKind, coordinates: &Coordinates) {
        self.over_coordinates(value, "the motion of a joint", coordinates);
        if let Some(expected) = measure_of(Kind::Displacement).on(kind) {
            self.expect(value, expected);
        }
    }

    /// So may a coupling, which needs a coordinate to act on.
    fn coupling(&mut self, equation: &Formula, coordinates: &Coordinates) {
        self.over_coordinates(equation, "a coupling", coordinates);
        self.any(equation);
        let mut names = equation.expression.variables().map(|(name, _)| name);
        if names.all(|name| name == "t" || self.parameters.is_known(name)) {
            self.report.push(
                Diagnostic::error(equation.span, "this equation uses no coordinate")
                    .help("a coupling relates coordinates, as in \"phi - 3*psi\""),
            );
        }
    }

    /// Complains about names that are neither coordinates nor parameters nor the time.
    fn over_coordinates(&mut self, formula: &Formula, what: &str, coordinates: &Coordinates) {
        for (name, range) in formula.expression.variables() {
            let allowed = name == "t" || coordinates.find(name).is_some() || self.parameters.is_known(name);
            if self.names.is_known(name) && !allowed {
                self.report.push(
                    Diagnostic::error(formula.place(range), format!("{what} cannot depend on \"{name}\""))
                        .help("it may use coordinates, parameters and t"),
                );
            }
        }
    }

    /// Inputs of elements may depend on everything that signals may.
    fn element(&mut self, element: &ElementTable, kind: Option<CoordinateKind>) {
        if self.misnamed(element, kind) {
            return;
        }
        for (input, formula) in element.given() {
            match kind.and_then(|kind| measure_of(input.kind).on(kind)) {
                Some(dimension) => self.expect(formula, dimension),
                None => {
                    self.any(formula);
                }
            }
        }
    }

    /// Complains about an input that has the name that it has on another kind of coordinate.
    fn misnamed(&mut self, element: &ElementTable, kind: Option<CoordinateKind>) -> bool {
        let also = element.kind.spec().inputs.iter().find_map(|input| input.also);
        let (Some([on_length, on_angle]), Some((called, span)), Some(kind)) = (also, element.called, kind)
        else {
            return false;
        };
        let (wrong, right, what) = match kind {
            CoordinateKind::Angle => (on_length, on_angle, "an angle"),
            CoordinateKind::Length => (on_angle, on_length, "a length"),
        };
        if called != wrong {
            return false;
        }
        let diagnostic = Diagnostic::error(span, format!("a {wrong} cannot act on {what}"))
            .help(format!("give a \"{right}\""));
        self.report.push(match &element.place {
            ElementPlace::Coordinate(on) => diagnostic.related(on.span, format!("this coordinate is {what}")),
            _ => diagnostic,
        });
        true
    }

    /// Conditions may compare what signals may use.
    fn switches(&mut self, model: &ModelFile) {
        for (_, switch) in model.switches.iter() {
            for condition in [&switch.on].into_iter().chain(&switch.off) {
                self.any(&condition.0);
            }
            if let (Some(off), true) = (&switch.off, switch.latched.value) {
                let message = "a switch that stays on has no \"off\"";
                self.report.push(
                    Diagnostic::error(off.0.span, message)
                        .related(switch.latched.span, "it stays on because of this"),
                );
            }
        }
    }
}

/// Sampling periods count whole nanoseconds; delays and jitter are none or more.
fn check_schedule([period, delay, jitter]: [&Fixed<Time>; 3], report: &mut Report) {
    for (name, time) in [("delay", delay), ("jitter", jitter)] {
        if gelenk_system::Nanos::from_seconds(time.value).is_none() {
            let message = format!("\"{name}\" must be at least 0 and within the range of the clock");
            report.push(Diagnostic::error(time.span, message).label(format!("this is {} s", time.value)));
        }
    }
    if period.value > 0.0 && jitter.value > period.value {
        let message = "\"jitter\" must not be longer than the period";
        report.push(Diagnostic::error(jitter.span, message).related(period.span, "the period"));
    } else if period.value > 0.0 && delay.value / period.value > 1e5 {
        let message = "\"delay\" is longer than a hundred thousand periods";
        report.push(Diagnostic::error(delay.span, message).related(period.span, "the period"));
    }
    if gelenk_system::Nanos::from_seconds(period.value).is_none_or(|nanos| nanos.0 == 0) {
        let message = if period.value > 1.0 {
            "\"period\" exceeds the range of the clock, 570 years"
        } else {
            "\"period\" must be at least 1 ns"
        };
        report.push(Diagnostic::error(period.span, message).label(format!("this is {} s", period.value)));
    }
}

/// Logs must be there, and their times be times.
fn check_logs(model: &ModelFile, sources: &Sources, report: &mut Report) {
    for (_, signal) in model.signals.iter() {
        let Some(log) = &signal.log else { continue };
        log.time_unit.expect(Dimension::TIME, report);
        check_file(&log.file, sources, report);
    }
}

/// A table that a model names must be there.
pub(super) fn check_file(file: &Text, sources: &Sources, report: &mut Report) {
    let path = sources.resolve(file.span.file, file);
    // A text without a folder has no place from which paths could start.
    let anchored = sources.get(file.span.file).is_some_and(|source| source.anchored);
    if anchored && !path.is_file() {
        report.push(
            Diagnostic::error(file.span, format!("there is no file \"{}\"", file.text))
                .help("paths are relative to the folder of the file that names them"),
        );
    }
}

/// Signals and drives that need each other at one instant.
fn algebraic_loops(model: &ModelFile, report: &mut Report) {
    let nodes: Vec<(&Text, &Formula)> = (model.signals.iter())
        .filter_map(|(name, signal)| Some((name, signal.value.as_ref()?)))
        .chain(model.elements.drives().filter_map(|(name, drive)| Some((name, drive.inputs.first()?))))
        .collect();
    // Each input of an element is needed by all of its outputs.
    let elements: Vec<(&Text, &ElementTable)> =
        model.elements.named().filter(|(_, element)| !element.inputs.is_empty()).collect();
    let of_element = |name: &str| {
        let (element, output) = name.rsplit_once('.')?;
        let owns = |(known, table): &(&Text, &ElementTable)| {
            known.text == element && table.kind.spec().outputs.iter().any(|known| known.name == output)
        };
        elements.iter().position(owns)
    };
    let find = |name: &str| {
        if let Some(element) = of_element(name) {
            return Some(nodes.len() + element);
        }
        let short = ["torque", "force", "effort"]
            .iter()
            .find_map(|alias| name.strip_suffix(alias).and_then(|rest| rest.strip_suffix('.')));
        nodes.iter().position(|(known, _)| known.text == short.unwrap_or(name))
    };
    let uses = |formula: &Formula| -> Vec<usize> {
        formula.expression.variables().filter_map(|(name, _)| find(name)).collect()
    };
    let needs: Vec<Vec<usize>> = (nodes.iter().map(|(_, formula)| uses(formula)))
        .chain(elements.iter().map(|(_, element)| element.inputs.iter().flat_map(uses).collect()))
        .collect();
    let cycle = graph::order(&needs).cycle;
    if let Some(&first) = cycle.first() {
        let node = |i: usize| match i.checked_sub(nodes.len()) {
            None => (nodes[i].0, nodes[i].1.span),
            Some(element) => (elements[element].0, elements[element].1.span),
        };
        let names: Vec<&str> = cycle.iter().chain([&first]).map(|&i| node(i).0.text.as_str()).collect();
        report.push(
            Diagnostic::error(node(first).1, format!("signals depend on each other: {}", names.join(" -> ")))
                .help("break the loop with a sampled sensor or controller"),
        );
    }
}
