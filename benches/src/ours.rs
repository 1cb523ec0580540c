//! Gelenk's side of the comparison.

use std::hint::black_box;
use std::path::Path;

use gelenk_multibody::Data;
use gelenk_system::{Fault, System};

use crate::clock::cpu_time;
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
    pub(crate) fn sweep(&mut self, algorithm: &str) -> Result<(), Fault> {
        let Self { reference: Reference { mechanism, samples }, data, vector, matrix } = self;
        match algorithm {
            "rnea" => samples.iter().try_for_each(|s| {
                mechanism.inverse_dynamics(data, 0.0, &s.q, &s.v, &s.a, vector).map(|()| sink(vector))
            }),
            "aba" => samples.iter().try_for_each(|s| {
                mechanism.forward_dynamics(data, 0.0, &s.q, &s.v, &s.tau, vector).map(|()| sink(vector))
            }),
            _ => samples
                .iter()
                .try_for_each(|s| mechanism.mass_matrix(data, 0.0, &s.q, matrix).map(|()| sink(matrix))),
        }
    }

    /// CPU time of a call (s), mean over one sweep; a sweep before brings the model back into the cache.
    pub(crate) fn time(&mut self, algorithm: &str) -> Result<f64, Fault> {
        self.sweep(algorithm)?;
        let start = cpu_time();
        self.sweep(algorithm)?;
        Ok((cpu_time() - start) / self.reference.samples.len() as f64)
    }
}

/// Keeps an answer from being optimised away.
fn sink(answer: &[f64]) {
    black_box(answer.first());
}
