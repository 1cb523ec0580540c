//! Contact between meshes (hippmann, chapter 4).
//!
//! Where the surfaces touch is found once for every evaluation, from positions alone and in `f64`; forces then follow
//! for any scalar. Derivatives by dual numbers are those at fixed contact elements.

use std::sync::Arc;
use std::time::Instant;

use gelenk_laws::contact::{Areal, Layer, LayerError, Pairing, Regularisation, Sliding};
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3, Wrench};
use gelenk_math::{Lockstep, Real};
use gelenk_mesh::contact::{
    Detection, ElementState, Nearest, OUTVAL, Outcome, Pair, PairLaw, Placement, Queue, Scratch, Search,
    Surface,
};
use gelenk_record::Change;
use gelenk_system::Param;

use super::contact::ContactElement;
use super::contact::contract::{About, Contact, Exerted, Overlap, Record, Seen, contact_spec};
use super::contact::horizon::{self, closing, fixed_time};
use super::contract::{Act, Element, ElementSpec};
use super::modes;

/// Box tests that a triangle test costs, with what follows from it.
const TRIANGLE: usize = 10;

/// Contact between two meshes by elastic layers on them (hippmann, chapter 4).
#[derive(Clone, Debug)]
pub struct MeshContact {
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
    /// Whether the start and the end of contact are events.
    pub events: bool,
}

/// What one side of a contact gives way by.
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl PartialEq for MeshContact {
    /// The same surfaces are those that are shared.
    fn eq(&self, other: &Self) -> bool {
        let numbers = |contact: &Self| [contact.damping, contact.depth, contact.friction, contact.speed];
        Arc::ptr_eq(&self.pair, &other.pair)
            && self.sides == other.sides
            && numbers(self) == numbers(other)
            && (self.form, self.events) == (other.form, other.events)
    }
}

impl MeshContact {
    /// Whether both bodies are convex and closed: then elements push to one side only.
    fn is_convex(&self) -> bool {
        let Pair { first, second, .. } = &*self.pair;
        [first, second].iter().all(|surface| surface.is_closed() && surface.is_convex())
    }

    /// What bounds of single parameters cannot say.
    fn pairing(&self, p: &[f64]) -> Result<(), LayerError> {
        let stiffness = |side: &ContactSide| match *side {
            ContactSide::Rigid => Ok(None),
            ContactSide::Stiffness(stiffness) => Ok(Some(stiffness.of(p))),
            ContactSide::Layer { modulus, poisson, depth } => {
                let layer = Layer { modulus: modulus.of(p), poisson: poisson.of(p), depth: depth.of(p) };
                layer.stiffness().map(Some)
            }
        };
        Pairing::new(stiffness(&self.sides[0])?, stiffness(&self.sides[1])?).map(|_| ())
    }

    /// The distance of the surfaces; `None` where they cut each other.
    fn nearest(&self, work: &mut MeshWork<f64>, pose: &Pose<f64>) -> Option<Nearest> {
        let (pair, place) = (&*self.pair, placement(pose));
        // Only of convex bodies the direction says anything; for others a bound has to do.
        let nearest = if pair.first.is_convex() && pair.second.is_convex() {
            pair.nearest(&place, &mut work.queue)
        } else {
            Nearest { gap: pair.gap(&place, &mut work.queue), direction: None }
        };
        let detection = pair.settings.detection;
        let cut = nearest.gap == 0.0 && work.probe.run(&pair.first, &pair.second, &place, detection, true);
        (!cut).then_some(nearest)
    }

    /// Of surfaces that cut each other the gap, which is the greatest depth turned around (m), and the direction from the
    /// first to the second in which they are pressed together; `None` where no element says so.
    fn pushed(&self, work: &mut MeshWork<f64>, pose: &Pose<f64>) -> (f64, Option<Vec3<f64>>) {
        work.find(&self.pair, placement(pose));
        let (mut push, mut depth) = (Vec3::zeros(), 0.0f64);
        for element in &work.scratch.elements {
            let state = self.pair.element(element, &work.law, pose, &Motion::zero());
            push -= state.normal * state.elastic_force;
            depth = depth.max(state.depth);
        }
        let size = push.norm();
        (-depth, (size > 0.0 && size.is_finite()).then(|| push / size))
    }

    /// The elements that were found last, in the frame of the first surface.
    fn element_states<'a>(&'a self, work: &'a MeshWork<f64>) -> impl Iterator<Item = ElementState<f64>> + 'a {
        let Seen { pose, motion } = &work.seen;
        work.scratch.elements.iter().map(move |element| self.pair.element(element, &work.law, pose, motion))
    }
}

