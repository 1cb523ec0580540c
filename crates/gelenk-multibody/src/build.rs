//! Compiling a blueprint: the order of links and signals, names, and the layout of the flat vectors.

use std::collections::BTreeMap;

use gelenk_math::expression::{Expression, ExpressionError, Program};
use gelenk_math::suggest::closest;
use gelenk_system::{Account, Layout, Nanos, Param, ParameterError, ParameterTable};
use thiserror::Error;

use crate::blueprint::{
    Blueprint, BodyRef, Coordinate, CoordinateKind, Element, ElementKind, Joint, JointMotion, Loop, LoopKind,
    Scalar, Signal, SignalKind,
};
use crate::channels::{positions, velocities};
use crate::mechanism::{
    Axis, CoordinateInfo, ElementInfo, ElementRun, Equation, FrameInfo, Function, Link, LinkKind, LoopInfo,
    MassInfo, Mechanism, Sampler, SamplerKind, Shift, SignalInfo, SignalRun, Source, Spin, SpinStart,
    TableLayout, TimeDerivatives,
};

/// A blueprint that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BuildError {
    /// A name in an expression stands for nothing.
    #[error("{place}: {name:?} is not known here{}", .closest.as_ref().map(|c| format!("; did you mean {c:?}?")).unwrap_or_default())]
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
    #[error("{name:?} is defined twice; expressions could not tell which is meant")]
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
    /// A sampling period of zero.
    #[error("{signal}: the sampling period must be at least 1 ns")]
    Period {
        /// The signal.
        signal: String,
    },
    /// Refused parameters.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl Blueprint {
    /// Compiles the blueprint with the parameters that it refers to.
    pub fn compile(self, mut parameters: ParameterTable) -> Result<Mechanism, BuildError> {
        parameters.finish()?;
        let order = link_order(&self)?;
        let names = Names::collect(&self, &order, &parameters)?;
        let mut tree = Tree::new(self.coordinates.len(), self.bodies.len());
        for &joint in &order {
            tree.push(&self, &self.joints[joint], &names)?;
        }
        let frames = self.frames.iter().map(|f| FrameInfo {
            link: tree.link_of(f.body),
            position: f.position,
            orientation: f.orientation,
        });
        let frames: Vec<FrameInfo> = frames.collect();
        let (mut loops, mut equations) = (Vec::new(), Vec::new());
        for closure in &self.loops {
            let first = equations.len();
            let frame = lower_loop(&self, closure, &names, &mut equations)?;
            loops.push(LoopInfo { name: closure.name.clone(), rows: first..equations.len(), frame });
        }

        let mut layout = Layout { nq: tree.nq, nv: tree.nv, nc: equations.len(), nw: 1, ..Layout::default() };
        let mut accounts = vec![Account { name: "gravity".into(), conservative: true }];
        let mut elements = Vec::new();
        let mut law_parameters = 0;
        let mut drives = 0;
        for element in &self.elements {
            check_element(&self, element)?;
            let (nz, nm, ng, kind, elastic) = lower_element(element, &names, &mut law_parameters, || {
                drives += 1;
                self.signals.len() + drives - 1
            })?;
            let (z, m, g, account) = (layout.nz, layout.nm, layout.ng, layout.nw);
            layout.nz += nz;
            layout.nm += nm;
            layout.ng += ng;
            accounts.push(Account { name: element.name.clone(), conservative: elastic });
            layout.nw += 1;
            if elastic {
                accounts.push(Account { name: format!("{}.damping", element.name), conservative: false });
                layout.nw += 1;
            }
            elements.push(ElementInfo {
                name: element.name.clone(),
                kind,
                account,
                z: z..z + nz,
                m: m..m + nm,
                g: g..g + ng,
            });
        }
        let rheonomic = tree.rheonomic.then(|| {
            accounts.push(Account { name: "prescribed motion".into(), conservative: false });
            layout.nw += 1;
            layout.nw - 1
        });

        let (signals, samplers) = names.signals(&self, &mut layout)?;
        let signal_order = signal_order(&self, &names)?;
        let mut outputs = Vec::new();
        for output in &self.outputs {
            outputs.push(names.program(&format!("output {}", output.name), &output.value)?);
        }
        let switch_owner =
            elements.iter().enumerate().flat_map(|(i, e)| std::iter::repeat_n(i, e.g.len())).collect();
        let coordinates: Vec<CoordinateInfo> = self.coordinates.iter().map(CoordinateInfo::from).collect();
        let mut velocity_names: Vec<String> =
            coordinates.iter().map(|c| format!("coordinate {}", c.name)).collect();
        for joint in order.iter().map(|&j| &self.joints[j]) {
            if let Some(free) = spins(joint) {
                velocity_names.extend(velocities(free).map(|(s, ..)| format!("joint {}.{s}", joint.name)));
            }
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
            loops,
            equations,
            elements,
            table: names.table,
            signals,
            signal_order,
            samplers,
            outputs,
            channels: Vec::new(),
            accounts,
            switch_owner,
            velocity_names,
            scratch: names.scratch.get(),
            rheonomic,
            parameters,
        };
        let mut units: Vec<String> = self.signals.iter().map(|s| s.unit.clone()).collect();
        units.extend(
            drive_elements(&self)
                .map(|(_, coordinate, _)| self.coordinates[coordinate].kind.units()[2].to_string()),
        );
        let outputs: Vec<_> = self.outputs.iter().map(|o| (o.name.clone(), o.unit.clone())).collect();
        mechanism.channels = mechanism.list_channels(&units, &outputs);
        Ok(mechanism)
    }
}

