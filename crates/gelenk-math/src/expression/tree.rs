//! The tree as a flat list in evaluation order, with equal terms shared.

use super::curve::CurveName;
use super::function::{Binary, Unary};
use crate::units::Dimension;
use std::collections::HashMap;
use std::ops::Range;

/// Index of a node in its list.
pub(super) type NodeId = usize;

/// A comparison; `>` and `>=` are stored with their sides exchanged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(super) enum Relation {
    Less,
    LessEqual,
}

impl Relation {
    pub(super) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEqual => left <= right,
        }
    }
}

/// One operation on earlier nodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Term {
    Constant {
        value: f64,
        dimension: Dimension,
    },
    Variable(usize),
    Neg(NodeId),
    Add(NodeId, NodeId),
    Sub(NodeId, NodeId),
    Mul(NodeId, NodeId),
    Div(NodeId, NodeId),
    Pow(NodeId, NodeId),
    One(Unary, NodeId),
    Two(Binary, NodeId, NodeId),
    /// A derivative of a curve at a node; the curve by its index, the value itself for order 0.
    Curve {
        curve: usize,
        order: u8,
        at: NodeId,
    },
    /// `if(left relation right, yes, no)`
    If {
        relation: Relation,
        left: NodeId,
        right: NodeId,
        yes: NodeId,
        no: NodeId,
    },
}

impl Term {
    /// The nodes that the operation uses.
    pub(super) fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let list = match *self {
            Self::Constant { .. } | Self::Variable(_) => [None; 4],
            Self::Neg(a) | Self::One(_, a) | Self::Curve { at: a, .. } => [Some(a), None, None, None],
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Div(a, b)
            | Self::Pow(a, b)
            | Self::Two(_, a, b) => [Some(a), Some(b), None, None],
            Self::If { left, right, yes, no, .. } => [Some(left), Some(right), Some(yes), Some(no)],
        };
        list.into_iter().flatten()
    }

    /// The same operation on renumbered nodes.
    pub(super) fn renumbered(&self, new: impl Fn(NodeId) -> NodeId) -> Self {
        match *self {
            Self::Constant { .. } | Self::Variable(_) => *self,
            Self::Neg(a) => Self::Neg(new(a)),
            Self::One(f, a) => Self::One(f, new(a)),
            Self::Add(a, b) => Self::Add(new(a), new(b)),
            Self::Sub(a, b) => Self::Sub(new(a), new(b)),
            Self::Mul(a, b) => Self::Mul(new(a), new(b)),
            Self::Div(a, b) => Self::Div(new(a), new(b)),
            Self::Pow(a, b) => Self::Pow(new(a), new(b)),
            Self::Two(f, a, b) => Self::Two(f, new(a), new(b)),
            Self::Curve { curve, order, at } => Self::Curve { curve, order, at: new(at) },
            Self::If { relation, left, right, yes, no } => {
                Self::If { relation, left: new(left), right: new(right), yes: new(yes), no: new(no) }
            }
        }
    }
}

/// A term with its place in the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Node {
    pub(super) term: Term,
    pub(super) span: Range<usize>,
}

/// A list of nodes under construction that folds constants and shares equal terms.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) names: Vec<String>,
    pub(super) curves: Vec<CurveName>,
    /// Finds an equal term; only looked up, never iterated, so its order has no influence.
    known: HashMap<Key, NodeId>,
}

/// A term as something that can be hashed: constants by their bits.
#[derive(PartialEq, Eq, Hash)]
struct Key(u8, [u64; 5]);

impl Tree {
    pub(super) fn new(names: Vec<String>, curves: Vec<CurveName>) -> Self {
        Self { nodes: Vec::new(), names, curves, known: HashMap::new() }
    }

    /// Adds a term, or finds the equal one.
    pub(super) fn add(&mut self, term: Term) -> NodeId {
        let key = key(&term);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.nodes.len();
        self.nodes.push(Node { term, span: 0..0 });
        self.known.insert(key, id);
        id
    }

    pub(super) fn constant(&mut self, value: f64) -> NodeId {
        self.add(Term::Constant { value, dimension: Dimension::NONE })
    }

    /// The value of a node that is a constant.
    pub(super) fn value(&self, id: NodeId) -> Option<f64> {
        match self.nodes.get(id)?.term {
            Term::Constant { value, .. } => Some(value),
            _ => None,
        }
    }

    fn is(&self, id: NodeId, value: f64) -> bool {
        self.value(id) == Some(value)
    }

    pub(super) fn neg(&mut self, a: NodeId) -> NodeId {
        match self.nodes[a].term {
            Term::Constant { value, .. } => self.constant(-value),
            Term::Neg(inner) => inner,
            _ => self.add(Term::Neg(a)),
        }
    }

