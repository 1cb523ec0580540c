//! Collision shapes of a robot as surfaces and contacts.
//!
//! Spheres, capsules and boxes collide as simple bodies, everything else as a mesh. The two do not collide with each other, so the
//! ground is there in both forms, and against meshes of the robot itself simple bodies are there as meshes, too.

use crate::Collide;
use crate::primitives::Solid;
use crate::robot::{Motion, Robot};
use crate::skins::{Collider, Form, Library, lowest, mesh_value, triangles};
use crate::writer::{place, shape_value};
use gelenk_file::document::Value;
use gelenk_file::draft::Section;
use gelenk_math::spatial::Pose;
use gelenk_mesh::{Painted, TriMesh};
use std::collections::BTreeSet;

/// Friction where the file says none.
const FRICTION: f64 = 0.8;
/// Depth (m) to which a quarter of the robot's weight presses a simple body, and all of it a mesh.
const DEPTH: f64 = 2e-4;
/// Edge of that patch of a mesh, as a share of the robot's size.
const PATCH: f64 = 0.02;
/// Triangles of a mesh that collides as it is; finer ones are replaced by their hulls.
const FINEST: usize = 6_000;
/// A mesh is refined until it has so many triangles: a face counts by the middles of its triangles.
const LEAST: usize = 300;

const SIMPLE: &str = "robot_simple";
const MESHES: &str = "robot_meshes";
const AS_MESHES: &str = "robot_simple_as_meshes";
const FLOOR_SIMPLE: &str = "ground_simple";
const FLOOR_MESHES: &str = "ground_meshes";

fn is_simple(form: &Form) -> bool {
    let round = |solid: &Solid| matches!(solid, Solid::Sphere { .. } | Solid::Capsule { .. } | Solid::Box(_));
    match form {
        Form::Solid(solid) => round(solid),
        Form::Plane => true,
        Form::Mesh { .. } => false,
    }
}

/// The links that a link is fixed to, by the first of them, and those that carry them; none is the ground.
pub(crate) type Piece = (Option<usize>, Option<usize>);

impl Robot {
    /// Keeps the collision shapes that are wanted and makes them fit for contact.
    pub(crate) fn settle_colliders(&mut self, collide: Collide, hulls: bool) {
        self.collide = collide;
        if collide == Collide::None {
            let count = self.colliders.len();
            if count > 0 {
                let verb = if count == 1 { "collision shape is" } else { "collision shapes are" };
                self.remarks.push(format!("{count} {verb} not used: give --collide ground, self or all."));
            }
            self.colliders.clear();
            return;
        }
        let (mut convex, mut lost) = (0, 0);
        let mut colliders = std::mem::take(&mut self.colliders);
        colliders.retain_mut(|collider| {
            let Form::Mesh { asset, scale } = collider.form else { return true };
            let Some(mesh) = triangles(&collider.form, &self.assets) else { return false };
            let mirrored = scale.iter().product::<f64>() < 0.0;
            let mesh = if mirrored { mesh.reversed() } else { mesh };
            let usable = !hulls && is_usable(&mesh);
            if usable && mesh.triangles().len() >= LEAST {
                return true;
            }
            let (hull, end) = if usable {
                (mesh, "fine")
            } else {
                let Ok(hull) = mesh.hull() else {
                    lost += 1;
                    return false;
                };
                convex += 1;
                (hull, "hull")
            };
            let name = self.assets.list.get(asset).map(|file| file.path.clone()).unwrap_or_default();
            let stem = name.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let made = self.assets.make(&format!("{stem}_{end}"), Painted::plain(refined(hull)));
            collider.form = Form::Mesh { asset: made, scale: [1.0; 3] };
            true
        });
        self.colliders = colliders;
        if convex > 0 {
            let why = if hulls { "as MuJoCo does" } else { "because they are open, invalid or very fine" };
            self.remarks
                .push(format!("{convex} collision meshes are replaced by their convex hulls, {why}."));
        }
        if lost > 0 {
            self.remarks.push(format!("{lost} collision meshes are flat and were ignored."));
        }
        if matches!(collide, Collide::Ground | Collide::All) {
            self.stand_on_the_ground();
        }
        if matches!(collide, Collide::Own | Collide::All) {
            crate::overlaps::exclude(self);
        }
    }

