//! What is known ahead of the inputs: logs, excitations, and every formula of time.
//!
//! A step that ends where an input has a corner, and inside which the input bends no more than the stages can see, misses
//! neither a short pulse nor a switch. Formulas are looked at by enclosures over spans of time (see
//! [`gelenk_math::expression::Timing`]), logs by their rows.

use gelenk_math::expression::{Enclosure, Known, Program, Side, Timing};
use gelenk_math::interval::Interval;

use crate::blueprint::{Course, LogTable};
use crate::data::Data;
use crate::elements::factors::Press;
use crate::loops::Equation;
use crate::mechanism::{LinkKind, Mechanism, Source};
use crate::signals::switches::Release;
use crate::signals::{Node, SignalRun};

/// Rows of a log that are looked at before those of the others.
const FIRST_ROWS: usize = 16;
/// Spans that are looked at in search of one corner.
const SPANS: usize = 400;
/// Halvings of a span.
const DEPTH: usize = 48;
/// Smallest share of a log's range that counts as a corner.
const STRAIGHT: f64 = 1e-12;
/// Largest change of a phase in a step (rad).
const PHASE: f64 = std::f64::consts::FRAC_PI_2;

/// Inputs that act on the mechanism and are known ahead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// Inputs, by their numbers.
    ports: Vec<usize>,
    /// Excitations, by their signal.
    shapes: Vec<usize>,
    /// Formulas in the order of evaluation.
    watched: Vec<Watched>,
    bends: bool,
    /// How each signal is known.
    known: Vec<Known>,
}

/// A formula that is looked at.
#[derive(Clone, Debug)]
struct Watched {
    program: Program,
    timing: Timing,
    /// The signal that it is the value of.
    signal: Option<usize>,
}

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputData {
    cells: Vec<Enclosure>,
    ever: Vec<Enclosure>,
    /// Of every signal over the span that is looked at, and over all time.
    signals: Vec<Enclosure>,
    always: Vec<Enclosure>,
}

impl InputData {
    pub(crate) fn new(mechanism: &Mechanism) -> Self {
        if mechanism.signals.inputs.is_empty() {
            return Self::default();
        }
        let cells = vec![Enclosure::ALL; mechanism.scratch];
        let signals = vec![Enclosure::ALL; mechanism.signals.len()];
        Self { ever: cells.clone(), cells, always: signals.clone(), signals }
    }
}

impl Inputs {
    pub(crate) fn is_empty(&self) -> bool {
        self.ports.is_empty() && self.shapes.is_empty() && self.watched.is_empty()
    }
}

impl Mechanism {
    /// The logs that inputs are bound to by the model: signal, first and last time (s).
    pub fn log_spans(&self) -> impl Iterator<Item = (&str, [f64; 2])> {
        self.log_tables().filter_map(|(name, table)| Some((name, table.span()?)))
    }

    /// Logs that inputs are bound to by the model, by the names of their signals.
    pub fn log_tables(&self) -> impl Iterator<Item = (&str, &LogTable)> {
        self.signals.ports.inputs.iter().filter_map(|port| match &port.course {
            Course::Table(table) => Some((self.signals[port.signal].name.as_str(), &**table)),
            Course::Held(_) | Course::Shape { .. } => None,
        })
    }

    /// Finds what is known ahead of the inputs that act.
    pub(crate) fn list_inputs(&self) -> Inputs {
        let mut known = vec![Known::Moving; self.signals.len()];
        for index in self.ordered_signals() {
            known[index] = match &self.signals[index].kind {
                // What an input is bound to is known later; one that jumps is enclosed as a constant.
                SignalRun::Input(_) | SignalRun::Excitation(..) => Known::Timed,
                SignalRun::Levels { .. } | SignalRun::Held(_) => Known::Fixed,
                SignalRun::Measure(..) | SignalRun::Reversed(..) => Known::Moving,
                SignalRun::Value(program) => {
                    let slot = |slot: usize| self.slot_known(&known, slot);
                    program.timing(&slot, false).result()
                }
            };
        }
        let acting = self.acting();
        let mut inputs = Inputs::default();
        let slot = |slot: usize| self.slot_known(&known, slot);
        for index in self.ordered_signals().filter(|&index| acting[index]) {
            match &self.signals[index].kind {
                SignalRun::Input(input) => inputs.ports.push(*input),
                SignalRun::Excitation(..) => inputs.shapes.push(index),
                SignalRun::Value(program) => {
                    let timing = program.timing(&slot, false);
                    if timing.result() == Known::Timed || !timing.is_plain() {
                        inputs.watched.push(Watched {
                            program: program.clone(),
                            timing,
                            signal: Some(index),
                        });
                    }
                }
                _ => {}
            }
        }
        let mut watch = |program: &Program, condition: bool| {
            let timing = program.timing(&slot, condition);
            if !timing.is_plain() {
                inputs.watched.push(Watched { program: program.clone(), timing, signal: None });
            }
        };
        self.each_program(&mut |program| watch(program, false));
        for switch in &self.signals.switches {
            watch(&switch.on, true);
            if let Release::When(off) = &switch.off {
                watch(off, true);
            }
        }
        // Formulas that only feed others which are plain have nothing to be looked at.
        if inputs.watched.iter().all(|watched| watched.timing.is_plain()) {
            inputs.watched.clear();
        }
        inputs.bends = inputs.watched.iter().any(|watched| watched.timing.bends());
        inputs.known = known;
        inputs
    }

