//! Units and meanings of columns as Arrow programs find them.
//!
//! Parquet has no metadata of columns. Arrow programs (pyarrow, pandas, Polars) look for them in the entry `ARROW:schema` of
//! the file: the base-64 text of an Arrow schema message, which is a flatbuffer. Every table in one begins with the distance
//! back to its list of field offsets; offsets lead forward, from where they stand. The message written here has one field a
//! column, a `float64` without gaps, with the entries `unit` and `meaning`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gelenk_record::Column;

/// Key of the metadata entry.
pub(crate) const KEY: &str = "ARROW:schema";

// Numbers of fields and values in Schema.fbs and Message.fbs of Arrow.
const MESSAGE: [u16; 3] = [0, 1, 2]; // version, header_type, header
const VERSION: u16 = 4; // V5
const SCHEMA: u8 = 1;
const FIELDS: u16 = 1;
const FIELD: [u16; 5] = [0, 2, 3, 5, 6]; // name, type_type, type, children, custom_metadata
const FLOATING_POINT: u8 = 3;
const DOUBLE: u16 = 2;
const ENTRY: [u16; 2] = [0, 1]; // key, value

/// The value of the metadata entry.
pub(crate) fn encode(columns: &[Column]) -> String {
    let mut buffer = Buffer::default();
    let root = buffer.word(0);
    buffer.point(root);
    let message = buffer.table(&[
        (MESSAGE[0], Slot::Short(VERSION)),
        (MESSAGE[1], Slot::Byte(SCHEMA)),
        (MESSAGE[2], Slot::Offset),
    ]);
    buffer.point_all(&message);
    let fields = buffer.table(&[(FIELDS, Slot::Offset)]);
    buffer.point_all(&fields);
    let fields = buffer.vector(columns.len());
    // What all columns have stands behind them, once.
    let (mut kinds, mut children, mut keys) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for (column, place) in columns.iter().zip(fields) {
        buffer.point(place);
        let slots = buffer.table(&[
            (FIELD[0], Slot::Offset),
            (FIELD[1], Slot::Byte(FLOATING_POINT)),
            (FIELD[2], Slot::Offset),
            (FIELD[3], Slot::Offset),
            (FIELD[4], Slot::Offset),
        ]);
        let [name, kind, none, metadata] = slots[..] else { continue };
        kinds.push(kind);
        children.push(none);
        buffer.point(name);
        buffer.text(&column.name);
        buffer.point(metadata);
        let entries = buffer.vector(keys.len());
        for ((place, keys), value) in entries.into_iter().zip(&mut keys).zip([&column.unit, &column.meaning])
        {
            buffer.point(place);
            let slots = buffer.table(&[(ENTRY[0], Slot::Offset), (ENTRY[1], Slot::Offset)]);
            let [key, text] = slots[..] else { continue };
            keys.push(key);
            buffer.point(text);
            buffer.text(value);
        }
    }
    buffer.point_all(&kinds);
    buffer.table(&[(0, Slot::Short(DOUBLE))]);
    buffer.point_all(&children);
    buffer.vector(0);
    for (keys, key) in keys.iter().zip(["unit", "meaning"]) {
        buffer.point_all(keys);
        buffer.text(key);
    }
    let bytes = buffer.finish();
    // A message begins with a mark and its length.
    let mut message = vec![0xff; 4];
    message.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    message.extend_from_slice(&bytes);
    STANDARD.encode(message)
}

/// The columns that [`encode`] wrote; `None` where it is something else.
pub(crate) fn decode(text: &str) -> Option<Vec<Column>> {
    let message = STANDARD.decode(text).ok()?;
    let view = View(message.strip_prefix(&[0xff; 4])?.get(4..)?);
    let message = view.follow(0)?;
    let schema = view.follow(view.slot(message, MESSAGE[2])?)?;
    let fields = view.vector(view.slot(schema, FIELDS)?)?;
    fields.map(|place| column(view, view.follow(place)?)).collect()
}

fn column(view: View<'_>, field: usize) -> Option<Column> {
    let kind = *view.0.get(view.slot(field, FIELD[1])?)?;
    let number = view.follow(view.slot(field, FIELD[2])?)?;
    if kind != FLOATING_POINT || view.short(view.slot(number, 0)?)? != DOUBLE {
        return None;
    }
    let mut column = Column::new(view.text(view.slot(field, FIELD[0])?)?, "", "");
    for place in view.vector(view.slot(field, FIELD[4])?)? {
        let entry = view.follow(place)?;
        let value = view.text(view.slot(entry, ENTRY[1])?)?.to_owned();
        match view.text(view.slot(entry, ENTRY[0])?)? {
            "unit" => column.unit = value,
            "meaning" => column.meaning = value,
            _ => {}
        }
    }
    Some(column)
}

/// A field of a table that is being written.
#[derive(Clone, Copy)]
enum Slot {
    Offset,
    Short(u16),
    Byte(u8),
}

/// A flatbuffer that is written from front to back: offsets are filled in when it is known where they lead.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Lists of field offsets, and the tables that have them.
    shapes: Vec<(Vec<u16>, Vec<usize>)>,
}

