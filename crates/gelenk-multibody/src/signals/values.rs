//! Inputs, expressions, sampled sensors and controllers.
//!
//! At an instant every signal has a value: a log that an input is bound to is interpolated, an expression evaluated, a sampled
//! signal read from the memory. At a sample time the due sensors run first, then the due controllers in
//! their order in the model, each seeing the newest values; outputs hold until the next sample.

use gelenk_laws::control::Tick;
use gelenk_math::Real;
use gelenk_signal::course::BESIDE;
use gelenk_system::{Fault, Nanos, Schedule};

use crate::blueprint::Course;
use crate::data::Data;
use crate::mechanism::Mechanism;
use crate::signals::{Node, Sampler, SignalRun};

/// Inputs and outputs of a block at most.
pub(crate) const MOST_PORTS: usize = 16;

/// Samples in a cycle at most.
const MOST_SAMPLES: u64 = 10_000;

impl Mechanism {
    /// Writes the value of every signal at the loaded instant.
    ///
    /// With a step `h`, outputs of elements are those of a trial over it. The inputs of all elements are evaluated, too.
    pub(crate) fn signals<T: Real>(&self, d: &mut Data<T>, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        self.load_turns(d, m);
        for &node in &self.signals.order {
            self.node(d, node, m, h)?;
        }
        for element in self.elements.iter() {
            self.take_inputs(d, element);
        }
        self.follow_surroundings(d)
    }

    /// Writes the value of one signal, or the outputs of one element, at the loaded instant.
    fn node<T: Real>(&self, d: &mut Data<T>, node: Node, m: &[f64], h: Option<f64>) -> Result<(), Fault> {
        let index = match node {
            Node::Signal(index) => index,
            Node::Element(index) => {
                self.take_inputs(d, &self.elements[index]);
                return self.observe(d, index, m, h);
            }
        };
        let value = match &self.signals[index].kind {
            SignalRun::Input(input) if d.signals.courses[*input].is_stepwise() => {
                d.number(m, self.signals.ports.inputs[*input].level)
            }
            SignalRun::Input(input) => self.input_value(&d.signals.courses[*input], *input, d.table[0], m),
            SignalRun::Value(program) => program.eval(&d.table, &mut d.scratch),
            SignalRun::Excitation(shape, amplitude, offset, end) => {
                let offset = offset.map_or(T::c(0.0), |offset| d.param(self, offset));
                let t = d.table[0];
                let value = match *end {
                    Some((_, over)) if m[over] != 0.0 => T::c(0.0),
                    // Up to its end it is what it was before the jump.
                    Some((end, _)) if (end..end + BESIDE).contains(&t.re()) => shape.at(T::c(end)),
                    _ => shape.at(t),
                };
                offset + d.param(self, *amplitude) * value
            }
            SignalRun::Levels { level, amplitude, offset, .. } => {
                let offset = offset.map_or(T::c(0.0), |offset| d.param(self, offset));
                offset + d.param(self, *amplitude) * T::c(m[*level])
            }
            SignalRun::Measure(between, measure) => self.measure(d, *between, *measure),
            SignalRun::Reversed(between, measure) => -self.measure(d, *between, *measure),
            SignalRun::Held(place) => d.number(m, *place),
        };
        if !value.re().is_finite() {
            let element = format!("signal {}", self.signals[index].name);
            return Err(Fault::NotFinite { element, t: d.table[0].re() });
        }
        d.table[self.table.signals + index] = value;
        Ok(())
    }

    /// Value of an input at `t`, which follows `course`.
    pub(crate) fn input_value<T: Real>(&self, course: &Course, input: usize, t: T, m: &[f64]) -> T {
        let port = &self.signals.ports.inputs[input];
        if course.is_stepwise() {
            return T::c(m[port.level]);
        }
        match course.end() {
            Some(_) if m[port.over] != 0.0 => T::c(course.rest()),
            // Up to its end it is what it was before the jump.
            Some(end) if (end..end + BESIDE).contains(&t.re()) => course.at(T::c(end)),
            _ => course.at(t),
        }
    }

