//! Loops in the articulated-body recursion.
//!
//! On the way from the tips to the ground every link carries the constraint equations that begin on it or beyond and
//! end elsewhere. With `a` the acceleration of the link beyond its bias, `l` the multipliers of the equations that it
//! carries, the wrench that it needs and what it contributes to the equations are
//!
//! ```text
//! f = I a + p + K l        r = K^T a + N l + o
//! ```
//!
//! `K` begins with the wrench of each equation on the link. A joint that gives way takes its part out of `I`, `K` and
//! `N` alike. At the link that carries both ends, an equation is complete: `r` is its right side, and since the joints
//! beyond have made `-N` positive on all equations that do not depend on others, its multiplier is eliminated there
//! and what it does becomes a part of `I`. The cost is linear in the number of links where loops are short, however
//! many there are. (The elimination is known as the early form of Popov's and Vereshchagin's method; see Sathya and
//! Carpentier, *Constrained articulated body dynamics algorithms*, 2024.)
//!
//! | file | content |
//! |---|---|
//! | `plan` | which equations each link carries, from the topology alone |
//! | `sweep` | what is done at each link, towards the ground and back |
//! | `joint` | how the freedoms of a joint answer |

mod joint;
mod plan;
mod sweep;

use std::ops::Range;

use gelenk_math::Lockstep;
use gelenk_math::spatial::Wrench;

/// What each link carries.
#[derive(Clone, Debug)]
pub(crate) struct Carry {
    /// Groups at every link, and at the ground behind the last one.
    nodes: Vec<Range<usize>>,
    groups: Vec<Group>,
    /// Equation at each place.
    equations: Vec<usize>,
    /// Place with the parent of every place that goes on.
    lifts: Vec<usize>,
    /// Wrenches to begin with: place, link, equation and side.
    wrenches: Vec<(usize, usize, usize, usize)>,
    /// Entry of the row of a coupling that acts on the joint itself.
    slopes: Vec<Option<usize>>,
    /// Lengths of the workspaces for `N` and for the factors.
    squares: usize,
    factors: usize,
}

/// Equations at a link that depend on each other through the links that it carries.
#[derive(Clone, Debug)]
struct Group {
    /// Places; first those of equations that go on towards the ground, then the complete ones.
    places: Range<usize>,
    going: usize,
    /// Where the square matrix `N` begins.
    square: usize,
    /// Where the factor for the complete equations begins.
    factor: usize,
    /// The group of the parent that all that goes on is handed to.
    above: usize,
}

impl Group {
    fn complete(&self) -> Range<usize> {
        self.places.start + self.going..self.places.end
    }

    fn going(&self) -> Range<usize> {
        self.places.start..self.places.start + self.going
    }

    /// Index of an entry of `N` on or below the diagonal.
    #[inline]
    fn at(&self, a: usize, b: usize) -> usize {
        let (row, column) = (a.max(b) - self.places.start, a.min(b) - self.places.start);
        self.square + row * self.places.len() + column
    }
}

/// Values at the places of a [`Carry`].
#[derive(Clone, Debug)]
pub(crate) struct Carried<T: Lockstep> {
    /// `K` and `o`; of complete equations, behind the lower factor of `-N`.
    k: Vec<Wrench<T>>,
    o: Vec<T>,
    /// `N`, on and below the diagonal.
    n: Vec<T>,
    /// Accelerations of the joint's freedoms by a unit multiplier, with their sign reversed.
    gains: Vec<[T; 6]>,
    factors: Vec<T>,
    pivots: Vec<usize>,
    ranks: Vec<usize>,
    /// Ranks that the groups have but at singular positions, once that is known.
    known: Vec<Option<usize>>,
}

impl<T: Lockstep> Carried<T> {
    pub(crate) fn new(carry: Option<&Carry>) -> Self {
        let (places, groups, squares, factors) = match carry {
            Some(carry) => (carry.equations.len(), carry.groups.len(), carry.squares, carry.factors),
            None => (0, 0, 0, 0),
        };
        let zero = T::of(0.0);
        Self {
            k: vec![Wrench::zero(); places],
            o: vec![zero; places],
            n: vec![zero; squares],
            gains: vec![[zero; 6]; places],
            factors: vec![zero; factors],
            pivots: vec![0; places],
            ranks: vec![0; groups],
            known: vec![None; groups],
        }
    }

    /// Takes the ranks of the last solution for those of the groups.
    pub(crate) fn know_ranks(&mut self) {
        self.known.iter_mut().zip(&self.ranks).for_each(|(known, &rank)| *known = Some(rank));
    }

    /// Takes the ranks as they come.
    pub(crate) fn forget_ranks(&mut self) {
        self.known.fill(None);
    }
}
