//! What the page knows of recordings before it asks for numbers.

use gelenk_io::contact_elements::ELEMENTS;
use gelenk_record::Elements;
use gelenk_record::format::{self, Format, Nullable, Raw};
use serde_json::Value;

use crate::Run;

/// Most events of a recording that the page lists.
const MOST_EVENTS: usize = 20_000;

/// Entries of the metadata that are JSON texts with a place of their own, and those that the page has no use for.
const OWN: [&str; 5] = ["scene", "energy", "parameters", "variants", ELEMENTS];

/// A recording, the rows that the page can have of it, and its contact elements.
pub type Described<'a> = (&'a Run, usize, Option<&'a Elements>);

/// Describes recordings as JSON.
pub fn describe<'a>(runs: impl IntoIterator<Item = Described<'a>>) -> Value {
    let generator = concat!("gelenk ", env!("CARGO_PKG_VERSION")).to_owned();
    let index = format::Index { version: 1, generator, runs: runs.into_iter().map(run).collect() };
    index.value().unwrap_or_default()
}

fn run((run, rows, elements): Described<'_>) -> format::Run {
    let Run { name, pieces, table, .. } = run;
    let column = |c: &gelenk_record::Column| format::Column {
        name: c.name.clone(),
        unit: c.unit.clone(),
        meaning: c.meaning.clone(),
    };
    let event = |e: &gelenk_record::Event| format::RunEvent {
        t: e.t,
        element: e.element.clone(),
        what: e.what.clone(),
    };
    let kept = |key: &&String| !OWN.contains(&key.as_str()) && *key != gelenk_io::STATE;
    let meta = pieces.meta().iter().filter(|(key, _)| kept(key));
    let parsed = |key: &str| {
        let text = pieces.meta().get(key)?;
        serde_json::from_str::<Value>(text).ok()
    };
    let ranges = pieces.ranges().into_iter();
    format::Run {
        name: name.clone(),
        rows,
        recorded: pieces.rows(),
        growing: Some(run.is_growing()),
        span: Nullable(pieces.span().map(|(from, to)| [from, to])),
        columns: pieces.columns().iter().map(column).collect(),
        ranges: ranges.map(|range| Nullable(range.map(|(low, high)| [low, high]))).collect(),
        events: pieces.events().iter().take(MOST_EVENTS).map(event).collect(),
        event_count: pieces.events().len(),
        meta: meta.map(|(key, value)| (key.clone(), value.clone())).collect(),
        scene: Nullable(parsed("scene").map(Raw::from)),
        energy: Nullable(parsed("energy").map(Raw::from)),
        parameters: entries(parsed("parameters")),
        metrics: Vec::new(),
        variants: variants(parsed("variants")),
        elements: Nullable(elements.map(|found| format::ElementsInfo {
            pairs: serde_json::from_str::<Value>(&found.pairs).unwrap_or_default().into(),
            largest: found.largest(),
            shown: found.len(),
            recorded: table.as_ref().map_or(0, |table| table.rows()),
        })),
    }
}

/// Entries of a list that are lists of a name, a value and a unit, perhaps with more behind; others are omitted.
fn entries<T>(list: Option<Value>) -> Vec<Raw<T>> {
    let Some(Value::Array(list)) = list else { return Vec::new() };
    let fits = |entry: &Value| {
        let is_value = |value: &Value| value.is_number() || value.is_string() || value.is_null();
        entry.get(0).is_some_and(Value::is_string)
            && entry.get(1).is_some_and(is_value)
            && entry.get(2).is_some_and(Value::is_string)
    };
    list.into_iter().filter(fits).map(Raw::from).collect()
}

/// The runs in a recording that have a name.
fn variants(list: Option<Value>) -> Vec<format::Variant> {
    let Some(Value::Array(list)) = list else { return Vec::new() };
    let variant = |mut entry: Value| {
        let name = entry.get("name")?.as_str()?.to_owned();
        let method = entry.get("method").and_then(Value::as_str).map(str::to_owned);
        let parameters = entries(entry.get_mut("parameters").map(Value::take));
        let metrics = entries(entry.get_mut("metrics").map(Value::take));
        Some(format::Variant { name, method: Some(Nullable(method)), parameters, metrics })
    };
    list.into_iter().filter_map(variant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let read = |list: Option<Value>| entries::<format::Parameter>(list).value().unwrap();
        assert_eq!(read(Some(list)), json!([["mass", 2.0, "kg"], ["law", "dahl", "", true]]));
        assert_eq!([read(Some(json!({}))), read(None)], [json!([]), json!([])]);
        let runs = json!([{ "name": "dahl", "metrics": [["peak", null, "N"], 3] }, { "method": "none" }, 7]);
        let dahl =
            json!({ "name": "dahl", "method": null, "parameters": [], "metrics": [["peak", null, "N"]] });
        assert_eq!(variants(Some(runs)).value(), Some(json!([dahl])));
    }
}
