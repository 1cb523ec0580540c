//! Mass properties of bodies, from numbers or from shapes with a density.
//!
//! What follows from sizes and densities is a derived parameter with a path of its own, so that a radius or a density can
//! be set or fitted. Meshes are structure: their volume and moments are constants.

use super::lower::Lower;
use super::{drawing, shape};
use crate::model_file::{Body, MeshShape, ModelFile, Shape};
use crate::quantity::{INERTIA_NAMES, Number, Vec3};
use gelenk_file::read::Text;
use gelenk_file::report::Diagnostic;
use gelenk_file::source::{Sources, Span};
use gelenk_math::expression::Expression;
use gelenk_math::units::Dimension;
use gelenk_mesh::{Mistake, Solid, TriMesh};
use gelenk_multibody::blueprint::{self, CoordinateKind};
use gelenk_system::Param;
use std::sync::Arc;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Indices of the entries of a tensor in the order xx, yy, zz, xy, xz, yz.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Names in a formula with the parameters that they stand for.
pub(super) type Variables = Vec<(String, Param)>;
/// Sizes, centre of a mesh, and the mesh.
type Sized = (Variables, Option<[Param; 3]>, Option<Arc<TriMesh>>);

/// A shape of a body with its parameters.
pub(super) struct BodyShape<'m> {
    pub(super) shape: Shape,
    path: String,
    pub(super) sizes: Variables,
    /// Where it stands, if it is one of several.
    pub(super) pose: Option<(&'m Vec3<crate::quantity::Length>, &'m Vec3<crate::quantity::Angle>)>,
    density: Option<&'m Number>,
    /// Centre of a mesh in its own frame.
    middle: Option<[Param; 3]>,
    /// The mesh itself, in m.
    pub(super) surface: Option<Arc<TriMesh>>,
}

impl Lower<'_, '_> {
    pub(super) fn body(&mut self, name: &Text, body: &Body, model: &ModelFile, sources: &Sources) {
        let path = format!("bodies.{}", name.text);
        let parts = self.shapes(&path, body, sources);
        let placed = !body.shapes.is_empty() || matches!(body.shape, Some(Shape::Mesh(_)));
        let (mass, centre, inertia) = if placed {
            self.composed(&path, body, &parts)
        } else {
            let mass = match (&body.mass, &body.density, parts.first()) {
                (Some(mass), ..) => self.at_least(mass, CoordinateKind::Length, 0.0),
                (None, Some(density), Some(part)) => {
                    let density = self.positive(density, CoordinateKind::Length);
                    let mut variables = part.sizes.clone();
                    variables.push(("rho".into(), density));
                    let text = format!("rho*{}", shape::volume(&part.shape));
                    self.derived(&format!("{path}.mass"), &text, &variables, Dimension::MASS)
                }
                _ => self.implied(&format!("{path}.mass"), 0.0, Dimension::MASS),
            };
            let centre = self.vector(&body.centre);
            let inertia = match (&body.inertia, parts.first()) {
                (None, Some(part)) => Some(self.simple_inertia(&format!("{path}.inertia"), part, mass)),
                _ => None,
            };
            (mass, centre, inertia)
        };
        let inertia = match (&body.inertia, inertia) {
            (Some(_), _) => self.given_inertia(&path, name, body, model, mass, centre),
            (None, Some(inertia)) => inertia,
            (None, None) => INERTIA_NAMES
                .map(|end| self.implied(&format!("{path}.inertia.{end}"), 0.0, Dimension::INERTIA)),
        };
        for part in &parts {
            self.draw(&name.text, part, centre);
        }
        self.builder.add(blueprint::Body { name: name.text.clone(), mass, centre, inertia });
    }

