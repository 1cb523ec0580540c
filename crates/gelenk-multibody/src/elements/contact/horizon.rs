//! How long a step may be so that no contact is stepped over.
//!
//! Error control sees only what its stages see: a body that is apart from another at all of them has passed through it
//! without a trace. So no step brings two bodies that are apart nearer by more than their distance and half of the thinner one:
//! then its end lies inside. Simple bodies are felt however they lie across each other, and may go both halves.
//! Where they touch, the stages see it.
//!
//! A fixed step has nobody who looks at its stages, so it is bounded where they touch already, too: contact elements stand on the surface, and what has come out on the
//! other side pushes no longer. Convex bodies come nearer only along the direction in which they are nearest, so that
//! sliding and rolling are as fast as they like.

use gelenk_math::spatial::Vec3;
use gelenk_system::Reach;

use super::contract::Seen;
use crate::data::Data;
use crate::mechanism::Mechanism;

/// Share of the thicknesses that a step may go.
const SHARE: f64 = 0.5;
/// Share of the thickness that counts as left however deep bodies are inside each other.
const LEAST: f64 = 1.0 / 16.0;

/// Time (s) in which a distance `gap` and a share of the thickness `thick` (m) of both bodies are passed from a speed (m/s) and under an
/// acceleration (m/s^2) towards each other; infinite where nothing moves.
pub(crate) fn time(gap: f64, thick: f64, speed: f64, acceleration: f64) -> f64 {
    let way = gap.max(0.0) + SHARE * thick;
    let time = 2.0 * way / (speed + (speed * speed + 2.0 * acceleration * way).sqrt());
    // Two planes give no number.
    if time.is_nan() { f64::INFINITY } else { time }
}

/// The same for a fixed step: what is inside already leaves less to go, half of the rest at a time.
pub(crate) fn fixed_time(gap: f64, thin: f64, speed: f64, acceleration: f64) -> f64 {
    let left = (1.0 + gap.min(0.0) / thin).max(LEAST);
    time(gap, if left < 1.0 { left * thin } else { thin }, speed, acceleration)
}

/// The fastest that two bodies come nearer (m/s) along a direction from the first to the second, or in any where none is
/// known. Places of contact belong to both, so that the better of two bounds counts: the velocity in the middle of a body,
/// and how its surface comes out as it turns.
pub(crate) fn closing(
    seen: &Seen<f64>,
    middles: [Vec3<f64>; 2],
    swings: [f64; 2],
    direction: Option<Vec3<f64>>,
) -> f64 {
    let turn = seen.motion.ang.norm();
    let along = |side: usize| {
        let velocity = seen.velocity(&middles[side]);
        let speed = direction.map_or(velocity.norm(), |direction| (-velocity.dot(&direction)).max(0.0));
        // What does not turn may be as large as it likes.
        speed + if turn > 0.0 { turn * swings[side] } else { 0.0 }
    };
    along(0).min(along(1))
}

impl Mechanism {
    /// The longest step from a state that steps over no contact (s); infinite where it is longer than `wanted`.
    pub(crate) fn contact_free(&self, d: &mut Data<f64>, t: f64, x: &[f64], wanted: f64) -> f64 {
        let mut least = f64::INFINITY;
        self.each_contact(d, t, x, |d, index, seen, gravity| {
            least = least.min(d.elements.contacts[index].horizon(seen, gravity, wanted));
        });
        least
    }

    /// The same for a fixed step, with the name of the contact that bounds it.
    pub(crate) fn contact_reach(&self, d: &mut Data<f64>, t: f64, x: &[f64], wanted: f64) -> Reach<'_> {
        let mut least = Reach::FREE;
        self.each_contact(d, t, x, |d, index, seen, gravity| {
            let [longest, always] = d.elements.contacts[index].reach(seen, gravity, wanted);
            if longest < least.longest {
                least = Reach {
                    longest,
                    always,
                    element: &self.elements[self.elements.contacts[index].element].name,
                };
            }
        });
        least
    }

    /// Shows where the bodies of every contact are at a state, and how large gravity is (m/s^2).
    fn each_contact(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        mut f: impl FnMut(&mut Data<f64>, usize, &Seen<f64>, f64),
    ) {
        if self.elements.contacts.is_empty() {
            return;
        }
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        let gravity = d.gravity.norm();
        for (index, place) in self.elements.contacts.iter().enumerate() {
            let seen = self.seen_from(d, place.between);
            f(d, index, &seen, gravity);
        }
    }
}
