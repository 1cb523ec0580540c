//! Contact elements over time: a table beside a recording, one row for every element and instant.
//!
//! Their number changes from row to row, so they do not stand in the recording itself. The table is a recording of its
//! own with the columns that [`columns`] lists; its metadata has the pairs under [`PAIRS`].

use crate::Column;

/// Key of the metadata of a table of elements: the pairs by number as a JSON list, each with its `name` and with the
/// numbers of its `surfaces` in the scene, `null` for those that the scene leaves out.
pub const PAIRS: &str = "pairs";

/// Columns that pictures need, by name: pair, surface, triangle, pressure, traction.
pub const SHOWN: [&str; 5] = ["pair", "surface", "triangle", "pressure", "traction"];

/// The columns of a table of elements, time first.
pub fn columns() -> Vec<Column> {
    let rest = [
        ("pair", "1", "number of the pair of surfaces, from 0"),
        ("surface", "1", "surface that gives the element: 0 the first of the pair, 1 the second"),
        ("triangle", "1", "number of its triangle, from 0"),
        ("area", "m^2", "area of the triangle"),
        ("depth", "m", "penetration"),
        ("sliding", "m/s", "sliding speed"),
        ("pressure", "N/m^2", "normal force per area"),
        ("traction", "N/m^2", "friction per area"),
        ("x", "m", "point of application of the force, ground axes"),
        ("y", "m", "point of application of the force, ground axes"),
        ("z", "m", "point of application of the force, ground axes"),
        ("fx", "N", "part of the force of the pair on the first body, ground axes"),
        ("fy", "N", "part of the force of the pair on the first body, ground axes"),
        ("fz", "N", "part of the force of the pair on the first body, ground axes"),
    ];
    let rest = rest.into_iter().map(|(name, unit, meaning)| Column::new(name, unit, meaning));
    std::iter::once(Column::time()).chain(rest).collect()
}

/// Elements by instant, as pictures need them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Elements {
    /// The pairs, as [`PAIRS`] tells them.
    pub pairs: String,
    /// Instants (s), rising; those without contact too.
    pub times: Vec<f64>,
    /// Where the elements of every instant begin, and the end.
    pub starts: Vec<usize>,
    /// The columns [`SHOWN`].
    pub columns: [Vec<f64>; 5],
}

/// An element as pictures need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// Number of its pair.
    pub pair: usize,
    /// Which surface of the pair it stands on: 0 or 1.
    pub surface: usize,
    /// Its triangle.
    pub triangle: usize,
    /// Normal force per area (N/m^2).
    pub pressure: f64,
    /// Friction per area (N/m^2).
    pub traction: f64,
}

impl Elements {
    /// The elements at the last instant that is not after `t` (s); none before the first.
    pub fn at(&self, t: f64) -> impl Iterator<Item = Shown> + '_ {
        let after = self.times.partition_point(|&s| s <= t);
        let range = match after.checked_sub(1) {
            Some(k) => self.starts.get(k).copied().unwrap_or(0)..self.starts.get(after).copied().unwrap_or(0),
            None => 0..0,
        };
        let [pair, surface, triangle, pressure, traction] = &self.columns;
        range.filter_map(move |row| {
            let whole = |values: &[f64]| values.get(row).map(|&value| value as usize);
            Some(Shown {
                pair: whole(pair)?,
                surface: whole(surface)?,
                triangle: whole(triangle)?,
                pressure: *pressure.get(row)?,
                traction: *traction.get(row)?,
            })
        })
    }

    /// Number of elements at all instants.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Largest pressure and largest traction (N/m^2); zero without elements.
    pub fn largest(&self) -> [f64; 2] {
        [3, 4].map(|k: usize| self.columns[k].iter().copied().fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elements_of_an_instant_stay_until_the_next() {
        let elements = Elements {
            pairs: "[]".into(),
            times: vec![0.0, 1.0, 2.0],
            starts: vec![0, 2, 2, 3],
            columns: [vec![0.0; 3], vec![1.0; 3], vec![4.0, 5.0, 6.0], vec![1.0, 7.0, 3.0], vec![0.0; 3]],
        };
        let triangles = |t: f64| elements.at(t).map(|e| e.triangle).collect::<Vec<_>>();
        assert!(triangles(-0.5).is_empty());
        assert_eq!(triangles(0.5), [4, 5]);
        assert!(triangles(1.0).is_empty());
        assert_eq!(triangles(9.0), [6]);
        assert_eq!(elements.largest(), [7.0, 0.0]);
        assert_eq!(Elements::default().at(1.0).count(), 0);
    }

    /// What pictures need is among the columns, which make a recording.
    #[test]
    fn the_columns_make_a_recording() {
        crate::recording::check_columns(&columns()).unwrap();
        assert!(SHOWN.iter().all(|name| columns().iter().any(|c| c.name == *name)));
    }
}
