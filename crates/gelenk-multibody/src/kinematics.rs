//! Joint scalars, poses, velocities and bias accelerations.

use gelenk_math::Real;
use gelenk_math::rotation::{about_axis, from_quaternion};
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3};

use crate::data::Data;
use crate::mechanism::{Function, LinkKind, Mechanism, Source};

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
    pub(crate) fn kinematics<T: Real>(&self, d: &mut Data<T>) {
        let ground = Motion::new(Vec3::from_element(T::c(0.0)), -d.gravity);
        for (i, link) in self.links.iter().enumerate() {
            let (parent_world, parent_velocity, parent_acceleration) = match link.parent {
                Some(parent) => {
                    let parent = &d.links[parent];
                    (parent.world, parent.velocity, parent.acceleration)
                }
                None => (Pose::identity(), Motion::zero(), ground),
            };
            let (motion, rate, bias) = match &link.kind {
                LinkKind::Fixed => (Pose::identity(), Motion::zero(), Motion::zero()),
                LinkKind::Revolute { source, .. } => {
                    let s = self.scalar(d, source, link.dofs.start);
                    let axis = d.links[i].axis;
                    let none = Vec3::from_element(T::c(0.0));
                    (
                        Pose::new(about_axis(&axis, s), none),
                        Motion::new(axis * d.u[link.dofs.start], none),
                        Motion::new(axis * d.bias[link.dofs.start], none),
                    )
                }
                LinkKind::Prismatic { source, .. } => {
                    let s = self.scalar(d, source, link.dofs.start);
                    let axis = d.links[i].axis;
                    let none = Vec3::from_element(T::c(0.0));
                    (
                        Pose::new(Mat3::identity(), axis * s),
                        Motion::new(none, axis * d.u[link.dofs.start]),
                        Motion::new(none, axis * d.bias[link.dofs.start]),
                    )
                }
                LinkKind::Ball { spin, .. } | LinkKind::Free { spin, .. } => {
                    let (q, v) = (self.table.q + spin.q, self.table.v + spin.v);
                    let at = |k: usize| d.table[k];
                    let rotation = from_quaternion([at(q), at(q + 1), at(q + 2), at(q + 3)]);
                    let turn = Vec3::new(at(v), at(v + 1), at(v + 2));
                    let (position, velocity) = match spin.origin {
                        Some((q, v)) => {
                            let (q, v) = (self.table.q + q, self.table.v + v);
                            let position = Vec3::new(at(q), at(q + 1), at(q + 2));
                            (position, Vec3::new(at(v), at(v + 1), at(v + 2)))
                        }
                        None => (Vec3::from_element(T::c(0.0)), Vec3::from_element(T::c(0.0))),
                    };
                    for (k, dof) in link.dofs.clone().enumerate() {
                        d.u[dof] = d.table[v + k];
                        d.f[self.rows[dof].start] = T::c(1.0);
                    }
                    (Pose::new(rotation, position), Motion::new(turn, velocity), Motion::zero())
                }
            };
            let data = &mut d.links[i];
            data.pose = data.placement * motion;
            data.world = parent_world * data.pose;
            data.velocity = data.pose.motion_into(&parent_velocity) + rate;
            data.acceleration =
                data.pose.motion_into(&parent_acceleration) + bias + data.velocity.cross(&rate);
        }
    }

    /// Evaluates a joint scalar; writes its tree velocity, bias acceleration and entries of `F`.
    fn scalar<T: Real>(&self, d: &mut Data<T>, source: &Source, dof: usize) -> T {
        let entries = self.rows[dof].clone();
        match source {
            Source::Coordinate(a) => {
                d.f[entries.start] = T::c(1.0);
                d.u[dof] = d.table[self.table.v + a];
                d.table[self.table.q + a]
            }
            Source::Function(function) => self.function(d, function, dof, entries.start),
        }
    }

    fn function<T: Real>(&self, d: &mut Data<T>, function: &Function, dof: usize, entry: usize) -> T {
        let rates = self.function_rates(d, function, |d, k, slope| d.f[entry + k] = slope);
        (d.u[dof], d.bias[dof], d.eta[dof]) = (rates.rate, rates.bias, rates.explicit);
        rates.value
    }

    /// `s = f(q, t)`: velocity `f_a v_a + f_t`, bias `f_ab v_a v_b + 2 f_at v_a + f_tt` (stelzner 3.3). Hands each
    /// `f_a` with its place in the function to `slope`.
    pub(crate) fn function_rates<T: Real>(
        &self,
        d: &mut Data<T>,
        function: &Function,
        mut slope: impl FnMut(&mut Data<T>, usize, T),
    ) -> FunctionRates<T> {
        let v = self.table.v;
        let (mut rate, mut bias, mut explicit) = (T::c(0.0), T::c(0.0), T::c(0.0));
        for (k, (a, program)) in function.first.iter().enumerate() {
            let entry = program.eval(&d.table, &mut d.scratch);
            rate += entry * d.table[v + a];
            slope(d, k, entry);
        }
        for (a, b, factor, program) in &function.second {
            let entry = program.eval(&d.table, &mut d.scratch);
            bias += entry * T::c(*factor) * d.table[v + a] * d.table[v + b];
        }
        if let Some(time) = &function.time {
            explicit = time.first.eval(&d.table, &mut d.scratch);
            rate += explicit;
            bias += time.second.eval(&d.table, &mut d.scratch);
            for (a, program) in &time.mixed {
                bias += T::c(2.0) * program.eval(&d.table, &mut d.scratch) * d.table[v + a];
            }
        }
        let value = function.value.eval(&d.table, &mut d.scratch);
        FunctionRates { value, rate, bias, explicit }
    }

    /// The unit motion of tree velocity `dof` of link `i`, in the link's frame.
    #[inline]
    pub(crate) fn freedom<T: Real>(&self, d: &Data<T>, i: usize, dof: usize) -> Motion<T> {
        let none = Vec3::from_element(T::c(0.0));
        match self.links[i].kind {
            LinkKind::Fixed => Motion::zero(),
            LinkKind::Revolute { .. } => Motion::new(d.links[i].axis, none),
            LinkKind::Prismatic { .. } => Motion::new(none, d.links[i].axis),
            LinkKind::Ball { .. } | LinkKind::Free { .. } => Motion::unit(dof - self.links[i].dofs.start),
        }
    }

    /// Adds `F^T effort` over tree velocities to `out` over `v`.
    #[inline]
    pub(crate) fn pull_back<T: Real>(&self, f: &[T], effort: &[T], out: &mut [T]) {
        for (row, &value) in self.rows.iter().zip(effort) {
            for k in row.clone() {
                out[self.columns[k]] += f[k] * value;
            }
        }
    }

    /// Position of a frame's origin in the ground frame.
    #[inline]
    pub(crate) fn point<T: Real>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => d.links[link].world.point(&d.frames[frame].position),
            None => d.frames[frame].position,
        }
    }

    /// Velocity of a frame's origin in the ground frame.
    #[inline]
    pub(crate) fn point_velocity<T: Real>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => {
                let data = &d.links[link];
                data.world.rotation * (data.velocity.lin + data.velocity.ang.cross(&d.frames[frame].position))
            }
            None => Vec3::from_element(T::c(0.0)),
        }
    }

    /// Bias acceleration of a frame's origin in the ground frame, gravity included with its sign reversed.
    #[inline]
    pub(crate) fn point_bias<T: Real>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
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
