//! What the page knows of recordings before it asks for numbers.

use super::contract::alias;
use super::{Format, Nullable, Raw, Scene};
use std::collections::BTreeMap;

rows! {
    /// Name, unit and meaning of a column.
    pub struct Column {
        /// Name.
        name: String,
        /// SI unit.
        unit: String,
        /// What it is.
        meaning: String,
    }
    /// Time (s), element and what happened.
    pub struct RunEvent {
        /// Time (s).
        t: f64,
        /// Element.
        element: String,
        /// What happened.
        what: String,
    }
    /// Path, value (SI, or a word such as the name of a law), unit, and whether the value follows from others.
    pub struct Parameter {
        /// Path.
        path: String,
        /// Value.
        value: NumberOrWord,
        /// SI unit.
        unit: String,
        /// Whether it follows from others.
        derived: Option<bool>,
    }
    /// Name, value (SI) and unit of a result, such as the peak of friction on a rig.
    pub struct Metric {
        /// Name.
        name: String,
        /// Value.
        value: Nullable<f64>,
        /// SI unit.
        unit: String,
    }
}

/// A number, a word, or null.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberOrWord(pub serde_json::Value);

impl Format for NumberOrWord {
    fn value(&self) -> Option<serde_json::Value> {
        Some(self.0.clone())
    }

    fn name() -> String {
        "number | string | null".to_owned()
    }
}

tables! {
    /// Work of an element (J).
    pub struct Account {
        /// Name of the element.
        "name" name: String,
        /// Work that it has done.
        "work" work: f64,
        /// What of it is stored.
        "stored" stored: f64,
        /// What of it is lost.
        "lost" lost: f64,
        /// Whether nothing is lost by its nature.
        "conservative" conservative: bool,
    }
    /// The energy balance at the end of a run (J).
    pub struct Energy {
        /// Kinetic energy.
        "kinetic" kinetic: f64,
        /// Work of the elements.
        "accounts" accounts: Vec<Account>,
    }
    /// A pair of surfaces in contact.
    pub struct PairInfo {
        /// Name of the contact.
        "name" name: String,
        /// Numbers of the surfaces in the scene.
        "surfaces" surfaces: [Nullable<usize>; 2],
    }
    /// Contact elements of a run.
    pub struct ElementsInfo {
        /// The pairs.
        "pairs" pairs: Raw<Vec<PairInfo>>,
        /// Largest pressure and largest traction (N/m^2).
        "largest" largest: [f64; 2],
        /// How many are shown.
        "shown" shown: usize,
        /// How many are recorded.
        "recorded" recorded: usize,
    }
    /// One of several runs that share a recording: its columns and events begin with `NAME.`.
    pub struct Variant {
        /// Name.
        "name" name: String,
        /// How it was computed.
        "method" method: Option<Nullable<String>>,
        /// Its parameters.
        "parameters" parameters: Vec<Raw<Parameter>>,
        /// Its results.
        "metrics" metrics: Vec<Raw<Metric>>,
    }
    /// A recording.
    pub struct Run {
        /// Name.
        "name" name: String,
        /// Rows that the page can have.
        "rows" rows: usize,
        /// Rows of the recording.
        "recorded" recorded: usize,
        /// Whether the run continues, so that more rows come.
        "growing" growing: Option<bool>,
        /// First and last time (s).
        "span" span: Nullable<[f64; 2]>,
        /// Columns.
        "columns" columns: Vec<Column>,
        /// Smallest and largest value of every column; null where they are not known.
        "ranges" ranges: Vec<Nullable<[f64; 2]>>,
        /// Events.
        "events" events: Vec<RunEvent>,
        /// Number of all events.
        "eventCount" event_count: usize,
        /// Other metadata.
        "meta" meta: BTreeMap<String, String>,
        /// What pictures need.
        "scene" scene: Nullable<Raw<Scene>>,
        /// The energy balance.
        "energy" energy: Nullable<Raw<Energy>>,
        /// Contact elements.
        "elements" elements: Nullable<ElementsInfo>,
        /// Parameters of the model.
        "parameters" parameters: Vec<Raw<Parameter>>,
        /// Results.
        "metrics" metrics: Vec<Metric>,
        /// Runs that share the recording.
        "variants" variants: Vec<Variant>,
    }
    /// All recordings of a page.
    pub struct Index {
        /// Version of the format: 1.
        "version" version: usize,
        /// The program that wrote it.
        "generator" generator: String,
        /// The recordings.
        "runs" runs: Vec<Run>,
    }
}

pub(super) fn declarations() -> Vec<String> {
    vec![
        alias::<Nullable<[f64; 2]>>(
            "Range",
            "Smallest and largest value of a column; null where they are not known.",
        ),
        Column::declaration(),
        RunEvent::declaration(),
        Parameter::declaration(),
        Metric::declaration(),
        Account::declaration(),
        Energy::declaration(),
        PairInfo::declaration(),
        ElementsInfo::declaration(),
        Variant::declaration(),
        Run::declaration(),
        Index::declaration(),
    ]
}
