//! Options of `gelenk convert`, each by what it changes.

use super::support::{gelenk, text};
use std::path::Path;

/// Writes a robot, converts it and returns what is said and the model.
fn convert(folder: &Path, robot: &str, options: &[&str]) -> (String, toml::Table) {
    let name = if robot.contains("<mujoco") { "r.xml" } else { "r.urdf" };
    std::fs::write(folder.join(name), robot).unwrap();
    let mut arguments = vec!["convert", name, "-o", "r.toml"];
    arguments.extend(options);
    let done = gelenk(folder, &arguments);
    assert!(done.status.success(), "{options:?}: {}", text(&done));
    let model = std::fs::read_to_string(folder.join("r.toml")).unwrap();
    (text(&done), model.parse().unwrap())
}

/// The last value of a column of a CSV file.
fn last(path: &Path, column: &str) -> f64 {
    let table = std::fs::read_to_string(path).unwrap();
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let at = lines.next().unwrap().split(',').position(|name| name == column);
    let at = at.unwrap_or_else(|| panic!("no column {column}"));
    lines.next_back().unwrap().split(',').nth(at).unwrap().parse().unwrap()
}

/// A cart of 2 kg and a ball without gravity.
const CART: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody>
<body name="cart"><joint name="x" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
<body name="ball"><freejoint name="free"/><geom type="sphere" size="0.1" mass="1"/></body>
</worldbody><actuator><motor name="push" joint="x"/></actuator>
<keyframe><key name="home" qpos="0.3 1 2 3 0.6 0 0 0.8" qvel="0.5 0.1 0 0 0 0 0.7" ctrl="4"/><key name="away"/></keyframe></mujoco>"#;

/// After 1 s the cart is at 0.3 + 0.5 + (4 N/2 kg)/2 = 1.8 m with 2.5 m/s. The ball moves at 0.1 m/s along x of the world, since
/// linear velocities of a free joint are in world axes, and rotates by 0.7 rad about z from 2 atan2(0.8, 0.6).
#[test]
fn a_keyframe_sets_positions_rates_and_commands() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = convert(folder.path(), CART, &["--start", "home"]);
    assert!(said.contains("keyframes, which --start selects      1  away"), "{said}");
    let run = gelenk(folder.path(), &["run", "r.toml", "--until", "1 s", "-o", "r.csv"]);
    assert!(run.status.success(), "{}", text(&run));
    let rotation = f64::atan2(0.8, 0.6) + 0.35;
    for (column, expected) in [
        ("x", 1.8),
        ("x.rate", 2.5),
        ("free.x", 1.1),
        ("free.y", 2.0),
        ("free.z", 3.0),
        ("free.qw", rotation.cos()),
        ("free.qz", rotation.sin()),
    ] {
        let found = last(&folder.path().join("r.csv"), column);
        assert!((found - expected).abs() < 1e-8, "{column}: {found}, expected {expected}");
    }
    std::fs::write(folder.path().join("r.xml"), CART).unwrap();
    let wrong = gelenk(folder.path(), &["convert", "r.xml", "--start", "hom"]);
    assert!(!wrong.status.success() && text(&wrong).contains("did you mean \"home\"?"), "{}", text(&wrong));
}

/// A link with a mesh of two colours, and with one mesh in two files of the same content.
const SEEN: &str = r#"<robot name="m"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="parts/two.obj"/></geometry></visual>
<visual><geometry><mesh filename="parts/same.stl"/></geometry></visual>
<visual><geometry><mesh filename="parts/again.stl"/></geometry><material name="red"><color rgba="1 0 0 0.5"/></material></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="0.2" upper="1" effort="0" velocity="0"/></joint></robot>"#;

