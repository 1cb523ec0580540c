//! The elements of contacts between meshes, one by one.

use gelenk_math::spatial::{Pose, Vec3};
use gelenk_system::Fault;

use crate::data::Data;
use crate::elements::Acting;
use crate::mechanism::Mechanism;

/// What one contact element does at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactElement {
    /// Number of the pair, in the order of [`Mechanism::contact_pairs`].
    pub pair: usize,
    /// Whether the second surface of the pair is its master.
    pub second_is_master: bool,
    /// Triangle of the master.
    pub triangle: u32,
    /// Area of that triangle (m^2).
    pub area: f64,
    /// Penetration (m).
    pub depth: f64,
    /// Sliding speed (m/s).
    pub sliding: f64,
    /// Normal force per area (N/m^2).
    pub pressure: f64,
    /// Friction per area (N/m^2).
    pub traction: f64,
    /// Place of the force in ground axes (m).
    pub position: Vec3<f64>,
    /// Its part of the force of the pair on the first body, in ground axes (N). The parts of a pair add up to its force:
    /// where both surfaces give elements, each has half of what its pressure and traction say.
    pub force: Vec3<f64>,
}

impl Mechanism {
    /// Hands out the elements of all contacts at a state: pairs in their order, and in a pair the elements in theirs.
    ///
    /// Contact has no memory, so a state is all that it takes: that of a recorded row serves as well as one of a solver.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn contact_elements(
        &self,
        d: &mut Data<f64>,
        t: f64,
        q: &[f64],
        v: &[f64],
        take: &mut dyn FnMut(&ContactElement),
    ) -> Result<(), Fault> {
        self.set_state(d, t, q, v)?;
        self.find_contacts(d);
        let meshes = self.elements.contacts.iter().zip(&d.elements.contacts);
        let meshes =
            meshes.filter(|(place, _)| matches!(self.elements[place.element].kind, Acting::MeshContact(_)));
        for (pair, (place, contact)) in meshes.enumerate() {
            let [first, _] = place.between;
            let pose = Pose::new(self.orientation(d, first), self.point(d, first));
            contact.elements(&pose, &mut |element| take(&ContactElement { pair, ..element }));
        }
        Ok(())
    }
}
