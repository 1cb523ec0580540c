//! The smallest part of a model that still fails.

use super::sketch::{Sketch, Value};

/// Leaves out what a failure does not need: tables with all that speak of them, then keys, while `fails` holds.
pub fn shrink(sketch: &Sketch, fails: &mut dyn FnMut(&Sketch) -> bool) -> Sketch {
    let mut small = sketch.clone();
    loop {
        let before = small.clone();
        for k in (0..small.entries.len()).rev() {
            if k < small.entries.len() {
                let trial = without(&small, k);
                if fails(&trial) {
                    small = trial;
                }
            }
        }
        for k in 0..small.entries.len() {
            let mut at = 0;
            // What is left out moves what comes behind it, so places are found anew.
            while let Some(path) = paths(&small.entries[k].value).get(at).cloned() {
                let mut trial = small.clone();
                drop_key(&mut trial.entries[k].value, &path);
                if fails(&trial) {
                    small = trial;
                } else {
                    at += 1;
                }
            }
        }
        if small.gravity != [0.0; 3] {
            let trial = Sketch { gravity: [0.0; 3], ..small.clone() };
            if fails(&trial) {
                small = trial;
            }
        }
        if small == before {
            return small;
        }
    }
}

/// Words of a text that can be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|word| !word.is_empty())
}

/// Names that a table makes known: its own, and those of its coordinates.
fn names(group: &str, name: &str, value: &Value) -> Vec<String> {
    let mut names = vec![];
    if [
        "bodies",
        "frames",
        "measures",
        "signals",
        "sensors",
        "controllers",
        "switches",
        "curves",
        "surfaces",
        "parameters",
        "joints",
    ]
    .contains(&group)
    {
        names.push(name.to_owned());
    }
    let mut coordinate = |value: &Value| match value {
        Value::Word(word) => names.push(word.clone()),
        table => names.extend(table.get("name").and_then(Value::as_word).map(str::to_owned)),
    };
    if let Some(value) = value.get("coordinate") {
        coordinate(value);
    }
    if let Some(Value::List(list)) = value.get("coordinates") {
        list.iter().for_each(coordinate);
    } else if let Some(Value::Table(entries)) = value.get("motion") {
        entries.iter().map(|(_, value)| value).filter(|v| matches!(v, Value::Word(_))).for_each(coordinate);
    }
    names
}

/// The model without a table and without all tables that speak of it. A body goes with its joint.
fn without(sketch: &Sketch, k: usize) -> Sketch {
    let mut small = sketch.clone();
    let entry = small.entries.remove(k);
    let mut gone = names(&entry.group, &entry.name, &entry.value);
    while let Some(name) = gone.pop() {
        let mut kept = vec![];
        for entry in small.entries {
            let mut speaks = entry.group == "coordinates" && entry.name == name;
            entry.value.texts(&mut |text| speaks |= words(text).any(|word| word == name));
            let child = entry.group == "bodies"
                && sketch.find("joints", &name).is_some_and(|joint| {
                    joint.value.get("child").and_then(Value::as_word) == Some(&entry.name)
                });
            if speaks || child {
                gone.extend(names(&entry.group, &entry.name, &entry.value));
            } else {
                kept.push(entry);
            }
        }
        small.entries = kept;
    }
    small
}

/// Places of keys in a table, outer ones first.
fn paths(value: &Value) -> Vec<Vec<usize>> {
    let mut found = vec![];
    // The keys of a law belong together: what is left out has a default, which is another law.
    if ["law", "restitution", "speed"].iter().any(|key| value.get(key).is_some()) {
        return found;
    }
    let children: Vec<&Value> = match value {
        Value::Table(entries) => entries.iter().map(|(_, value)| value).collect(),
        Value::List(list) => list.iter().collect(),
        _ => return found,
    };
    for (k, child) in children.into_iter().enumerate() {
        if matches!(value, Value::Table(_)) {
            found.push(vec![k]);
        }
        for mut path in paths(child) {
            path.insert(0, k);
            found.push(path);
        }
    }
    found
}

fn drop_key(value: &mut Value, path: &[usize]) {
    match (value, path) {
        (Value::Table(entries), [last]) if *last < entries.len() => {
            entries.remove(*last);
        }
        (Value::Table(entries), [first, rest @ ..]) => {
            if let Some((_, value)) = entries.get_mut(*first) {
                drop_key(value, rest);
            }
        }
        (Value::List(list), [first, rest @ ..]) => {
            if let Some(value) = list.get_mut(*first) {
                drop_key(value, rest);
            }
        }
        _ => {}
    }
}
