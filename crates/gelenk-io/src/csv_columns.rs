//! All columns of a table of numbers as text, whoever wrote it.
//!
//! Other than [`read_csv_log`](crate::read_csv_log), which reads the input of a study, this reads what people and loggers
//! write: separated by commas, semicolons, tabs or spaces, with decimal commas, without a header, with a row of units, with
//! texts between the numbers. What is left out is reported.

use crate::csv_log::{Lines, name_in, separator};

/// A column as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawColumn {
    /// Cell of the header.
    pub head: String,
    /// Unit that stands below the header or in a comment above it.
    pub unit: Option<String>,
    /// Numbers, NaN where there are none.
    pub values: Vec<f64>,
    /// First cell that is not a number, with its line.
    pub text: Option<(usize, String)>,
    /// Number of such cells, and of empty ones.
    pub texts: usize,
    pub empty: usize,
    /// Whether all cells are points in time, which are then seconds since 1970.
    pub instants: bool,
}

/// A table of numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RawTable {
    pub columns: Vec<RawColumn>,
    /// Line of every row.
    pub lines: Vec<usize>,
    /// What was left out or assumed.
    pub notices: Vec<String>,
}

/// How the cells of a line are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    Spaces,
}

/// Reads a table; `None` where there is no row of numbers.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<RawTable>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Lines::new(bytes);
    let Some(start) = lines.next_row(0) else { return Ok(None) };
    let first = &bytes[start..];
    let end = first.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(first.len());
    let separator = match separator(first) {
        b',' if !first[..end].contains(&b',') => Separator::Spaces,
        byte => Separator::Byte(byte),
    };
    let mut builder = Builder::new(separator, units_above(&bytes[..start], separator));
    match separator {
        Separator::Spaces => {
            for (k, line) in bytes.split(|&b| b == b'\n').enumerate() {
                let line = String::from_utf8_lossy(line);
                if !line.trim_start().starts_with('#') && !line.trim().is_empty() {
                    builder.row(k + 1, &mut line.split_whitespace());
                }
            }
        }
        Separator::Byte(byte) => {
            let mut reader = csv::ReaderBuilder::new()
                .delimiter(byte)
                .comment(Some(b'#'))
                .trim(csv::Trim::All)
                .flexible(true)
                .has_headers(false)
                .from_reader(bytes);
            let mut record = csv::ByteRecord::new();
            let mut lines = Lines::new(bytes);
            while reader.read_byte_record(&mut record).map_err(|error| error.to_string())? {
                let from = record.position().map_or(0, csv::Position::byte);
                lines.next_row(usize::try_from(from).unwrap_or(usize::MAX));
                let cells: Vec<_> = record.iter().map(String::from_utf8_lossy).collect();
                builder.row(lines.line(), &mut cells.iter().map(AsRef::as_ref));
            }
        }
    }
    Ok(builder.finish())
}

/// Units in a comment `# units: s,rad` above the header, as `gelenk export` writes it.
fn units_above(before: &[u8], separator: Separator) -> Vec<String> {
    let text = String::from_utf8_lossy(before);
    let line = text.lines().find_map(|line| line.trim().strip_prefix("# units:"));
    let Some(line) = line else { return Vec::new() };
    let unquoted = |cell: &str| name_in(cell.trim().as_bytes());
    match separator {
        Separator::Byte(byte) => line.split(char::from(byte)).map(unquoted).collect(),
        Separator::Spaces => line.split_whitespace().map(unquoted).collect(),
    }
}

struct Builder {
    separator: Separator,
    units: Vec<String>,
    heads: Option<Vec<String>>,
    columns: Vec<RawColumn>,
    lines: Vec<usize>,
    notices: Vec<String>,
    /// First row with more or fewer cells than the header, and their number.
    uneven: Option<(usize, usize)>,
    uneven_rows: usize,
}

/// What a cell holds.
enum Cell {
    Empty,
    Number(f64),
    /// A point in time, in seconds since 1970.
    Instant(f64),
    Text,
}

impl Builder {
    fn new(separator: Separator, units: Vec<String>) -> Self {
        Self {
            separator,
            units,
            heads: None,
            columns: Vec::new(),
            lines: Vec::new(),
            notices: Vec::new(),
            uneven: None,
            uneven_rows: 0,
        }
    }

