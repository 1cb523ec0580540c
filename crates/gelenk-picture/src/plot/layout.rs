//! Where panels, captions and legends stand.

use gelenk_record::column::TIME;

use super::axis::Axis;
use super::panel::Panel;
use super::{PlotError, PlotOptions};

const LARGEST: u32 = 10_000;
/// Sizes in pixels of the picture; texts can be read at half the size.
pub(super) const TICK_SIZE: i32 = 17;
pub(super) const LEGEND_SIZE: i32 = 18;
pub(super) const TITLE_SIZE: i32 = 21;
pub(super) const SWATCH: i32 = 28;
pub(super) const LEGEND_LINE: i32 = 27;
const PANEL: i32 = 150;
const LEAST_PANEL: i32 = 40;
const MARGIN_RIGHT: i32 = 28;
const BELOW_PANEL: i32 = 14;
const AXIS_LINES: i32 = 58;

/// Where things stand, in pixels of the picture.
pub(super) struct Layout {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) left: i32,
    pub(super) right: i32,
    /// Pieces of a line of which the plot keeps the extremes.
    pub(super) buckets: usize,
    /// Top of the legend, top and bottom of the frame of each panel.
    pub(super) panels: Vec<(i32, i32, i32)>,
}

impl Layout {
    pub(super) fn new(
        options: &PlotOptions,
        panels: &[Panel],
        y_axes: &[Axis],
        other: Option<&Axis>,
    ) -> Result<Self, PlotError> {
        let labels = y_axes.iter().flat_map(Axis::ticks).map(|(_, text)| text_width(&text, TICK_SIZE));
        let left = labels.max().unwrap_or(0) + 24;
        let width = options.width.min(LARGEST + 1) as i32;
        let labels = other.into_iter().flat_map(Axis::ticks).map(|(_, text)| text_width(&text, TICK_SIZE));
        let right = width - labels.max().map_or(MARGIN_RIGHT, |labels| labels + 24);
        let mut heads: Vec<i32> =
            panels.iter().zip(y_axes).map(|(p, axis)| head(p, axis, left, right)).collect();
        // The unit of the axis on the right has a line of its own.
        if let (Some(first), Some(_)) = (heads.first_mut(), other) {
            *first += LEGEND_LINE;
        }
        let top = if options.title.is_some() { TITLE_SIZE + 24 } else { 10 };
        let fixed: i32 = top + heads.iter().sum::<i32>() + BELOW_PANEL * panels.len() as i32 + AXIS_LINES;
        let count = panels.len() as i32;
        let least = fixed + LEAST_PANEL * count;
        if least > LARGEST as i32 {
            return Err(PlotError::Panels { panels: panels.len(), least: least as u32 });
        }
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
        // Over time a pixel is a piece; a curve in a plane turns many times and needs finer ones.
        let finer = if over_time(options.x.as_deref()) { 1 } else { 8 };
        let buckets = usize::try_from(right - left).unwrap_or(1) * finer;
        Ok(Self { width, height, left, right, buckets, panels: places })
    }
}

/// Whether the horizontal axis is time.
pub(super) fn over_time(x: Option<&str>) -> bool {
    x.is_none_or(|x| x == TIME)
}

/// Height of caption and legend of a panel.
fn head(panel: &Panel, axis: &Axis, left: i32, right: i32) -> i32 {
    let last_line = legend_entries(panel, axis, left, right).last().map_or(0, |entry| entry.line);
    (last_line + 1) * LEGEND_LINE + 6
}

/// An entry of a legend.
pub(super) struct Entry {
    pub(super) text: String,
    /// Left edge in pixels.
    pub(super) x: i32,
    /// Line of the legend, from 0.
    pub(super) line: i32,
}

/// The entries of a legend: they follow the caption and go on in a new line where it is full.
pub(super) fn legend_entries(panel: &Panel, axis: &Axis, left: i32, right: i32) -> Vec<Entry> {
    let mut x = left + text_width(&panel.caption(axis, false), LEGEND_SIZE) + 24;
    let mut line = 0;
    let mut entries = Vec::new();
    for text in panel.legend() {
        let text = fitted(&text, LEGEND_SIZE, right - left - SWATCH - 9);
        let width = SWATCH + 9 + text_width(&text, LEGEND_SIZE) + 22;
        if x + width > right && x > left {
            x = left;
            line += 1;
        }
        entries.push(Entry { text, x, line });
        x += width;
    }
    entries
}

/// A text that is no wider than `room` pixels: a longer one loses its middle, because the ends of a name tell most.
pub(super) fn fitted(text: &str, size: i32, room: i32) -> String {
    if text_width(text, size) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| -> String {
        let (before, after) = (kept.div_ceil(2), kept / 2);
        letters[..before].iter().chain(&['\u{2026}']).chain(&letters[letters.len() - after..]).collect()
    };
    let fits = |kept: usize| text_width(&shortened(kept), size) <= room;
    // The widths rise with the letters that are kept.
    let (mut least, mut most) = (0, letters.len());
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        if fits(middle) { least = middle } else { most = middle }
    }
    shortened(least)
}

/// Width of a text in pixels, estimated on the generous side: the viewer chooses the font.
fn text_width(text: &str, size: i32) -> i32 {
    let hundredths = |c: char| match c {
        'f' | 'i' | 'j' | 'l' | 'r' | 't' | 'I' | '.' | ',' | ':' | ' ' | '(' | ')' | '[' | ']' | '/' => 41,
        'm' | 'w' | 'M' | 'W' => 98,
        'A'..='Z' => 74,
        _ => 64,
    };
    text.chars().map(hundredths).fold(0_i32, i32::saturating_add).saturating_mul(size) / 100
}
