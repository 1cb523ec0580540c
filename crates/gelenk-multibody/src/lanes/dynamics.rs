//! Equations of motion of several runs.

use gelenk_math::Lockstep;
use gelenk_system::Fault;

use super::LaneData;
use crate::data::Data;
use crate::elements::Attachment;
use crate::mechanism::Mechanism;
use crate::signals::SignalRun;

impl Mechanism {
    /// Whether elements or signals see frames, and not only coordinates.
    pub(super) fn sees_frames(&self) -> bool {
        let measures = |kind: &SignalRun| matches!(kind, SignalRun::Measure(..) | SignalRun::Reversed(..));
        let elements =
            self.elements.iter().any(|element| !matches!(element.on.on, Attachment::Coordinate(_)));
        elements || self.signals.iter().any(|signal| measures(&signal.kind))
    }

    /// Evaluates motions, signals and efforts at the loaded instant. Needs the joint scalars and the tree accelerations.
    pub(super) fn evaluate_lanes<T: Lockstep>(
        &self,
        lanes: &mut LaneData<T>,
        t: f64,
        m: &[T::Plain],
        h: Option<f64>,
    ) -> Result<(), Fault> {
        let d = &mut lanes.data;
        self.poses(d);
        self.motions(d);
        if lanes.frames {
            self.ground_view(d);
        }
        self.signals_lanes(d, t, m, h)?;
        self.clear_applied(d);
        d.effort.fill(T::of(0.0));
        for index in 0..self.elements.len() {
            let effort = self.act(d, index, m, h)?;
            d.elements.effort_mut()[index] = effort;
        }
        Ok(())
    }

    /// The balance `h (M a + c - Q)` with the accelerations that were loaded: what is needed minus what acts.
    pub(super) fn balance_lanes<T: Lockstep>(&self, d: &mut Data<T>, h: f64, r: &mut [T]) {
        self.rnea(d);
        for (r, &effort) in r.iter_mut().zip(&d.effort) {
            *r = -effort;
        }
        self.pull_back(&d.f, &d.tree_effort, r);
        for ((r, &a), &rotor) in r.iter_mut().zip(&d.acceleration).zip(&d.rotors) {
            *r += rotor * a;
        }
        r.iter_mut().for_each(|r| *r *= T::of(h));
    }

    /// Accelerations by the mass matrix; what moves no mass has none that is a number.
    pub(super) fn accelerate_lanes<T: Lockstep>(&self, lanes: &mut LaneData<T>) {
        let LaneData { data: d, mass, .. } = lanes;
        self.rnea(d);
        let mut right = std::mem::take(&mut d.acceleration);
        right.copy_from_slice(&d.effort);
        for (row, &bias) in self.rows.iter().zip(&d.tree_effort) {
            for k in row.clone() {
                right[self.columns[k]] -= d.f[k] * bias;
            }
        }
        self.mass(d, mass);
        solve(mass, &mut right);
        d.acceleration = right;
    }
}

/// Solves with a symmetric positive definite matrix, in place; its lower triangle becomes the factor of Cholesky.
fn solve<T: Lockstep>(a: &mut [T], b: &mut [T]) {
    let n = b.len();
    for j in 0..n {
        for k in 0..j {
            for i in j..n {
                let entry = a[i * n + k] * a[j * n + k];
                a[i * n + j] -= entry;
            }
        }
        let pivot = a[j * n + j].sqrt();
        for i in j..n {
            a[i * n + j] /= pivot;
        }
    }
    for i in 0..n {
        for k in 0..i {
            let known = a[i * n + k] * b[k];
            b[i] -= known;
        }
        b[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            let known = a[k * n + i] * b[k];
            b[i] -= known;
        }
        b[i] /= a[i * n + i];
    }
}
