use gelenk_record::{Column, Event};

use super::panel::panels;
use super::*;
use crate::drawing::{Anchor, Colour, Dash, Mark, OKABE_ITO};

fn swing(rows: u32) -> Recording {
    let columns = ["phi", "psi", "phi.rate", "residue"].into_iter().zip(["rad", "rad", "rad/s", ""]);
    let columns = columns.map(|(name, unit)| Column::new(name, unit, ""));
    let mut recording = Recording::new(std::iter::once(Column::time()).chain(columns).collect()).unwrap();
    for i in 0..rows {
        let t = f64::from(i) * 0.01;
        recording.push(&[t, t.sin(), t.cos(), t.cos(), 1e-9 * t]).unwrap();
    }
    recording
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

/// Lines of this colour that are curves, not swatches of the legend.
fn curves(drawing: &Drawing, wanted: Colour) -> Vec<&[[f64; 2]]> {
    let curve = |mark| match mark {
        &Mark::Line { ref points, colour, width: 2.0, .. } if colour == wanted => Some(points.as_slice()),
        _ => None,
    };
    drawing.marks.iter().filter_map(curve).collect()
}

fn texts<'a>(drawing: &'a Drawing) -> Vec<&'a str> {
    let text = |mark: &'a Mark| match mark {
        Mark::Text { content, .. } => Some(content.as_str()),
        _ => None,
    };
    drawing.marks.iter().filter_map(text).collect()
}

#[test]
fn columns_of_a_unit_share_a_panel_over_one_axis() {
    let recording = swing(500);
    let runs = [("run", &recording)];
    let shared = panels(&runs, &[], &PlotOptions::default()).unwrap();
    let found: Vec<(&str, usize)> = shared.iter().map(|p| (p.unit, p.series.len())).collect();
    assert_eq!(found, [("rad", 2), ("rad/s", 1), ("1", 1)]);
    let drawing = draw(&runs, &[], &PlotOptions::default()).unwrap();
    for text in ["[rad]", "phi.rate [rad/s]", "residue [10\u{207b}\u{2079}]", "t [s]", "psi"] {
        assert_eq!(texts(&drawing).iter().filter(|t| **t == text).count(), 1, "{text}");
    }
    assert_eq!((curves(&drawing, OKABE_ITO[0]).len(), curves(&drawing, OKABE_ITO[1]).len()), (3, 1));
    assert_eq!(drawing.width, 960);
    let apart = PlotOptions { apart: true, ..PlotOptions::default() };
    assert_eq!(panels(&[("a", &recording), ("b", &recording)], &[], &apart).unwrap().len(), 4);
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    let recording = swing(5000);
    let draw = || plot(&[("run", &recording)], &[], &PlotOptions::default()).unwrap();
    assert_eq!(draw(), draw());
}

#[test]
fn values_that_are_not_finite_break_the_line() {
    let mut recording = Recording::new(vec![Column::time(), Column::new("phi", "rad", "")]).unwrap();
    for i in 0..100 {
        let value = if i == 30 || i == 60 { f64::NAN } else { f64::from(i) };
        recording.push(&[f64::from(i), value]).unwrap();
    }
    let drawing = draw(&[("run", &recording)], &[], &PlotOptions::default()).unwrap();
    assert_eq!(curves(&drawing, OKABE_ITO[0]).len(), 3);
    let mut nothing = Recording::new(vec![Column::time(), Column::new("phi", "rad", "")]).unwrap();
    nothing.push(&[0.0, f64::INFINITY]).unwrap();
    let drawing = draw(&[("run", &nothing)], &[], &PlotOptions::default()).unwrap();
    assert!(texts(&drawing).contains(&"no finite values"));
}