fn write_meshes(folder: &Path) {
    let parts = folder.join("parts");
    std::fs::create_dir(&parts).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let obj =
        format!("mtllib two.mtl\n{corners}usemtl blue\nf 1 3 2\nf 1 2 4\nusemtl green\nf 1 4 3\nf 2 3 4\n");
    std::fs::write(parts.join("two.obj"), obj).unwrap();
    std::fs::write(parts.join("two.mtl"), "newmtl blue\nKd 0 0 1\nnewmtl green\nKd 0 1 0\n").unwrap();
    let face = |corners: &str| {
        let corners: Vec<&str> = corners.split(", ").collect();
        let vertex = |corner: &&str| format!("vertex {corner}\n");
        let list: String = corners.iter().map(vertex).collect();
        format!("facet normal 0 0 0\nouter loop\n{list}endloop\nendfacet\n")
    };
    let faces = ["0 0 0, 0 1 0, 1 0 0", "0 0 0, 1 0 0, 0 0 1", "0 0 0, 0 0 1, 0 1 0", "1 0 0, 0 1 0, 0 0 1"];
    let stl = format!("solid s\n{}endsolid s\n", faces.map(face).concat());
    for name in ["same.stl", "again.stl"] {
        std::fs::write(parts.join(name), &stl).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Copies: a mesh for each colour, equal files once. Links: the files of the robot, nothing is written.
#[test]
fn meshes_are_copied_once_or_linked() {
    let folder = tempfile::tempdir().unwrap();
    write_meshes(folder.path());
    let file =
        |model: &toml::Table, name: &str| model["visuals"][name]["mesh"]["file"].as_str().unwrap().to_owned();
    let colour = |model: &toml::Table, name: &str| {
        let list = model["visuals"][name].get("colour")?.as_array()?.iter();
        Some(
            list.map(|x| x.as_float().or_else(|| Some(x.as_integer()? as f64)).unwrap())
                .collect::<Vec<f64>>(),
        )
    };
    let (_, linked) = convert(folder.path(), SEEN, &["--meshes", "link"]);
    assert!(!folder.path().join("r_meshes").exists());
    assert_eq!(file(&linked, "a"), "parts/two.obj");
    assert_eq!(colour(&linked, "a"), None);
    let (_, copied) = convert(folder.path(), SEEN, &["--meshes", "copy"]);
    assert_eq!(names(&folder.path().join("r_meshes")), ["same.stl", "two_1.ply", "two_2.ply"]);
    assert_eq!(file(&copied, "a_2"), "r_meshes/same.stl");
    assert_eq!(file(&copied, "a_3"), "r_meshes/same.stl");
    assert_eq!(colour(&copied, "a_part_1"), Some(vec![0.0, 0.0, 1.0]));
    assert_eq!(colour(&copied, "a_part_2"), Some(vec![0.0, 1.0, 0.0]));
    assert_eq!(colour(&copied, "a_3"), Some(vec![1.0, 0.0, 0.0, 0.5]));
    let run = gelenk(folder.path(), &["run", "r.toml", "--until", "10 ms"]);
    assert!(run.status.success(), "{}", text(&run));
}

/// Stops of `J = 0.1 kg m^2` and T = 5 ms: J/T^2 = 4000 and 2 J/T = 40; ranges have no force. In both the coordinate starts at its
/// nearer limit, and a joint that may not rest there still moves: gravity does not act on its centre, so it stays at 0.2 rad.
#[test]
fn limits_become_stops_or_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let bare = SEEN.lines().filter(|line| !line.contains("<visual>")).collect::<Vec<_>>().join("\n");
    let bare =
        bare.replace("<axis", "<dynamics damping=\"0\"/><axis").replace("</inertial>", "</inertial></link>");
    for (options, stiffness, damping) in [
        (["--stop-time", "5 ms"], 4000, 40),
        (["--limits", "stops"], 250, 10),
        (["--limits", "ranges"], 0, 0),
    ] {
        let (said, model) = convert(folder.path(), &bare, &options);
        let stop = &model["joints"]["j"]["stop"];
        assert_eq!(stop["stiffness"].as_integer(), Some(stiffness), "{options:?}");
        assert_eq!(stop["damping"].as_integer(), Some(damping), "{options:?}");
        assert_eq!(model["joints"]["j"]["coordinate"]["start"].as_float(), Some(0.2));
        assert!(said.contains("j from 0 to 0.2"), "{said}");
    }
    let run = gelenk(folder.path(), &["run", "r.toml", "--until", "0.1 s", "-o", "r.csv"]);
    assert!(run.status.success(), "{}", text(&run));
    assert!((last(&folder.path().join("r.csv"), "j") - 0.2).abs() < 1e-12);
    let (_, model) = convert(folder.path(), &bare, &["--limits", "none"]);
    assert!(model["joints"]["j"].get("stop").is_none());
}

/// Three links in a chain with a ball each: neighbours are excluded, the first and the last link are not.
#[test]
fn pairs_of_contacts_are_those_of_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/>\
             <inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
             <collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>\n"
        )
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><origin xyz=\"0 0 0.3\"/><parent link=\"{parent}\"/>\
             <child link=\"{child}\"/><axis xyz=\"0 1 0\"/></joint>\n"
        )
    };
    let parts = [link("a"), link("b"), link("c"), joint("ab", "a", "b"), joint("bc", "b", "c")];
    let robot = format!("<robot name=\"r\">\n{}</robot>", parts.concat());
    for (collide, ground, own) in
        [("none", false, false), ("ground", true, false), ("self", false, true), ("all", true, true)]
    {
        let (_, model) = convert(folder.path(), &robot, &["--free-base", "--collide", collide]);
        let contacts = model.get("contacts").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        assert_eq!(contacts.contains_key("ground_simple"), ground, "{collide}");
        assert_eq!(contacts.contains_key("robot_simple"), own, "{collide}");
        if let Some(contact) = contacts.get("robot_simple") {
            let except = contact["except"].as_array().unwrap().iter();
            let pairs: Vec<Vec<&str>> = except
                .map(|pair| pair.as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect())
                .collect();
            assert_eq!(pairs, [["a_collision", "b_collision"], ["b_collision", "c_collision"]]);
        }
    }
}

