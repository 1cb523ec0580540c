//! A pair of surfaces: from their relative motion to the wrench between them.

use std::sync::Arc;
use std::time::Instant;

use gelenk_laws::contact::{Areal, Sliding};
use gelenk_math::Real;
use gelenk_math::spatial::{Motion, Pose, Vec3, Wrench, length};

use super::detect::{Detection, Placement, Search};
use super::element::{Marks, PairElement, Undercut, search};
use super::polyline::Lines;
use super::region::Regions;
use super::surface::Surface;
use crate::vector::{V3, norm, sub};

/// Which surface gives the elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Master {
    /// The first one.
    First,
    /// The second one.
    Second,
    /// Both; the result is the mean of the two. Twice the work, and no side is preferred.
    #[default]
    Both,
}

/// How contact is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which surface gives the elements. The finer one should; a coarse one loses what is between its centroids.
    pub master: Master,
    /// How boxes are compared.
    pub detection: Detection,
    /// Least cosine between the normal of an element and the face behind it; zero as in the thesis.
    pub steep: f64,
    /// What counts where the line from a centroid meets the other surface several times.
    pub undercut: Undercut,
}

impl Default for Settings {
    fn default() -> Self {
        Self { master: Master::Both, detection: Detection::Modern, steep: 0.1, undercut: Undercut::Nearest }
    }
}

/// Two surfaces that may touch.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The first surface, `E`: everything is told in its frame, and the wrench acts on its body.
    pub first: Arc<Surface>,
    /// The second surface, `F`.
    pub second: Arc<Surface>,
    /// How contact is found.
    pub settings: Settings,
}

/// Law of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLaw<T> {
    /// Pressure.
    pub areal: Areal<T>,
    /// Share of the penetration that the first surface takes, 0 to 1.
    pub share: T,
    /// Friction.
    pub sliding: Sliding<T>,
}

/// Memory of a pair; it grows with the first contacts and is then reused.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Boxes, triangles, segments.
    pub search: Search,
    /// Lines.
    pub lines: Lines,
    /// Active triangles and regions.
    pub regions: Regions,
    /// Elements.
    pub elements: Vec<PairElement>,
    /// Whether one body lies inside the other without any cut.
    pub contained: bool,
    /// Whether the stages of an evaluation are timed.
    pub timed: bool,
    /// Times (s) of detection, lines and regions, elements, and forces in the last evaluation; the last one is the
    /// caller's to measure. Zero where they are not asked for: they are no functions of the state.
    pub times: [f64; 4],
    marks: Marks,
}

/// Times of stages, where they are asked for.
struct Watch(Option<Instant>);

impl Watch {
    fn new(timed: bool) -> Self {
        Self(timed.then(Instant::now))
    }

    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        match &mut self.0 {
            Some(start) => {
                let now = Instant::now();
                now.duration_since(std::mem::replace(start, now)).as_secs_f64()
            }
            None => 0.0,
        }
    }
}

/// One element at an instant, in the frame of the first surface.
#[derive(Clone, Copy, Debug)]
pub struct ElementState<T> {
    /// Area (m^2), of the whole triangle.
    pub area: f64,
    /// Normal, into the first body.
    pub normal: Vec3<T>,
    /// Place of the force (m).
    pub position: Vec3<T>,
    /// Penetration along the normal (m).
    pub depth: T,
    /// Penetration across the face of the slave (m): how far the master's centroid lies below it.
    pub height: T,
    /// Speed of approach (m/s).
    pub approach: T,
    /// Sliding velocity of the second body against the first (m/s), and its magnitude.
    pub sliding: Vec3<T>,
    /// Its magnitude (m/s).
    pub speed: T,
    /// Normal force (N).
    pub normal_force: T,
    /// Elastic part of it before tension is cut off (N).
    pub elastic_force: T,
    /// Friction on the first body (N).
    pub friction: Vec3<T>,
}

/// What contact does at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<T> {
    /// Wrench on the first body in the axes of its surface, the moment about the origin of the second surface.
    pub wrench: Wrench<T>,
    /// Elastic energy (J): `c A h^2/2` of every element, with the penetration `h` across the slave's face.
    pub stored: T,
    /// Power of the elastic forces on both bodies (W).
    pub elastic_power: T,
    /// Power of damping and friction on both bodies (W), not positive.
    pub loss: T,
}

impl Scratch {
    /// An empty memory; `timed` says whether evaluations are timed.
    pub fn new(timed: bool) -> Self {
        Self { timed, ..Self::default() }
    }

    /// Forgets what was found, as for surfaces far apart.
    pub fn clear(&mut self) {
        self.search.clear();
        self.lines.clear();
        self.regions.clear();
        self.elements.clear();
        self.contained = false;
        self.times = [0.0; 4];
    }
}

impl Pair {
    /// Whether the spheres around both surfaces meet; else they cannot touch.
    pub fn near(&self, placement: &Placement) -> bool {
        let [first, second] = [&self.first, &self.second].map(|surface| surface.tree().nodes()[0]);
        let gap = sub(placement.point(second.middle), first.middle);
        norm(gap) <= norm(first.half) + norm(second.half)
    }

