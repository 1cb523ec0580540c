//! Signals, logs, curves, sensors, controllers, switches, drives.

use super::super::scale::Dim;
use super::super::sketch::{Log, Term, Value, table};
use super::{Draft, expression, text};

impl Draft {
    /// Everything that has a value over time, and drives that use it.
    pub(super) fn signals(&mut self) {
        if self.wishes.time && self.wishes.signals && self.dice.chance(30) {
            self.excitation();
        }
        if self.wishes.time && self.wishes.signals && self.wishes.corners && self.dice.chance(20) {
            self.log();
        }
        if self.dice.chance(25) {
            self.curve();
        }
        if self.wishes.switches && self.dice.chance(30) {
            self.switch();
        }
        if self.wishes.sampled && self.dice.chance(30) {
            self.control();
        }
        for k in 0..self.dice.below(3) {
            let Some(q) = self.coordinate() else { return };
            let effort = self.drive_expression(q.effort(), q.strength());
            self.add("drives", &format!("d{k}"), table([("on", Value::word(&q.name)), ("effort", effort)]));
        }
    }

    /// A force or torque that follows time, coordinates, signals and switches.
    pub(super) fn drive_expression(&mut self, dim: Dim, size: f64) -> Value {
        let mut pieces = vec![Term::Number(self.dice.signed(0.2 * size, size), dim)];
        if let (true, Some(factor)) = (self.dice.chance(50), self.dice.pick(&self.factors).cloned()) {
            pieces.push(text(format!("*{factor}")));
        }
        match self.dice.below(7) {
            0 | 1 if self.wishes.time => {
                let spin = Term::Number(self.dice.between(3.0, 25.0), Dim::SPIN);
                let phase = self.dice.between(0.0, 3.0);
                pieces.extend([text("*sin("), spin, text(format!("*t + {phase})"))]);
            }
            2 if self.wishes.time && self.wishes.corners => {
                let at = Term::Number(self.dice.between(0.02, 0.15), Dim::TIME);
                pieces.extend([text("*if(t < "), at, text(", 0.3, 1)")]);
            }
            3 => {
                if let Some(q) = self.coordinate() {
                    let one = Term::Number(1.0, Dim::NONE.over(q.dim()));
                    pieces.extend([text(format!("*cos({}*", q.name)), one, text(")")]);
                }
            }
            4 => {
                if let Some(q) = self.coordinate() {
                    let one = Term::Number(0.5, Dim::TIME.over(q.dim()));
                    pieces.extend([text(format!("*tanh({}.rate*", q.name)), one, text(")*(-1)")]);
                }
            }
            5 => pieces.push(text("*ratio")),
            _ => {}
        }
        expression(pieces)
    }

    /// A shape over time, as a plain number.
    fn excitation(&mut self) {
        let dice = &mut self.dice;
        let amplitude = ("amplitude", Value::Number(dice.between(0.3, 1.0), Dim::NONE));
        let time = |seconds: f64| Value::Number(seconds, Dim::TIME);
        let often = |hertz: f64| Value::Number(hertz, Dim::FREQUENCY);
        let numbers = |list: &[f64]| Value::List(list.iter().map(|n| Value::Number(*n, Dim::NONE)).collect());
        let most = if self.wishes.corners { 7 } else { 2 };
        let (key, value) = match dice.below(most) {
            0 => ("sine", table([amplitude, ("frequency", often(dice.between(1.0, 8.0)))])),
            1 => {
                let tones = ("tones", Value::Number(4.0, Dim::NONE));
                (
                    "multisine",
                    table([
                        amplitude,
                        ("from", often(2.0)),
                        ("to", often(9.0)),
                        tones,
                        ("duration", time(1.0)),
                    ]),
                )
            }
            2 => (
                "chirp",
                table([amplitude, ("from", often(2.0)), ("to", often(9.0)), ("duration", time(0.15))]),
            ),
            3 => ("ramp", table([amplitude, ("start", time(0.03)), ("duration", time(0.05))])),
            4 => (
                "staircase",
                table([amplitude, ("levels", numbers(&[0.0, 1.0, -0.5])), ("hold", time(0.06))]),
            ),
            5 => (
                "zigzag",
                table([amplitude, ("reversals", numbers(&[1.0, -0.6, 0.8])), ("rise", time(0.04))]),
            ),
            _ => {
                let times = Value::List([0.02, 0.07, 0.13].map(time).into());
                ("points", table([amplitude, ("times", times), ("values", numbers(&[0.5, -1.0, 1.0]))]))
            }
        };
        self.add("signals", "wave", table([(key, value)]));
        self.factors.push("wave".into());
    }

