//! What a Parquet file of ours says about itself: columns, groups of rows, metadata.
//!
//! Of the format (`parquet.thrift`) only what recordings need is here: a flat table of `double` columns without gaps, one page
//! a column of a group.

use crate::thrift::{Malformed, Reader, Writer, kind};

/// Rows of a group at most. All groups of a file but the last have so many: then its bytes depend on the rows alone and not on
/// how they were cut into parts, which depends on the clock.
pub(crate) const GROUP: usize = 1 << 16;

// Values of enumerations in parquet.thrift.
const DOUBLE: i32 = 5;
const REQUIRED: i32 = 0;
const DATA_PAGE: i32 = 0;
const RLE: i32 = 3;
const BYTE_STREAM_SPLIT: i32 = 9;
const LZ4_RAW: i32 = 7;

/// Where the page of a column of a group lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chunk {
    /// First byte in the file.
    pub start: u64,
    /// Bytes, those of its header included.
    pub length: u64,
    /// Bytes with the values not yet compressed.
    pub expanded: u64,
    /// Smallest and largest value, NaN left out; `None` where there is no other.
    pub range: Option<(f64, f64)>,
}

/// Rows that stand together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    pub rows: usize,
    /// One a column.
    pub chunks: Vec<Chunk>,
}

/// What a file says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Footer {
    /// Names of the columns.
    pub names: Vec<String>,
    pub groups: Vec<Group>,
    /// Metadata.
    pub entries: Vec<(String, String)>,
}

impl Footer {
    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows as u64).sum()
    }

    /// `FileMetaData` of parquet.thrift.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut file = Writer::new();
        file.i32(1, 1);
        file.list(2, kind::STRUCT, self.names.len() + 1);
        file.structure_item(|root| {
            root.text(4, "recording");
            root.i32(5, i32::try_from(self.names.len()).unwrap_or(i32::MAX));
        });
        for name in &self.names {
            file.structure_item(|column| {
                column.i32(1, DOUBLE);
                column.i32(3, REQUIRED);
                column.text(4, name);
            });
        }
        file.i64(3, self.rows() as i64);
        file.list(4, kind::STRUCT, self.groups.len());
        for group in &self.groups {
            file.structure_item(|out| self.encode_group(group, out));
        }
        file.list(5, kind::STRUCT, self.entries.len());
        for (key, value) in &self.entries {
            file.structure_item(|entry| {
                entry.text(1, key);
                entry.text(2, value);
            });
        }
        file.text(6, concat!("gelenk version ", env!("CARGO_PKG_VERSION")));
        // The smallest and largest values are those by the order of the type.
        file.list(7, kind::STRUCT, self.names.len());
        for _ in &self.names {
            file.structure_item(|order| order.structure(1, |_| ()));
        }
        file.finish()
    }

    fn encode_group(&self, group: &Group, out: &mut Writer) {
        out.list(1, kind::STRUCT, group.chunks.len());
        for (name, chunk) in self.names.iter().zip(&group.chunks) {
            out.structure_item(|column| {
                column.i64(2, 0);
                column.structure(3, |about| {
                    about.i32(1, DOUBLE);
                    about.list(2, kind::I32, 1);
                    about.i32_item(BYTE_STREAM_SPLIT);
                    about.list(3, kind::BINARY, 1);
                    about.text_item(name);
                    about.i32(4, LZ4_RAW);
                    about.i64(5, group.rows as i64);
                    about.i64(6, chunk.expanded as i64);
                    about.i64(7, chunk.length as i64);
                    about.i64(9, chunk.start as i64);
                    if let Some((low, high)) = chunk.range {
                        about.structure(12, |statistics| {
                            statistics.i64(3, 0);
                            // Zeros have both signs here, as the format asks for.
                            statistics.bytes(5, &(high + 0.0).to_le_bytes());
                            statistics.bytes(6, &(if low == 0.0 { -0.0 } else { low }).to_le_bytes());
                        });
                    }
                });
            });
        }
        let expanded: u64 = group.chunks.iter().map(|chunk| chunk.expanded).sum();
        out.i64(2, expanded as i64);
        out.i64(3, group.rows as i64);
    }

    /// Reads what [`Footer::encode`] wrote; `end` is where the footer begins, before which all pages lie.
    ///
    /// # Errors
    /// What is wrong. A footer without one has no sizes that a recording cannot have, so that there is room for its rows.
    pub(crate) fn decode(bytes: &[u8], end: u64) -> Result<Self, &'static str> {
        let mut footer = Self::default();
        let mut rows = None;
        let read = Reader::new(bytes).structure(|reader, number, found| {
            match (number, found) {
                (2, kind::LIST) => footer.names = decode_columns(reader)?,
                (3, kind::I64) => rows = Some(reader.count()?),
                (4, kind::LIST) => reader.list(|reader, _| {
                    footer.groups.push(decode_group(reader)?);
                    Ok(())
                })?,
                (5, kind::LIST) => reader.list(|reader, _| {
                    footer.entries.push(decode_entry(reader)?);
                    Ok(())
                })?,
                _ => return Ok(false),
            }
            Ok(true)
        });
        read.map_err(|Malformed| "its footer cannot be decoded")?;
        for group in &footer.groups {
            if group.rows == 0 || group.rows > GROUP || group.chunks.len() != footer.names.len() {
                return Err("it has a row group of impossible size");
            }
            let inside =
                |chunk: &Chunk| chunk.start.checked_add(chunk.length).is_some_and(|last| last <= end);
            if !group.chunks.iter().all(inside) {
                return Err("one of its columns lies outside the file");
            }
            if group.chunks.iter().any(|chunk| chunk.length > 2 * 8 * GROUP as u64) {
                return Err("one of its columns has an impossible size");
            }
        }
        if rows != Some(footer.rows()) {
            return Err("the rows of its groups do not add up to its number of rows");
        }
        Ok(footer)
    }
}

