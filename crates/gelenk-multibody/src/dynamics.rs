//! Equations of motion.

use gelenk_math::Real;
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;

/// What is left of a sum that vanishes but for rounding, as a share of its terms.
const ROUNDING: f64 = 1e-14;

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
            let solved = if self.carry.is_some() { self.aba::<T, true>(d) } else { self.aba::<T, false>(d) };
            solved.map_err(|dof| massless(self.columns[self.rows[dof].start], d.table[0]))?;
            let mut acceleration = std::mem::take(&mut d.acceleration);
            self.tree_rates(d, |k, rate| acceleration[k] = rate);
            d.acceleration = acceleration;
            if self.carry.is_some() && self.leaves_open(d) {
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

    /// Puts what the accelerations leave open of the loops, `gamma - C a`, in the place of `gamma`, and says whether it is
    /// more than rounding in the sums themselves. Where many equations act on few freedoms, their multipliers are large
    /// and cancel, and the recursion loses digits.
    fn leaves_open<T: Real>(&self, d: &mut Data<T>) -> bool {
        let mut open = false;
        for (row, range) in self.paths.rows.iter().enumerate() {
            let (mut rest, mut size) = (d.gamma[row], d.gamma[row].re().abs());
            for entry in range.clone() {
                let term = d.rows[entry] * d.acceleration[self.paths.columns[entry]];
                rest -= term;
                size += term.re().abs();
            }
            open |= rest.re().abs() > ROUNDING * size;
            d.open[row] = rest;
        }
        open
    }

    /// Solves for what is open once more, with the masses and loops alone: no velocity, load or effort.
    fn refine<T: Real>(&self, d: &mut Data<T>) {
        d.known.copy_from_slice(&d.lambda);
        std::mem::swap(&mut d.gamma, &mut d.open);
        // Nothing can be refused: the same inertias have just been solved with.
        if self.respond(d).is_ok() {
            let mut acceleration = std::mem::take(&mut d.acceleration);
            self.tree_rates(d, |k, rate| acceleration[k] += rate);
            d.acceleration = acceleration;
        }
        std::mem::swap(&mut d.gamma, &mut d.open);
        d.lambda.iter_mut().zip(&d.known).for_each(|(lambda, &known)| *lambda += known);
    }

    /// Power of the drives behind time-driven joint scalars and couplings: explicit rate times the effort through the
    /// joint, with the accelerations `d.acceleration` and multipliers `d.lambda`.
    pub(crate) fn rheonomic_power<T: Real>(&self, d: &mut Data<T>) -> T {
        self.joint_wrenches(d);
        let mut power = T::c(0.0);
        for (&eta, &effort) in d.eta.iter().zip(&d.tree_effort) {
            power += eta * effort;
        }
        // A coupling that moves with time: the force -C^T lambda along v, where C v = -C_t.
        for row in 0..self.layout.nc {
            power += d.gap_explicit[row] * d.lambda[row];
        }
        power
    }
}
