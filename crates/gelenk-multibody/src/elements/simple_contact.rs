//! Contact between simple bodies: spheres, capsules, boxes, points, planes.
//!
//! Where they touch, and what follows from it, is computed with the scalar of the evaluation, so derivatives by dual
//! numbers are exact as long as the same features touch. Memory holds whether the bodies touch and how fast they
//! approached each other when they began to; it changes at the event of the touch, or with an accepted step.

use gelenk_laws::contact::{Damped, Regularisation, Sliding, SpotLaw, hertz_stiffness};
use gelenk_math::spatial::{Mat3, Vec3, Wrench, length};
use gelenk_math::{Lockstep, Real};
use gelenk_mesh::simple::{Simple, Spots};
use gelenk_record::Change;
use gelenk_system::Param;

use super::contact::contract::{About, Contact, Exerted, Overlap, Record, Seen, contact_spec};
use super::contact::horizon;
use super::contract::{Act, Element, ElementSpec};
use super::modes;

/// Contact between two simple bodies by a law of depth and its rate at every place where they touch.
#[derive(Clone, Debug, PartialEq)]
pub struct SimpleContact {
    /// What they are, lengths in m.
    pub shapes: [Simple<Param>; 2],
    /// Stiffness `K` of `K d^n`.
    pub stiffness: SpotStiffness,
    /// Exponent `n`.
    pub power: SpotPower,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpotStiffness {
    /// It is given (N/m^n).
    Given(Param),
    /// By Hertz from Young's modulus (N/m^2) and the Poisson ratio of each side that is not rigid, and the radii.
    Hertz([Option<[Param; 2]>; 2]),
}

/// The exponent of the depth in the elastic force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpotPower {
    /// One.
    Linear,
    /// Three halves.
    Hertz,
    /// A parameter, at least 1.
    Given(Param),
}

/// What an evaluation knows of a pair of simple bodies.
#[derive(Clone, Debug)]
pub struct SimpleWork<T: Lockstep> {
    shapes: [Simple<T>; 2],
    law: SpotLaw<T>,
    sliding: Sliding<T>,
    spots: Spots<T>,
    seen: Seen<T>,
    noted: Noted<T>,
}

/// What is recorded of a pair beside the magnitude of its force.
#[derive(Clone, Copy, Debug)]
struct Noted<T> {
    /// On the first body, in the axes of its frame.
    force: Vec3<T>,
    /// Place and normal, weighted with the normal forces.
    position: Vec3<T>,
    direction: Vec3<T>,
    /// Greatest speeds of approach and of sliding.
    approach: f64,
    sliding: f64,
    /// Speed of approach at the first touch.
    impact: f64,
}

impl<T: Real> Noted<T> {
    fn nothing() -> Self {
        let none = Vec3::from_element(T::c(0.0));
        Self { force: none, position: none, direction: none, approach: 0.0, sliding: 0.0, impact: 0.0 }
    }
}

impl<T: Real> SimpleWork<T> {
    /// The thinner of the two bodies (m); nothing passes through the half space below a plane.
    fn thickness(&self) -> f64 {
        if self.shapes.iter().any(|shape| matches!(shape, Simple::Plane)) {
            return f64::INFINITY;
        }
        let thickness = |shape: &Simple<T>| match shape {
            Simple::Plane | Simple::Point => f64::INFINITY,
            Simple::Sphere { radius } | Simple::Capsule { radius, .. } => 2.0 * radius.re(),
            Simple::Box { size } => size.iter().fold(f64::INFINITY, |least, edge| least.min(edge.re())),
        };
        self.shapes.iter().map(thickness).fold(f64::INFINITY, f64::min)
    }

    /// How far the second body may move against the first from where they touch until it is out on the other side (m):
    /// half of both, since forces point to the nearer side of what is inside.
    fn way_through(&self) -> f64 {
        self.shapes.iter().map(|shape| half_thickness(shape)).sum()
    }

    /// Speed of approach at the nearest place.
    fn approach(&self) -> f64 {
        let [place, normal] = self.spots.nearest;
        self.seen.velocity(&place).dot(&normal).re().max(0.0)
    }
}

impl SimpleWork<f64> {
    /// Depth, positive where the bodies overlap.
    fn depth(&self) -> f64 {
        -self.spots.gap
    }
}

fn bound<T: Real>(shape: &Simple<Param>, p: &[T]) -> Simple<T> {
    match shape {
        Simple::Point => Simple::Point,
        Simple::Plane => Simple::Plane,
        Simple::Sphere { radius } => Simple::Sphere { radius: radius.of(p) },
        Simple::Capsule { radius, length } => Simple::Capsule { radius: radius.of(p), length: length.of(p) },
        Simple::Box { size } => Simple::Box { size: size.map(|edge| edge.of(p)) },
    }
}

/// Half the thickness of a simple body (m); nothing passes through the half space below a plane.
fn half_thickness<T: Real>(shape: &Simple<T>) -> f64 {
    match shape {
        Simple::Plane => f64::INFINITY,
        Simple::Point => 0.0,
        Simple::Sphere { radius } | Simple::Capsule { radius, .. } => radius.re(),
        Simple::Box { size } => 0.5 * size.iter().fold(f64::INFINITY, |least, edge| least.min(edge.re())),
    }
}

