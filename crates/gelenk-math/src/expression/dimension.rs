//! Dimensional analysis.

use super::function::{Binary, Unary};
use super::tree::{NodeId, Term};
use super::{CurveDimensions, Expression, ExpressionError, Form};
use crate::units::Dimension;

/// The dimension of a term, or `Any` for a zero, which fits all.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Any,
    Of(Dimension),
}

impl Kind {
    fn dimension(self) -> Dimension {
        match self {
            Self::Any => Dimension::NONE,
            Self::Of(dimension) => dimension,
        }
    }
}

pub(super) fn dimension(
    expression: &Expression,
    lookup: &dyn Fn(&str) -> Option<Dimension>,
    curves: &dyn Fn(&str) -> Option<CurveDimensions>,
) -> Result<Dimension, ExpressionError> {
    let mut analysis = Analysis { expression, curves, kinds: Vec::with_capacity(expression.nodes.len()) };
    for (id, node) in expression.nodes.iter().enumerate() {
        let kind = analysis.term(id, &node.term, lookup)?;
        analysis.kinds.push(kind);
    }
    Ok(analysis.kinds.get(expression.root).map_or(Dimension::NONE, |kind| kind.dimension()))
}

struct Analysis<'a> {
    expression: &'a Expression,
    curves: &'a dyn Fn(&str) -> Option<CurveDimensions>,
    kinds: Vec<Kind>,
}

