//! Elements without a mechanism: evaluated, stepped and tested alone.

use super::Acting;
use super::contract::{Act, Beyond, Look, Step};

/// What an element answers to what it sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Effort along each displacement.
    pub effort: Vec<f64>,
    /// Power of each account (W).
    pub power: Vec<f64>,
    /// Rates of the states, or the states after the step.
    pub states: Vec<f64>,
    /// Outputs.
    pub outputs: Vec<f64>,
    /// Something that the element used and that it does not have.
    pub beyond: Option<Beyond>,
}

impl Acting {
    /// Lets an element act on what it sees, at an instant or over a step.
    ///
    /// ```
    /// use gelenk_multibody::Acting;
    /// use gelenk_multibody::elements::{Look, Step};
    ///
    /// // A spring of 100 N/m with 2 N s/m, relaxed at 0.1 m, at 0.3 m and 0.5 m/s.
    /// let p = [100.0, 2.0, 0.1];
    /// let look = Look::new(&[0.3], &[0.5], &p);
    /// let answer = Acting::Spring.alone(&look, Step::Rate);
    /// assert!((answer.effort[0] + 21.0).abs() < 1e-12);
    /// assert!((answer.power[0] + answer.power[1] + 10.5).abs() < 1e-12);
    /// ```
    pub fn alone(&self, look: &Look<'_, f64>, step: Step) -> Answer {
        let spec = self.spec();
        let mut answer = Answer {
            effort: vec![0.0; look.v.len()],
            power: vec![0.0; spec.accounts.len()],
            states: vec![0.0; look.z.len()],
            outputs: vec![0.0; spec.outputs.len()],
            beyond: None,
        };
        let mut spare = vec![0.0; look.z.len()];
        let mut act = Act {
            look: *look,
            step,
            effort: &mut answer.effort,
            power: &mut answer.power,
            z_out: &mut answer.states,
            outputs: &mut answer.outputs,
            spare: &mut spare,
            beyond: None,
        };
        self.act(&mut act);
        answer.beyond = act.beyond;
        answer
    }
}
