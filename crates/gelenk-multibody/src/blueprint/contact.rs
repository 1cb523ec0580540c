//! Contacts in a blueprint.

use std::sync::Arc;

use gelenk_laws::contact::{Damped, Regularisation};
use gelenk_mesh::contact::Pair;
use gelenk_mesh::simple::Simple;
use gelenk_system::Param;

/// Contact between two meshes by elastic layers on them (hippmann, chapter 4).
#[derive(Clone, Debug)]
pub struct Contact {
    /// Frames of the first and the second surface, indices into [`Blueprint::frames`](super::Blueprint::frames).
    pub between: [usize; 2],
    /// The surfaces, shared with other contacts, and how contact is found.
    pub pair: Arc<Pair>,
    /// The layer on each surface.
    pub sides: [ContactSide; 2],
    /// Damping per area (N s/m^3).
    pub damping: Param,
    /// Penetration of full damping (m); zero damps fully at once.
    pub depth: Param,
    /// Coefficient of friction.
    pub friction: Param,
    /// Sliding speed of its regularisation (m/s), greater than zero.
    pub speed: Param,
    /// Form of the regularisation.
    pub form: Regularisation,
    /// Whether touching and parting are events.
    pub events: bool,
}

/// What one side of a contact gives way by.
#[derive(Clone, Copy, Debug)]
pub enum ContactSide {
    /// Nothing.
    Rigid,
    /// A stiffness per area (N/m^3).
    Stiffness(Param),
    /// A layer of a material.
    Layer {
        /// Young's modulus (N/m^2).
        modulus: Param,
        /// Poisson ratio, below 0.5.
        poisson: Param,
        /// Thickness (m).
        depth: Param,
    },
}

/// Contact between two simple bodies by a law of depth and its rate at every place where they touch.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Frames of the first and the second body, indices into [`Blueprint::frames`](super::Blueprint::frames).
    pub between: [usize; 2],
    /// What they are, lengths in m.
    pub shapes: [Simple<Param>; 2],
    /// Stiffness `K` of `K d^n`.
    pub stiffness: TouchStiffness,
    /// Exponent `n`.
    pub power: TouchPower,
    /// How the contact loses energy.
    pub damped: Damped<Param>,
    /// Coefficient of friction.
    pub friction: Param,
    /// Sliding speed of its regularisation (m/s), greater than zero.
    pub speed: Param,
    /// Form of the regularisation.
    pub form: Regularisation,
}

/// Where the stiffness of a contact between simple bodies comes from.
#[derive(Clone, Copy, Debug)]
pub enum TouchStiffness {
    /// It is given (N/m^n).
    Given(Param),
    /// By Hertz from Young's modulus (N/m^2) and the Poisson ratio of each side that is not rigid, and the radii.
    Hertz([Option<[Param; 2]>; 2]),
}

/// The exponent of the depth in the elastic force.
#[derive(Clone, Copy, Debug)]
pub enum TouchPower {
    /// One.
    Linear,
    /// Three halves.
    Hertz,
    /// A parameter, at least 1.
    Given(Param),
}
