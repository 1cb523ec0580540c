//! Constraint equations: gaps, rows, and right sides of their accelerations.
//!
//! A scalar constraint between two bodies is a pair of wrenches: its row over the tree velocities is the power of
//! those wrenches along each freedom, and its reaction is their multiple by the multiplier. So every type only
//! states its gap, its rate, its bias acceleration and its wrenches (stelzner 3.4, with the corrected derivative
//! of the ellipsoid).

use gelenk_math::Real;
use gelenk_math::spatial::{Vec3, Wrench};
use gelenk_system::{Fault, System};

use crate::data::Data;
use crate::mechanism::{Equation, Mechanism};

/// Where a frame is and how it moves, in the ground frame. Accelerations are bias accelerations, gravity included
/// with its sign reversed; it cancels between two frames.
struct State<T: Real> {
    point: Vec3<T>,
    velocity: Vec3<T>,
    acceleration: Vec3<T>,
    /// Angular velocity and acceleration of the body.
    turn: Vec3<T>,
    spin: Vec3<T>,
}

impl<T: Real> State<T> {
    /// First and second rate of an axis fixed on the body.
    fn axis_rates(&self, axis: &Vec3<T>) -> (Vec3<T>, Vec3<T>) {
        let first = self.turn.cross(axis);
        (first, self.spin.cross(axis) + self.turn.cross(&first))
    }
}

/// One scalar equation as it stands at an instant.
struct Row<T: Real> {
    gap: T,
    rate: T,
    /// Second rate with `dv/dt = 0`.
    bias: T,
    /// Wrenches on the first and the second body about the ground origin, in ground axes.
    wrenches: [Wrench<T>; 2],
}

/// A force at a point as a wrench about the ground origin.
fn force_at<T: Real>(point: &Vec3<T>, force: &Vec3<T>) -> Wrench<T> {
    Wrench::new(point.cross(force), *force)
}

/// A pure moment.
fn moment<T: Real>(moment: Vec3<T>) -> Wrench<T> {
    Wrench::new(moment, Vec3::from_element(T::c(0.0)))
}

/// All constraints of a mechanism at an instant: `C q`, `C_q v + C_t`, and `C_q dv/dt = gamma`.
#[derive(Clone, Copy, Debug)]
pub struct Constraints<'a, T> {
    /// Gaps: m, or dimensionless for axes and ellipsoids.
    pub gap: &'a [T],
    /// First rates of the gaps.
    pub rate: &'a [T],
    /// Right sides of the accelerations: minus the second rates with `dv/dt = 0`.
    pub gamma: &'a [T],
    /// `C_q`, row by row, one column for every velocity.
    pub rows: &'a [T],
}

