//! A model as a value that can be changed before it becomes text: every number knows its dimension.
//!
//! It is text, and no builder, that goes to the program, so that the relations test the reader of files, too: its units, its
//! order, its parts.

use std::fmt::Write;

use super::scale::{Dim, Scale};

/// A piece of a runtime expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// Anything but numbers with a dimension.
    Text(String),
    /// A number in SI.
    Number(f64, Dim),
}

/// What stands behind a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A word or a name.
    Word(String),
    /// True or false.
    Flag(bool),
    /// A number in SI.
    Number(f64, Dim),
    /// The same, always written with its unit.
    Quantity(f64, Dim),
    /// A unit.
    Unit(Dim),
    /// A runtime expression.
    Expression(Vec<Term>),
    /// A list.
    List(Vec<Value>),
    /// A table.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// A word or a name.
    pub fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    /// Three numbers of one dimension.
    pub fn vector(numbers: [f64; 3], dim: Dim) -> Self {
        Self::List(numbers.map(|n| Self::Number(n, dim)).into())
    }

    /// The entry of a table.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The entry of a table, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Table(entries) => entries.iter_mut().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets an entry of a table.
    pub fn set(&mut self, key: &str, value: Self) {
        if let Some(slot) = self.get_mut(key) {
            *slot = value;
        } else if let Self::Table(entries) = self {
            entries.push((key.into(), value));
        }
    }

    /// The word, where it is one.
    pub fn as_word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Three numbers, where it is a list of such.
    pub fn as_vector(&self) -> Option<[f64; 3]> {
        let Self::List(list) = self else { return None };
        let number = |value: &Self| match value {
            Self::Number(number, _) => Some(*number),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = list.iter().map(number).collect();
        numbers?.try_into().ok()
    }

    /// Calls `visit` for every word and every text of an expression in it.
    pub fn texts<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Self::Word(word) => visit(word),
            Self::Expression(pieces) => {
                for piece in pieces {
                    if let Term::Text(text) = piece {
                        visit(text);
                    }
                }
            }
            Self::List(list) => list.iter().for_each(|value| value.texts(visit)),
            Self::Table(entries) => entries.iter().for_each(|(_, value)| value.texts(visit)),
            Self::Flag(_) | Self::Number(..) | Self::Quantity(..) | Self::Unit(_) => {}
        }
    }

    /// Calls `change` for every word in it.
    pub fn change_words(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Word(word) => change(word),
            Self::List(list) => list.iter_mut().for_each(|value| value.change_words(change)),
            Self::Table(entries) => entries.iter_mut().for_each(|(_, value)| value.change_words(change)),
            Self::Expression(_) | Self::Flag(_) | Self::Number(..) | Self::Quantity(..) | Self::Unit(_) => {}
        }
    }

    fn render(&self, scale: &Scale, into: &mut String) {
        match self {
            Self::Word(word) => *into += &format!("\"{word}\""),
            Self::Flag(flag) => *into += if *flag { "true" } else { "false" },
            Self::Number(number, dim) => *into += &scale.quantity(*number, *dim),
            Self::Quantity(number, dim) => {
                *into += &format!("\"{:e} {}\"", scale.number(*number, *dim), scale.unit(*dim));
            }
            Self::Unit(dim) => *into += &format!("\"{}\"", scale.unit(*dim)),
            Self::Expression(pieces) => {
                into.push('"');
                for piece in pieces {
                    match piece {
                        Term::Text(text) => *into += text,
                        Term::Number(number, dim) => *into += &scale.term(*number, *dim),
                    }
                }
                into.push('"');
            }
            Self::List(list) => {
                into.push('[');
                for (k, value) in list.iter().enumerate() {
                    *into += if k == 0 { "" } else { ", " };
                    value.render(scale, into);
                }
                into.push(']');
            }
            Self::Table(entries) => {
                *into += "{ ";
                for (k, (key, value)) in entries.iter().enumerate() {
                    *into += if k == 0 { "" } else { ", " };
                    *into += key;
                    *into += " = ";
                    value.render(scale, into);
                }
                *into += " }";
            }
        }
    }
}

/// A table of entries.
pub fn table<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Table(entries.map(|(key, value)| (key.to_owned(), value)).into())
}

/// A named table of the file, such as `joints.elbow`.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// `joints`, `bodies`, ...
    pub group: String,
    /// Its name there; empty for what stands in the group itself, such as `outputs`.
    pub name: String,
    /// Its keys.
    pub value: Value,
}

/// A table of measurements that signals use.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// Name of the file; its columns are `t` and `y`.
    pub file: String,
    /// Times (s).
    pub time: Vec<f64>,
    /// Values in SI.
    pub value: Vec<f64>,
    /// Of the values.
    pub dim: Dim,
}

/// A whole model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sketch {
    /// Gravity (m/s^2).
    pub gravity: [f64; 3],
    /// The tables in the order of the file.
    pub entries: Vec<Entry>,
    /// Tables of measurements.
    pub logs: Vec<Log>,
    /// End of the run (s).
    pub until: f64,
    /// Period of the rows (s).
    pub output: f64,
}

impl Sketch {
    /// Adds a table.
    pub fn add(&mut self, group: &str, name: &str, value: Value) {
        self.entries.push(Entry { group: group.into(), name: name.into(), value });
    }

    /// The tables of a group.
    pub fn group(&self, group: &str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.group == group)
    }

    /// A table.
    pub fn find(&self, group: &str, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.group == group && entry.name == name)
    }

    /// The text of the model without `[simulate]`, its numbers written and scaled as `scale` says.
    pub fn text(&self, scale: &Scale) -> String {
        let mut text = String::from("schema = 1\ngravity = ");
        Value::vector(self.gravity, Dim::ACCELERATION).render(scale, &mut text);
        text.push('\n');
        for Entry { group, name, value } in &self.entries {
            let dot = if name.is_empty() { "" } else { "." };
            // Writing to a text does not fail.
            let _ = write!(text, "{group}{dot}{name} = ");
            value.render(scale, &mut text);
            text.push('\n');
        }
        text
    }

    /// The text of the model as it stands, in SI, with `[simulate]`.
    pub fn plain(&self) -> String {
        let mut text = self.text(&Scale::default());
        for log in &self.logs {
            text += &format!("# {}: t = {:?}, y = {:?}\n", log.file, log.time, log.value);
        }
        text + &format!("simulate = {{ until = {}, output = {} }}\n", self.until, self.output)
    }

    /// The numbers of a log as they stand in its file.
    pub fn log(&self, file: &str, scale: &Scale) -> Option<(Vec<f64>, Vec<f64>)> {
        let log = self.logs.iter().find(|log| log.file == file)?;
        let numbers =
            |values: &[f64], dim| values.iter().map(|value| scale.number(*value, dim)).collect::<Vec<f64>>();
        Some((numbers(&log.time, Dim::TIME), numbers(&log.value, log.dim)))
    }
}
