//! Test problems with known solutions, small enough to read: every method is tried on them, and its counts are kept.
//!
//! | problem | what it shows | solution |
//! |---|---|---|
//! | [`VanDerPol`] | a limit cycle, not stiff | SciPy |
//! | [`Brusselator`] | a limit cycle of two species | Hairer, Norsett, Wanner I, II.4 |
//! | [`Robertson`] | kinetics over eleven decades, stiff | SciPy |
//! | [`Hires`] | eight species, stiff | test set for initial value problems, Bari |
//! | [`IndexThreePendulum`] | a constraint, in continuous and stepped form | elliptic functions |
//! | [`Andrews`] | three loops at high speed | test set for initial value problems, Bari |
//! | [`BouncingBall`] | impacts up to their accumulation point | closed form |
//! | [`FrictionOscillator`] | friction that sticks | closed form |
//! | [`Slider`] | runs in lockstep | closed form without hardening |
//! | [`SampledIntegrator`] | a sampled controller | closed form of the discrete loop |
//!
//! A plain ordinary differential equation is an [`Ode`] in a [`Problem`]; the others implement the traits of
//! [`gelenk_system`] themselves, as an example of how much that takes.

/// What all problems have alike of a system: their fields `parameters` and `channels`, and what `Debug` says of them.
macro_rules! named {
    () => {
        fn parameters(&self) -> &gelenk_system::ParameterTable {
            &self.parameters
        }

        fn describe(&self, into: &mut dyn std::fmt::Write) -> std::fmt::Result {
            write!(into, "{self:?}")
        }

        fn channels(&self) -> &[gelenk_system::Channel] {
            &self.channels
        }
    };
}

mod andrews;
mod ball;
mod brusselator;
mod hires;
mod ode;
mod oscillator;
mod pendulum;
mod robertson;
mod sampled;
mod slider;
mod van_der_pol;

pub use andrews::Andrews;
pub use ball::BouncingBall;
pub use brusselator::Brusselator;
pub use hires::Hires;
pub use ode::{Ode, Problem};
pub use oscillator::FrictionOscillator;
pub use pendulum::IndexThreePendulum;
pub use robertson::Robertson;
pub use sampled::SampledIntegrator;
pub use slider::Slider;
pub use van_der_pol::VanDerPol;
