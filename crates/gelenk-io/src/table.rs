//! Tables of other programs as recordings: CSV and Parquet, with a time, units and an offset.
//!
//! A measured table becomes a recording that can be looked at beside a run: its time is in seconds, and columns whose units
//! are known are in SI units. Nothing is guessed in silence: the notices say what was assumed and what was left out.

use std::path::{Path, PathBuf};

use gelenk_math::suggest;
use gelenk_math::units::{Dimension, Unit};
use gelenk_record::column::TIME;
use gelenk_record::{Column, Recording};

use crate::csv_columns::{self, RawColumn};
use crate::foreign;
use crate::format::Format;
use crate::{IoError, Pieces, is_parquet, whole_text};

/// Where the time of a table begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Offset {
    /// These seconds are added to its times.
    Seconds(f64),
    /// Its first row is at 0 s.
    Zero,
}

/// How a table of another program is read. The default finds the time by its name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableOptions {
    /// Column of the time.
    pub time: Option<String>,
    /// Rows per second (Hz) of a table without a column of time.
    pub rate: Option<f64>,
    /// What is added to the time.
    pub offset: Option<Offset>,
    /// Units by the names of columns, as text such as `deg`; the time may be among them.
    pub units: Vec<(String, String)>,
}

/// A table of another program.
#[derive(Debug)]
pub struct Table {
    /// Its columns, time first, in SI units where their units are known.
    pub recording: Recording,
    /// What was assumed and what was left out.
    pub notices: Vec<String>,
    /// Columns of [`TableOptions::units`] that it does not have, each with the closest names as the end of a sentence.
    pub unknown: Vec<(String, String)>,
}

/// A recording, or a table of another program.
#[derive(Debug)]
pub struct Opened {
    /// The rows.
    pub pieces: Pieces,
    /// Of a table: what [`read_table`] says beside its rows.
    pub table: Option<TableFacts>,
}

/// What is known of a table beside its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFacts {
    /// What was assumed and what was left out.
    pub notices: Vec<String>,
    /// As of [`Table::unknown`].
    pub unknown: Vec<(String, String)>,
}

