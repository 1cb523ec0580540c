//! Stick-slip with a stiff bristle at fixed steps (workload W6): the data of Canudas de Wit et al. (1995). Slips in 40 s,
//! RMS error of the position and CPU time a step, beside MuJoCo's direct-current motor with LuGre friction.

use gelenk_laws::Friction;
use gelenk_math::expression::Expression;
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Acting, Attachment};
use gelenk_solve::Method;
use gelenk_system::Nanos;

use crate::clock::cpu_time;
use crate::peer::Peer;
use gelenk_testing::draft::{Draft, run};

const STEPS: [f64; 9] = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2];
const END: f64 = 40.0;
/// Row period, a multiple of every step.
const PERIOD: f64 = 0.05;
/// Coulomb and breakaway force (N), Stribeck velocity (m/s), bristle stiffness (N/m) and damping (N s/m), limit of the
/// damping (m/s), viscous share (N s/m).
const LUGRE: [f64; 11] =
    [1.0, 1.5, 1e-3, 1e5, 316.227_766_016_837_96, f64::INFINITY, 0.4, 2.0, 1.0, 0.0, 0.0];
/// MuJoCo's integrators that are shown.
const INTEGRATORS: [(&str, u8); 3] = [("Euler", 0), ("implicit", 2), ("implicitfast", 3)];

fn mechanism() -> Result<Mechanism, String> {
    let mut draft = Draft::new([0.0; 3]);
    let x = draft.coordinate("x", 0.0, 0.0);
    let block = draft.body("block", 1.0, [0.0; 3], [1.0; 3]);
    let (axis, value) = (draft.numbers([1.0, 0.0, 0.0]), Scalar::Coordinate(x));
    draft.joint("slide", BodyRef::Ground, block, [0.0; 3], JointMotion::Prismatic { axis, value });
    let effort = Expression::parse("2*(0.1*t - x)").map_err(|e| e.to_string())?;
    let element =
        Element::new("spring", Acting::Given, Attachment::Coordinate(x), &[]).with_inputs(&[effort]);
    draft.add(element);
    let parameters = draft.numbers(LUGRE).to_vec();
    let element = Element::new("friction", Friction::LuGre, Attachment::Coordinate(x), &parameters);
    draft.add(element);
    Ok(draft.build())
}

fn mjcf() -> String {
    let [coulomb, breakaway, stribeck, sigma0, sigma1, _, viscous, ..] = LUGRE;
    format!(
        "<mujoco><option timestep=\"0.001\" gravity=\"0 0 0\"/><worldbody><body><inertial mass=\"1\" pos=\"0 0 0\" \
         diaginertia=\"1 1 1\"/><joint name=\"j\" type=\"slide\" axis=\"1 0 0\"/></body></worldbody><actuator>\
         <dcmotor joint=\"j\" input=\"none\" resistance=\"1\" motorconst=\"0 0\" damping=\"{viscous}\" \
         lugre=\"{sigma0} {sigma1} {coulomb} {breakaway} {stribeck}\"/></actuator></mujoco>"
    )
}

/// Beginnings of motion faster than 20 mm/s.
fn slips(x: &[f64]) -> usize {
    let fast: Vec<bool> = x.windows(2).map(|pair| (pair[1] - pair[0]) / PERIOD > 0.02).collect();
    fast.windows(2).filter(|pair| pair[1] && !pair[0]).count()
}

fn line(name: &str, step: f64, x: &[f64], exact: &[f64], time: f64, rest: &str) {
    let square: f64 = x.iter().zip(exact).map(|(a, b)| (a - b).powi(2)).sum();
    println!(
        "  {name:<21}{:>5} ms {:>4} slips, rms {:>10.3e} m, {:>7.3} us a step{rest}",
        1e3 * step,
        slips(x),
        (square / x.len() as f64).sqrt(),
        1e6 * time
    );
}

