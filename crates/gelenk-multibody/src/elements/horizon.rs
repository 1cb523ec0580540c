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

use gelenk_math::spatial::{Motion, Pose, Vec3};
use gelenk_mesh::contact::{Nearest, Pair, Surface};
use gelenk_system::Reach;

use crate::data::Data;
use crate::mechanism::{ElementRun, Mechanism};

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
    pose: &Pose<f64>,
    motion: &Motion<f64>,
    middles: [Vec3<f64>; 2],
    swings: [f64; 2],
    direction: Option<Vec3<f64>>,
) -> f64 {
    let turn = motion.ang.norm();
    let along = |side: usize| {
        let velocity = motion.lin + motion.ang.cross(&(middles[side] - pose.position));
        let speed = direction.map_or(velocity.norm(), |direction| (-velocity.dot(&direction)).max(0.0));
        // What does not turn may be as large as it likes.
        speed + if turn > 0.0 { turn * swings[side] } else { 0.0 }
    };
    along(0).min(along(1))
}

impl Mechanism {
    /// The longest step from a state that steps over no contact (s); infinite where it is longer than `wanted`.
    pub(crate) fn contact_free(&self, d: &mut Data<f64>, t: f64, x: &[f64], wanted: f64) -> f64 {
        if self.touches.is_empty() && self.contacts.is_empty() {
            return f64::INFINITY;
        }
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.touch_horizon(d).min(self.mesh_horizon(d, wanted))
    }

    /// The same for a fixed step, with the name of the contact that bounds it.
    pub(crate) fn contact_reach(&self, d: &mut Data<f64>, t: f64, x: &[f64], wanted: f64) -> Reach<'_> {
        if self.touches.is_empty() && self.contacts.is_empty() {
            return Reach::FREE;
        }
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.evaluate_touches(d);
        let mut least = Reach::FREE;
        for element in &self.elements {
            let [longest, always] = match element.kind {
                ElementRun::Touch(index) => self.touch_reach(d, index),
                ElementRun::Contact(index) => self.mesh_reach(d, index, wanted),
                _ => continue,
            };
            if longest < least.longest {
                least = Reach { longest, always, element: &element.name };
            }
        }
        least
    }

    /// The longest steps in which the surfaces of a contact do not pass through each other (s): from where they are, and
    /// from where they touch.
    fn mesh_reach(&self, d: &mut Data<f64>, index: usize, wanted: f64) -> [f64; 2] {
        let gravity = d.gravity.norm();
        let run = &self.contacts[index];
        let (pose, motion) = self.seen_from(d, run.between);
        let pair = &*run.pair;
        let (middles, swings) = (middles(pair, &pose), [pair.first.swing(), pair.second.swing()]);
        let thin = thinner(pair);
        let any = closing(&pose, &motion, middles, swings, None);
        if time(0.0, thin, any, gravity) >= wanted {
            return [f64::INFINITY; 2];
        }
        let data = &mut d.contacts[index];
        let convex = pair.first.is_convex() && pair.second.is_convex();
        let (gap, direction) = match data.nearest(pair, &pose) {
            Some(Nearest { gap, direction }) => (gap, direction.map(Vec3::from)),
            None => data.pushed(pair, &pose),
        };
        let speed = closing(&pose, &motion, middles, swings, direction.filter(|_| convex));
        [gap, 0.0].map(|gap| fixed_time(gap, thin, speed, gravity))
    }

    /// The longest step in which no surfaces that are apart pass into each other unseen (s). Elements stand on the surface:
    /// what lies across a plate, out on both sides, touches it nowhere.
    fn mesh_horizon(&self, d: &mut Data<f64>, wanted: f64) -> f64 {
        let gravity = d.gravity.norm();
        let mut least = f64::INFINITY;
        for (index, run) in self.contacts.iter().enumerate() {
            let (pose, motion) = self.seen_from(d, run.between);
            let pair = &*run.pair;
            let reaches = [&pair.first, &pair.second].map(|surface| radius(surface));
            let speed = closing(&pose, &motion, middles(pair, &pose), reaches, None);
            let thin = thinner(pair);
            // Most pairs allow the step without a look at their distance.
            if time(0.0, thin, speed, gravity) >= wanted {
                continue;
            }
            let Some(Nearest { gap, .. }) = d.contacts[index].nearest(pair, &pose) else { continue };
            least = least.min(time(gap, thin, speed, gravity));
        }
        least
    }
}

/// Middles of the boxes around both surfaces, in the frame of the first.
fn middles(pair: &Pair, pose: &Pose<f64>) -> [Vec3<f64>; 2] {
    let [one, two] = [&pair.first, &pair.second].map(|surface| Vec3::from(surface.tree().nodes()[0].middle));
    [one, pose.point(&two)]
}

/// The thickness that may not be passed in one step (m): of the thinner body, or of the one that has any; of two sheets
/// the smaller one says what a small way is.
fn thinner(pair: &Pair) -> f64 {
    let thick = [&pair.first, &pair.second].map(|surface| match surface.thickness() {
        0.0 => f64::INFINITY,
        thickness => thickness,
    });
    match thick[0].min(thick[1]) {
        f64::INFINITY => radius(&pair.first).min(radius(&pair.second)),
        thinner => thinner,
    }
}

/// Radius of the ball around a surface (m).
fn radius(surface: &Surface) -> f64 {
    surface.tree().nodes()[0].half.iter().map(|half| half * half).sum::<f64>().sqrt()
}
