//! What acts on a coordinate: springs, stops, friction, rotors.

use super::super::scale::Dim;
use super::super::sketch::{Term, Value, table};
use super::{Coordinate, Draft, expression, text};

impl Draft {
    /// Adds what acts on a coordinate to its table.
    pub(super) fn dress(&mut self, q: &Coordinate, value: &mut Value) {
        if self.wishes.anchored {
            let (stiffness, damping) = if q.angle { (8.0, 0.2) } else { (150.0, 4.0) };
            let factor = self.dice.between(1.0, 3.0);
            let spring = table([
                ("stiffness", Value::Number(factor * stiffness, q.effort().over(q.dim()))),
                ("damping", Value::Number(factor * damping, q.effort().times(Dim::TIME).over(q.dim()))),
            ]);
            value.set("spring", spring);
        } else if self.dice.chance(35) {
            let spring = self.spring(q);
            value.set("spring", spring);
        }
        let stops = self.wishes.stops || self.wishes.impacts;
        if stops && self.dice.chance(30) {
            let stop = self.stop(q);
            value.set("stop", stop);
        }
        if self.dice.chance(45) {
            let friction = self.friction(q.angle, q.strength());
            value.set("friction", friction);
        }
        if self.wishes.rotors && self.dice.chance(12) {
            let (size, dim) = if q.angle { (0.02, Dim::INERTIA) } else { (0.5, Dim::MASS) };
            value.set("rotor_inertia", Value::Number(self.dice.between(0.2 * size, size), dim));
        }
    }

    fn spring(&mut self, q: &Coordinate) -> Value {
        let (stiffness, rate) = (q.effort().over(q.dim()), q.effort().times(Dim::TIME).over(q.dim()));
        let unit = if q.angle { 1.0 } else { 20.0 };
        if self.dice.chance(15) {
            // A force as an expression of the coordinate and its rate.
            let k = Term::Number(self.dice.between(1.0, 10.0) * unit, stiffness);
            let d = Term::Number(self.dice.between(0.0, 0.1) * unit, rate);
            let [name, one] = [q.name.clone(), q.name.clone()];
            let effort =
                expression([text("-"), k, text(format!("*{name} - ")), d, text(format!("*{one}.rate"))]);
            return table([("effort", effort)]);
        }
        let mut spring =
            table([("stiffness", Value::Number(self.dice.between(1.0, 20.0) * unit, stiffness))]);
        if self.dice.chance(60) {
            spring.set("damping", Value::Number(self.dice.between(0.01, 0.2) * unit, rate));
        }
        if self.dice.chance(50) {
            spring.set("rest", Value::Number(self.dice.between(-0.3, 0.3), q.dim()));
        }
        if self.wishes.corners && self.dice.chance(25) {
            let exponent = self.dice.pick(&[1.5, 2.0, 3.0]).copied().unwrap_or(2.0);
            spring.set("exponent", Value::Number(exponent, Dim::NONE));
            let dim = q.effort().over(q.dim().power(exponent));
            spring.set("stiffness", Value::Number(self.dice.between(1.0, 20.0) * unit, dim));
        }
        spring
    }

    fn stop(&mut self, q: &Coordinate) -> Value {
        let size = if q.angle { 0.3 } else { 0.1 };
        let [low, high] = [0; 2].map(|_| self.dice.between(0.1 * size, size));
        let [mut low, mut high] = [q.start - low, q.start + high];
        match self.dice.below(6) {
            0 => low = f64::NEG_INFINITY,
            1 => high = f64::INFINITY,
            _ => {}
        }
        let range = Value::List([low, high].map(|n| Value::Number(n, q.dim())).into());
        if self.wishes.impacts && (!self.wishes.stops || self.dice.chance(40)) {
            let restitution = self.dice.pick(&[0.0, 0.3, 0.6, 0.9, 1.0]).copied().unwrap_or(0.5);
            let mut stop = table([("range", range), ("restitution", Value::Number(restitution, Dim::NONE))]);
            if self.dice.chance(40) {
                stop.set("law", Value::word("poisson"));
            }
            // The default is a speed in m/s, which a model of another size would not share.
            stop.set("rest", Value::Number(1e-8, q.dim().over(Dim::TIME)));
            return stop;
        }
        let exponent = self.dice.pick(&[1.0, 1.0, 1.5, 2.0]).copied().unwrap_or(1.0);
        let unit = if q.angle { 30.0 } else { 1000.0 };
        let stiffness = self.dice.between(1.0, 5.0) * unit;
        let mut stop = table([
            ("range", range),
            ("stiffness", Value::Number(stiffness, q.effort().over(q.dim().power(exponent)))),
        ]);
        if exponent > 1.0 {
            stop.set("exponent", Value::Number(exponent, Dim::NONE));
        }
        if self.dice.chance(60) {
            let damping = q.effort().times(Dim::TIME).over(q.dim());
            stop.set("damping", Value::Number(0.01 * stiffness, damping));
            if self.dice.chance(60) {
                stop.set("depth", Value::Number(0.1 * size, q.dim()));
            }
            if self.dice.chance(20) {
                stop.set("clamp", Value::Flag(false));
            }
        }
        stop
    }

    /// Limits of swing and twist on a ball joint.
    pub(super) fn swing(&mut self) -> Value {
        let mut stop = table([
            ("swing", Value::Number(self.dice.between(0.3, 1.2), Dim::ANGLE)),
            ("stiffness", Value::Number(self.dice.between(10.0, 60.0), Dim::TORSION)),
        ]);
        if self.dice.chance(60) {
            let twist = [self.dice.between(-1.0, -0.2), self.dice.between(0.2, 1.0)];
            stop.set("twist", Value::List(twist.map(|n| Value::Number(n, Dim::ANGLE)).into()));
        }
        if self.dice.chance(50) {
            stop.set("damping", Value::Number(self.dice.between(0.05, 0.5), Dim::TORSION_DAMPING));
            stop.set("depth", Value::Number(0.05, Dim::ANGLE));
        }
        stop
    }
}
