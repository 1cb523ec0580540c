//! Contact between simple bodies as an element of the mechanism: spheres, capsules, boxes, points, planes.
//!
//! Where they touch, and what follows from it, is computed with the scalar of the evaluation, so derivatives by dual
//! numbers are exact as long as the same features touch. Memory holds whether the bodies touch and how fast they
//! approached each other when they began to; it changes at the event of the touch, or with an accepted step.

use gelenk_laws::contact::{Damped, Regularisation, Sliding, SpotLaw, hertz_stiffness};
use gelenk_math::Real;
use gelenk_math::spatial::{Motion, Pose, Vec3, length};
use gelenk_mesh::simple::{Simple, Spots};
use gelenk_system::{Effort, Param};

use crate::blueprint::{Touch, TouchPower, TouchStiffness};
use crate::data::Data;
use crate::elements::horizon;
use crate::mechanism::{ElementRun, Mechanism};

/// Numbers of memory: whether the bodies touch, and the speed of approach when they began to (m/s).
pub(crate) const MEMORY: usize = 2;

/// What an evaluation knows of a pair of simple bodies.
#[derive(Clone, Debug)]
pub(crate) struct TouchData<T: Real> {
    shapes: [Simple<T>; 2],
    law: SpotLaw<T>,
    sliding: Sliding<T>,
    spots: Spots<T>,
    /// Pose and motion of the second body in the frame of the first.
    pose: Pose<T>,
    motion: Motion<T>,
    told: Told<T>,
}

/// What is recorded of a pair beside the magnitude of its force.
#[derive(Clone, Copy, Debug)]
struct Told<T> {
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

impl<T: Real> Told<T> {
    fn new() -> Self {
        let none = Vec3::from_element(T::c(0.0));
        Self { force: none, position: none, direction: none, approach: 0.0, sliding: 0.0, impact: 0.0 }
    }
}

/// Names, units and meanings of what is recorded of a pair beside the magnitude of its force.
pub(crate) fn channels() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let frame = "contact, in the frame of the first surface";
    let force = ["fx", "fy", "fz"].map(|name| (name, "N", "contact force on the first body, ground axes"));
    let rest = [
        ("spots", "1", "places of contact"),
        ("max_depth", "m", "greatest depth"),
        ("gap", "m", "distance of the bodies, negative where they overlap"),
        ("max_approach", "m/s", "normal speed, positive when approaching"),
        ("max_sliding", "m/s", "tangential speed"),
        ("impact", "m/s", "speed of approach at the first touch"),
        ("position.x", "m", frame),
        ("position.y", "m", frame),
        ("position.z", "m", frame),
        ("direction.x", "1", frame),
        ("direction.y", "1", frame),
        ("direction.z", "1", frame),
    ];
    force.into_iter().chain(rest)
}

fn shape<T: Real>(shape: &Simple<Param>, p: &[T]) -> Simple<T> {
    match shape {
        Simple::Point => Simple::Point,
        Simple::Plane => Simple::Plane,
        Simple::Sphere { radius } => Simple::Sphere { radius: radius.of(p) },
        Simple::Capsule { radius, length } => Simple::Capsule { radius: radius.of(p), length: length.of(p) },
        Simple::Box { size } => Simple::Box { size: size.map(|edge| edge.of(p)) },
    }
}

impl<T: Real> TouchData<T> {
    pub(crate) fn new() -> Self {
        let zero = T::c(0.0);
        Self {
            shapes: [Simple::Point; 2],
            law: SpotLaw { stiffness: zero, exponent: T::c(1.0), damped: Damped::No },
            sliding: Sliding {
                friction: zero,
                speed: T::c(1.0),
                form: Regularisation::Quadratic,
                lagged: false,
            },
            spots: Spots::new(),
            pose: Pose::identity(),
            motion: Motion::zero(),
            told: Told::new(),
        }
    }

