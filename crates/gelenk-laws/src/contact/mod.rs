//! Contact between surfaces: what a patch of area does, and what a single point does.
//!
//! | module | content |
//! |---|---|
//! | [`layer`] | elastic layers on rigid bodies, and two of them in series |
//! | [`areal`] | pressure of such a layer with damping, without tension |
//! | [`spot`] | force at a single place by depth and its rate: linear, Hertz, Kelvin-Voigt, Hunt-Crossley, Lankarani-Nikravesh |
//! | [`sliding`] | Coulomb friction over a regularised sliding speed |

pub mod areal;
pub mod layer;
pub mod sliding;
pub mod spot;

pub use areal::Areal;
pub use layer::{Layer, LayerError, Pairing};
pub use sliding::{Regularisation, Sliding};
pub use spot::{Damped, SpotLaw, hertz_stiffness};
