//! What has no counterpart in a model file.

use std::fmt;

/// Names that are listed for each kind.
const SHOWN: usize = 3;

/// Kinds that are told apart; bounds the work that a hostile file can ask for.
const KINDS: usize = 200;

/// One kind of things that were not converted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// What they are: "sensors (gyro)".
    pub kind: String,
    /// How many there are.
    pub count: usize,
    /// The names of the first ones; things without a name are only counted.
    pub names: Vec<String>,
    /// Whether there are further names.
    pub more: bool,
}

impl fmt::Display for LeftOut {
    /// `sensors (gyro): 2 (head, torso)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.count)?;
        if !self.names.is_empty() {
            let more = if self.more { ", ..." } else { "" };
            write!(f, " ({}{more})", self.names.join(", "))?;
        }
        Ok(())
    }
}

/// The list while it grows.
#[derive(Default)]
pub(crate) struct LeftOutList(Vec<LeftOut>);

impl LeftOutList {
    /// Counts one thing of a kind; an empty name is not listed.
    pub(crate) fn add(&mut self, kind: &str, name: &str) {
        // Kinds name elements of the file, and must stay on one line of a comment.
        let mut kind = super::names::shown(kind);
        if self.0.len() >= KINDS {
            kind = "other things".to_owned();
        }
        let index = self.0.iter().position(|entry| entry.kind == kind).unwrap_or_else(|| {
            self.0.push(LeftOut { kind, count: 0, names: Vec::new(), more: false });
            self.0.len() - 1
        });
        let entry = &mut self.0[index];
        entry.count += 1;
        let name = super::names::shown(name);
        if name.is_empty() || entry.names.contains(&name) {
            return;
        }
        if entry.names.len() < SHOWN {
            entry.names.push(name);
        } else {
            entry.more = true;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &LeftOut> {
        self.0.iter()
    }

    pub(crate) fn finished(self) -> Vec<LeftOut> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_kind_with_the_first_names() {
        let mut list = LeftOutList::default();
        for name in ["a", "b", "b", "c", "d"] {
            list.add("sensors (gyro)", name);
        }
        list.add("a\nb", "c\nd");
        list.add("cameras", "");
        list.add("cameras", "front");
        let lines: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["sensors (gyro): 5 (a, b, c, ...)", "a\\nb: 1 (c\\nd)", "cameras: 2 (front)"]);
    }
}
