//! Recordings as pictures: small multiples over a shared axis, as SVG.
//!
//! Columns of one unit share a panel; the panels stand above each other over one time axis. Colours are those of
//! Okabe and Ito, which people with any kind of colour vision can tell apart. The same recording gives the same
//! text of the picture, byte for byte.

mod axis;
mod layout;

use axis::Axis;
use gelenk_record::{RecordError, Recording, column::TIME, recording::extremes, thin::thin};
use layout::{LEGEND_LINE, Layout, legend_places};
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::prelude::{Color, DrawingArea, IntoDrawingArea, IntoFont, PathElement, RGBColor, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, TextStyle};

/// How a plot looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlotOptions {
    /// Width of the picture in pixels, 200 to 10000.
    pub width: u32,
    /// Height of the picture in pixels, up to 10000; by default what the panels need.
    pub height: Option<u32>,
    /// Title above the panels.
    pub title: Option<String>,
    /// Column of the horizontal axis; time by default.
    pub x: Option<String>,
}

impl Default for PlotOptions {
    /// 960 pixels wide, over time, without a title.
    fn default() -> Self {
        Self { width: 960, height: None, title: None, x: None }
    }
}

/// Why a plot cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlotError {
    /// No recording, or none with rows.
    #[error("there is nothing to plot: no recording has rows")]
    Empty,
    /// A recording has no such column.
    #[error("{label}: {source}")]
    Column {
        /// Label of the recording.
        label: String,
        /// Which column, with the closest names.
        source: RecordError,
    },
    /// The panels do not fit into the picture.
    #[error(
        "a picture of {width} x {height} pixels cannot hold {panels} panels: width 200 to 10000, height {least} to 10000; \
         or choose fewer columns"
    )]
    Size {
        /// Width asked for in pixels.
        width: u32,
        /// Height asked for, or needed, in pixels.
        height: u32,
        /// Number of panels.
        panels: usize,
        /// Least height for these panels in pixels.
        least: u32,
    },
    /// The drawing library refused.
    #[error("the plot could not be drawn: {0}")]
    Draw(String),
}

/// The library draws on whole pixels; drawing on a grid ten times finer keeps curves smooth.
const FINE: i32 = 10;

const TEXT: RGBColor = RGBColor(45, 45, 45);
const AXIS: RGBColor = RGBColor(120, 120, 120);
const GRID: RGBColor = RGBColor(225, 225, 225);
/// Okabe and Ito without yellow, which is too pale for lines on white; black last.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Sizes in pixels of the picture.
const TICK_SIZE: i32 = 15;
const LEGEND_SIZE: i32 = 16;
const TITLE_SIZE: i32 = 20;
const SWATCH: i32 = 26;

/// Line widths on the fine grid. The library knows no dashes, so a width that nothing else uses stands for each
/// pattern until the text of the picture is complete.
const LINE_WIDTHS: [(u32, &str); 3] = [(18, ""), (19, "70 40"), (17, "20 30")];

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws columns of one or several recordings as SVG.
///
/// `columns` are names of columns or groups (`friction.knee`); an empty list means all. A column may be missing in
/// some of the recordings, as a measurement does not have everything, but not in all. Long lines are thinned with
/// minima and maxima kept; values that are not finite break the line.
///
/// # Errors
/// [`PlotError`]: nothing to draw, an unknown column with the closest names, or a picture too small for its panels.
pub fn plot(
    recordings: &[(&str, &Recording)],
    columns: &[String],
    options: &PlotOptions,
) -> Result<String, PlotError> {
    if recordings.iter().all(|(_, r)| r.is_empty()) {
        return Err(PlotError::Empty);
    }
    let panels = panels(recordings, columns, options.x.as_deref())?;
    let x_axis = x_axis(recordings, &panels, options);
    let y_axes: Vec<Axis> = panels.iter().map(y_axis).collect();
    let layout = Layout::new(options, &panels, &y_axes)?;

    let mut svg = String::new();
    let fine = (layout.width as u32 * FINE as u32, layout.height as u32 * FINE as u32);
    {
        let canvas = SVGBackend::with_string(&mut svg, fine).into_drawing_area();
        draw(&canvas, &panels, &x_axis, &y_axes, &layout, options).map_err(PlotError::Draw)?;
        canvas.present().map_err(|e| PlotError::Draw(e.to_string()))?;
    }
    let drawn = format!("width=\"{}\" height=\"{}\"", fine.0, fine.1);
    let shown = format!("width=\"{}\" height=\"{}\" stroke-linejoin=\"round\"", layout.width, layout.height);
    svg = svg.replacen(&drawn, &shown, 1);
    for (width, dashes) in LINE_WIDTHS.iter().filter(|(_, dashes)| !dashes.is_empty()) {
        let plain = format!("stroke-width=\"{width}\"");
        svg = svg.replace(&plain, &format!("{plain} stroke-dasharray=\"{dashes}\""));
    }
    Ok(svg)
}

