//! Friction elements: where a law acts, and what it does there.

use gelenk_laws::Friction;
use gelenk_laws::friction::planar::{Planar, Vec2};
use gelenk_math::Real;
use gelenk_math::spatial::{Vec3, length};
use gelenk_system::{Effort, Fault};

use crate::blueprint::Rubbing;
use crate::data::Data;
use crate::mechanism::{ElementRun, Mechanism};

/// Whether an element is friction with a spring of the position in it.
fn of_position(kind: &ElementRun) -> bool {
    match kind {
        ElementRun::Friction { law, .. } => matches!(
            law,
            Friction::Play | Friction::Preisach | Friction::PrandtlIshlinskii | Friction::BoucWen
        ),
        _ => false,
    }
}

/// Share by which the acceleration may change in a step in which the motion reverses. In runs of a mass that comes to rest
/// on a Dahl law, steps above it have cycles of their own that creep for ever, and shorter steps never get there.
const UNRESOLVED: f64 = 0.25;
/// Share of the velocities that cancel in one below which it is rounding.
const ROUNDED: f64 = 1e-14;

fn dot(a: Vec2<f64>, b: Vec2<f64>) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn minus(a: Vec2<f64>, b: Vec2<f64>) -> Vec2<f64> {
    [a[0] - b[0], a[1] - b[1]]
}

impl Mechanism {
    /// Runs the law of a friction element and applies its effort; with a step `h` as a trial over it, without as a rate.
    /// Returns the effort along the motion; on a plane minus its size.
    pub(crate) fn rub<T: Real>(&self, d: &mut Data<T>, index: usize, m: &[f64], h: Option<f64>) -> T {
        let element = &self.elements[index];
        let ElementRun::Friction { on, law, p, .. } = &element.kind else { return T::c(0.0) };
        if let Rubbing::Plane { between, law } = *on {
            return self.rub_on_plane(d, index, between, law, h);
        }
        let v = self.sliding(d, on);
        let Data { law: all, z, z_out, z_rate, trial_effort, .. } = d;
        let (p, z) = (&all[p.clone()], &z[element.z.clone()]);
        let (out, m) = (&mut z_out[element.z.clone()], &m[element.m.clone()]);
        let resistance = match (h, *trial_effort) {
            (None, _) => law.rate(p, z, m, v, out),
            (Some(h), Effort::Mean) => law.advance(p, z, m, v, h, out),
            (Some(h), Effort::Once) => {
                let mean = law.advance(p, z, m, v, h, out);
                // One linear solve must not run away on a falling branch.
                if mean.falls_with(v) { T::c(mean.re()) } else { mean }
            }
            (Some(h), Effort::End) => {
                let mean = law.advance(p, z, m, v, h, out);
                // A law without a continuous form has no other effort.
                let rates = &mut z_rate[element.z.clone()];
                if law.spec().modes.continuous { law.rate(p, out, m, v, rates) } else { mean }
            }
        };
        let resistance = resistance * d.pressed[index];
        match *on {
            Rubbing::Coordinate(coordinate) => d.effort[coordinate] -= resistance,
            Rubbing::Along { between, axis } => {
                let force = self.axis(d, between[0], axis) * -resistance;
                self.pull_at_second(d, between, &force);
            }
            Rubbing::About { between: [a, b], axis } => {
                let torque = self.axis(d, a, axis) * resistance;
                self.twist(d, a, &torque);
                self.twist(d, b, &-torque);
            }
            Rubbing::Plane { .. } => {}
        }
        d.power[element.account] = -resistance * v;
        -resistance
    }

