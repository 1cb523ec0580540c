//! Tables over time, and the tables of curves.

use crate::curve::CurveFile;
use crate::model_file::{Interpolation, Log};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Sources;
use gelenk_multibody::blueprint::LogTable;
use std::path::PathBuf;
use std::sync::Arc;

/// Two columns of a table that a model requests.
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

/// Reads a log and converts it to SI; a table of zero where the report says why not.
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
    let LogColumns { time, value } = match read_log(&request) {
        Ok(columns) => columns,
        Err(reason) => {
            report.push(Diagnostic::error(log.file.span, reason));
            return Arc::new(LogTable { time: vec![0.0], value: vec![0.0], hold });
        }
    };
    let mut table = LogTable { time, value, hold };
    if let Some(reason) = table.fault() {
        report.push(Diagnostic::error(log.file.span, reason));
        return Arc::new(LogTable { time: vec![0.0], value: vec![0.0], hold });
    }
    table.time.iter_mut().for_each(|t| *t = log.time_unit.unit.to_si(*t));
    table.value.iter_mut().for_each(|v| *v = log.unit.unit.to_si(*v));
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
