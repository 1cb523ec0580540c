//! The parameters of a run in the metadata of its recording: a JSON text.
//!
//! It is a list with an entry for every parameter, in the order of the model: path, value (SI; a word where the model has one,
//! such as the name of a friction law, and for a number that is not finite), unit, and `true` where the value follows from other parameters. Pages that compare
//! runs say from it what differs.

use gelenk_laws::Friction;
use gelenk_model::Compiled;
use gelenk_multibody::Acting;
use gelenk_system::ParameterTable;
use serde_json::{Value, json};

/// Key of the parameters in the metadata of a recording.
pub const KEY: &str = "parameters";

/// What a model says in words where parameters are numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// Path of each friction element and its law.
    laws: Vec<(String, Friction)>,
    /// Paths of parameters whose value is the place of a word, with the words.
    choices: Vec<(String, &'static [&'static str])>,
}

impl Words {
    /// The words of a model.
    pub fn of(compiled: &Compiled) -> Self {
        let mut words = Self::default();
        for element in &compiled.blueprint.elements {
            let Acting::Slider(slider) = element.kind else { continue };
            let law = slider.law();
            words.laws.push((element.name.clone(), law));
            // Lists come after single numbers, so that those have the places of the specification.
            let single = law.spec().params.iter().take_while(|spec| !spec.per_element);
            let choices = single.zip(&element.parameters).filter(|(spec, _)| !spec.choices.is_empty());
            let named = choices.filter_map(|(spec, param)| Some((compiled.parameters.get(*param)?, spec)));
            words.choices.extend(named.map(|(param, spec)| (param.path.clone(), spec.choices)));
        }
        words
    }
}

/// An entry: path, value, unit, and whether it follows from others.
fn entry(path: &str, value: Value, unit: &str, derived: bool) -> Value {
    if derived { json!([path, value, unit, true]) } else { json!([path, value, unit]) }
}

/// A number; JSON has a word for one that is not finite.
pub(crate) fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

/// The parameters with their values, the laws of friction before those of their elements.
pub fn entries(table: &ParameterTable, words: &Words) -> Vec<Value> {
    let values = table.values();
    let mut laws: Vec<Option<&(String, Friction)>> = words.laws.iter().map(Some).collect();
    let mut list = Vec::new();
    let law = |(element, law): &(String, Friction)| {
        entry(&format!("{element}.law"), Value::from(law.spec().name), "", false)
    };
    for (param, known) in table.iter() {
        let owner = laws.iter_mut().find(|law| {
            law.is_some_and(|(element, _)| {
                known.path.strip_prefix(element.as_str()).is_some_and(|rest| rest.starts_with('.'))
            })
        });
        list.extend(owner.and_then(Option::take).map(law));
        let value = param.of(&values);
        let word = words.choices.iter().find(|(path, _)| *path == known.path);
        // A place is a small whole number; anything else stays a number.
        let value = word.and_then(|(_, words)| words.get(value as usize));
        let value = value.map_or_else(|| number(param.of(&values)), |word| json!(word));
        list.push(entry(&known.path, value, &known.unit, known.is_derived()));
    }
    // Laws without numbers.
    list.extend(laws.into_iter().flatten().map(law));
    list
}

/// The text for the metadata.
pub fn describe(table: &ParameterTable, words: &Words) -> String {
    Value::from(entries(table, words)).to_string()
}
