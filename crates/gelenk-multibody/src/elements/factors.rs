//! Elements that follow their surroundings: factors on parameters, and the force that presses surfaces together.
//!
//! The laws themselves know only numbers. With the signals of an instant its parameters are written over the given ones,
//! and the resistance is scaled by the normal force as a share of the one at which the parameters hold (ruderman 3.2: all
//! levels of dry friction grow with the load; bristles keep their deflection).

use std::ops::Range;

use gelenk_laws::ParamSpec;
use gelenk_math::Real;
use gelenk_math::expression::Program;
use gelenk_math::spatial::{Vec3, length};
use gelenk_system::{Fault, Param, Solution, Trial};

use crate::data::Data;
use crate::mechanism::{LinkKind, Mechanism};

/// Rounds in which normal forces and friction are brought to agree at the start.
const ROUNDS: usize = 100;

/// A factor on parameters of an element.
#[derive(Clone, Debug)]
pub(crate) struct FactorRun {
    /// The element.
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
    /// Where the force comes from.
    pub(crate) force: Press,
    /// The force at which the parameters hold (N).
    pub(crate) nominal: Param,
}

/// Where a normal force comes from.
#[derive(Clone, Debug)]
pub(crate) enum Press {
    /// An expression.
    Given(Program),
    /// A contact, by the index of its element.
    Contact(usize),
    /// A force that depends on the accelerations, which friction follows with a time constant: the state with this
    /// number.
    Lagged { source: Source, lag: Param, z: usize },
}

/// A force that is known with the accelerations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// Through the joint of a link; without the part along a slide.
    Joint(usize),
    /// Of a loop.
    Loop(usize),
}

impl Mechanism {
    /// Brings friction to the loaded instant. Needs all signals.
    pub(crate) fn follow_surroundings<T: Real>(&self, d: &mut Data<T>) -> Result<(), Fault> {
        self.follow_factors(d)?;
        for run in &self.elements.normals {
            let force = match &run.force {
                Press::Given(program) => program.eval(&d.table, &mut d.scratch),
                Press::Lagged { z, .. } => d.elements.z[*z],
                // Contacts are evaluated with the other elements.
                Press::Contact(_) => continue,
            };
            self.press(d, run, force);
            if !d.elements.loads[run.element].re().is_finite() {
                let element = self.elements[run.element].name.clone();
                return Err(Fault::NotFinite { element, t: d.table[0].re() });
            }
        }
        Ok(())
    }

    /// Surfaces that do not press against each other do not rub.
    fn press<T: Real>(&self, d: &mut Data<T>, run: &NormalRun, force: T) {
        let share = force / d.param(self, run.nominal);
        d.elements.loads[run.element] = if share.re() <= 0.0 { T::c(0.0) } else { share };
    }

    /// Lets elements act that are pressed by contacts, after all others.
    pub(crate) fn act_under_contacts<T: Real>(
        &self,
        d: &mut Data<T>,
        m: &[f64],
        h: Option<f64>,
    ) -> Result<(), Fault> {
        for run in &self.elements.normals {
            if let Press::Contact(contact) = run.force {
                let force = d.elements.effort[contact];
                self.press(d, run, force);
                let effort = self.act(d, run.element, m, h)?;
                self.note_effort(d, run.element, effort)?;
            }
        }
        Ok(())
    }

    /// Writes what becomes of the lagged normal forces under the accelerations and multipliers that are there: rates, or
    /// with a step `h` the states after it.
    pub(crate) fn follow_reactions<T: Real>(&self, d: &mut Data<T>, h: Option<f64>) {
        if self.lags().next().is_none() {
            return;
        }
        self.share_reactions(d);
        self.joint_wrenches(d);
        for run in &self.elements.normals {
            let Press::Lagged { source, lag, z } = run.force else { continue };
            let short = self.through(d, source) - d.elements.z[z];
            let lag = d.param(self, lag);
            d.elements.z_out[z] = match h {
                None => short / lag,
                Some(h) => d.elements.z[z] + short * (T::c(1.0) - (T::c(-h) / lag).exp()),
            };
        }
    }

