//! Import: inertias that every peer accepts, bases that stay fixed, macros that nobody expanded.

use super::support::{gelenk, text};

/// A link with the principal moments `moments` and a mass of 1 kg, 0.1 m off its origin.
fn link(name: &str, mass: f64, moments: [f64; 3]) -> String {
    let [xx, yy, zz] = moments;
    format!(
        "<link name=\"{name}\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"{xx}\" iyy=\"{yy}\" izz=\"{zz}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
    )
}

fn joint(name: &str, kind: &str, parent: &str, child: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <axis xyz=\"0 1 0\"/></joint>\n"
    )
}

fn robot(parts: &[String]) -> String {
    format!("<robot name=\"r\">\n{}</robot>\n", parts.concat())
}

/// Converts a robot and returns whether it went well, what was said, and the model.
fn convert(urdf: &str, options: &[&str]) -> (bool, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("r.urdf"), urdf).unwrap();
    let mut arguments = vec!["convert", "r.urdf", "-o", "r.toml"];
    arguments.extend(options);
    let done = gelenk(folder.path(), &arguments);
    let model = std::fs::read_to_string(folder.path().join("r.toml")).unwrap_or_default();
    if done.status.success() {
        let run = gelenk(folder.path(), &["run", "r.toml", "--until", "10 ms"]);
        assert!(run.status.success(), "{}", text(&run));
    }
    (done.status.success(), text(&done), model)
}

const ARM: [f64; 3] = [0.2, 0.2, 0.1];

/// Peers (Pinocchio, MuJoCo) run robots whose root, cameras or antennas have inertias that no body has: the root does not
/// move, and only the sum of what is fixed together shows in the motion.
#[test]
fn inertias_that_cannot_matter_are_accepted() {
    // As in go1 and anymal: a base of 1e-6 kg whose tensor is filled with ones; and a camera on the arm.
    let urdf = robot(&[
        link("base", 1e-6, [1e-6, 1e-6, 3e-6]),
        link("arm", 5.0, ARM),
        link("camera", 0.05, [1e-3, 1e-3, 1e-2]),
        joint("shoulder", "continuous", "base", "arm"),
        joint("mount", "fixed", "arm", "camera"),
    ]);
    let (well, said, _) = convert(&urdf, &[]);
    assert!(well, "{said}");
    assert!(said.contains("fixed to the ground, so its inertia has no effect"), "{said}");
    assert!(said.contains("together with the bodies fixed to it"), "{said}");
    // As in icub: noise of 1e-20 beside a mass off its joint, and a disc rounded to three digits.
    let urdf = robot(&[
        link("base", 1.0, ARM),
        link("arm", 1.0, [-5e-20, -5e-20, 0.0]),
        link("disc", 1.0, [1.00e-3, 1.00e-3, 2.01e-3]),
        joint("shoulder", "continuous", "base", "arm"),
        joint("axle", "continuous", "base", "disc"),
    ]);
    let (well, said, _) = convert(&urdf, &[]);
    assert!(well && !said.contains("warning"), "{said}");
}

/// A link that moves by an inertia that no body has is refused with its name and the way out, or repaired on request.
#[test]
fn inertias_that_matter_are_refused_or_repaired() {
    let urdf = robot(&[
        link("base", 1.0, ARM),
        link("arm", 1.0, [1e-3, 1e-3, 3e-3]),
        joint("shoulder", "continuous", "base", "arm"),
    ]);
    let (well, said, _) = convert(&urdf, &[]);
    assert!(!well);
    assert!(said.contains("r.toml cannot run as it is"), "{said}");
    assert!(said.contains("impossible: \"arm\"") && said.contains("--repair-inertia"), "{said}");
    // The nearest point of the plane I_z = I_x + I_y to (1, 1, 3) is (4/3, 4/3, 8/3).
    let (well, said, model) = convert(&urdf, &["--repair-inertia"]);
    assert!(well, "{said}");
    let before = "link \"arm\": inertia [0.001, 0.001, 0.003, 0, 0, 0]";
    let after = "becomes [0.00133333, 0.00133333, 0.00266667, 0, 0, 0]";
    assert!(said.contains(&format!("repaired: {before} {after}")), "{said}");
    assert!(model.contains("inertia repaired, was [0.001, 0.001, 0.003, 0, 0, 0]"), "{model}");
}

/// A finger without mass is locked and listed (as in romeo). A robot that converts but has a freedom without mass cannot
/// run; the exit code says so, and the message has an option with which it runs (as in icub).
#[test]
fn a_robot_that_cannot_run_is_no_success() {
    let massless = "<link name=\"hand\"/>".to_owned();
    let finger = joint("finger", "continuous", "arm", "hand");
    let urdf = robot(&[
        link("base", 1.0, ARM),
        link("arm", 1.0, ARM),
        massless,
        joint("shoulder", "continuous", "base", "arm"),
        finger,
    ]);
    let (well, said, _) = convert(&urdf, &[]);
    assert!(
        well && said.contains("joints that move no mass: locked where they start      1  finger"),
        "{said}"
    );
    // A point mass on three hinges through one point: the motion along its line of sight moves nothing.
    let point = robot(&[
        link("base", 1.0, ARM),
        link("pan", 1e-20, [0.0; 3]),
        link("head", 1.0, [0.0; 3]),
        joint("yaw", "continuous", "base", "pan").replace("0 1 0", "0 0 1"),
        joint("nod", "continuous", "pan", "head"),
    ]);
    let (well, said, _) = convert(&point, &[]);
    assert!(!well && said.contains("yaw moves no mass") && said.contains("cannot run"), "{said}");
    assert!(said.contains("--least-inertia"), "{said}");
    let (well, said, _) = convert(&point, &["--least-inertia", "1e-5 kg m^2"]);
    assert!(well && said.contains("moments of inertia: at least 1e-5 kg m^2      2  pan, head"), "{said}");
}

