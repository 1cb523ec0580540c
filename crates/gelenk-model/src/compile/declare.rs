//! Numbers of a model as parameters with paths.

use super::Power;
use super::lower::Lower;
use crate::check::numbers::power_stiffness;
use crate::check::parameters::Parameters;
use crate::elements::ElementTable;
use crate::quantity::{Formula, Number, OnCoordinate, Vec3};
use gelenk_file::report::Diagnostic;
use gelenk_file::source::Span;
use gelenk_laws::ParamSpec;
use gelenk_math::units::Dimension;
use gelenk_multibody::BuildError;
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_system::{Param, ParameterTable};
use std::collections::BTreeMap;

/// The path of the zeros that frames of bodies are placed at.
const ZERO: &str = "constants.zero";
/// The path of the ones in the axes of joints.
const ONE: &str = "constants.one";
/// The path of their opposites in mirrored parts.
const MINUS_ONE: &str = "constants.minus_one";
/// The path of the turn that reverses axes there.
const HALF_TURN: &str = "constants.half_turn";

impl Lower<'_, '_> {
    pub(super) fn fault(&mut self, span: Span, error: &dyn std::fmt::Display) {
        self.report.push(Diagnostic::error(span, error.to_string()));
    }

    /// Declares a number whose dimension is known; a formula over parameters becomes a derived one.
    pub(super) fn declare(&mut self, path: &str, formula: &Formula, dimension: Option<Dimension>) -> Param {
        let unit = dimension.map_or_else(String::new, |dimension| dimension.to_string());
        let bound = self.curves.bind(&formula.expression);
        let bound = bound.map_err(|error| BuildError::Expression { place: path.to_owned(), error });
        let declared = match bound.and_then(|expression| self.builder.declare(path, &expression, &unit)) {
            // A checked model knows all names; a curve whose file could not be read was reported there.
            Err(BuildError::Expression { error, .. }) => {
                if !self.report.has_errors() {
                    self.fault(formula.place(error.span.clone()), &error);
                }
                self.table().free(path, f64::NAN, &unit).map_err(BuildError::from)
            }
            declared => declared,
        };
        self.dimensions.insert(path.to_owned(), dimension);
        self.declared(declared, path, formula.span)
    }

    /// The parameters, for numbers that are not formulas of the file.
    pub(super) fn table(&mut self) -> &mut ParameterTable {
        self.builder.parameters_mut()
    }

    /// The parameter at a path.
    pub(super) fn find(&self, path: &str) -> Option<Param> {
        self.builder.parameters().find(path).ok()
    }

    /// The declared parameter; a path that is taken gives the one that has it, and a complaint.
    pub(super) fn declared(
        &mut self,
        declared: Result<Param, impl std::fmt::Display>,
        path: &str,
        span: Span,
    ) -> Param {
        match declared {
            Ok(param) => param,
            Err(error) => {
                self.fault(span, &error);
                self.find(path).unwrap_or_else(|| self.zero())
            }
        }
    }

    pub(super) fn param(&mut self, number: &Number, kind: CoordinateKind) -> Param {
        self.declare(&number.path, &number.formula, number.measure.on(kind))
    }

    /// The stiffness of `k x^e`, positive or at least 0; its unit follows from the exponent where that is a mere number.
    pub(super) fn power_stiffness(
        &mut self,
        number: &Number,
        exponent: Option<&Number>,
        kind: CoordinateKind,
        lower: f64,
    ) -> Param {
        if let Some(exponent) = exponent {
            let power = Power { stiffness: number.path.clone(), kind };
            self.powers.entry(exponent.path.clone()).or_default().push(power);
        }
        let exponent = exponent.map_or(Some(1.0), |exponent| {
            exponent.formula.expression.compile(&|_| None).ok().and_then(|program| program.constant())
        });
        let dimension = exponent.and_then(|exponent| power_stiffness(kind, exponent));
        let param = self.declare(&number.path, &number.formula, dimension);
        self.table().bound(param, lower, f64::INFINITY);
        param
    }

    /// A number with a lower bound; derived ones are checked when they are resolved.
    pub(super) fn at_least(&mut self, number: &Number, kind: CoordinateKind, lower: f64) -> Param {
        let param = self.param(number, kind);
        self.table().bound(param, lower, f64::INFINITY);
        param
    }

    /// A number with a lower and an upper bound.
    pub(super) fn bounded(&mut self, number: &Number, kind: CoordinateKind, bounds: [f64; 2]) -> Param {
        let param = self.param(number, kind);
        self.table().bound(param, bounds[0], bounds[1]);
        param
    }

    pub(super) fn positive(&mut self, number: &Number, kind: CoordinateKind) -> Param {
        self.at_least(number, kind, f64::MIN_POSITIVE)
    }

    pub(super) fn vector<Q>(&mut self, vector: &Vec3<Q>) -> [Param; 3] {
        let [x, y, z] = &vector.0;
        [x, y, z].map(|number| self.param(number, CoordinateKind::Length))
    }

