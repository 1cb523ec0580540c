//! What expressions can name, with its place in the table.

use std::collections::BTreeMap;

use gelenk_math::expression::{Expression, Program};
use gelenk_math::suggest::closest;
use gelenk_math::units::{Dimension, Quantity};
use gelenk_system::ParameterTable;

use super::BuildError;
use super::lower::{drive_elements, effort_unit, short};
use super::tree::spins;
use crate::blueprint::{Blueprint, CoordinateKind, Joint};
use crate::channels::{positions, velocities};
use crate::mechanism::{Function, TableLayout, TimeDerivatives};
use crate::signals::curves::CurveCall;

/// Everything that expressions can name, with its place in the table.
pub(super) struct Names {
    pub(super) table: TableLayout,
    pub(super) slots: BTreeMap<String, usize>,
    /// Largest scratch that a program needs.
    pub(super) scratch: std::cell::Cell<usize>,
    /// Calls of curves.
    pub(super) calls: std::cell::RefCell<Vec<CurveCall>>,
}

impl Names {
    pub(super) fn collect(
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
        let outputs = signals + blueprint.signals.len() + drive_elements(blueprint).count();
        let further = blueprint.elements.iter().map(|element| element.kind.spec().outputs.len());
        let len = outputs + further.sum::<usize>();
        let table = TableLayout { q, v, p, signals, outputs, len };
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
        for (i, (short, on, _)) in drive_elements(blueprint).enumerate() {
            let slot = signals + blueprint.signals.len() + i;
            let alias = match effort_unit(blueprint, on) {
                "N" => "force",
                _ => "torque",
            };
            add(short.into(), slot)?;
            add(format!("{short}.{alias}"), slot)?;
            add(format!("{short}.effort"), slot)?;
        }
        let mut slot = outputs;
        for element in &blueprint.elements {
            for output in element.kind.spec().outputs {
                add(format!("{}.{}", short(&element.name), output.name), slot)?;
                slot += 1;
            }
        }
        for (param, parameter) in parameters.iter() {
            let slot = p + param.index();
            // A path never hides what is named in the model itself.
            slots.entry(parameter.path.clone()).or_insert(slot);
            if let Some(short) = parameter.path.strip_prefix("parameters.") {
                slots.entry(short.into()).or_insert(slot);
            }
        }
        Ok(Self { table, slots, scratch: std::cell::Cell::new(0), calls: std::cell::RefCell::default() })
    }

    pub(super) fn program(&self, place: &str, expression: &Expression) -> Result<Program, BuildError> {
        if let Some((name, _)) = expression.variables().find(|(name, _)| !self.slots.contains_key(*name)) {
            let closest = closest(name, self.slots.keys().map(String::as_str)).map(String::from);
            return Err(BuildError::UnknownName { place: place.into(), name: name.into(), closest });
        }
        let program = expression
            .compile(&|name: &str| self.slots.get(name).copied())
            .map_err(|error| BuildError::Expression { place: place.into(), error })?;
        self.scratch.set(self.scratch.get().max(program.scratch_len()));
        for (name, argument, ends) in expression.curve_calls() {
            let mut calls = self.calls.borrow_mut();
            // Derivatives of a formula call its curves once more.
            if calls.iter().any(|call| call.place == place && call.name == name && call.ends == ends) {
                continue;
            }
            let argument = argument
                .compile(&|name: &str| self.slots.get(name).copied())
                .map_err(|error| BuildError::Expression { place: place.into(), error })?;
            self.scratch.set(self.scratch.get().max(argument.scratch_len()));
            calls.push(CurveCall { place: place.into(), name: name.into(), argument, ends });
        }
        Ok(program)
    }

    /// A joint scalar as a function of coordinates, parameters and time, with its derivatives.
    /// Unit of the effort that keeps an expression of coordinates at zero: J per unit of the expression, "1" where that is not
    /// known.
    pub(super) fn effort_per(
        &self,
        blueprint: &Blueprint,
        parameters: &ParameterTable,
        expression: &Expression,
    ) -> String {
        let lookup = |name: &str| {
            if let Some(coordinate) = blueprint.coordinates.iter().find(|c| c.name == name) {
                return Some(match coordinate.kind {
                    CoordinateKind::Angle => Dimension::ANGLE,
                    CoordinateKind::Length => Dimension::LENGTH,
                });
            }
            if name == "t" {
                return Some(Dimension::TIME);
            }
            let slot = self.slots.get(name)?.checked_sub(self.table.p)?;
            let unit = &parameters.iter().nth(slot)?.1.unit;
            Quantity::parse(&format!("1 {unit}")).ok().map(|one| one.dimension)
        };
        let per = expression.dimension(&lookup).ok().and_then(|d| Dimension::TORQUE.checked_div(d));
        per.map_or_else(|| "1".to_owned(), |per| per.without_angle().to_string())
    }

    pub(super) fn function(
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
}
