//! What is on disk stays: a kill, a second kill while a run is resumed, a damaged part.
//!
//! Before, `recover` after a kill during `--resume` replaced 1,656,833 samples by the 602,112 that had been copied, and one
//! damaged part cost the whole run.

use std::fs;
use std::path::{Path, PathBuf};

use gelenk_io::{Begun, Follows, PartOptions, PartWriter, begun, info, parts_folder, read, recover};
use gelenk_record::{Column, Event, Sink};
use tempfile::TempDir;

use super::support::{gelenk, text};

fn columns() -> Vec<Column> {
    vec![Column::time(), Column::new("y", "m", "")]
}

fn options() -> PartOptions {
    PartOptions { rows: 100, ..PartOptions::default() }
}

/// Writes rows `from..to`, with an event every 50 rows and a state at `state`.
fn fill(writer: &mut PartWriter, rows: std::ops::Range<u64>, state: Option<u64>) {
    for k in rows {
        if k.is_multiple_of(50) {
            writer.event(Event::new(k as f64, "a", "b")).unwrap();
        }
        writer.row(&[k as f64, 0.5 * k as f64]).unwrap();
        if state == Some(k) {
            writer.state(format!("state at {k}")).unwrap();
        }
    }
}

/// An interrupted run of 1,000 rows with a state behind row 949.
fn interrupted() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let mut writer = PartWriter::create(&out, columns(), Default::default(), options()).unwrap();
    fill(&mut writer, 0..1000, Some(949));
    writer.set_meta(gelenk_io::STATE, writer.last_state().unwrap().to_owned());
    writer.set_meta("ended", "interrupted");
    writer.finish_early().unwrap();
    (folder, out)
}

fn resumed(out: &Path) -> PartWriter {
    let Begun { recording, notices } = begun(out).unwrap().unwrap();
    assert!(notices.is_empty(), "{notices:?}");
    let state = &recording.meta()[gelenk_io::STATE];
    let rows = state.strip_prefix("state at ").unwrap().parse::<u64>().unwrap() + 1;
    let events = rows.div_ceil(50);
    let follows = Follows::new(rows, events);
    PartWriter::resume(out, columns(), Default::default(), options(), follows).unwrap()
}

/// Checks that rows and events have no gap and none twice.
fn assert_whole(path: &Path, rows: usize) {
    let recording = read(path).unwrap();
    assert_eq!(recording.time(), (0..rows).map(|k| k as f64).collect::<Vec<_>>());
    let events: Vec<f64> = recording.events().iter().map(|event| event.t).collect();
    assert_eq!(events, (0..rows).step_by(50).map(|k| k as f64).collect::<Vec<_>>());
}

#[test]
fn a_kill_during_resume_never_leaves_fewer_rows() {
    // However many rows the resumed run computed before the kill, with and without a state among them.
    for (more, state) in [(0, None), (30, None), (50, None), (120, None), (400, Some(1100))] {
        let (_folder, out) = interrupted();
        let mut writer = resumed(&out);
        assert_eq!(writer.durable(), 1000);
        fill(&mut writer, 950..950 + more, state);
        writer.flush().unwrap();
        assert!(writer.durable() >= 1000);
        drop(writer);
        let rows = (950 + more as usize).max(1000);
        let parts = parts_folder(&out);
        assert_eq!(info(&parts).unwrap().rows, rows as u64);
        assert_whole(&parts, rows);
        // Into another file first, with the folder kept aside, then into its own.
        let aside = out.with_file_name("aside.parts");
        fs::create_dir(&aside).unwrap();
        for entry in fs::read_dir(&parts).unwrap().map(Result::unwrap) {
            fs::copy(entry.path(), aside.join(entry.file_name())).unwrap();
        }
        recover(&aside, &out.with_file_name("aside.parquet")).unwrap();
        assert_whole(&out.with_file_name("aside.parquet"), rows);
        assert_eq!(recover(&parts, &out).unwrap().rows, rows as u64);
        assert_whole(&out, rows);
        // The run can still be resumed from what was recovered, and ends well.
        let from = if state.is_some() { 1101 } else { 950 };
        let mut writer = resumed(&out);
        fill(&mut writer, from..1500, None);
        assert_eq!(writer.finish().unwrap().rows, 1500);
        assert_whole(&out, 1500);
    }
}

#[test]
fn a_run_is_killed_and_resumed_again_and_again() {
    let (_folder, out) = interrupted();
    let mut from = 950;
    for _ in 0..5 {
        let mut writer = resumed(&out);
        fill(&mut writer, from..from + 333, Some(from + 200));
        writer.flush().unwrap();
        drop(writer);
        assert_whole(&parts_folder(&out), from as usize + 333);
        from += 201;
    }
    let mut writer = resumed(&out);
    fill(&mut writer, from..3000, None);
    writer.finish().unwrap();
    assert_whole(&out, 3000);
    assert!(!parts_folder(&out).exists());
}

