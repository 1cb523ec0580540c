//! A recording that is looked at while it is written.

use gelenk_io::{Following, Growth, PartOptions, PartWriter};
use gelenk_record::{Column, Event, Sink};

fn columns() -> Vec<Column> {
    vec![Column::time(), Column::new("phi", "rad", "angle")]
}

/// Rows come part by part; when the run has ended its recording takes the place of the parts.
#[test]
fn rows_come_and_the_recording_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let options = PartOptions { rows: 10, ..PartOptions::default() };
    let mut writer = PartWriter::create(&path, columns(), Default::default(), options).unwrap();
    let row = |writer: &mut PartWriter, k: u32| writer.row(&[f64::from(k), f64::from(2 * k)]).unwrap();
    (0..10).for_each(|k| row(&mut writer, k));
    let (mut following, pieces) = Following::open(&path).unwrap().unwrap();
    assert_eq!(pieces.rows(), 10);
    assert!(matches!(following.grow().unwrap(), Growth::None));
    writer.event(Event::new(12.0, "stop", "closes")).unwrap();
    (10..35).for_each(|k| row(&mut writer, k));
    let Growth::Rows(pieces) = following.grow().unwrap() else { panic!("no more rows") };
    assert_eq!((pieces.rows(), pieces.span(), pieces.events().len()), (30, Some((0.0, 29.0)), 1));
    assert!(matches!(following.grow().unwrap(), Growth::None));
    writer.set_meta("title", "done");
    writer.finish().unwrap();
    let Growth::Complete(pieces) = following.grow().unwrap() else { panic!("not complete") };
    assert_eq!((pieces.rows(), pieces.meta()["title"].as_str()), (35, "done"));
    let mut last = Vec::new();
    pieces.read(&[1], 34..35, &mut |piece| last.extend_from_slice(piece[0])).unwrap();
    assert_eq!(last, [68.0]);
    // What is complete is not followed.
    assert!(Following::open(&path).unwrap().is_none());
}

/// Parts that go without a recording, such as those that somebody deletes, end it.
#[test]
fn parts_that_go_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    assert!(Following::open(&path).unwrap().is_none());
    let options = PartOptions { rows: 5, ..PartOptions::default() };
    let mut writer = PartWriter::create(&path, columns(), Default::default(), options).unwrap();
    (0..5).for_each(|k| writer.row(&[f64::from(k), 0.0]).unwrap());
    let parts = folder.path().join("run.parts");
    let (mut following, pieces) = Following::open(&parts).unwrap().unwrap();
    assert_eq!(pieces.rows(), 5);
    std::fs::remove_dir_all(&parts).unwrap();
    assert!(matches!(following.grow().unwrap(), Growth::Gone));
}