/// `--free-base` where the root is `world`: the link that is fixed to it becomes free (as in ur5).
#[test]
fn a_base_on_the_world_can_be_free() {
    let urdf = |kind: &str| {
        robot(&[
            "<link name=\"world\"/>".to_owned(),
            link("base", 1.0, ARM),
            link("arm", 1.0, ARM),
            joint("stand", kind, "world", "base"),
            joint("shoulder", "continuous", "base", "arm"),
        ])
    };
    let (well, said, model) = convert(&urdf("fixed"), &["--free-base"]);
    assert!(well, "{said}");
    assert!(said.contains("The base \"base\" is free instead of fixed to the ground."), "{said}");
    assert!(model.contains("[joints.stand]\ntype   = \"free\"\nparent = \"ground\""), "{model}");
    assert!(said.contains("velocities: 7"), "{said}");
    let (well, said, _) = convert(&urdf("floating"), &["--free-base"]);
    assert!(well && said.contains("velocities: 7"), "{said}");
    let (well, said, _) = convert(&urdf("revolute"), &["--free-base"]);
    assert!(!well && said.contains("no link is fixed to the root"), "{said}");
    let two = urdf("fixed").replace(
        "</robot>",
        &(link("table", 1.0, ARM) + &joint("floor", "fixed", "world", "table") + "</robot>"),
    );
    let (well, said, _) = convert(&two, &["--free-base"]);
    assert!(!well && said.contains("the free base is ambiguous"), "{said}");
}

/// A xacro is named as what it is, with or without its namespace.
#[test]
fn what_xacro_misses_is_named() {
    let namespace = "xmlns:xacro=\"http://www.ros.org/wiki/xacro\"";
    for (urdf, reason) in [
        (
            format!("<robot name=\"r\" {namespace}><xacro:include filename=\"a.xacro\"/></robot>"),
            "\"a.xacro\" cannot be included: there is no such file",
        ),
        (
            "<robot name=\"r\"><xacro:include filename=\"a.xacro\"/></robot>".to_owned(),
            "this file is an unexpanded xacro",
        ),
        (
            robot(&[link("base", 1.0, ARM).replace("value=\"1\"", "value=\"${mass}\"")]),
            "there is no property \"mass\"",
        ),
        (robot(&["<link name=\"$(arg prefix)base\"/>".to_owned()]), "the argument \"prefix\" has no value"),
    ] {
        let (well, said, _) = convert(&urdf, &[]);
        assert!(!well && said.contains(reason), "{said}");
    }
}

/// MJCF: masses on surfaces, and geoms of groups that do not count. MuJoCo 4.0.0 gives 1.5 kg and 0.0264444 kg m^2, and 1 kg, 0.1
/// kg m^2 and 0.523599 kg; seen: 0.5 kg, and no mass at all.
#[test]
fn masses_of_mjcf_are_those_of_mujoco() {
    use gelenk_import::{Options, import_text};
    let shell = "<mujoco><worldbody><body name=\"s\" pos=\"0 0 2\"><joint name=\"js\" axis=\"1 0 0\"/>\
        <geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\" shellinertia=\"true\" pos=\"0 0 -0.2\"/>\
        <geom type=\"sphere\" size=\"0.1\" mass=\"0.5\"/></body></worldbody></mujoco>";
    let groups = "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"true\" inertiagrouprange=\"0 1\"/><worldbody>\
        <body name=\"a\" pos=\"0 0 1\"><joint name=\"ja\" axis=\"0 1 0\"/>\
        <inertial pos=\"0.3 0 0\" mass=\"1\" diaginertia=\"0.1 0.1 0.1\"/><geom type=\"sphere\" size=\"0.05\" group=\"4\"/>\
        <body name=\"b\" pos=\"0.5 0 0\"><joint name=\"jb\" axis=\"0 1 0\"/>\
        <geom type=\"sphere\" size=\"0.05\" pos=\"0 0 -0.2\" group=\"1\"/></body></body></worldbody></mujoco>";
    for (mjcf, expected) in [
        (
            shell,
            vec![
                ("bodies.s.mass", 1.5),
                ("bodies.s.inertia.xx", 0.026_444_444),
                ("bodies.s.inertia.zz", 0.013_111_111),
            ],
        ),
        (
            groups,
            vec![
                ("bodies.a.mass", 1.0),
                ("bodies.a.inertia.yy", 0.1),
                ("bodies.a.centre.x", 0.3),
                // A ball of 5 cm and 1000 kg/m^3.
                ("bodies.b.mass", std::f64::consts::FRAC_PI_6),
            ],
        ),
    ] {
        let imported = import_text(mjcf, &Options::default()).unwrap();
        assert!(
            imported.left_out.iter().all(|entry| !entry.kind.contains("mass")),
            "{:?}",
            imported.left_out
        );
        let prepared =
            super::support::prepared(&imported.text(), &gelenk::open::Overrides::default()).unwrap();
        let values = prepared.parameters.values();
        for (path, expected) in expected {
            let found = prepared.parameters.find(path).unwrap().of(&values);
            assert!((found - expected).abs() < 1e-8, "{path}: {found}");
        }
    }
}
