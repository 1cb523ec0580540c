//! Touching as an event of contact between meshes.

use gelenk::open::{Overrides, prepare, read_log};
use gelenk_record::Recording;

fn dropped(events: bool) -> Recording {
    let text = format!(
        r#"
        schema = 1
        gravity = [0, 0, "-9.81 m/s^2"]
        bodies.can = {{ mass = "1 kg", inertia = [0.01, 0.01, 0.01] }}
        joints.fall = {{ type = "prismatic", parent = "ground", child = "can", axis = [0, 0, 1], coordinate = {{ name = "z", start = "0.6 m" }} }}
        materials.soft = {{ stiffness = "3e6 N/m^3" }}
        surfaces.floor = {{ on = "ground", make = {{ plane = {{ size = ["1 m", "1 m"] }} }}, material = "soft" }}
        surfaces.can = {{ on = "can", make = {{ cylinder = {{ radius = "0.1 m", length = "0.2 m", segments = 12, rings = 1 }} }} }}
        contacts.touch = {{ between = ["floor", "can"], master = "second", events = {events} }}
        simulate = {{ until = "0.5 s", output = "10 ms", solver = {{ method = "dopri5", rtol = 1e-8, atol = 1e-8 }} }}
        "#
    );
    let model = gelenk_model::parse_model(&text, None).unwrap();
    let compiled = gelenk_model::compile(&model, &mut read_log).unwrap();
    let prepared = prepare(&model, None, compiled, &Overrides::default()).unwrap();
    gelenk::run::run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap().0
}

/// H-R48: the first touch of a mesh is found by detection alone, a Boolean function of the state, at `sqrt(2 h/g)`; the
/// parting follows after half a period of the contact, which is `2 (pi - atan(v w/g))/w` with `w = sqrt(c A/m)`.
#[test]
fn touching_and_parting_are_events_by_detection_alone() {
    let recording = dropped(true);
    let reported: Vec<(f64, &str)> = recording
        .events()
        .iter()
        .filter(|e| e.element == "contacts.touch")
        .map(|e| (e.t, e.what.as_str()))
        .collect();
    let (g, h) = (9.81f64, 0.5f64);
    let closes = (2.0 * h / g).sqrt();
    // Twelve segments: the disc is a regular polygon.
    let area = 0.5 * 12.0 * 0.01 * (std::f64::consts::TAU / 12.0).sin();
    let w = (3e6 * area).sqrt();
    let v = g * closes;
    let opens = closes + 2.0 * (std::f64::consts::PI - (v * w / g).atan()) / w;
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(
        reported[0].1 == "contact closes" && (reported[0].0 - closes).abs() < 1e-9,
        "{reported:?} {closes}"
    );
    assert!(reported[1].1 == "contact opens" && (reported[1].0 - opens).abs() < 1e-6, "{reported:?} {opens}");
    // The motion is the same without events, to the tolerance: long steps of free fall do not pass over the contact.
    let last = |recording: &Recording| *recording.column("z").unwrap().last().unwrap();
    let off = (last(&recording) - last(&dropped(false))).abs();
    assert!(off < 1e-5, "{off}");
}
