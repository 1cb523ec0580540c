//! Switches: signals that are 0 or 1, turned by conditions.
//!
//! Between two changes a switch is constant, so what depends on it is smooth. In continuous mode a change is an event, in
//! stepped mode it comes at the end of the step in which the condition came true.

use gelenk_math::expression::Program;
use gelenk_record::Change;
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;

/// A switch in its runtime form.
#[derive(Clone, Debug)]
pub(crate) struct SwitchRun {
    /// Its name in logs.
    pub(crate) name: String,
    /// Its place in the memory: 1 while it is on.
    pub(crate) level: usize,
    /// Positive where it is turned on.
    pub(crate) on: Program,
    pub(crate) off: Release,
    /// What it is at the start; by the condition where nothing is said.
    pub(crate) start: Option<bool>,
    /// Whether the run ends when it is on.
    pub(crate) stop: bool,
}

/// What turns a switch off.
#[derive(Clone, Debug)]
pub(crate) enum Release {
    /// That it would not be turned on.
    Otherwise,
    /// A program that is positive then.
    When(Program),
    /// Nothing.
    Never,
}

impl SwitchRun {
    /// At least zero while the switch may stay as it is.
    fn margin(&self, d: &mut Data<f64>, m: &[f64]) -> f64 {
        let mut eval = |program: &Program| program.eval(&d.table, &mut d.scratch);
        match (&self.off, m[self.level] > 0.5) {
            (_, false) => -eval(&self.on),
            (Release::Otherwise, true) => eval(&self.on),
            (Release::When(off), true) => -eval(off),
            (Release::Never, true) => f64::INFINITY,
        }
    }
}

impl Mechanism {
    /// Whether there are switches, which then need kinematics and signals.
    pub(crate) fn has_switches(&self) -> bool {
        !self.signals.switches.is_empty()
    }

    /// Prepares what conditions read. Needs the instant to be loaded; a fault there is told by the next rate.
    pub(crate) fn prepare_switches(&self, d: &mut Data<f64>, m: &[f64]) {
        self.kinematics(d);
        let _ = self.signals(d, m, None);
    }

    /// Turns the switches to what they are at the start. Needs the instant to be loaded.
    pub(crate) fn start_switches(&self, d: &mut Data<f64>, m: &mut [f64]) -> Result<(), Fault> {
        if self.has_switches() {
            self.kinematics(d);
        }
        for switch in &self.signals.switches {
            // A condition may read the switches before it.
            self.signals(d, m, None)?;
            let on = switch.start.unwrap_or_else(|| switch.on.eval(&d.table, &mut d.scratch) > 0.0);
            m[switch.level] = f64::from(u8::from(on));
        }
        Ok(())
    }

    /// Writes for every switch what is at least zero while it may stay as it is. Needs kinematics and signals.
    pub(crate) fn switch_switching(&self, d: &mut Data<f64>, m: &[f64], g: &mut [f64]) {
        for (g, switch) in g.iter_mut().zip(&self.signals.switches) {
            *g = switch.margin(d, m);
        }
    }

    /// The name of a switch.
    pub(crate) fn turned_name(&self, index: usize) -> &str {
        &self.signals.switches[index].name
    }

    /// Turns a switch, and says how.
    pub(crate) fn toggle(&self, index: usize, m: &mut [f64]) -> Change {
        let level = &mut m[self.signals.switches[index].level];
        *level = 1.0 - *level;
        turned(*level)
    }

    /// Turns what has to be turned at the end of a step, each once: what would swing to and fro waits for the next step.
    /// Needs the end of the step to be loaded. Returns whether something was turned.
    pub(crate) fn turn_switches(&self, d: &mut Data<f64>, m: &mut [f64]) -> bool {
        let mut turned = false;
        for (index, switch) in self.signals.switches.iter().enumerate() {
            // A condition may read the switches before it.
            self.prepare_switches(d, m);
            if switch.margin(d, m) < 0.0 {
                self.toggle(index, m);
                turned = true;
            }
        }
        turned
    }

    /// What has become of a switch from one memory to another.
    pub(crate) fn switch_change(&self, index: usize, before: &[f64], after: &[f64]) -> Option<Change> {
        let level = self.signals.switches[index].level;
        (before[level] != after[level]).then(|| turned(after[level]))
    }

    /// The switch that ends the run, where one does.
    pub(crate) fn ending(&self, m: &[f64]) -> Option<&str> {
        let over = |switch: &&SwitchRun| switch.stop && m[switch.level] > 0.5;
        self.signals.switches.iter().find(over).map(|switch| switch.name.as_str())
    }
}

fn turned(level: f64) -> Change {
    if level > 0.5 { Change::TurnsOn } else { Change::TurnsOff }
}