/// One line of a panel.
struct Series<'a> {
    column: &'a str,
    label: &'a str,
    x: &'a [f64],
    y: &'a [f64],
    colour: RGBColor,
    width: u32,
}

/// The lines that share a vertical axis.
struct Panel<'a> {
    unit: &'a str,
    series: Vec<Series<'a>>,
}

impl Panel<'_> {
    fn columns(&self) -> usize {
        let mut names: Vec<&str> = self.series.iter().map(|s| s.column).collect();
        names.dedup();
        names.len()
    }

    /// What stands before the legend: the name where there is only one, and the unit.
    fn caption(&self, axis: &Axis) -> String {
        match self.series.first() {
            Some(first) if self.columns() == 1 => format!("{} {}", first.column, axis.unit(self.unit)),
            _ => axis.unit(self.unit),
        }
    }

    /// Texts of the legend in the order of the lines; none where the caption says it all.
    fn legend(&self) -> Vec<String> {
        let one_label = self.series.iter().all(|s| Some(s.label) == self.series.first().map(|f| f.label));
        let text = |s: &Series| match (self.columns() == 1, one_label) {
            (true, _) => s.label.to_owned(),
            (false, true) => s.column.to_owned(),
            (false, false) => format!("{} ({})", s.column, s.label),
        };
        if self.series.len() == 1 { Vec::new() } else { self.series.iter().map(text).collect() }
    }
}

/// Sorts the chosen columns into panels by unit, in the order in which they were asked for.
fn panels<'a>(
    recordings: &[(&'a str, &'a Recording)],
    columns: &[String],
    x: Option<&str>,
) -> Result<Vec<Panel<'a>>, PlotError> {
    let x = x.unwrap_or(TIME);
    let mut names: Vec<&str> = Vec::new();
    if columns.is_empty() {
        let all = recordings.iter().flat_map(|(_, r)| r.columns());
        names.extend(all.map(|c| c.name.as_str()).filter(|&n| n != x && n != TIME));
    }
    for selector in columns {
        let mut failure = None;
        let before = names.len();
        for (label, recording) in recordings {
            match recording.select(selector) {
                Ok(found) => names.extend(
                    found.iter().filter_map(|&i| recording.columns().get(i)).map(|c| c.name.as_str()),
                ),
                Err(source) => {
                    failure = failure.or(Some(PlotError::Column { label: (*label).to_owned(), source }))
                }
            }
        }
        if let (true, Some(failure)) = (names.len() == before, failure) {
            return Err(failure);
        }
    }
    let mut panels: Vec<Panel> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        for (label, recording) in recordings {
            let Ok(index) = recording.index(name) else { continue };
            let column_error = |source| PlotError::Column { label: (*label).to_owned(), source };
            let unit = recording.columns()[index].shown_unit();
            let (x, y) =
                (recording.column(x).map_err(column_error)?, recording.values(index).unwrap_or_default());
            let column = recording.columns()[index].name.as_str();
            let series = Series { column, label, x, y, colour: TEXT, width: 0 };
            match panels.iter_mut().find(|p| p.unit == unit) {
                Some(panel) => panel.series.push(series),
                None => panels.push(Panel { unit, series: vec![series] }),
            }
        }
    }
    if panels.is_empty() {
        return Err(PlotError::Empty);
    }
    let labels: Vec<&str> = recordings.iter().map(|(label, _)| *label).collect();
    panels.iter_mut().for_each(|panel| style(panel, &labels));
    Ok(panels)
}

/// Gives each line colour and dashes: one column of several recordings has a colour a recording; several columns
/// have a colour a column and dashes a recording.
fn style(panel: &mut Panel, labels: &[&str]) {
    let one_column = panel.columns() == 1;
    let mut names: Vec<&str> = panel.series.iter().map(|s| s.column).collect();
    names.dedup();
    for series in &mut panel.series {
        let column = names.iter().position(|n| *n == series.column).unwrap_or(0);
        let recording = labels.iter().position(|l| *l == series.label).unwrap_or(0);
        let (colour, dash) = if one_column { (recording, 0) } else { (column, recording) };
        series.colour = COLOURS[colour % COLOURS.len()];
        series.width = LINE_WIDTHS[(dash + colour / COLOURS.len()) % LINE_WIDTHS.len()].0;
    }
}

/// Smallest and largest finite value of several lines.
fn range<'a>(lines: impl Iterator<Item = &'a [f64]>) -> Option<(f64, f64)> {
    let mut known: Option<(f64, f64)> = None;
    for line in lines {
        let finite: Vec<f64> = line.iter().copied().filter(|v| v.is_finite()).collect();
        known = match (known, extremes(&finite)) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (old, new) => old.or(new),
        };
    }
    known
}

