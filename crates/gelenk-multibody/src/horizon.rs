//! How long a step may be so that no contact is stepped over.
//!
//! Error control sees only what its stages see: a body that is apart from another at all of them has passed through it
//! without a trace. On its way it goes along at least both their thicknesses. So no step brings two bodies that are apart
//! nearer by more than their distance and half of that: then at least one end of a step lies inside. Where they touch, the
//! stages see it.

use gelenk_math::spatial::Vec3;
use gelenk_mesh::contact::Surface;

use crate::data::Data;
use crate::mechanism::Mechanism;

/// Share of the thicknesses that a step may go.
const SHARE: f64 = 0.5;

/// Time (s) in which a distance `gap` and a share of the thickness `thick` (m) of both bodies are passed from a speed (m/s) and under an
/// acceleration (m/s^2) towards each other; infinite where nothing moves.
pub(crate) fn time(gap: f64, thick: f64, speed: f64, acceleration: f64) -> f64 {
    let way = gap.max(0.0) + SHARE * thick;
    let time = 2.0 * way / (speed + (speed * speed + 2.0 * acceleration * way).sqrt());
    // Two planes give no number.
    if time.is_nan() { f64::INFINITY } else { time }
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

    /// The same for meshes.
    fn mesh_horizon(&self, d: &mut Data<f64>, wanted: f64) -> f64 {
        let gravity = d.gravity.norm();
        let mut least = f64::INFINITY;
        for (index, run) in self.contacts.iter().enumerate() {
            let (pose, motion) = self.seen_from(d, run.between);
            let [(reach, one), (far, two)] = [&run.pair.first, &run.pair.second].map(|surface| size(surface));
            let arm = pose.rotation * Vec3::from(run.pair.second.tree().nodes()[0].middle);
            let speed = (motion.lin + motion.ang.cross(&arm)).norm() + motion.ang.norm() * reach.min(far);
            // Two sheets have no thickness; then the smaller one says what a small way is.
            let thick = if one + two > 0.0 { one + two } else { reach.min(far) };
            // Most pairs allow the step without a look at their distance.
            if time(0.0, thick, speed, gravity) >= wanted {
                continue;
            }
            let Some(gap) = d.contacts[index].gap(&run.pair, &pose) else { continue };
            least = least.min(time(gap, thick, speed, gravity));
        }
        least
    }
}

/// Radius of the ball around a surface, and how thick it is; zero for one that is open.
fn size(surface: &Surface) -> (f64, f64) {
    let half = surface.tree().nodes()[0].half;
    let reach = half.iter().map(|half| half * half).sum::<f64>().sqrt();
    let thin = 2.0 * half.iter().copied().fold(f64::INFINITY, f64::min);
    (reach, if surface.is_closed() { thin } else { 0.0 })
}
