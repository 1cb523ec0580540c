//! Mesh assets and the mass of what they enclose.

use super::Reader;
use super::settings::word;
use crate::values::View;
use gelenk_math::rotation::from_quaternion;
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_mesh::{Painted, TriMesh};

/// How the mass of a mesh is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Of the convex hull.
    Convex,
    /// Of the inside, with signs.
    Exact,
    /// Of pyramids over all triangles, each counted as positive.
    Legacy,
    /// Of the surface.
    Shell,
}

/// A mesh of the file.
#[derive(Clone, Debug)]
pub(super) struct MeshAsset {
    pub(super) asset: usize,
    pub(super) scale: [f64; 3],
    pub(super) kind: Kind,
    /// Whether its vertices were rounded before they were moved.
    rounded: bool,
}

/// Amount (volume, or area of a shell), centre, and inertia about it for density 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bulk {
    pub(super) amount: f64,
    pub(super) centre: Vec3<f64>,
    pub(super) tensor: Mat3<f64>,
}

impl<'a> Reader<'a, '_> {
    /// Meshes and colours of materials.
    pub(super) fn read_assets(&mut self, root: usize) {
        let sections: Vec<usize> = self.document.named(root, "asset").collect();
        for section in sections {
            let elements: Vec<usize> = self.document.children(section).collect();
            for element in elements {
                match self.document.name(element) {
                    "mesh" => self.mesh_asset(element),
                    "material" => {
                        let view = self.view(element, None);
                        let colour = view.fixed::<4>("rgba", self.report).unwrap_or([1.0; 4]);
                        self.materials.insert(view.name(), colour.map(|x| x.clamp(0.0, 1.0)));
                    }
                    _ => {}
                }
            }
        }
    }

    fn mesh_asset(&mut self, element: usize) {
        let view = self.view(element, None);
        let file = view.text("file").unwrap_or_default();
        let place = view.get("file").map_or(view.span(), |file| file.span);
        let flat = file.replace('\\', "/");
        let last = flat.rsplit('/').next().unwrap_or_default();
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let name = view.text("name").filter(|name| !name.is_empty()).unwrap_or(stem).to_owned();
        let kind = view
            .get("inertia")
            .and_then(|kind| word(kind, &["convex", "exact", "legacy", "shell"], self.report));
        let kind = match kind {
            Some("convex") => Kind::Convex,
            Some("exact") => Kind::Exact,
            Some("shell") => Kind::Shell,
            _ => Kind::Legacy,
        };
        let mut scale = view.fixed::<3>("scale", self.report).unwrap_or([1.0; 3]);
        let position = view.vector("refpos", self.report).unwrap_or_else(Vec3::zeros);
        let turn = view.fixed::<4>("refquat", self.report).map(from_quaternion);
        let turn = turn.filter(|turn| turn.iter().all(|x| x.is_finite())).unwrap_or_else(Mat3::identity);
        let found = if file.is_empty() {
            self.inline_mesh(&view, &name)
        } else {
            let file = if self.settings.strip_path { last } else { flat.as_str() };
            self.robot.assets.mesh(file, &self.settings.mesh_folder, place)
        };
        let Some(mut asset) = found else { return };
        let mut rounded = false;
        if position != Vec3::zeros() || turn != Mat3::identity() {
            // What is no mere factor becomes a mesh of its own.
            let Some(file) = self.robot.assets.list.get(asset) else { return };
            let mirrors = scale.iter().product::<f64>() < 0.0;
            let moved = file.painted.moved(mirrors, |p| {
                let p = turn.tr_mul(&(Vec3::from(p.map(single)) - position));
                [0, 1, 2].map(|k| p[k] * scale[k])
            });
            let Ok(moved) = moved else { return };
            asset = self.robot.assets.make(&name, moved);
            (scale, rounded) = ([1.0; 3], true);
        }
        self.meshes.insert(name, MeshAsset { asset, scale, kind, rounded });
    }

    /// A mesh whose vertices are in the file itself.
    fn inline_mesh(&mut self, view: &View<'a>, name: &str) -> Option<usize> {
        let numbers = view.numbers("vertex", self.report)?;
        let vertices: Vec<[f64; 3]> = numbers.as_chunks::<3>().0.to_vec();
        let mesh = match view.numbers("face", self.report) {
            Some(faces) => {
                let corners: Vec<u32> = faces.iter().map(|x| *x as u32).collect();
                TriMesh::new(vertices, corners.as_chunks::<3>().0.to_vec()).ok()?
            }
            None => gelenk_mesh::hull::hull(&vertices).ok()?,
        };
        Some(self.robot.assets.make(name, Painted::plain(mesh)))
    }

    /// Volume, centre and inertia of a mesh as MuJoCo computes them.
    pub(super) fn bulk(&self, mesh: &MeshAsset, shell: bool) -> Option<Bulk> {
        let file = self.robot.assets.list.get(mesh.asset)?;
        let round = |x: f64| if mesh.rounded { x } else { single(x) };
        let surface = file.painted.mesh.moved(|p| [0, 1, 2].map(|k| round(p[k]) * mesh.scale[k])).ok()?;
        let mirrored = mesh.scale.iter().product::<f64>() < 0.0;
        let surface = if mirrored { surface.reversed() } else { surface };
        match if shell { Kind::Shell } else { mesh.kind } {
            Kind::Convex => bulk(&surface.hull().ok()?, Kind::Exact),
            kind => bulk(&surface, kind),
        }
    }
}

