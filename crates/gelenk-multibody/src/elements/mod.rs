//! Elements: what acts on a mechanism.
//!
//! A kind of element is one file and one line in the registry at the end of this page, see [`contract`].
//!
//! | file | content |
//! |---|---|
//! | [`contract`] | what a kind of element is and does |
//! | [`attachment`] | what elements act on: displacement and rate in, effort out |
//! | [`alone`] | elements without a mechanism |
//! | `run` | the elements of a mechanism at work: efforts, power, stored energy, modes |
//! | [`own`] | a program's own kinds |
//! | [`page`] | the kinds as text, for the command line and the book |
//! | `modes` | contacts that open and close |
//! | `spring`, `line_spring`, `power_spring` | springs and dampers |
//! | `efforts` | efforts, forces and torques given by formulas |
//! | `stop`, `ball_stop` | elastic stops |
//! | `bushing` | springs and dampers in six directions |
//! | `maxwell` | a spectrum of relaxation times |
//! | `contact` | contact between meshes |
//! | [`contact_elements`] | its elements, one by one |
//! | `factors` | friction that follows its surroundings |
//! | `holds` | coordinates held by friction and by limits |
//! | `horizon` | how long a step may be so that no contact is stepped over |
//! | `impacts` | sticking and slipping, impacts, rest and release |
//! | `rubbing` | friction on coordinates and between frames |
//! | `settling` | which holds are on at an instant |
//! | `stances` | the same in stepped mode |
//! | `start_contacts` | contacts that a motion starts inside of |
//! | `start_friction` | how the memory of friction laws begins |
//! | `touch` | contact between spheres, capsules, boxes, points and planes |

pub mod alone;
pub mod attachment;
pub(crate) mod contact;
pub mod contact_elements;
pub mod contract;
pub(crate) mod factors;
pub(crate) mod holds;
pub(crate) mod horizon;
pub(crate) mod impacts;
pub(crate) mod modes;
pub mod own;
pub mod page;
pub(crate) mod rubbing;
mod run;
pub(crate) mod settling;
pub(crate) mod stances;
pub(crate) mod start_contacts;
pub(crate) mod start_friction;
pub(crate) mod touch;

pub use alone::Answer;
pub use attachment::Attachment;
pub use contract::{Act, Element, ElementSpec, Look, Step};
pub use own::{Own, OwnElement};
pub(crate) use run::{KindRun, Sight};

use gelenk_math::Real;

/// Declares the kinds of elements: their files, and one closed enum over them with static dispatch.
macro_rules! elements {
    ($($file:ident :: $first:ident $(, $other:ident)* ;)+) => {
        $(mod $file; pub use $file::{$first $(, $other)*};)+

        elements! { @enum $($first $($other)*)+ }
    };

    (@enum $($kind:ident)+) => {
        /// Every kind of element: those that are a file of their own, and a program's own ones.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Acting {
            $(#[doc = concat!("See [`", stringify!($kind), "`](struct@", stringify!($kind), ").")] $kind,)+
            /// A program's own kind.
            Own(Own),
        }

        impl Acting {
            /// All kinds of the registry, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// What the kind says about itself.
            pub fn spec(self) -> &'static ElementSpec {
                match self { $(Self::$kind => &<$kind as Element>::SPEC,)+ Self::Own(own) => own.kind().spec() }
            }

            /// Number of continuous states, see [`Element::states`].
            pub fn states(self, size: usize) -> usize {
                match self { $(Self::$kind => <$kind as Element>::states(size),)+ Self::Own(own) => own.kind().states(size) }
            }

            /// Length of the memory, see [`Element::memory`].
            pub fn memory(self, size: usize) -> usize {
                match self { $(Self::$kind => <$kind as Element>::memory(size),)+ Self::Own(own) => own.kind().memory(size) }
            }

            /// Number of switching functions, see [`Element::switches`].
            pub fn switches(self, size: usize) -> usize {
                match self { $(Self::$kind => <$kind as Element>::switches(size),)+ Self::Own(own) => own.kind().switches(size) }
            }

            /// Efforts, power, outputs and rates, see [`Element::act`].
            #[inline]
            pub fn act<T: Real>(self, e: &mut Act<'_, T>) {
                match self { $(Self::$kind => <$kind as Element>::act(e),)+ Self::Own(own) => own.act(e) }
            }

            /// Stored energy by account, see [`Element::stored`].
            pub fn stored<T: Real>(self, look: &Look<'_, T>, stored: &mut [T]) {
                match self { $(Self::$kind => <$kind as Element>::stored(look, stored),)+ Self::Own(own) => own.stored(look, stored) }
            }

            /// States at the start, see [`Element::start`].
            pub fn start(self, look: &Look<'_, f64>, z: &mut [f64]) {
                match self { $(Self::$kind => <$kind as Element>::start(look, z),)+ Self::Own(own) => own.kind().start(look, z) }
            }

            /// States after a long time, see [`Element::rest`].
            pub fn rest(self, look: &Look<'_, f64>, z: &mut [f64]) {
                match self { $(Self::$kind => <$kind as Element>::rest(look, z),)+ Self::Own(own) => own.kind().rest(look, z) }
            }

            /// Typical sizes of the states, see [`Element::scale`].
            pub fn scale(self, p: &[f64], scale: &mut [f64]) {
                match self { $(Self::$kind => <$kind as Element>::scale(p, scale),)+ Self::Own(own) => own.kind().scale(p, scale) }
            }

            /// Settles the memory, see [`Element::commit`].
            pub fn commit(self, look: &Look<'_, f64>, m: &mut [f64]) {
                match self { $(Self::$kind => <$kind as Element>::commit(look, m),)+ Self::Own(own) => own.kind().commit(look, m) }
            }

            /// Switching functions, see [`Element::switching`].
            pub fn switching(self, look: &Look<'_, f64>, g: &mut [f64]) {
                match self { $(Self::$kind => <$kind as Element>::switching(look, g),)+ Self::Own(own) => own.kind().switching(look, g) }
            }

            /// Changes a mode, see [`Element::switch`].
            pub fn switch(self, look: &Look<'_, f64>, index: usize, z: &mut [f64], m: &mut [f64]) -> &'static str {
                match self { $(Self::$kind => <$kind as Element>::switch(look, index, z, m),)+ Self::Own(own) => own.kind().switch(look, index, z, m) }
            }

            /// Relations between parameters, see [`Element::validate`].
            ///
            /// # Errors
            /// The reason why the parameters are refused.
            pub fn validate(self, p: &[f64]) -> Result<(), String> {
                match self { $(Self::$kind => <$kind as Element>::validate(p),)+ Self::Own(own) => own.kind().validate(p) }
            }

            /// The range that a stop keeps its displacement in, see [`Element::range`].
            pub fn range(self, p: &[f64]) -> Option<[f64; 2]> {
                match self { $(Self::$kind => <$kind as Element>::range(p),)+ Self::Own(own) => own.kind().range(p) }
            }
        }
    };
}

elements! {
    spring::Spring;
    line_spring::LineSpring;
    power_spring::PowerSpring;
    efforts::Given, Drive, Force, Torque, Line, Twist;
    stop::Stop;
    ball_stop::BallStop;
    bushing::Bushing;
    maxwell::Maxwell;
}

impl Acting {
    /// The kind with this table in a model file.
    pub fn by_table(table: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| !table.is_empty() && kind.spec().table == table)
    }
}
