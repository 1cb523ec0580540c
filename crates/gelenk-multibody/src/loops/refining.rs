//! What rounding leaves open of the loops, solved once more.

use gelenk_math::Real;

use crate::data::Data;
use crate::mechanism::Mechanism;

/// What is left of a sum that vanishes but for rounding, as a share of its terms.
const ROUNDING: f64 = 1e-14;

impl Mechanism {
    /// Puts what the accelerations leave open of the loops, `gamma - C a`, in the place of `gamma`, and says whether it is
    /// more than rounding in the sums themselves. Where many equations act on few freedoms, their multipliers are large
    /// and cancel, and the recursion loses digits.
    pub(crate) fn leaves_open<T: Real>(&self, d: &mut Data<T>) -> bool {
        let mut open = false;
        for (row, range) in self.loops.paths.rows.iter().enumerate() {
            let (mut rest, mut size) = (d.loops.gamma[row], d.loops.gamma[row].re().abs());
            for entry in range.clone() {
                let term = d.loops.rows[entry] * d.acceleration[self.loops.paths.columns[entry]];
                rest -= term;
                size += term.re().abs();
            }
            open |= rest.re().abs() > ROUNDING * size;
            d.loops.open[row] = rest;
        }
        open
    }

    /// Solves for what is open once more, with the masses and loops alone: no velocity, load or effort.
    pub(crate) fn refine<T: Real>(&self, d: &mut Data<T>) {
        d.loops.known.copy_from_slice(&d.loops.lambda);
        std::mem::swap(&mut d.loops.gamma, &mut d.loops.open);
        // Nothing can be refused: the same inertias have just been solved with.
        if self.respond(d).is_ok() {
            let mut acceleration = std::mem::take(&mut d.acceleration);
            self.tree_rates(d, |k, rate| acceleration[k] += rate);
            d.acceleration = acceleration;
        }
        std::mem::swap(&mut d.loops.gamma, &mut d.loops.open);
        d.loops.lambda.iter_mut().zip(&d.loops.known).for_each(|(lambda, &known)| *lambda += known);
    }
}