/// Why a table cannot be looked at; every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file, or a Parquet file that is damaged.
    #[error(transparent)]
    Io(#[from] IoError),
    /// It is something else.
    #[error("{} is {}; {}", .path.display(), .format.name(), .format.as_table())]
    Format {
        /// The file.
        path: PathBuf,
        /// What it is.
        format: Format,
    },
    /// There is no row of numbers.
    #[error("{} is neither a recording nor a table: it has no rows of numbers", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The cells cannot be told apart.
    #[error("{}: {reason}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the reader of the table says.
        reason: String,
    },
    /// A column that is asked for does not exist.
    #[error("{}: there is no column `{name}`{hint}", .path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The name that was asked for.
        name: String,
        /// The closest names there are, as the end of the sentence.
        hint: String,
    },
    /// No column can be the time.
    #[error(
        "{}: no column is called time, and the first one does not increase: name the time column with --time ({}), \
         or give the \
         rows per second with --rate", .path.display(), .names.join(", ")
    )]
    NoTime {
        /// The file.
        path: PathBuf,
        /// The columns.
        names: Vec<String>,
    },
    /// Time falls.
    #[error("{}: the time `{name}` falls from {before} to {time} in row {row}; it must not decrease", .path.display())]
    Time {
        /// The file.
        path: PathBuf,
        /// Column of the time.
        name: String,
        /// Row of numbers, from 1, or the line of a text.
        row: usize,
        /// Time of this row (s).
        time: f64,
        /// Time of the row before (s).
        before: f64,
    },
    /// A unit that is not known, or that the time cannot have.
    #[error("{}: the unit `{unit}` of column `{name}` {reason}", .path.display())]
    Unit {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
        /// The unit.
        unit: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl TableError {
    /// Whether what was asked for is wrong, and not the file.
    pub fn is_request(&self) -> bool {
        matches!(self, Self::UnknownColumn { .. } | Self::NoTime { .. } | Self::Unit { .. })
    }
}

/// Opens a recording, or a table of another program.
///
/// # Errors
/// A file that is neither, with what it is.
pub fn open_any(path: &Path, options: &TableOptions) -> Result<Opened, TableError> {
    if path.is_dir() || is_parquet(path) || !path.is_file() {
        match Pieces::open(path) {
            Err(IoError::NotARecording { .. }) if is_parquet(path) => {}
            opened => return Ok(Opened { pieces: opened?, table: None }),
        }
    }
    let Table { recording, notices, unknown } = read_table(path, options)?;
    Ok(Opened { pieces: Pieces::held(recording), table: Some(TableFacts { notices, unknown }) })
}

/// Reads a table of another program: Parquet, or numbers as text.
///
/// # Errors
/// [`TableError`], for whatever the file may hold.
pub fn read_table(path: &Path, options: &TableOptions) -> Result<Table, TableError> {
    let mut found = if is_parquet(path) { of_parquet(path)? } else { of_text(path)? };
    found.name();
    let assembly = Assembly { path, options };
    assembly.table(found)
}

/// A column before its time and units are settled.
struct Found {
    name: String,
    /// As the file calls it.
    head: String,
    unit: Option<String>,
    values: Vec<f64>,
    /// First instant in seconds since 1970, where the values count from there.
    epoch: Option<f64>,
}

struct FoundTable {
    columns: Vec<Found>,
    /// Line of every row of a text.
    lines: Vec<usize>,
    notices: Vec<String>,
    kind: &'static str,
}

impl FoundTable {
    /// Takes the units out of the names and makes the names unique.
    fn name(&mut self) {
        let mut taken: Vec<String> = Vec::new();
        for column in &mut self.columns {
            let (name, unit) = name_and_unit(&column.head);
            column.unit = column.unit.take().or(unit);
            let mut unique = name.clone();
            let mut k = 2;
            while taken.contains(&unique) {
                unique = format!("{name} ({k})");
                k += 1;
            }
            taken.push(unique.clone());
            column.name = unique;
        }
    }
}

/// `angle [deg]` is the column `angle` in the unit `deg`; parentheses do as well, where they hold a unit.
fn name_and_unit(head: &str) -> (String, Option<String>) {
    let head = head.trim();
    for (open, close, sure) in [('[', ']', true), ('(', ')', false)] {
        let inner = head.strip_suffix(close).and_then(|rest| rest.rsplit_once(open));
        if let Some((name, unit)) = inner
            && !name.trim().is_empty()
            && (sure || Unit::parse(unit).is_ok())
        {
            let unit = unit.trim();
            return (name.trim().to_owned(), (!unit.is_empty() && unit != "-").then(|| unit.to_owned()));
        }
    }
    (head.to_owned(), None)
}

fn of_parquet(path: &Path) -> Result<FoundTable, TableError> {
    let table = foreign::read(path)?;
    let notice = |(name, what): &(String, &str)| format!("column `{name}` is {what} and is omitted");
    let notices = table.left_out.iter().map(notice).collect();
    let column = |column: foreign::ForeignColumn| Found {
        name: String::new(),
        head: column.name,
        unit: column.unit.map(str::to_owned),
        values: column.values,
        epoch: column.epoch,
    };
    let columns = table.columns.into_iter().map(column).collect();
    Ok(FoundTable { columns, lines: Vec::new(), notices, kind: "Parquet table" })
}

fn of_text(path: &Path) -> Result<FoundTable, TableError> {
    match Format::of(path) {
        None | Some(Format::Csv) => {}
        Some(format) => return Err(TableError::Format { path: path.to_owned(), format }),
    }
    let bytes = whole_text::read(path).map_err(IoError::file("read", path))?;
    let parsed = csv_columns::parse(&bytes)
        .map_err(|reason| TableError::Syntax { path: path.to_owned(), reason })?
        .ok_or_else(|| TableError::Empty { path: path.to_owned() })?;
    let (mut notices, mut columns) = (parsed.notices, Vec::new());
    let rows = parsed.lines.len();
    for raw in parsed.columns {
        let RawColumn { head, unit, mut values, text, texts, empty, instants } = raw;
        if let Some((line, cell)) = text {
            let numbers = rows - texts - empty;
            if texts >= numbers {
                notices.push(format!("column `{head}` is text and is omitted (`{cell}` in line {line})"));
                continue;
            }
            let cells = if texts == 1 { "1 cell".into() } else { format!("{texts} cells") };
            notices.push(format!("column `{head}`: {cells} without a number, first `{cell}` in line {line}"));
        }
        let mut epoch = None;
        if instants {
            let first = values.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
            values.iter_mut().for_each(|value| *value -= first);
            epoch = Some(first);
        }
        let unit = if instants { Some("s".into()) } else { unit };
        columns.push(Found { name: String::new(), head, unit, values, epoch });
    }
    if columns.iter().all(|column| column.values.iter().all(|value| value.is_nan())) {
        return Err(TableError::Empty { path: path.to_owned() });
    }
    Ok(FoundTable { columns, lines: parsed.lines, notices, kind: "CSV table" })
}

/// Whether a column has one of these names, however it is written; a capital `T` is a temperature or a torque.
fn is_called(column: &str, name: &str) -> bool {
    if name == "t" { column == name } else { column.eq_ignore_ascii_case(name) }
}

/// Names that a column of time has, and the unit that some of them say.
const TIMES: [(&str, &str); 17] = [
    ("t", ""),
    ("time", ""),
    ("timestamp", ""),
    ("time_s", "s"),
    ("time_ms", "ms"),
    ("time_us", "us"),
    ("time_ns", "ns"),
    ("t_s", "s"),
    ("t_ms", "ms"),
    ("timestamp_s", "s"),
    ("timestamp_ms", "ms"),
    ("timestamp_us", "us"),
    ("timestamp_ns", "ns"),
    ("seconds", "s"),
    ("elapsed", ""),
    ("stamp", ""),
    ("zeit", ""),
];

/// Puts a table together as its reader asked for.
struct Assembly<'a> {
    path: &'a Path,
    options: &'a TableOptions,
}