    pub(super) fn sum(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x + y),
            (Some(0.0), _) => b,
            (_, Some(0.0)) => a,
            _ => self.add(Term::Add(a, b)),
        }
    }

    pub(super) fn difference(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x - y),
            (Some(0.0), _) => self.neg(b),
            (_, Some(0.0)) => a,
            _ => self.add(Term::Sub(a, b)),
        }
    }

    /// A product; zero times anything is zero, as a structural zero of a derivative must be.
    pub(super) fn product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x * y),
            _ if self.is(a, 0.0) || self.is(b, 0.0) => self.constant(0.0),
            _ if self.is(a, 1.0) => b,
            _ if self.is(b, 1.0) => a,
            _ if self.is(a, -1.0) => self.neg(b),
            _ if self.is(b, -1.0) => self.neg(a),
            _ => self.add(Term::Mul(a, b)),
        }
    }

    pub(super) fn quotient(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x / y),
            _ if self.is(a, 0.0) => self.constant(0.0),
            _ if self.is(b, 1.0) => a,
            _ => self.add(Term::Div(a, b)),
        }
    }

    pub(super) fn power(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(super::function::power_of(x, y)),
            (_, Some(0.0)) => self.constant(1.0),
            (_, Some(1.0)) => a,
            _ => self.add(Term::Pow(a, b)),
        }
    }

    pub(super) fn one(&mut self, function: Unary, a: NodeId) -> NodeId {
        match self.value(a) {
            Some(x) => self.constant(function.eval(x)),
            None => self.add(Term::One(function, a)),
        }
    }

    pub(super) fn two(&mut self, function: Binary, a: NodeId, b: NodeId) -> NodeId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(function.eval(x, y)),
            _ => self.add(Term::Two(function, a, b)),
        }
    }

    /// A derivative of a curve; beyond the degree of the curve it is zero wherever it is taken.
    pub(super) fn curve(&mut self, curve: usize, order: u8, at: NodeId) -> NodeId {
        let bound = self.curves.get(curve).and_then(|entry| entry.curve.clone());
        match (bound, self.value(at)) {
            (Some(curve), _) if order > curve.degree() => self.constant(0.0),
            (Some(curve), Some(x)) => self.constant(curve.derivative(order, x)),
            _ => self.add(Term::Curve { curve, order, at }),
        }
    }

    pub(super) fn select(
        &mut self,
        relation: Relation,
        (left, right): (NodeId, NodeId),
        (yes, no): (NodeId, NodeId),
    ) -> NodeId {
        match (self.value(left), self.value(right)) {
            _ if yes == no => yes,
            (Some(x), Some(y)) => {
                if relation.holds(x, y) {
                    yes
                } else {
                    no
                }
            }
            _ => self.add(Term::If { relation, left, right, yes, no }),
        }
    }

    /// Adds a term of another list, whose operands are already here under the numbers `new`.
    pub(super) fn copy(&mut self, term: &Term, new: &[NodeId]) -> NodeId {
        match term.renumbered(|id| new[id]) {
            Term::Constant { value, .. } => self.constant(value),
            Term::Variable(index) => self.add(Term::Variable(index)),
            Term::Neg(a) => self.neg(a),
            Term::Add(a, b) => self.sum(a, b),
            Term::Sub(a, b) => self.difference(a, b),
            Term::Mul(a, b) => self.product(a, b),
            Term::Div(a, b) => self.quotient(a, b),
            Term::Pow(a, b) => self.power(a, b),
            Term::One(f, a) => self.one(f, a),
            Term::Two(f, a, b) => self.two(f, a, b),
            Term::Curve { curve, order, at } => self.curve(curve, order, at),
            Term::If { relation, left, right, yes, no } => self.select(relation, (left, right), (yes, no)),
        }
    }

    /// The nodes that `root` needs, in the same order, and the new number of `root`.
    pub(super) fn reachable(&self, root: NodeId) -> (Vec<Node>, NodeId) {
        let mut needed = vec![false; self.nodes.len()];
        needed[root] = true;
        for id in (0..=root).rev() {
            if needed[id] {
                self.nodes[id].term.operands().for_each(|operand| needed[operand] = true);
            }
        }
        let mut new = vec![0; self.nodes.len()];
        let mut nodes = Vec::new();
        for id in (0..=root).filter(|&id| needed[id]) {
            new[id] = nodes.len();
            let node = &self.nodes[id];
            nodes.push(Node { term: node.term.renumbered(|id| new[id]), span: node.span.clone() });
        }
        let root = new[root];
        (nodes, root)
    }
}

fn key(term: &Term) -> Key {
    let n = |id: NodeId| id as u64;
    match *term {
        Term::Constant { value, .. } => Key(0, [value.to_bits(), 0, 0, 0, 0]),
        Term::Variable(index) => Key(1, [n(index), 0, 0, 0, 0]),
        Term::Neg(a) => Key(2, [n(a), 0, 0, 0, 0]),
        Term::Add(a, b) => Key(3, [n(a), n(b), 0, 0, 0]),
        Term::Sub(a, b) => Key(4, [n(a), n(b), 0, 0, 0]),
        Term::Mul(a, b) => Key(5, [n(a), n(b), 0, 0, 0]),
        Term::Div(a, b) => Key(6, [n(a), n(b), 0, 0, 0]),
        Term::Pow(a, b) => Key(7, [n(a), n(b), 0, 0, 0]),
        Term::One(f, a) => Key(8, [f as u64, n(a), 0, 0, 0]),
        Term::Two(f, a, b) => Key(9, [f as u64, n(a), n(b), 0, 0]),
        Term::If { relation, left, right, yes, no } => {
            Key(10, [relation as u64, n(left), n(right), n(yes), n(no)])
        }
        Term::Curve { curve, order, at } => Key(11, [curve as u64, u64::from(order), n(at), 0, 0]),
    }
}
