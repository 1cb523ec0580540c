//! Steps by the pseudo-inverse, and basic solutions.

use gelenk_system::Fault;
use nalgebra::{DMatrix, DVector};

use super::algebra::{basic_solution, damped_inverse, pseudo_inverse};
use super::{IkOptions, Method, SURE, Task, room};
use crate::data::Data;
use crate::loops::following::largest;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Newton's method on tasks and loops together; returns the steps taken and the most components of one.
    pub(super) fn newton(
        &self,
        d: &mut Data<f64>,
        t: f64,
        tasks: &[Task],
        q: &mut [f64],
        near: &[f64],
        options: &IkOptions,
    ) -> Result<(usize, usize), Fault> {
        let nv = self.layout.nv;
        let mut entries = 0;
        let mut home = vec![0.0; nv];
        let mut moved = q.to_vec();
        for iteration in 0..=options.iterations {
            let forms = self.forms(d, t, tasks, q)?;
            let rows = self.task_rows(d, t, tasks, &forms, q)?;
            let (count, loops) = (rows.f.len(), rows.c.len());
            let mut f = DVector::zeros(count + loops);
            f.rows_mut(0, count).copy_from(&rows.f);
            f.rows_mut(count, loops).copy_from(&rows.c);
            let met = largest(f.as_slice()) < SURE * options.tolerance;
            let drifts = options.method == Method::NearStart;
            if met && !drifts {
                return Ok((iteration, entries));
            }
            let mut j = DMatrix::zeros(count + loops, nv);
            j.rows_mut(0, count).copy_from(&rows.j);
            j.rows_mut(count, loops).copy_from(&rows.cj);
            self.difference_origin(q, near, &mut home);
            let step = bounded_step(&j, &f, &home, q, options)?;
            // The way back to the start, along the tasks, has to end, too.
            let rested = largest(step.as_slice()) < options.tolerance;
            if (met && rested) || iteration == options.iterations {
                return Ok((iteration, entries));
            }
            entries = entries.max(step.iter().filter(|x| **x != 0.0).count());
            self.retract_origin(q, step.as_slice(), &mut moved);
            q.copy_from_slice(&moved);
        }
        Ok((options.iterations, entries))
    }
}

/// A step that keeps to the bounds: a coordinate that would leave its range goes to its end, and the others take over.
fn bounded_step(
    j: &DMatrix<f64>,
    f: &DVector<f64>,
    home: &[f64],
    q: &[f64],
    options: &IkOptions,
) -> Result<DVector<f64>, Fault> {
    let nv = j.ncols();
    let mut step = DVector::zeros(nv);
    let mut free: Vec<usize> = (0..nv).collect();
    let mut rest = f.clone();
    loop {
        let part = DMatrix::from_fn(j.nrows(), free.len(), |i, k| j[(i, free[k])]);
        let own = match options.method {
            Method::FewJoints => basic_solution(&part, &-&rest)?,
            _ => {
                let mut own = -damped_inverse(&part, options.damping)? * &rest;
                if options.method == Method::NearStart {
                    let home = DVector::from_iterator(free.len(), free.iter().map(|&k| home[k]));
                    own += &home - pseudo_inverse(&part)? * (&part * &home);
                }
                own
            }
        };
        let (longest, limit) = (largest(own.as_slice()), options.longest_step());
        let factor = if longest > limit { limit / longest } else { 1.0 };
        let mut stays = Vec::new();
        let mut hit = false;
        for (i, &k) in free.iter().enumerate() {
            let wanted = own[i] * factor;
            let [lower, upper] = room(&options.bounds, q, k);
            if wanted < lower.min(0.0) - 1e-15 || wanted > upper.max(0.0) + 1e-15 {
                hit = true;
                step[k] = if wanted < 0.0 { lower.min(0.0) } else { upper.max(0.0) };
                rest.axpy(step[k], &j.column(k), 1.0);
            } else {
                step[k] = wanted;
                stays.push(k);
            }
        }
        if !hit || stays.is_empty() {
            return Ok(step);
        }
        stays.iter().for_each(|&k| step[k] = 0.0);
        free = stays;
    }
}
