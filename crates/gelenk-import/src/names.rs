//! Names that a model file can have.

use gelenk_math::expression;
use std::collections::{BTreeMap, BTreeSet};

/// A name in the model file, and what it was called before where that differs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Name {
    /// What the input calls it; nothing where it has no name there.
    pub(crate) original: Option<String>,
    /// What it is called where the input gives no name.
    pub(crate) fallback: String,
    /// The name in the model file, once it is chosen.
    pub(crate) chosen: String,
}

impl Name {
    /// A name that the input gives, or one made from `fallback`.
    pub(crate) fn new(original: Option<&str>, fallback: impl Into<String>) -> Self {
        Self { original: original.map(str::to_owned), fallback: fallback.into(), chosen: String::new() }
    }

    /// What it is called before names are chosen.
    pub(crate) fn wanted(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.fallback)
    }

    /// A remark about the original name, where the chosen one differs.
    pub(crate) fn remark(&self) -> Option<String> {
        let original = self.original.as_deref()?;
        (original != self.chosen).then(|| format!("named \"{}\"", shown(original)))
    }
}

/// Chooses names that are unique among themselves: letters, digits and `_`, beginning with no digit.
///
/// Names of the input come first, so that a made-up one never takes theirs.
pub(crate) fn choose<'a>(names: impl Iterator<Item = &'a mut Name>, prefix: &str, reserved: &[&str]) {
    let mut taken: BTreeSet<String> = reserved.iter().map(|word| (*word).to_owned()).collect();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let (given, made): (Vec<_>, Vec<_>) = names.partition(|name| name.original.is_some());
    for name in given.into_iter().chain(made) {
        let wanted = name.original.as_deref().unwrap_or(&name.fallback);
        let clean = sanitised(wanted, prefix);
        let mut chosen = clean.clone();
        let number = next.entry(clean.clone()).or_insert(2);
        while !taken.insert(chosen.clone()) {
            chosen = format!("{clean}_{number}");
            *number += 1;
        }
        name.chosen = chosen;
    }
}

/// Words that coordinates cannot have as names.
pub(crate) fn reserved_in_expressions() -> Vec<&'static str> {
    expression::reserved().chain(["parameters"]).collect()
}

fn sanitised(name: &str, prefix: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    match clean.chars().next() {
        None => prefix.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{prefix}_{clean}"),
        Some(_) => clean,
    }
}

/// A name of the input for messages and comments: on one line and not too long.
pub(crate) fn shown(name: &str) -> String {
    const LONGEST: usize = 60;
    let mut text: String = name.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if name.chars().nth(LONGEST).is_some() {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_unique_identifiers_and_keep_those_of_the_input() {
        let mut names = [
            Name::new(None, "arm"),
            Name::new(Some("left-arm/1"), ""),
            Name::new(Some("left_arm_1"), ""),
            Name::new(Some("arm"), ""),
            Name::new(Some("7th"), ""),
            Name::new(Some("sin"), ""),
            Name::new(Some(""), ""),
        ];
        choose(names.iter_mut(), "joint", &reserved_in_expressions());
        let chosen: Vec<&str> = names.iter().map(|name| name.chosen.as_str()).collect();
        assert_eq!(chosen, ["arm_2", "left_arm_1", "left_arm_1_2", "arm", "joint_7th", "sin_2", "joint"]);
        assert!(chosen.iter().all(|name| expression::is_identifier(name)));
        assert_eq!(names[1].remark().as_deref(), Some("named \"left-arm/1\""));
        assert_eq!(names[3].remark(), None);
    }
}
