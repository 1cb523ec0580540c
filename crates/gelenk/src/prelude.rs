//! What a program needs to load or build a mechanism, compute with it and run it: `use gelenk::prelude::*`.
//!
//! ```
//! use gelenk::prelude::*;
//!
//! let mut builder = Builder::new([0.0, 0.0, -9.81]);
//! let rod = builder.body("rod", Mass::cylinder(1.2, 0.01, 0.5).at([0.0, 0.0, -0.25]));
//! let phi = builder.joint("hinge", Ground, rod).revolute([0.0, 1.0, 0.0], "phi");
//! builder.start(phi, 0.3, 0.0);
//! let pendulum = builder.build()?;
//! let (recording, summary) = simulate(&pendulum, 2.0, 0.01)?;
//! assert!(summary.energy.relative_residue().abs() < 1e-6);
//! assert_eq!(recording.len(), 201);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use gelenk_estimate::{Fit, FitOptions, Loss, Unknown, least_squares};
pub use gelenk_laws::control::{BlockPort, BlockSpec, Own as OwnSampled, OwnBlock, Stage, Tick};
pub use gelenk_laws::{Friction, Kind, ParamSpec};
pub use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3, Wrench};
pub use gelenk_multibody::blueprint::CoordinateKind;
pub use gelenk_multibody::builder::{
    BodyId, Builder, BuilderError, CoordinateId, ElementId, FrameId, Ground, JointId, LoopId, LoopType, Mass,
    Settings, SignalId, Value,
};
pub use gelenk_multibody::elements::contract::{
    AccountSpec, ELASTIC_AND_DAMPING, InputSpec, OutputSpec, PlaceKind, WORK,
};
pub use gelenk_multibody::elements::{Act, ElementSpec, Look, Own, OwnElement, Step};
pub use gelenk_multibody::places::PlaceMotion;
pub use gelenk_multibody::totals::Totals;
pub use gelenk_multibody::{Acting, Attachment, Convention, Data, External, Mechanism, Place};
pub use gelenk_record::{Change, Recording};
pub use gelenk_signal::Waveform;
pub use gelenk_solve::{
    Checkpoint, Method, Options, Simulation, SolveError, Summary, batch, find_input, lanes,
};
pub use gelenk_system::{
    Constrained, Course, Hybrid, Layout, Nanos, ParameterTable, Sampled, Schedule, Simulated, Stepped, System,
};

pub use crate::open::{Overrides, load, simulation};
pub use crate::rest::{cycle, equilibrium, linearise, state_space};
pub use crate::run::{run, simulate};