    /// Finds all contact elements at a pose. Nothing is allocated once the memory has grown.
    pub fn find(&self, placement: &Placement, scratch: &mut Scratch) {
        let (first, second) = (&*self.first, &*self.second);
        scratch.elements.clear();
        scratch.contained = false;
        scratch.times = [0.0; 4];
        let mut watch = Watch::new(scratch.timed);
        let hit = scratch.search.run(first, second, placement, self.settings.detection, false);
        scratch.times[0] = watch.lap();
        scratch.lines.join(first, second, placement, &mut scratch.search);
        scratch.regions.find(first, second, placement, &mut scratch.search, &scratch.lines);
        scratch.times[1] = watch.lap();
        if !hit {
            // A box test alone means that they are far apart.
            scratch.contained = scratch.search.counts.boxes > 1 && self.contained(placement);
            return;
        }
        let (ones, twos) = (scratch.regions.active(0), scratch.regions.active(1));
        let rule = (self.settings.steep.max(0.0), self.settings.undercut);
        if self.settings.master != Master::Second {
            let to = |point: V3, direction: V3| (placement.point_back(point), placement.turn_back(direction));
            search(first, second, ones, twos, &mut scratch.marks, false, rule, to, &mut scratch.elements);
        }
        if self.settings.master != Master::First {
            let to = |point: V3, direction: V3| (placement.point(point), placement.turn(direction));
            search(second, first, twos, ones, &mut scratch.marks, true, rule, to, &mut scratch.elements);
        }
        scratch.times[2] = watch.lap();
    }

    /// Whether one of two bodies that do not cut each other lies inside the other.
    pub fn contained(&self, placement: &Placement) -> bool {
        let (first, second) = (&*self.first, &*self.second);
        let vertex = |surface: &Surface, v: u32| surface.mesh().vertices()[v as usize];
        first.witnesses().iter().any(|&v| second.contains(placement.point_back(vertex(first, v))))
            || second.witnesses().iter().any(|&v| first.contains(placement.point(vertex(second, v))))
    }

    /// One element at a pose `X_EF` and the motion of the second surface seen from the first, in the axes of the first.
    #[inline]
    pub fn element<T: Real>(
        &self,
        element: &PairElement,
        law: &PairLaw<T>,
        pose: &Pose<T>,
        motion: &Motion<T>,
    ) -> ElementState<T> {
        let vector = |v: V3| Vec3::new(T::c(v[0]), T::c(v[1]), T::c(v[2]));
        let (e, f) = if element.second_is_master {
            (element.slave as usize, element.master as usize)
        } else {
            (element.master as usize, element.slave as usize)
        };
        let (centre_e, normal_e) = (vector(self.first.centroids()[e]), vector(self.first.normals()[e]));
        let centre_f = pose.point(&vector(self.second.centroids()[f]));
        let normal_f = pose.rotation * vector(self.second.normals()[f]);
        // The normal points into the first body whichever surface is the master (hippmann 4.17, 4.18, with the sign of
        // the depth put right).
        let (area, normal, height, depth, position) = if element.second_is_master {
            let height = (centre_e - centre_f).dot(&normal_e);
            let depth = -height / normal_f.dot(&normal_e);
            let position = centre_f - normal_f * ((T::c(1.0) - law.share) * depth);
            (self.second.areas()[f], normal_f, height, depth, position)
        } else {
            let normal = -normal_e;
            let height = (centre_f - centre_e).dot(&normal_f);
            let depth = height / normal.dot(&normal_f);
            (self.first.areas()[e], normal, height, depth, centre_e + normal * (law.share * depth))
        };
        let arm = position - pose.position;
        let velocity = motion.lin + motion.ang.cross(&arm);
        let approach = normal.dot(&velocity);
        let sliding = velocity - normal * approach;
        // The root of zero has no derivative; at rest friction is linear in the velocity.
        let speed = length(&sliding);
        let [pressure, elastic] = law.areal.pressure(depth, approach);
        let (normal_force, elastic_force) = (pressure * T::c(area), elastic * T::c(area));
        let friction = sliding * law.sliding.factor(normal_force, speed);
        ElementState {
            area,
            normal,
            position,
            depth,
            height,
            approach,
            sliding,
            speed,
            normal_force,
            elastic_force,
            friction,
        }
    }

    /// The wrench of found elements at a pose `X_EF` and the motion of the second surface seen from the first. With dual
    /// numbers it gives derivatives at fixed elements (frozen topology). H-R30, H-R31.
    pub fn wrench<T: Real>(
        &self,
        elements: &[PairElement],
        law: &PairLaw<T>,
        pose: &Pose<T>,
        motion: &Motion<T>,
    ) -> Outcome<T> {
        let zero = T::c(0.0);
        let mut outcome = Outcome { wrench: Wrench::zero(), stored: zero, elastic_power: zero, loss: zero };
        for element in elements {
            let state = self.element(element, law, pose, motion);
            let force = state.normal * state.normal_force + state.friction;
            outcome.wrench.lin += force;
            outcome.wrench.ang += (state.position - pose.position).cross(&force);
            // Across the face: of a body that moves straight onto a flat slave the forces are the gradient of this.
            outcome.stored += law.areal.stored(state.height) * T::c(state.area);
            outcome.elastic_power -= state.elastic_force * state.approach;
            outcome.loss -= (state.normal_force - state.elastic_force) * state.approach
                + state.friction.dot(&state.sliding);
        }
        let weight = T::c(self.weight());
        outcome.wrench = outcome.wrench.scale(weight);
        outcome.stored *= weight;
        outcome.elastic_power *= weight;
        outcome.loss *= weight;
        outcome
    }

    /// Weight of an element in the sums: a half where both surfaces give elements. H-R22.
    pub fn weight(&self) -> f64 {
        if self.settings.master == Master::Both { 0.5 } else { 1.0 }
    }
}
