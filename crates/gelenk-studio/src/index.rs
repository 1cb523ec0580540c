//! What the page knows of recordings before it asks for numbers.

use gelenk_io::contact_elements::ELEMENTS;
use gelenk_record::Elements;
use serde_json::{Value, json};

use crate::Run;

/// Most events of a recording that the page lists.
const MOST_EVENTS: usize = 20_000;

/// Entries of the metadata that are JSON texts with a place of their own, and those that the page has no use for.
const OWN: [&str; 3] = ["scene", "energy", ELEMENTS];

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
    json!({
        "name": name,
        "rows": rows,
        "recorded": pieces.rows(),
        "growing": run.is_growing(),
        "span": pieces.span().map(|(from, to)| [from, to]),
        "columns": columns,
        "events": events,
        "eventCount": pieces.events().len(),
        "meta": meta,
        "scene": parsed("scene"),
        "energy": parsed("energy"),
        "elements": elements.map(|found| json!({
            "pairs": serde_json::from_str::<Value>(&found.pairs).unwrap_or_default(),
            "largest": found.largest(),
            "shown": found.len(),
            "recorded": table.as_ref().map_or(0, |table| table.rows()),
        })),
    })
}
