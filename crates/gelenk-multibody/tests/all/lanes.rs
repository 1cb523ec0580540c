//! Mechanisms in lockstep: as their single runs, and what is refused.

use gelenk_laws::Friction;
use gelenk_laws::control::Sampled;
use gelenk_multibody::blueprint::BodyRef;
use gelenk_multibody::builder::{Builder, Ground, Mass, Settings};
use gelenk_multibody::{Acting, Attachment, Mechanism};
use gelenk_solve::lanes::{Pick, WIDTH, lanes};
use gelenk_solve::{Method, Options, SolveError, batch};
use gelenk_system::{Nanos, Schedule, System};
use gelenk_testing::random::Random;

const STEP: Nanos = Nanos(1_000_000);

/// A chain of turning and sliding arms with springs, friction of the given law on every joint, a spring between frames, and a
/// controller on a sampled angle.
fn chain(random: &mut Random, arms: usize, law: Friction) -> Mechanism {
    let mut builder = Builder::new([0.3, 0.0, -9.81]);
    let mut parent = BodyRef::Ground;
    let mut tip = None;
    for k in 0..arms {
        let size = 0.2 + 0.1 * random.number().abs();
        let mass = Mass::cuboid(0.5 + 0.2 * random.number(), [size, 0.1, 0.15])
            .at(random.numbers().map(|x| 0.1 * x));
        let body = builder.body(&format!("arm{k}"), mass);
        let joint = builder.joint(&format!("joint{k}"), parent, body).at(random.numbers().map(|x| 0.2 * x));
        let slides = k > 0 && random.below(3) == 0;
        let axis = [random.number(), 1.0, 0.4 * random.number()];
        let name = format!("q{k}");
        let q = if slides { joint.prismatic(axis, &name) } else { joint.revolute(axis, &name) };
        builder.start(q, 0.4 * random.number(), random.number());
        builder.spring(&format!("spring{k}"), q, 8.0, 0.05);
        builder.friction(&format!("joint{k}"), q, law, settings(law));
        parent = body.into();
        tip = Some((body, q));
    }
    let Some((body, q)) = tip else { return builder.build().unwrap() };
    let ends = [
        builder.frame("wall", Ground, [-0.8, 0.1, 0.6], [0.0; 3]),
        builder.frame("hook", body, [0.1, 0.0, 0.05], [0.0; 3]),
    ];
    let rope = Settings::new().set("stiffness", 6.0).set("length", 0.5);
    builder.element("rope", Acting::LineSpring, Attachment::Distance(ends), rope);
    let every = Schedule::every(Nanos(5_000_000));
    builder.block("seen", "rad", Sampled::Sensor, &[&format!("q{}", arms - 1)], Settings::new(), every);
    let gains = Settings::new().set("kp", 1.5).set("ki", 4.0).set("limit", 0.6);
    builder.block("wanted", "N m", Sampled::Pi, &["seen", "0.2*sin(3*t)"], gains, every);
    builder.drive("motor", q, "wanted");
    builder.build().unwrap()
}

/// Parameters of a law that are those of machines of this size.
fn settings(law: Friction) -> Settings {
    let mut settings = Settings::new();
    for param in law.spec().params.iter().filter(|param| !param.per_element) {
        let value = match param.name {
            "coulomb" | "rise" => 0.05,
            "breakaway" | "peak" if law != Friction::PowerBased => 0.08,
            "drop" => 0.02,
            "stribeck" => 0.05,
            "sigma0" | "transition" if law == Friction::TwoSep => 40.0,
            "sigma0" => 40.0,
            "steepness" => 30.0,
            "sigma1" => 0.1,
            "damping_limit" => 0.3,
            "viscous" => 0.01,
            "distance" => 0.01,
            _ => continue,
        };
        settings = settings.set(param.name, value);
    }
    if law == Friction::MaxwellSlip {
        settings = settings.list("stiffness", [10.0, 30.0]).list("level", [0.03, 0.04]);
    }
    if law == Friction::Gms {
        let lists = settings.set("attraction", 1.0);
        settings = lists.list("stiffness", [10.0, 30.0]).list("share", [0.4, 0.6]);
    }
    settings
}

/// Parameter vectors around the model's own; what is zero, one, two or infinite stays, since laws have shortcuts there.
fn variants(random: &mut Random, mechanism: &Mechanism, count: usize) -> Vec<Vec<f64>> {
    let own = mechanism.parameters().values();
    // Shares of elements have the sum one.
    let kept = |p: f64| [0.0, 0.4, 0.6, 1.0, 2.0].contains(&p) || !p.is_finite();
    let mut vary = |p: f64| if kept(p) { p } else { p * (1.0 + 0.01 * random.number()) };
    (0..count).map(|_| own.iter().map(|&p| vary(p)).collect()).collect()
}

