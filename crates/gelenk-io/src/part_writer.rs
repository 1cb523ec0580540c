//! The sink on disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gelenk_record::recording::check_columns;
use gelenk_record::sink::check_row;
use gelenk_record::{Column, Event, Sink, SinkError};

use crate::layout::Header;
use crate::parquet_file::ParquetFile;
use crate::scanning::{self, Damage};
use crate::{IoError, durable, parquet_file, part, parts_folder};

/// Metadata entry of a part, and of a recording that ended early, that holds a state to go on from.
pub const STATE: &str = "state";

/// Metadata entry of a part of a resumed run: how much of its base it follows.
pub(crate) const FOLLOWS: &str = "follows";

/// How much of what an ended run recorded a resumed one goes on from: what lies behind its last saved state is computed
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Follows {
    /// Rows.
    pub rows: u64,
    /// Events.
    pub events: u64,
    /// Whether the run reached its end, so that what it computed counts in any case.
    pub(crate) complete: bool,
}

impl Follows {
    /// The first `rows` rows and `events` events.
    pub fn new(rows: u64, events: u64) -> Self {
        Self { rows, events, complete: false }
    }

    fn to_text(self) -> String {
        format!("{} {}", self.rows, self.events)
    }

    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let (rows, events) = text.split_once(' ')?;
        Some(Self::new(rows.parse().ok()?, events.parse().ok()?))
    }
}

/// Periods for which a part waits for a state to end with.
const PATIENCE: u32 = 2;

/// When a part is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOptions {
    /// Rows of a part at most; zero counts as one.
    pub rows: usize,
    /// Wall time after which a part is closed with the next state, or after twice that time with the next row, so that a
    /// slow run announces its rows too.
    pub period: Duration,
}

impl Default for PartOptions {
    /// 4096 rows or half a second, whichever comes first.
    fn default() -> Self {
        Self { rows: 4096, period: Duration::from_millis(500) }
    }
}

/// A finished recording on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The Parquet file.
    pub path: PathBuf,
    /// Its number of rows.
    pub rows: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Writes a recording while it is computed, so that a kill loses no row that was announced.
///
/// Rows fill a preallocated batch. A full batch goes to `<run>.parts/part-000000.parquet` and so on: written to a
/// temporary name, synced, renamed, and the folder synced. Only then [`Sink::durable`] counts its rows.
/// [`PartWriter::finish`] makes one Parquet file. Dropping the writer without it leaves the parts for
/// [`recover`](crate::recover()), as a kill would.
#[derive(Debug)]
pub struct PartWriter {
    out: PathBuf,
    folder: PathBuf,
    lock: File,
    options: PartOptions,
    /// What the next part says; its events are those since the last part.
    header: Header,
    batch: Vec<Vec<f64>>,
    last_time: Option<f64>,
    /// The state that came last, and whether it belongs to the last row.
    state: Option<String>,
    state_fits: bool,
    /// Number of the next part.
    next: u64,
    /// Rows on disk, those that are followed included.
    durable: u64,
    base: Option<Base>,
    since: Instant,
}

/// What a resumed run goes on from.
#[derive(Debug, Clone, Copy)]
struct Base {
    follows: Follows,
    /// All rows of it.
    rows: u64,
}

impl PartWriter {
    /// Begins the recording `out` (by custom `*.parquet`); the parts stand in [`parts_folder`] beside it.
    ///
    /// The metadata goes into every part and into the finished file. For the promise "same run, same bytes" it
    /// must say nothing about clock or machine.
    ///
    /// # Errors
    /// Bad columns, a folder that cannot be made, [`IoError::Taken`] where `out` is something else than a recording,
    /// [`IoError::Unrecovered`] where parts of an earlier run wait, and [`IoError::InUse`] where another process writes
    /// there.
    pub fn create(
        out: &Path,
        columns: Vec<Column>,
        meta: BTreeMap<String, String>,
        options: PartOptions,
    ) -> Result<Self, IoError> {
        let (folder, lock) = Self::enter(out, &columns)?;
        if !parts_folder::list(&folder)?.is_empty() {
            return Err(IoError::Unrecovered { folder });
        }
        Ok(Self::begin(out, (folder, lock), columns, meta, options))
    }

