//! Quaternions over time without jumps.
//!
//! A quaternion and its negative are the same orientation. Poses are found anew at every instant, so the sign is that of the
//! formula; over time it is that which is nearer to the row before.

use gelenk_record::Column;

/// Gives the quaternions in rows the sign of the row before.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    /// Where the real parts stand.
    places: Vec<usize>,
    last: Vec<[f64; 4]>,
}

impl Turns {
    /// For rows with these columns.
    pub(crate) fn new(columns: &[Column]) -> Self {
        let parts = [".qw", ".qx", ".qy", ".qz"];
        let is_quaternion =
            |some: &[Column]| some.iter().zip(parts).all(|(column, part)| column.name.ends_with(part));
        let places: Vec<usize> =
            columns.windows(4).enumerate().filter(|(_, some)| is_quaternion(some)).map(|(k, _)| k).collect();
        let last = vec![[0.0; 4]; places.len()];
        Self { places, last }
    }

    /// Takes the next row.
    pub(crate) fn follow(&mut self, row: &mut [f64]) {
        for (&place, last) in self.places.iter().zip(&mut self.last) {
            let Some(now) = row.get_mut(place..place + 4) else { continue };
            let along: f64 = now.iter().zip(&*last).map(|(a, b)| a * b).sum();
            if along < 0.0 {
                now.iter_mut().for_each(|part| *part = -*part);
            }
            last.copy_from_slice(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_turns_about_an_axis_have_no_jump() {
        let names =
            ["t", "bodies.a.x", "bodies.a.qw", "bodies.a.qx", "bodies.a.qy", "bodies.a.qz", "q", "a.qw"];
        let columns: Vec<Column> = names.iter().map(|name| Column::new(*name, "1", "")).collect();
        let mut turns = Turns::new(&columns);
        assert_eq!(turns.places, [2]);
        let mut before: Option<Vec<f64>> = None;
        for k in 0..=800 {
            let half = std::f64::consts::PI * f64::from(k) / 400.0;
            // As a formula gives it: the real part is never negative.
            let sign = half.cos().signum();
            let mut row = vec![0.0, 1.0, sign * half.cos(), sign * half.sin(), 0.0, 0.0, -1.0, -1.0];
            turns.follow(&mut row);
            assert_eq!((row[1], row[6], row[7]), (1.0, -1.0, -1.0));
            if let Some(before) = &before {
                assert!(
                    (row[3] - before[3]).abs() < 0.01 && (row[2] - before[2]).abs() < 0.01,
                    "{k}: {row:?}"
                );
            }
            before = Some(row);
        }
    }
}
