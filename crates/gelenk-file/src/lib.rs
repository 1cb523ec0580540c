//! Typed TOML: values with their places, units, errors that list all mistakes, JSON Schema. It knows no mechanics.
//!
//! ```
//! use gelenk_file::load::parse;
//! use gelenk_file::quantity::{Measure, Quantity};
//! use gelenk_file::read::Text;
//! use gelenk_math::units::Dimension;
//!
//! gelenk_file::quantities! {
//!     /// A length in m.
//!     Length = Measure::Fixed(Dimension::LENGTH);
//! }
//!
//! gelenk_file::table! {
//!     /// A box.
//!     pub struct Parcel {
//!         /// Who gets it.
//!         to: required Text,
//!         /// How long it is.
//!         length: default Quantity<Length> = "\"300 mm\"",
//!     }
//! }
//!
//! let parcel = parse::<Parcel>("to = 'Ada'", "parcel.toml").unwrap().file;
//! assert_eq!((&*parcel.to, parcel.length.formula.text.as_str()), ("Ada", "300 mm"));
//! let failure = parse::<Parcel>("lenght = '3 m'", "parcel.toml").unwrap_err().to_string();
//! assert!(failure.contains("did you mean \"length\"?") && failure.contains("needs the key \"to\""));
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`source`] | texts and places in them |
//! | [`report`] | findings: all at once, each with its place and the way out |
//! | [`document`] | TOML with the place of every key and value |
//! | [`draft`] | documents made in code, and their text |
//! | [`read`] | typed values from nodes, and their JSON Schema |
//! | [`role`] | what fields mean: names, references, components that a mirror changes |
//! | [`table`](mod@table) | tables and choices, declared once: type, reader, schema |
//! | [`formula`] | formulas and conditions |
//! | [`quantity`] | numbers with units |
//! | [`fixed`] | numbers that set the structure |
//! | [`dimensions`] | whether a formula fits its field |
//! | [`fields`] | versions, units and triples |
//! | [`visit`] | walks over everything in a file |
//! | [`load`] | files with what they include |

pub mod dimensions;
pub mod document;
pub mod draft;
pub mod fields;
pub mod fixed;
pub mod formula;
pub mod load;
pub mod quantity;
pub mod read;
pub mod report;
pub mod role;
pub mod source;
pub mod table;
pub mod visit;

// The macros name it.
#[doc(hidden)]
pub use serde_json;
