//! Robots dropped on the ground: a Panda, an ANYmal, a G1 and a hand, from 5 cm above it, with their drives at rest.
//!
//! They come from the PyPI package `example-robot-data`, whose folder `robots` the environment variable `GELENK_ROBOTS` names.

use std::path::Path;

use gelenk_solve::Method;
use gelenk_system::{Nanos, System};
use gelenk_testing::dropped::{Dropped, Fall};

use crate::clock::cpu_time;
use crate::peer::Peer;

/// What is dropped, by the names that are printed, and how long it falls until it lies (s).
const ROBOTS: [(&str, &str, f64); 4] = [
    ("Panda", "panda_description/urdf/panda.urdf", 6.0),
    ("ANYmal", "anymal_c_simple_description/urdf/anymal.urdf", 6.0),
    ("G1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", 6.0),
    ("Allegro hand", "allegro_hand_description/urdf/allegro_left_hand.urdf", 4.0),
];
/// Height of the lowest point at the start (m).
const HEIGHT: f64 = 0.05;
/// Step (s) of both programs.
const STEP: f64 = 2e-3;
/// Below these (m) a robot has fallen through: during the impact, and where it lies. MuJoCo's robots are 9 to 31 mm deep
/// in the impact with its default contacts.
const DEEPEST: [f64; 2] = [-8e-3, -4e-3];
/// Largest velocity (m/s, rad/s) of what lies.
const REST: f64 = 0.2;

/// Prints depth, velocity at the end and time a step of all robots, or of the one that is named.
///
/// # Errors
/// A robot that falls through or does not come to rest.
pub(crate) fn print(peers: &[&str]) -> Result<(), String> {
    let Some(folder) = std::env::var_os("GELENK_ROBOTS") else {
        println!("skipped: GELENK_ROBOTS does not name the folder robots of example-robot-data");
        return Ok(());
    };
    println!("dropped from {HEIGHT} m, steps of {} ms", 1e3 * STEP);
    let failed: Vec<String> =
        ROBOTS.iter().map(|robot| one(Path::new(&folder), robot, peers)).filter_map(Result::err).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// One run of a robot, for a profiler.
///
/// # Errors
/// An unknown robot, and a run that fails.
pub(crate) fn once(name: &str) -> Result<(), String> {
    let robot = ROBOTS.iter().find(|robot| robot.0 == name).ok_or_else(|| format!("no robot {name}"))?;
    one(Path::new(&std::env::var_os("GELENK_ROBOTS").unwrap_or_default()), robot, &[])
}

fn one(folder: &Path, &(name, file, until): &(&str, &str, f64), peers: &[&str]) -> Result<(), String> {
    let path = folder.join(file);
    let robot = Dropped::new(&path, true, HEIGHT).map_err(|error| format!("{name}: {error}"))?;
    println!("{name}: {} velocities", robot.mechanism.layout().nv);
    let step = Nanos::from_seconds(STEP).unwrap_or(Nanos::ZERO);
    let mut failed = Vec::new();
    for method in [Method::Stepped { step }, Method::Stepped2 { step }] {
        let start = cpu_time();
        let fall = robot.fall(method, until).map_err(|error| format!("{name}: {error}"))?;
        say(method, &fall, cpu_time() - start, until);
        if fall.lowest < DEEPEST[0] || fall.at_end < DEEPEST[1] {
            let depths = [fall.lowest, fall.at_end];
            failed.push(format!("{name}, {}: fell through, to {depths:?} m", method.name()));
        }
        if fall.speed > REST {
            failed.push(format!("{name}, {}: still moves, {}", method.name(), fall.speed));
        }
    }
    for peer in peers {
        let mut peer = Peer::start(peer, &path)?;
        let answer = peer.ask(&format!("{STEP} {until} {HEIGHT}"))?;
        println!("  {:<16}{answer}", peer.name);
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

fn say(method: Method, fall: &Fall, time: f64, until: f64) {
    let (steps, summary) = ((until / STEP).round(), &fall.summary);
    println!(
        "  {:<16}{:.3} ms a step, {:.2} s a second; lowest {:.2} mm, at the end {:.2} mm and {:.4} m/s; \
         {} Newton iterations, {} pieces more, {} rejected",
        format!("gelenk {}", method.name()),
        1e3 * time / steps,
        time / until,
        1e3 * fall.lowest,
        1e3 * fall.at_end,
        fall.speed,
        summary.iterations,
        summary.substeps,
        summary.rejected,
    );
}
