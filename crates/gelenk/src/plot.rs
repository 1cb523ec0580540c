//! Recordings as pictures: small multiples over a shared axis, as SVG.
//!
//! Columns of one unit share a panel; the panels stand above each other over one time axis. Colours are those of
//! Okabe and Ito, which people with any kind of colour vision can tell apart. The same recording gives the same
//! text of the picture, byte for byte.

use gelenk_record::{RecordError, Recording, recording::extremes, thin::thin};
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::prelude::{Color, DrawingArea, IntoDrawingArea, IntoFont, PathElement, RGBColor, Rectangle, Text};
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
const LARGEST: u32 = 10_000;

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
const LEGEND_LINE: i32 = 26;
const SWATCH: i32 = 26;
const PANEL: i32 = 150;
const LEAST_PANEL: i32 = 40;
const MARGIN_RIGHT: i32 = 28;
const BELOW_PANEL: i32 = 14;
const AXIS_LINES: i32 = 54;

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
    let x_axis = x_axis(recordings, &panels, options.x.as_deref());
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
    let x = x.unwrap_or(gelenk_record::column::TIME);
    let mut names: Vec<&str> = Vec::new();
    if columns.is_empty() {
        let all = recordings.iter().flat_map(|(_, r)| r.columns());
        names.extend(all.map(|c| c.name.as_str()).filter(|&n| n != x && n != gelenk_record::column::TIME));
    }
    for selector in columns {
        let mut failure = None;
        let before = names.len();
        for (label, recording) in recordings {
            match recording.select(selector) {
                Ok(found) => names.extend(found.iter().filter_map(|&i| recording.columns().get(i)).map(|c| c.name.as_str())),
                Err(source) => failure = failure.or(Some(PlotError::Column { label: (*label).to_owned(), source })),
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
            let (x, y) = (recording.column(x).map_err(column_error)?, recording.values(index).unwrap_or_default());
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

/// A range of numbers with round ticks.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
    /// Power of ten that the labels leave out and the unit shows.
    power: i32,
}

impl Axis {
    /// An axis over some values; `room` is the share of free space at each end, `ticks` their number at most.
    fn new(range: Option<(f64, f64)>, room: f64, ticks: f64) -> Self {
        // Beyond this, differences of two numbers leave the range of f64.
        let (low, high) = range.map_or((0.0, 1.0), |(a, b)| (a.clamp(-1e300, 1e300), b.clamp(-1e300, 1e300)));
        let size = low.abs().max(high.abs());
        let least = if size > 1e-290 { size * 1e-6 } else { 1e-3 };
        let (low, high) = if high - low < least {
            let half = if size > 1e-290 { size * 0.1 } else { 1.0 };
            ((low + high) / 2.0 - half, (low + high) / 2.0 + half)
        } else {
            (low - room * (high - low), high + room * (high - low))
        };
        let rough = (high - low) / ticks.max(1.0);
        let ten = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * ten).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * ten);
        let exponent = low.abs().max(high.abs()).log10().floor() as i32;
        let power = if (-2..5).contains(&exponent) { 0 } else { exponent.div_euclid(3) * 3 };
        Self { low, high, step, power }
    }

    /// Where ticks stand, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let scaled = self.step / 10_f64.powi(self.power);
        let digits = (-(scaled.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
        let first = (self.low / self.step - 1e-9).ceil();
        let count = ((self.high / self.step + 1e-9).floor() - first).clamp(0.0, 100.0) as i32;
        let tick = |i: i32| {
            // Adding zero turns -0 into 0.
            let n = first + f64::from(i) + 0.0;
            (n * self.step, format!("{:.digits$}", n * scaled).replace('-', "\u{2212}"))
        };
        (0..=count).map(tick).collect()
    }

    /// The unit in brackets, with the power of ten that the labels leave out.
    fn unit(&self, unit: &str) -> String {
        let raised: String = self.power.to_string().chars().map(superscript).collect();
        match (self.power, unit) {
            (0, unit) => format!("[{unit}]"),
            (_, "1") => format!("[10{raised}]"),
            (_, unit) => format!("[10{raised} {unit}]"),
        }
    }

    /// Place of a value on a line of pixels from `start` to `end`, on the fine grid.
    fn place(&self, value: f64, start: i32, end: i32) -> i32 {
        let part = (value - self.low) / (self.high - self.low);
        let (start, end) = (f64::from(start * FINE), f64::from(end * FINE));
        (start + part * (end - start)).clamp(-1e6, 1e6).round() as i32
    }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        digit => digit.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(digit),
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

fn x_axis(recordings: &[(&str, &Recording)], panels: &[Panel], x: Option<&str>) -> (Axis, String) {
    let over_time = x.is_none_or(|x| x == gelenk_record::column::TIME);
    let room = if over_time { 0.0 } else { 0.04 };
    let axis = Axis::new(range(panels.iter().flat_map(|p| &p.series).map(|s| s.x)), room, 9.0);
    let name = x.unwrap_or(gelenk_record::column::TIME);
    let unit = recordings.iter().find_map(|(_, r)| r.columns().get(r.index(name).ok()?));
    let label = format!("{name} {}", axis.unit(unit.map_or("1", |c| c.shown_unit())));
    (axis, label)
}

fn y_axis(panel: &Panel) -> Axis {
    Axis::new(range(panel.series.iter().map(|s| s.y)), 0.06, 5.0)
}

/// Width of a text in pixels, estimated: the viewer chooses the font.
fn text_width(text: &str, size: i32) -> i32 {
    (text.chars().count() as i32).saturating_mul(size * 57) / 100
}

/// Where things stand, in pixels of the picture.
struct Layout {
    width: i32,
    height: i32,
    left: i32,
    right: i32,
    /// Top of the legend, top and bottom of the frame of each panel.
    panels: Vec<(i32, i32, i32)>,
}

impl Layout {
    fn new(options: &PlotOptions, panels: &[Panel], y_axes: &[Axis]) -> Result<Self, PlotError> {
        let labels = y_axes.iter().flat_map(Axis::ticks).map(|(_, text)| text_width(&text, TICK_SIZE));
        let left = labels.max().unwrap_or(0) + 24;
        let width = options.width.min(LARGEST + 1) as i32;
        let right = width - MARGIN_RIGHT;
        let heads: Vec<i32> = panels.iter().zip(y_axes).map(|(p, axis)| head(p, axis, left, right)).collect();
        let top = if options.title.is_some() { TITLE_SIZE + 24 } else { 10 };
        let fixed: i32 = top + heads.iter().sum::<i32>() + BELOW_PANEL * panels.len() as i32 + AXIS_LINES;
        let count = panels.len() as i32;
        let least = fixed + LEAST_PANEL * count;
        let frame = if count == 1 { 2 * PANEL } else { PANEL };
        let height = options.height.map_or(fixed + frame * count, |h| h.min(LARGEST + 1) as i32);
        if !(200..=LARGEST as i32).contains(&width) || !(least..=LARGEST as i32).contains(&height) {
            let (height, least) = (options.height.unwrap_or(height as u32), least as u32);
            return Err(PlotError::Size { width: options.width, height, panels: panels.len(), least });
        }
        let frame = (height - fixed) / count;
        let mut y = top;
        let mut places = Vec::new();
        for head in heads {
            places.push((y, y + head, y + head + frame));
            y += head + frame + BELOW_PANEL;
        }
        Ok(Self { width, height, left, right, panels: places })
    }
}

/// Height of caption and legend of a panel.
fn head(panel: &Panel, axis: &Axis, left: i32, right: i32) -> i32 {
    let last_line = legend_places(panel, axis, left, right).last().map_or(0, |(_, line)| *line);
    (last_line + 1) * LEGEND_LINE + 6
}

/// Left edge and line of each legend entry: they follow the caption and go on in a new line where it is full.
fn legend_places(panel: &Panel, axis: &Axis, left: i32, right: i32) -> Vec<(i32, i32)> {
    let mut x = left + text_width(&panel.caption(axis), LEGEND_SIZE) + 24;
    let mut line = 0;
    let mut places = Vec::new();
    for text in panel.legend() {
        let width = SWATCH + 8 + text_width(&text, LEGEND_SIZE) + 22;
        if x + width > right && x > left {
            x = left;
            line += 1;
        }
        places.push((x, line));
        x += width;
    }
    places
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
        let fine_frame = (layout.left * FINE, top * FINE, layout.right * FINE, bottom * FINE);
        let (left, over, right, under) = fine_frame;
        for (value, _) in &x_ticks {
            let x = x_axis.place(*value, layout.left, layout.right);
            line(canvas, vec![(x, over), (x, under)], GRID, 8)?;
        }
        for (value, label) in axis.ticks() {
            let y = axis.place(value, bottom, top);
            let colour = if value == 0.0 { AXIS } else { GRID };
            line(canvas, vec![(left, y), (right, y)], colour, 8)?;
            let size = (f64::from(TICK_SIZE) * f64::from(FINE) * 1.24).round();
            let style = TextStyle::from(("sans-serif", size).into_font()).color(&TEXT);
            let style = style.pos(Pos::new(HPos::Right, VPos::Center));
            canvas.draw(&Text::new(label, (left - 8 * FINE, y), style)).map_err(|e| e.to_string())?;
        }
        let frame = Rectangle::new([(left, over), (right, under)], AXIS.stroke_width(10));
        canvas.draw(&frame).map_err(|e| e.to_string())?;
        let buckets = usize::try_from(layout.right - layout.left).unwrap_or(1);
        for series in &panel.series {
            for points in unbroken(series, buckets) {
                let place = |(x, y)| {
                    (x_axis.place(x, layout.left, layout.right), axis.place(y, bottom, top))
                };
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
        let x = x_axis.place(*value, layout.left, layout.right) / FINE;
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
        line(canvas, swatch, series.colour, if series.width == LINE_WIDTHS[0].0 { 30 } else { series.width })?;
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

fn text(canvas: &Canvas, content: &str, at: (i32, i32), size: i32, anchor: HPos, bold: bool) -> Result<(), String> {
    // The library divides sizes of fonts by 1.24.
    let font = ("sans-serif", (f64::from(size * FINE) * 1.24).round()).into_font();
    let font = if bold { font.style(FontStyle::Bold) } else { font };
    let style = TextStyle::from(font).color(&TEXT).pos(Pos::new(anchor, VPos::Center));
    let element = Text::new(content.to_owned(), (at.0 * FINE, at.1 * FINE), style);
    canvas.draw(&element).map_err(|e| e.to_string())
}
