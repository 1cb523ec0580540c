//! Name, unit and meaning of one recorded quantity.

/// Name of the first column of every recording.
pub const TIME: &str = "t";

/// Describes one recorded quantity.
///
/// Dots in the name make groups: `friction.knee.force` belongs to `friction.knee` and to `friction`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Column {
    /// Unique name in the recording, for example `phi`, `phi.rate` or `friction.knee.force`.
    pub name: String,
    /// Unit of the values as text, for example `rad/s`; `1` or empty for a pure number.
    pub unit: String,
    /// One sentence for a reader who does not know the model.
    pub meaning: String,
}

impl Column {
    /// A column from its three texts.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), meaning: meaning.into() }
    }

    /// The time column `t` in s, which is the first of every recording.
    pub fn time() -> Self {
        Self::new(TIME, "s", "time")
    }

    /// The unit as people read it: `1` where the column is a pure number.
    pub fn shown_unit(&self) -> &str {
        if self.unit.is_empty() { "1" } else { &self.unit }
    }

    /// Axis label with the unit in brackets, such as `phi.rate [rad/s]`.
    pub fn label(&self) -> String {
        format!("{} [{}]", self.name, self.shown_unit())
    }

    /// Whether the column is called `selector` or stands in the group of that name.
    ///
    /// `friction.knee.force` is in `friction` and in `friction.knee`, but not in `fric`.
    pub fn is_in(&self, selector: &str) -> bool {
        match self.name.strip_prefix(selector) {
            Some("") => true,
            Some(rest) => !selector.is_empty() && rest.starts_with('.'),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_shows_the_unit_and_one_for_a_pure_number() {
        assert_eq!(Column::new("phi.rate", "rad/s", "").label(), "phi.rate [rad/s]");
        assert_eq!(Column::new("slip", "", "").label(), "slip [1]");
    }

    #[test]
    fn groups_end_at_dots() {
        let column = Column::new("friction.knee.force", "N m", "");
        assert!(column.is_in("friction"));
        assert!(column.is_in("friction.knee"));
        assert!(column.is_in("friction.knee.force"));
        assert!(!column.is_in("fric"));
        assert!(!column.is_in("friction.knee.force.z"));
        assert!(!column.is_in(""));
    }
}
