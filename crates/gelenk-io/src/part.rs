//! One Arrow IPC part: a piece of a recording that is complete in itself.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::Schema;

use crate::IoError;
use crate::checksum::{self, Verdict};
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
    let reader = FileReader::try_new(file, None).map_err(|e| IoError::damaged(path, e))?;
    let schema = reader.schema();
    let entries = schema.metadata().iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let header = layout::header(path, &schema, entries)?;
    let mut data = vec![Vec::new(); header.columns.len()];
    for batch in reader {
        let batch = batch.map_err(|e| IoError::damaged(path, e))?;
        for (values, more) in data.iter_mut().zip(layout::slices(path, &batch)?) {
            values.extend_from_slice(more);
        }
    }
    Ok((header, data))
}