impl From<&Coordinate> for CoordinateInfo {
    fn from(c: &Coordinate) -> Self {
        Self { name: c.name.clone(), kind: c.kind, start: c.start, rate: c.rate }
    }
}

/// Joints so that every parent stands before its children; also checks that they make a tree.
fn link_order(blueprint: &Blueprint) -> Result<Vec<usize>, BuildError> {
    let bodies = &blueprint.bodies;
    let mut carried = vec![None; bodies.len()];
    for (i, joint) in blueprint.joints.iter().enumerate() {
        check_indices(&format!("joint {}", joint.name), "body", &[joint.child], bodies.len())?;
        if let BodyRef::Body(parent) = joint.parent {
            check_indices(&format!("joint {}", joint.name), "body", &[parent], bodies.len())?;
        }
        if let Some(first) = carried[joint.child].replace(i) {
            let first: &Joint = &blueprint.joints[first];
            let message = format!(
                "body {} is carried by joints {} and {}; close the second connection with a loop",
                bodies[joint.child].name, first.name, joint.name
            );
            return Err(BuildError::Tree { message });
        }
    }
    let mut order = Vec::with_capacity(blueprint.joints.len());
    let mut placed = vec![false; bodies.len()];
    while order.len() < blueprint.joints.len() {
        let before = order.len();
        for (i, joint) in blueprint.joints.iter().enumerate() {
            let ready = match joint.parent {
                BodyRef::Ground => true,
                BodyRef::Body(parent) => placed[parent],
            };
            if ready && !placed[joint.child] {
                placed[joint.child] = true;
                order.push(i);
            }
        }
        if order.len() == before {
            break;
        }
    }
    if let Some(lost) = placed.iter().position(|p| !p) {
        let message = match carried[lost] {
            None => format!(
                "body {} is carried by no joint; connect it to ground or another body",
                bodies[lost].name
            ),
            Some(_) => {
                format!("body {} is not connected to ground: its joints form a cycle", bodies[lost].name)
            }
        };
        return Err(BuildError::Tree { message });
    }
    Ok(order)
}

fn check_indices(place: &str, what: &'static str, indices: &[usize], len: usize) -> Result<(), BuildError> {
    match indices.iter().find(|&&i| i >= len) {
        Some(&index) => Err(BuildError::Index { place: place.into(), what, index }),
        None => Ok(()),
    }
}

