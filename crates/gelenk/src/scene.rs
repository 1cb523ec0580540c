//! What pictures need to know of a model: a JSON text in the metadata of its recordings.
//!
//! Its form is [`gelenk_record::format::Scene`]; the model file need not be there.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gelenk_math::rotation::{cardan, to_quaternion};
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_mesh::TriMesh;
use gelenk_mesh::contact::Surface;
use gelenk_mesh::decimate::{Budget, MOST_DRAWN};
use gelenk_mesh::simple::Simple;
use gelenk_model::{Compiled, Drawn, Form};
use gelenk_multibody::blueprint::{
    Blueprint, BodyRef, CoordinateId, Element, FrameId, JointMotion, LoopKind, Scalar,
};
use gelenk_multibody::elements::{MeshContact, SimpleContact};
use gelenk_multibody::{Acting, Attachment};
use gelenk_record::format::{
    self, ElementWord, Format, GroundShapes, JointWord, LoopWord, Nullable, PairInfo, Placed, Shape,
    SurfacePlace,
};
use gelenk_system::Param;

/// Key of the scene in the metadata of a recording.
pub const KEY: &str = "scene";

/// Describes the model for pictures, with the values that its parameters have now.
pub fn describe(compiled: &Compiled) -> String {
    let p = compiled.parameters.values();
    let model = Model { blueprint: &compiled.blueprint, p: &p };
    let (shapes, mut meshes) = model.shapes(compiled);
    let surfaces = model.surfaces(&mut meshes);
    let up = if compiled.y_up { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
    let scene = format::Scene {
        version: 1,
        up,
        gravity: model.vector(&compiled.blueprint.gravity),
        bodies: model.bodies(&shapes),
        ground: Some(GroundShapes {
            shapes: shapes.get("ground").map(|(_, list)| list.clone()).unwrap_or_default(),
        }),
        joints: model.joints(),
        frames: model.frames(),
        loops: model.loops(),
        elements: model.elements(),
        surfaces: Some(surfaces),
        meshes,
    };
    scene.value().unwrap_or_default().to_string()
}

/// What pictures do not show as the model has it, as notes to print; empty where they show all.
pub fn notes(compiled: &Compiled) -> String {
    let mut notes = String::new();
    let budget = budget(compiled);
    if budget.is_exceeded() {
        notes += &format!(
            "note: the meshes that are drawn have {} triangles; coarser copies with about {MOST_DRAWN} are drawn\n",
            budget.all
        );
    }
    let omitted = contact_surfaces(&compiled.blueprint).omitted;
    if omitted > 0 {
        notes += &format!(
            "note: the surfaces of contacts have more than {MOST_DRAWN} triangles; {omitted} of them are not drawn\n"
        );
    }
    notes
}

/// The pairs of surfaces that can touch, as [`gelenk_record::elements::PAIRS`] tells them.
pub fn pairs(compiled: &Compiled) -> String {
    let sides = contact_surfaces(&compiled.blueprint);
    let contacts = compiled.blueprint.elements.iter();
    let contacts = contacts.filter(|element| mesh_contact(element).is_some());
    let pairs: Vec<PairInfo> = contacts
        .zip(sides.pairs)
        .map(|(element, surfaces)| PairInfo { name: element.name.clone(), surfaces: surfaces.map(Nullable) })
        .collect();
    pairs.value().unwrap_or_default().to_string()
}

/// Surfaces of contacts, each once: those that do not fit are left out.
struct ContactSurfaces<'a> {
    /// Frame and surface.
    list: Vec<(FrameId, &'a Arc<Surface>)>,
    /// Numbers of the two surfaces of every pair.
    pairs: Vec<[Option<usize>; 2]>,
    /// Triangles of those that are left out because there are too many.
    omitted: usize,
}

/// A contact between meshes, and the frames that it is between.
fn mesh_contact(element: &Element) -> Option<(&MeshContact, [FrameId; 2])> {
    match &element.kind {
        Acting::MeshContact(contact) => Some((contact, element.on.between()?)),
        _ => None,
    }
}

fn contact_surfaces(blueprint: &Blueprint) -> ContactSurfaces<'_> {
    let mut found = ContactSurfaces { list: Vec::new(), pairs: Vec::new(), omitted: 0 };
    let (mut triangles, mut unseen) = (0, Vec::<*const Surface>::new());
    for element in &blueprint.elements {
        let Some((contact, [first, second])) = mesh_contact(element) else { continue };
        let mut number = |frame: FrameId, side| {
            let same =
                |(known, surface): &(FrameId, &Arc<Surface>)| *known == frame && Arc::ptr_eq(surface, side);
            if let Some(known) = found.list.iter().position(same) {
                return Some(known);
            }
            let count = side.mesh().triangles().len();
            if triangles + count > MOST_DRAWN {
                if !unseen.contains(&Arc::as_ptr(side)) {
                    unseen.push(Arc::as_ptr(side));
                    found.omitted += count;
                }
                return None;
            }
            triangles += count;
            found.list.push((frame, side));
            Some(found.list.len() - 1)
        };
        let pair = [number(first, &contact.pair.first), number(second, &contact.pair.second)];
        found.pairs.push(pair);
    }
    found
}

