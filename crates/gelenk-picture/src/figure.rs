//! A scene and its motion as surfaces that move: bodies, joints, springs.

use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_record::Recording;

use crate::drawing::Colour;
use crate::loads::{self, ArrowPart, Load};
use crate::motion::SceneMotion;
use crate::scene::{Carrier, Scene, SceneError, SceneShape};
use crate::skeleton::{links, rod_radius, skeleton, ties};
use crate::solid::{Solid, along};

/// Colours of bodies; neighbours differ in brightness, too. The page of `gelenk report` has the same.
const BODIES: [Colour; 8] = [
    Colour(0x4c, 0x8f, 0xd6),
    Colour(0xe8, 0xa3, 0x3d),
    Colour(0x5b, 0xb8, 0x9a),
    Colour(0xc7, 0x7d, 0xba),
    Colour(0xd9, 0x70, 0x5a),
    Colour(0x8f, 0xb8, 0xe8),
    Colour(0xb9, 0xc2, 0x57),
    Colour(0x7d, 0x86, 0xc9),
];
const GROUND: Colour = Colour(0xa9, 0xb3, 0xbd);
/// Surfaces on the ground that are larger than what moves by this factor do not count for what is seen.
const WIDE: f64 = 1.6;
/// Instants at which the extent of a motion is measured.
const INSTANTS: usize = 60;

/// A surface and what moves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it is, for readers of files.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Its surface in the axes of its place.
    pub solid: Solid,
    /// What moves it.
    pub place: FigurePlace,
    /// What kind of thing it is.
    pub part: FigurePart,
    /// 1 for what hides everything behind it, less for what lets something through.
    pub opacity: f64,
}

/// Kinds of things that are shown or left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigurePart {
    /// Bodies, and surfaces of contacts where those have no shapes.
    Body,
    /// Joints, springs, rails.
    Joint,
    /// Arrows of forces and torques, and contact points; seen through bodies.
    Load,
    /// Points that were measured.
    Marker,
    /// Axes of bodies and frames; seen through bodies.
    Axes,
}

/// What moves a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum FigurePlace {
    /// The ground or a body.
    On(Carrier),
    /// It is stretched between two points on bodies; its own length is 1, along z, about the origin.
    Between([(Carrier, Vec3<f64>); 2]),
    /// A piece of the arrow of a load by its number.
    Load(usize, ArrowPart),
    /// A marker by its number.
    Marker(usize),
}

/// Where a surface is: stretched along its z axis, turned and shifted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Rotation and shift.
    pub pose: Pose<f64>,
    /// Factor along z.
    pub stretch: f64,
}

