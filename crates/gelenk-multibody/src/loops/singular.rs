//! Loops at singular positions.
//!
//! Where two branches of the closed positions of a loop meet, as at the change point of a parallelogram, its equations
//! lose a rank: the smallest pivot of `C C^T` falls with the square of the distance `s` from there and vanishes. The
//! motion goes on along its branch as smoothly as anywhere else, but the equations of one instant tell it less and less:
//! what a state is off its branch moves its acceleration by `1/s`, and the nearest closed position may lie on the other
//! branch. A pivot that vanishes there is no sign that an equation is redundant, since it was not before.
//!
//! So the memory keeps the rank and the smallest pivot that the equations have elsewhere, and near a singular position
//!
//! - rates are evaluated on the branch, at the projected state;
//! - where that is too near, they are interpolated between states a little ahead and a little behind on the branch;
//! - accepted states are projected in every method of closing; where the velocity shows that the branches are too close
//!   to be told apart, the equation that is lost is left alone until they part again.

use std::ops::Range;

use gelenk_system::{Fault, Layout, System};

use crate::data::Data;
use crate::loops::closing::Closing;
use crate::loops::projection::ROUNDED;
use crate::mechanism::Mechanism;

/// Share of the smallest usual pivot, the square of the distance, below which a position is near a singular one...
const NEAR: f64 = 1e-2;
/// ...and below which rates are interpolated: what rounding leaves open of a loop moves them by its third power.
const AT: f64 = 1e-5;
/// Share below which there is nothing but rounding.
const LEAST: f64 = 1e-13;
/// Shares between which the direction that is lost is followed: below them it may be that of a redundant equation.
const FOLLOWED: Range<f64> = 1e-6..0.81;
/// Share of the smallest usual pivot that tells an equation which was thought redundant from noise.
const MORE: f64 = 1e-6;
/// Largest share of the velocity, and largest displacement as a share of the distance, by which a projection keeps to its
/// branch.
const STEADY: f64 = 0.1;
const MOVED: f64 = 1e-3;
/// First displacement (rad, or a share of the extent) to a state beside, and how often it is doubled.
const SPAN: f64 = 3e-3;
const SPANS: usize = 6;
/// States beside, and their weights in the value between them (an error of the fourth order).
const STATES: [f64; 4] = [1.0, -1.0, 2.0, -2.0];
const WEIGHTS: [f64; 4] = [2.0 / 3.0, 2.0 / 3.0, -1.0 / 6.0, -1.0 / 6.0];
/// Gap, as a share of the lever arms, up to which branches meet; with a larger one they turn away from each other.
const MEET: f64 = 1e-7;
/// Gap, as a share of its size, that the equation which is left alone may have.
const LEFT: f64 = 1e-4;

/// Places in the memory: rank, smallest usual pivot, equation that is followed, when it was (s), the loop that has
/// passed a singular position in the last step and when, whether an equation was left alone; then the part of its row
/// that no other row has.
const RANK: usize = 0;
const USUAL: usize = 1;
const ROW: usize = 2;
const SINCE: usize = 3;
const PASSED: usize = 4;
const WHEN: usize = 5;
const LOOSE: usize = 6;
const LOST: usize = 7;

/// Makes room in the memory of a mechanism with loops.
pub(crate) fn place(layout: &mut Layout) -> Range<usize> {
    let start = layout.nm;
    if layout.nc > 0 {
        layout.nm += LOST + layout.nv;
    }
    start..layout.nm
}

/// Workspace for states beside a singular position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    x: Vec<f64>,
    kept: Vec<f64>,
    ends: [Vec<f64>; 2],
    rates: [Vec<f64>; 4],
    lambda: [Vec<f64>; 4],
    lost: Vec<f64>,
}

impl Beside {
    pub(crate) fn new(layout: &Layout) -> Self {
        if layout.nc == 0 {
            return Self::default();
        }
        let (x, lambda) = (vec![0.0; layout.nx()], vec![0.0; layout.nc]);
        Self {
            x: x.clone(),
            kept: vec![0.0; layout.nq + layout.nv],
            ends: [x.clone(), x.clone()],
            rates: std::array::from_fn(|_| x.clone()),
            lambda: std::array::from_fn(|_| lambda.clone()),
            lost: vec![0.0; layout.nv],
        }
    }
}

