//! Values of a column of a group of rows: pages, levels, dictionaries and compression.

use std::io::Read;

use super::encodings::{Broken, Bytes, deltas, hybrid, joined};
use super::schema::{Chunk, Leaf, Number};
use crate::thrift::{Malformed, Reader, kind};

/// Largest page (bytes, not compressed).
const LARGEST_PAGE: usize = 256 << 20;
/// Days from the beginning of the Julian count to 1970.
const JULIAN_1970: i64 = 2_440_588;
const NANOS_PER_DAY: i64 = 86_400_000_000_000;

/// Values of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// NaN where there is none.
    Real(Vec<f64>),
    Whole(Vec<Option<i64>>),
}

impl Values {
    pub(crate) fn new(number: Number) -> Self {
        match number {
            Number::Float | Number::Double => Self::Real(Vec::new()),
            Number::Boolean | Number::Int32 | Number::Int64 | Number::Int96 => Self::Whole(Vec::new()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Whole(values) => values.len(),
        }
    }

    /// Appends the present values where `there` says so, and nothing in the other places.
    fn spread(&mut self, present: &Present, there: &[bool]) -> Result<(), Broken> {
        let mut k = 0;
        for &here in there {
            match (&mut *self, present) {
                (Self::Real(values), Present::Real(found)) if here => {
                    values.push(*found.get(k).ok_or("a page ends too early")?);
                }
                (Self::Whole(values), Present::Whole(found)) if here => {
                    values.push(Some(*found.get(k).ok_or("a page ends too early")?));
                }
                (Self::Real(values), _) => values.push(f64::NAN),
                (Self::Whole(values), _) => values.push(None),
            }
            k += usize::from(here);
        }
        Ok(())
    }
}

/// Values that are there, one after the other.
#[derive(Debug, Clone, PartialEq)]
enum Present {
    Real(Vec<f64>),
    Whole(Vec<i64>),
}

/// What stands in front of a page (`PageHeader` of parquet.thrift).
#[derive(Debug, Default, Clone, Copy)]
struct Head {
    kind: i64,
    expanded: usize,
    size: usize,
    values: usize,
    encoding: i64,
    /// Encoding of the levels of a page of version 1.
    levels: i64,
    /// Bytes of the levels of a page of version 2.
    level_bytes: (usize, usize),
    compressed: bool,
}

/// Appends the values of a column of a group with at most `most` rows.
pub(crate) fn decode(
    bytes: &[u8],
    leaf: &Leaf,
    chunk: &Chunk,
    most: usize,
    values: &mut Values,
) -> Result<(), Broken> {
    let (mut rest, mut dictionary, end) = (bytes, None, values.len().saturating_add(most));
    while !rest.is_empty() && values.len() < end {
        let mut reader = Reader::new(rest);
        let head = head(&mut reader).map_err(|Malformed| "the header of a page cannot be decoded")?;
        let mut bytes = Bytes(&rest[reader.position()..]);
        let page = bytes.take(head.size)?;
        rest = bytes.0;
        if head.expanded > LARGEST_PAGE || head.values > end {
            return Err("a page is too large");
        }
        match head.kind {
            0 => {
                let content = expanded(page, chunk.codec, head.expanded)?;
                let mut content = Bytes(&content);
                let there = match (leaf.defined, head.levels) {
                    (0, _) => vec![true; head.values],
                    (_, 3) => {
                        let length =
                            content.take(4)?.iter().rev().fold(0, |sum, &b| sum << 8 | usize::from(b));
                        levels(&mut Bytes(content.take(length)?), leaf.defined, head.values)?
                    }
                    _ => return Err("its levels are in an encoding that is not supported"),
                };
                page_values(&mut content, leaf.number, head.encoding, &there, dictionary.as_ref(), values)?;
            }
            2 => {
                let content = expanded(page, chunk.codec, head.expanded)?;
                dictionary = Some(plain(&mut Bytes(&content), leaf.number, head.values)?);
            }
            3 => {
                let mut page = Bytes(page);
                let (repeated, defined) = head.level_bytes;
                page.take(repeated)?;
                let mut bytes = Bytes(page.take(defined)?);
                let there = match leaf.defined {
                    0 => vec![true; head.values],
                    most => levels(&mut bytes, most, head.values)?,
                };
                let size = head.expanded.checked_sub(repeated + defined).ok_or("a page is too small")?;
                let codec = if head.compressed { chunk.codec } else { 0 };
                let content = expanded(page.0, codec, size)?;
                let mut content = Bytes(&content);
                page_values(&mut content, leaf.number, head.encoding, &there, dictionary.as_ref(), values)?;
            }
            // An index of pages has no values.
            _ => {}
        }
    }
    Ok(())
}

/// Whether there is a value in each of `count` places.
fn levels(bytes: &mut Bytes<'_>, most: u32, count: usize) -> Result<Vec<bool>, Broken> {
    let width = u32::BITS - most.leading_zeros();
    Ok(hybrid(bytes, width, count)?.into_iter().map(|level| level == u64::from(most)).collect())
}

fn page_values(
    bytes: &mut Bytes<'_>,
    number: Number,
    encoding: i64,
    there: &[bool],
    dictionary: Option<&Present>,
    values: &mut Values,
) -> Result<(), Broken> {
    let count = there.iter().filter(|here| **here).count();
    let present = match (encoding, number) {
        (0, _) => plain(bytes, number, count)?,
        (2 | 8, _) => {
            let dictionary = dictionary.ok_or("its dictionary is missing")?;
            let width = if count == 0 && bytes.0.is_empty() { 0 } else { u32::from(bytes.take(1)?[0]) };
            let places = hybrid(bytes, width, count)?;
            looked_up(dictionary, &places)?
        }
        (3, Number::Boolean) => {
            bytes.take(4)?;
            Present::Whole(hybrid(bytes, 1, count)?.into_iter().map(|bit| bit as i64).collect())
        }
        (5, Number::Int32) => {
            // Differences of 32-bit numbers wrap around at 32 bits.
            Present::Whole(deltas(bytes, count)?.into_iter().map(|value| i64::from(value as i32)).collect())
        }
        (5, Number::Int64) => Present::Whole(deltas(bytes, count)?),
        (9, Number::Float) => Present::Real(
            joined(bytes.0, count)?.into_iter().map(|b| f64::from(f32::from_le_bytes(b))).collect(),
        ),
        (9, Number::Double) => {
            Present::Real(joined(bytes.0, count)?.into_iter().map(f64::from_le_bytes).collect())
        }
        (9, Number::Int32) => Present::Whole(
            joined(bytes.0, count)?.into_iter().map(|b| i32::from_le_bytes(b).into()).collect(),
        ),
        (9, Number::Int64) => {
            Present::Whole(joined(bytes.0, count)?.into_iter().map(i64::from_le_bytes).collect())
        }
        _ => return Err("its values are in an encoding that is not supported"),
    };
    values.spread(&present, there)
}

/// Values one after the other, as the machine has them.
fn plain(bytes: &mut Bytes<'_>, number: Number, count: usize) -> Result<Present, Broken> {
    let size = match number {
        Number::Boolean => count.div_ceil(8),
        Number::Int32 | Number::Float => count.saturating_mul(4),
        Number::Int64 | Number::Double => count.saturating_mul(8),
        Number::Int96 => count.saturating_mul(12),
    };
    let bytes = bytes.take(size)?;
    let narrow = || bytes.as_chunks::<4>().0.iter().copied();
    let wide = || bytes.as_chunks::<8>().0.iter().copied();
    Ok(match number {
        Number::Boolean => {
            Present::Whole((0..count).map(|k| i64::from(bytes[k / 8] >> (k % 8) & 1)).collect())
        }
        Number::Int32 => Present::Whole(narrow().map(|b| i32::from_le_bytes(b).into()).collect()),
        Number::Int64 => Present::Whole(wide().map(i64::from_le_bytes).collect()),
        Number::Int96 => Present::Whole(bytes.as_chunks::<12>().0.iter().map(since_1970).collect()),
        Number::Float => Present::Real(narrow().map(|b| f32::from_le_bytes(b).into()).collect()),
        Number::Double => Present::Real(wide().map(f64::from_le_bytes).collect()),
    })
}

/// Nanoseconds since 1970 of nanoseconds of the day and the Julian day.
fn since_1970(bytes: &[u8; 12]) -> i64 {
    let [a, b, c, d, e, f, g, h, day @ ..] = *bytes;
    let nanos = i64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let days = i64::from(i32::from_le_bytes(day)).wrapping_sub(JULIAN_1970);
    days.wrapping_mul(NANOS_PER_DAY).wrapping_add(nanos)
}

fn looked_up(dictionary: &Present, places: &[u64]) -> Result<Present, Broken> {
    fn all<T: Copy>(values: &[T], places: &[u64]) -> Result<Vec<T>, Broken> {
        let value = |&place: &u64| usize::try_from(place).ok().and_then(|place| values.get(place).copied());
        places.iter().map(value).collect::<Option<_>>().ok_or("its dictionary is too short")
    }
    Ok(match dictionary {
        Present::Real(values) => Present::Real(all(values, places)?),
        Present::Whole(values) => Present::Whole(all(values, places)?),
    })
}

/// The bytes of a page, which are `size`.
fn expanded(bytes: &[u8], codec: i64, size: usize) -> Result<Vec<u8>, Broken> {
    const WRONG: Broken = "a page cannot be decompressed";
    if size > LARGEST_PAGE {
        return Err("a page is too large");
    }
    let read = |reader: &mut dyn Read| -> Result<Vec<u8>, Broken> {
        let mut content = Vec::new();
        let most = size as u64;
        reader.take(most + 1).read_to_end(&mut content).map_err(|_| WRONG)?;
        Ok(content)
    };
    let content = match codec {
        0 => bytes.to_vec(),
        1 => {
            if snap::raw::decompress_len(bytes).is_ok_and(|length| length > LARGEST_PAGE) {
                return Err("a page is too large");
            }
            snap::raw::Decoder::new().decompress_vec(bytes).map_err(|_| WRONG)?
        }
        2 => read(&mut flate2::read::MultiGzDecoder::new(bytes))?,
        6 if size == 0 && bytes.is_empty() => Vec::new(),
        6 => read(&mut ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|_| WRONG)?)?,
        7 => lz4_flex::block::decompress(bytes, size).map_err(|_| WRONG)?,
        4 => return Err("it is compressed by Brotli; write it with snappy, gzip, LZ4 or zstd"),
        3 | 5 => return Err("it is compressed by an old LZO or LZ4; write it with snappy, gzip or zstd"),
        _ => return Err("it is compressed by an unknown method"),
    };
    if content.len() == size { Ok(content) } else { Err(WRONG) }
}