    fn slot_known(&self, known: &[Known], slot: usize) -> Known {
        match slot {
            0 => Known::Timed,
            _ if slot >= self.table.signals => {
                known.get(slot - self.table.signals).copied().unwrap_or(Known::Moving)
            }
            _ if slot >= self.table.p => Known::Fixed,
            _ => Known::Moving,
        }
    }

    /// Every program that acts on the motion, signals and switches apart.
    fn each_program(&self, f: &mut dyn FnMut(&Program)) {
        for element in self.elements.iter() {
            element.inputs.iter().for_each(&mut *f);
        }
        self.elements.factors().iter().for_each(|factor| f(&factor.factor));
        for normal in self.elements.normals() {
            if let Press::Given(program) = &normal.force {
                f(program);
            }
        }
        let joints = self.links.iter().filter_map(|link| match &link.kind {
            LinkKind::Revolute { source, .. } | LinkKind::Prismatic { source, .. } => match source {
                Source::Function(function) => Some(function),
                Source::Coordinate(_) => None,
            },
            _ => None,
        });
        let couplings = self.loops.equations().iter().filter_map(|equation| match equation {
            Equation::Coupling(function) => Some(function),
            _ => None,
        });
        for function in joints.chain(couplings) {
            f(&function.value);
        }
    }

    /// Signals in an order in which each stands after those that it needs.
    fn ordered_signals(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.signals.order.iter().filter_map(|node| match *node {
            Node::Signal(index) => Some(index),
            Node::Element(_) => None,
        })
    }

    /// Which signals act on the motion, directly or through others.
    pub(crate) fn acting(&self) -> Vec<bool> {
        let mut acting = vec![false; self.signals.len()];
        let mark = |acting: &mut Vec<bool>, program: &Program| {
            for slot in program.slots().filter(|&slot| slot >= self.table.signals) {
                if let Some(acts) = acting.get_mut(slot - self.table.signals) {
                    *acts = true;
                }
            }
        };
        self.each_program(&mut |program| mark(&mut acting, program));
        for switch in &self.signals.switches {
            mark(&mut acting, &switch.on);
            if let Release::When(off) = &switch.off {
                mark(&mut acting, off);
            }
        }
        for index in self.ordered_signals().rev() {
            if let (true, SignalRun::Value(program)) = (acting[index], &self.signals[index].kind) {
                mark(&mut acting, program);
            }
        }
        acting
    }

