//! One Parquet file: a finished recording, or a part of one.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gelenk_record::recording::extremes;
use gelenk_record::{Column, Event};

use crate::checksum::{self, Verdict};
use crate::footer::{Chunk, Footer, GROUP, Group};
use crate::format::Format;
use crate::layout::{self, Header};
use crate::page::Pages;
use crate::{IoError, arrow_fields, durable, parts_folder};

const MAGIC: &[u8; 4] = b"PAR1";

/// Writes groups of rows and what they are.
#[derive(Debug)]
pub(crate) struct Encoder<W> {
    out: W,
    /// Bytes written.
    at: u64,
    columns: Vec<Column>,
    groups: Vec<Group>,
    pages: Pages,
    bytes: Vec<u8>,
}

impl<W: Write> Encoder<W> {
    pub(crate) fn new(mut out: W, columns: &[Column]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        let (at, columns) = (MAGIC.len() as u64, columns.to_vec());
        Ok(Self { out, at, columns, groups: Vec::new(), pages: Pages::default(), bytes: Vec::new() })
    }

    /// Writes rows, one slice a column, as groups.
    pub(crate) fn rows(&mut self, data: &[&[f64]]) -> io::Result<()> {
        let rows = data.first().map_or(0, |values| values.len());
        for start in (0..rows).step_by(GROUP) {
            let end = (start + GROUP).min(rows);
            let mut group = Group { rows: end - start, chunks: Vec::with_capacity(data.len()) };
            for values in data {
                self.bytes.clear();
                let expanded = self.pages.encode(&values[start..end], &mut self.bytes)?;
                self.out.write_all(&self.bytes)?;
                let length = self.bytes.len() as u64;
                let range = extremes(&values[start..end]);
                group.chunks.push(Chunk { start: self.at, length, expanded, range });
                self.at += length;
            }
            self.groups.push(group);
        }
        Ok(())
    }

    /// Writes what the file says about itself, with the checksum still open; returns where that begins.
    pub(crate) fn finish(
        mut self,
        meta: &BTreeMap<String, String>,
        events: &[Event],
    ) -> io::Result<(W, u64)> {
        let mut entries = layout::entries(meta, events);
        entries.push((arrow_fields::KEY.to_owned(), arrow_fields::encode(&self.columns)));
        let names = self.columns.into_iter().map(|column| column.name).collect();
        let footer = Footer { names, groups: self.groups, entries }.encode();
        let length = u32::try_from(footer.len()).map_err(|_| io::Error::other("the metadata is too long"))?;
        self.out.write_all(&footer)?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.flush()?;
        Ok((self.out, self.at))
    }
}

/// Writes a recording to a temporary name and gives it its own only when complete.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    path: PathBuf,
    temporary: PathBuf,
    encoder: Encoder<BufWriter<File>>,
    /// Rows of the next group. Only whole groups are written: see [`GROUP`].
    group: Vec<Vec<f64>>,
    rows: u64,
}

impl ParquetFile {
    pub(crate) fn create(path: &Path, columns: &[Column]) -> Result<Self, IoError> {
        let temporary = durable::temporary(path);
        let mut open = OpenOptions::new();
        open.read(true).write(true).create(true).truncate(true);
        let file = open.open(&temporary).map_err(IoError::file("create", &temporary))?;
        let encoder = Encoder::new(BufWriter::new(file), columns);
        let encoder = encoder.map_err(IoError::file("write", &temporary))?;
        let group = vec![Vec::new(); columns.len()];
        Ok(Self { path: path.to_owned(), temporary, encoder, group, rows: 0 })
    }

    /// Appends rows, given as one slice a column, all equally long.
    pub(crate) fn append(&mut self, data: &[&[f64]]) -> Result<(), IoError> {
        let rows = data.first().map_or(0, |values| values.len());
        let mut taken = 0;
        while taken < rows {
            let held = self.group.first().map_or(0, Vec::len);
            let end = (taken + GROUP - held).min(rows);
            for (values, more) in self.group.iter_mut().zip(data) {
                values.extend_from_slice(&more[taken..end]);
            }
            self.rows += (end - taken) as u64;
            taken = end;
            if self.group.first().is_some_and(|values| values.len() == GROUP) {
                self.write_group()?;
            }
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), IoError> {
        let slices: Vec<&[f64]> = self.group.iter().map(Vec::as_slice).collect();
        self.encoder.rows(&slices).map_err(IoError::file("write", &self.temporary))?;
        self.group.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Gives up; what was there before stays.
    pub(crate) fn discard(self) {
        drop(self.encoder);
        // A name that stays behind is overwritten next time.
        let _ = fs::remove_file(&self.temporary);
    }

    /// Completes the file on disk; returns rows and size in bytes.
    pub(crate) fn finish(
        mut self,
        meta: &BTreeMap<String, String>,
        events: &[Event],
    ) -> Result<(u64, u64), IoError> {
        self.write_group()?;
        let writing = |error| IoError::file("write", &self.temporary)(error);
        let (out, tail) = self.encoder.finish(meta, events).map_err(writing)?;
        let mut file = out.into_inner().map_err(|error| writing(error.into_error()))?;
        checksum::seal(&mut file, tail).map_err(IoError::file("seal", &self.temporary))?;
        let size = file.metadata().map_err(IoError::file("read", &self.temporary))?.len();
        durable::publish(file, &self.temporary, &self.path)?;
        Ok((self.rows, size))
    }
}

/// An open file whose content is what was written.
#[derive(Debug)]
pub(crate) struct Opened<R> {
    path: PathBuf,
    source: R,
    pub(crate) header: Header,
    pub(crate) groups: Vec<Group>,
    pages: Pages,
    bytes: Vec<u8>,
}

/// Opens a recording. Sizes that no recording has are refused before there is made room for them.
pub(crate) fn open(path: &Path) -> Result<Opened<File>, IoError> {
    // Opening a pipe waits for its writer, perhaps for ever.
    if fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir()) {
        return Err(IoError::foreign(path, "it is not a file"));
    }
    let file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound && parts_folder::parts_folder(path).is_dir() => {
            let folder = parts_folder::parts_folder(path);
            return Err(IoError::Unfinished { path: path.to_owned(), folder });
        }
        opened => opened.map_err(IoError::file("open", path))?,
    };
    if !is_parquet(path) {
        return Err(IoError::foreign(path, seen(path)));
    }
    Opened::new(path, file, "it is a Parquet file of another program")
}

