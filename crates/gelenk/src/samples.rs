//! Samples of motions: signs of quaternions, derivatives, times.

use gelenk_math::spline::{CubicSpline, End};

use crate::motion::MotionError;

/// Consecutive quaternions on the same side: `q` and `-q` are the same rotation, but not the same column.
pub(crate) fn continuous_quaternions(columns: &mut [(usize, Vec<f64>)]) {
    let mut i = 0;
    while i + 3 < columns.len() {
        let (before, rest) = columns.split_at_mut(i + 1);
        let [(first, w), ..] = &mut before[i..] else { return };
        let [(_, x), (_, y), (third, z), ..] = rest else { return };
        // Quaternions are four columns beside each other; coordinates are left alone by the norm.
        let unit = |k: usize| (w[k] * w[k] + x[k] * x[k] + y[k] * y[k] + z[k] * z[k] - 1.0).abs() < 1e-3;
        if *third != *first + 3 || !(0..w.len()).all(unit) {
            i += 1;
            continue;
        }
        for k in 1..w.len() {
            if w[k] * w[k - 1] + x[k] * x[k - 1] + y[k] * y[k - 1] + z[k] * z[k - 1] < 0.0 {
                [&mut w[k], &mut x[k], &mut y[k], &mut z[k]].into_iter().for_each(|c| *c = -*c);
            }
        }
        i += 4;
    }
}

/// First derivatives of splines through rows; zero where a number is zero in two rows one after the other, since it rests
/// there.
pub(crate) fn differentiate(times: &[f64], rows: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, MotionError> {
    let mut out = vec![Vec::new(); rows.len()];
    for k in 0..rows.first().map_or(0, Vec::len) {
        let values: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        let spline = CubicSpline::new(times, &values, End::NotAKnot)
            .map_err(|error| MotionError::Data(error.to_string()))?;
        for (i, (row, &t)) in out.iter_mut().zip(times).enumerate() {
            let zero = |i: Option<usize>| i.and_then(|i| values.get(i)).is_some_and(|x| *x == 0.0);
            let rests = zero(Some(i)) && (zero(i.checked_sub(1)) || zero(Some(i + 1)));
            row.push(if rests { 0.0 } else { spline.jet(t).first });
        }
    }
    Ok(out)
}

/// Most samples of a motion.
const MOST: f64 = 1e7;

/// Multiples of the period from `from`, and the end.
pub(crate) fn grid(from: f64, to: f64, period: f64) -> Result<Vec<f64>, MotionError> {
    let count = ((to - from) / period * (1.0 + 1e-12)).floor();
    if count.is_nan() || count > MOST {
        let message = format!(
            "{count:e} samples are more than a motion may have, {MOST:e}; choose a longer \"output\""
        );
        return Err(MotionError::Data(message));
    }
    let count = count as usize;
    let mut times: Vec<f64> = (0..=count).map(|k| from + k as f64 * period).collect();
    if times.last().is_none_or(|last| to - last > 1e-9 * period) {
        times.push(to);
    }
    Ok(times)
}
