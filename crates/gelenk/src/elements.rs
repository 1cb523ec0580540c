//! Recording the elements of contacts between meshes, row by row.
//!
//! Contact has no memory: the state in a row of a recording tells its elements. So they are found again from the rows on
//! their way to the recording, whichever solver made them, and a run that is resumed gets those of its first part anew.

use gelenk_multibody::{Data, Mechanism};
use gelenk_record::elements::columns;
use gelenk_record::{Event, Sink, SinkError};
use gelenk_system::{Layout, System};

/// Passes rows on to a recording, and the contact elements of every row to a table.
pub struct WithElements<'a> {
    recording: &'a mut dyn Sink,
    table: &'a mut dyn Sink,
    mechanism: &'a Mechanism,
    data: Data<f64>,
    layout: Layout,
    line: Vec<f64>,
    elements: u64,
}

impl<'a> WithElements<'a> {
    /// For rows of `mechanism` with the resolved parameters `p`; `table` has the columns of
    /// [`gelenk_record::elements::columns`].
    pub fn new(
        mechanism: &'a Mechanism,
        p: &[f64],
        recording: &'a mut dyn Sink,
        table: &'a mut dyn Sink,
    ) -> Self {
        let mut data = mechanism.data();
        mechanism.bind(&mut data, p);
        let line = vec![0.0; columns().len()];
        Self { recording, table, mechanism, data, layout: mechanism.layout(), line, elements: 0 }
    }

    /// Number of elements so far.
    pub fn elements(&self) -> u64 {
        self.elements
    }
}

impl WithElements<'_> {
    /// Puts the elements of a row into the table.
    fn tabulate(&mut self, row: &[f64]) -> Result<(), SinkError> {
        let Layout { nq, nv, .. } = self.layout;
        // Positions and velocities stand behind the time.
        let (Some(&t), Some(q), Some(v)) = (row.first(), row.get(1..1 + nq), row.get(1 + nq..1 + nq + nv))
        else {
            return Ok(());
        };
        let (table, line, elements) = (&mut self.table, &mut self.line, &mut self.elements);
        let mut written = Ok(());
        let found = self.mechanism.contact_elements(&mut self.data, t, q, v, &mut |element| {
            if written.is_err() {
                return;
            }
            let e = element;
            let names = [e.pair as f64, f64::from(u8::from(e.second_is_master)), f64::from(e.triangle)];
            let values = [e.area, e.depth, e.sliding, e.pressure, e.traction];
            let numbers = std::iter::once(t).chain(names).chain(values);
            let numbers = numbers.chain(e.position.iter().copied()).chain(e.force.iter().copied());
            line.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
            written = table.row(line);
            *elements += 1;
        });
        written?;
        found.map_err(|fault| SinkError::Storage(fault.to_string().into()))
    }
}

impl Sink for WithElements<'_> {
    fn row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        self.recording.row(row)?;
        self.tabulate(row)
    }

    fn kept_row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        self.recording.kept_row(row)?;
        self.tabulate(row)
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
