//! Measured tables in.

use std::path::{Path, PathBuf};

use gelenk_math::suggest;

use crate::format::Format;
use crate::whole_text;

/// Columns of a measured table, in the units of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// Time, strictly rising.
    pub time: Vec<f64>,
    /// The columns that were asked for, in that order; each as long as the time.
    pub columns: Vec<Vec<f64>>,
    /// Cells without a number, which are NaN in the columns.
    pub empty: Vec<EmptyCell>,
}

/// A cell of a log without a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptyCell {
    /// Line in the file, from 1.
    pub line: usize,
    /// Name of the column.
    pub column: String,
}

/// Why a table cannot be used as a log; every message names the file and, where there is one, the line.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The operating system refused.
    #[error("cannot read {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The answer of the operating system.
        source: std::io::Error,
    },
    /// There is no header row or no row of numbers.
    #[error("{}: there is no {what}; a log has a header row of names and rows of numbers", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// The header has no such column.
    #[error("{}:{line}: there is no column `{name}`{hint}", .path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// Line of the header.
        line: usize,
        /// The name that was asked for.
        name: String,
        /// The closest names there are, as the end of the sentence.
        hint: String,
    },
    /// Two columns of the header have the name that was asked for.
    #[error("{}:{line}: two columns are called `{name}`; rename one of them", .path.display())]
    Ambiguous {
        /// The file.
        path: PathBuf,
        /// Line of the header.
        line: usize,
        /// The shared name.
        name: String,
    },
    /// A row does not have as many cells as the header.
    #[error("{}:{line}: this row has {found} cells, the header has {expected}", .path.display())]
    RowLength {
        /// The file.
        path: PathBuf,
        /// Line of the row.
        line: usize,
        /// Cells of the header.
        expected: usize,
        /// Cells of the row.
        found: usize,
    },
    /// A cell is not a finite number.
    #[error("{}:{line}: `{text}` in column `{column}` is not a number{hint}", .path.display())]
    Number {
        /// The file.
        path: PathBuf,
        /// Line of the cell.
        line: usize,
        /// Name of the column.
        column: String,
        /// What stands there.
        text: String,
        /// What was probably meant, as the end of the sentence.
        hint: &'static str,
    },
    /// Time does not rise.
    #[error(
        "{}:{line}: time {time} does not come after {before}; the time of a log must increase with every row",
        .path.display()
    )]
    Time {
        /// The file.
        path: PathBuf,
        /// Line of the row.
        line: usize,
        /// Time of this row.
        time: f64,
        /// Time of the row before.
        before: f64,
    },
    /// The quotes or cells cannot be told apart.
    #[error("{}: {reason}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the reader of the table says.
        reason: String,
    },
}

/// Reads the time column and further columns of a CSV file.
///
/// The first line that is neither empty nor a comment (`#`) holds the names. The separator is whichever of comma,
/// semicolon and tab stands most often in that line. Numbers have a decimal point. An empty cell, or `nan`, gives
/// NaN and is listed in [`Log::empty`]; time must be in every row and rise strictly. Numbers come back in the
/// units of the file.
///
/// # Errors
/// [`CsvError`] with the file and the line.
pub fn read_csv_log<S: AsRef<str>>(path: &Path, time: &str, columns: &[S]) -> Result<Log, CsvError> {
    let bytes = whole_text::read(path).map_err(|source| CsvError::File { path: path.to_owned(), source })?;
    match Format::of(path) {
        None | Some(Format::Csv | Format::Toml) => {}
        Some(format) => {
            let reason = format!("it is {}; a log is a CSV table with a header row of names", format.name());
            return Err(CsvError::Syntax { path: path.to_owned(), reason });
        }
    }
    parse(path, &bytes, time, columns)
}