    /// Takes the inputs that jump to their levels from `t` (s) on. A step that ends at a jump still has the level before
    /// it, and the next one begins with the level after it. A number that is held stays as it is.
    pub(crate) fn hold_inputs<T: Real>(&self, d: &Data<T>, t: f64, m: &mut [f64]) {
        for (port, course) in self.signals.ports.inputs.iter().zip(&d.signals.courses) {
            match course {
                Course::Held(_) => {}
                _ if course.is_stepwise() => m[port.level] = course.at(t + BESIDE),
                _ => m[port.over] = f64::from(course.end().is_some_and(|end| t + BESIDE >= end)),
            }
        }
        for signal in self.signals.iter() {
            match &signal.kind {
                SignalRun::Levels { shape, level, .. } => m[*level] = shape.at(t + BESIDE),
                SignalRun::Excitation(.., Some((end, over))) => m[*over] = f64::from(t + BESIDE >= *end),
                _ => {}
            }
        }
    }

    /// Runs the blocks that are due at `now`, each seeing the newest values of those before it. Needs the instant to be
    /// loaded.
    pub(crate) fn run_samplers<T: Real>(
        &self,
        d: &mut Data<T>,
        now: Nanos,
        m: &mut [f64],
    ) -> Result<(), Fault> {
        self.hold_inputs(d, now.seconds(), m);
        if self.signals.samplers.is_empty() {
            return self.signals(d, m, None);
        }
        self.signals(d, m, None)?;
        for sampler in &self.signals.samplers {
            if let Some(number) = sampler.schedule.due(now) {
                self.tick(d, sampler, number, m)?;
            }
            if !sampler.deliver(d, now, m) {
                continue;
            }
            for (&signal, place) in sampler.signals.iter().zip(sampler.held.clone()) {
                d.table[self.table.signals + signal] = d.number(m, place);
            }
            for &node in &sampler.affected {
                self.node(d, node, m, None)?;
            }
        }
        self.signals(d, m, None)
    }

    /// Runs a block once, and puts its results on their way.
    fn tick<T: Real>(
        &self,
        d: &mut Data<T>,
        sampler: &Sampler,
        number: u64,
        m: &mut [f64],
    ) -> Result<(), Fault> {
        let (mut u, mut y) = ([T::c(0.0); MOST_PORTS], [T::c(0.0); MOST_PORTS]);
        for (slot, program) in u.iter_mut().zip(&sampler.inputs) {
            *slot = program.eval(&d.table, &mut d.scratch);
        }
        let tick = Tick { number, period: sampler.schedule.period_seconds() };
        let (u, y) = (&u[..sampler.inputs.len()], &mut y[..sampler.held.len()]);
        let mut own = std::mem::take(&mut d.signals.block_memory);
        own.clear();
        own.extend(sampler.memory.clone().map(|place| d.number(m, place)));
        sampler.block.tick(d.elements.law(sampler.p.clone()), u, tick, &mut own, y);
        for (place, &value) in sampler.memory.clone().zip(&own) {
            d.hold(m, place, value);
        }
        d.signals.block_memory = own;
        let length = sampler.rings.len() / y.len();
        for (output, &value) in y.iter().enumerate() {
            if !value.re().is_finite() {
                let signal = sampler.signals.get(output).or(sampler.signals.first());
                let name = signal.map(|&signal| self.signals[signal].name.as_str()).unwrap_or_default();
                return Err(Fault::NotFinite { element: format!("signal {name}"), t: d.table[0].re() });
            }
            let first = sampler.rings.start + output * length;
            if number == 0 {
                // Before anything arrives, the block shows what it would have sampled in a long rest at the start.
                (first..first + length).for_each(|place| d.hold(m, place, value));
                d.hold(m, sampler.held.start + output, value);
            } else {
                // The newest is first, so that every period does the same to the memory.
                d.push(m, first..first + length, value);
            }
        }
        Ok(())
    }