impl Buffer {
    fn word(&mut self, value: u32) -> usize {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self.bytes.len() - 4
    }

    fn align(&mut self) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }

    /// Lets the offset at `place` lead to what is written next.
    fn point(&mut self, place: usize) {
        let distance = (self.bytes.len() - place) as u32;
        self.bytes[place..place + 4].copy_from_slice(&distance.to_le_bytes());
    }

    fn point_all(&mut self, places: &[usize]) {
        places.iter().for_each(|&place| self.point(place));
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u32);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        self.align();
    }

    /// A vector of offsets; returns their places.
    fn vector(&mut self, count: usize) -> Vec<usize> {
        self.word(count as u32);
        (0..count).map(|_| self.word(0)).collect()
    }

    /// A table with these fields; returns the places of its offsets.
    fn table(&mut self, slots: &[(u16, Slot)]) -> Vec<usize> {
        let start = self.word(0);
        let mut places = vec![0_u16; slots.last().map_or(0, |(number, _)| usize::from(*number) + 1)];
        let mut offsets = Vec::new();
        for wide in [true, false] {
            for &(number, slot) in slots.iter().filter(|(_, slot)| matches!(slot, Slot::Offset) == wide) {
                if matches!(slot, Slot::Short(_)) && !self.bytes.len().is_multiple_of(2) {
                    self.bytes.push(0);
                }
                places[usize::from(number)] = (self.bytes.len() - start) as u16;
                match slot {
                    Slot::Offset => offsets.push(self.word(0)),
                    Slot::Short(value) => self.bytes.extend_from_slice(&value.to_le_bytes()),
                    Slot::Byte(value) => self.bytes.push(value),
                }
            }
        }
        self.align();
        let size = (self.bytes.len() - start) as u16;
        let mut shape = vec![(2 * places.len() + 4) as u16, size];
        shape.extend(places);
        match self.shapes.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, tables)) => tables.push(start),
            None => self.shapes.push((shape, vec![start])),
        }
        offsets
    }

    /// The bytes. Lists of field offsets come last: some readers look for them only behind what they read.
    fn finish(mut self) -> Vec<u8> {
        for (shape, tables) in self.shapes {
            for start in tables {
                let back = (start as i32).wrapping_sub(self.bytes.len() as i32);
                self.bytes[start..start + 4].copy_from_slice(&back.to_le_bytes());
            }
            shape.iter().for_each(|number| self.bytes.extend_from_slice(&number.to_le_bytes()));
        }
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes
    }
}

/// A flatbuffer that is read. Every access is checked; offsets lead forward, so that no walk is endless.
#[derive(Clone, Copy)]
struct View<'a>(&'a [u8]);

impl<'a> View<'a> {
    fn word(self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.0.get(at..at.checked_add(4)?)?.try_into().ok()?))
    }

    fn short(self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes(self.0.get(at..at.checked_add(2)?)?.try_into().ok()?))
    }

    /// Where the offset at `place` leads.
    fn follow(self, place: usize) -> Option<usize> {
        place.checked_add(usize::try_from(self.word(place)?).ok()?)
    }

    /// Where the field of a table stands; `None` where it has none.
    fn slot(self, table: usize, number: u16) -> Option<usize> {
        let back = self.word(table)? as i32;
        let shape = usize::try_from(i64::try_from(table).ok()? - i64::from(back)).ok()?;
        let at = 4 + 2 * usize::from(number);
        if at + 2 > usize::from(self.short(shape)?) {
            return None;
        }
        match self.short(shape.checked_add(at)?)? {
            0 => None,
            offset => table.checked_add(usize::from(offset)),
        }
    }

    /// The places of the offsets of a vector, to which the offset at `place` leads.
    fn vector(self, place: usize) -> Option<impl Iterator<Item = usize>> {
        let start = self.follow(place)?;
        let count = usize::try_from(self.word(start)?).ok()?;
        // The offsets must lie inside.
        self.0.get(start..start.checked_add(count.checked_mul(4)?)?.checked_add(4)?)?;
        Some((0..count).map(move |k| start + 4 + 4 * k))
    }

    fn text(self, place: usize) -> Option<&'a str> {
        let start = self.follow(place)?;
        let first = start.checked_add(4)?;
        let end = first.checked_add(usize::try_from(self.word(start)?).ok()?)?;
        std::str::from_utf8(self.0.get(first..end)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        vec![Column::time(), Column::new("knee.φ", "rad", ""), Column::new("", "N m/rad^2", "a long meaning")]
    }

    #[test]
    fn columns_come_back() {
        assert_eq!(decode(&encode(&columns())), Some(columns()));
        assert_eq!(decode(&encode(&[])), Some(Vec::new()));
    }

    /// Every changed byte gives columns or nothing, and no walk leaves the buffer.
    #[test]
    fn damage_is_no_panic() {
        let good = STANDARD.decode(encode(&columns())).unwrap();
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = value;
                let _ = decode(&STANDARD.encode(&bad));
            }
            assert_eq!(decode(&STANDARD.encode(&good[..at.min(good.len() - 16)])), None, "{at}");
        }
        assert_eq!(decode("not base 64"), None);
    }
}
