//! Rewriting a model so that joints follow curves of one coordinate instead of loops.
//!
//! The text of the file is edited in place: what does not change keeps its words and comments. Joints, loops and
//! coordinates that change must stand in tables of their own (`[joints.knee]`) in the file itself.

use std::fmt::Write as _;
use std::ops::Range;

use crate::joints::{CoordinateTable, Joint, JointCoordinate, JointType, Sequence};
use crate::load::Loaded;
use crate::model_file::ModelFile;
use crate::quantity::{Formula, Quantity};
use gelenk_file::source::Span;
use thiserror::Error;

/// A coordinate and the curve that it becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateCurve {
    /// Its name.
    pub coordinate: String,
    /// Whether it is an angle; else a length.
    pub angle: bool,
    /// Values at the knots (rad or m).
    pub values: Vec<f64>,
    /// Slopes at both ends, SI.
    pub slopes: [f64; 2],
}

/// What becomes of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SplinePlan {
    /// Joints whose coordinates become curves.
    pub joints: Vec<String>,
    /// The coordinate that stays.
    pub over: String,
    /// Whether it is an angle; else a length.
    pub over_angle: bool,
    /// Its values at the knots (rad or m).
    pub knots: Vec<f64>,
    /// The curves.
    pub curves: Vec<CoordinateCurve>,
    /// Loops that the curves stand for.
    pub loops: Vec<String>,
}

/// A model that cannot be rewritten.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SplineError {
    /// Something stands where the text cannot be edited.
    #[error("{what} must be in a table [{header}] of this file to be rewritten; move it there")]
    Place {
        /// What.
        what: String,
        /// The header that was looked for.
        header: String,
    },
    /// An element acts on a coordinate that goes.
    #[error(
        "{coordinate} has a spring, a stop, friction or a rotor, which a curve cannot have; move it to another coordinate"
    )]
    Element {
        /// The coordinate.
        coordinate: String,
    },
    /// A joint without coordinates that could become curves.
    #[error("joint {joint} has no coordinates that could become curves; a ball joint needs \"coordinates\"")]
    Joint {
        /// The joint.
        joint: String,
    },
    /// A name that is taken.
    #[error("the model already has a curve \"{curve}\"; rename it")]
    Taken {
        /// The curve.
        curve: String,
    },
}

/// The coordinates that a joint of this model moves by, in the order in which they appear.
pub fn joint_coordinates(model: &ModelFile, name: &str) -> Vec<String> {
    let Some(joint) = model.joints.get(name) else { return Vec::new() };
    let mut list = Vec::new();
    for given in joint.coordinate.iter().chain(joint.coordinates.iter().flat_map(|c| &c.value)) {
        list.push(coordinate_name(given, name));
    }
    let single = matches!(joint.kind.value, JointType::Revolute | JointType::Prismatic | JointType::Screw);
    if single && joint.coordinate.is_none() && joint.coordinates.is_none() && joint.value.is_none() {
        list.push(name.to_owned());
    }
    for formula in formulas(joint) {
        // A function of coordinates is none itself.
        let whole = formula.text.trim();
        let is_parameter = model.parameters.get(whole).is_some() || whole == "t";
        if gelenk_math::expression::is_identifier(whole) && !is_parameter && !list.iter().any(|c| c == whole)
        {
            list.push(whole.to_owned());
        }
    }
    list
}

fn coordinate_name(given: &JointCoordinate, joint: &str) -> String {
    match given {
        JointCoordinate::Name(name) => name.text.clone(),
        JointCoordinate::Table(table) => {
            table.name.as_ref().map_or_else(|| joint.to_owned(), |n| n.text.clone())
        }
    }
}

/// The formulas that a joint moves by.
fn formulas(joint: &Joint) -> Vec<&Formula> {
    let motion = joint.motion.iter().flat_map(|m| m.translation().into_iter().chain(m.rotation()));
    joint.value.iter().chain(motion.map(|number| &number.formula)).collect()
}

