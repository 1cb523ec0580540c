//! Compiling a blueprint: the order of links and signals, names, and the layout of the flat vectors.
//!
//! | file | content |
//! |---|---|
//! | `tree` | joints lowered to links, and the matrix `F` |
//! | `lower` | elements and constraints in their runtime form |
//! | `names` | what expressions can name |
//! | `signals` | signals, samplers and their order |

mod lower;
mod names;
mod signals;
mod tree;

use gelenk_math::expression::ExpressionError;
use gelenk_system::{Account, Layout, ParameterError, ParameterTable};
use thiserror::Error;

use crate::blueprint::{
    Blueprint, BodyRef, Coordinate, CoordinateKind, FrameId, LoopKind, Measure, SignalKind, places as pair,
};
use crate::channels::velocities;
use crate::elements::Attachment;
use crate::elements::holds::Hold;
use crate::elements::{Bent, Elements};
use crate::loops::carry::Carry;
use crate::loops::paths::{Joints, Paths};
use crate::loops::singular;
use crate::loops::{Equation, LoopInfo, Loops, Replaced};
use crate::mechanism::{CoordinateInfo, Counted, FrameInfo, Mechanism};
use crate::signals::Signals;
use lower::{
    Places, check_element, drive_elements, effort_unit, lower_element, lower_factor, lower_loop, lower_normal,
};
use names::Names;
use signals::{Lowered, affected, signal_order};
use tree::{Tree, link_order, spins};

/// Velocities up to which a mechanism with loops is solved by its mass matrix: a small matrix costs less than the
/// recursion that carries constraints.
const SMALL_LOOPS: usize = 7;