    /// An instant at which all samplers run and from which on results of the first samples are no longer on their way, and the time
    /// after which all samplers do the same again; `None` where jitter or periods without a common multiple below
    /// [`MOST_SAMPLES`] samples keep them from it.
    pub(crate) fn sampling_cycle(&self) -> Option<(Nanos, Nanos)> {
        let cycle = self.common_period()?;
        let delay = self.signals.samplers.iter().map(|sampler| sampler.schedule.delay.0).max().unwrap_or(0);
        let count = delay.checked_div(cycle.0)?.checked_add(2)?;
        // One period that is no whole number of nanoseconds: its own instants.
        let first = self.signals.samplers.first()?.schedule;
        let settled =
            if first.rest == 0 { Nanos(count.checked_mul(cycle.0)?) } else { first.instant(count)? };
        Some((settled, cycle))
    }

    /// The least common multiple of the periods.
    fn common_period(&self) -> Option<Nanos> {
        let first = self.signals.samplers.first()?.schedule;
        if self.signals.samplers.iter().any(|sampler| sampler.schedule.jitter != Nanos::ZERO) {
            return None;
        }
        let period = |schedule: &Schedule| (schedule.period, schedule.rest);
        if self.signals.samplers.iter().all(|sampler| period(&sampler.schedule) == period(&first)) {
            return first.instant(1);
        }
        let mut cycle = 1u64;
        for Sampler { schedule, .. } in &self.signals.samplers {
            if schedule.rest != 0 || schedule.period == Nanos::ZERO {
                return None;
            }
            cycle = (cycle / divisor(cycle, schedule.period.0)).checked_mul(schedule.period.0)?;
        }
        let samples: u64 = self
            .signals
            .samplers
            .iter()
            .map(|sampler| cycle / sampler.schedule.period.0)
            .fold(0, u64::saturating_add);
        (samples <= MOST_SAMPLES).then_some(Nanos(cycle))
    }

    /// The first time after `now` at which a sampler is due, a held log changes or an excitation breaks.
    pub(crate) fn next_due(&self, d: &Data<f64>, now: Nanos) -> Option<Nanos> {
        let samplers = self.signals.samplers.iter().filter_map(|s| s.schedule.next(now));
        let from = now.seconds() + BESIDE;
        let inputs = d.signals.courses.iter().filter_map(|course| match course {
            Course::Table(table) if table.hold => {
                let next = table.time.partition_point(|&t| Nanos::from_seconds(t).is_none_or(|n| n <= now));
                table.time.get(next).and_then(|&t| Nanos::from_seconds(t))
            }
            _ => course.next_break(from).and_then(Nanos::from_seconds).filter(|&n| n > now),
        });
        let excitations = self.signals.iter().filter_map(|signal| match &signal.kind {
            SignalRun::Excitation(shape, ..) | SignalRun::Levels { shape, .. } => {
                shape.next_break(from).and_then(Nanos::from_seconds).filter(|&n| n > now)
            }
            _ => None,
        });
        samplers.chain(inputs).chain(excitations).min()
    }
}

/// The greatest common divisor.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Sampler {
    /// Shows the results that have arrived last; whether there is any.
    fn deliver<T: Real>(&self, d: &mut Data<T>, now: Nanos, m: &mut [f64]) -> bool {
        let Some(number) = self.schedule.arrived(now) else { return self.schedule.due(now) == Some(0) };
        let newest = Schedule { delay: Nanos::ZERO, ..self.schedule }.arrived(now).unwrap_or(number);
        let length = self.rings.len() / self.held.len();
        let age = usize::try_from(newest.saturating_sub(number)).unwrap_or(length).min(length - 1);
        for (output, place) in self.held.clone().enumerate() {
            let arrived = d.number(m, self.rings.start + output * length + age);
            d.hold(m, place, arrived);
        }
        true
    }
}
