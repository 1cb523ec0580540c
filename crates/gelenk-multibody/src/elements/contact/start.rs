//! Contacts that a motion starts inside of.

use gelenk_system::{Fault, System};

use super::contract::Overlap;
use crate::data::Data;
use crate::elements::ContactWork;
use crate::mechanism::Mechanism;

/// Depths below this share of their size belong to bodies that are meant to touch: rounding of a start position.
const ROUNDING: f64 = 1e-9;

/// A contact that stores energy at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartContact {
    /// Name of the contact.
    pub name: String,
    /// Greatest depth (m).
    pub depth: f64,
    /// Elastic energy (J).
    pub stored: f64,
    /// Whether that is more than the weight of all bodies can hold at this depth: something is thrown off.
    pub throws: bool,
}

impl Mechanism {
    /// Refuses contacts that start where they cannot.
    pub(crate) fn check_start_depths(&self, d: &mut Data<f64>, x: &[f64]) -> Result<(), Fault> {
        // Where nothing is free to move, the depths are what the model is about.
        if self.layout.nv == 0 || !d.elements.contacts.iter().any(ContactWork::judges_start) {
            return Ok(());
        }
        d.load(self, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.find_contacts(d);
        for ((_, element), contact) in self.contacting().zip(&d.elements.contacts) {
            if let Some(reason) = contact.refuse_start() {
                return Err(Fault::Refused { element: element.name.clone(), reason });
            }
        }
        Ok(())
    }

    /// Contacts that are deeper than rounding at the start.
    ///
    /// # Errors
    /// A start that is not possible.
    pub fn start_contacts(&self, p: &[f64]) -> Result<Vec<StartContact>, Fault> {
        if self.elements.contacts.is_empty() {
            return Ok(Vec::new());
        }
        let mut d = self.data::<f64>();
        self.bind(&mut d, p);
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        d.load(self, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(&mut d);
        self.find_contacts(&mut d);
        let weight = self.totals(&d).mass * d.gravity.norm();
        let mut found = Vec::new();
        for ((_, element), contact) in self.contacting().zip(&d.elements.contacts) {
            let (Overlap { depth, size }, stored) = (contact.overlap(), contact.energy());
            if depth > ROUNDING * size {
                // A layer that carries the weight at rest stores half of weight times depth, a stiffening one less.
                let throws = stored > weight * depth;
                found.push(StartContact { name: element.name.clone(), depth, stored, throws });
            }
        }
        Ok(found)
    }
}
