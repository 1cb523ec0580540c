//! Visuals and collisions of URDF links.

use crate::names::Name;
use crate::primitives::Solid;
use crate::skins::{Collider, Form, Skin};
use crate::urdf::Reader;
use gelenk_file::report::Report;
use gelenk_mesh::Rgba;

impl Reader<'_, '_> {
    /// What a link looks like and collides with; `drawn` is what its body shows already.
    pub(crate) fn skins(&mut self, body: Option<usize>, element: usize, drawn: Option<Solid>) {
        let link = self.view(element).name();
        let visuals: Vec<usize> = self.document.named(element, "visual").collect();
        let single = visuals.len() == 1;
        for visual in visuals {
            let pose = self.origin(visual);
            let colour = self.colour(visual);
            let Some(form) = self.form(visual, link, "visual shapes") else { continue };
            if single && drawn.is_some() && colour.is_none() {
                continue;
            }
            // The shape of the body would hide what is drawn here.
            if let Some(link) = body.and_then(|body| self.robot.links.get_mut(body)) {
                link.shape = None;
            }
            let coloured = match form {
                Form::Mesh { asset, .. } => {
                    let file = self.robot.assets.list.get(asset);
                    file.is_some_and(|file| file.painted.patches.iter().any(|patch| patch.colour.is_some()))
                }
                _ => false,
            };
            // A mesh with colours of its own keeps them, as in RViz.
            let colour = colour.filter(|_| !coloured);
            self.robot.skins.push(Skin { name: Name::new(None, link), body, pose, form, colour });
        }
        let collisions: Vec<usize> = self.document.named(element, "collision").collect();
        for collision in collisions {
            let pose = self.origin(collision);
            let Some(form) = self.form(collision, link, "collision shapes") else { continue };
            let name = Name::new(None, format!("{link}_collision"));
            self.robot.colliders.push(Collider { name, body, pose, form, friction: None });
        }
    }

    /// The form of a visual or collision; what cannot be read is listed.
    fn form(&mut self, element: usize, link: &str, kind: &str) -> Option<Form> {
        let geometry = self.document.child(element, "geometry")?;
        let shape = self.document.children(geometry).next()?;
        let view = self.view(shape);
        let mut number = |name: &str| view.number(name, self.report);
        let form = match self.document.name(shape) {
            "box" => Form::Solid(Solid::Box(view.vector("size", self.report)?)),
            "sphere" => Form::Solid(Solid::Sphere { radius: number("radius")? }),
            "cylinder" => {
                Form::Solid(Solid::Cylinder { radius: number("radius")?, length: number("length")? })
            }
            "capsule" => Form::Solid(Solid::Capsule { radius: number("radius")?, length: number("length")? }),
            "mesh" => {
                let file = view.required("filename", self.report)?;
                let scale = view.numbers("scale", self.report).unwrap_or_else(|| vec![1.0; 3]);
                let scale = match *scale.as_slice() {
                    [x, y, z] => [x, y, z],
                    [x] => [x; 3],
                    _ => [0.0; 3],
                };
                match self.robot.assets.mesh(&file.value, "", file.span) {
                    Some(asset) => Form::Mesh { asset, scale },
                    None => {
                        self.robot.left_out.add(&format!("{kind} with meshes that could not be read"), link);
                        return None;
                    }
                }
            }
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

    /// The colour of a visual: its own, or that of a material that it names.
    fn colour(&mut self, visual: usize) -> Option<Rgba> {
        let material = self.document.child(visual, "material")?;
        if let Some(texture) = self.document.child(material, "texture") {
            let file = self.view(texture).text("filename").unwrap_or_default();
            self.robot.left_out.at(self.document.span(texture));
            self.robot.left_out.add("textures of materials", file);
        }
        if let Some(colour) = self.document.child(material, "color") {
            return self.rgba(colour);
        }
        self.materials.get(self.view(material).text("name")?).copied()
    }

    /// Colours of materials by their names: those of the robot first, then those that visuals define.
    pub(crate) fn read_materials(&mut self) {
        let own = self.document.named(self.root, "material");
        let visuals =
            self.document.named(self.root, "link").flat_map(|link| self.document.named(link, "visual"));
        let used = visuals.filter_map(|visual| self.document.child(visual, "material"));
        let all: Vec<usize> = own.chain(used).collect();
        for material in all {
            let Some(name) = self.view(material).text("name") else { continue };
            let Some(colour) = self.document.child(material, "color") else { continue };
            // Wrong numbers in visuals are reported where the visuals are read.
            let quiet = self.view(colour).fixed::<4>("rgba", &mut Report::new());
            if !self.materials.contains_key(name)
                && let Some(colour) = quiet
            {
                let colour = colour.map(|x| x.clamp(0.0, 1.0));
                self.materials.insert(name.to_owned(), colour);
            }
        }
    }

    fn rgba(&mut self, element: usize) -> Option<Rgba> {
        let [r, g, b, a] = self.view(element).fixed::<4>("rgba", self.report)?;
        Some([r, g, b, a].map(|x| x.clamp(0.0, 1.0)))
    }
}
