//! Simple bodies that touch.

use super::super::scale::Dim;
use super::super::sketch::{Value, table};
use super::Draft;

impl Draft {
    /// A body that meets a plane or a sphere on the ground, which it does not touch yet.
    pub(super) fn contacts(&mut self) {
        if !self.wishes.contacts || self.dice.chance(75) {
            return;
        }
        let body = self.bodies[self.dice.below(self.bodies.len())].clone();
        let Some((poses, _)) = self.poses(&[&body]) else { return };
        let length = |metres: f64| Value::Number(metres, Dim::LENGTH);
        let (simple, reach) = match self.dice.below(4) {
            0 => (table([("sphere", table([("radius", length(0.08))]))]), 0.08),
            1 => (table([("capsule", table([("radius", length(0.05)), ("length", length(0.1))]))]), 0.1),
            2 => {
                let size = Value::vector([0.1, 0.12, 0.08], Dim::LENGTH);
                (table([("box", table([("size", size)]))]), 0.09)
            }
            _ => (Value::word("point"), 0.0),
        };
        let on_sphere = simple.get("sphere").is_some() && self.dice.chance(40);
        self.add("surfaces", "skin", table([("on", Value::word(&body)), ("simple", simple)]));
        // Below the body, seen along gravity or along any direction.
        let mut up: Vec<f64> =
            self.sketch.gravity.iter().zip(self.dice.vector(1.0)).map(|(g, r)| r - g).collect();
        let size = up.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        up.iter_mut().for_each(|x| *x /= size);
        let away = reach + self.dice.between(0.003, 0.05) + if on_sphere { 0.2 } else { 0.0 };
        let origin = poses[0].position;
        let position = [0, 1, 2].map(|k| origin[k] - away * up[k]);
        let frame = table([
            ("body", Value::word("ground")),
            ("position", Value::vector(position, Dim::LENGTH)),
            ("orientation", Value::vector([(-up[1]).atan2(up[2]), up[0].asin(), 0.3], Dim::ANGLE)),
        ]);
        self.add("frames", "floor", frame);
        let floor = if on_sphere {
            table([("sphere", table([("radius", length(0.2))]))])
        } else {
            Value::word("plane")
        };
        self.add("surfaces", "base", table([("on", Value::word("floor")), ("simple", floor)]));
        let law = self.contact_law();
        let mut value =
            table([("between", Value::List(["skin", "base"].map(Value::word).into())), ("law", law)]);
        if self.dice.chance(60) {
            value.set("friction", Value::Number(self.dice.between(0.1, 0.6), Dim::NONE));
            value.set("speed", Value::Number(0.05, Dim::VELOCITY));
        }
        self.add("contacts", "touch", value);
    }

    fn contact_law(&mut self) -> Value {
        let stiffness = self.dice.between(500.0, 5000.0);
        let of =
            |n: f64, factor: f64| Value::Quantity(stiffness * factor, Dim::FORCE.over(Dim::LENGTH.power(n)));
        match self.dice.below(4) {
            0 => table([("linear", table([("stiffness", of(1.0, 1.0))]))]),
            1 => {
                let damping = Value::Number(0.005 * stiffness, Dim::DAMPING);
                let depth = Value::Number(0.002, Dim::LENGTH);
                let keys = [("stiffness", of(1.0, 1.0)), ("damping", damping), ("depth", depth)];
                table([("kelvin-voigt", table(keys))])
            }
            2 => table([("hertz", table([("stiffness", of(1.5, 10.0))]))]),
            _ => {
                let dissipation = Value::Number(self.dice.between(0.05, 0.5), Dim::NONE.over(Dim::VELOCITY));
                table([(
                    "hunt-crossley",
                    table([("stiffness", of(1.5, 10.0)), ("dissipation", dissipation)]),
                )])
            }
        }
    }
}
