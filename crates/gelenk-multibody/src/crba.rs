//! Mass matrix by composite rigid bodies.

use gelenk_math::Real;
use gelenk_math::spatial::{Motion, Wrench};

use crate::data::{Data, LinkData, family};
use crate::mechanism::{LinkKind, Mechanism};
use crate::moments::Moments;

impl Mechanism {
    /// Writes the mass matrix over tree velocities and `F^T M F` over `v`. Needs [`Self::poses`].
    pub(crate) fn crba<T: Real>(&self, d: &mut Data<T>) {
        let (nu, nv) = (self.nu, self.layout.nv);
        self.tree_mass(&mut d.links, &mut d.tree_mass, nu, |dof| dof);
        d.mass.fill(T::c(0.0));
        for a in 0..nu {
            for b in 0..nu {
                let entry = d.tree_mass[a * nu + b];
                for k in self.rows[a].clone() {
                    for l in self.rows[b].clone() {
                        d.mass[self.columns[k] * nv + self.columns[l]] += d.f[k] * entry * d.f[l];
                    }
                }
            }
        }
    }

    /// Writes the mass matrix over tree velocities to the `n x n` matrix `out`, where tree velocity `dof` has row and
    /// column `place(dof)`. Needs [`Self::poses`].
    pub(crate) fn tree_mass<T: Real>(
        &self,
        links: &mut [LinkData<T>],
        out: &mut [T],
        n: usize,
        place: impl Fn(usize) -> usize,
    ) {
        out.fill(T::c(0.0));
        for link in &mut *links {
            link.composite = link.moments;
        }
        for (i, link) in self.links.iter().enumerate().rev() {
            let (parent, data) = family(links, i, link.parent);
            if let Some(parent) = parent {
                parent.composite += data.composite.seen_from(&data.pose);
            }
            for dof in link.dofs.clone() {
                // The momentum of a unit velocity, seen from one ancestor after the other.
                let mut momentum = self.unit_momentum(&links[i], i, dof);
                let mut j = i;
                let row = place(dof);
                loop {
                    let ancestor = &self.links[j];
                    let mut put = |other: usize, entry: T| {
                        let column = place(other);
                        out[row * n + column] = entry;
                        out[column * n + row] = entry;
                    };
                    let at = ancestor.dofs.start;
                    match &ancestor.kind {
                        LinkKind::Fixed => {}
                        LinkKind::Revolute { .. } => put(at, links[j].axis.dot(&momentum.ang)),
                        LinkKind::Prismatic { .. } => put(at, links[j].axis.dot(&momentum.lin)),
                        LinkKind::Ball { .. } => (0..3).for_each(|k| put(at + k, momentum.ang[k])),
                        LinkKind::Free { .. } => (0..6).for_each(|k| put(at + k, momentum.get(k))),
                    }
                    let Some(parent) = ancestor.parent else { break };
                    momentum = links[j].pose.wrench_out(&momentum);
                    j = parent;
                }
            }
        }
    }

    /// Momentum of link `i` with all that it carries, for a unit tree velocity `dof`.
    #[inline]
    fn unit_momentum<T: Real>(&self, link: &LinkData<T>, i: usize, dof: usize) -> Wrench<T> {
        let mass: &Moments<T> = &link.composite;
        match &self.links[i].kind {
            LinkKind::Fixed => Wrench::zero(),
            LinkKind::Revolute { .. } => mass.of_turn(&link.axis),
            LinkKind::Prismatic { .. } => mass.of_shift(&link.axis),
            LinkKind::Ball { .. } | LinkKind::Free { .. } => {
                let unit = Motion::unit(dof - self.links[i].dofs.start);
                let (turn, shift) = (mass.of_turn(&unit.ang), mass.of_shift(&unit.lin));
                turn + shift
            }
        }
    }
}
