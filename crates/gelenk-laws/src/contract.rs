//! The law contract: one interface for continuous and stepped evaluation.
//!
//! A law has parameters `p`, continuous states `z` and discrete memory `m` (slip flags, turning
//! points). It offers two forms of the same physics:
//!
//! * [`Law::rate`]: `(dz/dt, y)` at an instant. The states stand in the state vector of an integrator,
//!   and a change of mode is an event, announced by [`Law::switching`].
//! * [`Law::advance`]: `(z', y)` after a step `h` with the input held, bounded for any `h`. Newton
//!   iterates call it as a trial from the committed state, so it is pure.
//!
//! Memory changes only in [`Law::commit`] and [`Law::switch`], at an accepted step or event. All numbers,
//! parameters included, are generic over the scalar, so that duals give the algorithmic tangent
//! `dy/dv` and every parameter derivative exactly.

use gelenk_math::{Dual, Real, partial, seed};
use thiserror::Error;

/// Physical kind of a parameter. The unit follows from the coordinate the law acts on: a
/// translation (first) or a rotation (second).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Force or torque: N, N m.
    Effort,
    /// Effort over displacement: N/m, N m/rad.
    Stiffness,
    /// Effort over rate: N s/m, N m s/rad.
    Damping,
    /// Velocity: m/s, rad/s.
    Rate,
    /// Displacement: m, rad.
    Displacement,
    /// Time: s.
    Time,
    /// Dimensionless number.
    Ratio,
}

/// What a law says about one of its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamSpec {
    /// Key in a model file.
    pub name: &'static str,
    /// Symbol in the equation.
    pub symbol: &'static str,
    /// Physical kind, which gives the unit.
    pub kind: Kind,
    /// Meaning in one sentence.
    pub meaning: &'static str,
    /// Value where none is given; `None` if one must be given.
    pub default: Option<f64>,
    /// Smallest admissible value.
    pub lower: f64,
    /// Whether `lower` itself is excluded.
    pub lower_open: bool,
    /// Whether the parameter is a list with one entry per element of the law.
    pub per_element: bool,
}

impl ParamSpec {
    /// A parameter that must be given and be greater than zero.
    pub const fn positive(
        name: &'static str,
        symbol: &'static str,
        kind: Kind,
        meaning: &'static str,
    ) -> Self {
        Self { name, symbol, kind, meaning, default: None, lower: 0.0, lower_open: true, per_element: false }
    }

    /// The same with a default value.
    pub const fn or(mut self, default: f64) -> Self {
        self.default = Some(default);
        self
    }

    /// The same with zero admitted.
    pub const fn or_zero(mut self) -> Self {
        self.lower_open = false;
        self
    }

    /// The same as a list, one entry per element.
    pub const fn each(mut self) -> Self {
        self.per_element = true;
        self
    }

    /// Whether `value` lies inside the bounds.
    pub fn admits(&self, value: f64) -> bool {
        if self.lower_open { value > self.lower } else { value >= self.lower }
    }
}

/// The forms that a law offers; a law without one is refused by name in that mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Offers [`Law::rate`].
    pub continuous: bool,
    /// Offers [`Law::advance`].
    pub stepped: bool,
}

/// What a law says about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawSpec {
    /// Key in a model file.
    pub name: &'static str,
    /// Name in prose.
    pub title: &'static str,
    /// Equation in plain text.
    pub equation: &'static str,
    /// Where the law comes from.
    pub source: &'static str,
    /// Parameters: first the single ones, then the lists.
    pub params: &'static [ParamSpec],
    /// Forms on offer.
    pub modes: Modes,
}

impl LawSpec {
    /// Length of the parameter slice for a law with `elements` elements.
    pub fn param_count(&self, elements: usize) -> usize {
        self.params.iter().map(|p| if p.per_element { elements } else { 1 }).sum()
    }

    /// Whether the law is built from a free number of elements.
    pub fn has_elements(&self) -> bool {
        self.params.iter().any(|p| p.per_element)
    }
}

/// Parameters that a law refuses.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{law}: {reason}")]
pub struct LawError {
    /// The law's name.
    pub law: &'static str,
    /// Position of the offending parameter in [`LawSpec::params`].
    pub param: usize,
    /// What is wrong and a value that would work.
    pub reason: String,
}

/// A law over one scalar input: the velocity `v` of what it acts on (m/s or rad/s).
///
/// The output `y` is positive against the motion: the effort on the coordinate is `-y`. `p` has the
/// length [`LawSpec::param_count`], `z` and `m` the lengths that [`Law::states`] and [`Law::memory`]
/// give; callers guarantee it.
pub trait Law {
    /// What the law says about itself.
    const SPEC: LawSpec;

    /// Number of continuous states of a law with `elements` elements.
    fn states(elements: usize) -> usize;

    /// Length of the discrete memory.
    fn memory(elements: usize) -> usize {
        let _ = elements;
        0
    }

    /// Number of switching functions.
    fn switches(elements: usize) -> usize {
        let _ = elements;
        0
    }