impl<R: Read + Seek> Opened<R> {
    /// Checks a file and reads what it says about itself. Without a checksum it is foreign: `unmarked` says why.
    pub(crate) fn new(path: &Path, mut source: R, unmarked: &str) -> Result<Self, IoError> {
        let reading = |error| IoError::file("read", path)(error);
        let Some(tail) = footer_start(&mut source).map_err(reading)? else {
            return Err(IoError::damaged(path, "its end is missing"));
        };
        match checksum::verify(&mut source, tail).map_err(reading)? {
            Verdict::Good => {}
            Verdict::Unmarked => return Err(IoError::foreign(path, unmarked)),
            Verdict::Changed => {
                let reason = "its checksum does not match its content; another program changed or rewrote it";
                return Err(IoError::damaged(path, reason));
            }
        }
        let mut footer = Vec::new();
        source.seek(SeekFrom::Start(tail)).map_err(reading)?;
        source.read_to_end(&mut footer).map_err(reading)?;
        let damaged = |what: &str| IoError::damaged(path, what);
        let found = Footer::decode(&footer, tail);
        let Footer { names, groups, entries } = found.map_err(|wrong| match layout::format_of(&footer) {
            // A file of another format may be made otherwise.
            Some(format) => layout::other_format(path, &format),
            None => damaged(wrong),
        })?;
        let header = layout::header(path, &entries)?;
        if !header.columns.iter().map(|column| &column.name).eq(&names) {
            return Err(damaged("the names of its columns do not agree"));
        }
        Ok(Self { path: path.to_owned(), source, header, groups, pages: Pages::default(), bytes: Vec::new() })
    }

    /// Reads a column of a group into `values`.
    pub(crate) fn column(
        &mut self,
        group: usize,
        column: usize,
        values: &mut Vec<f64>,
    ) -> Result<(), IoError> {
        values.clear();
        let Some(group) = self.groups.get(group) else { return Ok(()) };
        let Some(chunk) = group.chunks.get(column) else { return Ok(()) };
        // A file that has become shorter since it was opened ends early.
        let reading = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => IoError::damaged(&self.path, "its end is missing"),
            _ => IoError::file("read", &self.path)(error),
        };
        // It lies inside the file and has a bounded size: the footer was checked.
        self.bytes.resize(usize::try_from(chunk.length).unwrap_or(0), 0);
        self.source.seek(SeekFrom::Start(chunk.start)).map_err(reading)?;
        self.source.read_exact(&mut self.bytes).map_err(reading)?;
        if self.pages.decode(&self.bytes, group.rows, values) {
            Ok(())
        } else {
            Err(IoError::damaged(&self.path, "one of its columns cannot be decoded"))
        }
    }

    /// Hands the columns of each group to `take`.
    pub(crate) fn scan(&mut self, mut take: impl FnMut(&[&[f64]])) -> Result<(), IoError> {
        let mut data = vec![Vec::new(); self.header.columns.len()];
        for group in 0..self.groups.len() {
            for (column, values) in data.iter_mut().enumerate() {
                self.column(group, column, values)?;
            }
            take(&data.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        Ok(())
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows as u64).sum()
    }
}

/// Hands the header to `take`, with no columns, and then the columns of each group.
pub(crate) fn scan(path: &Path, mut take: impl FnMut(Option<Header>, &[&[f64]])) -> Result<(), IoError> {
    let mut opened = open(path)?;
    take(Some(opened.header.clone()), &[]);
    opened.scan(|data| take(None, data))
}

/// Number of rows of a file.
pub(crate) fn rows(path: &Path) -> Result<u64, IoError> {
    Ok(open(path)?.rows())
}

/// Whether a file may be replaced by a recording: there is none, it is empty, or it is a recording itself.
pub(crate) fn may_be_replaced(path: &Path) -> bool {
    match fs::metadata(path) {
        Err(_) => true,
        Ok(there) => there.is_file() && (there.len() == 0 || is_parquet(path)),
    }
}

/// Whether a file begins as a recording does.
pub fn is_parquet(path: &Path) -> bool {
    let mut magic = [0; 4];
    let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok();
    is_file && read() && magic == *MAGIC
}

/// What a file is that is not a Parquet file, and what can be done with it.
fn seen(path: &Path) -> String {
    match Format::of(path) {
        Some(format) => format!("it is {}; {}", format.name(), format.as_table()),
        None => "it is not a Parquet file".into(),
    }
}

/// Where the footer begins: the file ends with the footer, its length (u32, little endian) and the magic.
fn footer_start(file: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    let size = file.seek(SeekFrom::End(0))?;
    let Some(end) = size.checked_sub(8) else { return Ok(None) };
    file.seek(SeekFrom::Start(end))?;
    let mut last = [0; 8];
    file.read_exact(&mut last)?;
    let [a, b, c, d, magic @ ..] = last;
    if magic != *MAGIC {
        return Ok(None);
    }
    Ok(end.checked_sub(u64::from(u32::from_le_bytes([a, b, c, d]))))
}
