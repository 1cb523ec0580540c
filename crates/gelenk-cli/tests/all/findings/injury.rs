//! The head injury criterion of rows that are too coarse for the pulse.

use gelenk::injury::{finer_rows, injury};
use gelenk_record::{Column, Recording};

/// Half a sine of 100 g over 4 ms, every `step` s, with or without velocities.
fn pulse(step: f64, offset: f64, velocities: bool) -> Recording {
    let (peak, from, length) = (980.665, 0.02 + offset, 0.004);
    let mut names = vec![("head.ax", "m/s^2"), ("head.ay", "m/s^2"), ("head.az", "m/s^2")];
    if velocities {
        names.extend([("head.vx", "m/s"), ("head.vy", "m/s"), ("head.vz", "m/s")]);
    }
    let columns = names.iter().map(|(name, unit)| Column::new(*name, *unit, ""));
    let mut recording = Recording::new(std::iter::once(Column::time()).chain(columns).collect()).unwrap();
    for k in 0..=(0.06 / step).round() as usize {
        let t = k as f64 * step;
        let phase = std::f64::consts::PI * ((t - from) / length).clamp(0.0, 1.0);
        let speed = peak * length / std::f64::consts::PI * (1.0 - phase.cos());
        let mut row = vec![t, peak * phase.sin(), 0.0, 0.0];
        if velocities {
            row.extend([speed, 0.0, 0.0]);
        }
        recording.push(&row).unwrap();
    }
    recording
}

/// The criterion of half a sine of peak `A` (in g) and duration `T` is `A^2.5 T (2 u/pi) (sin(u)/u)^2.5` over an interval of
/// `2 u T/pi`; it is largest where `tan(u) = 5/3 u`, with 0.4146 `A^2.5 T`: 165.8 s here. Coarser rows said less without a
/// word; the interval that is asked for is enough.
#[test]
fn coarse_rows_are_reported_with_the_interval_that_is_needed() {
    let want = 0.4146 * 1e5 * 0.004;
    let hic = |recording: &Recording| injury(recording, "head", None, Some(0.015)).unwrap().hic;
    for velocities in [false, true] {
        let fine = pulse(1e-4, 0.0, velocities);
        assert!((hic(&fine) / want - 1.0).abs() < 0.01, "{}", hic(&fine));
        assert_eq!(finer_rows(&fine, "head", None, Some(0.015)).unwrap(), None);
        for step in [0.001, 0.002, 0.0025] {
            for offset in [0.0, 0.0003, 0.001] {
                let coarse = pulse(step, offset, velocities);
                let off = (hic(&coarse) / want - 1.0).abs();
                match finer_rows(&coarse, "head", None, Some(0.015)).unwrap() {
                    None => assert!(off < 0.05, "{step} s, {offset} s: off by {off}"),
                    Some(needed) => {
                        assert!(needed < step, "{needed}");
                        let again = pulse(needed, offset, velocities);
                        assert!(
                            (hic(&again) / want - 1.0).abs() < 0.03,
                            "{step} s: {needed} s is not enough"
                        );
                    }
                }
            }
        }
    }
    // The whole pulse is between two rows: only the velocity shows it.
    let missed = pulse(0.005, 0.0005, true);
    assert!(hic(&missed) < 1.0 && finer_rows(&missed, "head", None, None).unwrap().is_some());
    // Resampled too coarsely, a fine recording is no better.
    let thinned = finer_rows(&pulse(1e-4, 0.0, false), "head", Some(100.0), Some(0.015));
    assert!(thinned.unwrap().is_some());
}