/// How far the surface of a simple body comes out as it turns about its middle (m).
fn swing<T: Real>(shape: &Simple<T>) -> f64 {
    match shape {
        Simple::Plane => f64::INFINITY,
        Simple::Point | Simple::Sphere { .. } => 0.0,
        Simple::Capsule { length, .. } => 0.5 * length.re(),
        Simple::Box { size } => 0.5 * size.iter().map(|edge| edge.re().powi(2)).sum::<f64>().sqrt(),
    }
}

impl Element for SimpleContact {
    const SPEC: ElementSpec = contact_spec(
        "simple contact",
        "Contact between two simple bodies: spheres, capsules, boxes, points, planes.",
        "F = K d^n (1 + ...) at every contact point",
        "hippmann 2.2",
    );

    /// Whether the bodies touch, and the speed of approach when they began to (m/s).
    fn memory(&self, _: usize) -> usize {
        2
    }

    fn switches(&self, _: usize) -> usize {
        1
    }

    /// It acts as a [`Contact`].
    fn act<T: Real>(&self, _: &mut Act<'_, T>) {}
}

impl Contact for SimpleContact {
    type Work<T: Lockstep> = SimpleWork<T>;

    fn work<T: Real>(&self, _: bool) -> SimpleWork<T> {
        let zero = T::c(0.0);
        SimpleWork {
            shapes: [Simple::Point; 2],
            law: SpotLaw { stiffness: zero, exponent: T::c(1.0), damped: Damped::No },
            sliding: Sliding {
                friction: zero,
                speed: T::c(1.0),
                form: Regularisation::Quadratic,
                lagged: false,
            },
            spots: Spots::new(),
            seen: Seen::together(),
            noted: Noted::nothing(),
        }
    }

    /// A pair without a stiffness has none, which [`Contact::check`] refuses.
    fn bind<T: Real>(&self, work: &mut SimpleWork<T>, p: &[T]) {
        work.shapes = [0, 1].map(|side| bound(&self.shapes[side], p));
        let stiffness = match &self.stiffness {
            SpotStiffness::Given(stiffness) => stiffness.of(p),
            SpotStiffness::Hertz(sides) => {
                let materials = sides.map(|side| side.map(|parts| parts.map(|part| part.of(p))));
                let radii = [0, 1].map(|side| work.shapes[side].radius());
                hertz_stiffness(materials, radii).unwrap_or(T::c(0.0))
            }
        };
        let exponent = match self.power {
            SpotPower::Linear => T::c(1.0),
            SpotPower::Hertz => T::c(1.5),
            SpotPower::Given(exponent) => exponent.of(p),
        };
        let damped = match self.damped {
            Damped::No => Damped::No,
            Damped::Viscous { damping, depth } => {
                Damped::Viscous { damping: damping.of(p), depth: depth.of(p) }
            }
            Damped::HuntCrossley { dissipation } => Damped::HuntCrossley { dissipation: dissipation.of(p) },
            Damped::LankaraniNikravesh { restitution, slowest } => {
                Damped::LankaraniNikravesh { restitution: restitution.of(p), slowest: slowest.of(p) }
            }
        };
        work.law = SpotLaw { stiffness, exponent, damped };
        work.sliding = Sliding {
            friction: self.friction.of(p),
            speed: self.speed.of(p),
            form: self.form,
            lagged: false,
        };
    }

    fn check(&self, work: &SimpleWork<f64>, _: &[f64]) -> Result<(), String> {
        let stiffness = work.law.stiffness;
        if stiffness.is_finite() && stiffness > 0.0 {
            return Ok(());
        }
        Err(format!(
            "its stiffness is {stiffness}; Hertz's law needs a modulus and a radius greater than zero on at least one side"
        ))
    }

    fn place<T: Real>(&self, work: &mut SimpleWork<T>, seen: &Seen<T>, lagged: bool) -> usize {
        work.seen = *seen;
        work.sliding.lagged = lagged;
        0
    }

    fn find<T: Real>(&self, work: &mut SimpleWork<T>) {
        let [first, second] = &work.shapes;
        work.spots.find(first, second, &work.seen.pose);
    }

