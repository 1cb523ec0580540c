//! Equations of motion.

use gelenk_math::Real;
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Evaluates everything at the loaded instant but the accelerations: kinematics, signals, efforts and loop rows.
    pub(crate) fn evaluate<T: Real>(&self, d: &mut Data<T>, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        self.kinematics(d);
        self.signals(d, m, h)?;
        self.clear_applied(d);
        d.effort.fill(T::c(0.0));
        self.efforts(d, m, h)?;
        self.loop_rows(d);
        self.stabilise(d);
        Ok(())
    }

    /// Solves the equations of motion for accelerations and multipliers after [`Self::evaluate`].
    pub(crate) fn accelerate<T: Real>(&self, d: &mut Data<T>) -> Result<(), Fault> {
        let massless =
            |v: usize, t: T| Fault::NoMass { coordinate: self.velocity_names[v].clone(), t: t.re() };
        if self.articulated {
            let effort = std::mem::take(&mut d.effort);
            self.to_tree(d, &effort);
            d.effort = effort;
            let solved =
                if self.loops.carry().is_some() { self.aba::<T, true>(d) } else { self.aba::<T, false>(d) };
            solved.map_err(|dof| massless(self.columns[self.rows[dof].start], d.table[0]))?;
            let mut acceleration = std::mem::take(&mut d.acceleration);
            self.tree_rates(d, |k, rate| acceleration[k] = rate);
            d.acceleration = acceleration;
            if self.loops.carry().is_some() && self.leaves_open(d) {
                self.refine(d);
            }
            return Ok(());
        }
        self.rnea(d);
        for (row, &bias) in self.rows.iter().zip(&d.tree_effort) {
            for k in row.clone() {
                d.effort[self.columns[k]] -= d.f[k] * bias;
            }
        }
        self.crba(d);
        self.solve_bordered(d).map_err(|v| massless(v, d.table[0]))
    }

    /// Power of the drives behind time-driven joint scalars and couplings: explicit rate times the effort through the
    /// joint, with the accelerations `d.acceleration` and multipliers `d.loops.lambda`.
    pub(crate) fn rheonomic_power<T: Real>(&self, d: &mut Data<T>) -> T {
        self.joint_wrenches(d);
        let mut power = T::c(0.0);
        for (&eta, &effort) in d.eta.iter().zip(&d.tree_effort) {
            power += eta * effort;
        }
        // A coupling that moves with time: the force -C^T lambda along v, where C v = -C_t.
        for row in 0..self.layout.nc {
            power += d.loops.explicit_rates()[row] * d.loops.lambda()[row];
        }
        power
    }
}