    /// Takes over parameters; a pair without a stiffness has none, which [`Mechanism::check_touches`] refuses.
    pub(crate) fn bind(&mut self, run: &Touch, p: &[T]) {
        self.shapes = [0, 1].map(|side| shape(&run.shapes[side], p));
        let stiffness = match &run.stiffness {
            TouchStiffness::Given(stiffness) => stiffness.of(p),
            TouchStiffness::Hertz(sides) => {
                let materials = sides.map(|side| side.map(|parts| parts.map(|part| part.of(p))));
                let radii = [0, 1].map(|side| self.shapes[side].radius());
                hertz_stiffness(materials, radii).unwrap_or(T::c(0.0))
            }
        };
        let exponent = match run.power {
            TouchPower::Linear => T::c(1.0),
            TouchPower::Hertz => T::c(1.5),
            TouchPower::Given(exponent) => exponent.of(p),
        };
        let damped = match run.damped {
            Damped::No => Damped::No,
            Damped::Viscous { damping, depth } => {
                Damped::Viscous { damping: damping.of(p), depth: depth.of(p) }
            }
            Damped::HuntCrossley { dissipation } => Damped::HuntCrossley { dissipation: dissipation.of(p) },
            Damped::LankaraniNikravesh { restitution, slowest } => {
                Damped::LankaraniNikravesh { restitution: restitution.of(p), slowest: slowest.of(p) }
            }
        };
        self.law = SpotLaw { stiffness, exponent, damped };
        self.sliding =
            Sliding { friction: run.friction.of(p), speed: run.speed.of(p), form: run.form, lagged: false };
    }

    /// Velocity of the second body against the first at a place.
    fn velocity(&self, place: &Vec3<T>) -> Vec3<T> {
        self.motion.lin + self.motion.ang.cross(&(place - self.pose.position))
    }

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
        self.velocity(&place).dot(&normal).re().max(0.0)
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

impl Mechanism {
    /// Names of the elements of simple bodies that can touch.
    pub fn touch_names(&self) -> impl Iterator<Item = &str> {
        let touches = self.elements.iter().filter(|element| matches!(element.kind, ElementRun::Touch(_)));
        touches.map(|element| element.name.as_str())
    }

    /// Finds where all simple bodies touch at the loaded instant.
    pub(crate) fn evaluate_touches<T: Real>(&self, d: &mut Data<T>) {
        for index in 0..self.touches.len() {
            let (pose, motion) = self.seen_from(d, self.touches[index].between);
            let TouchData { shapes: [first, second], spots, .. } = &mut d.touches[index];
            spots.find(first, second, &pose);
            (d.touches[index].pose, d.touches[index].motion) = (pose, motion);
        }
    }

    /// Applies a contact of simple bodies; returns its elastic power, that of its losses, and the magnitude of the force.
    pub(crate) fn touch<T: Real>(&self, d: &mut Data<T>, index: usize, m: &[f64], stepped: bool) -> [T; 3] {
        let [a, b] = self.touches[index].between;
        let lagged = d.trial_effort == Effort::Once;
        let data = &mut d.touches[index];
        data.sliding.lagged = lagged;
        let none = T::c(0.0);
        let mut told = Told::new();
        let mut moment = told.force;
        let [mut elastic_power, mut loss, mut pressed] = [none; 3];
        // In continuous mode the memory says whether the bodies touch, so that no step before it meets a kink.
        let touching = stepped || m[0] != 0.0;
        for spot in data.spots.all().iter().filter(|_| touching) {
            let velocity = data.velocity(&spot.position);
            let approach = velocity.dot(&spot.normal);
            let [normal, elastic] =
                data.law.force(spot.depth, approach, m[1]).map(|force| force * spot.weight);
            let sliding = velocity - spot.normal * approach;
            // At rest friction is a damper, whose factor needs no magnitude.
            let magnitude = length(&sliding);
            let friction = sliding * data.sliding.factor(normal, magnitude);
            let force = spot.normal * normal + friction;
            told.force += force;
            moment += spot.position.cross(&force);
            elastic_power -= elastic * approach;
            loss -= (normal - elastic) * approach + friction.dot(&sliding);
            pressed += normal;
            told.position += spot.position * normal;
            told.direction += spot.normal * normal;
            told.approach = told.approach.max(approach.re());
            told.sliding = told.sliding.max(magnitude.re());
        }
        told.impact = if data.spots.all().is_empty() { 0.0 } else { m[1] };
        if pressed.re() > 0.0 {
            told.position /= pressed;
            told.direction /= pressed;
        }
        data.told = told;
        if !touching || data.spots.all().is_empty() {
            return [none; 3];
        }
        let axes = self.orientation(d, a);
        let (force, moment) = (axes * told.force, axes * moment);
        let arm = self.point(d, b) - self.point(d, a);
        self.pull(d, a, &force);
        self.twist(d, a, &moment);
        self.pull(d, b, &-force);
        self.twist(d, b, &(arm.cross(&force) - moment));
        [elastic_power, loss, length(&force)]
    }