fn over_time(x: Option<&str>) -> bool {
    x.is_none_or(|x| x == TIME)
}

fn x_axis(recordings: &[(&str, &Recording)], panels: &[Panel], options: &PlotOptions) -> (Axis, String) {
    let x = options.x.as_deref();
    let room = if over_time(x) { 0.0 } else { 0.04 };
    let ticks = (f64::from(options.width) / 85.0).clamp(2.0, 11.0);
    let axis = Axis::new(range(panels.iter().flat_map(|p| &p.series).map(|s| s.x)), room, ticks);
    let name = x.unwrap_or(TIME);
    let unit = recordings.iter().find_map(|(_, r)| r.columns().get(r.index(name).ok()?));
    let label = format!("{name} {}", axis.unit(unit.map_or("1", |c| c.shown_unit())));
    (axis, label)
}

fn y_axis(panel: &Panel) -> Axis {
    Axis::new(range(panel.series.iter().map(|s| s.y)), 0.06, 5.0)
}

fn draw(
    canvas: &Canvas,
    panels: &[Panel],
    (x_axis, x_label): &(Axis, String),
    y_axes: &[Axis],
    layout: &Layout,
    options: &PlotOptions,
) -> Result<(), String> {
    canvas.fill(&RGBColor(255, 255, 255)).map_err(|e| e.to_string())?;
    if let Some(title) = &options.title {
        text(canvas, title, (layout.left, 22), TITLE_SIZE, HPos::Left, true)?;
    }
    let x_ticks = x_axis.ticks();
    for ((panel, axis), &(head, top, bottom)) in panels.iter().zip(y_axes).zip(&layout.panels) {
        draw_head(canvas, panel, axis, layout, head)?;
        let (left, right, over, under) = (layout.left * FINE, layout.right * FINE, top * FINE, bottom * FINE);
        for (value, _) in &x_ticks {
            let x = x_axis.place(*value, left, right);
            line(canvas, vec![(x, over), (x, under)], GRID, 8)?;
        }
        for (value, label) in axis.ticks() {
            let y = axis.place(value, under, over);
            let colour = if value == 0.0 { AXIS } else { GRID };
            line(canvas, vec![(left, y), (right, y)], colour, 8)?;
            text(canvas, &label, (layout.left - 8, y / FINE), TICK_SIZE, HPos::Right, false)?;
        }
        line(canvas, vec![(left, over), (left, under), (right, under)], AXIS, 10)?;
        for series in &panel.series {
            for points in unbroken(series, layout.buckets) {
                let place = |(x, y)| (x_axis.place(x, left, right), axis.place(y, under, over));
                line(canvas, points.into_iter().map(place).collect(), series.colour, series.width)?;
            }
        }
        if panel.series.iter().all(|s| !s.y.iter().any(|v| v.is_finite())) {
            let middle = ((layout.left + layout.right) / 2, (top + bottom) / 2);
            text(canvas, "no finite values", middle, LEGEND_SIZE, HPos::Center, false)?;
        }
    }
    let below = layout.panels.last().map_or(0, |(_, _, bottom)| *bottom);
    for (value, label) in &x_ticks {
        let x = x_axis.place(*value, layout.left, layout.right);
        text(canvas, label, (x, below + 18), TICK_SIZE, HPos::Center, false)?;
    }
    text(canvas, x_label, ((layout.left + layout.right) / 2, below + 42), LEGEND_SIZE, HPos::Center, false)
}

fn draw_head(canvas: &Canvas, panel: &Panel, axis: &Axis, layout: &Layout, head: i32) -> Result<(), String> {
    let middle = |line: i32| head + 16 + line * LEGEND_LINE;
    text(canvas, &panel.caption(axis), (layout.left, middle(0)), LEGEND_SIZE, HPos::Left, false)?;
    let places = legend_places(panel, axis, layout.left, layout.right);
    for ((entry, (x, row)), series) in panel.legend().iter().zip(places).zip(&panel.series) {
        let y = middle(row);
        let swatch = vec![(x * FINE, y * FINE), ((x + SWATCH) * FINE, y * FINE)];
        // Swatches are thicker than lines by a fixed amount only where they are solid; dashes keep their width.
        line(
            canvas,
            swatch,
            series.colour,
            if series.width == LINE_WIDTHS[0].0 { 30 } else { series.width },
        )?;
        text(canvas, entry, (x + SWATCH + 8, y), LEGEND_SIZE, HPos::Left, false)?;
    }
    Ok(())
}

