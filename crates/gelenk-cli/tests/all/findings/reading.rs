//! Numbers, units and settings that were read as something else.

use std::f64::consts::PI;

use gelenk::open::Overrides;

use super::support::{last, prepared, run};

/// A pendulum with these lines in its joint.
fn pendulum(joint: &str, rest: &str) -> String {
    format!(
        "schema = 1\ngravity = [0, 0, 0]\n\
         [joints.j]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"b\"\n{joint}\n\
         [bodies.b]\nmass = 1\ninertia = [1, 1, 1]\n{rest}\n[simulate]\nuntil = \"1 s\"\n"
    )
}

fn parameter(text: &str, path: &str, set: &[&str]) -> Result<f64, String> {
    let set = set.iter().map(|setting| (*setting).to_owned()).collect();
    let prepared = prepared(text, &Overrides { set, ..Overrides::default() })?;
    let values = prepared.parameters.values();
    prepared.parameters.find(path).map(|param| param.of(&values)).map_err(|error| error.to_string())
}

/// A unit after a fraction belongs to the fraction; 1/2 deg was 28.65 rad.
#[test]
fn fractions_of_a_unit() {
    for (text, expected) in [
        ("1/2 deg", PI / 360.0),
        ("1/4 rev", PI / 2.0),
        ("45/2 deg", PI / 8.0),
        ("-1/8 rev", -PI / 4.0),
        ("0 + 1/2 deg", PI / 360.0),
    ] {
        let model = pendulum(&format!("coordinate = {{ name = \"phi\", start = \"{text}\" }}"), "");
        let found = parameter(&model, "joints.j.coordinate.start", &[]).unwrap();
        assert!((found - expected).abs() < 1e-15, "{text}: {found}");
        let plain = pendulum("coordinate = \"phi\"", "");
        let set = format!("coordinates.phi.start={text}");
        assert_eq!(parameter(&plain, "coordinates.phi.start", &[&set]), Ok(found));
    }
    // Parentheses make it the inverse, which is no angle.
    let model = pendulum("coordinate = { name = \"phi\", start = \"1/(2 deg)\" }", "");
    let said = prepared(&model, &Overrides::default()).map(|_| ()).unwrap_err();
    assert!(said.contains("an angle (rad) was expected here") && said.contains("1/rad"), "{said}");
}

/// A sensor of 4096 steps a turn, and a switch at a quarter of a turn; seen: 3.9e-5 rad and 0.04 s.
#[test]
fn fractions_in_sensors_and_switches() {
    let model = pendulum(
        "coordinate = { name = \"phi\", rate = \"1 rad/s\" }",
        "[sensors.s]\nof = \"phi\"\nperiod = \"1 ms\"\nquantum = \"1/4096 rev\"\n\
         [switches.w]\non = \"phi > 1/8 rev\"",
    );
    let (recording, _) = run(&model).unwrap();
    let steps = last(&recording, "s") / (2.0 * PI / 4096.0);
    assert!((steps - steps.round()).abs() < 1e-9 && (last(&recording, "s") - 1.0).abs() < 1e-3, "{steps}");
    let column = recording.columns().iter().position(|c| c.name == "w").unwrap();
    let on = recording.values(column).unwrap().iter().filter(|&&w| w > 0.5).count();
    // On from pi/4 s on, of 1001 rows.
    assert!((on as f64 - (1.0 - PI / 4.0) * 1000.0).abs() <= 2.0, "{on}");
}

/// 60 rpm, one turn and 360 degrees a second are one cycle a second; seen: 6.28 Hz.
#[test]
fn frequencies_count_cycles() {
    for frequency in ["60 rpm", "1 rev/s", "360 deg/s", "1 Hz", "60 1/min"] {
        let model = pendulum(
            "coordinate = \"phi\"",
            &format!(
                "[signals.f]\nsine = {{ amplitude = \"1 N m\", frequency = \"{frequency}\" }}\n\
                 [outputs]\nat = \"f\""
            ),
        );
        let model = model.replace("until = \"1 s\"", "until = \"0.125 s\"");
        let (recording, _) = run(&model).unwrap();
        // sin(2 pi/8).
        assert!((last(&recording, "at") - 0.5f64.sqrt()).abs() < 1e-12, "{frequency}");
    }
}

