//! `<compiler>` and `<option>`.

use crate::values::View;
use crate::xml::{Attribute, Document};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::spatial::Vec3;

/// Where inertia comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FromGeoms {
    /// Always from `<inertial>`.
    Never,
    /// Always from geoms, also where there is an `<inertial>`.
    Always,
    /// From geoms where there is no `<inertial>`.
    Auto,
}

/// What holds for the whole file.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Settings {
    /// One for radians.
    pub(super) angle: f64,
    /// Axes of Euler angles; capital letters mean fixed axes.
    pub(super) euler: [char; 3],
    pub(super) autolimits: bool,
    pub(super) from_geoms: FromGeoms,
    pub(super) inertia_groups: [f64; 2],
    pub(super) least_mass: f64,
    pub(super) least_inertia: f64,
    pub(super) balance: bool,
    pub(super) total_mass: f64,
    pub(super) gravity: Vec3<f64>,
    pub(super) limits: bool,
    pub(super) springs: bool,
    pub(super) dampers: bool,
    pub(super) equalities: bool,
    pub(super) friction: bool,
    pub(super) actuation: bool,
    /// Step of the solver (s).
    pub(super) step: f64,
    /// Where meshes are, seen from the file.
    pub(super) mesh_folder: String,
    /// Whether folders in the names of files do not count.
    pub(super) strip_path: bool,
}

impl Settings {
    pub(super) fn read(document: &Document, root: usize, report: &mut Report) -> Self {
        let mut settings = Self {
            angle: 1_f64.to_radians(),
            euler: ['x', 'y', 'z'],
            autolimits: true,
            from_geoms: FromGeoms::Auto,
            inertia_groups: [0.0, 5.0],
            least_mass: 0.0,
            least_inertia: 0.0,
            balance: false,
            total_mass: 0.0,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            limits: true,
            springs: true,
            dampers: true,
            equalities: true,
            friction: true,
            actuation: true,
            step: 0.002,
            mesh_folder: String::new(),
            strip_path: false,
        };
        for element in document.named(root, "compiler") {
            settings.compiler(&View::new(document, element), report);
        }
        let mut fall = true;
        for element in document.named(root, "option") {
            let view = View::new(document, element);
            settings.gravity = view.vector("gravity", report).unwrap_or(settings.gravity);
            settings.step = view.number("timestep", report).filter(|s| *s > 0.0).unwrap_or(settings.step);
            for flag in document.named(element, "flag") {
                let view = View::new(document, flag);
                let on = |name: &str| view.text(name) != Some("disable");
                // "passive" stood for springs and dampers in former versions.
                settings.springs &= on("spring") && on("passive");
                settings.dampers &= on("damper") && on("passive");
                settings.limits &= on("limit") && on("constraint");
                settings.equalities &= on("equality") && on("constraint");
                settings.friction &= on("frictionloss") && on("constraint");
                settings.actuation &= on("actuation");
                fall &= on("gravity");
            }
        }
        if !fall {
            settings.gravity = Vec3::zeros();
        }
        settings
    }

    fn compiler(&mut self, view: &View<'_>, report: &mut Report) {
        if let Some(angle) = view.get("angle")
            && let Some(radians) = word(angle, &["degree", "radian"], report)
        {
            self.angle = if radians == "radian" { 1.0 } else { 1_f64.to_radians() };
        }
        if let Some(sequence) = view.get("eulerseq") {
            let letters: Vec<char> = sequence.value.trim().chars().collect();
            match <[char; 3]>::try_from(letters) {
                Ok(letters) if letters.iter().all(|c| "xyzXYZ".contains(*c)) => self.euler = letters,
                _ => report.push(
                    Diagnostic::error(sequence.span, "\"eulerseq\" must be three of the letters xyzXYZ")
                        .help("lower-case letters are rotations about moving axes, upper-case letters about fixed axes"),
                ),
            }
        }
        if let Some(coordinate) = view.get("coordinate").filter(|c| c.value.trim() == "global") {
            report.push(
                Diagnostic::error(coordinate.span, "global coordinates are not supported")
                    .help("open the file with MuJoCo 2.3.3 or older and save it with local coordinates"),
            );
        }
        if let Some(from) = view.get("inertiafromgeom")
            && let Some(from) = word(from, &["false", "true", "auto"], report)
        {
            self.from_geoms = match from {
                "true" => FromGeoms::Always,
                "false" => FromGeoms::Never,
                _ => FromGeoms::Auto,
            };
        }
        if let Some(folder) = view.text("meshdir").or_else(|| view.text("assetdir")) {
            folder.clone_into(&mut self.mesh_folder);
        }
        self.strip_path = flag(view, "strippath", report).unwrap_or(self.strip_path);
        self.autolimits = flag(view, "autolimits", report).unwrap_or(self.autolimits);
        self.balance = flag(view, "balanceinertia", report).unwrap_or(self.balance);
        self.inertia_groups = view.fixed("inertiagrouprange", report).unwrap_or(self.inertia_groups);
        self.least_mass = view.number("boundmass", report).unwrap_or(self.least_mass);
        self.least_inertia = view.number("boundinertia", report).unwrap_or(self.least_inertia);
        self.total_mass = view.number("settotalmass", report).unwrap_or(self.total_mass);
    }
}

/// `true` or `false`.
pub(super) fn flag(view: &View<'_>, name: &str, report: &mut Report) -> Option<bool> {
    word(view.get(name)?, &["true", "false"], report).map(|word| word == "true")
}

/// One of some words; complains about others.
pub(super) fn word<'w>(attribute: &Attribute, words: &[&'w str], report: &mut Report) -> Option<&'w str> {
    let found = words.iter().find(|word| **word == attribute.value.trim()).copied();
    if found.is_none() {
        let message = format!("\"{}\" must be one of {}", attribute.name, gelenk_file::read::list(words));
        let near = gelenk_math::suggest::closest(attribute.value.trim(), words.iter().copied());
        report.push(Diagnostic::error(attribute.span, message).meant(near));
    }
    found
}