impl Assembly<'_> {
    fn table(&self, mut found: FoundTable) -> Result<Table, TableError> {
        let named = |name: &str| found.columns.iter().any(|column| column.name == name);
        let hint = |name: &str| suggest::hint(name, found.columns.iter().map(|column| column.name.as_str()));
        let missing = self.options.units.iter().filter(|(name, _)| !named(name));
        let unknown = missing.map(|(name, _)| (name.clone(), hint(name))).collect();
        let mut notices = std::mem::take(&mut found.notices);
        let rows = found.columns.first().map_or(0, |column| column.values.len());
        let mut time = match self.time(&found, &mut notices)? {
            Some(k) => {
                let column = found.columns.remove(k);
                self.seconds(column, &mut notices)?
            }
            None => {
                let rate = self.options.rate.unwrap_or(1.0);
                (0..rows).map(|row| row as f64 / rate).collect()
            }
        };
        let mut columns = vec![Column::time()];
        let mut data = Vec::new();
        for column in found.columns {
            let (described, values) = self.described(column)?;
            // The name of the time is taken.
            let name = if described.name == TIME { format!("{TIME} (2)") } else { described.name };
            columns.push(Column { name, ..described });
            data.push(values);
        }
        let lines = self.without_gaps(&mut time, &mut data, found.lines, &mut notices);
        let shift = match self.options.offset {
            Some(Offset::Seconds(seconds)) => seconds,
            Some(Offset::Zero) => -time.first().copied().unwrap_or(0.0),
            None => 0.0,
        };
        time.iter_mut().for_each(|t| *t += shift);
        if let Some(row) = (1..time.len()).find(|&row| time[row] < time[row - 1]) {
            return Err(TableError::Time {
                path: self.path.to_owned(),
                name: self.options.time.clone().unwrap_or_else(|| TIME.into()),
                row: lines.get(row).copied().unwrap_or(row + 1),
                time: time[row],
                before: time[row - 1],
            });
        }
        if time.is_empty() {
            return Err(TableError::Empty { path: self.path.to_owned() });
        }
        data.insert(0, time);
        let record = |error| TableError::Io(IoError::record(self.path, error));
        let mut recording = Recording::from_data(columns, data).map_err(record)?;
        let file = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let meta = recording.meta_mut();
        meta.insert("title".into(), file.clone());
        meta.insert("source".into(), format!("{file}, {} of another program", found.kind));
        if shift != 0.0 {
            meta.insert("offset".into(), format!("{shift} s"));
        }
        if !notices.is_empty() {
            meta.insert("notes".into(), notices.join("\n"));
        }
        Ok(Table { recording, notices, unknown })
    }

    fn unknown(&self, name: &str, columns: &[Found]) -> TableError {
        let hint = suggest::hint(name, columns.iter().map(|column| column.name.as_str()));
        TableError::UnknownColumn { path: self.path.to_owned(), name: name.to_owned(), hint }
    }

    /// The column of the time; `None` where the rows are counted.
    fn time(&self, found: &FoundTable, notices: &mut Vec<String>) -> Result<Option<usize>, TableError> {
        let columns = &found.columns;
        if let Some(name) = &self.options.time {
            let named = |column: &Found| column.name == *name || column.head == *name;
            let place = columns.iter().position(named).ok_or_else(|| self.unknown(name, columns))?;
            return Ok(Some(place));
        }
        if self.options.rate.is_some() {
            return Ok(None);
        }
        for (known, _) in TIMES {
            if let Some(k) = columns.iter().position(|column| is_called(&column.name, known)) {
                return Ok(Some(k));
            }
        }
        let rises = |values: &[f64]| values.len() > 1 && values.windows(2).all(|pair| pair[0] < pair[1]);
        if let Some(k) = columns.iter().position(|column| column.epoch.is_some()) {
            notices.push(format!("column `{}` is used as the time", columns[k].name));
            return Ok(Some(k));
        }
        match columns.first() {
            Some(first) if columns.len() > 1 && rises(&first.values) => {
                let unit = first.unit.as_deref().unwrap_or("s");
                notices.push(format!("column `{}` increases and is used as the time in {unit}", first.name));
                Ok(Some(0))
            }
            _ => {
                let names = columns.iter().map(|column| column.name.clone()).collect();
                Err(TableError::NoTime { path: self.path.to_owned(), names })
            }
        }
    }

    /// The unit of a column: asked for, or its own. What was asked for has to be one.
    fn unit(&self, column: &Found) -> Result<(Option<String>, Option<Unit>), TableError> {
        let asked = self.options.units.iter().rev().find(|(name, _)| *name == column.name);
        if let Some((name, text)) = asked {
            let unit = Unit::parse(text).map_err(|error| TableError::Unit {
                path: self.path.to_owned(),
                name: name.clone(),
                unit: text.clone(),
                reason: format!("is not known: {error}"),
            })?;
            return Ok((Some(text.clone()), Some(unit)));
        }
        let unit = column.unit.as_deref().and_then(|text| Unit::parse(text).ok());
        Ok((column.unit.clone(), unit))
    }

    /// The time in seconds.
    fn seconds(&self, column: Found, notices: &mut Vec<String>) -> Result<Vec<f64>, TableError> {
        let (text, unit) = self.unit(&column)?;
        let implied = TIMES.iter().find(|(name, _)| is_called(&column.name, name));
        let implied = implied.map(|(_, unit)| *unit).filter(|unit| !unit.is_empty());
        let (text, unit) = match (&text, implied) {
            (None, Some(word)) => (Some(word.to_owned()), Unit::parse(word).ok()),
            _ => (text, unit),
        };
        if let Some(epoch) = column.epoch {
            notices.push(format!("time is relative to the first row ({epoch} s after 1970-01-01)"));
        }
        let Some(text) = text else {
            notices.push(format!("the time `{}` has no unit and is read in s", column.name));
            return Ok(column.values);
        };
        match unit {
            Some(unit) if unit.dimension == Dimension::TIME => {
                Ok(column.values.into_iter().map(|t| unit.to_si(t)).collect())
            }
            _ => Err(TableError::Unit {
                path: self.path.to_owned(),
                name: column.name,
                unit: text,
                reason: "is not one of time, such as `ms`".into(),
            }),
        }
    }

    /// A column in SI units where its unit is known, else as it is.
    fn described(&self, column: Found) -> Result<(Column, Vec<f64>), TableError> {
        let (text, unit) = self.unit(&column)?;
        let meaning = match &text {
            Some(unit) => format!("`{}` of {}, where it is in {unit}", column.head, self.file()),
            None => format!("`{}` of {}", column.head, self.file()),
        };
        Ok(match (text, unit) {
            (Some(text), Some(unit)) => {
                // Work and torque have one dimension.
                let energy = unit.dimension == Dimension::TORQUE && text.contains('J');
                let symbol = if energy { "J".into() } else { unit.dimension.to_string() };
                let symbol = if unit.dimension == Dimension::NONE { "1".into() } else { symbol };
                let values = column.values.into_iter().map(|value| unit.to_si(value)).collect();
                (Column::new(column.name, symbol, meaning), values)
            }
            (text, _) => (Column::new(column.name, text.unwrap_or_default(), meaning), column.values),
        })
    }

    fn file(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Leaves out rows without a time; returns the lines of the others.
    fn without_gaps(
        &self,
        time: &mut Vec<f64>,
        data: &mut [Vec<f64>],
        lines: Vec<usize>,
        notices: &mut Vec<String>,
    ) -> Vec<usize> {
        let kept: Vec<bool> = time.iter().map(|t| t.is_finite()).collect();
        let missing = kept.iter().filter(|kept| !**kept).count();
        if missing == 0 {
            return lines;
        }
        let rows = if missing == 1 { "1 row".into() } else { format!("{missing} rows") };
        notices.push(format!("{rows} without a time omitted"));
        let keep = |values: &mut Vec<f64>| {
            let mut flags = kept.iter();
            values.retain(|_| flags.next().copied().unwrap_or(false));
        };
        keep(time);
        data.iter_mut().for_each(keep);
        lines.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str, options: &TableOptions) -> Result<Table, TableError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        std::fs::write(&path, content).unwrap();
        read_table(&path, options)
    }

    fn units(table: &Table) -> Vec<(&str, &str)> {
        table.recording.columns().iter().map(|c| (c.name.as_str(), c.unit.as_str())).collect()
    }

    /// Known units become SI, unknown ones stay; the offset moves the time.
    #[test]
    fn units_and_time_are_settled() {
        let text =
            "time [ms],angle [deg],torque (N mm),count [ticks],bare\n0,180,1000,7,1\n500,90,-500,8,2\n";
        let options = TableOptions { offset: Some(Offset::Seconds(1.0)), ..TableOptions::default() };
        let table = read(text, &options).unwrap();
        let expected = [("t", "s"), ("angle", "rad"), ("torque", "N m"), ("count", "ticks"), ("bare", "")];
        assert_eq!(units(&table), expected);
        assert_eq!(table.recording.time(), [1.0, 1.5]);
        assert_eq!(table.recording.column("angle").unwrap()[0], std::f64::consts::PI);
        assert_eq!(table.recording.column("torque").unwrap(), [1.0, -0.5]);
        assert_eq!(table.recording.column("count").unwrap(), [7.0, 8.0]);
        assert!(table.recording.columns()[1].meaning.contains("where it is in deg"));
        assert!(table.notices.is_empty(), "{:?}", table.notices);
    }

    #[test]
    fn the_time_is_found_or_asked_for() {
        let asked = TableOptions {
            time: Some("clock".into()),
            units: vec![("clock".into(), "us".into()), ("x".into(), "mm".into())],
            offset: Some(Offset::Zero),
            rate: None,
        };
        let table = read("x,clock\n1,5000000\n2,6000000\n", &asked).unwrap();
        assert_eq!((table.recording.time(), units(&table)[1]), (&[0.0, 1.0][..], ("x", "m")));
        assert_eq!(table.recording.column("x").unwrap(), [0.001, 0.002]);
        let counted = TableOptions { rate: Some(200.0), ..TableOptions::default() };
        assert_eq!(read("x,y\n1,1\n1,2\n", &counted).unwrap().recording.time(), [0.0, 0.005]);
        let rising = read("stroke,y\n1,1\n2,2\n", &TableOptions::default()).unwrap();
        assert_eq!(
            rising.notices,
            [
                "column `stroke` increases and is used as the time in s",
                "the time `stroke` has no unit and is read in s"
            ]
        );
        let named = read("x,Time_ms\n1,0\n1,250\n", &TableOptions::default()).unwrap();
        assert_eq!(named.recording.time(), [0.0, 0.25]);
    }

    #[test]
    fn refusals_name_the_way_out() {
        let none = TableOptions::default();
        let message = |text: &str, options: &TableOptions| {
            let message = read(text, options).unwrap_err().to_string();
            message[message.find("run.csv").unwrap()..].to_owned()
        };
        assert!(message("x,y\n1,1\n1,2\n", &none).contains("name the time column with --time (x, y)"));
        let falls = message("t,y\n0,1\n\n2,1\n1,2\n", &none);
        assert_eq!(falls, "run.csv: the time `t` falls from 2 to 1 in row 5; it must not decrease");
        let wrong = TableOptions { time: Some("tim".into()), ..TableOptions::default() };
        assert_eq!(
            message("time,y\n0,1\n", &wrong),
            "run.csv: there is no column `tim`; did you mean `time`?"
        );
        let other = TableOptions { units: vec![("yy".into(), "deg".into())], ..TableOptions::default() };
        let table = read("t,y\n0,1\n", &other).unwrap();
        assert_eq!(table.unknown, [("yy".to_owned(), "; did you mean `y`?".to_owned())]);
        let unit = TableOptions { units: vec![("y".into(), "degre".into())], ..TableOptions::default() };
        assert!(
            message("t,y\n0,1\n", &unit).starts_with("run.csv: the unit `degre` of column `y` is not known")
        );
        let angle = TableOptions { units: vec![("t".into(), "deg".into())], ..TableOptions::default() };
        assert!(message("t,y\n0,1\n", &angle).ends_with("is not one of time, such as `ms`"));
        let trc = message("PathFileType\t4\t(X/Y/Z)\twalk.trc\n", &none);
        assert!(trc.starts_with("run.csv is a TRC marker file; write its columns as CSV"), "{trc}");
        assert!(message("only words\nhere\n", &none).contains("no rows of numbers"));
    }

    #[test]
    fn what_is_left_out_is_said() {
        let text = "t,state,y,y\n0,on,1,2\n1,off,err,3\n,on,4,4\n2,on,5,5\n";
        let table = read(text, &TableOptions::default()).unwrap();
        assert_eq!(units(&table), [("t", "s"), ("y", ""), ("y (2)", "")]);
        assert_eq!(table.recording.len(), 3);
        let notices = table.notices.join("\n");
        for expected in [
            "column `state` is text and is omitted (`on` in line 2)",
            "column `y`: 1 cell without a number, first `err` in line 3",
            "1 row without a time omitted",
            "the time `t` has no unit and is read in s",
        ] {
            assert!(notices.contains(expected), "{notices}");
        }
    }

    #[test]
    fn points_in_time_count_from_the_first() {
        let text = "stamp,x\n2026-11-18T12:00:00.5Z,1\n2026-11-18T12:00:01Z,2\n";
        let table = read(text, &TableOptions::default()).unwrap();
        assert_eq!(table.recording.time(), [0.0, 0.5]);
        assert!(table.notices[0].contains("1795003200.5 s after 1970-01-01"), "{:?}", table.notices);
    }
}
