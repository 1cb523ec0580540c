//! Which lines share a panel, and how they look.

use gelenk_record::{Recording, column::TIME};

use super::axis::Axis;
use super::{PlotError, PlotOptions};
use crate::drawing::{Colour, Dash, OKABE_ITO};

/// One line of a panel.
pub(super) struct Series<'a> {
    pub(super) column: &'a str,
    pub(super) label: &'a str,
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) colour: Colour,
    pub(super) dash: Dash,
    /// Whether it belongs to the axis on the right.
    pub(super) right: bool,
}

/// The lines that share a vertical axis.
pub(super) struct Panel<'a> {
    pub(super) unit: &'a str,
    pub(super) series: Vec<Series<'a>>,
    /// Unit of the axis on the right, where there is one.
    pub(super) right: Option<&'a str>,
}

impl Panel<'_> {
    fn columns(&self) -> usize {
        let mut names: Vec<&str> = self.series.iter().map(|s| s.column).collect();
        names.dedup();
        names.len()
    }

    /// The lines of one axis.
    pub(super) fn side(&self, right: bool) -> impl Iterator<Item = &Series<'_>> {
        self.series.iter().filter(move |s| s.right == right)
    }

    /// What stands above an axis: the name where there is only one, and the unit.
    pub(super) fn caption(&self, axis: &Axis, right: bool) -> String {
        let unit = axis.unit(if right { self.right.unwrap_or("1") } else { self.unit });
        match self.series.first() {
            Some(first) if self.columns() == 1 => format!("{} {unit}", first.column),
            _ => unit,
        }
    }

    /// Texts of the legend in the order of the lines; none where the caption says it all.
    pub(super) fn legend(&self) -> Vec<String> {
        let one_label = self.series.iter().all(|s| Some(s.label) == self.series.first().map(|f| f.label));
        let text = |s: &Series| {
            let text = match (self.columns() == 1, one_label) {
                (true, _) => s.label.to_owned(),
                (false, true) => s.column.to_owned(),
                (false, false) => format!("{} ({})", s.column, s.label),
            };
            // Which axis a line is read on.
            if s.right { format!("{text} \u{2192}") } else { text }
        };
        if self.series.len() == 1 { Vec::new() } else { self.series.iter().map(text).collect() }
    }
}

/// Sorts the chosen columns into panels by unit, in the order in which they were asked for.
pub(super) fn panels<'a>(
    recordings: &[(&'a str, &'a Recording)],
    columns: &[String],
    options: &PlotOptions,
) -> Result<Vec<Panel<'a>>, PlotError> {
    let x = options.x.as_deref().unwrap_or(TIME);
    let mut panels: Vec<Panel> = Vec::new();
    let right = if options.right.is_empty() { Vec::new() } else { names(recordings, &options.right, x)? };
    for name in names(recordings, columns, x)?.into_iter().filter(|name| !right.contains(name)) {
        let mut begun = false;
        for (unit, series) in lines(recordings, name, x, false)? {
            let column = series.column;
            let fits = |p: &&mut Panel| {
                p.unit == unit && (!options.apart || begun && p.series.iter().any(|s| s.column == column))
            };
            match panels.iter_mut().find(fits) {
                Some(panel) => panel.series.push(series),
                None => panels.push(Panel { unit, series: vec![series], right: None }),
            }
            begun = true;
        }
    }
    if let Some(first) = panels.first_mut() {
        add_right(first, recordings, options)?;
    } else {
        return Err(PlotError::NoColumns);
    }
    panels.iter_mut().for_each(|panel| style(panel, recordings));
    Ok(panels)
}

/// The lines of a column, one for each recording that has it, with their units; their looks are still open.
fn lines<'a>(
    recordings: &[(&'a str, &'a Recording)],
    name: &str,
    x: &str,
    right: bool,
) -> Result<Vec<(&'a str, Series<'a>)>, PlotError> {
    let mut found = Vec::new();
    for &(label, recording) in recordings {
        let Ok(index) = recording.index(name) else { continue };
        let x =
            recording.column(x).map_err(|source| PlotError::Column { label: label.to_owned(), source })?;
        let (column, y) = (&recording.columns()[index], recording.values(index).unwrap_or_default());
        let (colour, dash) = (OKABE_ITO[0], Dash::Solid);
        found.push((column.shown_unit(), Series { column: &column.name, label, x, y, colour, dash, right }));
    }
    Ok(found)
}

/// Names of the chosen columns, each once.
fn names<'a>(
    recordings: &[(&'a str, &'a Recording)],
    columns: &[String],
    x: &str,
) -> Result<Vec<&'a str>, PlotError> {
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
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    Ok(seen)
}

/// Adds the lines of the axis on the right.
fn add_right<'a>(
    panel: &mut Panel<'a>,
    recordings: &[(&'a str, &'a Recording)],
    options: &PlotOptions,
) -> Result<(), PlotError> {
    if options.right.is_empty() {
        return Ok(());
    }
    let x = options.x.as_deref().unwrap_or(TIME);
    for name in names(recordings, &options.right, x)? {
        for (unit, series) in lines(recordings, name, x, true)? {
            let known = *panel.right.get_or_insert(unit);
            if known != unit {
                return Err(PlotError::RightUnits([known.to_owned(), unit.to_owned()]));
            }
            panel.series.push(series);
        }
    }
    Ok(())
}

/// Gives each line colour and dashes: one column of several recordings has a colour a recording; several columns
/// have a colour a column and dashes a recording.
fn style(panel: &mut Panel, recordings: &[(&str, &Recording)]) {
    let one_column = panel.columns() == 1;
    let mut names: Vec<&str> = panel.series.iter().map(|s| s.column).collect();
    names.dedup();
    for series in &mut panel.series {
        let column = names.iter().position(|n| *n == series.column).unwrap_or(0);
        let recording = recordings.iter().position(|(l, _)| *l == series.label).unwrap_or(0);
        let (colour, dash) = if one_column { (recording, 0) } else { (column, recording) };
        series.colour = OKABE_ITO[colour % OKABE_ITO.len()];
        series.dash = Dash::ALL[(dash + colour / OKABE_ITO.len()) % Dash::ALL.len()];
    }
}
