//! A loop joint as an explicit joint on splines (stelzner 3.12 c, ST-R45).

use gelenk_math::spline::{CubicSpline, End};
use gelenk_model::splined::{CoordinateCurve, SplineError, SplinePlan, joint_coordinates};
use gelenk_model::{LoadedModel, compile};
use gelenk_multibody::SweepError;
use gelenk_multibody::blueprint::CoordinateKind;
use gelenk_system::System;
use thiserror::Error;

use crate::open::{OpenError, read_log};

/// What to convert.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineRequest {
    /// Joints whose coordinates become functions.
    pub joints: Vec<String>,
    /// The coordinate that they become functions of.
    pub over: String,
    /// Range of that coordinate (rad or m).
    pub range: [f64; 2],
    /// Number of knots, at least 4.
    pub knots: usize,
}

/// A converted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Splined {
    /// The model file.
    pub text: String,
    /// Loops that are gone.
    pub loops: Vec<String>,
    /// Every coordinate that became a curve: its name, its unit, and the largest deviation of the curve from the loops
    /// between the knots (rad or m).
    pub deviations: Vec<(String, &'static str, f64)>,
}

/// A model that cannot be converted.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The model cannot be compiled.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A wrong request.
    #[error("{0}")]
    Request(String),
    /// The loops do not make functions.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The file cannot be rewritten.
    #[error(transparent)]
    Rewrite(#[from] SplineError),
}

/// Follows the loops of `model` over the range of one coordinate and writes the joints as curves over it.
///
/// # Errors
/// Unknown names; loops that lock, branch, or depend on further coordinates; files that cannot be rewritten.
pub fn spline(model: &LoadedModel, request: &SplineRequest) -> Result<Splined, ConvertError> {
    let refuse = |message: String| Err(ConvertError::Request(message));
    let compiled = compile(model, &mut read_log).map_err(OpenError::from)?;
    let kinds: Vec<CoordinateKind> = compiled.blueprint.coordinates.iter().map(|c| c.kind).collect();
    let mechanism = compiled.build().map_err(OpenError::from)?;
    let names: Vec<&str> = mechanism.coordinate_names().collect();
    let find = |name: &str| {
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let hint = gelenk_math::suggest::hint(name, names.iter().copied());
            ConvertError::Request(format!("the model has no coordinate {name:?}{hint}"))
        })
    };
    let over = find(&request.over)?;
    let mut dependent = Vec::new();
    for joint in &request.joints {
        if model.file.joints.get(joint).is_none() {
            let known: Vec<&str> = model.file.joints.iter().map(|(name, _)| name.text.as_str()).collect();
            let hint = gelenk_math::suggest::hint(joint, known.iter().copied());
            return refuse(format!("the model has no joint {joint:?}{hint}"));
        }
        for coordinate in joint_coordinates(&model.file, joint) {
            let index = find(&coordinate)?;
            if index != over && !dependent.contains(&index) {
                dependent.push(index);
            }
        }
    }
    if dependent.is_empty() {
        return refuse(format!(
            "{} have no coordinate other than {}",
            request.joints.join(", "),
            request.over
        ));
    }
    let [from, to] = request.range;
    if request.knots < 4 || from.is_nan() || to.is_nan() || from >= to {
        return refuse("give an increasing range and at least 4 knots".into());
    }
    // Every second point is a knot; those between tell how good the curves are.
    let points = 2 * request.knots - 1;
    let at: Vec<f64> = (0..points).map(|i| from + (to - from) * i as f64 / (points - 1) as f64).collect();
    let mut data = mechanism.data();
    let sweep = mechanism.sweep(&mut data, over, &dependent, &at)?;
    let knots: Vec<f64> = at.iter().step_by(2).copied().collect();
    let (mut curves, mut deviations) = (Vec::new(), Vec::new());
    for ((&index, values), &slopes) in dependent.iter().zip(&sweep.values).zip(&sweep.slopes) {
        let at_knots: Vec<f64> = values.iter().step_by(2).copied().collect();
        let cubic = CubicSpline::new(&knots, &at_knots, End::Clamped { first: slopes[0], last: slopes[1] })
            .map_err(|error| ConvertError::Request(error.to_string()))?;
        let deviation =
            at.iter().zip(values).map(|(&x, &y)| (cubic.jet(x).value - y).abs()).fold(0.0, f64::max);
        deviations.push((names[index].to_owned(), kinds[index].units()[0], deviation));
        let angle = kinds[index] == CoordinateKind::Angle;
        curves.push(CoordinateCurve { coordinate: names[index].to_owned(), angle, values: at_knots, slopes });
    }
    let plan = SplinePlan {
        joints: request.joints.clone(),
        over: request.over.clone(),
        over_angle: kinds[over] == CoordinateKind::Angle,
        knots,
        curves,
        loops: sweep.loops.clone(),
    };
    Ok(Splined { text: plan.rewrite(model)?, loops: sweep.loops, deviations })
}
