//! Surfaces and contacts.

use super::lower::Lower;
use super::simple_contacts::{Elastic, LoweredLaw};
use crate::check::contacts::{material_of, pairs};
use crate::check::simple_contacts::skin;
use crate::contacts::{
    Contact, DetectionWord, LoftSection, Make, MasterWord, Material, Regularisation, Surface, UndercutWord,
};
use crate::model_file::ModelFile;
use crate::quantity::{Fixed, Number, Ratio};
use gelenk_file::read::Text;
use gelenk_file::report::Diagnostic;
use gelenk_file::source::{Sources, Span};
use gelenk_laws::contact::Regularisation as Form;
use gelenk_math::units::Dimension;
use gelenk_mesh::contact::{Detection, Master, Pair, Settings, Surface as Prepared, Undercut};
use gelenk_mesh::simple::Simple;
use gelenk_mesh::{Mistake, TriMesh, make};
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{CoordinateKind, Element};
use gelenk_multibody::elements::mesh_contact::{ContactSide, MeshContact};
use gelenk_multibody::elements::simple_contact::SimpleContact;
use gelenk_system::Param;
use std::collections::BTreeMap;
use std::sync::Arc;

const LENGTH: CoordinateKind = CoordinateKind::Length;
/// Most triangles of a mesh that is made.
const MANY: f64 = 4e6;

/// Damping, depth, friction, speed and form of a pair.
type Behaviour = ([Param; 4], Form);

