//! Constraint equations: gaps, rows, and right sides of their accelerations.
//!
//! A scalar constraint between two bodies is a pair of wrenches: its row over the tree velocities is the power of
//! those wrenches along each freedom, and its reaction is their multiple by the multiplier. So every type only
//! states its gap, its rate, its bias acceleration and its wrenches (stelzner 3.4, with the corrected derivative
//! of the ellipsoid).

use std::ops::Range;

use gelenk_math::dense::RANK_TOLERANCE;
use gelenk_math::spatial::{Vec3, Wrench};
use gelenk_math::{Lockstep, Real};
use gelenk_system::{Fault, System};

use crate::blueprint::CoordinateKind;
use crate::data::Data;
use crate::loops::Equation;
use crate::loops::paths::Paths;
use crate::mechanism::Mechanism;

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
    /// At the origin of the ground.
    fn at_rest() -> Self {
        let none = Vec3::from_element(T::c(0.0));
        Self { point: none, velocity: none, acceleration: none, turn: none, spin: none }
    }

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

/// Share of its lever arms below which what an equation moves is rounding.
const ROUNDING: f64 = 1e-12;
/// Share of the distances from the ground's origin that counts as extent.
const FAR: f64 = 1e-2;

/// Length of a vector, without its derivatives.
fn distance<T: Real>(vector: &Vec3<T>) -> f64 {
    vector.norm_squared().re().sqrt()
}

/// The largest share of a gap in its size. What is closed exactly needs no size, and what is not finite is open.
pub(crate) fn open_share(gaps: impl Iterator<Item = (f64, f64)>) -> f64 {
    gaps.fold(0.0, |max, (gap, size)| {
        let share = if gap == 0.0 { 0.0 } else { gap.abs() / size };
        if share > max || share.is_nan() { share } else { max }
    })
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
    /// `C_q`.
    pub rows: ConstraintRows<'a, T>,
}

/// The matrix `C_q` by its entries that may differ from zero.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintRows<'a, T> {
    ranges: &'a [Range<usize>],
    columns: &'a [usize],
    entries: &'a [T],
    width: usize,
}

impl<T: Real> ConstraintRows<'_, T> {
    /// Entries of an equation, each with its velocity, rising; none for a number beyond the last equation.
    pub fn row(&self, equation: usize) -> impl Iterator<Item = (usize, T)> {
        let range = self.ranges.get(equation).cloned().unwrap_or(0..0);
        self.columns[range.clone()].iter().copied().zip(self.entries[range].iter().copied())
    }

    /// All entries, row by row, one column for every velocity.
    pub fn dense(&self) -> Vec<T> {
        let mut dense = vec![T::c(0.0); self.cells()];
        self.write(&mut dense);
        dense
    }

    /// Number of entries with all zeros.
    fn cells(&self) -> usize {
        self.width * self.ranges.len()
    }

    /// Writes all entries, row by row, one column for every velocity; `out` has room for all of them.
    pub(crate) fn write(&self, out: &mut [T]) {
        out.fill(T::c(0.0));
        for equation in 0..self.ranges.len() {
            for (column, entry) in self.row(equation) {
                out[equation * self.width + column] = entry;
            }
        }
    }
}