/// Largest difference between runs in lanes and single runs, at every hundredth step of 1,200, over states and all
/// channels; and how many were done alone.
fn apart(mechanism: &Mechanism, method: Method, runs: &[Vec<f64>]) -> (f64, usize) {
    let (layout, step) = (mechanism.layout(), method.step().unwrap());
    let options = Options { until: Nanos(1200 * step.0), output: Nanos(100 * step.0), method };
    // Works and energies are not kept in lanes.
    let kept = |name: &str| !name.contains("energy") && !name.contains("work");
    let channels: Vec<usize> =
        (0..mechanism.channels().len()).filter(|&k| kept(&mechanism.channels()[k].name)).collect();
    let states = layout.w().start;
    let mut picked: Vec<Pick> = (0..states).map(Pick::State).collect();
    picked.extend(channels.iter().copied().map(Pick::Channel));
    let single = batch(mechanism, method, runs, |_, simulation| {
        let (mut rows, mut y) = (Vec::new(), vec![0.0; mechanism.channels().len()]);
        for row in 0..=12 {
            simulation.advance_to(Nanos(row * options.output.0))?;
            simulation.outputs(&mut y)?;
            rows.extend(&simulation.state()[..states]);
            rows.extend(channels.iter().map(|&k| y[k]));
        }
        Ok(rows)
    });
    let found = lanes(mechanism, &options, &picked, runs, |_, rows| {
        Ok((rows.iter().flatten().copied().collect::<Vec<f64>>(), rows.alone()))
    });
    let (mut largest, mut alone) = (0.0f64, 0);
    for (single, found) in single.into_iter().zip(found.unwrap()) {
        let (single, (found, was_alone)): (Vec<f64>, _) = (single.unwrap(), found.unwrap());
        assert_eq!(single.len(), found.len());
        alone += usize::from(was_alone);
        let parts = single.iter().zip(&found);
        largest = parts.fold(largest, |max, (a, b)| max.max((a - b).abs() / (1.0 + a.abs())));
    }
    (largest, alone)
}

/// Random chains of one to three arms with a sensor and a controller in the loop, in stepped mode and by RK4: every run in
/// lanes is the single run after 1,200 steps, at all rows and in all channels.
#[test]
fn chains_in_lockstep() {
    let mut random = Random::new(11);
    let laws = [
        Friction::Viscous,
        Friction::LuGre,
        Friction::ElastoPlastic,
        Friction::Dahl,
        Friction::BlimanSorine2,
        Friction::MaxwellSlip,
        Friction::Gms,
        Friction::TwoSep,
        Friction::PowerBased,
    ];
    for (k, law) in laws.into_iter().enumerate() {
        let mechanism = chain(&mut random, 1 + k % 3, law);
        // A group and a part of one, then parts.
        let runs = variants(&mut random, &mechanism, if k == 0 { WIDTH + 2 } else { 6 });
        let name = law.spec().name;
        let (largest, alone) = apart(&mechanism, Method::Stepped { step: STEP }, &runs);
        assert!(largest < 1e-9, "{name}, stepped: {largest:e}");
        assert!(alone <= runs.len() / 3, "{name}: {alone} of {} done alone", runs.len());
        if law.switches(2) == 0 {
            // Bristles are stiff in fast sliding.
            let (largest, alone) = apart(&mechanism, Method::Rk4 { step: Nanos(50_000) }, &runs);
            assert!(largest < 1e-9 && alone == 0, "{name}, rk4: {largest:e}, {alone} alone");
        }
    }
}

/// A pendulum whose mass is negative is refused in its own lane; the others are what they are without it.
#[test]
fn a_bad_run_says_so() {
    let mechanism = chain(&mut Random::new(3), 1, Friction::LuGre);
    let good = variants(&mut Random::new(5), &mechanism, 3);
    let mass = mechanism.parameters().find("bodies.arm0.mass").unwrap().index();
    let mut mixed = good.clone();
    mixed[1][mass] = -1.0;
    let options = Options {
        until: Nanos(50_000_000),
        output: Nanos(50_000_000),
        method: Method::Stepped { step: STEP },
    };
    let go = |runs: &[Vec<f64>]| {
        lanes(&mechanism, &options, &[Pick::State(0)], runs, |_, rows| Ok(rows.last()[0])).unwrap()
    };
    let (clean, found) = (go(&good), go(&mixed));
    assert_eq!((&found[0], &found[2]), (&clean[0], &clean[2]));
    assert!(found[1].clone().unwrap_err().to_string().contains("arm0"), "{found:?}");
}

/// What needs single runs is refused by its name, with what to use instead.
#[test]
fn refusals_name_the_element() {
    let refused = |mechanism: &Mechanism, method: Method| -> SolveError {
        let options = Options { until: STEP, output: STEP, method };
        let runs = [mechanism.parameters().values()];
        lanes(mechanism, &options, &[], &runs, |_, _| Ok(())).unwrap_err()
    };
    let says = |mechanism: &Mechanism, method: Method, name: &str, what: &str| {
        let message = refused(mechanism, method).to_string();
        let complete = [name, what, "batch"].iter().all(|part| message.contains(part));
        assert!(complete, "{message}");
    };
    let (stepped, rk4) = (Method::Stepped { step: STEP }, Method::Rk4 { step: STEP });
    let held = chain(&mut Random::new(1), 1, Friction::Coulomb);
    says(&held, stepped, "joint0", "at rest");
    let slips = chain(&mut Random::new(1), 1, Friction::MaxwellSlip);
    says(&slips, rk4, "joint0", "maxwell-slip");
    let mut builder = Builder::new([0.0, 0.0, -9.81]);
    let body = builder.body("rock", Mass::cuboid(1.0, [0.1, 0.2, 0.3]));
    builder.joint("flight", Ground, body).free();
    says(&builder.build().unwrap(), stepped, "flight", "quaternion");
    let mut builder = Builder::new([0.0, 0.0, -9.81]);
    let rod = builder.body("rod", Mass::cylinder(1.2, 0.01, 0.5).at([0.0, 0.0, -0.25]));
    builder.joint("hinge", Ground, rod).revolute([0.0, 1.0, 0.0], "phi");
    let ends = [
        builder.frame("wall", Ground, [0.3, 0.0, -0.5], [0.0; 3]),
        builder.frame("tip", rod, [0.0, 0.0, -0.5], [0.0; 3]),
    ];
    builder.keep_distance("strut", ends, 0.3);
    says(&builder.build().unwrap(), stepped, "strut", "loop");
}
