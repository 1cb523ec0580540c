//! Parameters of laws that follow expressions.

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

impl Mechanism {
    /// Brings the parameters of the laws to the loaded instant. A factor that leads out of a parameter's bounds is
    /// refused with the element's name.
    pub(crate) fn follow_factors<T: Real>(&self, d: &mut Data<T>) -> Result<(), Fault> {
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
