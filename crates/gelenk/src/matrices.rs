//! The matrices of the equations of motion at the instants of a motion, with names (stelzner R64).

use std::fmt::Write;

use gelenk_multibody::inverse::Instant;
use gelenk_multibody::matrices::Matrices;
use gelenk_multibody::{Convention, Mechanism, Place};
use gelenk_record::{Column, Recording};
use gelenk_system::System;
use serde_json::{Value as Json, json};

use crate::digits::digits;
use crate::motion_study::{MotionStudy, MotionStudyError};
use crate::open::OpenError;
use crate::walk::Walk;

/// Components of a Jacobian.
const COMPONENTS: [&str; 6] = ["wx", "wy", "wz", "vx", "vy", "vz"];

/// The matrices at one instant.
#[derive(Clone, Debug)]
pub struct At {
    /// Time (s).
    pub t: f64,
    /// Positions, with free joints at the origins of their children.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations of the motion, zero at the start of a model.
    pub a: Vec<f64>,
    /// The matrices.
    pub matrices: Matrices,
    /// Jacobians of the frames, `6 x nv` row by row.
    pub jacobians: Vec<Vec<f64>>,
}

/// The matrices along a motion.
#[derive(Clone, Debug)]
pub struct Along {
    /// Names of the velocities: the rows and columns of `M`.
    pub velocities: Vec<String>,
    /// Their units.
    pub units: Vec<String>,
    /// Names of the constraint equations: the rows of `C_q`.
    pub equations: Vec<String>,
    /// Names of the frames that have Jacobians.
    pub frames: Vec<String>,
    /// Instant by instant.
    pub instants: Vec<At>,
}

impl MotionStudy {
    /// The matrices at the instants of the motion, with Jacobians of these frames and bodies; of all frames of the model where
    /// none are named.
    ///
    /// # Errors
    /// Unknown frames, loops that do not close, faults of elements.
    pub fn matrices(&self, frames: &[String], convention: Convention) -> Result<Along, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let frames: Vec<String> = if frames.is_empty() {
            mechanism.frame_names().map(String::from).collect()
        } else {
            frames.to_vec()
        };
        let places = frames.iter().map(|name| place(mechanism, name)).collect::<Result<Vec<Place>, _>>()?;
        let layout = mechanism.layout();
        let mut along = Along {
            velocities: mechanism.velocity_titles().map(String::from).collect(),
            units: mechanism.channels()[layout.nq..layout.nq + layout.nv]
                .iter()
                .map(|c| c.unit.clone())
                .collect(),
            equations: mechanism.equation_names(),
            frames,
            instants: Vec::new(),
        };
        let mut walk = Walk::new(self, true)?;
        for k in (0..self.motion.times.len()).take_while(|_| !self.interrupt.asked()) {
            walk.to(k)?;
            let t = self.motion.times[k];
            let (q, v, a) = (walk.q.clone(), walk.v.clone(), walk.a.clone());
            let mut matrices = Matrices::default();
            let at = Instant { t, q: &q, v: &v, a: &a };
            mechanism.matrices(&mut walk.data, at, &mut walk.memory, &mut matrices)?;
            mechanism.set_state(&mut walk.data, t, &q, &v)?;
            let mut jacobians = Vec::with_capacity(places.len());
            for place in &places {
                let mut j = vec![0.0; 6 * layout.nv];
                mechanism.frame_jacobian(&walk.data, place, convention, &mut j)?;
                jacobians.push(j);
            }
            along.instants.push(At { t, q, v, a, matrices, jacobians });
        }
        Ok(along)
    }
}

fn place(mechanism: &Mechanism, name: &str) -> Result<Place, OpenError> {
    mechanism.place(name).ok_or_else(|| {
        let known = mechanism.frame_names().chain(mechanism.body_names());
        let help = gelenk_math::suggest::closest(name, known)
            .map(|closest| format!("; did you mean \"{closest}\"?"))
            .unwrap_or_default();
        OpenError::Usage(format!("--frame {name}: no frame or body has this name{help}"))
    })
}

/// One matrix as it is shown: symbol, names of rows and columns, entries row by row. A vector has no columns.
type Shown<'a> = (String, &'a [String], Option<&'a [String]>, &'a [f64]);

