//! Tables over time, and the tables of curves.

use crate::curve::CurveFile;
use crate::model_file::{Interpolation, Log};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Sources;
use gelenk_multibody::blueprint::LogTable;
use std::path::PathBuf;
use std::sync::Arc;

/// Two columns of a table that a model asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogRequest {
    /// The file, from the folder of the model.
    pub file: PathBuf,
    /// Name of the column of times, or of the arguments of a curve; its numbers rise.
    pub time: String,
    /// Name of the column of values.
    pub column: String,
}

/// Two columns of a table, in the units of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct LogColumns {
    /// Times, or arguments of a curve.
    pub time: Vec<f64>,
    /// Values.
    pub value: Vec<f64>,
}

/// Reads a log and converts it to SI; an empty table where the report says why not.
pub(super) fn read(
    log: &Log,
    sources: &Sources,
    read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
    report: &mut Report,
) -> Arc<LogTable> {
    let request = LogRequest {
        file: sources.resolve(log.file.span.file, &log.file),
        time: log.time.text.clone(),
        column: log.column.text.clone(),
    };
    let hold = log.interpolation == Interpolation::Hold;
    let mut table = LogTable { time: Vec::new(), value: Vec::new(), hold };
    match read_log(&request) {
        Err(reason) => report.push(Diagnostic::error(log.file.span, reason)),
        Ok(columns) => match fault(&columns) {
            Some(reason) => report.push(Diagnostic::error(log.file.span, reason)),
            None => {
                table.time = columns.time.iter().map(|&t| log.time_unit.unit.to_si(t)).collect();
                table.value = columns.value.iter().map(|&v| log.unit.unit.to_si(v)).collect();
            }
        },
    }
    Arc::new(table)
}

/// Reads the two columns of a curve, in the units of the file.
pub(super) fn read_curve(
    file: &CurveFile,
    sources: &Sources,
    read_log: &mut dyn FnMut(&LogRequest) -> Result<LogColumns, String>,
) -> Result<[Vec<f64>; 2], String> {
    let request = LogRequest {
        file: sources.resolve(file.file.span.file, &file.file),
        time: file.x.text.clone(),
        column: file.y.text.clone(),
    };
    read_log(&request).map(|columns| [columns.time, columns.value])
}

fn fault(columns: &LogColumns) -> Option<String> {
    let LogColumns { time, value } = columns;
    if time.is_empty() || time.len() != value.len() {
        return Some(format!("the log has {} times and {} values", time.len(), value.len()));
    }
    // A NaN compares with nothing and so counts as not rising.
    let rises = |pair: &[f64]| pair[0].partial_cmp(&pair[1]) == Some(std::cmp::Ordering::Less);
    if let Some(i) = time.windows(2).position(|pair| !rises(pair)) {
        return Some(format!("the times of the log do not increase at sample {}", i + 2));
    }
    let i = value.iter().zip(time).position(|(v, t)| !v.is_finite() || !t.is_finite())?;
    Some(format!("sample {} of the log is not a finite number", i + 1))
}
