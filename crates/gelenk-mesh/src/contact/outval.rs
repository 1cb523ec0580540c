//! The thirty numbers that the thesis gives out for a pair (hippmann 5, A.1).

use gelenk_math::spatial::{Motion, Pose, Vec3};

use super::pair::{Pair, PairLaw, Scratch};

/// Names and units of the thirty numbers, in the order of the thesis. Times of computation (6 to 10) are no functions of
/// the state; they are zero unless [`Scratch::timed`] asks for them.
pub const OUTVAL: [(&str, &str); 30] = [
    ("box_tests", ""),
    ("triangle_tests", ""),
    ("segments", ""),
    ("polylines", ""),
    ("regions", ""),
    ("elements", ""),
    ("time_detection", "s"),
    ("time_polylines", "s"),
    ("time_elements", "s"),
    ("time_forces", "s"),
    ("time_total", "s"),
    ("area", "m^2"),
    ("mean_depth", "m"),
    ("max_depth", "m"),
    ("min_approach", "m/s"),
    ("mean_approach", "m/s"),
    ("max_approach", "m/s"),
    ("min_sliding", "m/s"),
    ("mean_sliding", "m/s"),
    ("max_sliding", "m/s"),
    ("mean_pressure", "N/m^2"),
    ("max_pressure", "N/m^2"),
    ("mean_traction", "N/m^2"),
    ("max_traction", "N/m^2"),
    ("position.x", "m"),
    ("position.y", "m"),
    ("position.z", "m"),
    ("direction.x", ""),
    ("direction.y", ""),
    ("direction.z", ""),
];

impl Pair {
    /// The thirty numbers at found elements. Depths, speeds and stresses are weighted with areas, the position (from the
    /// origin of the first surface) and the direction with the magnitudes of the forces. Without contact all means are
    /// zero. H-R53, H-R54.
    pub fn outval(
        &self,
        scratch: &Scratch,
        law: &PairLaw<f64>,
        pose: &Pose<f64>,
        motion: &Motion<f64>,
        out: &mut [f64; 30],
    ) {
        *out = [0.0; 30];
        out[0] = scratch.search.counts.boxes as f64;
        out[1] = scratch.search.counts.triangles as f64;
        out[2] = scratch.lines.segments.len() as f64;
        out[3] = scratch.lines.lines.len() as f64;
        out[4] = scratch.regions.count() as f64;
        out[5] = scratch.elements.len() as f64;
        out[6..10].copy_from_slice(&scratch.times);
        out[10] = scratch.times.iter().sum();
        let (mut area, mut total) = (0.0, 0.0);
        // Depth, approach, sliding, pressure and traction: lowest, sum with areas, highest.
        let mut spans = [[f64::INFINITY, 0.0, f64::NEG_INFINITY]; 5];
        let (mut place, mut way) = (Vec3::zeros(), Vec3::zeros());
        for element in &scratch.elements {
            let state = self.element(element, law, pose, motion);
            let traction = state.friction.norm();
            let values = [
                state.depth,
                state.approach,
                state.speed,
                state.normal_force / state.area,
                traction / state.area,
            ];
            area += state.area;
            for (span, value) in spans.iter_mut().zip(values) {
                *span = [span[0].min(value), span[1] + value * state.area, span[2].max(value)];
            }
            let force = state.normal_force.hypot(traction);
            total += force;
            place += state.position * force;
            way += state.normal * force;
        }
        if area > 0.0 {
            out[11] = area * self.weight();
            let [depth, approach, sliding, pressure, traction] =
                spans.map(|[low, sum, high]| [low, sum / area, high]);
            out[12..14].copy_from_slice(&depth[1..]);
            out[14..17].copy_from_slice(&approach);
            out[17..20].copy_from_slice(&sliding);
            out[20..22].copy_from_slice(&pressure[1..]);
            out[22..24].copy_from_slice(&traction[1..]);
        }
        if total > 0.0 {
            out[24..27].copy_from_slice((place / total).as_slice());
            out[27..30].copy_from_slice((way / total).as_slice());
        }
    }
}
