//! Friction that follows its surroundings: factors on parameters of laws, and the force that presses the surfaces together.
//!
//! The laws themselves know only numbers. With the signals of an instant its parameters are written over the given ones,
//! and the resistance is scaled by the normal force as a share of the one at which the parameters hold (ruderman 3.2: all
//! levels of dry friction grow with the load; bristles keep their deflection).

use std::ops::Range;

use gelenk_laws::ParamSpec;
use gelenk_math::Real;
use gelenk_math::expression::Program;
use gelenk_system::{Fault, Param};

use crate::data::Data;
use crate::mechanism::Mechanism;

/// A factor on parameters of a law.
#[derive(Clone, Debug)]
pub(crate) struct FactorRun {
    /// The friction element.
    pub(crate) element: usize,
    /// Places of the parameters among those of all laws.
    pub(crate) slots: Range<usize>,
    /// The parameters without the factor.
    pub(crate) parameters: Vec<Param>,
    /// What the law says about them.
    pub(crate) spec: &'static ParamSpec,
    /// The factor.
    pub(crate) factor: Program,
}

/// The normal force of a friction element.
#[derive(Clone, Debug)]
pub(crate) struct NormalRun {
    /// The friction element.
    pub(crate) element: usize,
    /// The force (N).
    pub(crate) force: Program,
    /// The force at which the parameters hold (N).
    pub(crate) nominal: Param,
}

impl Mechanism {
    /// Brings friction to the loaded instant. Needs all signals.
    pub(crate) fn follow_surroundings<T: Real>(&self, d: &mut Data<T>) -> Result<(), Fault> {
        self.follow_factors(d)?;
        for run in &self.normals {
            let share = run.force.eval(&d.table, &mut d.scratch) / d.param(self, run.nominal);
            let size: f64 = share.re();
            if !size.is_finite() {
                let element = self.elements[run.element].name.clone();
                return Err(Fault::NotFinite { element, t: d.table[0].re() });
            }
            // Surfaces that do not press against each other do not rub.
            d.pressed[run.element] = if size > 0.0 { share } else { T::c(0.0) };
        }
        Ok(())
    }

    /// Makes [`Self::follow_surroundings`] valid at the loaded instant where friction follows anything. A fault is told by the next
    /// rate.
    pub(crate) fn follow_here(&self, d: &mut Data<f64>, m: &[f64]) {
        if !self.factors.is_empty() || !self.normals.is_empty() {
            self.kinematics(d);
            let _ = self.signals(d, m);
        }
    }

    /// Brings the parameters of the laws to the loaded instant. A factor that leads out of a parameter's bounds is
    /// refused with the element's name.
    fn follow_factors<T: Real>(&self, d: &mut Data<T>) -> Result<(), Fault> {
        for run in &self.factors {
            let factor = run.factor.eval(&d.table, &mut d.scratch);
            for (slot, &param) in run.slots.clone().zip(&run.parameters) {
                let value = d.param(self, param) * factor;
                if !run.spec.admits(value.re()) {
                    let (name, factor) = (run.spec.name, factor.re());
                    let reason = format!(
                        "the factor of {name} is {factor} at t = {}, which makes it {}; it must stay above {}",
                        d.table[0].re(),
                        value.re(),
                        run.spec.lower
                    );
                    return Err(Fault::Refused { element: self.elements[run.element].name.clone(), reason });
                }
                d.law[slot] = value;
            }
        }
        Ok(())
    }
}