/// Writes the equations of a loop; returns the frame on its second body.
fn lower_loop(
    blueprint: &Blueprint,
    closure: &Loop,
    names: &Names,
    equations: &mut Vec<Equation>,
) -> Result<Option<usize>, BuildError> {
    let place = format!("loop {}", closure.name);
    let (x, y, z) = (0, 1, 2);
    let point = |between| [x, y, z].map(|axis| Equation::Point { between, axis });
    let across = |between, axes: [usize; 2]| Equation::Perpendicular { between, axes };
    let parallel = |between| [across(between, [z, x]), across(between, [z, y])];
    let along = |between, axis| Equation::Along { between, axis };
    let between = match &closure.kind {
        LoopKind::Coupling(expression) => {
            equations.push(Equation::Coupling(Box::new(names.function(blueprint, &place, expression)?)));
            return Ok(None);
        }
        LoopKind::Point(b)
        | LoopKind::Parallel(b)
        | LoopKind::Perpendicular(b)
        | LoopKind::Orientation(b)
        | LoopKind::Distance(b, _)
        | LoopKind::Plane(b)
        | LoopKind::Ellipsoid(b, _)
        | LoopKind::Rigid(b)
        | LoopKind::Revolute(b)
        | LoopKind::Cylindrical(b)
        | LoopKind::Prismatic(b)
        | LoopKind::Universal(b) => *b,
    };
    check_indices(&place, "frame", &between, blueprint.frames.len())?;
    match closure.kind {
        LoopKind::Point(_) => equations.extend(point(between)),
        LoopKind::Parallel(_) => equations.extend(parallel(between)),
        LoopKind::Perpendicular(_) => equations.push(across(between, [z, z])),
        LoopKind::Orientation(_) => {
            equations.extend(parallel(between));
            equations.push(across(between, [x, y]));
        }
        LoopKind::Distance(_, length) => equations.push(Equation::Distance { between, length }),
        LoopKind::Plane(_) => equations.push(along(between, z)),
        LoopKind::Ellipsoid(_, radii) => equations.push(Equation::Ellipsoid { between, radii }),
        LoopKind::Rigid(_) => {
            equations.extend(point(between));
            equations.extend(parallel(between));
            equations.push(across(between, [x, y]));
        }
        LoopKind::Revolute(_) => {
            equations.extend(point(between));
            equations.extend(parallel(between));
        }
        LoopKind::Cylindrical(_) => {
            equations.extend(parallel(between));
            equations.extend([along(between, x), along(between, y)]);
        }
        LoopKind::Prismatic(_) => {
            equations.extend(parallel(between));
            equations.extend([along(between, x), along(between, y), across(between, [x, y])]);
        }
        LoopKind::Universal(_) => {
            equations.extend(point(between));
            equations.push(across(between, [x, y]));
        }
        LoopKind::Coupling(_) => {}
    }
    Ok(Some(between[1]))
}

fn check_element(blueprint: &Blueprint, element: &Element) -> Result<(), BuildError> {
    match &element.kind {
        ElementKind::PointSpring { between, .. }
        | ElementKind::Line { between, .. }
        | ElementKind::Twist { between, .. }
        | ElementKind::Bushing { between, .. } => {
            check_indices(&element.name, "frame", between, blueprint.frames.len())
        }
        ElementKind::Force { frame, axes, .. } | ElementKind::Torque { frame, axes, .. } => {
            check_indices(&element.name, "frame", &[*frame, axes.unwrap_or(*frame)], blueprint.frames.len())
        }
        ElementKind::Spring { coordinate, .. }
        | ElementKind::Friction { coordinate, .. }
        | ElementKind::Stop { coordinate, .. }
        | ElementKind::Drive { coordinate, .. } => {
            check_indices(&element.name, "coordinate", &[*coordinate], blueprint.coordinates.len())
        }
    }
}

