//! What the page knows of recordings before it asks for numbers.

use gelenk_io::Pieces;
use serde_json::{Value, json};

/// Most events of a recording that the page lists.
const MOST_EVENTS: usize = 20_000;

/// Entries of the metadata that are JSON texts with a place of their own, and those that the page has no use for.
const OWN: [&str; 2] = ["scene", "energy"];

/// Describes recordings with their names as JSON; `rows` are those that the page can have of each.
pub fn describe<'a>(runs: impl IntoIterator<Item = (&'a str, &'a Pieces, usize)>) -> Value {
    let runs: Vec<Value> = runs.into_iter().map(|(name, pieces, rows)| run(name, pieces, rows)).collect();
    json!({ "version": 1, "generator": concat!("gelenk ", env!("CARGO_PKG_VERSION")), "runs": runs })
}

fn run(name: &str, pieces: &Pieces, rows: usize) -> Value {
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
        "span": pieces.span().map(|(from, to)| [from, to]),
        "columns": columns,
        "events": events,
        "eventCount": pieces.events().len(),
        "meta": meta,
        "scene": parsed("scene"),
        "energy": parsed("energy"),
    })
}
