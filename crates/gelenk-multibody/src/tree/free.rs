//! Free joints: the numbers of their state, and the numbers that files, recordings and callers see.
//!
//! The state of a free joint is the position `p_C` and the velocity `V_C` of the centre of mass of what the joint carries
//! rigidly, both in the axes of the joint frame, with orientation and angular velocity `w` in the body frame. A body that
//! no force acts on then has a constant velocity in the state, and every method of integration keeps its momentum and its
//! straight path, however fast it spins. A velocity in the axes of a spinning body would turn with it, and a method sees
//! of that only as much as its steps resolve.
//!
//! Everything else speaks of the origin of the child: start values, expressions, recordings, and calls that take positions
//! and velocities. With the centre at `c` in the body frame and `R` from the body to the joint frame,
//!
//! ```text
//! p_O = p_C - R c        v_O = R^T V_C - w x c        dv_O/dt = R^T dV_C/dt - dw/dt x c - w x R^T V_C
//! ```
//!
//! with `v_O` in the body frame. These three are a block of `u = F v` and its bias, so that loops, elements and mass
//! matrices need nothing of their own.

use gelenk_math::rotation::{difference, from_quaternion, retract};
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_math::{Lockstep, Real};

use crate::data::{Data, read3, read4};
use crate::mechanism::{LinkKind, Mechanism, Spin};

/// What the positions and velocities of free joints that were loaded last mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Origin of the child, linear velocity in the body frame: what callers hand over.
    Origin,
    /// Centre of mass, linear velocity in the axes of the joint frame: the state.
    State,
}

impl<T: Lockstep> Data<T> {
    /// Takes over time, positions and velocities in the numbers of callers; for a state there is [`Self::load`].
    #[inline]
    pub(crate) fn load_origin(&mut self, mechanism: &Mechanism, t: T, q: &[T], v: &[T]) {
        let table = &mechanism.table;
        self.numbers = Numbers::Origin;
        self.table[0] = t;
        self.table[table.q..table.q + q.len()].copy_from_slice(q);
        self.table[table.v..table.v + v.len()].copy_from_slice(v);
        for spin in &mechanism.spins {
            self.links[spin.link].turn = from_quaternion(read4(q, spin.q));
        }
    }

    /// Takes over time, positions and velocities of a state; expressions see the numbers of callers.
    #[inline]
    pub(crate) fn load(&mut self, mechanism: &Mechanism, t: T, q: &[T], v: &[T]) {
        self.table[0] = t;
        let (places, rates) = self.state.split_at_mut(q.len());
        places.copy_from_slice(q);
        rates.copy_from_slice(v);
        self.load_again(mechanism);
    }

    /// The same with what stands in [`Self::state`], at the same time.
    #[inline]
    pub(crate) fn load_again(&mut self, mechanism: &Mechanism) {
        let Self { state, table, links, numbers, .. } = self;
        *numbers = Numbers::State;
        let table = &mut table[mechanism.table.q..mechanism.table.p];
        table.copy_from_slice(state);
        let (q, v) = state.split_at(mechanism.layout.nq);
        let (seen_q, seen_v) = table.split_at_mut(mechanism.layout.nq);
        for spin in &mechanism.spins {
            let data = &mut links[spin.link];
            data.turn = from_quaternion(read4(q, spin.q));
            if let Some((q0, v0)) = spin.origin {
                let place = read3(q, q0) - data.turn * data.centre;
                let rate = data.turn.tr_mul(&read3(v, v0)) + data.centre.cross(&read3(v, spin.v));
                seen_q[q0..q0 + 3].copy_from_slice(place.as_slice());
                seen_v[v0..v0 + 3].copy_from_slice(rate.as_slice());
            }
        }
    }

    /// The centre of mass of every free joint's child and of what is fixed on it, in the child's frame; its origin where
    /// nothing there has mass. Needs placements and inertias.
    pub(crate) fn bind_centres(&mut self, mechanism: &Mechanism) {
        for (spin, _) in mechanism.free_joints() {
            let (mut mass, mut first) = (T::of(0.0), Vec3::from_element(T::of(0.0)));
            for (i, own) in self.links.iter().enumerate() {
                if let Some(moment) = self.fixed_moment(mechanism, i, spin.link) {
                    mass += own.inertia.mass;
                    first += moment;
                }
            }
            let centred = mass.above(T::of(0.0)) & mass.finite();
            let parts = || [first.x / mass, first.y / mass, first.z / mass];
            self.links[spin.link].centre = Vec3::from(T::either(centred, parts, || [T::of(0.0); 3]));
        }
    }

