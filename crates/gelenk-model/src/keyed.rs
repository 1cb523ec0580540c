//! Elements under a key of a joint or coordinate: `spring`, `stop`.

use crate::elements::ElementTable;
use gelenk_file::document::Node;
use gelenk_file::read::{Definitions, Read, Reader};
use gelenk_file::role::Role;
use gelenk_file::visit::Visitor;
use gelenk_multibody::Acting;
use gelenk_multibody::elements::contract::PlaceKind;
use serde_json::Value as Json;
use std::marker::PhantomData;
use std::ops::Deref;

/// A key of joints and coordinates that elements stand under.
pub trait ElementKey {
    /// The key, as kinds name it ([`Element::key`](gelenk_multibody::elements::Element::key)).
    const NAME: &'static str;

    /// Whether elements on the rotation of a ball joint are accepted there, too.
    const BALLS: bool;
}

/// Declares keys.
macro_rules! keys {
    ($($(#[doc = $doc:literal])+ $name:ident = $key:literal, $balls:literal;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl ElementKey for $name {
            const NAME: &'static str = $key;
            const BALLS: bool = $balls;
        }
    )+};
}

keys! {
    /// The spring of a coordinate.
    SpringKey = "spring", false;
    /// The stop of a coordinate.
    StopKey = "stop", false;
    /// The stop of a joint, which may be a ball joint.
    JointStopKey = "stop", true;
}

/// An element under the key `K`.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed<K>(ElementTable, PhantomData<K>);

impl<K> Deref for Keyed<K> {
    type Target = ElementTable;

    fn deref(&self) -> &ElementTable {
        &self.0
    }
}

/// The kinds that stand under a key.
fn kinds<K: ElementKey>() -> Vec<&'static Acting> {
    let fits = |kind: &&Acting| kind.key() == K::NAME && (K::BALLS || kind.spec().place != PlaceKind::Ball);
    Acting::ALL.iter().filter(fits).collect()
}

impl<K> Keyed<K> {
    /// Whether it acts on the rotation of a ball joint.
    pub fn is_of_ball(&self) -> bool {
        self.0.kind.spec().place == PlaceKind::Ball
    }
}

impl<K: ElementKey> Read for Keyed<K> {
    const EXPECTED: &'static str = "a table";

    fn read(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let table = ElementTable::read_in(&kinds::<K>(), true, K::NAME, node, reader)?;
        Some(Self(table, PhantomData))
    }

    fn schema(definitions: &mut Definitions) -> Json {
        ElementTable::schema_in(&kinds::<K>(), true, definitions)
    }

    fn walk(&mut self, _: Role, visitor: &mut dyn Visitor) {
        self.0.show(visitor);
    }
}