/// Names of columns of the type `double` without gaps, behind the root that has them.
fn decode_columns(reader: &mut Reader<'_>) -> Result<Vec<String>, Malformed> {
    let (mut names, mut expected) = (Vec::new(), None);
    reader.list(|reader, _| {
        let (mut name, mut number, mut required, mut children) = (None, None, None, None);
        reader.structure(|reader, field, found| {
            match (field, found) {
                (1, kind::I32) => number = Some(reader.integer()?),
                (3, kind::I32) => required = Some(reader.integer()?),
                (4, kind::BINARY) => name = Some(reader.text()?.to_owned()),
                (5, kind::I32) => children = Some(reader.count()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match expected {
            None => expected = Some(children.ok_or(Malformed)?),
            Some(_) if (number, required) == (Some(DOUBLE.into()), Some(REQUIRED.into())) => {
                names.push(name.ok_or(Malformed)?);
            }
            Some(_) => return Err(Malformed),
        }
        Ok(())
    })?;
    if expected == Some(names.len() as u64) { Ok(names) } else { Err(Malformed) }
}

fn decode_group(reader: &mut Reader<'_>) -> Result<Group, Malformed> {
    let (mut rows, mut chunks) = (None, Vec::new());
    reader.structure(|reader, number, found| {
        match (number, found) {
            (1, kind::LIST) => reader.list(|reader, _| {
                chunks.push(decode_chunk(reader)?);
                Ok(())
            })?,
            (3, kind::I64) => rows = Some(reader.count()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let rows = rows.ok_or(Malformed)?;
    if chunks.iter().any(|(_, values)| *values != rows) {
        return Err(Malformed);
    }
    let rows = usize::try_from(rows).map_err(|_| Malformed)?;
    Ok(Group { rows, chunks: chunks.into_iter().map(|(chunk, _)| chunk).collect() })
}

/// Where a page lies, and how many values it has.
fn decode_chunk(reader: &mut Reader<'_>) -> Result<(Chunk, u64), Malformed> {
    let (mut about, mut range) = ([None; 10], None);
    reader.structure(|reader, number, found| {
        if (number, found) != (3, kind::STRUCT) {
            return Ok(false);
        }
        reader.structure(|reader, number, found| {
            let slot = usize::try_from(number).ok().and_then(|number| about.get_mut(number));
            match (slot, found) {
                (Some(slot), kind::I32 | kind::I64) => *slot = Some(reader.count()?),
                (None, kind::STRUCT) if number == 12 => range = decode_range(reader)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(true)
    })?;
    let [_, Some(number), _, _, Some(codec), Some(values), Some(expanded), Some(length), _, Some(start)] =
        about
    else {
        return Err(Malformed);
    };
    if (number, codec) != (DOUBLE as u64, LZ4_RAW as u64) {
        return Err(Malformed);
    }
    Ok((Chunk { start, length, expanded, range }, values))
}

/// Smallest and largest value.
fn decode_range(reader: &mut Reader<'_>) -> Result<Option<(f64, f64)>, Malformed> {
    let mut ends = [None; 2];
    reader.structure(|reader, number, found| {
        let end = match (number, found) {
            (5, kind::BINARY) => 1,
            (6, kind::BINARY) => 0,
            _ => return Ok(false),
        };
        ends[end] = Some(f64::from_le_bytes(reader.bytes()?.try_into().map_err(|_| Malformed)?));
        Ok(true)
    })?;
    Ok(ends[0].zip(ends[1]))
}

fn decode_entry(reader: &mut Reader<'_>) -> Result<(String, String), Malformed> {
    let (mut key, mut value) = (None, String::new());
    reader.structure(|reader, number, found| {
        match (number, found) {
            (1, kind::BINARY) => key = Some(reader.text()?.to_owned()),
            (2, kind::BINARY) => value = reader.text()?.to_owned(),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((key.ok_or(Malformed)?, value))
}

/// `PageHeader` of parquet.thrift for a page of `values` numbers whose bytes are split into streams.
pub(crate) fn encode_page_header(values: usize, compressed: usize) -> Vec<u8> {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let mut header = Writer::new();
    header.i32(1, DATA_PAGE);
    header.i32(2, number(8 * values));
    header.i32(3, number(compressed));
    header.structure(5, |page| {
        page.i32(1, number(values));
        page.i32(2, BYTE_STREAM_SPLIT);
        // Columns without gaps have no levels, but their encodings must be told.
        page.i32(3, RLE);
        page.i32(4, RLE);
    });
    header.finish()
}

/// The compressed bytes of a page of `values` numbers, behind its header.
pub(crate) fn page_content(bytes: &[u8], values: usize) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    let (mut sizes, mut about) = ([None; 4], [None; 3]);
    let read = reader.structure(|reader, number, found| {
        match (number, found) {
            (1..=3, kind::I32) => sizes[number as usize] = Some(reader.count()?),
            (5, kind::STRUCT) => reader.structure(|reader, number, found| {
                if !matches!((number, found), (1..=2, kind::I32)) {
                    return Ok(false);
                }
                about[number as usize] = Some(reader.count()?);
                Ok(true)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    });
    read.ok()?;
    let content = bytes.get(reader.position()..)?;
    let expected = [None, Some(DATA_PAGE as u64), Some(8 * values as u64), Some(content.len() as u64)];
    (sizes == expected && about == [None, Some(values as u64), Some(BYTE_STREAM_SPLIT as u64)])
        .then_some(content)
}
