//! Visuals and collisions of links.

use super::Reader;
use super::scope::{Item, Scope};
use crate::names::Name;
use crate::primitives::Solid;
use crate::robot::inverse;
use crate::skins::{Collider, Form, Skin};
use crate::values::fixed;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_mesh::Rgba;

/// Children of visuals and collisions that are read, or that say nothing about a mechanism.
const READ: [&str; 9] = [
    "pose",
    "geometry",
    "material",
    "transparency",
    "surface",
    "cast_shadows",
    "visibility_flags",
    "max_contacts",
    "meta",
];

impl Reader<'_, '_> {
    /// What a link looks like and collides with; `inside` is the frame of the link in that of its body.
    pub(super) fn skins(&mut self, link: &Item, body: usize, inside: &Pose<f64>, scope: &Scope) {
        let visuals: Vec<usize> = self.document.named(link.element, "visual").collect();
        for visual in visuals {
            self.robot.left_out.at(self.document.span(visual));
            let pose = *inside * self.placed(visual, link, scope);
            let Some(form) = self.form(visual, &link.name, "visual shapes") else { continue };
            let colour = self.colour(visual, &link.name);
            self.list_the_rest(visual, &READ);
            let (name, body) = (Name::new(None, &*link.name), Some(body));
            self.robot.skins.push(Skin { name, body, pose, form, colour });
        }
        let collisions: Vec<usize> = self.document.named(link.element, "collision").collect();
        for collision in collisions {
            self.robot.left_out.at(self.document.span(collision));
            let pose = *inside * self.placed(collision, link, scope);
            let Some(form) = self.form(collision, &link.name, "collision shapes") else { continue };
            let friction = self.friction(collision);
            self.list_the_rest(collision, &READ);
            let (name, body) = (Name::new(None, format!("{}_collision", link.name)), Some(body));
            self.robot.colliders.push(Collider { name, body, pose, form, friction });
        }
    }

    /// The pose of a visual or collision in the frame of its link.
    fn placed(&mut self, element: usize, link: &Item, scope: &Scope) -> Pose<f64> {
        let (pose, base) = self.pose(element);
        let Some((base, span)) = base else { return pose };
        // Names are those of the model around the link.
        let model = link.name.rsplit_once("::").map_or("", |(model, _)| model);
        let full = if model.is_empty() { base.clone() } else { format!("{model}::{base}") };
        match scope.pose(&full) {
            Some(frame) => inverse(&link.pose) * frame * pose,
            None => {
                self.unknown(&base, span, scope.names());
                pose
            }
        }
    }

    /// The form of a visual or collision; what cannot be read is listed.
    fn form(&mut self, element: usize, link: &str, kind: &str) -> Option<Form> {
        let geometry = self.document.child(element, "geometry")?;
        let shape = self.document.children(geometry).next()?;
        let form = match self.document.name(shape) {
            "box" => Form::Solid(Solid::Box(self.vector(shape, "size").unwrap_or(Vec3::from_element(1.0)))),
            "sphere" => Form::Solid(Solid::Sphere { radius: self.number(shape, "radius").unwrap_or(1.0) }),
            "cylinder" => {
                let (radius, length) = self.round(shape);
                Form::Solid(Solid::Cylinder { radius, length })
            }
            "capsule" => {
                let (radius, length) = self.round(shape);
                Form::Solid(Solid::Capsule { radius, length })
            }
            "ellipsoid" => {
                let radii = self.vector(shape, "radii").unwrap_or(Vec3::from_element(1.0));
                Form::Solid(Solid::Ellipsoid(radii))
            }
            "mesh" => self.mesh(shape, link, kind)?,
            // Nothing is to be seen or to collide.
            "empty" => return None,
            other => {
                self.robot.left_out.add(&format!("{kind} ({other})"), link);
                return None;
            }
        };
        if !form.is_proper() {
            self.robot.left_out.add(&format!("{kind} of size zero"), link);
            return None;
        }
        Some(form)
    }

    fn mesh(&mut self, shape: usize, link: &str, kind: &str) -> Option<Form> {
        let uri = self.document.child(shape, "uri").and_then(|uri| self.document.text(uri))?;
        let scale = self.vector(shape, "scale").map_or([1.0; 3], Into::into);
        if self.document.child(shape, "submesh").is_some() {
            self.robot.changed.at(self.document.span(shape));
            self.robot.changed.add(&format!("{kind} of a submesh: the whole mesh"), link);
        }
        // Paths are relative to the file that they are in, which may be an included one.
        let file = self.document.sources.get(uri.span.file);
        let folder = file
            .and_then(|file| file.path.parent())
            .map(|folder| if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder });
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        let folder = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
        let asset = self.robot.assets.mesh(&uri.value, &folder, uri.span);
        if asset.is_none() {
            self.robot.left_out.add(&format!("{kind} with meshes that could not be read"), link);
        }
        asset.map(|asset| Form::Mesh { asset, scale })
    }

    fn round(&mut self, shape: usize) -> (f64, f64) {
        (self.number(shape, "radius").unwrap_or(1.0), self.number(shape, "length").unwrap_or(1.0))
    }

    fn vector(&mut self, element: usize, tag: &str) -> Option<Vec3<f64>> {
        let text = self.document.text(self.document.child(element, tag)?)?;
        fixed::<3>(text, self.report).map(Vec3::from)
    }

    /// The colour of a visual: the diffuse one of its material, with its transparency.
    fn colour(&mut self, visual: usize, link: &str) -> Option<Rgba> {
        let opaque = 1.0 - self.number(visual, "transparency").unwrap_or(0.0).clamp(0.0, 1.0);
        let material = self.document.child(visual, "material")?;
        for tag in ["script", "pbr", "shader"] {
            if let Some(child) = self.document.child(material, tag) {
                self.robot.left_out.at(self.document.span(child));
                self.robot.left_out.add(&format!("textures and materials ({tag})"), link);
            }
        }
        let text = self.document.text(self.document.child(material, "diffuse")?)?;
        let list = crate::values::numbers(text, self.report)?;
        // The last number may be omitted.
        let (rgb, alpha) = match *list.as_slice() {
            [r, g, b] => ([r, g, b], 1.0),
            [r, g, b, a] => ([r, g, b], a),
            _ => {
                self.robot.left_out.add("colours without three or four numbers", link);
                return None;
            }
        };
        let [r, g, b] = rgb;
        Some([r, g, b, alpha * opaque].map(|x| x.clamp(0.0, 1.0)))
    }

    /// Coefficient of friction of a collision.
    fn friction(&mut self, collision: usize) -> Option<f64> {
        let surface = self.document.child(collision, "surface")?;
        let friction = self.document.child(surface, "friction")?;
        let ode = self.document.child(friction, "ode")?;
        self.number(ode, "mu").filter(|mu| *mu >= 0.0 && mu.is_finite())
    }
}