/// What an evaluation knows of a pair of meshes.
#[derive(Clone, Debug)]
pub struct MeshWork<T: Lockstep> {
    law: PairLaw<T>,
    scratch: Scratch,
    /// The placement that `scratch` belongs to.
    found_at: Option<Placement>,
    seen: Seen<T>,
    near: bool,
    outcome: Outcome<T>,
    /// Whether the bodies touch, where that is an event, and the memory for looking.
    in_contact: bool,
    probe: Search,
    queue: Queue,
}

impl<T: Real> MeshWork<T> {
    /// Whether the elements at a placement are there.
    fn has_found(&self, at: &Placement) -> bool {
        !self.scratch.timed && self.found_at.is_some_and(|known| known.is_same(at))
    }

    /// Finds the elements at a placement, unless it was the last one: derivatives come some columns at a time, and the
    /// elements do not depend on them. Where the stages are timed nothing is spared.
    fn find(&mut self, pair: &Pair, at: Placement) {
        if !self.has_found(&at) {
            pair.find(&at, &mut self.scratch);
            self.found_at = Some(at);
        }
    }
}

/// Places in [`OUTVAL`] of times of computation: they are no functions of the state and recorded on request only.
const TIMES: std::ops::Range<usize> = 6..11;

/// Places in [`OUTVAL`] that are functions of the state.
fn recorded() -> impl Iterator<Item = usize> {
    (0..OUTVAL.len()).filter(|i| !TIMES.contains(i))
}

impl Element for MeshContact {
    const SPEC: ElementSpec = contact_spec(
        "mesh contact",
        "Contact between two meshes by elastic layers on them.",
        "p = c d + c_d dd/dt at every contact element",
        "hippmann 4",
    );

    /// Whether the bodies touch, where that is an event.
    fn memory(&self, _: usize) -> usize {
        usize::from(self.events)
    }

    fn switches(&self, _: usize) -> usize {
        usize::from(self.events)
    }

    /// It acts as a [`Contact`].
    fn act<T: Real>(&self, _: &mut Act<'_, T>) {}
}

impl Contact for MeshContact {
    type Work<T: Lockstep> = MeshWork<T>;

    fn work<T: Real>(&self, timed: bool) -> MeshWork<T> {
        let zero = T::c(0.0);
        let areal = Areal { stiffness: zero, damping: zero, depth: zero };
        let sliding =
            Sliding { friction: zero, speed: T::c(1.0), form: Regularisation::Quadratic, lagged: false };
        MeshWork {
            law: PairLaw { areal, share: T::c(0.5), sliding },
            scratch: Scratch::new(timed),
            found_at: None,
            seen: Seen::together(),
            near: false,
            in_contact: false,
            probe: Search::default(),
            queue: Queue::default(),
            outcome: Outcome { wrench: Wrench::zero(), stored: zero, elastic_power: zero, loss: zero },
        }
    }

    /// Parameters that [`Contact::check`] refuses give no stiffness.
    fn bind<T: Real>(&self, work: &mut MeshWork<T>, p: &[T]) {
        let (zero, one) = (T::c(0.0), T::c(1.0));
        let stiffness = |side: &ContactSide| match side {
            ContactSide::Rigid => None,
            ContactSide::Stiffness(stiffness) => Some(stiffness.of(p)),
            ContactSide::Layer { modulus, poisson, depth } => {
                let nu = poisson.of(p);
                Some((one - nu) / ((one + nu) * (one - nu - nu)) * modulus.of(p) / depth.of(p))
            }
        };
        let (stiffness, share) = match (stiffness(&self.sides[0]), stiffness(&self.sides[1])) {
            (Some(a), Some(b)) => (a / (a + b) * b, b / (a + b)),
            (Some(a), None) => (a, one),
            (None, Some(b)) => (b, zero),
            (None, None) => (zero, zero),
        };
        work.law = PairLaw {
            areal: Areal { stiffness, damping: self.damping.of(p), depth: self.depth.of(p) },
            share,
            sliding: Sliding {
                friction: self.friction.of(p),
                speed: self.speed.of(p),
                form: self.form,
                lagged: false,
            },
        };
    }

    fn check(&self, _: &MeshWork<f64>, p: &[f64]) -> Result<(), String> {
        self.pairing(p).map_err(|error| error.to_string())
    }

    fn place<T: Real>(&self, work: &mut MeshWork<T>, seen: &Seen<T>, lagged: bool) -> usize {
        work.seen = *seen;
        work.law.sliding.lagged = lagged;
        let thesis = self.pair.settings.detection == Detection::Thesis;
        let at = placement(&seen.pose);
        work.near = thesis || self.pair.near(&at);
        if !work.near || work.has_found(&at) {
            return usize::from(work.near);
        }
        // What the evaluation before took says what this one will.
        let counts = work.scratch.search.counts;
        1 + counts.boxes + TRIANGLE * counts.triangles
    }

