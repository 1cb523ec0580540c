//! A prescribed motion on one branch of its loops.
//!
//! Where two branches of the closed positions of a loop meet, as at the change point of a parallelogram, the nearest closed
//! position may be on the other branch. So what is not given is predicted from the last instant by its velocity and
//! acceleration, `q + h v + h^2/2 a`, before the loops are closed, and the step is divided until the correction is small
//! against the distance from the singular position, where it cannot lead to another branch. The distance is what
//! the weakest equation has beside the others, over the coordinates that may move, as a share of the largest one so far. Steps pass over
//! the vicinity of a singular position; an instant inside of it is interpolated between instants before and behind.
//!
//! A motion that turns or stops exactly there can go on along either branch: that is a fault.

use gelenk_system::{Fault, System};

use crate::data::Data;
use crate::loops::following::largest;
use crate::mechanism::Mechanism;

/// Distance from a singular position (a share of the largest one) below which instants are interpolated.
const VICINITY: f64 = 1e-3;
/// Largest correction of a prediction (rad, or a share of the extent) as a share of the distance.
const CORRECTION: f64 = 0.05;
/// Distance below which the velocity is compared, too, and the share of it that may differ from the prediction.
const NEAR: f64 = 0.2;
const VELOCITY: f64 = 0.1;
/// Largest turn of a step (rad).
const TURN: f64 = 0.3;
/// Trials of a step before it is given up, and those after which a motion that jumps is taken as it is.
const TRIALS: usize = 80;
const JUMP: usize = 45;
/// Trials of one row at most: a motion that needs more does not go on.
const STEPS: usize = 20_000;
/// How often the span to the instants beside is doubled.
const SPANS: usize = 8;
/// Gap, as a share of the size of what cancels in it, that an interpolated instant may have.
const OPEN: f64 = 1e-7;
/// Instants inside a step at which the distance is looked at.
const LOOKS: usize = 16;
/// Distance from a singular position at which turning is not decided, and the share of the speed that counts as a stop.
const UNDECIDED: f64 = 1e-4;
const STOP: f64 = 1e-3;
/// Share of a row that no other row has, below which nothing but rounding is left.
const NOTHING: f64 = 1e-6;

/// A given motion: writes positions, velocities and accelerations at a time (s).
pub type Given<'g> = dyn FnMut(f64, &mut [f64], &mut [f64], &mut [f64]) + 'g;

/// An instant of a motion with closed loops.
#[derive(Clone, Debug)]
struct Closed {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// Largest gap of each loop before it was closed.
    gaps: Vec<f64>,
    distance: f64,
    /// The equation that is lost first.
    row: usize,
}

/// What a trial has found.
enum Found {
    Closed(Closed),
    /// The instant is in the vicinity of a singular position.
    Vicinity,
    /// The step is too long; the instant, where the loops are closed away from singular positions.
    Far(Option<Closed>),
}

/// Where a motion is on its way over the loops.
#[derive(Clone, Debug)]
pub struct Branch {
    moves: Vec<bool>,
    at: Option<Closed>,
    /// Velocity components that turn.
    turns: Vec<bool>,
    rank: usize,
    /// Largest distance from a singular position so far.
    usual: f64,
    passed: Vec<(usize, f64)>,
    /// Why the last trial could not close the loops.
    refused: Option<Fault>,
    /// Positions from which the first instant is closed.
    opening: Option<Vec<f64>>,
    /// Of an instant in the vicinity of a singular position: the equation that is lost, and a time (s) to either side after
    /// which it is left.
    within: Option<(usize, f64)>,
}

impl Branch {
    /// A motion in which the velocity components with `moves[k]` follow the loops and the others are given.
    pub fn new(moves: Vec<bool>) -> Self {
        Self {
            moves,
            at: None,
            turns: Vec::new(),
            rank: 0,
            usual: 0.0,
            passed: Vec::new(),
            refused: None,
            opening: None,
            within: None,
        }
    }
}

