//! Formulas such as `2*rod + 5 mm` or `if(phi < 0, 0, k*phi^1.5)`: parsed with units and byte spans,
//! differentiated exactly, compiled to flat code that runs on any [`Real`](crate::Real).
//!
//! | file | content |
//! |---|---|
//! | `token` | characters to words |
//! | `parse` | words to a tree (precedence climbing) |
//! | `condition` | comparisons joined by `and`, `or`, `not` |
//! | `tree` | the tree as a flat list with shared terms |
//! | `function` | names, values and slopes of the functions |
//! | `curve` | calls of curves, which are bound by name |
//! | `derivative` | symbolic derivative |
//! | `dimension` | dimensional analysis |
//! | `program` | evaluation |
//! | `timing` | corners and bends over time |
//! | `rename` | other names, other signs |
//!
//! Notation: `+ - * /`, powers `^` or `**` (to the right, stronger than a sign: `-2^2` is -4), parentheses,
//! the constant `pi`, functions (see [`functions`]), `if(a < b, x, y)` with `< > <= >=` joined by `and`,
//! `or` and `not`, names with dots (`phi.rate`). A call of any other name, as in `knee_x(phi)`, is that of a curve over one argument, which
//! [`Expression::with_curves`] binds. A number may carry a unit: `5 mm`, `3 deg`, and in brackets a compound one:
//! `2 [N m/rad]`. If the whole text is a number with a unit (`2.4e3 N m/rad`), no brackets are needed.

mod condition;
mod curve;
mod derivative;
mod dimension;
mod function;
mod parse;
mod program;
mod rename;
mod timing;
mod token;
mod tree;

pub use curve::CurveDimensions;
pub use program::Program;
pub use rename::Renamed;
pub use timing::{Enclosure, Known, Side, Timing};

use crate::units::{Dimension, Quantity};
use curve::CurveName;
use std::ops::Range;
use tree::{Node, NodeId, Term, Tree};

/// A formula: a tree of numbers, names and operations.
///
/// ```
/// use gelenk_math::expression::Expression;
/// let area = Expression::parse("pi*r^2")?;
/// let slope = area.derivative("r").compile(&|name| (name == "r").then_some(0))?;
/// let mut scratch = vec![0.0; slope.scratch_len()];
/// assert_eq!(slope.eval(&[3.0], &mut scratch), std::f64::consts::PI * (2.0 * 3.0));
/// # Ok::<(), gelenk_math::expression::ExpressionError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// Terms in evaluation order; operands stand before their operation.
    nodes: Vec<Node>,
    /// Names of variables; nodes refer to them by index.
    names: Vec<String>,
    /// Curves by name, bound or not; nodes refer to them by index.
    curves: Vec<CurveName>,
    root: NodeId,
    form: Form,
    /// Words that stand where a unit and a name would both be read, each with its place.
    contested: Vec<(String, Range<usize>)>,
}

/// What a text was, as far as messages and files care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Formula,
    /// Nothing but a number without a unit.
    PlainNumber,
    /// A condition: its root is the difference of what is compared, or a choice.
    Condition,
}

/// A formula that cannot be read, or does not fit where it stands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Bytes of the text that are wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// The way out, as a full phrase.
    pub help: Option<String>,
}

impl ExpressionError {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with a way out, if there is none yet.
    fn or_help(mut self, help: impl Into<String>) -> Self {
        self.help = self.help.or_else(|| Some(help.into()));
        self
    }
}

/// Names that formulas give a meaning to, which no variable may carry: `t`, `pi`, `if`, `and`, `or`, `not` and the functions.
pub fn reserved() -> impl Iterator<Item = &'static str> {
    ["t", "pi", "if"].into_iter().chain(condition::WORDS).chain(functions())
}

/// Names of all functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    function::FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Whether `name` can stand for a variable in a formula: a letter or `_`, then letters, digits and `_`.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(token::starts_name) && chars.all(token::continues_name)
}

