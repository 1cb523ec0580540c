//! What the page knows of recordings before it asks for numbers.

use gelenk_io::contact_elements::ELEMENTS;
use gelenk_record::Elements;
use serde_json::{Value, json};

use crate::Run;

/// Most events of a recording that the page lists.
const MOST_EVENTS: usize = 20_000;

/// Entries of the metadata that are JSON texts with a place of their own, and those that the page has no use for.
const OWN: [&str; 5] = ["scene", "energy", "parameters", "variants", ELEMENTS];

/// A recording, the rows that the page can have of it, and its contact elements.
pub type Described<'a> = (&'a Run, usize, Option<&'a Elements>);

/// Describes recordings as JSON.
pub fn describe<'a>(runs: impl IntoIterator<Item = Described<'a>>) -> Value {
    let runs: Vec<Value> = runs.into_iter().map(run).collect();
    json!({ "version": 1, "generator": concat!("gelenk ", env!("CARGO_PKG_VERSION")), "runs": runs })
}

fn run((run, rows, elements): Described<'_>) -> Value {
    let Run { name, pieces, table, .. } = run;
    let column = |c: &gelenk_record::Column| json!([c.name, c.unit, c.meaning]);
    let columns: Vec<Value> = pieces.columns().iter().map(column).collect();
    let event = |e: &gelenk_record::Event| json!([e.t, e.element, e.what]);
    let events: Vec<Value> = pieces.events().iter().take(MOST_EVENTS).map(event).collect();
    let meta: serde_json::Map<String, Value> = pieces
        .meta()
        .iter()
        .filter(|(key, _)| !OWN.contains(&key.as_str()) && *key != gelenk_io::STATE)
        .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
        .collect();
    let parsed = |key: &str| {
        let text = pieces.meta().get(key)?;
        serde_json::from_str::<Value>(text).ok()
    };
    let ranges = pieces.ranges().into_iter().map(|range| range.map(|(low, high)| [low, high]));
    json!({
        "name": name,
        "rows": rows,
        "recorded": pieces.rows(),
        "growing": run.is_growing(),
        "span": pieces.span().map(|(from, to)| [from, to]),
        "columns": columns,
        "ranges": ranges.collect::<Vec<_>>(),
        "events": events,
        "eventCount": pieces.events().len(),
        "meta": meta,
        "scene": parsed("scene"),
        "energy": parsed("energy"),
        "parameters": entries(parsed("parameters")),
        "metrics": [],
        "variants": variants(parsed("variants")),
        "elements": elements.map(|found| json!({
            "pairs": serde_json::from_str::<Value>(&found.pairs).unwrap_or_default(),
            "largest": found.largest(),
            "shown": found.len(),
            "recorded": table.as_ref().map_or(0, |table| table.rows()),
        })),
    })
}

/// Entries of a list that are lists of a name, a value and a unit, perhaps with more behind; others are omitted.
fn entries(list: Option<Value>) -> Vec<Value> {
    let Some(Value::Array(list)) = list else { return Vec::new() };
    let fits = |entry: &Value| {
        let is_value = |value: &Value| value.is_number() || value.is_string() || value.is_null();
        entry.get(0).is_some_and(Value::is_string)
            && entry.get(1).is_some_and(is_value)
            && entry.get(2).is_some_and(Value::is_string)
    };
    list.into_iter().filter(fits).collect()
}

/// The runs in a recording that have a name.
fn variants(list: Option<Value>) -> Vec<Value> {
    let Some(Value::Array(list)) = list else { return Vec::new() };
    let variant = |mut entry: Value| {
        let name = entry.get("name")?.as_str()?.to_owned();
        let method = entry.get("method").and_then(Value::as_str).map(str::to_owned);
        let mut own = |key: &str| entries(entry.get_mut(key).map(Value::take));
        Some(json!({
            "name": name,
            "method": method,
            "parameters": own("parameters"),
            "metrics": own("metrics"),
        }))
    };
    list.into_iter().filter_map(variant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_entry_is_omitted() {
        let list = json!([
            ["mass", 2.0, "kg"],
            1,
            [],
            ["x"],
            ["law", "dahl", "", true],
            [1, 2, 3],
            ["a", [], ""],
            null
        ]);
        assert_eq!(entries(Some(list)), [json!(["mass", 2.0, "kg"]), json!(["law", "dahl", "", true])]);
        assert!(entries(Some(json!({}))).is_empty() && entries(None).is_empty());
        let runs = json!([{ "name": "dahl", "metrics": [["peak", null, "N"], 3] }, { "method": "none" }, 7]);
        let dahl =
            json!({ "name": "dahl", "method": null, "parameters": [], "metrics": [["peak", null, "N"]] });
        assert_eq!(variants(Some(runs)), [dahl]);
    }
}
