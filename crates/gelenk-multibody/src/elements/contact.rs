//! Contact between meshes as an element of the mechanism (hippmann, chapter 4).
//!
//! Where the surfaces touch is found once for every evaluation, from positions alone and in `f64`; forces then follow
//! for any scalar. Derivatives by dual numbers are those at fixed contact elements.

use std::sync::Arc;
use std::time::Instant;

use gelenk_laws::contact::{Areal, Layer, LayerError, Pairing, Regularisation, Sliding};
use gelenk_math::Real;
use gelenk_math::spatial::{Motion, Pose, Vec3, Wrench, length};
use gelenk_mesh::contact::{
    Detection, Element, ElementState, Nearest, OUTVAL, Outcome, Pair, PairLaw, Placement, Queue, Scratch,
    Search,
};
use gelenk_system::{Channel, Effort, Fault, Param};
use rayon::prelude::*;

use crate::blueprint::ContactSide;
use crate::data::Data;
use crate::mechanism::{ElementRun, Mechanism};

/// Box tests that a triangle test costs, with what follows from it.
const TRIANGLE: usize = 10;
/// Box tests, some tens of microseconds of work for every thread, below which waking others costs more than it spares.
const WORTH: usize = 30_000;

/// A contact when it runs.
#[derive(Clone, Debug)]
pub(crate) struct ContactRun {
    /// Frames of the first and the second surface.
    pub(crate) between: [usize; 2],
    pub(crate) pair: Arc<Pair>,
    pub(crate) sides: [ContactSide; 2],
    pub(crate) damping: Param,
    pub(crate) depth: Param,
    pub(crate) friction: Param,
    pub(crate) speed: Param,
    pub(crate) form: Regularisation,
    pub(crate) events: bool,
}

/// What an evaluation knows of a contact.
#[derive(Clone, Debug)]
pub(crate) struct ContactData<T: Real> {
    law: PairLaw<T>,
    scratch: Scratch,
    /// Pose and motion of the second surface in the frame of the first.
    pose: Pose<T>,
    motion: Motion<T>,
    near: bool,
    outcome: Outcome<T>,
    /// Whether the bodies touch, where that is an event, and the memory for looking.
    touching: bool,
    probe: Search,
    queue: Queue,
}

/// Places in [`OUTVAL`] of times of computation: they are no functions of the state and recorded on request only.
const TIMES: std::ops::Range<usize> = 6..11;

/// Places in [`OUTVAL`] that are functions of the state.
fn recorded() -> impl Iterator<Item = usize> {
    (0..OUTVAL.len()).filter(|i| !TIMES.contains(i))
}

/// Names, units and meanings of what is recorded of a contact beside the magnitude of its force.
pub(crate) fn channels() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let force = ["fx", "fy", "fz"].map(|name| (name, "N", "contact force on the first body, ground axes"));
    let more = [
        ("open_lines", "1", "lines of intersection that end at a border"),
        ("contained", "1", "whether one body is inside the other without touching it"),
    ];
    let thesis = recorded().map(|i| {
        let (name, unit) = OUTVAL[i];
        (name, if unit.is_empty() { "1" } else { unit }, "contact, in the frame of the first surface")
    });
    force.into_iter().chain(thesis).chain(more)
}

impl<T: Real> ContactData<T> {
    pub(crate) fn new(timed: bool) -> Self {
        let zero = T::c(0.0);
        let areal = Areal { stiffness: zero, damping: zero, depth: zero };
        let sliding =
            Sliding { friction: zero, speed: T::c(1.0), form: Regularisation::Quadratic, lagged: false };
        Self {
            law: PairLaw { areal, share: T::c(0.5), sliding },
            scratch: Scratch::new(timed),
            pose: Pose::identity(),
            motion: Motion::zero(),
            near: false,
            touching: false,
            probe: Search::default(),
            queue: Queue::default(),
            outcome: Outcome { wrench: Wrench::zero(), stored: zero, elastic_power: zero, loss: zero },
        }
    }

