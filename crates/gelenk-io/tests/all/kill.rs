//! A process that is killed in the middle of a run loses no row that it announced.

// Helpers of tests are not tests to clippy.
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use gelenk_io::{PartOptions, PartWriter, parts_folder, read, recover};
use gelenk_record::{Column, Sink};

const OUT: &str = "GELENK_TEST_KILLED_RUN";

fn row(i: u32) -> [f64; 2] {
    let t = f64::from(i) * 1e-3;
    [t, t.sin()]
}

/// The part of the process to be killed: writes until it is stopped and announces what is safe.
fn run_until_killed(out: &Path) {
    let columns = vec![Column::time(), Column::new("phi", "rad", "angle")];
    let options = PartOptions { rows: 100, ..PartOptions::default() };
    let mut writer = PartWriter::create(out, columns, Default::default(), options).unwrap();
    let mut announced = 0;
    for i in 0.. {
        writer.row(&row(i)).unwrap();
        if writer.durable() > announced {
            announced = writer.durable();
            // Written as one line, so that a kill cannot cut an announcement into a smaller number.
            std::io::stderr().write_all(format!("durable {announced}\n").as_bytes()).unwrap();
        }
    }
}

#[test]
fn a_killed_process_loses_no_announced_row() {
    if let Some(out) = std::env::var_os(OUT) {
        run_until_killed(Path::new(&out));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run.parquet");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::a_killed_process_loses_no_announced_row", "--nocapture"])
        .env(OUT, &out)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut announced = 0;
    let mut note = |line: String| {
        if let Some(n) = line.strip_prefix("durable ") {
            announced = n.parse::<u64>().unwrap();
        }
        announced
    };
    let mut before = 0;
    while before < 2000 {
        before = note(lines.next().expect("the run ended early").unwrap());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said between our decision and its end counts too.
    let announced = lines.map_while(Result::ok).map(&mut note).last().unwrap_or(before);

    let recovered = recover(&parts_folder(&out), &out).unwrap();
    assert!(recovered.rows >= announced, "{} of {announced} announced rows", recovered.rows);
    let recording = read(&out).unwrap();
    assert_eq!(recording.len() as u64, recovered.rows);
    for (i, (&t, &phi)) in recording.time().iter().zip(recording.column("phi").unwrap()).enumerate() {
        assert_eq!([t, phi], row(i as u32));
    }
}
