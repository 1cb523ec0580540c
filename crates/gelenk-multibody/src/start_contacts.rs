//! Contacts that a motion starts inside of.

use gelenk_system::{Fault, System};

use crate::mechanism::{ElementRun, Mechanism};

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
    /// Contacts that are deeper than rounding at the start.
    ///
    /// # Errors
    /// A start that is not possible.
    pub fn start_contacts(&self, p: &[f64]) -> Result<Vec<StartContact>, Fault> {
        if self.touches.is_empty() && self.contacts.is_empty() {
            return Ok(Vec::new());
        }
        let mut d = self.data::<f64>();
        self.bind(&mut d, p);
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        d.load(self, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(&mut d);
        self.evaluate_contacts(&mut d);
        let weight = self.totals(&d).mass * d.gravity.norm();
        let mut found = Vec::new();
        for element in &self.elements {
            let (depth, size, stored) = match element.kind {
                ElementRun::Touch(index) => (self.touch_depth(&d, index), 1.0, self.touch_energy(&d, index)),
                ElementRun::Contact(index) => {
                    let (pair, data) = (&*self.contacts[index].pair, &d.contacts[index]);
                    let depths = data.elements().iter().map(|element| data.state(pair, element).depth);
                    let size = pair.first.size().min(pair.second.size());
                    (depths.fold(0.0, f64::max), size, self.contact_energy(&d, index))
                }
                _ => continue,
            };
            if depth > ROUNDING * size {
                // A layer that carries the weight at rest stores half of weight times depth, a stiffening one less.
                let throws = stored > weight * depth;
                found.push(StartContact { name: element.name.clone(), depth, stored, throws });
            }
        }
        Ok(found)
    }
}