impl Lower<'_, '_> {
    /// Every pair of every contact as an element.
    pub(super) fn contacts(&mut self, model: &ModelFile, sources: &Sources) {
        let materials: BTreeMap<&str, (ContactSide, Elastic)> =
            model.materials.iter().map(|(name, m)| (&**name, self.material(m))).collect();
        let pairings: Vec<([&str; 2], Behaviour, Option<LoweredLaw>)> = model
            .pairings
            .iter()
            .map(|(_, item)| {
                let [a, b] = &item.between.0;
                let params = [
                    self.at_least(&item.damping, LENGTH, 0.0),
                    self.at_least(&item.depth, LENGTH, 0.0),
                    self.at_least(&item.friction, LENGTH, 0.0),
                    self.positive(&item.speed, LENGTH),
                ];
                let law = item.law.as_ref().map(|law| self.spot_law(law));
                ([&**a, &**b], (params, form(item.regularisation)), law)
            })
            .collect();
        // Surfaces of the same mesh share everything that is computed once.
        let mut meshes: Vec<(TriMesh, Arc<Prepared>)> = Vec::new();
        let mut surfaces: BTreeMap<&str, Arc<Prepared>> = BTreeMap::new();
        let mut simples: BTreeMap<&str, Simple<Param>> = BTreeMap::new();
        for (name, surface) in model.surfaces.iter() {
            let Ok(skin) = skin(model, surface) else { continue };
            if let Some(simple) = self.simple(&skin) {
                simples.insert(name, simple);
                continue;
            }
            let shape = self.shape_mesh(&skin).map(|mesh| (*mesh).clone());
            let Some(mesh) = shape.or_else(|| self.mesh_of(surface, sources)) else { continue };
            let known = meshes.iter().find(|(known, _)| *known == mesh).map(|(_, prepared)| prepared.clone());
            let Some(prepared) = known.or_else(|| self.prepared(name, surface, &mesh)) else { continue };
            surfaces.insert(name, prepared.clone());
            meshes.push((mesh, prepared));
        }
        for (name, contact) in model.contacts.iter() {
            let found = pairs(model, contact);
            let given = self.given(contact);
            let own_law = contact.law.as_ref().map(|law| self.spot_law(law));
            let mut doubted = false;
            for [a, b] in &found {
                let [Some(side_a), Some(side_b)] = [a, b].map(|name| model.surfaces.get(name)) else {
                    continue;
                };
                let [Ok(skin_a), Ok(skin_b)] = [side_a, side_b].map(|surface| skin(model, surface)) else {
                    continue;
                };
                let (Some(material_a), Some(material_b)) =
                    (material_of(model, contact, 0, a), material_of(model, contact, 1, b))
                else {
                    continue;
                };
                let (Some(frame_a), Some(frame_b)) = (
                    self.surface_frame(model, a, (side_a, &skin_a)),
                    self.surface_frame(model, b, (side_b, &skin_b)),
                ) else {
                    continue;
                };
                let on = Attachment::Bodies([frame_a, frame_b]);
                let path = format!("contacts.{}", name.text);
                let label = if found.len() == 1 { path.clone() } else { format!("{path}.{a}-{b}") };
                let both = pairings.iter().find(|(known, ..)| {
                    *known == [material_a, material_b] || *known == [material_b, material_a]
                });
                if let (Some(&first), Some(&second)) = (simples.get(a), simples.get(b)) {
                    let shared = both.and_then(|(_, _, law)| law.as_ref());
                    let Some(law) = own_law.as_ref().or(shared) else { continue };
                    let modulus = |name: &str| materials.get(name).and_then(|(_, elastic)| *elastic);
                    let pairing = both.map(|(_, behaviour, _)| behaviour);
                    let [friction, speed] = [2, 3].map(|i| self.behaviour(&path, &given, pairing, i));
                    let contact = SimpleContact {
                        shapes: [first, second],
                        stiffness: law.stiffness([modulus(material_a), modulus(material_b)]),
                        power: law.power,
                        damped: law.damped,
                        friction,
                        speed,
                        form: regularisation(contact, pairing),
                    };
                    self.builder.add(Element::new(label, contact, on, &[]));
                    continue;
                }
                let (Some(first), Some(second)) = (surfaces.get(a), surfaces.get(b)) else { continue };
                let (first, second) = (first.clone(), second.clone());
                let pairing = both.map(|(_, behaviour, _)| behaviour);
                let [damping, depth, friction, speed] =
                    [0, 1, 2, 3].map(|i| self.behaviour(&path, &given, pairing, i));
                let form = regularisation(contact, pairing);
                let settings = Settings {
                    master: match contact.master {
                        MasterWord::First => Master::First,
                        MasterWord::Second => Master::Second,
                        MasterWord::Both => Master::Both,
                        MasterWord::Auto => Pair::finer(&first, &second),
                    },
                    detection: match contact.detection {
                        DetectionWord::Modern => Detection::Modern,
                        DetectionWord::Thesis => Detection::Thesis,
                    },
                    steep: contact.steep.value.value,
                    undercut: match contact.undercut {
                        UndercutWord::Nearest => Undercut::Nearest,
                        UndercutWord::Thesis => Undercut::Thesis,
                    },
                };
                let pair = Pair { first, second, settings };
                if !doubted && contact.master != MasterWord::Auto {
                    doubted = self.doubt_master(&pair, [a, b], name);
                }
                let layer =
                    |material: &str| materials.get(material).map_or(ContactSide::Rigid, |(side, _)| *side);
                let built = MeshContact {
                    pair: Arc::new(pair),
                    sides: [layer(material_a), layer(material_b)],
                    damping,
                    depth,
                    friction,
                    speed,
                    form,
                    events: contact.events,
                };
                self.builder.add(Element::new(label, built, on, &[]));
            }
        }
    }