/// Balls in a chain of steps of 0.05 m, whose first and last link are no neighbours: 0.1 m apart in the pose of the file, and
/// 0.05 |(sin 2, 1 + cos 2)| = 0.054 m where the first joint starts at its limit of 2 rad. Balls of 0.04 m overlap there only. Then
/// they do not collide, the table lists them, and the model runs.
#[test]
fn links_that_overlap_at_the_start_do_not_collide() {
    let folder = tempfile::tempdir().unwrap();
    let link = |name: &str, radius: f64| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/>\
             <inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
             <collision><geometry><sphere radius=\"{radius}\"/></geometry></collision></link>\n"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, lower: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><origin xyz=\"0 0 0.05\"/><parent link=\"{parent}\"/>\
             <child link=\"{child}\"/><axis xyz=\"0 1 0\"/><limit lower=\"{lower}\" upper=\"3\" effort=\"0\" velocity=\"0\"/></joint>\n"
        )
    };
    let listed = "links that overlap at the start: they do not collide with each other      1  a with c";
    for (radius, lower, overlap) in [(0.1, -3.0, true), (0.04, 2.0, true), (0.04, -3.0, false)] {
        let links = ["a", "b", "c"].map(|name| link(name, radius)).concat();
        let joints = [joint("ab", "a", "b", lower), joint("bc", "b", "c", -3.0)].concat();
        let (said, model) = convert(
            folder.path(),
            &format!("<robot name=\"r\">\n{links}{joints}</robot>"),
            &["--collide", "self"],
        );
        assert_eq!(said.contains(listed), overlap, "{said}");
        let contacts = model.get("contacts").and_then(|contacts| contacts.get("robot_simple"));
        assert_eq!(contacts.is_none(), overlap, "{radius} {lower}");
    }
}

/// A leg of two links of 0.4 m that hangs straight in the file and starts, by its keyframe, bent by a right angle at both joints, so
/// that its lowest point is 0.05 m below the base: the base is raised by that, not by the 0.85 m of the pose of the file.
#[test]
fn a_base_is_raised_for_the_pose_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let robot = r#"<mujoco><worldbody><body name="base"><freejoint/><geom type="sphere" size="0.05" mass="1"/>
<body name="thigh"><joint name="hip" axis="0 1 0" range="-180 180"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="1"/>
</body></body></worldbody><keyframe><key name="bent" qpos="0 0 0 1 0 0 0 1.5707963267948966"/></keyframe></mujoco>"#;
    for (options, height) in
        [(vec!["--collide", "ground"], 0.45), (vec!["--collide", "ground", "--start", "bent"], 0.05)]
    {
        let (_, model) = convert(folder.path(), robot, &options);
        let joints = model["joints"].as_table().unwrap();
        let base = joints.values().find(|joint| joint["type"].as_str() == Some("free")).unwrap();
        let z = base["start"]["position"][2].as_float().unwrap();
        // Shapes are raised to 1 mm above the ground; round ones are judged by a mesh of them.
        assert!((z - height - 1e-3).abs() < 2e-3, "{options:?}: {z}");
    }
}

/// Links that move and have no `<inertial>` have no mass here, and the table says so with their place; a fixed one needs none.
#[test]
fn moving_links_without_inertial_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let joint = |kind: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"to_{child}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"0 1 0\"/></joint>\n"
        )
    };
    let links = format!(
        "<link name=\"base\"/>\n<link name=\"hip\"/>\n<link name=\"leg\">{body}</link>\n<link name=\"mark\"/>\n"
    );
    let joints = [
        joint("continuous", "base", "hip"),
        joint("continuous", "hip", "leg"),
        joint("fixed", "leg", "mark"),
    ]
    .concat();
    let robot = format!("<robot name=\"r\">\n{links}{}</robot>", joints.replacen("0 1 0", "1 0 0", 1));
    let (said, _) = convert(folder.path(), &robot, &[]);
    assert!(
        said.contains("changed   moving links without <inertial>: 0 kg      1  hip [r.urdf:3]"),
        "{said}"
    );
}

/// Angles of more than a revolution name their unit, so that the model gives no warning about degrees.
#[test]
fn wide_limits_give_no_warning() {
    let folder = tempfile::tempdir().unwrap();
    let wide = SEEN.replace("lower=\"0.2\" upper=\"1\"", "lower=\"-9.42\" upper=\"9.42\"");
    let wide = wide.lines().filter(|line| !line.contains("<visual>")).collect::<Vec<_>>().join("\n");
    let (said, model) = convert(folder.path(), &wide.replace("</inertial>", "</inertial></link>"), &[]);
    assert!(!said.contains("revolutions"), "{said}");
    assert_eq!(model["joints"]["j"]["stop"]["range"][1].as_str(), Some("9.42 rad"));
}
