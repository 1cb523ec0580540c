//! Parquet files that other programs wrote: numbers of flat columns.
//!
//! Read are the types that are numbers (truth values, integers, floats, times), in pages of both versions, plain, by dictionary,
//! delta or split bytes, compressed by snappy, gzip, LZ4 or zstd. Lists and texts are left out and named. Sizes are checked
//! before there is room made for them; whatever the bytes are, there is a table or an error.
//!
//! | module | content |
//! |---|---|
//! | `schema` | what a file says about itself |
//! | `pages` | values of a column |
//! | `encodings` | runs, packed bits, deltas, split bytes |

mod encodings;
mod pages;
mod schema;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::IoError;
use schema::{Chunk, Footer, Leaf, Meaning};

/// Most numbers of a table.
const MOST_NUMBERS: u64 = 200_000_000;
/// Largest footer (bytes).
const LARGEST_FOOTER: u64 = 64 << 20;

/// A column of numbers, with NaN where there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForeignColumn {
    pub name: String,
    pub values: Vec<f64>,
    /// Unit that the type of the column has: `s` for times.
    pub unit: Option<&'static str>,
    /// Of points in time: the first one in seconds since 1970; the values count from there.
    pub epoch: Option<f64>,
}

/// Columns of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ForeignTable {
    pub columns: Vec<ForeignColumn>,
    /// Columns that are not numbers, with what they are.
    pub left_out: Vec<(String, &'static str)>,
}

/// Reads all columns of numbers.
pub(crate) fn read(path: &Path) -> Result<ForeignTable, IoError> {
    let mut file = File::open(path).map_err(IoError::file("open", path))?;
    let damaged = |reason: &str| IoError::damaged(path, reason);
    let size = file.metadata().map_err(IoError::file("read", path))?.len();
    let mut at = |start: u64, length: u64| -> Result<Vec<u8>, IoError> {
        if start.checked_add(length).is_none_or(|end| end > size) {
            return Err(damaged("a part of its data lies outside the file"));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| damaged("it is too large"))?];
        file.seek(SeekFrom::Start(start)).map_err(IoError::file("read", path))?;
        file.read_exact(&mut bytes).map_err(IoError::file("read", path))?;
        Ok(bytes)
    };
    let end = size.checked_sub(8).ok_or_else(|| damaged("its end is missing"))?;
    let last = at(end, 8)?;
    let (length, magic) = last.split_at(4);
    let length = length.iter().rev().fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
    if magic != b"PAR1" {
        return Err(damaged("its end is missing, or it is encrypted"));
    }
    let start = end.checked_sub(length).filter(|_| length <= LARGEST_FOOTER);
    let footer = at(start.ok_or_else(|| damaged("its footer has an impossible size"))?, length)?;
    let footer = Footer::decode(&footer).map_err(damaged)?;
    if footer.rows.saturating_mul(footer.leaves.len().max(1) as u64) > MOST_NUMBERS {
        return Err(IoError::foreign(
            path,
            format!("it has {} rows and {} columns, more than can be held", footer.rows, footer.leaves.len()),
        ));
    }
    let mut table = ForeignTable::default();
    for (k, leaf) in footer.leaves.iter().enumerate() {
        if let Some(what) = leaf.not_numbers() {
            table.left_out.push((leaf.name.clone(), what));
            continue;
        }
        let mut values = pages::Values::new(leaf.number);
        for group in &footer.groups {
            let chunk: &Chunk =
                group.chunks.get(k).ok_or_else(|| damaged("a group of rows lacks a column"))?;
            let bytes = at(chunk.start, chunk.length)?;
            let before = values.len();
            let most = usize::try_from(group.rows).unwrap_or(usize::MAX);
            pages::decode(&bytes, leaf, chunk, most, &mut values)
                .map_err(|reason| damaged(&format!("column `{}`: {reason}", leaf.name)))?;
            if values.len() - before != most {
                return Err(damaged(&format!("column `{}` does not have all rows", leaf.name)));
            }
        }
        table.columns.push(finished(leaf, values));
    }
    Ok(table)
}

/// Values as numbers: in seconds where they are times.
fn finished(leaf: &Leaf, values: pages::Values) -> ForeignColumn {
    let mut column = ForeignColumn { name: leaf.name.clone(), values: Vec::new(), unit: None, epoch: None };
    match (values, leaf.meaning) {
        (pages::Values::Real(values), _) => column.values = values,
        (pages::Values::Whole(values), Meaning::Instant { per_second }) => {
            let first = values.iter().flatten().next().copied().unwrap_or(0);
            // Counted from the first one: a number of 64 bits does not hold nanoseconds since 1970.
            let since =
                |value: Option<i64>| value.map_or(f64::NAN, |v| v.wrapping_sub(first) as f64 / per_second);
            column.values = values.into_iter().map(since).collect();
            column.unit = Some("s");
            column.epoch = Some(first as f64 / per_second);
        }
        (pages::Values::Whole(values), meaning) => {
            let number = |value: i64| match meaning {
                Meaning::Unsigned { bits: 64 } => value as u64 as f64,
                Meaning::Unsigned { .. } => f64::from(value as u32),
                Meaning::Decimal { scale } => value as f64 / 10f64.powi(scale),
                Meaning::TimeOfDay { per_second } => value as f64 / per_second,
                Meaning::Instant { .. } | Meaning::Plain => value as f64,
            };
            column.values = values.into_iter().map(|value| value.map_or(f64::NAN, number)).collect();
            column.unit = matches!(meaning, Meaning::TimeOfDay { .. }).then_some("s");
        }
    }
    column
}
