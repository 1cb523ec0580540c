//! Recordings cross the disk bit for bit, survive kills, and damaged files are told apart from good ones.

// Helpers of tests are not tests to clippy.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gelenk_io::{IoError, PartOptions, PartWriter, info, parts_folder, read, recover};
use gelenk_record::{Column, Event, Recording, Sink, SinkError};
use proptest::prelude::*;
use tempfile::TempDir;

const NEVER: Duration = Duration::from_secs(3600);

fn columns() -> Vec<Column> {
    vec![
        Column::time(),
        Column::new("phi", "rad", "angle of the knee"),
        Column::new("friction.knee.force", "N m", "effort against the motion"),
    ]
}

fn meta() -> BTreeMap<String, String> {
    [("title", "Pendel, 2°"), ("parameters.bodies.rod.mass", "0.15 kg"), ("odd", "gelenk-crc32:deadbeef")]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into()
}

fn row(i: u32) -> [f64; 3] {
    let t = f64::from(i) * 1e-3;
    [t, (3.0 * t).sin(), -(7.0 * t).cos()]
}

/// A recording in memory of the first `rows` rows, with an event at every hundredth.
fn expected(rows: u32) -> Recording {
    let mut recording = Recording::new(columns()).unwrap();
    *recording.meta_mut() = meta();
    for i in 0..rows {
        recording.push(&row(i)).unwrap();
        if i % 100 == 0 {
            recording.push_event(Event::new(row(i)[0], "joints.knee.stop", format!("closed\t{i}\nagain")));
        }
    }
    recording
}

fn write(recording: &Recording, out: &Path, options: PartOptions) -> PartWriter {
    let mut writer =
        PartWriter::create(out, recording.columns().to_vec(), recording.meta().clone(), options).unwrap();
    let mut events = recording.events().iter().peekable();
    for i in 0..recording.len() {
        let row: Vec<f64> = (0..recording.columns().len()).map(|c| recording.values(c).unwrap()[i]).collect();
        writer.row(&row).unwrap();
        while events.peek().is_some_and(|e| e.t <= row[0]) {
            writer.event(events.next().unwrap().clone()).unwrap();
        }
    }
    for event in events {
        writer.event(event.clone()).unwrap();
    }
    writer
}

fn by_rows(rows: usize) -> PartOptions {
    PartOptions { rows, period: NEVER }
}

/// A folder of parts left by a run that was killed: `rows` rows written, `part` rows a part.
fn killed(rows: u32, part: usize) -> (TempDir, PathBuf, PathBuf, u64) {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let writer = write(&expected(rows), &out, by_rows(part));
    let durable = writer.durable();
    let parts = writer.folder().to_owned();
    drop(writer);
    (folder, out, parts, durable)
}

#[test]
fn a_finished_recording_reads_back_identical_and_leaves_no_parts() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let recording = expected(10_000);
    let finished = write(&recording, &out, PartOptions::default()).finish().unwrap();
    assert_eq!(finished.rows, 10_000);
    assert_eq!(finished.bytes, fs::metadata(&out).unwrap().len());
    assert!(read(&out).unwrap().identical(&recording));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["run.parquet"]);
}

#[test]
fn the_bytes_depend_on_the_content_only() {
    let folder = TempDir::new().unwrap();
    // More rows than one row group, cut into parts at different places, once by a clock that always strikes.
    let recording = expected(70_000);
    let always = PartOptions { rows: 4096, period: Duration::ZERO };
    let short = expected(50);
    let mut files = Vec::new();
    for (name, options) in [("a", by_rows(4096)), ("b", by_rows(1000)), ("c", by_rows(100_000))] {
        let out = folder.path().join(name);
        write(&recording, &out, options).finish().unwrap();
        files.push(fs::read(&out).unwrap());
    }
    assert!(files[0] == files[1] && files[1] == files[2]);
    let (d, e) = (folder.path().join("d"), folder.path().join("e"));
    write(&short, &d, always).finish().unwrap();
    write(&short, &e, by_rows(7)).finish().unwrap();
    assert_eq!(fs::read(&d).unwrap(), fs::read(&e).unwrap());
    assert!(read(&d).unwrap().identical(&short));
}

