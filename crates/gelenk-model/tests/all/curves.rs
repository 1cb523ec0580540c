//! Curves of model files, from their points to the motion of a mechanism.

use gelenk_math::spline::{CubicSpline, Curve, End};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_model::{Compiled, LoadedModel, LogColumns, LogRequest, compile, load_model, parse_model};
use gelenk_multibody::blueprint::{JointMotion, Scalar};
use gelenk_system::System;

/// The knee splines of stelzner 4.0 (rad, m), which the model has in other units.
#[allow(clippy::approx_constant)] // One knot is 60 deg, rounded as the source has it.
fn knee() -> [Curve; 2] {
    let x = [
        -2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, -0.174533, 0.197344, 0.337395, 0.490178,
        1.52146, 2.0944,
    ];
    let rx = [
        -0.0032, 0.00179, 0.00411, 0.0041, 0.00212, -0.001, -0.0031, -0.005227, -0.005435, -0.005574,
        -0.005435, -0.00525,
    ];
    let y = [-2.0944, -1.22173, -0.523599, -0.349066, -0.174533, 0.159149, 2.0944];
    let ry = [-0.4226, -0.4082, -0.399, -0.3976, -0.3966, -0.395264, -0.396];
    [(&x[..], &rx[..]), (&y[..], &ry[..])]
        .map(|(knots, values)| CubicSpline::new(knots, values, End::Natural).unwrap().into())
}