    /// Warns where a surface that is much coarser than the other one gives elements; returns whether it does.
    fn doubt_master(&mut self, pair: &Pair, names: [&str; 2], contact: &Text) -> bool {
        let (advice, given) = (pair.advice(), pair.settings.master);
        let (coarse, word) = match advice.master {
            Master::First => (1, "first"),
            Master::Second => (0, "second"),
            Master::Both => return false,
        };
        if advice.master == given {
            return false;
        }
        let [rough, fine] = [coarse, 1 - coarse].map(|side| (names[side], 1e3 * advice.edges[side]));
        let message = format!(
            "contact \"{}\": the elements are those of \"{}\", whose triangles ({:.3} mm) are much coarser than those of \"{}\" ({:.3} mm)",
            contact.text, rough.0, rough.1, fine.0, fine.1
        );
        let what = match given {
            Master::Both => {
                "half of the force comes from these triangles and may be missing or far too large"
            }
            _ => "bodies may pass between centroids or get excessive forces",
        };
        let help = format!("{what}; give master = \"{word}\", or omit \"master\"");
        self.report.push(Diagnostic::warning(contact.span, message).help(help));
        true
    }

    /// What a material is for a mesh, and for a simple body.
    fn material(&mut self, material: &Material) -> (ContactSide, Elastic) {
        if let Some(stiffness) = &material.stiffness {
            return (ContactSide::Stiffness(self.positive(stiffness, LENGTH)), None);
        }
        let (Some(modulus), Some(poisson)) = (&material.modulus, &material.poisson) else {
            return (ContactSide::Rigid, None);
        };
        let modulus = self.positive(modulus, LENGTH);
        let poisson = self.bounded(poisson, LENGTH, [(-1f64).next_up(), 0.5f64.next_down()]);
        let depth = material.depth.as_ref().map(|depth| self.positive(depth, LENGTH));
        let side = depth.map_or(ContactSide::Rigid, |depth| ContactSide::Layer { modulus, poisson, depth });
        (side, Some([modulus, poisson]))
    }

    /// What a contact itself says, each once for all its pairs.
    fn given(&mut self, contact: &Contact) -> [Option<Param>; 4] {
        let lowest = [0.0, 0.0, 0.0, f64::MIN_POSITIVE];
        let numbers: [Option<&Number>; 4] = [
            contact.damping.as_deref(),
            contact.depth.as_deref(),
            contact.friction.as_deref(),
            contact.speed.as_deref(),
        ];
        std::array::from_fn(|i| numbers[i].map(|number| self.at_least(number, LENGTH, lowest[i])))
    }

    /// A number of the behaviour of a pair: what the contact says, else its pairing of materials, else what is usual.
    fn behaviour(
        &mut self,
        path: &str,
        given: &[Option<Param>; 4],
        pairing: Option<&Behaviour>,
        index: usize,
    ) -> Param {
        let keys = [
            ("damping", 0.0, Dimension::new([1, -2, -1, 0, 0, 0])),
            ("depth", 0.0, Dimension::LENGTH),
            ("friction", 0.0, Dimension::NONE),
            ("speed", 1e-3, Dimension::VELOCITY),
        ];
        let (key, value, dimension) = keys[index];
        given[index].or(pairing.map(|(params, _)| params[index])).unwrap_or_else(|| {
            let path = format!("{path}.{key}");
            self.find(&path).unwrap_or_else(|| self.implied(&path, value, dimension))
        })
    }

    /// Reads or makes the mesh of a surface.
    fn mesh_of(&mut self, surface: &Surface, sources: &Sources) -> Option<TriMesh> {
        let span = place(surface);
        let mesh = match (&surface.mesh, &surface.make) {
            (Some(mesh), _) => super::meshes::read_scaled(mesh, sources)
                .map_err(|reason| format!("\"{}\": {reason}", mesh.file.text)),
            (None, Some(make)) => made(make),
            (None, None) => return None,
        };
        let mut mesh = match mesh {
            Ok(mesh) => mesh,
            Err(reason) => {
                self.report.push(Diagnostic::error(span, reason));
                return None;
            }
        };
        let mirror = surface.reflection;
        let signs = [0, 1, 2].map(|k| if mirror.polar(k) { -1.0 } else { 1.0 });
        mesh = mesh.moved(|place| std::array::from_fn(|k| place[k] * signs[k])).unwrap_or(mesh);
        let turned = (signs.iter().product::<f64>() < 0.0) != surface.reversed;
        Some(if turned { mesh.reversed() } else { mesh })
    }

