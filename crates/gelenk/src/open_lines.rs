//! Watching for contacts whose lines of intersection are open.
//!
//! A border of a mesh inside a contact leaves a line open. What is inside is then not defined, and forces may create energy
//! without bound. The run goes on (H-R16), so that somebody has to say so.

use gelenk_record::{Column, Event, Sink, SinkError};

use crate::notes::Notes;

/// Passes rows on to a recording, and notes which contacts had open lines.
pub struct OpenLines<'a> {
    recording: &'a mut dyn Sink,
    watched: Vec<Watched>,
    rows: u64,
    notes: Option<Notes<'a>>,
}

struct Watched {
    contact: String,
    column: usize,
    rows: u64,
    first: f64,
}

impl<'a> OpenLines<'a> {
    /// For rows with these columns.
    pub fn new(columns: &[Column], recording: &'a mut dyn Sink) -> Self {
        let watch = |(column, entry): (usize, &Column)| {
            let contact = entry.name.strip_suffix(".open_lines")?.to_owned();
            Some(Watched { contact, column, rows: 0, first: f64::INFINITY })
        };
        let watched = columns.iter().enumerate().filter_map(watch).collect();
        Self { recording, watched, rows: 0, notes: None }
    }

    /// The same with an eye on what is worth a note.
    #[must_use]
    pub fn with_notes(mut self, notes: Notes<'a>) -> Self {
        self.notes = Some(notes);
        self
    }

    /// A warning for every contact that had open lines, and what else was found.
    pub fn warnings(&self) -> Vec<String> {
        let open = |found: &&Watched| found.rows > 0;
        let text = |found: &Watched| {
            format!(
                "{}: lines of intersection end at a border of a mesh in {} of {} samples, first at {} s; the forces there are not reliable",
                found.contact, found.rows, self.rows, found.first
            )
        };
        let notes = self.notes.iter().flat_map(Notes::texts);
        self.watched.iter().filter(open).map(text).chain(notes).collect()
    }
}

impl OpenLines<'_> {
    fn watch(&mut self, row: &[f64]) {
        self.rows += 1;
        if let Some(notes) = &mut self.notes {
            notes.row(row);
        }
        for found in &mut self.watched {
            if row.get(found.column).is_some_and(|&lines| lines > 0.0) {
                found.rows += 1;
                found.first = found.first.min(row.first().copied().unwrap_or(0.0));
            }
        }
    }
}

impl Sink for OpenLines<'_> {
    fn row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        self.recording.row(row)?;
        self.watch(row);
        Ok(())
    }

    fn kept_row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        self.recording.kept_row(row)?;
        self.watch(row);
        Ok(())
    }

    fn kept_event(&mut self, event: Event) -> Result<(), SinkError> {
        self.recording.kept_event(event)
    }

    fn event(&mut self, event: Event) -> Result<(), SinkError> {
        self.recording.event(event)
    }

    fn wants_state(&self) -> bool {
        self.recording.wants_state()
    }

    fn state(&mut self, state: String) -> Result<(), SinkError> {
        self.recording.state(state)
    }

    fn durable(&self) -> u64 {
        self.recording.durable()
    }
}
