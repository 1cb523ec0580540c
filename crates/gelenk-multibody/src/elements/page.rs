//! The kinds of elements as text: what the command line shows and the book includes.

use std::fmt::Write;

use gelenk_laws::{Kind, ParamSpec};

use super::Acting;
use super::contract::{ElementSpec, PlaceKind};

/// Where a kind stands in a model file: its table, or its key in joints and coordinates; empty for those that have tables of
/// another form.
fn place_in_file(kind: &Acting) -> &'static str {
    match kind.spec().table {
        "" => kind.key(),
        table => table,
    }
}

/// Tables and keys, each once, in the order of the registry.
pub fn tables() -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in Acting::ALL.iter().map(place_in_file).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// All kinds of model files, by their tables and keys.
pub fn all() -> impl Iterator<Item = &'static Acting> {
    tables().into_iter().flat_map(kinds)
}

/// The kinds of a table or key.
pub fn kinds(name: &str) -> impl Iterator<Item = &'static Acting> {
    Acting::ALL.iter().filter(move |kind| !name.is_empty() && place_in_file(kind) == name)
}

/// Where elements act, in words.
pub(crate) fn acts(place: PlaceKind) -> &'static str {
    match place {
        PlaceKind::Coordinate => "on a coordinate",
        PlaceKind::Slide => "on a coordinate, or between frames along or about an axis, or on a plane",
        PlaceKind::Scalar => "on a coordinate, or between frames along or about an axis",
        PlaceKind::Line => "between frames, along the line of their origins",
        PlaceKind::Axis => "between frames, about the z axis of the first one",
        PlaceKind::Force | PlaceKind::Torque => "on a frame",
        PlaceKind::Pose => "between frames, along and about all axes of the first one",
        PlaceKind::Ball => "on a ball joint",
        PlaceKind::Bodies => "between two bodies",
    }
}

/// The same of a kind in a model file: under a key it acts on what has the key.
fn acts_in_file(kind: &Acting) -> &'static str {
    match (kind.spec().table, kind.spec().place) {
        ("", PlaceKind::Scalar) => acts(PlaceKind::Coordinate),
        (_, place) => acts(place),
    }
}

/// Units on a translation and on a rotation, as elements can act on them; one where they are the same.
fn units(kind: Kind, place: PlaceKind) -> String {
    let [length, angle] = [false, true].map(|rotation| kind.dimension(rotation).to_string());
    match (length == angle, place) {
        (true, _) if length == "1" => "-".into(),
        (true, _) | (false, PlaceKind::Line | PlaceKind::Force | PlaceKind::Bodies) => length,
        (false, PlaceKind::Axis | PlaceKind::Torque | PlaceKind::Ball) => angle,
        (false, PlaceKind::Coordinate | PlaceKind::Slide | PlaceKind::Scalar | PlaceKind::Pose) => {
            format!("{length} or {angle}")
        }
    }
}

/// How a kind is written in a model file.
fn written(kind: &Acting) -> String {
    match kind.spec().table {
        "" => format!("`{} = {{ ... }}`", kind.key()),
        table => format!("`[{table}.NAME]`"),
    }
}

/// The kinds of model files in one Markdown table.
pub fn list() -> String {
    let mut text = String::from("| table or key | what it is | acts |\n|---|---|---|\n");
    for kind in all() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} | {} |", written(kind), kind.spec().title, acts_in_file(kind));
    }
    text
}

/// Everything about the kinds with this table or key, as Markdown; `None` where there are none.
pub fn show(name: &str) -> Option<String> {
    let sections: Vec<String> = kinds(name).map(section).collect();
    (!sections.is_empty()).then(|| sections.join("\n"))
}

/// The row of a parameter.
fn row(param: &ParamSpec, place: PlaceKind) -> String {
    let mut unit = match (param.choices.is_empty(), param.flag) {
        (true, false) => units(param.kind, place),
        (true, true) => "true or false".into(),
        (false, _) => "word".into(),
    };
    if let Some(exponent) = param.per_power {
        let _ = write!(unit, ", displacement to the power of `{exponent}`");
    }
    let default = match (param.choices.first(), param.defaults().as_deref()) {
        (Some(word), _) => format!("\"{word}\""),
        (None, None) => "needed".into(),
        (None, Some([value])) if param.flag => (*value != 0.0).to_string(),
        (None, Some([value])) => value.to_string(),
        (None, Some(values)) if values.windows(2).all(|pair| pair[0] == pair[1]) => values[0].to_string(),
        (None, Some(values)) => format!("{values:?}"),
    };
    let mut meaning = param.meaning.to_owned();
    if !param.choices.is_empty() {
        let words: Vec<String> = param.choices.iter().map(|word| format!("\"{word}\"")).collect();
        let _ = write!(meaning, " One of {}.", words.join(", "));
    }
    match (param.per_element, param.parts().len()) {
        (true, _) => meaning.push_str(" A list."),
        (false, 3) => meaning.push_str(" Three numbers."),
        (false, 2) => meaning.push_str(" Two numbers."),
        _ => {}
    }
    if !param.symbol.is_empty() {
        let _ = write!(meaning, " ({})", param.symbol);
    }
    format!("| `{}` | {unit} | {default} | {meaning} |\n", param.name)
}

fn section(kind: &Acting) -> String {
    let spec @ ElementSpec { title, equation, source, place, .. } = kind.spec();
    let mut text = format!("{title}\n\n    {equation}\n\n");
    text.push_str("| key | unit | default | meaning |\n|---|---|---|---|\n");
    for input in spec.inputs {
        let default = input.default.map_or("needed".into(), |value| value.to_string());
        let names: Vec<String> = input.names().map(|name| format!("`{name}`")).collect();
        let (names, unit) = (names.join(", "), units(input.kind, *place));
        let _ = writeln!(text, "| {names} | {unit} | {default} | {} An expression. |", input.meaning);
    }
    spec.params.iter().for_each(|param| text.push_str(&row(param, *place)));
    for output in spec.outputs {
        let unit = units(output.kind, *place);
        let _ = writeln!(text, "| output `NAME.{}` | {unit} | | {} |", output.name, output.meaning);
    }
    let accounts: Vec<String> = accounts(kind).iter().map(|account| format!("`{account}`")).collect();
    let _ =
        writeln!(text, "\nActs {}. Accounts: {}. Source: {source}.", acts_in_file(kind), accounts.join(", "));
    text
}

/// The accounts of a kind in the energy ledger.
pub fn accounts(kind: &Acting) -> Vec<String> {
    let spec = kind.spec();
    let own = match spec.table {
        "" => format!("joints.NAME.{}", kind.key()),
        table => format!("{table}.NAME"),
    };
    let account = |part: &str| if part.is_empty() { own.clone() } else { format!("{own}.{part}") };
    spec.accounts.iter().map(|spec| account(spec.name)).collect()
}

/// All kinds of model files, one section for every table or key: what the book includes.
pub fn book() -> String {
    let mut text = list();
    for name in tables() {
        let _ = write!(text, "\n## {name}\n\n{}", show(name).unwrap_or_default());
    }
    text
}
