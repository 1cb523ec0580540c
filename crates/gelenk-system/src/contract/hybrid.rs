//! Modes that change at events, and what bounds a step.

use gelenk_record::Change;

use crate::{Fault, System};

/// How long a fixed step may be so that no contact is stepped over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach<'a> {
    /// From where the bodies are (s); infinite where it is no bound.
    pub longest: f64,
    /// With these velocities wherever they are (s).
    pub always: f64,
    /// Name of the element that bounds it.
    pub element: &'a str,
}

impl Reach<'_> {
    /// No bound.
    pub const FREE: Self = Self { longest: f64::INFINITY, always: f64::INFINITY, element: "" };
}

/// A system with modes: the memory says which equations hold, and switching functions say how long.
pub trait Hybrid: System {
    /// Settles the memory of laws and contacts on a state, as at the start of a run; held samples stay.
    fn settle(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], m: &mut [f64]) {
        let _ = (data, t, x, m);
    }

    /// Settles a state at rest for a study of such states: memory as by [`Hybrid::settle`], loads on laws as they are there, but
    /// friction that could hold has no effort, since what it holds is one of many states.
    fn rest(&self, data: &mut Self::Data<f64>, t: f64, x: &mut [f64], m: &mut [f64]) -> Result<(), Fault> {
        self.settle(data, t, x, m);
        Ok(())
    }

    /// Switching functions: the present mode is valid while each is `>= 0`.
    fn switching(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64], m: &[f64], g: &mut [f64]) {
        let _ = (data, t, x, m, g);
    }

    /// Changes the mode of switching function `index` at time `t`, the first one where several have run out; returns what happened,
    /// where something did. Velocities may jump, their work goes to the accounts in `x`.
    fn switch(
        &self,
        data: &mut Self::Data<f64>,
        t: f64,
        index: usize,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<Change>, Fault> {
        let _ = (data, t, index, x, m);
        Ok(None)
    }

    /// The switching function of something that is at its limit, at rest, and not held there yet: whoever looks at that instant
    /// alone has to let it land first.
    fn landed(&self, data: &Self::Data<f64>, x: &[f64], m: &[f64]) -> Option<usize> {
        let _ = (data, x, m);
        None
    }

    /// The element behind switching function `index`.
    fn switch_name(&self, index: usize) -> &str {
        let _ = index;
        ""
    }

    /// Whether switching function `index` belongs to a hold. These are located in implicit steps of order 2, too.
    fn switches_hold(&self, index: usize) -> bool {
        let _ = index;
        false
    }

    /// How many modes the memory has of which a change is told beside that of [`Hybrid::switch`]: holds, and what else is
    /// turned at the ends of steps.
    fn modes(&self) -> usize {
        0
    }

    /// The element behind mode `index`, and what has become of it from one memory to another, where that is
    /// to be told.
    fn change(&self, index: usize, before: &[f64], after: &[f64]) -> Option<(&str, Change)> {
        let _ = (index, before, after);
        None
    }

    /// What ends the run with memory `m`, by its name; `None` while nothing does.
    fn ended(&self, m: &[f64]) -> Option<&str> {
        let _ = m;
        None
    }

    /// A joint whose coordinates are singular at a state, by its name: the rates of its coordinates grow without bound
    /// there. Asked where steps become short, so that the reason can be told.
    fn singular(&self, data: &mut Self::Data<f64>, t: f64, x: &[f64]) -> Option<&str> {
        let _ = (data, t, x);
        None
    }

    /// How long a step with error control from this state may be (s), so that bodies that come near do not pass through
    /// each other inside it. What allows the `wanted` step (s) need not be told exactly: infinite is the default.
    fn horizon(&self, _data: &mut Self::Data<f64>, _t: f64, _x: &[f64], _wanted: f64) -> f64 {
        f64::INFINITY
    }

    /// The same for a step whose error nobody looks at. Bodies that touch do not pass through each other inside it either.
    fn reach(&self, _data: &mut Self::Data<f64>, _t: f64, _x: &[f64], _wanted: f64) -> Reach<'_> {
        Reach::FREE
    }

    /// The end of an explicit step from `t` that wants to reach `t1` (s), so that what is known ahead of the inputs is smooth
    /// inside it: at most `t1`. A step may end just before a jump; the next one then passes it.
    ///
    /// With error control a `tolerance` is given: what deviates from smooth by less than this share of its range need not
    /// end the step, but the step is bounded so that its stages see every motion of an input.
    fn smooth_until(
        &self,
        _data: &mut Self::Data<f64>,
        _m: &[f64],
        (_t, t1): (f64, f64),
        _tolerance: Option<f64>,
    ) -> f64 {
        t1
    }
}
