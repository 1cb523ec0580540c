//! Recordings against another reader of Parquet.
//!
//! `tests/peer/sample.parquet` is the recording below; `tests/peer/read.py` prints what pyarrow reads of it, and
//! `tests/peer/sample.txt` is what it printed (pyarrow 26.0.1). The test shows that the file is what is written today and
//! that the text is what stands in it. After a change of the format or of the compressor, run
//! `GELENK_RENEW=1 cargo test -p gelenk-io --test all peer` and `python3 crates/gelenk-io/tests/peer/read.py`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use gelenk_io::{PartOptions, PartWriter, read};
use gelenk_record::{Column, Event, Sink};

/// More rows than one group has, few digits, and numbers that are none.
fn write(out: &Path) {
    let columns = vec![
        Column::time(),
        Column::new("joints.knee.φ", "rad", "angle of the knee"),
        Column::new("odd", "", ""),
    ];
    let meta = BTreeMap::from([("title".to_owned(), "Pendel, 2°".to_owned())]);
    let mut writer = PartWriter::create(out, columns, meta, PartOptions::default()).unwrap();
    let odd = [f64::NAN, f64::NEG_INFINITY, -0.0, 5e-324];
    for k in 0..66_000_u32 {
        let t = f64::from(k) * 0.25;
        writer.row(&[t, f64::from(k % 1000) - 0.5 * t, odd[k as usize % 4]]).unwrap();
    }
    writer.event(Event::new(0.5, "joints.knee.stop", "contact closes")).unwrap();
    writer.finish().unwrap();
}

/// What `read.py` prints, told by our own reader.
fn reported(path: &Path) -> String {
    let recording = read(path).unwrap();
    let mut text = format!("{} rows\n", recording.len());
    for (k, column) in recording.columns().iter().enumerate() {
        let _ = writeln!(text, "{} [{}] {}", column.name, column.unit, column.meaning);
        let values = recording.values(k).unwrap();
        for row in [0, 1, 2, 3, 65_535, 65_536, 65_999] {
            let _ = writeln!(text, "  {row} {:016x}", values[row].to_bits());
        }
        let sum = values.iter().fold(0_u64, |sum, value| sum.wrapping_mul(31).wrapping_add(value.to_bits()));
        let _ = writeln!(text, "  all {sum:016x}");
        for group in values.chunks(1 << 16) {
            let known = || group.iter().copied().filter(|value| !value.is_nan());
            let ends = [known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max)];
            // Files say zeros of either sign.
            let [low, high] = ends.map(|end| (end + 0.0).to_bits());
            let _ = writeln!(text, "  range {low:016x} {high:016x}");
        }
    }
    let _ = writeln!(text, "title {}", recording.meta()["title"]);
    for event in recording.events() {
        let _ = writeln!(text, "event {:?} {} {}", event.t, event.element, event.what);
    }
    text
}

#[test]
fn pyarrow_reads_the_same() {
    let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peer");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("sample.parquet");
    write(&out);
    if std::env::var_os("GELENK_RENEW").is_some() {
        fs::copy(&out, peer.join("sample.parquet")).unwrap();
    }
    let known = fs::read(peer.join("sample.parquet")).unwrap();
    assert!(known == fs::read(&out).unwrap(), "what is written is no more what pyarrow has read");
    assert_eq!(reported(&out), fs::read_to_string(peer.join("sample.txt")).unwrap());
}