    /// The same for a solved step of an implicit method: states after `h` under its accelerations and multipliers.
    pub(crate) fn step_reactions(&self, d: &mut Data<f64>, trial: &Trial, step: &Solution, h: f64) {
        if self.lags().next().is_none() {
            return;
        }
        let v0 = &trial.x[self.layout.v()];
        for (a, (&v1, &v0)) in d.acceleration.iter_mut().zip(step.v1.iter().zip(v0)) {
            *a = (v1 - v0) / trial.h;
        }
        d.loops.lambda_mut().copy_from_slice(step.lambda);
        self.follow_reactions(d, Some(h));
    }

    /// Places of the lagged normal forces among the states of the laws.
    pub(crate) fn lags(&self) -> impl Iterator<Item = usize> {
        self.elements.normals.iter().filter_map(|run| match run.force {
            Press::Lagged { z, .. } => Some(z),
            _ => None,
        })
    }

    /// The friction whose normal force follows with the shortest time constant, and that time (s).
    pub(crate) fn quickest_lag(&self, d: &Data<f64>) -> Option<(&str, f64)> {
        let lagged = |run: &NormalRun| match run.force {
            Press::Lagged { lag, .. } => Some((self.elements[run.element].name.as_str(), d.param(self, lag))),
            _ => None,
        };
        self.elements.normals.iter().filter_map(lagged).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Starts the lagged normal forces where they would be after a long time at the start.
    pub(crate) fn start_reactions(&self, d: &mut Data<f64>, x: &mut [f64], m: &[f64]) -> Result<(), Fault> {
        if self.lags().next().is_none() {
            return Ok(());
        }
        let z0 = self.layout.z().start;
        let mut modes = m.to_vec();
        // Where the mechanism does not jam, friction changes the force by less than the force changes friction, and this
        // is a contraction.
        for _ in 0..ROUNDS {
            // What the loads at the start set in motion does not hold there: the force is that of the motion which begins.
            modes.copy_from_slice(m);
            self.release(d, 0.0, x, &mut modes, 1.0)?;
            self.rates_here(d, 0.0, x, &modes)?;
            let mut change = 0.0f64;
            for run in &self.elements.normals {
                let Press::Lagged { source, z, .. } = run.force else { continue };
                let force = self.through(d, source);
                change = change.max((force - x[z0 + z]).abs() / force.max(f64::MIN_POSITIVE));
                x[z0 + z] = force;
            }
            if change < 1e-12 {
                break;
            }
        }
        Ok(())
    }

    /// Magnitude of a force that is known with the accelerations. Needs the joint wrenches.
    pub(crate) fn through<T: Real>(&self, d: &Data<T>, source: Source) -> T {
        let force = match source {
            Source::Loop(index) => self.loop_reaction(d, index).lin,
            Source::Joint(link) => self.across_slides(d, link),
        };
        length(&force)
    }

    /// Force through the joint that ends in a link, without its parts along the slides of the joint, which may have two or
    /// three of them in any directions.
    fn across_slides<T: Real>(&self, d: &Data<T>, link: usize) -> Vec3<T> {
        let mut force = d.links[link].wrench.lin;
        let mut taken = [Vec3::zeros(); 3];
        let mut count = 0;
        let mut at = Some(link);
        // The links between the freedoms of one joint carry no body.
        while let Some(index) = at {
            if matches!(self.links[index].kind, LinkKind::Prismatic { .. }) && count < taken.len() {
                let mut axis = d.links[index].axis;
                for other in &taken[..count] {
                    axis -= other * other.dot(&axis);
                }
                let size = length(&axis);
                if size.re() > 1e-6 {
                    taken[count] = axis / size;
                    force -= taken[count] * taken[count].dot(&force);
                    count += 1;
                }
            }
            at = self.links[index].parent.filter(|&parent| self.links[parent].inertia.is_none());
        }
        force
    }

    /// Makes [`Self::follow_surroundings`] valid at the loaded instant where friction follows anything. A fault is told by the next
    /// rate.
    pub(crate) fn follow_here(&self, d: &mut Data<f64>, m: &[f64]) {
        if self.elements.factors.is_empty() && self.elements.normals.is_empty() && !self.elements.looks_around
        {
            return;
        }
        self.kinematics(d);
        let _ = self.signals(d, m, None);
    }

    /// Brings the parameters of the laws to the loaded instant. A factor that leads out of a parameter's bounds is
    /// refused with the element's name.
    fn follow_factors<T: Real>(&self, d: &mut Data<T>) -> Result<(), Fault> {
        for run in &self.elements.factors {
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
                d.elements.law[slot] = value;
            }
        }
        Ok(())
    }
}