/// The words of a number with a unit that follow a `/` or a `*`, where a formula would have a variable.
fn unit_words(text: &str) -> Vec<(String, Range<usize>)> {
    let mut words = Vec::new();
    let mut joined = false;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let length = if token::starts_name(c) {
            let rest = &text[at..];
            rest.find(|c| !token::continues_name(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        if token::starts_name(c) && joined {
            words.push((text[at..at + length].to_owned(), at..at + length));
        }
        joined = matches!(c, '/' | '*' | '\u{b7}') || (joined && (c.is_whitespace() || c == '('));
        at += length;
    }
    words
}

impl Expression {
    /// Reads a formula; see the module for the notation.
    ///
    /// # Errors
    /// Syntax, unknown units, wrong numbers of arguments, too deep nesting or too many terms; the span counts bytes of
    /// `text`.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        if let Ok(quantity) = Quantity::parse(text) {
            let start = text.len() - text.trim_start().len();
            let plain = text.trim().chars().all(|c| !c.is_alphabetic() || c == 'e' || c == 'E')
                && text.trim().parse::<f64>().is_ok();
            let mut expression = Self::number(quantity.value, quantity.dimension);
            expression.nodes[0].span = start..text.trim_end().len();
            expression.contested = unit_words(text);
            expression.form = if plain { Form::PlainNumber } else { Form::Formula };
            return Ok(expression);
        }
        parse::parse(text)
    }

    /// Reads a condition, such as `phi > 30 deg and phi.rate < 0`: a formula that is positive where it holds. That of one
    /// comparison is the difference of its sides; that of several has the right sign and is continuous where they are.
    ///
    /// # Errors
    /// Those of [`Expression::parse`], and a text that is no condition.
    pub fn parse_condition(text: &str) -> Result<Self, ExpressionError> {
        condition::parse(text)
    }

    /// A constant with a dimension.
    pub fn number(value: f64, dimension: Dimension) -> Self {
        let term = Term::Constant { value, dimension };
        Self {
            nodes: vec![Node { term, span: 0..0 }],
            names: Vec::new(),
            curves: Vec::new(),
            root: 0,
            form: Form::Formula,
            contested: Vec::new(),
        }
    }

    /// A number without a unit, as a file writes it plainly; see [`Expression::is_plain_number`].
    pub fn plain_number(value: f64) -> Self {
        Self { form: Form::PlainNumber, ..Self::number(value, Dimension::NONE) }
    }

    /// A single variable.
    pub fn variable(name: &str) -> Self {
        Self {
            nodes: vec![Node { term: Term::Variable(0), span: 0..0 }],
            names: vec![name.to_owned()],
            curves: Vec::new(),
            root: 0,
            form: Form::Formula,
            contested: Vec::new(),
        }
    }

    /// Whether the text was nothing but a number without a unit; files accept such a number as SI.
    pub fn is_plain_number(&self) -> bool {
        self.form == Form::PlainNumber
    }

    /// The names that the formula uses, each with the place of its every occurrence, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let mut found: Vec<(&str, Range<usize>)> = self
            .nodes
            .iter()
            .filter_map(|node| match node.term {
                Term::Variable(index) => Some((self.names.get(index)?.as_str(), node.span.clone())),
                _ => None,
            })
            .collect();
        found.sort_by_key(|(_, span)| span.start);
        found.into_iter()
    }

    /// Words that a reader could take for a unit as well as for a variable, each with its place: `g` in `10 N/g`. Alone after a
    /// number such a word is a unit; inside a longer formula it is a variable. Units in brackets are not contested.
    pub fn contested(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        self.contested.iter().map(|(word, span)| (word.as_str(), span.clone()))
    }

    /// Whether the formula uses the variable `name`.
    pub fn depends_on(&self, name: &str) -> bool {
        self.variables().any(|(variable, _)| variable == name)
    }

    /// The derivative with respect to the variable `name`, exact, with constants folded.
    ///
    /// A curve `c` gives `c'(u) u'`, also before it is bound; `sign` and `step` count as constant; `abs`, `min`, `max` and `if` are differentiated on the branch that
    /// holds. The literals of the result are plain SI numbers, so [`Expression::dimension`] is meant for
    /// parsed formulas only.
    #[must_use]
    pub fn derivative(&self, name: &str) -> Self {
        derivative::derivative(self, name)
    }

    /// The dimension of the value, where `lookup` knows the dimension of each variable.
    ///
    /// Sums and comparisons need equal dimensions (a literal 0 fits all, the radian counts as a plain number);
    /// functions such as `sin` and `exp` need an angle or a plain number.
    ///
    /// # Errors
    /// The operation whose operands do not fit, an unknown variable, or any curve.
    pub fn dimension(
        &self,
        lookup: &dyn Fn(&str) -> Option<Dimension>,
    ) -> Result<Dimension, ExpressionError> {
        self.dimension_with_curves(lookup, &|_| None)
    }

    /// The dimension of the value, where `lookup` knows variables and `curves` knows curves.
    ///
    /// # Errors
    /// As [`Expression::dimension`]; an unknown curve, or one whose argument does not fit.
    pub fn dimension_with_curves(
        &self,
        lookup: &dyn Fn(&str) -> Option<Dimension>,
        curves: &dyn Fn(&str) -> Option<CurveDimensions>,
    ) -> Result<Dimension, ExpressionError> {
        dimension::dimension(self, lookup, curves)
    }

    /// Flat code, where `lookup` gives each variable its slot.
    ///
    /// # Errors
    /// A variable without a slot; a curve that is not bound, see [`Expression::with_curves`].
    pub fn compile(&self, lookup: &dyn Fn(&str) -> Option<usize>) -> Result<Program, ExpressionError> {
        program::compile(self, lookup)
    }

    fn from_tree(tree: Tree, root: NodeId) -> Self {
        let (nodes, root) = tree.reachable(root);
        Self {
            nodes,
            names: tree.names,
            curves: tree.curves,
            root,
            form: Form::Formula,
            contested: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