/// Shapes by the name of their body, and whether they are only seen.
type Shapes<'c> = BTreeMap<&'c str, (bool, Vec<Shape>)>;

/// Triangles of the meshes of shapes, each counted once.
fn budget(compiled: &Compiled) -> Budget {
    let mut seen: Vec<&Arc<TriMesh>> = Vec::new();
    for drawn in compiled.visuals.iter().chain(&compiled.shapes) {
        if let Form::Mesh(mesh) = &drawn.form
            && !seen.iter().any(|known| Arc::ptr_eq(known, mesh))
        {
            seen.push(mesh);
        }
    }
    Budget::of(seen.iter().map(|mesh| mesh.triangles().len()))
}

/// Meshes of shapes, each once; coarser ones where all together have too many triangles.
struct Meshes {
    budget: Budget,
    known: Vec<Arc<TriMesh>>,
    values: Vec<format::Surface>,
}

impl Meshes {
    fn of(compiled: &Compiled) -> Self {
        Self { budget: budget(compiled), known: Vec::new(), values: Vec::new() }
    }

    fn number(&mut self, mesh: &Arc<TriMesh>) -> usize {
        if let Some(known) = self.known.iter().position(|known| Arc::ptr_eq(known, mesh)) {
            return known;
        }
        let target = self.budget.target(mesh.triangles().len());
        let coarse = target.and_then(|target| mesh.decimated(target).ok());
        self.known.push(mesh.clone());
        self.values.push(surface(coarse.as_ref().unwrap_or(mesh)));
        self.values.len() - 1
    }
}

/// A blueprint with the values of its parameters.
struct Model<'a> {
    blueprint: &'a Blueprint,
    p: &'a [f64],
}

