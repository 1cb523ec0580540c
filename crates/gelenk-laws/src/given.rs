//! Parameters of a law by their names.

use gelenk_math::suggest::hint;
use thiserror::Error;

use crate::contract::{LawError, LawSpec};
use crate::{Driven, Friction};

/// Numbers that do not belong to a law.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GivenError {
    /// No parameter of this name.
    #[error("the law \"{law}\" has no parameter \"{name}\"{hint}")]
    Unknown {
        /// The law.
        law: &'static str,
        /// The name given.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// Several numbers for a single parameter, or lists of different lengths.
    #[error("{law}: \"{name}\" has {found} numbers and needs {needed}")]
    Count {
        /// The law.
        law: &'static str,
        /// The parameter.
        name: &'static str,
        /// Numbers given.
        found: usize,
        /// Numbers that fit.
        needed: usize,
    },
    /// Numbers that the law refuses.
    #[error(transparent)]
    Refused(#[from] LawError),
}

impl LawSpec {
    /// Typical parameters, some of them replaced by name, as the slice that the law takes; and the number of its elements.
    ///
    /// The lists that are given say how many elements there are. One number stands for a whole list, unless every list has
    /// only one: then there is one element.
    ///
    /// # Errors
    /// Names that are not known, and lists that do not fit together. Bounds are checked by [`Friction::validate`].
    pub fn with(&self, given: &[(&str, &[f64])]) -> Result<(Vec<f64>, usize), GivenError> {
        let known = |name: &str| self.params.iter().any(|param| param.name == name);
        if let Some((name, _)) = given.iter().find(|(name, _)| !known(name)) {
            let hint = hint(name, self.params.iter().map(|param| param.name));
            return Err(GivenError::Unknown { law: self.name, name: (*name).to_owned(), hint });
        }
        // The last one counts, as on a command line.
        let values = |name: &str| given.iter().rev().find(|(key, _)| *key == name).map(|(_, values)| *values);
        let lists = || self.params.iter().filter(|param| param.per_element);
        let counts = || lists().filter_map(|param| values(param.name)).map(<[f64]>::len);
        let elements = match counts().max() {
            Some(count) if count > 1 || counts().count() == lists().count() => count,
            _ => self.typical().1,
        };
        let mut all = Vec::new();
        for param in self.params {
            let needed = if param.per_element { elements } else { 1 };
            let list = values(param.name).unwrap_or(param.typical_values());
            // Typical lists are cut or go round.
            if values(param.name).is_some() && list.len() != needed && list.len() != 1 {
                let found = list.len();
                return Err(GivenError::Count { law: self.name, name: param.name, found, needed });
            }
            all.extend(list.iter().copied().cycle().take(needed));
        }
        Ok((all, elements))
    }
}

impl Driven {
    /// A law with typical parameters, some of them replaced by name.
    ///
    /// # Errors
    /// Names that are not known, lists that do not fit together, and numbers that the law refuses.
    ///
    /// ```
    /// use gelenk_laws::{Driven, Friction};
    /// let mut law = Driven::with(Friction::LuGre, &[("sigma0", &[1e5]), ("stribeck", &[1e-3])])?;
    /// assert!((law.step(1e-9, 1.0) - 1e-4).abs() < 1e-8);
    /// # Ok::<(), gelenk_laws::GivenError>(())
    /// ```
    pub fn with(law: Friction, given: &[(&str, &[f64])]) -> Result<Self, GivenError> {
        let (p, elements) = law.spec().with(given)?;
        Ok(Self::new(law, &p, elements)?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_name() {
        let spec = Friction::Gms.spec();
        let (p, elements) = spec.with(&[("share", &[0.25, 0.75]), ("stiffness", &[3.0])]).unwrap();
        assert_eq!((elements, &p[p.len() - 4..]), (2, &[3.0, 3.0, 0.25, 0.75][..]));
        assert_eq!(spec.with(&[]).unwrap(), spec.typical());
        let error = |given: &[(&str, &[f64])]| Driven::with(Friction::Gms, given).unwrap_err().to_string();
        // One element, where all its lists have one entry; else the number stands for a list.
        let (p, elements) = spec.with(&[("share", &[1.0]), ("stiffness", &[50.0])]).unwrap();
        assert_eq!((elements, &p[p.len() - 2..]), (1, &[50.0, 1.0][..]));
        assert_eq!(spec.with(&[("stiffness", &[3.0])]).unwrap().1, spec.typical().1);
        let mut one =
            Driven::with(Friction::MaxwellSlip, &[("stiffness", &[50.0]), ("level", &[1.0])]).unwrap();
        for _ in 0..100 {
            one.step(1.0, 1e-3);
        }
        assert!((one.effort() - 1.0).abs() < 1e-12, "{}", one.effort());
        assert!(error(&[("shar", &[1.0])]).contains("did you mean `share`"));
        assert!(error(&[("share", &[0.5, 0.5]), ("stiffness", &[1.0, 2.0, 3.0])]).contains("needs 3"));
        assert!(error(&[("coulomb", &[1.0, 2.0])]).contains("2 numbers and needs 1"));
        assert!(error(&[("coulomb", &[-1.0])]).contains("greater than 0"));
        assert!(error(&[("share", &[])]).contains("0 numbers"));
    }
}