impl Mechanism {
    /// Evaluates all constraints at time `t` (s), positions `q` and velocities `v`.
    pub fn constraints<'d, T: Real>(&self, d: &'d mut Data<T>, t: T, q: &[T], v: &[T]) -> Constraints<'d, T> {
        d.load(self, t, q, v);
        self.kinematics(d);
        self.loop_rows(d);
        Constraints { gap: &d.gap, rate: &d.gap_rate, gamma: &d.gamma, rows: &d.rows }
    }

    /// Names of the constraint equations that depend on others at the initial position: each loop with the number
    /// of its equation. They are dropped while the mechanism runs; their reactions are not unique.
    pub fn redundant_equations(&self) -> Result<Vec<String>, Fault> {
        let mut d = self.data::<f64>();
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        self.constraints(&mut d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        Ok(self.redundant(&mut d))
    }

    /// Writes rows, gaps, gap rates and acceleration right sides of all constraints. Needs kinematics.
    pub(crate) fn loop_rows<T: Real>(&self, d: &mut Data<T>) {
        let (nu, nv) = (self.nu, self.layout.nv);
        if self.layout.nc == 0 {
            return;
        }
        d.tree_rows.fill(T::c(0.0));
        d.rows.fill(T::c(0.0));
        for (index, equation) in self.equations.iter().enumerate() {
            if let Equation::Coupling(function) = equation {
                let row = self.function_rates(d, function, |d, k, slope| {
                    d.rows[index * nv + function.first[k].0] = slope;
                });
                (d.gap[index], d.gap_rate[index], d.gamma[index]) = (row.value, row.rate, -row.bias);
                d.gap_explicit[index] = row.explicit;
                continue;
            }
            let Some((row, frames)) = self.row(d, equation) else { continue };
            (d.gap[index], d.gap_rate[index], d.gamma[index]) = (row.gap, row.rate, -row.bias);
            d.row_wrench[index] = row.wrenches[1];
            for (frame, wrench) in frames.into_iter().zip(row.wrenches) {
                self.add_row(d, frame, index, &wrench);
            }
            let Data { tree_rows, rows, f, .. } = d;
            self.pull_back(
                f,
                &tree_rows[index * nu..(index + 1) * nu],
                &mut rows[index * nv..(index + 1) * nv],
            );
        }
    }

    /// Adds the power of `wrench` on a frame's body per tree velocity to a row.
    fn add_row<T: Real>(&self, d: &mut Data<T>, frame: usize, row: usize, wrench: &Wrench<T>) {
        let mut link = self.frames[frame].link;
        while let Some(i) = link {
            for dof in self.links[i].dofs.clone() {
                let motion = d.links[i].world.motion_out(&self.freedom(d, i, dof));
                d.tree_rows[row * self.nu + dof] += motion.dot(wrench);
            }
            link = self.links[i].parent;
        }
    }

    fn state<T: Real>(&self, d: &Data<T>, frame: usize) -> State<T> {
        let none = Vec3::from_element(T::c(0.0));
        let (turn, spin) = match self.frames[frame].link {
            Some(link) => {
                let link = &d.links[link];
                (link.world.rotation * link.velocity.ang, link.world.rotation * link.acceleration.ang)
            }
            None => (none, none),
        };
        State {
            point: self.point(d, frame),
            velocity: self.point_velocity(d, frame),
            acceleration: self.point_bias(d, frame),
            turn,
            spin,
        }
    }

    /// Axis of a frame in the ground frame.
    pub(crate) fn axis<T: Real>(&self, d: &Data<T>, frame: usize, axis: usize) -> Vec3<T> {
        let local: Vec3<T> = d.frames[frame].rotation.column(axis).into_owned();
        match self.frames[frame].link {
            Some(link) => d.links[link].world.rotation * local,
            None => local,
        }
    }

    /// A constraint between two frames; `None` for a coupling of coordinates.
    fn row<T: Real>(&self, d: &Data<T>, equation: &Equation) -> Option<(Row<T>, [usize; 2])> {
        let row = match *equation {
            Equation::Point { between: [m, n], axis } => {
                let (a, b) = (self.state(d, m), self.state(d, n));
                let mut unit = Vec3::from_element(T::c(0.0));
                unit[axis] = T::c(1.0);
                let row = Row {
                    gap: (b.point - a.point)[axis],
                    rate: (b.velocity - a.velocity)[axis],
                    bias: (b.acceleration - a.acceleration)[axis],
                    wrenches: [force_at(&a.point, &-unit), force_at(&b.point, &unit)],
                };
                (row, [m, n])
            }
            Equation::Perpendicular { between: [m, n], axes } => {
                let (a, b) = (self.state(d, m), self.state(d, n));
                let (first, second) = (self.axis(d, m, axes[0]), self.axis(d, n, axes[1]));
                let ((first_rate, first_bias), (second_rate, second_bias)) =
                    (a.axis_rates(&first), b.axis_rates(&second));
                let cross = first.cross(&second);
                let row = Row {
                    gap: first.dot(&second),
                    rate: first_rate.dot(&second) + first.dot(&second_rate),
                    bias: first_bias.dot(&second)
                        + T::c(2.0) * first_rate.dot(&second_rate)
                        + first.dot(&second_bias),
                    wrenches: [moment(cross), moment(-cross)],
                };
                (row, [m, n])
            }
            Equation::Along { between: [m, n], axis } => {
                let (a, b) = (self.state(d, m), self.state(d, n));
                let axis = self.axis(d, m, axis);
                let (rate, bias) = a.axis_rates(&axis);
                let (r, rd) = (b.point - a.point, b.velocity - a.velocity);
                let row = Row {
                    gap: axis.dot(&r),
                    rate: rate.dot(&r) + axis.dot(&rd),
                    bias: bias.dot(&r)
                        + T::c(2.0) * rate.dot(&rd)
                        + axis.dot(&(b.acceleration - a.acceleration)),
                    wrenches: [
                        force_at(&a.point, &-axis) + moment(axis.cross(&r)),
                        force_at(&b.point, &axis),
                    ],
                };
                (row, [m, n])
            }
            Equation::Distance { between: [m, n], length } => {
                let (a, b) = (self.state(d, m), self.state(d, n));
                let (r, rd) = (b.point - a.point, b.velocity - a.velocity);
                let distance = r.norm();
                let along = r / distance;
                let rate = along.dot(&rd);
                let row = Row {
                    gap: distance - d.param(self, length),
                    rate,
                    bias: along.dot(&(b.acceleration - a.acceleration))
                        + (rd.dot(&rd) - rate * rate) / distance,
                    wrenches: [force_at(&a.point, &-along), force_at(&b.point, &along)],
                };
                (row, [m, n])
            }
            Equation::Ellipsoid { between: [m, n], radii } => {
                let (a, b) = (self.state(d, m), self.state(d, n));
                let (r, rd) = (b.point - a.point, b.velocity - a.velocity);
                let axes = [0, 1, 2].map(|k| self.axis(d, m, k));
                let carried = rd - a.turn.cross(&r);
                let second =
                    b.acceleration - a.acceleration - a.spin.cross(&r) - a.turn.cross(&rd) * T::c(2.0)
                        + a.turn.cross(&a.turn.cross(&r));
                let mut gradient = Vec3::from_element(T::c(0.0));
                let (mut gap, mut rate, mut bias) = (T::c(-1.0), T::c(0.0), T::c(0.0));
                for k in 0..3 {
                    let radius = d.param(self, radii[k]);
                    let weight = T::c(1.0) / (radius * radius);
                    let (x, xd, xdd) = (axes[k].dot(&r), axes[k].dot(&carried), axes[k].dot(&second));
                    gap += weight * x * x;
                    rate += T::c(2.0) * weight * x * xd;
                    bias += T::c(2.0) * weight * (xd * xd + x * xdd);
                    gradient += axes[k] * (T::c(2.0) * weight * x);
                }
                let carry = moment(-r.cross(&gradient));
                let wrenches = [force_at(&a.point, &-gradient) + carry, force_at(&b.point, &gradient)];
                (Row { gap, rate, bias, wrenches }, [m, n])
            }
            Equation::Coupling(_) => return None,
        };
        Some(row)
    }

    /// Unit wrenches of an equation on its two bodies about the ground origin; `None` for a coupling of coordinates.
    pub(crate) fn row_wrenches<T: Real>(
        &self,
        d: &Data<T>,
        equation: &Equation,
    ) -> Option<([Wrench<T>; 2], [usize; 2])> {
        self.row(d, equation).map(|(row, frames)| (row.wrenches, frames))
    }

    /// Wrench (moment, force) of a loop on its second body at the second frame's origin, in ground axes: the sum of
    /// its rows' wrenches times minus the multipliers.
    pub(crate) fn loop_reaction(&self, d: &Data<f64>, index: usize) -> Wrench<f64> {
        let closure = &self.loops[index];
        let mut wrench = Wrench::zero();
        for row in closure.rows.clone() {
            wrench += d.row_wrench[row].scale(-d.lambda[row]);
        }
        if let Some(frame) = closure.frame {
            wrench.ang -= self.point(d, frame).cross(&wrench.lin);
        }
        wrench
    }
}
