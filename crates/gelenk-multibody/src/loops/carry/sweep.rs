//! What the recursion does with the equations at each link.

use gelenk_math::Real;
use gelenk_math::dense::cholesky_known;
use gelenk_math::spatial::{Motion, Wrench};

use super::Carry;
use super::joint::JointInverse;
use crate::data::{Data, LinkData};
use crate::loops::LoopData;
use crate::mechanism::{LinkKind, Mechanism};
use crate::tree::kernels::wrench_out;

impl Mechanism {
    /// Lays the wrenches of the equations on their links. Needs [`Self::loop_rows`].
    pub(crate) fn begin_carry<T: Real>(&self, d: &mut Data<T>, carry: &Carry) {
        let carried = &mut d.loops.carried;
        carried.k.fill(Wrench::zero());
        carried.o.fill(T::c(0.0));
        carried.n.fill(T::c(0.0));
        for &(place, link, row, side) in &carry.wrenches {
            carried.k[place] += d.links[link].world.wrench_into(&d.loops.row_wrench[row][side]);
        }
    }

    /// Eliminates the equations that are complete at a node; `link` is `None` at the ground.
    pub(crate) fn complete<T: Real>(
        &self,
        carry: &Carry,
        loops: &mut LoopData<T>,
        node: usize,
        mut link: Option<&mut LinkData<T>>,
    ) {
        let LoopData { carried, gamma, .. } = loops;
        for (index, group) in carry.nodes[node].clone().map(|index| (index, &carry.groups[index])) {
            let complete = group.complete();
            if complete.is_empty() {
                continue;
            }
            let (n, start) = (complete.len(), complete.start);
            let factor = &mut carried.factors[group.factor..group.factor + n * n];
            for a in complete.clone() {
                carried.o[a] -= gamma[carry.equations[a]];
                for b in complete.clone() {
                    factor[(a - start) * n + (b - start)] = -carried.n[group.at(a, b)];
                }
            }
            let pivots = &mut carried.pivots[complete];
            let rank = cholesky_known(carried.known[index], factor, n, pivots);
            carried.ranks[index] = rank;
            // Forward substitution of K, o and the columns of N towards the equations that go on.
            for j in 0..rank {
                let p = pivots[j];
                for &k in &pivots[..j] {
                    let share = factor[p * n + k];
                    if link.is_some() {
                        let known = carried.k[start + k].scale(share);
                        carried.k[start + p] = carried.k[start + p] - known;
                    }
                    let known = carried.o[start + k] * share;
                    carried.o[start + p] -= known;
                    for b in group.going() {
                        let known = carried.n[group.at(start + k, b)] * share;
                        carried.n[group.at(start + p, b)] -= known;
                    }
                }
                let inverse = T::c(1.0) / factor[p * n + p];
                carried.k[start + p] = carried.k[start + p].scale(inverse);
                carried.o[start + p] *= inverse;
                for b in group.going() {
                    carried.n[group.at(start + p, b)] *= inverse;
                }
                let (k, o) = (carried.k[start + p], carried.o[start + p]);
                if let Some(link) = &mut link {
                    link.articulated = link.articulated.without(&k.scale(T::c(-1.0)), &k);
                    link.needed += k.scale(o);
                }
                for b in group.going() {
                    let share = carried.n[group.at(start + p, b)];
                    carried.k[b] += k.scale(share);
                    carried.o[b] += o * share;
                    for c in group.places.start..=b {
                        let product = share * carried.n[group.at(start + p, c)];
                        carried.n[group.at(b, c)] += product;
                    }
                }
            }
        }
    }

