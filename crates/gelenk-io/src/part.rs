//! One Arrow IPC part: a piece of a recording that is complete in itself.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use arrow_ipc::reader::FileReader;
use arrow_ipc::root_as_footer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::Schema;

use crate::IoError;
use crate::checksum::{self, Verdict};
use crate::contain::contained;
use crate::layout::{self, Header};

/// The bytes of a part file.
pub(crate) fn encode(path: &Path, header: &Header, data: Vec<Vec<f64>>) -> Result<Vec<u8>, IoError> {
    let metadata: std::collections::BTreeMap<String, String> =
        layout::entries(&header.meta, &header.events).into_iter().collect();
    let schema = Arc::new(Schema::new_with_metadata(layout::fields(&header.columns), metadata));
    let batch = layout::batch(path, &schema, data)?;
    let mut writer = FileWriter::try_new(Vec::new(), &schema).map_err(|e| IoError::encode(path, e))?;
    writer.write(&batch).map_err(|e| IoError::encode(path, e))?;
    let bytes = writer.into_inner().map_err(|e| IoError::encode(path, e))?;
    let mut file = Cursor::new(bytes);
    checksum::seal(&mut file, 0).map_err(IoError::file("seal", path))?;
    Ok(file.into_inner())
}

/// Header and columns of a part file.
pub(crate) fn decode(path: &Path) -> Result<(Header, Vec<Vec<f64>>), IoError> {
    let mut file = Cursor::new(fs::read(path).map_err(IoError::file("read", path))?);
    match checksum::verify(&mut file, 0).map_err(IoError::file("read", path))? {
        Verdict::Good => {}
        Verdict::Unmarked => return Err(IoError::damaged(path, "it has no checksum, so it was cut short")),
        Verdict::Changed => return Err(IoError::damaged(path, "its checksum does not fit its content")),
    }
    file.set_position(0);
    contained(path, || check_blocks(path, file.get_ref()))??;
    let mut reader =
        contained(path, || FileReader::try_new(file, None))?.map_err(|e| IoError::damaged(path, e))?;
    let schema = reader.schema();
    let entries = schema.metadata().iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let header = layout::header(path, &schema, entries)?;
    let mut data = vec![Vec::new(); header.columns.len()];
    while let Some(batch) = contained(path, || reader.next())? {
        let batch = batch.map_err(|e| IoError::damaged(path, e))?;
        for (values, more) in data.iter_mut().zip(layout::slices(path, &batch)?) {
            values.extend_from_slice(more);
        }
    }
    Ok((header, data))
}

/// Checks that every block lies inside the file: the reader makes room for what a block says before it looks at it, and
/// running out of memory cannot be caught.
fn check_blocks(path: &Path, bytes: &[u8]) -> Result<(), IoError> {
    let wrong = |what: &str| IoError::damaged(path, what);
    // The file ends with the footer, its length (i32) and six bytes of magic.
    let end = bytes.len().checked_sub(10).ok_or_else(|| wrong("it is too short"))?;
    let length = bytes.get(end..end + 4).and_then(|word| word.try_into().ok()).map_or(-1, i32::from_le_bytes);
    let length = usize::try_from(length).map_err(|_| wrong("its footer has no size"))?;
    let start = end.checked_sub(length).ok_or_else(|| wrong("its footer is longer than the file"))?;
    let footer = root_as_footer(&bytes[start..end]).map_err(|e| IoError::damaged(path, e))?;
    let blocks =
        footer.recordBatches().into_iter().flatten().chain(footer.dictionaries().into_iter().flatten());
    for block in blocks {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let last = parts.into_iter().try_fold(0_u64, |sum, part| sum.checked_add(u64::try_from(part).ok()?));
        if last.is_none_or(|last| last > bytes.len() as u64) {
            return Err(wrong("a block of it lies outside the file"));
        }
    }
    Ok(())
}