    /// Continuous form: writes `dz/dt` and returns `y`.
    fn rate<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, dz: &mut [T]) -> T;

    /// Stepped form: writes the states after a step `h > 0` (s) at velocity `v` and returns `y` at its end.
    fn advance<T: Real>(p: &[T], z: &[T], m: &[f64], v: T, h: f64, z1: &mut [T]) -> T;

    /// Settles the memory on the states `z` and velocity `v` of an accepted step, or at the start.
    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        let _ = (p, z, v, m);
    }

    /// Switching functions of the continuous form: the present mode is valid while each is `>= 0`.
    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        let _ = (p, z, m, v, g);
    }

    /// Changes the mode after switching function `index` has run out; returns what happened.
    fn switch(p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> &'static str {
        let _ = (p, index, z, m);
        ""
    }

    /// How the law sticks; `None` for a law that does not.
    ///
    /// A law that sticks is set-valued at rest: whoever runs it holds the coordinate with whatever effort that takes,
    /// up to [`Sticking::breakaway`]. Its memory begins with a [`Stance`]; [`Law::rate`] gives the resistance of
    /// sliding in that direction, also at `v = 0`, and zero while it sticks. The changes of stance are made by whoever
    /// runs it, from [`Sticking`], since they depend on the effort that holds.
    fn sticking<T: Real>(p: &[T]) -> Option<Sticking<T>> {
        let _ = p;
        None
    }

    /// Energy (J) that the law claims to hold and can give back.
    fn stored<T: Real>(p: &[T], z: &[T]) -> T {
        let _ = (p, z);
        T::c(0.0)
    }

    /// Typical magnitudes of the states, for error norms.
    fn scale(p: &[f64], scale: &mut [f64]) {
        let _ = (p, scale);
    }

    /// Output in steady sliding at velocity `v`.
    fn steady(p: &[f64], v: f64) -> f64;

    /// Checks relations between parameters; single bounds are checked from the specification.
    fn validate(p: &[f64]) -> Result<(), LawError> {
        let _ = p;
        Ok(())
    }

    /// `(y, dy/dv)` of a trial step: the algorithmic tangent, by one dual evaluation.
    fn tangent(p: &[f64], z: &[f64], m: &[f64], v: f64, h: f64) -> (f64, f64) {
        let p: Vec<Dual> = p.iter().map(|&x| Dual::from_re(x)).collect();
        let z: Vec<Dual> = z.iter().map(|&x| Dual::from_re(x)).collect();
        let mut z1 = z.clone();
        let y = Self::advance(&p, &z, m, seed(v, 0), h, &mut z1);
        (y.re, partial(y, 0))
    }
}

/// How a law sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sticking<T> {
    /// Effort up to which the coordinate is held (N, N m).
    pub breakaway: T,
    /// Speed below which sliding that slows down ends in sticking (m/s, rad/s); zero sticks at rest only.
    pub band: T,
}

/// What a law that sticks is doing, as its first memory: zero sticks, the sign is the direction of sliding, and twice
/// it says that sliding has begun and has not left the band yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stance {
    /// The coordinate is held.
    Stuck,
    /// Sliding in the direction of the sign, inside the band.
    Leaving(f64),
    /// Sliding in the direction of the sign.
    Sliding(f64),
}

impl Stance {
    /// Reads the memory.
    pub fn read(m: f64) -> Self {
        if m == 0.0 {
            Self::Stuck
        } else if m.abs() > 1.5 {
            Self::Leaving(m.signum())
        } else {
            Self::Sliding(m.signum())
        }
    }

    /// What stands in the memory.
    pub fn memory(self) -> f64 {
        match self {
            Self::Stuck => 0.0,
            Self::Leaving(sign) => 2.0 * sign,
            Self::Sliding(sign) => sign,
        }
    }

    /// The stance of a coordinate at velocity `v`, with nothing known about what came before.
    pub fn at(v: f64, band: f64) -> Self {
        if v == 0.0 {
            Self::Stuck
        } else if v.abs() < band {
            Self::Leaving(v.signum())
        } else {
            Self::Sliding(v.signum())
        }
    }
}

/// The parameter slice of a law with a fixed number of parameters, as an array to take apart.
/// A slice of another length (which callers exclude) gives zeros instead of a panic.
#[inline]
pub(crate) fn fixed<T: Real, const N: usize>(p: &[T]) -> [T; N] {
    p.try_into().unwrap_or([T::c(0.0); N])
}

/// Checks every parameter of `p` against the bounds of its specification.
#[doc(hidden)]
pub fn check_bounds(spec: &'static LawSpec, p: &[f64], elements: usize) -> Result<(), LawError> {
    let mut values = p.iter();
    for (param, entry) in spec.params.iter().enumerate() {
        for _ in 0..if entry.per_element { elements } else { 1 } {
            let value = values.next().copied().unwrap_or(f64::NAN);
            if !entry.admits(value) {
                let relation = if entry.lower_open { "greater than" } else { "at least" };
                let reason = format!("{} = {value} must be {relation} {}", entry.name, entry.lower);
                return Err(LawError { law: spec.name, param, reason });
            }
        }
    }
    Ok(())
}
