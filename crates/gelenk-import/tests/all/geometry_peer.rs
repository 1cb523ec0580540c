//! Meshes of converted robots beside other programs: masses that come from them, and the boxes around visuals and
//! collisions in poses by chance.
//!
//! `import/geometry/meshes.txt` was written by `import/geometry/with_mujoco.py` with MuJoCo 4.0.0. Whole robots are not in
//! the repository: `import/geometry/robots_with_pinocchio.py FOLDER` installs them from PyPI and writes what Pinocchio and
//! its mesh readers say; the environment variable `GELENK_ROBOT_BOXES` names the folder. Where it is absent the test says so.

use super::import_peer::{accelerations, number, pose, poses, vector};
use gelenk_import::{Limits, Options, import_file};
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_mesh::{Format, Painted};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Lowest and highest coordinates.
type Box3 = [Vec3<f64>; 2];

/// The box around a shape of a model file at a pose in the world.
fn bounds(shape: &Table, at: &Pose<f64>, base: &Path) -> Option<Box3> {
    let about = |half: Vec3<f64>| Some([at.position - half, at.position + half]);
    let r = at.rotation;
    let size = |table: &Value, key: &str| number(&table[key]);
    if let Some(cuboid) = shape.get("box") {
        let half = Vec3::from(vector(cuboid.as_table()?, "size")?) * 0.5;
        return about(r.abs() * half);
    }
    if let Some(ball) = shape.get("sphere") {
        return about(Vec3::from_element(size(ball, "radius")));
    }
    if let Some(rod) = shape.get("capsule") {
        let axis = r.column(2).abs();
        return about(axis * (0.5 * size(rod, "length")) + Vec3::from_element(size(rod, "radius")));
    }
    if let Some(rod) = shape.get("cylinder") {
        let across = r.column(2).map(|z| (1.0 - z * z).max(0.0).sqrt());
        return about(r.column(2).abs() * (0.5 * size(rod, "length")) + across * size(rod, "radius"));
    }
    if let Some(egg) = shape.get("ellipsoid") {
        let radii = Vec3::from(vector(egg.as_table()?, "radii")?);
        let turned = r.component_mul(&r) * radii.component_mul(&radii);
        return about(turned.map(f64::sqrt));
    }
    let mesh = shape.get("mesh")?.as_table()?;
    let file = base.join(mesh["file"].as_str()?);
    let scale = match mesh.get("scale") {
        Some(Value::Array(list)) => Vec3::from_iterator(list.iter().map(number)),
        Some(one) => Vec3::from_element(number(one)),
        None => Vec3::from_element(1.0),
    };
    let format = Format::of_name(&file.to_string_lossy())?;
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let painted = Painted::from_bytes(format, &bytes, &mut |_| None).unwrap();
    // Points that no triangle has do not count.
    let corners = painted.mesh.corners().flatten();
    let points = corners.map(|p| at.point(&Vec3::from(p).component_mul(&scale)));
    points.fold(None, |found: Option<Box3>, p| {
        Some(found.map_or([p, p], |[low, high]| [low.inf(&p), high.sup(&p)]))
    })
}

fn tables(model: &Table, key: &str) -> Vec<(String, Table)> {
    let tables = model.get(key).and_then(Value::as_table).cloned().unwrap_or_default();
    tables.into_iter().map(|(name, table)| (name, table.as_table().unwrap().clone())).collect()
}

/// Moves coordinates from where they start.
fn shift(model: &mut Table, joint: &str, by: f64) {
    let joint = model["joints"][joint].as_table_mut().unwrap();
    let coordinate = joint.entry("coordinate").or_insert_with(|| Value::Table(Table::new()));
    let coordinate = coordinate.as_table_mut().unwrap();
    let start = coordinate.get("start").map_or(0.0, number);
    coordinate.insert("start".to_owned(), Value::Float(start + by));
}

