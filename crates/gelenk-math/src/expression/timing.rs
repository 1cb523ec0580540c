//! What a program does while time passes: where it has corners, and how far it bends.
//!
//! Of the instructions whose operands are known over time (`t`, parameters, logs, other formulas of them) some have
//! corners: a choice, an absolute value, a knot of a curve. Each corner has a *guard*, whose sign (or piece) says on which
//! side the program is. Enclosures over a span of time with their slopes tell whether a guard can change there at all, so
//! no pulse is too short to be found. What is smooth may still bend more than a step can see.

use super::function::{Binary, Unary};
use super::program::{Instruction, Program};
use super::tree::NodeId;
use crate::interval::Interval;
use std::f64::consts::{FRAC_PI_2, PI};

/// How a quantity is known ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// It does not change within a step.
    Fixed,
    /// It is a function of time.
    Timed,
    /// It depends on the motion.
    Moving,
}

/// What a quantity and its slope in time can be over a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// The values.
    pub value: Interval,
    /// Their rates (1/s).
    pub slope: Interval,
}

impl Enclosure {
    /// Nothing is known.
    pub const ALL: Self = Self { value: Interval::ALL, slope: Interval::ALL };

    /// A value that does not change.
    pub fn constant(value: f64) -> Self {
        Self { value: Interval::point(value), slope: Interval::ZERO }
    }
}

/// What is known of a program over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    known: Vec<Known>,
    corners: Vec<Corner>,
    bends: Vec<Bend>,
}

/// A place in a program that has two sides or more.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Corner {
    /// An instruction with a corner.
    At(NodeId),
    /// The sign of the result, which is that of a condition.
    Result,
}

/// What bends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bend {
    /// A wave with this phase (rad).
    Wave(NodeId),
    /// Another function, by its value.
    Function(NodeId),
}

/// Whether a corner lies in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// There is none.
    Same,
    /// The guard only rises or only falls, so the sides at both ends tell.
    Ends,
    /// Nobody knows.
    Open,
}

/// Largest change of a phase in a step (rad).
const PHASE: f64 = FRAC_PI_2;
/// Largest change of another function in a step, as a share of all that it can ever be.
const SHARE: f64 = 0.25;

impl Timing {
    /// How the result is known.
    pub fn result(&self) -> Known {
        self.known.last().copied().unwrap_or(Known::Fixed)
    }

    /// Number of corners.
    pub fn corners(&self) -> usize {
        self.corners.len()
    }

    /// Whether something bends.
    pub fn bends(&self) -> bool {
        !self.bends.is_empty()
    }

    /// Whether there is nothing to look at.
    pub fn is_plain(&self) -> bool {
        self.corners.is_empty() && self.bends.is_empty()
    }
}

impl Program {
    /// What is known of the program, given how its slots are known. The sign of a `condition` counts as a corner, too.
    pub fn timing(&self, slot: &dyn Fn(usize) -> Known, condition: bool) -> Timing {
        let mut timing = Timing { known: Vec::new(), corners: Vec::new(), bends: Vec::new() };
        for (id, instruction) in self.code.iter().enumerate() {
            let of = |a: &NodeId| timing.known[*a];
            let known = match instruction {
                Instruction::Constant(_) => Known::Fixed,
                Instruction::Slot(place) => slot(*place),
                other => other.operands().iter().map(of).max().unwrap_or(Known::Fixed),
            };
            let guard = instruction.guard();
            if !guard.is_empty() && guard.iter().map(of).max() == Some(Known::Timed) {
                timing.corners.push(Corner::At(id));
            }
            if known == Known::Timed {
                let fixed = |a: NodeId| timing.known[a] == Known::Fixed;
                match *instruction {
                    Instruction::One(Unary::Sin | Unary::Cos | Unary::Tan, a) => {
                        timing.bends.push(Bend::Wave(a));
                    }
                    Instruction::Mul(a, b) if fixed(a) || fixed(b) => {}
                    Instruction::Div(_, b) if fixed(b) => {}
                    Instruction::Mul(..)
                    | Instruction::Div(..)
                    | Instruction::Pow(..)
                    | Instruction::PowConstant(..)
                    | Instruction::Two(Binary::Atan2 | Binary::Hypot, ..) => {
                        timing.bends.push(Bend::Function(id));
                    }
                    Instruction::One(f, _) if !matches!(f, Unary::Abs | Unary::Sign | Unary::Step) => {
                        timing.bends.push(Bend::Function(id));
                    }
                    _ => {}
                }
            }
            timing.known.push(known);
        }
        if condition && timing.result() == Known::Timed {
            timing.corners.push(Corner::Result);
        }
        timing
    }

