//! A checksum inside of files whose format has none.
//!
//! Parquet files carry no checksum of the whole, so a flipped bit would pass as data. The metadata of each file therefore
//! holds the text `gelenk-crc32:` and eight hexadecimal digits: the CRC-32 of the whole file with those digits read as
//! zeros. It is checked before anything is decoded.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// Key of the metadata entry that holds the checksum.
pub(crate) const KEY: &str = "gelenk.checksum";
/// Value of that entry until the file is sealed.
pub(crate) const UNSEALED: &str = "gelenk-crc32:00000000";

const MARK: &[u8] = b"gelenk-crc32:";
const OPEN: &[u8; DIGITS] = b"00000000";
const DIGITS: usize = 8;
/// A file of ours has one checksum, in one or two places, and rarely a text that looks like one.
const MOST_CANDIDATES: usize = 16;
const BLOCK: usize = 1 << 16;

/// What the check of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The content is what was sealed.
    Good,
    /// There is no checksum: the file is not ours, or its end is missing.
    Unmarked,
    /// The content is not what was sealed.
    Changed,
}

/// Writes the checksum into a finished file whose metadata lies at or after `tail`.
pub(crate) fn seal<F: Read + Write + Seek>(file: &mut F, tail: u64) -> io::Result<()> {
    let (mut hasher, rest) = load(file, tail)?;
    hasher.update(&rest);
    let digits = format!("{:08x}", hasher.finalize());
    for place in places(&rest).filter(|&place| rest[place..].starts_with(OPEN)) {
        file.seek(SeekFrom::Start(tail + place as u64))?;
        file.write_all(digits.as_bytes())?;
    }
    file.flush()
}

/// Compares the content of a file with the checksum in it.
pub(crate) fn verify<F: Read + Seek>(file: &mut F, tail: u64) -> io::Result<Verdict> {
    let (head, rest) = load(file, tail)?;
    // Metadata of the user may look like a checksum, so each candidate gets its try.
    let mut candidates: Vec<&[u8]> = places(&rest).map(|place| &rest[place..place + DIGITS]).collect();
    candidates.sort_unstable();
    candidates.dedup();
    for &digits in candidates.iter().take(MOST_CANDIDATES) {
        let mut open = rest.clone();
        for place in places(&rest).filter(|&place| rest[place..].starts_with(digits)) {
            open[place..place + DIGITS].copy_from_slice(OPEN);
        }
        let mut hasher = head.clone();
        hasher.update(&open);
        if format!("{:08x}", hasher.finalize()).as_bytes() == digits {
            return Ok(Verdict::Good);
        }
    }
    Ok(if candidates.is_empty() { Verdict::Unmarked } else { Verdict::Changed })
}

/// The checksum up to `tail`, and the bytes from there.
fn load<F: Read + Seek>(file: &mut F, tail: u64) -> io::Result<(crc32fast::Hasher, Vec<u8>)> {
    let mut hasher = crc32fast::Hasher::new();
    file.seek(SeekFrom::Start(0))?;
    let mut block = vec![0; BLOCK];
    let mut head = file.by_ref().take(tail);
    loop {
        let n = head.read(&mut block)?;
        if n == 0 {
            break;
        }
        hasher.update(&block[..n]);
    }
    let mut rest = Vec::new();
    file.read_to_end(&mut rest)?;
    Ok((hasher, rest))
}

/// Where the digits of checksums stand.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let marks = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    let digits = marks.map(|(i, _)| i + MARK.len());
    digits.filter(|&i| bytes.get(i..i + DIGITS).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn sealed() -> Vec<u8> {
        let mut file = Cursor::new(format!("head body {UNSEALED} then {UNSEALED} end").into_bytes());
        seal(&mut file, 5).unwrap();
        file.into_inner()
    }

    #[test]
    fn the_crc_is_the_common_one() {
        // Check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
        let (mut hasher, rest) = load(&mut Cursor::new(b"123456789"), 4).unwrap();
        hasher.update(&rest);
        assert_eq!(hasher.finalize(), 0xcbf4_3926);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let good = sealed();
        assert_eq!(verify(&mut Cursor::new(&good), 5).unwrap(), Verdict::Good);
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 1;
            assert_ne!(verify(&mut Cursor::new(&bad), 5).unwrap(), Verdict::Good, "byte {i}");
        }
    }

    #[test]
    fn every_cut_is_noticed() {
        let good = sealed();
        for n in 0..good.len() {
            assert_ne!(verify(&mut Cursor::new(&good[..n]), 5).unwrap(), Verdict::Good, "{n} bytes");
        }
    }

    #[test]
    fn a_text_that_looks_like_a_mark_does_no_harm() {
        let mut file = Cursor::new(format!("gelenk-crc32:deadbeef {UNSEALED} gelenk-crc32:xyz").into_bytes());
        seal(&mut file, 0).unwrap();
        assert!(file.get_ref().starts_with(b"gelenk-crc32:deadbeef "));
        assert_eq!(verify(&mut file, 0).unwrap(), Verdict::Good);
    }
}