    fn cell(&self, text: &str) -> Cell {
        let text = text.trim().trim_matches('"').trim();
        let missing = ["", "nan", "na", "n/a", "null", "none", "-"];
        if missing.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return Cell::Empty;
        }
        if let Ok(value) = text.parse::<f64>() {
            return Cell::Number(value);
        }
        let comma =
            self.separator != Separator::Byte(b',') && text.matches(',').count() == 1 && !text.contains('.');
        if comma && let Ok(value) = text.replacen(',', ".", 1).parse::<f64>() {
            return Cell::Number(value);
        }
        match (text, instant(text)) {
            (_, Some(seconds)) => Cell::Instant(seconds),
            ("true" | "True" | "TRUE", None) => Cell::Number(1.0),
            ("false" | "False" | "FALSE", None) => Cell::Number(0.0),
            _ => Cell::Text,
        }
    }

    fn row(&mut self, line: usize, cells: &mut dyn Iterator<Item = &str>) {
        let cells: Vec<&str> = cells.collect();
        let Some(heads) = &self.heads else {
            // A header has a name at least; where the first row has numbers only, there is none.
            let numbers = cells.iter().all(|cell| !matches!(self.cell(cell), Cell::Text));
            let names = if numbers {
                let text = "the first row has numbers only: the columns are called c1, c2 and so on";
                self.notices.push(text.into());
                (1..=cells.len()).map(|k| format!("c{k}")).collect()
            } else {
                cells.iter().map(|cell| name_in(cell.as_bytes())).collect()
            };
            self.begin(names);
            if numbers {
                self.row(line, &mut cells.into_iter());
            }
            return;
        };
        let count = heads.len();
        if self.lines.is_empty() && self.units.is_empty() && self.is_units(&cells) {
            let bare = |cell: &&str| cell.trim().trim_matches(['[', ']', '(', ')', '"']).trim().to_owned();
            self.units = cells.iter().map(bare).collect();
            for (column, unit) in self.columns.iter_mut().zip(&self.units) {
                column.unit = Some(unit.clone()).filter(|unit| !unit.is_empty());
            }
            return;
        }
        if cells.len() != count && !(cells.len() == count + 1 && cells.last().is_some_and(|c| c.is_empty())) {
            self.uneven.get_or_insert((line, cells.len()));
            self.uneven_rows += 1;
        }
        self.lines.push(line);
        for k in 0..count {
            let text = cells.get(k).copied().unwrap_or_default();
            let cell = self.cell(text);
            let column = &mut self.columns[k];
            let (value, is_instant) = match cell {
                Cell::Number(value) => (value, false),
                Cell::Instant(seconds) => (seconds, true),
                Cell::Empty => {
                    column.empty += 1;
                    column.values.push(f64::NAN);
                    continue;
                }
                Cell::Text => {
                    column.texts += 1;
                    column.text.get_or_insert_with(|| (line, text.to_owned()));
                    (f64::NAN, false)
                }
            };
            // Points in time and numbers do not mix.
            let begun = column.values.len() > column.empty;
            if begun && column.instants != is_instant && value.is_finite() {
                column.texts += 1;
                column.text.get_or_insert_with(|| (line, text.to_owned()));
                column.values.push(f64::NAN);
                continue;
            }
            column.instants |= is_instant;
            column.values.push(value);
        }
    }

    fn begin(&mut self, names: Vec<String>) {
        let unit = |k: usize| self.units.get(k).filter(|unit| !unit.is_empty()).cloned();
        let column = |(k, head): (usize, &String)| RawColumn {
            head: head.clone(),
            unit: unit(k),
            values: Vec::new(),
            text: None,
            texts: 0,
            empty: 0,
            instants: false,
        };
        self.columns = names.iter().enumerate().map(column).collect();
        self.heads = Some(names);
    }

    /// A row of units has texts only, and at least one of them is a unit.
    fn is_units(&self, cells: &[&str]) -> bool {
        let text = |cell: &&str| matches!(self.cell(cell), Cell::Text | Cell::Empty);
        let unit = |cell: &&str| {
            let bare = cell.trim().trim_matches(['[', ']', '(', ')', '"']).trim();
            !bare.is_empty() && gelenk_math::units::Unit::parse(bare).is_ok()
        };
        cells.iter().all(text) && cells.iter().any(unit)
    }

    fn finish(mut self) -> Option<RawTable> {
        if self.lines.is_empty() {
            return None;
        }
        let count = self.columns.len();
        if let Some((line, cells)) = self.uneven {
            let more = match self.uneven_rows {
                1 => String::new(),
                rows => format!(", and {} others", rows - 1),
            };
            let notice = format!("the row in line {line} has {cells} cells, the header has {count}{more}");
            self.notices.push(notice);
        }
        // A separator at the end of every line makes a column of nothing.
        let rows = self.lines.len();
        self.columns.retain(|column| !(column.head.is_empty() && column.empty == rows));
        Some(RawTable { columns: self.columns, lines: self.lines, notices: self.notices })
    }
}