    /// Encloses every cell over a span of time, and returns the result. `cells` needs [`Program::scratch_len`].
    pub fn enclose(&self, slots: &dyn Fn(usize) -> Enclosure, cells: &mut [Enclosure]) -> Enclosure {
        let mut result = Enclosure::ALL;
        for (i, instruction) in self.code.iter().enumerate() {
            let (done, rest) = cells.split_at_mut(i);
            let Some(cell) = rest.first_mut() else { return Enclosure::ALL };
            result = self.enclosure(instruction, slots, done);
            *cell = result;
        }
        result
    }

    /// Whether corner number `index` lies in the span over which the cells were enclosed.
    pub fn side_over(&self, timing: &Timing, index: usize, cells: &[Enclosure]) -> Side {
        let Some(guard) = self.guard_over(timing, index, cells) else { return Side::Open };
        let (value, slope) = (guard.value, guard.slope);
        if !value.contains(0.0) || value == Interval::ZERO {
            Side::Same
        } else if !slope.contains(0.0) {
            Side::Ends
        } else {
            Side::Open
        }
    }

    /// What changes its sign at a corner: for a curve the distances to the knots of the present piece, by their product's
    /// sign.
    fn guard_over(&self, timing: &Timing, index: usize, cells: &[Enclosure]) -> Option<Enclosure> {
        let minus = |a: NodeId, b: NodeId| {
            let (a, b) = (cells.get(a)?, cells.get(b)?);
            Some(Enclosure { value: a.value - b.value, slope: a.slope - b.slope })
        };
        match timing.corners.get(index)? {
            Corner::Result => cells.get(self.code.len().checked_sub(1)?).copied(),
            Corner::At(id) => match *self.code.get(*id)? {
                Instruction::One(_, a) => cells.get(a).copied(),
                Instruction::Two(Binary::Atan2, y, x) => {
                    let (y, x) = (*cells.get(y)?, *cells.get(x)?);
                    // The cut lies where x is negative.
                    Some(if x.value.low >= 0.0 { Enclosure::constant(1.0) } else { y })
                }
                Instruction::Two(_, a, b) => minus(a, b),
                Instruction::If { left, right, .. } | Instruction::Margin { left, right, .. } => {
                    minus(right, left)
                }
                Instruction::Curve { curve, at, .. } => {
                    let (at, knots) = (*cells.get(at)?, self.curves.get(curve)?.knots());
                    let below = knots.partition_point(|&knot| knot <= at.value.low);
                    Some(match knots.get(below) {
                        Some(&knot) if knot <= at.value.high => {
                            Enclosure { value: at.value - Interval::point(knot), slope: at.slope }
                        }
                        _ => Enclosure::constant(1.0),
                    })
                }
                _ => None,
            },
        }
    }

    /// The side of corner number `index` after [`Program::eval`] with this scratch: a number that differs where the sides do.
    pub fn side(&self, timing: &Timing, index: usize, cells: &[f64]) -> i64 {
        let value = |a: NodeId| cells.get(a).copied().unwrap_or(f64::NAN);
        let sign = |x: f64| i64::from(x > 0.0) - i64::from(x < 0.0);
        match timing.corners.get(index) {
            None => 0,
            Some(Corner::Result) => sign(value(self.code.len().wrapping_sub(1))),
            Some(Corner::At(id)) => match self.code.get(*id) {
                Some(&Instruction::One(Unary::Sign, a)) => sign(value(a)),
                Some(&Instruction::One(_, a)) => i64::from(value(a) >= 0.0),
                Some(&Instruction::Two(Binary::Atan2, y, x)) => i64::from(value(x) < 0.0 && value(y) < 0.0),
                Some(&Instruction::Two(Binary::Max, a, b)) => i64::from(value(a) >= value(b)),
                Some(&Instruction::Two(_, a, b)) => i64::from(value(a) <= value(b)),
                Some(&Instruction::If { relation, left, right, .. }) => {
                    i64::from(relation.holds(value(left), value(right)))
                }
                Some(&Instruction::Margin { left, right, .. }) => sign(value(right) - value(left)),
                Some(&Instruction::Curve { curve, at, .. }) => {
                    let knots = self.curves.get(curve).map_or(&[][..], |curve| curve.knots());
                    let below = knots.partition_point(|&knot| knot <= value(at));
                    i64::try_from(below).unwrap_or(i64::MAX)
                }
                _ => 0,
            },
        }
    }