/// Sizes of an element's states, memory and switching functions, its runtime form, and whether it is elastic.
fn lower_element(
    element: &Element,
    names: &Names,
    law_parameters: &mut usize,
    next_drive: impl FnOnce() -> usize,
) -> Result<(usize, usize, usize, ElementRun, bool), BuildError> {
    let program = |expression: &Expression| names.program(&element.name, expression);
    let vector = |components: &[Expression; 3]| {
        let [x, y, z] = components;
        Ok::<_, BuildError>([program(x)?, program(y)?, program(z)?])
    };
    let (run, elastic) = match element.kind.clone() {
        ElementKind::Spring { coordinate, stiffness, damping, rest } => {
            (ElementRun::Spring { coordinate, stiffness, damping, rest }, true)
        }
        ElementKind::Friction { coordinate, law, parameters, elements } => {
            let p = *law_parameters..*law_parameters + parameters.len();
            *law_parameters = p.end;
            let sizes = (law.states(elements), law.memory(elements), law.switches(elements));
            let run = ElementRun::Friction { coordinate, law, parameters, elements, p };
            return Ok((sizes.0, sizes.1, sizes.2, run, false));
        }
        ElementKind::Stop { coordinate, range, stiffness, exponent, damping, depth, clamp } => {
            let run = ElementRun::Stop { coordinate, range, stiffness, exponent, damping, depth, clamp };
            return Ok((0, 2, 2, run, true));
        }
        ElementKind::Drive { coordinate, .. } => {
            (ElementRun::Drive { coordinate, signal: next_drive() }, false)
        }
        ElementKind::PointSpring { between, stiffness, damping, length } => {
            (ElementRun::PointSpring { between, stiffness, damping, length }, true)
        }
        ElementKind::Force { frame, axes, components } => {
            (ElementRun::Force { frame, axes, components: vector(&components)? }, false)
        }
        ElementKind::Torque { frame, axes, components } => {
            (ElementRun::Torque { frame, axes, components: vector(&components)? }, false)
        }
        ElementKind::Line { between, tension } => {
            (ElementRun::Line { between, tension: program(&tension)? }, false)
        }
        ElementKind::Twist { between, torque } => {
            (ElementRun::Twist { between, torque: program(&torque)? }, false)
        }
        ElementKind::Bushing { between, stiffness, damping } => {
            (ElementRun::Bushing { between, stiffness, damping }, true)
        }
    };
    Ok((0, 0, 0, run, elastic))
}

/// Drives with their short names: they follow the signals in the table.
fn drive_elements(blueprint: &Blueprint) -> impl Iterator<Item = (&str, usize, &Expression)> {
    blueprint.elements.iter().filter_map(|element| match &element.kind {
        ElementKind::Drive { coordinate, effort } => {
            let short = element.name.rsplit('.').next().unwrap_or(&element.name);
            Some((short, *coordinate, effort))
        }
        _ => None,
    })
}

/// Whether a joint has a quaternion, and if so, whether it also translates.
fn spins(joint: &Joint) -> Option<bool> {
    match joint.motion {
        JointMotion::Ball { .. } => Some(false),
        JointMotion::Free { .. } => Some(true),
        _ => None,
    }
}

/// Links and the matrix `F` while they are built.
struct Tree {
    nq: usize,
    nv: usize,
    nu: usize,
    links: Vec<Link>,
    /// Link of each body.
    place: Vec<Option<usize>>,
    spins: Vec<Spin>,
    rows: Vec<std::ops::Range<usize>>,
    columns: Vec<usize>,
    rheonomic: bool,
}

impl Tree {
    fn new(coordinates: usize, bodies: usize) -> Self {
        Self {
            nq: coordinates,
            nv: coordinates,
            nu: 0,
            links: Vec::new(),
            place: vec![None; bodies],
            spins: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            rheonomic: false,
        }
    }

    fn link_of(&self, body: BodyRef) -> Option<usize> {
        match body {
            BodyRef::Ground => None,
            BodyRef::Body(b) => self.place.get(b).copied().flatten(),
        }
    }