    /// The tensor of the file, brought to the centre of mass where it is given elsewhere.
    fn given_inertia(
        &mut self,
        path: &str,
        name: &Text,
        body: &Body,
        model: &ModelFile,
        mass: Param,
        centre: [Param; 3],
    ) -> [Param; 6] {
        let numbers = body.inertia.as_ref().map(|inertia| inertia.0.as_slice()).unwrap_or_default();
        let given: [Param; 6] = std::array::from_fn(|i| match numbers.get(i) {
            Some(number) => self.param(number, CoordinateKind::Length),
            None => self.implied(&format!("{path}.inertia.{}", INERTIA_NAMES[i]), 0.0, Dimension::INERTIA),
        });
        let Some(reference) = &body.inertia_frame else { return given };
        let frame = model.frames.get(reference).filter(|_| reference.text != name.text);
        let mut variables: Variables = vec![("m".into(), mass)];
        let mut arm = AXES.map(|axis| format!("c{axis}"));
        variables.extend(AXES.iter().zip(centre).map(|(axis, param)| (format!("c{axis}"), param)));
        if let Some(frame) = frame {
            for (k, axis) in AXES.iter().enumerate() {
                // Frames are declared before bodies where an inertia uses one.
                let find = |number: &Number| self.find(&number.path);
                variables.extend(find(&frame.position.0[k]).map(|param| (format!("p{axis}"), param)));
                variables.extend(find(&frame.orientation.0[k]).map(|param| (format!("a{axis}"), param)));
                arm[k] = format!("(p{axis} - c{axis})");
            }
        }
        variables.extend(INERTIA_NAMES.iter().zip(given).map(|(end, param)| (format!("i{end}"), param)));
        let tensor = rotated(&INERTIA_NAMES.map(|end| format!("i{end}")), frame.map(|_| "a"));
        std::array::from_fn(|n| {
            let text = format!("{} - m*{}", tensor[n], steiner(&arm, PAIRS[n]));
            let path = format!("{path}.central.{}", INERTIA_NAMES[n]);
            self.derived(&path, &text, &variables, Dimension::INERTIA)
        })
    }