    fn log(&mut self) {
        let interpolation = self.dice.word(&["linear", "hold"]);
        let rows = 3 + self.dice.below(6);
        let time: Vec<f64> = (0..rows).map(|k| 0.025 * k as f64).collect();
        let value = (0..rows).map(|_| self.dice.between(-2.0, 2.0)).collect();
        self.sketch.logs.push(Log { file: "log.csv".into(), time, value, dim: Dim::FORCE });
        let log = table([
            ("file", Value::word("log.csv")),
            ("time", Value::word("t")),
            ("column", Value::word("y")),
            ("unit", Value::Unit(Dim::FORCE)),
            ("time_unit", Value::Unit(Dim::TIME)),
            ("interpolation", Value::word(interpolation)),
        ]);
        self.add("signals", "logged", table([("log", log)]));
        let one = Term::Number(1.0, Dim::NONE.over(Dim::FORCE));
        self.add("signals", "share", table([("value", expression([text("logged*"), one]))]));
        self.factors.push("share".into());
    }

    /// A curve over a coordinate or over time, as a plain number.
    fn curve(&mut self) {
        let q = self.coordinate();
        let (argument, dim) = match q {
            Some(q) if !self.wishes.time || self.dice.chance(60) => (q.name.clone(), q.dim()),
            _ if self.wishes.time => ("t".into(), Dim::TIME),
            _ => return,
        };
        let size = if dim == Dim::TIME { 0.1 } else { 0.4 };
        let x: Vec<Value> = (-2..=2).map(|k| Value::Quantity(f64::from(k) * size, dim)).collect();
        let y: Vec<Value> = (0..5).map(|_| Value::Number(self.dice.between(-1.0, 1.0), Dim::NONE)).collect();
        let mut value = table([("x", Value::List(x)), ("y", Value::List(y))]);
        // The third derivative of a spline jumps at its points, so it is not smooth, either.
        if !self.wishes.corners {
            return;
        }
        if self.dice.chance(40) {
            value.set("kind", Value::word("linear"));
        } else if self.dice.chance(50) {
            value.set("end", Value::word("natural"));
        }
        self.add("curves", "shape", value);
        self.factors.push(format!("shape({argument})"));
    }

    fn switch(&mut self) {
        let Some(q) = self.coordinate() else { return };
        let level = q.start + self.dice.signed(0.02, 0.2);
        let (mut on, mut off) = (">", "<");
        if self.dice.chance(50) {
            std::mem::swap(&mut on, &mut off);
        }
        let name = q.name.clone();
        let condition =
            |sign: &str, at: f64| expression([text(format!("{name} {sign} ")), Term::Number(at, q.dim())]);
        let mut value = table([("on", condition(on, level))]);
        match self.dice.below(3) {
            0 => value.set("latched", Value::Flag(true)),
            _ => {
                let gap = if on == ">" { -0.03 } else { 0.03 };
                value.set("off", condition(off, level + gap));
            }
        }
        self.add("switches", "relay", value);
        self.factors.push("(0.2 + relay)".into());
    }

    /// A sensor, a controller on it, and a drive.
    fn control(&mut self) {
        let Some(q) = self.coordinate() else { return };
        let period = self.dice.pick(&[0.002, 0.005, 0.01]).copied().unwrap_or(0.01);
        let mut sensor =
            table([("of", expression([text(&q.name)])), ("period", Value::Number(period, Dim::TIME))]);
        if self.dice.chance(40) {
            sensor.set("quantum", Value::Number(self.dice.between(0.003, 0.02), q.dim()));
        }
        if self.dice.chance(30) {
            sensor.set("delay", Value::Number(0.003, Dim::TIME));
        }
        self.add("sensors", "gauge", sensor);
        let (gain, unit) = (q.effort().over(q.dim()), q.strength());
        let mut control = table([
            ("type", Value::word("pi")),
            ("period", Value::Number(2.0 * period, Dim::TIME)),
            ("measure", expression([text("gauge")])),
            ("target", expression([Term::Number(self.dice.between(-0.4, 0.4), q.dim())])),
            ("kp", Value::Quantity(unit * self.dice.between(0.5, 3.0), gain)),
        ]);
        if self.dice.chance(60) {
            control.set("ki", Value::Quantity(unit * self.dice.between(0.5, 10.0), gain.over(Dim::TIME)));
        }
        if self.dice.chance(50) {
            control.set("limit", Value::Quantity(unit, q.effort()));
        }
        if self.dice.chance(20) {
            control.set("jitter", Value::Number(0.001, Dim::TIME));
        }
        self.add("controllers", "pilot", control);
        self.add(
            "drives",
            "servo",
            table([("on", Value::word(&q.name)), ("effort", expression([text("pilot")]))]),
        );
    }
}