/// The model with these splines.
fn knee_model() -> LoadedModel {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid/knee.toml");
    load_model(path).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Reads two columns of a table with commas.
fn read(request: &LogRequest) -> Result<LogColumns, String> {
    let text = std::fs::read_to_string(&request.file).map_err(|error| error.to_string())?;
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let [x, y] = [&request.time, &request.column].map(|name| {
        header.iter().position(|known| known == name).unwrap_or_else(|| panic!("no column {name}"))
    });
    let number = |cell: &str| cell.parse::<f64>().unwrap();
    let (time, value) = rows.map(|row| (number(row[x]), number(row[y]))).unzip();
    Ok(LogColumns { time, value })
}

fn model(text: &str) -> Compiled {
    let text = format!("schema = 1\ngravity = [0, 0, 0]\n{text}");
    let loaded = parse_model(&text, None).unwrap_or_else(|failure| panic!("{failure}"));
    compile(&loaded, &mut |_| Err("no tables here".into())).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The value of an expression at `t` = 0.25 s, in a model with the curve `c` that `curve` describes.
fn at_a_quarter(curve: &str, expression: &str) -> f64 {
    let text = format!("[curves.c]\n{curve}\n[outputs]\ny = \"{expression}\"\n");
    let compiled = model(&text);
    let program = compiled.blueprint.outputs[0].value.compile(&|name| (name == "t").then_some(0)).unwrap();
    program.eval(&[0.25], &mut vec![0.0; program.scratch_len()])
}

/// ST-R6: joint scalars as splines of a coordinate. A shank of mass `m`, with its centre `l` below the knee, has
/// its centre of mass at `p(q) = (rx + l sin q, ry - l cos q)`; Lagrange's equation of its one coordinate is
/// `(m p'.p' + I) q'' = -m p'.p'' (q')^2 - m g p_y'`, which needs both derivatives of both splines.
#[test]
fn st_r6_a_spline_knee_moves_as_lagrange_says() {
    let loaded = knee_model();
    assert_eq!(loaded.warnings.render(&loaded.sources), "");
    let compiled = compile(&loaded, &mut read).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(compiled.blueprint.outputs[0].unit, "m");
    let mechanism = compiled.build().unwrap();
    let layout = mechanism.layout();
    assert_eq!((layout.nq, layout.nv), (1, 1));
    let mut data = mechanism.data::<f64>();
    mechanism.bind(&mut data, &mechanism.parameters().values());
    let (mut x, mut memory) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut data, &mut x, &mut memory).unwrap();
    assert_eq!((x[0], x[1]), ((-40f64).to_radians(), 2.0));

    let (m, l, i, g) = (3.7075, 0.1867, 0.0511, 9.81);
    let [rx, ry] = knee();
    let exact = |q: f64, rate: f64| {
        let (jx, jy) = (rx.jet(q), ry.jet(q));
        let first = [jx.first + l * q.cos(), jy.first + l * q.sin()];
        let second = [jx.second - l * q.sin(), jy.second + l * q.cos()];
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        -m * (dot(first, second) * rate * rate + g * first[1]) / (m * dot(first, first) + i)
    };
    // Also beyond the last knot, where the splines go on as straight lines.
    for (q, rate) in [(-2.0, 1.0), (-0.7, 2.0), (-0.1, -3.0), (0.4, 10.0), (2.2, 5.0)] {
        (x[0], x[1]) = (q, rate);
        let mut dx = vec![0.0; layout.nx()];
        mechanism.rates(&mut data, 0.0, &x, &memory, &mut dx).unwrap();
        let expected = exact(q, rate);
        assert!((dx[1] - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{q}: {} {expected}", dx[1]);

        // The slope of the acceleration, which implicit steps and fits use, has the third derivative in it.
        let mut duals = mechanism.data::<Dual>();
        let values: Vec<Dual> = mechanism.parameters().values().into_iter().map(Dual::c).collect();
        mechanism.bind(&mut duals, &values);
        let state: Vec<Dual> = x.iter().enumerate().map(|(lane, &v)| seed(v, lane)).collect();
        let mut rates = vec![Dual::c(0.0); layout.nx()];
        mechanism.rates(&mut duals, Dual::c(0.0), &state, &memory, &mut rates).unwrap();
        let h = 1e-6;
        let difference = (exact(q + h, rate) - exact(q - h, rate)) / (2.0 * h);
        let slope = partial(rates[1], 0);
        assert!((slope - difference).abs() < 1e-6 * (1.0 + slope.abs()), "{q}: {slope} {difference}");
    }
}

#[test]
fn joints_carry_their_curves_into_the_blueprint() {
    let compiled = compile(&knee_model(), &mut read).unwrap();
    let JointMotion::Prismatic { value: Scalar::Function(value), .. } = &compiled.blueprint.joints[1].motion
    else {
        panic!("a function")
    };
    let program = value.compile(&|name| (name == "q").then_some(0)).unwrap();
    let found = program.eval(&[-1.0], &mut vec![0.0; program.scratch_len()]);
    assert!((found - knee()[1].value(-1.0)).abs() < 1e-15);
}

#[test]
fn faults_of_tables_are_told_at_their_place() {
    let loaded = knee_model();
    let message = |columns: Result<LogColumns, String>| {
        let failure = compile(&loaded, &mut |_| columns.clone()).unwrap_err();
        assert_eq!(failure.report.len(), 1, "{failure}");
        failure.to_string()
    };
    let text = message(Ok(LogColumns { time: vec![0.0, 2.0, 1.0], value: vec![0.0; 3] }));
    assert!(text.contains("knot 2 (counted from 0) is 1 and lies below"), "{text}");
    assert!(text.contains("knee.toml:15:17"), "{text}");
    assert!(message(Err("no column \"ry\"".into())).contains("no column"));
    assert!(message(Ok(LogColumns { time: vec![0.0], value: vec![0.0] })).contains("at least 2"));
    assert!(message(Ok(LogColumns { time: vec![0.0, f64::NAN], value: vec![0.0, 1.0] })).contains("finite"));
}

#[test]
fn units_stand_in_the_numbers_or_beside_the_list() {
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-14;
    let cm = "y = [0, 100, 400]\ny_unit = \"cm\"";
    for x in [
        "x = [\"0 s\", \"500 ms\", \"1 s\"]",
        "x = [0, 500, 1000]\nx_unit = \"ms\"",
        "x = [0, \"0.5 s\", 1000]\nx_unit = \"ms\"",
    ] {
        for y in ["y = [0, \"1 m\", \"4 m\"]", "y = [0, \"1 m\", 400]\ny_unit = \"cm\"", cm] {
            // Not-a-knot through three points is the parabola, here 4 t^2.
            assert!(near(at_a_quarter(&format!("{x}\n{y}"), "c(t) + 1 m"), 1.25), "{x} {y}");
        }
        assert!(near(at_a_quarter(&format!("{x}\n{cm}\nkind = \"linear\""), "c(t)"), 0.5));
        // Level at the start and as steep as 4 t^2 at the end.
        let curve = format!("{x}\n{cm}\nend = \"clamped\"\nslopes = [0, \"8 mm/ms\"]");
        assert!(near(at_a_quarter(&curve, "c(t)"), 0.25));
    }
    // Plain slopes are in the units of the lists: 0.8 cm/ms is 8 m/s.
    let curve = format!("x = [0, 500, 1000]\nx_unit = \"ms\"\n{cm}\nend = \"clamped\"\nslopes = [0, 0.8]");
    assert!(near(at_a_quarter(&curve, "c(t)"), 0.25));
}

#[test]
fn numbers_may_call_curves_and_follow_their_parameters() {
    let text = r#"
[parameters]
size = "0.5 m"
[curves.weight]
x = ["0 m", "1 m", "2 m"]
y = ["0 kg", "1 kg", "4 kg"]
[bodies.b]
mass = "weight(2*size) + 1 kg"
inertia = [0, 0, 0]
[joints.j]
type = "free"
parent = "ground"
child = "b"
"#;
    let mut compiled = model(text);
    let mass = |compiled: &Compiled| {
        compiled.parameters.find("bodies.b.mass").unwrap().of(&compiled.parameters.values())
    };
    assert_eq!(mass(&compiled), 2.0);
    compiled.set("parameters.size", "75 cm").unwrap();
    assert_eq!(mass(&compiled), 3.25);
}

#[test]
fn points_cannot_be_set_and_values_from_outside_call_no_curves() {
    let mut compiled = compile(&knee_model(), &mut read).unwrap();
    for path in ["curves.knee_x", "curves.knee_x.x", "curves.knee_x.y.1", "curves.knee_y"] {
        assert_eq!(
            compiled.set(path, "1 m").unwrap_err().to_string(),
            format!("\"{path}\" sets the structure of the model and can only be changed in the file")
        );
    }
    let refused = compiled.set("bodies.shank.mass", "sqr(4)").unwrap_err().to_string();
    assert!(refused.contains("unknown function `sqr`; did you mean `sqrt`?"), "{refused}");
}

#[test]
fn a_curve_may_have_the_name_of_a_coordinate_and_one_that_is_not_used_is_reported() {
    let text = r#"
schema = 1
gravity = [0, 0, 0]
[curves.q]
x = [0, 1]
y = [0, 1]
[curves.idle]
x = [0, 1]
y = [0, 1]
[coordinates.q]
kind = "angle"
rotor_inertia = "1 kg m^2"
[outputs]
y = "q(q)"
"#;
    let loaded = parse_model(text, None).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(loaded.warnings.len(), 1);
    assert!(loaded.warnings.render(&loaded.sources).contains("curve \"idle\" is not used"));
}