    /// First moment of link `i` about the origin of link `base`; `None` where it is not fixed on that.
    fn fixed_moment(&self, mechanism: &Mechanism, i: usize, base: usize) -> Option<Vec3<T>> {
        let mut moment = self.links[i].inertia.moment;
        let mut link = i;
        while link != base {
            if !matches!(mechanism.links[link].kind, LinkKind::Fixed) {
                return None;
            }
            let placement = &self.links[link].placement;
            moment = placement.rotation * moment + placement.position * self.links[i].inertia.mass;
            link = mechanism.links[link].parent?;
        }
        Some(moment)
    }
}

impl Mechanism {
    /// Free joints, each with the places of its position in `q` and of its linear velocity in `v`.
    pub(crate) fn free_joints(&self) -> impl Iterator<Item = (&Spin, (usize, usize))> {
        self.spins.iter().filter_map(|spin| Some((spin, spin.origin?)))
    }

    /// Turns positions and velocities of a state, where `d` has the parameters, into those of callers: a free joint's
    /// position (m) and linear velocity (m/s) then belong to the origin of its child, the velocity in the body frame.
    pub fn state_to_origin<T: Real>(&self, d: &Data<T>, q: &mut [T], v: &mut [T]) {
        for (spin, (q0, v0)) in self.free_joints() {
            let (turn, centre) = (from_quaternion(read4(q, spin.q)), d.links[spin.link].centre);
            let place = read3(q, q0) - turn * centre;
            let rate = turn.tr_mul(&read3(v, v0)) + centre.cross(&read3(v, spin.v));
            q[q0..q0 + 3].copy_from_slice(place.as_slice());
            v[v0..v0 + 3].copy_from_slice(rate.as_slice());
        }
    }

    /// The opposite of [`Self::state_to_origin`]: a free joint's position and linear velocity then belong to the centre of
    /// mass, the velocity in the axes of the joint frame.
    pub fn origin_to_state<T: Real>(&self, d: &Data<T>, q: &mut [T], v: &mut [T]) {
        for (spin, (q0, v0)) in self.free_joints() {
            let (turn, centre) = (from_quaternion(read4(q, spin.q)), d.links[spin.link].centre);
            let place = read3(q, q0) + turn * centre;
            let rate = turn * (read3(v, v0) + read3(v, spin.v).cross(&centre));
            q[q0..q0 + 3].copy_from_slice(place.as_slice());
            v[v0..v0 + 3].copy_from_slice(rate.as_slice());
        }
    }

    /// Turns small displacements `dv` of a state with positions `q` into those of callers, as [`Self::state_to_origin`] does
    /// with velocities.
    pub fn displacement_from_state<T: Real>(&self, d: &Data<T>, q: &[T], dv: &mut [T]) {
        for (spin, (_, v0)) in self.free_joints() {
            let (turn, centre) = (from_quaternion(read4(q, spin.q)), d.links[spin.link].centre);
            let shift = turn.tr_mul(&read3(dv, v0)) + centre.cross(&read3(dv, spin.v));
            dv[v0..v0 + 3].copy_from_slice(shift.as_slice());
        }
    }

    /// Writes the block of `F` and the bias of the free joint of link `i`. Needs the tree velocities.
    pub(crate) fn free_block<T: Lockstep>(&self, d: &mut Data<T>, i: usize) {
        let first = self.links[i].dofs.start;
        let entries = |k: usize| self.rows[first + 3 + k].clone();
        let o = T::of(0.0);
        if d.numbers == Numbers::Origin {
            for k in 0..3 {
                d.f[entries(k)].copy_from_slice(&[T::of(1.0), o, o, o, o]);
                d.bias[first + 3 + k] = o;
            }
            return;
        }
        let (r, c) = (d.links[i].turn, d.links[i].centre);
        for k in 0..3 {
            let (l, m) = ((k + 1) % 3, (k + 2) % 3);
            d.f[entries(k)].copy_from_slice(&[r[(k, k)], r[(l, k)], r[(m, k)], -c[m], c[l]]);
        }
        let (w, v) = (read3(&d.u, first), read3(&d.u, first + 3));
        let bias = (v + w.cross(&c)).cross(&w);
        d.bias[first + 3..first + 6].copy_from_slice(bias.as_slice());
    }

    /// Hands efforts over `v` to the tree, where every velocity is one tree velocity or belongs to a free joint.
    pub(crate) fn to_tree<T: Real>(&self, d: &mut Data<T>, effort: &[T]) {
        for (row, slot) in self.rows.iter().zip(&mut d.tree_effort) {
            if !row.is_empty() {
                *slot = effort[self.columns[row.start]];
            }
        }
        if d.numbers == Numbers::Origin {
            return;
        }
        for (spin, _) in self.free_joints() {
            let (data, dof) = (&d.links[spin.link], self.links[spin.link].dofs.start);
            let force = data.turn.tr_mul(&read3(&d.tree_effort, dof + 3));
            let moment = read3(&d.tree_effort, dof) + data.centre.cross(&force);
            d.tree_effort[dof..dof + 3].copy_from_slice(moment.as_slice());
            d.tree_effort[dof + 3..dof + 6].copy_from_slice(force.as_slice());
        }
    }

