//! What the diagnostics find on a law.

use gelenk_laws::diagnose::{closure, force_cycle, forms_differ, lag, memory, rate_dependence, search_gain};
use gelenk_laws::{LawError, Memory};

use super::Subject;

/// What was measured on a law; ratios are to the largest force or to the presliding distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Presliding distance (m, rad).
    pub distance: f64,
    /// Force in steady sliding at the smallest velocity among the parameters (N, N m).
    pub force: f64,
    /// Memory, from nested small loops.
    pub memory: Memory,
    /// Force that a small loop misses where it comes back, as a share of the largest force.
    pub closure: f64,
    /// Work of the branch back less that of the branch forth (J).
    pub branch_work: f64,
    /// Difference of the force along one path at two speeds with ratio 1000, as a share.
    pub rate_dependence: f64,
    /// Force at rising less that at falling speed about three times the smallest velocity, as a share of their mean.
    pub lag: f64,
    /// Drift per slow cycle of the load between 0.35 and 0.85 of the level, over the presliding distance; `None` for a
    /// law that holds no load.
    pub drift: Option<f64>,
    /// Least work of a slow cycle between two forces that was found, over force and distance.
    pub least_work: Option<f64>,
    /// By how much that work may be wrong, over force and distance.
    pub work_error: f64,
    /// Whether that cycle gives energy out of nothing.
    pub gives: bool,
    /// Largest difference of the two forms along a motion, as a share; `None` for a law with one form.
    pub forms: Option<f64>,
}

/// Measures a law.
///
/// # Errors
/// Numbers that the law refuses.
pub fn findings(subject: &Subject) -> Result<Findings, LawError> {
    let mut driven = subject.driven()?;
    let scales = subject.scales()?;
    let minor = closure(&mut driven, 0.5 * scales.distance, scales.slow);
    let mean = 3.0 * scales.speed;
    let loops = lag(&mut driven, mean, 0.9 * mean, 0.05 * mean / scales.distance, 4000);
    let size = 0.5 * (loops.rising + loops.falling);
    let level = scales.force;
    let cycle = force_cycle(&mut driven, [0.35 * level, 0.85 * level], 4, &scales);
    let gain = search_gain(&mut driven, 0.95 * level, 10, &scales);
    Ok(Findings {
        distance: scales.distance,
        force: level,
        memory: memory(&mut driven, &scales),
        closure: minor.relative,
        branch_work: minor.work,
        rate_dependence: rate_dependence(&mut driven, 2.0 * scales.distance, scales.slow, 1000.0),
        lag: if size == 0.0 { 0.0 } else { (loops.rising - loops.falling) / size },
        drift: cycle.map(|cycle| cycle.drift / scales.distance),
        least_work: gain.map(|gain| gain.work / (level * scales.distance)),
        work_error: gain.map_or(0.0, |gain| gain.error / (level * scales.distance)),
        gives: gain.is_some_and(|gain| gain.gives()),
        forms: forms_differ(subject.law, &subject.parameters, subject.elements, 2000)?,
    })
}
