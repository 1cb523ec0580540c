//! Rewriting a model so that joints follow curves of one coordinate instead of loops.
//!
//! The text of the file is edited in place: what does not change keeps its words and comments, also where tables are
//! inline or keys are dotted. Joints, loops and coordinates that change must be in the file itself.

use std::fmt::Write as _;
use std::ops::Range;

use crate::joints::{Joint, JointCoordinate, JointType, Sequence};
use crate::load::LoadedModel;
use crate::model_file::ModelFile;
use crate::quantity::Formula;
use thiserror::Error;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

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
    #[error("{what} must be in this file, as [{header}], to be rewritten; move it there")]
    Place {
        /// What.
        what: String,
        /// The missing header.
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
    /// Parts of the model that are in other files; springs, stops, friction and rotors on coordinates that go.
    pub fn rewrite(&self, model: &LoadedModel) -> Result<String, SplineError> {
        let mut document = self.with_calls(model)?;
        let mut kept = Vec::new();
        for (name, joint) in model.file.joints.iter() {
            let named = joint.coordinate.is_some() || joint.coordinates.is_some();
            if self.joints.contains(&name.text) && (named || formulas(joint).is_empty()) {
                let table =
                    table(&mut document, "joints", name).ok_or_else(|| place("joint", "joints", name))?;
                self.joint(&model.file, table, name, joint, &mut kept)?;
            }
        }
        for name in &self.loops {
            remove(&mut document, "loops", name).ok_or_else(|| place("loop", "loops", name))?;
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
                remove(&mut document, "coordinates", &curve.coordinate)
                    .ok_or_else(|| place("coordinate", "coordinates", &curve.coordinate))?;
            }
        }
        if !kept.is_empty() {
            let own = own_table(&mut document, "coordinates", &self.over)
                .ok_or_else(|| place("coordinate", "coordinates", &self.over))?;
            for (key, item) in kept {
                own.insert(&key, item);
            }
        }
        let mut out = document.to_string().trim_end().to_owned() + "\n";
        self.write_curves(&mut out);
        // Curves and signals that are not tables with headers cannot be continued by tables with headers.
        match out.parse::<DocumentMut>() {
            Ok(_) => Ok(out),
            Err(_) => Err(place("what follows", "curves", "NAME")),
        }
    }

    /// The document, where expressions of joints call the curves. Names inside texts are replaced by their places, all else by
    /// tables and keys.
    fn with_calls(&self, model: &LoadedModel) -> Result<DocumentMut, SplineError> {
        let text = model.sources.get(0).map(|file| file.text.as_str()).unwrap_or_default();
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for (name, joint) in model.file.joints.iter() {
            for formula in formulas(joint) {
                for (variable, range) in formula.expression.variables().filter(|(v, _)| self.goes(v)) {
                    let at = formula.place(range);
                    if at.file != 0 || model.sources.text(at) != variable {
                        return Err(place("joint", "joints", name));
                    }
                    edits.push((at.range(), self.call(variable)));
                }
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        let (mut out, mut from) = (String::new(), 0);
        for (range, new) in &edits {
            out.push_str(text.get(from..range.start).unwrap_or_default());
            out.push_str(new);
            from = range.end.max(from);
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out.parse().map_err(|_| place("the model", "joints", "NAME"))
    }

    /// Makes a joint whose coordinates are in a list a general joint, or one with a value. The settings of its other
    /// coordinate go to `kept`.
    fn joint(
        &self,
        model: &ModelFile,
        table: &mut dyn TableLike,
        name: &str,
        joint: &Joint,
        kept: &mut Vec<(String, Item)>,
    ) -> Result<(), SplineError> {
        let coordinates = joint_coordinates(model, name);
        if joint.spring.is_some() || joint.stop.is_some() || joint.friction.is_some() {
            return Err(SplineError::Element { coordinate: coordinates.join(", ") });
        }
        let all = joint.coordinate.iter().chain(joint.coordinates.iter().flat_map(|c| &c.value));
        for given in all {
            let JointCoordinate::Table(settings) = given else { continue };
            let coordinate = coordinate_name(given, name);
            let loaded = settings.spring.is_some()
                || settings.stop.is_some()
                || settings.friction.is_some()
                || settings.rotor_inertia.is_some();
            if self.goes(&coordinate) && loaded {
                return Err(SplineError::Element { coordinate });
            }
        }
        let mut listed: Vec<Item> = table.remove("coordinate").into_iter().collect();
        if let Some(Item::Value(Value::Array(list))) = table.remove("coordinates") {
            listed.extend(list.into_iter().map(Item::Value));
        }
        for item in &listed {
            let Some(settings) = item.as_table_like() else { continue };
            let own = settings.get("name").and_then(Item::as_str).unwrap_or(name);
            if !self.goes(own) {
                let keys = settings.iter().filter(|(key, _)| *key != "name");
                kept.extend(keys.map(|(key, item)| (key.to_owned(), item.clone())));
            }
        }
        let [a, b, c] =
            [0, 1, 2].map(|k| coordinates.get(k).map(|name| self.scalar(name)).unwrap_or_default());
        let mut axes = None;
        let motion: &[(&str, &str)] = match joint.kind.value {
            JointType::Revolute | JointType::Prismatic => &[],
            JointType::Planar => &[("x", &a), ("y", &b), ("w3", &c)],
            JointType::Cylindrical => &[("z", &a), ("w3", &b)],
            JointType::Universal => &[("w1", &a), ("w2", &b)],
            JointType::Ball if coordinates.len() == 3 => {
                axes = Some(joint.sequence.map_or(Sequence::Xyz, |sequence| sequence.value).axes());
                &[("w1", &a), ("w2", &b), ("w3", &c)]
            }
            _ => return Err(SplineError::Joint { joint: name.to_owned() }),
        };
        if motion.is_empty() {
            table.insert("value", toml_edit::value(a));
            return Ok(());
        }
        set(table, "type", "general");
        table.remove("axis");
        table.remove("sequence");
        let motion: InlineTable = motion.iter().copied().collect();
        table.insert("motion", toml_edit::value(motion));
        if let Some(axes) = axes {
            let unit = |axis: usize| (0..3).map(|k| i64::from(k == axis)).collect::<Array>();
            let axes: Array = axes.into_iter().map(|axis| Value::Array(unit(axis))).collect();
            table.insert("axes", toml_edit::value(axes));
        }
        Ok(())
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

/// The refusal of what is not in the file itself.
fn place(what: &str, kind: &str, name: &str) -> SplineError {
    SplineError::Place { what: format!("{what} {name}"), header: format!("{kind}.{name}") }
}

/// A table of a sort in the file, however it is written.
fn table<'d>(document: &'d mut DocumentMut, kind: &str, name: &str) -> Option<&'d mut dyn TableLike> {
    document.get_mut(kind)?.as_table_like_mut()?.get_mut(name)?.as_table_like_mut()
}

/// The same, made where it does not exist.
fn own_table<'d>(document: &'d mut DocumentMut, kind: &str, name: &str) -> Option<&'d mut dyn TableLike> {
    let mut tables = Table::new();
    tables.set_implicit(true);
    let tables = document.entry(kind).or_insert(Item::Table(tables)).as_table_like_mut()?;
    tables.entry(name).or_insert(Item::Table(Table::new())).as_table_like_mut()
}

