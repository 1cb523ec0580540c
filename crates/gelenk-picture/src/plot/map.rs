//! A number over two others, in colours.

use super::axis::Axis;
use crate::colour_map::mapped;
use crate::drawing::{Anchor, Colour, Drawing, Mark};

/// Values along one side of a map.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Name.
    pub name: &'a str,
    /// Unit.
    pub unit: &'a str,
    /// One value for every point.
    pub values: &'a [f64],
}

const SIZE: (u32, u32) = (760, 560);
/// Left, right, top and bottom of the frame.
const FRAME: [f64; 4] = [90.0, 620.0, 70.0, 490.0];
/// Distance of the scale of colours from the frame, and its width.
const SCALE: [f64; 2] = [24.0, 18.0];
const INK: Colour = Colour(40, 40, 40);
/// Points without a value.
const MISSING: Colour = Colour(200, 200, 200);
/// By how much cells overlap, in pixels.
const SEAM: f64 = 0.4;
/// Radius of a point that has no cell, in pixels.
const RADIUS: f64 = 4.0;

/// Draws the `value` of points over `x` and `y`: as cells where the points are a grid of `cells` rows in x and y, else as
/// discs. Points whose value is not finite are grey.
pub fn map(title: &str, [x, y, value]: [Side<'_>; 3], cells: Option<[usize; 2]>) -> Drawing {
    let mut drawing = Drawing::new(SIZE.0, SIZE.1, title);
    let [left, right, top, bottom] = FRAME;
    let logarithmic = [x, y].map(|side| spans_decades(side.values));
    let scaled = |side: &Side<'_>, log: bool| -> Vec<f64> {
        side.values.iter().map(|&v| if log { v.log10() } else { v }).collect()
    };
    let (xs, ys) = (scaled(&x, logarithmic[0]), scaled(&y, logarithmic[1]));
    let axis = |values: &[f64], cells: Option<usize>| {
        // Half a cell of room at each end.
        let room = cells.map_or(0.03, |n| if n > 1 { 0.5 / (n - 1) as f64 } else { 0.5 });
        Axis::new(range(values), room, 6.0)
    };
    let axes = [axis(&xs, cells.map(|c| c[0])), axis(&ys, cells.map(|c| c[1]))];
    let (low, high) = range(value.values).unwrap_or((0.0, 1.0));
    let span = if high > low { high - low } else { 1.0 };
    let half = cells.map(|[nx, ny]| {
        let cell = |values: &[f64], n: usize| match (range(values), n) {
            (Some((low, high)), 2..) => 0.5 * (high - low) / (n - 1) as f64,
            _ => f64::INFINITY,
        };
        [cell(&xs, nx), cell(&ys, ny)]
    });
    for ((&px, &py), &v) in xs.iter().zip(&ys).zip(value.values) {
        let colour = if v.is_finite() { mapped((v - low) / span) } else { MISSING };
        let place = |x: f64, y: f64| [axes[0].place(x, left, right), axes[1].place(y, bottom, top)];
        drawing.marks.push(match half {
            Some([wide, high]) => {
                let clamp = |[x, y]: [f64; 2]| [x.clamp(left, right), y.clamp(top, bottom)];
                let (a, b) = (clamp(place(px - wide, py - high)), clamp(place(px + wide, py + high)));
                // Neighbours overlap a little, so that no seam shows between them.
                Mark::Patch { from: [a[0], b[1]], to: [b[0] + SEAM, a[1] + SEAM], colour }
            }
            None => Mark::Disc { at: place(px, py), radius: RADIUS, colour },
        });
    }
    frame(&mut drawing, [left, right, top, bottom], &axes, &[x, y], logarithmic);
    legend(&mut drawing, [left, right, top, bottom], &value, [low, high]);
    text(&mut drawing, title, [0.5 * f64::from(SIZE.0), 22.0], 16.0, Anchor::Middle, true);
    drawing
}

/// A map without its texts, cut to its frame and the scale of its colours, for pictures that are too small for more.
pub fn without_texts(map: &Drawing) -> Drawing {
    const AIR: f64 = 10.0;
    let [left, right, top, bottom] = FRAME;
    let (width, height) = (right - left + SCALE[0] + SCALE[1] + 2.0 * AIR, bottom - top + 2.0 * AIR);
    let mut drawing = Drawing::new(width as u32, height as u32, map.title.clone());
    let shifted = |[x, y]: [f64; 2]| [x - left + AIR, y - top + AIR];
    drawing.marks.extend(map.marks.iter().filter(|mark| !matches!(mark, Mark::Text { .. })).cloned());
    for mark in &mut drawing.marks {
        match mark {
            Mark::Line { points, .. } => points.iter_mut().for_each(|point| *point = shifted(*point)),
            Mark::Patch { from, to, .. } => (*from, *to) = (shifted(*from), shifted(*to)),
            Mark::Disc { at, .. } | Mark::Text { at, .. } => *at = shifted(*at),
        }
    }
    drawing
}

/// Whether values are drawn over their logarithm: positive and over more than two decades.
fn spans_decades(values: &[f64]) -> bool {
    range(values).is_some_and(|(low, high)| low > 0.0 && high > 100.0 * low)
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let finite = values.iter().copied().filter(|v| v.is_finite());
    finite.fold(None, |range, v| Some(range.map_or((v, v), |(a, b): (f64, f64)| (a.min(v), b.max(v)))))
}

fn text(drawing: &mut Drawing, content: &str, at: [f64; 2], size: f64, anchor: Anchor, bold: bool) {
    drawing.marks.push(Mark::Text { content: content.into(), at, size, anchor, bold, colour: INK });
}

