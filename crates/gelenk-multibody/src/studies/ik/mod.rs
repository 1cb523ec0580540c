//! Inverse kinematics: positions that bring frames and coordinates to targets (stelzner 3.8).
//!
//! | file | content |
//! |---|---|
//! | `tasks` | residuals and Jacobians of tasks and loops |
//! | `newton` | the methods that step by a (pseudo-)inverse |
//! | `posture` | tasks as a problem of bounded least squares |
//! | `algebra` | pseudo-inverse, null space, basic solution |
//!
//! A step is a tangent vector: coordinates move by their difference, quaternions by a rotation in the body frame.

pub(crate) mod algebra;
mod newton;
mod posture;
mod tasks;

use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_system::Fault;

use crate::data::Data;
use crate::loops::following::largest;
use crate::mechanism::Mechanism;
use crate::tree::places::Place;

/// Share of the tolerance below which every residual is brought, so that a distance (three of them) and an angle (whose
/// residual is the tangent of its half) are below the tolerance.
const SURE: f64 = 0.25;

/// What a task wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// A place at a pose in the ground frame (6 rows).
    Frame(Place, Pose<f64>),
    /// The origin of a place at a point in the ground frame, m (3 rows).
    Position(Place, Vec3<f64>),
    /// The axes of a place along given ones (3 rows).
    Orientation(Place, Mat3<f64>),
    /// A coordinate, by its index, at a value, rad or m (1 row).
    Coordinate(usize, f64),
}

/// A goal with its name and its weight among others that cannot all be met.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name in messages.
    pub name: String,
    /// What it wants.
    pub goal: Goal,
    /// Factor of its squared residual.
    pub weight: f64,
}

/// The method that chooses among all positions that fulfil the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Least squares of the weighted residuals; also where the tasks contradict each other.
    Minimize,
    /// `dq = -J^+ f + (I - J^+ J)(q_0 - q)`: stays near the start.
    NearStart,
    /// `dq = -J^+ f`: every joint moves a little.
    LeastStep,
    /// A basic solution of `J dq = -f`: as few joints as possible move in each step.
    FewJoints,
}

/// Settings of a solve.
#[derive(Clone, Debug, PartialEq)]
pub struct IkOptions {
    /// The method.
    pub method: Method,
    /// Largest residual (m, Rodrigues component or rad) that counts as met.
    pub tolerance: f64,
    /// Most iterations.
    pub iterations: usize,
    /// Damping of the pseudo-inverse; zero for none. Not for `FewJoints`.
    pub damping: f64,
    /// Largest component of a step (rad, m); by default [`STEP`], and none for `Minimize`, which tries its steps.
    pub step: Option<f64>,
    /// Least and largest value of each coordinate; empty where there are no bounds.
    pub bounds: Vec<[f64; 2]>,
}

/// Largest component of a step (rad, m) of the methods that take every step. Near a singular posture the full step is
/// many turns long, and where it ends has nothing to do with the start.
pub const STEP: f64 = 0.5;

impl IkOptions {
    /// The largest component of a step (rad, m).
    fn longest_step(&self) -> f64 {
        let default = if self.method == Method::Minimize { f64::INFINITY } else { STEP };
        self.step.unwrap_or(default)
    }
}

impl Default for IkOptions {
    fn default() -> Self {
        Self {
            method: Method::Minimize,
            tolerance: 1e-10,
            iterations: 200,
            damping: 0.0,
            step: None,
            bounds: Vec::new(),
        }
    }
}

/// Where a solve ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Positions.
    pub q: Vec<f64>,
    /// Whether all tasks are met and all loops closed.
    pub converged: bool,
    /// Steps tried.
    pub iterations: usize,
    /// What is left of each task: the distance (m) or the angle (rad), the larger of both.
    pub residuals: Vec<f64>,
    /// Largest gap of the loops.
    pub gap: f64,
    /// How far each velocity component moved from the start (rad, m).
    pub moved: Vec<f64>,
    /// Most components that moved in one step.
    pub step_entries: usize,
}

impl Solution {
    /// The largest residual and the number of its task; `None` without tasks.
    pub fn worst(&self) -> Option<(usize, f64)> {
        let indexed = self.residuals.iter().copied().enumerate();
        indexed.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Euclidean norm of the way from the start, with rad and m as they are.
    pub fn distance(&self) -> f64 {
        self.moved.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

impl Mechanism {
    /// Searches positions that fulfil `tasks` at time `t` (s), from the positions `from`, with all loops closed. The
    /// posture `near` is the start that [`Method::NearStart`] keeps to, and from which the way is counted.
    ///
    /// # Errors
    /// Slices of the wrong length, loops that cannot be closed at `from`, numbers that are not finite. Tasks that are
    /// not met are no error: [`Solution::converged`] tells.
    pub fn solve_ik(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        from: &[f64],
        near: &[f64],
        options: &IkOptions,
    ) -> Result<Solution, Fault> {
        self.lengths(&[("from", from.len(), self.layout.nq), ("near", near.len(), self.layout.nq)])?;
        let mut q = from.to_vec();
        self.normalise(&mut q);
        let (iterations, step_entries) = match options.method {
            Method::Minimize => self.minimize(d, t, tasks, &mut q, options)?,
            _ => self.newton(d, t, tasks, &mut q, near, options)?,
        };
        let residuals = self.task_sizes(d, t, tasks, &q)?;
        let still = vec![0.0; self.layout.nv];
        let gap = largest(self.origin_constraints(d, t, &q, &still).gap);
        let mut moved = vec![0.0; self.layout.nv];
        self.difference_origin(near, &q, &mut moved);
        let converged = residuals.iter().all(|&r| r <= options.tolerance) && gap <= options.tolerance;
        Ok(Solution { q, converged, iterations, residuals, gap, moved, step_entries })
    }

    /// Ranges of the stops of all coordinates, infinite where there is none; of several, the narrowest.
    pub fn stop_ranges(&self, d: &Data<f64>) -> Vec<[f64; 2]> {
        let mut ranges = vec![[f64::NEG_INFINITY, f64::INFINITY]; self.coordinates.len()];
        for element in self.elements.iter() {
            if let Some([lower, upper]) = element.kind.range(d.elements.law(element.p.clone()))
                && let Some(coordinate) = element.on.coordinate()
            {
                let known = &mut ranges[coordinate];
                *known = [known[0].max(lower), known[1].min(upper)];
            }
        }
        ranges
    }
}

/// Bounds of velocity component `k` for a step from `q`: coordinates have them, quaternions have none.
fn room(bounds: &[[f64; 2]], q: &[f64], k: usize) -> [f64; 2] {
    match bounds.get(k) {
        Some([lower, upper]) => [lower - q[k], upper - q[k]],
        None => [f64::NEG_INFINITY, f64::INFINITY],
    }
}
