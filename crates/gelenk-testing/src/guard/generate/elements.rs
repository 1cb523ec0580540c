//! What acts between frames, and what is measured and put out.

use super::super::scale::Dim;
use super::super::sketch::{Term, Value, table};
use super::{Draft, expression, text};

impl Draft {
    /// Up to four elements of random kinds.
    pub(super) fn elements(&mut self) {
        for k in 0..self.dice.below(4) {
            match self.dice.below(9) {
                0 => self.wire(k),
                1 => self.bushing(k),
                2 => self.line(k),
                3 => self.torque(k),
                4 | 5 => self.force(k),
                6 => self.friction_between(k),
                7 => self.pad(k),
                _ => self.further(k),
            }
        }
    }

    fn between(pair: [String; 2]) -> Value {
        Value::List(pair.map(Value::Word).into())
    }

    fn wire(&mut self, k: usize) {
        let pair = self.pair();
        let mut value = table([
            ("between", Self::between(pair)),
            ("stiffness", Value::Number(self.dice.between(10.0, 200.0), Dim::STIFFNESS)),
            ("length", Value::Number(self.dice.between(0.1, 0.5), Dim::LENGTH)),
        ]);
        if self.dice.chance(60) {
            value.set("damping", Value::Number(self.dice.between(0.1, 3.0), Dim::DAMPING));
        }
        self.add("springs", &format!("s{k}"), value);
    }

    fn bushing(&mut self, k: usize) {
        let pair = self.pair();
        let three = |draft: &mut Self, low: f64, high: f64, dim| {
            Value::vector([0; 3].map(|_| draft.dice.between(low, high)), dim)
        };
        let mut value = table([("between", Self::between(pair))]);
        value.set("stiffness", three(self, 5.0, 100.0, Dim::STIFFNESS));
        value.set("torsion", three(self, 0.1, 3.0, Dim::TORSION));
        if self.dice.chance(60) {
            value.set("damping", three(self, 0.1, 2.0, Dim::DAMPING));
            value.set("torsion_damping", three(self, 0.01, 0.05, Dim::TORSION_DAMPING));
        }
        self.add("bushings", &format!("u{k}"), value);
    }

    /// A line whose tension follows its own length.
    fn line(&mut self, k: usize) {
        let pair = self.pair();
        let name = format!("m{k}");
        let measure = table([("between", Self::between(pair.clone())), ("type", Value::word("distance"))]);
        self.add("measures", &name, measure);
        let stiffness = Term::Number(self.dice.between(10.0, 100.0), Dim::STIFFNESS);
        let length = Term::Number(self.dice.between(0.1, 0.5), Dim::LENGTH);
        let damping = Term::Number(self.dice.between(0.1, 1.0), Dim::DAMPING);
        let taut = self.wishes.corners && self.dice.chance(40);
        let (open, close) = if taut { ("max(0, ", ")") } else { ("", "") };
        let tension = expression([
            text(open),
            stiffness,
            text(format!("*({name} - ")),
            length,
            text(") + "),
            damping,
            text(format!("*{name}.rate{close}")),
        ]);
        self.add("lines", &format!("l{k}"), table([("between", Self::between(pair)), ("tension", tension)]));
    }

    fn torque(&mut self, k: usize) {
        let pair = self.pair();
        let torque = self.drive_expression(Dim::TORQUE, 0.3);
        self.add("torques", &format!("w{k}"), table([("between", Self::between(pair)), ("torque", torque)]));
    }

    fn force(&mut self, k: usize) {
        let body = self.bodies[self.dice.below(self.bodies.len())].clone();
        let on = self.frame(&body);
        let (key, dim, size) =
            if self.dice.chance(60) { ("force", Dim::FORCE, 4.0) } else { ("torque", Dim::TORQUE, 0.4) };
        let three = [0; 3].map(|_| self.drive_expression(dim, size));
        let mut value = table([("on", Value::word(&on)), (key, Value::List(three.into()))]);
        if self.dice.chance(40) {
            let axes = if self.dice.chance(50) {
                on
            } else {
                let body = self.body_or_ground();
                self.frame(&body)
            };
            value.set("axes", Value::word(axes));
        }
        self.add("forces", &format!("p{k}"), value);
    }

    /// Friction along or about an axis between frames.
    fn friction_between(&mut self, k: usize) {
        let (pair, turns) = (self.pair(), self.dice.chance(40));
        let holds = std::mem::replace(&mut self.wishes.holds, false);
        let mut value = self.friction(turns, if turns { 0.3 } else { 3.0 });
        self.wishes.holds = holds;
        value.set("between", Self::between(pair));
        let axis = self.dice.word(&["x", "y", "z"]);
        value.set(if turns { "about" } else { "along" }, Value::word(axis));
        self.add("friction", &format!("r{k}"), value);
    }

    /// Friction on a plane.
    fn pad(&mut self, k: usize) {
        let pair = self.pair();
        let mut value = self.planar();
        value.set("between", Self::between(pair));
        value.set("along", Value::word("plane"));
        self.add("friction", &format!("r{k}"), value);
    }

    /// A further friction on a coordinate, perhaps pressed by a force.
    fn further(&mut self, k: usize) {
        let Some(q) = self.coordinate() else { return };
        let mut value = self.friction(q.angle, q.strength());
        value.set("on", Value::word(&q.name));
        if (self.wishes.varying || self.wishes.pressed) && self.dice.chance(40) {
            let joints: Vec<String> = self.sketch.group("joints").map(|e| e.name.clone()).collect();
            let normal = if self.wishes.pressed && (!self.wishes.varying || self.dice.chance(50)) {
                let joint = self.dice.pick(&joints).cloned().unwrap_or_default();
                let lag = Value::Number(self.dice.between(0.001, 0.01), Dim::TIME);
                table([("joint", Value::word(joint)), ("lag", lag)])
            } else {
                self.drive_expression(Dim::FORCE, 3.0)
            };
            value.set("normal", normal);
            value.set("nominal", Value::Number(5.0, Dim::FORCE));
        }
        self.add("friction", &format!("r{k}"), value);
    }

    /// Outputs, and measures of all types.
    pub(super) fn outputs(&mut self) {
        if self.dice.chance(40) {
            let pair = self.pair();
            let kind = self.dice.word(&["distance", "x", "y", "z", "angle"]);
            let measure = table([("between", Self::between(pair)), ("type", Value::word(kind))]);
            self.add("measures", "seen", measure);
            self.add("outputs", "twice", expression([text("2*seen + 0*seen")]));
        }
        if let Some(q) = self.coordinate() {
            self.add("outputs", "speed", expression([text(format!("{}.rate*ratio", q.name))]));
        }
    }
}