impl Analysis<'_> {
    fn error(&self, id: NodeId, message: impl Into<String>) -> ExpressionError {
        ExpressionError::new(self.expression.nodes[id].span.clone(), message)
    }

    fn term(
        &self,
        id: NodeId,
        term: &Term,
        lookup: &dyn Fn(&str) -> Option<Dimension>,
    ) -> Result<Kind, ExpressionError> {
        let of = |a: NodeId| self.kinds[a];
        match *term {
            Term::Constant { value: 0.0, dimension: Dimension::NONE } => Ok(Kind::Any),
            Term::Constant { dimension, .. } => Ok(Kind::Of(dimension)),
            Term::Variable(index) => {
                let name = self.expression.names.get(index).map_or("", String::as_str);
                lookup(name).map(Kind::Of).ok_or_else(|| self.error(id, format!("unknown name `{name}`")))
            }
            Term::Neg(a) => Ok(of(a)),
            Term::Add(a, b) => self.same(id, a, b, "added"),
            Term::Sub(a, b) if self.expression.form == Form::Condition && id == self.expression.root => {
                self.same(id, a, b, "compared")
            }
            Term::Sub(a, b) => self.same(id, a, b, "subtracted"),
            Term::Mul(a, b) => self.combine(id, a, b, Dimension::checked_mul),
            Term::Div(a, b) => self.combine(id, a, b, Dimension::checked_div),
            Term::Pow(a, b) => self.power(id, a, b),
            Term::One(function, a) => self.unary(id, function, a),
            Term::Two(Binary::Atan2, a, b) => {
                self.same(id, a, b, "arguments of `atan2`")?;
                Ok(Kind::Of(Dimension::ANGLE))
            }
            Term::Two(Binary::Hypot, a, b) => self.same(id, a, b, "arguments of `hypot`"),
            Term::Two(Binary::Min | Binary::Max, a, b) => self.same(id, a, b, "compared"),
            Term::Curve { curve, order, at } => self.curve(id, curve, order, at),
            Term::If { left, right, yes, no, .. } => {
                self.same(id, left, right, "compared")?;
                self.same(id, yes, no, "alternatives of `if`")
            }
        }
    }

    /// Both operands must have the same dimension.
    fn same(&self, id: NodeId, a: NodeId, b: NodeId, verb: &str) -> Result<Kind, ExpressionError> {
        match (self.kinds[a], self.kinds[b]) {
            (Kind::Any, other) | (other, Kind::Any) => Ok(other),
            (Kind::Of(x), Kind::Of(y)) if x.compatible(y) => Ok(Kind::Of(if x == y { x } else { x.max(y) })),
            (Kind::Of(x), Kind::Of(y)) => {
                let message = if verb.contains(' ') {
                    format!("the {verb} are {} and {}", x.describe(), y.describe())
                } else {
                    format!("{} and {} cannot be {verb}", x.describe(), y.describe())
                };
                let error = self.error(id, message);
                Err(self.plain_number_help(error, (a, x), (b, y)))
            }
        }
    }

    /// Where one side is a literal without a unit, the way out is to give it one.
    fn plain_number_help(
        &self,
        error: ExpressionError,
        (a, x): (NodeId, Dimension),
        (b, y): (NodeId, Dimension),
    ) -> ExpressionError {
        let literal = |id: NodeId| match self.expression.nodes[id].term {
            Term::Constant { value, dimension: Dimension::NONE } => Some(value),
            _ => None,
        };
        match (literal(a), literal(b)) {
            (Some(value), None) => error.with_help(format!("give the number a unit, as in `{value} [{y}]`")),
            (None, Some(value)) => error.with_help(format!("give the number a unit, as in `{value} [{x}]`")),
            _ => error,
        }
    }

    fn combine(
        &self,
        id: NodeId,
        a: NodeId,
        b: NodeId,
        apply: impl Fn(Dimension, Dimension) -> Option<Dimension>,
    ) -> Result<Kind, ExpressionError> {
        match (self.kinds[a], self.kinds[b]) {
            // Zero times anything is zero, in any unit.
            (Kind::Any, _) | (_, Kind::Any) => Ok(Kind::Any),
            (Kind::Of(x), Kind::Of(y)) => apply(x, y)
                .map(Kind::Of)
                .ok_or_else(|| self.error(id, "the powers in the dimension of this term are too large")),
        }
    }

    fn power(&self, id: NodeId, a: NodeId, b: NodeId) -> Result<Kind, ExpressionError> {
        let exponent = self.kinds[b].dimension();
        if !exponent.is_angle_or_none() {
            return Err(
                self.error(b, format!("a power must be a plain number, this is {}", exponent.describe()))
            );
        }
        let base = self.kinds[a].dimension();
        if base.is_angle_or_none() {
            return Ok(Kind::Of(Dimension::NONE));
        }
        let Some(power) = self.constant(b) else {
            return Err(self.error(
                b,
                format!(
                    "the power of {} must be a literal number, or its dimension is unknown",
                    base.describe()
                ),
            ));
        };
        base.checked_powf(power).map(Kind::Of).ok_or_else(|| {
            self.error(id, format!("{} has no power {power} with whole exponents", base.describe()))
        })
    }

    /// The argument must be what the curve is given over; a derivative is divided by it.
    fn curve(&self, id: NodeId, curve: usize, order: u8, at: NodeId) -> Result<Kind, ExpressionError> {
        let name = self.expression.curves.get(curve).map_or("", |curve| curve.name.as_str());
        let Some(CurveDimensions { argument, value }) = (self.curves)(name) else {
            return Err(super::curve::unknown(name, super::curve::place(self.expression, id)));
        };
        match self.kinds[at] {
            Kind::Of(found) if !found.compatible(argument) => {
                let message =
                    format!("`{name}` is a curve over {}, this is {}", argument.describe(), found.describe());
                let error = self.error(at, message);
                Err(match self.expression.nodes[at].term {
                    Term::Constant { value, dimension: Dimension::NONE } => {
                        error.with_help(format!("give the number a unit, as in `{value} [{argument}]`"))
                    }
                    _ => error.with_help(format!("give it in {argument}")),
                })
            }
            _ => (0..order)
                .try_fold(value, |dimension, _| dimension.checked_div(argument))
                .map(Kind::Of)
                .ok_or_else(|| self.error(id, "the powers in the dimension of this term are too large")),
        }
    }

    fn unary(&self, id: NodeId, function: Unary, a: NodeId) -> Result<Kind, ExpressionError> {
        let argument = self.kinds[a].dimension();
        match function {
            Unary::Abs => Ok(self.kinds[a]),
            Unary::Sign | Unary::Step => Ok(Kind::Of(Dimension::NONE)),
            Unary::Sqrt => argument
                .checked_powf(0.5)
                .map(Kind::Of)
                .ok_or_else(|| self.error(id, format!("{} has no square root", argument.describe()))),
            _ if !argument.is_angle_or_none() => {
                let name = super::function::FUNCTIONS
                    .iter()
                    .find(|(_, f)| *f == super::function::Function::One(function))
                    .map_or("", |(name, _)| *name);
                let error = self.error(
                    a,
                    format!("`{name}` needs an angle or a plain number, this is {}", argument.describe()),
                );
                Err(match Dimension::NONE.checked_div(argument) {
                    Some(inverse) => error
                        .with_help(format!("multiply it by a factor in {inverse}, as in `2 [{inverse}]`")),
                    None => error,
                })
            }
            Unary::Asin | Unary::Acos | Unary::Atan => Ok(Kind::Of(Dimension::ANGLE)),
            _ => Ok(Kind::Of(Dimension::NONE)),
        }
    }

    /// The value of a term without variables.
    fn constant(&self, id: NodeId) -> Option<f64> {
        let part = Expression {
            nodes: self.expression.nodes.get(..=id)?.to_vec(),
            root: id,
            ..self.expression.clone()
        };
        super::program::compile(&part, &|_| Some(0)).ok()?.constant()
    }
}
