//! The formats that the page reads: defined here once, written as JSON, and declared for TypeScript.
//!
//! `studio/src/data/types.ts` is generated from these types; a test compares it, and
//! `GELENK_TYPES=write cargo test -p gelenk-record` renews it.
//!
//! | file | content |
//! |---|---|
//! | `contract` | how a type is written and declared |
//! | `scene` | what pictures need to know of a model |
//! | `page` | what the page knows of recordings before it asks for numbers |

#[macro_use]
mod contract;
mod page;
mod scene;

pub use contract::{Format, Nullable, Raw};
pub use page::{
    Account, Column, ElementsInfo, Energy, Index, Metric, NumberOrWord, PairInfo, Parameter, Run, RunEvent,
    Variant,
};
pub use scene::{
    Body, Element, ElementWord, Form, Frame, GroundShapes, Joint, JointWord, Loop, LoopWord, Placed, Scene,
    Shape, Surface, SurfacePlace,
};

/// The declarations of all formats, as a file of TypeScript.
pub fn typescript() -> String {
    let head = "/** What the page is given of recordings by `gelenk report` and `gelenk view`. Generated from the types of\n\
                \x20*  `gelenk_record::format`: `GELENK_TYPES=write cargo test -p gelenk-record` renews this file. */\n";
    let all = scene::declarations().into_iter().chain(page::declarations());
    all.fold(head.to_owned(), |text, declaration| text + "\n" + &declaration)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decision 26: the page's types are those of the program.
    #[test]
    fn the_types_of_the_page_are_these() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studio/src/data/types.ts");
        let expected = typescript();
        if std::env::var_os("GELENK_TYPES").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(path).unwrap();
        assert!(
            found == expected,
            "studio/src/data/types.ts is not what the formats say: renew it with GELENK_TYPES=write"
        );
    }

    #[test]
    fn keys_without_a_value_are_omitted_and_places_are_spread() {
        let joint = Joint {
            name: "knee".into(),
            kind: JointWord::Ball,
            parent: "ground".into(),
            child: "shank".into(),
            axis: None,
            place: Placed { position: [1.0, 0.0, 0.0], quaternion: [1.0, 0.0, 0.0, 0.0] },
        };
        let text = r#"{"child":"shank","name":"knee","parent":"ground","position":[1.0,0.0,0.0],"quaternion":[1.0,0.0,0.0,0.0],"type":"ball"}"#;
        assert_eq!(joint.value().map(|value| value.to_string()).as_deref(), Some(text));
        assert_eq!(JointWord::of("revolute"), Some(JointWord::Revolute));
        assert_eq!(JointWord::of("weld"), None);
    }
}
