//! Linear equations of models with inputs, outputs and sampled loops.

use std::path::Path;

use gelenk::open::{Overrides, Prepared, simulation};
use gelenk::rest::{cycle, state_space};
use gelenk::run::run;
use gelenk_system::{Nanos, Sampled, System};

/// A block on a spring, pushed by a controller at every 20 ms that sees its position 15 ms late.
fn controlled(folder: &Path, sensor: &str) -> Prepared {
    let text = format!(
        r#"
        schema = 1
        gravity = [0, 0, 0]
        simulate = {{ until = "1 s", output = "20 ms", solver = {{ method = "dop853", rtol = 1e-12, atol = 1e-14 }} }}
        bodies.block = {{ mass = "2 kg", inertia = [1, 1, 1] }}
        joints.slide = {{ type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0], coordinate = {{ name = "x", start = "0.1 m", spring = {{ stiffness = "40 N/m", damping = "1 N s/m" }} }} }}
        sensors.encoder = {{ of = "x", period = "20 ms", delay = "15 ms"{sensor} }}
        controllers.control = {{ type = "pi", period = "20 ms", measure = "encoder", target = "0 m", kp = "30 N/m", ki = "50 N/(m s)", limit = "1000 N" }}
        drives.motor = {{ on = "x", force = "control" }}
        "#
    );
    let path = folder.join("model.toml");
    std::fs::write(&path, text).unwrap();
    simulation(&path, &Overrides::default()).unwrap()
}

fn map(prepared: &Prepared) -> gelenk_solve::Cycle {
    let (system, p) = (&prepared.mechanism, prepared.parameters.values());
    let layout = system.layout();
    let (mut x, mut m, mut data) = (vec![0.0; layout.nx()], vec![0.0; layout.nm], system.data::<f64>());
    system.bind(&mut data, &p);
    system.start(&mut data, &mut x, &mut m).unwrap();
    system.sample(&mut data, Nanos::ZERO, &x, &mut m).unwrap();
    cycle(system, &p, (&x, &m)).unwrap()
}

/// A linear loop obeys its own characteristic polynomial (Cayley and Hamilton): what a run records from sample to sample, times
/// the coefficients that the poles give, is nothing.
#[test]
fn poles_of_a_late_loop_are_those_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = controlled(folder.path(), "");
    let poles = map(&prepared).poles();
    // One factor after the other, lowest power first.
    let mut polynomial = vec![nalgebra::Complex::new(1.0, 0.0)];
    for pole in poles.iter().filter(|pole| pole.norm() > 1e-9) {
        let mut next = vec![nalgebra::Complex::new(0.0, 0.0); polynomial.len() + 1];
        for (k, &c) in polynomial.iter().enumerate() {
            next[k + 1] += c;
            next[k] -= c * pole;
        }
        polynomial = next;
    }
    let (recording, _) = run(&prepared.mechanism, &prepared.parameters.values(), &prepared.options).unwrap();
    let x = recording.column("x").unwrap();
    assert!(polynomial.len() > 4 && x.len() == 51, "{} {}", polynomial.len(), x.len());
    for start in 5..x.len() - polynomial.len() {
        let terms = polynomial.iter().zip(&x[start..]).map(|(c, x)| c.re * x);
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + f64::abs(term)));
        assert!(sum.abs() < 1e-9 * size, "from sample {start}: {sum} of {size}");
    }
    // A resolution counts as none: its steps have no slope, but the loop is closed.
    let coarse = map(&controlled(folder.path(), r#", quantum = "1 mm""#)).poles();
    for (a, b) in poles.iter().zip(&coarse) {
        assert!((a - b).norm() < 1e-12, "{a} and {b}");
    }
}

/// `m x'' = F - k x - d x'`: `A = [0, 1; -k/m, -d/m]`, `B = [0; 1/m]`, and a column that depends on the input directly.
#[test]
fn a_block_on_a_spring_has_the_matrices_of_its_equation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    let text = r#"
        schema = 1
        gravity = [0, 0, 0]
        bodies.block = { mass = "2 kg", inertia = [1, 1, 1] }
        joints.slide = { type = "prismatic", parent = "ground", child = "block", axis = [1, 0, 0], coordinate = { name = "x", spring = { stiffness = "40 N/m", damping = "1 N s/m" } } }
        signals.u = { input = "3 N" }
        drives.push = { on = "x", force = "u" }
        outputs.both = "3 [N/m]*x + 0.5 [N s/m]*x.rate + 2*u"
        simulate = { until = "1 s" }
    "#;
    std::fs::write(&path, text).unwrap();
    let prepared = simulation(&path, &Overrides::default()).unwrap();
    let (system, p) = (&prepared.mechanism, prepared.parameters.values());
    let layout = system.layout();
    let (mut x, mut m, mut data) = (vec![0.0; layout.nx()], vec![0.0; layout.nm], system.data::<f64>());
    system.bind(&mut data, &p);
    system.start(&mut data, &mut x, &mut m).unwrap();
    let both = system.channels().iter().position(|channel| channel.name == "both").unwrap();
    let linear = state_space(system, &p, (0.0, &x, &m), &[both]).unwrap();
    let expected: [(&_, &[f64]); 4] = [
        (&linear.states.a, &[0.0, -20.0, 1.0, -0.5]),
        (&linear.b, &[0.0, 0.5]),
        (&linear.c, &[3.0, 0.5]),
        (&linear.d, &[2.0]),
    ];
    for (matrix, expected) in expected {
        // The sign of the direction is free.
        let off = matrix.iter().zip(expected).map(|(a, b)| (a.abs() - b.abs()).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12 && matrix.len() == expected.len(), "{matrix} instead of {expected:?}");
    }
}