/// A million rows become a small picture, in which a spike of one row still reaches its height: the range of the axis is
/// 1 and 6 per cent at each end of a panel of 300 pixels.
#[test]
fn long_lines_are_thinned_and_spikes_stay() {
    let mut recording = Recording::new(vec![Column::time(), Column::new("u", "V", "")]).unwrap();
    for i in 0..1_000_000 {
        recording.push(&[f64::from(i) * 1e-3, if i == 654_321 { 1.0 } else { 0.0 }]).unwrap();
    }
    let drawing = draw(&[("run", &recording)], &[], &PlotOptions::default()).unwrap();
    let curve = curves(&drawing, OKABE_ITO[0]).concat();
    assert!(curve.len() < 10, "{} points", curve.len());
    let heights = curve.iter().map(|p| p[1]);
    let height = heights.clone().fold(f64::MIN, f64::max) - heights.fold(f64::MAX, f64::min);
    assert!((height - 300.0 / 1.12).abs() < 1.0, "{height}");
    assert!(plot(&[("run", &swing(1_000_000))], &[], &PlotOptions::default()).unwrap().len() < 100_000);
}

#[test]
fn several_recordings_are_told_apart() {
    let (a, b) = (swing(100), swing(200));
    let both = [("measured", &a), ("fitted", &b)];
    let drawing = draw(&both, &names(&["phi.rate"]), &PlotOptions::default()).unwrap();
    assert_eq!((curves(&drawing, OKABE_ITO[0]).len(), curves(&drawing, OKABE_ITO[1]).len()), (1, 1));
    assert!(texts(&drawing).contains(&"measured") && texts(&drawing).contains(&"fitted"));
    let drawing = draw(&both, &names(&["phi", "psi"]), &PlotOptions::default()).unwrap();
    assert!(texts(&drawing).contains(&"psi (fitted)"));
    // One line and one swatch for each of the two dashed ones.
    let dashed = drawing.marks.iter().filter(|m| matches!(m, Mark::Line { dash: Dash::Dashed, .. }));
    assert_eq!(dashed.count(), 4);
}

