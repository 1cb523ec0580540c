//! Rigs: experiments on friction laws as ordinary models, one for every law.

use crate::elements::{DRIVES, ElementTable};
use crate::friction::{FrictionElement, FrictionLaw};
use crate::friction_place::{FilterWord, FrictionAxis as Way, FrictionPlace as Place, no_plane};
use crate::load::{Failure, Loaded, LoadedModel};
use crate::model_file::{CoordinateWord, ModelFile};
use crate::quantity::{
    Effort, EffortRate, Fixed, Formula, Frequency, Length, Literal, Mass, Measure, Number, Quantity, Rate,
    Ratio, RotorInertia, Stiffness, Time, measure_of,
};
use crate::study_file::StudyFile;
use gelenk_file::document::Value;
use gelenk_file::draft::{Draft, Section};
use gelenk_file::read::{Pair, Read, Reader, Spanned, Text};
use gelenk_file::report::Report;
use gelenk_file::source::Span;
use gelenk_file::{one_of, table};
use gelenk_laws::Kind;
use gelenk_laws::friction::planar::Planar;

one_of! {
    /// An experiment with a block, or a disc, under friction.
    pub enum Rig {
        /// A block that is pushed, thrown or held by a spring.
        Free(FreeRig) = "free",
        /// A block that is pulled through a spring whose end moves: stick and slip.
        Pulled(PulledRig) = "pulled",
        /// A block under a force that rises at several rates.
        Breakaway(BreakawayRig) = "breakaway",
        /// A block under an oscillating force with a bias.
        Drift(DriftRig) = "drift",
        /// A block under a constant load, as on a slope.
        Slope(SlopeRig) = "slope",
        /// A block that slides until it stops.
        Braking(BrakingRig) = "braking",
        /// The laws alone, moved by a given velocity or along a path.
        Motion(MotionRig) = "motion",
        /// A slider on a plane that is pulled through a spring.
        Plane(PlaneRig) = "plane",
    }
}

table! {
    /// A block that is pushed, thrown or held by a spring.
    pub struct FreeRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Mass, or moment of inertia.
        mass: required Quantity<RotorInertia>,
        /// Stiffness of a spring to the ground, relaxed at the start.
        spring: optional Quantity<Stiffness>,
        /// Initial velocity.
        velocity: optional Quantity<Rate>,
        /// Force or torque on it, over t, x, x.rate and signals.
        force: optional Formula,
    }
}

table! {
    /// A block that is pulled through a spring.
    pub struct PulledRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Mass, or moment of inertia.
        mass: required Quantity<RotorInertia>,
        /// Stiffness of the spring, relaxed at the start.
        spring: required Quantity<Stiffness>,
        /// Velocity of its end.
        speed: required Quantity<Rate>,
        /// Time at which the end stops; by default it does not.
        stop: optional Quantity<Time>,
        /// Speed above which the block slips; by default that of the end.
        slip: optional Literal,
        /// Slips with a lower peak speed do not count.
        least: default Literal = "0",
        /// Time from which the drift is counted; by default half a second after the end has stopped.
        rest: optional Fixed<Time>,
    }
}

table! {
    /// A block under a force that rises.
    pub struct BreakawayRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Mass, or moment of inertia.
        mass: required Quantity<RotorInertia>,
        /// Rates of the force, each a run of its own.
        rates: required Spanned<Vec<Quantity<EffortRate>>>,
        /// Force at which a run ends.
        to: required Quantity<Effort>,
        /// Speed at which the block has broken away; by default the largest friction says.
        speed: optional Literal,
        /// Force at which the displacement before break-away is reported.
        presliding: optional Literal,
    }
}

table! {
    /// A block under `bias + amplitude sin(2 pi frequency t)`.
    pub struct DriftRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Mass, or moment of inertia.
        mass: required Quantity<RotorInertia>,
        /// Mean force.
        bias: required Quantity<Effort>,
        /// Amplitude of the force.
        amplitude: required Quantity<Effort>,
        /// Its frequency.
        frequency: required Quantity<Frequency>,
    }
}

table! {
    /// A block under a constant load.
    pub struct SlopeRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Mass, or moment of inertia.
        mass: required Quantity<RotorInertia>,
        /// The load, such as that of gravity along the slope.
        load: required Quantity<Effort>,
        /// Time over which the load rises; by default it is there at once.
        ramp: optional Quantity<Time>,
    }
}

table! {
    /// A block that slides until it stops.
    pub struct BrakingRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Mass, or moment of inertia.
        mass: required Quantity<RotorInertia>,
        /// Initial velocity.
        velocity: required Quantity<Rate>,
    }
}