    fn rub_on_plane<T: Real>(
        &self,
        d: &mut Data<T>,
        index: usize,
        between: [usize; 2],
        law: Planar,
        h: Option<f64>,
    ) -> T {
        let element = &self.elements[index];
        let ElementRun::Friction { p, .. } = &element.kind else { return T::c(0.0) };
        let v = self.slip(d, between);
        let Data { law: all, z, z_out, z_rate, trial_effort, .. } = d;
        let (p, z) = (&all[p.clone()], z[element.z.clone()].as_chunks().0);
        let out = z_out[element.z.clone()].as_chunks_mut().0;
        let resistance = match (h, *trial_effort) {
            (None, _) => law.rate(p, z, v, out),
            (Some(h), Effort::Mean) => law.advance(p, z, v, h, out),
            (Some(h), Effort::Once) => {
                let mean = law.advance(p, z, v, h, out);
                let along = mean[0] * v[0] + mean[1] * v[1];
                let square = v[0] * v[0] + v[1] * v[1];
                // The resistance along the velocity falls with the speed where `along/square * speed` does.
                let falls = square.re() > 0.0 && (along / square.sqrt()).falls_with(square);
                if falls { mean.map(|part| T::c(part.re())) } else { mean }
            }
            (Some(h), Effort::End) => {
                let mean = law.advance(p, z, v, h, out);
                let rates = z_rate[element.z.clone()].as_chunks_mut().0;
                if law.continuous() { law.rate(p, out, v, rates) } else { mean }
            }
        };
        let resistance = resistance.map(|part| part * d.pressed[index]);
        let axes = self.orientation(d, between[0]);
        let against = Vec3::new(-resistance[0], -resistance[1], T::c(0.0));
        let force = axes * against;
        self.pull_at_second(d, between, &force);
        d.power[element.account] = -(resistance[0] * v[0] + resistance[1] * v[1]);
        d.resistance[index] = resistance;
        -length(&against)
    }

    /// Velocity that a law on a line resists; on a plane zero.
    pub(crate) fn sliding<T: Real>(&self, d: &Data<T>, on: &Rubbing) -> T {
        match *on {
            Rubbing::Coordinate(coordinate) => d.table[self.table.v + coordinate],
            Rubbing::Along { between, axis } => self.relative(d, between).1[axis],
            Rubbing::About { between: [a, b], axis } => {
                self.axis(d, a, axis).dot(&(self.turn(d, b) - self.turn(d, a)))
            }
            Rubbing::Plane { .. } => T::c(0.0),
        }
    }

    /// The same without rounding: what is a small share of the velocities that cancel in it does not tell a reversal. So a turn
    /// about an axis that no joint turns about, or a coordinate that loops lock, does not reverse without end.
    pub(crate) fn certain_sliding(&self, d: &Data<f64>, on: &Rubbing) -> f64 {
        let v = self.sliding(d, on);
        let size = match *on {
            Rubbing::Coordinate(_) => d.table[self.table.v..self.table.v + self.layout.nv]
                .iter()
                .fold(0.0f64, |max, v| max.max(v.abs())),
            Rubbing::Along { between: [a, b], .. } => {
                let arm = (self.point(d, b) - self.point(d, a)).norm();
                let points = self.point_velocity(d, a).norm() + self.point_velocity(d, b).norm();
                points + arm * self.turn(d, a).norm()
            }
            Rubbing::About { between: [a, b], .. } => self.turn(d, a).norm() + self.turn(d, b).norm(),
            Rubbing::Plane { .. } => 0.0,
        };
        if v.abs() <= ROUNDED * size { 0.0 } else { v }
    }

    /// Velocity on the plane of the first frame.
    pub(crate) fn slip<T: Real>(&self, d: &Data<T>, between: [usize; 2]) -> Vec2<T> {
        let velocity = self.relative(d, between).1;
        [velocity.x, velocity.y]
    }

    /// States of a friction element after `h` more at the loaded velocities, from the states `z` and the memory `m`.
    pub(crate) fn carry_friction(
        &self,
        d: &Data<f64>,
        index: usize,
        z: &[f64],
        m: &[f64],
        h: f64,
        z1: &mut [f64],
    ) {
        let ElementRun::Friction { on, law, p, .. } = &self.elements[index].kind else { return };
        let p = &d.law[p.clone()];
        match *on {
            Rubbing::Plane { between, law } => {
                law.advance(p, z.as_chunks().0, self.slip(d, between), h, z1.as_chunks_mut().0);
            }
            _ => {
                law.advance(p, z, m, self.sliding(d, on), h, z1);
            }
        }
    }

