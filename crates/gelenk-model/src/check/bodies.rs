//! Masses, inertias and shapes of bodies.

use super::numbers::{Numbers, vector_span};
use crate::model_file::{Body, ModelFile, Shape};
use crate::visuals::Visual;
use gelenk_file::read::Text;
use gelenk_file::report::Diagnostic;
use gelenk_math::spatial::Mat3;
use gelenk_math::suggest::closest;

impl Numbers<'_, '_> {
    pub(super) fn body(&mut self, name: &Text, body: &Body, model: &ModelFile) {
        if let Some(mass) = &body.mass {
            self.at_least(mass, None, 0.0);
        }
        if let Some(density) = &body.density {
            self.positive(density, None);
        }
        self.vector(&body.centre);
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
        // What no body has alone may be possible beside what is fixed to it; that shows when all is known.
        self.doubtful |= body.inertia_frame.is_some()
            || !values.into_iter().collect::<Option<Vec<_>>>().is_none_or(is_plain);
        if let Some(reference) = &body.inertia_frame {
            self.frame_on(name, reference, model);
        }
    }

    /// The frame that an inertia is given in: the body itself, or a frame on it.
    fn frame_on(&mut self, name: &Text, reference: &Text, model: &ModelFile) {
        match model.frames.get(reference) {
            _ if reference.text == name.text => {}
            Some(frame) if frame.body.text == name.text => {}
            Some(frame) => {
                let message = format!("frame \"{}\" is not on body \"{}\"", reference.text, name.text);
                let diagnostic = Diagnostic::error(reference.span, message);
                self.report.push(diagnostic.related(frame.body.span, "it is on this one"));
            }
            None => {
                let known = model.frames.names().map(|known| known.text.as_str()).chain([name.text.as_str()]);
                let near = closest(reference, known);
                let message = format!("there is no frame \"{}\"", reference.text);
                self.report.push(Diagnostic::error(reference.span, message).meant(near));
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
                    format!("body \"{}\" has a density but no shape", name.text),
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
                            .label("so this density has no effect")
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
                    .help("also give the \"inertia\", or omit the centre"),
            );
        }
    }

    pub(super) fn visual(&mut self, name: &Text, visual: &Visual) {
        if visual.forms() != 1 {
            let message = format!("visual \"{}\" needs exactly one form", name.text);
            let help =
                "choose one of \"box\", \"cylinder\", \"sphere\", \"capsule\", \"ellipsoid\" or \"mesh\"";
            self.report.push(Diagnostic::error(visual.span, message).help(help));
        }
        self.vector(&visual.position);
        self.vector(&visual.orientation);
        let round = visual.cylinder.iter().chain(&visual.capsule);
        let lengths = round.flat_map(|round| [&round.radius, &round.length]);
        let lengths = lengths.chain(visual.sphere.iter().map(|sphere| &sphere.radius));
        let lengths = lengths.chain(visual.cuboid.iter().flat_map(|cuboid| &cuboid.size.0));
        let lengths = lengths.chain(visual.ellipsoid.iter().flat_map(|ellipsoid| &ellipsoid.radii.0));
        for length in lengths {
            self.positive(length, None);
        }
        if let Some(mesh) = &visual.mesh {
            mesh.unit.expect(gelenk_math::units::Dimension::LENGTH, self.report);
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

/// Whether a body can have these moments by itself, as nearly all have: xx, yy, zz and optionally xy, xz, yz.
fn is_plain(values: Vec<f64>) -> bool {
    let get = |i: usize| values.get(i).copied().unwrap_or(0.0);
    let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(get);
    gelenk_multibody::inertia::is_exact(&Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
}
