//! Motions that are prescribed in time must have a velocity: neither jumps, kinks nor poles.
//!
//! A joint that jumps would need an infinite force, one with a kink an impulse; neither is applied, so both are refused
//! before the run, by name and time.

use gelenk_math::expression::{Enclosure, Known, Program, Side, Timing};
use gelenk_math::interval::Interval;
use gelenk_system::Fault;

use crate::data::Data;
use crate::loops::Equation;
use crate::mechanism::{Function, LinkKind, Mechanism, Source};

/// Corners of one motion that are looked at.
const CORNERS: usize = 10_000;
/// Spans that are looked at in search of a corner or a pole.
const SPANS: usize = 4000;
/// Shares of a value and of its rate above which a corner is a jump or a kink.
const JUMP: f64 = 1e-9;
const KINK: f64 = 1e-6;
/// Where the far side of a corner is looked at, as a share of the run.
const BEHIND: f64 = 1e-11;

impl Mechanism {
    /// Refuses motions in time that jump, have a kink or a pole before `until` (s), with the parameters bound to `d`.
    ///
    /// # Errors
    /// The joint or loop, and the time.
    pub fn check_prescribed(&self, d: &mut Data<f64>, until: f64) -> Result<(), Fault> {
        for link in &self.links {
            let (LinkKind::Revolute { source, .. } | LinkKind::Prismatic { source, .. }) = &link.kind else {
                continue;
            };
            if let Source::Function(function) = source {
                self.check_motion(d, &format!("joint {}", link.joint), function, until)?;
            }
        }
        for closure in self.loops.iter() {
            for equation in &self.loops.equations()[closure.rows.clone()] {
                if let Equation::Coupling(function) = equation {
                    self.check_motion(d, &format!("loop {}", closure.name), function, until)?;
                }
            }
        }
        Ok(())
    }

    fn check_motion(
        &self,
        d: &mut Data<f64>,
        element: &str,
        function: &Function,
        until: f64,
    ) -> Result<(), Fault> {
        let Some(time) = &function.time else { return Ok(()) };
        let refuse = |reason: String| Err(Fault::Refused { element: element.into(), reason });
        let slot = |slot: usize| match slot {
            0 => Known::Timed,
            _ if slot >= self.table.p => Known::Fixed,
            _ => Known::Moving,
        };
        for (program, what) in [(&function.value, "value"), (&time.first, "velocity")] {
            if program.timing(&slot, false).result() == Known::Timed
                && let Some(t) = self.pole(d, program, until)
            {
                return refuse(format!("its {what} is not finite near t = {t:.6} s"));
            }
        }
        let timing = function.value.timing(&slot, false);
        for corner in 0..timing.corners() {
            let mut from = 0.0;
            for _ in 0..CORNERS {
                let Some([before, behind]) =
                    self.next_corner(d, (&function.value, &timing), corner, (from, until))
                else {
                    break;
                };
                let mut at = |program: &Program, t: f64| self.value_at(d, program, t);
                // At the very corner a slope may be anything between the two.
                let sides = [before, (behind + BEHIND * until).min(until)];
                let values = sides.map(|t| at(&function.value, t));
                let rates = sides.map(|t| at(&time.first, t));
                let way_out = "give a smooth motion: a curve of kind \"cubic\", or pieces that meet with the same slope";
                if (values[1] - values[0]).abs() > JUMP * (1.0 + values[0].abs()) {
                    return refuse(format!(
                        "its value jumps from {:.6} to {:.6} at t = {behind:.6} s; {way_out}",
                        values[0], values[1]
                    ));
                }
                if (rates[1] - rates[0]).abs() > KINK * (1.0 + rates[0].abs()) {
                    return refuse(format!(
                        "its velocity jumps from {:.6} to {:.6} at t = {behind:.6} s, which would need an impulse; {way_out}",
                        rates[0], rates[1]
                    ));
                }
                from = behind;
            }
        }
        Ok(())
    }

    fn value_at(&self, d: &mut Data<f64>, program: &Program, t: f64) -> f64 {
        d.table[0] = t;
        program.eval(&d.table, &mut d.scratch)
    }

    fn over(&self, d: &Data<f64>, program: &Program, span: Interval, cells: &mut [Enclosure]) -> Enclosure {
        let time = Enclosure { value: span, slope: Interval::point(1.0) };
        let slots = |slot: usize| match slot {
            0 => time,
            _ if slot >= self.table.p => {
                d.table.get(slot).map_or(Enclosure::ALL, |&p| Enclosure::constant(p))
            }
            _ => Enclosure::ALL,
        };
        program.enclose(&slots, cells)
    }

    /// A time before `until` near which a program is not finite.
    fn pole(&self, d: &Data<f64>, program: &Program, until: f64) -> Option<f64> {
        let mut cells = vec![Enclosure::ALL; program.scratch_len()];
        let (mut low, mut ends) = (0.0, vec![until]);
        for _ in 0..SPANS {
            let high = *ends.last()?;
            let value = self.over(d, program, Interval::new(low, high), &mut cells).value;
            if value.low.is_finite() && value.high.is_finite() {
                low = high;
                ends.pop();
            } else if high - low <= 1e-9 * until {
                return Some(high);
            } else {
                ends.push(low + 0.5 * (high - low));
            }
        }
        None
    }

    /// The instants just before and just behind the first change of a corner's side in a span.
    fn next_corner(
        &self,
        d: &mut Data<f64>,
        (program, timing): (&Program, &Timing),
        corner: usize,
        (from, until): (f64, f64),
    ) -> Option<[f64; 2]> {
        let mut cells = vec![Enclosure::ALL; program.scratch_len()];
        let side_at = |d: &mut Data<f64>, t: f64| {
            self.value_at(d, program, t);
            program.side(timing, corner, &d.scratch)
        };
        let side = side_at(d, from);
        let (mut low, mut ends) = (from, vec![until]);
        for spans in 0.. {
            let high = *ends.last()?;
            self.over(d, program, Interval::new(low, high), &mut cells);
            let over = program.side_over(timing, corner, &cells);
            let fine = high - low <= 1e-14 * until;
            if over == Side::Open && !fine && spans < SPANS {
                ends.push(low + 0.5 * (high - low));
                continue;
            }
            if over != Side::Same && side_at(d, high) != side {
                let mut high = high;
                loop {
                    let middle = low + 0.5 * (high - low);
                    if middle <= low || middle >= high {
                        return Some([low, high]);
                    }
                    if side_at(d, middle) == side {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
            }
            low = high;
            ends.pop();
        }
        None
    }
}