    /// Lowers a joint to links of one freedom each, or to one with a quaternion; the last one carries the body.
    fn push(&mut self, blueprint: &Blueprint, joint: &Joint, names: &Names) -> Result<(), BuildError> {
        let mut chain = Chain {
            parent: self.link_of(joint.parent),
            shifts: vec![Shift::Position(joint.position), Shift::Cardan(joint.orientation)],
        };
        match &joint.motion {
            JointMotion::Fixed => self.link(&mut chain, joint, LinkKind::Fixed, 0),
            JointMotion::Revolute { axis, value } => {
                self.turn(&mut chain, blueprint, joint, axis, value, names)?
            }
            JointMotion::Prismatic { axis, value } => {
                self.slide(&mut chain, blueprint, joint, Axis::Given(*axis), value, names)?;
            }
            JointMotion::General { translation, axes, rotation } => {
                for (axis, value) in translation.iter().enumerate() {
                    self.slide(&mut chain, blueprint, joint, Axis::Unit(axis), value, names)?;
                }
                for (axis, value) in axes.iter().zip(rotation) {
                    self.turn(&mut chain, blueprint, joint, axis, value, names)?;
                }
            }
            JointMotion::Ball { orientation, angular_velocity } => {
                let start = SpinStart {
                    orientation: *orientation,
                    angular_velocity: *angular_velocity,
                    origin: None,
                };
                let spin = Spin { q: self.nq, v: self.nv, origin: None };
                self.spin(&mut chain, joint, spin, LinkKind::Ball { spin, start }, (4, 3));
            }
            JointMotion::Free { position, orientation, angular_velocity, velocity } => {
                let origin = Some((*position, *velocity));
                let start =
                    SpinStart { orientation: *orientation, angular_velocity: *angular_velocity, origin };
                let origin = Some((self.nq, self.nv + 3));
                let spin = Spin { q: self.nq + 3, v: self.nv, origin };
                self.spin(&mut chain, joint, spin, LinkKind::Free { spin, start }, (7, 6));
            }
        }
        // Constants behind the last freedom place the body's frame on the last link.
        if !chain.shifts.is_empty() {
            self.link(&mut chain, joint, LinkKind::Fixed, 0);
        }
        let body = &blueprint.bodies[joint.child];
        if let Some(link) = self.links.last_mut() {
            link.body = body.name.clone();
            link.inertia = Some(MassInfo { mass: body.mass, centre: body.centre, inertia: body.inertia });
        }
        self.place[joint.child] = Some(self.links.len() - 1);
        Ok(())
    }

    /// Adds a link whose tree velocities are the last `freedoms` rows.
    fn link(&mut self, chain: &mut Chain, joint: &Joint, kind: LinkKind, freedoms: usize) {
        self.links.push(Link {
            joint: joint.name.clone(),
            body: String::new(),
            parent: chain.parent,
            placement: std::mem::take(&mut chain.shifts),
            kind,
            dofs: self.nu - freedoms..self.nu,
            inertia: None,
        });
        chain.parent = Some(self.links.len() - 1);
    }

    fn spin(
        &mut self,
        chain: &mut Chain,
        joint: &Joint,
        spin: Spin,
        kind: LinkKind,
        (nq, nv): (usize, usize),
    ) {
        for k in 0..nv {
            self.row([self.nv + k].into_iter());
        }
        self.nq += nq;
        self.nv += nv;
        self.spins.push(spin);
        self.link(chain, joint, kind, nv);
    }

    fn turn(
        &mut self,
        chain: &mut Chain,
        blueprint: &Blueprint,
        joint: &Joint,
        axis: &[Param; 3],
        value: &Scalar,
        names: &Names,
    ) -> Result<(), BuildError> {
        if let Scalar::Constant(angle) = value {
            chain.shifts.push(Shift::Turn(*axis, *angle));
            return Ok(());
        }
        let source = self.source(blueprint, joint, value, names)?;
        self.link(chain, joint, LinkKind::Revolute { axis: Axis::Given(*axis), source }, 1);
        Ok(())
    }