fn parse<S: AsRef<str>>(path: &Path, bytes: &[u8], time: &str, columns: &[S]) -> Result<Log, CsvError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Lines::new(bytes);
    let header_at =
        lines.next_row(0).ok_or(CsvError::Missing { path: path.to_owned(), what: "header row" })?;
    let header_line = lines.line;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(&bytes[header_at..]))
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .flexible(true)
        .has_headers(false)
        .from_reader(bytes);
    let syntax = |e: csv::Error| CsvError::Syntax { path: path.to_owned(), reason: e.to_string() };
    let mut record = csv::ByteRecord::new();
    reader.read_byte_record(&mut record).map_err(syntax)?;
    let header: Vec<String> = record.iter().map(name_in).collect();

    let place = |name: &str| -> Result<usize, CsvError> {
        let mut found = header.iter().enumerate().filter(|(_, n)| *n == name).map(|(i, _)| i);
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            (Some(_), Some(_)) => {
                Err(CsvError::Ambiguous { path: path.to_owned(), line: header_line, name: name.to_owned() })
            }
            (None, _) => {
                let hint = suggest::hint(name, header.iter().map(String::as_str));
                Err(CsvError::UnknownColumn {
                    path: path.to_owned(),
                    line: header_line,
                    name: name.to_owned(),
                    hint,
                })
            }
        }
    };
    let time_place = place(time)?;
    let places = columns.iter().map(|name| place(name.as_ref())).collect::<Result<Vec<_>, _>>()?;

    let mut log = Log { time: Vec::new(), columns: vec![Vec::new(); columns.len()], empty: Vec::new() };
    while reader.read_byte_record(&mut record).map_err(syntax)? {
        // The reader gives the place after the row before; comments and empty lines may stand in between.
        let from = record.position().map_or(0, csv::Position::byte);
        lines.next_row(usize::try_from(from).unwrap_or(usize::MAX));
        let line = lines.line;
        if record.len() != header.len() {
            let (expected, found) = (header.len(), record.len());
            return Err(CsvError::RowLength { path: path.to_owned(), line, expected, found });
        }
        let number = |place: usize| {
            let cell = record.get(place).unwrap_or_default();
            let named = |(text, hint)| {
                let column = header.get(place).cloned().unwrap_or_default();
                CsvError::Number { path: path.to_owned(), line, column, text, hint }
            };
            read_number(cell).map_err(named)
        };
        let Some(t) = number(time_place)? else {
            let (column, hint) = (time.to_owned(), "; every row needs a time");
            return Err(CsvError::Number { path: path.to_owned(), line, column, text: String::new(), hint });
        };
        if let Some(&before) = log.time.last()
            && t <= before
        {
            return Err(CsvError::Time { path: path.to_owned(), line, time: t, before });
        }
        log.time.push(t);
        for ((values, &place), name) in log.columns.iter_mut().zip(&places).zip(columns) {
            let value = number(place)?;
            if value.is_none() {
                log.empty.push(EmptyCell { line, column: name.as_ref().to_owned() });
            }
            values.push(value.unwrap_or(f64::NAN));
        }
    }
    if log.time.is_empty() {
        return Err(CsvError::Missing { path: path.to_owned(), what: "row of numbers" });
    }
    Ok(log)
}

/// The name in a cell of the header; quotes after a space are not yet taken off by the reader.
pub(crate) fn name_in(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(&text).to_owned()
}

/// The number in a cell, nothing for an empty one, or the text with a hint.
fn read_number(cell: &[u8]) -> Result<Option<f64>, (String, &'static str)> {
    let text = String::from_utf8_lossy(cell);
    if text.is_empty() || text.eq_ignore_ascii_case("nan") {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        Ok(_) => Err((
            text.into_owned(),
            "; a log has finite numbers; leave the cell empty where a value is missing",
        )),
        Err(_) if text.replacen(',', ".", 1).parse::<f64>().is_ok() => {
            Err((text.into_owned(), "; write a decimal point instead of the comma"))
        }
        Err(_) => Err((text.into_owned(), "")),
    }
}

/// The most frequent of comma, semicolon and tab outside of quotes in the first line; comma where there is none.
pub(crate) fn separator(bytes: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for &byte in bytes.iter().take_while(|&&b| b != b'\n' && b != b'\r') {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(s, _)| *s == byte && !quoted) {
            *count += 1;
        }
    }
    // The first of equals wins, so that the comma is the default.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(s, _)| *s)
}

/// Counts lines while a reader moves through the file.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Line of the byte `at`, from 1.
    line: usize,
    at: usize,
}