/// Boxes around all visuals with the names of what they are on.
fn visuals(model: &Table, base: &Path) -> Vec<(String, Box3)> {
    let world = poses(model);
    let mut boxes = Vec::new();
    for (_, visual) in tables(model, "visuals") {
        let on = visual["on"].as_str().unwrap();
        let at = world[on] * pose(&visual);
        boxes.push((on.to_owned(), bounds(&visual, &at, base).unwrap()));
    }
    for (name, body) in tables(model, "bodies") {
        if let Some(shape) = body.get("shape").and_then(Value::as_table) {
            let centre = vector(&body, "centre").unwrap_or_default();
            let at = world[&name] * Pose::new(Pose::identity().rotation, Vec3::from(centre));
            boxes.push((name, bounds(shape, &at, base).unwrap()));
        }
    }
    boxes
}

/// Boxes around all collision shapes; a shape that is there as a simple body and as a mesh counts once.
fn collisions(model: &Table, base: &Path) -> Vec<Box3> {
    let world = poses(model);
    let mut boxes = Vec::new();
    for (_, surface) in tables(model, "surfaces") {
        if surface["group"].as_str() == Some("robot_simple_as_meshes") {
            continue;
        }
        let at = world[surface["on"].as_str().unwrap()];
        let shape =
            ["simple", "make"].iter().find_map(|key| surface.get(*key)?.as_table()).unwrap_or(&surface);
        boxes.push(bounds(shape, &at, base).unwrap());
    }
    boxes
}

fn apart(a: &Box3, b: &Box3) -> f64 {
    (a[0] - b[0]).amax().max((a[1] - b[1]).amax())
}

fn read_box(numbers: &[f64]) -> Box3 {
    [Vec3::from_column_slice(&numbers[..3]), Vec3::from_column_slice(&numbers[3..6])]
}