table! {
    /// The laws alone, moved by a given velocity or along a path; give "velocity", or "reversals" and "speed".
    pub struct MotionRig {
        /// Whether it moves along a length or about an angle.
        on: default CoordinateWord = "\"length\"",
        /// Velocity over t and signals.
        velocity: optional Formula,
        /// Step in which the laws are moved.
        step: optional Fixed<Time>,
        /// Positions at which the path reverses; it starts at zero.
        reversals: optional Spanned<Vec<Literal>>,
        /// Speed along the path.
        speed: optional Literal,
        /// Samples between reversals.
        samples: default Fixed<Ratio> = "100",
    }
}

table! {
    /// A slider on a plane, pulled through a spring whose end moves along x and sways in y.
    pub struct PlaneRig {
        /// Mass.
        mass: required Quantity<Mass>,
        /// Stiffness of the spring.
        spring: required Quantity<Stiffness>,
        /// Its relaxed length; the end begins that far ahead.
        length: required Quantity<Length>,
        /// Velocity of its end along x.
        speed: required Quantity<Rate>,
        /// Amplitude of its end in y.
        sway: default Quantity<Length> = "\"0 m\"",
        /// Frequency of the sway.
        frequency: default Quantity<Frequency> = "\"0 Hz\"",
        /// Speed above which the slider slips; by default that of the end.
        slip: optional Literal,
        /// What power-based friction with memory is filtered by.
        per: default FilterWord = "\"point\"",
    }
}

/// A run of a rig.
#[derive(Clone, Debug)]
pub struct RigRun {
    /// The law's name, and the number of the rate where there are several.
    pub label: String,
    /// The law's position in the file.
    pub law: usize,
    /// The model.
    pub model: LoadedModel,
    /// End of the run (s) where the rig says it.
    pub until: Option<f64>,
}

/// Name of the position in recordings of a rig.
pub const POSITION: &str = "x";
/// Name of the friction element.
pub const ELEMENT: &str = "law";

impl Rig {
    /// Whether it moves along a length or about an angle.
    pub fn on(&self) -> CoordinateWord {
        match self {
            Self::Free(rig) => rig.on,
            Self::Pulled(rig) => rig.on,
            Self::Breakaway(rig) => rig.on,
            Self::Drift(rig) => rig.on,
            Self::Slope(rig) => rig.on,
            Self::Braking(rig) => rig.on,
            Self::Motion(rig) => rig.on,
            Self::Plane(_) => CoordinateWord::Length,
        }
    }

    /// Place of its table.
    pub fn span(&self) -> Span {
        match self {
            Self::Free(rig) => rig.span,
            Self::Pulled(rig) => rig.span,
            Self::Breakaway(rig) => rig.span,
            Self::Drift(rig) => rig.span,
            Self::Slope(rig) => rig.span,
            Self::Braking(rig) => rig.span,
            Self::Motion(rig) => rig.span,
            Self::Plane(rig) => rig.span,
        }
    }

    /// Numbers that become parameters of the model, by their names.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, &Number)> {
        let mut list: Vec<(&'static str, &Number)> = Vec::new();
        match self {
            Self::Free(rig) => {
                list.push(("mass", &rig.mass));
                list.extend(rig.spring.iter().map(|number| ("spring", &number.0)));
                list.extend(rig.velocity.iter().map(|number| ("velocity", &number.0)));
            }
            Self::Pulled(rig) => {
                list.extend([("mass", &rig.mass.0), ("spring", &rig.spring.0), ("speed", &rig.speed.0)]);
                list.extend(rig.stop.iter().map(|number| ("stop", &number.0)));
            }
            Self::Breakaway(rig) => list.push(("mass", &rig.mass)),
            Self::Drift(rig) => {
                list.extend([("mass", &rig.mass.0), ("bias", &rig.bias.0), ("amplitude", &rig.amplitude.0)]);
                list.push(("frequency", &rig.frequency));
            }
            Self::Slope(rig) => {
                list.extend([("mass", &rig.mass.0), ("load", &rig.load.0)]);
                list.extend(rig.ramp.iter().map(|number| ("ramp", &number.0)));
            }
            Self::Braking(rig) => list.extend([("mass", &rig.mass.0), ("velocity", &rig.velocity.0)]),
            Self::Motion(_) => {}
            Self::Plane(rig) => {
                list.extend([("mass", &rig.mass.0), ("spring", &rig.spring.0), ("length", &rig.length.0)]);
                list.extend([("speed", &rig.speed.0), ("sway", &rig.sway.0)]);
                list.push(("frequency", &rig.frequency));
            }
        }
        list
    }