    /// Takes over parameters; those that [`ContactRun::check`] refuses give no stiffness.
    pub(crate) fn bind(&mut self, run: &ContactRun, p: &[T]) {
        let (zero, one) = (T::c(0.0), T::c(1.0));
        let stiffness = |side: &ContactSide| match side {
            ContactSide::Rigid => None,
            ContactSide::Stiffness(stiffness) => Some(stiffness.of(p)),
            ContactSide::Layer { modulus, poisson, depth } => {
                let nu = poisson.of(p);
                Some((one - nu) / ((one + nu) * (one - nu - nu)) * modulus.of(p) / depth.of(p))
            }
        };
        let (stiffness, share) = match (stiffness(&run.sides[0]), stiffness(&run.sides[1])) {
            (Some(a), Some(b)) => (a / (a + b) * b, b / (a + b)),
            (Some(a), None) => (a, one),
            (None, Some(b)) => (b, zero),
            (None, None) => (zero, zero),
        };
        self.law = PairLaw {
            areal: Areal { stiffness, damping: run.damping.of(p), depth: run.depth.of(p) },
            share,
            sliding: Sliding {
                friction: run.friction.of(p),
                speed: run.speed.of(p),
                form: run.form,
                lagged: false,
            },
        };
    }
}

impl ContactData<f64> {
    /// The elements that were found last.
    pub(crate) fn elements(&self) -> &[Element] {
        &self.scratch.elements
    }

    /// The distance of the surfaces; `None` where they cut each other.
    pub(crate) fn nearest(&mut self, pair: &Pair, pose: &Pose<f64>) -> Option<Nearest> {
        let place = placement(pose);
        // Only of convex bodies the direction says anything; for others a bound has to do.
        let nearest = if pair.first.is_convex() && pair.second.is_convex() {
            pair.nearest(&place, &mut self.queue)
        } else {
            Nearest { gap: pair.gap(&place, &mut self.queue), direction: None }
        };
        let detection = pair.settings.detection;
        let cut = nearest.gap == 0.0 && self.probe.run(&pair.first, &pair.second, &place, detection, true);
        (!cut).then_some(nearest)
    }

    /// Of surfaces that cut each other the gap, which is the greatest depth turned around (m), and the direction from the
    /// first to the second in which they are pressed together; `None` where no element says so.
    pub(crate) fn pushed(&mut self, pair: &Pair, pose: &Pose<f64>) -> (f64, Option<Vec3<f64>>) {
        pair.find(&placement(pose), &mut self.scratch);
        let (mut push, mut depth) = (Vec3::zeros(), 0.0f64);
        for element in &self.scratch.elements {
            let state = pair.element(element, &self.law, pose, &Motion::zero());
            push -= state.normal * state.elastic_force;
            depth = depth.max(state.depth);
        }
        let size = push.norm();
        (-depth, (size > 0.0 && size.is_finite()).then(|| push / size))
    }

    /// One of them, in the frame of the first surface.
    pub(crate) fn state(&self, pair: &Pair, element: &Element) -> ElementState<f64> {
        pair.element(element, &self.law, &self.pose, &self.motion)
    }
}

impl ContactRun {
    /// What bounds of single parameters cannot say.
    pub(crate) fn check(&self, value: impl Fn(Param) -> f64) -> Result<(), LayerError> {
        let stiffness = |side: &ContactSide| match *side {
            ContactSide::Rigid => Ok(None),
            ContactSide::Stiffness(stiffness) => Ok(Some(value(stiffness))),
            ContactSide::Layer { modulus, poisson, depth } => {
                let layer = Layer { modulus: value(modulus), poisson: value(poisson), depth: value(depth) };
                layer.stiffness().map(Some)
            }
        };
        Pairing::new(stiffness(&self.sides[0])?, stiffness(&self.sides[1])?).map(|_| ())
    }
}

