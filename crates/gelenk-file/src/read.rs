//! Reading typed values from nodes: one trait for reading and for the JSON Schema.

use crate::document::{Entry, Node, Value};
use crate::report::{Diagnostic, Report};
use crate::role::Role;
use crate::source::Span;
use crate::visit::{Visitor, under};
use gelenk_math::suggest::closest;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ops::Deref;

/// A type that can be read from a file and that knows its own JSON Schema.
pub trait Read: Sized {
    /// What a file must hold, for messages: "a string", "a table with the keys of a body".
    const EXPECTED: &'static str;

    /// Reads the value; `None` if the report says why not.
    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self>;

    /// The JSON Schema of the value.
    fn schema(definitions: &mut Definitions) -> Json;

    /// Shows everything inside to `visitor`; `role` is that of the field that holds it.
    fn walk(&mut self, _role: Role, visitor: &mut dyn Visitor) {
        visitor.settled();
    }

    /// Adds what `other` names, if that is the role of the field that holds both; complains about names that are taken.
    fn absorb(&mut self, _other: Self, _role: Role, _report: &mut Report) {}
}

/// What reading needs besides the node: where it is, and where to complain.
pub struct Reader<'a> {
    report: &'a mut Report,
    path: Vec<String>,
    /// Keys that misspelt ones were probably meant as, with the place of their table.
    misspelt: Vec<(Span, String)>,
    /// Keys of earlier versions and what they are called now.
    renamed: &'static [(&'static str, &'static str)],
}

impl<'a> Reader<'a> {
    /// A reader at the top of a file.
    pub fn new(report: &'a mut Report) -> Self {
        Self { report, path: Vec::new(), misspelt: Vec::new(), renamed: &[] }
    }

    /// Suggests the new names of keys that were renamed, given as old and new ones.
    #[must_use]
    pub fn with_renamed(self, renamed: &'static [(&'static str, &'static str)]) -> Self {
        Self { renamed, ..self }
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.report.push(diagnostic);
    }

    /// Runs `action` one level deeper, so that paths are complete.
    pub fn within<R>(&mut self, key: &str, action: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(key.to_owned());
        let result = action(self);
        self.path.pop();
        result
    }

    /// The path of what is being read: `joints.knee.friction`.
    pub fn path(&self) -> String {
        self.path.join(".")
    }

    /// Complains about a value of the wrong type.
    pub fn wrong_type(&mut self, node: &Node, expected: &str) {
        let place = match self.path.last() {
            Some(key) => format!("\"{key}\" must be {expected}"),
            None => format!("{expected} was expected"),
        };
        self.push(Diagnostic::error(node.span, place).label(format!("this is {}", node.describe())));
    }

    /// Complains about keys of a table that are not in `known`.
    pub fn refuse_unknown(&mut self, node: &Node, known: &[&str]) {
        for entry in node.entries().unwrap_or_default() {
            if !known.contains(&entry.key.as_str()) {
                self.unknown_key(node, entry, known);
            }
        }
    }

    /// The key that a misspelt or renamed one was probably meant as; that one is then not reported as missing.
    pub fn meant<'k>(&mut self, node: &Node, entry: &Entry, known: &[&'k str]) -> Option<&'k str> {
        let now = self.renamed.iter().find(|(old, _)| *old == entry.key).map(|(_, new)| *new);
        let near = known.iter().copied().find(|key| Some(*key) == now);
        let near = near.or_else(|| closest(&entry.key, known.iter().copied()))?;
        self.misspelt.push((node.span, near.to_owned()));
        Some(near)
    }

    /// Complains about one key that is not in `known`.
    pub fn unknown_key(&mut self, node: &Node, entry: &Entry, known: &[&str]) {
        let near = self.meant(node, entry, known);
        let mut diagnostic = Diagnostic::error(entry.key_span, format!("unknown key \"{}\"", entry.key));
        diagnostic = match near {
            Some(_) => diagnostic.meant(near),
            None => diagnostic.help(format!("the keys known here are {}", list(known))),
        };
        self.push(diagnostic);
    }

    /// Complains about a key that a table must have.
    pub fn missing_key(&mut self, node: &Node, key: &str) {
        if self.misspelt.iter().any(|(span, meant)| *span == node.span && meant == key) {
            return;
        }
        let whose = self.whose();
        self.push(Diagnostic::error(node.span, format!("{whose} needs the key \"{key}\"")));
    }

    /// Complains about a table that must have one of several keys; the first one is then not reported as missing.
    pub fn missing_one(&mut self, node: &Node, keys: &[&str]) {
        let Some(first) = keys.first() else { return };
        if self.misspelt.iter().all(|(span, meant)| *span != node.span || meant != first) {
            let message = format!("{} needs the key {}", self.whose(), list(keys).replace(" and ", " or "));
            self.push(Diagnostic::error(node.span, message));
            self.misspelt.push((node.span, (*first).to_owned()));
        }
    }

    /// What is being read, in words.
    fn whose(&self) -> String {
        match self.path.as_slice() {
            [] => "the file".to_owned(),
            path => format!("\"{}\"", path.join(".")),
        }
    }
}

