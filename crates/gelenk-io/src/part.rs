//! One part: a piece of a recording that is complete in itself.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use crate::IoError;
use crate::checksum;
use crate::layout::Header;
use crate::parquet_file::{Encoder, Opened};

/// The bytes of a part file.
pub(crate) fn encode(path: &Path, header: &Header, data: &[&[f64]]) -> Result<Vec<u8>, IoError> {
    let encoded = || {
        let mut encoder = Encoder::new(Vec::new(), &header.columns)?;
        encoder.rows(data)?;
        let (bytes, tail) = encoder.finish(&header.meta, &header.events)?;
        let mut file = Cursor::new(bytes);
        checksum::seal(&mut file, tail)?;
        Ok(file.into_inner())
    };
    encoded().map_err(IoError::file("write", path))
}

/// Header and columns of a part file.
pub(crate) fn decode(path: &Path) -> Result<(Header, Vec<Vec<f64>>), IoError> {
    let file = Cursor::new(fs::read(path).map_err(IoError::file("read", path))?);
    let mut opened = Opened::new(path, file, "it has no checksum, so it was cut short")?;
    let mut data = vec![Vec::new(); opened.header.columns.len()];
    opened.scan(|more| {
        for (values, more) in data.iter_mut().zip(more) {
            values.extend_from_slice(more);
        }
    })?;
    Ok((opened.header, data))
}
