//! Bodies and the tree of joints.

use super::super::scale::Dim;
use super::super::sketch::{Term, Value, table};
use super::{Coordinate, Draft, expression, text};

/// Every type of joint, with those that functions move at the end.
const TYPES: [&str; 14] = [
    "revolute",
    "prismatic",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "planar",
    "ball",
    "angles",
    "free",
    "fixed",
    "general",
    "screw",
    "value",
];

impl Draft {
    /// Numbers that others use by name.
    pub(super) fn parameters(&mut self) {
        let value = table([
            ("reach", Value::Number(self.dice.between(0.1, 0.4), Dim::LENGTH)),
            ("ratio", Value::Number(self.dice.between(0.3, 2.0), Dim::NONE)),
        ]);
        let Value::Table(mut entries) = value else { return };
        // A plain number is one without dimension, so a length has its unit in any case.
        for (_, value) in &mut entries {
            if let Value::Number(number, dim) = *value {
                *value = expression([Term::Number(number, dim)]);
            }
        }
        for (name, value) in entries {
            self.add("parameters", &name, value);
        }
    }

    /// One to four bodies on random parents.
    pub(super) fn tree(&mut self) {
        for k in 0..1 + self.dice.below(4) {
            let name = format!("b{k}");
            let body = self.body();
            self.add("bodies", &name, body);
            let parent =
                if k == 0 || self.dice.chance(25) { "ground".to_owned() } else { self.body_or_ground() };
            self.joint(k, &parent, &name);
            self.bodies.push(name);
        }
    }

    fn body(&mut self) -> Value {
        let dice = &mut self.dice;
        let mass = dice.between(0.3, 2.0);
        let centre = Value::vector(dice.vector(0.15), Dim::LENGTH);
        match dice.below(7) {
            0 => table([
                ("mass", Value::Number(mass, Dim::MASS)),
                ("centre", centre),
                ("shape", table([("sphere", table([("radius", Value::Number(0.1, Dim::LENGTH))]))])),
            ]),
            1 => table([
                (
                    "density",
                    Value::Number(dice.between(100.0, 300.0), Dim::MASS.over(Dim::LENGTH.power(3.0))),
                ),
                ("centre", centre),
                ("shape", table([("box", table([("size", Value::vector([0.1, 0.2, 0.25], Dim::LENGTH))]))])),
            ]),
            2 => {
                let sizes = [
                    ("radius", Value::Number(0.06, Dim::LENGTH)),
                    ("length", Value::Number(0.2, Dim::LENGTH)),
                ];
                let kind = dice.word(&["cylinder", "capsule"]);
                table([
                    ("mass", Value::Number(mass, Dim::MASS)),
                    ("centre", centre),
                    ("shape", table([(kind, table(sizes))])),
                ])
            }
            _ => {
                // Second moments of a mass that lies anywhere: every tensor so made belongs to a possible body.
                let [x, y, z] = [0; 3].map(|_| mass * dice.between(0.006, 0.02));
                let mut tensor = vec![y + z, x + z, x + y];
                if dice.chance(60) {
                    tensor.extend([0; 3].map(|_| mass * dice.between(-0.002, 0.002)));
                }
                let tensor = tensor.into_iter().map(|n| Value::Number(n, Dim::INERTIA)).collect();
                table([
                    ("mass", Value::Number(mass, Dim::MASS)),
                    ("centre", centre),
                    ("inertia", Value::List(tensor)),
                ])
            }
        }
    }

    fn joint(&mut self, k: usize, parent: &str, child: &str) {
        let name = format!("j{k}");
        let most = if self.wishes.functions { TYPES.len() } else { TYPES.len() - 2 };
        // A fixed joint first of all would leave nothing that moves.
        let mut kind = TYPES[self.dice.below(most)];
        if kind == "fixed" && k == 0 || self.wishes.anchored && ["ball", "free"].contains(&kind) {
            kind = "revolute";
        }
        let mut value = table([
            ("type", Value::word("revolute")),
            ("parent", Value::word(parent)),
            ("child", Value::word(child)),
        ]);
        if self.dice.chance(80) {
            let mut position = Value::vector(self.dice.vector(0.3), Dim::LENGTH);
            if let (true, Value::List(list)) = (self.dice.chance(20), &mut position) {
                list[0] = expression([text("reach")]);
            }
            value.set("position", position);
        }
        if self.dice.chance(60) {
            value.set("orientation", Value::vector(self.dice.vector(1.5), Dim::ANGLE));
        }
        self.move_joint(&name, kind, &mut value);
        self.add("joints", &name, value);
    }

