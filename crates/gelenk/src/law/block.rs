//! A block under a law: what a rig is made of.

use gelenk_multibody::builder::{Builder, BuilderError, Ground, Mass, Settings};
use gelenk_multibody::{Acting, Mechanism};
use gelenk_solve::{Method, Options};
use gelenk_system::Nanos;
use thiserror::Error;

use super::Subject;
use crate::run::{RunError, options};

/// A block on a slide, under one law, moved by a force.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The law.
    pub subject: Subject,
    /// Mass (kg).
    pub mass: f64,
    /// Initial velocity (m/s).
    pub velocity: f64,
    /// Force on it as an expression in time `t`, position `x` and its rate `x.rate`; SI.
    pub force: String,
    /// End of the run (s).
    pub until: f64,
    /// Sampling period (s).
    pub output: f64,
    /// Step of the stepped mode (s); `None` for the method that suits the law.
    pub step: Option<f64>,
}

/// A block that cannot be simulated.
#[derive(Debug, Error)]
pub enum BlockError {
    /// A number or the force cannot be.
    #[error(transparent)]
    Build(#[from] BuilderError),
    /// A time cannot be one, or no method serves the law.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Default for Block {
    /// A free block of 1 kg with viscous friction.
    fn default() -> Self {
        let subject = Subject {
            label: "viscous".into(),
            law: gelenk_laws::Friction::Viscous,
            parameters: vec![1.0],
            elements: 0,
        };
        Self { subject, mass: 1.0, velocity: 0.0, force: "0".into(), until: 1.0, output: 1e-3, step: None }
    }
}

/// The position in recordings.
pub const POSITION: &str = "x";
/// The velocity in recordings.
pub const VELOCITY: &str = "x.rate";
/// Friction in recordings.
pub const FRICTION: &str = "friction.slide";

impl Block {
    /// The mechanism.
    ///
    /// # Errors
    /// A number or the force cannot be.
    pub fn mechanism(&self) -> Result<Mechanism, BuilderError> {
        let Subject { law, parameters, elements, .. } = &self.subject;
        let mut given = Settings::new();
        let mut rest = parameters.iter().copied();
        for spec in law.spec().params {
            given = given.list(spec.name, rest.by_ref().take(spec.entries(*elements)));
        }
        let mut builder = Builder::new([0.0; 3]);
        let block = builder.body("block", Mass::cuboid(self.mass, [0.1; 3]));
        let x = builder.joint("slide", Ground, block).prismatic([1.0, 0.0, 0.0], POSITION);
        builder.start(x, 0.0, self.velocity);
        builder.friction("slide", x, *law, given);
        builder.element_with("force", Acting::Drive, x, Settings::new(), &[&self.force]);
        builder.build()
    }

    /// The mechanism, and how to run it.
    ///
    /// # Errors
    /// A number, a time or the force cannot be, or no method serves the law.
    pub fn prepare(&self) -> Result<(Mechanism, Options), BlockError> {
        let mechanism = self.mechanism()?;
        let mut options = options(&mechanism, self.until, self.output)?;
        if let Some(seconds) = self.step {
            let wrong = RunError::Time { name: "step", value: seconds };
            options.method = Method::Stepped { step: Nanos::from_seconds(seconds).ok_or(wrong)? };
        }
        Ok((mechanism, options))
    }
}
