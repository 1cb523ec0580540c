//! Shapes of bodies for pictures, with their sizes as parameters.

use super::bodies::BodyShape;
use super::lower::Lower;
use crate::bodies::RoundShape;
use crate::model_file::{ModelFile, Shape};
use crate::parts::Reflection;
use crate::quantity::Vec3;
use gelenk_file::report::Diagnostic;
use gelenk_file::source::Sources;
use gelenk_mesh::{Rgba, TriMesh};
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_system::Param;
use std::sync::Arc;

/// A shape of a body with its place on it.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Name of the body; of a visual, of what it is fixed on: a body, a frame or "ground".
    pub body: String,
    /// What it looks like.
    pub form: Form,
    /// Middle of the shape, or origin of the mesh, in the body frame (m); the body's own origin where there is none.
    pub position: Option<[Param; 3]>,
    /// Cardan x-y-z angles in the body frame (rad); none where the axes are the body's.
    pub orientation: Option<[Param; 3]>,
    /// Red, green, blue and opacity (sRGB), where it has a colour of its own.
    pub colour: Option<Rgba>,
}

/// The form of a shape; sizes in m.
#[derive(Clone, Debug)]
pub enum Form {
    /// A box with these edges.
    Box([Param; 3]),
    /// A cylinder along z: radius and length.
    Cylinder([Param; 2]),
    /// A sphere: radius.
    Sphere(Param),
    /// A capsule along z: radius, and length without its half spheres.
    Capsule([Param; 2]),
    /// An ellipsoid: half axes.
    Ellipsoid([Param; 3]),
    /// A surface in m.
    Mesh(Arc<TriMesh>),
}

impl Lower<'_, '_> {
    /// Keeps a shape for pictures; `centre` is the body's centre of mass, where a single simple shape stands.
    pub(super) fn draw(&mut self, body: &str, part: &BodyShape<'_>, centre: [Param; 3]) {
        let sizes: Vec<Param> = part.sizes.iter().map(|(_, size)| *size).collect();
        let form = match (&part.shape, sizes.as_slice(), &part.surface) {
            (Shape::Box(_), &[x, y, z], _) => Form::Box([x, y, z]),
            (Shape::Cylinder(_), &[radius, length], _) => Form::Cylinder([radius, length]),
            (Shape::Capsule(_), &[radius, length], _) => Form::Capsule([radius, length]),
            (Shape::Sphere(_), &[radius], _) => Form::Sphere(radius),
            (Shape::Mesh(_), _, Some(surface)) => Form::Mesh(surface.clone()),
            // A mesh that could not be read was reported.
            _ => return,
        };
        let (position, orientation) = match (&part.pose, &form) {
            (Some((position, orientation)), _) => (self.known(position), self.known(orientation)),
            (None, Form::Mesh(_)) => (None, None),
            (None, _) => (Some(centre), None),
        };
        self.shapes.push(Drawn { body: body.to_owned(), form, position, orientation, colour: None });
    }

    /// Keeps what is only seen.
    pub(super) fn visuals(&mut self, model: &ModelFile, sources: &Sources) {
        const LENGTH: CoordinateKind = CoordinateKind::Length;
        for (_, visual) in model.visuals.iter() {
            let (position, orientation) = (self.vector(&visual.position), self.vector(&visual.orientation));
            let colour = visual.colour.map(|colour| colour.0);
            let round = |walk: &mut Self, shape: &RoundShape| {
                [walk.positive(&shape.radius, LENGTH), walk.positive(&shape.length, LENGTH)]
            };
            let mut forms = Vec::new();
            if let Some(shape) = &visual.cuboid {
                forms.push((
                    Form::Box(shape.size.0.each_ref().map(|edge| self.positive(edge, LENGTH))),
                    colour,
                ));
            }
            if let Some(shape) = &visual.cylinder {
                forms.push((Form::Cylinder(round(self, shape)), colour));
            }
            if let Some(shape) = &visual.capsule {
                forms.push((Form::Capsule(round(self, shape)), colour));
            }
            if let Some(shape) = &visual.sphere {
                forms.push((Form::Sphere(self.positive(&shape.radius, LENGTH)), colour));
            }
            if let Some(shape) = &visual.ellipsoid {
                let radii = shape.radii.0.each_ref().map(|radius| self.positive(radius, LENGTH));
                forms.push((Form::Ellipsoid(radii), colour));
            }
            if let Some(mesh) = &visual.mesh {
                match self.meshes.painted(mesh, sources) {
                    Ok(parts) => {
                        let parts = parts.iter();
                        forms.extend(parts.map(|(own, mesh)| (Form::Mesh(mesh.clone()), colour.or(*own))));
                    }
                    // A model runs without what is only seen.
                    Err(reason) => {
                        let message = format!("\"{}\" is not drawn: {reason}", mesh.file.text);
                        self.report.push(Diagnostic::warning(mesh.file.span, message));
                    }
                }
            }
            for (form, colour) in forms {
                let (position, orientation) = (Some(position), Some(orientation));
                let body = visual.on.text.clone();
                self.visuals.push(Drawn { body, form, position, orientation, colour });
            }
        }
    }

    /// The parameters of numbers that the mass properties have declared already.
    fn known<Q>(&self, vector: &Vec3<Q>) -> Option<[Param; 3]> {
        let mut found = vector.0.iter().map(|number| self.find(&number.path));
        Some([found.next()??, found.next()??, found.next()??])
    }
}

/// A mesh as it stands in a mirrored part, outside still outside.
pub(super) fn reflected(mesh: TriMesh, mirror: Reflection) -> Option<Arc<TriMesh>> {
    let sign = [0, 1, 2].map(|k| if mirror.polar(k) { -1.0 } else { 1.0 });
    let moved = mesh.moved(|vertex| std::array::from_fn(|k| sign[k] * vertex[k])).ok()?;
    let odd = sign.iter().product::<f64>() < 0.0;
    Some(Arc::new(if odd { moved.reversed() } else { moved }))
}
