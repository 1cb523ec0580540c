//! What a mirror does to vectors.

use super::Plane;

/// Reversals of the axes x, y and z: a reflection in a plane of two of them, or several of these.
///
/// With `S` the diagonal matrix of the signs, a point goes from `p` to `S p`. A frame with the rotation `R` goes to
/// `S R S`, which is a rotation again; so the components of polar vectors (positions, velocities, forces) in the frame
/// become `S a`, those of axial ones (rotation axes, angular velocities, torques) `det(S) S a`. Cardan angles are angles
/// about axial vectors and change like their components.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    pub(super) reversed: [bool; 3],
}

impl Reflection {
    /// The reflection in a plane.
    pub fn in_plane(plane: Plane) -> Self {
        let across = match plane {
            Plane::Yz => 0,
            Plane::Xz => 1,
            Plane::Xy => 2,
        };
        Self { reversed: std::array::from_fn(|k| k == across) }
    }

    /// This one after another one.
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        Self { reversed: std::array::from_fn(|k| self.reversed[k] != first.reversed[k]) }
    }

    /// Whether component `k` (0 is x) of a polar vector changes its sign.
    pub fn polar(self, k: usize) -> bool {
        self.reversed.get(k).copied().unwrap_or(false)
    }

    /// Whether a number changes its sign that does so with each of these axes.
    pub fn reverses(self, axes: [bool; 3]) -> bool {
        (0..3).filter(|&k| axes[k] && self.reversed[k]).count() % 2 == 1
    }

    /// Whether component `k` of an axial vector changes its sign.
    pub fn axial(self, k: usize) -> bool {
        let odd = self.reversed.iter().filter(|&&reversed| reversed).count() % 2 == 1;
        self.polar(k) != odd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification 4.0: positions z -> -z, rotation axes (x, y, z) -> (-x, -y, z).
    #[test]
    fn sagittal_plane() {
        let mirror = Reflection::in_plane(Plane::Xy);
        assert_eq!([0, 1, 2].map(|k| mirror.polar(k)), [false, false, true]);
        assert_eq!([0, 1, 2].map(|k| mirror.axial(k)), [true, true, false]);
        assert_eq!(mirror.after(mirror), Reflection::default());
        // Two planes make half a turn, under which both kinds of vectors change alike.
        let half_turn = mirror.after(Reflection::in_plane(Plane::Xz));
        assert!((0..3).all(|k| half_turn.polar(k) == half_turn.axial(k)));
    }
}
