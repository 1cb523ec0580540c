//! Gelenk's side of the comparison.

use std::hint::black_box;
use std::path::Path;

use gelenk_multibody::Data;
use gelenk_system::System;
use rustix::time::{ClockId, clock_gettime};

use crate::reference::{Reference, read};

/// A reference model with its workspace.
pub(crate) struct Ours {
    reference: Reference,
    data: Data<f64>,
    vector: Vec<f64>,
    matrix: Vec<f64>,
}

impl Ours {
    pub(crate) fn new(folder: &Path, model: &str) -> Self {
        let reference = read(folder, model);
        let nv = reference.mechanism.velocity_count();
        let data = reference.mechanism.data();
        Self { reference, data, vector: vec![0.0; nv], matrix: vec![0.0; nv * nv] }
    }

    /// One call for each state.
    pub(crate) fn sweep(&mut self, algorithm: &str) {
        let Self { reference: Reference { mechanism, samples }, data, vector, matrix } = self;
        let done = samples.iter().try_for_each(|s| {
            match algorithm {
                "rnea" => mechanism.inverse_dynamics(data, 0.0, &s.q, &s.v, &s.a, vector),
                "aba" => mechanism.forward_dynamics(data, 0.0, &s.q, &s.v, &s.tau, vector),
                _ => mechanism.mass_matrix(data, 0.0, &s.q, matrix),
            }?;
            black_box((vector.first(), matrix.first()));
            Ok::<(), gelenk_system::Fault>(())
        });
        if let Err(fault) = done {
            eprintln!("{fault}");
        }
    }

    /// CPU time of a call (s), mean over one sweep.
    pub(crate) fn time(&mut self, algorithm: &str) -> f64 {
        let start = cpu_time();
        self.sweep(algorithm);
        (cpu_time() - start) / self.reference.samples.len() as f64
    }
}

fn cpu_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
