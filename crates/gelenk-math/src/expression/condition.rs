//! Conditions: comparisons joined by `and`, `or` and `not`.

use super::parse::Parser;
use super::token::Token;
use super::tree::{NodeId, Relation, Term};
use super::{Expression, ExpressionError, Form};
use crate::units::Dimension;
use std::ops::Range;

/// Words that join comparisons.
pub(super) const WORDS: [&str; 3] = ["and", "or", "not"];

/// What decides a choice.
pub(super) enum Condition {
    Compare(Relation, NodeId, NodeId),
    /// All hold.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

/// Reads a text that is a condition: an expression that is positive where it holds. That of one comparison is the difference
/// of its sides, which a root finder can follow; so is that of several, compiled to margins between the largest numbers.
pub(super) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser::new(text)?;
    if parser.peek() == Token::End {
        return Err(ExpressionError::new(0..text.len(), "a condition is missing here")
            .with_help("compare with < > <= >=, as in `phi > 30 deg`"));
    }
    let condition = parser.condition()?;
    if parser.peek() != Token::End {
        return Err(parser.error_here("`and` or `or` was expected here"));
    }
    let span = 0..text.len();
    let root = match condition {
        Condition::Compare(_, left, right) => parser.push(Term::Sub(right, left), span)?.id,
        several => {
            let [yes, no] =
                [f64::MAX, f64::MIN].map(|value| Term::Constant { value, dimension: Dimension::NONE });
            let (yes, no) = (parser.push(yes, span.clone())?.id, parser.push(no, span.clone())?.id);
            several.choose(&mut parser, yes, no, &span)?
        }
    };
    Ok(Expression { form: Form::Condition, ..parser.finish(root) })
}

impl Condition {
    /// The node that is `yes` where the condition holds and `no` elsewhere. Every comparison is made once.
    pub(super) fn choose(
        self,
        parser: &mut Parser<'_>,
        yes: NodeId,
        no: NodeId,
        span: &Range<usize>,
    ) -> Result<NodeId, ExpressionError> {
        match self {
            Self::Compare(relation, left, right) => {
                Ok(parser.push(Term::If { relation, left, right, yes, no }, span.clone())?.id)
            }
            Self::All(list) => {
                list.into_iter().rev().try_fold(yes, |rest, one| one.choose(parser, rest, no, span))
            }
            Self::Any(list) => {
                list.into_iter().rev().try_fold(no, |rest, one| one.choose(parser, yes, rest, span))
            }
            Self::Not(inner) => inner.choose(parser, no, yes, span),
        }
    }
}