    fn slide(
        &mut self,
        chain: &mut Chain,
        blueprint: &Blueprint,
        joint: &Joint,
        axis: Axis,
        value: &Scalar,
        names: &Names,
    ) -> Result<(), BuildError> {
        if let (Scalar::Constant(length), Axis::Unit(axis)) = (value, &axis) {
            chain.shifts.push(Shift::Along(*axis, *length));
            return Ok(());
        }
        let source = self.source(blueprint, joint, value, names)?;
        self.link(chain, joint, LinkKind::Prismatic { axis, source }, 1);
        Ok(())
    }

    fn row(&mut self, columns: impl Iterator<Item = usize>) {
        let start = self.columns.len();
        self.columns.extend(columns);
        self.rows.push(start..self.columns.len());
        self.nu += 1;
    }

    fn source(
        &mut self,
        blueprint: &Blueprint,
        joint: &Joint,
        value: &Scalar,
        names: &Names,
    ) -> Result<Source, BuildError> {
        let place = format!("joint {}", joint.name);
        match value {
            Scalar::Coordinate(a) => {
                check_indices(&place, "coordinate", &[*a], blueprint.coordinates.len())?;
                self.row([*a].into_iter());
                Ok(Source::Coordinate(*a))
            }
            Scalar::Constant(_) => {
                // Only a prismatic joint along a given axis comes here: it does not move, and says so by a name.
                Err(BuildError::Tree {
                    message: format!("{place} has a constant value; make it a fixed joint"),
                })
            }
            Scalar::Function(expression) => {
                let function = names.function(blueprint, &place, expression)?;
                self.row(function.first.iter().map(|(a, _)| *a));
                self.rheonomic |= function.time.is_some();
                Ok(Source::Function(Box::new(function)))
            }
        }
    }
}

/// A joint while it is lowered: the last link, and the constants since.
struct Chain {
    parent: Option<usize>,
    shifts: Vec<Shift>,
}

/// Everything that expressions can name, with its place in the table.
struct Names {
    table: TableLayout,
    slots: BTreeMap<String, usize>,
    /// Largest scratch that a program needs.
    scratch: std::cell::Cell<usize>,
}

impl Names {
    fn collect(
        blueprint: &Blueprint,
        order: &[usize],
        parameters: &ParameterTable,
    ) -> Result<Self, BuildError> {
        let scalars = blueprint.coordinates.len();
        let joints = order.iter().map(|&j| &blueprint.joints[j]);
        let spinning: Vec<(&Joint, bool)> = joints.filter_map(|j| Some((j, spins(j)?))).collect();
        let (nq, nv) =
            spinning.iter().fold(
                (scalars, scalars),
                |(nq, nv), (_, free)| {
                    if *free { (nq + 7, nv + 6) } else { (nq + 4, nv + 3) }
                },
            );
        let q = 1;
        let v = q + nq;
        let p = v + nv;
        let signals = p + parameters.len();
        let drives = drive_elements(blueprint).count();
        let table = TableLayout { q, v, p, signals, len: signals + blueprint.signals.len() + drives };
        let mut slots = BTreeMap::new();
        let mut add = |name: String, slot: usize| match slots.insert(name.clone(), slot) {
            None => Ok(()),
            Some(_) => Err(BuildError::Duplicate { name }),
        };
        add("t".into(), 0)?;
        for (a, coordinate) in blueprint.coordinates.iter().enumerate() {
            add(coordinate.name.clone(), q + a)?;
            add(format!("{}.rate", coordinate.name), v + a)?;
        }
        let (mut next_q, mut next_v) = (q + scalars, v + scalars);
        for (joint, free) in &spinning {
            for (suffix, ..) in positions(*free) {
                add(format!("{}.{suffix}", joint.name), next_q)?;
                next_q += 1;
            }
            for (suffix, ..) in velocities(*free) {
                add(format!("{}.{suffix}", joint.name), next_v)?;
                next_v += 1;
            }
        }
        for (i, signal) in blueprint.signals.iter().enumerate() {
            add(signal.name.clone(), signals + i)?;
        }
        for (i, (short, coordinate, _)) in drive_elements(blueprint).enumerate() {
            let slot = signals + blueprint.signals.len() + i;
            let alias = match blueprint.coordinates.get(coordinate).map(|c| c.kind) {
                Some(CoordinateKind::Length) => "force",
                _ => "torque",
            };
            add(short.into(), slot)?;
            add(format!("{short}.{alias}"), slot)?;
            add(format!("{short}.effort"), slot)?;
        }
        for (param, parameter) in parameters.iter() {
            let slot = p + param.index();
            // A path never hides what is named in the model itself.
            slots.entry(parameter.path.clone()).or_insert(slot);
            if let Some(short) = parameter.path.strip_prefix("parameters.") {
                slots.entry(short.into()).or_insert(slot);
            }
        }
        Ok(Self { table, slots, scratch: std::cell::Cell::new(0) })
    }