impl SplinePlan {
    /// The name of the curve of a coordinate.
    fn curve(&self, coordinate: &str) -> String {
        format!("{coordinate}_of_{}", self.over)
    }

    fn call(&self, coordinate: &str) -> String {
        format!("{}({})", self.curve(coordinate), self.over)
    }

    fn goes(&self, coordinate: &str) -> bool {
        self.curves.iter().any(|curve| curve.coordinate == coordinate)
    }

    /// The call of a curve where the coordinate goes, else the coordinate itself.
    fn scalar(&self, coordinate: &str) -> String {
        if self.goes(coordinate) { self.call(coordinate) } else { coordinate.to_owned() }
    }

    /// Writes the model with curves in it.
    ///
    /// # Errors
    /// Parts of the model that stand where they cannot be edited; springs, stops and friction on coordinates that go.
    pub fn rewrite(&self, model: &Loaded<ModelFile>) -> Result<String, SplineError> {
        let text = model.sources.get(0).map(|file| file.text.as_str()).unwrap_or_default();
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let section = |kind: &str, what: &str, name: &str| {
            let header = format!("{kind}.{name}");
            find_section(text, &header)
                .ok_or_else(|| SplineError::Place { what: format!("{what} {name}"), header })
        };
        let mut kept = String::new();
        for (name, joint) in model.file.joints.iter() {
            let listed = self.joints.contains(&name.text);
            let named = joint.coordinate.is_some() || joint.coordinates.is_some();
            let plain = formulas(joint).is_empty();
            if listed && (named || plain) {
                let range = section("joints", "joint", name)?;
                edits.push((range, self.joint(model, name, joint, &mut kept)?));
                continue;
            }
            for formula in formulas(joint) {
                for (variable, range) in formula.expression.variables().filter(|(v, _)| self.goes(v)) {
                    let place = formula.place(range);
                    if place.file != 0 || model.sources.text(place) != variable {
                        let what = format!("joint {}", name.text);
                        return Err(SplineError::Place { what, header: format!("joints.{}", name.text) });
                    }
                    edits.push((place.range(), self.call(variable)));
                }
            }
        }
        for name in &self.loops {
            edits.push((section("loops", "loop", name)?, String::new()));
        }
        for curve in &self.curves {
            if model.file.curves.get(&self.curve(&curve.coordinate)).is_some() {
                return Err(SplineError::Taken { curve: self.curve(&curve.coordinate) });
            }
            if let Some(settings) = model.file.coordinates.get(&curve.coordinate) {
                if settings.spring.is_some()
                    || settings.stop.is_some()
                    || settings.friction.is_some()
                    || settings.rotor_inertia.is_some()
                {
                    return Err(SplineError::Element { coordinate: curve.coordinate.clone() });
                }
                edits.push((section("coordinates", "coordinate", &curve.coordinate)?, String::new()));
            }
        }
        if !kept.is_empty() && model.file.coordinates.get(&self.over).is_some() {
            let range = section("coordinates", "coordinate", &self.over)?;
            edits.push((range.end..range.end, std::mem::take(&mut kept)));
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut out = String::new();
        let mut from = 0;
        for (range, new) in &edits {
            out.push_str(text.get(from..range.start).unwrap_or_default());
            out.push_str(new);
            from = range.end.max(from);
        }
        out.push_str(text.get(from..).unwrap_or_default());
        let mut out = out.trim_end().to_owned() + "\n";
        if !kept.is_empty() {
            let _ = write!(out, "\n[coordinates.{}]\n{kept}", self.over);
        }
        self.write_curves(&mut out);
        Ok(out)
    }

    /// A joint whose coordinates stood in a list, written as a general joint, or one with a value. What its other
    /// coordinate says of itself goes to `kept`.
    fn joint(
        &self,
        model: &Loaded<ModelFile>,
        name: &str,
        joint: &Joint,
        kept: &mut String,
    ) -> Result<String, SplineError> {
        let source = |span: Span| model.sources.text(span).to_owned();
        let coordinates = joint_coordinates(&model.file, name);
        for given in joint.coordinate.iter().chain(joint.coordinates.iter().flat_map(|c| &c.value)) {
            let JointCoordinate::Table(table) = given else { continue };
            let coordinate = coordinate_name(given, name);
            if self.goes(&coordinate) {
                if table.spring.is_some()
                    || table.stop.is_some()
                    || table.friction.is_some()
                    || table.rotor_inertia.is_some()
                {
                    return Err(SplineError::Element { coordinate });
                }
            } else {
                self.keep(model, table, kept);
            }
        }
        if joint.spring.is_some() || joint.stop.is_some() || joint.friction.is_some() {
            return Err(SplineError::Element { coordinate: coordinates.join(", ") });
        }
        let [a, b, c] =
            [0, 1, 2].map(|k| coordinates.get(k).map(|name| self.scalar(name)).unwrap_or_default());
        let mut axes = None;
        let (kind, motion) = match joint.kind.value {
            JointType::Revolute => ("revolute", None),
            JointType::Prismatic => ("prismatic", None),
            JointType::Planar => ("general", Some(format!("x = \"{a}\", y = \"{b}\", w3 = \"{c}\""))),
            JointType::Cylindrical => ("general", Some(format!("z = \"{a}\", w3 = \"{b}\""))),
            JointType::Universal => ("general", Some(format!("w1 = \"{a}\", w2 = \"{b}\""))),
            JointType::Ball if coordinates.len() == 3 => {
                let sequence = joint.sequence.map_or(Sequence::Xyz, |sequence| sequence.value);
                let unit = |k: usize| ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"][k];
                axes = Some(format!("[{}]", sequence.axes().map(unit).join(", ")));
                ("general", Some(format!("w1 = \"{a}\", w2 = \"{b}\", w3 = \"{c}\"")))
            }
            _ => return Err(SplineError::Joint { joint: name.to_owned() }),
        };
        let mut out = format!("[joints.{name}]\n");
        let mut line = |key: &str, value: String| {
            let _ = writeln!(out, "{key:11} = {value}");
        };
        line("type", format!("\"{kind}\""));
        line("parent", format!("\"{}\"", joint.parent.text));
        line("child", format!("\"{}\"", joint.child.text));
        let mut vector = |key: &str, spans: [Span; 3]| {
            let [first, _, last] = spans;
            if last.end > first.start {
                line(key, format!("[{}]", source(Span { end: last.end, ..first })));
            }
        };
        vector("position", spans(&joint.position.0));
        vector("orientation", spans(&joint.orientation.0));
        if motion.is_none() {
            vector("axis", spans(&joint.axis.0));
        }
        match motion {
            Some(motion) => line("motion", format!("{{ {motion} }}")),
            None => line("value", format!("\"{a}\"")),
        }
        if let Some(axes) = axes {
            line("axes", axes);
        }
        out.push('\n');
        Ok(out)
    }

    /// Settings of the coordinate that stays, for a table of its own.
    fn keep(&self, model: &Loaded<ModelFile>, table: &CoordinateTable, kept: &mut String) {
        let mut line = |key: &str, span: Span| {
            let _ = writeln!(kept, "{key} = {}", model.sources.text(span));
        };
        if let Some(start) = &table.start {
            line("start", start.formula.span);
        }
        if let Some(rate) = &table.rate {
            line("rate", rate.formula.span);
        }
        if let Some(spring) = &table.spring {
            line("spring", spring.span);
        }
        if let Some(stop) = &table.stop {
            line("stop", stop.span);
        }
        if let Some(friction) = &table.friction {
            line("friction", friction.span);
        }
    }

    fn write_curves(&self, out: &mut String) {
        let (x_unit, x_scale) = unit(self.over_angle);
        let _ =
            writeln!(out, "\n# Instead of the loops {}: curves over {}.", self.loops.join(", "), self.over);
        let list = |values: &mut dyn Iterator<Item = f64>| {
            let numbers: Vec<String> = values.map(digits).collect();
            // Lines of eight numbers can be read and compared.
            let lines: Vec<String> =
                numbers.chunks(8).map(|line| format!("  {},", line.join(", "))).collect();
            format!("[\n{}\n]", lines.join("\n"))
        };
        for curve in &self.curves {
            let (y_unit, y_scale) = unit(curve.angle);
            let x = list(&mut self.knots.iter().map(|x| x * x_scale));
            let y = list(&mut curve.values.iter().map(|y| y * y_scale));
            let [first, last] = curve.slopes.map(|slope| digits(slope * y_scale / x_scale));
            let _ = write!(
                out,
                "\n[curves.{}]\nx_unit = \"{x_unit}\"\ny_unit = \"{y_unit}\"\nend    = \"clamped\"\nslopes = [{first}, \
                 {last}]\nx = {x}\ny = {y}\n",
                self.curve(&curve.coordinate)
            );
        }
        for curve in &self.curves {
            let name = &curve.coordinate;
            let _ = write!(out, "\n[signals.{name}]\nvalue = \"{}\"\n", self.call(name));
        }
    }
}

fn spans<Q>(numbers: &[Quantity<Q>; 3]) -> [Span; 3] {
    [&numbers[0], &numbers[1], &numbers[2]].map(|number| number.formula.span)
}

/// Unit in which people read an angle or a length, and how many of it make an SI unit.
fn unit(angle: bool) -> (&'static str, f64) {
    if angle { ("deg", 1f64.to_degrees()) } else { ("mm", 1000.0) }
}

/// Thirteen significant digits, without trailing zeros.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.12e}").parse().unwrap_or(value);
    // A knot at zero that is one ulp off would read badly.
    if rounded.abs() < 1e-13 { "0".into() } else { format!("{rounded}") }
}