#[test]
fn after_a_kill_every_announced_row_is_recovered() {
    let (_folder, out, parts, durable) = killed(1234, 100);
    assert_eq!(durable, 1200);
    assert!(matches!(read(&out), Err(IoError::Unfinished { .. })));
    // While the parts lie there they can be looked at.
    assert!(read(&parts).unwrap().identical(&expected(1200)));
    let recovered = recover(&parts, &out).unwrap();
    assert_eq!((recovered.rows, recovered.parts, recovered.already), (1200, 12, false));
    assert!(recovered.notices.is_empty());
    assert!(read(&out).unwrap().identical(&expected(1200)));
    // The same bytes as if the run had ended there.
    let bytes = fs::read(&out).unwrap();
    write(&expected(1200), &out, PartOptions::default()).finish().unwrap();
    assert_eq!(bytes, fs::read(&out).unwrap());
}

#[test]
fn recovering_twice_is_harmless() {
    let (_folder, out, parts, _) = killed(1000, 100);
    recover(&parts, &out).unwrap();
    let bytes = fs::read(&out).unwrap();
    let again = recover(&parts, &out).unwrap();
    assert_eq!((again.rows, again.already), (1000, true));
    assert_eq!(bytes, fs::read(&out).unwrap());
    assert!(matches!(recover(&parts, &out.with_file_name("other")), Err(IoError::File { .. })));
}

#[test]
fn a_kill_while_writing_a_part_leaves_only_a_temporary_file_that_is_ignored() {
    let (_folder, out, parts, _) = killed(1000, 100);
    fs::write(parts.join("part-000010.parquet.tmp"), b"half a part").unwrap();
    assert_eq!(recover(&parts, &out).unwrap().rows, 1000);
}

#[test]
fn a_torn_last_part_is_left_out_with_a_notice_and_kept() {
    let (_folder, out, parts, _) = killed(1000, 100);
    let last = parts.join("part-000009.parquet");
    let bytes = fs::read(&last).unwrap();
    for length in [0, 7, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&last, &bytes[..length]).unwrap();
        let recovered = recover(&parts, &out).unwrap();
        assert_eq!((recovered.rows, recovered.parts), (900, 9));
        assert_eq!(recovered.notices.len(), 1);
        assert!(recovered.notices[0].contains("part-000009.parquet"), "{:?}", recovered.notices);
        assert!(read(&out).unwrap().identical(&expected(900)));
        assert!(last.exists());
        assert_eq!(info(&parts).unwrap().notices, recovered.notices);
    }
}

#[test]
fn a_damaged_part_in_the_middle_and_a_gap_are_errors_that_name_the_part() {
    let (_folder, out, parts, _) = killed(1000, 100);
    let middle = parts.join("part-000004.parquet");
    let bytes = fs::read(&middle).unwrap();
    fs::write(&middle, &bytes[..bytes.len() - 1]).unwrap();
    let message = recover(&parts, &out).unwrap_err().to_string();
    assert!(message.contains("part-000004.parquet is damaged"), "{message}");
    fs::remove_file(&middle).unwrap();
    let message = recover(&parts, &out).unwrap_err().to_string();
    assert!(message.contains("part 4 is missing but part 5 exists"), "{message}");
    assert!(!out.exists());
    fs::write(&middle, &bytes).unwrap();
    assert_eq!(recover(&parts, &out).unwrap().rows, 1000);
}

#[test]
fn parts_of_another_run_are_not_mixed_in() {
    let (_folder, out, parts, _) = killed(1000, 100);
    let other = out.with_file_name("other.parquet");
    let mut writer = PartWriter::create(&other, vec![Column::time()], meta(), by_rows(1)).unwrap();
    writer.row(&[0.0]).unwrap();
    fs::copy(parts_folder(&other).join("part-000000.parquet"), parts.join("part-000010.parquet")).unwrap();
    assert!(recover(&parts, &out).unwrap_err().to_string().contains("part-000010.parquet"));
}

