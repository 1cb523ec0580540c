//! Tables of text, read as a whole.

use std::io::{self, ErrorKind};
use std::path::Path;

/// The bytes of a table, with a line end after the last row: the reader of CSV takes a comment without one for a row.
///
/// # Errors
/// What cannot be read, what is not a file, and text of two bytes a character, each with a way out.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    // A device or a pipe may never end.
    if !std::fs::metadata(path)?.is_file() {
        let reason = "it is not a file; write the table to a file first";
        return Err(io::Error::new(ErrorKind::InvalidInput, reason));
    }
    let mut bytes = std::fs::read(path)?;
    if [b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| bytes.starts_with(*mark)) {
        let reason = "it is UTF-16 text; save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`";
        return Err(io::Error::new(ErrorKind::InvalidData, reason));
    }
    if bytes.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &[u8]) -> io::Result<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        std::fs::write(&path, content).unwrap();
        read(&path)
    }

    /// A comment in the last line was read as a row with one cell (si 18).
    #[test]
    fn every_row_ends() {
        assert_eq!(of(b"t,u\n0,1\n# end").unwrap(), b"t,u\n0,1\n# end\n");
        assert_eq!(of(b"t,u\n").unwrap(), b"t,u\n");
        assert_eq!(of(b"").unwrap(), b"");
    }

    /// The message for UTF-16 printed bytes of it (si 18).
    #[test]
    fn two_bytes_a_character_are_named() {
        for (mark, order) in
            [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let text = "t,u\n0,1\n".encode_utf16().flat_map(order);
            let error = of(&mark.into_iter().chain(text).collect::<Vec<u8>>()).unwrap_err().to_string();
            assert!(error.contains("UTF-16") && error.contains("iconv"), "{error}");
        }
    }

    #[test]
    fn what_is_not_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("not a file"));
        assert!(read(Path::new("/dev/zero")).is_err());
    }
}
