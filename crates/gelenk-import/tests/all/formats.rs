//! Xacro and SDF beside the same mechanism as plain URDF.

use crate::inverse_peer::{Motion, build};
use gelenk_import::{Format, Options, import_file, import_text};
use gelenk_system::System;
use std::path::{Path, PathBuf};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/formats").join(name)
}

fn text(name: &str, options: &Options) -> String {
    import_file(sample(name), options).unwrap_or_else(|failure| panic!("{name}: {failure}")).text()
}

/// The file that the program xacro 2.1.1 made gives the same model, but for its own name.
#[test]
fn macros_are_expanded_as_by_xacro() {
    let ours = text("crane.urdf.xacro", &Options::default());
    let theirs = text("crane.urdf", &Options::default());
    assert_eq!(ours.replace("crane.urdf.xacro", "crane.urdf"), theirs);
    assert!(theirs.contains("[joints.c_knot_1]"), "{theirs}");
    let bare = Options { arguments: vec![("hook".into(), "false".into())], ..Options::default() };
    assert!(!text("crane.urdf.xacro", &bare).contains("knot"));
}

/// Frames, nested models and axes in other frames: the efforts of a motion are those of the URDF file.
#[test]
fn sdf_means_the_same_mechanism() {
    let imported = import_file(sample("crane.sdf"), &Options::default()).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(imported.format, Format::Sdf);
    let left_out: Vec<String> = imported.left_out.iter().map(ToString::to_string).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
    let model = imported.text();
    assert!(model.contains("[visuals.mast]\non") && model.contains("box"), "{model}");
    let pair = [imported.text(), text("crane.urdf", &Options::default())].map(|text| build(&text));
    for k in 0..3 {
        let [ours, theirs] = [&pair[0], &pair[1]].map(|mechanism| {
            assert_eq!(mechanism.layout().nv, 4);
            Motion::of_mujoco(mechanism, k).efforts(mechanism).unwrap().0
        });
        for (found, expected) in ours.iter().zip(&theirs) {
            assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{ours:?} {theirs:?}");
        }
    }
}