/// Masses and centres equal MuJoCo's to 1e-12, and so do the boxes to the single precision of MuJoCo's vertices. MuJoCo
/// brings inertias to principal axes and stops at about 1e-7 of them, which the accelerations show, too.
#[test]
fn masses_of_meshes_are_those_of_mujoco() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/geometry");
    let options = Options::default();
    let imported = import_file(folder.join("meshes.xml"), &options).unwrap_or_else(|f| panic!("{f}"));
    let written = std::env::temp_dir().join(format!("gelenk-geometry-{}", std::process::id()));
    std::fs::create_dir_all(written.join("meshes")).unwrap();
    for file in &imported.files {
        std::fs::write(written.join("meshes").join(&file.name), &file.bytes).unwrap();
    }
    let mut model = imported.text().parse::<Table>().unwrap();
    for (i, name) in ["a", "b", "c", "d", "e", "f", "g"].iter().enumerate() {
        shift(&mut model, name, 0.3 * (i as f64 + 1.0).sin());
    }
    let found = visuals(&model, &written);
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let (mut bodies, mut boxes) = (0, 0);
    for line in include_str!("../import/geometry/meshes.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let numbers: Vec<f64> = words.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
        match words[0] {
            "body" => {
                let body = model["bodies"][words[1]].as_table().unwrap();
                let (mass, inertia) = (number(&body["mass"]), body["inertia"].as_array().unwrap());
                assert!((mass / numbers[0] - 1.0).abs() < 1e-12, "{line}: {mass}");
                let mut centre = Vec3::from(vector(body, "centre").unwrap_or_default());
                if words[1] == "six" {
                    // Its frame is where its joint is.
                    centre += Vec3::new(0.02, 0.03, 0.0);
                }
                assert!(
                    (centre - Vec3::from_column_slice(&numbers[1..4])).norm() < 1e-12,
                    "{line}: {centre}"
                );
                for k in 0..6 {
                    let entry = inertia.get(k).map_or(0.0, number);
                    assert!(
                        (entry - numbers[4 + k]).abs()
                            < 1e-7 * numbers[4..10].iter().fold(0.0, |a, b| b.abs().max(a)),
                        "{line}: {entry}"
                    );
                }
                bodies += 1;
            }
            "accelerations" => {
                let largest = numbers.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                for (found, expected) in accelerations(&imported.text()).iter().zip(&numbers) {
                    assert!((found - expected).abs() < 1e-6 * largest, "{found} {expected}");
                }
            }
            "box" => {
                let number = used.entry(words[1].to_owned()).or_default();
                let expected = read_box(&numbers);
                let near =
                    found.iter().filter(|(on, _)| on == words[1]).map(|(_, own)| apart(own, &expected));
                let near = near.fold(f64::INFINITY, f64::min);
                assert!(near < 1e-6, "{line}: {near}");
                *number += 1;
                boxes += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!((bodies, boxes), (7, 7));
    std::fs::remove_dir_all(written).unwrap();
}

/// Matches every box with another one, the nearest that is left; returns the largest distance (m), or what does not fit.
fn matched(found: &[Box3], expected: &[Box3]) -> Result<f64, String> {
    let counts = [found.len(), expected.len()];
    if counts[0] != counts[1] {
        return Err(format!("{counts:?} boxes"));
    }
    let mut left: Vec<&Box3> = found.iter().collect();
    let mut largest: f64 = 0.0;
    for own in expected {
        let distances = left.iter().map(|other| apart(own, other)).enumerate();
        let (at, near) = distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        if near >= NEAR {
            return Err(format!("{own:?} is {near} m from the nearest"));
        }
        left.swap_remove(at);
        largest = largest.max(near);
    }
    Ok(largest)
}

/// Largest distance of boxes (m).
const NEAR: f64 = 1e-6;

/// Every visual and collision shape of the URDF files from PyPI that Pinocchio reads is where it puts it, in poses by chance,
/// joints with mimics included. Collision meshes that are replaced by their hulls have the same boxes.
#[test]
fn robots_are_where_pinocchio_puts_them() {
    let Some(folder) = std::env::var_os("GELENK_ROBOT_BOXES").map(PathBuf::from) else {
        println!("skipped: boxes of robots beside Pinocchio: GELENK_ROBOT_BOXES is not set");
        return;
    };
    let text = std::fs::read_to_string(folder.join("robots.txt")).unwrap();
    let (mut robots, mut visible, mut solid, mut largest) = (0, 0, 0, 0.0_f64);
    let mut wrong = Vec::new();
    for robot in text.split("robot ").skip(1) {
        let mut lines = robot.lines();
        let path = folder.join(lines.next().unwrap());
        // A start outside of the limits would be moved.
        let options =
            Options { limits: Limits::Omitted, collide: gelenk_import::Collide::Own, ..Options::default() };
        let imported =
            import_file(&path, &options).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
        let mut model = imported.text().parse::<Table>().unwrap();
        let mut expected: [Vec<Box3>; 2] = Default::default();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let numbers: Vec<f64> = words.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
            match words[0] {
                "joint" => shift(&mut model, words[1], numbers[0]),
                "visual" => expected[0].push(read_box(&numbers[numbers.len() - 6..])),
                "collision" => expected[1].push(read_box(&numbers[numbers.len() - 6..])),
                _ => {}
            }
        }
        let found: Vec<Box3> =
            visuals(&model, path.parent().unwrap()).into_iter().map(|(_, own)| own).collect();
        let near = matched(&found, &expected[0]);
        // Meshes that are made for the model are not in the robot's folder.
        let made = std::env::temp_dir().join(format!("gelenk-boxes-{}", std::process::id()));
        std::fs::create_dir_all(made.join("meshes")).unwrap();
        for file in &imported.files {
            std::fs::write(made.join("meshes").join(&file.name), &file.bytes).unwrap();
        }
        let own = collisions(&model, &made);
        let collisions = matched(&own, &expected[1]);
        std::fs::remove_dir_all(made).unwrap();
        for (what, outcome) in [("visuals", near), ("collisions", collisions)] {
            match outcome {
                Ok(near) => largest = largest.max(near),
                Err(reason) => wrong.push(format!("{}, {what}: {reason}", path.display())),
            }
        }
        (robots, visible, solid) = (robots + 1, visible + found.len(), solid + own.len());
    }
    println!(
        "{visible} visuals and {solid} collision shapes of {robots} robots; largest distance {largest:.1e} m"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(robots >= 60 && visible >= 100 && solid >= 50);
}
