//! `gelenk matrices` (stelzner R64).

use std::process::Command;

/// A double pendulum in the xz plane and a rod whose end slides along x; closed forms of all matrices.
const MODEL: &str = r#"
schema = 1
gravity = [0, 0, "-9.81 m/s^2"]
bodies.a = { mass = 2, centre = [0, 0, -0.5], inertia = [0.1, 0.1, 0.1] }
bodies.b = { mass = 1, centre = [0, 0, -0.4], inertia = [0.2, 0.2, 0.2] }
joints.ja = { type = "revolute", parent = "ground", child = "a", axis = [0, 1, 0], coordinate = { name = "p", start = 0.3, rate = 1.5, spring = { stiffness = 7, damping = 0.5 } } }
joints.jb = { type = "revolute", parent = "a", child = "b", position = [0, 0, -1], axis = [0, 1, 0], coordinate = { name = "q", start = 0.5, rate = -0.7 } }
frames.tip = { body = "b", position = [0, 0, -0.8] }
loops.gear = { type = "coupling", equation = "q - 0.5 - 2*(p - 0.3)*(p + 1) - 0.1 [1/s]*t" }
"#;

fn matrices(folder: &std::path::Path, arguments: &[&str]) -> (bool, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_gelenk"))
        .current_dir(folder)
        .arg("matrices")
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (out.status.success(), text)
}

fn near(value: &serde_json::Value, expected: f64, what: &str) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() < 1e-10 * (1.0 + expected.abs()),
        "{what}: {value} instead of {expected}"
    );
}

/// ST-R64: M, Q, c, C, C_q, C_t, Gamma and J with the names of rows and columns, against closed forms: of the double
/// pendulum, and of the coupling `q - 0.5 - 2 (p - 0.3) (p + 1) - 0.1 t`.
#[test]
fn matrices_with_names() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.toml"), MODEL).unwrap();
    let (good, text) = matrices(folder.path(), &["model.toml", "-o", "out.json"]);
    assert!(good, "{text}");
    let text = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["velocities"], serde_json::json!(["p", "q"]));
    assert_eq!(json["equations"], serde_json::json!(["gear"]));
    let at = &json["instants"][0];
    let number = |path: &str, k: usize| at[path][k].as_f64().unwrap();
    let (p, q, pr, qr) = (number("q", 0), number("q", 1), number("v", 0), number("v", 1));
    let (l, c1, c2, m1, m2, j1, j2, g) = (1.0, 0.5, 0.4, 2.0, 1.0, 0.1, 0.2, 9.81);
    let h = m2 * l * c2;
    near(&at["M"][1][1], j2 + m2 * c2 * c2, "M 1 1");
    near(&at["M"][0][1], j2 + m2 * c2 * c2 + h * q.cos(), "M 0 1");
    near(&at["M"][0][0], j1 + m1 * c1 * c1 + m2 * l * l + j2 + m2 * c2 * c2 + 2.0 * h * q.cos(), "M 0 0");
    let gravity =
        [(m1 * c1 + m2 * l) * g * p.sin() + m2 * c2 * g * (p + q).sin(), m2 * c2 * g * (p + q).sin()];
    near(&at["g"][0], gravity[0], "g 0");
    near(&at["g"][1], gravity[1], "g 1");
    near(&at["c"][0], gravity[0] - h * q.sin() * (2.0 * pr * qr + qr * qr), "c 0");
    near(&at["c"][1], gravity[1] + h * q.sin() * pr * pr, "c 1");
    near(&at["Q"][0], -7.0 * p - 0.5 * pr, "Q 0");
    near(&at["Q"][1], 0.0, "Q 1");
    let slope = 2.0 * (2.0 * p + 0.7);
    near(&at["C"][0], 0.0, "C");
    near(&at["C_q"][0][0], -slope, "C_q p");
    near(&at["C_q"][0][1], 1.0, "C_q q");
    near(&at["C_t"][0], -0.1, "C_t");
    near(&at["Gamma"][0], 4.0 * pr * pr, "Gamma");
    let j = &at["J.tip"];
    near(&j[1][0], 1.0, "J wy p");
    near(&j[3][0], -l * p.cos() - 0.8 * (p + q).cos(), "J vx p");
    near(&j[5][1], 0.8 * (p + q).sin(), "J vz q");
    // As text, one instant is printed; a motion is a recording with one column for every entry.
    let (good, text) = matrices(folder.path(), &["model.toml", "--frame", "b", "--jacobian", "body"]);
    assert!(good && text.contains("J.b") && text.contains("Gamma"), "{text}");
    let study = "schema = 1\nkind = \"kinematics\"\nmodel = \"model.toml\"\nuntil = 1\noutput = 0.1\n\
        motion = { values = { p = \"0.3 + 0.1*sin(2 [1/s]*t)\" } }\n";
    std::fs::write(folder.path().join("study.toml"), study).unwrap();
    let (good, text) = matrices(folder.path(), &["study.toml", "-o", "along.parquet"]);
    assert!(good, "{text}");
    let recording = gelenk_io::read(&folder.path().join("along.parquet")).unwrap();
    assert_eq!(recording.len(), 11);
    assert!(recording.column("M.p.q").is_ok() && recording.column("C_q.gear.p").is_ok());
    let (good, text) = matrices(folder.path(), &["model.toml", "--frame", "tipp"]);
    assert!(!good && text.contains("did you mean \"tip\"?"), "{text}");
}