/// Axes with ticks and names.
fn frame(
    drawing: &mut Drawing,
    [left, right, top, bottom]: [f64; 4],
    axes: &[Axis; 2],
    sides: &[Side<'_>; 2],
    logarithmic: [bool; 2],
) {
    let corners = vec![[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
    drawing.line(corners, INK, 1.0);
    for (k, axis) in axes.iter().enumerate() {
        for (value, label) in axis.ticks() {
            let label = if logarithmic[k] { power_of_ten(value) } else { label };
            if k == 0 {
                let x = axis.place(value, left, right);
                drawing.line(vec![[x, bottom], [x, bottom + 5.0]], INK, 1.0);
                text(drawing, &label, [x, bottom + 16.0], 12.0, Anchor::Middle, false);
            } else {
                let y = axis.place(value, bottom, top);
                drawing.line(vec![[left - 5.0, y], [left, y]], INK, 1.0);
                text(drawing, &label, [left - 9.0, y], 12.0, Anchor::End, false);
            }
        }
        let unit = if logarithmic[k] { format!("[{}]", sides[k].unit) } else { axis.unit(sides[k].unit) };
        let name = format!("{} {unit}", sides[k].name);
        if k == 0 {
            text(drawing, &name, [0.5 * (left + right), bottom + 42.0], 13.0, Anchor::Middle, false);
        } else {
            text(drawing, &name, [12.0, top - 16.0], 13.0, Anchor::Start, false);
        }
    }
}

/// A tick of a logarithmic axis.
fn power_of_ten(exponent: f64) -> String {
    let value = 10f64.powf(exponent);
    if (1e-3..1e4).contains(&value) { format!("{value:.3}") } else { format!("{value:.1e}") }
}

/// The scale of the colours.
fn legend(drawing: &mut Drawing, [_, right, top, bottom]: [f64; 4], value: &Side<'_>, [low, high]: [f64; 2]) {
    const PARTS: usize = 64;
    let (x, width) = (right + SCALE[0], SCALE[1]);
    let axis = Axis::new(Some((low, high)), 0.0, 6.0);
    for k in (0..PARTS).rev() {
        let y = |part: usize| bottom + (top - bottom) * part as f64 / PARTS as f64;
        let colour = mapped((k as f64 + 0.5) / PARTS as f64);
        drawing.marks.push(Mark::Patch { from: [x, y(k + 1)], to: [x + width, y(k) + SEAM], colour });
    }
    if high > low {
        for (tick, label) in axis.ticks().into_iter().filter(|(tick, _)| (low..=high).contains(tick)) {
            let y = bottom + (top - bottom) * (tick - low) / (high - low);
            drawing.line(vec![[x + width, y], [x + width + 4.0, y]], INK, 1.0);
            text(drawing, &label, [x + width + 8.0, y], 12.0, Anchor::Start, false);
        }
    }
    let name = format!("{} {}", value.name, axis.unit(value.unit));
    text(drawing, &name, [f64::from(SIZE.0) - 12.0, top - 16.0], 13.0, Anchor::End, false);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patches(drawing: &Drawing) -> Vec<([f64; 2], [f64; 2], Colour)> {
        let patch = |mark: &Mark| match mark {
            Mark::Patch { from, to, colour } => Some((*from, *to, *colour)),
            _ => None,
        };
        drawing.marks.iter().filter_map(patch).collect()
    }

    /// Cells of a grid fill the frame without gaps, and the ends of the colours are the ends of the values.
    #[test]
    fn cells_fill_the_frame() {
        let (x, y) = ([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [5.0, 6.0, 5.0, 6.0, 5.0, 6.0]);
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, f64::NAN];
        let side = |name, values| Side { name, unit: "1", values };
        let drawing = map("title", [side("x", &x), side("y", &y), side("z", &values)], Some([3, 2]));
        let cells = &patches(&drawing)[..6];
        let area: f64 = cells.iter().map(|(a, b, _)| (b[0] - a[0]) * (b[1] - a[1])).sum();
        assert!((area - 530.0 * 420.0).abs() < 0.02 * 530.0 * 420.0, "{area}");
        assert_eq!([cells[0].2, cells[4].2, cells[5].2], [mapped(0.0), mapped(1.0), MISSING]);
        // The first point is at the lower left.
        assert!(cells[0].0[0] < cells[2].0[0] && cells[0].1[1] > cells[1].1[1]);
    }

    /// A small map has the cells of the large one and no texts, all inside.
    #[test]
    fn a_small_map_has_the_same_cells() {
        let side = |name, values| Side { name, unit: "1", values };
        let large =
            map("t", [side("x", &[0.0, 1.0]), side("y", &[0.0, 0.0]), side("z", &[1.0, 2.0])], Some([2, 1]));
        let small = without_texts(&large);
        let (cells, before) = (patches(&small), patches(&large));
        assert_eq!(cells.len(), before.len());
        assert!(!small.marks.iter().any(|mark| matches!(mark, Mark::Text { .. })));
        for ((from, to, colour), (a, b, known)) in cells.iter().zip(&before) {
            assert!(colour == known && (to[0] - from[0] - b[0] + a[0]).abs() < 1e-9);
            assert!(
                from.iter().all(|x| *x >= 0.0)
                    && to[0] <= f64::from(small.width)
                    && to[1] <= f64::from(small.height)
            );
        }
    }

    /// Values of no range and no points at all still give a picture.
    #[test]
    fn degenerate_maps_are_drawn() {
        let one = Side { name: "a", unit: "m", values: &[1.0] };
        assert_eq!(patches(&map("one", [one; 3], Some([1, 1]))).len(), 1 + 64);
        let none = Side { name: "a", unit: "m", values: &[] };
        assert_eq!(patches(&map("none", [none; 3], None)).len(), 64);
    }
}
