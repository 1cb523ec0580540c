//! Recordings for pictures, read in pieces: what is held in memory does not grow with their length.

use std::path::PathBuf;

use gelenk::plot::PlotError;
use gelenk_io::{IoError, Pieces};
use gelenk_record::{RecordError, Recording};
use gelenk_studio::thinning::Thinned;

/// Runs of rows that are thinned to their extremes; a recording of up to four rows for each stays whole.
const RUNS: usize = 50_000;
/// Most numbers that are kept for a plot, and for a scene.
const MOST_NUMBERS: usize = 16_000_000;

/// The columns that a plot needs, over all times or from one to another (s), with minima and maxima kept.
///
/// Selectors are names of columns or groups, and so is what else is needed, `more`; those that no recording has are refused with the closest names.
pub fn for_plot(
    paths: &[PathBuf],
    labels: &[String],
    (selectors, more): (impl Fn(&Recording) -> Vec<String>, Vec<String>),
    (from, to): (Option<f64>, Option<f64>),
) -> Result<(Vec<Recording>, Vec<String>), Box<dyn std::error::Error>> {
    let opened = paths.iter().map(|path| Pieces::open(path)).collect::<Result<Vec<_>, _>>()?;
    let empty = opened.iter().map(Pieces::without_rows).collect::<Result<Vec<Recording>, _>>()?;
    let wanted = empty.first().map(&selectors).unwrap_or_default();
    let mut recordings = Vec::new();
    for selector in wanted.iter().chain(&more) {
        let unknown = |(label, recording): (&String, &Recording)| -> Option<(String, RecordError)> {
            Some((label.clone(), recording.select(selector).err()?))
        };
        let mut missing: Vec<_> = labels.iter().zip(&empty).filter_map(unknown).collect();
        if missing.len() == empty.len()
            && let Some((label, source)) = missing.pop()
        {
            return Err(PlotError::Column { label, source }.into());
        }
        for (label, _) in missing {
            tell!("note: {label} has no column `{selector}`");
        }
    }
    for (pieces, empty) in opened.iter().zip(&empty) {
        let chosen = wanted.iter().chain(&more).filter_map(|selector| empty.select(selector).ok()).flatten();
        let mut columns: Vec<usize> = std::iter::once(0).chain(chosen).collect();
        columns.sort_unstable();
        columns.dedup();
        let rows = match (from, to) {
            (None, None) => 0..pieces.rows(),
            _ => pieces.rows_between(from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY))?,
        };
        let mut thinned = Thinned::new(columns.len(), rows.len(), RUNS);
        pieces.read(&columns, rows, &mut |piece| thinned.push(piece))?;
        let data = thinned.at_most((MOST_NUMBERS / columns.len()).max(4 * RUNS));
        recordings.push(pieces.with_data(columns, data)?);
    }
    inside(&opened, &recordings, (from, to))?;
    Ok((recordings, wanted))
}

/// Refuses a range of time (s) without rows. The recordings are already cut to it, with a row on each side; the message
/// tells from when to when they really go.
fn inside(
    opened: &[Pieces],
    cut: &[Recording],
    (from, to): (Option<f64>, Option<f64>),
) -> Result<(), PlotError> {
    let (from, to) = (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
    let spans: Vec<(f64, f64)> = opened.iter().filter_map(Pieces::span).collect();
    if spans.is_empty() || cut.iter().flat_map(|r| r.time()).any(|t| (from..=to).contains(t)) {
        return Ok(());
    }
    let first = spans.iter().map(|(first, _)| *first).fold(f64::INFINITY, f64::min);
    let last = spans.iter().map(|(_, last)| *last).fold(f64::NEG_INFINITY, f64::max);
    Err(PlotError::EmptyTime { from, to, first, last })
}

/// Rows of the whole motion that a scene of so many columns keeps.
fn every(columns: usize) -> usize {
    (MOST_NUMBERS / columns.max(1)).clamp(300, 20_000)
}

/// All columns of a recording at some rows of the whole motion and at those around the times of its pictures (s).
pub fn for_scene(pieces: &Pieces, times: &[f64]) -> Result<Recording, IoError> {
    pieces.around(times, every(pieces.columns().len()))
}
