//! Signals of several runs at an instant, which is one for all.

use gelenk_math::Lockstep;
use gelenk_signal::course::BESIDE;
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;
use crate::signals::{Node, SignalRun};

impl Mechanism {
    /// Writes the value of every signal at the loaded instant `t` (s), and the inputs of all elements; with a step `h`, outputs
    /// of elements are those of a trial over it.
    pub(super) fn signals_lanes<T: Lockstep>(
        &self,
        d: &mut Data<T>,
        t: f64,
        m: &[T::Plain],
        h: Option<f64>,
    ) -> Result<(), Fault> {
        for &node in self.signals.order() {
            match node {
                Node::Signal(index) => {
                    let value = self.signal_lanes(d, index, t, m);
                    d.table[self.table.signals + index] = value;
                }
                Node::Element(index) => {
                    self.take_inputs(d, &self.elements[index]);
                    self.observe(d, index, m, h)?;
                }
            }
        }
        for element in self.elements.iter() {
            self.take_inputs(d, element);
        }
        Ok(())
    }

    /// Value of one signal.
    fn signal_lanes<T: Lockstep>(&self, d: &mut Data<T>, index: usize, t: f64, m: &[T::Plain]) -> T {
        let zero = T::of(0.0);
        let over = |place: usize| !m[place].is(0.0);
        let offset = |d: &Data<T>, offset: Option<_>| offset.map_or(zero, |offset| d.param(self, offset));
        match &self.signals[index].kind {
            SignalRun::Input(input) => {
                let port = &self.signals.ports().inputs[*input];
                // Every input has a course.
                let course = d.signals.course(*input).unwrap_or(&port.course);
                if course.is_stepwise() {
                    return d.number(m, port.level);
                }
                match course.end() {
                    // Up to its end it is what it was before the jump.
                    Some(end) => {
                        let at = if (end..end + BESIDE).contains(&t) { end } else { t };
                        T::either(over(port.over), || T::of(course.rest()), || T::of(course.at(at)))
                    }
                    None => T::of(course.at(t)),
                }
            }
            SignalRun::Value(program) => program.eval(&d.table, &mut d.scratch),
            SignalRun::Excitation(shape, amplitude, base, end) => {
                let value = match *end {
                    Some((end, place)) => {
                        let at = if (end..end + BESIDE).contains(&t) { end } else { t };
                        T::either(over(place), || zero, || T::of(shape.at(at)))
                    }
                    None => T::of(shape.at(t)),
                };
                offset(d, *base) + d.param(self, *amplitude) * value
            }
            SignalRun::Levels { level, amplitude, offset: base, .. } => {
                offset(d, *base) + d.param(self, *amplitude) * T::fixed(m[*level])
            }
            SignalRun::Measure(between, measure) => self.measure(d, *between, *measure),
            SignalRun::Reversed(between, measure) => -self.measure(d, *between, *measure),
            SignalRun::Held(place) => d.number(m, *place),
        }
    }
}
