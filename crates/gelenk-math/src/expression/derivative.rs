//! Symbolic derivative.

use super::Expression;
use super::function::{Binary, Unary};
use super::tree::{NodeId, Relation, Term, Tree};

/// Differentiates node by node; shared terms keep the result linear in the size of the formula.
pub(super) fn derivative(expression: &Expression, name: &str) -> Expression {
    let mut tree = Tree::new(expression.names.clone(), expression.curves.clone());
    let mut value: Vec<NodeId> = Vec::with_capacity(expression.nodes.len());
    let mut slope: Vec<NodeId> = Vec::with_capacity(expression.nodes.len());
    for node in &expression.nodes {
        let id = tree.copy(&node.term, &value);
        let d = differentiate(&mut tree, expression, name, &node.term, id, &value, &slope);
        value.push(id);
        slope.push(d);
    }
    let root = slope[expression.root];
    Expression::from_tree(tree, root)
}

/// The derivative of one term, whose own value is the node `y`.
fn differentiate(
    tree: &mut Tree,
    expression: &Expression,
    name: &str,
    term: &Term,
    y: NodeId,
    value: &[NodeId],
    slope: &[NodeId],
) -> NodeId {
    match *term {
        Term::Constant { .. } => tree.constant(0.0),
        Term::Variable(index) => {
            let same = expression.names.get(index).is_some_and(|known| known == name);
            tree.constant(if same { 1.0 } else { 0.0 })
        }
        Term::Neg(a) => tree.neg(slope[a]),
        Term::Add(a, b) => tree.sum(slope[a], slope[b]),
        Term::Sub(a, b) => tree.difference(slope[a], slope[b]),
        Term::Mul(a, b) => {
            let left = tree.product(slope[a], value[b]);
            let right = tree.product(value[a], slope[b]);
            tree.sum(left, right)
        }
        Term::Div(a, b) => {
            // (a/b)' = (a' - y b')/b
            let correction = tree.product(y, slope[b]);
            let above = tree.difference(slope[a], correction);
            tree.quotient(above, value[b])
        }
        Term::Pow(a, b) => power(tree, (value[a], slope[a]), (value[b], slope[b]), y),
        Term::One(function, a) => {
            // Where the argument is constant no slope is formed: it might not exist, as that of sqrt at 0.
            if tree.value(slope[a]) == Some(0.0) {
                return tree.constant(0.0);
            }
            let outer = unary(tree, function, value[a], y);
            tree.product(outer, slope[a])
        }
        Term::Curve { curve, order, at } => {
            if order >= super::curve::HIGHEST {
                return tree.constant(0.0);
            }
            // c(u)' = c'(u) u'
            let outer = tree.curve(curve, order + 1, value[at]);
            tree.product(outer, slope[at])
        }
        Term::Two(function, a, b) => binary(tree, function, (value[a], slope[a]), (value[b], slope[b]), y),
        Term::If { relation, left, right, yes, no } => {
            tree.select(relation, (value[left], value[right]), (slope[yes], slope[no]))
        }
    }
}

fn power(tree: &mut Tree, (a, da): (NodeId, NodeId), (b, db): (NodeId, NodeId), y: NodeId) -> NodeId {
    let in_base = if tree.value(da) == Some(0.0) {
        tree.constant(0.0)
    } else {
        // b a^(b-1) a'
        let one = tree.constant(1.0);
        let less = tree.difference(b, one);
        let reduced = tree.power(a, less);
        let outer = tree.product(b, reduced);
        tree.product(outer, da)
    };
    let in_exponent = if tree.value(db) == Some(0.0) {
        tree.constant(0.0)
    } else {
        // a^b ln(a) b'
        let log = tree.one(Unary::Ln, a);
        let outer = tree.product(y, log);
        tree.product(outer, db)
    };
    tree.sum(in_base, in_exponent)
}

/// Slope of a function of one argument `x` with value `y`.
fn unary(tree: &mut Tree, function: Unary, x: NodeId, y: NodeId) -> NodeId {
    let one = tree.constant(1.0);
    let two = tree.constant(2.0);
    match function {
        Unary::Sin => tree.one(Unary::Cos, x),
        Unary::Cos => {
            let sin = tree.one(Unary::Sin, x);
            tree.neg(sin)
        }
        Unary::Tan => {
            let square = tree.power(y, two);
            tree.sum(one, square)
        }
        Unary::Asin | Unary::Acos => {
            let square = tree.power(x, two);
            let rest = tree.difference(one, square);
            let root = tree.one(Unary::Sqrt, rest);
            let slope = tree.quotient(one, root);
            if function == Unary::Asin { slope } else { tree.neg(slope) }
        }
        Unary::Atan => {
            let square = tree.power(x, two);
            let below = tree.sum(one, square);
            tree.quotient(one, below)
        }
        Unary::Sqrt => {
            let below = tree.product(two, y);
            tree.quotient(one, below)
        }
        Unary::Exp => y,
        Unary::Ln => tree.quotient(one, x),
        Unary::Log10 => {
            let ln10 = tree.constant(std::f64::consts::LN_10);
            let below = tree.product(ln10, x);
            tree.quotient(one, below)
        }
        Unary::Abs => tree.one(Unary::Sign, x),
        Unary::Sign | Unary::Step => tree.constant(0.0),
        Unary::Sinh => tree.one(Unary::Cosh, x),
        Unary::Cosh => tree.one(Unary::Sinh, x),
        Unary::Tanh => {
            let square = tree.power(y, two);
            tree.difference(one, square)
        }
    }
}

fn binary(
    tree: &mut Tree,
    function: Binary,
    (a, da): (NodeId, NodeId),
    (b, db): (NodeId, NodeId),
    y: NodeId,
) -> NodeId {
    match function {
        Binary::Min => tree.select(Relation::LessEqual, (a, b), (da, db)),
        Binary::Max => tree.select(Relation::LessEqual, (b, a), (da, db)),
        Binary::Atan2 => {
            // (b a' - a b')/(a^2 + b^2)
            let left = tree.product(b, da);
            let right = tree.product(a, db);
            let above = tree.difference(left, right);
            let two = tree.constant(2.0);
            let (aa, bb) = (tree.power(a, two), tree.power(b, two));
            let below = tree.sum(aa, bb);
            tree.quotient(above, below)
        }
        Binary::Hypot => {
            let left = tree.product(a, da);
            let right = tree.product(b, db);
            let above = tree.sum(left, right);
            tree.quotient(above, y)
        }
    }
}