    /// Whether a step can see what is smooth: it bends little between the ends of the span that `cells` were enclosed over,
    /// beside all that it can `ever` be.
    pub fn resolved(&self, timing: &Timing, cells: &[Enclosure], ever: &[Enclosure]) -> bool {
        timing.bends.iter().all(|bend| match *bend {
            Bend::Wave(phase) => cells.get(phase).is_none_or(|phase| phase.value.width() <= PHASE),
            Bend::Function(id) => match (cells.get(id), ever.get(id)) {
                (Some(here), Some(ever)) => {
                    // What has no bounds grows without end, which error control follows.
                    !ever.value.width().is_finite()
                        || here.value.width() <= SHARE * ever.value.width() * (1.0 + 1e-9)
                }
                _ => true,
            },
        })
    }

    fn enclosure(
        &self,
        instruction: &Instruction,
        slots: &dyn Fn(usize) -> Enclosure,
        cells: &[Enclosure],
    ) -> Enclosure {
        let cell = |id: NodeId| cells.get(id).copied().unwrap_or(Enclosure::ALL);
        match *instruction {
            Instruction::Constant(value) => Enclosure::constant(value),
            Instruction::Slot(slot) => slots(slot),
            Instruction::Neg(a) => {
                let a = cell(a);
                Enclosure { value: -a.value, slope: -a.slope }
            }
            Instruction::Add(a, b) => {
                let (a, b) = (cell(a), cell(b));
                Enclosure { value: a.value + b.value, slope: a.slope + b.slope }
            }
            Instruction::Sub(a, b) => {
                let (a, b) = (cell(a), cell(b));
                Enclosure { value: a.value - b.value, slope: a.slope - b.slope }
            }
            Instruction::Mul(a, b) if a == b => power(cell(a), 2.0),
            Instruction::Mul(a, b) => {
                let (a, b) = (cell(a), cell(b));
                Enclosure { value: a.value * b.value, slope: a.slope * b.value + a.value * b.slope }
            }
            Instruction::Div(a, b) => {
                let (a, b) = (cell(a), cell(b));
                let value = a.value / b.value;
                Enclosure { value, slope: (a.slope - value * b.slope) / b.value }
            }
            Instruction::PowConstant(a, n) => power(cell(a), n),
            Instruction::Pow(a, b) => {
                let (a, b) = (cell(a), cell(b));
                if b.value.low == b.value.high {
                    power(a, b.value.low)
                } else if a.value.low > 0.0 {
                    unary(Unary::Exp, product(b, unary(Unary::Ln, a)))
                } else {
                    Enclosure::ALL
                }
            }
            Instruction::One(f, a) => unary(f, cell(a)),
            Instruction::Two(f, a, b) => binary(f, cell(a), cell(b)),
            Instruction::Curve { curve, order, at } => match self.curves.get(curve) {
                Some(curve) => {
                    let at = cell(at);
                    let value = curve.over(order, at.value);
                    Enclosure { value, slope: curve.over(order.saturating_add(1), at.value) * at.slope }
                }
                None => Enclosure::ALL,
            },
            Instruction::If { left, right, yes, no, .. } => {
                let difference = cell(right).value - cell(left).value;
                let (yes, no) = (cell(yes), cell(no));
                if difference.low > 0.0 {
                    yes
                } else if difference.high < 0.0 {
                    no
                } else {
                    Enclosure { value: yes.value.hull(no.value), slope: Interval::ALL }
                }
            }
            Instruction::Margin { left, right, yes, no } => {
                let margin = binary_sub(cell(right), cell(left));
                let opposite = Enclosure { value: -margin.value, slope: -margin.slope };
                let (yes, no) = (cell(yes), cell(no));
                binary(Binary::Max, binary(Binary::Min, margin, yes), binary(Binary::Min, opposite, no))
            }
        }
    }
}

impl Instruction {
    /// The cells that it reads.
    fn operands(&self) -> Vec<NodeId> {
        match *self {
            Self::Constant(_) | Self::Slot(_) => vec![],
            Self::Neg(a) | Self::One(_, a) | Self::PowConstant(a, _) | Self::Curve { at: a, .. } => vec![a],
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Div(a, b)
            | Self::Pow(a, b)
            | Self::Two(_, a, b) => vec![a, b],
            Self::If { left, right, yes, no, .. } | Self::Margin { left, right, yes, no } => {
                vec![left, right, yes, no]
            }
        }
    }

