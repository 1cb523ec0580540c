//! A closed loop over time (workload W7): a planar four-bar, released from rest, 10 s in steps of 1 ms.
//!
//! Crank 0.5 m, coupler 1.0 m, rocker 0.8 m, base 1.0 m; slender rods of 1 kg/m; the crank begins at 60 degrees.

use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::*;
use gelenk_solve::{Method, Observer, Options, StopRun, simulate};
use gelenk_system::{Nanos, System};

use crate::clock::cpu_time;
use crate::peer::Peer;
use gelenk_testing::draft::{Draft, run};

const CRANK: f64 = 0.5;
const COUPLER: f64 = 1.0;
const ROCKER: f64 = 0.8;
const BASE: f64 = 1.0;
const GRAVITY: f64 = 9.81;
const STEPS: usize = 10_000;
const STEP: f64 = 1e-3;

/// Angles of crank, coupler and rocker against x at the start: the rocker's end above the base.
fn start() -> [f64; 3] {
    let crank = std::f64::consts::FRAC_PI_3;
    let (x, z) = (CRANK * crank.cos(), CRANK * crank.sin());
    let (dx, dz) = (BASE - x, -z);
    let distance = dx.hypot(dz);
    let along = (COUPLER * COUPLER - ROCKER * ROCKER + distance * distance) / (2.0 * distance);
    let across = (COUPLER * COUPLER - along * along).sqrt();
    let (bx, bz) = (x + (dx * along - dz * across) / distance, z + (dz * along + dx * across) / distance);
    [crank, (bz - z).atan2(bx - x), bz.atan2(bx - BASE)]
}

/// The mechanism in the plane of x and z; hinges about -y, so that angles count from x to z.
pub(crate) fn mechanism() -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -GRAVITY]);
    let [crank, coupler, rocker] = start();
    let mut rod = |name: &str, length: f64, parent: BodyRef, at: f64, angle: f64| {
        let inertia = length.powi(3) / 12.0;
        let body = draft.body(name, length, [length / 2.0, 0.0, 0.0], [1e-6, inertia, inertia]);
        let coordinate = draft.coordinate(&format!("{name}_angle"), angle, 0.0);
        let motion = draft.revolute([0.0, -1.0, 0.0], coordinate);
        draft.joint(name, parent, body, [at, 0.0, 0.0], motion);
        let (position, orientation) = (draft.numbers([length, 0.0, 0.0]), draft.numbers([0.0; 3]));
        let name = format!("{name}_end");
        draft.add(Frame { name, body: BodyRef::Body(body), position, orientation });
        BodyRef::Body(body)
    };
    let first = rod("crank", CRANK, BodyRef::Ground, 0.0, crank);
    rod("coupler", COUPLER, first, CRANK, coupler - crank);
    rod("rocker", ROCKER, BodyRef::Ground, BASE, rocker);
    draft.add(Loop { name: "close".into(), kind: LoopKind::Point([1, 2].map(FrameId::nth)) });
    draft.build()
}

/// Gap between the ends (m) and total energy (J) from angles and rates alone, by plane geometry.
fn judge(q: [f64; 3], v: [f64; 3]) -> (f64, f64) {
    let (a, b, c) = (q[0], q[0] + q[1], q[2]);
    let (wa, wb, wc) = (v[0], v[0] + v[1], v[2]);
    let (x, z) = (CRANK * a.cos(), CRANK * a.sin());
    let gap =
        (x + COUPLER * b.cos() - BASE - ROCKER * c.cos()).hypot(z + COUPLER * b.sin() - ROCKER * c.sin());
    let vx = -CRANK * wa * a.sin() - COUPLER / 2.0 * wb * b.sin();
    let vz = CRANK * wa * a.cos() + COUPLER / 2.0 * wb * b.cos();
    let kinetic = CRANK.powi(3) / 6.0 * wa * wa
        + COUPLER / 2.0 * (vx * vx + vz * vz)
        + COUPLER.powi(3) / 24.0 * wb * wb
        + ROCKER.powi(3) / 6.0 * wc * wc;
    let height = CRANK * CRANK / 2.0 * a.sin()
        + COUPLER * (z + COUPLER / 2.0 * b.sin())
        + ROCKER * ROCKER / 2.0 * c.sin();
    (gap, kinetic + GRAVITY * height)
}

struct Nothing;

impl Observer for Nothing {
    fn row(&mut self, _: &[f64]) -> Result<(), StopRun> {
        Ok(())
    }
}

/// One run.
pub(crate) fn once(mechanism: &Mechanism, method: Method) -> Result<(), String> {
    let nanos = |s: f64| Nanos::from_seconds(s).ok_or_else(|| format!("{s} s is no time"));
    let until = nanos(STEPS as f64 * STEP)?;
    let options = Options { until, output: until, method };
    let parameters = mechanism.parameters().values();
    simulate(mechanism, &parameters, &options, &mut Nothing).map_err(|e| e.to_string())?;
    Ok(())
}