    /// A number that the file leaves out.
    pub(super) fn implied(&mut self, path: &str, value: f64, dimension: Dimension) -> Param {
        self.dimensions.insert(path.to_owned(), Some(dimension));
        let declared = self.table().free(path, value, &dimension.to_string());
        self.declared(declared, path, Span::default())
    }

    pub(super) fn implied_vector(&mut self, path: &str, dimension: Dimension) -> [Param; 3] {
        ["x", "y", "z"].map(|axis| self.implied(&format!("{path}.{axis}"), 0.0, dimension))
    }

    /// The zero that frames of bodies are placed at; no one can set it.
    pub(super) fn zero(&mut self) -> Param {
        self.constant(ZERO, 0.0)
    }

    /// Half a revolution, by which axes change their sign in mirrored parts.
    pub(super) fn half_turn(&mut self) -> Param {
        self.constant_in(HALF_TURN, std::f64::consts::PI, Dimension::ANGLE)
    }

    /// The unit vector along an axis, or against it: 0 is x, 1 is y, 2 is z.
    pub(super) fn unit_vector(&mut self, axis: usize, reversed: bool) -> [Param; 3] {
        let zero = self.zero();
        let one = if reversed { self.constant(MINUS_ONE, -1.0) } else { self.constant(ONE, 1.0) };
        std::array::from_fn(|i| if i == axis { one } else { zero })
    }

    /// The numbers of an element, in the order of its specification.
    pub(super) fn parameters_of(&mut self, element: &ElementTable, kind: CoordinateKind) -> Vec<Param> {
        let mut declared = Vec::with_capacity(element.parameters.len());
        for (spec, numbers) in element.grouped() {
            let exponent = spec.per_power.and_then(|exponent| element.number(exponent));
            for number in numbers {
                let lower = if spec.lower_open && spec.lower == 0.0 { f64::MIN_POSITIVE } else { spec.lower };
                declared.push(match spec.per_power {
                    Some(_) => self.power_stiffness(number, exponent, kind, lower),
                    None => self.specified(spec, number, kind),
                });
            }
        }
        declared
    }

    /// A number of a specification, with its bounds. A word sets the structure, and so does what the specification says.
    fn specified(&mut self, spec: &ParamSpec, number: &Number, kind: CoordinateKind) -> Param {
        if spec.flag {
            let value =
                number.formula.expression.compile(&|_| None).ok().and_then(|program| program.constant());
            return self.flag(value == Some(1.0));
        }
        let param = match spec.lower {
            _ if !spec.choices.is_empty() => self.param(number, kind),
            0.0 if spec.lower_open => self.bounded(number, kind, [f64::MIN_POSITIVE, spec.upper]),
            lower => self.bounded(number, kind, [lower, spec.upper]),
        };
        if spec.structural || !spec.choices.is_empty() {
            self.structural.push(number.path.clone());
        }
        param
    }

    /// One or zero, for what is or is not; no one can set it.
    fn flag(&mut self, on: bool) -> Param {
        if on { self.constant(ONE, 1.0) } else { self.zero() }
    }

    /// A plain number that no one can set.
    pub(super) fn constant(&mut self, path: &str, value: f64) -> Param {
        self.constant_in(path, value, Dimension::NONE)
    }

    /// A number that no one can set.
    pub(super) fn constant_in(&mut self, path: &str, value: f64, dimension: Dimension) -> Param {
        if !self.structural.iter().any(|known| known == path) {
            self.structural.push(path.to_owned());
        }
        // Only a path that is taken is refused, and then it can be found: one of the two succeeds.
        loop {
            let known = self.find(path);
            if let Some(param) = known.or_else(|| self.table().free(path, value, &dimension.to_string()).ok())
            {
                self.table().bound(param, value, value);
                return param;
            }
        }
    }

    pub(super) fn parameters(&mut self, parameters: &Parameters) {
        // Places first, so that expressions may use parameters that stand further down.
        let places: BTreeMap<&str, usize> =
            parameters.list.iter().enumerate().map(|(i, p)| (p.name.text.as_str(), i)).collect();
        for parameter in &parameters.list {
            let path = format!("parameters.{}", parameter.name.text);
            let unit = parameter.dimension.map_or_else(String::new, |dimension| dimension.to_string());
            let formula = &parameter.number.formula;
            let lookup = |name: &str| places.get(name.strip_prefix("parameters.").unwrap_or(name)).copied();
            let bound = self.curves.bind(&formula.expression);
            let declared = match bound.and_then(|expression| expression.compile(&lookup)) {
                Ok(program) => self.table().computed(&path, program, &unit),
                Err(_) => self.table().free(&path, f64::NAN, &unit),
            };
            if let Err(error) = declared {
                self.fault(formula.span, &error);
            }
            self.dimensions.insert(path, parameter.dimension);
        }
    }
}