/// With a parameter g in kg nobody can say whether 10 N/g is per gram or per g.
#[test]
fn names_of_units_are_refused_where_they_are_read_in_two_ways() {
    let model = |value: &str, g: &str| {
        pendulum(
            "coordinate = \"phi\"",
            &format!("[parameters]\na = \"{value}\"\ng = \"{g}\"\n[outputs]\nb = \"a*g\""),
        )
    };
    for value in ["10 N/g", "10 N/g + 0 N/g"] {
        let said = prepared(&model(value, "2 kg"), &Overrides::default()).map(|_| ()).unwrap_err();
        assert!(said.contains("\"g\" is a unit and a name of this model"), "{said}");
        assert!(said.contains("brackets"), "{said}");
    }
    // Brackets say it, and another dimension leaves no doubt.
    assert_eq!(parameter(&model("10 [N/g]", "2 kg"), "parameters.a", &[]), Ok(1e4));
    assert_eq!(parameter(&model("10 N/g", "2 m"), "parameters.a", &[]), Ok(1e4));
    assert!(parameter(&model("10 [N]/g", "2 kg"), "parameters.a", &[]).is_err());
    assert_eq!(parameter(&model("10 [N]/(g)", "2 kg"), "parameters.a", &[]), Ok(5.0));
}

/// The stiffness of `k x^e` is in N/m^e; with an exponent any unit passed.
#[test]
fn exponents_keep_their_dimensions() {
    let model = |stiffness: &str, exponent: f64| {
        pendulum(
            "coordinate = \"phi\"",
            &format!(
                "[joints.s]\ntype = \"prismatic\"\nparent = \"b\"\nchild = \"c\"\ncoordinate = \"x\"\n\
             stop = {{ range = [-1, 1], stiffness = \"{stiffness}\", exponent = {exponent} }}\n\
             [bodies.c]\nmass = 1\ninertia = [1, 1, 1]"
            ),
        )
    };
    let path = "joints.s.stop.stiffness";
    assert_eq!(parameter(&model("5 kN/m^1.5", 1.5), path, &[]), Ok(5000.0));
    assert_eq!(parameter(&model("5 N/mm^2", 2.0), path, &[]), Ok(5e6));
    assert_eq!(parameter(&model("5000", 1.5), path, &[]), Ok(5000.0));
    for wrong in ["5 kN/mm", "5 kg", "5 deg"] {
        let said = parameter(&model(wrong, 1.5), path, &[]).unwrap_err();
        assert!(said.contains("N/m^1.5"), "{said}");
    }
    assert!(
        parameter(&model("5 N/m", 1.234_567), path, &[])
            .unwrap_err()
            .contains("give a plain number, in SI units")
    );
    // The unit follows an exponent that is set, and the number stays.
    let exponent = "joints.s.stop.exponent=2";
    let soft = model("5 kN/m^1.5", 1.5);
    assert_eq!(parameter(&soft, path, &[exponent]), Ok(5000.0));
    assert_eq!(parameter(&soft, path, &[exponent, &format!("{path}=5 N/mm^2")]), Ok(5e6));
    let said = parameter(&soft, path, &[exponent, &format!("{path}=5 kN/m^1.5")]).unwrap_err();
    assert!(said.contains("give it in Pa"), "{said}");
    let set = format!("{path}=1 kN/mm");
    assert!(parameter(&model("5000", 1.5), path, &[&set]).unwrap_err().contains("N/m^1.5"));
    // It did not where a name had "friction" in it.
    let named = soft.replace("joints.s]", "joints.friction_pad]");
    let (exponent, path) = ("joints.friction_pad.stop.exponent=2", "joints.friction_pad.stop.stiffness");
    assert_eq!(parameter(&named, path, &[exponent, &format!("{path}=5 N/mm^2")]), Ok(5e6));
}

/// A start at 1/0 ran to its end.
#[test]
fn infinite_numbers_are_refused() {
    let model = pendulum("coordinate = { name = \"phi\", start = \"1 rad/z\" }", "[parameters]\nz = 0");
    let said = prepared(&model, &Overrides::default()).map(|_| ()).unwrap_err();
    assert!(said.contains("this number is infinite"), "{said}");
    let right = model.replace("z = 0", "z = 1");
    assert!(parameter(&right, "joints.j.coordinate.start", &[]).is_ok());
    assert!(parameter(&right, "joints.j.coordinate.start", &["parameters.z=0"]).is_err());
}

/// `--set` and the file go through the same checks: an inertia that no body has.
#[test]
fn set_refuses_what_the_file_refuses() {
    let model = pendulum("coordinate = \"phi\"", "");
    let said = parameter(&model, "bodies.b.inertia.xx", &["bodies.b.inertia.xx=5"]).unwrap_err();
    assert!(
        said.contains("bodies.b.inertia") && said.contains("this inertia is physically impossible"),
        "{said}"
    );
    let given = model.replace("[1, 1, 1]", "[5, 1, 1]");
    assert!(prepared(&given, &Overrides::default()).is_err());
}