    /// Takes what the joint of link `i` gives way out of the equations that go on, and hands them to the parent;
    /// `du` holds the joint's accelerations so far.
    pub(crate) fn lift<T: Real>(
        &self,
        carry: &Carry,
        loops: &mut LoopData<T>,
        i: usize,
        link: &LinkData<T>,
        du: &[T],
    ) {
        let LoopData { carried: d, rows, .. } = loops;
        // All that goes on stands in the first group.
        let Some(group) = carry.groups[carry.nodes[i].clone()].first().filter(|group| group.going > 0) else {
            return;
        };
        let kind = &self.links[i].kind;
        let (going, width) = (group.going(), group.places.len());
        let (k, o, gains) = (&mut d.k[going.clone()], &mut d.o[going.clone()], &mut d.gains[going.clone()]);
        if !self.keeps(&self.links[i]) && !matches!(kind, LinkKind::Fixed) {
            let inverse = JointInverse::new(kind, link);
            let mut rates = [T::c(0.0); 6];
            rates[..du.len()].copy_from_slice(du);
            let slopes = &carry.slopes[going.clone()];
            let n = &mut d.n[group.square..group.square + width * width];
            for row in 0..k.len() {
                let slope = slopes[row].map_or(T::c(0.0), |entry| rows[entry]);
                let effort = inverse.effort(&k[row], slope);
                gains[row] = inverse.times(effort);
                k[row] = inverse.left(&k[row], &gains[row]);
                o[row] += inverse.dot(&effort, &rates);
                for (entry, other) in n[row * width..].iter_mut().zip(&gains[..=row]) {
                    *entry -= inverse.dot(&effort, other);
                }
            }
        } else {
            gains.fill([T::c(0.0); 6]);
        }
        let above = &carry.groups[group.above];
        let lifts = &carry.lifts[going.clone()];
        for (row, (place, &to)) in going.zip(lifts).enumerate() {
            let (k, o) = (wrench_out(&link.pose, &d.k[place]), d.o[place]);
            d.k[to] += k;
            d.o[to] += o;
            for (column, &other) in lifts[..=row].iter().enumerate() {
                let entry = d.n[group.square + row * width + column];
                d.n[above.at(to, other)] += entry;
            }
        }
    }

    /// What the multipliers of the equations that pass link `i` take from the accelerations of its joint.
    pub(crate) fn held_back<T: Real>(&self, carry: &Carry, loops: &LoopData<T>, i: usize, du: &mut [T]) {
        let LoopData { carried: d, lambda, .. } = loops;
        let Some(group) = carry.groups[carry.nodes[i].clone()].first() else { return };
        for place in group.going() {
            let lambda = lambda[carry.equations[place]];
            for (du, &gain) in du.iter_mut().zip(&d.gains[place]) {
                *du -= gain * lambda;
            }
        }
    }

    /// Multipliers of the equations that are complete at a node with the acceleration `response`; those of equations
    /// that depend on others are zero.
    pub(crate) fn multipliers<T: Real>(
        &self,
        carry: &Carry,
        loops: &mut LoopData<T>,
        node: usize,
        response: &Motion<T>,
    ) {
        let LoopData { carried: d, lambda, .. } = loops;
        for (index, group) in carry.nodes[node].clone().map(|index| (index, &carry.groups[index])) {
            let complete = group.complete();
            let (n, start) = (complete.len(), complete.start);
            if n == 0 {
                continue;
            }
            let factor = &d.factors[group.factor..group.factor + n * n];
            let (pivots, rank) = (&d.pivots[complete], d.ranks[index]);
            let equation = |local: usize| carry.equations[start + local];
            for &dropped in &pivots[rank..] {
                lambda[equation(dropped)] = T::c(0.0);
            }
            for j in (0..rank).rev() {
                let p = pivots[j];
                let mut sum = response.dot(&d.k[start + p]) + d.o[start + p];
                for going in group.going() {
                    sum += d.n[group.at(start + p, going)] * lambda[carry.equations[going]];
                }
                for &k in &pivots[j + 1..rank] {
                    sum -= factor[k * n + p] * lambda[equation(k)];
                }
                lambda[equation(p)] = sum / factor[p * n + p];
            }
        }
    }
}
