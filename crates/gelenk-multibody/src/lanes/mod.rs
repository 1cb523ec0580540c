//! Several runs of a mechanism in lockstep: trees of a few coordinates.
//!
//! The kernels of the tree, the attachments and the elements are those of single runs, on a scalar with lanes. What is left out:
//! the energy ledger, and what [`InLanes::refuse_lanes`] names.

mod dynamics;
mod refuse;
mod signals;

use gelenk_math::{Lockstep, of_lane};
use gelenk_system::{Fault, InLanes, LaneTrial};

use crate::data::Data;
use crate::elements::contract::{Holding, Look};
use crate::mechanism::Mechanism;

/// Numbers of a list that need no place on the heap.
const ROOM: usize = 24;

/// The workspace of a group of runs in lockstep.
#[derive(Clone, Debug)]
pub struct LaneData<T: Lockstep> {
    data: Data<T>,
    /// Mass matrix over `v`, and its factor.
    mass: Vec<T>,
    /// Whether elements or signals see frames, so that poses and velocities in the ground frame are needed.
    frames: bool,
}

impl InLanes for Mechanism {
    type LaneData<T: Lockstep> = LaneData<T>;

    fn refuse_lanes(&self, stepped: bool) -> Result<(), Fault> {
        self.refuse_in_lanes(stepped)
    }

    fn lane_data<T: Lockstep>(&self) -> LaneData<T> {
        let mut data = Data::with(self, Vec::new());
        data.tree_mass.resize(self.nu * self.nu, T::of(0.0));
        LaneData { data, mass: vec![T::of(0.0); self.layout.nv * self.layout.nv], frames: self.sees_frames() }
    }

    fn bind_lanes<T: Lockstep>(&self, data: &mut LaneData<T>, p: &[T]) {
        data.data.bind_all(self, p);
    }

    fn rates_lanes<T: Lockstep>(
        &self,
        lanes: &mut LaneData<T>,
        t: f64,
        x: &[T],
        m: &[T::Plain],
        dx: &mut [T],
    ) -> Result<(), Fault> {
        let (layout, d) = (self.layout, &mut lanes.data);
        let (q, v) = (&x[layout.q()], &x[layout.v()]);
        d.load(self, T::of(t), q, v);
        d.elements.states_mut().copy_from_slice(&x[layout.z()]);
        self.scalars(d);
        d.du.copy_from_slice(&d.bias);
        self.evaluate_lanes(lanes, t, m, None)?;
        self.accelerate_lanes(lanes);
        let d = &lanes.data;
        // Without quaternions every position is a coordinate.
        dx[layout.q()].copy_from_slice(v);
        dx[layout.v()].copy_from_slice(&d.acceleration);
        dx[layout.z()].copy_from_slice(d.elements.states_out());
        dx[layout.w()].fill(T::of(0.0));
        Ok(())
    }

    fn residual_lanes<T: Lockstep>(
        &self,
        lanes: &mut LaneData<T>,
        trial: &LaneTrial<T::Plain>,
        v1: &[T],
        r: &mut [T],
    ) -> Result<(), Fault> {
        self.load_lanes(lanes, trial, v1);
        self.evaluate_lanes(lanes, trial.t + trial.h, trial.m, Some(trial.h))?;
        self.balance_lanes(&mut lanes.data, trial.h, r);
        Ok(())
    }

    fn accept_lanes<T: Lockstep<Plain = T, One = f64>>(
        &self,
        lanes: &mut LaneData<T>,
        trial: &LaneTrial<T>,
        v1: &[T],
        x1: &mut [T],
        m1: &mut [T],
    ) -> Result<(), Fault> {
        let layout = self.layout;
        self.load_lanes(lanes, trial, v1);
        self.evaluate_lanes(lanes, trial.t + trial.h, trial.m, Some(trial.h))?;
        let d = &mut lanes.data;
        x1[layout.q()].copy_from_slice(&d.q1);
        x1[layout.v()].copy_from_slice(v1);
        x1[layout.z()].copy_from_slice(d.elements.states_out());
        x1[layout.w()].copy_from_slice(&trial.x[layout.w()]);
        m1.copy_from_slice(trial.m);
        d.elements.states_mut().copy_from_slice(&x1[layout.z()]);
        self.commit_lanes(d, m1);
        Ok(())
    }
}

impl Mechanism {
    /// Loads the end of a trial step with its accelerations, as [`Mechanism::load_trial`] does on one run.
    fn load_lanes<T: Lockstep>(&self, lanes: &mut LaneData<T>, trial: &LaneTrial<T::Plain>, v1: &[T]) {
        let (h, layout, d) = (T::of(trial.h), self.layout, &mut lanes.data);
        d.elements.set_trial_effort(trial.effort);
        let (q0, v0) = (&trial.x[layout.q()], &trial.x[layout.v()]);
        let mut q1 = std::mem::take(&mut d.q1);
        for k in 0..layout.nv {
            q1[k] = T::fixed(q0[k]) + v1[k] * h;
            d.acceleration[k] = (v1[k] - T::fixed(v0[k])) / h;
        }
        d.load(self, T::of(trial.t + trial.h), &q1, v1);
        d.q1 = q1;
        for (slot, &z) in d.elements.states_mut().iter_mut().zip(&trial.x[layout.z()]) {
            *slot = T::fixed(z);
        }
        self.scalars(d);
        for (dof, row) in self.rows.iter().enumerate() {
            let moved =
                row.clone().fold(d.bias[dof], |sum, k| sum + d.f[k] * d.acceleration[self.columns[k]]);
            d.du[dof] = moved;
        }
    }

    /// Settles the memory of the laws on the loaded states, run by run.
    fn commit_lanes<T: Lockstep<Plain = T, One = f64>>(&self, d: &Data<T>, m: &mut [T]) {
        let keeps = |element: &&crate::elements::ElementInfo| {
            !element.m.is_empty() && element.kind.holding() == Holding::Nothing
        };
        for (index, element) in self.elements.iter().enumerate().filter(|(_, element)| keeps(element)) {
            let m = &mut m[element.m.clone()];
            self.look_at(d, index, &[], |seen| {
                let (mut near, mut far) = ([[0.0; ROOM]; 6], [const { Vec::new() }; 6]);
                for k in 0..T::WIDTH {
                    let [x, v, p, u, z, own] = &mut near;
                    let [far_x, far_v, far_p, far_u, far_z, far_m] = &mut far;
                    let own = of_lane(m, k, own, far_m);
                    let look = Look {
                        x: of_lane(seen.x, k, x, far_x),
                        v: of_lane(seen.v, k, v, far_v),
                        p: of_lane(seen.p, k, p, far_p),
                        size: seen.size,
                        u: of_lane(seen.u, k, u, far_u),
                        z: of_lane(seen.z, k, z, far_z),
                        m: &[],
                        load: seen.load.lane(k),
                    };
                    element.kind.commit(&look, own);
                    m.iter_mut().zip(&*own).for_each(|(slot, &value)| slot.set_lane(k, value));
                }
            });
        }
    }
}
