//! From where the scene is seen.

use std::str::FromStr;

use gelenk_math::spatial::Vec3;

use super::RenderOptions;
use crate::figure::Figure;

/// Half the angle that the picture covers across its shorter side.
const HALF_ANGLE: f64 = 16.0 * std::f64::consts::PI / 180.0;

/// A direction to look from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum View {
    /// A good one: across the plane of a plane mechanism, else from an edge.
    #[default]
    Home,
    /// With x, which is forward, to the right.
    Front,
    /// From ahead.
    Side,
    /// From above.
    Top,
    /// Azimuth from x about the upward axis and elevation, in radians.
    Angles(f64, f64),
}

/// A text that names no view.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown view `{0}`: use home, front, side, top, or azimuth and elevation in degrees such as 30,20")]
pub struct ViewError(String);

impl FromStr for View {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        Ok(match text {
            "home" => Self::Home,
            "front" => Self::Front,
            "side" => Self::Side,
            "top" => Self::Top,
            _ => {
                let angles: Option<Vec<f64>> =
                    text.split(',').map(|part| part.trim().parse::<f64>().ok()).collect();
                match angles.as_deref() {
                    Some(&[azimuth, elevation]) if azimuth.is_finite() && elevation.abs() <= 90.0 => {
                        Self::Angles(azimuth.to_radians(), elevation.to_radians())
                    }
                    _ => return Err(ViewError(text.to_owned())),
                }
            }
        })
    }
}

/// A camera with perspective.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    target: Vec3<f64>,
    /// Right, up and towards the camera.
    axes: [Vec3<f64>; 3],
    distance: f64,
    /// Samples for a slope of 1.
    focus: f64,
    middle: [f64; 2],
}

impl Camera {
    pub(super) fn new(figure: &Figure, options: &RenderOptions, followed: Option<usize>) -> Self {
        let up = figure.scene.up;
        let towards = direction(figure, options.view).normalize();
        // From straight above, forward is to the right.
        let hint = if towards.dot(&up).abs() > 0.999 { up.cross(&Vec3::x()) } else { up };
        let right = hint.cross(&towards).normalize();
        let axes = [right, towards.cross(&right), towards];
        let [low, high] = figure.bounds;
        let samples = f64::from(super::SAMPLES);
        let (width, height) = (f64::from(options.size.0) * samples, f64::from(options.size.1) * samples);
        let focus = 0.5 * width.min(height) / HALF_ANGLE.tan();
        let mut camera = Self {
            target: (low + high) * 0.5,
            axes,
            distance: 1.0,
            focus,
            middle: [0.5 * width, 0.5 * height],
        };
        if followed.is_some() {
            camera.distance = 0.75 * figure.size / HALF_ANGLE.tan();
        } else {
            camera.fit(figure.bounds, [width, height], 1.12);
        }
        camera.distance = camera.distance.max(1e-9) / options.zoom;
        camera
    }

    /// Goes as far away as the corners of a box need to be in the picture, with some room.
    fn fit(&mut self, [low, high]: [Vec3<f64>; 2], [width, height]: [f64; 2], room: f64) {
        let mut distance = 0.0_f64;
        for i in 0..8 {
            let pick = |k: usize| if i >> k & 1 > 0 { high[k] } else { low[k] };
            let away = Vec3::new(pick(0), pick(1), pick(2)) - self.target;
            let [x, y, z] = self.axes.map(|axis| axis.dot(&away));
            let slope = |across: f64, side: f64| room * across.abs() * self.focus / (0.5 * side);
            distance = distance.max(slope(x, width) + z).max(slope(y, height) + z);
        }
        self.distance = if distance > 0.0 { distance } else { 1.0 };
    }

    /// Looks at a point from the same direction and distance.
    pub(super) fn aim(&mut self, point: &Vec3<f64>) {
        self.target = *point;
    }

    /// Direction from what is seen to the camera.
    pub fn towards(&self) -> Vec3<f64> {
        self.axes[2]
    }