    /// The end of a step from `t` that wants to reach `t1`, so that inputs have no corner inside: at most `t1`. With a
    /// `tolerance`, corners of logs that deviate from a line by less than this share of their range are passed, and the
    /// step is bounded so that its stages see what bends.
    pub(crate) fn inputs_until(
        &self,
        d: &mut Data<f64>,
        m: &[f64],
        (t, t1): (f64, f64),
        tolerance: Option<f64>,
    ) -> f64 {
        if self.signals.inputs.is_empty() || t1.is_nan() || t1 <= t {
            return t1;
        }
        let mut end = t1;
        let share = tolerance.unwrap_or(0.0).max(STRAIGHT);
        for rows in [FIRST_ROWS, usize::MAX] {
            for &input in &self.signals.inputs.ports {
                if let Course::Table(table) = &d.signals.courses[input]
                    && !table.hold
                {
                    end = end.min(table.straight_until(t, end, share * d.signals.ranges[input], rows));
                }
            }
        }
        if tolerance.is_some() {
            let excitations =
                self.signals.inputs.shapes.iter().filter_map(|&signal| match &self.signals[signal].kind {
                    SignalRun::Excitation(shape, ..) => Some(&**shape),
                    _ => None,
                });
            let bound =
                self.signals.inputs.ports.iter().filter_map(|&input| match &d.signals.courses[input] {
                    Course::Shape { shape, .. } => Some(&**shape),
                    Course::Held(_) | Course::Table(_) => None,
                });
            for shape in excitations.chain(bound) {
                for _ in 0..DEPTH {
                    if (end - t) * shape.phase_rate(t, end) > PHASE {
                        end = t + 0.5 * (end - t);
                    }
                }
            }
        }
        if self.signals.inputs.watched.is_empty() {
            return end;
        }
        let mut work = std::mem::take(&mut d.signals.inputs);
        if tolerance.is_some() && self.signals.inputs.bends {
            end = self.resolved_until(d, m, &mut work, t, end);
        }
        end = self.corner_until(d, m, &mut work, t, end);
        d.signals.inputs = work;
        end
    }

    /// The longest step, by halves, whose stages see what the formulas do.
    fn resolved_until(&self, d: &mut Data<f64>, m: &[f64], work: &mut InputData, t: f64, t1: f64) -> f64 {
        let mut end = t1;
        let always = Interval::new(0.0, f64::INFINITY);
        for (index, watched) in self.signals.inputs.watched.iter().enumerate() {
            if !watched.timing.bends() {
                continue;
            }
            std::mem::swap(&mut work.signals, &mut work.always);
            self.enclose(d, m, work, index, always);
            std::mem::swap(&mut work.signals, &mut work.always);
            std::mem::swap(&mut work.cells, &mut work.ever);
            for _ in 0..DEPTH {
                self.enclose(d, m, work, index, Interval::new(t, end));
                if watched.program.resolved(&watched.timing, &work.cells, &work.ever) {
                    break;
                }
                end = t + 0.5 * (end - t);
            }
        }
        end
    }

    /// The end of the step, or the last instant before the first corner of a formula; where that is `t`, the first instant
    /// behind it.
    fn corner_until(&self, d: &mut Data<f64>, m: &[f64], work: &mut InputData, t: f64, t1: f64) -> f64 {
        let mut end = t1;
        for (index, watched) in self.signals.inputs.watched.iter().enumerate() {
            for corner in 0..watched.timing.corners() {
                self.enclose(d, m, work, index, Interval::new(t, end));
                if watched.program.side_over(&watched.timing, corner, &work.cells) == Side::Same {
                    continue;
                }
                if let Some([before, behind]) = self.search(d, m, work, (index, corner), (t, end)) {
                    end = if before > t { before } else { behind };
                }
            }
        }
        end
    }

    /// The instants just before and just behind the first corner in a span.
    fn search(
        &self,
        d: &mut Data<f64>,
        m: &[f64],
        work: &mut InputData,
        (index, corner): (usize, usize),
        (t, t1): (f64, f64),
    ) -> Option<[f64; 2]> {
        let Watched { program, timing, .. } = &self.signals.inputs.watched[index];
        let side = self.side_at(d, m, index, corner, t);
        let mut low = t;
        let mut ends = [t1; DEPTH];
        let (mut open, mut spans) = (1, 0);
        while open > 0 {
            let high = ends[open - 1];
            spans += 1;
            self.enclose(d, m, work, index, Interval::new(low, high));
            let over = program.side_over(timing, corner, &work.cells);
            let middle = low + 0.5 * (high - low);
            let fine = high - low <= 1e-14 * high.abs() || middle <= low || middle >= high;
            if over == Side::Open && !fine && open < DEPTH && spans < SPANS {
                ends[open] = middle;
                open += 1;
                continue;
            }
            if over != Side::Same && self.side_at(d, m, index, corner, high) != side {
                return Some(self.pin_down(d, m, (index, corner), side, [low, high]));
            }
            low = high;
            open -= 1;
        }
        None
    }

    /// The two neighbouring instants between which a corner lies.
    fn pin_down(
        &self,
        d: &mut Data<f64>,
        m: &[f64],
        (index, corner): (usize, usize),
        side: i64,
        [mut low, mut high]: [f64; 2],
    ) -> [f64; 2] {
        loop {
            let middle = low + 0.5 * (high - low);
            if middle <= low || middle >= high {
                return [low, high];
            }
            if self.side_at(d, m, index, corner, middle) == side {
                low = middle;
            } else {
                high = middle;
            }
        }
    }

