//! Elements: what acts on a mechanism.
//!
//! A kind of element is one file and one line in the registry at the end of this page, see [`contract`].
//!
//! | file | content |
//! |---|---|
//! | [`contract`] | what a kind of element is and does |
//! | `registry` | from a list of kinds to enums with static dispatch |
//! | [`attachment`] | what elements act on: displacement and rate in, effort out |
//! | [`look`] | what an element sees and does |
//! | `lane` | the same of several runs in lockstep |
//! | [`alone`] | elements without a mechanism |
//! | `compiled`, `workspace` | the elements of a mechanism, and what an evaluation knows of them: their fields are seen here only
//! | `run` | the elements of a mechanism at work: efforts, power, stored energy, modes |
//! | [`own`] | a program's own kinds |
//! | [`page`] | the kinds as text, for the command line and the book |
//! | `modes` | contacts that open and close |
//! | `spring`, `line_spring`, `power_spring` | springs and dampers |
//! | `efforts` | efforts, forces and torques given by expressions |
//! | `stop`, `ball_stop` | elastic stops |
//! | `bushing` | springs and dampers in six directions |
//! | [`contact`] | contacts at work, and their contract |
//! | [`simple_contact`] | contact between spheres, capsules, boxes, points and planes |
//! | [`mesh_contact`] | contact between meshes |
//! | `factors` | friction that follows its surroundings |
//! | `holds` | coordinates held by friction and by limits |
//! | `impacts` | sticking and slipping, impacts, rest and release |
//! | `friction` | friction on coordinates, between frames and on planes |
//! | `impulse_stop` | stops by impulses |
//! | `sliding` | friction along a motion: reversals, laws of position |
//! | `settling` | which holds are on at an instant |
//! | `stances` | the same in stepped mode |
//! | `start_friction` | how the memory of friction laws begins |

#[macro_use]
mod registry;

mod compiled;
mod workspace;

pub mod alone;
pub mod attachment;
pub mod contact;
pub mod contract;
pub(crate) mod factors;
pub(crate) mod holds;
pub(crate) mod impacts;
mod lane;
pub mod look;
pub(crate) mod modes;
pub mod own;
pub mod page;
mod run;
pub(crate) mod settling;
pub(crate) mod sliding;
pub(crate) mod stances;
pub(crate) mod start_friction;

pub use alone::Answer;
pub use attachment::Attachment;
pub(crate) use compiled::{Bent, ElementInfo, Elements};
pub use contract::{Act, Beyond, Element, ElementSpec, Look, Step};
pub use own::{Own, OwnElement};
pub(crate) use run::Sight;
pub(crate) use workspace::ElementData;

use std::sync::Arc;

use gelenk_laws::{Friction, Modes, Sticking};
use gelenk_math::spatial::{Mat3, Pose};
use gelenk_math::{Lockstep, Real};

use contact::ContactElement;
use contact::contract::{Contact, Exerted, Overlap, Record, Seen};
use contract::{Holding, Limits};

elements! {
    spring::Spring;
    line_spring::LineSpring;
    power_spring::PowerSpring;
    efforts::Given, Drive, Force, Torque, Line, TorqueBetween;
    stop::Stop;
    ball_stop::BallStop;
    bushing::Bushing;
    maxwell::Maxwell;
    impulse_stop::ImpulseStop;
    @laws
    friction::Slider;
    @contacts
    simple_contact::SimpleContact;
    mesh_contact::MeshContact;
}

impl From<Friction> for Acting {
    fn from(law: Friction) -> Self {
        Self::Slider(Slider::new(law))
    }
}
