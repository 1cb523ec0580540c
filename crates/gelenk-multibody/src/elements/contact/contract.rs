//! The contract of contacts: what a kind of contact between two bodies is and does, in one file a kind.
//!
//! A contact sees the second body from the frame of the first: its pose and its motion. It keeps a workspace from one
//! evaluation to the next, one for every thread, because finding where two bodies touch is most of the work. An evaluation
//! is in three parts: [`Contact::place`] takes over where the bodies are, [`Contact::find`] looks where they touch (it
//! depends on nothing else, so pairs are found on several threads), and [`Contact::exert`] tells what they do to each other.

use std::fmt::Debug;

use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3, Wrench};
use gelenk_math::{Lockstep, Real};
use gelenk_record::Change;

use super::ContactElement;
use crate::elements::contract::{ELASTIC_AND_DAMPING, Element, ElementSpec, PlaceKind};

/// The second body as the first one sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<T: Lockstep> {
    /// Pose of the second frame in the first.
    pub pose: Pose<T>,
    /// Its motion, in the axes of the first frame, about the origin of the second.
    pub motion: Motion<T>,
}

impl<T: Real> Seen<T> {
    /// At the same place and at rest.
    pub(crate) fn together() -> Self {
        Self { pose: Pose::identity(), motion: Motion::zero() }
    }

    /// Velocity of the second body against the first at a place.
    pub fn velocity(&self, place: &Vec3<T>) -> Vec3<T> {
        self.motion.lin + self.motion.ang.cross(&(place - self.pose.position))
    }
}

/// The origin that a moment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Of the first frame.
    First,
    /// Of the second frame.
    Second,
}

/// What two bodies do to each other.
#[derive(Clone, Copy, Debug)]
pub struct Exerted<T: Lockstep> {
    /// On the first body, in the axes of its frame.
    pub wrench: Wrench<T>,
    /// What its moment is about.
    pub about: About,
    /// Power of the elastic forces on both bodies (W).
    pub elastic: T,
    /// Power of damping and friction on both bodies (W), not positive.
    pub loss: T,
}

/// How far two bodies are in each other at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Greatest depth (m).
    pub depth: f64,
    /// The size (m) that rounding of a depth goes with.
    pub size: f64,
}

/// A number that is recorded: name, unit and meaning.
pub type Record = (&'static str, &'static str, &'static str);

/// The specification of a kind of contact: elastic forces and losses, and no parameters of its own, since those of its
/// bodies, materials and laws are shared with other contacts.
pub const fn contact_spec(
    name: &'static str,
    title: &'static str,
    equation: &'static str,
    source: &'static str,
) -> ElementSpec {
    ElementSpec {
        name,
        table: "",
        title,
        equation,
        source,
        place: PlaceKind::Bodies,
        params: &[],
        inputs: &[],
        outputs: &[],
        accounts: ELASTIC_AND_DAMPING,
    }
}

/// A kind of contact between two bodies.
pub trait Contact: Element {
    /// What an evaluation knows of a pair.
    type Work<T: Lockstep>: Clone + Debug + Send + Sync;

    /// A workspace; a `timed` one takes the times of the stages of an evaluation.
    fn work<T: Real>(&self, timed: bool) -> Self::Work<T>;

    /// Takes over the parameters of the mechanism, by their places in `p`.
    fn bind<T: Real>(&self, work: &mut Self::Work<T>, p: &[T]);

    /// Relations between parameters that have to hold.
    ///
    /// # Errors
    /// The reason why they are refused.
    fn check(&self, work: &Self::Work<f64>, p: &[f64]) -> Result<(), String>;

    /// Takes over where the bodies are. A `lagged` evaluation carries no derivatives of friction. Returns how much work
    /// [`Self::find`] is expected to be, in box tests; zero where it is next to none.
    fn place<T: Real>(&self, work: &mut Self::Work<T>, seen: &Seen<T>, lagged: bool) -> usize;

    /// Finds where the bodies touch.
    fn find<T: Real>(&self, work: &mut Self::Work<T>);

    /// What they do to each other, and a note of what is recorded of it; `None` where they do not touch. At an instant
    /// (`stepped` is false) the memory says whether they touch.
    fn exert<T: Real>(&self, work: &mut Self::Work<T>, m: &[f64], stepped: bool) -> Option<Exerted<T>>;

    /// Elastic energy (J), as last found.
    fn energy<T: Real>(&self, work: &Self::Work<T>) -> T;

    /// Looks for what the modes depend on; `found` says that [`Self::find`] has been here.
    fn probe(&self, work: &mut Self::Work<f64>, seen: &Seen<f64>, found: bool);

    /// Whether [`Self::probe`] has something to do.
    fn probes(&self, work: &Self::Work<f64>) -> bool;

    /// Settles the memory on what was last probed.
    fn settle(&self, work: &Self::Work<f64>, m: &mut [f64]);

    /// Switching functions of the modes, as last probed.
    fn boundaries(&self, work: &Self::Work<f64>, m: &[f64], g: &mut [f64]);

    /// Changes the mode at its event; returns what is said about it.
    fn turn(&self, work: &Self::Work<f64>, m: &mut [f64]) -> Change;

    /// The longest step (s) in which the bodies do not pass through each other unseen, under an acceleration `gravity`
    /// (m/s^2); infinite where it is longer than `wanted`.
    fn horizon(&self, work: &mut Self::Work<f64>, seen: &Seen<f64>, gravity: f64, wanted: f64) -> f64;

    /// The longest fixed steps (s) in which they do not pass through each other: from where they are, and from where they
    /// touch.
    fn reach(&self, work: &mut Self::Work<f64>, seen: &Seen<f64>, gravity: f64, wanted: f64) -> [f64; 2];

    /// How far the bodies are in each other, as last found.
    fn overlap(&self, work: &Self::Work<f64>) -> Overlap;

    /// Whether [`Self::refuse_start`] has something to say.
    fn judges_start(&self, work: &Self::Work<f64>) -> bool {
        let _ = work;
        false
    }

    /// Why a motion cannot start where the bodies were last found.
    fn refuse_start(&self, work: &Self::Work<f64>) -> Option<String> {
        let _ = work;
        None
    }

    /// Why a motion cannot go on where the bodies were last found; it begins behind the time: "at t = 1 s ...".
    fn refuse(&self, work: &Self::Work<f64>) -> Option<&'static str> {
        let _ = work;
        None
    }

    /// What is recorded beside the magnitude of the force.
    fn records(&self) -> Vec<Record>;

    /// What is recorded of the time that an evaluation takes, where that is asked for.
    fn times(&self) -> Vec<Record> {
        Vec::new()
    }

    /// Writes what is recorded; `axes` are those of the first frame in the ground.
    fn record(&self, work: &Self::Work<f64>, axes: &Mat3<f64>, put: &mut dyn FnMut(f64));

    /// Writes the times.
    fn record_times(&self, work: &Self::Work<f64>, put: &mut dyn FnMut(f64)) {
        let _ = (work, put);
    }

    /// Hands out the contact elements of surfaces, one by one; `first` is the pose of the first frame in the ground.
    fn elements(&self, work: &Self::Work<f64>, first: &Pose<f64>, take: &mut dyn FnMut(ContactElement)) {
        let _ = (work, first, take);
    }
}
