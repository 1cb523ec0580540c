//! Mechanisms built in code: against closed forms, and what is refused.

use gelenk_laws::control::{BlockPort, BlockSpec, OwnBlock, Sampled, Stage, Tick};
use gelenk_laws::{Friction, Kind, ParamSpec};
use gelenk_multibody::builder::{Builder, Ground, LoopType, Mass, Settings};
use gelenk_multibody::elements::contract::{ELASTIC_AND_DAMPING, InputSpec, OutputSpec, PlaceKind};
use gelenk_multibody::elements::{Act, ElementSpec, Look, Own, OwnElement};
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::Method;
use gelenk_system::{Nanos, Schedule, System};

use gelenk_testing::draft::run;

const FINE: Method = Method::Dop853 { rtol: 1e-11, atol: 1e-12, max_step: f64::INFINITY };
const G: f64 = 9.81;

fn last(mechanism: &gelenk_multibody::Mechanism, until: f64, column: &str) -> f64 {
    let (rows, _) = run(mechanism, FINE, until, 0.01);
    let k = mechanism.channels().iter().position(|channel| channel.name == column).unwrap();
    rows.last().unwrap()[k + 1]
}

/// A mass on a spring and damper: `x = exp(-d t) (x0 cos w t + (v0 + d x0)/w sin w t)`, `d = c/2m`, `w^2 = k/m - d^2`.
#[test]
fn a_damped_mass() {
    let mut builder = Builder::new([0.0; 3]);
    builder.parameter("rho", 2.0, "kg/m");
    let block = builder.body("block", Mass::point("rho*1.5"));
    let x = builder.joint("slide", Ground, block).prismatic([1.0, 0.0, 0.0], "x");
    builder.start(x, 0.1, -0.2);
    builder.spring("spring", x, 75.0, 1.2);
    let mechanism = builder.build().unwrap();
    let (d, x0, v0, t) = (1.2f64 / 6.0, 0.1, -0.2, 3.0);
    let w = (25.0 - d * d).sqrt();
    let expected = (-d * t).exp() * (x0 * (w * t).cos() + (v0 + d * x0) / w * (w * t).sin());
    let obtained = last(&mechanism, t, "x");
    assert!((obtained - expected).abs() < 1e-9, "{obtained} instead of {expected}");
    // Numbers are where a model file has them.
    let table = mechanism.parameters();
    for path in ["bodies.block.mass", "joints.slide.coordinate.start", "gravity.z", "joints.slide.axis.x"] {
        assert!(table.find(path).is_ok(), "{path}");
    }
    assert_eq!(table.find("bodies.block.mass").unwrap().of(&table.values()), 3.0);
}

/// A slider crank with a loop: `x = r cos a + sqrt(l^2 - r^2 sin^2 a)`. The crank is turned at a constant rate.
#[test]
fn a_slider_crank() {
    let (r, l) = (0.1f64, 0.3f64);
    let mut builder = Builder::new([0.0, 0.0, -G]);
    let crank = builder.body("crank", Mass::cylinder(1.0, 0.01, r));
    let rod = builder.body("rod", Mass::cuboid(0.5, [l, 0.01, 0.01]).at([0.5 * l, 0.0, 0.0]));
    let slider = builder.body("slider", Mass::sphere(0.3, 0.02));
    builder.joint("main", Ground, crank).revolute_by([0.0, 0.0, 1.0], "2*t + 0.3");
    let b = builder.joint("pin", crank, rod).at([r, 0.0, 0.0]).revolute([0.0, 0.0, 1.0], "b");
    let x = builder.joint("guide", Ground, slider).prismatic([1.0, 0.0, 0.0], "x");
    let place = |a: f64| r * a.cos() + (l * l - (r * a.sin()).powi(2)).sqrt();
    builder.start(x, place(0.3), 0.0);
    builder.start(b, -0.3 - (r / l * 0.3f64.sin()).asin(), 0.0);
    let ends = [
        builder.frame("end", rod, [l, 0.0, 0.0], [0.0; 3]),
        builder.frame("eye", slider, [0.0; 3], [0.0; 3]),
    ];
    builder.close("wrist", LoopType::Point, ends);
    let mechanism = builder.build().unwrap();
    let obtained = last(&mechanism, 1.5, "x");
    assert!((obtained - place(3.3)).abs() < 1e-9, "{obtained} instead of {}", place(3.3));
}