    /// The cells that decide on which side of its corner it is; none where it has no corner.
    fn guard(&self) -> Vec<NodeId> {
        match *self {
            Self::One(Unary::Abs | Unary::Sign | Unary::Step, a) | Self::Curve { at: a, .. } => vec![a],
            Self::Two(Binary::Min | Binary::Max | Binary::Atan2, a, b) => vec![a, b],
            Self::If { left, right, .. } | Self::Margin { left, right, .. } => vec![left, right],
            _ => vec![],
        }
    }
}

fn product(a: Enclosure, b: Enclosure) -> Enclosure {
    Enclosure { value: a.value * b.value, slope: a.slope * b.value + a.value * b.slope }
}

fn binary_sub(a: Enclosure, b: Enclosure) -> Enclosure {
    Enclosure { value: a.value - b.value, slope: a.slope - b.slope }
}

fn power(a: Enclosure, n: f64) -> Enclosure {
    let slope = if n == 0.0 { Interval::ZERO } else { Interval::point(n) * a.value.power(n - 1.0) * a.slope };
    Enclosure { value: a.value.power(n), slope }
}

fn unary(f: Unary, a: Enclosure) -> Enclosure {
    let (x, one) = (a.value, Interval::point(1.0));
    let lift = |value: Interval, slope: Interval| Enclosure { value, slope: slope * a.slope };
    match f {
        Unary::Sin => lift(x.sin(), x.cos()),
        Unary::Cos => lift(x.cos(), -x.sin()),
        Unary::Tan => {
            let pole = |x: f64| ((x - FRAC_PI_2) / PI).floor();
            if x.width() < PI && pole(x.low) == pole(x.high) {
                let value = x.monotone(f64::tan);
                lift(value, one + value.power(2.0))
            } else {
                Enclosure::ALL
            }
        }
        Unary::Asin | Unary::Acos => {
            let rise = one / (one - x.power(2.0)).power(0.5);
            match f {
                Unary::Asin => lift(x.within(-1.0, 1.0, f64::asin), rise),
                _ => lift(x.within(-1.0, 1.0, f64::acos), -rise),
            }
        }
        Unary::Atan => lift(x.monotone(f64::atan), one / (one + x.power(2.0))),
        Unary::Sqrt => power(a, 0.5),
        Unary::Exp => {
            let value = x.monotone(f64::exp);
            lift(value, value)
        }
        Unary::Ln => lift(x.within(0.0, f64::INFINITY, f64::ln), one / x),
        Unary::Log10 => {
            lift(x.within(0.0, f64::INFINITY, f64::log10), Interval::point(std::f64::consts::LOG10_E) / x)
        }
        Unary::Sinh => lift(x.monotone(f64::sinh), x.abs().monotone(f64::cosh)),
        Unary::Cosh => lift(x.abs().monotone(f64::cosh), x.monotone(f64::sinh)),
        Unary::Tanh => {
            let value = x.monotone(f64::tanh);
            lift(value, one - value.power(2.0))
        }
        Unary::Abs if x.low >= 0.0 => a,
        Unary::Abs if x.high <= 0.0 => Enclosure { value: -x, slope: -a.slope },
        Unary::Abs => Enclosure { value: x.abs(), slope: a.slope.hull(-a.slope) },
        Unary::Sign | Unary::Step => {
            let value = x.monotone(|x| f.eval(x));
            Enclosure { value, slope: if value.width() == 0.0 { Interval::ZERO } else { Interval::ALL } }
        }
    }
}

