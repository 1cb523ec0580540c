//! The head injury criterion of a recorded acceleration (hippmann 5.16).

use gelenk_record::{RecordError, Recording};
use gelenk_signal::injury::{Injury, head_injury};
use gelenk_signal::sampling::{even_times, resample};
use thiserror::Error;

/// A criterion that cannot be computed.
#[derive(Debug, Error)]
pub enum InjuryError {
    /// The columns of the acceleration.
    #[error("{error}; `gelenk kinematics` records the accelerations of frames and bodies")]
    Column {
        /// What is wrong with one of them.
        error: RecordError,
    },
    /// Less than an interval of samples.
    #[error("the acceleration has fewer than two samples")]
    Short,
}

/// The head injury criterion at a place of a recording of `gelenk kinematics`, such as `frames.skull` with its columns
/// `frames.skull.ax`, `.ay` and `.az`. The magnitude is resampled linearly at `rate` (Hz) where one is given; `window` is
/// the longest interval (s). H-R55.
///
/// # Errors
/// Columns that are missing, a recording without an interval.
pub fn injury(
    recording: &Recording,
    place: &str,
    rate: Option<f64>,
    window: Option<f64>,
) -> Result<Injury, InjuryError> {
    let size = magnitude(recording, place)?;
    let times = recording.time();
    let found = match (rate, times.first(), times.last()) {
        (Some(rate), Some(&first), Some(&last)) if rate > 0.0 && last > first => {
            let even = even_times(first, last, 1.0 / rate);
            head_injury(&even, &resample(times, &size, &even), window)
        }
        _ => head_injury(times, &size, window),
    };
    found.ok_or(InjuryError::Short)
}

/// Largest error of the criterion, as a share, that rows may leave without a word.
const ERROR: f64 = 0.02;
/// Rows that an interval should have where nothing better is known.
const ROWS: f64 = 20.0;

/// The interval between rows (s) that the criterion at a place would need, where the rows of the recording, or those that it is
/// resampled to at `rate` (Hz), are too coarse for it: leaving out every second row changes it, its interval has only a few rows, or the recorded velocity changes by more
/// than the accelerations of the rows say.
///
/// # Errors
/// Columns that are missing, a recording without an interval.
pub fn finer_rows(
    recording: &Recording,
    place: &str,
    rate: Option<f64>,
    window: Option<f64>,
) -> Result<Option<f64>, InjuryError> {
    let (mut size, mut times) = (magnitude(recording, place)?, recording.time().to_vec());
    if let (Some(rate), Some(&first), Some(&last)) = (rate, times.first(), times.last())
        && rate > 0.0
        && last > first
    {
        let even = even_times(first, last, 1.0 / rate);
        // A rate that is lower than that of the rows leaves some of them out.
        let whole = head_injury(&times, &size, window).ok_or(InjuryError::Short)?;
        size = resample(&times, &size, &even);
        times = even;
        let thinned = head_injury(&times, &size, window).ok_or(InjuryError::Short)?;
        if (thinned.hic - whole.hic).abs() > ERROR * whole.hic {
            return Ok(Some((whole.to - whole.from) / ROWS));
        }
    }
    let (size, times) = (&size[..], &times[..]);
    let found = head_injury(times, size, window).ok_or(InjuryError::Short)?;
    if found.hic <= 0.0 && size.iter().all(|a| *a == 0.0) && missed(recording, place).is_none() {
        return Ok(None);
    }
    let inside = times.partition_point(|t| *t <= found.to) - times.partition_point(|t| *t < found.from);
    let between = (found.to - found.from) / (inside.max(2) - 1) as f64;
    // Every second row, in both ways; the error falls with the square of the interval.
    let thinned = |first: usize| {
        let every = |x: &[f64]| x.iter().skip(first).step_by(2).copied().collect::<Vec<f64>>();
        head_injury(&every(times), &every(size), window)
            .map_or(0.0, |half| (half.hic / found.hic - 1.0).abs())
    };
    let error = thinned(0).max(thinned(1)) / 3.0;
    let by_rows = (error > ERROR).then(|| (between * (ERROR / error).sqrt()).min(between / 2.0));
    let by_count = (inside < 5).then(|| (found.to - found.from) / ROWS);
    let needed = [by_rows, by_count, missed(recording, place)];
    Ok(needed.into_iter().flatten().min_by(f64::total_cmp))
}

/// An interval (s) in which a change of the recorded velocity that no row of the acceleration shows would be seen.
fn missed(recording: &Recording, place: &str) -> Option<f64> {
    let column = |name: &str| recording.column(&format!("{place}.{name}")).ok();
    let axes = [("vx", "ax"), ("vy", "ay"), ("vz", "az")];
    let mut columns = Vec::new();
    for (v, a) in axes {
        columns.push((column(v)?, column(a)?));
    }
    let times = recording.time();
    let (mut largest, mut whole) = ((0.0, 0.0), 0.0f64);
    for k in 1..times.len() {
        let h = times[k] - times[k - 1];
        let change = |(v, _): &(&[f64], &[f64])| (v[k] - v[k - 1]).powi(2);
        let rest = |(v, a): &(&[f64], &[f64])| (v[k] - v[k - 1] - 0.5 * h * (a[k] + a[k - 1])).powi(2);
        whole = whole.max(columns.iter().map(change).sum::<f64>().sqrt());
        let rest = columns.iter().map(rest).sum::<f64>().sqrt();
        if rest > largest.0 {
            largest = (rest, h);
        }
    }
    let total = columns.iter().map(|(v, _)| {
        let (low, high) = v.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        (high - low).powi(2)
    });
    let total = total.sum::<f64>().sqrt().max(whole);
    (largest.0 > ERROR * total && total > 0.0).then(|| largest.1 / ROWS)
}

/// Magnitude of the acceleration of a place (m/s^2), row by row.
fn magnitude(recording: &Recording, place: &str) -> Result<Vec<f64>, InjuryError> {
    let column = |name: &str| {
        recording.column(&format!("{place}.{name}")).map_err(|error| InjuryError::Column { error })
    };
    let [x, y, z] = [column("ax")?, column("ay")?, column("az")?];
    Ok((0..x.len()).map(|k| x[k].hypot(y[k]).hypot(z[k])).collect())
}
