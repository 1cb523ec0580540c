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

use gelenk_math::units::Dimension;
use gelenk_math::{Dual, Lockstep, Real, partial, seed};
use gelenk_record::Change;
use thiserror::Error;

use crate::lane::Lane;

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
    /// Inertia: kg, kg m^2.
    Inertia,
    /// Inverse of a displacement: 1/m, 1/rad.
    PerDisplacement,
    /// Effort over time: N/s, N m/s.
    EffortRate,
    /// Inverse of a velocity: s/m, s/rad.
    PerRate,
    /// Dimensionless number.
    Ratio,
    /// One dimension, whatever the coordinate is: a resistance, a temperature.
    Fixed(Dimension),
    /// Of a block: powers of the dimensions of its first input, of its output, and of time.
    Relative {
        /// Power of the first input.
        input: i8,
        /// Power of the output.
        output: i8,
        /// Power of time.
        time: i8,
    },
}

impl Kind {
    /// The dimension on a rotation or a translation.
    pub const fn dimension(self, rotation: bool) -> Dimension {
        match (self, rotation) {
            (Self::Effort, true) => Dimension::TORQUE,
            (Self::Effort, false) => Dimension::FORCE,
            (Self::Stiffness, true) => Dimension::ANGULAR_STIFFNESS,
            (Self::Stiffness, false) => Dimension::STIFFNESS,
            (Self::Damping, true) => Dimension::ANGULAR_DAMPING,
            (Self::Damping, false) => Dimension::DAMPING,
            (Self::Rate, true) => Dimension::ANGULAR_VELOCITY,
            (Self::Rate, false) => Dimension::VELOCITY,
            (Self::Displacement, true) => Dimension::ANGLE,
            (Self::Displacement, false) => Dimension::LENGTH,
            (Self::Time, _) => Dimension::TIME,
            (Self::Inertia, true) => Dimension::INERTIA,
            (Self::Inertia, false) => Dimension::MASS,
            (Self::PerDisplacement, true) => Dimension::new([0, 0, 0, 0, 0, -1]),
            (Self::PerDisplacement, false) => Dimension::new([0, -1, 0, 0, 0, 0]),
            (Self::EffortRate, true) => Dimension::POWER,
            (Self::EffortRate, false) => Dimension::new([1, 1, -3, 0, 0, 0]),
            (Self::PerRate, true) => Dimension::new([0, 0, 1, 0, 0, -1]),
            (Self::PerRate, false) => Dimension::new([0, -1, 1, 0, 0, 0]),
            (Self::Ratio, _) => Dimension::NONE,
            (Self::Fixed(dimension), _) => dimension,
            // Known with the ports of the block only.
            (Self::Relative { .. }, _) => Dimension::NONE,
        }
    }
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
    /// Largest admissible value.
    pub upper: f64,
    /// Whether the parameter is a list with one entry per element of the law.
    pub per_element: bool,
    /// A value that is typical, in SI units; a list for a parameter per element. Empty where the default is typical.
    pub typical: &'static [f64],
    /// Another parameter of the law that this one must not lie below.
    pub at_least: Option<&'static str>,
    /// Words that a model file gives instead of a number; the value is the place of the word. Empty for a number.
    pub choices: &'static [&'static str],
    /// Whether there are three numbers, for the axes x, y and z.
    pub triple: bool,
    /// Whether the number sets the structure, and so can be changed in the file only.
    pub structural: bool,
    /// Whether there are two numbers, a lower and an upper limit; an infinite one is absent.
    pub limits: bool,
    /// Whether a single number may be infinite.
    pub infinite: bool,
    /// Whether it is true or false in a model file: 1 or 0.
    pub flag: bool,
    /// Whether three numbers are the components of an axial vector, of which a mirror reverses those that it leaves alone in a
    /// polar one. Such a direction must not be zero; without one given it is z.
    pub axis: bool,
    /// Another parameter: the exponent of the displacement in its unit, as of a stiffness in `k x^e`.
    pub per_power: Option<&'static str>,
}

