//! Every number of a model as a path in one flat vector.
//!
//! A parameter is free (a value) or derived (an expression over other parameters). Setting a free one
//! and resolving again is all that fitting and sweeping need: nothing is compiled anew.

use std::collections::BTreeMap;

use gelenk_math::expression::Program;
use gelenk_math::graph::{self, Order};
use gelenk_math::suggest::closest;
use gelenk_math::{Lockstep, Real};
use thiserror::Error;

/// The place of a parameter in the flat vector; by default the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Param(usize);

impl Param {
    /// Index into the flat vector.
    #[inline]
    pub fn index(self) -> usize {
        self.0
    }

    /// The parameter's value in the resolved vector `p`.
    #[inline]
    pub fn of<T: Lockstep>(self, p: &[T]) -> T {
        p[self.0]
    }
}

/// Where a parameter's value comes from.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Free(f64),
    /// A program whose slots are parameter indices.
    Derived(Program),
}

/// A named number of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Address, such as `joints.knee.friction.sigma0`.
    pub path: String,
    /// SI unit.
    pub unit: String,
    /// Smallest admissible value.
    pub lower: f64,
    /// Largest admissible value.
    pub upper: f64,
    origin: Origin,
}

impl Parameter {
    /// Whether the value is given by an expression over other parameters.
    pub fn is_derived(&self) -> bool {
        matches!(self.origin, Origin::Derived(_))
    }

    /// The refusal of a value (SI) outside of its bounds.
    pub fn outside(&self, value: f64) -> ParameterError {
        ParameterError::OutOfBounds {
            path: self.path.clone(),
            value,
            unit: self.unit.clone(),
            lower: self.lower,
            upper: self.upper,
        }
    }
}

/// A refused path, value or expression.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParameterError {
    /// No such path.
    #[error("there is no parameter {path:?}{}", suggestion(.closest))]
    Unknown {
        /// The path as given.
        path: String,
        /// The most similar path.
        closest: Option<String>,
    },
    /// The path is taken.
    #[error("parameter {path:?} is defined twice")]
    Duplicate {
        /// The path.
        path: String,
    },
    /// The value lies outside the bounds.
    #[error("{path} = {value}{} {}", shown(.unit), outside(*.lower, *.upper))]
    OutOfBounds {
        /// The path.
        path: String,
        /// The value, SI.
        value: f64,
        /// SI unit.
        unit: String,
        /// Smallest admissible value.
        lower: f64,
        /// Largest admissible value.
        upper: f64,
    },
    /// Expressions that need each other.
    #[error("parameters depend on each other: {}", .cycle.join(" -> "))]
    Cycle {
        /// The paths, the first one repeated at the end.
        cycle: Vec<String>,
    },
}

/// What is wrong with a value outside of these bounds.
fn outside(lower: f64, upper: f64) -> String {
    match (lower, upper) {
        (f64::MIN_POSITIVE, f64::INFINITY) => "must be greater than 0".into(),
        (lower, f64::INFINITY) => format!("must be at least {lower}"),
        _ => format!("must be from {lower} to {upper}"),
    }
}

/// A unit behind its number; nothing for a pure number.
fn shown(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(" {unit}") }
}

fn suggestion(closest: &Option<String>) -> String {
    closest.as_ref().map(|c| format!("; did you mean {c:?}?")).unwrap_or_default()
}

/// The parameters of a model, in the order in which they were declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterTable {
    entries: Vec<Parameter>,
    index: BTreeMap<String, Param>,
    /// Derived entries so that each stands after what it needs.
    order: Vec<Param>,
    scratch: usize,
}