/// A circle in the plane of two columns is round: its width and height in pixels agree to the tolerance of the curve.
#[test]
fn equal_axes_leave_a_circle_round() {
    let recording = swing(700);
    let options = PlotOptions { x: Some("psi".into()), equal: true, ..PlotOptions::default() };
    let drawing = draw(&[("run", &recording)], &names(&["phi"]), &options).unwrap();
    let circle = curves(&drawing, OKABE_ITO[0]).concat();
    let extent = |k: usize| {
        let values = circle.iter().map(|p| p[k]);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    assert!((extent(0) - extent(1)).abs() < 0.5, "{} x {}", extent(0), extent(1));
    assert!(extent(1) > 200.0);
    // The path begins where its dot is.
    let dot = drawing.marks.iter().find_map(|m| if let Mark::Disc { at, .. } = m { Some(*at) } else { None });
    assert_eq!(dot, circle.first().copied());
}

#[test]
fn a_part_of_the_time_and_events_can_be_drawn() {
    let mut recording = swing(1000);
    recording.push_event(Event::new(3.0, "joints.knee.stop", "contact closes"));
    recording.push_event(Event::new(9.0, "joints.knee.stop", "contact opens"));
    let options = PlotOptions { from: Some(2.0), to: Some(4.0), events: true, ..PlotOptions::default() };
    let drawing = draw(&[("run", &recording)], &names(&["phi"]), &options).unwrap();
    assert!(
        texts(&drawing).contains(&"2.0")
            && texts(&drawing).contains(&"4.0")
            && !texts(&drawing).contains(&"5.0")
    );
    let marked = drawing.marks.iter().filter(|m| matches!(m, Mark::Line { dash: Dash::Dotted, .. }));
    assert_eq!(marked.count(), 1);
    let late = PlotOptions { from: Some(20.0), ..PlotOptions::default() };
    let message = draw(&[("run", &recording)], &names(&["phi"]), &late).unwrap_err().to_string();
    assert!(message.ends_with("the recordings go from 0 s to 9.99 s"), "{message}");
}

#[test]
fn mistakes_are_answered_with_the_way_out() {
    let recording = swing(10);
    let fail = |columns: &[&str], options: PlotOptions| {
        plot(&[("run", &recording)], &names(columns), &options).unwrap_err().to_string()
    };
    let unknown = "run: there is no column `phi.rat`; did you mean `phi.rate`?";
    assert_eq!(fail(&["phi.rat"], PlotOptions::default()), unknown);
    let x = PlotOptions { x: Some("fi".into()), ..PlotOptions::default() };
    assert!(fail(&["phi"], x).starts_with("run: there is no column `fi`"));
    for (width, height) in [(0, None), (u32::MAX, None), (960, Some(50)), (960, Some(u32::MAX))] {
        let options = PlotOptions { width, height, ..PlotOptions::default() };
        assert!(fail(&["phi"], options).contains("cannot hold 1 panels"));
    }
    assert!(matches!(plot(&[], &[], &PlotOptions::default()), Err(PlotError::Empty)));
    let mut bare = Recording::new(vec![Column::time()]).unwrap();
    bare.push(&[0.0]).unwrap();
    assert!(matches!(plot(&[("run", &bare)], &[], &PlotOptions::default()), Err(PlotError::NoColumns)));
    let many = (0..200).map(|k| Column::new(format!("c{k}"), format!("unit{k}"), ""));
    let mut many = Recording::new(std::iter::once(Column::time()).chain(many).collect()).unwrap();
    many.push(&[0.0; 201]).unwrap();
    let message = plot(&[("run", &many)], &[], &PlotOptions::default()).unwrap_err().to_string();
    assert!(
        message.starts_with("200 panels need ") && message.ends_with("choose fewer columns"),
        "{message}"
    );
    assert!(matches!(plot(&[("run", &swing(0))], &[], &PlotOptions::default()), Err(PlotError::Empty)));
}

/// Both files of a plot with a name that means something in XML: the text is a snapshot, the pixels have the size.
#[test]
fn the_picture_as_a_file() {
    let (a, b) = (swing(300), swing(200));
    let options =
        PlotOptions { title: Some("<swing> & \"settle\"".into()), width: 480, ..PlotOptions::default() };
    let runs = [("first", &a), ("second", &b)];
    insta::assert_snapshot!("time", plot(&runs, &names(&["phi", "phi.rate"]), &options).unwrap());
    let phase = PlotOptions { x: Some("phi".into()), ..options };
    insta::assert_snapshot!("phase", plot(&runs, &names(&["phi.rate"]), &phase).unwrap());
    let png = plot_png(&runs, &names(&["phi.rate"]), &phase, 2.0).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    assert_eq!(reader.info().width, 960);
}

/// A column on the right fills the height of the panel by itself: the largest residue, 2e-9, stands as high as the largest
/// angle, 1 rad, and its ticks stand right of the frame.
#[test]
fn a_second_axis_has_its_own_scale() {
    let run = swing(200);
    let runs = [("swing", &run)];
    let options = PlotOptions { right: names(&["residue"]), ..PlotOptions::default() };
    let drawing = draw(&runs, &names(&["phi"]), &options).unwrap();
    let top = |colour: Colour| {
        let lines = curves(&drawing, colour);
        assert!(!lines.is_empty());
        lines.iter().flat_map(|line| line.iter()).map(|p| p[1]).fold(f64::MAX, f64::min)
    };
    let tops = [top(OKABE_ITO[0]), top(OKABE_ITO[1])];
    assert!((tops[0] - tops[1]).abs() < 8.0, "{tops:?}");
    for text in ["phi", "residue \u{2192}", "[rad]", "[10\u{207b}\u{2079}]"] {
        assert_eq!(texts(&drawing).iter().filter(|t| **t == text).count(), 1, "{text}");
    }
    let beside = |m: &&Mark| matches!(m, Mark::Text { at, .. } if at[0] > f64::from(drawing.width) - 60.0);
    assert!(drawing.marks.iter().filter(beside).count() >= 4);
    // One axis, one unit.
    let both = PlotOptions { right: names(&["phi", "residue"]), ..PlotOptions::default() };
    let error = draw(&runs, &names(&["psi"]), &both).unwrap_err().to_string();
    assert_eq!(error, "an axis has one unit, but the columns for the one on the right have `rad` and `1`");
}

/// One sample, and samples between ones that are not finite, are dots; a line through one point would not be seen.
#[test]
fn lonely_samples_are_dots() {
    let dots = |recording: &Recording| {
        let drawing = draw(&[("run", recording)], &names(&["phi"]), &PlotOptions::default()).unwrap();
        assert!(curves(&drawing, OKABE_ITO[0]).is_empty());
        drawing.marks.iter().filter(|mark| matches!(mark, Mark::Disc { .. })).count()
    };
    assert_eq!(dots(&swing(1)), 1);
    let mut gaps = Recording::new(vec![Column::time(), Column::new("phi", "rad", "")]).unwrap();
    for k in 0..10 {
        gaps.push(&[f64::from(k), if k % 2 == 0 { f64::from(k) } else { f64::NAN }]).unwrap();
    }
    assert_eq!(dots(&gaps), 5);
}

/// Texts that are too long lose their middle and keep inside of the picture: 0.6 of the size is the mean width of a letter
/// of DejaVu Sans.
#[test]
fn long_names_are_shortened() {
    let long = "machine.".repeat(40);
    let columns = ["left", "right"].map(|end| Column::new(format!("{long}{end}"), "kg m^2/s^2", ""));
    let mut recording = Recording::new([vec![Column::time()], columns.to_vec()].concat()).unwrap();
    recording.push(&[0.0, 1.0, 2.0]).unwrap();
    recording.push(&[1.0, 1.0, 2.0]).unwrap();
    let options =
        PlotOptions { title: Some(long.clone()), x: Some(format!("{long}left")), ..PlotOptions::default() };
    for options in [
        PlotOptions { apart: true, x: None, ..options.clone() },
        PlotOptions { x: None, ..options.clone() },
        options,
    ] {
        let drawing = draw(&[("run", &recording)], &[], &options).unwrap();
        for mark in &drawing.marks {
            if let Mark::Text { content, at, size, anchor: Anchor::Start, .. } = mark {
                let width = content.chars().count() as f64 * size * 0.6;
                assert!(at[0] + width < 1.02 * f64::from(drawing.width), "{content}");
            }
        }
        assert!(texts(&drawing).iter().any(|text| text.contains('\u{2026}') && text.contains("left")));
    }
}

/// Numbers at the end of the range of f64 stay inside of their panel, and a small change of a large number is seen.
#[test]
fn large_numbers_stay_in_their_panel() {
    let heights = |values: [f64; 3]| {
        let mut recording = Recording::new(vec![Column::time(), Column::new("phi", "rad", "")]).unwrap();
        for (k, value) in (0..).zip(values) {
            recording.push(&[f64::from(k), value]).unwrap();
        }
        let drawing = draw(&[("run", &recording)], &names(&["phi"]), &PlotOptions::default()).unwrap();
        let ends = curves(&drawing, OKABE_ITO[0])[0].iter().map(|p| p[1]);
        (ends.clone().fold(f64::MAX, f64::min), ends.fold(f64::MIN, f64::max))
    };
    let (top, bottom) = heights([f64::MAX, f64::MIN, f64::MAX]);
    assert!(top > 30.0 && bottom < 400.0 && bottom - top > 200.0, "{top} {bottom}");
    let (top, bottom) = heights([1e9, 1e9 + 10.0, 1e9 - 10.0]);
    assert!(bottom - top > 200.0, "{top} {bottom}");
    let (top, bottom) = heights([1e9, 1e9 + 1e-6, 1e9]);
    assert!(bottom - top < 1.0, "{top} {bottom}");
}