/// Seconds since 1970 of a date with a time as ISO 8601 writes it: `2026-11-18T12:00:00.25Z`, with a space for the T, with an
/// offset such as `+01:00` or none.
fn instant(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    if bytes.len() < 19 || !text.is_ascii() || !matches!(bytes[10], b'T' | b' ') {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let fixed = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if fixed.iter().any(|&(at, byte)| bytes[at] != byte) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let rest = &text[19..];
    let digits = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let fraction: f64 = if digits > 0 { rest[..=digits].parse().ok()? } else { 0.0 };
    let zone = if digits > 0 { &rest[digits + 1..] } else { rest };
    let offset = match zone.as_bytes() {
        [] | [b'Z'] => 0,
        [sign @ (b'+' | b'-'), hours @ ..] => {
            let hours: String = hours.iter().filter(|b| **b != b':').map(|b| char::from(*b)).collect();
            let value: i64 =
                if hours.len() == 2 || hours.len() == 4 { hours.parse().ok()? } else { return None };
            let minutes = if hours.len() == 2 { 60 * value } else { 60 * (value / 100) + value % 100 };
            60 * if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let seconds = 86_400 * days(year, month, day) + 3600 * hour + 60 * minute + second - offset;
    Some(seconds as f64 + fraction)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, with March as the first month of a year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> RawTable {
        parse(text.as_bytes()).unwrap().unwrap()
    }

    fn heads(table: &RawTable) -> Vec<&str> {
        table.columns.iter().map(|c| c.head.as_str()).collect()
    }

    #[test]
    fn separators_decimal_commas_and_rows_of_units() {
        let table = read("time;angle;state\ns;deg;-\n0,0;1,5;on\n0,1;-2,5;off\n");
        assert_eq!(heads(&table), ["time", "angle", "state"]);
        assert_eq!(table.columns[1].values, [1.5, -2.5]);
        assert_eq!(table.columns[1].unit.as_deref(), Some("deg"));
        assert_eq!(table.columns[2].text, Some((3, "on".into())));
        assert_eq!(table.lines, [3, 4]);
        let spaces = read("# a log\n t   x \n 0   1\n 1   2\n");
        assert_eq!((heads(&spaces), &spaces.columns[1].values), (vec!["t", "x"], &vec![1.0, 2.0]));
        let bare = read("0 1\n1 2\n");
        assert_eq!((heads(&bare), bare.lines.len()), (vec!["c1", "c2"], 2));
        assert!(bare.notices[0].contains("c1, c2"));
        let own = read("# units: s,rad/s\nt,w\n0.0,1e-3\n");
        assert_eq!(own.columns[1].unit.as_deref(), Some("rad/s"));
    }

    #[test]
    fn gaps_and_uneven_rows_are_reported() {
        let table = read("t,a,b,\n0,1,2,\n1,,err,\n2,3\n");
        assert_eq!(heads(&table), ["t", "a", "b"]);
        assert!(table.columns[1].values[1].is_nan() && table.columns[2].values[2].is_nan());
        assert_eq!(table.columns[2].text, Some((3, "err".into())));
        assert_eq!(table.notices, ["the row in line 4 has 2 cells, the header has 4"]);
        assert!(parse(b"").unwrap().is_none() && parse(b"a,b\n").unwrap().is_none());
    }

    /// Seconds since 1970 as `date -u -d ... +%s` prints them.
    #[test]
    fn points_in_time() {
        let cases = [
            ("1970-01-01T00:00:00Z", Some(0.0)),
            ("2026-11-18 12:00:00.25", Some(1_795_003_200.25)),
            ("2000-02-29T23:59:59+01:00", Some(951_865_199.0)),
            ("2024-03-01T00:00:00-0530", Some(1_709_271_000.0)),
            ("2026-13-18T12:00:00", None),
            ("2026-11-18T12:00:00x", None),
            ("1234567890123456789", None),
        ];
        for (text, expected) in cases {
            assert_eq!(instant(text), expected, "{text}");
        }
        let table = read("stamp,x\n2026-11-18T12:00:00.5,1\n2026-11-18T12:00:01,2\n");
        assert!(table.columns[0].instants && table.columns[0].values[1] - table.columns[0].values[0] == 0.5);
    }

    proptest! {
        #[test]
        fn any_text_gives_a_table_or_nothing(
            pieces in prop::collection::vec(prop::sample::select(vec!["t", "u", ",", ";", "\t", "\n", "\r\n", "\"", "#", "1", "2.5", "-", "e9", " ", "2026-11-18T12:00:00", "[deg]"]), 0..80)
        ) {
            if let Ok(Some(table)) = parse(pieces.concat().as_bytes()) {
                prop_assert!(table.columns.iter().all(|c| c.values.len() == table.lines.len()));
            }
        }

        #[test]
        fn any_bytes_give_a_table_or_nothing(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes);
        }
    }
}
