//! Centre of mass, momentum and energies of the whole mechanism.

use gelenk_math::Real;
use gelenk_math::spatial::Vec3;

use crate::data::Data;
use crate::mechanism::Mechanism;

/// Sums over all bodies, in ground axes.
#[derive(Clone, Copy, Debug)]
pub struct Totals<T: Real> {
    /// Mass (kg).
    pub mass: T,
    /// Centre of mass (m); the ground origin where there is no mass.
    pub centre: Vec3<T>,
    /// Its velocity (m/s).
    pub velocity: Vec3<T>,
    /// Linear momentum (N s).
    pub momentum: Vec3<T>,
    /// Angular momentum about the centre of mass (N m s).
    pub spin: Vec3<T>,
    /// Angular momentum about the ground origin (N m s).
    pub angular_momentum: Vec3<T>,
    /// Kinetic energy (J).
    pub kinetic: T,
    /// Energy in the field of gravity (J), zero at the height of the ground origin.
    pub potential: T,
}

impl Mechanism {
    /// Sums over all bodies in the state that was taken over last, by [`Self::set_state`] or [`Self::set_motion`].
    pub fn totals<T: Real>(&self, d: &Data<T>) -> Totals<T> {
        let zero = Vec3::from_element(T::c(0.0));
        let (mut mass, mut moment, mut momentum, mut angular) = (T::c(0.0), zero, zero, zero);
        let mut kinetic = T::c(0.0);
        for link in &d.links {
            let own = link.inertia.momentum(&link.velocity);
            let ground = link.world.wrench_out(&own);
            mass += link.inertia.mass;
            moment += link.world.position * link.inertia.mass + link.world.rotation * link.inertia.moment;
            momentum += ground.lin;
            angular += ground.ang;
            kinetic += link.velocity.dot(&own) * T::c(0.5);
        }
        // Rotors belong to no body: they have energy, and no momentum that would be known.
        for (a, &rotor) in d.rotors.iter().enumerate() {
            let rate = self.coordinate(d, a).1;
            kinetic += rotor * rate * rate * T::c(0.5);
        }
        let (centre, velocity) =
            if mass.re() > 0.0 { (moment / mass, momentum / mass) } else { (zero, zero) };
        Totals {
            mass,
            centre,
            velocity,
            momentum,
            spin: angular - centre.cross(&momentum),
            angular_momentum: angular,
            kinetic,
            potential: -d.gravity.dot(&moment),
        }
    }
}