/// A ball thrown under gravity, and a rotor that a torque turns: `w = T t/(J + J_r)`.
#[test]
fn free_bodies_and_drives() {
    let mut builder = Builder::new([0.0, 0.0, -G]);
    let ball = builder.body("ball", Mass::sphere(0.4, 0.1));
    let joint = builder.joint("flight", Ground, ball).free();
    builder.start_free(joint, [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3], [3.0, 0.0, 4.0]);
    let disc = builder.body("disc", Mass::cylinder(2.0, 0.5, 0.1));
    let w = builder.joint("bearing", Ground, disc).revolute([0.0, 0.0, 1.0], "w");
    builder.rotor(w, 0.05);
    builder.drive("motor", w, "0.6");
    builder.output("power", "motor*w.rate", "W");
    let mechanism = builder.build().unwrap();
    let (x, z) = (last(&mechanism, 0.5, "flight.x"), last(&mechanism, 0.5, "flight.z"));
    assert!((x - 1.5).abs() < 1e-10 && (z - (3.0 - 0.5 * G * 0.25)).abs() < 1e-10, "{x}, {z}");
    let rate = last(&mechanism, 0.5, "w.rate");
    assert!((rate - 0.3 / 0.3).abs() < 1e-9, "{rate}");
    assert!((last(&mechanism, 0.5, "power") - 0.6 * rate).abs() < 1e-12);
}

/// Friction by its law's names, elements between frames, and a sampled controller: they act, and stand in the ledger.
#[test]
fn laws_elements_and_blocks() {
    let mut builder = Builder::new([0.0; 3]);
    let block = builder.body("block", Mass::point(1.0));
    let x = builder.joint("slide", Ground, block).prismatic([1.0, 0.0, 0.0], "x");
    builder.start(x, 0.2, 1.0);
    builder.friction("slide", x, Friction::Coulomb, [("coulomb", 0.5)]);
    let ends = [
        builder.frame("wall", Ground, [-1.0, 0.0, 0.0], [0.0; 3]),
        builder.frame("hook", block, [0.0; 3], [0.0; 3]),
    ];
    let settings = Settings::new().set("stiffness", 10.0).set("length", 1.0);
    builder.element("rope", Acting::LineSpring, Attachment::Distance(ends), settings);
    let every = Schedule::every(Nanos::from_seconds(0.01).unwrap());
    builder.block("seen", "m", Sampled::Sensor, &["x"], Settings::new(), every);
    builder.output("twice", "2*seen", "m");
    let mechanism = builder.build().unwrap();
    let (rows, summary) = run(&mechanism, FINE, 6.0, 0.01);
    let names: Vec<&str> = mechanism.channels().iter().map(|channel| channel.name.as_str()).collect();
    for name in ["x", "friction.slide", "seen", "twice"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert!(summary.energy.relative_residue().abs() < 1e-8);
    // The block has come to rest within the band of Coulomb friction around the spring's rest: abs(x) <= 0.5 N/(10 N/m).
    let k = names.iter().position(|name| *name == "x").unwrap();
    assert!(rows.last().unwrap()[k + 1].abs() <= 0.05 + 1e-9);
}

#[test]
fn mistakes_are_named() {
    let refused = |fill: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::new([0.0; 3]);
        fill(&mut builder);
        builder.build().map(|_| ()).unwrap_err().to_string()
    };
    let cart = |builder: &mut Builder| {
        let body = builder.body("cart", Mass::point(1.0));
        builder.joint("slide", Ground, body).prismatic([1.0, 0.0, 0.0], "x")
    };
    for (fill, expected) in [
        (
            &|b: &mut Builder| _ = b.body("cart", Mass::point(-1.0)),
            "bodies.cart.mass = -1 kg must be at least 0",
        ),
        (&|b: &mut Builder| _ = b.body("cart", Mass::point(1.0)), "cart"),
        (
            &|b: &mut Builder| _ = b.body("cart", Mass::point(1.0).with_inertia([1.0, 1.0, 3.0])),
            "these moments of inertia are physically impossible",
        ),
        (&|b: &mut Builder| _ = b.body("cart", Mass::point("2*rho")), "rho"),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.friction("slide", x, Friction::Coulomb, [("colomb", 0.5)]);
            },
            "did you mean \"coulomb\"?",
        ),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.friction("slide", x, Friction::Coulomb, Settings::new());
            },
            "friction.slide.coulomb: coulomb needs 1 values, 0 given",
        ),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.element("b", Acting::Bushing, x, [("stiffness", 1.0), ("torsion", 1.0)]);
            },
            "bushing cannot act there",
        ),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.drive("motor", x, "2*(t");
            },
            "2*(t",
        ),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.drive("motor", x, "2*y");
            },
            "unknown name \"y\"",
        ),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.spring("spring", x, -3.0, 0.0);
            },
            "stiffness",
        ),
        (
            &|b: &mut Builder| {
                let x = cart(b);
                b.friction("slide", x, Friction::Regularised, [("coulomb", 0.5), ("shape", 7.0)]);
            },
            "friction.slide.shape = 7: for regularised this must be the index (from 0) of one of",
        ),
    ] as [(&dyn Fn(&mut Builder), &str); 11]
    {
        let message = refused(fill);
        assert!(message.contains(expected), "{message:?} instead of {expected:?}");
    }
}