    /// Raises a free base whose collision shapes would be below the ground at the start.
    fn stand_on_the_ground(&mut self) {
        let poses = crate::closing::start_poses(self);
        let floor =
            self.colliders.iter().find(|collider| collider.body.is_none() && collider.form == Form::Plane);
        let level = floor.map_or(0.0, |floor| floor.pose.position.z);
        let roots: Vec<Option<usize>> = (0..self.links.len()).map(|link| self.root_of(link)).collect();
        for base in 0..self.links.len() {
            if self.links[base].joint.motion != Motion::Free {
                continue;
            }
            let own = self
                .colliders
                .iter()
                .filter(|collider| collider.body.is_some_and(|body| roots[body] == Some(base)));
            let heights = own.filter_map(|collider| {
                let body = collider.body.and_then(|body| poses.get(body).copied())?;
                lowest(&collider.form, &(body * collider.pose), &self.assets)
            });
            let Some(low) = heights.min_by(f64::total_cmp) else { continue };
            if low < level {
                let rise = level - low + 1e-3;
                self.links[base].joint.start.position.z += rise;
                self.remarks.push(format!(
                    "The base starts {:.4} m higher, so that nothing is below the ground.",
                    rise
                ));
            }
        }
    }

    /// The free link that carries a link, or none where it is on the ground.
    fn root_of(&self, mut link: usize) -> Option<usize> {
        loop {
            if self.links[link].joint.motion == Motion::Free {
                return Some(link);
            }
            link = self.links[link].joint.parent?;
        }
    }

    /// The first of the links that are fixed to each other; none where they are fixed to the ground.
    fn weld(&self, mut link: usize) -> Option<usize> {
        while self.links[link].joint.motion == Motion::Fixed {
            link = self.links[link].joint.parent?;
        }
        Some(link)
    }