impl Parser<'_> {
    /// Alternatives, each of which is a list of what must hold together.
    pub(super) fn condition(&mut self) -> Result<Condition, ExpressionError> {
        self.deeper()?;
        let condition = self.joined("or", Condition::Any, |parser| {
            parser.joined("and", Condition::All, Self::single_condition)
        });
        self.depth -= 1;
        condition
    }

    fn joined(
        &mut self,
        word: &str,
        join: fn(Vec<Condition>) -> Condition,
        part: impl Fn(&mut Self) -> Result<Condition, ExpressionError>,
    ) -> Result<Condition, ExpressionError> {
        let first = part(self)?;
        if self.peek() != Token::Name(word) {
            return Ok(first);
        }
        let mut list = vec![first];
        while self.peek() == Token::Name(word) {
            self.at += 1;
            list.push(part(self)?);
        }
        Ok(join(list))
    }

    fn single_condition(&mut self) -> Result<Condition, ExpressionError> {
        let (token, span) = self.entry(self.at);
        match token {
            Token::Name("not") => {
                self.at += 1;
                self.deeper()?;
                let inner = self.single_condition();
                self.depth -= 1;
                Ok(match inner? {
                    // The opposite of one comparison is one comparison.
                    Condition::Compare(Relation::Less, left, right) => {
                        Condition::Compare(Relation::LessEqual, right, left)
                    }
                    Condition::Compare(Relation::LessEqual, left, right) => {
                        Condition::Compare(Relation::Less, right, left)
                    }
                    several => Condition::Not(Box::new(several)),
                })
            }
            Token::Open if self.opens_condition() => {
                self.at += 1;
                let inner = self.condition()?;
                self.close(&span)?;
                Ok(inner)
            }
            _ => self.comparison(),
        }
    }

    /// Whether the parenthesis here holds a condition: a comparison that is not that of an `if` inside.
    fn opens_condition(&self) -> bool {
        let (mut open, mut call) = (0usize, None);
        let mut before = None;
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::Open => {
                    open += 1;
                    if call.is_none() && matches!(before, Some(Token::Name(name)) if !WORDS.contains(&name)) {
                        call = Some(open);
                    }
                }
                Token::Close => {
                    if call == Some(open) {
                        call = None;
                    }
                    open -= 1;
                    if open == 0 {
                        return false;
                    }
                }
                Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual if call.is_none() => {
                    return true;
                }
                _ => {}
            }
            before = Some(*token);
        }
        false
    }

    fn comparison(&mut self) -> Result<Condition, ExpressionError> {
        let left = self.expression(super::parse::SUM)?;
        let operator = self.peek();
        if !matches!(operator, Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual) {
            return Err(ExpressionError::new(left.span, "a comparison was expected here")
                .with_help("compare with < > <= >=, as in `a < b`"));
        }
        self.at += 1;
        let right = self.expression(super::parse::SUM)?;
        if matches!(self.peek(), Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual) {
            return Err(self
                .error_here("a comparison has two sides")
                .with_help("write `a < b and b < c` for `a < b < c`"));
        }
        Ok(match operator {
            Token::Less => Condition::Compare(Relation::Less, left.id, right.id),
            Token::LessEqual => Condition::Compare(Relation::LessEqual, left.id, right.id),
            Token::Greater => Condition::Compare(Relation::Less, right.id, left.id),
            _ => Condition::Compare(Relation::LessEqual, right.id, left.id),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Expression, ExpressionError};

    fn holds(text: &str, values: &[(&str, f64)]) -> Result<bool, ExpressionError> {
        let condition = Expression::parse_condition(text)?;
        let program = condition.compile(&|name| values.iter().position(|(known, _)| *known == name))?;
        let slots: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        Ok(program.eval(&slots, &mut vec![0.0; program.scratch_len()]) > 0.0)
    }

    /// Against Rust's own operators on a grid of values; `and` binds tighter than `or`, `not` than `and`.
    #[test]
    fn conditions_mean_what_they_say() {
        type Truth = fn(f64, f64) -> bool;
        let cases: [(&str, Truth); 10] = [
            ("a < b", |a, b| a < b),
            ("a > 0.5 and b < 2 or b > 3", |a, b| a > 0.5 && b < 2.0 || b > 3.0),
            ("a > 0.5 and (b < 2 or b > 3)", |a, b| a > 0.5 && !(2.0..=3.0).contains(&b)),
            ("not a > 0.5 and b < 2", |a, b| a <= 0.5 && b < 2.0),
            ("not (a > 0.5 and b < 2.2)", |a, b| !(a > 0.5 && b < 2.2)),
            ("(a + b)*2 > 3.1", |a, b| (a + b) * 2.0 > 3.1),
            ("((a < b)) and not(not(b > 1.1))", |a, b| a < b && b > 1.1),
            ("(if(a < b and b > 1.1, 1, 0) + 1) > 1.5", |a, b| a < b && b > 1.1),
            ("min(a, b) > 0.7 or max(a, b) < 0.2", |a, b| a.min(b) > 0.7 || a.max(b) < 0.2),
            ("if(a < 1.1 or b < 1.1, a, b) > 0.6", |a, b| (if a < 1.1 || b < 1.1 { a } else { b }) > 0.6),
        ];
        for (text, truth) in cases {
            for i in 0..30 {
                let (a, b) = (0.13 * f64::from(i % 6), 0.71 * f64::from(i / 6) + 0.01);
                assert_eq!(holds(text, &[("a", a), ("b", b)]), Ok(truth(a, b)), "{text} at {a}, {b}");
            }
        }
    }

    /// The value of one comparison is the difference of its sides, so that its root is that of a smooth function.
    #[test]
    fn one_comparison_is_smooth() {
        for (text, value) in [("x > 3", 2.0), ("3 >= x", -2.0), ("not x < 3", 2.0)] {
            let program = Expression::parse_condition(text).and_then(|c| c.compile(&|_| Some(0)));
            let value_found = program.map(|p| p.eval(&[5.0], &mut vec![0.0; p.scratch_len()]));
            assert_eq!(value_found, Ok(value), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        for (text, expected) in [
            ("a", "a comparison was expected here"),
            ("a < b < c", "a comparison has two sides"),
            ("a < b c > d", "`and` or `or` was expected here"),
            ("(a < b", "this `(` is not closed"),
            ("a < 3 and", "the expression ends where an operand was expected"),
            ("a < b, c", "`and` or `or` was expected here"),
            ("", "a condition is missing here"),
        ] {
            let error =
                Expression::parse_condition(text).map(|_| String::new()).unwrap_or_else(|e| e.message);
            assert!(error.contains(expected), "{text}: {error}");
        }
        // Nested deeply enough to exhaust the stack, or a parser that tries everything twice.
        for text in ["not ".repeat(100_000), "(".repeat(100_000), "if((".repeat(30), "(if(".repeat(30)] {
            assert!(Expression::parse_condition(&format!("{text}a < b")).is_err());
        }
    }
}
