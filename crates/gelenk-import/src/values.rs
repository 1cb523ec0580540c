//! Numbers and words in attributes.

use crate::xml::{Attribute, Document};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_math::spatial::Vec3;

/// The attributes of an element, and those that hold where it has none of its own.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    document: &'a Document,
    element: usize,
    defaults: &'a [Attribute],
}

impl<'a> View<'a> {
    /// An element with its own attributes only.
    pub(crate) fn new(document: &'a Document, element: usize) -> Self {
        Self { document, element, defaults: &[] }
    }

    /// The same with defaults.
    pub(crate) fn with_defaults(self, defaults: &'a [Attribute]) -> Self {
        Self { defaults, ..self }
    }

    /// The place of the element.
    pub(crate) fn span(&self) -> Span {
        self.document.span(self.element)
    }

    /// An attribute, its own or a default.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Attribute> {
        self.document
            .attribute(self.element, name)
            .or_else(|| self.defaults.iter().find(|attribute| attribute.name == name))
    }

    /// The text of an attribute.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name).map(|attribute| attribute.value.trim())
    }

    /// The text of an attribute; empty where there is none.
    pub(crate) fn name(&self) -> &'a str {
        self.text("name").unwrap_or_default()
    }

    /// An attribute that must be there.
    pub(crate) fn required(&self, name: &str, report: &mut Report) -> Option<&'a Attribute> {
        let found = self.get(name);
        if found.is_none() {
            let message = format!("<{}> needs the attribute \"{name}\"", self.document.name(self.element));
            report.push(Diagnostic::error(self.span(), message));
        }
        found
    }

    /// All numbers of an attribute; `None` where there is no such attribute or it is not numbers.
    pub(crate) fn numbers(&self, name: &str, report: &mut Report) -> Option<Vec<f64>> {
        numbers(self.get(name)?, report)
    }

    /// One number.
    pub(crate) fn number(&self, name: &str, report: &mut Report) -> Option<f64> {
        fixed::<1>(self.get(name)?, report).map(|[number]| number)
    }

    /// Exactly `N` numbers.
    pub(crate) fn fixed<const N: usize>(&self, name: &str, report: &mut Report) -> Option<[f64; N]> {
        fixed(self.get(name)?, report)
    }

    /// Three numbers.
    pub(crate) fn vector(&self, name: &str, report: &mut Report) -> Option<Vec3<f64>> {
        self.fixed::<3>(name, report).map(Vec3::from)
    }

    /// A direction of length one.
    pub(crate) fn direction(&self, name: &str, report: &mut Report) -> Option<Vec3<f64>> {
        let vector = self.vector(name, report)?;
        let direction = unit(&vector);
        if let (None, Some(attribute)) = (direction, self.get(name)) {
            let message = format!("\"{name}\" has length zero");
            report.push(Diagnostic::error(attribute.span, message));
        }
        direction
    }
}

/// All numbers of an attribute; complains about what is none.
pub(crate) fn numbers(attribute: &Attribute, report: &mut Report) -> Option<Vec<f64>> {
    let mut list = Vec::new();
    for word in attribute.value.split_whitespace() {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => list.push(number),
            _ => {
                let message = format!("\"{}\" must contain numbers only", attribute.name);
                let label = format!("\"{}\" is not a number", super::names::shown(word));
                report.push(Diagnostic::error(attribute.span, message).label(label));
                return None;
            }
        }
    }
    Some(list)
}

/// Exactly `N` numbers of an attribute.
pub(crate) fn fixed<const N: usize>(attribute: &Attribute, report: &mut Report) -> Option<[f64; N]> {
    let list = numbers(attribute, report)?;
    let found = list.len();
    let array = <[f64; N]>::try_from(list).ok();
    if array.is_none() {
        let (message, label) =
            (format!("\"{}\" needs {N} numbers", attribute.name), format!("found {found}"));
        let message = if N == 1 { format!("\"{}\" needs one number", attribute.name) } else { message };
        report.push(Diagnostic::error(attribute.span, message).label(label));
    }
    array
}

/// The vector divided by its length; `None` where it has none.
pub(crate) fn unit(vector: &Vec3<f64>) -> Option<Vec3<f64>> {
    // Scaling first keeps very long and very short vectors from overflow.
    let largest = vector.amax();
    let scaled = vector / largest;
    let direction = scaled / scaled.norm();
    direction.iter().all(|x| x.is_finite()).then_some(direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<const N: usize>(value: &str) -> Result<[f64; N], String> {
        let attribute = Attribute { name: "pos".into(), value: value.into(), span: Span::default() };
        let mut report = Report::new();
        fixed::<N>(&attribute, &mut report).ok_or_else(|| report.iter().next().unwrap().label.clone())
    }

    #[test]
    fn numbers_are_counted_and_finite() {
        assert_eq!(read::<3>(" 1\t-2.5 \n 3e-4 "), Ok([1.0, -2.5, 3e-4]));
        assert_eq!(read::<3>("1 2"), Err("found 2".into()));
        assert_eq!(read::<1>("nan"), Err("\"nan\" is not a number".into()));
        assert_eq!(read::<1>("1,2"), Err("\"1,2\" is not a number".into()));
    }

    #[test]
    fn directions_have_length_one_or_are_none() {
        assert_eq!(unit(&Vec3::new(0.0, 0.0, 1e-300)), Some(Vec3::z()));
        assert_eq!(unit(&Vec3::new(0.0, -1e300, 0.0)), Some(-Vec3::y()));
        assert_eq!(unit(&Vec3::zeros()), None);
    }
}