fn head(reader: &mut Reader<'_>) -> Result<Head, Malformed> {
    let mut head = Head { compressed: true, levels: 3, ..Head::default() };
    let size = |reader: &mut Reader<'_>| usize::try_from(reader.count()?).map_err(|_| Malformed);
    reader.structure(|reader, number, found| {
        match (number, found) {
            (1, kind::I32) => head.kind = reader.integer()?,
            (2, kind::I32) => head.expanded = size(reader)?,
            (3, kind::I32) => head.size = size(reader)?,
            (5, kind::STRUCT) => reader.structure(|reader, number, found| {
                match (number, found) {
                    (1, kind::I32) => head.values = size(reader)?,
                    (2, kind::I32) => head.encoding = reader.integer()?,
                    (3, kind::I32) => head.levels = reader.integer()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            (7, kind::STRUCT) => reader.structure(|reader, number, found| {
                match (number, found) {
                    (1, kind::I32) => head.values = size(reader)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            (8, kind::STRUCT) => reader.structure(|reader, number, found| {
                match (number, found) {
                    (1, kind::I32) => head.values = size(reader)?,
                    (4, kind::I32) => head.encoding = reader.integer()?,
                    (5, kind::I32) => head.level_bytes.1 = size(reader)?,
                    (6, kind::I32) => head.level_bytes.0 = size(reader)?,
                    (7, kind::TRUE | kind::FALSE) => head.compressed = found == kind::TRUE,
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(head)
}