impl Mechanism {
    /// The pairs of surfaces that can touch, with the names of their elements.
    pub fn contact_pairs(&self) -> impl Iterator<Item = (&str, &Pair)> {
        self.elements.iter().filter_map(|element| match element.kind {
            ElementRun::Contact(index) => Some((element.name.as_str(), &*self.contacts[index].pair)),
            _ => None,
        })
    }

    /// Looks which bodies touch at the loaded instant, where that is an event: detection alone (H-R48). Needs the
    /// kinematics.
    pub(crate) fn probe_contacts(&self, d: &mut Data<f64>) {
        for (index, run) in self.contacts.iter().enumerate().filter(|(_, run)| run.events) {
            let place = placement(&self.seen_from(d, run.between).0);
            let Pair { first, second, settings } = &*run.pair;
            let data = &mut d.contacts[index];
            data.touching = run.pair.near(&place)
                && (data.probe.run(first, second, &place, settings.detection, true)
                    || run.pair.contained(&place));
        }
    }

    /// Whether any contact between meshes is an event.
    pub(crate) fn probes(&self) -> bool {
        self.contacts.iter().any(|run| run.events)
    }

    /// One where the bodies of a contact touch, minus one where they do not.
    pub(crate) fn touching(&self, d: &Data<f64>, index: usize) -> f64 {
        if d.contacts[index].touching { 1.0 } else { -1.0 }
    }

    /// Finds all contacts at the loaded instant and what they do. Pairs are independent of each other, so that their
    /// order and the number of threads change nothing.
    pub(crate) fn evaluate_contacts<T: Real>(&self, d: &mut Data<T>) {
        self.evaluate_touches(d);
        if self.contacts.is_empty() {
            return;
        }
        let mut contacts = std::mem::take(&mut d.contacts);
        let (mut busy, mut work) = (0, 0);
        for (run, data) in self.contacts.iter().zip(&mut contacts) {
            (data.pose, data.motion) = self.seen_from(d, run.between);
            data.law.sliding.lagged = d.trial_effort == Effort::Once;
            let thesis = run.pair.settings.detection == Detection::Thesis;
            data.near = thesis || run.pair.near(&placement(&data.pose));
            busy += usize::from(data.near);
            let counts = data.scratch.search.counts;
            work += counts.boxes + TRIANGLE * counts.triangles;
        }
        let evaluate = |(run, data): (&ContactRun, &mut ContactData<T>)| {
            if data.near {
                run.pair.find(&placement(&data.pose), &mut data.scratch);
            } else {
                data.scratch.clear();
            }
            let start = data.scratch.timed.then(Instant::now);
            data.outcome = run.pair.wrench(&data.scratch.elements, &data.law, &data.pose, &data.motion);
            data.scratch.times[3] = start.map_or(0.0, |start| start.elapsed().as_secs_f64());
        };
        // What the evaluation before took tells whether others would help; results do not depend on it.
        if busy > 1 && work > WORTH && rayon::current_num_threads() > 1 {
            self.contacts.par_iter().zip(&mut contacts).for_each(evaluate);
        } else {
            self.contacts.iter().zip(&mut contacts).for_each(evaluate);
        }
        d.contacts = contacts;
    }

    /// Applies a contact to its bodies; returns its elastic power, that of its losses, and the magnitude of the force.
    pub(crate) fn contact<T: Real>(&self, d: &mut Data<T>, index: usize) -> [T; 3] {
        let [a, b] = self.contacts[index].between;
        let Outcome { wrench, elastic_power, loss, .. } = d.contacts[index].outcome;
        if d.contacts[index].scratch.elements.is_empty() {
            return [T::c(0.0); 3];
        }
        let axes = self.orientation(d, a);
        let (force, moment) = (axes * wrench.lin, axes * wrench.ang);
        // The wrench acts on the first body where the origin of the second surface is.
        let arm = self.point(d, b) - self.point(d, a);
        self.pull(d, a, &force);
        self.twist(d, a, &(moment + arm.cross(&force)));
        self.pull(d, b, &-force);
        self.twist(d, b, &-moment);
        [elastic_power, loss, length(&force)]
    }

