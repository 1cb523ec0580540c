//! How a type is written as JSON and declared for TypeScript.

use serde_json::Value;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A type of a format.
pub trait Format {
    /// Whether its key may be missing.
    const OPTIONAL: bool = false;
    /// The value; `None` where the key is omitted.
    fn value(&self) -> Option<Value>;
    /// The type in TypeScript.
    fn name() -> String;
}

macro_rules! plain {
    ($($kind:ty => $name:literal),+) => {$(
        impl Format for $kind {
            fn value(&self) -> Option<Value> {
                Some(Value::from(self.clone()))
            }

            fn name() -> String {
                $name.to_owned()
            }
        }
    )+};
}

plain! { f64 => "number", usize => "number", bool => "boolean", String => "string" }

impl<T: Format> Format for Option<T> {
    const OPTIONAL: bool = true;

    fn value(&self) -> Option<Value> {
        self.as_ref().and_then(T::value)
    }

    fn name() -> String {
        T::name()
    }
}

/// What is null where it is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Nullable<T>(pub Option<T>);

impl<T: Format> Format for Nullable<T> {
    fn value(&self) -> Option<Value> {
        Some(self.0.as_ref().and_then(T::value).unwrap_or(Value::Null))
    }

    fn name() -> String {
        format!("{} | null", T::name())
    }
}

impl<T: Format> Format for Vec<T> {
    fn value(&self) -> Option<Value> {
        Some(self.iter().filter_map(T::value).collect())
    }

    fn name() -> String {
        let name = T::name();
        if name.contains(' ') { format!("readonly ({name})[]") } else { format!("readonly {name}[]") }
    }
}

impl<T: Format, const N: usize> Format for [T; N] {
    fn value(&self) -> Option<Value> {
        Some(self.iter().filter_map(T::value).collect())
    }

    fn name() -> String {
        format!("readonly [{}]", vec![T::name(); N].join(", "))
    }
}

impl Format for BTreeMap<String, String> {
    fn value(&self) -> Option<Value> {
        Some(self.iter().map(|(key, text)| (key.clone(), Value::from(text.as_str()))).collect())
    }

    fn name() -> String {
        "Readonly<Record<string, string>>".to_owned()
    }
}

/// JSON that was written as a `T` before, such as the scene in the metadata of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw<T>(pub Value, pub PhantomData<T>);

impl<T> From<Value> for Raw<T> {
    fn from(value: Value) -> Self {
        Self(value, PhantomData)
    }
}

impl<T: Format> Format for Raw<T> {
    fn value(&self) -> Option<Value> {
        Some(self.0.clone())
    }

    fn name() -> String {
        T::name()
    }
}

/// A comment of TypeScript; empty without words.
pub(super) fn comment(docs: &[&str], indent: &str) -> String {
    let text = docs.iter().map(|doc| doc.trim()).collect::<Vec<_>>().join(" ");
    if text.is_empty() { String::new() } else { format!("{indent}/** {text} */\n") }
}

/// A name for a type.
pub(super) fn alias<T: Format>(name: &str, doc: &str) -> String {
    format!("/** {doc} */\nexport type {name} = {};\n", T::name())
}

/// The entry of an interface.
pub(super) fn entry<T: Format>(key: &str, docs: &[&str]) -> String {
    let mark = if T::OPTIONAL { "?" } else { "" };
    format!("{}  readonly {key}{mark}: {};\n", comment(docs, "  "), T::name())
}

/// Tables with keys, spread over the keys of others where fields are marked by `..`.
macro_rules! tables {
    ($($(#[doc = $doc:literal])+ pub struct $name:ident {
        $($(#[doc = $fdoc:literal])+ $key:literal $field:ident: $kind:ty,)*
        $(.. $(#[doc = $sdoc:literal])+ $spread:ident: $part:ty,)*
    })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                $($(#[doc = $fdoc])+ pub $field: $kind,)*
                $($(#[doc = $sdoc])+ pub $spread: $part,)*
            }

            impl $crate::format::Format for $name {
                fn value(&self) -> Option<serde_json::Value> {
                    #[allow(unused_mut)]
                    let mut table = serde_json::Map::new();
                    $(if let Some(value) = self.$field.value() {
                        table.insert($key.to_owned(), value);
                    })*
                    $(if let Some(serde_json::Value::Object(more)) = self.$spread.value() {
                        table.extend(more);
                    })*
                    Some(serde_json::Value::Object(table))
                }

                fn name() -> String {
                    stringify!($name).to_owned()
                }
            }

            impl $name {
                fn declaration() -> String {
                    use $crate::format::{Format, contract};
                    let parts: Vec<String> = vec![$(<$part>::name()),*];
                    let entries: Vec<String> = vec![$(contract::entry::<$kind>($key, &[$($fdoc),+])),*];
                    let head = contract::comment(&[$($doc),+], "");
                    match (parts.is_empty(), entries.is_empty()) {
                        (true, _) => format!("{head}export interface {} {{\n{}}}\n", Self::name(), entries.concat()),
                        (false, true) => format!("{head}export type {} = {};\n", Self::name(), parts.join(" & ")),
                        (false, false) => format!(
                            "{head}export type {} = {} & {{\n{}}};\n", Self::name(), parts.join(" & "), entries.concat()
                        ),
                    }
                }
            }
        )+
    };
}

/// Lists whose places have names.
macro_rules! rows {
    ($($(#[doc = $doc:literal])+ pub struct $name:ident { $($(#[doc = $fdoc:literal])+ $field:ident: $kind:ty,)+ })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $fdoc])+ pub $field: $kind,)+
        }

        impl $crate::format::Format for $name {
            fn value(&self) -> Option<serde_json::Value> {
                Some([$(self.$field.value()),+].into_iter().flatten().collect())
            }

            fn name() -> String {
                stringify!($name).to_owned()
            }
        }

        impl $name {
            fn declaration() -> String {
                use $crate::format::{Format, contract};
                let mark = |optional: bool| if optional { "?" } else { "" };
                let places = [$(format!(
                    "{}{}: {}", stringify!($field), mark(<$kind>::OPTIONAL), <$kind>::name()
                )),+];
                let head = contract::comment(&[$($doc),+], "");
                format!("{head}export type {} = readonly [{}];\n", Self::name(), places.join(", "))
            }
        }
    )+};
}

/// Words of which one is given.
macro_rules! words {
    ($($(#[doc = $doc:literal])+ pub enum $name:ident { $($(#[doc = $fdoc:literal])+ $word:ident = $text:literal,)+ })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $fdoc])+ $word,)+
        }

        impl $name {
            /// All words.
            pub const ALL: &'static [Self] = &[$(Self::$word),+];

            /// As it is written.
            pub fn text(self) -> &'static str {
                match self { $(Self::$word => $text,)+ }
            }

            /// The word that is written so.
            pub fn of(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.text() == text)
            }

            fn declaration() -> String {
                use $crate::format::{Format, contract};
                let head = contract::comment(&[$($doc),+], "");
                let words = [$(concat!("\"", $text, "\"")),+].join(" | ");
                format!("{head}export type {} = {words};\n", Self::name())
            }
        }

        impl $crate::format::Format for $name {
            fn value(&self) -> Option<serde_json::Value> {
                Some(serde_json::Value::from(self.text()))
            }

            fn name() -> String {
                stringify!($name).to_owned()
            }
        }
    )+};
}
