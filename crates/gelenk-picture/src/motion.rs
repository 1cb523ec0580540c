//! Poses of the bodies of a recording at any time.

use gelenk_math::rotation::{from_quaternion, normalised};
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_record::Recording;

use crate::scene::{Scene, SceneError};

/// Endings of the columns of a pose.
const POSE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// How the bodies of a recording move.
#[derive(Debug)]
pub struct Motion<'a> {
    times: &'a [f64],
    /// Position and quaternion of each body, where they were recorded.
    bodies: Vec<Option<[&'a [f64]; 7]>>,
}

impl<'a> Motion<'a> {
    /// The motion of the bodies of a scene.
    ///
    /// Where a recording has several motions, as inverse kinematics with several methods has, it is the first one.
    ///
    /// # Errors
    /// [`SceneError::NoPoses`] and [`SceneError::Empty`].
    pub fn of(recording: &'a Recording, scene: &Scene) -> Result<Self, SceneError> {
        if recording.is_empty() {
            return Err(SceneError::Empty);
        }
        let prefix = scene.bodies.iter().find_map(|body| {
            let end = format!("bodies.{}.qz", body.name);
            recording.columns().iter().find_map(|c| c.name.strip_suffix(&end))
        });
        let prefix = prefix.ok_or(SceneError::NoPoses)?;
        let columns = |name: &str| {
            let mut found = [[].as_slice(); 7];
            for (slot, part) in found.iter_mut().zip(POSE) {
                *slot = recording.column(&format!("{prefix}bodies.{name}.{part}")).ok()?;
            }
            Some(found)
        };
        let bodies = scene.bodies.iter().map(|body| columns(&body.name)).collect();
        Ok(Self { times: recording.time(), bodies })
    }

    /// First and last time (s).
    pub fn span(&self) -> (f64, f64) {
        (self.times.first().copied().unwrap_or(0.0), self.times.last().copied().unwrap_or(0.0))
    }

    /// The times of the rows (s).
    pub fn times(&self) -> &'a [f64] {
        self.times
    }

    /// Pose of a body at a time; beyond the ends the first and last pose. `None` is the ground.
    ///
    /// Nothing comes back for a body without recorded poses, or where they are not finite.
    pub fn pose(&self, body: Option<usize>, t: f64) -> Option<Pose<f64>> {
        let Some(body) = body else { return Some(Pose::identity()) };
        let last = self.times.len().checked_sub(1)?;
        let i = self.times.partition_point(|&s| s <= t).saturating_sub(1).min(last);
        let j = (i + 1).min(last);
        let width = self.times[j] - self.times[i];
        let part = if width > 0.0 { ((t - self.times[i]) / width).clamp(0.0, 1.0) } else { 0.0 };
        let columns = self.bodies.get(body)?.as_ref()?;
        let row = |k: usize| columns.map(|values| values.get(k).copied().unwrap_or(f64::NAN));
        let (before, after) = (row(i), row(j));
        // A quaternion and its opposite are the same rotation: take the way round that is shorter.
        let same = (3..7).map(|k| before[k] * after[k]).sum::<f64>() >= 0.0;
        let blend = |k: usize, sign: f64| {
            if part == 0.0 { before[k] } else { (1.0 - part) * before[k] + sign * part * after[k] }
        };
        let position = Vec3::new(blend(0, 1.0), blend(1, 1.0), blend(2, 1.0));
        let sign = if same { 1.0 } else { -1.0 };
        let quaternion = [3, 4, 5, 6].map(|k| blend(k, sign));
        let finite = position.iter().chain(&quaternion).all(|v| v.is_finite());
        let length: f64 = quaternion.iter().map(|q| q * q).sum();
        (finite && length > 1e-12).then(|| Pose::new(from_quaternion(normalised(quaternion)), position))
    }
}