/// The spring of the registry, written as a program's own element with a state that follows the displacement.
struct OwnSpring;

const OWN_SPRING: ElementSpec = ElementSpec {
    name: "own spring",
    table: "own",
    title: "A spring.",
    equation: "F = -k x - d v, dz/dt = (x - z)/T",
    source: "this test",
    place: PlaceKind::Scalar,
    params: &[
        ParamSpec::positive("stiffness", "k", Kind::Stiffness, "Stiffness."),
        ParamSpec::positive("damping", "d", Kind::Damping, "Damping.").or(0.0).or_zero(),
    ],
    inputs: &[InputSpec::scalar("pull", Kind::Effort, "A further effort.")],
    outputs: &[OutputSpec { name: "lagging", kind: Kind::Displacement, meaning: "lagging displacement" }],
    accounts: ELASTIC_AND_DAMPING,
};

impl OwnElement for OwnSpring {
    fn spec(&self) -> &'static ElementSpec {
        &OWN_SPRING
    }

    fn states(&self, _: usize) -> usize {
        1
    }

    fn act(&self, e: &mut Act<'_, f64>) {
        let (x, v, [k, d]) = (e.look.x[0], e.look.v[0], [e.look.p[0], e.look.p[1]]);
        e.push(0, 0, -k * x);
        e.push(1, 0, -d * v + e.look.u[0]);
        let [lagging, _] = e.relax(0, x, 0.1);
        e.output(0, lagging);
    }

    fn stored(&self, look: &Look<'_, f64>, stored: &mut [f64]) {
        stored[0] = 0.5 * look.p[0] * look.x[0] * look.x[0];
    }
}

/// Twice the measured value of the tick before.
struct OwnDelay;

const OWN_DELAY: BlockSpec = BlockSpec {
    name: "own delay",
    title: "Twice the last value.",
    equation: "y = 2 u_(k-1)",
    source: "this test",
    stage: Stage::Control,
    inputs: &[BlockPort {
        name: "of",
        kind: Kind::Relative { input: 1, output: 0, time: 0 },
        meaning: "value",
    }],
    params: &[],
    outputs: &[BlockPort {
        name: "",
        kind: Kind::Relative { input: 1, output: 0, time: 0 },
        meaning: "twice the last one",
    }],
};

impl OwnBlock for OwnDelay {
    fn spec(&self) -> &'static BlockSpec {
        &OWN_DELAY
    }

    fn memory(&self) -> usize {
        1
    }

    fn tick(&self, _: &[f64], u: &[f64], _: Tick, m: &mut [f64], y: &mut [f64]) {
        y[0] = 2.0 * m[0];
        m[0] = u[0];
    }
}