    /// Numbers that are looked at beside the model, with their names and what they measure.
    pub(crate) fn literals(&self) -> Vec<(&'static str, &Literal, Measure)> {
        let mut list = Vec::new();
        match self {
            Self::Pulled(rig) => {
                list.extend(rig.slip.iter().map(|number| ("slip", number, measure_of(Kind::Rate))));
                list.push(("least", &rig.least, measure_of(Kind::Rate)));
            }
            Self::Breakaway(rig) => {
                list.extend(rig.speed.iter().map(|number| ("speed", number, measure_of(Kind::Rate))));
                list.extend(
                    rig.presliding.iter().map(|number| ("presliding", number, measure_of(Kind::Effort))),
                );
            }
            Self::Motion(rig) => {
                list.extend(rig.speed.iter().map(|number| ("speed", number, measure_of(Kind::Rate))));
                let reversals = rig.reversals.iter().flat_map(|reversals| &reversals.value);
                list.extend(reversals.map(|number| ("reversals", number, measure_of(Kind::Displacement))));
            }
            Self::Plane(rig) => {
                list.extend(rig.slip.iter().map(|number| ("slip", number, measure_of(Kind::Rate))))
            }
            Self::Free(_) | Self::Drift(_) | Self::Slope(_) | Self::Braking(_) => {}
        }
        list
    }

    /// The force on the block; `None` where there is none, or where the file gives it.
    fn force(&self) -> Option<&'static str> {
        match self {
            Self::Free(_) | Self::Braking(_) | Self::Motion(_) | Self::Plane(_) => None,
            Self::Pulled(rig) if rig.stop.is_some() => Some("spring*(speed*min(t, stop) - x)"),
            Self::Pulled(_) => Some("spring*(speed*t - x)"),
            Self::Breakaway(_) => Some("rate*t"),
            Self::Drift(_) => Some("bias + amplitude*sin(2*pi*frequency*t)"),
            Self::Slope(rig) if rig.ramp.is_some() => Some("load*min(t/ramp, 1)"),
            Self::Slope(_) => Some("load"),
        }
    }

    /// The model without its law.
    fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        draft.root.key("schema", 1.0);
        draft.root.key("gravity", vec![0.0.into(); 3]);
        let mut section = |path: [&str; 2], entries: &[(&str, Value)]| {
            let mut section = Section::new(&path);
            entries.iter().for_each(|(key, value)| section.key(key, value.clone()));
            draft.sections.push(section);
        };
        let given = |key: &str| self.numbers().iter().any(|(name, _)| *name == key);
        let (mass, moment): (Value, Value) = match self.on() {
            _ if !given("mass") => (1.0.into(), 1.0.into()),
            CoordinateWord::Length => ("mass".into(), 0.0.into()),
            CoordinateWord::Angle => (1.0.into(), "mass".into()),
        };
        section(["bodies", "block"], &[("mass", mass), ("inertia", vec![moment; 3].into())]);
        let slide =
            |kind: &str| [("type", kind.into()), ("parent", "ground".into()), ("child", "block".into())];
        if let Self::Plane(_) = self {
            let motion = Value::table([("x", "x".into()), ("y", "y".into())]);
            section(["joints", "slide"], &[&slide("general")[..], &[("motion", motion)]].concat());
            for (name, value) in PULL {
                section(["signals", name], &[("value", value.into())]);
            }
            for (name, on, effort) in [("force", "x", "stiffness*ahead"), ("across", "y", "stiffness*aside")]
            {
                section(["drives", name], &[("on", on.into()), ("effort", effort.into())]);
            }
            return draft;
        }
        let rate = given("velocity").then(|| ("rate", "velocity".into()));
        let coordinate = Value::table(std::iter::once(("name", POSITION.into())).chain(rate));
        let mut joint =
            slide(if self.on() == CoordinateWord::Angle { "revolute" } else { "prismatic" }).to_vec();
        joint.push(("coordinate", coordinate));
        if matches!(self, Self::Free(rig) if rig.spring.is_some()) {
            joint.push(("spring", Value::table([("stiffness", "spring".into())])));
        }
        section(["joints", "slide"], &joint);
        if let Some(effort) = self.force() {
            section(["drives", "force"], &[("on", POSITION.into()), ("effort", effort.into())]);
        }
        draft
    }
}

