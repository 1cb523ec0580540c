//! Calls of curves: names that stand for functions of one argument and are bound after parsing.

use super::tree::{NodeId, Term};
use super::{Expression, ExpressionError};
use crate::spline::Curve;
use crate::suggest::closest;
use crate::units::Dimension;
use std::ops::Range;
use std::sync::Arc;

/// The highest order at which a derivative of a curve may differ from zero.
pub(super) const HIGHEST: u8 = 3;

/// A curve that a formula names, and what the name stands for once it is bound.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CurveName {
    pub(super) name: String,
    pub(super) curve: Option<Arc<Curve>>,
}

/// What a curve is given over and what it gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurveDimensions {
    /// Dimension of the argument.
    pub argument: Dimension,
    /// Dimension of the value.
    pub value: Dimension,
}

impl Expression {
    /// The curves that the formula calls, each with the place of its name at every call, in the order of the text.
    pub fn curves(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let mut found: Vec<(&str, Range<usize>)> = self
            .nodes
            .iter()
            .enumerate()
            .filter_map(|(id, node)| match node.term {
                Term::Curve { curve, .. } => Some((self.curves.get(curve)?.name.as_str(), place(self, id))),
                _ => None,
            })
            .collect();
        found.sort_by_key(|(_, span)| span.start);
        found.into_iter()
    }

    /// Calls of bound curves: the name of the curve, its argument, and the ends between which it is given.
    pub fn curve_calls(&self) -> impl Iterator<Item = (&str, Expression, [f64; 2])> {
        self.nodes.iter().filter_map(|node| match node.term {
            Term::Curve { curve, at, .. } => {
                let entry = self.curves.get(curve)?;
                let argument = Expression { root: at, ..self.clone() };
                Some((entry.name.as_str(), argument, entry.curve.as_ref()?.domain()))
            }
            _ => None,
        })
    }

    /// The same formula with every curve bound to what `lookup` gives for its name; what is bound stays so.
    ///
    /// ```
    /// use gelenk_math::expression::Expression;
    /// use gelenk_math::spline::{CubicSpline, Curve, End};
    /// use std::sync::Arc;
    /// let knots = [0.0, 1.0, 2.0, 4.0];
    /// let cube = Arc::new(Curve::from(CubicSpline::new(&knots, &knots.map(|x| x * x * x), End::NotAKnot)?));
    /// let formula = Expression::parse("cube(2*x)")?.with_curves(&|name| (name == "cube").then(|| cube.clone()))?;
    /// let slope = formula.derivative("x").compile(&|_| Some(0))?;
    /// let mut scratch = vec![0.0; slope.scratch_len()];
    /// assert!((slope.eval(&[1.5], &mut scratch) - 54.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first call of a name that is neither a function nor a curve, with the function that was probably meant.
    pub fn with_curves(&self, lookup: &dyn Fn(&str) -> Option<Arc<Curve>>) -> Result<Self, ExpressionError> {
        let mut expression = self.clone();
        for entry in &mut expression.curves {
            if entry.curve.is_none() {
                entry.curve = lookup(&entry.name);
            }
        }
        check_bound(&expression)?;
        Ok(expression)
    }
}

/// Refuses the first call of a curve that is not bound.
pub(super) fn check_bound(expression: &Expression) -> Result<(), ExpressionError> {
    for (id, node) in expression.nodes.iter().enumerate() {
        if let Term::Curve { curve, .. } = node.term
            && let Some(entry) = expression.curves.get(curve)
            && entry.curve.is_none()
        {
            return Err(unknown(&entry.name, place(expression, id))
                .or_help("write `*` for a product with parentheses"));
        }
    }
    Ok(())
}

/// The place of the name in a call.
pub(super) fn place(expression: &Expression, id: NodeId) -> Range<usize> {
    let Some(node) = expression.nodes.get(id) else { return 0..0 };
    let length = match node.term {
        Term::Curve { curve, .. } => expression.curves.get(curve).map_or(0, |entry| entry.name.len()),
        _ => 0,
    };
    node.span.start..(node.span.start + length).min(node.span.end)
}