/// What the loops have where they are not singular.
#[derive(Clone, Copy, Debug)]
struct Usual {
    rank: usize,
    pivot: f64,
}

impl Mechanism {
    /// Notes rank and smallest pivot of a start. Needs its loop rows.
    pub(crate) fn start_watch(&self, d: &mut Data<f64>, m: &mut [f64]) {
        if self.loops.watch.is_empty() {
            return;
        }
        self.factor_gram(d);
        let (rank, pivot) =
            self.shares(d).fold((0, f64::INFINITY), |(n, least), (_, s)| (n + 1, s.min(least)));
        let watch = &mut m[self.loops.watch.clone()];
        watch.fill(0.0);
        (watch[RANK], watch[USUAL]) = (rank as f64, if rank > 0 { pivot } else { 0.0 });
    }

    /// Takes the ranks of the equations of motion at a start for those of the whole run. Needs their solution.
    pub(crate) fn know_ranks(&self, d: &mut Data<f64>) {
        d.loops.carried.know_ranks();
        d.loops.known_rank = Some(d.loops.rank).filter(|_| !self.articulated);
    }

    fn usual(&self, m: &[f64]) -> Option<Usual> {
        let watch = m.get(self.loops.watch.clone()).filter(|watch| !watch.is_empty() && watch[RANK] > 0.0)?;
        Some(Usual { rank: watch[RANK] as usize, pivot: watch[USUAL] })
    }

