//! Recordings for pictures, read in pieces: what is held in memory does not grow with their length.

use gelenk::plot::PlotError;
use gelenk_io::{IoError, Opened, Pieces};
use gelenk_record::{RecordError, Recording};
use gelenk_studio::thinning::Thinned;

use super::Refusal;
use crate::console::Console;

/// Runs of rows that are thinned to their extremes; a recording of up to four rows for each stays whole.
const RUNS: usize = 50_000;
/// Most numbers that are kept for a plot, and for a scene.
const MOST_NUMBERS: usize = 16_000_000;

/// The columns that a plot needs, over all times or from one to another (s), with minima and maxima kept.
///
/// Selectors are names of columns or groups, and so is what else is needed, `more`; those that no recording has are refused
/// with the closest names. Where there are no selectors, `default` chooses columns of the first recording and of every table.
pub fn for_plot(
    out: &mut Console,
    opened: &[Opened],
    labels: &[String],
    (selectors, default, more): (&[String], impl Fn(&Recording) -> Vec<String>, Vec<String>),
    (from, to): (Option<f64>, Option<f64>),
) -> Result<(Vec<Recording>, Vec<String>), Refusal> {
    let tables = opened.iter().map(|file| file.table.is_some());
    let opened: Vec<&Pieces> = opened.iter().map(|file| &file.pieces).collect();
    let empty = opened.iter().map(|pieces| pieces.without_rows()).collect::<Result<Vec<Recording>, _>>()?;
    let mut wanted = selectors.to_vec();
    if selectors.is_empty() {
        for (k, (recording, table)) in empty.iter().zip(tables).enumerate() {
            for name in if k == 0 || table { default(recording) } else { Vec::new() } {
                if !wanted.contains(&name) {
                    wanted.push(name);
                }
            }
        }
    }
    let mut recordings = Vec::new();
    for selector in selectors.iter().chain(&more) {
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
            out.note(format_args!("{label} has no column `{selector}`"));
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
    opened: &[&Pieces],
    cut: &[Recording],
    (from, to): (Option<f64>, Option<f64>),
) -> Result<(), PlotError> {
    let (from, to) = (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
    let spans: Vec<(f64, f64)> = opened.iter().filter_map(|pieces| pieces.span()).collect();
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