    fn shapes<'m>(&mut self, path: &str, body: &'m Body, sources: &Sources) -> Vec<BodyShape<'m>> {
        let mut parts = Vec::new();
        // With mass and inertia in the file shapes are only drawn.
        let counts = body.mass.is_none() || body.inertia.is_none();
        if let Some(shape) = &body.shape {
            let path = format!("{path}.shape");
            let (sizes, middle, surface) = self.sizes(&path, shape, sources, counts);
            let shape = shape.clone();
            parts.push(BodyShape { shape, path, sizes, pose: None, density: None, middle, surface });
        }
        for (name, piece) in body.shapes.iter() {
            let Some(shape) = piece.shapes().into_iter().next() else { continue };
            let path = format!("{path}.shapes.{}", name.text);
            let (sizes, middle, surface) = self.sizes(&path, &shape, sources, counts);
            let pose = Some((&piece.position, &piece.orientation));
            let density = piece.density.as_deref();
            parts.push(BodyShape { shape, path, sizes, pose, density, middle, surface });
        }
        parts
    }

    /// Sizes of a shape under the names that its formulas use, and the centre of a mesh and the mesh.
    fn sizes(&mut self, path: &str, shape: &Shape, sources: &Sources, counts: bool) -> Sized {
        let length = CoordinateKind::Length;
        let mut size = |name: &str, number: &Number| (name.to_owned(), self.positive(number, length));
        match shape {
            Shape::Box(shape) => {
                let edges = AXES.iter().zip(&shape.size.0);
                (edges.map(|(name, edge)| size(name, edge)).collect(), None, None)
            }
            Shape::Cylinder(shape) | Shape::Capsule(shape) => {
                (vec![size("r", &shape.radius), size("l", &shape.length)], None, None)
            }
            Shape::Sphere(shape) => (vec![size("r", &shape.radius)], None, None),
            Shape::Mesh(mesh) => {
                let (Solid { volume, centre, inertia }, surface) = self.mesh(mesh, sources, counts);
                let mut variables =
                    vec![("v".to_owned(), self.constant_in(&format!("{path}.volume"), volume, metres(3)))];
                for (n, end) in INERTIA_NAMES.iter().enumerate() {
                    let path = format!("{path}.moments.{end}");
                    variables.push(((*end).to_owned(), self.constant_in(&path, inertia[n], metres(5))));
                }
                let middle = [0, 1, 2].map(|k| {
                    self.constant_in(&format!("{path}.middle.{}", AXES[k]), centre[k], Dimension::LENGTH)
                });
                (variables, Some(middle), surface)
            }
        }
    }

    /// Volume, centre and moments of a mesh in SI, reflected; complains about one that has none.
    fn mesh(&mut self, mesh: &MeshShape, sources: &Sources, counts: bool) -> (Solid, Option<Arc<TriMesh>>) {
        let solid = super::meshes::read_scaled(mesh, sources).and_then(|scaled| {
            let solid = scaled.solid().map_err(|error| error.to_string())?;
            Ok((solid, scaled))
        });
        match solid {
            Ok((mut solid, surface)) => {
                self.doubt_solid(mesh, &surface, counts);
                let mirror = mesh.reflection;
                for k in (0..3).filter(|&k| mirror.polar(k)) {
                    solid.centre[k] = -solid.centre[k];
                }
                for n in (3..6).filter(|&n| mirror.polar(PAIRS[n].0) != mirror.polar(PAIRS[n].1)) {
                    solid.inertia[n] = -solid.inertia[n];
                }
                (solid, drawing::reflected(surface, mirror))
            }
            Err(reason) => {
                let message = format!("\"{}\": {reason}", mesh.file.text);
                self.report.push(Diagnostic::error(mesh.file.span, message));
                let unit = Solid { volume: 1.0, centre: [0.0; 3], inertia: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] };
                (unit, None)
            }
        }
    }

    /// Refuses parts of a mesh that falsify volume and moments: they face inwards, or count twice. Parts that overlap are common
    /// in meshes that are drawn; only where the volume `counts` they do harm.
    fn doubt_solid(&mut self, mesh: &MeshShape, surface: &TriMesh, counts: bool) {
        let survey = surface.survey();
        let falsifies = |kind: Mistake| match kind {
            Mistake::Inward | Mistake::Nested => true,
            Mistake::Overlapping => counts,
            _ => false,
        };
        for finding in survey.iter().flat_map(|survey| &survey.findings).filter(|f| falsifies(f.kind)) {
            let [x, y, z] = finding.place;
            let what = finding.kind.describe(finding.count);
            let message = format!("\"{}\" has {what}, first at ({x:.6}, {y:.6}, {z:.6}) m", mesh.file.text);
            let mut help = finding.kind.advice().to_owned();
            if finding.kind == Mistake::Overlapping {
                help +=
                    "; or give the body `mass`, `centre` and `inertia`, with which its shapes are only drawn";
            }
            self.report.push(Diagnostic::error(mesh.file.span, message).help(help));
        }
    }

    /// Inertia of one shape about its centre, in its own axes.
    fn simple_inertia(&mut self, path: &str, part: &BodyShape<'_>, mass: Param) -> [Param; 6] {
        let formulas = shape::moments(&part.shape);
        let mut variables = part.sizes.clone();
        variables.push(("m".into(), mass));
        std::array::from_fn(|n| {
            let path = format!("{path}.{}", INERTIA_NAMES[n]);
            match (formulas.get(n), &part.shape) {
                (Some(text), _) => self.derived(&path, text, &variables, Dimension::INERTIA),
                (None, Shape::Mesh(_)) => {
                    let text = format!("m/v*{}", INERTIA_NAMES[n]);
                    self.derived(&path, &text, &variables, Dimension::INERTIA)
                }
                // Products of inertia vanish for all simple shapes.
                (None, _) => self.implied(&path, 0.0, Dimension::INERTIA),
            }
        })
    }

    /// Mass, centre and, where the file gives none, inertia of a body that is the sum of placed shapes.
    fn composed(
        &mut self,
        path: &str,
        body: &Body,
        parts: &[BodyShape<'_>],
    ) -> (Param, [Param; 3], Option<[Param; 6]>) {
        let volumes: Vec<Param> = parts
            .iter()
            .map(|part| match (&part.shape, part.sizes.first()) {
                (Shape::Mesh(_), Some((_, volume))) => *volume,
                (shape, _) => {
                    let path = format!("{}.volume", part.path);
                    self.derived(&path, shape::volume(shape), &part.sizes, metres(3))
                }
            })
            .collect();
        let given = body.mass.as_ref().map(|mass| self.at_least(mass, CoordinateKind::Length, 0.0));
        let overall = body.density.as_ref().map(|density| self.positive(density, CoordinateKind::Length));
        let sum =
            |letter: &str| (0..parts.len()).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(" + ");
        let masses: Vec<Param> = parts
            .iter()
            .enumerate()
            .map(|(i, part)| {
                let own = part.density.map(|density| self.positive(density, CoordinateKind::Length));
                let mut variables: Variables =
                    volumes.iter().enumerate().map(|(i, &volume)| (format!("v{i}"), volume)).collect();
                let text = match (given, own.or(overall)) {
                    (Some(mass), _) => {
                        variables.push(("m".into(), mass));
                        format!("m*v{i}/({})", sum("v"))
                    }
                    (None, Some(density)) => {
                        variables.push(("rho".into(), density));
                        format!("rho*v{i}")
                    }
                    (None, None) => "0".to_owned(),
                };
                self.derived(&format!("{}.mass", part.path), &text, &variables, Dimension::MASS)
            })
            .collect();
        let mut variables: Variables =
            masses.iter().enumerate().map(|(i, &mass)| (format!("m{i}"), mass)).collect();
        let total = given
            .unwrap_or_else(|| self.derived(&format!("{path}.mass"), &sum("m"), &variables, Dimension::MASS));
        variables.push(("m".into(), total));
        // Where each shape is, and its tensor in body axes.
        let mut places = Vec::with_capacity(parts.len());
        let mut tensors = Vec::with_capacity(parts.len());
        for (i, (part, &mass)) in parts.iter().zip(&masses).enumerate() {
            let own = self.simple_inertia(&format!("{}.inertia", part.path), part, mass);
            // Each shape has its own derived numbers, so that no formula grows with what the shapes are made of.
            let (texts, mut local) = self.place(part);
            let centre = [0, 1, 2].map(|k| {
                self.derived(
                    &format!("{}.centre.{}", part.path, AXES[k]),
                    &texts[k],
                    &local,
                    Dimension::LENGTH,
                )
            });
            local.extend(INERTIA_NAMES.iter().zip(own).map(|(end, param)| (format!("i{end}"), param)));
            let turned = rotated(&INERTIA_NAMES.map(|end| format!("i{end}")), part.pose.map(|_| "a"));
            let tensor: [Param; 6] = std::array::from_fn(|n| {
                let path = format!("{}.turned.{}", part.path, INERTIA_NAMES[n]);
                self.derived(&path, &turned[n], &local, Dimension::INERTIA)
            });
            let names = AXES.map(|axis| format!("{axis}{i}"));
            variables.extend(names.iter().cloned().zip(centre));
            places.push(names);
            let names = INERTIA_NAMES.map(|end| format!("t{i}{end}"));
            variables.extend(names.iter().cloned().zip(tensor));
            tensors.push(names);
        }
        // With a given inertia the file's centre counts, given or not.
        if body.inertia.is_some() {
            return (total, self.vector(&body.centre), None);
        }
        let centre = [0, 1, 2].map(|k| {
            let moments = places.iter().enumerate().map(|(i, place)| format!("m{i}*{}", place[k]));
            let text = format!("({})/m", moments.collect::<Vec<_>>().join(" + "));
            self.derived(&format!("{path}.centre.{}", AXES[k]), &text, &variables, Dimension::LENGTH)
        });
        variables.extend(AXES.iter().zip(centre).map(|(axis, param)| (format!("c{axis}"), param)));
        let inertia = std::array::from_fn(|n| {
            let terms = places.iter().zip(&tensors).enumerate().map(|(i, (place, tensor))| {
                let arm: [String; 3] = std::array::from_fn(|k| format!("({} - c{})", place[k], AXES[k]));
                format!("{} + m{i}*{}", tensor[n], steiner(&arm, PAIRS[n]))
            });
            let text = terms.collect::<Vec<_>>().join(" + ");
            self.derived(
                &format!("{path}.inertia.{}", INERTIA_NAMES[n]),
                &text,
                &variables,
                Dimension::INERTIA,
            )
        });
        (total, centre, Some(inertia))
    }

    /// Formulas for the centre of a shape in the body frame, and what they use.
    fn place(&mut self, part: &BodyShape<'_>) -> ([String; 3], Variables) {
        let mut variables = Variables::new();
        let mut sums: [Vec<String>; 3] = [const { Vec::new() }; 3];
        if let Some((position, orientation)) = part.pose {
            let (origin, angles) = (self.vector(position), self.vector(orientation));
            for (k, axis) in AXES.iter().enumerate() {
                sums[k].push(format!("p{axis}"));
                variables.push((format!("p{axis}"), origin[k]));
                variables.push((format!("a{axis}"), angles[k]));
            }
        }
        if let Some(middle) = part.middle {
            let names = AXES.map(|axis| format!("s{axis}"));
            variables.extend(names.iter().cloned().zip(middle));
            for (k, row) in rotation("a").iter().enumerate() {
                match part.pose {
                    Some(_) => sums[k].extend((0..3).map(|j| format!("({})*{}", row[j], names[j]))),
                    None => sums[k].push(names[k].clone()),
                }
            }
        }
        let text = |terms: Vec<String>| if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
        (sums.map(text), variables)
    }

    /// Declares what a formula over other parameters gives.
    fn derived(&mut self, path: &str, text: &str, variables: &Variables, dimension: Dimension) -> Param {
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, param)| param.index());
        let unit = dimension.to_string();
        let program = Expression::parse(text).and_then(|expression| expression.compile(&lookup));
        let declared = match program {
            Ok(program) => self.table().computed(path, program, &unit),
            Err(error) => {
                self.fault(Span::default(), &format!("{path}: {error}"));
                self.table().free(path, f64::NAN, &unit)
            }
        };
        self.dimensions.insert(path.to_owned(), Some(dimension));
        // A single moment may be set beside those that the shapes give; all else would contradict them.
        let moment = path.rsplit_once(".inertia.").is_some_and(|(body, _)| body.split('.').count() == 2);
        if !moment {
            self.following.push(path.to_owned());
        }
        self.declared(declared, path, Span::default())
    }
}

