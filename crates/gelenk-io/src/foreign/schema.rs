//! What a Parquet file says about itself (`FileMetaData` of parquet.thrift).

use crate::thrift::{Malformed, Reader, kind};

/// How the numbers of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Boolean,
    Int32,
    Int64,
    /// Nanoseconds of the day and the Julian day, as old programs write points in time.
    Int96,
    Float,
    Double,
}

/// What integers mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Meaning {
    Plain,
    Unsigned {
        bits: u32,
    },
    Decimal {
        scale: i32,
    },
    /// A point in time.
    Instant {
        per_second: f64,
    },
    /// A time of day.
    TimeOfDay {
        per_second: f64,
    },
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaf {
    /// Names of its structures and its own, with dots between them.
    pub name: String,
    pub number: Number,
    pub meaning: Meaning,
    /// What it is, where it is not numbers.
    other: Option<&'static str>,
    /// Level of a value that is there.
    pub defined: u32,
}

impl Leaf {
    /// What the column is, where it has no numbers.
    pub(crate) fn not_numbers(&self) -> Option<&'static str> {
        self.other
    }
}

/// Where a column of a group of rows lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub start: u64,
    pub length: u64,
    pub codec: i64,
}

/// Rows that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub rows: u64,
    pub chunks: Vec<Chunk>,
}

/// What a file says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Footer {
    pub leaves: Vec<Leaf>,
    pub rows: u64,
    pub groups: Vec<Group>,
}

/// An element of the schema: a column, or a structure with others.
#[derive(Debug, Default)]
struct Node {
    physical: Option<i64>,
    repetition: i64,
    name: String,
    children: u64,
    converted: Option<i64>,
    scale: i64,
    logical: Logical,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Logical {
    #[default]
    None,
    Integer {
        bits: i64,
        signed: bool,
    },
    Decimal {
        scale: i64,
    },
    Timestamp {
        per_second: f64,
    },
    Time {
        per_second: f64,
    },
    Date,
}

// Values of enumerations in parquet.thrift.
const OPTIONAL: i64 = 1;
const REPEATED: i64 = 2;
/// Most columns of a file.
const MOST_COLUMNS: usize = 20_000;
const DAY: f64 = 86_400.0;

impl Footer {
    /// Reads a footer.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let (mut nodes, mut footer, mut encrypted) = (Vec::new(), Self::default(), false);
        let read = Reader::new(bytes).structure(|reader, number, found| {
            match (number, found) {
                (2, kind::LIST) => reader.list(|reader, _| {
                    nodes.push(node(reader)?);
                    Ok(())
                })?,
                (3, kind::I64) => footer.rows = reader.count()?,
                (4, kind::LIST) => reader.list(|reader, _| {
                    footer.groups.push(group(reader)?);
                    Ok(())
                })?,
                (8, _) => {
                    encrypted = true;
                    return Ok(false);
                }
                _ => return Ok(false),
            }
            Ok(true)
        });
        read.map_err(|Malformed| "its footer cannot be decoded")?;
        if encrypted {
            return Err("it is encrypted");
        }
        let mut nodes = nodes.into_iter();
        let root = nodes.next().ok_or("it has no columns")?;
        for _ in 0..root.children {
            leaves(&mut nodes, "", (0, 0), 8, &mut footer.leaves)?;
        }
        let sum = footer.groups.iter().try_fold(0u64, |sum, group| sum.checked_add(group.rows));
        if sum != Some(footer.rows) {
            return Err("the rows of its groups do not add up to its number of rows");
        }
        Ok(footer)
    }
}

/// Adds the columns of the next element, which stands in `path` and has the levels of what it stands in.
fn leaves(
    nodes: &mut impl Iterator<Item = Node>,
    path: &str,
    (mut defined, mut repeated): (u32, u32),
    deepest: u32,
    found: &mut Vec<Leaf>,
) -> Result<(), &'static str> {
    let node = nodes.next().ok_or("its schema ends too early")?;
    let deeper = deepest.checked_sub(1).ok_or("its structures are nested too deep")?;
    defined += u32::from(node.repetition == OPTIONAL || node.repetition == REPEATED);
    repeated += u32::from(node.repetition == REPEATED);
    let name = if path.is_empty() { node.name.clone() } else { format!("{path}.{}", node.name) };
    if node.children > 0 {
        for _ in 0..node.children {
            leaves(nodes, &name, (defined, repeated), deeper, found)?;
        }
        return Ok(());
    }
    if found.len() >= MOST_COLUMNS {
        return Err("it has too many columns");
    }
    let (number, meaning, other) = typed(&node);
    let other = if repeated > 0 { Some("a list") } else { other };
    found.push(Leaf { name, number, meaning, other, defined });
    Ok(())
}

