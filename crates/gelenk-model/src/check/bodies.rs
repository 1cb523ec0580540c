//! Masses, inertias and shapes of bodies.

use super::numbers::{Numbers, vector_span};
use crate::model_file::{Body, Frame, ModelFile, Shape};
use crate::read::Text;
use crate::report::Diagnostic;
use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Mat3, Vec3, skew};
use gelenk_math::suggest::closest;

impl Numbers<'_, '_, '_> {
    pub(super) fn body(&mut self, name: &Text, body: &Body, model: &ModelFile) {
        let mass = body.mass.as_ref().and_then(|mass| self.at_least(mass, None, 0.0));
        if let Some(density) = &body.density {
            self.positive(density, None);
        }
        let centre = self.vector(&body.centre);
        body.shape.iter().for_each(|shape| self.shape(shape));
        for (piece_name, piece) in body.shapes.iter() {
            self.vector(&piece.position);
            self.vector(&piece.orientation);
            if let Some(density) = &piece.density {
                self.positive(density, None);
            }
            let shapes = piece.shapes();
            if shapes.len() != 1 {
                let message = format!("shape \"{}\" needs exactly one form", piece_name.text);
                self.report.push(
                    Diagnostic::error(piece.span, message)
                        .help("choose one of \"box\", \"cylinder\", \"sphere\", \"capsule\" or \"mesh\""),
                );
            }
            shapes.iter().for_each(|shape| self.shape(shape));
        }
        self.sources_of_mass(name, body);
        let Some(inertia) = &body.inertia else {
            if let Some(frame) = &body.inertia_frame {
                let message = format!("body \"{}\" has an \"inertia_frame\" but no \"inertia\"", name.text);
                self.report.push(Diagnostic::error(frame.span, message));
            }
            return;
        };
        let values: Vec<Option<f64>> = inertia.0.iter().map(|number| self.number(number, None)).collect();
        let Some(mut values) = values.into_iter().collect::<Option<Vec<f64>>>() else { return };
        if let Some(reference) = &body.inertia_frame {
            let Some(frame) = self.frame_on(name, reference, model) else { return };
            let (Some(mass), Some(centre)) = (mass, centre) else { return };
            let Some((place, turn)) = frame.map_or(Some(([0.0; 3], [0.0; 3])), |frame| {
                Some((self.vector(&frame.position)?, self.vector(&frame.orientation)?))
            }) else {
                return;
            };
            values = about_centre(&values, mass, &(Vec3::from(place) - Vec3::from(centre)), &cardan(turn));
        }
        self.inertia(name, &values, inertia.0.iter().map(|number| number.formula.span));
    }

    /// The frame that an inertia is given in, `None` inside for the body itself; complains if there is none.
    fn frame_on<'m>(
        &mut self,
        name: &Text,
        reference: &Text,
        model: &'m ModelFile,
    ) -> Option<Option<&'m Frame>> {
        if reference.text == name.text {
            return Some(None);
        }
        match model.frames.get(reference) {
            Some(frame) if frame.body.text == name.text => Some(Some(frame)),
            Some(frame) => {
                let message = format!("frame \"{}\" is not on body \"{}\"", reference.text, name.text);
                let diagnostic = Diagnostic::error(reference.span, message);
                self.report.push(diagnostic.related(frame.body.span, "it is on this one"));
                None
            }
            None => {
                let known = model.frames.names().map(|known| known.text.as_str()).chain([name.text.as_str()]);
                let near = closest(reference, known);
                let message = format!("there is no frame \"{}\"", reference.text);
                self.report.push(Diagnostic::error(reference.span, message).meant(near));
                None
            }
        }
    }

    /// A body has a mass, an inertia and a centre, each from one source.
    fn sources_of_mass(&mut self, name: &Text, body: &Body) {
        let shaped = body.shape.is_some() || !body.shapes.is_empty() || !body.shapes.broken.is_empty();
        if let (Some(shape), false) = (&body.shape, body.shapes.is_empty()) {
            let _ = shape;
            let message = format!("body \"{}\" has both \"shape\" and \"shapes\"", name.text);
            self.report.push(Diagnostic::error(body.span, message).help("put the shape among the shapes"));
        }
        match (&body.mass, &body.density) {
            (Some(mass), Some(density)) => self.report.push(
                Diagnostic::error(
                    density.formula.span,
                    format!("body \"{}\" has both \"mass\" and \"density\"", name.text),
                )
                .related(mass.formula.span, "the mass")
                .help("give one of them"),
            ),
            (None, Some(density)) if !shaped => self.report.push(
                Diagnostic::error(
                    density.formula.span,
                    format!("body \"{}\" has a density, but no shape that it could fill", name.text),
                )
                .help("give \"shape\" or \"shapes\""),
            ),
            (None, None) => {
                let each =
                    !body.shapes.is_empty() && body.shapes.iter().all(|(_, piece)| piece.density.is_some());
                // A key that was probably meant as this one is told already.
                let meant = "did you mean \"mass\"?";
                let misspelt = self.report.iter().any(|d| d.help.as_deref() == Some(meant));
                if !each && !misspelt && body.shapes.broken.is_empty() {
                    self.report.push(
                        Diagnostic::error(
                            body.span,
                            format!("\"bodies.{}\" needs the key \"mass\"", name.text),
                        )
                        .help("or a \"density\" for its shapes"),
                    );
                }
            }
            _ => {}
        }
        if let Some(mass) = &body.mass {
            for (_, piece) in body.shapes.iter() {
                if let Some(density) = &piece.density {
                    self.report.push(
                        Diagnostic::error(density.formula.span, "the mass of the body is given")
                            .label("so this density has no meaning")
                            .related(mass.formula.span, "the mass"),
                    );
                }
            }
        }
        if body.inertia.is_none() && !shaped {
            self.report.push(
                Diagnostic::error(
                    body.span,
                    format!("body \"{}\" needs an \"inertia\" or a \"shape\"", name.text),
                )
                .help("a point mass has inertia = [0, 0, 0]"),
            );
        }
        let placed = !body.shapes.is_empty() || matches!(body.shape, Some(Shape::Mesh(_)));
        if placed && body.inertia.is_none() && body.centre.0.iter().any(|number| number.is_given()) {
            self.report.push(
                Diagnostic::error(vector_span(&body.centre), "the centre of mass follows from the shapes")
                    .help("give the \"inertia\" too, or leave the centre out"),
            );
        }
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Box(shape) => {
                for edge in &shape.size.0 {
                    self.positive(edge, None);
                }
            }
            Shape::Cylinder(shape) | Shape::Capsule(shape) => {
                self.positive(&shape.radius, None);
                self.positive(&shape.length, None);
            }
            Shape::Sphere(shape) => {
                self.positive(&shape.radius, None);
            }
            Shape::Mesh(mesh) => mesh.unit.expect(gelenk_math::units::Dimension::LENGTH, self.report),
        }
    }
}

/// The moments about the centre in body axes of a tensor that is given about a point `arm` away from the centre, in axes
/// with the rotation `turn`.
fn about_centre(values: &[f64], mass: f64, arm: &Vec3<f64>, turn: &Mat3<f64>) -> Vec<f64> {
    let get = |i: usize| values.get(i).copied().unwrap_or(0.0);
    let (xx, yy, zz, xy, xz, yz) = (get(0), get(1), get(2), get(3), get(4), get(5));
    let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let about = turn * tensor * turn.transpose() + skew(arm) * skew(arm) * mass;
    vec![about[(0, 0)], about[(1, 1)], about[(2, 2)], about[(0, 1)], about[(0, 2)], about[(1, 2)]]
}