/// Shapes of all kinds in the frame of the link, of a joint and of another frame, with colours and friction; textures and
/// what has no counterpart are listed. The joint of `arm` is 0.1 m above its frame, so shapes are 0.1 m lower in the body.
#[test]
fn sdf_visuals_and_collisions_are_read() {
    let folder = std::env::temp_dir().join(format!("gelenk-sdf-skins-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    std::fs::write(
        folder.join("meshes/t.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let sdf = r#"<sdf version="1.11"><model name="m">
      <frame name="tool" attached_to="arm"><pose relative_to="arm">0 0 0.5 0 0 0</pose></frame>
      <link name="arm">
        <inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
        <visual name="a"><geometry><box><size>0.1 0.2 0.3</size></box></geometry>
          <material><diffuse>1 0.5 0 0.8</diffuse><pbr><metal><albedo_map>x.png</albedo_map></metal></pbr></material>
          <transparency>0.5</transparency></visual>
        <visual name="b"><pose relative_to="tool">0 0 0.25 0 0 0</pose>
          <geometry><mesh><uri>meshes/t.obj</uri><scale>2 2 2</scale></mesh></geometry></visual>
        <visual name="c"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></visual>
        <visual name="d"><geometry><heightmap><uri>h.png</uri></heightmap></geometry></visual>
        <visual name="e"><geometry><mesh><uri>meshes/nowhere.stl</uri></mesh></geometry></visual>
        <collision name="f"><pose>0 0 0.2 0 0 0</pose><geometry><capsule><radius>0.05</radius><length>0.4</length></capsule></geometry>
          <surface><friction><ode><mu>0.3</mu></ode></friction></surface></collision>
        <collision name="g"><geometry><cylinder><radius>0.05</radius><length>0.4</length></cylinder></geometry></collision>
      </link>
      <joint name="j" type="revolute"><pose>0 0 0.1 0 0 0</pose><parent>world</parent><child>arm</child>
        <axis><xyz>0 1 0</xyz></axis></joint>
    </model></sdf>"#;
    let path = folder.join("m.sdf");
    std::fs::write(&path, sdf).unwrap();
    let options = Options { collide: gelenk_import::Collide::Ground, ..Options::default() };
    let imported = import_file(&path, &options).unwrap_or_else(|failure| panic!("{failure}"));
    let model: toml::Table = imported.text().parse().unwrap();
    let at = |table: &toml::Value| super::import_peer::pose(table.as_table().unwrap()).position.z;
    let visuals = model["visuals"].as_table().unwrap();
    assert_eq!(visuals.len(), 3, "{visuals:#?}");
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    near(at(&visuals["arm"]), -0.1);
    near(at(&visuals["arm_2"]), 0.65);
    assert!(visuals["arm"]["box"]["size"].as_array().is_some());
    assert!(visuals["arm_2"]["mesh"]["file"].as_str().unwrap().ends_with("t.obj"));
    near(super::import_peer::number(&visuals["arm"]["colour"][3]), 0.4);
    assert!(visuals["arm_3"].get("ellipsoid").is_some());
    near(at(&model["frames"]["arm_collision"]), 0.1);
    assert!(model["surfaces"]["arm_collision"]["simple"].get("capsule").is_some());
    assert!(model["surfaces"]["arm_collision_2"]["make"].get("cylinder").is_some());
    let left_out: Vec<String> = imported.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(
        left_out,
        [
            "textures and materials (pbr): 1 (arm)",
            "visual shapes (heightmap): 1 (arm)",
            "visual shapes with meshes that could not be read: 1 (arm)"
        ]
    );
    assert!(imported.missing[0].contains("[m.sdf:12]"), "{:?}", imported.missing);
    imported.model(None).unwrap_or_else(|failure| panic!("{failure}"));
    std::fs::remove_dir_all(folder).unwrap();
}

fn refused(text: &str) -> String {
    import_text(text, &Options::default()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_expanded_is_named_with_its_line() {
    let robot = |inside: &str| {
        refused(&format!("<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\">\n{inside}\n</robot>"))
    };
    for (inside, expected) in [
        ("<link name=\"${a}\"/>", "there is no property \"a\""),
        (
            "<xacro:property name=\"a\" value=\"${b}\"/><xacro:property name=\"b\" value=\"${a}\"/><link name=\"${a}\"/>",
            "depends on itself",
        ),
        ("<xacro:arm/>", "there is no macro \"arm\""),
        (
            "<xacro:macro name=\"m\" params=\"x\"><xacro:m x=\"1\"/></xacro:macro><xacro:m x=\"1\"/>",
            "nested more than",
        ),
        ("<xacro:macro name=\"m\" params=\"x\"/><xacro:m/>", "needs \"x\""),
        ("<xacro:if value=\"maybe\"/>", "neither true nor false"),
        ("<xacro:include filename=\"/etc/passwd\"/>", "cannot be included"),
        ("<link name=\"$(env HOME)\"/>", "$(env ...) is not supported"),
        ("<link name=\"$(arg x)\"/>", "the argument \"x\" has no value"),
        ("<link name=\"${1e308*10}\"/>", "is not a finite number"),
        ("<xacro:element xacro:name=\"a\"/>", "<xacro:element> is not supported"),
    ] {
        let said = robot(inside);
        assert!(said.contains(expected) && said.contains("robot.xml:2:"), "{inside}: {said}");
    }
    // Macros that double themselves end in time.
    let mut bomb = String::from("<xacro:macro name=\"m0\"><link name=\"l\"/></xacro:macro>");
    for i in 1..40 {
        bomb += &format!("<xacro:macro name=\"m{i}\"><xacro:m{0}/><xacro:m{0}/></xacro:macro>", i - 1);
    }
    assert!(robot(&(bomb + "<xacro:m39/>")).contains("expand to more than"));
}

#[test]
fn wrong_sdf_is_refused_with_its_line() {
    let model = |inside: &str| {
        refused(&format!(
            "<sdf version=\"1.9\"><model name=\"m\">\n<link name=\"a\"/>{inside}\n</model></sdf>"
        ))
    };
    for (inside, expected) in [
        ("<link name=\"a\"/>", "\"a\" is defined twice"),
        ("<link name=\"b\"><pose relative_to=\"c\"/></link>", "there is no frame \"c\""),
        (
            "<frame name=\"f\"><pose relative_to=\"g\"/></frame><frame name=\"g\"><pose relative_to=\"f\"/></frame>",
            "depends on itself",
        ),
        ("<joint name=\"j\" type=\"revolute\"><parent>world</parent></joint>", "this joint has no <child>"),
        (
            "<joint name=\"j\" type=\"hinge\"><parent>world</parent><child>a</child></joint>",
            "there is no joint type \"hinge\"",
        ),
        (
            "<joint name=\"j\" type=\"gearbox\"><parent>world</parent><child>a</child></joint>",
            "gearbox joints are not supported",
        ),
        ("<link name=\"b\"><pose>0 0 nan 0 0 0</pose></link>", "must contain numbers only"),
        ("<link name=\"b\"><pose>0 0 0</pose></link>", "<pose> needs 6 numbers"),
        ("<include><uri>model://nowhere</uri></include>", "cannot be included"),
        ("<link name=\"b\"><inertial><mass>inf</mass></inertial></link>", "must be finite"),
    ] {
        let said = model(inside);
        assert!(said.contains(expected) && said.contains("robot.xml:2:"), "{inside}: {said}");
    }
    assert!(
        refused("<sdf version=\"1.4\"><model name=\"m\"><link name=\"a\"/></model></sdf>")
            .contains("SDF 1.4 is not supported")
    );
    let deep =
        format!("<sdf version=\"1.9\">{}{}</sdf>", "<model name=\"m\">".repeat(80), "</model>".repeat(80));
    assert!(refused(&deep).contains("nested more than"));
    let bomb = "<!DOCTYPE s [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]><sdf version=\"&b;\"/>";
    assert!(!refused(bomb).is_empty());
}

/// A file that includes itself, and one that includes its model.
#[test]
fn circles_of_included_files_are_refused() {
    let folder = std::env::temp_dir().join(format!("gelenk-formats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let xacro = write(
        "a.xacro",
        "<robot xmlns:xacro=\"http://x/xacro\">\n<xacro:include filename=\"b.xacro\"/></robot>",
    );
    write("b.xacro", "<robot xmlns:xacro=\"http://x/xacro\">\n<xacro:include filename=\"a.xacro\"/></robot>");
    let sdf = write(
        "a.sdf",
        "<sdf version=\"1.9\"><model name=\"m\"><include><uri>a.sdf</uri></include></model></sdf>",
    );
    for path in [xacro, sdf] {
        let said = import_file(&path, &Options::default()).unwrap_err().to_string();
        assert!(said.contains("includes itself"), "{said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
