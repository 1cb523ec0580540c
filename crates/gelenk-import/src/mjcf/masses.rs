//! Inertia from `<inertial>` or from geoms, and what is drawn.

use super::geoms::Look;
use super::meshes::Bulk;
use super::orientation::{from_z, pose};
use super::settings::{FromGeoms, Settings, word};
use super::tree::Item;
use super::{Place, Reader};
use crate::primitives::{Placed, Solid, Weighed, add_mass};
use crate::robot::Link;
use crate::skins::Form;
use crate::values::View;
use gelenk_file::report::Diagnostic;
use gelenk_math::spatial::{Inertia, Mat3, Pose, Vec3};

/// Density (kg/m^3) of geoms that give neither mass nor density.
const WATER: f64 = 1000.0;

/// Types of geoms.
const TYPES: [&str; 9] =
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];

/// A geom as far as it matters here.
pub(super) struct Geom<'a> {
    pub(super) name: &'a str,
    /// The word of its type.
    pub(super) kind: &'a str,
    /// Its shape where it is a simple one.
    placed: Option<Placed>,
    /// What it is like apart from its mass.
    pub(super) look: Look,
    /// The volume of its mesh, seen from the body.
    bulk: Option<(Bulk, Pose<f64>)>,
    /// Its mass where it has one; none where its mesh has none.
    mass: Option<f64>,
    /// Whether its mass is on its surface.
    shell: bool,
    /// Whether its group counts for inertia.
    counts: bool,
}