    fn move_joint(&mut self, name: &str, kind: &str, value: &mut Value) {
        let [angle, length] = [true, false];
        let kinds: &[bool] = match kind {
            "revolute" | "screw" => &[angle],
            "prismatic" => &[length],
            "cylindrical" => &[length, angle],
            "universal" => &[angle, angle],
            "planar" => &[length, length, angle],
            "angles" => &[angle, angle, angle],
            _ => &[],
        };
        value.set("type", Value::word(if kind == "angles" { "ball" } else { kind }));
        match kind {
            "fixed" => {}
            "revolute" | "prismatic" => {
                if self.dice.chance(70) {
                    let axis = self.axis();
                    value.set("axis", axis);
                }
                let coordinate = self.new_coordinate(kinds[0]);
                value.set("coordinate", coordinate);
            }
            "screw" => {
                value.set("lead", Value::Number(self.dice.signed(0.05, 0.3), Dim::LENGTH));
                let coordinate = self.new_coordinate(true);
                value.set("coordinate", coordinate);
            }
            "ball" | "free" => {
                self.free.push(name.to_owned());
                let mut start = table([("orientation", Value::vector(self.dice.vector(1.0), Dim::ANGLE))]);
                start.set("angular_velocity", Value::vector(self.dice.vector(3.0), Dim::SPIN));
                if kind == "free" {
                    start.set("position", Value::vector(self.dice.vector(0.3), Dim::LENGTH));
                    start.set("velocity", Value::vector(self.dice.vector(1.0), Dim::VELOCITY));
                }
                value.set("start", start);
                if kind == "ball" && self.wishes.stops && self.dice.chance(30) {
                    let stop = self.swing();
                    value.set("stop", stop);
                }
            }
            "general" => self.general(value),
            "value" => self.valued(value),
            _ => {
                let list = kinds.iter().map(|angle| self.new_coordinate(*angle)).collect();
                value.set("coordinates", Value::List(list));
                if kind == "angles" {
                    let sequence = self.dice.word(&["xyz", "yzx", "zxy", "zxz", "xyx", "yzy"]);
                    value.set("sequence", Value::word(sequence));
                }
            }
        }
    }

    /// A unit vector along an axis, or any.
    fn axis(&mut self) -> Value {
        let k = self.dice.below(6);
        let mut axis = self.dice.vector(1.0);
        if k < 3 {
            axis = [0, 1, 2].map(|i| if i == k { 1.0 } else { 0.0 });
        }
        Value::vector(axis, Dim::NONE)
    }

    /// A coordinate with its start and what acts on it.
    fn new_coordinate(&mut self, angle: bool) -> Value {
        let name = format!("q{}", self.coordinates.len());
        let start = self.dice.signed(0.2, 0.7) * if angle { 1.0 } else { 0.4 };
        let (dim, rate) = if angle { (Dim::ANGLE, Dim::SPIN) } else { (Dim::LENGTH, Dim::VELOCITY) };
        let coordinate = Coordinate { name: name.clone(), angle, start };
        let mut value = table([("name", Value::word(&name)), ("start", Value::Number(start, dim))]);
        if self.dice.chance(70) {
            let most = if angle { 4.0 } else { 1.0 };
            value.set("rate", Value::Number(self.dice.between(-most, most), rate));
        }
        self.dress(&coordinate, &mut value);
        self.coordinates.push(coordinate);
        value
    }

    /// Two turns, a slide, a constant, and now and then a function.
    fn general(&mut self, value: &mut Value) {
        value.set("type", Value::word("general"));
        let mut motion = table([("y", Value::Number(self.dice.between(-0.2, 0.2), Dim::LENGTH))]);
        let mut more = vec![];
        for (key, angle) in [("x", false), ("w1", true), ("w2", true)] {
            if key == "w1" || self.dice.chance(50) {
                let Value::Table(mut entries) = self.new_coordinate(angle) else { continue };
                let (_, name) = entries.remove(0);
                motion.set(key, name.clone());
                more.push((name, Value::Table(entries)));
            }
        }
        if let (true, Some(q)) = (self.wishes.functions && self.dice.chance(40), self.coordinate()) {
            let slope = Term::Number(self.dice.between(-0.4, 0.4), Dim::LENGTH.over(q.dim()));
            motion.set("z", expression([slope, text(format!("*{}", q.name))]));
        }
        value.set("motion", motion);
        for (name, settings) in more {
            self.add("coordinates", name.as_word().unwrap_or_default(), settings);
        }
    }

    /// A joint that is a function of time, of a coordinate, or of both.
    fn valued(&mut self, value: &mut Value) {
        let angle = self.dice.chance(50);
        let dim = if angle { Dim::ANGLE } else { Dim::LENGTH };
        value.set("type", Value::word(if angle { "revolute" } else { "prismatic" }));
        let axis = self.axis();
        value.set("axis", axis);
        let size = if angle { 0.5 } else { 0.1 };
        let mut pieces = vec![Term::Number(self.dice.signed(0.2 * size, size), dim)];
        let coordinate = self.coordinate();
        if self.wishes.time && (coordinate.is_none() || self.dice.chance(50)) {
            let spin = Term::Number(self.dice.between(3.0, 12.0), Dim::SPIN);
            pieces.extend([text("*sin("), spin, text("*t)")]);
        }
        if let Some(q) = coordinate {
            let one = Term::Number(1.0, Dim::NONE.over(q.dim()));
            let size = Term::Number(self.dice.signed(0.2 * size, size), dim);
            pieces.extend([text(" + "), size, text("*"), one, text(format!("*{}*ratio", q.name))]);
        }
        value.set("value", expression(pieces));
    }
}
