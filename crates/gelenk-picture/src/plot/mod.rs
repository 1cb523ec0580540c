//! Columns of recordings over time or over each other: panels above each other over a shared axis.
//!
//! Columns of one unit share a panel. Colours are those of Okabe and Ito, which people with any kind of colour vision
//! can tell apart. The same recording gives the same picture, byte for byte.

mod axis;
mod curves;
mod layout;
pub mod map;
mod panel;
#[cfg(test)]
mod tests;

use gelenk_record::{RecordError, Recording};

use crate::drawing::Drawing;
use crate::pixels::PixelError;

/// How a plot looks.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotOptions {
    /// Width of the picture in pixels, 200 to 10000.
    pub width: u32,
    /// Height of the picture in pixels, up to 10000; by default what the panels need.
    pub height: Option<u32>,
    /// Title above the panels.
    pub title: Option<String>,
    /// Column of the horizontal axis; time by default.
    pub x: Option<String>,
    /// Columns or groups of one unit that are drawn in the first panel over an axis on its right.
    pub right: Vec<String>,
    /// Earliest time that is drawn (s).
    pub from: Option<f64>,
    /// Latest time that is drawn (s).
    pub to: Option<f64>,
    /// Whether every column has a panel of its own.
    pub apart: bool,
    /// Whether a unit is equally long on both axes, in panels whose unit is that of the horizontal axis.
    pub equal: bool,
    /// Whether events are marked, in plots over time.
    pub events: bool,
}

impl Default for PlotOptions {
    /// 960 pixels wide, all of the time, without a title.
    fn default() -> Self {
        Self {
            width: 960,
            height: None,
            title: None,
            x: None,
            right: Vec::new(),
            from: None,
            to: None,
            apart: false,
            equal: false,
            events: false,
        }
    }
}

/// Why a plot cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// No recording, or none with rows.
    #[error("there is nothing to plot: no recording has rows")]
    Empty,
    /// No column beside the horizontal axis.
    #[error("there is nothing to plot: the recordings have no columns besides the time")]
    NoColumns,
    /// No rows in the time that was asked for.
    #[error("there is nothing to plot {}: the recordings go from {first} s to {last} s", asked(*.from, *.to))]
    EmptyTime {
        /// Earliest time asked for (s).
        from: f64,
        /// Latest time asked for (s).
        to: f64,
        /// First time of the recordings (s).
        first: f64,
        /// Last time of the recordings (s).
        last: f64,
    },
    /// A recording has no such column.
    #[error("{}{source}", if .label.is_empty() { String::new() } else { format!("{}: ", .label) })]
    Column {
        /// Label of the recording, where it has one.
        label: String,
        /// Which column, with the closest names.
        source: RecordError,
    },
    /// The axis on the right has one unit.
    #[error("an axis has one unit, but the columns for the one on the right have `{}` and `{}`", .0[0], .0[1])]
    RightUnits([String; 2]),
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
    /// No picture is high enough for the panels.
    #[error(
        "{panels} panels need {least} pixels of height, and a picture has at most 10000: choose fewer columns"
    )]
    Panels {
        /// Number of panels.
        panels: usize,
        /// Least height for these panels in pixels.
        least: u32,
    },
    /// The pixels could not be made.
    #[error(transparent)]
    Pixels(#[from] PixelError),
}

/// A range of time in words; either end may be open.
fn asked(from: f64, to: f64) -> String {
    match (from.is_finite(), to.is_finite()) {
        (true, false) => format!("after {from} s"),
        (false, true) => format!("before {to} s"),
        _ => format!("between {from} s and {to} s"),
    }
}

/// Draws columns of one or several recordings as SVG; see [`draw`].
///
/// # Errors
/// As [`draw`].
pub fn plot(
    recordings: &[(&str, &Recording)],
    columns: &[String],
    options: &PlotOptions,
) -> Result<String, PlotError> {
    Ok(crate::svg::svg(&draw(recordings, columns, options)?))
}

/// Draws columns of one or several recordings as PNG with `scale` pixels for each pixel of the options; see [`draw`].
///
/// # Errors
/// As [`draw`], and [`PlotError::Pixels`] where the picture would be too large.
pub fn plot_png(
    recordings: &[(&str, &Recording)],
    columns: &[String],
    options: &PlotOptions,
    scale: f64,
) -> Result<Vec<u8>, PlotError> {
    Ok(crate::paint::paint(&draw(recordings, columns, options)?, scale)?.png()?)
}

/// Draws columns of one or several recordings.
///
/// `columns` are names of columns or groups (`friction.knee`); an empty list means all. A column may be missing in
/// some of the recordings, as a measurement does not have everything, but not in all. Long lines are thinned with
/// minima and maxima kept; values that are not finite break the line.
///
/// # Errors
/// [`PlotError`]: nothing to draw, an unknown column with the closest names, or a picture too small for its panels.
pub fn draw(
    recordings: &[(&str, &Recording)],
    columns: &[String],
    options: &PlotOptions,
) -> Result<Drawing, PlotError> {
    if recordings.iter().all(|(_, r)| r.is_empty()) {
        return Err(PlotError::Empty);
    }
    let (from, to) = (options.from.unwrap_or(f64::NEG_INFINITY), options.to.unwrap_or(f64::INFINITY));
    if options.from.is_none() && options.to.is_none() {
        return curves::draw(recordings, columns, options);
    }
    let parts: Vec<Recording> = recordings.iter().map(|(_, r)| r.slice(from, to)).collect();
    if parts.iter().all(Recording::is_empty) {
        let times = || recordings.iter().flat_map(|(_, r)| r.time());
        let first = times().copied().fold(f64::INFINITY, f64::min);
        let last = times().copied().fold(f64::NEG_INFINITY, f64::max);
        return Err(PlotError::EmptyTime { from, to, first, last });
    }
    let cut: Vec<(&str, &Recording)> = recordings.iter().map(|(label, _)| *label).zip(&parts).collect();
    curves::draw(&cut, columns, options)
}
