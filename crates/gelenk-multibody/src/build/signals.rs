//! Signals, samplers and the order of their evaluation.

use std::ops::Range;
use std::slice;

use gelenk_math::expression::Expression;
use gelenk_math::graph::{self, Order};
use gelenk_system::{Channel, Layout, Nanos, Schedule};

use super::BuildError;
use super::lower::drive_elements;
use super::names::Names;
use crate::blueprint::{self, Blueprint, Signal, SignalKind, places};
use crate::elements::ElementInfo;
use crate::mechanism::TableLayout;
use crate::signals::switches::{Release, SwitchRun};
use crate::signals::values::MOST_PORTS;
use crate::signals::{Node, PortInfo, Ports, Sampler, SignalInfo, SignalRun};

/// Results on their way at most.
const IN_FLIGHT: usize = 100_002;

/// Signals in their runtime form, and what writes some of them.
pub(super) struct Lowered {
    /// All of them, those of the drives last.
    pub(super) signals: Vec<SignalInfo>,
    /// Those that are bound when a run starts.
    pub(super) ports: Ports,
    /// In the order of their stages: sensors first.
    pub(super) samplers: Vec<Sampler>,
    pub(super) switches: Vec<SwitchRun>,
}

impl Names {
    /// Lowers the signals and what runs them.
    pub(super) fn signals(
        &self,
        blueprint: &Blueprint,
        layout: &mut Layout,
        law_parameters: &mut usize,
    ) -> Result<Lowered, BuildError> {
        let (mut signals, mut samplers): (Vec<SignalInfo>, Vec<Sampler>) = (Vec::new(), Vec::new());
        let (mut switches, mut ports) = (Vec::new(), Ports::default());
        for (index, signal) in blueprint.signals.iter().enumerate() {
            let place = format!("signal {}", signal.name);
            let check = |schedule: &Schedule| {
                let refuse =
                    |reason: &'static str| BuildError::Period { signal: signal.name.clone(), reason };
                if schedule.period == Nanos::ZERO {
                    return Err(refuse("the sampling period must be at least 1 ns"));
                }
                if schedule.jitter > schedule.period {
                    return Err(refuse("the jitter must not be longer than the period"));
                }
                if schedule.in_flight() > IN_FLIGHT {
                    return Err(refuse("the delay is longer than a hundred thousand periods"));
                }
                Ok(())
            };
            let kind = match &signal.kind {
                SignalKind::Input { course, start } => {
                    if let Some(reason) = course.fault() {
                        return Err(BuildError::Tree { message: format!("{place}: {reason}") });
                    }
                    let (name, unit) = (signal.name.clone(), signal.unit.clone());
                    ports.channels.push(Channel { name, unit, meaning: "input".into() });
                    let (level, over) = (level(layout), level(layout));
                    ports.inputs.push(PortInfo {
                        signal: index,
                        course: course.clone(),
                        start: *start,
                        level,
                        over,
                    });
                    SignalRun::Input(ports.inputs.len() - 1)
                }
                SignalKind::Value(value) => SignalRun::Value(self.program(&place, value)?),
                SignalKind::Excitation { shape, amplitude, offset } if shape.is_stepwise() => {
                    let (shape, level) = (shape.clone(), level(layout));
                    SignalRun::Levels { shape, level, amplitude: *amplitude, offset: *offset }
                }
                SignalKind::Excitation { shape, amplitude, offset } => {
                    let end = shape.end().map(|end| (end, level(layout)));
                    SignalRun::Excitation(shape.clone(), *amplitude, *offset, end)
                }
                SignalKind::Measure(between, measure) => SignalRun::Measure(places(*between), *measure),
                SignalKind::Reversed(between, measure) => SignalRun::Reversed(places(*between), *measure),
                SignalKind::Block { block, inputs, parameters, schedule } => {
                    check(schedule)?;
                    let spec = block.spec();
                    if [inputs.len(), parameters.len()] != [spec.inputs.len(), spec.params.len()]
                        || spec.inputs.len().max(spec.outputs.len()) > MOST_PORTS
                    {
                        let message = format!(
                            "{place}: wrong number of inputs or parameters for a block {}",
                            spec.name
                        );
                        return Err(BuildError::Tree { message });
                    }
                    // Memory: the held outputs, what the block itself needs, and the results on their way.
                    let mut take = |count: usize| {
                        layout.nm += count;
                        layout.nm - count..layout.nm
                    };
                    let held = take(spec.outputs.len());
                    let memory = take(block.memory());
                    let rings = take(spec.outputs.len() * schedule.in_flight());
                    let programs = inputs.iter().map(|input| self.program(&place, input));
                    *law_parameters += parameters.len();
                    let first = held.start;
                    samplers.push(Sampler {
                        block: *block,
                        signals: vec![index],
                        schedule: *schedule,
                        held,
                        memory,
                        rings,
                        inputs: programs.collect::<Result<_, _>>()?,
                        parameters: parameters.clone(),
                        p: *law_parameters - parameters.len()..*law_parameters,
                        affected: Vec::new(),
                    });
                    SignalRun::Held(first)
                }
                SignalKind::BlockOutput { signal, output } => {
                    let owner =
                        samplers.iter_mut().find(|sampler| sampler.signals.first() == Some(&signal.index()));
                    let owner = owner
                        .filter(|sampler| *output == sampler.signals.len() && *output < sampler.held.len());
                    let Some(sampler) = owner else {
                        return Err(BuildError::Index { place, what: "output of a block", index: *output });
                    };
                    sampler.signals.push(index);
                    SignalRun::Held(sampler.held.start + output)
                }
                SignalKind::Switch { on, off, start, stop } => {
                    let level = level(layout);
                    let off = match off {
                        blueprint::Release::Otherwise => Release::Otherwise,
                        blueprint::Release::When(off) => Release::When(self.program(&place, off)?),
                        blueprint::Release::Never => Release::Never,
                    };
                    let on = self.program(&place, on)?;
                    let name = format!("switches.{}", signal.name);
                    switches.push(SwitchRun { name, level, on, off, start: *start, stop: *stop });
                    SignalRun::Held(level)
                }
            };
            signals.push(SignalInfo { name: signal.name.clone(), kind });
        }
        for (short, _, effort) in drive_elements(blueprint) {
            let kind = SignalRun::Value(self.program(&format!("drive {short}"), effort)?);
            signals.push(SignalInfo { name: short.into(), kind });
        }
        // Those of one stage keep their order.
        samplers.sort_by_key(|sampler| sampler.block.spec().stage);
        ports.varying = ports.inputs.iter().map(|port| port.level).collect();
        for sampler in &samplers {
            let places = [&sampler.held, &sampler.memory, &sampler.rings];
            ports.varying.extend(places.into_iter().flat_map(Range::clone));
        }
        Ok(Lowered { signals, ports, samplers, switches })
    }
}