/// How the values of a column are stored, and what they mean.
fn typed(node: &Node) -> (Number, Meaning, Option<&'static str>) {
    let number = match node.physical {
        Some(0) => Number::Boolean,
        Some(1) => Number::Int32,
        Some(2) => Number::Int64,
        Some(3) => Number::Int96,
        Some(4) => Number::Float,
        Some(5) => Number::Double,
        Some(7) => return (Number::Double, Meaning::Plain, Some("bytes of fixed length")),
        _ => return (Number::Double, Meaning::Plain, Some("text or bytes")),
    };
    let scale = |scale: i64| Meaning::Decimal { scale: scale.clamp(-300, 300) as i32 };
    let meaning = match (number, node.logical, node.converted) {
        (Number::Int96, ..) => Meaning::Instant { per_second: 1e9 },
        (_, Logical::Integer { bits, signed: false }, _) => {
            Meaning::Unsigned { bits: bits.clamp(0, 64) as u32 }
        }
        (_, Logical::Decimal { scale: digits }, _) => scale(digits),
        (_, Logical::Timestamp { per_second }, _) => Meaning::Instant { per_second },
        (_, Logical::Time { per_second }, _) => Meaning::TimeOfDay { per_second },
        (_, Logical::Date, _) | (_, _, Some(6)) => Meaning::Instant { per_second: 1.0 / DAY },
        (_, _, Some(5)) => scale(node.scale),
        (_, _, Some(7)) => Meaning::TimeOfDay { per_second: 1e3 },
        (_, _, Some(8)) => Meaning::TimeOfDay { per_second: 1e6 },
        (_, _, Some(9)) => Meaning::Instant { per_second: 1e3 },
        (_, _, Some(10)) => Meaning::Instant { per_second: 1e6 },
        (_, _, Some(11..=13)) => Meaning::Unsigned { bits: 32 },
        (_, _, Some(14)) => Meaning::Unsigned { bits: 64 },
        _ => Meaning::Plain,
    };
    (number, meaning, None)
}

fn node(reader: &mut Reader<'_>) -> Result<Node, Malformed> {
    let mut node = Node::default();
    reader.structure(|reader, number, found| {
        match (number, found) {
            (1, kind::I32) => node.physical = Some(reader.integer()?),
            (3, kind::I32) => node.repetition = reader.integer()?,
            (4, kind::BINARY) => node.name = reader.text()?.to_owned(),
            (5, kind::I32) => node.children = reader.count()?,
            (6, kind::I32) => node.converted = Some(reader.integer()?),
            (7, kind::I32) => node.scale = reader.integer()?,
            (10, kind::STRUCT) => node.logical = logical(reader)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(node)
}

/// The union `LogicalType`.
fn logical(reader: &mut Reader<'_>) -> Result<Logical, Malformed> {
    let mut logical = Logical::None;
    reader.structure(|reader, number, found| {
        match (number, found) {
            (5, kind::STRUCT) => {
                let mut scale = 0;
                reader.structure(|reader, number, found| {
                    if (number, found) != (1, kind::I32) {
                        return Ok(false);
                    }
                    scale = reader.integer()?;
                    Ok(true)
                })?;
                logical = Logical::Decimal { scale };
            }
            (6, kind::STRUCT) => {
                logical = Logical::Date;
                return Ok(false);
            }
            (7, kind::STRUCT) => logical = Logical::Time { per_second: time_unit(reader)? },
            (8, kind::STRUCT) => logical = Logical::Timestamp { per_second: time_unit(reader)? },
            (10, kind::STRUCT) => {
                let (mut bits, mut signed) = (64, true);
                reader.structure(|reader, number, found| {
                    match (number, found) {
                        (1, kind::BYTE) => bits = i64::from(reader.byte()?),
                        (2, kind::TRUE | kind::FALSE) => signed = found == kind::TRUE,
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
                logical = Logical::Integer { bits, signed };
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(logical)
}

/// Parts of a second of the types `TIME` and `TIMESTAMP`.
fn time_unit(reader: &mut Reader<'_>) -> Result<f64, Malformed> {
    let mut per_second = 1e3;
    reader.structure(|reader, number, found| {
        if (number, found) != (2, kind::STRUCT) {
            return Ok(false);
        }
        reader.structure(|_, number, _| {
            per_second = match number {
                1 => 1e3,
                2 => 1e6,
                _ => 1e9,
            };
            Ok(false)
        })?;
        Ok(true)
    })?;
    Ok(per_second)
}

fn group(reader: &mut Reader<'_>) -> Result<Group, Malformed> {
    let (mut rows, mut chunks) = (0, Vec::new());
    reader.structure(|reader, number, found| {
        match (number, found) {
            (1, kind::LIST) => reader.list(|reader, _| {
                chunks.push(chunk(reader)?);
                Ok(())
            })?,
            (3, kind::I64) => rows = reader.count()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Group { rows, chunks })
}

fn chunk(reader: &mut Reader<'_>) -> Result<Chunk, Malformed> {
    let mut about = [None; 12];
    reader.structure(|reader, number, found| {
        // A column that is in another file has its name here.
        if (number, found) == (1, kind::BINARY) {
            return Err(Malformed);
        }
        if (number, found) != (3, kind::STRUCT) {
            return Ok(false);
        }
        reader.structure(|reader, number, found| {
            let slot = usize::try_from(number).ok().and_then(|number| about.get_mut(number));
            match (slot, found) {
                (Some(slot), kind::I32 | kind::I64) => *slot = Some(reader.integer()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(true)
    })?;
    let [_, _, _, _, Some(codec), _, _, Some(length), _, Some(data), _, dictionary] = about else {
        return Err(Malformed);
    };
    let start = dictionary.filter(|&at| at > 0).map_or(data, |at| at.min(data));
    let positive = |value: i64| u64::try_from(value).map_err(|_| Malformed);
    Ok(Chunk { start: positive(start)?, length: positive(length)?, codec })
}