/// Words as a list for a message: `"a", "b" and "c"`.
pub fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Definitions that schemas refer to by name.
#[derive(Default)]
pub struct Definitions {
    map: BTreeMap<String, Json>,
}

impl Definitions {
    /// A reference to the definition `name`, which is made once.
    pub fn define(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Json) -> Json {
        if !self.map.contains_key(name) {
            // The placeholder ends recursion of types that contain themselves.
            self.map.insert(name.to_owned(), json!({}));
            let schema = make(self);
            self.map.insert(name.to_owned(), schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// A complete schema document for `T`.
    pub fn document<T: Read>(title: &str) -> Json {
        let mut definitions = Self::default();
        let root = T::schema(&mut definitions);
        let mut document = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
        });
        if let (Some(target), Some(source)) = (document.as_object_mut(), root.as_object()) {
            target.extend(source.clone());
            target.insert("$defs".to_owned(), json!(definitions.map));
        }
        document
    }
}

/// A string with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// The string.
    pub text: String,
    /// Its place.
    pub span: Span,
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Read for Text {
    const EXPECTED: &'static str = "a string";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::String { text, .. } => Some(Self { text: text.clone(), span: node.span }),
            _ => {
                reader.wrong_type(node, Self::EXPECTED);
                None
            }
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string" })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        visitor.text(role, self);
    }
}

impl Read for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            Value::Boolean(value) => Some(value),
            _ => {
                reader.wrong_type(node, Self::EXPECTED);
                None
            }
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "boolean" })
    }
}

/// A value with its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

impl<T: Read> Read for Spanned<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { value: T::read(node, reader)?, span: node.span })
    }

    fn schema(definitions: &mut Definitions) -> Json {
        T::schema(definitions)
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        self.value.walk(role, visitor);
    }
}

impl<T: Read> Read for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Array(items) = &node.value else {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        };
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(i, item)| reader.within(&i.to_string(), |reader| T::read(item, reader)))
            .collect();
        read.into_iter().collect()
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "items": T::schema(definitions) })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        walk_items(self, role, visitor);
    }
}

/// Shows the items of an array, each under its number.
fn walk_items<T: Read>(items: &mut [T], role: Role, visitor: &mut dyn Visitor) {
    for (k, item) in items.iter_mut().enumerate() {
        under(visitor, &k.to_string(), |visitor| item.walk(role, visitor));
    }
}

/// Exactly two of a kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair<T>(pub [T; 2]);

impl<T: Read> Read for Pair<T> {
    const EXPECTED: &'static str = "an array of two";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let list = Vec::<T>::read(node, reader)?;
        let found = list.len();
        match <[T; 2]>::try_from(list) {
            Ok(pair) => Some(Self(pair)),
            Err(_) => {
                reader.push(
                    Diagnostic::error(node.span, "exactly two entries were expected here")
                        .label(format!("this array has {found}")),
                );
                None
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "items": T::schema(definitions), "minItems": 2, "maxItems": 2 })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        walk_items(&mut self.0, role, visitor);
    }
}

/// A table whose keys are names that the author chooses.
#[derive(Clone, PartialEq, Debug)]
pub struct Named<T> {
    items: Vec<(Text, T)>,
    /// Names whose values could not be read; they count as known, so that one error does not cause others.
    pub broken: Vec<Text>,
}