/// A call of a name that stands for nothing.
pub(super) fn unknown(name: &str, span: Range<usize>) -> ExpressionError {
    let error = ExpressionError::new(span, format!("unknown function `{name}`"));
    match closest(name, super::functions()) {
        Some(near) => error.with_help(format!("did you mean `{near}`?")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spline::{CubicSpline, End, LinearTable};
    use crate::{Dual, Real, partial, seed};
    use proptest::prelude::*;

    /// A few points of the knee translation rx (m) over the knee angle (rad), stelzner 4.0.
    const KNOTS: [f64; 6] = [-2.0944, -1.39626, -0.698132, -0.174533, 0.490178, 2.0944];
    const VALUES: [f64; 6] = [-0.0032, 0.00411, 0.00212, -0.0031, -0.005574, -0.00525];

    fn knee() -> Arc<Curve> {
        Arc::new(CubicSpline::new(&KNOTS, &VALUES, End::Natural).unwrap().into())
    }

    fn table() -> Arc<Curve> {
        Arc::new(LinearTable::new(&[0.0, 1.0, 3.0], &[0.0, 2.0, 1.0]).unwrap().into())
    }

    fn lookup(name: &str) -> Option<Arc<Curve>> {
        match name {
            "knee" => Some(knee()),
            "table" => Some(table()),
            _ => None,
        }
    }

    fn formula(text: &str) -> Expression {
        Expression::parse(text).unwrap().with_curves(&lookup).unwrap()
    }

    fn run<T: Real>(expression: &Expression, x: T) -> T {
        let program = expression.compile(&|name| (name == "x").then_some(0)).unwrap();
        program.eval(&[x], &mut vec![T::c(0.0); program.scratch_len()])
    }

    #[test]
    fn calls_are_listed_with_their_places() {
        let parsed = Expression::parse("2*knee(x) + sin(table(knee(y))) + knee (1)").unwrap();
        let calls: Vec<_> = parsed.curves().collect();
        assert_eq!(calls, [("knee", 2..6), ("table", 16..21), ("knee", 22..26), ("knee", 34..38)]);
        assert_eq!(parsed.variables().map(|(name, _)| name).collect::<Vec<_>>(), ["x", "y"]);
    }

    #[test]
    fn names_that_stand_for_nothing_are_refused_with_their_place() {
        let error = Expression::parse("1 + sni(x)").unwrap().with_curves(&lookup).unwrap_err();
        assert_eq!((error.span, error.message.as_str()), (4..7, "unknown function `sni`"));
        assert_eq!(error.help.as_deref(), Some("did you mean `sin`?"));
        // What is not bound is refused when it is compiled, derivatives included.
        let open = Expression::parse("wheel(x)").unwrap();
        let error = open.compile(&|_| Some(0)).unwrap_err();
        assert_eq!((error.span, error.message.as_str()), (0..5, "unknown function `wheel`"));
        assert_eq!(error.help.as_deref(), Some("write `*` for a product with parentheses"));
        assert!(open.derivative("x").compile(&|_| Some(0)).is_err());
        let error = Expression::parse("1 + wheel(x, 2)").unwrap_err();
        assert_eq!((error.span, error.help.as_deref()), (4..9, Some("a curve takes one argument")));
        assert!(Expression::parse("wheel()").is_err());
        assert_eq!(Expression::parse("atn2(x, 2)").unwrap_err().help.unwrap(), "did you mean `atan2`?");
    }

    #[test]
    fn derivatives_of_every_order_are_those_of_the_curve() {
        let curve = knee();
        for x in [-3.0, -2.0944, -1.0, 0.1, 0.490178, 1.7, 2.0944, 2.5] {
            let mut expression = formula("knee(x)");
            for order in 0..=4 {
                assert_eq!(run(&expression, x), curve.derivative(order, x), "order {order} at {x}");
                expression = expression.derivative("x");
            }
            assert_eq!(expression.compile(&|_| None).unwrap().constant(), Some(0.0));
        }
    }

    #[test]
    fn it_does_not_matter_whether_curves_are_bound_before_or_after() {
        let open = Expression::parse("x*knee(sin(x))^2 - table(2*x)").unwrap();
        let early = open.with_curves(&lookup).unwrap().derivative("x").derivative("x");
        let late = open.derivative("x").derivative("x").with_curves(&lookup).unwrap();
        for x in [-1.0, 0.3, 0.9, 2.0] {
            assert_eq!(run(&early, x), run(&late, x));
        }
        // A second binding does not replace the first.
        let again = early.with_curves(&|_| None).unwrap();
        assert_eq!(again, early);
    }

    #[test]
    fn constant_arguments_and_derivatives_that_vanish_are_folded() {
        let constant = |expression: &Expression| expression.compile(&|_| Some(0)).unwrap().constant();
        assert_eq!(constant(&formula("table(0.5 + 0.25)")), Some(1.5));
        assert_eq!(constant(&formula("table(x)").derivative("x").derivative("x")), Some(0.0));
        assert_eq!(constant(&formula("knee(y)").derivative("x")), Some(0.0));
        // A curve that is used twice is evaluated once: argument, curve and product.
        assert_eq!(formula("knee(x)*knee(x)").compile(&|_| Some(0)).unwrap().scratch_len(), 3);
    }

    #[test]
    fn curves_have_dimensions() {
        let names = |name: &str| match name {
            "x" => Some(Dimension::ANGLE),
            "z" => Some(Dimension::TIME),
            _ => None,
        };
        let curves = |name: &str| {
            let argument = if name == "knee" { Dimension::ANGLE } else { Dimension::LENGTH };
            lookup(name).map(|_| CurveDimensions { argument, value: Dimension::LENGTH })
        };
        let dimension = |text: &str| Expression::parse(text).unwrap().dimension_with_curves(&names, &curves);
        assert_eq!(dimension("knee(x) + 5 mm").unwrap(), Dimension::LENGTH);
        assert_eq!(dimension("knee(0) + knee(x/2) + knee(pi)").unwrap(), Dimension::LENGTH);
        assert_eq!(dimension("table(knee(x))").unwrap(), Dimension::LENGTH);
        for (text, span, message, help) in [
            (
                "2*knee(z)",
                7..8,
                "`knee` is a curve over an angle (rad), this is a time (s)",
                "give it in rad",
            ),
            (
                "table(3)",
                6..7,
                "`table` is a curve over a length (m), this is a plain number",
                "give the number a unit, as in `3 [m]`",
            ),
            ("1 + knie(x)", 4..8, "unknown function `knie`", ""),
        ] {
            let error = dimension(text).unwrap_err();
            assert_eq!((error.span, error.message.as_str()), (span, message), "{text}");
            assert_eq!(error.help.unwrap_or_default(), help, "{text}");
        }
        let slope = Expression::parse("knee(x)").unwrap().derivative("x");
        let per_angle = slope.dimension_with_curves(&names, &curves).unwrap();
        assert!(per_angle.compatible(Dimension::LENGTH));
        assert!(Expression::parse("knee(x)").unwrap().dimension(&names).is_err());
    }

    #[test]
    fn evaluation_is_total() {
        let expression = formula("knee(x) + table(x)");
        assert!(run(&expression, f64::NAN).is_nan());
        for x in [f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0] {
            let _ = run(&expression.derivative("x"), x) + run(&expression, x);
        }
    }

    proptest! {
        /// ST-R6: first and second derivatives of a spline of a function, against duals and differences.
        #[test]
        fn st_r6_chain_rule_equals_duals_and_differences(x in -3.0f64..3.0) {
            let expression = formula("knee(x + 0.3*sin(2*x))*exp(-x/4) + knee(knee(x)*100)");
            let mut order = expression;
            for _ in 0..2 {
                let slope = order.derivative("x");
                let exact = partial(run::<Dual>(&order, seed(x, 0)), 0);
                let symbolic = run(&slope, x);
                prop_assert!((symbolic - exact).abs() <= 1e-12 * (1.0 + exact.abs()), "{symbolic} {exact}");
                let h = 1e-6;
                let (above, here, below) = (run(&order, x + h), run(&order, x), run(&order, x - h));
                // The second derivative jumps at the ends of a spline only where it is not natural; its slope does.
                let (right, left) = ((above - here) / h, (here - below) / h);
                if (right - left).abs() < 1e-4 * (1.0 + right.abs()) {
                    let difference = (above - below) / (2.0 * h);
                    prop_assert!((difference - exact).abs() < 1e-5 * (1.0 + exact.abs()), "{difference} {exact}");
                }
                order = slope;
            }
        }
    }
}
