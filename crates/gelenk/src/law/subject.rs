//! A law with its numbers.

use gelenk_laws::diagnose::Scales;
use gelenk_laws::{Driven, Friction, GivenError, Kind, LawError, ParamSpec};
use gelenk_math::suggest::hint;
use gelenk_math::units::{Quantity, UnitError};
use gelenk_model::quantity::{OnCoordinate, measure_of};
use gelenk_multibody::blueprint::CoordinateKind;
use thiserror::Error;

/// A law or a number that is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SubjectError {
    /// No law of this name.
    #[error("there is no law \"{name}\"{hint}")]
    Law {
        /// The name given.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// A setting that is not `name=value`.
    #[error("\"{text}\": write a law and its numbers as law:name=value,name=value")]
    Form {
        /// What was given.
        text: String,
    },
    /// A number that cannot be read.
    #[error("{name}: {source}")]
    Number {
        /// The parameter.
        name: String,
        /// Why.
        source: UnitError,
    },
    /// A number of another dimension.
    #[error("{name} must be in {wanted}; \"{text}\" is not")]
    Unit {
        /// The parameter.
        name: String,
        /// The unit wanted.
        wanted: String,
        /// What was given.
        text: String,
    },
    /// A word that is none of a choice.
    #[error("{name} is one of {words}, not \"{text}\"")]
    Word {
        /// The parameter.
        name: String,
        /// The words.
        words: String,
        /// What was given.
        text: String,
    },
    /// Numbers that do not belong to the law, or that it refuses.
    #[error(transparent)]
    Given(#[from] GivenError),
}

/// A law with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// What it is called in pictures and tables.
    pub label: String,
    /// The law.
    pub law: Friction,
    /// Its parameters in the order of its specification, lists flattened, SI.
    pub parameters: Vec<f64>,
    /// Number of elements; zero for a law without.
    pub elements: usize,
}

/// The unit of a parameter of this kind on a length, or on an angle.
pub fn unit_of(kind: Kind, coordinate: CoordinateKind) -> String {
    match measure_of(kind).on(coordinate) {
        Some(dimension) if dimension != gelenk_math::units::Dimension::NONE => dimension.to_string(),
        _ => "1".into(),
    }
}

impl Subject {
    /// The law of this name with typical numbers.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn typical(name: &str) -> Result<Self, SubjectError> {
        let Some(law) = Friction::by_name(name) else {
            let hint = hint(name, Friction::ALL.iter().map(|law| law.spec().name));
            return Err(SubjectError::Law { name: name.into(), hint });
        };
        let (parameters, elements) = law.spec().typical();
        Ok(Self { label: name.into(), law, parameters, elements })
    }

    /// A law with typical numbers, some of them replaced: `lugre`, `lugre:sigma0=1e4 N/m,stribeck=1 mm/s` or
    /// `gms:stiffness=[30, 20],share=[0.4, 0.6]`.
    ///
    /// # Errors
    /// Unknown names, numbers of another unit, and numbers that the law refuses.
    pub fn parse(text: &str) -> Result<Self, SubjectError> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let subject = Self::typical(name.trim())?;
        let spec = subject.law.spec();
        let mut given: Vec<(&str, Vec<f64>)> = Vec::new();
        for setting in outside(settings).into_iter().filter(|s| !s.trim().is_empty()) {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(SubjectError::Form { text: setting.into() });
            };
            let (key, value) = (key.trim(), value.trim());
            let values = match spec.params.iter().find(|param| param.name == key) {
                Some(param) => read_all(param, value)?,
                // What is not known is told below.
                None => Vec::new(),
            };
            given.push((key, values));
        }
        let given: Vec<(&str, &[f64])> = given.iter().map(|(key, values)| (*key, &values[..])).collect();
        let (parameters, elements) = spec.with(&given)?;
        subject.law.validate(&parameters, elements).map_err(GivenError::from)?;
        let label =
            if settings.is_empty() { name.into() } else { text.replace(", ", ",").replace(',', ", ") };
        Ok(Self { label, parameters, elements, ..subject })
    }

    /// The law ready to be moved.
    ///
    /// # Errors
    /// Numbers that the law refuses.
    pub fn driven(&self) -> Result<Driven, LawError> {
        Driven::new(self.law, &self.parameters, self.elements)
    }

    /// Where it shows what it does.
    ///
    /// # Errors
    /// Numbers that the law refuses.
    pub fn scales(&self) -> Result<Scales, LawError> {
        Ok(Scales::of(&mut self.driven()?))
    }

    /// The law as an inline table of a model file.
    pub fn table(&self) -> String {
        let spec = self.law.spec();
        let mut text = format!("{{ law = \"{}\"", spec.name);
        let mut values = self.parameters.iter().copied();
        for param in spec.params {
            if param.per_element {
                let list: Vec<String> =
                    (0..self.elements).filter_map(|_| values.next()).map(number).collect();
                text += &format!(", {} = [{}]", param.name, list.join(", "));
                continue;
            }
            let value = values.next().unwrap_or(f64::NAN);
            // A default may be infinite, which no file can say.
            if param.default == Some(value) {
                continue;
            }
            match param.choices.get(value as usize) {
                Some(word) => text += &format!(", {} = \"{word}\"", param.name),
                None => text += &format!(", {} = {}", param.name, number(value)),
            }
        }
        text + " }"
    }
}

