//! From panels to lines and texts.

use gelenk_record::{Recording, column::TIME, recording::extremes, thin::thin};

use super::axis::Axis;
use super::layout::{
    Entry, LEGEND_LINE, LEGEND_SIZE, Layout, SWATCH, TICK_SIZE, TITLE_SIZE, fitted, legend_entries, over_time,
};
use super::panel::{Panel, Series, panels};
use super::{PlotError, PlotOptions};
use crate::drawing::{Anchor, Colour, Dash, Drawing, Mark, simplified};

const TEXT: Colour = Colour(45, 45, 45);
const AXIS: Colour = Colour(120, 120, 120);
const GRID: Colour = Colour(225, 225, 225);
const EVENT: Colour = Colour(170, 170, 170);
/// Width of a line in pixels.
const LINE: f64 = 2.0;
/// Radius of a sample without neighbours in pixels.
const DOT: f64 = 3.0;
/// How far a drawn line may be from the points (pixels): less than an eye sees.
const TOLERANCE: f64 = 0.12;
/// Most events that are marked; more would be a grey wall.
const MOST_EVENTS: usize = 200;

/// Draws recordings that have rows.
pub(super) fn draw(
    recordings: &[(&str, &Recording)],
    columns: &[String],
    options: &PlotOptions,
) -> Result<Drawing, PlotError> {
    let panels = panels(recordings, columns, options)?;
    let (mut x_axis, x_unit) = x_axis(recordings, &panels, options);
    let mut y_axes: Vec<Axis> = panels.iter().map(|panel| y_axis(panel, panels.len(), false)).collect();
    let other =
        panels.first().filter(|panel| panel.right.is_some()).map(|panel| y_axis(panel, panels.len(), true));
    let layout = Layout::new(options, &panels, &y_axes, other.as_ref())?;
    if options.equal {
        equalise(&mut x_axis, x_unit, &mut y_axes, &panels, &layout);
    }
    let name = options.x.as_deref().unwrap_or(TIME);
    let x_label = format!("{name} {}", x_axis.unit(x_unit));

    let described = options.title.clone().unwrap_or_else(|| format!("Columns over {name}"));
    let mut drawing = Drawing::new(layout.width as u32, layout.height as u32, described);
    if let Some(title) = &options.title {
        // Bold letters are wider.
        let title = fitted(title, TITLE_SIZE, (layout.right - layout.left) * 9 / 10);
        text(&mut drawing, &title, [layout.left, 24], TITLE_SIZE, Anchor::Start, true);
    }
    let x_ticks = x_axis.ticks();
    let (left, right) = (f64::from(layout.left), f64::from(layout.right));
    for ((panel, axis), &(head, top, bottom)) in panels.iter().zip(&y_axes).zip(&layout.panels) {
        draw_head(&mut drawing, panel, axis, &layout, head);
        let (over, under) = (f64::from(top), f64::from(bottom));
        for (value, _) in &x_ticks {
            let x = x_axis.place(*value, left, right);
            drawing.line(vec![[x, over], [x, under]], GRID, 0.8);
        }
        for (value, label) in axis.ticks() {
            let y = axis.place(value, under, over);
            drawing.line(vec![[left, y], [right, y]], if value == 0.0 { AXIS } else { GRID }, 0.8);
            text(&mut drawing, &label, [layout.left - 8, y.round() as i32], TICK_SIZE, Anchor::End, false);
        }
        let other = other.as_ref().filter(|_| panel.right.is_some());
        if let Some(other) = other {
            let (caption, y) = (panel.caption(other, true), top - LEGEND_LINE / 2 - 1);
            let caption = fitted(&caption, LEGEND_SIZE, layout.right - layout.left);
            text(&mut drawing, &caption, [layout.right, y], LEGEND_SIZE, Anchor::End, false);
            for (value, label) in other.ticks() {
                let y = other.place(value, under, over);
                drawing.line(vec![[right, y], [right + 5.0, y]], AXIS, 1.0);
                let at = [layout.right + 10, y.round() as i32];
                text(&mut drawing, &label, at, TICK_SIZE, Anchor::Start, false);
            }
            drawing.line(vec![[right, over], [right, under]], AXIS, 1.0);
        }
        if options.events && over_time(options.x.as_deref()) {
            mark_events(&mut drawing, recordings, |t| x_axis.place(t, left, right), [over, under]);
        }
        drawing.line(vec![[left, over], [left, under], [right, under]], AXIS, 1.0);
        for series in &panel.series {
            let own = other.filter(|_| series.right).unwrap_or(axis);
            let place = |(x, y)| [x_axis.place(x, left, right), own.place(y, under, over)];
            let lines = unbroken(series, layout.buckets);
            // A path through a plane does not tell where it begins.
            if let (false, Some(&start)) =
                (over_time(options.x.as_deref()), lines.first().and_then(|l| l.first()))
            {
                drawing.marks.push(Mark::Disc { at: place(start), radius: 4.0, colour: series.colour });
            }
            for points in lines {
                // A line through one point cannot be seen.
                if let [alone] = points[..] {
                    drawing.marks.push(Mark::Disc { at: place(alone), radius: DOT, colour: series.colour });
                    continue;
                }
                let points: Vec<[f64; 2]> = points.into_iter().map(place).collect();
                let (points, colour, dash) = (simplified(&points, TOLERANCE), series.colour, series.dash);
                drawing.marks.push(Mark::Line { points, colour, width: LINE, dash });
            }
        }
        if panel.series.iter().all(|s| !s.y.iter().any(|v| v.is_finite())) {
            let middle = [(layout.left + layout.right) / 2, (top + bottom) / 2];
            text(&mut drawing, "no finite values", middle, LEGEND_SIZE, Anchor::Middle, false);
        }
    }
    let below = layout.panels.last().map_or(0, |(_, _, bottom)| *bottom);
    for (value, label) in &x_ticks {
        let x = x_axis.place(*value, left, right).round() as i32;
        text(&mut drawing, label, [x, below + 19], TICK_SIZE, Anchor::Middle, false);
    }
    let middle = [(layout.left + layout.right) / 2, below + 45];
    let x_label = fitted(&x_label, LEGEND_SIZE, layout.right - layout.left);
    text(&mut drawing, &x_label, middle, LEGEND_SIZE, Anchor::Middle, false);
    Ok(drawing)
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

/// The horizontal axis and its unit.
fn x_axis<'a>(
    recordings: &[(&str, &'a Recording)],
    panels: &[Panel],
    options: &PlotOptions,
) -> (Axis, &'a str) {
    let x = options.x.as_deref();
    let room = if over_time(x) { 0.0 } else { 0.04 };
    let ticks = (f64::from(options.width) / 85.0).clamp(2.0, 11.0);
    let axis = Axis::new(range(panels.iter().flat_map(|p| &p.series).map(|s| s.x)), room, ticks);
    let name = x.unwrap_or(TIME);
    let column = recordings.iter().find_map(|(_, r)| r.columns().get(r.index(name).ok()?));
    (axis, column.map_or("1", |c| c.shown_unit()))
}

fn y_axis(panel: &Panel, panels: usize, right: bool) -> Axis {
    Axis::new(range(panel.side(right).map(|s| s.y)), 0.06, if panels == 1 { 7.0 } else { 6.0 })
}

/// Makes a unit equally long on both axes by widening one of them, where both have the same unit.
fn equalise(x_axis: &mut Axis, x_unit: &str, y_axes: &mut [Axis], panels: &[Panel], layout: &Layout) {
    let width = f64::from(layout.right - layout.left);
    let same: Vec<usize> = (0..panels.len()).filter(|&i| panels[i].unit == x_unit).collect();
    let height =
        |i: usize| layout.panels.get(i).map_or(1.0, |(_, top, bottom)| f64::from(bottom - top).max(1.0));
    let coarsest = same.iter().map(|&i| y_axes[i].span() / height(i)).fold(x_axis.span() / width, f64::max);
    if same.is_empty() {
        return;
    }
    *x_axis = x_axis.widened(coarsest * width);
    for i in same {
        y_axes[i] = y_axes[i].widened(coarsest * height(i));
    }
}

/// Thin lines where something happened.
fn mark_events(
    drawing: &mut Drawing,
    recordings: &[(&str, &Recording)],
    place: impl Fn(f64) -> f64,
    [over, under]: [f64; 2],
) {
    let events = recordings.iter().flat_map(|(_, r)| r.events());
    let mut places: Vec<f64> = events.map(|e| (place(e.t) * 2.0).round() / 2.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    for x in places.into_iter().take(MOST_EVENTS) {
        let points = vec![[x, over], [x, under]];
        drawing.marks.push(Mark::Line { points, colour: EVENT, width: 1.0, dash: Dash::Dotted });
    }
}

fn draw_head(drawing: &mut Drawing, panel: &Panel, axis: &Axis, layout: &Layout, head: i32) {
    let middle = |line: i32| head + 17 + line * LEGEND_LINE;
    let caption = fitted(&panel.caption(axis, false), LEGEND_SIZE, layout.right - layout.left);
    text(drawing, &caption, [layout.left, middle(0)], LEGEND_SIZE, Anchor::Start, false);
    let entries = legend_entries(panel, axis, layout.left, layout.right);
    for (Entry { text: entry, x, line }, series) in entries.into_iter().zip(&panel.series) {
        let y = middle(line);
        let points = vec![[f64::from(x), f64::from(y)], [f64::from(x + SWATCH), f64::from(y)]];
        let (colour, dash) = (series.colour, series.dash);
        drawing.marks.push(Mark::Line { points, colour, width: 3.0, dash });
        text(drawing, &entry, [x + SWATCH + 9, y], LEGEND_SIZE, Anchor::Start, false);
    }
}

/// The thinned points of a line, cut where values are not finite.
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

fn text(drawing: &mut Drawing, content: &str, [x, y]: [i32; 2], size: i32, anchor: Anchor, bold: bool) {
    let (at, size) = ([f64::from(x), f64::from(y)], f64::from(size));
    drawing.marks.push(Mark::Text { content: content.to_owned(), at, size, anchor, bold, colour: TEXT });
}
