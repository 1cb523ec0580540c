//! Times the recursive dynamics beside other programs in one run. `rbd.sh` builds everything and calls this.
//!
//! ```text
//! gelenk-bench rbd [PEER]...              ratios on all models; a PEER is a program as described in `peer`
//! gelenk-bench loop MODEL ALGORITHM N     N sweeps over the states, for an instruction counter
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod ours;
mod peer;
#[path = "../../crates/gelenk-multibody/tests/models/mod.rs"]
mod reference;
mod table;

use std::process::ExitCode;

/// What is measured: each from positions, velocities and inputs to the answer, everything included.
pub(crate) const ALGORITHMS: [&str; 3] = ["rnea", "aba", "crba"];
/// Reference models.
const MODELS: [&str; 2] = ["arm7", "humanoid"];
/// Alternating blocks; the best one of each program counts.
const BLOCKS: usize = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(folder) = reference::folder() else {
        println!("skipped: no folder shared/bench/models beside the repository");
        return ExitCode::SUCCESS;
    };
    let outcome = match words[..] {
        ["rbd", ref peers @ ..] => {
            MODELS.iter().try_for_each(|model| table::print(&folder, model, peers, BLOCKS))
        }
        ["loop", model, algorithm, sweeps] => match sweeps.parse() {
            Ok(sweeps) => {
                let mut ours = ours::Ours::new(&folder, model);
                (0..sweeps).try_for_each(|_: usize| ours.sweep(algorithm)).map_err(|fault| fault.to_string())
            }
            Err(error) => Err(format!("number of sweeps {sweeps:?}: {error}")),
        },
        _ => Err("usage: gelenk-bench rbd [PEER]... | gelenk-bench loop MODEL ALGORITHM N".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