/// What the shapes of a body give cannot be set beside them: the centre and the masses of the shapes; seen: an inertia eight times
/// too large, and a centre of mass outside of the body.
#[test]
fn set_cannot_contradict_the_shapes() {
    let model = pendulum("coordinate = \"phi\"", "").replace(
        "mass = 1\ninertia = [1, 1, 1]",
        "mass = 1.2\nshapes.s1 = { sphere = { radius = 0.05 }, position = [0.1, 0, 0] }\n\
                  shapes.s2 = { box = { size = [0.1, 0.1, 0.1] }, position = [0.3, 0, 0] }",
    );
    assert!(prepared(&model, &Overrides::default()).is_ok());
    for path in ["bodies.b.centre.x", "bodies.b.shapes.s1.mass", "bodies.b.shapes.s2.centre.y"] {
        let said = parameter(&model, path, &[&format!("{path}=0.5")]).unwrap_err();
        assert!(said.contains("follows from the shapes"), "{said}");
    }
    // Sizes, places and the mass that the file gives can be set.
    for setting in
        ["bodies.b.shapes.s1.sphere.radius=0.04", "bodies.b.shapes.s2.position.x=0.2", "bodies.b.mass=2"]
    {
        let path = setting.split('=').next().unwrap();
        assert!(parameter(&model, path, &[setting]).is_ok(), "{setting}");
    }
}

/// The rate of an angle is the derivative of the angle, also where the axis of the turn is not that of the frame; seen: 1.8814
/// rad/s at all times, where differences of the angle give 1.88 to 2.16.
#[test]
fn the_rate_of_an_angle_is_its_derivative() {
    let model = "schema = 1\ngravity = [0, 0, 0]\n[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n\
        [joints.j]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"a\"\naxis = [0.3, 0.2, 1]\n\
        coordinate = { name = \"q\", start = 0.3, rate = 2 }\n[frames.f]\nbody = \"a\"\norientation = [0.4, 0.6, 0.2]\n\
        [measures.ma]\nbetween = [\"ground\", \"f\"]\ntype = \"angle\"\n\
        [simulate]\nuntil = 2\noutput = 0.001\nsolver = { method = \"dop853\", rtol = 1e-12, atol = 1e-12 }\n";
    let (recording, _) = run(model).unwrap();
    let column = |name: &str| {
        let k = recording.columns().iter().position(|c| c.name == name).unwrap();
        recording.values(k).unwrap().to_vec()
    };
    let (angle, rate) = (column("ma"), column("ma.rate"));
    let mut largest = 0.0f64;
    for k in 1..angle.len() - 1 {
        let difference = angle[k + 1] - angle[k - 1];
        // The angle jumps by a turn where it passes half of one.
        if difference.abs() < 1.0 {
            assert!((difference / 0.002 - rate[k]).abs() < 1e-5, "{k}: {} {}", difference / 0.002, rate[k]);
            largest = largest.max(rate[k]);
        }
    }
    assert!(largest > 2.1, "{largest}");
}

/// Samples are counted, not periods: a sensor with 3000 samples a second sees the time at two seconds; seen: 2 us early.
#[test]
fn sample_periods_do_not_drift() {
    let model = pendulum(
        "coordinate = \"phi\"",
        "[sensors.s]\nof = \"t\"\nperiod = \"1/3000 s\"\n\
         [signals.st]\nstaircase = { amplitude = \"1 N\", levels = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5], hold = \"1/3000 s\" }\n\
         [sensors.u]\nof = \"st\"\nperiod = \"1/3000 s\"\n[outputs]\nlate = \"st - u\"",
    );
    let two =
        model.replace("until = \"1 s\"", "until = \"2 s\"\nsolver = { method = \"rk4\", step = \"10 ms\" }");
    let (recording, _) = run(&two).unwrap();
    assert!((last(&recording, "s") - 2.0).abs() < 1.1e-9, "{}", last(&recording, "s"));
    // A sensor of a staircase of the same period sees the new level.
    let short = model.replace("until = \"1 s\"", "until = \"3.05 ms\"\noutput = \"100 us\"");
    let (recording, _) = run(&short).unwrap();
    let late = recording.columns().iter().position(|c| c.name == "late").unwrap();
    let late: Vec<f64> = recording.values(late).unwrap().to_vec();
    assert!(late.iter().all(|x| *x == 0.0), "{late:?}");
}