impl Along {
    /// The matrices of an instant that have entries.
    fn shown<'a>(&'a self, at: &'a At, components: &'a [String]) -> Vec<Shown<'a>> {
        let (m, v, c) = (&at.matrices, self.velocities.as_slice(), self.equations.as_slice());
        let mut all: Vec<Shown<'a>> = vec![
            ("M".into(), v, Some(v), &m.mass),
            ("Q".into(), v, None, &m.efforts),
            ("c".into(), v, None, &m.bias),
            ("g".into(), v, None, &m.gravity),
            ("C".into(), c, None, &m.gap),
            ("C_q".into(), c, Some(v), &m.rows),
            ("C_t".into(), c, None, &m.explicit),
            ("Gamma".into(), c, None, &m.gamma),
        ];
        for (frame, j) in self.frames.iter().zip(&at.jacobians) {
            all.push((format!("J.{frame}"), components, Some(v), j));
        }
        all.retain(|(_, _, _, entries)| !entries.is_empty());
        all
    }

    /// The matrices of one instant as text.
    pub fn text(&self, at: &At) -> String {
        let components = COMPONENTS.map(String::from);
        let mut text = String::new();
        for (symbol, rows, columns, entries) in self.shown(at, &components) {
            let names = rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
            let names = names.max(symbol.chars().count().saturating_sub(2));
            let width = columns.into_iter().flatten().map(|name| name.chars().count()).max().unwrap_or(0);
            let width = width.max(14);
            // Writing to a string cannot fail.
            let _ = write!(text, "{symbol:names$}  ", names = names + 2);
            for column in columns.into_iter().flatten() {
                let _ = write!(text, " {column:>width$}");
            }
            while text.ends_with(' ') {
                text.pop();
            }
            text.push('\n');
            let count = columns.map_or(1, <[String]>::len);
            for (name, row) in rows.iter().zip(entries.chunks(count.max(1))) {
                let _ = write!(text, "  {name:names$}  ");
                for value in row {
                    let _ = write!(text, " {:>width$}", digits(*value, 8));
                }
                text.push('\n');
            }
        }
        text
    }

    /// All instants as JSON: names once, then the matrices as lists of rows.
    pub fn json(&self) -> Json {
        let components = COMPONENTS.map(String::from);
        let instants: Vec<Json> = self
            .instants
            .iter()
            .map(|at| {
                let mut entry = serde_json::Map::new();
                entry.insert("t".into(), json!(at.t));
                entry.insert("q".into(), json!(at.q));
                entry.insert("v".into(), json!(at.v));
                entry.insert("a".into(), json!(at.a));
                for (symbol, _, columns, entries) in self.shown(at, &components) {
                    let value = match columns {
                        Some(columns) => json!(entries.chunks(columns.len().max(1)).collect::<Vec<_>>()),
                        None => json!(entries),
                    };
                    entry.insert(symbol, value);
                }
                Json::Object(entry)
            })
            .collect();
        json!({
            "equations_of_motion": "M dv/dt + c + C_q^T lambda = Q, C_q v + C_t = 0, C_q dv/dt = Gamma",
            "velocities": self.velocities,
            "units": self.units,
            "equations": self.equations,
            "components": COMPONENTS,
            "instants": instants,
        })
    }

    /// SI unit of an entry by its row and column. Equations of loops are lengths or dimensionless, and do not say which.
    fn unit(&self, symbol: &str, row: usize, column: Option<usize>) -> &'static str {
        let turns = |k: usize| self.units.get(k).is_some_and(|unit| unit == "rad/s");
        match (symbol, column.map(turns)) {
            ("M", Some(column)) => match (turns(row), column) {
                (true, true) => "kg m^2",
                (false, false) => "kg",
                _ => "kg m",
            },
            ("Q" | "c" | "g", None) if turns(row) => "N m",
            ("Q" | "c" | "g", None) => "N",
            (jacobian, Some(column)) if jacobian.starts_with("J.") => match (row < 3, column) {
                (true, false) => "rad/m",
                (false, true) => "m/rad",
                _ => "1",
            },
            _ => "1",
        }
    }

    /// All instants as a recording with one column for every entry: `M.ROW.COLUMN`, `Q.ROW`.
    ///
    /// # Errors
    /// Columns that cannot make a recording.
    pub fn recording(&self) -> Result<Recording, MotionStudyError> {
        let components = COMPONENTS.map(String::from);
        let mut columns = vec![Column::time()];
        if let Some(first) = self.instants.first() {
            for (symbol, rows, names, _) in self.shown(first, &components) {
                for (i, row) in rows.iter().enumerate() {
                    let unit = |j| self.unit(&symbol, i, j);
                    match names {
                        None => columns.push(Column::new(
                            format!("{symbol}.{row}"),
                            unit(None),
                            "entry of a vector",
                        )),
                        Some(names) => columns.extend(names.iter().enumerate().map(|(j, name)| {
                            Column::new(format!("{symbol}.{row}.{name}"), unit(Some(j)), "entry of a matrix")
                        })),
                    }
                }
            }
        }
        let mut recording = Recording::new(columns)?;
        let mut row = Vec::new();
        for at in &self.instants {
            row.clear();
            row.push(at.t);
            self.shown(at, &components).iter().for_each(|(_, _, _, entries)| row.extend_from_slice(entries));
            recording.push(&row)?;
        }
        Ok(recording)
    }
}