#[test]
fn a_new_run_does_not_overwrite_an_unrecovered_one() {
    let (_folder, out, parts, _) = killed(1000, 100);
    let error = PartWriter::create(&out, columns(), meta(), by_rows(100)).unwrap_err();
    assert!(matches!(error, IoError::Unrecovered { .. }), "{error}");
    recover(&parts, &out).unwrap();
    assert!(PartWriter::create(&out, columns(), meta(), by_rows(100)).is_ok());
}

#[test]
fn two_writers_or_a_recovery_cannot_share_a_folder() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let writer = write(&expected(100), &out, by_rows(10));
    let second = PartWriter::create(&out, columns(), meta(), by_rows(10)).unwrap_err();
    assert!(matches!(second, IoError::InUse { .. }), "{second}");
    assert!(matches!(recover(writer.folder(), &out), Err(IoError::InUse { .. })));
    assert_eq!(writer.finish().unwrap().rows, 100);
}

#[test]
fn a_kill_during_the_removal_of_parts_cannot_shorten_the_recording() {
    let (_folder, out, parts, _) = killed(1000, 100);
    let removed = parts.with_file_name("run.parts.removed");
    fs::create_dir(&removed).unwrap();
    fs::copy(parts.join("part-000000.parquet"), removed.join("part-000000.parquet")).unwrap();
    assert_eq!(recover(&parts, &out).unwrap().rows, 1000);
    assert!(!removed.exists());
    assert_eq!(recover(&parts, &out).unwrap().rows, 1000);
}

#[test]
fn a_slow_run_announces_its_rows_too() {
    let folder = TempDir::new().unwrap();
    let options = PartOptions { rows: 4096, period: Duration::from_millis(20) };
    let mut writer = PartWriter::create(&folder.path().join("run"), columns(), meta(), options).unwrap();
    writer.row(&row(0)).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    writer.row(&row(1)).unwrap();
    assert_eq!(writer.durable(), 2);
    assert!(read(writer.folder()).unwrap().len() == 2);
}

#[test]
fn bad_rows_are_refused_and_good_ones_kept() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run");
    let mut writer = PartWriter::create(&out, columns(), meta(), by_rows(2)).unwrap();
    writer.row(&[1.0, f64::NAN, f64::INFINITY]).unwrap();
    assert!(matches!(writer.row(&[2.0]), Err(SinkError::RowLength { .. })));
    assert!(matches!(writer.row(&[0.5, 0.0, 0.0]), Err(SinkError::Time { .. })));
    assert!(matches!(writer.row(&[f64::NAN, 0.0, 0.0]), Err(SinkError::Time { .. })));
    assert_eq!(writer.finish().unwrap().rows, 1);
}

#[test]
fn a_failing_disk_keeps_the_rows_for_a_later_try() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run");
    let mut writer = PartWriter::create(&out, columns(), meta(), by_rows(2)).unwrap();
    let parts = writer.folder().to_owned();
    let aside = parts.with_file_name("aside");
    fs::rename(&parts, &aside).unwrap();
    writer.row(&row(0)).unwrap();
    assert!(matches!(writer.row(&row(1)), Err(SinkError::Storage(_))));
    assert!(matches!(writer.row(&row(2)), Err(SinkError::Storage(_))));
    assert_eq!(writer.durable(), 0);
    fs::rename(&aside, &parts).unwrap();
    writer.row(&row(2)).unwrap();
    assert_eq!(writer.durable(), 2);
    assert_eq!(writer.finish().unwrap().rows, 3);
}

#[test]
fn a_run_without_rows_keeps_columns_metadata_and_events() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let mut recording = Recording::new(columns()).unwrap();
    *recording.meta_mut() = meta();
    write(&recording, &out, PartOptions::default()).finish().unwrap();
    assert!(read(&out).unwrap().identical(&recording));
    recording.push_event(Event::new(0.0, "joints.knee", "no start"));
    write(&recording, &out, PartOptions::default()).finish().unwrap();
    assert!(read(&out).unwrap().identical(&recording));
}

#[test]
fn metadata_known_at_the_end_is_in_the_file() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let mut writer = write(&expected(100), &out, by_rows(100));
    writer.set_meta("energy.residue", "1e-12 J");
    writer.finish().unwrap();
    assert_eq!(info(&out).unwrap().meta["energy.residue"], "1e-12 J");
}

