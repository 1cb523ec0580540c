//! Formulas under other names: what a formula says where its names carry a prefix or a sign.

use super::Expression;
use super::curve::CurveName;
use super::tree::{Node, Term};

/// What a variable becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renamed {
    /// The new name.
    pub name: String,
    /// Whether the formula means minus the new variable.
    pub reversed: bool,
}

impl Expression {
    /// The same formula over other names; places in the text stay.
    ///
    /// ```
    /// use gelenk_math::expression::{Expression, Renamed};
    /// let formula = Expression::parse("2*x + arc(y)")?;
    /// let new = formula.renamed(
    ///     &|name| Renamed { name: format!("left_{name}"), reversed: name == "x" },
    ///     &|curve| format!("left_{curve}"),
    /// );
    /// let names: Vec<&str> = new.variables().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["left_x", "left_y"]);
    /// assert_eq!(new.curves().next().map(|(name, _)| name), Some("left_arc"));
    /// # Ok::<(), gelenk_math::expression::ExpressionError>(())
    /// ```
    #[must_use]
    pub fn renamed(&self, variables: &dyn Fn(&str) -> Renamed, curves: &dyn Fn(&str) -> String) -> Self {
        let new: Vec<Renamed> = self.names.iter().map(|name| variables(name)).collect();
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        let mut place = Vec::with_capacity(self.nodes.len());
        for Node { term, span } in &self.nodes {
            // Operands stand before their operation, so their new places are known.
            let moved = term.renumbered(|id| place.get(id).copied().unwrap_or(0));
            nodes.push(Node { term: moved, span: span.clone() });
            if let Term::Variable(index) = term
                && new.get(*index).is_some_and(|renamed| renamed.reversed)
            {
                let variable = nodes.len() - 1;
                nodes.push(Node { term: Term::Neg(variable), span: span.clone() });
            }
            place.push(nodes.len() - 1);
        }
        let renamed = |entry: &CurveName| CurveName { name: curves(&entry.name), curve: entry.curve.clone() };
        Self {
            nodes,
            names: new.into_iter().map(|renamed| renamed.name).collect(),
            curves: self.curves.iter().map(renamed).collect(),
            root: place.get(self.root).copied().unwrap_or(0),
            form: self.form,
            // They were judged by the names that the text itself knows.
            contested: Vec::new(),
        }
    }

    /// Minus the formula; a number stays a number.
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut negated = self.clone();
        let span = match negated.nodes.get_mut(self.root) {
            Some(Node { term: Term::Constant { value, .. }, .. }) if self.nodes.len() == 1 => {
                // The negative zero would show in files and tables.
                *value = if *value == 0.0 { 0.0 } else { -*value };
                return negated;
            }
            Some(node) => node.span.clone(),
            None => 0..0,
        };
        negated.nodes.push(Node { term: Term::Neg(self.root), span });
        negated.root = negated.nodes.len() - 1;
        negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &Expression, x: f64, y: f64) -> f64 {
        let program = expression.compile(&|name| Some(usize::from(name.ends_with('y')))).unwrap();
        program.eval(&[x, y], &mut vec![0.0; program.scratch_len()])
    }

    #[test]
    fn signs_follow_the_variables() {
        let formula = Expression::parse("x^2*y - 3*x").unwrap();
        let new = formula
            .renamed(&|name| Renamed { name: name.to_owned(), reversed: name == "x" }, &|curve| {
                curve.to_owned()
            });
        assert_eq!(value(&new, 2.0, 5.0), value(&formula, -2.0, 5.0));
        assert_eq!(value(&formula.negated(), 2.0, 5.0), -value(&formula, 2.0, 5.0));
        assert_eq!(formula.negated().variables().count(), formula.variables().count());
        let number = Expression::plain_number(2.5).negated();
        assert!(number.is_plain_number());
        assert_eq!(number.compile(&|_| None).unwrap().constant(), Some(-2.5));
    }
}