    /// Goes on with the recording `out` of a run that ended early, of which [`begun`](crate::begun) told, behind what
    /// `follows` says. That is not copied: it becomes the base of the folder of parts, and counts until the run has
    /// computed as much again. The columns are those of the base.
    ///
    /// # Errors
    /// Those of [`PartWriter::create`], but for parts that wait.
    pub fn resume(
        out: &Path,
        columns: Vec<Column>,
        meta: BTreeMap<String, String>,
        options: PartOptions,
        follows: Follows,
    ) -> Result<Self, IoError> {
        let (folder, lock) = Self::enter(out, &columns)?;
        parts_folder::settle(&folder)?;
        let mut listing = parts_folder::list(&folder)?;
        if listing.base.is_none() && out.is_file() {
            parts_folder::link_base(&folder, out)?;
            listing = parts_folder::list(&folder)?;
        }
        let mut writer = Self::begin(out, (folder, lock), columns, meta, options);
        if let Some(path) = &listing.base {
            let follows = Follows { complete: false, ..follows };
            let rows = parquet_file::rows(path)?;
            (writer.next, writer.durable) = (listing.first, follows.rows);
            writer.base = Some(Base { follows, rows });
        }
        Ok(writer)
    }

    /// Makes the folder of parts and keeps others out of it.
    fn enter(out: &Path, columns: &[Column]) -> Result<(PathBuf, File), IoError> {
        check_columns(columns).map_err(|e| IoError::record(out, e))?;
        // Before anything is computed: a model that is named as the output of its own run stays.
        if !parquet_file::may_be_replaced(out) {
            return Err(IoError::Taken { path: out.to_owned() });
        }
        let folder = parts_folder(out);
        parts_folder::clear_removed(&folder)?;
        fs::create_dir_all(&folder).map_err(IoError::file("create", &folder))?;
        let lock = parts_folder::lock(&folder)?;
        durable::sync_folder(&durable::folder_of(&folder))?;
        Ok((folder, lock))
    }

    fn begin(
        out: &Path,
        (folder, lock): (PathBuf, File),
        columns: Vec<Column>,
        meta: BTreeMap<String, String>,
        options: PartOptions,
    ) -> Self {
        let options = PartOptions { rows: options.rows.max(1), ..options };
        Self {
            out: out.to_owned(),
            folder,
            lock,
            options,
            batch: empty_batch(columns.len(), options.rows),
            header: Header { columns, meta, events: Vec::new() },
            last_time: None,
            state: None,
            state_fits: false,
            next: 0,
            durable: 0,
            base: None,
            since: Instant::now(),
        }
    }

    /// The columns of the recording.
    pub fn columns(&self) -> &[Column] {
        &self.header.columns
    }

    /// The folder in which the parts stand.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets a metadata entry, for example a result that is known only at the end. It stands in later parts and in
    /// the finished file.
    pub fn set_meta(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.header.meta.insert(key.into(), value.into());
    }

    /// Brings the rows and events taken so far to disk as a part; nothing if there are none.
    ///
    /// # Errors
    /// A failure of the disk. The rows stay in the batch, and a later call tries again.
    pub fn flush(&mut self) -> Result<(), IoError> {
        self.since = Instant::now();
        let rows = self.held();
        if rows == 0 && self.header.events.is_empty() {
            return Ok(());
        }
        self.write_part()?;
        self.next += 1;
        self.durable += rows as u64;
        self.header.events.clear();
        for values in &mut self.batch {
            values.clear();
        }
        Ok(())
    }

    /// Makes one Parquet file out of the recording and then removes the parts.
    ///
    /// # Errors
    /// A failure of the disk. The parts are then still there for [`recover`](crate::recover()).
    pub fn finish(self) -> Result<Finished, IoError> {
        self.close(true)
    }

    /// As [`Self::finish`], for a run that ended early: where it was resumed and has not come as far again, what was
    /// there before stays.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_early(self) -> Result<Finished, IoError> {
        self.close(false)
    }

    fn close(mut self, complete: bool) -> Result<Finished, IoError> {
        self.flush()?;
        if self.next == 0 && self.base.is_none() {
            // A recording without rows still has columns and metadata to keep.
            self.write_part()?;
        }
        let follows = self.base.map(|base| Follows { complete, ..base.follows });
        let how = Combine { meta: Some(&self.header.meta), follows, ..Combine::default() };
        let (rows, bytes, _) = combine(&self.folder, &self.out, &how)?;
        parts_folder::remove(&self.folder, self.lock)?;
        Ok(Finished { path: self.out, rows, bytes })
    }

    /// The state that came last.
    pub fn last_state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    fn held(&self) -> usize {
        self.batch.first().map_or(0, Vec::len)
    }

    fn write_part(&self) -> Result<(), IoError> {
        let path = self.folder.join(parts_folder::part_name(self.next));
        let temporary = durable::temporary(&path);
        let mut header = self.header.clone();
        if let Some(state) = self.state.as_ref().filter(|_| self.state_fits) {
            header.meta.insert(STATE.into(), state.clone());
        }
        if let Some(base) = &self.base {
            header.meta.insert(FOLLOWS.into(), base.follows.to_text());
        }
        let rows: Vec<&[f64]> = self.batch.iter().map(Vec::as_slice).collect();
        let bytes = part::encode(&path, &header, &rows)?;
        let mut file = File::create(&temporary).map_err(IoError::file("create", &temporary))?;
        file.write_all(&bytes).map_err(IoError::file("write", &temporary))?;
        durable::publish(file, &temporary, &path)
    }
}

