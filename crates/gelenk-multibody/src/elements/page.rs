//! The kinds of elements as text: what the command line shows and the book includes.

use std::fmt::Write;

use super::Acting;
use super::contract::Place;

/// Kinds that model files have a table for.
fn tables() -> impl Iterator<Item = &'static Acting> {
    Acting::ALL.iter().filter(|kind| !kind.spec().table.is_empty())
}

/// Where elements act, in words.
pub(crate) fn acts(place: Place) -> &'static str {
    match place {
        Place::Coordinate => "on a coordinate",
        Place::Slide => "on a coordinate, or between frames along or about an axis, or on a plane",
        Place::Scalar => "on a coordinate, or between frames along or about an axis",
        Place::Line => "between frames, along the line of their origins",
        Place::Axis => "between frames, about the z axis of the first one",
        Place::Force | Place::Torque => "on a frame",
        Place::Pose => "between frames, along and about all axes of the first one",
        Place::Ball => "on a ball joint",
        Place::Bodies => "between two bodies",
    }
}

/// Units on a translation and on a rotation, as elements can act on them; one where they are the same.
fn units(kind: gelenk_laws::Kind, place: Place) -> String {
    let [length, angle] = [false, true].map(|rotation| kind.dimension(rotation).to_string());
    match (length == angle, place) {
        (true, _) if length == "1" => "-".into(),
        (true, _) | (false, Place::Line | Place::Force | Place::Bodies) => length,
        (false, Place::Axis | Place::Torque | Place::Ball) => angle,
        (false, Place::Coordinate | Place::Slide | Place::Scalar | Place::Pose) => {
            format!("{length} or {angle}")
        }
    }
}

/// The tables of model files in one Markdown table.
pub fn list() -> String {
    let mut text = String::from("| table | what it is | acts |\n|---|---|---|\n");
    for kind in tables() {
        let spec = kind.spec();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `[{}.NAME]` | {} | {} |", spec.table, spec.title, acts(spec.place));
    }
    text
}

/// Everything about the kind with this table, as Markdown; `None` where there is none.
pub fn show(table: &str) -> Option<String> {
    let spec = Acting::by_table(table)?.spec();
    let mut text = format!("{}\n\n    {}\n\n", spec.title, spec.equation);
    text.push_str("| key | unit | default | meaning |\n|---|---|---|---|\n");
    for input in spec.inputs {
        let default = input.default.map_or("needed".into(), |value| value.to_string());
        let _ = writeln!(
            text,
            "| `{}` | {} | {default} | {} A formula. |",
            input.name,
            units(input.kind, spec.place),
            input.meaning
        );
    }
    for param in spec.params {
        let (unit, default) = match (param.choices.first(), param.default) {
            (Some(word), _) => ("word".into(), format!("\"{word}\"")),
            (None, Some(value)) => (units(param.kind, spec.place), value.to_string()),
            (None, None) => (units(param.kind, spec.place), "needed".into()),
        };
        let mut meaning = param.meaning.to_owned();
        if !param.choices.is_empty() {
            let words: Vec<String> = param.choices.iter().map(|word| format!("\"{word}\"")).collect();
            let _ = write!(meaning, " One of {}.", words.join(", "));
        }
        if param.per_element {
            meaning.push_str(" A list.");
        } else if param.triple {
            meaning.push_str(" Three numbers.");
        }
        if !param.symbol.is_empty() {
            let _ = write!(meaning, " ({})", param.symbol);
        }
        let _ = writeln!(text, "| `{}` | {unit} | {default} | {meaning} |", param.name);
    }
    for output in spec.outputs {
        let unit = units(output.kind, spec.place);
        let _ = writeln!(text, "| output `NAME.{}` | {unit} | | {} |", output.name, output.meaning);
    }
    let accounts: Vec<String> = spec
        .accounts
        .iter()
        .map(|account| match account.name {
            "" => format!("`{}.NAME`", spec.table),
            name => format!("`{}.NAME.{name}`", spec.table),
        })
        .collect();
    let _ = writeln!(
        text,
        "\nActs {}. Accounts: {}. Source: {}.",
        acts(spec.place),
        accounts.join(", "),
        spec.source
    );
    Some(text)
}

/// All kinds with a table, one section each: what the book includes.
pub fn book() -> String {
    let mut text = list();
    for kind in tables() {
        let table = kind.spec().table;
        let _ = write!(text, "\n## {table}\n\n{}", show(table).unwrap_or_default());
    }
    text
}
