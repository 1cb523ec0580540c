//! A recording to look at.

use std::path::{Path, PathBuf};

use gelenk_io::{ElementTable, Following, Growth, IoError, Pieces};
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
    /// Of a run that goes on: its parts, and where its recording will be.
    following: Option<(Following, PathBuf)>,
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
        Ok(Self { name, pieces, table, notice, following: None })
    }

    /// Opens a recording that may still be written: the parts of a run that goes on, by their folder or by the name that the
    /// recording will have, or anything that [`Run::open`] opens.
    ///
    /// # Errors
    /// A recording that cannot be read.
    pub fn follow(name: String, path: &Path) -> Result<Self, IoError> {
        let Some((following, pieces)) = Following::open(path)? else { return Self::open(name, path) };
        let path = if path.is_dir() { path.with_extension("parquet") } else { path.to_owned() };
        Ok(Self { name, pieces, table: None, notice: None, following: Some((following, path)) })
    }

    /// Whether more rows may come.
    pub fn is_growing(&self) -> bool {
        self.following.is_some()
    }

    /// Looks for more rows of a run that goes on; returns whether there are any, or whether it has ended.
    ///
    /// # Errors
    /// Parts or a recording that cannot be read.
    pub fn grow(&mut self) -> Result<bool, IoError> {
        let Some((following, path)) = &mut self.following else { return Ok(false) };
        match following.grow()? {
            Growth::None => Ok(false),
            Growth::Rows(pieces) => {
                self.pieces = pieces;
                Ok(true)
            }
            Growth::Complete(pieces) => {
                let name = std::mem::take(&mut self.name);
                let path = path.clone();
                self.pieces = pieces;
                *self = Self::open(name, &path)?;
                Ok(true)
            }
            // What was read stays.
            Growth::Gone => {
                self.following = None;
                Ok(true)
            }
        }
    }

    /// A recording without a table.
    pub fn new(name: impl Into<String>, pieces: Pieces) -> Self {
        Self { name: name.into(), pieces, table: None, notice: None, following: None }
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