/// Prints all methods at all steps.
pub(crate) fn print(peers: &[&str]) -> Result<(), String> {
    let mechanism = mechanism()?;
    let column = |method: Method| {
        let start = cpu_time();
        let (rows, summary) = run(&mechanism, method, END, PERIOD);
        let time = (cpu_time() - start) / summary.steps as f64;
        (rows.iter().map(|row| row[1]).collect::<Vec<f64>>(), summary, time)
    };
    let (exact, ..) = column(Method::Dopri5 { rtol: 1e-9, atol: 1e-11, max_step: f64::INFINITY });
    println!("stick-slip, 40 s; the reference is dopri5 at rtol 1e-9 with {} slips", slips(&exact));
    let methods: [fn(Nanos) -> Method; 3] =
        [|step| Method::Stepped { step }, |step| Method::Stepped2 { step }, |step| Method::RealTime { step }];
    for method in methods {
        for h in STEPS {
            let method = method(Nanos::from_seconds(h).unwrap_or(Nanos::ZERO));
            let (x, summary, time) = column(method);
            let steps = summary.steps.max(1) as f64;
            let taken = format!(
                ", {:.2} iterations a step, {} substeps, energy residue {:.1e} J",
                summary.iterations as f64 / steps,
                summary.substeps,
                summary.energy.residue
            );
            line(&format!("gelenk {}", method.name()), h, &x, &exact, time, &taken);
        }
    }
    let model = std::env::temp_dir().join(format!("gelenk-stick-slip-{}", std::process::id()));
    std::fs::write(model.with_extension("mjcf.xml"), mjcf()).map_err(|e| e.to_string())?;
    for program in peers {
        let mut peer = Peer::start(program, &model)?;
        for (name, number) in INTEGRATORS {
            for h in STEPS {
                let answer = peer.ask(&format!("{h} {number}"))?;
                let numbers: Vec<f64> =
                    answer.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                if let Some((&time, x)) = numbers.split_first().filter(|(_, x)| x.len() == exact.len()) {
                    line(&format!("mujoco {name}"), h, x, &exact, time, "");
                } else {
                    println!("  mujoco {name} {} ms: no answer", 1e3 * h);
                }
            }
        }
    }
    Ok(())
}

/// A hanging chain with LuGre friction in every joint, for profiles: CPU time and what the steps of 10 ms took.
pub(crate) fn chain(method: &str, links: &str, steps: &str) -> Result<(), String> {
    let (Ok(links), Ok(steps)) = (links.parse::<usize>(), steps.parse::<u32>()) else {
        return Err("gelenk-bench chain METHOD LINKS STEPS".into());
    };
    let step = Nanos::from_seconds(1e-2).unwrap_or(Nanos::ZERO);
    let method = match method {
        "stepped2" => Method::Stepped2 { step },
        "real-time" => Method::RealTime { step },
        _ => Method::Stepped { step },
    };
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    for k in 0..links {
        let body = draft.body(&format!("b{k}"), 0.1, [0.0, 0.0, -0.05], [1e-4, 1e-4, 1e-5]);
        let coordinate = draft.coordinate(&format!("q{k}"), if k == 0 { 1.0 } else { 0.0 }, 0.0);
        let motion = draft.revolute([0.0, 1.0, 0.0], coordinate);
        let parent = k.checked_sub(1).map_or(BodyRef::Ground, |k| BodyId::nth(k).into());
        let place = if k == 0 { 0.0 } else { -0.1 };
        draft.joint(&format!("j{k}"), parent, body, [0.0, 0.0, place], motion);
        let parameters =
            draft.numbers([0.02, 0.03, 1e-2, 1e3, 0.1, f64::INFINITY, 1e-4, 2.0, 1.0, 0.0, 0.0]).to_vec();
        let element =
            Element::new(format!("f{k}"), Friction::LuGre, Attachment::Coordinate(coordinate), &parameters);
        draft.add(element);
    }
    let mechanism = draft.build();
    let end = 1e-2 * f64::from(steps);
    let start = cpu_time();
    let (_, summary) = run(&mechanism, method, end, end);
    println!(
        "{} links, {}: {:.1} us a grid step, {} steps, {} substeps, {} rejected, {} iterations, {} evaluations, residue {:.2e} J",
        links,
        method.name(),
        1e6 * (cpu_time() - start) / f64::from(steps),
        summary.steps,
        summary.substeps,
        summary.rejected,
        summary.iterations,
        summary.evaluations,
        summary.energy.residue
    );
    Ok(())
}