impl Mechanism {
    /// Follows a given motion to time `t` (s): closes the loops there by positions `q`, velocities `v` and accelerations
    /// `a`, on the branch that continues the motion of the last instant. The first instant is closed by
    /// [`Self::follow`]. Writes the largest gaps before, as that does.
    ///
    /// # Errors
    /// Loops that cannot be closed; [`Fault::Singular`] where the motion does not decide on which branch it goes on.
    #[allow(clippy::too_many_arguments)]
    pub fn follow_branch(
        &self,
        d: &mut Data<f64>,
        branch: &mut Branch,
        t: f64,
        given: &mut Given<'_>,
        q: &mut [f64],
        v: &mut [f64],
        a: &mut [f64],
        gaps: &mut [f64],
    ) -> Result<(), Fault> {
        let write = |at: &Closed, q: &mut [f64], v: &mut [f64], a: &mut [f64], gaps: &mut [f64]| {
            q.copy_from_slice(&at.q);
            v.copy_from_slice(&at.v);
            a.copy_from_slice(&at.a);
            gaps.copy_from_slice(&at.gaps);
        };
        let Some(mut from) = branch.at.take() else {
            given(t, q, v, a);
            if let Some(opening) = branch.opening.take() {
                self.take_free(&branch.moves, &opening, q);
            }
            self.follow(d, t, q, v, a, &branch.moves, gaps)?;
            let (rank, distance, row) = self.distance(d, &branch.moves);
            (branch.rank, branch.usual) = (rank, distance);
            let rates = &self.channels()[self.layout.nq..self.layout.nq + self.layout.nv];
            branch.turns = rates.iter().map(|rate| rate.unit == "rad/s").collect();
            let (q, v, a, gaps) = (q.to_vec(), v.to_vec(), a.to_vec(), gaps.to_vec());
            branch.at = Some(Closed { t, q, v, a, gaps, distance, row });
            return Ok(());
        };
        let (mut h, mut trials, mut steps) = (t - from.t, 0, 0);
        (branch.refused, branch.within) = (None, None);
        while trials < TRIALS && steps < STEPS {
            steps += 1;
            let ends = h.abs() >= (t - from.t).abs() * (1.0 - 1e-12);
            let target = if ends { t } else { from.t + h };
            trials += 1;
            match self.trial(d, branch, &from, target, given)? {
                Found::Closed(next) => {
                    if !self.inspect(d, branch, &from, &next)? {
                        h *= 0.5;
                        continue;
                    }
                    branch.usual = branch.usual.max(next.distance);
                    (from, trials) = (next, 0);
                    h = if ends { h } else { 2.0 * h };
                }
                Found::Vicinity if ends => {
                    if let Some((between, span)) = self.beside(d, branch, &from, t, given)? {
                        branch.within = Some((from.row, span));
                        write(&between, q, v, a, gaps);
                        branch.at = Some(from);
                        return Ok(());
                    }
                    h *= 0.6;
                    continue;
                }
                Found::Vicinity => {
                    h *= 1.5;
                    continue;
                }
                Found::Far(Some(next)) if trials > JUMP => (from, trials, h) = (next, 0, t - target),
                Found::Far(_) => {
                    h *= 0.5;
                    continue;
                }
            }
            if ends {
                write(&from, q, v, a, gaps);
                branch.at = Some(from);
                return Ok(());
            }
        }
        Err(match branch.refused.take() {
            Some(fault) => fault,
            None => self.undecided(from.row, from.t),
        })
    }

    /// Where the last instant is at a singular position: the loop, and a time (s) to either side after which it is left.
    pub fn within_vicinity(&self, branch: &Branch) -> Option<(&str, f64)> {
        branch.within.map(|(row, span)| (self.loop_of(row), span))
    }