    /// Elastic energy of a contact, as last evaluated.
    pub(crate) fn contact_energy<T: Real>(&self, d: &Data<T>, index: usize) -> T {
        d.contacts[index].outcome.stored
    }

    /// Writes what is recorded of a contact beside the magnitude of its force.
    pub(crate) fn contact_channels(&self, d: &Data<f64>, index: usize, put: &mut impl FnMut(f64)) {
        let (run, data) = (&self.contacts[index], &d.contacts[index]);
        let force = self.orientation(d, run.between[0]) * data.outcome.wrench.lin;
        force.iter().for_each(|&part| put(part));
        let mut out = [0.0; 30];
        run.pair.outval(&data.scratch, &data.law, &data.pose, &data.motion, &mut out);
        recorded().for_each(|i| put(out[i]));
        put(data.scratch.lines.lines.iter().filter(|line| !line.closed).count() as f64);
        put(f64::from(u8::from(data.scratch.contained)));
    }

    /// Records the times that every contact takes to evaluate, too: the numbers 6 to 10 of the thesis. They differ from
    /// run to run, so they are not recorded unless asked for. H-R53.
    pub fn record_contact_times(&mut self) {
        if std::mem::replace(&mut self.contact_times, true) {
            return;
        }
        let contacts = self.elements.iter().filter(|element| matches!(element.kind, ElementRun::Contact(_)));
        let times: Vec<Channel> = contacts
            .flat_map(|element| {
                OUTVAL[TIMES].iter().map(|(name, unit)| Channel {
                    name: format!("{}.{name}", element.name),
                    unit: (*unit).into(),
                    meaning: "time of a stage of the last evaluation".into(),
                })
            })
            .collect();
        // Accelerations, reactions and poses are written after them.
        let accelerations = if self.accelerations { self.layout.nv } else { 0 };
        let reactions = if self.reactions { 6 * self.body_count() } else { 0 };
        let place = self.channels.len() - accelerations - reactions - self.pose_channels();
        self.channels.splice(place..place, times);
    }

    /// Writes the times, where they are recorded.
    pub(crate) fn write_contact_times(&self, d: &Data<f64>, put: &mut impl FnMut(f64)) {
        if !self.contact_times {
            return;
        }
        for element in &self.elements {
            if let ElementRun::Contact(index) = element.kind {
                let times = &d.contacts[index].scratch.times;
                times.iter().for_each(|&time| put(time));
                put(times.iter().sum());
            }
        }
    }

    /// Refuses to go on where one body is inside the other without touching it: forces would be zero without a reason.
    pub(crate) fn check_contained(&self, d: &Data<f64>) -> Result<(), Fault> {
        for element in &self.elements {
            if let ElementRun::Contact(index) = element.kind
                && d.contacts[index].scratch.contained
            {
                let reason = format!(
                    "at t = {} s one body is inside the other without touching its surface; it has passed through, so \
                     take a smaller max_step or a stiffer contact, or it starts there",
                    d.table[0]
                );
                return Err(Fault::Refused { element: element.name.clone(), reason });
            }
        }
        Ok(())
    }

    /// Pose and motion of the second frame as seen from the first.
    pub(crate) fn seen_from<T: Real>(&self, d: &Data<T>, [a, b]: [usize; 2]) -> (Pose<T>, Motion<T>) {
        let axes = self.orientation(d, a);
        let (position, velocity) = self.relative(d, [a, b]);
        let rotation = axes.tr_mul(&self.orientation(d, b));
        let turn: Vec3<T> = axes.tr_mul(&(self.turn(d, b) - self.turn(d, a)));
        (Pose::new(rotation, position), Motion::new(turn, velocity))
    }
}

fn placement<T: Real>(pose: &Pose<T>) -> Placement {
    let r = &pose.rotation;
    Placement {
        rotation: [0, 1, 2].map(|i| [0, 1, 2].map(|k| r[(i, k)].re())),
        position: [0, 1, 2].map(|i| pose.position[i].re()),
    }
}
