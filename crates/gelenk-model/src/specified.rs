//! Numbers that the specification of a law or an element asks for.

use crate::quantity::{Measure, Number, measure_of};
use gelenk_file::document::{Node, Value};
use gelenk_file::quantity::read_parts;
use gelenk_file::read::{Reader, Text};
use gelenk_file::report::Diagnostic;
use gelenk_file::source::Span;
use gelenk_laws::ParamSpec;
use serde_json::{Map, Value as Json, json};

/// Entries of lists at most; more would be a mistake.
const MOST_ENTRIES: usize = 1000;

/// All parameters of a specification, triples and lists flattened, and the number of entries of the lists.
///
/// `None` where one is missing or wrong; the reader then knows why.
pub(crate) fn parameters(
    node: &Node,
    reader: &mut Reader<'_>,
    params: &[ParamSpec],
) -> (Option<Vec<Number>>, Option<usize>) {
    let (read, size) = given(node, reader, params);
    let read: Option<Vec<Vec<Number>>> = read.into_iter().collect();
    (read.map(|read| read.into_iter().flatten().collect()), size)
}

/// The same where what is missing or wrong is left open ([`Number::open`]), so that the rest can be checked.
pub(crate) fn parameters_or_open(
    node: &Node,
    reader: &mut Reader<'_>,
    params: &[ParamSpec],
) -> (Vec<Number>, usize) {
    let (read, size) = given(node, reader, params);
    // Lists that do not agree are one open number each.
    let size = size.unwrap_or(1);
    let numbers = params.iter().zip(read).flat_map(|(param, numbers)| {
        numbers.filter(|numbers| numbers.len() == param.entries(size)).unwrap_or_else(|| {
            reader.within(param.name, |reader| {
                let open = Number::open(reader.path(), measure_of(param.kind), node.span);
                vec![open; param.entries(size)]
            })
        })
    });
    (numbers.collect(), size)
}

/// Each parameter with its numbers, and the number of entries of the lists; `None` where something is missing or wrong.
fn given(
    node: &Node,
    reader: &mut Reader<'_>,
    params: &[ParamSpec],
) -> (Vec<Option<Vec<Number>>>, Option<usize>) {
    let size = size(node, reader, params);
    let read = params
        .iter()
        .map(|param| match &size {
            // Without an agreed count lists cannot be read; the report says so already.
            None if param.per_element => None,
            _ if param.per_element => list(node, reader, param),
            _ if !param.parts().is_empty() => parts(node, reader, param),
            _ => single(node, reader, param).map(|number| vec![number]),
        })
        .collect();
    (read, size)
}

fn single(node: &Node, reader: &mut Reader<'_>, param: &ParamSpec) -> Option<Number> {
    let measure = measure_of(param.kind);
    match (node.get(param.name), param.default) {
        (Some(entry), _) if !param.choices.is_empty() => {
            reader.within(param.name, |reader| word(&entry.node, reader, param, measure))
        }
        (Some(entry), _) if param.flag => reader.within(param.name, |reader| {
            let flag = <bool as gelenk_file::read::Read>::read(&entry.node, reader)?;
            let value = if flag { 1.0 } else { 0.0 };
            Some(Number::implied(reader.path(), value, measure, entry.node.span))
        }),
        (Some(entry), _) => {
            reader.within(param.name, |reader| Number::read_as(&entry.node, reader, measure, param.infinite))
        }
        (None, Some(value)) => Some(
            reader.within(param.name, |reader| Number::implied(reader.path(), value, measure, node.span)),
        ),
        (None, None) => {
            reader.missing_key(node, param.name);
            None
        }
    }
}

/// A triple or a pair of limits.
fn parts(node: &Node, reader: &mut Reader<'_>, param: &ParamSpec) -> Option<Vec<Number>> {
    let (measure, names) = (measure_of(param.kind), param.parts());
    let infinite = param.infinite || param.limits;
    match (node.get(param.name), param.defaults()) {
        (Some(entry), _) => {
            reader.within(param.name, |reader| read_parts(&entry.node, reader, names, measure, infinite))
        }
        (None, Some(values)) => reader.within(param.name, |reader| {
            let part = |(name, value): (&&str, f64)| {
                reader.within(name, |reader| Number::implied(reader.path(), value, measure, node.span))
            };
            Some(names.iter().zip(values).map(part).collect())
        }),
        (None, None) => {
            reader.missing_key(node, param.name);
            None
        }
    }
}

