//! The head injury criterion of a recorded acceleration (hippmann 5.16).

use gelenk_record::{RecordError, Recording};
use gelenk_signal::injury::{Injury, head_injury};
use gelenk_signal::sampling::{even_times, resample};
use thiserror::Error;

/// A criterion that cannot be computed.
#[derive(Debug, Error)]
pub enum InjuryError {
    /// The columns of the acceleration.
    #[error("{error}; accelerations of places are columns of `gelenk kinematics`")]
    Column {
        /// What is wrong with one of them.
        error: RecordError,
    },
    /// Less than an interval of samples.
    #[error("the recording has no interval of time with an acceleration")]
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
    let column = |name: &str| {
        recording.column(&format!("{place}.{name}")).map_err(|error| InjuryError::Column { error })
    };
    let [x, y, z] = [column("ax")?, column("ay")?, column("az")?];
    let size: Vec<f64> = (0..x.len()).map(|k| x[k].hypot(y[k]).hypot(z[k])).collect();
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