    fn exert<T: Real>(&self, work: &mut SimpleWork<T>, m: &[f64], stepped: bool) -> Option<Exerted<T>> {
        let none = T::c(0.0);
        let mut noted = Noted::nothing();
        let mut moment = noted.force;
        let [mut elastic_power, mut loss, mut pressed] = [none; 3];
        // In continuous mode the memory says whether the bodies touch, so that no step before it meets a kink.
        let in_contact = stepped || m[0] != 0.0;
        for spot in work.spots.all().iter().filter(|_| in_contact) {
            let velocity = work.seen.velocity(&spot.position);
            let approach = velocity.dot(&spot.normal);
            let [normal, elastic] =
                work.law.force(spot.depth, approach, m[1]).map(|force| force * spot.weight);
            let sliding = velocity - spot.normal * approach;
            // At rest friction is a damper, whose factor needs no magnitude.
            let magnitude = length(&sliding);
            let friction = sliding * work.sliding.factor(normal, magnitude);
            let force = spot.normal * normal + friction;
            noted.force += force;
            moment += spot.position.cross(&force);
            elastic_power -= elastic * approach;
            loss -= (normal - elastic) * approach + friction.dot(&sliding);
            pressed += normal;
            noted.position += spot.position * normal;
            noted.direction += spot.normal * normal;
            noted.approach = noted.approach.max(approach.re());
            noted.sliding = noted.sliding.max(magnitude.re());
        }
        let apart = work.spots.all().is_empty();
        noted.impact = if apart { 0.0 } else { m[1] };
        if pressed.re() > 0.0 {
            noted.position /= pressed;
            noted.direction /= pressed;
        }
        work.noted = noted;
        let wrench = Wrench::new(moment, noted.force);
        (in_contact && !apart).then_some(Exerted {
            wrench,
            about: About::First,
            elastic: elastic_power,
            loss,
        })
    }

    fn energy<T: Real>(&self, work: &SimpleWork<T>) -> T {
        let spots = work.spots.all().iter();
        spots.fold(T::c(0.0), |sum, spot| sum + work.law.stored(spot.depth) * spot.weight)
    }

    fn probes(&self, _: &SimpleWork<f64>) -> bool {
        true
    }

    fn probe(&self, work: &mut SimpleWork<f64>, seen: &Seen<f64>, found: bool) {
        if !found {
            work.seen = *seen;
            self.find(work);
        }
    }

    /// While apart, the speed of approach goes along. A motion that starts in touch has no other first touch than its start.
    fn settle(&self, work: &SimpleWork<f64>, m: &mut [f64]) {
        let began = m[0] == 0.0 && m[1] == 0.0;
        m[0] = if work.depth() > 0.0 { 1.0 } else { 0.0 };
        if m[0] == 0.0 || began {
            m[1] = work.approach();
        }
    }

    fn boundaries(&self, work: &SimpleWork<f64>, m: &[f64], g: &mut [f64]) {
        modes::switching(&[work.depth()], m, g);
    }

    fn turn(&self, work: &SimpleWork<f64>, m: &mut [f64]) -> Change {
        if m[0] != 0.0 {
            m[0] = 0.0;
            return Change::ContactOpens;
        }
        m[0] = 1.0;
        m[1] = work.approach();
        Change::ContactCloses
    }

    fn horizon(&self, work: &mut SimpleWork<f64>, seen: &Seen<f64>, gravity: f64, _: f64) -> f64 {
        self.probe(work, seen, false);
        let thin = work.thickness();
        let speed = seen.velocity(&work.spots.nearest[0]).norm() + seen.motion.ang.norm() * thin;
        horizon::time(work.spots.gap, thin, speed, gravity)
    }

    fn reach(&self, work: &mut SimpleWork<f64>, seen: &Seen<f64>, gravity: f64, _: f64) -> [f64; 2] {
        self.probe(work, seen, false);
        let swings = [0, 1].map(|side| swing(&work.shapes[side]));
        // Normals point into the first body.
        let direction = Some(-work.spots.nearest[1]);
        let middles = [Vec3::zeros(), seen.pose.position];
        let speed = horizon::closing(seen, middles, swings, direction);
        [work.spots.gap, 0.0].map(|gap| horizon::fixed_time(gap, work.way_through(), speed, gravity))
    }

    fn overlap(&self, work: &SimpleWork<f64>) -> Overlap {
        Overlap { depth: work.depth(), size: 1.0 }
    }

    fn records(&self) -> Vec<Record> {
        let frame = "contact, in the frame of the first surface";
        let force = "contact force on the first body, ground axes";
        vec![
            ("fx", "N", force),
            ("fy", "N", force),
            ("fz", "N", force),
            ("spots", "1", "number of contact points"),
            ("max_depth", "m", "greatest depth"),
            ("gap", "m", "distance between the bodies, negative where they overlap"),
            ("max_approach", "m/s", "normal speed, positive when approaching"),
            ("max_sliding", "m/s", "tangential speed"),
            ("impact", "m/s", "speed of approach at first contact"),
            ("position.x", "m", frame),
            ("position.y", "m", frame),
            ("position.z", "m", frame),
            ("direction.x", "1", frame),
            ("direction.y", "1", frame),
            ("direction.z", "1", frame),
        ]
    }

    fn record(&self, work: &SimpleWork<f64>, axes: &Mat3<f64>, put: &mut dyn FnMut(f64)) {
        let Noted { force, position, direction, approach, sliding, impact } = &work.noted;
        (axes * force).iter().for_each(|&part| put(part));
        let deepest = work.spots.all().iter().fold(0.0, |depth: f64, spot| depth.max(spot.depth));
        put(work.spots.all().len() as f64);
        put(deepest);
        put(work.spots.distance(&work.shapes, &work.seen.pose));
        put(*approach);
        put(*sliding);
        put(*impact);
        position.iter().chain(direction).for_each(|&part| put(part));
    }
}