    fn program(&self, place: &str, expression: &Expression) -> Result<Program, BuildError> {
        if let Some((name, _)) = expression.variables().find(|(name, _)| !self.slots.contains_key(*name)) {
            let closest = closest(name, self.slots.keys().map(String::as_str)).map(String::from);
            return Err(BuildError::UnknownName { place: place.into(), name: name.into(), closest });
        }
        let program = expression
            .compile(&|name: &str| self.slots.get(name).copied())
            .map_err(|error| BuildError::Expression { place: place.into(), error })?;
        self.scratch.set(self.scratch.get().max(program.scratch_len()));
        Ok(program)
    }

    /// A joint scalar as a function of coordinates, parameters and time, with its derivatives.
    fn function(
        &self,
        blueprint: &Blueprint,
        place: &str,
        expression: &Expression,
    ) -> Result<Function, BuildError> {
        let value = self.program(place, expression)?;
        let parameter_slots = self.table.p..self.table.signals;
        let mut used = Vec::new();
        for (name, _) in expression.variables() {
            let slot = self.slots.get(name).copied().unwrap_or(0);
            match blueprint.coordinates.iter().position(|c| c.name == name) {
                Some(a) if !used.contains(&a) => used.push(a),
                Some(_) => {}
                None if name == "t" || parameter_slots.contains(&slot) => {}
                None => {
                    return Err(BuildError::UnknownName {
                        place: format!("{place} (its value may use coordinates, parameters and t)"),
                        name: name.into(),
                        closest: None,
                    });
                }
            }
        }
        let name = |a: usize| blueprint.coordinates[a].name.as_str();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (i, &a) in used.iter().enumerate() {
            let slope = expression.derivative(name(a));
            first.push((a, self.program(place, &slope)?));
            for &b in &used[i..] {
                let curvature = self.program(place, &slope.derivative(name(b)))?;
                if curvature.constant() != Some(0.0) {
                    second.push((a, b, if a == b { 1.0 } else { 2.0 }, curvature));
                }
            }
        }
        let time = if expression.depends_on("t") {
            let rate = expression.derivative("t");
            let mixed = used
                .iter()
                .map(|&a| Ok((a, self.program(place, &rate.derivative(name(a)))?)))
                .collect::<Result<_, BuildError>>()?;
            let second = self.program(place, &rate.derivative("t"))?;
            Some(TimeDerivatives { first: self.program(place, &rate)?, second, mixed })
        } else {
            None
        };
        Ok(Function { value, first, second, time })
    }

