//! Recordings and page in one file that opens from disk.
//!
//! Every column stands in a script element of its own: its numbers with their bytes sorted by significance (neighbours
//! share the leading ones), compressed as raw deflate, as base64. The page unpacks a column when it is first looked at.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use gelenk_io::Pieces;
use serde_json::Value;

use crate::run::{Run, lists};
use crate::thinning::Thinned;
use crate::{StudioError, index, io, page};

/// How much goes into a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportOptions {
    /// Most rows of each recording; `None` for as many as make about four million numbers.
    pub rows: Option<usize>,
}

/// Numbers of all recordings in a report, where no number of rows is given.
const NUMBERS: usize = 4_000_000;

/// Fewest rows of a recording with many columns.
const FEWEST: usize = 2000;

/// What a report holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportFacts {
    /// Size (bytes).
    pub bytes: usize,
    /// Rows in the report and in the recording, for each recording.
    pub rows: Vec<(usize, usize)>,
}

/// Writes recordings under their names with the page to `out`.
///
/// # Errors
/// A program without the page, a recording that cannot be read, a place that cannot be written.
pub fn write(runs: &[Run], options: &ReportOptions, out: &mut dyn Write) -> Result<ReportFacts, StudioError> {
    write_with(page::halves()?, runs, options, out)
}

/// The same with another page, in two halves.
///
/// # Errors
/// A recording that cannot be read, a place that cannot be written.
pub fn write_with(
    (before, after): (&str, &str),
    runs: &[Run],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<ReportFacts, StudioError> {
    let mut data = Vec::new();
    let mut elements = Vec::new();
    for run in runs {
        data.push(columns(&run.pieces, options, runs.len())?);
        elements.push(run.elements()?);
    }
    let rows: Vec<usize> = data.iter().map(|columns| columns.first().map_or(0, Vec::len)).collect();
    let known = runs.iter().zip(&rows).zip(&elements);
    let described = known.map(|((run, &rows), elements)| (run, rows, elements.as_ref()));
    let mut text = String::new();
    text.push_str("<script type=\"application/json\" id=\"gelenk-index\">");
    text.push_str(&inside_script(&index::describe(described)));
    text.push_str("</script>\n");
    for (run, columns) in data.iter().enumerate() {
        for (column, values) in columns.iter().enumerate() {
            text.push_str(&format!("<script type=\"text/plain\" id=\"gelenk-{run}-{column}\">"));
            text.push_str(&encode(values)?);
            text.push_str("</script>\n");
        }
        for (k, list) in elements[run].iter().flat_map(lists).enumerate() {
            text.push_str(&format!("<script type=\"text/plain\" id=\"gelenk-{run}-elements-{k}\">"));
            text.push_str(&encode(&list)?);
            text.push_str("</script>\n");
        }
    }
    let mut bytes = 0;
    for part in [before, &text, after] {
        out.write_all(part.as_bytes()).map_err(io("the report cannot be written"))?;
        bytes += part.len();
    }
    let rows = rows.into_iter().zip(runs).map(|(rows, run)| (rows, run.pieces.rows())).collect();
    Ok(ReportFacts { bytes, rows })
}

/// All columns of a recording, thinned.
fn columns(pieces: &Pieces, options: &ReportOptions, runs: usize) -> Result<Vec<Vec<f64>>, StudioError> {
    let count = pieces.columns().len();
    let share = NUMBERS / runs.max(1) / count.max(1);
    let most = options.rows.unwrap_or(share.max(FEWEST)).max(2);
    let all: Vec<usize> = (0..count).collect();
    let wanted = if pieces.rows() <= most { pieces.rows() } else { most };
    let mut thinned = Thinned::new(count, pieces.rows(), wanted);
    pieces.read(&all, 0..pieces.rows(), &mut |piece| thinned.push(piece))?;
    Ok(thinned.at_most(most))
}

/// JSON that may stand in a script element: no `<` that could end it.
fn inside_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Numbers as base64 of deflated bytes, sorted by significance.
fn encode(values: &[f64]) -> Result<String, StudioError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let mut plane = vec![0; values.len()];
    for byte in 0..8 {
        for (slot, value) in plane.iter_mut().zip(values) {
            *slot = value.to_le_bytes()[byte];
        }
        encoder.write_all(&plane).map_err(io("a column cannot be packed"))?;
    }
    Ok(STANDARD.encode(encoder.finish().map_err(io("a column cannot be packed"))?))
}