    fn find<T: Real>(&self, work: &mut MeshWork<T>) {
        let Seen { pose, motion } = &work.seen;
        let (pose, motion) = (*pose, *motion);
        if work.near {
            work.find(&self.pair, placement(&pose));
        } else {
            work.scratch.clear();
            work.found_at = None;
        }
        let start = work.scratch.timed.then(Instant::now);
        work.outcome = self.pair.wrench(&work.scratch.elements, &work.law, &pose, &motion);
        work.scratch.times[3] = start.map_or(0.0, |start| start.elapsed().as_secs_f64());
    }

    fn exert<T: Real>(&self, work: &mut MeshWork<T>, _: &[f64], _: bool) -> Option<Exerted<T>> {
        let Outcome { wrench, elastic_power, loss, .. } = work.outcome;
        (!work.scratch.elements.is_empty()).then_some(Exerted {
            wrench,
            about: About::Second,
            elastic: elastic_power,
            loss,
        })
    }

    fn energy<T: Real>(&self, work: &MeshWork<T>) -> T {
        work.outcome.stored
    }

    fn probes(&self, _: &MeshWork<f64>) -> bool {
        self.events
    }

    /// Detection alone (H-R48).
    fn probe(&self, work: &mut MeshWork<f64>, seen: &Seen<f64>, _: bool) {
        if self.events {
            let place = placement(&seen.pose);
            let Pair { first, second, settings } = &*self.pair;
            work.in_contact = self.pair.near(&place)
                && (work.probe.run(first, second, &place, settings.detection, true)
                    || self.pair.contained(&place));
        }
    }

    fn settle(&self, work: &MeshWork<f64>, m: &mut [f64]) {
        modes::settle(&[sign(work.in_contact)], m);
    }

    fn boundaries(&self, work: &MeshWork<f64>, m: &[f64], g: &mut [f64]) {
        modes::switching(&[sign(work.in_contact)], m, g);
    }

    fn turn(&self, _: &MeshWork<f64>, m: &mut [f64]) -> Change {
        modes::turn(0, 1, m)
    }

    /// Elements stand on the surface: what lies across a plate, out on both sides, touches it nowhere.
    fn horizon(&self, work: &mut MeshWork<f64>, seen: &Seen<f64>, gravity: f64, wanted: f64) -> f64 {
        let pair = &*self.pair;
        let reaches = [&pair.first, &pair.second].map(|surface| radius(surface));
        let speed = closing(seen, middles(pair, &seen.pose), reaches, None);
        let thin = thinner(pair);
        // Most pairs allow the step without a look at their distance.
        if horizon::time(0.0, thin, speed, gravity) >= wanted {
            return f64::INFINITY;
        }
        let nearest = self.nearest(work, &seen.pose);
        nearest.map_or(f64::INFINITY, |nearest| horizon::time(nearest.gap, thin, speed, gravity))
    }

    fn reach(&self, work: &mut MeshWork<f64>, seen: &Seen<f64>, gravity: f64, wanted: f64) -> [f64; 2] {
        let (pair, pose) = (&*self.pair, &seen.pose);
        let (middles, swings) = (middles(pair, pose), [pair.first.swing(), pair.second.swing()]);
        let thin = thinner(pair);
        let any = closing(seen, middles, swings, None);
        if horizon::time(0.0, thin, any, gravity) >= wanted {
            return [f64::INFINITY; 2];
        }
        let convex = pair.first.is_convex() && pair.second.is_convex();
        let (gap, direction) = match self.nearest(work, pose) {
            Some(Nearest { gap, direction }) => (gap, direction.map(Vec3::from)),
            None => self.pushed(work, pose),
        };
        let speed = closing(seen, middles, swings, direction.filter(|_| convex));
        [gap, 0.0].map(|gap| fixed_time(gap, thin, speed, gravity))
    }

    fn overlap(&self, work: &MeshWork<f64>) -> Overlap {
        let depth = self.element_states(work).map(|state| state.depth).fold(0.0, f64::max);
        Overlap { depth, size: self.pair.first.size().min(self.pair.second.size()) }
    }

    fn judges_start(&self, _: &MeshWork<f64>) -> bool {
        self.is_convex()
    }

