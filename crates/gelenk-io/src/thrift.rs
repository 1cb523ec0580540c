//! The compact protocol of Thrift, in which Parquet files and their pages say what they hold.
//!
//! A structure is a row of fields, each with the step of its number from the one before, its kind and its value; a zero ends
//! it. Integers are variable in length (seven bits a byte), signed ones in zigzag order.

/// Kinds of values.
pub(crate) mod kind {
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(crate) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(crate) const SET: u8 = 10;
    pub(crate) const STRUCT: u8 = 12;
}

/// Structures inside of structures at most; files of ours have five.
const DEEPEST: usize = 16;

/// Writes structures.
#[derive(Debug)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    /// Numbers of the last fields of the structures that are open.
    last: Vec<i16>,
}

impl Writer {
    /// A writer inside of the outermost structure.
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), last: vec![0] }
    }

    /// Ends the outermost structure.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn zigzag(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)) as u64);
    }

    /// Numbers of fields rise by less than 16 in everything that is written here.
    fn field(&mut self, number: i16, kind: u8) {
        if let Some(last) = self.last.last_mut() {
            debug_assert!((1..16).contains(&(number - *last)));
            self.bytes.push(((number - *last) as u8) << 4 | kind);
            *last = number;
        }
    }

    /// A field with a 32-bit integer.
    pub(crate) fn i32(&mut self, number: i16, value: i32) {
        self.field(number, kind::I32);
        self.zigzag(i64::from(value));
    }

    /// A field with a 64-bit integer.
    pub(crate) fn i64(&mut self, number: i16, value: i64) {
        self.field(number, kind::I64);
        self.zigzag(value);
    }

    /// A field with a text.
    pub(crate) fn text(&mut self, number: i16, value: &str) {
        self.field(number, kind::BINARY);
        self.text_item(value);
    }

    /// A field with bytes.
    pub(crate) fn bytes(&mut self, number: i16, value: &[u8]) {
        self.field(number, kind::BINARY);
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// The head of a field with a list; its items follow.
    pub(crate) fn list(&mut self, number: i16, item: u8, count: usize) {
        self.field(number, kind::LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | item);
        } else {
            self.bytes.push(0xf0 | item);
            self.varint(count as u64);
        }
    }

    /// An integer of a list.
    pub(crate) fn i32_item(&mut self, value: i32) {
        self.zigzag(i64::from(value));
    }

    /// A text of a list.
    pub(crate) fn text_item(&mut self, value: &str) {
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value.as_bytes());
    }

    /// A field with a structure, which `fill` writes.
    pub(crate) fn structure(&mut self, number: i16, fill: impl FnOnce(&mut Self)) {
        self.field(number, kind::STRUCT);
        self.structure_item(fill);
    }

    /// A structure of a list.
    pub(crate) fn structure_item(&mut self, fill: impl FnOnce(&mut Self)) {
        self.last.push(0);
        fill(self);
        self.last.pop();
        self.bytes.push(0);
    }
}

