//! Poses of the bodies of a recording at any time.

use gelenk_math::rotation::{from_quaternion, normalised};
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_record::Recording;

use crate::scene::{Scene, SceneError};

/// Endings of the columns of a pose.
const POSE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// How the bodies of a recording move.
#[derive(Debug)]
pub struct SceneMotion<'a> {
    times: &'a [f64],
    /// Position and quaternion of each body, where they were recorded.
    bodies: Vec<Option<[&'a [f64]; 7]>>,
    /// What stands before the names of its columns.
    prefix: &'a str,
}

impl<'a> SceneMotion<'a> {
    /// The motions of the bodies of a scene: one, or as many as methods where inverse kinematics solved with several.
    ///
    /// # Errors
    /// [`SceneError::NoPoses`] and [`SceneError::Empty`].
    pub fn all(recording: &'a Recording, scene: &Scene) -> Result<Vec<Self>, SceneError> {
        if recording.is_empty() {
            return Err(SceneError::Empty);
        }
        let prefixes = scene.bodies.iter().find_map(|body| {
            let end = format!("bodies.{}.qz", body.name);
            let found: Vec<&str> =
                recording.columns().iter().filter_map(|c| c.name.strip_suffix(&end)).collect();
            (!found.is_empty()).then_some(found)
        });
        let motion = |prefix: &'a str| {
            let columns = |name: &str| {
                let mut found = [[].as_slice(); 7];
                for (slot, part) in found.iter_mut().zip(POSE) {
                    *slot = recording.column(&format!("{prefix}bodies.{name}.{part}")).ok()?;
                }
                Some(found)
            };
            let bodies = scene.bodies.iter().map(|body| columns(&body.name)).collect();
            Self { times: recording.time(), bodies, prefix }
        };
        Ok(prefixes.ok_or(SceneError::NoPoses)?.into_iter().map(motion).collect())
    }

    /// What stands before the names of its columns; several motions in one recording each have their own.
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// A column at a time, on the line between two rows; beyond the ends the first and last value.
    pub fn value(&self, values: &[f64], t: f64) -> f64 {
        let Some((i, j, part)) = self.rows(t) else { return f64::NAN };
        let at = |k: usize| values.get(k).copied().unwrap_or(f64::NAN);
        if part == 0.0 { at(i) } else { (1.0 - part) * at(i) + part * at(j) }
    }

    /// The rows around a time, and how far it is from the first to the second.
    fn rows(&self, t: f64) -> Option<(usize, usize, f64)> {
        let last = self.times.len().checked_sub(1)?;
        let i = self.times.partition_point(|&s| s <= t).saturating_sub(1).min(last);
        let j = (i + 1).min(last);
        let width = self.times[j] - self.times[i];
        Some((i, j, if width > 0.0 { ((t - self.times[i]) / width).clamp(0.0, 1.0) } else { 0.0 }))
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
        let (i, j, part) = self.rows(t)?;
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
