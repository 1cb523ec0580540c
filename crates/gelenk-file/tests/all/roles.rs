//! Roles of fields: what walks see, and what tables take from each other.

use gelenk_file::document::Value;
use gelenk_file::draft::{Draft, Section};
use gelenk_file::fields::Three;
use gelenk_file::formula::Formula;
use gelenk_file::load::{Loader, Origin, parse};
use gelenk_file::quantity::Number;
use gelenk_file::read::{Named, Pair, Read, Text};
use gelenk_file::report::Report;
use gelenk_file::role::{Role, Sort};
use gelenk_file::table;
use gelenk_file::visit::Visitor;

const TOWN: Sort = Sort::new("town");
const PLACE: Sort = Sort::any("place", &[TOWN.noun]).with("sea");

table! {
    /// A map.
    pub struct Map {
        /// Towns.
        towns: default Named<Town> = "{}" => names(TOWN),
        /// Notes, which nobody refers to.
        notes: default Named<Text> = "{}",
        /// Ways between places.
        ways: default Vec<Pair<Text>> = "[]" => refers(PLACE),
    }
}

table! {
    /// A town.
    pub struct Town {
        /// Whether it stands upright.
        upright: default bool = "true",
        /// Where the wind blows to, or what it turns about.
        wind: optional Three<Formula> => by(Town::wind_role),
    }
    beside {
        /// Whether it is turned.
        turned: bool => polar,
    }
}

impl Town {
    fn wind_role(&self) -> Role {
        if self.upright { Role::Polar } else { Role::Axial }
    }
}

/// Writes down all that it sees.
#[derive(Default)]
struct Seen {
    place: Vec<String>,
    list: Vec<String>,
}

impl Seen {
    fn note(&mut self, what: &str) {
        self.list.push(format!("{} {what}", self.place.join(".")));
    }
}

impl Visitor for Seen {
    fn formula(&mut self, role: Role, formula: &mut Formula) {
        let Role::Signed(axes) = role else { return self.note(&formula.text) };
        let axes: String = "xyz".chars().zip(axes).filter_map(|(axis, with)| with.then_some(axis)).collect();
        self.note(&format!("{} with {axes}", formula.text));
    }

    fn number(&mut self, _: Role, _: &mut Number) {}

    fn name(&mut self, sort: Sort, name: &mut Text) {
        self.note(&format!("{} {}", sort.noun, name.text));
    }

    fn text(&mut self, role: Role, text: &mut Text) {
        let Role::Refers(sort) = role else { return self.settled() };
        self.note(&format!("to the {} {}", sort.noun, text.text));
    }

    fn settled(&mut self) {
        self.note("settled");
    }

    fn turned(&mut self, role: Role, _: &mut bool) {
        self.note(&format!("{role:?}"));
    }

    fn enter(&mut self, key: &str) {
        self.place.push(key.to_owned());
    }

    fn leave(&mut self) {
        self.place.pop();
    }
}

const MAP: &str = r#"
notes.a = "x"
ways = [["ulm", "sea"]]
[towns.ulm]
wind = ["u", "v", "w"]
[towns.pisa]
upright = false
wind = ["u", "v", "w"]
"#;

#[test]
fn walks_see_places_and_roles() {
    let mut seen = Seen::default();
    parse::<Map>(MAP, "map.toml").unwrap().file.walk(Role::Plain, &mut seen);
    assert_eq!(
        seen.list,
        [
            "towns.ulm.upright settled",
            "towns.ulm.wind.0 u with x",
            "towns.ulm.wind.1 v with y",
            "towns.ulm.wind.2 w with z",
            "towns.ulm Polar",
            "towns.pisa.upright settled",
            "towns.pisa.wind.0 u with yz",
            "towns.pisa.wind.1 v with xz",
            "towns.pisa.wind.2 w with xy",
            "towns.pisa Polar",
            "towns town ulm",
            "towns town pisa",
            "notes.a settled",
            "ways.0.0 to the place ulm",
            "ways.0.1 to the place sea",
        ]
    );
}

/// What a field names joins; the rest of the other table is left out.
#[test]
fn tables_take_names_from_each_other() {
    let mut map = parse::<Map>("notes.b = 'y'\n[towns.bonn]\n", "a.toml").unwrap().file;
    let mut report = Report::new();
    map.absorb(parse::<Map>(MAP, "b.toml").unwrap().file, Role::Plain, &mut report);
    assert!(report.is_empty());
    assert_eq!(map.towns.names().map(|name| &**name).collect::<Vec<_>>(), ["bonn", "ulm", "pisa"]);
    assert_eq!((map.notes.len(), map.ways.len()), (1, 0));
    map.absorb(parse::<Map>(MAP, "b.toml").unwrap().file, Role::Plain, &mut report);
    assert_eq!(report.iter().filter(|finding| finding.message.contains("is defined twice")).count(), 2);
}

/// A document made in code is read as if it had been written; what is wrong has its place in the text.
#[test]
fn drafts_are_read_with_their_places() {
    let mut draft = Draft::default();
    let mut town = Section::new(&["towns", "ulm"]);
    town.key("upright", Value::Boolean(true));
    town.key("winds", vec!["u".into(), "v".into(), "w".into()]);
    draft.sections.push(town);
    let mut loader = Loader::default();
    let map: Option<Map> = loader.read(Origin::Draft { draft: &draft, base: None, name: "map.toml" });
    let failure = loader.finish(map).unwrap_err().to_string();
    assert!(failure.contains("map.toml:3:1"), "{failure}");
    assert!(failure.contains("did you mean \"wind\"?"), "{failure}");
}
