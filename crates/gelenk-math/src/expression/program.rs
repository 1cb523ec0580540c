//! Flat code for evaluation.

use super::function::{Binary, Unary, power_of, power_with};
use super::tree::{Node, NodeId, Relation, Term, Tree};
use super::{Expression, ExpressionError, Form};
use crate::lockstep::{Formula, each};
use crate::spline::Curve;
use crate::{Lockstep, Real};
use std::sync::Arc;

/// A compiled formula: a list of operations, each of which writes one scratch cell.
///
/// Evaluation neither allocates nor panics; outside the domain of a function it gives NaN or an infinity.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// At least one; the last one is the result.
    pub(super) code: Vec<Instruction>,
    /// What instructions name by index.
    pub(super) curves: Vec<Arc<Curve>>,
}

/// One operation on earlier cells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instruction {
    Constant(f64),
    Slot(usize),
    Neg(NodeId),
    Add(NodeId, NodeId),
    Sub(NodeId, NodeId),
    Mul(NodeId, NodeId),
    Div(NodeId, NodeId),
    /// A power with a constant exponent.
    PowConstant(NodeId, f64),
    Pow(NodeId, NodeId),
    One(Unary, NodeId),
    Two(Binary, NodeId, NodeId),
    Curve {
        curve: usize,
        order: u8,
        at: NodeId,
    },
    If {
        relation: Relation,
        left: NodeId,
        right: NodeId,
        yes: NodeId,
        no: NodeId,
    },
    /// A comparison of a condition with several: `max(min(d, yes), min(-d, no))` with `d = right - left`, which has the sign
    /// of the choice and is continuous where its operands are, so that a root finder can follow it.
    Margin {
        left: NodeId,
        right: NodeId,
        yes: NodeId,
        no: NodeId,
    },
}

pub(super) fn compile(
    expression: &Expression,
    lookup: &dyn Fn(&str) -> Option<usize>,
) -> Result<Program, ExpressionError> {
    let mut slots: Vec<Option<usize>> = vec![None; expression.names.len()];
    for node in &expression.nodes {
        if let Term::Variable(index) = node.term {
            let name = expression.names.get(index).map_or("", String::as_str);
            let slot = lookup(name)
                .ok_or_else(|| ExpressionError::new(node.span.clone(), format!("unknown name `{name}`")))?;
            if let Some(entry) = slots.get_mut(index) {
                *entry = Some(slot);
            }
        }
    }
    super::curve::check_bound(expression)?;
    let mut tree = Tree::new(Vec::new(), expression.curves.clone());
    let mut new: Vec<NodeId> = Vec::with_capacity(expression.nodes.len());
    for node in &expression.nodes {
        let id = tree.copy(&node.term, &new);
        new.push(id);
    }
    let root = new[expression.root];
    let (nodes, _) = tree.reachable(root);
    let value = |id: NodeId| match nodes.get(id).map(|node| node.term) {
        Some(Term::Constant { value, .. }) => Some(value),
        _ => None,
    };
    let mut curves = Vec::new();
    let margins = margins(expression, &nodes);
    let code = nodes
        .iter()
        .enumerate()
        .map(|(id, node)| match node.term {
            Term::Constant { value, .. } => Instruction::Constant(value),
            Term::Variable(index) => {
                // Every variable got its slot above; one that did not reads as NaN.
                Instruction::Slot(slots.get(index).copied().flatten().unwrap_or(usize::MAX))
            }
            Term::Neg(a) => Instruction::Neg(a),
            Term::Add(a, b) => Instruction::Add(a, b),
            Term::Sub(a, b) => Instruction::Sub(a, b),
            Term::Mul(a, b) => Instruction::Mul(a, b),
            Term::Div(a, b) => Instruction::Div(a, b),
            Term::Pow(a, b) => match value(b) {
                Some(power) => Instruction::PowConstant(a, power),
                None => Instruction::Pow(a, b),
            },
            Term::One(f, a) => Instruction::One(f, a),
            Term::Two(f, a, b) => Instruction::Two(f, a, b),
            Term::Curve { curve, order, at } => {
                // Every curve was found bound above; one that was not reads as NaN.
                match expression.curves.get(curve).and_then(|entry| entry.curve.as_ref()) {
                    Some(found) => Instruction::Curve { curve: position(&mut curves, found), order, at },
                    None => Instruction::Constant(f64::NAN),
                }
            }
            Term::If { left, right, yes, no, .. } if margins[id] => {
                Instruction::Margin { left, right, yes, no }
            }
            Term::If { relation, left, right, yes, no } => Instruction::If { relation, left, right, yes, no },
        })
        .collect();
    Ok(Program { code, curves })
}