impl ParamSpec {
    /// A parameter that must be given and be greater than zero.
    pub const fn positive(
        name: &'static str,
        symbol: &'static str,
        kind: Kind,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            symbol,
            kind,
            meaning,
            default: None,
            lower: 0.0,
            lower_open: true,
            upper: f64::INFINITY,
            per_element: false,
            typical: &[],
            at_least: None,
            choices: &[],
            triple: false,
            structural: false,
            limits: false,
            infinite: false,
            flag: false,
            axis: false,
            per_power: None,
        }
    }

    /// A lower and an upper limit, of which an infinite one is absent.
    pub const fn limits(name: &'static str, symbol: &'static str, kind: Kind, meaning: &'static str) -> Self {
        let mut spec = Self::positive(name, symbol, kind, meaning).not_below(f64::NEG_INFINITY);
        spec.limits = true;
        spec
    }

    /// What is true or false in a model file, and 1 or 0 here.
    pub const fn flag(name: &'static str, default: bool, meaning: &'static str) -> Self {
        let mut spec = Self::positive(name, "", Kind::Ratio, meaning).or_zero().up_to(1.0);
        spec.default = Some(if default { 1.0 } else { 0.0 });
        spec.flag = true;
        spec
    }

    /// A direction in space, of any length but zero; z where none is given.
    pub const fn axis(name: &'static str, symbol: &'static str, meaning: &'static str) -> Self {
        let mut spec = Self::positive(name, symbol, Kind::Ratio, meaning).signed().triple();
        spec.axis = true;
        spec
    }

    /// The same with a smallest admissible value.
    pub const fn not_below(mut self, lower: f64) -> Self {
        self.lower = lower;
        self.lower_open = false;
        self
    }

    /// The same with an infinite value admitted.
    pub const fn or_infinite(mut self) -> Self {
        self.infinite = true;
        self
    }

    /// The same over a power of the displacement whose exponent is another parameter.
    pub const fn per_power(mut self, exponent: &'static str) -> Self {
        self.per_power = Some(exponent);
        self
    }

    /// Ends of the paths of its numbers; none of a single one, places of a list.
    pub const fn parts(&self) -> &'static [&'static str] {
        match (self.triple, self.limits) {
            (true, _) => &["x", "y", "z"],
            (false, true) => &["lower", "upper"],
            (false, false) => &[],
        }
    }

    /// What its numbers are where none is given: one for each of [`Self::parts`], or one; `None` if they must be given.
    pub fn defaults(&self) -> Option<Vec<f64>> {
        match self.default {
            Some(default) if self.limits => Some(vec![-default, default]),
            Some(default) => Some(vec![default; self.parts().len().max(1)]),
            None if self.axis => Some(vec![0.0, 0.0, 1.0]),
            None => None,
        }
    }

    /// The same with a largest admissible value.
    pub const fn up_to(mut self, upper: f64) -> Self {
        self.upper = upper;
        self
    }

    /// The same as three numbers, for the axes x, y and z.
    pub const fn triple(mut self) -> Self {
        self.triple = true;
        self
    }

    /// The same as a number that sets the structure.
    pub const fn structural(mut self) -> Self {
        self.structural = true;
        self
    }

    /// Numbers that it takes in the parameter slice where lists have `size` entries.
    pub const fn entries(&self, size: usize) -> usize {
        match (self.per_element, self.parts().len()) {
            (true, _) => size,
            (false, 0) => 1,
            (false, parts) => parts,
        }
    }

    /// A parameter that is one of several words; the first is the default.
    pub const fn choice(
        name: &'static str,
        symbol: &'static str,
        choices: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        let mut spec = Self::positive(name, symbol, Kind::Ratio, meaning).or_zero().or(0.0);
        spec.choices = choices;
        spec
    }

    /// The same with a typical value, or with one per element.
    pub const fn typical(mut self, typical: &'static [f64]) -> Self {
        self.typical = typical;
        self
    }

    /// The same, not below another parameter of the law.
    pub const fn at_least(mut self, other: &'static str) -> Self {
        self.at_least = Some(other);
        self
    }

    /// The same with numbers of both signs admitted.
    pub const fn signed(mut self) -> Self {
        self.lower = f64::NEG_INFINITY;
        self
    }

    /// Typical values: those given, else the default, else one.
    pub fn typical_values(&self) -> &[f64] {
        match &self.default {
            _ if !self.typical.is_empty() => self.typical,
            Some(default) => std::slice::from_ref(default),
            None => &[1.0],
        }
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
        if !self.choices.is_empty() {
            return value >= 0.0 && value.fract() == 0.0 && value < self.choices.len() as f64;
        }
        value <= self.upper && if self.lower_open { value > self.lower } else { value >= self.lower }
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

/// What a law remembers of the motion, see [`Properties::memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Nothing: the output follows from the present velocity.
    None,
    /// The present state only: a small loop does not close, and what came before it is forgotten.
    Local,
    /// All turning points that no larger loop has wiped out: small loops close, and the branch before them goes on.
    NonLocal,
}

