//! Method, steps and tolerances.

use gelenk_system::Nanos;

/// How time is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Explicit Euler, order 1, with a fixed step, continuous mode.
    Euler {
        /// Step.
        step: Nanos,
    },
    /// Semi-implicit (symplectic) Euler, order 1, with a fixed step, continuous mode: velocities first, then positions
    /// with the new velocities; states of laws explicit.
    SemiImplicitEuler {
        /// Step.
        step: Nanos,
    },
    /// Heun's method, order 2, with a fixed step, continuous mode.
    Heun {
        /// Step.
        step: Nanos,
    },
    /// Bogacki and Shampine's method of order 3 with a fixed step, continuous mode.
    FixedBs23 {
        /// Step.
        step: Nanos,
    },
    /// Classical Runge-Kutta of order 4 with a fixed step, continuous mode.
    Rk4 {
        /// Step.
        step: Nanos,
    },
    /// Bogacki and Shampine's pair of order 3(2) with error control, continuous mode (Applied Mathematics Letters 2
    /// (1989) 321).
    Bs23 {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance, in units of each state's typical magnitude.
        atol: f64,
        /// Largest step (s); infinite where there is no limit.
        max_step: f64,
    },
    /// Dormand and Prince's pair of order 5(4) with error control, continuous mode (Hairer, Norsett, Wanner,
    /// *Solving Ordinary Differential Equations I*, II.5).
    Dopri5 {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance, in units of each state's typical magnitude.
        atol: f64,
        /// Largest step (s); infinite where there is no limit.
        max_step: f64,
    },
    /// Dormand and Prince's method of order 8 with error control, continuous mode (Hairer, Norsett, Wanner I, II.5).
    Dop853 {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance, in units of each state's typical magnitude.
        atol: f64,
        /// Largest step (s); infinite where there is no limit.
        max_step: f64,
    },
    /// Implicit Euler with laws as trials, stepped mode.
    Stepped {
        /// Step.
        step: Nanos,
    },
    /// Two implicit stages with laws as trials, order 2, stepped mode.
    Stepped2 {
        /// Step.
        step: Nanos,
    },
    /// Implicit Euler linearised once a step, so that every step costs the same; order 1, stepped mode.
    RealTime {
        /// Step.
        step: Nanos,
    },
}

impl Method {
    /// Whether the laws are used in their stepped form.
    pub fn is_stepped(self) -> bool {
        matches!(self, Self::Stepped { .. } | Self::Stepped2 { .. } | Self::RealTime { .. })
    }

    /// Share of the time constant of a decay up to which a fixed explicit step is stable: the length of the interval of stability
    /// on the negative real axis (Hairer, Wanner, *Solving Ordinary Differential Equations II*, IV.2). `None` for the other
    /// methods, which bound their steps or are stable for any.
    pub(crate) fn decay_limit(self) -> Option<f64> {
        match self {
            Self::Euler { .. } | Self::SemiImplicitEuler { .. } | Self::Heun { .. } => Some(2.0),
            Self::FixedBs23 { .. } => Some(2.51),
            Self::Rk4 { .. } => Some(2.78),
            _ => None,
        }
    }

    /// The fixed step; `None` with error control.
    pub fn step(self) -> Option<Nanos> {
        match self {
            Self::Euler { step }
            | Self::SemiImplicitEuler { step }
            | Self::Heun { step }
            | Self::FixedBs23 { step }
            | Self::Rk4 { step }
            | Self::Stepped { step }
            | Self::Stepped2 { step }
            | Self::RealTime { step } => Some(step),
            Self::Bs23 { .. } | Self::Dopri5 { .. } | Self::Dop853 { .. } => None,
        }
    }

    /// Name in files and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euler { .. } => "euler",
            Self::SemiImplicitEuler { .. } => "semi-implicit-euler",
            Self::Heun { .. } => "heun",
            Self::FixedBs23 { .. } | Self::Bs23 { .. } => "bs23",
            Self::Rk4 { .. } => "rk4",
            Self::Dopri5 { .. } => "dopri5",
            Self::Dop853 { .. } => "dop853",
            Self::Stepped { .. } => "stepped",
            Self::Stepped2 { .. } => "stepped2",
            Self::RealTime { .. } => "real-time",
        }
    }
}

/// What to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// End of the run.
    pub until: Nanos,
    /// Period of recorded rows.
    pub output: Nanos,
    /// Method.
    pub method: Method,
}