impl Model<'_> {
    fn vector<const N: usize>(&self, params: &[Param; N]) -> [f64; N] {
        params.map(|param| param.of(self.p))
    }

    fn pose(&self, position: &[Param; 3], orientation: &[Param; 3]) -> Pose<f64> {
        Pose::new(cardan(self.vector(orientation)), Vec3::from(self.vector(position)))
    }

    /// Name of the body that carries something, and the pose of the reference on it.
    fn carrier(&self, reference: BodyRef) -> (&str, Pose<f64>) {
        let mut pose = Pose::identity();
        let mut at = reference;
        // A frame stands on something listed, and a checked model has no circle; a limit costs nothing.
        for _ in 0..=self.blueprint.frames.len() {
            match at {
                BodyRef::Ground => return ("ground", pose),
                BodyRef::Body(index) => {
                    let name =
                        self.blueprint.bodies.get(index.index()).map_or("ground", |body| body.name.as_str());
                    return (name, pose);
                }
                BodyRef::Frame(index) => {
                    let Some(frame) = self.blueprint.frames.get(index.index()) else { break };
                    pose = self.pose(&frame.position, &frame.orientation) * pose;
                    at = frame.body;
                }
            }
        }
        ("ground", pose)
    }

    /// Shapes of every body and of the ground, and the meshes that they use. What is only seen replaces the shapes of its
    /// body.
    fn shapes<'c>(&'c self, compiled: &'c Compiled) -> (Shapes<'c>, Vec<format::Surface>) {
        let (mut shapes, mut meshes) = (Shapes::new(), Meshes::of(compiled));
        for drawn in &compiled.visuals {
            let (body, base) = self.place_named(&drawn.body);
            shapes.entry(body).or_insert((true, Vec::new())).1.push(self.shape(drawn, &base, &mut meshes));
        }
        for drawn in &compiled.shapes {
            let entry = shapes.entry(&drawn.body).or_insert((false, Vec::new()));
            if !entry.0 {
                entry.1.push(self.shape(drawn, &Pose::identity(), &mut meshes));
            }
        }
        (shapes, meshes.values)
    }

    /// The body that something is fixed on, by the name of a body, a frame or the ground, and the pose of that there.
    fn place_named(&self, name: &str) -> (&str, Pose<f64>) {
        let bodies = || self.blueprint.bodies.iter().map(|body| body.name.as_str());
        if let Some(body) = bodies().find(|body| *body == name) {
            return (body, Pose::identity());
        }
        let frame = self.blueprint.frames.iter().position(|frame| frame.name == name);
        frame.map_or(("ground", Pose::identity()), |frame| self.carrier(FrameId::nth(frame).into()))
    }

    /// A shape at its place.
    fn shape(&self, drawn: &Drawn, base: &Pose<f64>, meshes: &mut Meshes) -> Shape {
        let zero = [0.0; 3];
        let position = drawn.position.map_or(zero, |position| self.vector(&position));
        let rotation = cardan(drawn.orientation.map_or(zero, |angles| self.vector(&angles)));
        let form = match &drawn.form {
            Form::Box(size) => format::Form::Box(self.vector(size)),
            Form::Cylinder([radius, length]) => format::Form::Cylinder(radius.of(self.p), length.of(self.p)),
            Form::Capsule([radius, length]) => format::Form::Capsule(radius.of(self.p), length.of(self.p)),
            Form::Sphere(radius) => format::Form::Sphere(radius.of(self.p)),
            Form::Ellipsoid(radii) => format::Form::Ellipsoid(self.vector(radii)),
            Form::Mesh(mesh) => format::Form::Mesh(meshes.number(mesh)),
        };
        let place = place(&(*base * Pose::new(rotation, Vec3::from(position))));
        Shape { colour: drawn.colour, place, form }
    }

    /// Surfaces of contacts, and their meshes.
    fn surfaces(&self, meshes: &mut Vec<format::Surface>) -> Vec<SurfacePlace> {
        let list = contact_surfaces(self.blueprint).list;
        let mesh = |(frame, side): (FrameId, &Arc<Surface>)| {
            meshes.push(surface(side.mesh()));
            SurfacePlace { frame: frame.index(), mesh: meshes.len() - 1 }
        };
        let mut surfaces: Vec<SurfacePlace> = list.into_iter().map(mesh).collect();
        let mut seen = Vec::new();
        for element in &self.blueprint.elements {
            if let (Acting::SimpleContact(contact), Some(between)) = (&element.kind, element.on.between()) {
                self.simple_surfaces(contact, between, &mut seen, meshes, &mut surfaces);
            }
        }
        surfaces
    }

    /// Simple bodies in contact that are not drawn as shapes of their bodies; a plane reaches as far as is likely to be
    /// seen.
    fn simple_surfaces(
        &self,
        contact: &SimpleContact,
        between: [FrameId; 2],
        seen: &mut Vec<FrameId>,
        meshes: &mut Vec<format::Surface>,
        surfaces: &mut Vec<SurfacePlace>,
    ) {
        let sizes = contact.shapes.iter().map(|shape| match shape {
            Simple::Point | Simple::Plane => 0.0,
            Simple::Sphere { radius } => radius.of(self.p),
            Simple::Capsule { radius, length } => radius.of(self.p) + length.of(self.p),
            Simple::Box { size } => self.vector(size).into_iter().fold(0.0, f64::max),
        });
        let reach = 10.0 * sizes.fold(0.1, f64::max);
        for (&frame, shape) in between.iter().zip(&contact.shapes) {
            let of_body =
                self.blueprint.frames.get(frame.index()).is_none_or(|f| f.name.starts_with("surfaces."));
            if of_body || seen.contains(&frame) {
                continue;
            }
            seen.push(frame);
            let shape = match shape {
                Simple::Point => Simple::Point,
                Simple::Plane => Simple::Plane,
                Simple::Sphere { radius } => Simple::Sphere { radius: radius.of(self.p) },
                Simple::Capsule { radius, length } => {
                    Simple::Capsule { radius: radius.of(self.p), length: length.of(self.p) }
                }
                Simple::Box { size } => Simple::Box { size: self.vector(size) },
            };
            if let Some(mesh) = shape.mesh(reach) {
                meshes.push(surface(&mesh));
                surfaces.push(SurfacePlace { frame: frame.index(), mesh: meshes.len() - 1 });
            }
        }
    }

    fn bodies(&self, shapes: &Shapes<'_>) -> Vec<format::Body> {
        let body = |body: &gelenk_multibody::blueprint::Body| {
            let own = shapes.get(body.name.as_str());
            format::Body {
                name: body.name.clone(),
                mass: body.mass.of(self.p),
                centre: self.vector(&body.centre),
                shapes: own.map(|(_, list)| list.clone()).unwrap_or_default(),
                visual: own.is_some_and(|(visual, _)| *visual).then_some(true),
            }
        };
        self.blueprint.bodies.iter().map(body).collect()
    }

    fn joints(&self) -> Vec<format::Joint> {
        let joint = |joint: &gelenk_multibody::blueprint::Joint| {
            let (parent, base) = self.carrier(joint.parent);
            let pose = base * self.pose(&joint.position, &joint.orientation);
            let (kind, axis) = match &joint.motion {
                JointMotion::Fixed => (JointWord::Fixed, None),
                JointMotion::Revolute { axis, .. } => (JointWord::Revolute, Some(self.vector(axis))),
                JointMotion::Prismatic { axis, .. } => (JointWord::Prismatic, Some(self.vector(axis))),
                JointMotion::General { .. } => (JointWord::General, None),
                JointMotion::Ball { .. } => (JointWord::Ball, None),
                JointMotion::Free { .. } => (JointWord::Free, None),
            };
            let child = self.blueprint.bodies.get(joint.child.index()).map_or("", |body| body.name.as_str());
            let (name, parent, child) = (joint.name.clone(), parent.to_owned(), child.to_owned());
            format::Joint { name, kind, parent, child, axis, place: place(&pose) }
        };
        self.blueprint.joints.iter().map(joint).collect()
    }

    fn frames(&self) -> Vec<format::Frame> {
        let frames = self.blueprint.frames.iter().enumerate();
        frames
            .map(|(index, frame)| {
                let (body, pose) = self.carrier(FrameId::nth(index).into());
                format::Frame { name: frame.name.clone(), body: body.to_owned(), place: place(&pose) }
            })
            .collect()
    }

    fn loops(&self) -> Vec<format::Loop> {
        let list = self.blueprint.loops.iter().filter_map(|closure| {
            let kind = match &closure.kind {
                LoopKind::Point(_) => LoopWord::Point,
                LoopKind::Parallel(_) => LoopWord::Parallel,
                LoopKind::Perpendicular(_) => LoopWord::Perpendicular,
                LoopKind::Orientation(_) => LoopWord::Orientation,
                LoopKind::Distance(..) => LoopWord::Distance,
                LoopKind::Plane(_) => LoopWord::Plane,
                LoopKind::Ellipsoid(..) => LoopWord::Ellipsoid,
                LoopKind::Rigid(_) => LoopWord::Rigid,
                LoopKind::Revolute(_) => LoopWord::Revolute,
                LoopKind::Cylindrical(_) => LoopWord::Cylindrical,
                LoopKind::Prismatic(_) => LoopWord::Prismatic,
                LoopKind::Universal(_) => LoopWord::Universal,
                LoopKind::Coupling(_) => return None,
            };
            let between = closure.kind.between()?.map(FrameId::index);
            let radii = match &closure.kind {
                LoopKind::Ellipsoid(_, radii) => Some(self.vector(radii)),
                _ => None,
            };
            Some(format::Loop { name: closure.name.clone(), kind, between, radii })
        });
        list.collect()
    }

    /// What acts between frames or on them. Its column is its name; forces on a frame have three more, `.fx` to `.fz`.
    fn elements(&self) -> Vec<format::Element> {
        self.blueprint.elements.iter().filter_map(|element| self.element(element)).collect()
    }

    /// An element: what it acts on says how it is drawn.
    fn element(&self, element: &Element) -> Option<format::Element> {
        let Element { name, kind, on, .. } = element;
        // Friction is recorded positive against the motion, and drawn on coordinates only.
        if kind.resists() {
            return self.effort(name, name, on.coordinate()?, -1.0);
        }
        let drawn = kind.drawn().or(on.drawing()).and_then(ElementWord::of);
        if let Some(between) = on.between() {
            let between = Some(between.map(FrameId::index));
            return Some(format::Element { between, ..acting(name, drawn?) });
        }
        match *on {
            Attachment::Point { frame, .. } | Attachment::Turn { frame, .. } => {
                Some(format::Element { frame: Some(frame.index()), ..acting(name, drawn?) })
            }
            Attachment::Coordinate(coordinate) => {
                // Drives are recorded under the last part of their names.
                let short = name.rsplit('.').next().unwrap_or(name);
                let column = if kind.is_signal() { short } else { name };
                self.effort(name, column, coordinate, 1.0)
            }
            _ => None,
        }
    }

    /// An effort on a coordinate that moves one joint along or about an axis.
    fn effort(
        &self,
        name: &str,
        column: &str,
        coordinate: CoordinateId,
        sign: f64,
    ) -> Option<format::Element> {
        let moved = |joint: &&gelenk_multibody::blueprint::Joint| {
            let (JointMotion::Revolute { value, .. } | JointMotion::Prismatic { value, .. }) = &joint.motion
            else {
                return false;
            };
            matches!(value, Scalar::Coordinate(index) if *index == coordinate)
        };
        let joint = self.blueprint.joints.iter().find(moved)?;
        let (column, joint) = (Some(column.to_owned()), Some(joint.name.clone()));
        Some(format::Element { column, joint, sign: Some(sign), ..acting(name, ElementWord::Effort) })
    }
}

/// An element that is yet nowhere.
fn acting(name: &str, kind: ElementWord) -> format::Element {
    let name = name.to_owned();
    format::Element { name, kind, between: None, frame: None, column: None, joint: None, sign: None }
}

fn place(pose: &Pose<f64>) -> Placed {
    Placed { position: pose.position.into(), quaternion: to_quaternion(&pose.rotation) }
}

fn surface(mesh: &TriMesh) -> format::Surface {
    // Pictures need no more digits.
    let vertices: Vec<u8> =
        mesh.vertices().iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    let triangles: Vec<u8> =
        mesh.triangles().iter().flatten().flat_map(|corner| corner.to_le_bytes()).collect();
    format::Surface { vertices: STANDARD.encode(vertices), triangles: STANDARD.encode(triangles) }
}