    /// For every link the piece that it belongs to and the piece that carries that; links without shapes and mass between
    /// them do not count.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let pieces: Vec<Option<usize>> = (0..self.links.len()).map(|link| self.weld(link)).collect();
        let piece = |link: Option<usize>| link.and_then(|link| pieces[link]);
        let mut counts = vec![false; self.links.len()];
        for body in self.colliders.iter().filter_map(|collider| piece(collider.body)) {
            counts[body] = true;
        }
        for (link, own) in self.links.iter().zip(&pieces) {
            if let Some(own) = own.filter(|_| link.mass > 0.0) {
                counts[own] = true;
            }
        }
        let above = |own: Option<usize>| {
            let mut at = own.and_then(|own| piece(self.links[own].joint.parent));
            while let Some(next) = at.filter(|next| !counts[*next]) {
                at = piece(self.links[next].joint.parent);
            }
            at
        };
        pieces.iter().map(|&own| (own, above(own))).collect()
    }

    /// Surfaces, materials and contacts.
    pub(crate) fn contact_tables(&self, library: &mut Library<'_>) -> Vec<Section> {
        if self.colliders.iter().all(|collider| collider.body.is_none()) {
            return Vec::new();
        }
        let own = matches!(self.collide, Collide::Own | Collide::All);
        let ground = matches!(self.collide, Collide::Ground | Collide::All);
        let mut tables = Vec::new();
        let (mut frames, mut surfaces) = (Vec::new(), Vec::new());
        let meshy = |collider: &&Collider| collider.body.is_some() && !is_simple(&collider.form);
        let (any_mesh, any_simple) = (
            self.colliders.iter().any(|collider| meshy(&collider)),
            self.colliders.iter().any(|collider| collider.body.is_some() && is_simple(&collider.form)),
        );
        let mut floor = false;
        for collider in self.colliders.iter().filter(|collider| collider.body.is_some() || ground) {
            let name = collider.name.chosen.as_str();
            let mut frame = Section::new(&["frames", name]);
            frame.key("body", crate::writer::body_name(self, collider.body));
            place(&mut frame, &collider.pose);
            frames.push(frame);
            floor |= collider.body.is_none() && collider.form == Form::Plane;
            let fixed = collider.body.is_none();
            let (simple_group, mesh_group) =
                if fixed { (FLOOR_SIMPLE, FLOOR_MESHES) } else { (SIMPLE, MESHES) };
            let mut table = |name: &str, key: &str, value: Value, group: &str| {
                let mut table = Section::new(&["surfaces", name]);
                table.key("on", collider.name.chosen.as_str());
                table.key(key, value);
                table.key("group", group);
                if key != "simple" && !fixed {
                    table.key("material", "robot");
                }
                surfaces.push(table);
            };
            if is_simple(&collider.form) {
                let value = match &collider.form {
                    Form::Solid(solid) => Value::table([shape_value(solid)]),
                    _ => "plane".into(),
                };
                table(name, "simple", value, simple_group);
                // Against meshes it has to be one.
                if any_mesh && (fixed || own) {
                    let group = if fixed { mesh_group } else { AS_MESHES };
                    table(&format!("{name}_mesh"), "make", made(&collider.form, self.size()), group);
                }
            } else {
                match &collider.form {
                    Form::Mesh { asset, scale } => {
                        let Some(file) = self.surface_file(*asset, library) else { continue };
                        table(name, "mesh", mesh_value(&file, scale).1, mesh_group);
                    }
                    form => table(name, "make", made(form, self.size()), mesh_group),
                }
            }
        }
        if ground && !floor {
            let mut plane = Section::new(&["surfaces", "ground_plane"]);
            plane.key("on", "ground");
            plane.key("simple", "plane");
            plane.key("group", FLOOR_SIMPLE);
            if any_simple {
                surfaces.push(plane);
            }
            if any_mesh {
                let mut plane = Section::new(&["surfaces", "ground_plane_mesh"]);
                plane.key("on", "ground");
                plane.key("make", made(&Form::Plane, self.size()));
                plane.key("group", FLOOR_MESHES);
                surfaces.push(plane);
            }
        }
        tables.extend(frames);
        if any_mesh {
            let mut material = Section::new(&["materials", "robot"]);
            material.key("stiffness", rounded(self.areal_stiffness()));
            tables.push(material);
        }
        tables.extend(surfaces);
        if ground {
            let fixed = |collider: &&Collider| collider.body.is_some_and(|body| self.weld(body).is_none());
            let stuck: Vec<&Collider> = self.colliders.iter().filter(fixed).collect();
            for (simple, group, floor, there) in
                [(true, SIMPLE, FLOOR_SIMPLE, any_simple), (false, MESHES, FLOOR_MESHES, any_mesh)]
            {
                let kind = |collider: &&&Collider| is_simple(&collider.form) == simple;
                let except: Vec<Value> =
                    stuck.iter().filter(kind).map(|collider| pair(&collider.name.chosen, floor)).collect();
                let moving =
                    |collider: &&Collider| collider.body.is_some_and(|body| self.weld(body).is_some());
                let any =
                    self.colliders.iter().filter(moving).any(|collider| is_simple(&collider.form) == simple);
                if there && any {
                    let name = if simple { "ground_simple" } else { "ground_meshes" };
                    tables.push(self.contact(name, [group, floor], except, simple));
                }
            }
        }
        if own {
            tables.extend(self.own_contacts(any_simple, any_mesh));
        }
        tables
    }

    /// Contacts between the links themselves.
    fn own_contacts(&self, any_simple: bool, any_mesh: bool) -> Vec<Section> {
        let mut tables = Vec::new();
        let robot: Vec<&Collider> =
            self.colliders.iter().filter(|collider| collider.body.is_some()).collect();
        let pieces = self.pieces();
        let listed = self.listed_pairs();
        let excluded = |a: &Collider, b: &Collider| {
            let (Some(a), Some(b)) = (a.body, b.body) else { return true };
            are_joined(pieces[a], pieces[b]) || listed.contains(&[a, b])
        };
        let kinds = [
            ("robot_simple", SIMPLE, SIMPLE, true, true, any_simple),
            ("robot_meshes", MESHES, MESHES, false, false, any_mesh),
            ("robot_mixed", MESHES, AS_MESHES, false, true, any_mesh && any_simple),
        ];
        for (name, first, second, simple_a, simple_b, there) in kinds {
            if !there {
                continue;
            }
            let (mut except, mut left) = (Vec::new(), 0);
            for (i, a) in
                robot.iter().enumerate().filter(|(_, collider)| is_simple(&collider.form) == simple_a)
            {
                for (k, b) in
                    robot.iter().enumerate().filter(|(_, collider)| is_simple(&collider.form) == simple_b)
                {
                    if (simple_a == simple_b && k <= i) || a.body == b.body {
                        continue;
                    }
                    let other = if simple_a == simple_b {
                        b.name.chosen.clone()
                    } else {
                        format!("{}_mesh", b.name.chosen)
                    };
                    if excluded(a, b) {
                        except.push(pair(&a.name.chosen, &other));
                    } else {
                        left += 1;
                    }
                }
            }
            if left > 0 {
                tables.push(self.contact(name, [first, second], except, simple_a && simple_b));
            }
        }
        tables
    }

    fn contact(&self, name: &str, [first, second]: [&str; 2], except: Vec<Value>, simple: bool) -> Section {
        let mut table = Section::new(&["contacts", name]);
        table.key("between", vec![first.into(), second.into()]);
        if !except.is_empty() {
            table.key("except", except);
        }
        let quarter = self.moving_mass() / 4.0;
        if simple {
            // Critically damped for a quarter of the robot.
            let stiffness = quarter * 9.81 / DEPTH;
            let damping = 2.0 * (stiffness * quarter).sqrt();
            let law = [
                ("stiffness", Value::from(rounded(stiffness))),
                ("damping", rounded(damping).into()),
                ("depth", rounded(DEPTH).into()),
            ];
            table.key("law", Value::table([("kelvin-voigt", Value::table(law))]));
        } else {
            if second == FLOOR_MESHES {
                table.key("master", "first");
            }
            let time = (DEPTH / 9.81_f64).sqrt();
            table.key("damping", rounded(2.0 * self.areal_stiffness() * time));
            table.key("depth", DEPTH);
        }
        let frictions = self.colliders.iter().filter_map(|collider| collider.friction);
        table.key("friction", rounded(frictions.reduce(f64::max).unwrap_or(FRICTION)));
        table.key("speed", 0.01);
        table
    }

    /// Pairs of links that do not collide, both ways round.
    pub(crate) fn listed_pairs(&self) -> BTreeSet<[usize; 2]> {
        self.excluded.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect()
    }

    /// Stiffness per area (N/m^3): the weight on a patch of this share of the robot's size.
    fn areal_stiffness(&self) -> f64 {
        let patch = PATCH * self.size();
        self.moving_mass() * 9.81 / (DEPTH * patch * patch)
    }

    fn moving_mass(&self) -> f64 {
        let moving = |link: &usize| self.weld(*link).is_some();
        let sum: f64 = (0..self.links.len()).filter(moving).map(|link| self.links[link].mass).sum();
        if sum > 0.0 { sum } else { 1.0 }
    }

    /// Extent of the collision shapes in the pose of the file (m).
    fn size(&self) -> f64 {
        let poses = self.poses();
        let points = self.colliders.iter().filter_map(|collider| {
            let body = collider.body.and_then(|body| poses.get(body).copied())?;
            Some((body * collider.pose).position)
        });
        let bounds = points.fold(None, |found: Option<[gelenk_math::spatial::Vec3<f64>; 2]>, p| {
            Some(found.map_or([p, p], |[low, high]| [low.inf(&p), high.sup(&p)]))
        });
        let size = bounds.map_or(0.0, |[low, high]| (high - low).norm());
        if size > 1e-3 && size.is_finite() { size } else { 0.1 }
    }
}