    /// Checks a mesh and prepares it for contact.
    fn prepared(&mut self, name: &str, surface: &Surface, mesh: &TriMesh) -> Option<Arc<Prepared>> {
        let span = place(surface);
        let survey = mesh.survey();
        for finding in survey.iter().flat_map(|survey| &survey.findings) {
            // A body whose triangles face inwards is a hollow, if that was asked for.
            let meant = match finding.kind {
                Mistake::Holes | Mistake::Unused | Mistake::Duplicates | Mistake::Degenerate => true,
                Mistake::Inward | Mistake::Nested => surface.reversed,
                _ => false,
            };
            if meant {
                continue;
            }
            let (what, help) = (finding.kind.describe(finding.count), finding.kind.advice());
            let [x, y, z] = finding.place;
            let message =
                format!("the mesh of surface \"{name}\" has {what}, first at ({x:.6}, {y:.6}, {z:.6}) m");
            let diagnostic = match finding.kind.is_serious() {
                true => Diagnostic::error(span, message),
                false => Diagnostic::warning(span, message),
            };
            self.report.push(diagnostic.help(help));
        }
        match Prepared::new(mesh) {
            Ok(prepared) => Some(Arc::new(prepared)),
            Err(error) => {
                self.report.push(Diagnostic::error(span, format!("surface \"{name}\": {error}")));
                None
            }
        }
    }
}

/// How friction of a pair rises from rest.
fn regularisation(contact: &Contact, pairing: Option<&Behaviour>) -> Form {
    contact.regularisation.map(form).or(pairing.map(|(_, form)| *form)).unwrap_or_default()
}

fn form(word: Regularisation) -> Form {
    match word {
        Regularisation::Quadratic => Form::Quadratic,
        Regularisation::Linear => Form::Linear,
        Regularisation::Tanh => Form::Tanh,
        Regularisation::Arctan => Form::Arctan,
    }
}

/// A whole number of divisions, from a least one on.
fn count(number: &Fixed<Ratio>, least: usize) -> Result<usize, String> {
    let name = number.path.rsplit('.').next().unwrap_or("");
    if number.value.fract() == 0.0 && (least as f64..=2000.0).contains(&number.value) {
        Ok(number.value as usize)
    } else {
        Err(format!("\"{name}\" is a whole number from {least} to 2000"))
    }
}

/// An even number of triangles.
fn even(number: &Fixed<Ratio>) -> Result<usize, String> {
    if number.value % 2.0 == 0.0 && (8.0..=MANY).contains(&number.value) {
        Ok(number.value as usize)
    } else {
        Err("a closed surface of this kind has an even number of triangles, from 8 to 4 million".to_owned())
    }
}

/// Where a surface says what its mesh is.
fn place(surface: &Surface) -> Span {
    surface.mesh.as_ref().map_or(surface.span, |mesh| mesh.file.span)
}