/// Signals of a spring that pulls a slider on a plane along the line to its end.
const PULL: [(&str, &str); 3] = [
    ("ahead", "length + speed*t - x"),
    ("aside", "sway*sin(2*pi*frequency*t) - y"),
    ("stiffness", "spring*(1 - length/sqrt(ahead^2 + aside^2))"),
];

/// The models of a rig: one for every law, and for every rate of a break-away.
///
/// # Errors
/// What any model may be refused for, at its place in the file of the rig.
pub fn rig_runs(study: &Loaded<StudyFile>) -> Result<Vec<RigRun>, Failure> {
    let Some(rig) = &study.file.rig else { return Ok(Vec::new()) };
    let mut runs = Vec::new();
    for (place, (name, law)) in study.file.laws.iter().enumerate() {
        let rates: Vec<Option<&Number>> = match rig {
            Rig::Breakaway(rig) => rig.rates.value.iter().map(|rate| Some(&rate.0)).collect(),
            _ => vec![None],
        };
        for (k, rate) in rates.iter().enumerate() {
            let mut report = Report::new();
            let model = model(study, rig, *rate, &mut report).map(|mut model| {
                // The laws of a motion are moved outside of the model.
                if !matches!(rig, Rig::Motion(_)) {
                    let named = |text: &str| Text { text: text.to_owned(), span: name.span };
                    match where_it_acts(rig, law, &named) {
                        Some(place) => {
                            model.friction.push(
                                named(ELEMENT),
                                FrictionElement { place, law: law.clone(), reversed: false },
                            );
                        }
                        None => report.push(no_plane(law)),
                    }
                }
                let resolved = crate::check::check_model(&model, &study.sources, &mut report);
                (model, resolved)
            });
            let report = report.finished();
            let sources = study.sources.clone();
            let Some((file, resolved)) = model.filter(|_| !report.has_errors()) else {
                return Err(Failure { report, sources });
            };
            let label = match rates.len() {
                1 => name.text.clone(),
                _ => format!("{}-{}", name.text, k + 1),
            };
            let until = match (rig, rate) {
                (Rig::Breakaway(rig), Some(rate)) => {
                    constant(&rig.to).zip(constant(rate)).map(|(f, r)| f / r)
                }
                _ => None,
            };
            let model = Loaded { file, resolved, sources, warnings: report };
            runs.push(RigRun { label, law: place, model, until });
        }
    }
    Ok(runs)
}

/// Where the law of a rig acts; `None` for one without a form there.
fn where_it_acts(rig: &Rig, law: &FrictionLaw, named: &dyn Fn(&str) -> Text) -> Option<Place> {
    let Rig::Plane(plane) = rig else { return Some(Place::Coordinate(named(POSITION))) };
    let per_axis = plane.per == FilterWord::Axis && Planar::of(law.law, true).is_some();
    let planar = Planar::of(law.law, per_axis)?;
    Some(Place::Between(Pair([named("ground"), named("block")]), Way::Plane(planar)))
}

fn model(
    study: &Loaded<StudyFile>,
    rig: &Rig,
    rate: Option<&Number>,
    report: &mut Report,
) -> Option<ModelFile> {
    let span = rig.span();
    let node = rig.draft().at(span);
    let mut model = ModelFile::read(&node, &mut Reader::new(report))?;
    let named = |text: &str, span: Span| Text { text: text.to_owned(), span };
    for (name, number) in rig.numbers().into_iter().chain(rate.map(|rate| ("rate", rate))) {
        let mut number = number.clone();
        number.path = format!("parameters.{name}");
        number.measure = Measure::Any;
        model.parameters.push(named(name, number.formula.span), Quantity::of(number));
    }
    let own = std::mem::replace(&mut model.signals, study.file.signals.clone());
    own.iter().for_each(|(name, signal)| model.signals.push(name.clone(), signal.clone()));
    let formula = match rig {
        Rig::Free(rig) => rig.force.as_ref(),
        Rig::Motion(rig) => rig.velocity.as_ref(),
        _ => None,
    };
    if let Some(formula) = formula {
        if matches!(rig, Rig::Free(_)) {
            let drive = ElementTable::drive(named(POSITION, formula.span), formula.clone());
            if let Some(drives) = model.elements.table_mut(DRIVES) {
                drives.push(named("force", formula.span), drive);
            }
        } else {
            model.outputs.push(named("velocity", formula.span), formula.clone());
        }
    }
    Some(model)
}

/// The value of a number that uses no parameters.
pub(crate) fn constant(number: &Number) -> Option<f64> {
    number.formula.expression.compile(&|_| None).ok()?.constant()
}