impl Mechanism {
    /// Evaluates all constraints at time `t` (s), positions `q` and velocities `v` of a caller, free joints
    /// at the origins of their children.
    pub fn origin_constraints<'d, T: Real>(
        &'d self,
        d: &'d mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
    ) -> Constraints<'d, T> {
        d.load_origin(self, t, q, v);
        self.constraints_here(d)
    }

    /// The same at positions and velocities of a state, over the velocities of the state.
    pub fn constraints<'d, T: Real>(
        &'d self,
        d: &'d mut Data<T>,
        t: T,
        q: &[T],
        v: &[T],
    ) -> Constraints<'d, T> {
        d.load(self, t, q, v);
        self.constraints_here(d)
    }

    /// The same at what is loaded.
    fn constraints_here<'d, T: Real>(&'d self, d: &'d mut Data<T>) -> Constraints<'d, T> {
        self.kinematics(d);
        self.loop_rows(d);
        Constraints {
            gap: &d.loops.gap,
            rate: &d.loops.gap_rate,
            gamma: &d.loops.gamma,
            rows: self.constraint_matrix(d),
        }
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

    /// The rows that [`Self::loop_rows`] has written.
    pub(crate) fn constraint_matrix<'d, T: Real>(&'d self, d: &'d Data<T>) -> ConstraintRows<'d, T> {
        let Paths { rows, columns, .. } = &self.loops.paths;
        ConstraintRows { ranges: rows, columns, entries: &d.loops.rows, width: self.layout.nv }
    }

    /// Writes rows, gaps, gap rates and acceleration right sides of all constraints. Needs kinematics.
    pub(crate) fn loop_rows<T: Real>(&self, d: &mut Data<T>) {
        d.loops.rows.fill(T::c(0.0));
        let Paths { walks, steps, entries, slopes, .. } = &self.loops.paths;
        let mut between = [usize::MAX; 2];
        let mut states = [State::at_rest(), State::at_rest()];
        let extent = self.extent(d);
        for (index, equation) in self.loops.equations.iter().enumerate() {
            if let Equation::Coupling(function) = equation {
                let places = &entries[slopes[index].clone()];
                let row = self.function_rates(d, function, |d, k, slope| d.loops.rows[places[k]] = slope);
                (d.loops.gap[index], d.loops.gap_rate[index], d.loops.gamma[index]) =
                    (row.value, row.rate, -row.bias);
                d.loops.gap_explicit[index] = row.explicit;
                let slopes = places.iter().map(|&place| d.loops.rows[place].re());
                d.loops.row_size[index] = slopes.map(|slope| slope * slope).sum();
                // What the slopes make of the coordinates, each of which counts as one radian or the extent at least.
                let parts = function.first.iter().zip(places).map(|((a, _), &place)| {
                    let least = match self.coordinates[*a].kind {
                        CoordinateKind::Length => extent,
                        CoordinateKind::Angle => 1.0,
                    };
                    d.loops.rows[place].re().abs() * least.max(d.table[self.table.q + a].re().abs())
                });
                d.loops.gap_size[index] = parts.fold(0.0, f64::max);
                continue;
            }
            let Some(frames) = equation.frames() else { continue };
            // Equations of one loop stand together and look at the same frames.
            if frames != between {
                (between, states) = (frames, frames.map(|frame| self.state(d, frame)));
            }
            let Some(row) = self.row(d, equation, &states) else { continue };
            (d.loops.gap[index], d.loops.gap_rate[index], d.loops.gamma[index]) =
                (row.gap, row.rate, -row.bias);
            d.loops.row_wrench[index] = row.wrenches;
            d.loops.row_whole[index] = row.wrenches;
            let (mut norm, mut size, mut reach) = (0.0, 0.0, 0.0);
            for step in &steps[walks[index].clone()] {
                // Power of the wrench on the frame's body per tree velocity.
                let wrench = d.links[step.link].world.wrench_into(&row.wrenches[step.side]);
                let freedom = self.freedom(d, step.link, step.dof);
                let power = freedom.dot(&wrench);
                for (&entry, k) in entries[step.entries.clone()].iter().zip(self.rows[step.dof].clone()) {
                    d.loops.rows[entry] += d.f[k] * power;
                }
                let turns = freedom.ang != Vec3::from_element(T::c(0.0));
                norm += power.re() * power.re();
                let Wrench { ang, lin } = &row.wrenches[step.side];
                let force = lin.norm_squared().re();
                reach += if turns {
                    // Of a force the whole lever arm, however it points.
                    let point = &states[step.side].point;
                    let arm = (point - d.links[step.link].world.position).norm_squared().re();
                    force * arm + (ang - point.cross(lin)).norm_squared().re()
                } else {
                    force
                };
                size += if turns { wrench.ang.norm_squared() } else { wrench.lin.norm_squared() }.re();
            }
            d.loops.row_size[index] = reach;
            d.loops.gap_size[index] = self.gap_size(d, equation, extent);
            // An equation across which no joint moves, such as the one out of the plane of a planar loop.
            // Where its force points along the lever arm, both are rounding.
            if norm <= RANK_TOLERANCE * size || norm <= ROUNDING * ROUNDING * reach {
                d.loops.rows[self.loops.paths.rows[index].clone()].fill(T::c(0.0));
                d.loops.row_wrench[index] = [Wrench::zero(); 2];
                // Nor do the velocities change its rate.
                d.loops.gap_rate[index] = T::c(d.loops.gap_rate[index].re());
            }
        }
    }

    /// Extent of the mechanism (m) where it is evaluated: distances between its bodies and offsets on them. Positions are
    /// rounded with their distance from the ground's origin, a share of which counts, too. One where all is in one point.
    pub(crate) fn extent<T: Real>(&self, d: &Data<T>) -> f64 {
        let Some(first) = d.links.first().map(|link| link.world.position) else { return 1.0 };
        let mut extent = 0.0f64;
        let mut away = 0.0f64;
        for link in &d.links {
            let mass = link.inertia.mass.re();
            let centre = if mass > 0.0 { distance(&link.inertia.moment) / mass } else { 0.0 };
            let offset = distance(&link.placement.position).max(centre);
            extent = extent.max(offset).max(distance(&(link.world.position - first)));
            away = away.max(distance(&link.world.position));
        }
        for frame in &d.frames {
            extent = extent.max(distance(&frame.position));
        }
        let extent = extent + FAR * away;
        if extent > 0.0 { extent } else { 1.0 }
    }

    /// Size of the gap of an equation between frames in a mechanism of the given extent (m): axes have length one, and an
    /// ellipsoid counts lengths by its radii.
    fn gap_size<T: Real>(&self, d: &Data<T>, equation: &Equation, extent: f64) -> f64 {
        match equation {
            Equation::Perpendicular { .. } | Equation::Coupling(_) => 1.0,
            Equation::Along { .. } => extent,
            Equation::Distance { length, .. } => extent.max(d.param(self, *length).re().abs()),
            Equation::Ellipsoid { radii, .. } => {
                let least = radii.iter().fold(f64::INFINITY, |min, &r| min.min(d.param(self, r).re().abs()));
                (extent / least).max(1.0)
            }
        }
    }

    /// The largest gap of the loops as a share of what cancels in it.
    pub(crate) fn open_share<T: Real>(&self, d: &Data<T>) -> f64 {
        open_share(d.loops.gap.iter().zip(&d.loops.gap_size).map(|(gap, &size)| (gap.re(), size)))
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
    pub(crate) fn axis<T: Lockstep>(&self, d: &Data<T>, frame: usize, axis: usize) -> Vec3<T> {
        let local: Vec3<T> = d.frames[frame].rotation.column(axis).into_owned();
        match self.frames[frame].link {
            Some(link) => d.links[link].world.rotation * local,
            None => local,
        }
    }

    /// A constraint between two frames; `None` for a coupling of coordinates.
    fn row<T: Real>(&self, d: &Data<T>, equation: &Equation, [a, b]: &[State<T>; 2]) -> Option<Row<T>> {
        let row = match *equation {
            Equation::Perpendicular { between: [m, n], axes } => {
                let (first, second) = (self.axis(d, m, axes[0]), self.axis(d, n, axes[1]));
                let ((first_rate, first_bias), (second_rate, second_bias)) =
                    (a.axis_rates(&first), b.axis_rates(&second));
                let cross = first.cross(&second);
                Row {
                    gap: first.dot(&second),
                    rate: first_rate.dot(&second) + first.dot(&second_rate),
                    bias: first_bias.dot(&second)
                        + T::c(2.0) * first_rate.dot(&second_rate)
                        + first.dot(&second_bias),
                    wrenches: [moment(cross), moment(-cross)],
                }
            }
            Equation::Along { between: [m, _], axis } => {
                let axis = self.axis(d, m, axis);
                let (rate, bias) = a.axis_rates(&axis);
                let (r, rd) = (b.point - a.point, b.velocity - a.velocity);
                Row {
                    gap: axis.dot(&r),
                    rate: rate.dot(&r) + axis.dot(&rd),
                    bias: bias.dot(&r)
                        + T::c(2.0) * rate.dot(&rd)
                        + axis.dot(&(b.acceleration - a.acceleration)),
                    wrenches: [
                        force_at(&a.point, &-axis) + moment(axis.cross(&r)),
                        force_at(&b.point, &axis),
                    ],
                }
            }
            Equation::Distance { length, .. } => {
                let (r, rd) = (b.point - a.point, b.velocity - a.velocity);
                let distance = r.norm();
                let along = r / distance;
                let rate = along.dot(&rd);
                Row {
                    gap: distance - d.param(self, length),
                    rate,
                    bias: along.dot(&(b.acceleration - a.acceleration))
                        + (rd.dot(&rd) - rate * rate) / distance,
                    wrenches: [force_at(&a.point, &-along), force_at(&b.point, &along)],
                }
            }
            Equation::Ellipsoid { between: [m, _], radii } => {
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
                Row { gap, rate, bias, wrenches }
            }
            Equation::Coupling(_) => return None,
        };
        Some(row)
    }

    /// Wrench (moment, force) of a loop on its second body at the second frame's origin, in ground axes: the sum of
    /// its rows' wrenches times minus the multipliers.
    pub(crate) fn loop_reaction<T: Real>(&self, d: &Data<T>, index: usize) -> Wrench<T> {
        self.wrench_of(d, index, |row| d.loops.lambda[row])
    }

    /// The same under other multipliers.
    pub(crate) fn wrench_of<T: Real>(
        &self,
        d: &Data<T>,
        index: usize,
        lambda: impl Fn(usize) -> T,
    ) -> Wrench<T> {
        let closure = &self.loops[index];
        let mut wrench = Wrench::zero();
        for row in closure.rows.clone() {
            wrench += d.loops.row_wrench[row][1].scale(-lambda(row));
        }
        if let Some(frame) = closure.frame {
            wrench.ang -= self.point(d, frame).cross(&wrench.lin);
        }
        wrench
    }
}