    /// Convex meshes that start so deep in each other that nothing says which way they are pressed apart: beyond half of the
    /// thinner one elements push to both sides, and which of them count changes with the last digit of the position.
    fn refuse_start(&self, work: &MeshWork<f64>) -> Option<String> {
        let depth = self.element_states(work).map(|state| state.height).fold(0.0, f64::max);
        let half = 0.5 * self.pair.first.thickness().min(self.pair.second.thickness());
        (self.is_convex() && depth > half).then(|| {
            format!(
                "it starts with a penetration of {:.4} mm, more than half of the thinner body ({:.4} mm), where the \
                 direction of separation is not defined: start farther apart",
                1e3 * depth,
                1e3 * half
            )
        })
    }

    /// One body is inside the other without intersecting it: forces would be zero without a reason.
    fn refuse(&self, work: &MeshWork<f64>) -> Option<&'static str> {
        work.scratch.contained.then_some(
            "one body is inside the other without intersecting its surface; either it has passed through (use a smaller \
             max_step or a stiffer contact), or it starts there",
        )
    }

    fn records(&self) -> Vec<Record> {
        let force =
            ["fx", "fy", "fz"].map(|name| (name, "N", "contact force on the first body, ground axes"));
        let more = [
            ("open_lines", "1", "lines of intersection that end at a border"),
            ("contained", "1", "whether one body is inside the other without intersecting it"),
        ];
        let thesis = recorded().map(|i| {
            let (name, unit) = OUTVAL[i];
            (name, if unit.is_empty() { "1" } else { unit }, "contact, in the frame of the first surface")
        });
        force.into_iter().chain(thesis).chain(more).collect()
    }

    /// The numbers 6 to 10 of the thesis (H-R53).
    fn times(&self) -> Vec<Record> {
        let time = |&(name, unit)| (name, unit, "time of a stage of the last evaluation");
        OUTVAL[TIMES].iter().map(time).collect()
    }

    fn record(&self, work: &MeshWork<f64>, axes: &Mat3<f64>, put: &mut dyn FnMut(f64)) {
        let force = axes * work.outcome.wrench.lin;
        force.iter().for_each(|&part| put(part));
        let mut out = [0.0; 30];
        self.pair.outval(&work.scratch, &work.law, &work.seen.pose, &work.seen.motion, &mut out);
        recorded().for_each(|i| put(out[i]));
        put(work.scratch.lines.lines.iter().filter(|line| !line.closed).count() as f64);
        put(f64::from(u8::from(work.scratch.contained)));
    }

    fn record_times(&self, work: &MeshWork<f64>, put: &mut dyn FnMut(f64)) {
        let times = &work.scratch.times;
        times.iter().for_each(|&time| put(time));
        put(times.iter().sum());
    }

    fn elements(&self, work: &MeshWork<f64>, first: &Pose<f64>, take: &mut dyn FnMut(ContactElement)) {
        let weight = self.pair.weight();
        for (element, state) in work.scratch.elements.iter().zip(self.element_states(work)) {
            take(ContactElement {
                pair: 0,
                second_is_master: element.second_is_master,
                triangle: element.master,
                area: state.area,
                depth: state.depth,
                sliding: state.speed,
                pressure: state.normal_force / state.area,
                traction: state.friction.norm() / state.area,
                position: first.position + first.rotation * state.position,
                force: first.rotation * (state.normal * state.normal_force + state.friction) * weight,
            });
        }
    }
}

/// One where bodies touch, minus one where they do not.
fn sign(in_contact: bool) -> f64 {
    if in_contact { 1.0 } else { -1.0 }
}

fn placement<T: Real>(pose: &Pose<T>) -> Placement {
    let r = &pose.rotation;
    Placement {
        rotation: [0, 1, 2].map(|i| [0, 1, 2].map(|k| r[(i, k)].re())),
        position: [0, 1, 2].map(|i| pose.position[i].re()),
    }
}

/// Middles of the boxes around both surfaces, in the frame of the first.
fn middles(pair: &Pair, pose: &Pose<f64>) -> [Vec3<f64>; 2] {
    let [one, two] = [&pair.first, &pair.second].map(|surface| Vec3::from(surface.tree().nodes()[0].middle));
    [one, pose.point(&two)]
}

/// The thickness that may not be passed in one step (m): of the thinner body, or of the one that has any; of two sheets
/// the smaller one says what a small way is.
fn thinner(pair: &Pair) -> f64 {
    let thick = [&pair.first, &pair.second].map(|surface| match surface.thickness() {
        0.0 => f64::INFINITY,
        thickness => thickness,
    });
    match thick[0].min(thick[1]) {
        f64::INFINITY => radius(&pair.first).min(radius(&pair.second)),
        thinner => thinner,
    }
}

/// Radius of the ball around a surface (m).
fn radius(surface: &Surface) -> f64 {
    surface.tree().nodes()[0].half.iter().map(|half| half * half).sum::<f64>().sqrt()
}