    /// The side of a corner at an instant.
    fn side_at(&self, d: &mut Data<f64>, m: &[f64], index: usize, corner: usize, t: f64) -> i64 {
        let Watched { program, timing, .. } = &self.signals.inputs.watched[index];
        d.table[0] = t;
        for signal in self.ordered_signals() {
            if self.signals.inputs.known[signal] != Known::Moving {
                d.table[self.table.signals + signal] = self.known_signal(d, m, signal);
            }
        }
        program.eval(&d.table, &mut d.scratch);
        program.side(timing, corner, &d.scratch)
    }

    /// The value of a signal that does not depend on the motion.
    fn known_signal(&self, d: &mut Data<f64>, m: &[f64], signal: usize) -> f64 {
        match &self.signals[signal].kind {
            SignalRun::Input(input) => self.input_value(&d.signals.courses[*input], *input, d.table[0], m),
            SignalRun::Value(program) => program.eval(&d.table, &mut d.scratch),
            SignalRun::Excitation(shape, amplitude, offset, _) => {
                let offset = offset.map_or(0.0, |offset| d.param(self, offset));
                offset + d.param(self, *amplitude) * shape.at(d.table[0])
            }
            SignalRun::Levels { level, amplitude, offset, .. } => {
                let offset = offset.map_or(0.0, |offset| d.param(self, offset));
                offset + d.param(self, *amplitude) * m[*level]
            }
            SignalRun::Held(place) => m[*place],
            SignalRun::Measure(..) | SignalRun::Reversed(..) => f64::NAN,
        }
    }

    /// Encloses the cells of a formula over a span of time, and with it the signals that it may read.
    fn enclose(&self, d: &mut Data<f64>, m: &[f64], work: &mut InputData, index: usize, span: Interval) {
        let time = Enclosure { value: span, slope: Interval::point(1.0) };
        let mut formulas = self.signals.inputs.watched[..index].iter().peekable();
        let own = self.signals.inputs.watched[index].signal;
        for signal in self.ordered_signals().take_while(|&signal| own != Some(signal)) {
            work.signals[signal] = match &self.signals[signal].kind {
                _ if self.signals.inputs.known[signal] == Known::Fixed => {
                    let value = self.known_signal(d, m, signal);
                    d.table[self.table.signals + signal] = value;
                    Enclosure::constant(value)
                }
                SignalRun::Input(input) => {
                    let course = &d.signals.courses[*input];
                    if course.is_stepwise() {
                        Enclosure::constant(m[self.signals.ports.inputs[*input].level])
                    } else {
                        let [value, slope] = course.over(span);
                        Enclosure { value, slope }
                    }
                }
                SignalRun::Excitation(shape, amplitude, offset, _) => {
                    let offset = offset.map_or(0.0, |offset| d.param(self, offset));
                    let amplitude = d.param(self, *amplitude);
                    let scaled = |i: Interval| Interval::point(amplitude) * i;
                    let [value, slope] = shape.over(span);
                    Enclosure { value: Interval::point(offset) + scaled(value), slope: scaled(slope) }
                }
                _ => Enclosure::ALL,
            };
            // The value of a signal is enclosed when its turn comes.
            let Some(watched) = formulas.peek() else { continue };
            if watched.signal == Some(signal) {
                work.signals[signal] = self.enclose_program(d, work, &watched.program, time);
                formulas.next();
            }
        }
        self.enclose_program(d, work, &self.signals.inputs.watched[index].program, time);
    }

    fn enclose_program(
        &self,
        d: &Data<f64>,
        work: &mut InputData,
        program: &Program,
        time: Enclosure,
    ) -> Enclosure {
        let InputData { cells, signals, .. } = work;
        let slots = |slot: usize| match slot {
            0 => time,
            _ if slot >= self.table.signals => {
                signals.get(slot - self.table.signals).copied().unwrap_or(Enclosure::ALL)
            }
            _ if slot >= self.table.p => {
                d.table.get(slot).map_or(Enclosure::ALL, |&p| Enclosure::constant(p))
            }
            _ => Enclosure::ALL,
        };
        program.enclose(&slots, cells)
    }
}
