//! Models that showed a fault which is mended, as files: seeds change their meaning with every change of the generator.

use std::fs;
use std::path::Path;

use gelenk_testing::guard::{Dim, Entry, Log, Sketch, Term, Value};
use serde_json::{Value as Json, json};

/// A model from a file, with the choices that the relation made for it.
pub(crate) struct Kept {
    /// Name of the file without its ending.
    pub name: String,
    /// Seed of the choices.
    pub choices: u64,
    pub sketch: Sketch,
}

/// The models of a relation, in the order of their names: `RELATION-SEED.json` in the folder `models`.
pub(crate) fn kept(relation: &str) -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/guard/models");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let named = files.iter().filter_map(|file| Some((file.file_stem()?.to_str()?.to_owned(), file)));
    let own = named.filter(|(name, _)| name.rsplit_once('-').is_some_and(|(of, _)| of == relation));
    own.map(|(name, file)| {
        let json: Json = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let sketch = read_sketch(&json["model"]).unwrap_or_else(|| panic!("{name} is not a kept model"));
        Kept { choices: json["choices"].as_u64().unwrap(), sketch, name }
    })
    .collect()
}

/// Writes a model into the folder that `GELENK_GUARD_KEEP` names.
pub(crate) fn keep(relation: &str, label: &str, choices: u64, sketch: &Sketch) {
    let Some(folder) = std::env::var_os("GELENK_GUARD_KEEP") else { return };
    let path = Path::new(&folder).join(format!("{relation}-{label}.json"));
    let text = json!({ "choices": choices, "model": sketch_json(sketch) }).to_string();
    fs::write(&path, text + "\n").unwrap();
    println!("{}", path.display());
}

fn sketch_json(sketch: &Sketch) -> Json {
    let entry = |e: &Entry| json!([e.group, e.name, value_json(&e.value)]);
    let log = |l: &Log| json!({ "file": l.file, "time": numbers_json(&l.time), "value": numbers_json(&l.value), "dim": dim_json(l.dim) });
    json!({
        "gravity": numbers_json(&sketch.gravity),
        "until": sketch.until,
        "output": sketch.output,
        "entries": sketch.entries.iter().map(entry).collect::<Vec<_>>(),
        "logs": sketch.logs.iter().map(log).collect::<Vec<_>>(),
    })
}

fn read_sketch(json: &Json) -> Option<Sketch> {
    let entry = |e: &Json| {
        let (group, name) = (e[0].as_str()?.to_owned(), e[1].as_str()?.to_owned());
        Some(Entry { group, name, value: read_value(&e[2])? })
    };
    let log = |l: &Json| {
        let (file, dim) = (l["file"].as_str()?.to_owned(), read_dim(&l["dim"])?);
        Some(Log { file, time: numbers(&l["time"])?, value: numbers(&l["value"])?, dim })
    };
    Some(Sketch {
        gravity: numbers(&json["gravity"])?.try_into().ok()?,
        until: json["until"].as_f64()?,
        output: json["output"].as_f64()?,
        entries: json["entries"].as_array()?.iter().map(entry).collect::<Option<_>>()?,
        logs: json["logs"].as_array()?.iter().map(log).collect::<Option<_>>()?,
    })
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::Word(word) => json!(word),
        Value::Flag(flag) => json!(flag),
        Value::Number(number, dim) => number_json("number", *number, *dim),
        Value::Quantity(number, dim) => number_json("quantity", *number, *dim),
        Value::Unit(dim) => json!({ "unit": dim_json(*dim) }),
        Value::Expression(pieces) => {
            let piece = |piece: &Term| match piece {
                Term::Text(text) => json!(text),
                Term::Number(number, dim) => number_json("number", *number, *dim),
            };
            json!({ "expression": pieces.iter().map(piece).collect::<Vec<_>>() })
        }
        Value::List(list) => list.iter().map(value_json).collect(),
        Value::Table(keys) => {
            let pair = |(key, value): &(String, Value)| json!([key, value_json(value)]);
            json!({ "table": keys.iter().map(pair).collect::<Vec<_>>() })
        }
    }
}

fn read_value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::String(word) => Value::Word(word.clone()),
        Json::Bool(flag) => Value::Flag(*flag),
        Json::Array(list) => Value::List(list.iter().map(read_value).collect::<Option<_>>()?),
        _ if json.get("number").is_some() => Value::Number(number(&json["number"])?, read_dim(&json["dim"])?),
        _ if json.get("quantity").is_some() => {
            Value::Quantity(number(&json["quantity"])?, read_dim(&json["dim"])?)
        }
        _ if json.get("unit").is_some() => Value::Unit(read_dim(&json["unit"])?),
        _ => match (json.get("expression"), json.get("table")) {
            (Some(pieces), _) => {
                let piece = |piece: &Json| match piece.as_str() {
                    Some(text) => Some(Term::Text(text.to_owned())),
                    None => Some(Term::Number(number(&piece["number"])?, read_dim(&piece["dim"])?)),
                };
                Value::Expression(pieces.as_array()?.iter().map(piece).collect::<Option<_>>()?)
            }
            (None, keys) => {
                let pair = |pair: &Json| Some((pair[0].as_str()?.to_owned(), read_value(&pair[1])?));
                Value::Table(keys?.as_array()?.iter().map(pair).collect::<Option<_>>()?)
            }
        },
    })
}

/// As text, which is read to the last bit, and for which there is an infinity.
fn number_json(key: &str, value: f64, dim: Dim) -> Json {
    json!({ key: format!("{value:?}"), "dim": dim_json(dim) })
}

fn numbers_json(values: &[f64]) -> Json {
    values.iter().map(|value| format!("{value:?}")).collect()
}

fn number(json: &Json) -> Option<f64> {
    json.as_str().map_or_else(|| json.as_f64(), |text| text.parse().ok())
}

fn numbers(json: &Json) -> Option<Vec<f64>> {
    json.as_array()?.iter().map(number).collect()
}

/// Powers of length, mass, time and angle.
fn dim_json(dim: Dim) -> Json {
    json!([dim.length, dim.mass, dim.time, dim.angle])
}

fn read_dim(json: &Json) -> Option<Dim> {
    let [length, mass, time, angle] = numbers(json)?.try_into().ok()?;
    Some(Dim::of(length, mass, time, angle))
}

/// What is written is read.
#[test]
fn files_hold_whole_models() {
    use gelenk_testing::guard::{Wishes, generate};
    for seed in 0..40 {
        let sketch = generate(seed, Wishes::ALL);
        let text = sketch_json(&sketch).to_string();
        assert_eq!(read_sketch(&serde_json::from_str(&text).unwrap()).as_ref(), Some(&sketch), "{seed}");
    }
}
