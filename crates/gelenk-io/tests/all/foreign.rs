//! Tables of other programs, beside the values that these programs say they hold (`tests/foreign/make.py`).

use std::path::{Path, PathBuf};

use gelenk_io::{Pieces, TableOptions, open_any, read_table};
use proptest::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "parquet")).collect();
    files.sort();
    files
}

/// Names and columns of numbers, NaN where a cell is empty.
fn expected(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text =
        std::fs::read_to_string(folder().join(format!("{}.csv", name.split('-').next().unwrap()))).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',')) {
            column.push(if cell.is_empty() { f64::NAN } else { cell.parse().unwrap() });
        }
    }
    (names, columns)
}

/// Every codec, encoding, page version, type and writer: all numbers are those that the writer was given.
#[test]
fn parquet_of_other_programs_is_read() {
    assert!(files().len() >= 19, "{}", files().len());
    for path in files() {
        let table = read_table(&path, &TableOptions::default()).unwrap();
        let (names, columns) = expected(&path);
        for (name, values) in names.iter().zip(&columns) {
            let name = match name.as_str() {
                "time" | "t" | "stamp" => "t",
                "angle [deg]" => "angle",
                other => other,
            };
            let read = table.recording.column(name).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let factor = if names.contains(&"angle [deg]".to_owned()) && name == "angle" {
                1f64.to_radians()
            } else {
                1.0
            };
            assert_eq!(read.len(), values.len(), "{}: {name}", path.display());
            for (row, (&read, &value)) in read.iter().zip(values).enumerate() {
                let (value, single) = (value * factor, name == "single");
                let room = if single { 1e-7 * value.abs() } else { 1e-15 * value.abs().max(1e-3) };
                let same = (read.is_nan() && value.is_nan()) || (read - value).abs() <= room;
                assert!(same, "{}: {name}, row {row}: {read} instead of {value}", path.display());
            }
        }
    }
}

/// Texts and lists are left out by name; a structure's columns have dots.
#[test]
fn what_is_not_numbers_is_named() {
    let table = read_table(&folder().join("pyarrow-snappy.parquet"), &TableOptions::default()).unwrap();
    assert_eq!(table.notices[0], "column `level` is text or bytes and is omitted");
    let nested = read_table(&folder().join("nested-pyarrow.parquet"), &TableOptions::default()).unwrap();
    assert!(
        nested.notices.iter().any(|n| n == "column `list.list.element` is a list and is omitted"),
        "{:?}",
        nested.notices
    );
    let stamps = read_table(&folder().join("stamps-ns.parquet"), &TableOptions::default()).unwrap();
    // `date -u -d "2026-11-18 12:00:00" +%s`
    assert!(
        stamps.notices.iter().any(|n| n.contains("1795003200 s after 1970-01-01")),
        "{:?}",
        stamps.notices
    );
}

/// A recording is opened as one, with its own columns, and a table as a table.
#[test]
fn recordings_and_tables_are_told_apart() {
    use gelenk_io::{PartOptions, PartWriter};
    use gelenk_record::{Column, Sink};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.parquet");
    let columns = vec![Column::time(), Column::new("phi", "rad", "")];
    let mut writer = PartWriter::create(&path, columns, Default::default(), PartOptions::default()).unwrap();
    writer.row(&[0.0, 1.0]).unwrap();
    writer.finish().unwrap();
    let own = open_any(&path, &TableOptions::default()).unwrap();
    assert!(own.table.is_none() && own.pieces.columns()[1].unit == "rad");
    let other =
        open_any(&super::foreign::folder().join("polars-zstd.parquet"), &TableOptions::default()).unwrap();
    assert!(other.table.is_some() && other.pieces.rows() == 90);
    let refused =
        Pieces::open(&super::foreign::folder().join("polars-zstd.parquet")).unwrap_err().to_string();
    assert!(refused.contains("not a recording of Gelenk"), "{refused}");
    // One that another program rewrote is damaged, not a table.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let damaged = open_any(&path, &TableOptions::default()).unwrap_err().to_string();
    assert!(damaged.contains("is damaged"), "{damaged}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    /// Whatever happens to the bytes of a file, there is a table or an error.
    #[test]
    fn damaged_files_are_tables_or_errors(
        file in 0usize..19, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in any::<prop::sample::Index>(), short in prop::bool::weighted(0.2)
    ) {
        let mut bytes = std::fs::read(&files()[file]).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if short {
            bytes.truncate(cut.index(bytes.len()));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.parquet");
        std::fs::write(&path, bytes).unwrap();
        let _ = read_table(&path, &TableOptions::default());
    }
}