    /// Goes from the start of the model, positions `start` with closed loops, to where a motion begins at time `t` (s): all
    /// given coordinates at once along straight lines, so that the first instant is on the branch of the start. Where the
    /// loops do not let them, or move with time, the first instant is the closed one nearest to the start.
    pub fn open_branch(
        &self,
        d: &mut Data<f64>,
        branch: &mut Branch,
        start: &[f64],
        t: f64,
        given: &mut Given<'_>,
    ) {
        let (nq, nv) = (self.layout.nq, self.layout.nv);
        let (mut first, mut way) = (vec![0.0; nq], vec![0.0; nv]);
        let (mut v, mut a) = (vec![0.0; nv], vec![0.0; nv]);
        given(t, &mut first, &mut v, &mut a);
        self.difference_origin(start, &first, &mut way);
        way.iter_mut().zip(&branch.moves).for_each(|(way, moves)| *way = if *moves { 0.0 } else { *way });
        self.evaluate_loops(d, t, start, &v);
        if largest(&way) == 0.0 || largest(&d.loops.gap_explicit) > 0.0 {
            return;
        }
        let mut straight = |share: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]| {
            let step: Vec<f64> = way.iter().map(|way| share * way).collect();
            self.retract_origin(start, &step, q);
            v.copy_from_slice(&way);
            a.fill(0.0);
        };
        let mut on = Branch::new(branch.moves.clone());
        let mut gaps = vec![0.0; self.loops.len()];
        let went = [0.0, 1.0].into_iter().all(|share| {
            self.follow_branch(d, &mut on, share, &mut straight, &mut first, &mut v, &mut a, &mut gaps)
                .is_ok()
        });
        branch.opening = went.then_some(first);
    }

    /// Loops that have passed a singular position since this was called last, with the time (s).
    pub fn passed_on_branch<'m>(&'m self, branch: &mut Branch) -> Vec<(&'m str, f64)> {
        branch.passed.drain(..).map(|(row, t)| (self.loop_of(row), t)).collect()
    }

    /// Predicts an instant and closes its loops.
    fn trial(
        &self,
        d: &mut Data<f64>,
        branch: &mut Branch,
        from: &Closed,
        t: f64,
        given: &mut Given<'_>,
    ) -> Result<Found, Fault> {
        let moves = &branch.moves;
        let h = t - from.t;
        let (mut q, mut v, mut a) = (from.q.clone(), from.v.clone(), from.a.clone());
        let (mut gaps, mut still_gaps) = (from.gaps.clone(), from.gaps.clone());
        let mut predicted_way = vec![0.0; self.layout.nv];
        given(t, &mut q, &mut v, &mut a);
        let mut way: Vec<f64> = from.v.iter().zip(&from.a).map(|(v, a)| h * (v + 0.5 * h * a)).collect();
        let mut speed: Vec<f64> = from.v.iter().zip(&from.a).map(|(v, a)| v + h * a).collect();
        let mut predicted = q.clone();
        self.difference_origin(&from.q, &q, &mut predicted_way);
        self.evaluate_loops(d, from.t, &from.q, &from.v);
        for (expected, actual) in [(&mut way, &predicted_way), (&mut speed, &v)] {
            self.expect(d, moves, expected, actual);
        }
        let turned =
            way.iter().zip(&branch.turns).filter(|(_, t)| **t).fold(0.0f64, |m, (w, _)| m.max(w.abs()));
        self.retract_origin(&from.q, &way, &mut predicted);
        self.take_free(moves, &predicted, &mut q);
        predicted.copy_from_slice(&q);
        let mut closed = self.follow(d, t, &mut q, &mut v, &mut a, moves, &mut gaps);
        if closed.is_ok() && self.distance(d, moves).1 < NEAR * branch.usual {
            // What is left of a gap moves accelerations by the third power of the distance.
            let residual = d.loops.gap.clone();
            way.fill(0.0);
            self.take_out(d, moves, residual, &mut way);
            let rough = q.clone();
            given(t, &mut q, &mut v, &mut a);
            self.retract_origin(&rough, &way, &mut q);
            closed = self.follow(d, t, &mut q, &mut v, &mut a, moves, &mut still_gaps);
        }
        if closed.is_err() {
            let still = vec![0.0; self.layout.nv];
            self.evaluate_loops(d, t, &predicted, &still);
        }
        let (rank, size, row) = self.distance(d, moves);
        if rank > branch.rank {
            return Err(self.undecided(row, from.t));
        }
        let share = if rank < branch.rank { 0.0 } else { size / branch.usual };
        if let Err(fault) = closed {
            if share < VICINITY {
                return Ok(Found::Vicinity);
            }
            branch.refused = Some(fault);
            return Ok(Found::Far(None));
        }
        self.difference_origin(&predicted, &q, &mut way);
        let moving = |x: &[f64]| self.size_moving(d, moves, x);
        let near = share.min(from.distance / branch.usual) < NEAR;
        let off = moving(&way);
        speed.iter_mut().zip(&v).for_each(|(speed, v)| *speed = v - *speed);
        let across = moving(&speed);
        let next = Closed { t, q, v, a, gaps, distance: size, row };
        if off > CORRECTION * share.max(VICINITY) || turned > TURN {
            return Ok(Found::Far((!near).then_some(next)));
        }
        if share < VICINITY {
            return Ok(Found::Vicinity);
        }
        if near && across > VELOCITY * moving(&next.v).max(moving(&from.v)) {
            return Ok(Found::Far(None));
        }
        branch.refused = None;
        Ok(Found::Closed(next))
    }

    /// Takes given components as they are; what the loops have to follow of the difference is added to the others. Needs the
    /// loop rows of the instant before.
    fn expect(&self, d: &Data<f64>, moves: &[bool], expected: &mut [f64], actual: &[f64]) {
        let matrix = self.constraint_matrix(d);
        let more = |k: usize| if moves[k] { 0.0 } else { actual[k] - expected[k] };
        let residual =
            (0..self.layout.nc).map(|row| matrix.row(row).map(|(k, c)| c * more(k)).sum()).collect();
        for k in (0..moves.len()).filter(|&k| !moves[k]) {
            expected[k] = actual[k];
        }
        self.take_out(d, moves, residual, expected);
    }

    /// An instant in the vicinity of a singular position, from instants before and behind.
    fn beside(
        &self,
        d: &mut Data<f64>,
        branch: &mut Branch,
        from: &Closed,
        t: f64,
        given: &mut Given<'_>,
    ) -> Result<Option<(Closed, f64)>, Fault> {
        // Turns of ball and free joints have no polynomials.
        if self.spinning_joints().iter().any(|joint| branch.moves[joint.turn]) {
            return Ok(None);
        }
        let mut span = 2.0 * VICINITY / self.size_in(d, from.v.iter().copied());
        if !span.is_finite() {
            return Ok(None);
        }
        for _ in 0..SPANS {
            let before = self.trial(d, branch, from, t - span, given)?;
            let behind = self.trial(d, branch, from, t + span, given)?;
            if let (Found::Closed(before), Found::Closed(behind)) = (before, behind) {
                self.look_inside(d, branch, &before, &behind)?;
                let (mut q, mut v, mut a) = (from.q.clone(), from.v.clone(), from.a.clone());
                given(t, &mut q, &mut v, &mut a);
                for k in (0..self.coordinate_names().count()).filter(|&k| branch.moves[k]) {
                    [q[k], v[k], a[k]] = quintic(&before, &behind, k, t);
                }
                self.evaluate_loops(d, t, &q, &v);
                let gaps: Vec<f64> =
                    self.loops.iter().map(|l| largest(&d.loops.gap[l.rows.clone()])).collect();
                if self.open_share(d) > OPEN {
                    return Ok(None);
                }
                return Ok(Some((Closed { t, q, v, a, gaps, distance: 0.0, row: from.row }, span)));
            }
            span *= 2.0;
        }
        Ok(None)
    }

    /// Notes what a step has passed. Says no where it came out on the other side of a singular position that the motion only
    /// comes near to: a shorter step sees it turn.
    fn inspect(
        &self,
        d: &mut Data<f64>,
        branch: &mut Branch,
        from: &Closed,
        to: &Closed,
    ) -> Result<bool, Fault> {
        let [before, after] = [from, to].map(|at| self.size_in(d, at.v.iter().copied()));
        let speed = before.max(after);
        let reach = 2.0 * speed * (to.t - from.t).abs();
        if from.distance.min(to.distance) > reach * branch.usual {
            return Ok(true);
        }
        if let Some((row, t)) = self.look_inside(d, branch, from, to)? {
            if self.gap_between(d, from, to, t) > OPEN {
                return Ok(false);
            }
            branch.passed.push((row, t));
        }
        Ok(true)
    }

    /// Largest gap, as a share of its size, at an instant between two others, interpolated: a singular position that is passed is one where the loops
    /// are closed. Zero where joints turn that have no polynomials.
    fn gap_between(&self, d: &mut Data<f64>, from: &Closed, to: &Closed, t: f64) -> f64 {
        if !self.spinning_joints().is_empty() {
            return 0.0;
        }
        let (mut q, still) = (from.q.clone(), vec![0.0; self.layout.nv]);
        for (k, q) in q.iter_mut().enumerate().take(self.coordinate_names().count()) {
            *q = quintic(from, to, k, t)[0];
        }
        self.evaluate_loops(d, t, &q, &still);
        self.open_share(d)
    }

    /// Looks for a singular position between two instants: the part of the weakest row that no other row has turns round
    /// where it is passed. A turn or a stop there is a fault.
    fn look_inside(
        &self,
        d: &mut Data<f64>,
        branch: &Branch,
        from: &Closed,
        to: &Closed,
    ) -> Result<Option<(usize, f64)>, Fault> {
        let moves = &branch.moves;
        let row = if from.distance < to.distance { from.row } else { to.row };
        let spins = self.spinning_joints().iter().any(|joint| moves[joint.turn]);
        let looks = if spins { 1 } else { LOOKS };
        let (mut q, still) = (from.q.clone(), vec![0.0; self.layout.nv]);
        let extent = self.extent(d);
        let mut reference: Vec<f64> = Vec::new();
        // Time, signed distance and speed of the last looks.
        let mut seen: Vec<[f64; 3]> = Vec::with_capacity(looks + 1);
        let mut size: Vec<f64> = Vec::with_capacity(looks + 1);
        for look in 0..=looks {
            let share = look as f64 / looks as f64;
            let t = from.t + share * (to.t - from.t);
            let mut speed = 0.0;
            if look == looks {
                q.copy_from_slice(&to.q);
            } else if look > 0 {
                // Given coordinates, too: the step is short against what bends.
                for k in 0..self.coordinate_names().count() {
                    let [place, rate, _] = quintic(from, to, k, t);
                    q[k] = place;
                    let rate = if self.loops.lengths[k] { rate / extent } else { rate };
                    speed += if moves[k] { rate * rate } else { 0.0 };
                }
            }
            self.evaluate_loops(d, t, &q, &still);
            let lost = self.lost_share(d, moves, row);
            if look == 0 {
                reference = lost.clone();
            }
            let along: f64 = lost.iter().zip(&reference).map(|(a, b)| a * b).sum();
            let signed = along / (size_of(reference.iter().copied()) * branch.usual);
            seen.push([t, signed, speed.sqrt()]);
            size.push(size_of(lost.iter().copied()) / branch.usual);
        }
        let speed = |x: &Closed| self.size_moving(d, moves, &x.v);
        let fastest = speed(from).max(speed(to));
        let mut passed = None;
        for k in 1..seen.len() {
            let ([t0, s0, v0], [t1, s1, v1]) = (seen[k - 1], seen[k]);
            if k + 1 < seen.len() {
                let [t2, s2, _] = seen[k + 1];
                let (slope, bend) = (0.5 * (s2 - s0), s2 - 2.0 * s1 + s0);
                if slope.abs() < bend.abs() && s0 * s2 > 0.0 {
                    let least = s1 - 0.5 * slope * slope / bend;
                    if least.abs() < UNDECIDED {
                        return Err(self.undecided(row, t1 - 0.5 * (t2 - t0) * slope / bend));
                    }
                }
            }
            if (s0 > 0.0) == (s1 > 0.0) {
                continue;
            }
            // A direction that turns is not one that is lost.
            if size[k - 1].min(size[k]) > 2.0 * (s1 - s0).abs() {
                continue;
            }
            let part = s0 / (s0 - s1);
            let inside = k > 1 && k + 1 < seen.len();
            if inside && v0 + part * (v1 - v0) < STOP * fastest {
                return Err(self.undecided(row, t0 + part * (t1 - t0)));
            }
            passed = match passed {
                None => Some((row, t0 + part * (t1 - t0))),
                Some(_) => None,
            };
        }
        Ok(passed)
    }

    /// Size of what moves, with lengths as shares of the extent.
    fn size_moving(&self, d: &Data<f64>, moves: &[bool], x: &[f64]) -> f64 {
        self.size_in(d, x.iter().zip(moves).map(|(x, moves)| if *moves { *x } else { 0.0 }))
    }

    /// Copies the positions of velocity components that move.
    fn take_free(&self, moves: &[bool], from: &[f64], q: &mut [f64]) {
        for k in (0..self.coordinate_names().count()).filter(|&k| moves[k]) {
            q[k] = from[k];
        }
        for joint in self.spinning_joints() {
            if moves[joint.turn] {
                let range = joint.quaternion..joint.quaternion + 4;
                q[range.clone()].copy_from_slice(&from[range]);
            }
            if let Some((place, _)) = joint.origin.filter(|(_, speed)| moves[*speed]) {
                q[place..place + 3].copy_from_slice(&from[place..place + 3]);
            }
        }
    }

    /// Rows of the loops over the components that may move, as shares of their lever arms. Needs the loop rows.
    fn shares_of_rows(&self, d: &Data<f64>, moves: &[bool]) -> Vec<Vec<f64>> {
        let nv = self.layout.nv;
        let rows = self.constraint_matrix(d).dense();
        let share = |(row, &size): (usize, &f64)| {
            let scale = if size > 0.0 { 1.0 / size.sqrt() } else { 0.0 };
            (0..nv).map(|k| if moves[k] { scale * rows[row * nv + k] } else { 0.0 }).collect()
        };
        d.loops.row_size.iter().enumerate().map(share).collect()
    }

    /// Rank of the loops over the components that may move, the distance from a singular position (what the weakest row has
    /// beside the others, as a share of its lever arm), and the equation of that row. Needs the loop rows.
    fn distance(&self, d: &Data<f64>, moves: &[bool]) -> (usize, f64, usize) {
        let mut rows = self.shares_of_rows(d, moves);
        let mut left: Vec<usize> = (0..rows.len()).collect();
        let (mut rank, mut weakest) = (0, (1.0, 0));
        while !left.is_empty() {
            let sizes =
                left.iter().enumerate().map(|(place, &row)| (size_of(rows[row].iter().copied()), place));
            let Some((size, place)) = sizes.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(s, _)| *s > NOTHING)
            else {
                break;
            };
            let row = left.swap_remove(place);
            (rank, weakest) = (rank + 1, (size, row));
            let chosen: Vec<f64> = rows[row].iter().map(|x| x / size).collect();
            for &other in &left {
                let along: f64 = chosen.iter().zip(&rows[other]).map(|(a, b)| a * b).sum();
                rows[other].iter_mut().zip(&chosen).for_each(|(x, c)| *x -= along * c);
            }
        }
        (rank, weakest.0, weakest.1)
    }

    /// The part of a row that no other row has, over the components that may move, as a share of its lever arm.
    fn lost_share(&self, d: &Data<f64>, moves: &[bool], row: usize) -> Vec<f64> {
        let mut rows = self.shares_of_rows(d, moves);
        let mut lost = std::mem::take(&mut rows[row]);
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let beside = |basis: &[Vec<f64>], x: &mut [f64]| {
            for known in basis.iter().chain(basis) {
                let along: f64 = known.iter().zip(x.iter()).map(|(a, b)| a * b).sum();
                x.iter_mut().zip(known).for_each(|(x, k)| *x -= along * k);
            }
        };
        for mut other in rows {
            beside(&basis, &mut other);
            let size = size_of(other.iter().copied());
            if size > NOTHING {
                other.iter_mut().for_each(|x| *x /= size);
                basis.push(other);
            }
        }
        beside(&basis, &mut lost);
        lost
    }

    fn undecided(&self, row: usize, t: f64) -> Fault {
        Fault::Singular { element: self.loop_of(row).to_owned(), t }
    }
}

fn size_of(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|x| x * x).sum::<f64>().sqrt()
}

/// Position, velocity and acceleration of a coordinate by the polynomial of fifth degree that has them at two instants.
fn quintic(from: &Closed, to: &Closed, k: usize, t: f64) -> [f64; 3] {
    let h = to.t - from.t;
    let s = (t - from.t) / h;
    let (v0, a0) = (h * from.v[k], h * h * from.a[k]);
    // What the parabola of the first instant misses at the second one.
    let p = to.q[k] - from.q[k] - v0 - 0.5 * a0;
    let v = h * to.v[k] - v0 - a0;
    let a = h * h * to.a[k] - a0;
    let c3 = 10.0 * p - 4.0 * v + 0.5 * a;
    let c4 = -15.0 * p + 7.0 * v - a;
    let c5 = 6.0 * p - 3.0 * v + 0.5 * a;
    [
        from.q[k] + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5)))),
        (v0 + s * (a0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h,
        (a0 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (h * h),
    ]
}
