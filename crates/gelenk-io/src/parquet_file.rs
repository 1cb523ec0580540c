//! One Parquet file: a finished recording.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::Schema;
use gelenk_record::{Column, Event};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;

use crate::IoError;
use crate::checksum::{self, Verdict};
use crate::contain::contained;
use crate::layout::{self, Header};
use crate::{durable, parts_folder};

/// Rows of a row group. The writer always hands over whole groups, so that the bytes of the file depend on the
/// rows alone and not on how they were cut into parts, which depends on the clock.
pub(crate) const GROUP: usize = 1 << 16;

const MAGIC: &[u8; 4] = b"PAR1";

/// Writes a recording to a temporary name and gives it its own only when complete.
pub(crate) struct ParquetFile {
    path: PathBuf,
    temporary: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<File>,
    group: Vec<Vec<f64>>,
    rows: u64,
}

impl ParquetFile {
    pub(crate) fn create(path: &Path, columns: &[Column]) -> Result<Self, IoError> {
        let temporary = durable::temporary(path);
        let schema = Arc::new(Schema::new(layout::fields(columns)));
        let mut open = OpenOptions::new();
        open.read(true).write(true).create(true).truncate(true);
        let file = open.open(&temporary).map_err(IoError::file("create", &temporary))?;
        let level = ZstdLevel::try_new(3).map_err(|e| IoError::encode(path, e))?;
        // Neighbouring samples share sign, exponent and leading digits: splitting the bytes of the numbers into
        // streams lets the compressor see that.
        let properties = WriterProperties::builder()
            .set_created_by(concat!("gelenk version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(level))
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_max_row_group_row_count(Some(GROUP))
            .build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .map_err(|e| IoError::encode(path, e))?;
        let group = vec![Vec::with_capacity(GROUP); columns.len()];
        Ok(Self { path: path.to_owned(), temporary, schema, writer, group, rows: 0 })
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
        let empty = vec![Vec::with_capacity(GROUP); self.group.len()];
        let batch = layout::batch(&self.path, &self.schema, std::mem::replace(&mut self.group, empty))?;
        self.writer.write(&batch).map_err(|e| IoError::encode(&self.path, e))
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Gives up; what was there before stays.
    pub(crate) fn discard(self) {
        drop(self.writer);
        // A name that stays behind is overwritten next time.
        let _ = fs::remove_file(&self.temporary);
    }

    /// Completes the file on disk; returns rows and size in bytes.
    pub(crate) fn finish(
        mut self,
        meta: &BTreeMap<String, String>,
        events: &[Event],
    ) -> Result<(u64, u64), IoError> {
        if self.group.first().is_some_and(|values| !values.is_empty()) {
            self.write_group()?;
        }
        for (key, value) in layout::entries(meta, events) {
            self.writer.append_key_value_metadata(KeyValue::new(key, value));
        }
        let mut file = self.writer.into_inner().map_err(|e| IoError::encode(&self.path, e))?;
        let tail = footer_start(&mut file).map_err(IoError::file("read", &self.temporary))?;
        let tail = tail.ok_or_else(|| IoError::encode(&self.path, "the footer is not where it belongs"))?;
        checksum::seal(&mut file, tail).map_err(IoError::file("seal", &self.temporary))?;
        let size = file.metadata().map_err(IoError::file("read", &self.temporary))?.len();
        durable::publish(file, &self.temporary, &self.path)?;
        Ok((self.rows, size))
    }
}

/// Hands the header to `take`, with no columns, and then the columns of each batch.
pub(crate) fn scan(path: &Path, mut take: impl FnMut(Option<Header>, &[&[f64]])) -> Result<(), IoError> {
    let (file, metadata) = open(path)?;
    take(Some(header_of(path, metadata.metadata(), metadata.schema())?), &[]);
    let mut reader = contained(path, || {
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata).with_batch_size(GROUP).build()
    })?
    .map_err(|e| IoError::damaged(path, e))?;
    while let Some(batch) = contained(path, || reader.next())? {
        let batch = batch.map_err(|e| IoError::damaged(path, e))?;
        take(None, &layout::slices(path, &batch)?);
    }
    Ok(())
}

/// Number of rows of a file.
pub(crate) fn rows(path: &Path) -> Result<u64, IoError> {
    let (_, metadata) = open(path)?;
    let groups = metadata.metadata().row_groups().iter();
    Ok(groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).sum())
}

/// Opens a file of ours and reads what it says about itself. Sizes that no recording has are refused before anything is
/// decoded: the decoder makes room for them, and running out of memory cannot be caught.
pub(crate) fn open(path: &Path) -> Result<(File, ArrowReaderMetadata), IoError> {
    let file = open_checked(path)?;
    let metadata = contained(path, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()))?
        .map_err(|e| IoError::damaged(path, e))?;
    let size = file.metadata().map_err(IoError::file("read", path))?.len();
    for group in metadata.metadata().row_groups() {
        if !(0..=GROUP as i64).contains(&group.num_rows()) {
            return Err(IoError::damaged(path, "it has a row group of a size that no recording has"));
        }
        for column in group.columns() {
            let (start, length) = contained(path, || column.byte_range())?;
            if start.checked_add(length).is_none_or(|end| end > size) {
                return Err(IoError::damaged(path, "a column of it lies outside the file"));
            }
            if column.num_values() != group.num_rows() {
                return Err(IoError::damaged(path, "a column of it does not have the rows of the others"));
            }
        }
    }
    Ok((file, metadata))
}

/// What a file says about its rows.
pub(crate) fn header_of(path: &Path, file: &ParquetMetaData, schema: &Schema) -> Result<Header, IoError> {
    let entries = file.file_metadata().key_value_metadata();
    let entries =
        entries.into_iter().flatten().map(|e| (e.key.as_str(), e.value.as_deref().unwrap_or_default()));
    layout::header(path, schema, entries)
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
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *MAGIC
}

/// Opens a Parquet file of ours whose content is what was written.
fn open_checked(path: &Path) -> Result<File, IoError> {
    let mut file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound && parts_folder(path).is_dir() => {
            return Err(IoError::Unfinished { path: path.to_owned(), folder: parts_folder(path) });
        }
        opened => opened.map_err(IoError::file("open", path))?,
    };
    let is_file = fs::metadata(path).is_ok_and(|m| m.is_file());
    let mut magic = [0; 4];
    if !is_file || file.read_exact(&mut magic).is_err() || magic != *MAGIC {
        return Err(IoError::foreign(path, "it is not a Parquet file"));
    }
    let Some(tail) = footer_start(&mut file).map_err(IoError::file("read", path))? else {
        return Err(IoError::damaged(path, "its end is missing"));
    };
    match checksum::verify(&mut file, tail).map_err(IoError::file("read", path))? {
        Verdict::Good => {}
        Verdict::Unmarked => {
            return Err(IoError::foreign(path, "it is a Parquet file of another program"));
        }
        Verdict::Changed => {
            let reason = "its checksum does not fit its content; another program changed or rewrote it";
            return Err(IoError::damaged(path, reason));
        }
    }
    file.seek(SeekFrom::Start(0)).map_err(IoError::file("read", path))?;
    Ok(file)
}

/// Where the footer begins: the file ends with the footer, its length (u32, little endian) and the magic.
fn footer_start(file: &mut File) -> io::Result<Option<u64>> {
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