impl Memory {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Local => "local",
            Self::NonLocal => "non-local",
        }
    }
}

/// What a law does with its typical parameters. Each property is defined by a test over random motions
/// (`tests/all/properties.rs`), which a law has to meet whichever way it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Every state stays within a fixed multiple of [`Law::scale`], for any length of motion and any step.
    pub bounded: bool,
    /// The mirrored motion gives the mirrored effort.
    pub odd: bool,
    /// The effort depends on the path only, not on how fast it is run through.
    pub rate_independent: bool,
    /// What is remembered: decided by whether small loops at constant speed close.
    pub memory: Memory,
    /// A free mass under an oscillating load with a bias, all below the level of sliding, goes on creeping.
    pub drifts: bool,
    /// A free mass under a constant load below the level of sliding comes to rest and stays there.
    pub sticks: bool,
    /// From the state at the start no motion takes out more energy than it has put in.
    pub passive: bool,
}

impl Properties {
    /// Those of a curve over the velocity that passes through zero at rest: it holds nothing there.
    pub const CURVE: Self = Self {
        bounded: true,
        odd: true,
        rate_independent: false,
        memory: Memory::None,
        drifts: true,
        sticks: false,
        passive: true,
    };

    /// Those of a curve that is set-valued at rest.
    pub const SET_VALUED: Self = Self { drifts: false, sticks: true, ..Self::CURVE };

    /// Those of a bristle: a state that is a spring before sliding.
    pub const BRISTLE: Self = Self { sticks: true, memory: Memory::Local, ..Self::CURVE };

    /// Names and answers in the order of a table.
    pub const fn answers(self) -> [(&'static str, &'static str); 7] {
        const fn word(answer: bool) -> &'static str {
            if answer { "yes" } else { "no" }
        }
        [
            ("bounded", word(self.bounded)),
            ("odd", word(self.odd)),
            ("rate-independent", word(self.rate_independent)),
            ("memory", self.memory.name()),
            ("drifts", word(self.drifts)),
            ("sticks", word(self.sticks)),
            ("passive", word(self.passive)),
        ]
    }
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
    /// What it does with its typical parameters.
    pub properties: Properties,
}

impl LawSpec {
    /// Length of the parameter slice for a law with `elements` elements.
    pub fn param_count(&self, elements: usize) -> usize {
        self.params.iter().map(|p| p.entries(elements)).sum()
    }

    /// Typical parameters as the slice that the law takes, and the number of elements in it.
    pub fn typical(&self) -> (Vec<f64>, usize) {
        let lists = self.params.iter().filter(|param| param.per_element);
        let elements = lists.map(|param| param.typical_values().len()).max().unwrap_or(0);
        let values = self.params.iter().flat_map(|param| {
            let count = if param.per_element { elements } else { 1 };
            param.typical_values().iter().copied().cycle().take(count)
        });
        (values.collect(), elements)
    }

    /// Places of two parameters of which the first must not lie below the second. Both are single ones, which stand before
    /// the lists, so the places hold in the specification and in the parameter slice.
    pub fn orders(&self) -> impl Iterator<Item = (usize, usize)> {
        self.params.iter().enumerate().filter_map(|(greater, param)| {
            let lesser = self.params.iter().position(|other| Some(other.name) == param.at_least)?;
            Some((greater, lesser))
        })
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

    /// [`Law::rate`] of several runs in lockstep. By default lane by lane; a law that is written on [`Lockstep`] goes through all
    /// lanes at once, and has [`Law::rate`] from [`in_lanes`](crate::in_lanes).
    #[inline]
    fn rate_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, dz: &mut [T]) -> T
    where
        Self: Sized,
    {
        T::run(Lane::<Self, T>::new([p, z], m, v, None, dz))
    }

