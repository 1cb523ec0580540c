//! Animated glTF is read back by an independent reader, which also validates it.

use gelenk_picture::figure::Figure;
use gelenk_picture::gltf::glb;
use gltf::animation::Property;
use gltf::animation::util::ReadOutputs;

/// Nodes have the names of the bodies, and their channels the poses of the recording at the instants asked for, also
/// between its rows: the arm turns by pi t about y and rises by t/2.
#[test]
fn channels_are_the_poses() {
    let recording = crate::common::recording([0.0, 0.0, 1.0]);
    let figure = Figure::of(&recording).unwrap();
    let file = glb(&figure, 20.0).unwrap();
    let read = gltf::Gltf::from_slice(&file).unwrap();
    let blob = read.blob.clone().unwrap();
    let animation = read.animations().next().unwrap();
    let names: Vec<_> = read.nodes().filter_map(|n| n.name().map(str::to_owned)).collect();
    for name in ["arm", "bob", "stick", "spring", "foot", "model"] {
        assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
    }
    let mut seen = 0;
    for channel in animation.channels().filter(|c| c.target().node().name() == Some("arm")) {
        let reader = channel.reader(|_| Some(blob.as_slice()));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert_eq!(times.len(), 41);
        assert!((times[40] - 2.0).abs() < 1e-6);
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(list) => {
                assert_eq!(channel.target().property(), Property::Translation);
                for (t, place) in times.iter().zip(list) {
                    assert!((place[2] - 0.5 * t).abs() < 1e-6);
                }
                seen += 1;
            }
            ReadOutputs::Rotations(list) => {
                let mut before = [0.0, 0.0, 0.0, 1.0];
                for (t, [x, y, z, w]) in times.iter().zip(list.into_f32()) {
                    let half = 0.5 * std::f32::consts::PI * t;
                    // Blended rotations are exact half way between rows.
                    assert!((y - half.sin()).abs() < 1e-5 && (w - half.cos()).abs() < 1e-5, "at {t}");
                    assert!([x, y, z, w].iter().zip(before).map(|(a, b)| a * b).sum::<f32>() > 0.0);
                    before = [x, y, z, w];
                }
                seen += 1;
            }
            _ => {}
        }
    }
    assert_eq!(seen, 2);
    // The length of the spring is that between the tip of the arm and the bob: at the start from (0.3, 0, 0) to
    // (0.8, 0, -0.2).
    let spring = read.nodes().find(|n| n.name() == Some("spring")).unwrap();
    let (_, _, scale) = spring.transform().decomposed();
    assert!((scale[2] - 0.29_f32.sqrt()).abs() < 1e-6, "{scale:?}");
}

/// The arrow of a contact: at 2 s its force is the largest, for which it is 0.32 of the mechanism's size long, 0.0336 of it
/// without shaft in its head; at the start there is no force and nothing is seen.
#[test]
fn arrows_are_stretched() {
    let recording = crate::common::touched();
    let figure = Figure::of(&recording).unwrap();
    let file = glb(&figure, 20.0).unwrap();
    let read = gltf::Gltf::from_slice(&file).unwrap();
    let blob = read.blob.clone().unwrap();
    let mut shafts = 0;
    for channel in read.animations().next().unwrap().channels() {
        if channel.target().node().name() != Some("contacts.plate") {
            continue;
        }
        let reader = channel.reader(|_| Some(blob.as_slice()));
        if let ReadOutputs::Scales(list) = reader.read_outputs().unwrap() {
            let scales: Vec<[f32; 3]> = list.collect();
            assert_eq!(scales[0], [0.0; 3]);
            let longest = 0.2864 * figure.size as f32;
            shafts += usize::from((scales[40][2] - longest).abs() < 1e-5 * longest);
        }
    }
    assert_eq!(shafts, 1);
    assert!(read.nodes().all(|node| node.name() != Some("axis")));
}

/// What points up in the model points along y in the file, whichever axis that was.
#[test]
fn y_is_up() {
    for up in [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]] {
        let recording = crate::common::recording(up);
        let file = glb(&Figure::of(&recording).unwrap(), 10.0).unwrap();
        let read = gltf::Gltf::from_slice(&file).unwrap();
        let root = read.nodes().find(|n| n.name() == Some("model")).unwrap();
        let matrix = root.transform().matrix();
        for k in 0..3 {
            let turned: f32 = (0..3).map(|j| matrix[j][k] * up[j] as f32).sum();
            assert!((turned - [0.0, 1.0, 0.0][k]).abs() < 1e-6, "{up:?}: {matrix:?}");
        }
    }
}

#[test]
fn impossible_rates_are_refused() {
    let recording = crate::common::recording([0.0, 0.0, 1.0]);
    let figure = Figure::of(&recording).unwrap();
    for rate in [0.0, -1.0, f64::NAN, 1e9] {
        assert!(glb(&figure, rate).is_err(), "{rate}");
    }
}
