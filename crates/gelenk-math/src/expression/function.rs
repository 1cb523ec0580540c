//! Names, values and slopes of the functions.

use crate::lockstep::{Formula, each};
use crate::{Lockstep, Real};

/// A function of one argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unary {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Abs,
    Sign,
    Sinh,
    Cosh,
    Tanh,
    Step,
}

/// A function of two arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Binary {
    Atan2,
    Min,
    Max,
    Hypot,
}

/// What a name in front of `(` stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Function {
    One(Unary),
    Two(Binary),
    Pow,
    If,
}

pub(super) const FUNCTIONS: [(&str, Function); 22] = [
    ("sin", Function::One(Unary::Sin)),
    ("cos", Function::One(Unary::Cos)),
    ("tan", Function::One(Unary::Tan)),
    ("asin", Function::One(Unary::Asin)),
    ("acos", Function::One(Unary::Acos)),
    ("atan", Function::One(Unary::Atan)),
    ("sqrt", Function::One(Unary::Sqrt)),
    ("exp", Function::One(Unary::Exp)),
    ("ln", Function::One(Unary::Ln)),
    ("log10", Function::One(Unary::Log10)),
    ("abs", Function::One(Unary::Abs)),
    ("sign", Function::One(Unary::Sign)),
    ("sinh", Function::One(Unary::Sinh)),
    ("cosh", Function::One(Unary::Cosh)),
    ("tanh", Function::One(Unary::Tanh)),
    ("step", Function::One(Unary::Step)),
    ("atan2", Function::Two(Binary::Atan2)),
    ("min", Function::Two(Binary::Min)),
    ("max", Function::Two(Binary::Max)),
    ("hypot", Function::Two(Binary::Hypot)),
    ("pow", Function::Pow),
    ("if", Function::If),
];

impl Unary {
    /// The value; outside the domain NaN or an infinity.
    ///
    /// `sign(0)` is 0; `step(x)` is 0 for `x < 0`, else 1.
    #[inline]
    pub(super) fn eval<T: Lockstep>(self, x: T) -> T {
        match self {
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sqrt => x.sqrt(),
            Self::Exp => x.exp(),
            Self::Ln => x.ln(),
            Self::Log10 => x.log10(),
            Self::Abs => x.abs(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh | Self::Sign | Self::Step => each(&self, [x]),
        }
    }
}

/// The functions that look at the value, on one run.
impl Formula<1> for Unary {
    #[inline]
    fn eval<T: Real>(&self, [x]: [T; 1]) -> T {
        match self {
            // A quotient of sinh and cosh would overflow, so the slope is formed from the value.
            Self::Tanh => {
                let y = x.re().tanh();
                lift(x, y, 1.0 - y * y)
            }
            Self::Sign if x.re() > 0.0 => T::c(1.0),
            Self::Sign if x.re() < 0.0 => T::c(-1.0),
            Self::Step if x.re() < 0.0 => T::c(0.0),
            Self::Step if x.re() >= 0.0 => T::c(1.0),
            Self::Sign if x.re() == 0.0 => T::c(0.0),
            _ => T::c(f64::NAN),
        }
    }
}

impl Binary {
    /// The value; NaN if an argument is.
    #[inline]
    pub(super) fn eval<T: Lockstep>(self, a: T, b: T) -> T {
        each(&self, [a, b])
    }
}

impl Formula<2> for Binary {
    #[inline]
    fn eval<T: Real>(&self, [a, b]: [T; 2]) -> T {
        let (x, y) = (a.re(), b.re());
        match self {
            Self::Min if x <= y => a,
            Self::Min if y < x => b,
            Self::Max if x >= y => a,
            Self::Max if y > x => b,
            Self::Min | Self::Max => T::c(f64::NAN),
            Self::Atan2 => {
                let square = x * x + y * y;
                lift2(a, b, x.atan2(y), y / square, -x / square)
            }
            Self::Hypot => {
                let length = x.hypot(y);
                lift2(a, b, length, x / length, y / length)
            }
        }
    }
}

/// `a^n` for a constant power.
#[inline]
pub(super) fn power_of<T: Lockstep>(a: T, n: f64) -> T {
    if n == 0.0 {
        T::of(1.0)
    } else if n == 1.0 {
        a
    } else if n == 2.0 {
        a * a
    } else {
        each(&ConstantPower(n), [a])
    }
}

/// A power with this exponent.
struct ConstantPower(f64);

impl Formula<1> for ConstantPower {
    #[inline]
    fn eval<T: Real>(&self, [a]: [T; 1]) -> T {
        let (x, n) = (a.re(), self.0);
        lift(a, power(x, n), n * power(x, n - 1.0))
    }
}

/// `a^b` for two variables.
///
/// A negative base has real powers only at whole exponents; there the slope in `b` does not exist and counts
/// as zero, so that a whole exponent kept in a variable does not spoil the slope in `a`.
#[inline]
pub(super) fn power_with<T: Lockstep>(a: T, b: T) -> T {
    each(&VariablePower, [a, b])
}

/// A power whose exponent varies.
struct VariablePower;

impl Formula<2> for VariablePower {
    #[inline]
    fn eval<T: Real>(&self, [a, b]: [T; 2]) -> T {
        let (x, n) = (a.re(), b.re());
        let value = power(x, n);
        let in_base = if n == 0.0 { 0.0 } else { n * power(x, n - 1.0) };
        let in_exponent = if x > 0.0 || (x == 0.0 && n <= 0.0) { value * x.ln() } else { 0.0 };
        lift2(a, b, value, in_base, in_exponent)
    }
}

/// Whole powers by multiplication, which is what both scalars and all platforms agree on.
fn power(x: f64, n: f64) -> f64 {
    if n.fract() == 0.0 && n.abs() <= 64.0 { x.powi(n as i32) } else { x.powf(n) }
}

/// The number with value `f` and derivatives `slope` times those of `a`.
#[inline]
fn lift<T: Real>(a: T, f: f64, slope: f64) -> T {
    // An infinite slope would turn the value into NaN through 0 * inf; the value alone is kept then.
    let change = (a - T::c(a.re())) * T::c(slope);
    if change.re() == 0.0 { change + T::c(f) } else { unsmooth(a, f) }
}

#[inline]
fn lift2<T: Real>(a: T, b: T, f: f64, slope_a: f64, slope_b: f64) -> T {
    let change = (a - T::c(a.re())) * T::c(slope_a) + (b - T::c(b.re())) * T::c(slope_b);
    if change.re() == 0.0 { change + T::c(f) } else { unsmooth(a + b, f) }
}

/// Value `f` with derivatives that do not exist: NaN where `a` has any, in the manner of `sqrt` at zero.
fn unsmooth<T: Real>(a: T, f: f64) -> T {
    let zero = if a.re().is_finite() { a - T::c(a.re()) } else { T::c(0.0) };
    // The square root at zero keeps its value and has no finite slope.
    zero.sqrt() + T::c(f)
}
