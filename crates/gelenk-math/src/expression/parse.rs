//! Words to a tree, by precedence climbing.

use super::condition::{Condition, WORDS};
use super::curve::{CurveName, unknown};
use super::function::{FUNCTIONS, Function};
use super::token::{Token, tokens};
use super::tree::{Node, NodeId, Term};
use super::{Expression, ExpressionError, Form};
use crate::units::{Dimension, Unit, UnitError};
use std::ops::Range;

/// Operations may be nested this deep; more is refused instead of exhausting the stack.
const DEEPEST: usize = 100;
/// Terms of one formula.
const LARGEST: usize = 4096;

/// Strengths of the operators; a sign stands between products and powers.
pub(super) const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SIGN: u8 = 3;
const POWER: u8 = 4;

pub(super) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser::new(text)?;
    if parser.peek() == Token::End {
        return Err(ExpressionError::new(0..text.len(), "an expression is missing here"));
    }
    let root = parser.expression(SUM)?;
    match parser.peek() {
        Token::End => Ok(parser.finish(root.id)),
        Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => {
            Err(parser.misplaced_comparison())
        }
        Token::Close => Err(parser.error_here("this `)` was never opened")),
        _ => Err(parser.unexpected_after()),
    }
}

/// A finished part of the tree: its node and its place.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) id: NodeId,
    pub(super) span: Range<usize>,
    /// The value of a part that is made of plain numbers alone.
    plain: Option<f64>,
    /// Number and unit of a part that is a number with its unit behind it.
    measured: Option<(f64, Unit)>,
}

impl Part {
    /// A part about whose content nothing is known.
    pub(super) fn new(id: NodeId, span: Range<usize>) -> Self {
        Self { id, span, plain: None, measured: None }
    }
}