/// Removes a table with what is written in it and above it; the comments of others stay.
fn remove(document: &mut DocumentMut, kind: &str, name: &str) -> Option<Item> {
    document.get_mut(kind)?.as_table_like_mut()?.remove(name)
}

/// Another word for a key; its remark stays.
fn set(table: &mut dyn TableLike, key: &str, word: &str) {
    let mut value = Value::from(word);
    match table.get_mut(key) {
        // In its place, so that the key keeps its spaces.
        Some(item) => {
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# A lift.
schema  = 1
gravity = [0, 0, -9.81]

[bodies.arm]
mass   = "1 kg"
centre = [0, 0, "-0.1 m"]
inertia = ["0.01 kg m^2", "0.01 kg m^2", "0.01 kg m^2"]

# The joint, Größe klein.
[joints.hinge]  # turns and slides
type        = "cylindrical"  # along z
parent      = "ground"
child       = "arm"
position    = [0, 0, "0.5 m"]  # on the wall
coordinates = ["z", { name = "phi", start = "20 deg", rotor_inertia = "1e-3 kg m^2" }]

# The thread.
[loops.thread]
type = "coupling"
equation = "z - (0.01 [m/rad])*phi"
# end of it

# What is seen.
[outputs]
height = "z"
"#;

    fn plan() -> SplinePlan {
        let curve = CoordinateCurve {
            coordinate: "z".into(),
            angle: false,
            values: vec![0.0, 0.01],
            slopes: [0.01; 2],
        };
        SplinePlan {
            joints: vec!["hinge".into()],
            over: "phi".into(),
            over_angle: true,
            knots: vec![0.0, 1.0],
            curves: vec![curve],
            loops: vec!["thread".into()],
        }
    }

    fn rewritten(text: &str) -> String {
        let model = crate::load::parse_model(text, None).unwrap();
        let out = plan().rewrite(&model).unwrap();
        // The result is a model again, and the coordinate that stays keeps what was set for it.
        let again = crate::load::parse_model(&out, None).unwrap();
        let phi = again.file.coordinates.get("phi").unwrap();
        assert!(phi.start.is_some() && phi.rotor_inertia.is_some(), "{out}");
        assert!(again.file.loops.get("thread").is_none() && again.file.joints.get("hinge").is_some());
        out
    }

    /// Decision 23: what does not change keeps its words and comments; what goes takes its own comments along.
    #[test]
    fn comments_are_kept() {
        let out = rewritten(TEXT);
        for line in [
            "# A lift.",
            "# The joint, Größe klein.",
            "[joints.hinge]  # turns and slides",
            "type        = \"general\"  # along z",
            "position    = [0, 0, \"0.5 m\"]  # on the wall",
            "# What is seen.",
            "gravity = [0, 0, -9.81]",
        ] {
            assert!(out.lines().any(|found| found == line), "{line}\n{out}");
        }
        assert!(!out.contains("The thread"), "{out}");
    }

    /// The same model with inline tables, dotted keys, quoted keys, Windows line ends, and a text that looks like a header.
    #[test]
    fn other_ways_to_write_the_same() {
        rewritten(&TEXT.replace('\n', "\r\n"));
        rewritten(
            &TEXT
                .replace("[loops.thread]\ntype =", "[loops]\nthread.type =")
                .replace("\nequation", "\nthread.equation"),
        );
        let inline = "[loops]\nthread = { type = \"coupling\", equation = \"z - (0.01 [m/rad])*phi\" }";
        rewritten(
            &TEXT.replace(
                "[loops.thread]\ntype = \"coupling\"\nequation = \"z - (0.01 [m/rad])*phi\"",
                inline,
            ),
        );
        rewritten(&TEXT.replace("[joints.hinge]", "[\"joints\" . 'hinge']"));
        let out =
            rewritten(&TEXT.replace("schema  = 1", "schema  = 1\ntitle = \"\"\"\n[loops.thread]\nx\"\"\""));
        assert!(out.contains("[loops.thread]\nx"), "{out}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(digits(0.1 + 0.2), "0.3");
        assert_eq!(digits(-1e-16), "0");
    }
}
