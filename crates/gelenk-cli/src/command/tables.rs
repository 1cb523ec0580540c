//! Recordings and tables of other programs, side by side.

use std::path::{Path, PathBuf};

use gelenk_io::{Offset, Opened, TableFacts, TableOptions, open_any};
use gelenk_math::units::Dimension;

use super::measure::measure;
use super::time::seconds;
use super::{Refusal, Usage};
use crate::console::Console;

/// How tables of other programs are read.
#[derive(clap::Args)]
#[command(next_help_heading = "Tables of other programs (CSV, Parquet)")]
pub struct TableArgs {
    /// Time column [default: the column with such a name].
    #[arg(long = "time", value_name = "COLUMN")]
    time_column: Option<String>,
    /// Unit of a column, such as `--unit angle=deg`; its values are shown in SI units. May be repeated.
    #[arg(long = "unit", value_name = "COLUMN=UNIT")]
    units: Vec<String>,
    /// Time that is added to that of a table, such as `--offset "0.35 s"`; `zero` moves its first row to 0 s. With several tables,
    /// name one: `--offset measured="0.35 s"`.
    #[arg(long, value_name = "[FILE=]TIME", allow_hyphen_values = true)]
    offset: Vec<String>,
    /// Rows per second of a table without a time column, such as `--rate "200 Hz"`.
    #[arg(long, value_name = "FREQUENCY", conflicts_with = "time_column")]
    rate: Option<String>,
}

impl TableArgs {
    fn any(&self) -> bool {
        self.time_column.is_some() || !self.units.is_empty() || !self.offset.is_empty() || self.rate.is_some()
    }

    /// Options for one of several files.
    fn options(&self, path: &Path, label: &str) -> Result<TableOptions, Refusal> {
        let mut units = Vec::new();
        for text in &self.units {
            let Some((name, unit)) = text.rsplit_once('=') else {
                return Err(Usage::refusal(format!("--unit {text}: write COLUMN=UNIT, such as angle=deg")));
            };
            units.push((name.trim().to_owned(), unit.trim().to_owned()));
        }
        let rate = match &self.rate {
            Some(text) => {
                let word = "a frequency above zero was expected, such as \"200 Hz\"";
                match measure("--rate", text, Dimension::FREQUENCY, word)? {
                    rate if rate > 0.0 => Some(rate),
                    _ => return Err(Usage::refusal(format!("--rate \"{text}\": {word}"))),
                }
            }
            None => None,
        };
        let mut offset = None;
        for text in &self.offset {
            let (file, time) = match text.split_once('=') {
                Some((file, time)) => (Some(file.trim()), time.trim()),
                None => (None, text.trim()),
            };
            if file.is_none_or(|file| names(path, label, file)) {
                offset = Some(match time {
                    "zero" => Offset::Zero,
                    time => Offset::Seconds(seconds("--offset", time)?),
                });
            }
        }
        Ok(TableOptions { time: self.time_column.clone(), rate, offset, units })
    }
}

/// Whether a word on the command line names this file.
fn names(path: &Path, label: &str, word: &str) -> bool {
    let same = |name: Option<&std::ffi::OsStr>| name.is_some_and(|name| name.to_string_lossy() == word);
    word == label || path.to_string_lossy() == word || same(path.file_name()) || same(path.file_stem())
}

/// Opens recordings and tables under their labels. Notices of tables are noted, and options that no table can use are refused.
pub fn open(
    out: &mut Console,
    paths: &[PathBuf],
    labels: &[String],
    args: &TableArgs,
) -> Result<Vec<Opened>, Refusal> {
    let mut opened = Vec::new();
    for (path, label) in paths.iter().zip(labels) {
        opened.push(open_any(path, &args.options(path, label)?)?);
    }
    let tables: Vec<(&String, &TableFacts)> =
        labels.iter().zip(&opened).filter_map(|(label, file)| Some((label, file.table.as_ref()?))).collect();
    if args.any() && tables.is_empty() {
        let message = "--time, --unit, --offset and --rate are for tables of other programs, and these files are recordings";
        return Err(Usage::refusal(message));
    }
    for text in &args.offset {
        let named = |file: &str| paths.iter().zip(labels).any(|(path, label)| names(path, label, file));
        if let Some((file, _)) = text.split_once('=')
            && !named(file.trim())
        {
            return Err(Usage::refusal(format!(
                "--offset {text}: none of the files is called `{}`",
                file.trim()
            )));
        }
    }
    for (label, facts) in &tables {
        for (name, hint) in &facts.unknown {
            if tables.iter().all(|(_, facts)| facts.unknown.iter().any(|(other, _)| other == name)) {
                return Err(Usage::refusal(format!("--unit: {label} has no column `{name}`{hint}")));
            }
        }
        for notice in &facts.notices {
            out.note(format_args!("{label}: {notice}"));
        }
    }
    Ok(opened)
}
