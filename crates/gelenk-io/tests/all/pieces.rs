//! Pieces of recordings are what a whole reading gives.
use std::collections::BTreeMap;

use gelenk_io::{PartOptions, PartWriter, Pieces, read};
use gelenk_record::{Column, Event, Sink};

const ROWS: usize = 150_000;

fn write(path: &std::path::Path) {
    let columns = vec![Column::time(), Column::new("a", "m", "first"), Column::new("b", "N", "second")];
    let mut writer = PartWriter::create(path, columns, BTreeMap::new(), PartOptions::default()).unwrap();
    for k in 0..ROWS {
        let t = k as f64 * 0.5;
        writer.row(&[t, t.sin(), -t]).unwrap();
    }
    writer.event(Event::new(3.0, "a", "began")).unwrap();
    writer.finish().unwrap();
}

/// Rows across the border of two groups (2^16 rows each), columns in another order and one of them twice.
#[test]
fn rows_and_columns_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.parquet");
    write(&path);
    let whole = read(&path).unwrap();
    for pieces in [Pieces::open(&path).unwrap(), Pieces::held(whole.clone())] {
        assert_eq!((pieces.rows(), pieces.span()), (ROWS, Some((0.0, (ROWS - 1) as f64 * 0.5))));
        assert_eq!(pieces.events().len(), 1);
        let range = 65_000..66_500;
        let mut found = vec![Vec::new(); 3];
        let mut take = |columns: &[&[f64]]| {
            for (into, from) in found.iter_mut().zip(columns) {
                into.extend_from_slice(from);
            }
        };
        pieces.read(&[2, 0, 2, 99], range.clone(), &mut take).unwrap();
        for (column, values) in [2, 0, 2].into_iter().zip(&found) {
            assert_eq!(values, &whole.values(column).unwrap()[range.clone()]);
        }
    }
}

/// The rows of a time range have a neighbour on each side where there is one.
#[test]
fn rows_of_a_time_range() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.parquet");
    write(&path);
    let pieces = Pieces::open(&path).unwrap();
    assert_eq!(pieces.rows_between(10.0, 11.0).unwrap(), 19..24);
    assert_eq!(pieces.rows_between(-5.0, 0.2).unwrap(), 0..2);
    assert_eq!(pieces.rows_between(40_000.25, 40_000.3).unwrap(), 80_000..80_002);
    assert_eq!(pieces.rows_between(1e9, 2e9).unwrap(), ROWS - 1..ROWS);
    assert!(pieces.rows_between(f64::NAN, f64::NAN).unwrap().len() <= 1);
}

/// The ranges that a file says are those of its values; one without numbers, or with infinite ones, has none.
#[test]
fn ranges_are_known_without_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.parquet");
    let names = ["a", "nan", "infinite", "zero", "mixed"];
    let columns =
        std::iter::once(Column::time()).chain(names.map(|name| Column::new(name, "", ""))).collect();
    let mut writer = PartWriter::create(&path, columns, BTreeMap::new(), PartOptions::default()).unwrap();
    for k in 0..70_000_i32 {
        let t = f64::from(k);
        let mixed = if k % 2 == 0 { f64::NAN } else { -t };
        let infinite = if k == 69_999 { f64::INFINITY } else { 0.0 };
        writer.row(&[t, (t - 35_000.0).abs(), f64::NAN, infinite, 0.0, mixed]).unwrap();
    }
    writer.finish().unwrap();
    let expected =
        [Some((0.0, 69_999.0)), Some((0.0, 35_000.0)), None, None, Some((0.0, 0.0)), Some((-69_999.0, -1.0))];
    assert_eq!(Pieces::open(&path).unwrap().ranges(), expected);
    assert_eq!(Pieces::held(read(&path).unwrap()).ranges(), expected);
}