/// A scene in motion.
#[derive(Debug)]
pub struct Figure<'a> {
    /// What there is to see.
    pub scene: Scene,
    /// How it moves.
    pub motion: SceneMotion<'a>,
    /// The surfaces.
    pub items: Vec<Item>,
    /// Extent of the mechanism at one instant (m).
    pub size: f64,
    /// Corners of the box around the whole motion (m).
    pub bounds: [Vec3<f64>; 2],
    loads: Vec<Load<'a>>,
    pub(crate) markers: Vec<(String, [&'a [f64]; 3])>,
}

impl<'a> Figure<'a> {
    /// The figure of a recording; where it has several motions, the first one.
    ///
    /// # Errors
    /// [`SceneError`] where the recording has no scene or no poses.
    pub fn of(recording: &'a Recording) -> Result<Self, SceneError> {
        Self::all(recording)?.into_iter().next().ok_or(SceneError::NoPoses)
    }

    /// The figures of a recording: one for every motion, as inverse kinematics with several methods has several.
    ///
    /// # Errors
    /// [`SceneError`] where the recording has no scene or no poses.
    pub fn all(recording: &'a Recording) -> Result<Vec<Self>, SceneError> {
        let scene = Scene::of(recording)?;
        let motions = SceneMotion::all(recording, &scene)?;
        Ok(motions.into_iter().map(|motion| Self::new(recording, scene.clone(), motion)).collect())
    }

    fn new(recording: &'a Recording, mut scene: Scene, motion: SceneMotion<'a>) -> Self {
        // A general joint may shift its child; rods lead to where that is at the start.
        let (start, _) = motion.span();
        for joint in scene.joints.iter_mut().filter(|joint| joint.kind == "general") {
            if let (Some(parent), Some(child)) =
                (motion.pose(joint.parent, start), motion.pose(joint.child, start))
            {
                joint.pose.position = parent.rotation.tr_mul(&(child.position - parent.position));
            }
        }
        let mut figure = Self {
            scene,
            motion,
            items: Vec::new(),
            size: 1.0,
            bounds: [Vec3::zeros(); 2],
            loads: Vec::new(),
            markers: Vec::new(),
        };
        // Shapes tell the size; rods and joints are drawn to fit it.
        figure.items = figure.shapes();
        figure.size = figure.largest_extent();
        let radius = rod_radius(&figure.scene, figure.size);
        figure.add_rods(radius);
        figure.add_joints(radius);
        figure.add_springs(radius);
        figure.bounds = figure.extent(&figure.instants()).unwrap_or([Vec3::zeros(); 2]);
        figure.add_ground();
        figure.loads = loads::of(recording, &figure.scene, &figure.motion, figure.size);
        figure.items.extend(loads::items(&figure.loads, figure.size));
        figure.markers = loads::markers(recording);
        figure.add_markers(radius);
        figure.add_axes();
        figure
    }

    /// Where a surface is at a time; nothing where poses are missing.
    pub fn transform(&self, place: &FigurePlace, t: f64) -> Option<Transform> {
        match place {
            FigurePlace::On(carrier) => {
                Some(Transform { pose: self.motion.pose(*carrier, t)?, stretch: 1.0 })
            }
            FigurePlace::Between(ends) => {
                let end = |k: usize| Some(self.motion.pose(ends[k].0, t)?.point(&ends[k].1));
                let (from, to): (Vec3<f64>, Vec3<f64>) = (end(0)?, end(1)?);
                let pose = Pose::new(along(&(to - from)), (from + to) * 0.5);
                Some(Transform { pose, stretch: (to - from).norm().max(1e-9 * self.size) })
            }
            FigurePlace::Load(index, piece) => self.loads.get(*index)?.transform(self, *piece, t),
            FigurePlace::Marker(index) => {
                let (_, columns) = self.markers.get(*index)?;
                let at = Vec3::from(columns.map(|column| self.motion.value(column, t)));
                // A marker that was not seen has no place.
                let seen = at.iter().all(|x| x.is_finite());
                seen.then(|| Transform { pose: Pose::new(Mat3::identity(), at), stretch: 1.0 })
            }
        }
    }

    /// Number of a body.
    ///
    /// # Errors
    /// [`SceneError::UnknownBody`] with the closest names.
    pub fn body(&self, name: &str) -> Result<usize, SceneError> {
        let names = || self.scene.bodies.iter().map(|b| b.name.as_str());
        names().position(|known| known == name).ok_or_else(|| {
            let hint = gelenk_math::suggest::hint(name, names());
            SceneError::UnknownBody { name: name.to_owned(), hint }
        })
    }

    /// Centre of mass of a body at a time.
    pub fn centre(&self, body: usize, t: f64) -> Option<Vec3<f64>> {
        let centre = self.scene.bodies.get(body)?.centre;
        Some(self.motion.pose(Some(body), t)?.point(&centre))
    }

    /// Middle of the box around all bodies at a time, without what stands still.
    pub(crate) fn middle(&self, t: f64) -> Option<Vec3<f64>> {
        let mut found: Option<[Vec3<f64>; 2]> = None;
        for item in self
            .items
            .iter()
            .filter(|item| item.part == FigurePart::Body && item.place != FigurePlace::On(None))
        {
            let Some(transform) = self.transform(&item.place, t) else { continue };
            for p in box_corners(&item.solid).iter().map(|p| transform.point(p)) {
                found = Some(found.map_or([p, p], |[low, high]| [low.inf(&p), high.sup(&p)]));
            }
        }
        found.map(|[low, high]| (low + high) * 0.5)
    }

    /// The colour of a body.
    pub fn colour(body: usize) -> Colour {
        BODIES[body % BODIES.len()]
    }

    /// The way of the far end of a body, or of its centre, up to a time; at most `count` points.
    pub fn trace(&self, body: usize, until: f64, count: usize) -> Vec<Vec3<f64>> {
        let Some(info) = self.scene.bodies.get(body) else { return Vec::new() };
        let point = ties(&self.scene, body).last().copied().unwrap_or(info.centre);
        let times = self.motion.times();
        let rows = times.partition_point(|&t| t <= until);
        let stride = times.len().div_ceil(count.max(1)).max(1);
        let place = |t: f64| Some(self.motion.pose(Some(body), t)?.point(&point));
        let mut path: Vec<_> = times[..rows].iter().step_by(stride).filter_map(|&t| place(t)).collect();
        path.extend(place(until));
        path
    }

    /// The time at which the bodies are farthest from where they start (s); the first of several.
    pub fn farthest(&self) -> f64 {
        let (start, _) = self.motion.span();
        let places = |t: f64| (0..self.scene.bodies.len()).map(move |k| self.centre(k, t));
        let mut best = (start, 0.0);
        for t in self.instants() {
            let ways = places(start).zip(places(t));
            let way: f64 = ways.filter_map(|(from, to)| Some((to? - from?).norm())).sum();
            if way > best.1 {
                best = (t, way);
            }
        }
        best.0
    }

    /// Times over the whole motion (s).
    pub(crate) fn instants(&self) -> Vec<f64> {
        let times = self.motion.times();
        let count = INSTANTS.min(times.len());
        let row = |k: usize| k * (times.len() - 1) / (count - 1).max(1);
        (0..count).map(|k| times[row(k)]).collect()
    }

    /// Largest diagonal of the box around everything at one instant (m).
    fn largest_extent(&self) -> f64 {
        let mut largest = 0.0_f64;
        for t in self.instants() {
            let [low, high] = self.extent(&[t]).unwrap_or([Vec3::zeros(); 2]);
            largest = largest.max((high - low).norm());
        }
        if largest > 0.0 && largest.is_finite() { largest } else { 1.0 }
    }

    /// Box around all surfaces, origins, centres of mass and joints on the ground at some times.
    fn extent(&self, times: &[f64]) -> Option<[Vec3<f64>; 2]> {
        let mut found: Option<[Vec3<f64>; 2]> = None;
        let mut take = |p: Vec3<f64>| {
            found = Some(found.map_or([p, p], |[low, high]| [low.inf(&p), high.sup(&p)]));
        };
        let corners: Vec<Vec<Vec3<f64>>> = self.items.iter().map(|item| box_corners(&item.solid)).collect();
        for &t in times {
            for (item, corners) in self.items.iter().zip(&corners) {
                let Some(transform) = self.transform(&item.place, t) else { continue };
                corners.iter().for_each(|p| take(transform.point(p)));
            }
            for (k, body) in self.scene.bodies.iter().enumerate() {
                let Some(pose) = self.motion.pose(Some(k), t) else { continue };
                if self.is_dressed(Some(k)) {
                    continue;
                }
                if body.shapes.is_empty() {
                    take(pose.point(&body.centre));
                }
                if !ties(&self.scene, k).is_empty() || body.shapes.is_empty() {
                    take(pose.position);
                }
                ties(&self.scene, k).iter().for_each(|tie| take(pose.point(tie)));
            }
        }
        for joint in &self.scene.joints {
            let drawn = matches!(joint.kind.as_str(), "revolute" | "ball" | "general");
            if joint.parent.is_none() && drawn && !self.is_dressed(joint.child) {
                take(joint.pose.position);
            }
        }
        found
    }

    fn shapes(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for (k, body) in self.scene.bodies.iter().enumerate() {
            let first = items.len();
            painted(&body.name, &body.shapes, Self::colour(k), Some(k), &mut items);
            // Surfaces of contacts show what touches, where no shape does.
            if items.len() == first {
                let solid = self.contact_surfaces(Some(k));
                if !solid.triangles.is_empty() {
                    let (name, place) = (body.name.clone(), FigurePlace::On(Some(k)));
                    let colour = Self::colour(k);
                    items.push(Item { name, colour, solid, place, part: FigurePart::Body, opacity: 1.0 });
                }
            }
        }
        painted("ground", &self.scene.ground, GROUND, None, &mut items);
        items
    }

    /// Whether a body is drawn by what it looks like in reality, or is inside of what is: then nothing is added to it.
    pub(crate) fn is_dressed(&self, body: Carrier) -> bool {
        let visual = |carrier: Carrier| match carrier.and_then(|k| self.scene.bodies.get(k)) {
            Some(body) => body.visual,
            None => !self.scene.ground.is_empty(),
        };
        if visual(body) {
            return true;
        }
        let bare = body.is_some_and(|k| self.scene.bodies.get(k).is_some_and(|body| body.shapes.is_empty()));
        let mut joints = self.scene.joints.iter();
        bare && joints.any(|joint| {
            (joint.child == body && visual(joint.parent)) || (joint.parent == body && visual(joint.child))
        })
    }

    /// Surfaces of contacts on a body or on the ground, in its axes.
    fn contact_surfaces(&self, carrier: Carrier) -> Solid {
        let mut solid = Solid::default();
        for (frame, form) in &self.scene.surfaces {
            let frame = &self.scene.frames[*frame];
            if frame.body == carrier {
                solid.add(Solid::of(form).moved(&frame.pose));
            }
        }
        solid
    }

    /// Surfaces that stand on the ground. Those that are much larger than what moves do not count for what is seen; where
    /// they are level and at the height of the origin, the ground itself stands for them.
    fn add_ground(&mut self) {
        let standing =
            self.scene.surfaces.iter().filter(|(frame, _)| self.scene.frames[*frame].body.is_none());
        let solids: Vec<Solid> =
            standing.map(|(frame, form)| Solid::of(form).moved(&self.scene.frames[*frame].pose)).collect();
        for solid in solids {
            let [low, .., high] = box_corners(&solid)[..] else { continue };
            if (high - low).norm() < WIDE * self.size {
                self.bounds = [self.bounds[0].inf(&low), self.bounds[1].sup(&high)];
            } else if solid.vertices.iter().all(|v| v.dot(&self.scene.up).abs() < 1e-3 * self.size) {
                continue;
            }
            let (name, place) = ("ground".to_owned(), FigurePlace::On(None));
            self.items.push(Item {
                name,
                colour: GROUND,
                solid,
                place,
                part: FigurePart::Body,
                opacity: 1.0,
            });
        }
    }

    /// Rods and balls for bodies without shapes, and rods from shapes to joints beside them.
    fn add_rods(&mut self, radius: f64) {
        for (k, body) in self.scene.bodies.iter().enumerate() {
            if self.is_dressed(Some(k)) {
                continue;
            }
            let bare = body.shapes.is_empty() && self.contact_surfaces(Some(k)).triangles.is_empty();
            let solid = if bare { skeleton(&self.scene, k, radius) } else { links(&self.scene, k, radius) };
            if !solid.triangles.is_empty() {
                let (name, place) = (body.name.clone(), FigurePlace::On(Some(k)));
                self.items.push(Item {
                    name,
                    colour: Self::colour(k),
                    solid,
                    place,
                    part: FigurePart::Body,
                    opacity: 1.0,
                });
            }
        }
    }
}

impl Transform {
    /// A point of the surface in the ground frame.
    pub fn point(&self, p: &Vec3<f64>) -> Vec3<f64> {
        self.pose.point(&Vec3::new(p.x, p.y, p.z * self.stretch))
    }

    /// A normal of the surface in the ground frame.
    pub fn normal(&self, n: &Vec3<f64>) -> Vec3<f64> {
        let turned = self.pose.rotation * Vec3::new(n.x, n.y, n.z / self.stretch);
        let length = turned.norm();
        if length > 0.0 { turned / length } else { turned }
    }
}

/// Shapes of a body or of the ground, those of one colour together.
fn painted(name: &str, shapes: &[SceneShape], own: Colour, carrier: Carrier, items: &mut Vec<Item>) {
    let first = items.len();
    for shape in shapes {
        let byte = |x: f64| (x * 255.0).round().clamp(0.0, 255.0) as u8;
        let (colour, opacity) =
            shape.colour.map_or((own, 1.0), |[r, g, b, a]| (Colour(byte(r), byte(g), byte(b)), a));
        // What cannot be seen is not there.
        if opacity <= 0.0 {
            continue;
        }
        let solid = Solid::of(&shape.form).moved(&shape.pose);
        if solid.triangles.is_empty() {
            continue;
        }
        let same = |item: &&mut Item| item.colour == colour && item.opacity == opacity;
        if let Some(known) = items[first..].iter_mut().find(same) {
            known.solid.add(solid);
            continue;
        }
        let place = FigurePlace::On(carrier);
        items.push(Item { name: name.to_owned(), colour, solid, place, part: FigurePart::Body, opacity });
    }
}

/// Corners of the box around a surface.
fn box_corners(solid: &Solid) -> Vec<Vec3<f64>> {
    let Some(first) = solid.vertices.first() else { return Vec::new() };
    let (low, high) =
        solid.vertices.iter().fold((*first, *first), |(low, high), v| (low.inf(v), high.sup(v)));
    let pick = |bit: bool, k: usize| if bit { high[k] } else { low[k] };
    (0..8).map(|i| Vec3::new(pick(i & 1 > 0, 0), pick(i & 2 > 0, 1), pick(i & 4 > 0, 2))).collect()
}