/// A program's own element and block do what those of the registry do, in continuous and in stepped mode, with the ledger
/// balanced, and are linearised by differences.
#[test]
fn own_elements_and_blocks() {
    let build = |own: bool| {
        let mut builder = Builder::new([0.0; 3]);
        let block = builder.body("block", Mass::point(2.0));
        let x = builder.joint("slide", Ground, block).prismatic([1.0, 0.0, 0.0], "x");
        builder.start(x, 0.1, 0.0);
        if own {
            let settings = [("stiffness", 50.0), ("damping", 0.4)];
            builder.element_with("spring", Own::new(&OwnSpring), x, settings, &["0.3*sin(4*t)"]);
            builder.output("lag", "spring.lagging", "m");
        } else {
            builder.spring("spring", x, 50.0, 0.4);
            builder.drive("pull", x, "0.3*sin(4*t)");
        }
        let every = Schedule::every(Nanos::from_seconds(0.01).unwrap());
        builder.block("late", "m", gelenk_laws::control::Own::new(&OwnDelay), &["x"], Settings::new(), every);
        builder.build().unwrap()
    };
    let step = Nanos::from_seconds(0.001).unwrap();
    for method in [FINE, Method::Stepped2 { step }, Method::Stepped { step }] {
        let (own, registered) = (build(true), build(false));
        let (rows, summary) = run(&own, method, 2.0, 0.01);
        let (expected, _) = run(&registered, method, 2.0, 0.01);
        for (row, other) in rows.iter().zip(&expected) {
            assert!((row[1] - other[1]).abs() < 1e-8, "{method:?}: {} instead of {}", row[1], other[1]);
        }
        assert!(summary.energy.relative_residue().abs() < 2e-2, "{method:?}: {summary:?}");
        let names: Vec<&str> = own.channels().iter().map(|c| c.name.as_str()).collect();
        let late = 1 + names.iter().position(|name| *name == "late").unwrap();
        for k in 1..rows.len() {
            assert!((rows[k][late] - 2.0 * rows[k - 1][1]).abs() < 1e-12, "{method:?} at {}", rows[k][0]);
        }
    }
    // The same in absolute coordinates.
    let built = |own: bool| {
        let mut builder = Builder::new([0.0, 0.0, -G]);
        let rod = builder.body("rod", Mass::cuboid(2.0, [0.1, 0.1, 1.0]).at([0.0, 0.0, -0.5]));
        let phi = builder.joint("hinge", Ground, rod).revolute([0.0, 1.0, 0.0], "phi");
        builder.start(phi, 0.4, 0.0);
        match own {
            true => {
                let settings = [("stiffness", 50.0), ("damping", 0.4)];
                builder.element_with("spring", Own::new(&OwnSpring), phi, settings, &["0"])
            }
            false => builder.spring("spring", phi, 50.0, 0.4),
        };
        builder.into_parts().unwrap()
    };
    let (blueprint, table) = built(false);
    let expected = last(&blueprint.compile(table).unwrap(), 1.0, "phi");
    let (blueprint, table) = built(true);
    assert!((last(&blueprint.clone().compile(table.clone()).unwrap(), 1.0, "phi") - expected).abs() < 1e-9);
    let (blueprint, table) = blueprint.absolute(&table).unwrap();
    let absolute = last(&blueprint.compile(table).unwrap(), 1.0, "phi");
    assert!((absolute - expected).abs() < 1e-7, "{absolute} instead of {expected}");
    // The eigenvalue of the lag and those of the spring.
    let mut builder = Builder::new([0.0; 3]);
    let block = builder.body("block", Mass::point(2.0));
    let x = builder.joint("slide", Ground, block).prismatic([1.0, 0.0, 0.0], "x");
    let settings = [("stiffness", 50.0), ("damping", 0.4)];
    builder.element_with("spring", Own::new(&OwnSpring), x, settings, &["0"]);
    let mechanism = builder.build().unwrap();
    let p = mechanism.parameters().values();
    let (x, m) = gelenk_solve::equilibrium(&mechanism, &p, 1e-9).unwrap();
    let linear = gelenk_solve::linearise(&mechanism, &p, 0.0, &x, &m).unwrap();
    let eigenvalues = linear.a.complex_eigenvalues();
    for (re, im) in [(-0.1, (25.0f64 - 0.01).sqrt()), (-10.0, 0.0)] {
        let found = eigenvalues.iter().any(|e| (e.re - re).abs() < 1e-6 && (e.im.abs() - im).abs() < 1e-6);
        assert!(found, "{re} + {im} i is not among {eigenvalues}");
    }
}