    /// The opposite for accelerations: `du` beyond its bias as accelerations over `v`, each with its place to `put`.
    pub(crate) fn tree_rates<T: Real>(&self, d: &Data<T>, mut put: impl FnMut(usize, T)) {
        let turned = d.numbers == Numbers::State;
        for (i, link) in self.links.iter().enumerate() {
            let rates = &d.du[link.dofs.clone()];
            match &link.kind {
                LinkKind::Free { spin, .. } if turned => {
                    let (data, w) = (&d.links[i], read3(rates, 0));
                    let rate = data.turn * (read3(rates, 3) + w.cross(&data.centre));
                    w.iter().chain(&rate).enumerate().for_each(|(k, &x)| put(spin.v + k, x));
                }
                _ => {
                    for (row, &rate) in self.rows[link.dofs.clone()].iter().zip(rates) {
                        if !row.is_empty() {
                            put(self.columns[row.start], rate);
                        }
                    }
                }
            }
        }
    }

    /// Turns a mass matrix over the velocities of callers into the one over those of the state.
    pub(crate) fn mass_to_state<T: Lockstep>(&self, d: &Data<T>, mass: &mut [T]) {
        let nv = self.layout.nv;
        for (spin, (_, v0)) in self.free_joints() {
            let data = &d.links[spin.link];
            let mut turn = |places: [usize; 6]| {
                let of = |k: usize| Vec3::new(mass[places[k]], mass[places[k + 1]], mass[places[k + 2]]);
                let (moment, force) = (of(0), of(3));
                let (moment, force) = (moment + force.cross(&data.centre), data.turn * force);
                let parts = moment.iter().chain(&force).copied();
                places.into_iter().zip(parts).for_each(|(place, part)| mass[place] = part);
            };
            let places = |k: usize| if k < 3 { spin.v + k } else { v0 + k - 3 };
            for other in 0..nv {
                turn(std::array::from_fn(|k| other * nv + places(k)));
            }
            for other in 0..nv {
                turn(std::array::from_fn(|k| places(k) * nv + other));
            }
        }
    }

    /// Hands the accelerations `d.acceleration` of the evaluated state to `put` as callers see them.
    pub(crate) fn origin_accelerations<T: Real>(&self, d: &Data<T>, mut put: impl FnMut(T)) {
        let mut seen = d.acceleration.iter().copied().enumerate();
        let scalars = self.coordinates.len();
        seen.by_ref().take(scalars).for_each(|(_, a)| put(a));
        for spin in &self.spins {
            let dofs = self.links[spin.link].dofs.clone();
            for dof in dofs {
                let entries = self.rows[dof].clone();
                put(entries.fold(d.bias[dof], |sum, k| sum + d.f[k] * d.acceleration[self.columns[k]]));
            }
        }
    }

    /// Moves positions of callers by `dv`, a velocity of callers times a time; writes `nq` numbers.
    pub fn retract_origin<T: Real>(&self, q: &[T], dv: &[T], q1: &mut [T]) {
        self.move_scalars(q, dv, q1);
        for spin in &self.spins {
            let quaternion = read4(q, spin.q);
            q1[spin.q..spin.q + 4].copy_from_slice(&retract(quaternion, &read3(dv, spin.v)));
            if let Some((q0, v0)) = spin.origin {
                let moved = read3(q, q0) + halfway(quaternion, &read3(dv, spin.v)) * read3(dv, v0);
                q1[q0..q0 + 3].copy_from_slice(moved.as_slice());
            }
        }
    }

    /// The opposite of [`Self::retract_origin`]: what takes `q` to `q1`.
    pub fn difference_origin(&self, q: &[f64], q1: &[f64], dv: &mut [f64]) {
        for a in 0..self.coordinates.len() {
            dv[a] = q1[a] - q[a];
        }
        for spin in &self.spins {
            let (from, to) = (read4(q, spin.q), read4(q1, spin.q));
            let turn = difference(from, to);
            dv[spin.v..spin.v + 3].copy_from_slice(turn.as_slice());
            if let Some((q0, v0)) = spin.origin {
                let shift = halfway(from, &turn).tr_mul(&(read3(q1, q0) - read3(q, q0)));
                dv[v0..v0 + 3].copy_from_slice(shift.as_slice());
            }
        }
    }

    /// Moves the coordinates, which come first.
    pub(crate) fn move_scalars<T: Real>(&self, q: &[T], dv: &[T], q1: &mut [T]) {
        for a in 0..self.coordinates.len() {
            q1[a] = q[a] + dv[a];
        }
    }
}

/// The orientation after half a turn; steps along a velocity in the body frame are then exact to second order.
fn halfway<T: Real>(quaternion: [T; 4], turn: &Vec3<T>) -> Mat3<T> {
    from_quaternion(retract(quaternion, &(turn * T::c(0.5))))
}