    /// Signals in their runtime form, drives behind them, and the samplers with sensors first.
    fn signals(
        &self,
        blueprint: &Blueprint,
        layout: &mut Layout,
    ) -> Result<(Vec<SignalInfo>, Vec<Sampler>), BuildError> {
        let (mut signals, mut sensors, mut controllers) = (Vec::new(), Vec::new(), Vec::new());
        for (index, signal) in blueprint.signals.iter().enumerate() {
            let place = format!("signal {}", signal.name);
            let mut hold = |period: Nanos, extra: usize| {
                let held = layout.nm;
                layout.nm += 1 + extra;
                match period {
                    Nanos::ZERO => Err(BuildError::Period { signal: signal.name.clone() }),
                    _ => Ok(held),
                }
            };
            let kind = match &signal.kind {
                SignalKind::Log(table) => SignalRun::Log(table.clone()),
                SignalKind::Value(value) => SignalRun::Value(self.program(&place, value)?),
                SignalKind::Measure(between, measure) => {
                    check_indices(&place, "frame", between, blueprint.frames.len())?;
                    SignalRun::Measure(*between, *measure)
                }
                SignalKind::Sensor { of, quantum, period } => {
                    let held = hold(*period, 0)?;
                    let kind = SamplerKind::Sensor { of: self.program(&place, of)?, quantum: *quantum };
                    sensors.push(Sampler { signal: index, period: *period, held, kind });
                    SignalRun::Held(held)
                }
                SignalKind::Pi { measure, target, kp, ki, limit, period } => {
                    let held = hold(*period, 1)?;
                    let kind = SamplerKind::Pi {
                        measure: self.program(&place, measure)?,
                        target: self.program(&place, target)?,
                        kp: *kp,
                        ki: *ki,
                        limit: *limit,
                        integral: held + 1,
                    };
                    controllers.push(Sampler { signal: index, period: *period, held, kind });
                    SignalRun::Held(held)
                }
            };
            signals.push(SignalInfo { name: signal.name.clone(), kind });
        }
        for (short, _, effort) in drive_elements(blueprint) {
            let kind = SignalRun::Value(self.program(&format!("drive {short}"), effort)?);
            signals.push(SignalInfo { name: short.into(), kind });
        }
        sensors.append(&mut controllers);
        Ok((signals, sensors))
    }
}

/// Signals so that each stands after those its expression needs; refuses algebraic loops and shows them.
fn signal_order(blueprint: &Blueprint, names: &Names) -> Result<Vec<usize>, BuildError> {
    let drives = drive_elements(blueprint).map(|(short, _, effort)| (short, Some(effort)));
    let nodes: Vec<(&str, Option<&Expression>)> = blueprint
        .signals
        .iter()
        .map(|signal: &Signal| match &signal.kind {
            SignalKind::Value(value) => (signal.name.as_str(), Some(value)),
            _ => (signal.name.as_str(), None),
        })
        .chain(drives)
        .collect();
    let needs = |node: usize| -> Vec<usize> {
        let Some(expression) = nodes[node].1 else { return Vec::new() };
        let slots = expression.variables().filter_map(|(name, _)| names.slots.get(name));
        slots.filter_map(|slot| slot.checked_sub(names.table.signals)).collect()
    };
    let (mut order, mut state) = (Vec::new(), vec![0u8; nodes.len()]);
    let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
    for root in 0..nodes.len() {
        if state[root] == 0 {
            state[root] = 1;
            path.push((root, needs(root)));
        }
        while let Some((node, open)) = path.last_mut() {
            let node = *node;
            match open.pop() {
                Some(next) if state[next] == 2 => {}
                Some(next) if state[next] == 1 => {
                    let from = path.iter().position(|(n, _)| *n == next).unwrap_or(0);
                    let mut cycle: Vec<String> =
                        path[from..].iter().map(|(n, _)| nodes[*n].0.to_string()).collect();
                    cycle.push(nodes[next].0.to_string());
                    return Err(BuildError::AlgebraicLoop { cycle });
                }
                Some(next) => {
                    state[next] = 1;
                    path.push((next, needs(next)));
                }
                None => {
                    state[node] = 2;
                    order.push(node);
                    path.pop();
                }
            }
        }
    }
    Ok(order)
}