impl<'a> Reader<'a, '_> {
    /// Mass properties and shape of a body.
    pub(super) fn masses(&mut self, items: &[Item<'a>], place: Place, body: &View<'a>) {
        let inertial = items.iter().find(|item| self.document.name(item.element) == "inertial");
        let from_geoms = match self.settings.from_geoms {
            FromGeoms::Never => false,
            FromGeoms::Always => true,
            FromGeoms::Auto => inertial.is_none(),
        };
        let Some(index) = place.link else { return };
        let geoms = self.geoms(items, from_geoms.then_some(body.name()));
        // Geoms without mass and those of other groups leave an <inertial> as it is.
        let from_geoms = from_geoms
            && (inertial.is_none() || geoms.iter().any(|geom| geom.counts && geom.mass != Some(0.0)));
        let solids: Vec<Weighed> = geoms
            .iter()
            .filter(|geom| geom.counts)
            .filter_map(|geom| {
                let mass = geom.mass.filter(|mass| *mass != 0.0)?;
                Some(Weighed { placed: geom.placed?, mass, shell: geom.shell })
            })
            .collect();
        let meshes: Vec<Inertia<f64>> = geoms
            .iter()
            .filter(|geom| geom.counts && geom.placed.is_none())
            .filter_map(|geom| {
                let (mass, (bulk, pose)) = (geom.mass.filter(|mass| *mass != 0.0)?, geom.bulk?);
                let tensor = bulk.tensor * (mass / bulk.amount);
                Some(Inertia::about_centre(mass, bulk.centre, tensor).seen_from(&pose))
            })
            .collect();
        let mut given = (0.0, Vec3::zeros(), Mat3::zeros());
        if let Some(inertial) = inertial.filter(|_| !from_geoms) {
            given = self.inertial(inertial);
        }
        let Some(link) = self.robot.links.get_mut(index) else { return };
        (link.mass, link.centre, link.inertia) = given;
        if from_geoms {
            add_mass(link, &solids, &meshes);
        }
        let plain = (link.mass, link.inertia);
        bound(link, self.settings);
        // Only a single simple geom that stands on the centre of mass can be drawn.
        link.shape = match geoms.as_slice() {
            [geom] if link.mass > 0.0 => geom.placed.and_then(|placed| placed.drawn(&link.centre)),
            _ => None,
        };
        link.inertia_from_shape = from_geoms
            && link.shape.is_some()
            && meshes.is_empty()
            && matches!(solids.as_slice(), [solid] if !solid.shell)
            && plain == (link.mass, link.inertia);
        link.centre -= place.offset;
        let drawn = link.shape.is_some();
        self.keep_geoms(&geoms, place, body.name(), drawn);
    }

    /// The geoms of a body. `weighed` is the body whose mass they make.
    pub(super) fn geoms(&mut self, items: &[Item<'a>], weighed: Option<&str>) -> Vec<Geom<'a>> {
        let mut geoms = Vec::new();
        for item in items.iter().filter(|item| self.document.name(item.element) == "geom") {
            let geom = self.geom(item);
            if let Some(body) = weighed.filter(|_| geom.counts && geom.mass.is_none()) {
                self.robot
                    .left_out
                    .add("masses of meshes that were not read; they are missing from the total mass", body);
            }
            geoms.push(geom);
        }
        geoms
    }

    fn geom(&mut self, item: &Item<'a>) -> Geom<'a> {
        let view = self.view(item.element, item.class);
        let kind = view.get("type").map_or(Some("sphere"), |kind| word(kind, &TYPES, self.report));
        let mut kind = kind.unwrap_or("sphere");
        let shell = view.text("shellinertia") == Some("true");
        let mesh = view.text("mesh").and_then(|name| self.meshes.get(name).cloned());
        let mut at = item.pose * pose(&view, self.settings, self.report);
        let fits = !matches!(kind, "mesh" | "sdf");
        let bulk = mesh.as_ref().and_then(|mesh| self.bulk(mesh, shell && !fits));
        let mut fitted = None;
        if view.get("mesh").is_some() && fits {
            // A simple type with a mesh is fitted to it.
            fitted = bulk
                .and_then(|bulk| fitted_to(kind, &bulk))
                .map(|(solid, own)| Placed { solid, pose: at * own });
            if fitted.is_none() {
                kind = "mesh";
            }
        }
        let placed = fitted.or_else(|| self.placed(&view, kind, item));
        let form = match (kind, &mesh, &placed) {
            (_, _, Some(placed)) => {
                at = placed.pose;
                Some(Form::Solid(placed.solid))
            }
            ("mesh" | "sdf", Some(mesh), _) => Some(Form::Mesh { asset: mesh.asset, scale: mesh.scale }),
            ("plane", ..) => Some(Form::Plane),
            _ => None,
        };
        let look = self.look(&view, form.filter(Form::is_proper), at);
        let bulk = bulk.filter(|_| placed.is_none()).map(|bulk| (bulk, at));
        let mass = view.number("mass", self.report);
        let density = view.number("density", self.report).unwrap_or(WATER);
        let weightless = matches!(kind, "plane" | "hfield") || (mass.is_none() && density == 0.0);
        let mass = match (mass, placed) {
            _ if weightless => Some(0.0),
            (Some(0.0), _) => Some(0.0),
            (Some(mass), Some(_)) => Some(mass),
            (Some(mass), None) if bulk.is_some() => Some(mass),
            (None, None) if bulk.is_some() => bulk.map(|(bulk, _)| density * bulk.amount),
            // The density of a shell is that of its surface.
            (None, Some(placed)) if shell => Some(density * placed.solid.area()),
            (None, Some(placed)) => Some(density * placed.solid.volume()),
            (_, None) => None,
        };
        let group = view.number("group", self.report).unwrap_or(0.0);
        let [least, most] = self.settings.inertia_groups;
        let counts = (least..=most).contains(&group);
        Geom { name: view.name(), kind, placed, look, bulk, mass, shell, counts }
    }

    /// The shape of a simple geom.
    fn placed(&mut self, view: &View<'a>, kind: &str, item: &Item<'a>) -> Option<Placed> {
        if !matches!(kind, "sphere" | "capsule" | "ellipsoid" | "cylinder" | "box") {
            return None;
        }
        let mut size = view.numbers("size", self.report).unwrap_or_default();
        let mut place = pose(view, self.settings, self.report);
        if let Some([a, b, c, d, e, f]) = view.fixed::<6>("fromto", self.report).filter(|_| kind != "sphere")
        {
            let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
            let along = from - to;
            let half = along.norm() / 2.0;
            size.truncate(1);
            if matches!(kind, "box" | "ellipsoid") {
                size.extend(size.first().copied());
            }
            size.push(half);
            let rotation = if half > 0.0 { from_z(&(along / (2.0 * half))) } else { Mat3::identity() };
            place = Pose::new(rotation, (from + to) / 2.0);
        }
        let solid = match (kind, size.as_slice()) {
            ("sphere", [radius, ..]) => Solid::Sphere { radius: *radius },
            ("capsule", [radius, half, ..]) => Solid::Capsule { radius: *radius, length: 2.0 * half },
            ("cylinder", [radius, half, ..]) => Solid::Cylinder { radius: *radius, length: 2.0 * half },
            ("box", [x, y, z, ..]) => Solid::Box(Vec3::new(*x, *y, *z) * 2.0),
            ("ellipsoid", [x, y, z, ..]) => Solid::Ellipsoid(Vec3::new(*x, *y, *z)),
            _ => {
                let span = view.get("size").map_or(view.span(), |size| size.span);
                self.report.push(Diagnostic::error(span, format!("a {kind} needs more values of \"size\"")));
                return None;
            }
        };
        if !solid.is_proper() {
            let span = view.get("size").map_or(view.span(), |size| size.span);
            self.report.push(Diagnostic::error(span, "sizes must be greater than 0"));
            return None;
        }
        Some(Placed { solid, pose: item.pose * place })
    }

    /// Mass, centre and inertia of an `<inertial>`, in the frame of the body.
    fn inertial(&mut self, item: &Item<'a>) -> (f64, Vec3<f64>, Mat3<f64>) {
        let view = View::new(self.document, item.element);
        let pose = item.pose * pose(&view, self.settings, self.report);
        view.required("mass", self.report);
        view.required("pos", self.report);
        let mass = view.number("mass", self.report).unwrap_or(0.0);
        let tensor = if let Some([xx, yy, zz, xy, xz, yz]) = view.fixed::<6>("fullinertia", self.report) {
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        } else {
            Mat3::from_diagonal(&view.vector("diaginertia", self.report).unwrap_or_else(Vec3::zeros))
        };
        (mass, pose.position, pose.rotation * tensor * pose.rotation.transpose())
    }

    /// `settotalmass` of the compiler.
    pub(super) fn scale_total_mass(&mut self) {
        let sum: f64 = self.robot.links.iter().map(|link| link.mass).sum();
        let wanted = self.settings.total_mass;
        if wanted > 0.0 && sum > 0.0 {
            for link in &mut self.robot.links {
                link.mass *= wanted / sum;
                link.inertia *= wanted / sum;
            }
        }
    }
}

/// The simple shape with the inertia of a mesh, and its place in the axes of the mesh: MuJoCo goes by the box of the same
/// inertia.
fn fitted_to(kind: &str, bulk: &Bulk) -> Option<(Solid, Pose<f64>)> {
    let eigen = bulk.tensor.symmetric_eigen();
    // The largest moment first, so that z is along the mesh.
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let column = |k: usize| eigen.eigenvectors.column(order[k]).into_owned();
    let mut axes = Mat3::from_columns(&[column(0), column(1), column(2)]);
    if axes.determinant() < 0.0 {
        axes = Mat3::from_columns(&[column(0), column(1), -column(2)]);
    }
    let moments = order.map(|k| eigen.eigenvalues[k]);
    let sum: f64 = moments.iter().sum();
    let half = moments.map(|moment| (6.0 * (sum - 2.0 * moment).max(0.0) / bulk.amount).sqrt() / 2.0);
    let [x, y, z] = half;
    let solid = match kind {
        "sphere" => Solid::Sphere { radius: (x + y + z) / 3.0 },
        "capsule" => {
            let radius = (x + y) / 2.0;
            Solid::Capsule { radius, length: 2.0 * (z - radius / 2.0).max(0.0) }
        }
        "cylinder" => Solid::Cylinder { radius: (x + y) / 2.0, length: 2.0 * z },
        "ellipsoid" => Solid::Ellipsoid(Vec3::from(half)),
        "box" => Solid::Box(Vec3::from(half) * 2.0),
        _ => return None,
    };
    solid.is_proper().then(|| (solid, Pose::new(axes, bulk.centre)))
}

/// `boundmass`, `boundinertia` and `balanceinertia` of the compiler.
fn bound(link: &mut Link, settings: &Settings) {
    link.mass = link.mass.max(settings.least_mass);
    let usable = link.inertia.iter().all(|x| x.abs() < 1e100);
    if !usable || (settings.least_inertia <= 0.0 && !settings.balance) {
        return;
    }
    let eigen = link.inertia.symmetric_eigen();
    let principal = eigen.eigenvalues.map(|moment| moment.max(settings.least_inertia));
    if principal != eigen.eigenvalues {
        link.inertia = eigen.eigenvectors * Mat3::from_diagonal(&principal) * eigen.eigenvectors.transpose();
    }
    // None of the three may exceed the sum of the others.
    let sum = principal.sum();
    if settings.balance && principal.iter().any(|moment| 2.0 * moment > sum) {
        link.inertia = Mat3::identity() * (sum / 3.0);
    }
}