/// A blueprint that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BuildError {
    /// A name in an expression stands for nothing.
    #[error("{place}: unknown name {name:?}{}", .closest.as_ref().map(|c| format!("; did you mean {c:?}?")).unwrap_or_default())]
    UnknownName {
        /// The element or signal whose expression it is.
        place: String,
        /// The name.
        name: String,
        /// The most similar known name.
        closest: Option<String>,
    },
    /// An expression that cannot be compiled for another reason.
    #[error("{place}: {error}")]
    Expression {
        /// The element or signal whose expression it is.
        place: String,
        /// What is wrong with it.
        error: ExpressionError,
    },
    /// Signals that need each other at one instant.
    #[error("signals depend on each other: {}; break the loop with a sampled sensor or controller", .cycle.join(" -> "))]
    AlgebraicLoop {
        /// The names, the first one repeated at the end.
        cycle: Vec<String>,
    },
    /// Joints that do not make a tree.
    #[error("{message}")]
    Tree {
        /// Which body or joint, and what to do.
        message: String,
    },
    /// A name that is used twice.
    #[error("{name:?} is defined twice, so that expressions with it would be ambiguous; rename one")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// An index that points nowhere.
    #[error("{place} refers to {what} number {index}, which does not exist")]
    Index {
        /// Who refers.
        place: String,
        /// What is referred to.
        what: &'static str,
        /// The index.
        index: usize,
    },
    /// Sampling instants that cannot be.
    #[error("{signal}: {reason}")]
    Period {
        /// The signal.
        signal: String,
        /// What is wrong with them.
        reason: &'static str,
    },
    /// Refused parameters.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl Blueprint {
    /// Compiles the blueprint with the parameters that it refers to.
    pub fn compile(self, mut parameters: ParameterTable) -> Result<Mechanism, BuildError> {
        parameters.finish()?;
        self.check_references()?;
        let order = link_order(&self)?;
        let names = Names::collect(&self, &order, &parameters)?;
        let mut tree = Tree::new(self.coordinates.len(), self.bodies.len());
        for &joint in &order {
            tree.push(&self, &self.joints[joint], &names)?;
        }
        let frames = (0..self.frames.len()).map(|frame| {
            let (body, placement) = tree::mount(&self, BodyRef::Frame(FrameId::nth(frame)));
            FrameInfo { name: self.frames[frame].name.clone(), link: tree.link_of(body), placement }
        });
        let frames: Vec<FrameInfo> = frames.collect();
        let (mut loops, mut equations) = (Vec::new(), Vec::new());
        for closure in &self.loops {
            let first = equations.len();
            let frame = lower_loop(&self, closure, &names, &mut equations)?;
            let aligned = match closure.kind {
                LoopKind::Rigid(between) | LoopKind::Orientation(between) | LoopKind::Prismatic(between) => {
                    Some(pair(between))
                }
                _ => None,
            };
            let effort = match &closure.kind {
                LoopKind::Coupling(expression) => names.effort_per(&self, &parameters, expression),
                _ => String::new(),
            };
            let (name, rows) = (closure.name.clone(), first..equations.len());
            loops.push(LoopInfo { name, rows, frame, aligned, effort });
        }

        let joints = Joints::new(&tree.links, &frames, &tree.rows, &tree.columns);
        let paths = Paths::new(&joints, &equations, tree.nv);
        let direct = tree.is_direct();
        let large = tree.nv > SMALL_LOOPS;
        let articulated = direct && (equations.is_empty() || large);
        let carry = (articulated && !equations.is_empty()).then(|| Carry::new(&joints, &equations, &paths));

        let mut layout = Layout { nq: tree.nq, nv: tree.nv, nc: equations.len(), nw: 1, ..Layout::default() };
        let mut accounts = vec![Account { name: "gravity".into(), conservative: true }];
        let mut elements = Vec::new();
        let mut places = Places { outputs: names.table.outputs, ..Places::default() };
        for (index, element) in self.elements.iter().enumerate() {
            check_element(element)?;
            let lowered = lower_element(&self, (index, element), &names, &mut places, &mut layout)?;
            for spec in lowered.kind.spec().accounts {
                let name = match spec.name {
                    "" => element.name.clone(),
                    part => format!("{}.{part}", element.name),
                };
                accounts.push(Account { name, conservative: spec.conservative });
            }
            elements.push(lowered);
        }
        let factors = self.factors.iter().map(|factor| lower_factor(factor, &elements, &names));
        let factors = factors.collect::<Result<Vec<_>, _>>()?;
        let mut normals = Vec::with_capacity(self.normals.len());
        for normal in &self.normals {
            normals.push(lower_normal(&self, normal, &elements, &tree.links, &names, &mut layout.nz)?);
        }
        let moving = |e: &Equation| matches!(e, Equation::Coupling(function) if function.time.is_some());
        let rheonomic = (tree.rheonomic || equations.iter().any(moving)).then(|| {
            accounts.push(Account { name: "prescribed motion".into(), conservative: false });
            layout.nw += 1;
            layout.nw - 1
        });

        let Lowered { signals, ports, mut samplers, switches } =
            names.signals(&self, &mut layout, &mut places.parameters)?;
        layout.ng += switches.len();
        let signal_order = signal_order(&self, &names)?;
        affected(&mut samplers, &signal_order, &signals, &elements, names.table);
        let mut outputs = Vec::new();
        for output in &self.outputs {
            outputs.push(names.program(&format!("output {}", output.name), &output.value)?);
        }
        let coordinates: Vec<CoordinateInfo> = self.coordinates.iter().map(CoordinateInfo::from).collect();
        let mut velocity_names: Vec<String> =
            coordinates.iter().map(|c| format!("coordinate {}", c.name)).collect();
        for joint in order.iter().map(|&j| &self.joints[j]) {
            if let Some(free) = spins(joint) {
                velocity_names.extend(velocities(free).map(|(s, ..)| format!("joint {}.{s}", joint.name)));
            }
        }

        layout.nh = elements.iter().enumerate().map(|(i, e)| Hold::all(i, e).len()).sum();
        let watch = singular::place(&mut layout);
        let counted = count(&self, &mut layout);
        let bent = watch_bending(&self, &mut layout);
        let replaced = self.replaced.iter().filter_map(|joint| {
            let body = &self.bodies[joint.body].name;
            Some(Replaced {
                name: joint.name.clone(),
                link: tree.links.iter().position(|link| link.inertia.is_some() && link.body == *body)?,
                loops: joint.loops.iter().map(|id| id.index()).collect(),
                elements: joint.elements.iter().map(|id| id.index()).collect(),
            })
        });
        let replaced = replaced.collect();
        let mut lengths: Vec<bool> = coordinates.iter().map(|c| c.kind == CoordinateKind::Length).collect();
        lengths.resize(layout.nv, false);
        for (_, v) in tree.spins.iter().filter_map(|spin| spin.origin) {
            lengths[v..v + 3].fill(true);
        }
        let mut mechanism = Mechanism {
            layout,
            nu: tree.nu,
            gravity: self.gravity,
            coordinates,
            spins: tree.spins,
            links: tree.links,
            rows: tree.rows,
            columns: tree.columns,
            frames,
            direct,
            articulated,
            loops: Loops::new(loops, equations, paths, carry, lengths).with(watch, replaced),
            elements: Elements::new(elements, factors, normals, places.contacts, bent),
            signals: Signals::new(signals, ports, signal_order, samplers, switches, names.calls.take()),
            table: names.table,
            outputs,
            channels: Vec::new(),
            accounts,
            velocity_names,
            scratch: names.scratch.get(),
            reactions: false,
            poses: false,
            accelerations: false,
            contact_times: false,
            rheonomic,
            counted,
            parameters,
        };
        let mut units: Vec<String> = self.signals.iter().map(|s| s.unit.clone()).collect();
        units.extend(drive_elements(&self).map(|(_, on, _)| effort_unit(&self, on).to_string()));
        let outputs: Vec<_> = self.outputs.iter().map(|o| (o.name.clone(), o.unit.clone())).collect();
        let inputs = mechanism.list_inputs();
        mechanism.signals.set_inputs(inputs);
        mechanism.channels = mechanism.list_channels(&units, &outputs);
        Ok(mechanism)
    }
}

impl From<&Coordinate> for CoordinateInfo {
    fn from(c: &Coordinate) -> Self {
        Self {
            name: c.name.clone(),
            kind: c.kind,
            start: c.start,
            rate: c.rate,
            exact: c.exact,
            rotor: c.rotor,
        }
    }
}

/// Angles that are counted over turns, with their places in the memory.
fn count(blueprint: &Blueprint, layout: &mut Layout) -> Vec<Counted> {
    let mut counted: Vec<Counted> = Vec::new();
    let mut add = |between: [usize; 2], start: Option<gelenk_system::Param>| {
        // Elements on an angle that a signal counts share it.
        if start.is_some() || counted.iter().all(|known| known.between != between) {
            counted.push(Counted { between, start, place: layout.nm });
            layout.nm += 1;
        }
    };
    for signal in &blueprint.signals {
        if let SignalKind::Measure(between, Measure::Counted(start)) = signal.kind {
            add(pair(between), Some(start));
        }
    }
    for element in &blueprint.elements {
        if let Attachment::Angle(between) = element.on {
            add(pair(between), None);
        }
    }
    counted
}

/// Rotation vectors that elements act on, with their places in the memory.
fn watch_bending(blueprint: &Blueprint, layout: &mut Layout) -> Vec<Bent> {
    let mut bent = Vec::new();
    for element in &blueprint.elements {
        if let Attachment::Pose(between) = element.on {
            let element = element.name.clone();
            bent.push(Bent { between: pair(between), element, place: layout.nm });
            layout.nm += 3;
        }
    }
    bent
}