    /// Friction elements with a spring of the position in them, by their names: where they rest depends on the way there.
    pub fn laws_of_position(&self) -> impl Iterator<Item = &str> {
        self.elements.iter().filter(|element| of_position(&element.kind)).map(|element| element.name.as_str())
    }

    /// Leads the laws of position from the start to the positions in `x`, on the straight way.
    pub(crate) fn lead_from_start(
        &self,
        d: &mut Data<f64>,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        if self.laws_of_position().next().is_none() {
            return Ok(());
        }
        let mut start = vec![0.0; self.layout.nx()];
        self.given_start(d, &mut start);
        self.close_start(d, &mut start)?;
        for element in self.elements.iter().filter(|element| of_position(&element.kind)) {
            let ElementRun::Friction { on, law, p, .. } = &element.kind else { continue };
            let Rubbing::Coordinate(coordinate) = *on else {
                let reason = format!(
                    "law {} between frames has no way that follows from the position; put it on a coordinate",
                    law.spec().name
                );
                return Err(Fault::Refused { element: element.name.clone(), reason });
            };
            let way = x[coordinate] - start[coordinate];
            let (p, m) = (&d.law[p.clone()], &mut m[element.m.clone()]);
            let zero = vec![0.0; element.z.len()];
            let z = &mut x[self.layout.z()][element.z.clone()];
            m.fill(0.0);
            law.commit(p, &zero, 0.0, m);
            law.advance(p, &zero, m, way, 1.0, z);
            law.commit(p, z, way, m);
        }
        Ok(())
    }

    /// Whether a step of two stages follows all laws with states, see `System::resolves`.
    pub(crate) fn follows_reversals(&self, d: &mut Data<f64>, t: f64, q: &[f64], v: [&[f64]; 4]) -> bool {
        self.elements.iter().filter(|element| !element.z.is_empty()).all(|element| {
            let ElementRun::Friction { on, .. } = &element.kind else { return true };
            let [start, first, between, end] = v.map(|v| match *on {
                Rubbing::Coordinate(coordinate) => [v[coordinate], 0.0],
                Rubbing::Plane { between, .. } => {
                    d.load(self, t, q, v);
                    self.kinematics(d);
                    self.slip(d, between)
                }
                _ => {
                    d.load(self, t, q, v);
                    self.kinematics(d);
                    [self.sliding(d, on), 0.0]
                }
            });
            let turns = dot(start, first) < 0.0 || dot(first, end) < 0.0;
            let (before, after) = (minus(first, start), minus(end, between));
            let change = minus(after, before);
            let most = dot(before, before).max(dot(after, after));
            !turns || dot(change, change) <= UNRESOLVED * UNRESOLVED * most
        })
    }

    /// Energy that the states of a friction element hold at the nominal load.
    pub(crate) fn held_by_friction<T: Real>(&self, d: &Data<T>, index: usize) -> T {
        let element = &self.elements[index];
        let ElementRun::Friction { on, law, p, .. } = &element.kind else { return T::c(0.0) };
        let (p, z) = (&d.law[p.clone()], &d.z[element.z.clone()]);
        match *on {
            Rubbing::Plane { law, .. } => law.stored(p, z.as_chunks().0),
            _ => law.stored(p, z),
        }
    }

    /// Applies a force (ground frame) on the second body at the second origin, and the opposite one on the first body
    /// there.
    pub(crate) fn pull_at_second<T: Real>(&self, d: &mut Data<T>, [a, b]: [usize; 2], force: &Vec3<T>) {
        let arm = self.point(d, b) - self.point(d, a);
        self.pull(d, b, force);
        self.pull(d, a, &-force);
        self.twist(d, a, &-arm.cross(force));
    }
}