    /// [`Law::advance`] of several runs in lockstep.
    #[inline]
    fn advance_lanes<T: Lockstep>(p: &[T], z: &[T], m: &[T::Plain], v: T, h: f64, z1: &mut [T]) -> T
    where
        Self: Sized,
    {
        T::run(Lane::<Self, T>::new([p, z], m, v, Some(h), z1))
    }

    /// Settles the memory on the states `z` and velocity `v` of an accepted step, or at the start.
    fn commit(p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
        let _ = (p, z, v, m);
    }

    /// Switching functions of the continuous form: the present mode is valid while each is `>= 0`.
    fn switching(p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
        let _ = (p, z, m, v, g);
    }

    /// Changes the mode after switching function `index` has run out; returns what happened.
    fn switch(p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        let _ = (p, index, z, m);
        None
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

    /// What to know about admissible parameters that do something unexpected, with a value that does not.
    fn caution(p: &[f64]) -> Option<LawError> {
        let _ = p;
        None
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

/// What a law that sticks is doing, as its first memory: zero sticks, the sign is the direction of sliding, twice it says
/// that sliding has begun and has not left the band yet, and one half that nothing is asked of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stance {
    /// The coordinate is held.
    Stuck,
    /// Sliding in the direction of the sign, inside the band.
    Leaving(f64),
    /// Sliding in the direction of the sign.
    Sliding(f64),
    /// At rest and without effort: how studies of states at rest see it.
    Idle,
}

/// The memory of [`Stance::Idle`].
const IDLE: f64 = 0.5;

impl Stance {
    /// Reads the memory.
    pub fn read(m: f64) -> Self {
        if m == 0.0 {
            Self::Stuck
        } else if m == IDLE {
            Self::Idle
        } else if m.abs() > 1.5 {
            Self::Leaving(m.signum())
        } else {
            Self::Sliding(m.signum())
        }
    }

    /// The direction of sliding that the memory of a law begins with; `None` where it is at rest.
    #[inline]
    pub fn direction(m: &[f64]) -> Option<f64> {
        match m.first().map(|&m| Self::read(m)) {
            Some(Self::Sliding(sign) | Self::Leaving(sign)) => Some(sign),
            _ => None,
        }
    }

    /// What stands in the memory.
    pub fn memory(self) -> f64 {
        match self {
            Self::Stuck => 0.0,
            Self::Leaving(sign) => 2.0 * sign,
            Self::Sliding(sign) => sign,
            Self::Idle => IDLE,
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
pub(crate) fn fixed<T: Lockstep, const N: usize>(p: &[T]) -> [T; N] {
    p.try_into().unwrap_or([T::of(0.0); N])
}

/// Checks every parameter of `p` against the bounds of its specification.
#[doc(hidden)]
pub fn check_bounds(spec: &'static LawSpec, p: &[f64], elements: usize) -> Result<(), LawError> {
    let mut values = p.iter();
    for (param, entry) in spec.params.iter().enumerate() {
        for _ in 0..if entry.per_element { elements } else { 1 } {
            let value = values.next().copied().unwrap_or(f64::NAN);
            if !entry.admits(value) {
                if !entry.choices.is_empty() {
                    let words = entry.choices.join(", ");
                    let reason =
                        format!("{} = {value} must be the index (from 0) of one of {words}", entry.name);
                    return Err(LawError { law: spec.name, param, reason });
                }
                let relation = if entry.lower_open { "greater than" } else { "at least" };
                let reason = format!("{} = {value} must be {relation} {}", entry.name, entry.lower);
                return Err(LawError { law: spec.name, param, reason });
            }
        }
    }
    for (greater, lesser) in spec.orders() {
        let (Some(&value), Some(&least)) = (p.get(greater), p.get(lesser)) else { continue };
        if value < least {
            let name = |place: usize| spec.params.get(place).map_or("", |entry| entry.name);
            let (name, other) = (name(greater), name(lesser));
            let reason = format!("{name} = {value} lies below {other} = {least}; give {name} >= {least}");
            return Err(LawError { law: spec.name, param: greater, reason });
        }
    }
    Ok(())
}
