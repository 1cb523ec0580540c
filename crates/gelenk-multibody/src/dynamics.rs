//! Equations of motion.

use gelenk_math::Real;
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Evaluates everything at the loaded instant: kinematics, signals, efforts, mass matrix and loop rows.
    /// Afterwards `M a + C^T lambda = d.effort` and `C a = d.gamma` hold for the wanted `a` and `lambda`.
    pub(crate) fn evaluate<T: Real>(&self, d: &mut Data<T>, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        self.kinematics(d);
        self.signals(d, m)?;
        self.clear_applied(d);
        d.effort.fill(T::c(0.0));
        self.efforts(d, m, h)?;
        self.rnea(d);
        for (row, &bias) in self.rows.iter().zip(&d.tree_effort) {
            for k in row.clone() {
                d.effort[self.columns[k]] -= d.f[k] * bias;
            }
        }
        self.crba(d);
        self.loop_rows(d);
        self.stabilise(d);
        Ok(())
    }

    /// Power of the drives behind time-driven joint scalars and couplings: explicit rate times the effort through the
    /// joint, with the accelerations `d.acceleration` and multipliers `d.lambda`.
    pub(crate) fn rheonomic_power<T: Real>(&self, d: &Data<T>) -> T {
        let nu = self.nu;
        let mut power = T::c(0.0);
        for a in 0..nu {
            let mut effort = d.tree_effort[a];
            for b in 0..nu {
                for k in self.rows[b].clone() {
                    effort += d.tree_mass[a * nu + b] * d.f[k] * d.acceleration[self.columns[k]];
                }
            }
            for row in 0..self.layout.nc {
                effort += d.tree_rows[row * nu + a] * d.lambda[row];
            }
            power += d.eta[a] * effort;
        }
        // A coupling that moves with time: the force -C^T lambda along v, where C v = -C_t.
        for row in 0..self.layout.nc {
            power += d.gap_explicit[row] * d.lambda[row];
        }
        power
    }
}