pub(super) struct Parser<'a> {
    pub(super) tokens: Vec<(Token<'a>, Range<usize>)>,
    pub(super) at: usize,
    nodes: Vec<Node>,
    names: Vec<String>,
    curves: Vec<CurveName>,
    contested: Vec<(String, Range<usize>)>,
    pub(super) depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Result<Self, ExpressionError> {
        let (nodes, names, curves, contested) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Self { tokens: tokens(text)?, at: 0, nodes, names, curves, contested, depth: 0 })
    }

    /// The expression with the root `root`.
    pub(super) fn finish(self, root: NodeId) -> Expression {
        let Self { nodes, names, curves, contested, .. } = self;
        Expression { nodes, names, curves, root, form: Form::Formula, contested }
    }

    /// Takes note of one more level of nesting.
    pub(super) fn deeper(&mut self) -> Result<(), ExpressionError> {
        if self.depth >= DEEPEST {
            return Err(self
                .error_here(format!("this expression is nested more than {DEEPEST} deep"))
                .with_help("split it with `[parameters]` or `[signals]`"));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn entry(&self, at: usize) -> (Token<'a>, Range<usize>) {
        self.tokens.get(at).or(self.tokens.last()).cloned().unwrap_or((Token::End, 0..0))
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.entry(self.at).0
    }

    fn span(&self) -> Range<usize> {
        self.entry(self.at).1
    }

    pub(super) fn error_here(&self, message: impl Into<String>) -> ExpressionError {
        ExpressionError::new(self.span(), message)
    }

    pub(super) fn push(&mut self, term: Term, span: Range<usize>) -> Result<Part, ExpressionError> {
        if self.nodes.len() >= LARGEST {
            return Err(ExpressionError::new(span, format!("this expression has more than {LARGEST} terms")));
        }
        self.nodes.push(Node { term, span: span.clone() });
        Ok(Part::new(self.nodes.len() - 1, span))
    }

    pub(super) fn expression(&mut self, weakest: u8) -> Result<Part, ExpressionError> {
        self.deeper()?;
        let mut left = self.operand()?;
        loop {
            let (strength, right_strength) = match self.peek() {
                Token::Plus | Token::Minus => (SUM, SUM + 1),
                Token::Times | Token::Divide => (PRODUCT, PRODUCT + 1),
                Token::Power => (POWER, SIGN),
                _ => break,
            };
            if strength < weakest {
                break;
            }
            let operator = self.peek();
            self.at += 1;
            self.note_contested(operator, &left);
            let right = self.expression(right_strength)?;
            left = self.operation(operator, &left, &right)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Two parts joined by an operator. A unit behind a quotient of plain numbers belongs to the quotient: `1/2 deg` is half a
    /// degree.
    fn operation(&mut self, operator: Token<'_>, left: &Part, right: &Part) -> Result<Part, ExpressionError> {
        let span = left.span.start..right.span.end;
        if let (Token::Divide, Some(above), Some((below, unit))) = (operator, left.plain, right.measured) {
            let number = above / below;
            let constant = Term::Constant { value: unit.to_si(number), dimension: unit.dimension };
            return Ok(Part { measured: Some((number, unit)), ..self.push(constant, span)? });
        }
        if operator == Token::Power && right.measured.is_some() {
            return Err(ExpressionError::new(right.span.clone(), "a unit after a power is ambiguous")
                .with_help("put the power in parentheses and multiply it: `(2^3)*(1 mm)`"));
        }
        let (a, b) = (left.id, right.id);
        let (term, plain): (Term, fn(f64, f64) -> f64) = match operator {
            Token::Plus => (Term::Add(a, b), |x, y| x + y),
            Token::Minus => (Term::Sub(a, b), |x, y| x - y),
            Token::Times => (Term::Mul(a, b), |x, y| x * y),
            Token::Divide => (Term::Div(a, b), |x, y| x / y),
            _ => (Term::Pow(a, b), super::function::power_of),
        };
        let plain = left.plain.zip(right.plain).map(|(x, y)| plain(x, y));
        Ok(Part { plain, ..self.push(term, span)? })
    }

    /// Takes note of a name that could as well be a unit: `10 N/g` with a variable `g`.
    fn note_contested(&mut self, operator: Token<'_>, left: &Part) {
        if let (Token::Times | Token::Divide, Some(_), (Token::Name(name), span)) =
            (operator, left.measured, self.entry(self.at))
            && Unit::parse(name).is_ok()
        {
            self.contested.push((name.to_owned(), span));
        }
    }

    fn operand(&mut self) -> Result<Part, ExpressionError> {
        let (token, span) = self.entry(self.at);
        match token {
            Token::Number(value) => {
                self.at += 1;
                self.number(value, span)
            }
            Token::Minus => {
                self.at += 1;
                let inner = self.expression(SIGN)?;
                let part = self.push(Term::Neg(inner.id), span.start..inner.span.end)?;
                Ok(Part { plain: inner.plain.map(|value| -value), ..part })
            }
            Token::Plus => {
                self.at += 1;
                let inner = self.expression(SIGN)?;
                Ok(Part { span: span.start..inner.span.end, ..inner })
            }
            Token::Open => {
                self.at += 1;
                let inner = self.expression(SUM)?;
                let end = self.close(&span)?;
                // In parentheses a number keeps its unit to itself: `1/(2 s)`.
                Ok(Part { span: span.start..end, measured: None, ..inner })
            }
            Token::Name(name) => {
                self.at += 1;
                if self.peek() == Token::Open { self.call(name, span) } else { self.name(name, span) }
            }
            Token::Unit(_) => Err(self
                .error_here("a unit in brackets must follow a number")
                .with_help("write the number first, as in `2 [N m/rad]`")),
            Token::End => Err(self.error_here("the expression ends where an operand was expected")),
            _ => Err(self.error_here("an operand was expected here")),
        }
    }

    fn name(&mut self, name: &str, span: Range<usize>) -> Result<Part, ExpressionError> {
        if name == "pi" {
            return self.plain(std::f64::consts::PI, span);
        }
        if FUNCTIONS.iter().any(|(function, _)| *function == name) {
            return Err(ExpressionError::new(
                span,
                format!("`{name}` is a function; its arguments are missing"),
            ));
        }
        let index = match self.names.iter().position(|known| known == name) {
            Some(index) => index,
            None => {
                self.names.push(name.to_owned());
                self.names.len() - 1
            }
        };
        self.push(Term::Variable(index), span)
    }

    /// A number and the unit that may follow it.
    fn number(&mut self, value: f64, span: Range<usize>) -> Result<Part, ExpressionError> {
        let (token, place) = self.entry(self.at);
        let (text, offset) = match token {
            Token::Name(word) if !WORDS.contains(&word) => (word, place.start),
            Token::Unit(text) => (text, place.start + 1),
            _ => return self.plain(value, span),
        };
        let in_brackets = matches!(token, Token::Unit(_));
        let unit = Unit::parse(text).map_err(|error| self.wrong_unit(error, text, offset, in_brackets))?;
        self.at += 1;
        if !in_brackets && matches!(self.peek(), Token::Power) {
            return Err(self
                .error_here("this power is ambiguous")
                .with_help(format!("write `[{text}^2]` for a unit or `(1 {text})^2` for a power")));
        }
        if let Token::Name(next) = self.peek()
            && !in_brackets
            && !WORDS.contains(&next)
            && Unit::parse(next).is_ok()
        {
            return Err(self
                .error_here("a compound unit in an expression must be in brackets")
                .with_help(format!("put the whole unit in brackets, as in `[{text} {next}]`")));
        }
        let constant = Term::Constant { value: unit.to_si(value), dimension: unit.dimension };
        Ok(Part { measured: Some((value, unit)), ..self.push(constant, span.start..place.end)? })
    }

    /// A number without a unit.
    fn plain(&mut self, value: f64, span: Range<usize>) -> Result<Part, ExpressionError> {
        let part = self.push(Term::Constant { value, dimension: Dimension::NONE }, span)?;
        Ok(Part { plain: Some(value), ..part })
    }

    fn wrong_unit(&self, error: UnitError, text: &str, offset: usize, in_brackets: bool) -> ExpressionError {
        let span = error.span.start + offset..error.span.end + offset;
        let help = error.help.or_else(|| {
            // A name after a number is usually a product with the operator left out.
            (!in_brackets).then(|| format!("write `*` for a product, as in `2*{text}`"))
        });
        ExpressionError { span, message: error.message, help }
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<Part, ExpressionError> {
        let function = FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function);
        let open = self.span();
        self.at += 1;
        let condition = if function == Some(Function::If) { Some(self.decision()?) } else { None };
        let mut arguments: Vec<Part> = Vec::new();
        if self.peek() != Token::Close {
            loop {
                arguments.push(self.expression(SUM)?);
                if self.peek() != Token::Comma {
                    break;
                }
                self.at += 1;
            }
        }
        let end = self.close(&open)?;
        let whole = span.start..end;
        let ids: Vec<NodeId> = arguments.iter().map(|part| part.id).collect();
        let Some(function) = function else {
            // Whether the name is that of a curve shows when curves are bound; their number of arguments shows now.
            let &[at] = ids.as_slice() else {
                return Err(unknown(name, span).or_help("a curve takes one argument"));
            };
            let curve = self.curve(name);
            return self.push(Term::Curve { curve, order: 0, at }, whole);
        };
        let term = match (function, ids.as_slice(), condition) {
            (Function::One(f), &[a], _) => Term::One(f, a),
            (Function::Two(f), &[a, b], _) => Term::Two(f, a, b),
            (Function::Pow, &[a, b], _) => Term::Pow(a, b),
            (Function::If, &[yes, no], Some(condition)) => {
                let id = condition.choose(self, yes, no, &whole)?;
                return Ok(Part::new(id, whole));
            }
            (Function::One(_), _, _) => return Err(count(name, whole, "one argument", ids.len())),
            (Function::Two(_) | Function::Pow, _, _) => {
                return Err(count(name, whole, "two arguments", ids.len()));
            }
            (Function::If, _, _) => {
                return Err(count(name, whole, "a comparison and two values", ids.len() + 1));
            }
        };
        self.push(term, whole)
    }

    /// The condition at the start of `if(...)` and the comma after it.
    fn decision(&mut self) -> Result<Condition, ExpressionError> {
        let condition = self.condition()?;
        if self.peek() != Token::Comma {
            return Err(self.error_here("a comma was expected after the comparison"));
        }
        self.at += 1;
        Ok(condition)
    }

    /// The index of a curve by its name.
    fn curve(&mut self, name: &str) -> usize {
        self.curves.iter().position(|known| known.name == name).unwrap_or_else(|| {
            self.curves.push(CurveName { name: name.to_owned(), curve: None });
            self.curves.len() - 1
        })
    }

    pub(super) fn close(&mut self, open: &Range<usize>) -> Result<usize, ExpressionError> {
        match self.peek() {
            Token::Close => {
                let end = self.span().end;
                self.at += 1;
                Ok(end)
            }
            Token::End => Err(ExpressionError::new(open.clone(), "this `(` is not closed")),
            Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => {
                Err(self.misplaced_comparison())
            }
            _ => Err(self.unexpected_after()),
        }
    }

    fn misplaced_comparison(&self) -> ExpressionError {
        self.error_here("a comparison can only be the first argument of `if`")
            .with_help("write `if(a < b, x, y)`")
    }

    /// Something stands after a complete operand that is no operator.
    fn unexpected_after(&self) -> ExpressionError {
        let error = self.error_here("an operator was expected here");
        match self.peek() {
            Token::Unit(_) => error.with_help("a unit may follow only a number"),
            Token::Name(_) | Token::Number(_) | Token::Open => error.with_help("write `*` for a product"),
            _ => error,
        }
    }
}

fn count(name: &str, span: Range<usize>, expected: &str, found: usize) -> ExpressionError {
    ExpressionError::new(span, format!("`{name}` takes {expected}, {found} found"))
}
