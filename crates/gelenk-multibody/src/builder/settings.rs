//! Parameters of laws, elements and blocks by their names.

use gelenk_laws::ParamSpec;
use gelenk_math::suggest::closest;

use super::{Builder, BuilderError, Value};
use gelenk_system::Param;

/// Parameters by the names that they have in a model file, SI. An array of names and numbers is one:
/// `[("stiffness", 40.0), ("damping", 0.1)]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(Vec<(String, Vec<Value>)>);

impl Settings {
    /// None, so that all have their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number more.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.push((name.into(), vec![value.into()]));
        self
    }

    /// Several numbers more: those of a triple or of a list.
    pub fn list(mut self, name: &str, values: impl IntoIterator<Item = f64>) -> Self {
        self.0.push((name.into(), values.into_iter().map(Value::Number).collect()));
        self
    }
}

impl<const N: usize> From<[(&str, f64); N]> for Settings {
    fn from(settings: [(&str, f64); N]) -> Self {
        settings.into_iter().fold(Self::new(), |all, (name, value)| all.set(name, value))
    }
}

/// Where settings belong: the path that parameters begin with, what they are the parameters of, and whether that turns.
pub(super) struct Of<'a> {
    pub(super) path: &'a str,
    pub(super) what: &'a str,
    pub(super) rotation: bool,
}

impl Builder {
    /// Declares the parameters of a specification in its order, triples and lists flattened; returns them and the entries of
    /// the lists.
    pub(super) fn settings(
        &mut self,
        of: &Of<'_>,
        specs: &[ParamSpec],
        given: &Settings,
    ) -> (Vec<Param>, usize) {
        if let Some((name, _)) = given.0.iter().find(|(name, _)| specs.iter().all(|spec| spec.name != name)) {
            let known = closest(name, specs.iter().map(|spec| spec.name)).map(String::from);
            self.fail(BuilderError::UnknownSetting {
                path: of.path.into(),
                what: of.what.into(),
                name: name.clone(),
                closest: known,
            });
        }
        let of_name = |name: &str| given.0.iter().rev().find(|(known, _)| known == name).map(|(_, v)| v);
        let lists = specs.iter().filter(|spec| spec.per_element);
        let size = lists.filter_map(|spec| of_name(spec.name)).map(Vec::len).max().unwrap_or(0);
        let mut params = Vec::new();
        for spec in specs {
            let count = spec.entries(size);
            let values = match (of_name(spec.name), spec.defaults()) {
                // A single number serves all axes and entries.
                (Some(values), _) if values.len() == 1 => vec![values[0].clone(); count],
                (Some(values), _) => values.clone(),
                (None, Some(default)) if spec.per_element => vec![Value::Number(default[0]); count],
                (None, Some(default)) => default.into_iter().map(Value::Number).collect(),
                (None, None) => Vec::new(),
            };
            if values.len() != count {
                self.fail(BuilderError::Count {
                    path: format!("{}.{}", of.path, spec.name),
                    what: of.what.into(),
                    expected: count,
                    given: values.len(),
                });
            }
            let unit = spec.kind.dimension(of.rotation).to_string();
            for k in 0..count {
                let end = match spec.parts().get(k) {
                    Some(part) => format!(".{part}"),
                    None if spec.per_element => format!(".{k}"),
                    None => String::new(),
                };
                let path = format!("{}.{}{end}", of.path, spec.name);
                let value = values.get(k).cloned().unwrap_or(Value::Number(f64::NAN));
                if let Value::Number(value) = value
                    && !spec.choices.is_empty()
                    && !spec.admits(value)
                {
                    let (path, what, count) = (path.clone(), of.what.to_owned(), spec.choices.len());
                    self.fail(BuilderError::Choice { path, what, value, count });
                }
                let lower = if spec.lower_open && spec.lower == 0.0 { f64::MIN_POSITIVE } else { spec.lower };
                params.push(self.bounded(&path, value, &unit, [lower, spec.upper]));
            }
        }
        (params, size)
    }
}
