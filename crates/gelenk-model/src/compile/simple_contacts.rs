//! Contacts between simple bodies.

use super::drawing::Form as Drawn;
use super::lower::{Lower, body_ref};
use crate::check::numbers::power_stiffness;
use crate::check::simple_contacts::Skin;
use crate::contacts::Surface;
use crate::model_file::ModelFile;
use crate::quantity::Number;
use crate::simple::{SimpleShape, Sizeless, Solid, SpotLaw};
use gelenk_laws::contact::Damped;
use gelenk_mesh::TriMesh;
use gelenk_mesh::simple::Simple;
use gelenk_multibody::blueprint::{CoordinateKind, Frame, FrameId};
use gelenk_multibody::elements::simple_contact::{SpotPower, SpotStiffness};
use gelenk_system::Param;
use std::sync::Arc;

const LENGTH: CoordinateKind = CoordinateKind::Length;

/// Modulus and Poisson ratio of a side that is not rigid.
pub(super) type Elastic = Option<[Param; 2]>;

/// A law with its parameters.
pub(super) struct LoweredLaw {
    /// Given, else Hertz's of the materials.
    stiffness: Option<Param>,
    pub(super) power: SpotPower,
    pub(super) damped: Damped<Param>,
}

impl LoweredLaw {
    pub(super) fn stiffness(&self, sides: [Elastic; 2]) -> SpotStiffness {
        self.stiffness.map_or(SpotStiffness::Hertz(sides), SpotStiffness::Given)
    }
}

impl Lower<'_, '_> {
    /// The parameters of a law, each declared once.
    pub(super) fn spot_law(&mut self, law: &SpotLaw) -> LoweredLaw {
        match law {
            SpotLaw::Linear(law) => LoweredLaw {
                stiffness: Some(self.positive(&law.stiffness, LENGTH)),
                power: SpotPower::Linear,
                damped: Damped::No,
            },
            SpotLaw::KelvinVoigt(law) => LoweredLaw {
                stiffness: Some(self.positive(&law.stiffness, LENGTH)),
                power: SpotPower::Linear,
                damped: Damped::Viscous {
                    damping: self.at_least(&law.damping, LENGTH, 0.0),
                    depth: self.at_least(&law.depth, LENGTH, 0.0),
                },
            },
            SpotLaw::Hertz(law) => LoweredLaw {
                stiffness: law.stiffness.as_deref().map(|stiffness| self.hertz_stiffness(stiffness)),
                power: SpotPower::Hertz,
                damped: Damped::No,
            },
            SpotLaw::HuntCrossley(law) => LoweredLaw {
                stiffness: law
                    .stiffness
                    .as_deref()
                    .map(|stiffness| self.spot_stiffness(stiffness, &law.exponent)),
                power: SpotPower::Given(self.at_least(&law.exponent, LENGTH, 1.0)),
                damped: Damped::HuntCrossley { dissipation: self.at_least(&law.dissipation, LENGTH, 0.0) },
            },
            SpotLaw::LankaraniNikravesh(law) => LoweredLaw {
                stiffness: law
                    .stiffness
                    .as_deref()
                    .map(|stiffness| self.spot_stiffness(stiffness, &law.exponent)),
                power: SpotPower::Given(self.at_least(&law.exponent, LENGTH, 1.0)),
                damped: Damped::LankaraniNikravesh {
                    restitution: self.bounded(&law.restitution, LENGTH, [0.0, 1.0]),
                    slowest: self.positive(&law.slowest, LENGTH),
                },
            },
        }
    }

    /// The stiffness of `K d^n`.
    fn spot_stiffness(&mut self, stiffness: &Number, exponent: &Number) -> Param {
        self.power_stiffness(stiffness, Some(exponent), LENGTH, f64::MIN_POSITIVE)
    }

    /// That of Hertz, in N/m^1.5.
    fn hertz_stiffness(&mut self, stiffness: &Number) -> Param {
        let dimension = power_stiffness(LENGTH, 1.5);
        let param = self.declare(&stiffness.path, &stiffness.formula, dimension);
        self.table().bound(param, f64::MIN_POSITIVE, f64::INFINITY);
        param
    }

    /// The simple body of a surface.
    pub(super) fn simple(&mut self, skin: &Skin<'_>) -> Option<Simple<Param>> {
        Some(match skin {
            Skin::Mesh => return None,
            Skin::Simple(SimpleShape::Sizeless(Sizeless::Point)) => Simple::Point,
            Skin::Simple(SimpleShape::Sizeless(Sizeless::Plane)) => Simple::Plane,
            Skin::Simple(SimpleShape::Solid(solid)) => match &**solid {
                Solid::Sphere(sphere) => Simple::Sphere { radius: self.positive(&sphere.radius, LENGTH) },
                Solid::Capsule(capsule) => Simple::Capsule {
                    radius: self.positive(&capsule.radius, LENGTH),
                    length: self.positive(&capsule.length, LENGTH),
                },
                Solid::Box(cuboid) => {
                    let [x, y, z] = &cuboid.size.0;
                    Simple::Box { size: [x, y, z].map(|edge| self.positive(edge, LENGTH)) }
                }
            },
            Skin::Shape(body, index, _) => match self.drawn(body, *index)?.form {
                Drawn::Sphere(radius) => Simple::Sphere { radius },
                Drawn::Capsule([radius, length]) => Simple::Capsule { radius, length },
                Drawn::Box(size) => Simple::Box { size },
                Drawn::Cylinder(_) | Drawn::Ellipsoid(_) | Drawn::Mesh(_) => return None,
            },
        })
    }

    /// The mesh that is a shape of a body.
    pub(super) fn shape_mesh(&self, skin: &Skin<'_>) -> Option<Arc<TriMesh>> {
        let Skin::Shape(body, index, _) = skin else { return None };
        match self.drawn(body, *index)?.form {
            Drawn::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    fn drawn(&self, body: &str, index: usize) -> Option<super::Drawn> {
        self.shapes.iter().filter(|drawn| drawn.body == body).nth(index).cloned()
    }

    /// The frame of a surface: what it is on, or the place of the shape on its body.
    pub(super) fn surface_frame(
        &mut self,
        model: &ModelFile,
        name: &str,
        (surface, skin): (&Surface, &Skin<'_>),
    ) -> Option<FrameId> {
        let placed = match skin {
            Skin::Shape(body, index, _) => {
                let drawn = self.drawn(body, *index)?;
                (drawn.position.is_some() || drawn.orientation.is_some()).then_some(drawn)
            }
            _ => None,
        };
        let own = format!("surfaces.{name}");
        if let Some(frame) = self.frame_of_name(&own) {
            return Some(frame);
        }
        let Some(drawn) = placed else {
            let frame = self.frame(model, &surface.on)?;
            // A plane has two sides: where a mirror reverses z, its solid side is above.
            let plane = matches!(skin, Skin::Simple(SimpleShape::Sizeless(Sizeless::Plane)));
            if !plane || !surface.reflection.polar(2) {
                return Some(frame);
            }
            return Some(self.turned(frame, 0, own));
        };
        let zero = [self.zero(); 3];
        let body = body_ref(model, &surface.on)?;
        let (position, orientation) = (drawn.position.unwrap_or(zero), drawn.orientation.unwrap_or(zero));
        Some(self.builder.add(Frame { name: own, body, position, orientation }))
    }
}