/// What is not in the protocol, or not what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Reads structures. Whatever the bytes are, it reads no further than they go.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader in front of a structure.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes that were read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// A byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let byte = *self.bytes.get(self.at).ok_or(Malformed)?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(count).ok_or(Malformed)?;
        let taken = self.bytes.get(self.at..end).ok_or(Malformed)?;
        self.at = end;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    /// An integer of any width.
    pub(crate) fn integer(&mut self) -> Result<i64, Malformed> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// An integer that counts something.
    pub(crate) fn count(&mut self) -> Result<u64, Malformed> {
        u64::try_from(self.integer()?).map_err(|_| Malformed)
    }

    /// Bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        self.take(length)
    }

    /// A text.
    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed)
    }

    /// The items of a list, each read by `item`, which is told their kind.
    pub(crate) fn list(
        &mut self,
        mut item: impl FnMut(&mut Self, u8) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        // Every item has a byte at least.
        if count > (self.bytes.len() - self.at) as u64 {
            return Err(Malformed);
        }
        (0..count).try_for_each(|_| item(self, head & 15))
    }

    /// The fields of a structure: `field` gets the number and kind of each, and tells whether it has read the value.
    pub(crate) fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, i16, u8) -> Result<bool, Malformed>,
    ) -> Result<(), Malformed> {
        let mut last = 0_i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            last = match head >> 4 {
                0 => i16::try_from(self.integer()?).map_err(|_| Malformed)?,
                step => last.checked_add(i16::from(step)).ok_or(Malformed)?,
            };
            if !field(self, last, head & 15)? {
                self.skip(head & 15, DEEPEST)?;
            }
        }
    }

    fn skip(&mut self, kind: u8, deepest: usize) -> Result<(), Malformed> {
        let deeper = deepest.checked_sub(1).ok_or(Malformed)?;
        match kind {
            kind::TRUE | kind::FALSE => Ok(()),
            kind::BYTE => self.byte().map(drop),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.take(8).map(drop),
            kind::BINARY => self.bytes().map(drop),
            kind::LIST | kind::SET => self.list(|reader, item| match item {
                // In lists truth values have a byte.
                kind::TRUE | kind::FALSE => reader.byte().map(drop),
                item => reader.skip(item, deeper),
            }),
            kind::STRUCT => loop {
                let head = self.byte()?;
                if head == 0 {
                    return Ok(());
                }
                if head >> 4 == 0 {
                    self.varint()?;
                }
                self.skip(head & 15, deeper)?;
            },
            _ => Err(Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification of the compact protocol: zigzag of 0, -1, 1, -2 is 0, 1, 2, 3, and 50399 is the bytes
    /// 0xdf 0x89 0x03.
    #[test]
    fn integers_are_those_of_the_specification() {
        let mut writer = Writer::new();
        [0, -1, 1, -2].into_iter().for_each(|value| writer.zigzag(value));
        writer.varint(50_399);
        assert_eq!(writer.bytes, [0, 1, 2, 3, 0xdf, 0x89, 0x03]);
        let mut reader = Reader::new(&writer.bytes);
        assert_eq!([(); 4].map(|()| reader.integer().unwrap()), [0, -1, 1, -2]);
        assert_eq!(reader.varint(), Ok(50_399));
        assert_eq!(Reader::new(&[0xff; 12]).varint(), Err(Malformed));
    }

    fn sample() -> Vec<u8> {
        let mut writer = Writer::new();
        writer.i32(1, -7);
        writer.text(2, "knee");
        writer.list(5, kind::STRUCT, 20);
        for k in 0..20 {
            writer.structure_item(|writer| writer.i64(3, k << 40));
        }
        writer.structure(8, |writer| writer.i32(1, 9));
        writer.finish()
    }

    /// What is known is read, what is not is skipped, and both end at the same place.
    #[test]
    fn structures_come_back() {
        let bytes = sample();
        let mut reader = Reader::new(&bytes);
        let mut found = Vec::new();
        reader
            .structure(|reader, number, kind| {
                match (number, kind) {
                    (1, kind::I32) => assert_eq!(reader.integer()?, -7),
                    (2, kind::BINARY) => assert_eq!(reader.text()?, "knee"),
                    (5, kind::LIST) => reader.list(|reader, _| {
                        reader.structure(|reader, _, _| {
                            found.push(reader.integer()? >> 40);
                            Ok(true)
                        })
                    })?,
                    _ => return Ok(false),
                }
                Ok(true)
            })
            .unwrap();
        assert_eq!(found, (0..20).collect::<Vec<_>>());
        assert_eq!(reader.position(), bytes.len());
        let mut skipped = Reader::new(&bytes);
        skipped.structure(|_, _, _| Ok(false)).unwrap();
        assert_eq!(skipped.position(), bytes.len());
    }

    #[test]
    fn cut_and_nested_bytes_are_errors() {
        let bytes = sample();
        for end in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..end]).structure(|_, _, _| Ok(false)), Err(Malformed), "{end}");
        }
        // Structures in structures without end, and a list that is longer than the bytes.
        let deep = vec![0x10 | kind::STRUCT; 1000];
        assert_eq!(Reader::new(&deep).structure(|_, _, _| Ok(false)), Err(Malformed));
        let long = [0x10 | kind::LIST, 0xf0 | kind::TRUE, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(Reader::new(&long).structure(|_, _, _| Ok(false)), Err(Malformed));
    }
}
