//! A recording to look at.

use std::path::Path;

use gelenk_io::{ElementTable, IoError, Pieces};
use gelenk_record::Elements;

use crate::StudioError;

/// Most instants and most contact elements that the page gets of a run.
const MOST: (usize, usize) = (20_000, 200_000);

/// An open recording under its name, with its contact elements where they were recorded.
#[derive(Debug)]
pub struct Run {
    /// Name on the page.
    pub name: String,
    /// The recording.
    pub pieces: Pieces,
    /// Its contact elements.
    pub table: Option<ElementTable>,
    /// Why they are not shown, where they should be.
    pub notice: Option<String>,
}

impl Run {
    /// Opens a recording, and the table of its contact elements beside it. A table that cannot be read is no reason to show
    /// nothing: the notice tells it.
    ///
    /// # Errors
    /// A recording that cannot be read.
    pub fn open(name: String, path: &Path) -> Result<Self, IoError> {
        let pieces = Pieces::open(path)?;
        let (table, notice) = match ElementTable::open(path, &pieces) {
            Ok(table) => (table, None),
            Err(error) => (None, Some(format!("the contact elements of {name} are not shown: {error}"))),
        };
        Ok(Self { name, pieces, table, notice })
    }

    /// A recording without a table.
    pub fn new(name: impl Into<String>, pieces: Pieces) -> Self {
        Self { name: name.into(), pieces, table: None, notice: None }
    }

    /// The contact elements, at fewer instants where there are many.
    pub(crate) fn elements(&self) -> Result<Option<Elements>, StudioError> {
        let read = |table: &ElementTable| table.read(&self.pieces, MOST.0, MOST.1);
        Ok(self.table.as_ref().map(read).transpose()?)
    }
}

/// The lists that make up the elements for the page: instants, where each begins, and the columns.
pub(crate) fn lists(elements: &Elements) -> [Vec<f64>; 7] {
    let [a, b, c, d, e] = elements.columns.clone();
    [elements.times.clone(), elements.starts.iter().map(|&k| k as f64).collect(), a, b, c, d, e]
}
