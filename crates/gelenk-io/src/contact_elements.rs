//! The table of contact elements beside a recording.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gelenk_record::elements::{Elements, PAIRS, SHOWN};

use crate::{IoError, Pieces};

/// Metadata entry of a recording whose contact elements were recorded too: the name of their table.
pub const ELEMENTS: &str = "elements";

/// The table of elements of a recording: `run.elements.parquet` beside `run.parquet`.
pub fn elements_path(recording: &Path) -> PathBuf {
    let mut name: OsString = recording.file_stem().unwrap_or_default().to_owned();
    name.push(".elements.parquet");
    recording.with_file_name(name)
}

/// An open table of elements.
#[derive(Debug)]
pub struct ElementTable {
    pieces: Pieces,
    /// Places of the time and of the columns [`SHOWN`].
    wanted: [usize; 6],
    pairs: String,
}

impl ElementTable {
    /// Opens the table of a recording; `None` where the recording has none. Its place follows from that of the recording,
    /// whatever the recording says.
    ///
    /// # Errors
    /// A table that is missing, damaged, or no table of elements.
    pub fn open(path: &Path, recording: &Pieces) -> Result<Option<Self>, IoError> {
        if !recording.meta().contains_key(ELEMENTS) {
            return Ok(None);
        }
        let path = elements_path(path);
        Self::from_pieces(Pieces::open(&path)?).map(Some).map_err(|what| IoError::foreign(&path, what))
    }

    /// The table that a recording is.
    ///
    /// # Errors
    /// What is missing.
    pub fn from_pieces(pieces: Pieces) -> Result<Self, String> {
        let mut wanted = [0; 6];
        for (slot, name) in wanted.iter_mut().skip(1).zip(SHOWN) {
            let found = pieces.columns().iter().position(|column| column.name == name);
            *slot = found
                .ok_or_else(|| format!("it lacks the column `{name}` of a table of contact elements"))?;
        }
        let pairs = pieces.meta().get(PAIRS).cloned().ok_or("it does not name the pairs of its elements")?;
        Ok(Self { pieces, wanted, pairs })
    }

    /// Number of elements at all instants.
    pub fn rows(&self) -> usize {
        self.pieces.rows()
    }

    /// The elements at the instants of the recording, or at every second one, third one and so on: so many that there are
    /// at most about `instants` of them with `rows` elements in all.
    ///
    /// # Errors
    /// A file that became unreadable.
    pub fn read(&self, recording: &Pieces, instants: usize, rows: usize) -> Result<Elements, IoError> {
        let stride = recording.rows().div_ceil(instants.max(1)).max(self.rows().div_ceil(rows.max(1))).max(1);
        let mut times: Vec<f64> = Vec::new();
        let (mut row, last) = (0, recording.rows().saturating_sub(1));
        recording.read(&[0], 0..recording.rows(), &mut |piece| {
            for &t in piece.first().copied().unwrap_or_default() {
                // Two rows at a jump share their time, and their elements stand together.
                if (row % stride == 0 || row == last) && times.last() != Some(&t) {
                    times.push(t);
                }
                row += 1;
            }
        })?;
        let mut found = Elements { pairs: self.pairs.clone(), times, starts: vec![0], ..Elements::default() };
        self.pieces.read(&self.wanted, 0..self.rows(), &mut |piece| {
            let Some((time, values)) = piece.split_first() else { return };
            for (row, &t) in time.iter().enumerate() {
                while found.times.get(found.starts.len() - 1).is_some_and(|&instant| instant < t) {
                    found.starts.push(found.columns[0].len());
                }
                if found.times.get(found.starts.len() - 1) == Some(&t) {
                    for (into, values) in found.columns.iter_mut().zip(values) {
                        into.push(values[row]);
                    }
                }
            }
        })?;
        found.starts.resize(found.times.len() + 1, found.columns[0].len());
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_record::{Column, Recording, elements};

    /// Rows at 0, 1, ... 9 s; k elements at k s, but none at 4 s.
    fn both() -> (Pieces, ElementTable) {
        let time = (0..10).map(f64::from).collect();
        let recording = Recording::from_data(vec![Column::time()], vec![time]).unwrap();
        let mut table = Recording::new(elements::columns()).unwrap();
        for k in (0..10).filter(|&k| k != 4) {
            for triangle in 0..k {
                let mut row = vec![0.0; elements::columns().len()];
                (row[0], row[3], row[7]) = (f64::from(k), f64::from(triangle), f64::from(10 * k + triangle));
                table.push(&row).unwrap();
            }
        }
        table.meta_mut().insert(PAIRS.into(), "[]".into());
        (Pieces::held(recording), ElementTable::from_pieces(Pieces::held(table)).unwrap())
    }

    #[test]
    fn every_instant_has_its_own_elements() {
        let (recording, table) = both();
        let all = table.read(&recording, 100, 1000).unwrap();
        assert_eq!(all.times.len(), 10);
        for k in 0..10_u32 {
            let at: Vec<f64> = all.at(f64::from(k)).map(|e| e.pressure).collect();
            let count = if k == 4 { 0 } else { k };
            assert_eq!(at, (0..count).map(|i| f64::from(10 * k + i)).collect::<Vec<_>>(), "{k}");
        }
    }

    #[test]
    fn fewer_instants_stay_whole() {
        let (recording, table) = both();
        for (instants, rows) in [(4, 1000), (100, 14)] {
            let some = table.read(&recording, instants, rows).unwrap();
            assert_eq!(some.times, [0.0, 3.0, 6.0, 9.0]);
            assert_eq!(some.starts, [0, 0, 3, 9, 18]);
        }
    }

    #[test]
    fn other_tables_are_refused() {
        let recording = Recording::new(vec![Column::time()]).unwrap();
        let error = ElementTable::from_pieces(Pieces::held(recording)).unwrap_err();
        assert!(error.contains("`pair`"), "{error}");
        assert_eq!(elements_path(Path::new("runs/a.parquet")), Path::new("runs/a.elements.parquet"));
    }
}
