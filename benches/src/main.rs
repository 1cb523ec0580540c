//! Measures beside other programs in one run. The scripts of this folder build everything and call this.
//!
//! ```text
//! gelenk-bench rbd [PEER]...              ratios on all models; a PEER is a program as described in `peer`
//! gelenk-bench loop MODEL ALGORITHM N     N sweeps over the states, for an instruction counter; also `meshes contact`
//!                                         (an evaluation of a pair) and `lugre step` (a step of friction)
//! gelenk-bench fourbar [PEER]...          a closed loop over time
//! gelenk-bench fourbar-once               one run of it, for an instruction counter
//! gelenk-bench stick-slip [PEER]...       stiff friction at fixed steps
//! gelenk-bench chain METHOD LINKS STEPS   a chain with friction in fixed steps, for an instruction counter
//! gelenk-bench laws                       cost a step of every friction law beside its own exponentials
//! gelenk-bench lanes                      many runs in lockstep beside single runs
//! gelenk-bench scaling [PICTURE]          cost against the number of bodies
//! gelenk-bench contact [PEER]...          contact of two bumpy spheres
//! gelenk-bench passing                    trees of boxes beside all pairs of triangles
//! gelenk-bench contact-cost PICTURE       its cost against the number of triangles
//! gelenk-bench robots [PEER]...           robots dropped on the ground
//! gelenk-bench robot NAME                 one of them, for a profiler
//! gelenk-bench precision [FOLDER]         error against evaluations and CPU time, all methods
//! gelenk-bench batch                      many runs of a small system, beside a loop written by hand
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod batch;
mod clock;
mod contact;
mod fourbar;
mod lanes;
mod laws;
mod ours;
mod passing;
mod peer;
mod plot;
mod precision;
#[path = "../../crates/gelenk-multibody/tests/all/models/mod.rs"]
mod reference;
mod robots;
mod scaling;
mod stick_slip;
mod table;

use std::path::Path;
use std::process::ExitCode;

/// What is measured: each from positions, velocities and inputs to the answer, everything included.
pub(crate) const ALGORITHMS: [&str; 3] = ["rnea", "aba", "crba"];
/// Reference models.
const MODELS: [&str; 2] = ["arm7", "humanoid"];
/// Alternating blocks; the best one of each program counts.
const BLOCKS: usize = 200;
/// Alternating runs over time.
const RUNS: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["rbd", ref peers @ ..] => {
            on_models(|folder| MODELS.iter().try_for_each(|model| table::print(folder, model, peers, BLOCKS)))
        }
        ["loop", model, algorithm, sweeps] => match sweeps.parse() {
            Ok(sweeps) => counted(model, algorithm, sweeps),
            Err(error) => Err(format!("number of sweeps {sweeps:?}: {error}")),
        },
        ["fourbar-once"] => fourbar::once(&fourbar::mechanism(), fourbar::methods()[0]),
        ["fourbar", ref peers @ ..] => fourbar::print(peers, RUNS),
        ["stick-slip", ref peers @ ..] => stick_slip::print(peers),
        ["chain", method, links, steps] => stick_slip::chain(method, links, steps),
        ["laws"] => laws::print(),
        ["lanes"] => lanes::print(),
        ["scaling"] => scaling::print(None),
        ["scaling", picture] => scaling::print(Some(picture)),
        ["contact", ref peers @ ..] => contact::print(peers),
        ["passing"] => passing::print(),
        ["contact-cost", picture] => contact::cost(picture),
        ["batch"] => batch::print(),
        ["robots", ref peers @ ..] => robots::print(peers),
        ["robot", name] => robots::once(name),
        ["precision"] => precision::print(None),
        ["precision", folder] => precision::print(Some(Path::new(folder))),
        _ => Err("usage: gelenk-bench rbd [PEER]... | loop MODEL ALGORITHM N | fourbar [PEER]... | \
                  stick-slip [PEER]... | chain METHOD LINKS STEPS | laws | lanes | scaling [PICTURE] | contact [PEER]... | \
                  contact-cost PICTURE | robots [PEER]... | robot NAME | precision [FOLDER] | batch"
            .into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Sweeps of 256 calls for an instruction counter.
fn counted(model: &str, algorithm: &str, sweeps: usize) -> Result<(), String> {
    match (model, algorithm) {
        ("meshes", "contact") => contact::sweeps(sweeps),
        ("lugre", "step") => laws::sweeps(sweeps),
        _ => on_models(|folder| {
            let mut ours = ours::Ours::new(folder, model);
            (0..sweeps).try_for_each(|_| ours.sweep(algorithm)).map_err(|fault| fault.to_string())
        }),
    }
}

/// Runs `action` on the folder of the stored models, or says that it is not there.
fn on_models(action: impl FnOnce(&Path) -> Result<(), String>) -> Result<(), String> {
    match reference::folder() {
        Some(folder) => action(&folder),
        None => {
            println!("skipped: no folder shared/bench/models beside the repository");
            Ok(())
        }
    }
}