impl<T> Named<T> {
    /// Names with their values, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &T)> {
        self.items.iter().map(|(name, value)| (name, value))
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.items.iter().find(|(known, _)| known.text == name).map(|(_, value)| value)
    }

    /// All names, also those of values that could not be read.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.items.iter().map(|(name, _)| name).chain(&self.broken)
    }

    /// Position of a name among the readable values.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.items.iter().position(|(known, _)| known.text == name)
    }

    /// Number of readable values.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Names with their values, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut Text, &mut T)> {
        self.items.iter_mut().map(|(name, value)| (name, value))
    }

    /// Adds a value under a name that is not taken.
    pub fn push(&mut self, name: Text, value: T) {
        self.items.push((name, value));
    }

    /// Adds all values of `other`; complains about names that are taken.
    pub fn join(&mut self, other: Self, report: &mut Report) {
        let known: BTreeMap<String, Span> = self.names().map(|name| (name.text.clone(), name.span)).collect();
        for (name, value) in other.items {
            match known.get(&name.text) {
                Some(first) => report.push(
                    Diagnostic::error(name.span, format!("\"{}\" is defined twice", name.text))
                        .label("second definition")
                        .related(*first, "first definition"),
                ),
                None => self.items.push((name, value)),
            }
        }
        self.broken.extend(other.broken);
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { items: Vec::new(), broken: Vec::new() }
    }
}

impl<T> Named<T> {
    /// Reads the table with a reader of its values.
    pub fn read_with(
        node: &Node,
        reader: &mut Reader<'_>,
        read: impl Fn(&Node, &mut Reader<'_>) -> Option<T>,
    ) -> Option<Self> {
        let Some(entries) = node.entries() else {
            reader.wrong_type(node, "a table");
            return None;
        };
        let mut named = Self { items: Vec::new(), broken: Vec::new() };
        for entry in entries {
            let name = Text { text: entry.key.clone(), span: entry.key_span };
            let valid = check_name(&name, reader);
            match reader.within(&entry.key, |reader| read(&entry.node, reader)) {
                Some(value) if valid => named.items.push((name, value)),
                _ => named.broken.push(name),
            }
        }
        Some(named)
    }
}

impl<T> Named<T> {
    /// Shows names and values to `visitor`, with a walk of its own for the values.
    pub fn walk_with(
        &mut self,
        role: Role,
        visitor: &mut dyn Visitor,
        walk: impl Fn(&mut T, Role, &mut dyn Visitor),
    ) {
        for (name, value) in &mut self.items {
            visitor.enter(name);
            walk(value, Role::Plain, visitor);
            visitor.leave();
        }
        if let Role::Names(sort) = role {
            let items = self.items.iter_mut().map(|(name, _)| name);
            items.chain(&mut self.broken).for_each(|name| visitor.name(sort, name));
        }
    }
}

impl<T: Read> Read for Named<T> {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        Self::read_with(node, reader, T::read)
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({
            "type": "object",
            "propertyNames": { "pattern": "^[\\p{L}_][\\p{L}\\p{N}_-]*$" },
            "additionalProperties": T::schema(definitions),
        })
    }

    fn walk(&mut self, role: Role, visitor: &mut dyn Visitor) {
        self.walk_with(role, visitor, T::walk);
    }

    fn absorb(&mut self, other: Self, role: Role, report: &mut Report) {
        if matches!(role, Role::Names(_)) {
            self.join(other, report);
        }
    }
}

fn check_name(name: &Text, reader: &mut Reader<'_>) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let valid = first && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if !valid {
        reader.push(
            Diagnostic::error(name.span, format!("\"{}\" cannot be a name", name.text.escape_debug()))
                .help("a name begins with a letter, followed by letters, digits, - and _"),
        );
    }
    valid
}

/// A table whose keys are free text, such as paths of parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct ByPath<T>(pub Vec<(Text, T)>);

impl<T: Read> Read for ByPath<T> {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if node.entries().is_none() {
            reader.wrong_type(node, Self::EXPECTED);
            return None;
        }
        let mut list = Vec::new();
        let complete = flatten(node, "", &mut list, reader);
        complete.then_some(Self(list))
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }
}

/// Reads `"a.b" = x` and `a.b = x` alike.
fn flatten<T: Read>(node: &Node, prefix: &str, list: &mut Vec<(Text, T)>, reader: &mut Reader<'_>) -> bool {
    let mut complete = true;
    for entry in node.entries().unwrap_or_default() {
        let path = format!("{prefix}{}", entry.key);
        if entry.node.entries().is_some() {
            complete &= flatten(&entry.node, &format!("{path}."), list, reader);
            continue;
        }
        match reader.within(&entry.key, |reader| T::read(&entry.node, reader)) {
            Some(value) => list.push((Text { text: path, span: entry.key_span }, value)),
            None => complete = false,
        }
    }
    complete
}