/// The bytes of a table from its header to its last line, without comments that belong to the next one.
fn find_section(text: &str, header: &str) -> Option<Range<usize>> {
    let wanted = format!("[{header}]");
    let (mut start, mut end, mut at, mut depth) = (None, 0, 0, 0i64);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if depth == 0 && trimmed.starts_with('[') {
            if start.is_some() {
                break;
            }
            let head = trimmed.split('#').next().unwrap_or_default();
            if head.replace(char::is_whitespace, "").replace('"', "") == wanted {
                start = Some(at);
            }
        } else {
            depth += brackets(line);
        }
        at += line.len();
        // Comments and empty lines count once something of the table follows.
        if start.is_some() && !(trimmed.starts_with('#') || trimmed.is_empty()) {
            end = at;
        }
    }
    let start = start?;
    // One empty line behind it goes along.
    let rest = text.get(end..)?;
    let blank = rest.split_inclusive('\n').next().filter(|line| line.trim().is_empty()).map_or(0, str::len);
    Some(start..end + blank)
}

/// Brackets that a line opens less those that it closes, outside strings and comments.
fn brackets(line: &str) -> i64 {
    let (mut depth, mut quote) = (0, None);
    for c in line.chars() {
        match (quote, c) {
            (None, '#') => break,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_where_the_next_begins() {
        let text = "a = 1\n\n[x.one]  # first\np = [\n  [1, 2],\n]\n# inside\nq = \"]\"\n\n# of the next\n[x.two]\nr = 2\n";
        let range = find_section(text, "x.one").unwrap();
        assert_eq!(&text[range], "[x.one]  # first\np = [\n  [1, 2],\n]\n# inside\nq = \"]\"\n\n");
        assert_eq!(&text[find_section(text, "x.two").unwrap()], "[x.two]\nr = 2\n");
        assert_eq!(find_section(text, "x.three"), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(digits(0.1 + 0.2), "0.3");
        assert_eq!(digits(-1e-16), "0");
    }
}
