//! What stands in a report.
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gelenk_io::Pieces;
use gelenk_record::{Column, Event, Recording};
use gelenk_studio::Run;
use gelenk_studio::report::{ReportOptions, write_with};

fn recording(rows: usize) -> Recording {
    let columns = vec![Column::time(), Column::new("</script><b>", "m", "<!-- &"), Column::new("y", "N", "")];
    let time: Vec<f64> = (0..rows).map(|k| k as f64 / 8.0).collect();
    let mut wave: Vec<f64> = time.iter().map(|t| t.sin()).collect();
    wave[rows / 2] = 50.0;
    let line = time.iter().map(|t| 1.0 / (1.0 + t)).collect();
    let mut recording = Recording::from_data(columns, vec![time, wave, line]).unwrap();
    recording.meta_mut().insert("title".into(), "</script><script>alert(1)</script>".into());
    recording.meta_mut().insert("scene".into(), "{\"version\":1}".into());
    recording.push_event(Event::new(1.0, "<i>", "</script>"));
    recording
}

fn report(recording: Recording, options: ReportOptions) -> (String, Vec<(usize, usize)>) {
    let mut out = Vec::new();
    let facts =
        write_with(("BEFORE", "AFTER"), &[Run::new("run", Pieces::held(recording))], &options, &mut out)
            .unwrap();
    assert_eq!(facts.bytes, out.len());
    (String::from_utf8(out).unwrap(), facts.rows)
}

/// The numbers of a column, unpacked as the page does it.
fn column(report: &str, number: usize) -> Vec<f64> {
    let open = format!("<script type=\"text/plain\" id=\"gelenk-0-{number}\">");
    let text = report.split_once(&open).unwrap().1.split_once("</script>").unwrap().0;
    let mut planes = Vec::new();
    flate2::read::DeflateDecoder::new(&STANDARD.decode(text).unwrap()[..]).read_to_end(&mut planes).unwrap();
    let rows = planes.len() / 8;
    (0..rows).map(|row| f64::from_le_bytes(std::array::from_fn(|byte| planes[byte * rows + row]))).collect()
}

/// Texts of a recording cannot end their element: the only tags are our own.
#[test]
fn texts_of_a_recording_stay_texts() {
    let (report, _) = report(recording(10), ReportOptions { rows: None });
    assert!(report.starts_with("BEFORE<script type=\"application/json\"") && report.ends_with("AFTER"));
    assert_eq!(report.matches("<script").count(), 4);
    assert_eq!(report.matches("</script").count(), 4);
    assert!(!report.contains("<!--") && !report.contains("<i>"));
    let index = report.split_once("gelenk-index\">").unwrap().1.split_once("</script>").unwrap().0;
    let index: serde_json::Value = serde_json::from_str(index).unwrap();
    assert_eq!(index["runs"][0]["meta"]["title"], "</script><script>alert(1)</script>");
    assert_eq!(index["runs"][0]["columns"][1][0], "</script><b>");
    assert_eq!(index["runs"][0]["scene"]["version"], 1);
    assert_eq!(index["runs"][0]["events"][0][2], "</script>");
}

/// Short recordings stand in a report to the bit.
#[test]
fn numbers_are_packed_without_loss() {
    let whole = recording(1000);
    let (report, rows) = report(whole.clone(), ReportOptions { rows: None });
    assert_eq!(rows, [(1000, 1000)]);
    for number in 0..3 {
        assert_eq!(column(&report, number), whole.values(number).unwrap());
    }
}

/// Long ones keep their extremes, with their times.
#[test]
fn long_recordings_are_thinned() {
    let whole = recording(200_000);
    let (report, rows) = report(whole.clone(), ReportOptions { rows: Some(3000) });
    assert!(rows[0].0 <= 3000 && rows[0].1 == 200_000, "{rows:?}");
    let (time, wave) = (column(&report, 0), column(&report, 1));
    let spike = wave.iter().position(|&v| v == 50.0).unwrap();
    assert_eq!(time[spike], 12_500.0);
    assert_eq!((time[0], time[time.len() - 1]), (0.0, 199_999.0 / 8.0));
}