    /// Equations that the factor of `C C^T` has kept, each with its pivot as a share of its size.
    fn shares<'a>(&'a self, d: &'a Data<f64>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let sized = d
            .loops
            .gram
            .pivots(&self.loops.paths.gram.pattern)
            .filter(|(row, _)| d.loops.row_size[*row] > 0.0);
        sized.map(|(row, pivot)| (row, pivot / d.loops.row_size[row]))
    }

    /// Whether the factor of `C C^T` has all pivots above a share of what is usual.
    fn clear_of(&self, d: &Data<f64>, usual: Usual, share: f64) -> bool {
        self.shares(d).filter(|(_, pivot)| *pivot > share * usual.pivot).count() >= usual.rank
    }

    /// The rates as a run integrates them: those of the branch near singular positions.
    pub(crate) fn rates_on_branch(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        dx: &mut [f64],
    ) -> Result<(), Fault> {
        let Some(usual) = self.usual(m) else { return self.rates(d, t, x, m, dx) };
        let partition = !self.loops.split.is_empty();
        let evaluated = if partition {
            self.constraints(d, t, &x[self.layout.q()], &x[self.layout.v()]);
            Ok(())
        } else {
            self.rates(d, t, x, m, dx)
        };
        self.factor_gram(d);
        if self.clear_of(d, usual, NEAR) {
            return if partition { self.rates(d, t, x, m, dx) } else { evaluated };
        }
        let mut beside = std::mem::take(&mut d.loops.beside);
        let found = self.rates_near(d, t, x, m, usual, &mut beside);
        if found.is_ok() {
            dx.copy_from_slice(&beside.rates[0]);
        }
        d.loops.beside = beside;
        found
    }

    /// The rates near a singular position, into the first ones of `beside`; the workspace is left at the state itself.
    fn rates_near(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        m: &[f64],
        usual: Usual,
        beside: &mut Beside,
    ) -> Result<(), Fault> {
        let here = (t, x, m);
        if self.rates_beside(d, here, 0.0, (usual, AT), (beside, 0)) {
            return Ok(());
        }
        let speed = self.size_in(d, x[self.layout.v()].iter().copied());
        let mut span = SPAN / speed;
        for _ in 0..SPANS {
            let found = span.is_finite()
                && STATES.iter().enumerate().all(|(side, states)| {
                    self.rates_beside(d, here, states * span, (usual, AT), (beside, side))
                });
            if found && self.branches_meet(d, t, usual, beside) {
                return self.interpolate_rates(d, here, beside);
            }
            if found {
                break;
            }
            span *= 2.0;
        }
        if self.rates_beside(d, here, 0.0, (usual, LEAST), (beside, 0)) {
            return Ok(());
        }
        Err(self.singular(d, t))
    }

    /// Whether the states ahead and behind are on one branch: half way between them the loops are closed, too.
    fn branches_meet(&self, d: &mut Data<f64>, t: f64, usual: Usual, beside: &mut Beside) -> bool {
        let q = self.layout.q();
        let Beside { x, ends: [ahead, behind], .. } = beside;
        let mut way = std::mem::take(&mut d.dv);
        self.difference(&behind[q.clone()], &ahead[q.clone()], &mut way);
        way.iter_mut().for_each(|way| *way *= 0.5);
        self.retract(&behind[q.clone()], &way, &mut x[q]);
        d.dv = way;
        d.loops.floor = NEAR * usual.pivot;
        let projected = self.project_to(d, t, x, LEFT);
        d.loops.floor = 0.0;
        let closed = |(gap, size): (&f64, &f64)| gap.abs() <= MEET * size.sqrt();
        projected.is_ok() && d.loops.gap.iter().zip(&d.loops.row_size).all(closed)
    }

    /// The rates between the states beside, into the first ones; the workspace is left at the state itself.
    fn interpolate_rates(
        &self,
        d: &mut Data<f64>,
        (t, x, m): (f64, &[f64], &[f64]),
        beside: &mut Beside,
    ) -> Result<(), Fault> {
        let Beside { rates, lambda, .. } = beside;
        interpolate(rates);
        interpolate(lambda);
        let layout = self.layout;
        d.load(self, t, &x[layout.q()], &x[layout.v()]);
        d.elements.states_mut().copy_from_slice(&x[layout.z()]);
        self.evaluate(d, m, None)?;
        d.acceleration.copy_from_slice(&rates[0][layout.v()]);
        d.elements.power_mut().copy_from_slice(&rates[0][layout.w()]);
        d.loops.lambda.copy_from_slice(&lambda[0]);
        Ok(())
    }

    /// Rates and multipliers on the branch `span` (s) ahead of a state, where that is clear of the singular position and
    /// the projection keeps to the branch.
    fn rates_beside(
        &self,
        d: &mut Data<f64>,
        (t, x, m): (f64, &[f64], &[f64]),
        span: f64,
        (usual, share): (Usual, f64),
        (beside, side): (&mut Beside, usize),
    ) -> bool {
        let layout = self.layout;
        beside.x.copy_from_slice(x);
        if span != 0.0 {
            let mut way = std::mem::take(&mut d.dv);
            way.iter_mut().zip(&x[layout.v()]).for_each(|(way, v)| *way = span * v);
            self.retract(&x[layout.q()], &way, &mut beside.x[layout.q()]);
            d.dv = way;
        }
        beside.kept.copy_from_slice(&beside.x[..layout.nq + layout.nv]);
        self.project_tightly(d, t + span, &mut beside.x).is_ok()
            && self.clear_of(d, usual, share)
            && self.steady(d, &beside.kept, &beside.x, usual)
            && self.rates(d, t + span, &beside.x, m, &mut beside.rates[side]).is_ok()
            && {
                beside.lambda[side].copy_from_slice(&d.loops.lambda);
                if let Some(end) = beside.ends.get_mut(side) {
                    end.copy_from_slice(&beside.x);
                }
                true
            }
    }

    /// Size of velocities or displacements, one for each velocity: lengths count as shares of the mechanism's extent, so that
    /// they can stand beside angles.
    pub(crate) fn size_in(&self, d: &Data<f64>, v: impl Iterator<Item = f64>) -> f64 {
        let extent = self.extent(d);
        v.enumerate()
            .map(|(k, v)| if self.loops.lengths[k] { v / extent } else { v })
            .map(|v| v * v)
            .sum::<f64>()
            .sqrt()
    }

    /// Whether a projection from `before` to `after` has kept to its branch: what is off it by a share of the distance
    /// from the singular position has as large a share of the velocity across. Needs the factor of `C C^T`.
    fn steady(&self, d: &mut Data<f64>, before: &[f64], after: &[f64], usual: Usual) -> bool {
        let layout = self.layout;
        let across = before[layout.v()].iter().zip(&after[layout.v()]).map(|(a, b)| a - b);
        if self.size_in(d, across) <= STEADY * self.size_in(d, after[layout.v()].iter().copied()) {
            return true;
        }
        let mut way = std::mem::take(&mut d.dv);
        self.difference(&before[layout.q()], &after[layout.q()], &mut way);
        let moved = self.size_in(d, way.iter().copied());
        d.dv = way;
        let least = self.shares(d).fold(f64::INFINITY, |least, (_, share)| least.min(share));
        moved <= MOVED * (least / usual.pivot).sqrt()
    }

    /// Closes an accepted state by projection, on its branch where that is near a singular position; returns the gap.
    pub(crate) fn project_on_branch(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<f64, Fault> {
        let Some(usual) = self.usual(m) else { return self.project_state(d, t, x) };
        let mut beside = std::mem::take(&mut d.loops.beside);
        beside.kept.copy_from_slice(&x[..self.layout.nq + self.layout.nv]);
        let projected = self.project_kept(d, t, x, m, usual, &beside.kept);
        if projected.is_ok() {
            self.follow_lost(d, t, m, usual, &mut beside.lost);
        }
        d.loops.beside = beside;
        projected
    }

    fn project_kept(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
        usual: Usual,
        kept: &[f64],
    ) -> Result<f64, Fault> {
        let n = self.layout.nq + self.layout.nv;
        let projected = self.project_state(d, t, x);
        let loose = &mut m[self.loops.watch.start + LOOSE];
        let tell = |gap| if let Ok(gap) = gap { self.clear_of(d, usual, NEAR).then_some(gap) } else { None };
        if let Some(gap) = tell(projected.clone()) {
            // Branches that have parted without the motion being on one of them.
            if *loose != 0.0 && !self.steady(d, kept, x, usual) {
                return Err(self.singular(d, t));
            }
            *loose = 0.0;
            return Ok(gap);
        }
        if let Ok(gap) = projected
            && self.clear_of(d, usual, LEAST)
            && self.steady(d, kept, x, usual)
        {
            *loose = 0.0;
            return Ok(gap);
        }
        x[..n].copy_from_slice(kept);
        self.constraints(d, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.factor_gram(d);
        if projected.is_err() && self.clear_of(d, usual, NEAR) {
            return projected;
        }
        *loose = 1.0;
        d.loops.floor = NEAR * usual.pivot;
        let gap = self.project_to(d, t, x, LEFT);
        d.loops.floor = 0.0;
        gap.map_err(|_| self.singular(d, t))
    }

    /// Watches a state that is closed otherwise, by projection where it is near a singular position; `None` where it is
    /// not.
    pub(crate) fn watch_state(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &mut [f64],
        m: &mut [f64],
    ) -> Result<Option<f64>, Fault> {
        let Some(usual) = self.usual(m) else { return Ok(None) };
        self.factor_gram(d);
        if !self.clear_of(d, usual, NEAR) || m[self.loops.watch.start + LOOSE] != 0.0 {
            return self.project_on_branch(d, t, x, m).map(Some);
        }
        let mut beside = std::mem::take(&mut d.loops.beside);
        self.follow_lost(d, t, m, usual, &mut beside.lost);
        d.loops.beside = beside;
        Ok(None)
    }

    /// Notes what the loops usually have, and follows the part of the weakest row that no other row has: it turns round
    /// where a singular position is passed. Needs the loop rows and the factor of `C C^T`.
    fn follow_lost(&self, d: &mut Data<f64>, t: f64, m: &mut [f64], usual: Usual, lost: &mut [f64]) {
        let watch = self.loops.watch.start;
        m[watch + PASSED] = 0.0;
        if m[watch + LOOSE] != 0.0 || !self.clear_of(d, usual, LEAST) {
            return;
        }
        let closed = self.open_share(d) < ROUNDED;
        let all = self.shares(d).filter(|(_, share)| *share > MORE * usual.pivot).count();
        if all > usual.rank && closed && matches!(self.loops.closing, Closing::Project | Closing::Partition) {
            m[watch + RANK] = all as f64;
        }
        if self.clear_of(d, usual, 4.0) {
            m[watch + USUAL] = 4.0 * usual.pivot;
        }
        if m[watch + ROW] > 0.0 {
            let row = m[watch + ROW] as usize - 1;
            self.lost_part(d, row, usual, lost);
            let before = &m[watch + LOST..watch + LOST + lost.len()];
            let along: f64 = before.iter().zip(lost.iter()).map(|(a, b)| a * b).sum();
            let (from, to, since) = (size(before), size(lost), m[watch + SINCE]);
            if to * to <= FOLLOWED.start * usual.pivot * d.loops.row_size[row] {
                return;
            }
            if along < 0.0 {
                m[watch + WHEN] = since + (t - since) * from / (from + to);
                m[watch + PASSED] = 1.0 + row as f64;
            }
        }
        let weak = self.shares(d).filter(|(_, share)| FOLLOWED.contains(&(share / usual.pivot)));
        let weakest = weak.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row);
        m[watch + ROW] = weakest.map_or(0.0, |row| 1.0 + row as f64);
        if let Some(row) = weakest {
            self.lost_part(d, row, usual, lost);
            m[watch + LOST..watch + LOST + lost.len()].copy_from_slice(lost);
            m[watch + SINCE] = t;
        }
    }

    /// The part of a row of `C` that no other row has but those which are as weak. Leaves the factor of `C C^T` as it was.
    fn lost_part(&self, d: &mut Data<f64>, row: usize, usual: Usual, lost: &mut [f64]) {
        lost.fill(0.0);
        for (k, entry) in self.constraint_matrix(d).row(row) {
            lost[k] = entry;
        }
        for other in 0..self.layout.nc {
            d.loops.lambda[other] =
                self.constraint_matrix(d).row(other).map(|(k, entry)| entry * lost[k]).sum();
        }
        (d.loops.floor, d.loops.without) = (NEAR * usual.pivot, Some(row));
        self.least_norm(d, lost);
        (d.loops.floor, d.loops.without) = (0.0, None);
        self.factor_gram(d);
    }

    /// The loop that has passed a singular position in the last step.
    pub(crate) fn passed_loop(&self, m: &[f64]) -> Option<(&str, f64)> {
        let watch =
            m.get(self.loops.watch.clone()).filter(|watch| !watch.is_empty() && watch[PASSED] > 0.0)?;
        Some((self.loop_of(watch[PASSED] as usize - 1), watch[WHEN]))
    }

    /// The loop of an equation.
    pub(crate) fn loop_of(&self, row: usize) -> &str {
        self.loops.iter().find(|l| l.rows.contains(&row)).map(|l| l.name.as_str()).unwrap_or_default()
    }

    /// The fault of the loop with the smallest pivot at the evaluated state.
    fn singular(&self, d: &Data<f64>, t: f64) -> Fault {
        let dropped = || {
            d.loops
                .gram
                .dropped(&self.loops.paths.gram.pattern)
                .into_iter()
                .find(|&row| d.loops.row_size[row] > 0.0)
        };
        let weakest = self.shares(d).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row);
        let element = self.loop_of(weakest.or_else(dropped).unwrap_or(0)).to_owned();
        Fault::Singular { element, t }
    }
}

fn size(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Puts the value between those of the states beside into the first one.
fn interpolate(values: &mut [Vec<f64>; 4]) {
    let [first, others @ ..] = values;
    first.iter_mut().for_each(|value| *value *= WEIGHTS[0]);
    for (other, weight) in others.iter().zip(&WEIGHTS[1..]) {
        first.iter_mut().zip(other).for_each(|(value, other)| *value += weight * other);
    }
}