/// The choices that make up a condition with several comparisons: its root, and what these choose between.
fn margins(expression: &Expression, nodes: &[Node]) -> Vec<bool> {
    let mut margins = vec![false; nodes.len()];
    if expression.form == Form::Condition {
        if let Some(root) = margins.last_mut() {
            *root = true;
        }
        for id in (0..nodes.len()).rev() {
            if let (true, Term::If { yes, no, .. }) = (margins[id], nodes[id].term) {
                margins[yes] = true;
                margins[no] = true;
            }
        }
    }
    margins
}

/// The place of a curve in the list, to which it is added if it is not there.
fn position(list: &mut Vec<Arc<Curve>>, curve: &Arc<Curve>) -> usize {
    list.iter().position(|known| Arc::ptr_eq(known, curve)).unwrap_or_else(|| {
        list.push(curve.clone());
        list.len() - 1
    })
}

impl Program {
    /// The program that gives `value`.
    pub fn from_constant(value: f64) -> Self {
        Self { code: vec![Instruction::Constant(value)], curves: Vec::new() }
    }

    /// The program that gives the value of a slot.
    pub fn from_slot(slot: usize) -> Self {
        Self { code: vec![Instruction::Slot(slot)], curves: Vec::new() }
    }

    /// Number of scratch cells that [`Program::eval`] needs.
    pub fn scratch_len(&self) -> usize {
        self.code.len()
    }

    /// The value, if the program uses no slot.
    pub fn constant(&self) -> Option<f64> {
        match self.code.last() {
            Some(Instruction::Constant(value)) => Some(*value),
            _ => None,
        }
    }

    /// The slot, if the program does nothing but read it.
    pub fn slot(&self) -> Option<usize> {
        match self.code.as_slice() {
            [Instruction::Slot(slot)] => Some(*slot),
            _ => None,
        }
    }

    /// The slots that the program reads, ascending, each once.
    pub fn slots(&self) -> impl Iterator<Item = usize> + use<> {
        let mut list: Vec<usize> = self
            .code
            .iter()
            .filter_map(|instruction| match instruction {
                Instruction::Slot(slot) => Some(*slot),
                _ => None,
            })
            .collect();
        list.sort_unstable();
        list.dedup();
        list.into_iter()
    }

    /// The value of the formula for the variables in `slots`.
    ///
    /// `scratch` needs [`Program::scratch_len`] cells; what they hold before does not matter. A slot that is
    /// missing reads as NaN; with too little scratch the result is NaN.
    pub fn eval<T: Lockstep>(&self, slots: &[T], scratch: &mut [T]) -> T {
        let Some(cells) = scratch.get_mut(..self.code.len()) else {
            return T::of(f64::NAN);
        };
        let mut result = T::of(f64::NAN);
        for (i, instruction) in self.code.iter().enumerate() {
            // Operands stand before their operation by construction.
            let (done, rest) = cells.split_at_mut(i);
            let cell = |id: NodeId| done[id];
            result = match *instruction {
                Instruction::Constant(value) => T::of(value),
                Instruction::Slot(slot) => slots.get(slot).copied().unwrap_or_else(|| T::of(f64::NAN)),
                Instruction::Neg(a) => -cell(a),
                Instruction::Add(a, b) => cell(a) + cell(b),
                Instruction::Sub(a, b) => cell(a) - cell(b),
                Instruction::Mul(a, b) => cell(a) * cell(b),
                Instruction::Div(a, b) => cell(a) / cell(b),
                Instruction::PowConstant(a, power) => power_of(cell(a), power),
                Instruction::Pow(a, b) => power_with(cell(a), cell(b)),
                Instruction::One(f, a) => f.eval(cell(a)),
                Instruction::Two(f, a, b) => f.eval(cell(a), cell(b)),
                Instruction::Curve { curve, order, at } => match self.curves.get(curve) {
                    Some(curve) => each(&Slope { curve, order }, [cell(at)]),
                    None => T::of(f64::NAN),
                },
                Instruction::If { relation, left, right, yes, no } => {
                    let (left, right) = (cell(left), cell(right));
                    let holds = match relation {
                        Relation::Less => left.below(right),
                        Relation::LessEqual => left.at_most(right),
                    };
                    T::either(holds, || cell(yes), || cell(no))
                }
                Instruction::Margin { left, right, yes, no } => {
                    let margin = cell(right) - cell(left);
                    let smaller = |a: T, b: T| T::either(b.below(a), || b, || a);
                    let (yes, no) = (smaller(margin, cell(yes)), smaller(-margin, cell(no)));
                    T::either(yes.above(no), || yes, || no)
                }
            };
            rest[0] = result;
        }
        result
    }
}

/// A curve, or a derivative of it.
struct Slope<'a> {
    curve: &'a Curve,
    order: u8,
}

impl Formula<1> for Slope<'_> {
    #[inline]
    fn eval<T: Real>(&self, [at]: [T; 1]) -> T {
        self.curve.derivative(self.order, at)
    }
}