impl<'a> Lines<'a> {
    /// Begins at the first line.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, line: 1, at: 0 }
    }

    /// The line that was reached, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// Moves to the first row at or after the byte `from`, past comments and empty lines; returns its first byte.
    pub(crate) fn next_row(&mut self, from: usize) -> Option<usize> {
        while self.at < from.min(self.bytes.len()) {
            self.step();
        }
        loop {
            match self.bytes.get(self.at)? {
                b'\n' | b'\r' => self.step(),
                b'#' => {
                    while self.bytes.get(self.at).is_some_and(|&b| b != b'\n') {
                        self.step();
                    }
                }
                _ => return Some(self.at),
            }
        }
    }

    fn step(&mut self) {
        self.line += usize::from(self.bytes.get(self.at) == Some(&b'\n'));
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, columns: &[&str]) -> Result<Log, CsvError> {
        parse(Path::new("run.csv"), text.as_bytes(), "t", columns)
    }

    fn message(text: &str) -> String {
        read(text, &["u"]).unwrap_err().to_string()
    }

    #[test]
    fn comma_semicolon_and_tab_are_told_apart() {
        for s in [",", ";", "\t"] {
            let text = format!(
                "\u{feff}# a comment, with; separators\r\n\r\nt{s}other{s} \"u\" \r\n0{s}x{s}1.5\r\n0.1{s}y{s}-2e-3\r\n"
            );
            let log = read(&text, &["u"]).unwrap();
            assert_eq!(log.time, [0.0, 0.1]);
            assert_eq!(log.columns, [[1.5, -2e-3]]);
            assert!(log.empty.is_empty());
        }
    }

    #[test]
    fn columns_come_in_the_order_asked_for() {
        let log = read("a,b,t\n1,2,0\n3,4,1\n", &["b", "a", "b"]).unwrap();
        assert_eq!(log.columns, [[2.0, 4.0], [1.0, 3.0], [2.0, 4.0]]);
    }

    #[test]
    fn an_empty_cell_is_nan_and_listed_with_its_line() {
        let log = read("# c\nt,u\n0,1\n\n# more\n1,\n2,NaN\n3,4\n", &["u"]).unwrap();
        assert!(log.columns[0][1].is_nan() && log.columns[0][2].is_nan());
        let lines: Vec<usize> = log.empty.iter().map(|e| e.line).collect();
        assert_eq!(lines, [6, 7]);
    }

    #[test]
    fn messages_name_file_line_and_the_way_out() {
        let time = "run.csv:5: time 1 does not come after 1; the time of a log must increase with every row";
        assert_eq!(message("t,u\n0,1\n1,1\n# pause\n1,1\n"), time);
        assert_eq!(message("t,U\n0,1\n"), "run.csv:1: there is no column `u`; did you mean `U`?");
        assert_eq!(message("t,u,u\n0,1,1\n"), "run.csv:1: two columns are called `u`; rename one of them");
        assert_eq!(message("t,u\n0,1\n1\n"), "run.csv:3: this row has 1 cells, the header has 2");
        assert_eq!(message("t,u\n0,on\n"), "run.csv:2: `on` in column `u` is not a number");
        let comma =
            "run.csv:2: `1,5` in column `u` is not a number; write a decimal point instead of the comma";
        assert_eq!(message("t;u\n0;1,5\n"), comma);
        let no_time = "run.csv:3: `` in column `t` is not a number; every row needs a time";
        assert_eq!(message("t,u\n0,1\n,2\n"), no_time);
        assert!(message("t,u\n0,inf\n").contains("finite"));
        assert!(message("").contains("no header row"));
        assert!(message("# nothing\n").contains("no header row"));
        assert!(message("t,u\n").contains("no row of numbers"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read_csv_log(Path::new("no/such.csv"), "t", &["u"]).unwrap_err();
        assert!(error.to_string().starts_with("cannot read no/such.csv:"));
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_log_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(Path::new("run.csv"), &bytes, "t", &["u"]);
        }

        #[test]
        fn any_text_of_csv_pieces_gives_a_log_or_an_error(
            pieces in prop::collection::vec(prop::sample::select(vec!["t", "u", ",", ";", "\n", "\r\n", "\"", "#", "1", "2.5", "-", "e9", " "]), 0..80)
        ) {
            let _ = parse(Path::new("run.csv"), format!("t,u\n{}", pieces.concat()).as_bytes(), "t", &["u"]);
        }
    }
}
