//! The ground: a plane with a grid.

use gelenk_math::spatial::{Mat3, Vec3};

use crate::figure::Figure;
use crate::solid::along;

/// A plane across the upward direction, with lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ground {
    up: Vec3<f64>,
    axes: Mat3<f64>,
    /// Height of the plane along the upward direction (m).
    pub(super) level: f64,
    /// Distance of the lines (m).
    spacing: f64,
    /// Where it fades away: middle and radius (m).
    middle: Vec3<f64>,
    reach: f64,
}

impl Ground {
    pub(super) fn new(figure: &Figure) -> Self {
        let up = figure.scene.up;
        let [low, high] = figure.bounds;
        let corner = |sign: f64| {
            (0..3).map(|k| sign * (sign * up[k] * low[k]).max(sign * up[k] * high[k])).sum::<f64>()
        };
        let (bottom, top) = (corner(-1.0), corner(1.0));
        // The plane through the origin where that fits, else just below everything.
        let near = bottom > -0.02 * (top - bottom) && bottom < 0.35 * figure.size;
        let level = if near { bottom.min(0.0) } else { bottom - 0.02 * figure.size };
        let rough = 10_f64.powf((figure.size / 4.0).log10().floor());
        let wide = |factor: f64| (factor * rough >= figure.size / 8.0).then_some(factor * rough);
        let spacing = [1.0, 2.0, 5.0, 10.0].into_iter().find_map(wide).unwrap_or(rough);
        let reach = 2.5 * (high - low).norm().max(figure.size);
        Self { up, axes: along(&up), level, spacing, middle: (low + high) * 0.5, reach }
    }

    /// Where a ray from a point meets the ground: the length factor of the ray.
    pub(super) fn meets(&self, from: &Vec3<f64>, ray: &Vec3<f64>) -> Option<f64> {
        let slope = ray.dot(&self.up);
        let s = (self.level - from.dot(&self.up)) / slope;
        (slope.abs() > 1e-9 && s > 0.0).then_some(s)
    }

    /// Darkness of the grid at a point, 0 to 1, and how much of the ground is there at all; `width` is the size of a
    /// sample on the ground (m).
    pub(super) fn look(&self, point: &Vec3<f64>, width: f64) -> (f64, f64) {
        let local = self.axes.transpose() * point;
        let line = |x: f64, spacing: f64, thick: f64| {
            let away = (x / spacing - (x / spacing).round()).abs() * spacing;
            let half = 0.5 * thick * self.spacing;
            // Lines thinner than a sample become paler instead.
            ((half + 0.5 * width - away) / width).clamp(0.0, 1.0) * (2.0 * half / width).min(1.0)
        };
        let fine = line(local.x, self.spacing, 0.02).max(line(local.y, self.spacing, 0.02));
        let coarse = line(local.x, 5.0 * self.spacing, 0.035).max(line(local.y, 5.0 * self.spacing, 0.035));
        let level = point - self.middle;
        let away = (level - self.up * level.dot(&self.up)).norm() / self.reach;
        let there = (1.0 - away * away).clamp(0.0, 1.0);
        ((0.5 * fine).max(coarse), there)
    }
}
