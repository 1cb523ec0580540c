//! Joint scalars, poses, velocities and bias accelerations.

use gelenk_math::Lockstep;
use gelenk_math::spatial::{Motion, Pose, Vec3};

use crate::data::{Data, family, read3};
use crate::mechanism::{Function, LinkKind, Mechanism, Source};
use crate::tree::kernels::{along, cross, motion_into, turn_into};
use crate::tree::moments::Field;

/// A function of coordinates and time at an instant.
pub(crate) struct FunctionRates<T> {
    pub(crate) value: T,
    /// First rate.
    pub(crate) rate: T,
    /// Second rate with `dv/dt = 0`.
    pub(crate) bias: T,
    /// Explicit rate by the time.
    pub(crate) explicit: T,
}

impl Mechanism {
    /// Evaluates everything that follows from the loaded time, positions and velocities alone.
    pub(crate) fn kinematics<T: Lockstep>(&self, d: &mut Data<T>) {
        self.scalars(d);
        self.poses(d);
        d.du.copy_from_slice(&d.bias);
        self.motions(d);
        self.ground_view(d);
    }

    /// From coordinates to the tree: joint scalars `s`, tree velocities `u`, their bias accelerations, and `F`.
    pub(crate) fn scalars<T: Lockstep>(&self, d: &mut Data<T>) {
        let (q, v) = (self.table.q, self.table.v);
        for (i, link) in self.links.iter().enumerate() {
            let dof = link.dofs.start;
            match &link.kind {
                LinkKind::Fixed => {}
                LinkKind::Revolute { source, .. } | LinkKind::Prismatic { source, .. } => match source {
                    Source::Coordinate(a) => (d.s[dof], d.u[dof]) = (d.table[q + a], d.table[v + a]),
                    Source::Function(function) => {
                        let entry = self.rows[dof].start;
                        let rates = self.function_rates(d, function, |d, k, slope| d.f[entry + k] = slope);
                        (d.s[dof], d.u[dof]) = (rates.value, rates.rate);
                        (d.bias[dof], d.eta[dof]) = (rates.bias, rates.explicit);
                    }
                },
                LinkKind::Ball { spin, .. } | LinkKind::Free { spin, .. } => {
                    let from = v + spin.v;
                    d.u[link.dofs.clone()].copy_from_slice(&d.table[from..from + link.dofs.len()]);
                    if spin.origin.is_some() {
                        self.free_block(d, i);
                    }
                }
            }
        }
    }

    /// Pose of every link in its parent. Needs [`Self::scalars`].
    pub(crate) fn poses<T: Lockstep>(&self, d: &mut Data<T>) {
        for (link, data) in self.links.iter().zip(&mut d.links) {
            match &link.kind {
                LinkKind::Fixed => {}
                LinkKind::Revolute { .. } => {
                    let (sin, cos) = d.s[link.dofs.start].sin_cos();
                    data.pose.rotation = data.turning.at(sin, cos);
                }
                LinkKind::Prismatic { .. } => {
                    data.pose.position = data.placement.position + data.slide * d.s[link.dofs.start];
                }
                LinkKind::Ball { spin, .. } | LinkKind::Free { spin, .. } => {
                    let q = &d.table[self.table.q..];
                    let position = match spin.origin {
                        Some((origin, _)) => read3(q, origin),
                        None => Vec3::from_element(T::of(0.0)),
                    };
                    data.pose = data.placement * Pose::new(data.turn, position);
                }
            }
        }
    }

