//! A law with its numbers.

use gelenk_laws::diagnose::Scales;
use gelenk_laws::{Driven, Friction, Kind, LawError, ParamSpec};
use gelenk_math::suggest::hint;
use gelenk_math::units::{Quantity, UnitError};
use gelenk_model::quantity::Measure;
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
    /// No parameter of this name.
    #[error("the law \"{law}\" has no parameter \"{name}\"{hint}")]
    Parameter {
        /// The law.
        law: &'static str,
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
    #[error("{name} is measured in {wanted}, \"{text}\" is not")]
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
    /// Numbers that the law refuses.
    #[error(transparent)]
    Refused(#[from] LawError),
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
    match Measure::from(kind).dimension(coordinate) {
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

    /// A law with typical numbers, some of them replaced: `lugre` or `lugre:sigma0=1e4 N/m,stribeck=1 mm/s`.
    ///
    /// # Errors
    /// Unknown names, numbers of another unit, and numbers that the law refuses.
    pub fn parse(text: &str) -> Result<Self, SubjectError> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let mut subject = Self::typical(name.trim())?;
        for setting in settings.split(',').filter(|s| !s.trim().is_empty()) {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(SubjectError::Form { text: setting.into() });
            };
            subject.set(key.trim(), value.trim())?;
        }
        if !settings.is_empty() {
            subject.label = text.replace(',', ", ");
        }
        subject.law.validate(&subject.parameters, subject.elements)?;
        Ok(subject)
    }

    /// Gives a parameter another value; `name` sets a single one or all of a list.
    ///
    /// # Errors
    /// An unknown name, a number of another unit, a word that is not known.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SubjectError> {
        let mut at = 0;
        for param in self.law.spec().params {
            let count = if param.per_element { self.elements } else { 1 };
            if param.name == name {
                let value = read(param, text)?;
                self.parameters.iter_mut().skip(at).take(count).for_each(|slot| *slot = value);
                return Ok(());
            }
            at += count;
        }
        let spec = self.law.spec();
        let hint = hint(name, spec.params.iter().map(|p| p.name));
        Err(SubjectError::Parameter { law: spec.name, name: name.into(), hint })
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
    let measure = Measure::from(param.kind);
    let kinds = [CoordinateKind::Length, CoordinateKind::Angle];
    let fits = kinds.iter().any(|&kind| measure.dimension(kind) == Some(quantity.dimension));
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
        for (text, part) in [
            ("lugr", "did you mean"),
            ("lugre:sigma=1", "sigma0"),
            ("lugre:sigma0=1 kg", "N/m"),
            ("lugre:sigma0", "name=value"),
            ("lugre:breakaway=0.1", "breakaway >="),
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
            let model = crate::law::Block { subject, ..crate::law::Block::default() }.text();
            let loaded = gelenk_model::parse_model(&model, None);
            assert!(loaded.is_ok(), "{}\n{}", model, loaded.err().map(|e| e.to_string()).unwrap_or_default());
        }
    }
}
