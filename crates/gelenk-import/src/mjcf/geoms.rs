//! What is seen of a body, and what it collides with.

use super::masses::Geom;
use super::{Place, Reader};
use crate::names::Name;
use crate::skins::{Collider, Form, Skin};
use crate::values::View;
use gelenk_math::spatial::Pose;
use gelenk_mesh::Rgba;

/// Groups of geoms that MuJoCo shows unless told otherwise.
const SHOWN: std::ops::RangeInclusive<f64> = 0.0..=2.0;
/// MuJoCo's colour of geoms that have none.
const GREY: Rgba = [0.5, 0.5, 0.5, 1.0];

/// What a geom is like apart from its mass.
#[derive(Clone)]
pub(super) struct Look {
    pub(super) form: Option<Form>,
    pub(super) pose: Pose<f64>,
    pub(super) shown: bool,
    pub(super) collides: bool,
    pub(super) colour: Rgba,
    pub(super) friction: Option<f64>,
}

impl<'a> Reader<'a, '_> {
    /// Reads what a geom is like apart from its mass.
    pub(super) fn look(&mut self, view: &View<'a>, form: Option<Form>, pose: Pose<f64>) -> Look {
        let bits = |name: &str, reader: &mut Self| view.number(name, reader.report).unwrap_or(1.0) != 0.0;
        let collides = bits("contype", self) | bits("conaffinity", self);
        let group = view.number("group", self.report).unwrap_or(0.0);
        let material = view.text("material").and_then(|name| self.materials.get(name).copied());
        let own = view.fixed::<4>("rgba", self.report).filter(|own| *own != GREY);
        let colour = own.or(material).unwrap_or(GREY).map(|x| x.clamp(0.0, 1.0));
        let friction = view.numbers("friction", self.report).and_then(|list| list.first().copied());
        let friction = friction.filter(|x| *x >= 0.0);
        Look { form, pose, shown: SHOWN.contains(&group), collides, colour, friction }
    }

    /// Keeps what geoms show and collide with; `drawn` says that the body has the shape of its only geom already.
    pub(super) fn keep_geoms(&mut self, geoms: &[Geom<'a>], place: Place, body: &str, drawn: bool) {
        // Where a body has geoms that are only seen, those that collide are not what it looks like.
        let seen = |geom: &Geom<'a>| geom.look.shown && !geom.look.collides && geom.look.form.is_some();
        let apart = geoms.iter().any(seen);
        for geom in geoms {
            let look = &geom.look;
            let name = if geom.name.is_empty() { body } else { geom.name };
            let Some(form) = look.form.clone() else {
                self.robot.left_out.add(&format!("geoms ({})", geom.kind), name);
                continue;
            };
            let mut pose = look.pose;
            pose.position -= place.offset;
            let plane = form == Form::Plane;
            let drawn = (drawn && look.colour == GREY) || (apart && look.collides);
            if look.shown && look.colour[3] > 0.0 && !plane && !drawn {
                let (form, colour) = (form.clone(), Some(look.colour));
                self.robot.skins.push(Skin {
                    name: Name::new(None, name),
                    body: place.link,
                    pose,
                    form,
                    colour,
                });
            }
            if look.collides {
                let name = Name::new(None, format!("{name}_collision"));
                let friction = look.friction;
                self.robot.colliders.push(Collider { name, body: place.link, pose, form, friction });
            }
        }
    }

    /// `<contact><exclude body1 body2/>`.
    pub(super) fn exclusions(&mut self, root: usize) {
        let sections: Vec<usize> = self.document.named(root, "contact").collect();
        for section in sections {
            for element in self.document.named(section, "exclude") {
                let view = View::new(self.document, element);
                let link = |name: &str| view.text(name).and_then(|name| self.bodies.get(name)?.link);
                if let (Some(a), Some(b)) = (link("body1"), link("body2")) {
                    self.robot.excluded.push([a, b]);
                }
            }
        }
    }
}