    /// Place of the camera (m).
    pub fn place(&self) -> Vec3<f64> {
        self.target + self.axes[2] * self.distance
    }

    /// How far a point is in front of the nearest depth that is drawn (m); negative behind it.
    pub(super) fn ahead(&self, point: &Vec3<f64>) -> f64 {
        self.distance - self.axes[2].dot(&(point - self.target)) - 1.01e-3 * self.distance
    }

    /// Where a point is seen: right and down in samples, and the reciprocal of its distance, which is linear in the
    /// picture. Nothing for points behind the camera.
    pub(super) fn project(&self, point: &Vec3<f64>) -> Option<[f64; 3]> {
        let away = point - self.target;
        let depth = self.distance - self.axes[2].dot(&away);
        if depth < 1e-3 * self.distance {
            return None;
        }
        let scale = self.focus / depth;
        let [x, y] = [self.axes[0].dot(&away) * scale, self.axes[1].dot(&away) * scale];
        Some([self.middle[0] + x, self.middle[1] - y, 1.0 / depth])
    }

    /// Direction through a sample; not of unit length.
    pub(super) fn ray(&self, x: f64, y: f64) -> Vec3<f64> {
        let right = (x - self.middle[0]) / self.focus;
        let up = (self.middle[1] - y) / self.focus;
        self.axes[0] * right + self.axes[1] * up - self.axes[2]
    }

    /// Reciprocal of the depth at which a ray of [`Self::ray`] has a length factor `s`.
    pub(super) fn nearness(s: f64) -> f64 {
        1.0 / s
    }
}

/// Whether a mechanism goes much farther than it is large.
pub(super) fn travels(figure: &Figure) -> bool {
    let [low, high] = figure.bounds;
    // A robot as it looks in reality should fill the picture; sticks and balls may show their whole way.
    let dressed = figure.scene.bodies.iter().any(|body| body.visual);
    (high - low).norm() > if dressed { 1.6 } else { 4.0 } * figure.size
}

/// The body with the largest mass.
pub(super) fn heaviest(figure: &Figure) -> Option<usize> {
    let masses = figure.scene.bodies.iter().map(|b| b.mass);
    masses.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}

/// Direction from the scene to the camera.
fn direction(figure: &Figure, view: View) -> Vec3<f64> {
    let up = figure.scene.up;
    let forward = Vec3::x();
    // Seen from there, forward is to the right.
    let side = forward.cross(&up);
    match view {
        View::Front => side,
        View::Side => forward,
        View::Top => up,
        View::Angles(azimuth, elevation) => {
            let level = forward * azimuth.cos() - side * azimuth.sin();
            level * elevation.cos() + up * elevation.sin()
        }
        View::Home => match common_axis(figure) {
            None => side * 1.15 + forward * 0.85 + up * 0.7,
            Some(normal) if normal.dot(&up).abs() > 0.9 => up * 1.25 + side * 0.75 + forward * 0.12,
            Some(normal) => {
                let right = up.cross(&normal);
                let normal = if right.sum() < 0.0 { -normal } else { normal };
                let across = up.cross(&normal).normalize();
                normal + up * 0.28 + across * 0.34
            }
        },
    }
}

/// The common axis of all hinges at the start, where they are parallel.
fn common_axis(figure: &Figure) -> Option<Vec3<f64>> {
    let (start, _) = figure.motion.span();
    let mut common: Option<Vec3<f64>> = None;
    for joint in &figure.scene.joints {
        match (joint.kind.as_str(), joint.axis) {
            ("fixed" | "prismatic", _) => {}
            ("revolute", Some(axis)) => {
                let axis = figure.motion.pose(joint.child, start)?.rotation * axis.normalize();
                match common {
                    Some(common) if common.dot(&axis).abs() < 0.999 => return None,
                    _ => common = common.or(Some(axis)),
                }
            }
            _ => return None,
        }
    }
    common
}