#[test]
fn an_interrupt_soon_after_resume_keeps_what_was_there() {
    let (_folder, out) = interrupted();
    let mut writer = resumed(&out);
    fill(&mut writer, 950..960, None);
    writer.set_meta("ended", "interrupted again");
    assert_eq!(writer.finish_early().unwrap().rows, 1000);
    assert_whole(&out, 1000);
    assert!(read(&out).unwrap().meta().contains_key(gelenk_io::STATE));
}

#[test]
fn a_recovery_does_not_replace_a_longer_recording() {
    let (folder, out) = interrupted();
    let mut writer = PartWriter::create(&out, columns(), Default::default(), options()).unwrap();
    fill(&mut writer, 0..200, None);
    drop(writer);
    let refused = gelenk(folder.path(), &["recover", "run.parts"]);
    assert!(!refused.status.success());
    assert!(
        text(&refused).contains("run.parquet contains 1000 samples, the parts only 200"),
        "{}",
        text(&refused)
    );
    assert!(!folder.path().join("run.parquet.tmp").exists());
    assert_whole(&out, 1000);
    let replaced = gelenk(folder.path(), &["recover", "run.parts", "--replace"]);
    assert!(replaced.status.success(), "{}", text(&replaced));
    assert_whole(&out, 200);
}

#[test]
fn recover_does_not_overwrite_something_else() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run.parquet");
    let mut writer = PartWriter::create(&out, columns(), Default::default(), options()).unwrap();
    fill(&mut writer, 0..200, None);
    drop(writer);
    fs::write(folder.path().join("model.toml"), "schema = 1\n").unwrap();
    let refused = gelenk(folder.path(), &["recover", "run.parts", "-o", "model.toml"]);
    assert!(!refused.status.success() && text(&refused).contains("not a recording"), "{}", text(&refused));
    assert_eq!(fs::read_to_string(folder.path().join("model.toml")).unwrap(), "schema = 1\n");
    let elsewhere = gelenk(folder.path(), &["recover", "run.parts", "-o", "other.parquet"]);
    assert!(elsewhere.status.success(), "{}", text(&elsewhere));
    assert_whole(&folder.path().join("other.parquet"), 200);
}

#[test]
fn a_damaged_part_costs_that_part_only() {
    for missing in [false, true] {
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("run.parquet");
        let mut writer = PartWriter::create(&out, columns(), Default::default(), options()).unwrap();
        fill(&mut writer, 0..1000, None);
        drop(writer);
        let part = folder.path().join("run.parts/part-000003.parquet");
        let bytes = fs::read(&part).unwrap();
        if missing {
            fs::remove_file(&part).unwrap();
        } else {
            fs::write(&part, &bytes[..bytes.len() / 2]).unwrap();
        }
        let refused = gelenk(folder.path(), &["recover", "run.parts"]);
        let message = text(&refused);
        assert!(!refused.status.success() && message.contains("part-000003.parquet"), "{message}");
        assert!(message.contains("`stop`") && message.contains("`skip`"), "{message}");
        let stop =
            gelenk(folder.path(), &["recover", "run.parts", "--damaged", "stop", "-o", "stop.parquet"]);
        assert!(
            stop.status.success() && text(&stop).contains("part-000003.parquet was omitted"),
            "{}",
            text(&stop)
        );
        assert_whole(&folder.path().join("stop.parquet"), 300);
        let skip =
            gelenk(folder.path(), &["recover", "run.parts", "--damaged", "skip", "-o", "skip.parquet"]);
        assert!(skip.status.success(), "{}", text(&skip));
        let recording = read(&folder.path().join("skip.parquet")).unwrap();
        let times: Vec<f64> = (0..300).chain(400..1000).map(f64::from).collect();
        assert_eq!(recording.time(), times);
        assert_eq!(recording.meta()["left_out"], "part-000003.parquet");
        // What was left out stays on disk.
        assert!(folder.path().join("run.parts/part-000009.parquet").exists());
    }
}

#[test]
fn a_run_that_was_killed_before_its_first_part_starts_from_the_beginning() {
    let folder = TempDir::new().unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/pendulum/model.toml");
    let model = model.to_str().unwrap();
    let arguments = ["run", model, "--until", "1 s", "-o", "run.parquet", "--resume"];
    // Nothing at all, an empty folder, and an empty folder beside what the run was to replace.
    for _ in 0..3 {
        let started = gelenk(folder.path(), &arguments);
        assert!(started.status.success(), "{}", text(&started));
        assert!(text(&started).contains("starts from the beginning"), "{}", text(&started));
        assert!(folder.path().join("run.parquet").is_file());
        fs::create_dir(folder.path().join("run.parts")).unwrap();
        fs::write(folder.path().join("run.parts/lock"), "").unwrap();
    }
}
