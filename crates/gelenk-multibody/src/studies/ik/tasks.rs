//! Residuals and Jacobians of tasks and loops.

use gelenk_math::rotation::{
    rodrigues_rate_map_inverse, rotation_vector_rate_map_inverse, to_rodrigues, to_rotation_vector,
};
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_system::Fault;
use nalgebra::{DMatrix, DVector};

use super::{Goal, Task};
use crate::data::Data;
use crate::mechanism::Mechanism;

/// Rotation (rad) from which on the logarithm takes the place of Rodrigues' vector, which is infinite at half a turn.
const FAR: f64 = 170.0 * std::f64::consts::PI / 180.0;

/// How the residual of a rotation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `tan(phi/2) u`.
    Rodrigues,
    /// `phi u`.
    Logarithm,
}

/// All tasks at a position.
pub(super) struct Rows {
    /// Residuals.
    pub(super) f: DVector<f64>,
    /// Their derivatives by the velocity components.
    pub(super) j: DMatrix<f64>,
    /// Roots of the weights.
    pub(super) w: DVector<f64>,
    /// Gaps of the loops and their derivatives.
    pub(super) c: DVector<f64>,
    pub(super) cj: DMatrix<f64>,
}

impl Mechanism {
    /// The form of each task's rotation at `q`.
    pub(super) fn forms(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        q: &[f64],
    ) -> Result<Vec<Form>, Fault> {
        self.set_still(d, t, q)?;
        let form = |task: &Task| match self.turn_left(d, &task.goal) {
            Some(turn) if to_rotation_vector(&turn).parameters.norm() > FAR => Form::Logarithm,
            _ => Form::Rodrigues,
        };
        Ok(tasks.iter().map(form).collect())
    }

    /// What is left of each task: the distance (m) and the angle (rad), the larger of both.
    pub(super) fn task_sizes(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        q: &[f64],
    ) -> Result<Vec<f64>, Fault> {
        self.set_still(d, t, q)?;
        let left = |task: &Task| {
            let turn =
                self.turn_left(d, &task.goal).map_or(0.0, |turn| to_rotation_vector(&turn).parameters.norm());
            let shift = match task.goal {
                Goal::Frame(place, pose) => (self.pose_of(d, &place).position - pose.position).norm(),
                Goal::Position(place, point) => (self.pose_of(d, &place).position - point).norm(),
                Goal::Orientation(..) => 0.0,
                Goal::Coordinate(index, value) => (q[index] - value).abs(),
            };
            f64::max(turn, shift)
        };
        Ok(tasks.iter().map(left).collect())
    }

    /// Residuals and derivatives of tasks and loops at `q`.
    pub(super) fn task_rows(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        forms: &[Form],
        q: &[f64],
    ) -> Result<Rows, Fault> {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        let still = vec![0.0; nv];
        let closed = self.origin_constraints(d, t, q, &still);
        let (c, cj) =
            (DVector::from_column_slice(closed.gap), DMatrix::from_row_slice(nc, nv, &closed.rows.dense()));
        let count = tasks.iter().map(|task| size(&task.goal)).sum();
        let (mut f, mut w) = (DVector::zeros(count), DVector::zeros(count));
        let mut j = DMatrix::zeros(count, nv);
        let (mut linear, mut angular) = (vec![0.0; 3 * nv], vec![0.0; 3 * nv]);
        let mut row = 0;
        for (task, &form) in tasks.iter().zip(forms) {
            let rows = size(&task.goal);
            w.rows_mut(row, rows).fill(task.weight.sqrt());
            let place = match task.goal {
                Goal::Frame(place, _) | Goal::Position(place, _) | Goal::Orientation(place, _) => place,
                Goal::Coordinate(index, value) => {
                    f[row] = q[index] - value;
                    j[(row, index)] = 1.0;
                    row += 1;
                    continue;
                }
            };
            self.jacobian_of(d, &place, &mut linear, &mut angular)?;
            if let Goal::Frame(_, gelenk_math::spatial::Pose { position, .. }) | Goal::Position(_, position) =
                task.goal
            {
                let gap = self.pose_of(d, &place).position - position;
                f.rows_mut(row, 3).copy_from(&gap);
                j.rows_mut(row, 3).copy_from(&DMatrix::from_row_slice(3, nv, &linear));
                row += 3;
            }
            if let Some(turn) = self.turn_left(d, &task.goal) {
                let (residual, map) = rotation_residual(&turn, form);
                f.rows_mut(row, 3).copy_from(&residual);
                j.rows_mut(row, 3).copy_from(&(map * DMatrix::from_row_slice(3, nv, &angular)));
                row += 3;
            }
        }
        Ok(Rows { f, j, w, c, cj })
    }

    fn set_still(&self, d: &mut Data<f64>, t: f64, q: &[f64]) -> Result<(), Fault> {
        self.set_state(d, t, q, &vec![0.0; self.layout.nv])
    }

    /// The rotation that is left, `R_E R_Z^T` in ground axes; `None` for a goal without one.
    fn turn_left(&self, d: &Data<f64>, goal: &Goal) -> Option<Mat3<f64>> {
        let (place, target) = match goal {
            Goal::Frame(place, pose) => (place, &pose.rotation),
            Goal::Orientation(place, rotation) => (place, rotation),
            Goal::Position(..) | Goal::Coordinate(..) => return None,
        };
        Some(self.pose_of(d, place).rotation * target.transpose())
    }
}

fn size(goal: &Goal) -> usize {
    match goal {
        Goal::Frame(..) => 6,
        Goal::Position(..) | Goal::Orientation(..) => 3,
        Goal::Coordinate(..) => 1,
    }
}

/// Residual of a rotation and its derivative by the angular velocity in ground axes (stelzner 3.2). At half a turn,
/// where neither has one, the residual still points along the axis.
fn rotation_residual(turn: &Mat3<f64>, form: Form) -> (Vec3<f64>, Mat3<f64>) {
    if form == Form::Rodrigues
        && let Ok(s) = to_rodrigues(turn)
    {
        return (s.parameters, rodrigues_rate_map_inverse(&s.parameters));
    }
    let phi = to_rotation_vector(turn).parameters;
    (phi, rotation_vector_rate_map_inverse(&phi).unwrap_or_else(|_| Mat3::identity()))
}