/// A parameter that is one of several words: its value is the place of the word.
fn word(node: &Node, reader: &mut Reader<'_>, param: &ParamSpec, measure: Measure) -> Option<Number> {
    let text = <Text as gelenk_file::read::Read>::read(node, reader)?;
    let Some(place) = param.choices.iter().position(|&choice| choice == text.text) else {
        gelenk_file::table::unknown_word(&text, param.choices, reader);
        return None;
    };
    Some(Number::implied(reader.path(), place as f64, measure, node.span))
}

fn list(node: &Node, reader: &mut Reader<'_>, param: &ParamSpec) -> Option<Vec<Number>> {
    let entry = node.get(param.name)?;
    let Value::Array(items) = &entry.node.value else { return None };
    let measure = measure_of(param.kind);
    reader.within(param.name, |reader| {
        let read: Vec<Option<Number>> = items
            .iter()
            .enumerate()
            .map(|(i, item)| {
                reader.within(&i.to_string(), |reader| Number::read_as(item, reader, measure, false))
            })
            .collect();
        read.into_iter().collect()
    })
}

/// The number of entries that all lists agree on; zero where there are none.
fn size(node: &Node, reader: &mut Reader<'_>, params: &[ParamSpec]) -> Option<usize> {
    let mut agreed: Option<(usize, &str, Span)> = None;
    let mut valid = true;
    for param in params.iter().filter(|param| param.per_element) {
        let Some(entry) = node.get(param.name) else {
            reader.missing_key(node, param.name);
            valid = false;
            continue;
        };
        let Value::Array(items) = &entry.node.value else {
            reader.within(param.name, |reader| {
                reader.wrong_type(&entry.node, "an array with one number for each element");
            });
            valid = false;
            continue;
        };
        match agreed {
            _ if items.is_empty() || items.len() > MOST_ENTRIES => {
                let message = format!("\"{}\" must have 1 to {MOST_ENTRIES} entries", param.name);
                reader.push(Diagnostic::error(entry.node.span, message));
                valid = false;
            }
            None => agreed = Some((items.len(), param.name, entry.node.span)),
            Some((count, name, span)) if count != items.len() => {
                let message = format!("\"{}\" must have as many entries as \"{name}\"", param.name);
                reader.push(
                    Diagnostic::error(entry.node.span, message)
                        .label(entries(items.len()))
                        .related(span, entries(count)),
                );
                valid = false;
            }
            Some(_) => {}
        }
    }
    valid.then(|| agreed.map_or(0, |(count, ..)| count))
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// Adds the schemas of all parameters to `properties`, and the names of those that must be given to `required`.
pub(crate) fn schema(
    params: &'static [ParamSpec],
    properties: &mut Map<String, Json>,
    required: &mut Vec<&'static str>,
) {
    for param in params {
        let mut schema = Number::schema_of(measure_of(param.kind));
        if param.per_element {
            schema = json!({ "type": "array", "items": schema, "minItems": 1 });
        } else if !param.parts().is_empty() {
            let count = param.parts().len();
            schema = json!({ "type": "array", "items": schema, "minItems": count, "maxItems": count });
        }
        if !param.choices.is_empty() {
            schema = json!({ "enum": param.choices });
        }
        if param.flag {
            schema = json!({ "type": "boolean" });
        }
        schema["description"] = json!(match param.symbol {
            "" => param.meaning.to_owned(),
            symbol => format!("{} ({symbol})", param.meaning),
        });
        match (param.defaults(), param.default) {
            (None, _) => required.push(param.name),
            (Some(_), Some(_)) if !param.choices.is_empty() => schema["default"] = json!(param.choices[0]),
            (Some(_), Some(value)) if param.flag => schema["default"] = json!(value != 0.0),
            (Some(values), _) if values.iter().any(|value| value.is_infinite()) => {}
            (Some(values), _) if param.parts().is_empty() => schema["default"] = json!(values[0]),
            (Some(values), _) => schema["default"] = json!(values),
        }
        properties.insert(param.name.to_owned(), schema);
    }
}