    /// Elastic energy of a pair, where it was last found to touch.
    pub(crate) fn touch_energy<T: Real>(&self, d: &Data<T>, index: usize) -> T {
        let TouchData { spots, law, .. } = &d.touches[index];
        spots.all().iter().fold(T::c(0.0), |sum, spot| sum + law.stored(spot.depth) * spot.weight)
    }

    /// Depth, positive where the bodies of a pair overlap.
    pub(crate) fn touch_depth(&self, d: &Data<f64>, index: usize) -> f64 {
        -d.touches[index].spots.gap
    }

    /// Settles the memory of a pair on where it was last found: while apart, the speed of approach goes along. A motion that
    /// starts in touch has no other first touch than its start.
    pub(crate) fn commit_touch(&self, d: &Data<f64>, index: usize, m: &mut [f64]) {
        let began = m[0] == 0.0 && m[1] == 0.0;
        m[0] = if self.touch_depth(d, index) > 0.0 { 1.0 } else { 0.0 };
        if m[0] == 0.0 || began {
            m[1] = d.touches[index].approach();
        }
    }

    /// Changes whether a pair touches, at the event; returns what is told.
    pub(crate) fn switch_touch(
        &self,
        d: &mut Data<f64>,
        t: f64,
        index: usize,
        x: &[f64],
        m: &mut [f64],
    ) -> &'static str {
        if m[0] != 0.0 {
            m[0] = 0.0;
            return "contact opens";
        }
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.evaluate_touches(d);
        m[0] = 1.0;
        m[1] = d.touches[index].approach();
        "contact closes"
    }

    /// How long a step may be so that no pair of simple bodies passes through each other unseen. Needs the kinematics.
    pub(crate) fn touch_horizon(&self, d: &mut Data<f64>) -> f64 {
        self.evaluate_touches(d);
        let gravity = d.gravity.norm();
        d.touches.iter().fold(f64::INFINITY, |least, data| {
            let thin = data.thickness();
            let speed = data.velocity(&data.spots.nearest[0]).norm() + data.motion.ang.norm() * thin;
            least.min(horizon::time(data.spots.gap, thin, speed, gravity))
        })
    }

    /// The longest fixed steps in which a pair does not pass through each other (s): from where it is, and from where it
    /// touches. Needs the places of contact.
    pub(crate) fn touch_reach(&self, d: &Data<f64>, index: usize) -> [f64; 2] {
        let data = &d.touches[index];
        let swings = [0, 1].map(|side| swing(&data.shapes[side]));
        // Normals point into the first body.
        let direction = Some(-data.spots.nearest[1]);
        let middles = [Vec3::zeros(), data.pose.position];
        let speed = horizon::closing(&data.pose, &data.motion, middles, swings, direction);
        [data.spots.gap, 0.0].map(|gap| horizon::fixed_time(gap, data.way_through(), speed, d.gravity.norm()))
    }

    /// Writes what is recorded of a pair beside the magnitude of its force.
    pub(crate) fn touch_channels(&self, d: &Data<f64>, index: usize, put: &mut impl FnMut(f64)) {
        let (run, data) = (&self.touches[index], &d.touches[index]);
        let Told { force, position, direction, approach, sliding, impact } = &data.told;
        (self.orientation(d, run.between[0]) * force).iter().for_each(|&part| put(part));
        let deepest = data.spots.all().iter().fold(0.0, |depth: f64, spot| depth.max(spot.depth));
        put(data.spots.all().len() as f64);
        put(deepest);
        put(data.spots.distance(&data.shapes, &data.pose));
        put(*approach);
        put(*sliding);
        put(*impact);
        position.iter().chain(direction).for_each(|&part| put(part));
    }

    /// Refuses a pair of simple bodies whose parameters give it no stiffness.
    pub(crate) fn check_touch(&self, d: &Data<f64>, index: usize) -> Result<(), String> {
        let stiffness = d.touches[index].law.stiffness;
        if stiffness.is_finite() && stiffness > 0.0 {
            return Ok(());
        }
        Err(format!(
            "its stiffness is {stiffness}; Hertz's law needs a modulus and a radius greater than zero on at least one side"
        ))
    }
}