    /// Angular velocity, angular acceleration and acceleration field of every link under the tree velocities `d.u` and
    /// accelerations `d.du`, gravity as an upward acceleration of the ground. Needs [`Self::poses`].
    pub(crate) fn motions<T: Lockstep>(&self, d: &mut Data<T>) {
        let none = Vec3::from_element(T::of(0.0));
        let lift = -d.gravity;
        for (i, link) in self.links.iter().enumerate() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let pose = &data.pose;
            let (w, dw, a) = match parent {
                Some(parent) => (
                    turn_into(&pose.rotation, &parent.velocity.ang),
                    turn_into(&pose.rotation, &parent.acceleration.ang),
                    turn_into(&pose.rotation, &parent.field.at(&pose.position)),
                ),
                None => (none, none, turn_into(&pose.rotation, &lift)),
            };
            // `w` is the angular velocity of the frame that the joint moves in, so `w x` carries its rates along.
            let dof = link.dofs.start;
            let (w, dw, a) = match &link.kind {
                LinkKind::Fixed => (w, dw, a),
                LinkKind::Revolute { .. } => {
                    let turn = data.axis * d.u[dof];
                    (w + turn, cross(&w, &turn, &along(&data.axis, d.du[dof], &dw)), a)
                }
                LinkKind::Prismatic { .. } => {
                    let coriolis = w.cross(&data.axis) * (d.u[dof] + d.u[dof]);
                    (w, dw, a + data.axis * d.du[dof] + coriolis)
                }
                LinkKind::Ball { .. } => {
                    let turn = read3(&d.u, dof);
                    (w + turn, dw + read3(&d.du, dof) + w.cross(&turn), a)
                }
                LinkKind::Free { .. } => {
                    let (turn, shift) = (read3(&d.u, dof), read3(&d.u, dof + 3));
                    let carried = (w + w + turn).cross(&shift);
                    let dw = dw + read3(&d.du, dof) + w.cross(&turn);
                    (w + turn, dw, a + read3(&d.du, dof + 3) + carried)
                }
            };
            data.velocity.ang = w;
            data.acceleration.ang = dw;
            data.field = Field::new(a, &w, &dw);
        }
    }

    /// Pose in the ground frame, velocity and spatial acceleration of every link. Needs [`Self::motions`].
    pub(crate) fn ground_view<T: Lockstep>(&self, d: &mut Data<T>) {
        for (i, link) in self.links.iter().enumerate() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let v = match parent {
                Some(parent) => {
                    data.world = parent.world * data.pose;
                    motion_into(&data.pose, &parent.velocity).lin
                }
                None => {
                    data.world = data.pose;
                    Vec3::from_element(T::of(0.0))
                }
            };
            data.velocity.lin = match &link.kind {
                LinkKind::Prismatic { .. } => v + data.axis * d.u[link.dofs.start],
                LinkKind::Free { .. } => v + read3(&d.u, link.dofs.start + 3),
                LinkKind::Fixed | LinkKind::Revolute { .. } | LinkKind::Ball { .. } => v,
            };
            data.acceleration.lin = data.field.origin - data.velocity.ang.cross(&data.velocity.lin);
        }
    }

    /// `s = f(q, t)`: velocity `f_a v_a + f_t`, bias `f_ab v_a v_b + 2 f_at v_a + f_tt` (stelzner 3.3). Hands each
    /// `f_a` with its place in the function to `slope`.
    pub(crate) fn function_rates<T: Lockstep>(
        &self,
        d: &mut Data<T>,
        function: &Function,
        mut slope: impl FnMut(&mut Data<T>, usize, T),
    ) -> FunctionRates<T> {
        let v = self.table.v;
        let (mut rate, mut bias, mut explicit) = (T::of(0.0), T::of(0.0), T::of(0.0));
        for (k, (a, program)) in function.first.iter().enumerate() {
            let entry = program.eval(&d.table, &mut d.scratch);
            rate += entry * d.table[v + a];
            slope(d, k, entry);
        }
        for (a, b, factor, program) in &function.second {
            let entry = program.eval(&d.table, &mut d.scratch);
            bias += entry * T::of(*factor) * d.table[v + a] * d.table[v + b];
        }
        if let Some(time) = &function.time {
            explicit = time.first.eval(&d.table, &mut d.scratch);
            rate += explicit;
            bias += time.second.eval(&d.table, &mut d.scratch);
            for (a, program) in &time.mixed {
                bias += T::of(2.0) * program.eval(&d.table, &mut d.scratch) * d.table[v + a];
            }
        }
        let value = function.value.eval(&d.table, &mut d.scratch);
        FunctionRates { value, rate, bias, explicit }
    }

    /// The unit motion of tree velocity `dof` of link `i`, in the link's frame.
    #[inline]
    pub(crate) fn freedom<T: Lockstep>(&self, d: &Data<T>, i: usize, dof: usize) -> Motion<T> {
        let none = Vec3::from_element(T::of(0.0));
        match self.links[i].kind {
            LinkKind::Fixed => Motion::zero(),
            LinkKind::Revolute { .. } => Motion::new(d.links[i].axis, none),
            LinkKind::Prismatic { .. } => Motion::new(none, d.links[i].axis),
            LinkKind::Ball { .. } | LinkKind::Free { .. } => Motion::unit(dof - self.links[i].dofs.start),
        }
    }

    /// Adds `F^T effort` over tree velocities to `out` over `v`.
    #[inline]
    pub(crate) fn pull_back<T: Lockstep>(&self, f: &[T], effort: &[T], out: &mut [T]) {
        for (row, &value) in self.rows.iter().zip(effort) {
            for k in row.clone() {
                out[self.columns[k]] += f[k] * value;
            }
        }
    }

    /// Position of a frame's origin in the ground frame.
    #[inline]
    pub(crate) fn point<T: Lockstep>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => d.links[link].world.point(&d.frames[frame].position),
            None => d.frames[frame].position,
        }
    }

    /// Velocity of a frame's origin in the ground frame.
    #[inline]
    pub(crate) fn point_velocity<T: Lockstep>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => {
                let data = &d.links[link];
                data.world.rotation * (data.velocity.lin + data.velocity.ang.cross(&d.frames[frame].position))
            }
            None => Vec3::from_element(T::of(0.0)),
        }
    }

    /// Bias acceleration of a frame's origin in the ground frame, gravity included with its sign reversed.
    #[inline]
    pub(crate) fn point_bias<T: Lockstep>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => {
                let data = &d.links[link];
                let (w, r) = (data.velocity.ang, d.frames[frame].position);
                let velocity = data.velocity.lin + w.cross(&r);
                let rate = data.acceleration.lin + data.acceleration.ang.cross(&r) + w.cross(&velocity);
                data.world.rotation * rate
            }
            None => -d.gravity,
        }
    }
}
