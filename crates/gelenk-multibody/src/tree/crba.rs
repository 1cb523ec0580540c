//! Mass matrix by composite rigid bodies.
//!
//! The momenta of unit velocities wait in one column for each tree velocity, in an order of depth first: those of a
//! link and of all that it carries stand together. From the tips to the ground, each link reads its entries from them
//! and hands them to its parent; columns do not depend on each other, which suits the processor better than following
//! each one to the ground.

use gelenk_math::Lockstep;
use gelenk_math::spatial::{Motion, Wrench};

use crate::data::{Columns, Data, family};
use crate::mechanism::{LinkKind, Mechanism};
use crate::tree::free::Numbers;
use crate::tree::kernels::{dot, wrench_out};
use crate::tree::moments::Symmetric;

impl Mechanism {
    /// Writes the mass matrix over `v` to `d.mass`, and where `F` is no permutation the one over tree velocities to
    /// `d.tree_mass`. Needs [`Self::poses`].
    pub(crate) fn crba<T: Lockstep>(&self, d: &mut Data<T>) {
        let mut mass = std::mem::take(&mut d.mass);
        self.mass(d, &mut mass);
        d.mass = mass;
    }

    /// The same with the mass matrix over `v` in `out`.
    pub(crate) fn mass<T: Lockstep>(&self, d: &mut Data<T>, out: &mut [T]) {
        let (nu, nv) = (self.nu, self.layout.nv);
        if self.direct && nu == nv {
            self.tree_mass(d, Over::Velocities, out);
            if d.numbers == Numbers::State {
                self.mass_to_state(d, out);
            }
            add_rotors(d, nv, out);
            return;
        }
        let mut mass = std::mem::take(&mut d.tree_mass);
        mass.resize(nu * nu, T::of(0.0));
        self.tree_mass(d, Over::TreeVelocities, &mut mass);
        out.fill(T::of(0.0));
        for a in 0..nu {
            for b in 0..nu {
                let entry = mass[a * nu + b];
                for k in self.rows[a].clone() {
                    for l in self.rows[b].clone() {
                        out[self.columns[k] * nv + self.columns[l]] += d.f[k] * entry * d.f[l];
                    }
                }
            }
        }
        d.tree_mass = mass;
        add_rotors(d, nv, out);
    }

    /// Square of the radius of gyration (m^2) of what the joints turn, about their axes: the sum of their moments of inertia
    /// over that of the masses. It is as large as the machine, wherever that stands, in any order of its parts, and split or not.
    /// One where nothing with a mass turns. Needs [`Self::poses`].
    pub(crate) fn gyration(&self, d: &mut Data<f64>) -> f64 {
        let links = &mut d.links;
        for link in &mut *links {
            link.composite = link.moments;
        }
        let (mut inertia, mut mass) = (0.0, 0.0);
        for (i, link) in self.links.iter().enumerate().rev() {
            let (parent, data) = family(links, i, link.parent);
            let moved = &data.composite;
            let (about, axes) = match &link.kind {
                LinkKind::Fixed | LinkKind::Prismatic { .. } => (0.0, 0.0),
                LinkKind::Revolute { .. } => (dot(&data.axis, &moved.of_turn(&data.axis).ang), 1.0),
                LinkKind::Ball { .. } | LinkKind::Free { .. } => {
                    let Symmetric { xx, yy, zz, .. } = moved.second;
                    (2.0 * (xx + yy + zz), 3.0)
                }
            };
            inertia += about;
            mass += axes * moved.mass;
            if let Some(parent) = parent {
                parent.composite += moved.seen_from(&data.pose);
            }
        }
        let square = inertia / mass;
        if square.is_normal() && square > 0.0 { square } else { 1.0 }
    }

    /// Writes the mass matrix of the tree to `out`. Needs [`Self::poses`].
    pub(crate) fn tree_mass<T: Lockstep>(&self, d: &mut Data<T>, over: Over, out: &mut [T]) {
        let n = self.nu;
        let Data { links, columns: Columns { momenta, dofs, velocities, spans }, .. } = d;
        let places = match over {
            Over::TreeVelocities => dofs,
            Over::Velocities => velocities,
        };
        out.fill(T::of(0.0));
        for link in &mut *links {
            link.composite = link.moments;
        }
        for (i, link) in self.links.iter().enumerate().rev() {
            let (parent, data) = family(links, i, link.parent);
            let mass = &data.composite;
            let (momenta, places) = (&mut momenta[spans[i].clone()], &places[spans[i].clone()]);
            let mut put = |own: usize, other: usize, entry: T| {
                out[own * n + other] = entry;
                out[other * n + own] = entry;
            };
            match &link.kind {
                LinkKind::Fixed => {}
                LinkKind::Revolute { .. } => {
                    momenta[0] = mass.of_turn(&data.axis);
                    for (&place, momentum) in places.iter().zip(&*momenta) {
                        put(places[0], place, dot(&data.axis, &momentum.ang));
                    }
                }
                LinkKind::Prismatic { .. } => {
                    momenta[0] = mass.of_shift(&data.axis);
                    for (&place, momentum) in places.iter().zip(&*momenta) {
                        put(places[0], place, dot(&data.axis, &momentum.lin));
                    }
                }
                LinkKind::Ball { .. } | LinkKind::Free { .. } => {
                    let freedoms = link.dofs.len();
                    for (k, momentum) in momenta.iter_mut().take(freedoms).enumerate() {
                        let Motion { ang, lin } = Motion::unit(k);
                        *momentum = mass.of_turn(&ang) + mass.of_shift(&lin);
                    }
                    for (&place, Wrench { ang, lin }) in places.iter().zip(&*momenta) {
                        let entries = [ang.x, ang.y, ang.z, lin.x, lin.y, lin.z];
                        for (own, &entry) in (places[0]..).zip(&entries[..freedoms]) {
                            put(own, place, entry);
                        }
                    }
                }
            }
            if let Some(parent) = parent {
                parent.composite += mass.seen_from(&data.pose);
                for momentum in momenta {
                    *momentum = wrench_out(&data.pose, momentum);
                }
            }
        }
    }
}

/// Rotors turn at the rates of coordinates, which stand first among the velocities.
fn add_rotors<T: Lockstep>(d: &Data<T>, nv: usize, out: &mut [T]) {
    for (a, &rotor) in d.rotors.iter().enumerate() {
        out[a * nv + a] += rotor;
    }
}

/// What the rows and columns of a tree's mass matrix stand for.
#[derive(Clone, Copy)]
pub(crate) enum Over {
    TreeVelocities,
    /// The velocities `v`, where these are the tree velocities in another order.
    Velocities,
}