/// The mesh that a table asks for; refused where it is none that contact can use.
pub(crate) fn made(item: &Make) -> Result<TriMesh, String> {
    let deep = |number: &Fixed<Ratio>| match count(number, 0)? {
        depth @ 0..=7 => Ok(depth),
        _ => Err("a triangle is split at most 7 times".to_owned()),
    };
    // Around an axis.
    let round = |number: &Fixed<Ratio>| count(number, 3);
    let few = |a: usize, b: usize| match (a as f64) * (b as f64) < MANY {
        true => Ok(()),
        false => Err("this mesh would have too many triangles".to_owned()),
    };
    let mesh = match item {
        Make::Plane(m) => {
            let n = count(&m.divisions, 1)?;
            few(n, n)?;
            make::plane([m.size.0[0].value, m.size.0[1].value], [n, n])
        }
        Make::Box(m) => {
            let n = count(&m.divisions, 1)?;
            few(n, n)?;
            make::cuboid([m.size.0[0].value, m.size.0[1].value, m.size.0[2].value], n)
        }
        Make::Funnel(m) => {
            let n = count(&m.divisions, 1)?;
            few(n, n)?;
            let mut mesh = make::divided_funnel(m.opening.value, m.height.value, n);
            for _ in 0..deep(&m.refine)? {
                mesh = mesh.subdivided();
            }
            mesh
        }
        Make::Sphere(m) => make::sphere(m.radius.value, round(&m.segments)?, count(&m.rings, 1)?),
        Make::Icosphere(m) => make::icosphere(m.radius.value, deep(&m.depth)?),
        Make::Paraboloid(m) => make::paraboloid(m.radius.value, m.size.value, count(&m.vertices, 2)?),
        Make::Cylinder(m) => {
            make::cylinder(m.radius.value, m.length.value, round(&m.segments)?, count(&m.rings, 1)?)
        }
        Make::Capsule(m) => {
            make::capsule(m.radius.value, m.length.value, round(&m.segments)?, count(&m.rings, 1)?)
        }
        Make::Cone(m) => make::cone(m.radius.value, m.length.value, round(&m.segments)?, count(&m.rings, 1)?),
        Make::Torus(m) => {
            if m.tube.value >= m.radius.value {
                return Err(
                    "the tube of a torus must be thinner than the radius of its ring, or it intersects itself".into()
                );
            }
            make::torus(m.radius.value, m.tube.value, round(&m.segments)?, round(&m.rings)?)
        }
        Make::DumbBell(m) => make::dumbbell(
            m.radius.value,
            m.offset.value,
            m.groove.value,
            round(&m.segments)?,
            count(&m.rings, 1)?,
        ),
        Make::Wheel(m) => {
            let profile: Vec<[f64; 2]> =
                m.profile.iter().map(|point| [point.0[0].value, point.0[1].value]).collect();
            make::wheel(&profile, round(&m.segments)?)
        }
        Make::Ellipsoid(m) => {
            let n = even(&m.triangles)?;
            make::ellipsoid([m.radii.0[0].value, m.radii.0[1].value, m.radii.0[2].value], n)
        }
        Make::TaperedCapsule(m) => {
            let n = even(&m.triangles)?;
            make::tapered_capsule([m.radii.0[0].value, m.radii.0[1].value], m.length.value, n)
        }
        Make::Loft(m) => {
            let section = |s: &LoftSection| make::Section {
                x: s.x.value,
                heights: [s.heights.0[0].value, s.heights.0[1].value],
                width: s.width.value,
            };
            let sections: Vec<make::Section> = m.sections.iter().map(section).collect();
            let (divisions, around) = (count(&m.divisions, 1)?, round(&m.around)?);
            few(sections.len() * divisions, around)?;
            make::loft(&sections, divisions, around, m.power.value)
        }
    };
    let survey = mesh.survey();
    let sound = survey.as_ref().is_ok_and(|survey| {
        let serious = survey.findings.iter().any(|finding| finding.kind.is_serious());
        !serious && survey.area > 0.0 && survey.area.is_finite()
    });
    // Flat triangles go when a mesh is prepared, and none may be left.
    let flat = survey.iter().flat_map(|survey| &survey.findings).any(|f| f.kind == Mistake::Degenerate);
    if sound && Prepared::suits(&mesh) && (!flat || Prepared::new(&mesh).is_ok()) {
        Ok(mesh)
    } else {
        Err("these lengths do not define a closed surface; give consistent lengths above 0".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files call the forms of regularised friction as the laws do.
    #[test]
    fn forms_are_called_as_in_the_laws() {
        assert_eq!(Regularisation::WORDS, Form::WORDS);
        let forms: Vec<Form> =
            Form::WORDS.iter().filter_map(|word| Regularisation::of(word)).map(form).collect();
        assert_eq!(forms, Form::ALL);
    }
}
