//! Declarations that are written once and used three times: as a type, as a reader, as a JSON Schema.

use crate::document::{self, Node};
use crate::read::{Definitions, Read, Reader};
use crate::report::Report;
use crate::source::{Sources, Span};
use crate::visit::Visitor;
use serde_json::{Value as Json, json};

/// Reads a key that must be there.
pub fn required<T: Read>(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<T> {
    match node.get(key) {
        Some(entry) => reader.within(key, |reader| T::read(&entry.node, reader)),
        None => {
            reader.missing_key(node, key);
            None
        }
    }
}

/// Reads a key that may be left out; the outer `None` means that it was there and wrong.
pub fn optional<T: Read>(node: &Node, key: &str, reader: &mut Reader<'_>) -> Option<Option<T>> {
    match node.get(key) {
        Some(entry) => reader.within(key, |reader| T::read(&entry.node, reader)).map(Some),
        None => Some(None),
    }
}

/// Reads a key, or its default, which is written as in a file.
pub fn or_default<T: Read>(node: &Node, key: &str, default: &str, reader: &mut Reader<'_>) -> Option<T> {
    match node.get(key) {
        Some(entry) => reader.within(key, |reader| T::read(&entry.node, reader)),
        None => {
            let value = literal(default, node.span)?;
            reader.within(key, |reader| T::read(&value, reader))
        }
    }
}

/// A value written in the notation of a file, placed at `span`.
fn literal(text: &str, span: Span) -> Option<Node> {
    let mut sources = Sources::default();
    let file = sources.add("", format!("x = {text}"));
    let mut node = document::parse(&sources, file, &mut Report::new())?.get("x")?.node.clone();
    place(&mut node, span);
    Some(node)
}

/// Puts a node and all inside it at one place; the empty span tells that it was not given.
pub(crate) fn place(node: &mut Node, span: Span) {
    node.span = Span { file: span.file, start: span.start, end: span.start };
    match &mut node.value {
        document::Value::Array(items) => items.iter_mut().for_each(|item| place(item, span)),
        document::Value::String { verbatim, .. } => *verbatim = false,
        document::Value::Table(entries) => {
            for entry in entries {
                entry.key_span = span;
                place(&mut entry.node, span);
            }
        }
        _ => {}
    }
}

/// The doc comments of a declaration as one text.
pub fn description(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// The schema of a field with its description and default.
pub fn field<T: Read>(docs: &[&str], default: Option<&str>, definitions: &mut Definitions) -> Json {
    let mut schema = T::schema(definitions);
    if let Some(object) = schema.as_object_mut() {
        object.insert("description".to_owned(), json!(description(docs)));
        if let Some(value) = default.and_then(|text| literal(text, Span::default())) {
            object.insert("default".to_owned(), json_of(&value));
        }
    }
    schema
}

fn json_of(node: &Node) -> Json {
    match &node.value {
        document::Value::String { text, .. } => json!(text),
        document::Value::Number { value, whole: true } => json!(*value as i64),
        document::Value::Number { value, .. } => json!(value),
        document::Value::Boolean(value) => json!(value),
        document::Value::Date => Json::Null,
        document::Value::Array(items) => items.iter().map(json_of).collect(),
        document::Value::Table(entries) => {
            Json::Object(entries.iter().map(|e| (e.key.clone(), json_of(&e.node))).collect())
        }
    }
}

/// Keys that a field under `spread` has in the table that holds it.
pub trait Spread: Sized {
    /// The keys.
    fn keys() -> impl Iterator<Item = &'static str>;

    /// Reads them from the node of the table; `None` if the report says why not.
    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self>;

    /// Shows everything inside to `visitor`.
    fn walk(&mut self, visitor: &mut dyn Visitor);

    /// Adds what `other` names; complains about names that are taken.
    fn absorb(&mut self, other: Self, report: &mut Report);

    /// Adds the schemas of the keys.
    fn schema(definitions: &mut Definitions, properties: &mut serde_json::Map<String, Json>);
}

/// Declares a table of a file.
///
/// Every field is `required`, `optional` (an `Option`), `default` with `=` and what a file would say, or
/// `vital`: required, but where it is missing or wrong the rest is still read (an `Option`). The key is the
/// field's name, or what follows `as`. A field `span` with the place of the table is added. Fields under `beside` do not
/// stand in files; they begin with their default. A field under `spread` has keys of its own in the same table.
///
/// What a field means beyond its value stands behind `=>`, as a [`Role`](crate::role::Role): `names(SORT)`, `refers(SORT)`,
/// `polar`, `axial`, or `by(function)` where the table itself tells. Renaming, joining and mirroring follow from it.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])+
                $field:ident $(as $key:literal)? : $mode:ident $type:ty $(= $default:literal)?
                $(=> $role:ident $(($what:expr))?)?
            ),+ $(,)?
        }
        $(beside { $(
            $(#[doc = $beside_doc:literal])+
            $beside:ident : $beside_type:ty $(=> $beside_role:ident $(($beside_what:expr))?)?
        ),+ $(,)? })?
        $(spread { $(#[doc = $spread_doc:literal])+ $spread:ident : $spread_type:ty })?
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name {
            /// Place of the table: its header, or the whole inline table.
            pub span: $crate::source::Span,
            $( $(#[doc = $field_doc])+ pub $field: $crate::table!(@type $mode $type), )+
            $($( $(#[doc = $beside_doc])+ pub $beside: $beside_type, )+)?
            $( $(#[doc = $spread_doc])+ pub $spread: $spread_type, )?
        }

        impl $name {
            /// The keys of the table.
            pub const KEYS: &'static [&'static str] = &[$( $crate::table!(@key $field $($key)?) ),+];
        }

        impl $crate::read::Read for $name {
            const EXPECTED: &'static str = "a table";

            fn read(node: &$crate::document::Node, reader: &mut $crate::read::Reader<'_>) -> Option<Self> {
                if node.entries().is_none() {
                    reader.wrong_type(node, Self::EXPECTED);
                    return None;
                }
                let known: Vec<&str> = Self::KEYS.iter().copied()$(.chain(<$spread_type as $crate::table::Spread>::keys()))?.collect();
                reader.refuse_unknown(node, &known);
                // All fields are read before the first missing one ends it, so that all errors are told.
                $( let $field = $crate::table!(@read $mode $(($default))?, $type, node, reader, $crate::table!(@key $field $($key)?)); )+
                $( let $spread = <$spread_type as $crate::table::Spread>::read(node, reader); )?
                Some(Self {
                    span: node.span,
                    $( $field: $field?, )+
                    $( $($beside: Default::default(),)+ )?
                    $( $spread: $spread?, )?
                })
            }

            fn walk(&mut self, _: $crate::role::Role, visitor: &mut dyn $crate::visit::Visitor) {
                $({
                    let role = $crate::table!(@role self $($role $(($what))?)?);
                    $crate::table!(@walk $mode self.$field, role, visitor, $crate::table!(@key $field $($key)?));
                })+
                $($({
                    let role = $crate::table!(@role self $($beside_role $(($beside_what))?)?);
                    $crate::visit::Beside::walk(&mut self.$beside, role, visitor);
                })+)?
                $( $crate::table::Spread::walk(&mut self.$spread, visitor); )?
            }

            fn absorb(
                &mut self,
                other: Self,
                _: $crate::role::Role,
                report: &mut $crate::report::Report,
            ) {
                // A table that names nothing uses neither.
                let _ = (&other, &report);
                $({
                    let role = $crate::table!(@role self $($role $(($what))?)?);
                    $crate::table!(@absorb $mode self.$field, other.$field, role, report);
                })+
                $( $crate::table::Spread::absorb(&mut self.$spread, other.$spread, report); )?
            }

            fn schema(definitions: &mut $crate::read::Definitions) -> $crate::serde_json::Value {
                definitions.define(stringify!($name), |definitions| {
                    let mut properties = $crate::serde_json::Map::new();
                    let mut required: Vec<&str> = Vec::new();
                    $(
                        let key = $crate::table!(@key $field $($key)?);
                        let default: Option<&str> = $crate::table!(@default $($default)?);
                        let schema = $crate::table::field::<$type>(&[$($field_doc),+], default, definitions);
                        properties.insert(key.to_owned(), schema);
                        if $crate::table!(@required $mode) {
                            required.push(key);
                        }
                    )+
                    $( <$spread_type as $crate::table::Spread>::schema(definitions, &mut properties); )?
                    $crate::serde_json::json!({
                        "type": "object",
                        "description": $crate::table::description(&[$($doc),+]),
                        "properties": properties,
                        "required": required,
                        "additionalProperties": false,
                    })
                })
            }
        }
    };

    (@type required $type:ty) => { $type };
    (@type default $type:ty) => { $type };
    (@type optional $type:ty) => { Option<$type> };
    (@type vital $type:ty) => { Option<$type> };

    (@role $self:ident) => { $crate::role::Role::Plain };
    (@role $self:ident names($sort:expr)) => { $crate::role::Role::Names($sort) };
    (@role $self:ident refers($sort:expr)) => { $crate::role::Role::Refers($sort) };
    (@role $self:ident polar) => { $crate::role::Role::Polar };
    (@role $self:ident axial) => { $crate::role::Role::Axial };
    (@role $self:ident by($function:expr)) => { $function(&*$self) };

    (@walk required $field:expr, $role:ident, $visitor:ident, $key:expr) => {
        $crate::visit::under($visitor, $key, |visitor| $crate::read::Read::walk(&mut $field, $role, visitor))
    };
    (@walk default $field:expr, $role:ident, $visitor:ident, $key:expr) => {
        $crate::table!(@walk required $field, $role, $visitor, $key)
    };
    (@walk optional $field:expr, $role:ident, $visitor:ident, $key:expr) => {
        if let Some(value) = &mut $field {
            $crate::visit::under($visitor, $key, |visitor| $crate::read::Read::walk(value, $role, visitor));
        }
    };
    (@walk vital $field:expr, $role:ident, $visitor:ident, $key:expr) => {
        $crate::table!(@walk optional $field, $role, $visitor, $key)
    };

    (@absorb required $field:expr, $other:expr, $role:ident, $report:ident) => {
        $crate::read::Read::absorb(&mut $field, $other, $role, $report)
    };
    (@absorb default $field:expr, $other:expr, $role:ident, $report:ident) => {
        $crate::table!(@absorb required $field, $other, $role, $report)
    };
    // What may be missing, or is read in part, names nothing.
    (@absorb optional $field:expr, $other:expr, $role:ident, $report:ident) => { let _ = $role; };
    (@absorb vital $field:expr, $other:expr, $role:ident, $report:ident) => { let _ = $role; };

    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };

    (@read required, $type:ty, $node:ident, $reader:ident, $key:expr) => {
        $crate::table::required::<$type>($node, $key, $reader)
    };
    (@read vital, $type:ty, $node:ident, $reader:ident, $key:expr) => {
        Some($crate::table::required::<$type>($node, $key, $reader))
    };
    (@read optional, $type:ty, $node:ident, $reader:ident, $key:expr) => {
        $crate::table::optional::<$type>($node, $key, $reader)
    };
    (@read default ($default:literal), $type:ty, $node:ident, $reader:ident, $key:expr) => {
        $crate::table::or_default::<$type>($node, $key, $default, $reader)
    };

    (@default) => { None };
    (@default $default:literal) => { Some($default) };

    (@required required) => { true };
    (@required vital) => { true };
    (@required optional) => { false };
    (@required default) => { false };
}

/// Declares a choice between words: an enum, its reader, its schema.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident {
            $( $(#[doc = $variant_doc:literal])+ $variant:ident = $word:literal ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $( $(#[doc = $variant_doc])+ $variant ),+
        }

        impl $name {
            /// The words of the choice.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word as it stands in a file.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// What a word means; `None` for one that is not of the choice.
            pub fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl $crate::read::Read for $name {
            const EXPECTED: &'static str = "a string";

            fn read(node: &$crate::document::Node, reader: &mut $crate::read::Reader<'_>) -> Option<Self> {
                let text = <$crate::read::Text as $crate::read::Read>::read(node, reader)?;
                let found = Self::of(&text.text);
                if found.is_none() {
                    $crate::table::unknown_word(&text, Self::WORDS, reader);
                }
                found
            }

            fn schema(definitions: &mut $crate::read::Definitions) -> $crate::serde_json::Value {
                definitions.define(stringify!($name), |_| $crate::serde_json::json!({
                    "description": $crate::table::description(&[$($doc),+]),
                    "oneOf": [$(
                        { "const": $word, "description": $crate::table::description(&[$($variant_doc),+]) }
                    ),+],
                }))
            }
        }
    };
}

/// Declares a choice between tables with one key: `{ box = { ... } }`.
#[macro_export]
macro_rules! one_of {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident {
            $( $(#[doc = $variant_doc:literal])+ $variant:ident ($type:ty) = $word:literal ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug)]
        // One stands in a file; a box would only be in the way.
        #[allow(clippy::large_enum_variant)]
        pub enum $name {
            $( $(#[doc = $variant_doc])+ $variant($type) ),+
        }

        impl $name {
            /// The keys of the choice.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl $crate::read::Read for $name {
            const EXPECTED: &'static str = "a table with one key";

            fn read(node: &$crate::document::Node, reader: &mut $crate::read::Reader<'_>) -> Option<Self> {
                let entry = $crate::table::single_entry(node, Self::WORDS, reader)?;
                match entry.key.as_str() {
                    $($word => reader.within($word, |reader| {
                        <$type as $crate::read::Read>::read(&entry.node, reader).map(Self::$variant)
                    }),)+
                    _ => {
                        reader.unknown_key(node, entry, Self::WORDS);
                        None
                    }
                }
            }

            fn walk(&mut self, role: $crate::role::Role, visitor: &mut dyn $crate::visit::Visitor) {
                match self { $(
                    Self::$variant(value) => $crate::visit::under(visitor, $word, |visitor| {
                        $crate::read::Read::walk(value, role, visitor);
                    }),
                )+ }
            }

            fn schema(definitions: &mut $crate::read::Definitions) -> $crate::serde_json::Value {
                definitions.define(stringify!($name), |definitions| {
                    let variants: Vec<$crate::serde_json::Value> = vec![$(
                        $crate::serde_json::json!({
                            "type": "object",
                            "description": $crate::table::description(&[$($variant_doc),+]),
                            "properties": { $word: <$type as $crate::read::Read>::schema(definitions) },
                            "required": [$word],
                            "additionalProperties": false,
                        })
                    ),+];
                    $crate::serde_json::json!({
                        "description": $crate::table::description(&[$($doc),+]),
                        "oneOf": variants,
                    })
                })
            }
        }
    };
}

/// Complains about a word that is none of a choice.
pub fn unknown_word(text: &crate::read::Text, words: &[&str], reader: &mut Reader<'_>) {
    let near = gelenk_math::suggest::closest(text, words.iter().copied());
    let diagnostic = crate::report::Diagnostic::error(text.span, format!("unknown value \"{}\"", text.text))
        .label(format!("expected {}", crate::read::list(words).replace(" and ", " or ")))
        .meant(near);
    reader.push(diagnostic);
}

/// The only entry of a table with one key.
pub fn single_entry<'a>(
    node: &'a Node,
    words: &[&str],
    reader: &mut Reader<'_>,
) -> Option<&'a document::Entry> {
    match node.entries() {
        Some([entry]) => Some(entry),
        Some(_) => {
            reader.push(
                crate::report::Diagnostic::error(node.span, "exactly one key was expected in this table")
                    .help(format!("choose one of {}", crate::read::list(words).replace(" and ", " or "))),
            );
            None
        }
        None => {
            reader.wrong_type(node, "a table with one key");
            None
        }
    }
}
