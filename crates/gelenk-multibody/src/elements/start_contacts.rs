//! Contacts that a motion starts inside of.

use gelenk_mesh::contact::Pair;
use gelenk_system::{Fault, System};

use crate::data::Data;
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
    /// Refuses convex meshes that start so deep in each other that nothing says which way they are pressed apart: beyond
    /// half of the thinner one elements push to both sides, and which of them count changes with the last digit of the
    /// position.
    pub(crate) fn check_start_depths(&self, d: &mut Data<f64>, x: &[f64]) -> Result<(), Fault> {
        let convex = |pair: &Pair| {
            [&pair.first, &pair.second].iter().all(|surface| surface.is_closed() && surface.is_convex())
        };
        // Where nothing is free to move, the depths are what the model is about.
        if self.layout.nv == 0 || !self.contacts.iter().any(|run| convex(&run.pair)) {
            return Ok(());
        }
        d.load(self, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.evaluate_contacts(d);
        for element in &self.elements {
            let ElementRun::Contact(index) = element.kind else { continue };
            let (pair, data) = (&*self.contacts[index].pair, &d.contacts[index]);
            let heights = data.elements().iter().map(|element| data.state(pair, element).height);
            let depth = heights.fold(0.0, f64::max);
            let half = 0.5 * pair.first.thickness().min(pair.second.thickness());
            if convex(pair) && depth > half {
                let reason = format!(
                    "it starts {:.4} mm deep, beyond half of the thinner body ({:.4} mm), where nothing says which way the \
                     bodies are pushed apart: start farther apart",
                    1e3 * depth,
                    1e3 * half
                );
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