/// A power of the metre.
const fn metres(power: i8) -> Dimension {
    Dimension::new([0, power, 0, 0, 0, 0])
}

/// Entry of `d^2 E - d d^T` for the arm `d`.
fn steiner(arm: &[String; 3], (i, k): (usize, usize)) -> String {
    if i == k {
        let others: Vec<String> =
            (0..3).filter(|&other| other != i).map(|other| format!("{}^2", arm[other])).collect();
        format!("({})", others.join(" + "))
    } else {
        format!("(-{}*{})", arm[i], arm[k])
    }
}

/// Entries of the rotation by the Cardan angles with this prefix: `Rx(a) Ry(b) Rz(c)`.
fn rotation(prefix: &str) -> [[String; 3]; 3] {
    let [a, b, c] = AXES.map(|axis| format!("{prefix}{axis}"));
    [
        [format!("cos({b})*cos({c})"), format!("-cos({b})*sin({c})"), format!("sin({b})")],
        [
            format!("cos({a})*sin({c}) + sin({a})*sin({b})*cos({c})"),
            format!("cos({a})*cos({c}) - sin({a})*sin({b})*sin({c})"),
            format!("-sin({a})*cos({b})"),
        ],
        [
            format!("sin({a})*sin({c}) - cos({a})*sin({b})*cos({c})"),
            format!("sin({a})*cos({c}) + cos({a})*sin({b})*sin({c})"),
            format!("cos({a})*cos({b})"),
        ],
    ]
}

/// Entries of `R I R^T`, with `R` by the Cardan angles with a prefix; `I` itself without one.
fn rotated(tensor: &[String; 6], prefix: Option<&str>) -> [String; 6] {
    let Some(prefix) = prefix else { return tensor.clone() };
    let r = rotation(prefix);
    let entry = |i: usize, k: usize| {
        let place = PAIRS.iter().position(|&pair| pair == (i.min(k), i.max(k))).unwrap_or(0);
        &tensor[place]
    };
    PAIRS.map(|(i, k)| {
        let terms = (0..9).map(|n| {
            let (a, b) = (n / 3, n % 3);
            format!("({})*({})*{}", r[i][a], r[k][b], entry(a, b))
        });
        format!("({})", terms.collect::<Vec<_>>().join(" + "))
    })
}