fn binary(f: Binary, a: Enclosure, b: Enclosure) -> Enclosure {
    let (x, y) = (a.value, b.value);
    let slopes = a.slope.hull(b.slope);
    match f {
        Binary::Min if x.high < y.low => a,
        Binary::Min if y.high < x.low => b,
        Binary::Min => Enclosure { value: x.min(y), slope: slopes },
        Binary::Max if x.low > y.high => a,
        Binary::Max if y.low > x.high => b,
        Binary::Max => Enclosure { value: x.max(y), slope: slopes },
        Binary::Hypot => Enclosure {
            value: (x.power(2.0) + y.power(2.0)).power(0.5),
            slope: Interval::about_zero(a.slope.size() + b.slope.size()),
        },
        Binary::Atan2 => {
            let near = (x.abs().low.powi(2) + y.abs().low.powi(2)).sqrt();
            let speed = (a.slope.size() + b.slope.size()) / near;
            let value = if y.low > 0.0 { (x / y).monotone(f64::atan) } else { Interval::about_zero(PI) };
            Enclosure {
                value,
                slope: Interval::about_zero(if speed.is_nan() { f64::INFINITY } else { speed }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
    use super::*;

    fn program(text: &str) -> Program {
        Expression::parse(text)
            .and_then(|e| e.compile(&|name| ["t", "x"].iter().position(|n| *n == name)))
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn known(slot: usize) -> Known {
        if slot == 0 { Known::Timed } else { Known::Moving }
    }

    fn over(program: &Program, low: f64, high: f64) -> (Enclosure, Vec<Enclosure>) {
        let mut cells = vec![Enclosure::ALL; program.scratch_len()];
        let time = Enclosure { value: Interval::new(low, high), slope: Interval::point(1.0) };
        let slots = |slot: usize| if slot == 0 { time } else { Enclosure::ALL };
        (program.enclose(&slots, &mut cells), cells)
    }

    /// Values and difference quotients at many times lie in the enclosures of spans around them.
    #[test]
    fn enclosures_contain_the_function() {
        for text in [
            "sin(3*t) + t^2 - 1/(t + 1)",
            "exp(-((t - 2)/0.1)^2)",
            "atan(t - 1)*tanh(2*t)/(1 + t)",
            "sqrt(t + 0.1) + ln(t + 1) + log10(t + 2) + cosh(t) - sinh(t/2)",
            "max(0, 1 - abs(t - 2)) + min(t, 1)",
            "hypot(t, 1) + atan2(t, 1) + pow(2 + sin(t), 1.5) + pow(1 + t, t)",
            "asin(sin(t)/2) + acos(cos(t)/2) + tan(t/4)",
            "if(t < 1.5, t, 3 - t)^3",
        ] {
            let program = program(text);
            let at = |t: f64| program.eval(&[t, 0.0], &mut vec![0.0; program.scratch_len()]);
            for k in 0..200 {
                let (low, width) = (0.02 * f64::from(k), [1e-3, 0.1, 1.0, 4.0][k as usize % 4]);
                let (enclosure, _) = over(&program, low, low + width);
                for j in 0..20 {
                    let t = low + width * f64::from(j) / 20.0;
                    let (a, b) = (at(t), at(t + width / 20.0));
                    let near = 1e-9 * (1.0 + a.abs());
                    let Enclosure { value, slope } = enclosure;
                    assert!(value.low - near <= a && a <= value.high + near, "{text} at {t}: {a} {value:?}");
                    let rise = (b - a) / (width / 20.0);
                    let near = 1e-7 * (1.0 + rise.abs());
                    assert!(
                        slope.low - near <= rise && rise <= slope.high + near,
                        "{text}: {rise} {slope:?}"
                    );
                }
            }
        }
    }

    /// Corners of formulas of time are seen, others are not; a condition that depends on the motion still has its times.
    #[test]
    fn corners_are_those_of_time() {
        for (text, corners) in [
            ("abs(t - 1)", 1),
            ("abs(x)", 0),
            ("if(t > 1 and x > 0, 1, 0)", 1),
            ("max(t, x)", 0),
            ("sin(t) + exp(t)", 0),
            ("sign(t - 1)*step(t - 2) + min(t, 3)", 3),
        ] {
            let program = program(text);
            assert_eq!(program.timing(&known, false).corners(), corners, "{text}");
        }
    }

    /// A pulse of any width is not resolved by a step that passes it, and by one that ends before it.
    #[test]
    fn pulses_are_seen() {
        for width in [1.0, 1e-3, 1e-6] {
            let program = program(&format!("exp(-((t - 5)/{width})^2)"));
            let timing = program.timing(&known, false);
            let (_, ever) = over(&program, 0.0, f64::INFINITY);
            let resolved = |low, high| program.resolved(&timing, &over(&program, low, high).1, &ever);
            assert!(!resolved(0.0, 10.0) && resolved(5.0, 5.0 + 0.2 * width));
            assert!(resolved(0.0, 5.0 - 3.0 * width), "{width}");
        }
        let wave = program("1000 + sin(100*t)");
        let timing = wave.timing(&known, false);
        let (_, ever) = over(&wave, 0.0, f64::INFINITY);
        assert!(!wave.resolved(&timing, &over(&wave, 0.0, 0.02).1, &ever));
        assert!(wave.resolved(&timing, &over(&wave, 0.0, 0.015).1, &ever));
    }
}