/// A place in the memory for the level of an input that jumps.
fn level(layout: &mut Layout) -> usize {
    layout.nm += 1;
    layout.nm - 1
}

/// Signals so that each stands after those its expression needs; refuses algebraic loops and shows them.
pub(super) fn signal_order(blueprint: &Blueprint, names: &Names) -> Result<Vec<Node>, BuildError> {
    let drives = drive_elements(blueprint).map(|(short, _, effort)| (short, slice::from_ref(effort)));
    let mut nodes: Vec<(&str, &[Expression])> = blueprint
        .signals
        .iter()
        .map(|signal: &Signal| match &signal.kind {
            SignalKind::Value(value) => (signal.name.as_str(), slice::from_ref(value)),
            _ => (signal.name.as_str(), &[][..]),
        })
        .chain(drives)
        .collect();
    let signals = nodes.len();
    // Elements come in where they have outputs; each output is known by its element.
    let (mut elements, mut owners) = (Vec::new(), Vec::new());
    for (index, element) in blueprint.elements.iter().enumerate() {
        let outputs = element.kind.spec().outputs.len();
        if outputs > 0 {
            owners.extend(std::iter::repeat_n(nodes.len(), outputs));
            elements.push(index);
            nodes.push((&element.name, &element.inputs));
        }
    }
    let slots = |expressions: &&[Expression]| -> Vec<usize> {
        let variables = expressions.iter().flat_map(|expression| expression.variables());
        let slots = variables.filter_map(|(name, _)| names.slots.get(name));
        let places = slots.filter_map(|slot| slot.checked_sub(names.table.signals));
        places.map(|place| place.checked_sub(signals).map_or(place, |output| owners[output])).collect()
    };
    let needs: Vec<Vec<usize>> = nodes.iter().map(|(_, formulas)| slots(formulas)).collect();
    let Order { nodes: order, cycle } = graph::order(&needs);
    match cycle.first() {
        None => {
            let node = |node: usize| {
                node.checked_sub(signals).map_or(Node::Signal(node), |k| Node::Element(elements[k]))
            };
            Ok(order.into_iter().map(node).collect())
        }
        Some(&first) => {
            let names = cycle.iter().chain([&first]).map(|&node| nodes[node].0.to_string());
            Err(BuildError::AlgebraicLoop { cycle: names.collect() })
        }
    }
}

/// What depends on the outputs of each sampler at the same instant, in order.
pub(super) fn affected(
    samplers: &mut [Sampler],
    order: &[Node],
    signals: &[SignalInfo],
    elements: &[ElementInfo],
    table: TableLayout,
) {
    for sampler in samplers {
        let mut slots: Vec<usize> = sampler.signals.iter().map(|signal| table.signals + signal).collect();
        for &node in order {
            let uses = |program: &gelenk_math::expression::Program| {
                program.slots().any(|slot| slots.contains(&slot))
            };
            let own = match node {
                Node::Signal(signal) => match &signals[signal].kind {
                    SignalRun::Value(program) if uses(program) => {
                        table.signals + signal..table.signals + signal + 1
                    }
                    _ => continue,
                },
                Node::Element(element) if elements[element].inputs.iter().any(uses) => {
                    elements[element].y.clone()
                }
                Node::Element(_) => continue,
            };
            slots.extend(own);
            sampler.affected.push(node);
        }
    }
}
