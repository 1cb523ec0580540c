//! Putting a mechanism together: what closing the loops did to the given start values.

use gelenk_system::{Fault, System};

use crate::blueprint::Exact;
use crate::data::Data;
use crate::loops::LoopInfo;
use crate::loops::following::{CONTRADICTION, largest};
use crate::mechanism::Mechanism;

/// How the start of a mechanism was closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// Every loop with its largest gap at the given start and after closing (m, or dimensionless for axes).
    pub loops: Vec<(String, [f64; 2])>,
    /// Every velocity whose coordinate had to move: its name and the displacement (rad or m).
    pub moved: Vec<(String, f64)>,
    /// Every velocity that had to change: its name and the change (rad/s or m/s).
    pub hurried: Vec<(String, f64)>,
    /// Velocities that a partition of the assembled state leaves independent: the freedoms of the mechanism.
    pub independent: Vec<String>,
}

/// A change below this is rounding.
const CHANGE: f64 = 1e-12;

/// A given rate that the loops changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The coordinate.
    pub coordinate: String,
    /// What the model gives (SI).
    pub given: f64,
    /// What it became (SI).
    pub found: f64,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { coordinate, given, found } = self;
        let by = found - given;
        write!(f, "the start rate of coordinate {coordinate} is {found:.6} instead of {given:.6} (SI), ")?;
        write!(f, "by {by:+.3e}: the loops do not allow it")
    }
}

/// Largest change of a start value that is put down to the digits people write, relative to one.
const WRITTEN: f64 = 1e-6;

impl Mechanism {
    /// Closes the loops at the start, in position and velocity, and says what that took.
    ///
    /// # Errors
    /// A loop that cannot be closed, by name.
    pub fn assemble(&self, d: &mut Data<f64>) -> Result<Assembly, Fault> {
        let layout = self.layout;
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        self.given_start(d, &mut x);
        let mut given = x.clone();
        let before = self.gaps(d, &x);
        self.start(d, &mut x, &mut m)?;
        let after = self.gaps(d, &x);
        let loops = self.loops.iter().zip(before.into_iter().zip(after));
        let loops = loops.map(|(closure, (before, after))| (closure.name.clone(), [before, after])).collect();
        // Free joints at the origins of their children, as the start values are given.
        for x in [&mut given, &mut x] {
            let (q, rest) = x.split_at_mut(layout.nq);
            self.state_to_origin(d, q, &mut rest[..layout.nv]);
        }
        let mut shift = vec![0.0; layout.nv];
        self.difference_origin(&given[layout.q()], &x[layout.q()], &mut shift);
        let faster: Vec<f64> =
            x[layout.v()].iter().zip(&given[layout.v()]).map(|(after, before)| after - before).collect();
        let named = |values: Vec<f64>| {
            let large = self.velocity_names.iter().cloned().zip(values).filter(|(_, v)| v.abs() > CHANGE);
            large.collect()
        };
        Ok(Assembly { loops, moved: named(shift), hurried: named(faster), independent: self.independent(d) })
    }

    /// Closes the loops at the start: the nearest closed positions, then the nearest rates. Starts and rates that are
    /// exact stay, and the others follow.
    pub(crate) fn close_start(&self, d: &mut Data<f64>, x: &mut [f64]) -> Result<(), Fault> {
        let exact = self.coordinates.iter().any(|coordinate| coordinate.exact != Exact::default());
        if !exact || self.layout.nc == 0 {
            return self.project_state(d, 0.0, x).map(drop);
        }
        let (nq, nv) = (self.layout.nq, self.layout.nv);
        let moves = |kept: fn(&Exact) -> bool| -> Vec<bool> {
            (0..nv).map(|k| self.coordinates.get(k).is_none_or(|c| !kept(&c.exact))).collect()
        };
        let (starts, rates) = (moves(|exact| exact.start), moves(|exact| exact.rate));
        self.normalise(x);
        let (q, rest) = x.split_at_mut(nq);
        let v = &mut rest[..nv];
        self.state_to_origin(d, q, v);
        if self.close(d, 0.0, q, &starts, None).is_err() {
            return Err(self.not_exact(&d.loops.gap, &starts, "start"));
        }
        // Two passes: the second one takes out what rounding left.
        for _ in 0..2 {
            self.evaluate_loops(d, 0.0, q, v);
            let residual = d.loops.gap_rate.clone();
            self.take_out(d, &rates, residual, v);
        }
        self.evaluate_loops(d, 0.0, q, v);
        let left = largest(&d.loops.gap_rate);
        if left.is_nan() || left > CONTRADICTION * (1.0 + largest(v)) {
            return Err(self.not_exact(&d.loops.gap_rate, &rates, "rate"));
        }
        self.origin_to_state(d, q, v);
        Ok(())
    }

    /// The refusal of starts or rates that cannot all be kept, by the loop that is left most open.
    fn not_exact(&self, left: &[f64], moves: &[bool], what: &str) -> Fault {
        let size = |closure: &LoopInfo| largest(&left[closure.rows.clone()]);
        let worst = self.loops.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        let (name, size) =
            worst.map_or((String::new(), 0.0), |closure| (closure.name.clone(), size(closure)));
        let kept = self.coordinates.iter().zip(moves).filter(|(_, moves)| !**moves);
        let kept: Vec<&str> = kept.map(|(coordinate, _)| coordinate.name.as_str()).collect();
        let reason = format!(
            "it cannot be closed with the exact {what} of {}: {size:.3e} (SI) is left; mark fewer coordinates exact, or \
             give them another {what}",
            if kept.is_empty() { "no coordinate".to_owned() } else { kept.join(", ") }
        );
        Fault::Refused { element: format!("loop {name}"), reason }
    }

    /// The largest gap of every loop at a state.
    fn gaps(&self, d: &mut Data<f64>, x: &[f64]) -> Vec<f64> {
        self.constraints(d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        let largest = |gaps: &[f64]| gaps.iter().fold(0.0f64, |max, gap| max.max(gap.abs()));
        self.loops.iter().map(|closure| largest(&d.loops.gap[closure.rows.clone()])).collect()
    }

    /// Assembles the mechanism and tells which given rates of coordinates the loops changed: those that are not zero.
    /// Start positions are usually given only near the closed loop; [`Self::assemble`] tells about them.
    ///
    /// # Errors
    /// A loop that cannot be closed, with its name and gap; velocities that contradict each other.
    pub fn changed_rates(&self) -> Result<Vec<Change>, Fault> {
        let mut d = self.data::<f64>();
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        let nq = self.layout.nq;
        let worst = {
            let constraints = self.constraints(&mut d, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
            let rates = constraints.rate.iter().enumerate();
            rates.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map(|(row, rate)| (row, *rate))
        };
        if let Some((row, rate)) = worst
            && rate.abs() > WRITTEN
        {
            let closure = self.loops.iter().find(|closure| closure.rows.contains(&row));
            let element = closure.map_or_else(String::new, |closure| format!("loop {}", closure.name));
            let reason = format!(
                "no velocities satisfy the loops at the start: {rate:.3e} (SI) is left; the loops contradict each other"
            );
            return Err(Fault::Refused { element, reason });
        }
        let mut changes = Vec::new();
        for (a, coordinate) in self.coordinates.iter().enumerate() {
            let (given, found) = (d.param(self, coordinate.rate), x[nq + a]);
            if given != 0.0 && (found - given).abs() > WRITTEN * (1.0 + given.abs()) {
                changes.push(Change { coordinate: coordinate.name.clone(), given, found });
            }
        }
        Ok(changes)
    }
}