#[test]
fn info_summarises_file_and_parts_alike() {
    let (_folder, out, parts, _) = killed(1000, 300);
    let before = info(&parts).unwrap();
    assert_eq!((before.rows, before.parts), (900, Some(3)));
    recover(&parts, &out).unwrap();
    let after = info(&out).unwrap();
    assert_eq!((after.rows, after.parts), (900, None));
    assert_eq!(after.bytes, fs::metadata(&out).unwrap().len());
    assert_eq!((&before.columns, &before.meta, &before.events), (&after.columns, &after.meta, &after.events));
    assert_eq!(after.meta, meta());
    let recording = expected(900);
    for (i, column) in after.columns.iter().enumerate() {
        assert_eq!(column.column, recording.columns()[i]);
        assert_eq!(column.range, recording.extremes(&column.column.name).unwrap());
        assert_eq!(column.last, recording.values(i).unwrap().last().copied());
    }
}

#[test]
fn files_that_are_not_recordings_are_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notes.txt");
    for content in
        [&b""[..], b"PAR1", b"PAR1PAR1", b"hello world, this is a text", b"PAR1\xff\xff\xff\x7fPAR1"]
    {
        fs::write(&path, content).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("notes.txt"), "{message}");
    }
    assert!(matches!(read(&folder.path().join("nothing")), Err(IoError::File { .. })));
    assert!(matches!(read(folder.path()), Err(IoError::NoParts { .. })));
}

#[test]
fn every_cut_and_many_changes_of_a_file_are_errors_and_never_a_panic() {
    let (folder, out, parts, _) = killed(60, 60);
    let part = parts.join("part-000000.parquet");
    let part_bytes = fs::read(&part).unwrap();
    let copy = folder.path().join("copy.parts");
    fs::create_dir(&copy).unwrap();
    recover(&parts, &out).unwrap();
    let file_bytes = fs::read(&out).unwrap();
    for (bytes, target, path) in
        [(part_bytes, copy.join("part-000000.parquet"), copy.clone()), (file_bytes, out.clone(), out.clone())]
    {
        for length in 0..bytes.len() {
            fs::write(&target, &bytes[..length]).unwrap();
            assert!(read(&path).is_err(), "{} cut to {length} bytes", target.display());
        }
        // Every byte once, with a bit that moves along.
        for i in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[i] ^= 1 << (i % 8);
            fs::write(&target, &changed).unwrap();
            assert!(read(&path).is_err(), "{} byte {i}", target.display());
        }
    }
}

#[test]
fn a_changed_metadata_entry_is_damage() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    write(&expected(10), &out, by_rows(100)).finish().unwrap();
    let mut bytes = fs::read(&out).unwrap();
    let key = b"gelenk.format";
    let at = bytes.windows(key.len()).position(|w| w == key).unwrap() + key.len();
    // Thrift puts the type and the length of the value between key and value.
    let digit = (at..at + 4).find(|&i| bytes[i] == b'2').unwrap();
    bytes[digit] = b'3';
    fs::write(&out, &bytes).unwrap();
    assert!(matches!(read(&out), Err(IoError::Damaged { .. })));
}

proptest! {
    // Parts are synced to disk, so their number is what this test costs.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_rows_come_back_bit_for_bit(
        steps in prop::collection::vec((0.0..1e3_f64, any::<u64>(), any::<u64>()), 0..150),
        part in 7_usize..50,
        start in -1e6..1e6_f64,
    ) {
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("run.parquet");
        let mut recording = Recording::new(columns()).unwrap();
        let mut t = start;
        for (step, a, b) in steps {
            // Any bits at all in the columns, NaN with payload among them; time never falls.
            recording.push(&[t, f64::from_bits(a), f64::from_bits(b)]).unwrap();
            t += step;
        }
        let writer = write(&recording, &out, by_rows(part));
        let durable = usize::try_from(writer.durable()).unwrap();
        prop_assert_eq!(durable, recording.len() / part * part);
        if durable > 0 {
            let partial = read(writer.folder()).unwrap();
            prop_assert_eq!(partial.len(), durable);
        }
        writer.finish().unwrap();
        prop_assert!(read(&out).unwrap().identical(&recording));
    }
}