/// Whether links are fixed to each other, or one carries the other.
pub(crate) fn are_joined((first, above_first): Piece, (second, above_second): Piece) -> bool {
    let carried = |own: Option<usize>, above: Option<usize>, other| own.is_some() && above == other;
    first == second || carried(first, above_first, second) || carried(second, above_second, first)
}

fn pair(a: &str, b: &str) -> Value {
    vec![Value::from(a), b.into()].into()
}

/// Three digits: the numbers are chosen, not measured.
fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// Whether a mesh can collide as it is.
fn is_usable(mesh: &TriMesh) -> bool {
    let fine = mesh.triangles().len() <= FINEST;
    fine && mesh.solid().is_ok()
        && mesh.survey().is_ok_and(|survey| survey.findings.iter().all(|finding| !finding.kind.is_serious()))
}

/// A mesh whose faces have many triangles.
fn refined(mut mesh: TriMesh) -> TriMesh {
    while !mesh.triangles().is_empty() && mesh.triangles().len() < LEAST {
        mesh = mesh.subdivided();
    }
    mesh
}

/// A generated mesh as a value of a model file.
fn made(form: &Form, size: f64) -> Value {
    let round = |word: &'static str, radius: f64, length: f64| {
        (word, vec![("radius", Value::from(radius)), ("length", length.into())])
    };
    let (word, keys) = match form {
        Form::Solid(Solid::Box(edges)) => {
            let size = edges.iter().map(|x| Value::from(*x)).collect::<Vec<_>>();
            ("box", vec![("size", size.into()), ("divisions", 5.0.into())])
        }
        Form::Solid(Solid::Sphere { radius }) => {
            ("icosphere", vec![("radius", (*radius).into()), ("depth", 3.0.into())])
        }
        Form::Solid(Solid::Cylinder { radius, length }) => round("cylinder", *radius, *length),
        Form::Solid(Solid::Capsule { radius, length }) => round("capsule", *radius, *length),
        Form::Solid(Solid::Ellipsoid(half)) => {
            let radii = half.iter().map(|x| Value::from(*x)).collect::<Vec<_>>();
            ("ellipsoid", vec![("radii", radii.into())])
        }
        Form::Plane | Form::Mesh { .. } => {
            let edge = (20.0 * size).max(1.0).ceil();
            ("plane", vec![("size", vec![Value::from(edge), edge.into()].into())])
        }
    };
    Value::table([(word, Value::table(keys))])
}

/// Moves what is fixed on links that are no bodies any more.
pub(crate) fn renumber(robot: &mut Robot, place: &dyn Fn(usize) -> Option<(Option<usize>, Pose<f64>)>) {
    let moved = |body: &mut Option<usize>, pose: &mut Pose<f64>| {
        if let Some((now, base)) = body.and_then(place) {
            (*body, *pose) = (now, base * *pose);
        }
    };
    for skin in &mut robot.skins {
        moved(&mut skin.body, &mut skin.pose);
    }
    for collider in &mut robot.colliders {
        moved(&mut collider.body, &mut collider.pose);
    }
    robot.excluded = std::mem::take(&mut robot.excluded)
        .into_iter()
        .filter_map(|[a, b]| Some([place(a)?.0?, place(b)?.0?]))
        .collect();
}