/// CPU time of a step (s).
fn time(mechanism: &Mechanism, method: Method) -> Result<f64, String> {
    let start = cpu_time();
    once(mechanism, method)?;
    Ok((cpu_time() - start) / STEPS as f64)
}

/// The methods that are shown.
pub(crate) fn methods() -> [Method; 2] {
    let step = Nanos::from_seconds(STEP).unwrap_or(Nanos::ZERO);
    [Method::Heun { step }, Method::Rk4 { step }]
}

/// Largest gap (m) and largest change of the energy (J) over a run.
fn quality(mechanism: &Mechanism, method: Method) -> (f64, f64) {
    let (rows, _) = run(mechanism, method, STEPS as f64 * STEP, STEP);
    let column = |name: &str| mechanism.channels().iter().position(|c| c.name == name);
    let angles = ["crank_angle", "coupler_angle", "rocker_angle"];
    let places = angles.map(|name| [column(name), column(&format!("{name}.rate"))]);
    // The first column is the time; a column that is not there spoils the result.
    let read = |row: &[f64], k: usize| {
        places.map(|pair| pair[k].and_then(|place| row.get(place + 1)).copied().unwrap_or(f64::NAN))
    };
    let judged: Vec<(f64, f64)> = rows.iter().map(|row| judge(read(row, 0), read(row, 1))).collect();
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0.0, |max: f64, x| if x.is_nan() { x } else { max.max(x) })
    };
    let first = judged.first().map_or(f64::NAN, |first| first.1);
    (largest(&mut judged.iter().map(|j| j.0)), largest(&mut judged.iter().map(|j| (j.1 - first).abs())))
}

/// Prints closure, energy drift and time a step, ours by the peers'.
pub(crate) fn print(peers: &[&str], blocks: usize) -> Result<(), String> {
    let mechanism = mechanism();
    let model = std::env::temp_dir().join(format!("gelenk-fourbar-{}", std::process::id()));
    std::fs::write(model.with_extension("mjcf.xml"), mjcf()).map_err(|e| e.to_string())?;
    let mut running = peers.iter().map(|p| Peer::start(p, &model)).collect::<Result<Vec<_>, _>>()?;
    let mut best = vec![f64::INFINITY; methods().len() + running.len()];
    for _ in 0..blocks {
        let (ours, theirs) = best.split_at_mut(methods().len());
        for (method, best) in methods().into_iter().zip(ours) {
            *best = best.min(time(&mechanism, method)?);
        }
        for (peer, best) in running.iter_mut().zip(theirs) {
            *best = best.min(peer.time(&STEPS.to_string())?);
        }
    }
    println!("four-bar, 10 s in steps of 1 ms");
    let (ours, theirs) = best.split_at(methods().len());
    for (peer, &time) in running.iter().zip(theirs) {
        println!("  {:<14}{:>7.3} us a step", peer.name, 1e6 * time);
    }
    let fastest = theirs.iter().copied().fold(f64::INFINITY, f64::min);
    for (method, &time) in methods().into_iter().zip(ours) {
        let (gap, drift) = quality(&mechanism, method);
        let name = format!("gelenk {}", method.name());
        print!("  {name:<14}{:>7.3} us a step, closure {gap:.1e} m, energy drift {drift:.1e} J", 1e6 * time);
        println!(
            "{}",
            if running.is_empty() { String::new() } else { format!(", ratio {:.2}", time / fastest) }
        );
    }
    Ok(())
}

/// The same mechanism for MuJoCo, as the stored workload has it.
fn mjcf() -> String {
    let [crank, coupler, rocker] = start();
    let rod = |name: &str, length: f64, at: f64, angle: f64, inner: &str| {
        let inertia = length.powi(3) / 12.0;
        format!(
            "<body name=\"{name}\" pos=\"{at} 0 0\" euler=\"0 {} 0\"><joint type=\"hinge\" axis=\"0 -1 0\"/>\
             <inertial pos=\"{} 0 0\" mass=\"{length}\" diaginertia=\"1e-6 {inertia} {inertia}\"/>\
             <site name=\"{name}_end\" pos=\"{length} 0 0\"/>{inner}</body>",
            -angle.to_degrees(),
            length / 2.0,
        )
    };
    let inner = rod("coupler", COUPLER, CRANK, coupler - crank, "");
    format!(
        "<mujoco><compiler angle=\"degree\"/><option timestep=\"{STEP}\" gravity=\"0 0 -{GRAVITY}\"/><worldbody>{}{}\
         </worldbody><equality><connect site1=\"coupler_end\" site2=\"rocker_end\"/></equality></mujoco>",
        rod("crank", CRANK, 0.0, crank, &inner),
        rod("rocker", ROCKER, BASE, rocker, ""),
    )
}
