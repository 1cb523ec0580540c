//! MJCF to a robot: the kinematic tree, its masses, and the equalities that have a counterpart.
//!
//! | file | content |
//! |---|---|
//! | `settings` | `<compiler>` and `<option>` |
//! | `defaults` | default classes |
//! | `orientation` | the five ways to write a rotation |
//! | `tree` | bodies, frames and sites |
//! | `joints` | joints of a body |
//! | `meshes` | mesh assets and their mass |
//! | `geoms` | what is seen and what collides |
//! | `masses` | inertia from `<inertial>` or from geoms |
//! | `equality` | couplings and loops |
//! | `tendons` | fixed tendons |
//! | `actuators` | drives |
//! | `effective` | the inertia that a drive sees |
//! | `keyframes` | states to start at |
//! | `rest` | what is only listed |

mod actuators;
mod defaults;
mod effective;
mod equality;
mod geoms;
mod joints;
mod keyframes;
mod masses;
mod meshes;
mod orientation;
mod rest;
mod settings;
mod tendons;
mod tree;

pub(super) use orientation::from_z;

use super::Options;
use super::robot::Robot;
use super::values::View;
use super::xml::Document;
use gelenk_file::report::Report;
use gelenk_math::spatial::{Pose, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Reads a robot; complaints go to the report. All files must have been included.
pub(super) fn read(
    document: &Document,
    root: usize,
    options: &Options,
    assets: super::assets::Assets,
    report: &mut Report,
) -> Robot {
    let settings = settings::Settings::read(document, root, report);
    let defaults = defaults::Defaults::read(document, root, report);
    let mut robot = Robot::new(View::new(document, root).text("model"));
    robot.gravity = settings.gravity;
    robot.assets = assets;
    let tendon_sites = rest::tendon_sites(document, root);
    let mut reader = Reader {
        document,
        settings: &settings,
        defaults: &defaults,
        report,
        robot,
        bodies: BTreeMap::new(),
        joints: BTreeMap::new(),
        sites: BTreeMap::new(),
        tendon_sites,
        tendons: BTreeMap::new(),
        controls: Vec::new(),
        tendon_names: BTreeSet::new(),
        meshes: BTreeMap::new(),
        materials: BTreeMap::new(),
    };
    reader.read_assets(root);
    reader.walk(root);
    reader.exclusions(root);
    reader.scale_total_mass();
    reader.tendons(root);
    reader.equalities(root);
    reader.actuators(root);
    reader.keyframes(root, options.start.as_deref());
    reader.list_the_rest(root);
    reader.robot
}

/// Where a body of the file is in the robot.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The link; none for the ground.
    link: Option<usize>,
    /// The link's origin in the frame of the body; a link stands at the anchor of its last joint.
    offset: Vec3<f64>,
}

impl Place {
    const GROUND: Self = Self { link: None, offset: Vec3::new(0.0, 0.0, 0.0) };
}

struct Reader<'a, 'r> {
    document: &'a Document,
    settings: &'a settings::Settings,
    defaults: &'a defaults::Defaults,
    report: &'r mut Report,
    robot: Robot,
    bodies: BTreeMap<&'a str, Place>,
    /// Links by the names of the joints that carry them.
    joints: BTreeMap<&'a str, usize>,
    /// Sites with their body and their place on it.
    sites: BTreeMap<&'a str, (Place, Pose<f64>)>,
    /// Meshes by their names.
    meshes: BTreeMap<String, meshes::MeshAsset>,
    /// Colours of materials.
    materials: BTreeMap<&'a str, gelenk_mesh::Rgba>,
    /// Sites that only tendons need.
    tendon_sites: BTreeSet<&'a str>,
    /// Fixed tendons by name.
    tendons: BTreeMap<&'a str, usize>,
    /// The drives that the actuators of the file became.
    controls: Vec<Option<usize>>,
    /// Names of all tendons.
    tendon_names: BTreeSet<&'a str>,
}

impl<'a> Reader<'a, '_> {
    /// An element with the defaults of its class, or of the class that holds around it.
    fn view(&mut self, element: usize, class: Option<&str>) -> View<'a> {
        let view = View::new(self.document, element);
        let own = view.get("class");
        if let Some(own) = own.filter(|own| !self.defaults.knows(&own.value)) {
            self.report.push(self.defaults.unknown(own));
        }
        let class = own.map(|own| own.value.as_str()).or(class);
        view.with_defaults(self.defaults.of(class, self.document.name(element)))
    }
}
