//! A few rows out of a long recording.

use gelenk_record::Recording;

use crate::{IoError, Pieces};

impl Pieces {
    /// A recording of all columns with about `every` rows at equal distances, the first and last among them, and the rows
    /// before and after each of the `times` (s), which rise. It holds that many rows, however long this one is.
    ///
    /// # Errors
    /// A file that became unreadable.
    pub fn around(&self, times: &[f64], every: usize) -> Result<Recording, IoError> {
        let last = self.rows().saturating_sub(1);
        let stride = self.rows().div_ceil(every.max(1)).max(1);
        let mut kept: Vec<usize> =
            (0..self.rows()).step_by(stride).chain(self.rows().checked_sub(1)).collect();
        let (mut row, mut next) = (0_usize, 0);
        self.read(&[0], 0..self.rows(), &mut |piece| {
            for &t in piece.first().copied().unwrap_or_default() {
                while times.get(next).is_some_and(|&wanted| wanted < t) {
                    kept.extend([row.saturating_sub(1), row]);
                    next += 1;
                }
                row += 1;
            }
        })?;
        if next < times.len() {
            kept.push(last);
        }
        kept.sort_unstable();
        kept.dedup();
        self.gather(&kept)
    }

    /// A recording of all columns with the rows of these rising numbers.
    fn gather(&self, kept: &[usize]) -> Result<Recording, IoError> {
        let all: Vec<usize> = (0..self.columns().len()).collect();
        let mut data: Vec<Vec<f64>> = vec![Vec::with_capacity(kept.len()); all.len()];
        let (mut start, mut next) = (0, 0);
        self.read(&all, 0..self.rows(), &mut |piece| {
            let end = start + piece.first().map_or(0, |values| values.len());
            let inside = kept[next..].iter().take_while(|&&row| row < end).count();
            for (into, values) in data.iter_mut().zip(piece) {
                into.extend(kept[next..next + inside].iter().map(|row| values[row - start]));
            }
            (start, next) = (end, next + inside);
        })?;
        self.with_data(all, data)
    }

    /// A recording of some columns with these values, and with the events and metadata of this one.
    ///
    /// # Errors
    /// Values that make no recording, such as those of a damaged file.
    pub fn with_data(&self, columns: Vec<usize>, data: Vec<Vec<f64>>) -> Result<Recording, IoError> {
        let columns = columns.into_iter().filter_map(|k| self.columns().get(k).cloned()).collect();
        let mut recording =
            Recording::from_data(columns, data).map_err(|e| IoError::record(self.path(), e))?;
        recording.meta_mut().clone_from(self.meta());
        self.events().iter().cloned().for_each(|event| recording.push_event(event));
        Ok(recording)
    }

    /// The recording without its rows, to look up columns in.
    ///
    /// # Errors
    /// Columns that make no recording, such as those of a damaged file.
    pub fn without_rows(&self) -> Result<Recording, IoError> {
        let count = self.columns().len();
        self.with_data((0..count).collect(), vec![Vec::new(); count])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_record::{Column, Event};

    fn long() -> Pieces {
        let time: Vec<f64> = (0..10_000).map(|k| f64::from(k) * 0.5).collect();
        let columns = vec![Column::time(), Column::new("y", "m", "")];
        let mut recording = Recording::from_data(columns, vec![time.clone(), time]).unwrap();
        recording.push_event(Event::new(1.0, "a", "b"));
        Pieces::held(recording)
    }

    #[test]
    fn rows_around_a_time_are_those_between_which_it_lies() {
        let few = long().around(&[-1.0, 100.25, 100.5, 9999.0], 2).unwrap();
        assert_eq!(few.time(), [0.0, 100.0, 100.5, 101.0, 2500.0, 4999.5]);
        assert_eq!(few.interpolate("y", 100.25).unwrap(), 100.25);
        assert_eq!(few.events().len(), 1);
    }

    #[test]
    fn a_short_recording_stays_whole() {
        assert_eq!(long().around(&[], 10_000).unwrap().len(), 10_000);
        let none = Recording::new(vec![Column::time()]).unwrap();
        assert!(Pieces::held(none).around(&[1.0], 5).unwrap().is_empty());
    }
}
