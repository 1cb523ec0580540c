//! A small scene in motion.
use gelenk_record::{Column, Elements, Recording};
use serde_json::json;

/// A box that turns about y in 2 s and rises by 1 m, a ball that hangs on it by a spring, and a hinge on the ground.
pub(crate) fn recording(up: [f64; 3]) -> Recording {
    let place = |x: f64, y: f64, z: f64| json!({ "position": [x, y, z], "quaternion": [1.0, 0.0, 0.0, 0.0] });
    let with = |mut value: serde_json::Value, place: serde_json::Value| {
        for (key, part) in place.as_object().unwrap() {
            value[key] = part.clone();
        }
        value
    };
    let block = with(json!({ "kind": "box", "size": [0.4, 0.2, 0.2] }), place(0.1, 0.0, 0.0));
    let ball = with(json!({ "kind": "sphere", "radius": 0.15 }), place(0.0, 0.0, 0.0));
    let scene = json!({
        "version": 1,
        "up": up,
        "gravity": [0.0, 0.0, -9.81],
        "bodies": [
            { "name": "arm", "mass": 1.0, "centre": [0.1, 0.0, 0.0], "shapes": [block] },
            { "name": "bob", "mass": 0.5, "centre": [0.0, 0.0, 0.0], "shapes": [ball] },
            { "name": "stick", "mass": 0.1, "centre": [0.3, 0.0, 0.0], "shapes": [] },
        ],
        "joints": [
            with(json!({ "name": "hinge", "type": "revolute", "parent": "ground", "child": "arm", "axis": [0.0, 1.0, 0.0] }), place(0.0, 0.0, 0.0)),
            with(json!({ "name": "far", "type": "fixed", "parent": "ground", "child": "stick" }), place(0.0, 0.0, 0.0)),
        ],
        "frames": [
            with(json!({ "name": "tip", "body": "arm" }), place(0.3, 0.0, 0.0)),
            with(json!({ "name": "eye", "body": "bob" }), place(0.0, 0.0, 0.0)),
        ],
        "loops": [],
        "elements": [{ "name": "coil", "type": "spring", "between": [0, 1] }],
        "meshes": [],
    });
    let mut columns = vec![Column::time()];
    for body in ["arm", "bob", "stick"] {
        for part in ["x", "y", "z", "qw", "qx", "qy", "qz"] {
            columns.push(Column::new(format!("bodies.{body}.{part}"), "", ""));
        }
    }
    let mut recording = Recording::new(columns).unwrap();
    for k in 0..=20 {
        let t = f64::from(k) * 0.1;
        let half = 0.5 * std::f64::consts::PI * t;
        let arm = [0.0, 0.0, 0.5 * t, half.cos(), 0.0, half.sin(), 0.0];
        let bob = [0.8, 0.0, -0.2, 1.0, 0.0, 0.0, 0.0];
        let stick = [-0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        recording.push(&[&[t], &arm[..], &bob, &stick].concat()).unwrap();
    }
    recording.meta_mut().insert("scene".into(), scene.to_string());
    recording
}

/// The same on a plate of two triangles, 2 m wide, that the arm touches at the origin with a force that rises to 8 N.
pub(crate) fn touched() -> Recording {
    let bare = recording([0.0, 0.0, 1.0]);
    let mut columns = bare.columns().to_vec();
    for part in ["fx", "fy", "fz", "position.x", "position.y", "position.z"] {
        columns.push(Column::new(format!("contacts.plate.{part}"), "", ""));
    }
    let mut data: Vec<Vec<f64>> =
        (0..bare.columns().len()).map(|k| bare.values(k).unwrap().to_vec()).collect();
    data.extend((0..6).map(|k| bare.time().iter().map(|t| if k == 2 { 4.0 * t } else { 0.0 }).collect()));
    let mut touched = Recording::from_data(columns, data).unwrap();
    let mut scene: serde_json::Value = serde_json::from_str(&bare.meta()["scene"]).unwrap();
    let frames = scene["frames"].as_array_mut().unwrap();
    frames.push(
        json!({ "name": "plate", "body": "ground", "position": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0] }),
    );
    scene["elements"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "contacts.plate", "type": "contact", "between": [2, 0] }));
    // Corners of the plate as f32, and of its triangles as u32, little endian, as base64.
    let corners: [f32; 12] = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    let bytes: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
    let triangles: Vec<u8> = [0_u32, 1, 2, 0, 2, 3].iter().flat_map(|x| x.to_le_bytes()).collect();
    let encode = |bytes: &[u8]| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    scene["meshes"] = json!([{ "vertices": encode(&bytes), "triangles": encode(&triangles) }]);
    scene["surfaces"] = json!([{ "frame": 2, "mesh": 0 }]);
    touched.meta_mut().insert("scene".into(), scene.to_string());
    touched
}

/// One element of the plate from 1 s on: the largest pressure of all.
pub(crate) fn elements() -> Elements {
    Elements {
        pairs: json!([{ "name": "contacts.plate", "surfaces": [0, null] }]).to_string(),
        times: vec![0.0, 1.0],
        starts: vec![0, 0, 1],
        columns: [vec![0.0], vec![0.0], vec![1.0], vec![2e6], vec![0.0]],
    }
}
