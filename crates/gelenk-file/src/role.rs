//! What fields mean beyond their values: names, references, components that a mirror changes.

/// A sort of things that have names, such as bodies or signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort {
    /// What one of them is called in messages: "body".
    pub noun: &'static str,
    /// Nouns of the sorts that a reference may mean; none where it means the sort itself.
    pub among: &'static [&'static str],
    /// A word that stands for one that is always there.
    pub given: Option<&'static str>,
    /// Whether expressions and recordings use their names, so that each of these names must mean one thing.
    pub in_expressions: bool,
}

impl Sort {
    /// A sort of which all are named in files.
    pub const fn new(noun: &'static str) -> Self {
        Self { noun, among: &[], given: None, in_expressions: false }
    }

    /// Several sorts under one noun.
    pub const fn any(noun: &'static str, among: &'static [&'static str]) -> Self {
        Self { noun, among, given: None, in_expressions: false }
    }

    /// The same with one that is always there.
    #[must_use]
    pub const fn with(self, given: &'static str) -> Self {
        Self { given: Some(given), ..self }
    }

    /// The same with names that expressions and recordings use.
    #[must_use]
    pub const fn in_expressions(self) -> Self {
        Self { in_expressions: true, ..self }
    }

    /// Nouns of the sorts that a reference may mean.
    pub fn nouns(&self) -> impl Iterator<Item = &'static str> + use<> {
        let own = self.among.is_empty().then_some(self.noun);
        self.among.iter().copied().chain(own)
    }
}

/// What a field means, whatever its value is. Fields of a [`table!`](crate::table!) tell it behind `=>`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// Its value and no more.
    #[default]
    Plain,
    /// Its text, or each key of its table, names something of this sort.
    Names(Sort),
    /// Its text names something of this sort that is defined elsewhere.
    Refers(Sort),
    /// The components of a polar vector: a position, a velocity, a force.
    Polar,
    /// The components of an axial vector: an axis of rotation, an angular velocity, a torque, Cardan angles.
    Axial,
    /// A number that changes its sign with each of these axes that is reversed.
    Signed([bool; 3]),
}

impl Role {
    /// The role of component `k` (0 is x) of a vector.
    ///
    /// With the signs `s` of the axes, a polar component goes with `s_k`, an axial one with `s_x s_y s_z s_k`: the product
    /// of the other two.
    #[must_use]
    pub fn component(self, k: usize) -> Self {
        match self {
            Self::Polar => Self::Signed(std::array::from_fn(|i| i == k)),
            Self::Axial => Self::Signed(std::array::from_fn(|i| i != k)),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reflection in the plane of x and y reverses z of a position, and x and y of an axis of rotation.
    #[test]
    fn components_change_with_the_axes() {
        let reversed = [false, false, true];
        let sign = |role: Role, k: usize| match role.component(k) {
            Role::Signed(axes) => (0..3).filter(|&i| axes[i] && reversed[i]).count() % 2 == 1,
            _ => false,
        };
        assert_eq!([0, 1, 2].map(|k| sign(Role::Polar, k)), [false, false, true]);
        assert_eq!([0, 1, 2].map(|k| sign(Role::Axial, k)), [true, true, false]);
        assert_eq!(Role::Plain.component(1), Role::Plain);
    }
}
