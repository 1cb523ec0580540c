//! Friction laws of the registry, by what they say about themselves.

use gelenk_laws::{Friction, Kind, LawSpec};

use super::super::scale::Dim;
use super::super::sketch::{Term, Value, table};
use super::{Draft, expression, text};

/// Laws that are smooth functions of the velocity.
const SMOOTH: [&str; 1] = ["viscous"];

/// Laws with a form on a plane.
const PLANAR: [&str; 6] = ["regularised", "power", "power-lpv", "dahl", "lugre", "elasto-plastic"];

/// What a law does, as far as relations care.
fn admitted(law: Friction, draft: &Draft) -> bool {
    let spec = law.spec();
    let (_, elements) = spec.typical();
    let holds = ["coulomb", "karnopp", "stribeck"].contains(&spec.name);
    let memory = law.states(elements) + law.memory(elements) > 0 && !holds;
    if !draft.wishes.corners && !holds && !memory {
        return SMOOTH.contains(&spec.name);
    }
    (draft.wishes.holds || !holds) && (draft.wishes.memory || !memory)
}

impl Draft {
    /// A friction law on an angle or a length whose level is about `strength`.
    pub(super) fn friction(&mut self, angle: bool, strength: f64) -> Value {
        let laws: Vec<Friction> = Friction::ALL.iter().copied().filter(|law| admitted(*law, self)).collect();
        // Set-valued laws are three of thirty; they matter more than that.
        let holding = self.wishes.holds && self.dice.chance(35);
        let law = if holding {
            Friction::by_name(self.dice.word(&["coulomb", "karnopp", "stribeck"]))
        } else {
            self.dice.pick(&laws).copied()
        };
        let Some(law) = law else { return table([]) };
        let mut value = self.law(law.spec(), angle, strength);
        if self.dice.chance(10)
            && self.wishes.varying
            && self.wishes.time
            && law.spec().params.iter().any(|p| p.name == "coulomb")
        {
            let factor = |frequency| {
                expression([text("1.2 + 0.2*sin("), Term::Number(frequency, Dim::SPIN), text("*t)")])
            };
            let frequency = self.dice.between(5.0, 20.0);
            let mut factors = table([("coulomb", factor(frequency))]);
            if law.spec().params.iter().any(|p| p.name == "breakaway") {
                factors.set("breakaway", factor(frequency));
            }
            value.set("factors", factors);
        }
        value
    }

    /// A law with a form on a plane.
    pub(super) fn planar(&mut self) -> Value {
        let laws: Vec<Friction> =
            PLANAR.into_iter().filter_map(Friction::by_name).filter(|law| admitted(*law, self)).collect();
        let law = self.dice.pick(&laws).copied().unwrap_or(Friction::Regularised);
        self.law(law.spec(), false, 4.0)
    }

    /// The typical law in another size, which keeps the relations between its parameters.
    fn law(&mut self, spec: &LawSpec, angle: bool, strength: f64) -> Value {
        let effort = strength * self.dice.decades(0.1, 1.0);
        let distance = if angle { 1.0 } else { 0.3 } * self.dice.decades(0.5, 3.0);
        let mut value = table([("law", Value::word(spec.name))]);
        for parameter in spec.params {
            if !parameter.choices.is_empty() {
                let k = self.dice.below(parameter.choices.len());
                value.set(parameter.name, Value::word(parameter.choices[k]));
                continue;
            }
            let (factor, dim) = size(parameter.kind, effort, distance, angle);
            let number = |typical: &f64| Value::Number(tidy(typical * factor), dim);
            let mut typical = parameter.typical_values();
            // No limit is what is left out.
            if typical.iter().any(|value| value.is_infinite()) {
                continue;
            }
            // Where nothing is typical, a little is drawn.
            if parameter.kind == Kind::Damping && typical == [0.0] && self.dice.chance(50) {
                typical = &[0.05];
            }
            let entry = match typical {
                [one] if !parameter.per_element => number(one),
                list => Value::List(list.iter().map(number).collect()),
            };
            value.set(parameter.name, entry);
        }
        value
    }
}

/// Factor and dimension of a parameter of a law whose efforts and distances are multiplied.
fn size(kind: Kind, effort: f64, distance: f64, angle: bool) -> (f64, Dim) {
    let (e, x) = if angle { (Dim::TORQUE, Dim::ANGLE) } else { (Dim::FORCE, Dim::LENGTH) };
    let s = Dim::TIME;
    match kind {
        Kind::Effort => (effort, e),
        Kind::Stiffness => (effort / distance, e.over(x)),
        Kind::Damping => (effort / distance, e.times(s).over(x)),
        Kind::Rate => (distance, x.over(s)),
        Kind::Displacement => (distance, x),
        Kind::Time => (1.0, s),
        Kind::Inertia => (effort / distance, e.times(s).times(s).over(x)),
        Kind::PerDisplacement => (1.0 / distance, Dim::NONE.over(x)),
        Kind::EffortRate => (effort, e.over(s)),
        Kind::PerRate => (1.0 / distance, s.over(x)),
        // No friction law has numbers of other dimensions.
        Kind::Ratio | Kind::Fixed(_) | Kind::Relative { .. } => (1.0, Dim::NONE),
    }
}

/// Six digits, so that relations between parameters hold.
fn tidy(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