impl ParameterTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a free parameter with its SI value and unit.
    pub fn free(&mut self, path: &str, value: f64, unit: &str) -> Result<Param, ParameterError> {
        self.insert(path, unit, Origin::Free(value))
    }

    /// Declares a parameter that is an expression over the parameters whose indices are the
    /// program's slots. They may be declared later; [`Self::finish`] checks.
    pub fn derived(&mut self, path: &str, program: Program, unit: &str) -> Result<Param, ParameterError> {
        self.insert(path, unit, Origin::Derived(program))
    }

    fn insert(&mut self, path: &str, unit: &str, origin: Origin) -> Result<Param, ParameterError> {
        let param = Param(self.entries.len());
        if self.index.contains_key(path) {
            return Err(ParameterError::Duplicate { path: path.into() });
        }
        self.index.insert(path.into(), param);
        self.entries.push(Parameter {
            path: path.into(),
            unit: unit.into(),
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            origin,
        });
        Ok(param)
    }

    /// Declares a number that a program of other parameters gives: a free one where it is a constant.
    ///
    /// # Errors
    /// A path that is taken.
    pub fn computed(&mut self, path: &str, program: Program, unit: &str) -> Result<Param, ParameterError> {
        match program.constant() {
            Some(value) => self.free(path, value, unit),
            None => self.derived(path, program, unit),
        }
    }

    /// Gives a parameter another unit; its value, which is SI, stays.
    pub fn relabel(&mut self, param: Param, unit: &str) {
        if let Some(entry) = self.entries.get_mut(param.0) {
            entry.unit = unit.into();
        }
    }

    /// Sets the bounds of a parameter.
    pub fn bound(&mut self, param: Param, lower: f64, upper: f64) {
        if let Some(entry) = self.entries.get_mut(param.0) {
            (entry.lower, entry.upper) = (lower, upper);
        }
    }

    /// Orders the derived parameters; refuses cycles and shows them.
    pub fn finish(&mut self) -> Result<(), ParameterError> {
        let needs: Vec<Vec<usize>> = (0..self.entries.len()).map(|node| self.needs(node)).collect();
        let Order { nodes, cycle } = graph::order(&needs);
        if let Some(&first) = cycle.first() {
            let names = cycle.iter().chain([&first]).map(|&node| self.entries[node].path.clone());
            return Err(ParameterError::Cycle { cycle: names.collect() });
        }
        (self.order, self.scratch) = (Vec::new(), 0);
        for node in nodes {
            if let Origin::Derived(program) = &self.entries[node].origin {
                self.scratch = self.scratch.max(program.scratch_len());
                self.order.push(Param(node));
            }
        }
        Ok(())
    }

    fn needs(&self, node: usize) -> Vec<usize> {
        match &self.entries[node].origin {
            Origin::Derived(program) => program.slots().collect(),
            Origin::Free(_) => Vec::new(),
        }
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All parameters in order.
    pub fn iter(&self) -> impl Iterator<Item = (Param, &Parameter)> {
        self.entries.iter().enumerate().map(|(i, entry)| (Param(i), entry))
    }

    /// The entry of `param`.
    pub fn get(&self, param: Param) -> Option<&Parameter> {
        self.entries.get(param.0)
    }

    /// The parameter at `path`.
    pub fn find(&self, path: &str) -> Result<Param, ParameterError> {
        self.index.get(path).copied().ok_or_else(|| ParameterError::Unknown {
            path: path.into(),
            closest: closest(path, self.index.keys().map(String::as_str)).map(String::from),
        })
    }

    /// Gives a parameter a value (SI). A derived one becomes free and keeps this value.
    pub fn set(&mut self, param: Param, value: f64) -> Result<(), ParameterError> {
        let Some(entry) = self.entries.get_mut(param.0) else { return Ok(()) };
        // Negated, so that a NaN is refused as well.
        if !(value >= entry.lower && value <= entry.upper) {
            return Err(entry.outside(value));
        }
        if std::mem::replace(&mut entry.origin, Origin::Free(value)) != Origin::Free(value) {
            self.order.retain(|&p| p != param);
        }
        Ok(())
    }

    /// The resolved vector: free values as they are, derived ones computed.
    pub fn values(&self) -> Vec<f64> {
        let free = |entry: &Parameter| match entry.origin {
            Origin::Free(value) => value,
            Origin::Derived(_) => f64::NAN,
        };
        let mut p: Vec<f64> = self.entries.iter().map(free).collect();
        self.resolve(&mut p);
        p
    }

    /// Computes the derived entries of `p` from the free ones. With duals seeded in the free entries,
    /// derivatives flow through.
    pub fn resolve<T: Real>(&self, p: &mut [T]) {
        let mut scratch = vec![T::c(0.0); self.scratch];
        for param in &self.order {
            if let Origin::Derived(program) = &self.entries[param.0].origin {
                p[param.0] = program.eval(p, &mut scratch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_math::expression::Expression;
    use gelenk_math::{Dual, partial, seed};

    fn table() -> ParameterTable {
        let mut table = ParameterTable::new();
        let program = |text: &str, slot: usize| {
            Expression::parse(text).unwrap().compile(&|_: &str| Some(slot)).unwrap()
        };
        table.derived("bodies.rod.centre.z", program("-half", 1), "m").unwrap();
        table.derived("parameters.half", program("rod/2", 2), "m").unwrap();
        table.free("parameters.rod", 0.5, "m").unwrap();
        table.finish().unwrap();
        table
    }

    #[test]
    fn derived_values_follow_in_any_order_of_declaration() {
        let mut table = table();
        assert_eq!(table.values(), [-0.25, 0.25, 0.5]);
        table.set(table.find("parameters.rod").unwrap(), 1.0).unwrap();
        assert_eq!(table.values(), [-0.5, 0.5, 1.0]);
        table.set(table.find("parameters.half").unwrap(), 7.0).unwrap();
        assert_eq!(table.values(), [-7.0, 7.0, 1.0]);
    }

    #[test]
    fn derivatives_flow_through() {
        let mut p = [Dual::c(0.0), Dual::c(0.0), seed(0.5, 0)];
        table().resolve(&mut p);
        assert_eq!(partial(p[0], 0), -0.5);
    }

    #[test]
    fn mistakes_are_named() {
        let message = table().find("parameters.rodd").unwrap_err().to_string();
        assert!(message.contains("did you mean \"parameters.rod\""), "{message}");
        let mut table = ParameterTable::new();
        let other = |slot: usize| Expression::parse("x").unwrap().compile(&|_: &str| Some(slot)).unwrap();
        table.derived("a", other(1), "").unwrap();
        table.derived("b", other(0), "").unwrap();
        assert_eq!(table.finish().unwrap_err().to_string(), "parameters depend on each other: a -> b -> a");
        let mut bounded = self::table();
        let rod = bounded.find("parameters.rod").unwrap();
        bounded.bound(rod, 0.0, 2.0);
        assert!(bounded.set(rod, f64::NAN).is_err() && bounded.set(rod, 3.0).is_err());
    }
}