/// A number as a file says it.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// The parts between commas that stand outside of brackets.
fn outside(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A number, or a list of them in brackets.
fn read_all(param: &ParamSpec, text: &str) -> Result<Vec<f64>, SubjectError> {
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => list.split(',').map(|item| read(param, item.trim())).collect(),
        None => Ok(vec![read(param, text)?]),
    }
}

fn read(param: &ParamSpec, text: &str) -> Result<f64, SubjectError> {
    if !param.choices.is_empty() {
        let place = param.choices.iter().position(|word| *word == text);
        return place.map(|place| place as f64).ok_or_else(|| SubjectError::Word {
            name: param.name.into(),
            words: param.choices.join(", "),
            text: text.into(),
        });
    }
    let quantity =
        Quantity::parse(text).map_err(|source| SubjectError::Number { name: param.name.into(), source })?;
    let measure = measure_of(param.kind);
    let kinds = [CoordinateKind::Length, CoordinateKind::Angle];
    let fits = kinds.iter().any(|&kind| measure.on(kind) == Some(quantity.dimension));
    let plain = quantity.dimension == gelenk_math::units::Dimension::NONE;
    if fits || plain {
        return Ok(quantity.value);
    }
    let wanted = kinds.map(|kind| unit_of(param.kind, kind)).join(" or ");
    Err(SubjectError::Unit { name: param.name.into(), wanted, text: text.into() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_replaced_with_their_units() {
        let subject = Subject::parse("lugre:sigma0=2 N/mm, stribeck=3 mm/s").unwrap();
        assert_eq!(subject.parameters[3], 2000.0);
        assert!((subject.parameters[2] - 3e-3).abs() < 1e-15);
        let sliders = Subject::parse("gms:stiffness=[3 N/mm, 20],share=[0.4, 0.6]").unwrap();
        assert_eq!((sliders.elements, &sliders.parameters[6..]), (2, &[3000.0, 20.0, 0.4, 0.6][..]));
        assert_eq!(sliders.label, "gms:stiffness=[3 N/mm, 20], share=[0.4, 0.6]");
        for (text, part) in [
            ("lugr", "did you mean"),
            ("lugre:sigma=1", "sigma0"),
            ("lugre:sigma0=1 kg", "N/m"),
            ("lugre:sigma0", "name=value"),
            ("lugre:breakaway=0.1", "breakaway >="),
            ("lugre:sigma0=[1, 2]", "2 numbers and needs 1"),
            ("gms:share=[0.5, 0.5],stiffness=[1 N/m, 2 N, 3 N/m]", "N/m"),
            ("gms:share=[0.5, 0.5],stiffness=[1, 2, 3]", "needs 3"),
            ("gms:share=[0.5", "number was expected"),
        ] {
            let error = Subject::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    /// Every law can be written into a model and is read back as it was.
    #[test]
    fn every_law_stands_in_a_model() {
        for law in Friction::ALL {
            let subject = Subject::typical(law.spec().name).unwrap();
            let model = format!(
                "schema = 1\ngravity = [0, 0, 0]\nbodies.block = {{ mass = 1, inertia = [1, 1, 1] }}\n\
                 joints.slide = {{ type = \"prismatic\", parent = \"ground\", child = \"block\", axis = [1, 0, 0], \
                 coordinate = {{ name = \"x\" }}, friction = {} }}\n",
                subject.table()
            );
            let loaded = gelenk_model::parse_model(&model, None);
            assert!(loaded.is_ok(), "{}\n{}", model, loaded.err().map(|e| e.to_string()).unwrap_or_default());
            let block = crate::law::Block { subject, ..crate::law::Block::default() };
            assert!(block.prepare().is_ok(), "{:?}", block.prepare().err());
        }
    }
}