/// The thinned points of a line, cut where values are not finite. A single point becomes a dot of two.
fn unbroken(series: &Series, buckets: usize) -> Vec<Vec<(f64, f64)>> {
    let mut lines = vec![Vec::new()];
    for i in thin(series.x, series.y, buckets) {
        let point = (series.x[i], series.y[i]);
        match lines.last_mut() {
            Some(line) if point.0.is_finite() && point.1.is_finite() => line.push(point),
            Some(line) if !line.is_empty() => lines.push(Vec::new()),
            _ => {}
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn line(canvas: &Canvas, mut points: Vec<(i32, i32)>, colour: RGBColor, width: u32) -> Result<(), String> {
    points.dedup();
    if let [(x, y)] = points[..] {
        let half = i32::try_from(width / 2).unwrap_or(0);
        points = vec![(x - half, y), (x + half, y)];
    }
    canvas.draw(&PathElement::new(points, colour.stroke_width(width))).map_err(|e| e.to_string())
}

fn text(
    canvas: &Canvas,
    content: &str,
    at: (i32, i32),
    size: i32,
    anchor: HPos,
    bold: bool,
) -> Result<(), String> {
    // The library divides sizes of fonts by 1.24.
    let font = ("sans-serif", (f64::from(size * FINE) * 1.24).round()).into_font();
    let font = if bold { font.style(FontStyle::Bold) } else { font };
    let style = TextStyle::from(font).color(&TEXT).pos(Pos::new(anchor, VPos::Center));
    let element = Text::new(content.to_owned(), (at.0 * FINE, at.1 * FINE), style);
    canvas.draw(&element).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_record::Column;

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

    fn lines(svg: &str, colour: RGBColor, width: u32) -> usize {
        let RGBColor(r, g, b) = colour;
        svg.matches(&format!("stroke=\"#{r:02X}{g:02X}{b:02X}\" stroke-width=\"{width}\"")).count()
    }

    #[test]
    fn columns_of_a_unit_share_a_panel_over_one_axis() {
        let recording = swing(500);
        let panels = panels(&[("run", &recording)], &[], None).unwrap();
        let found: Vec<(&str, usize)> = panels.iter().map(|p| (p.unit, p.series.len())).collect();
        assert_eq!(found, [("rad", 2), ("rad/s", 1), ("1", 1)]);
        let svg = plot(&[("run", &recording)], &[], &PlotOptions::default()).unwrap();
        for text in ["[rad]", "phi.rate [rad/s]", "residue [10\u{207b}\u{2079}]", "t [s]", "psi"] {
            assert_eq!(svg.matches(&format!("\n{text}\n")).count(), 1, "{text}");
        }
        assert_eq!((lines(&svg, COLOURS[0], 18), lines(&svg, COLOURS[1], 18)), (3, 1));
        assert!(svg.starts_with("<svg width=\"960\""), "{}", &svg[..80]);
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
        let svg = plot(&[("run", &recording)], &[], &PlotOptions::default()).unwrap();
        assert_eq!(lines(&svg, COLOURS[0], 18), 3);
        let mut nothing = Recording::new(vec![Column::time(), Column::new("phi", "rad", "")]).unwrap();
        nothing.push(&[0.0, f64::INFINITY]).unwrap();
        let svg = plot(&[("run", &nothing)], &[], &PlotOptions::default()).unwrap();
        assert!(svg.contains("no finite values"));
    }

    #[test]
    fn long_lines_are_thinned() {
        let svg = plot(&[("run", &swing(1_000_000))], &names(&["phi"]), &PlotOptions::default()).unwrap();
        assert!(svg.len() < 100_000, "{} bytes", svg.len());
    }

    #[test]
    fn several_recordings_are_told_apart() {
        let (a, b) = (swing(100), swing(200));
        let both = [("measured", &a), ("fitted", &b)];
        let svg = plot(&both, &names(&["phi.rate"]), &PlotOptions::default()).unwrap();
        assert_eq!((lines(&svg, COLOURS[0], 18), lines(&svg, COLOURS[1], 18)), (1, 1));
        assert!(svg.contains("\nmeasured\n") && svg.contains("\nfitted\n"));
        let svg = plot(&both, &names(&["phi", "psi"]), &PlotOptions::default()).unwrap();
        assert!(svg.contains("\npsi (fitted)\n"));
        // One line and one swatch for each of the two dashed ones.
        assert_eq!(svg.matches("stroke-dasharray").count(), 4);
    }

    #[test]
    fn texts_cannot_break_the_picture() {
        let options = PlotOptions { title: Some("<swing> & \"settle\"".into()), ..PlotOptions::default() };
        let svg = plot(&[("run", &swing(10))], &names(&["phi"]), &options).unwrap();
        assert!(svg.contains("&lt;swing&gt; &amp; "), "{svg}");
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
        assert_eq!(plot(&[], &[], &PlotOptions::default()), Err(PlotError::Empty));
        assert_eq!(plot(&[("run", &swing(0))], &[], &PlotOptions::default()), Err(PlotError::Empty));
    }
}