impl Sink for PartWriter {
    fn row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        check_row(row, self.header.columns.len(), self.last_time)?;
        if self.held() >= self.options.rows {
            // The last flush failed; without this the batch would grow while the disk is full.
            self.flush()?;
        }
        for (values, &value) in self.batch.iter_mut().zip(row) {
            values.push(value);
        }
        self.last_time = row.first().copied();
        self.state_fits = false;
        // Parts end best where a state is given; only where none comes in time they end elsewhere.
        if self.held() >= self.options.rows || self.since.elapsed() >= self.options.period * PATIENCE {
            self.flush()?;
        }
        Ok(())
    }

    fn kept_row(&mut self, row: &[f64]) -> Result<(), SinkError> {
        if self.base.is_none() {
            return self.row(row);
        }
        check_row(row, self.header.columns.len(), self.last_time)?;
        self.last_time = row.first().copied();
        Ok(())
    }

    fn kept_event(&mut self, event: Event) -> Result<(), SinkError> {
        if self.base.is_none() { self.event(event) } else { Ok(()) }
    }

    fn wants_state(&self) -> bool {
        let held = self.held();
        held > 0 && (2 * held >= self.options.rows || self.since.elapsed() >= self.options.period)
    }

    fn state(&mut self, state: String) -> Result<(), SinkError> {
        (self.state, self.state_fits) = (Some(state), true);
        Ok(self.flush()?)
    }

    fn event(&mut self, event: Event) -> Result<(), SinkError> {
        self.header.events.push(event);
        Ok(())
    }

    fn durable(&self) -> u64 {
        self.durable.max(self.base.map_or(0, |base| base.rows))
    }
}

fn empty_batch(columns: usize, rows: usize) -> Vec<Vec<f64>> {
    // A caller may ask for parts without an end; the batch then grows as it must.
    let room = rows.min(1 << 20);
    (0..columns).map(|_| Vec::with_capacity(room)).collect()
}

/// How parts become a recording.
#[derive(Debug, Default)]
pub(crate) struct Combine<'a> {
    pub damage: Damage,
    /// Replaces the metadata of the last part, where it is given.
    pub meta: Option<&'a BTreeMap<String, String>>,
    /// What the parts follow, where that is known.
    pub follows: Option<Follows>,
    /// Rows that the recording must have.
    pub least: u64,
}

/// Metadata entry of a recording with gaps: the parts that were left out.
const LEFT_OUT: &str = "left_out";

/// Makes the Parquet file `out` out of what is in `folder`; returns rows, bytes and what the scan met.
pub(crate) fn combine(
    folder: &Path,
    out: &Path,
    how: &Combine,
) -> Result<(u64, u64, scanning::Scanned), IoError> {
    let mut file: Option<ParquetFile> = None;
    let mut events = Vec::new();
    let (mut last_meta, mut state) = (BTreeMap::new(), None);
    let scanned = scanning::scan(folder, how.damage, how.follows, &mut |header, data| {
        let file = match &mut file {
            Some(file) => file,
            None => file.insert(ParquetFile::create(out, &header.columns)?),
        };
        events.extend(header.events);
        last_meta = header.meta;
        if let Some(last) = last_meta.remove(STATE) {
            state = Some(last);
        }
        file.append(data)
    });
    let refused = |file: ParquetFile, error: IoError| {
        file.discard();
        Err(error)
    };
    let (file, scanned) = match (file, scanned) {
        (Some(file), Ok(scanned)) => (file, scanned),
        (Some(file), Err(error)) => return refused(file, error),
        (None, Err(error)) => return Err(error),
        (None, Ok(_)) => return Err(IoError::NoParts { folder: folder.to_owned() }),
    };
    if file.rows() < how.least {
        let (there, found) = (how.least, file.rows());
        return refused(file, IoError::Fewer { path: out.to_owned(), there, found });
    }
    if scanned.gaps.is_empty() || how.damage == Damage::Stop {
        last_meta.extend(state.map(|state| (STATE.to_owned(), state)));
    }
    if !scanned.gaps.is_empty() {
        last_meta.insert(LEFT_OUT.into(), scanned.gaps.join(" "));
    }
    let meta = how.meta.filter(|_| !scanned.base_alone).unwrap_or(&last_meta);
    let (rows, bytes) = file.finish(meta, &events)?;
    Ok((rows, bytes, scanned))
}