/// MuJoCo keeps single precision of what it reads.
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Volume (or area), centre and inertia of a surface: pyramids from the middle of the faces give the volume and the centre,
/// pyramids from the centre the inertia.
fn bulk(mesh: &TriMesh, kind: Kind) -> Option<Bulk> {
    let faces: Vec<[Vec3<f64>; 3]> = mesh.corners().map(|corners| corners.map(Vec3::from)).collect();
    let normal = |[a, b, c]: &[Vec3<f64>; 3]| (b - a).cross(&(c - a));
    let middle = |[a, b, c]: &[Vec3<f64>; 3]| (a + b + c) / 3.0;
    let area: f64 = faces.iter().map(|face| normal(face).norm() / 2.0).sum();
    let sum: Vec3<f64> = faces.iter().map(|face| middle(face) * (normal(face).norm() / 2.0)).sum();
    let facial = sum / area;
    if kind == Kind::Shell {
        let mut second = Mat3::zeros();
        for face in &faces {
            let [a, b, c] = face.map(|corner| corner - facial);
            let s = a + b + c;
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
            second += squares * (normal(face).norm() / 24.0);
        }
        return proper(Bulk { amount: area, centre: facial, tensor: about(&second) });
    }
    let volume_from = |face: &[Vec3<f64>; 3], point: &Vec3<f64>| {
        let volume = normal(face).dot(&(middle(face) - point)) / 6.0;
        if kind == Kind::Legacy { volume.abs() } else { volume }
    };
    let (mut volume, mut first) = (0.0, Vec3::zeros());
    for face in &faces {
        let part = volume_from(face, &facial);
        volume += part;
        first += (middle(face) * 0.75 + facial * 0.25) * part;
    }
    let centre = first / volume;
    // The pyramids from the centre give the mass, too: of an open or dented surface they are others than the first ones.
    let (mut amount, mut second) = (0.0, Mat3::zeros());
    for face in &faces {
        let part = volume_from(face, &centre);
        amount += part;
        let [a, b, c] = face.map(|corner| corner - centre);
        let s = a + b + c;
        second +=
            (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (part / 20.0);
    }
    proper(Bulk { amount, centre, tensor: about(&second) })
}

/// Moments of inertia from second moments.
fn about(second: &Mat3<f64>) -> Mat3<f64> {
    Mat3::identity() * second.trace() - second
}

fn proper(bulk: Bulk) -> Option<Bulk> {
    let finite = bulk.centre.iter().chain(&bulk.tensor).all(|x| x.is_finite());
    (bulk.amount > 0.0 && finite).then_some(bulk)
}
