//! Runs, packed bits, deltas and split bytes, as Parquet encodes integers.

/// What is not encoded as it should be.
pub(crate) type Broken = &'static str;

/// Reads bytes, and no further than they go.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("a page ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, Broken> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number of a page is too long")
    }

    fn zigzag(&mut self) -> Result<i64, Broken> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

/// Numbers of `width` bits, least significant bits first.
fn unpack(bytes: &[u8], width: u32, count: usize, mut take: impl FnMut(u64)) {
    let (mut held, mut bits, mut next) = (0u128, 0, bytes.iter());
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    for _ in 0..count {
        while bits < width {
            held |= u128::from(next.next().copied().unwrap_or(0)) << bits;
            bits += 8;
        }
        take(held as u64 & mask);
        held >>= width;
        bits -= width;
    }
}

/// `count` numbers in runs of equal ones and groups of packed bits.
pub(crate) fn hybrid(bytes: &mut Bytes<'_>, width: u32, count: usize) -> Result<Vec<u64>, Broken> {
    if width > 32 {
        return Err("its numbers are too wide");
    }
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let head = bytes.varint()?;
        let left = count - values.len();
        let length = usize::try_from(head >> 1).map_err(|_| "a run is too long")?;
        if head & 1 == 0 {
            let value = bytes.take(width.div_ceil(8) as usize)?;
            let value = value.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            if length == 0 {
                return Err("a run is empty");
            }
            values.extend(std::iter::repeat_n(value, length.min(left)));
        } else {
            let size = length.checked_mul(width as usize).ok_or("a run is too long")?;
            // The last group may be cut short.
            let packed = bytes.take(size.min(bytes.0.len()))?;
            let there = if width == 0 { left } else { packed.len() * 8 / width as usize };
            let taken = length.saturating_mul(8).min(left).min(there);
            if taken == 0 {
                return Err("a page ends too early");
            }
            unpack(packed, width, taken, |value| values.push(value));
        }
    }
    Ok(values)
}

/// Integers by the differences between them (`DELTA_BINARY_PACKED`).
pub(crate) fn deltas(bytes: &mut Bytes<'_>, most: usize) -> Result<Vec<i64>, Broken> {
    let block = usize::try_from(bytes.varint()?).map_err(|_| "a block is too long")?;
    let minis = usize::try_from(bytes.varint()?).map_err(|_| "a block is too long")?;
    let count = usize::try_from(bytes.varint()?).map_err(|_| "a page is too long")?;
    let mut value = bytes.zigzag()?;
    if count > most || minis == 0 || block == 0 || block > 1 << 20 || block % minis != 0 {
        return Err("its deltas are inconsistent");
    }
    let size = block / minis;
    let mut values = Vec::with_capacity(count);
    if count > 0 {
        values.push(value);
    }
    while values.len() < count {
        let least = bytes.zigzag()?;
        let widths = bytes.take(minis)?;
        for &width in widths {
            if values.len() >= count {
                break;
            }
            if width > 64 {
                return Err("its deltas are too wide");
            }
            let packed = bytes.take((size * usize::from(width)).div_ceil(8).min(bytes.0.len()))?;
            let there = if width == 0 { size } else { packed.len() * 8 / usize::from(width) };
            let taken = size.min(count - values.len());
            if there < taken {
                return Err("a page ends too early");
            }
            unpack(packed, u32::from(width), taken, |delta| {
                value = value.wrapping_add(least).wrapping_add(delta as i64);
                values.push(value);
            });
        }
    }
    Ok(values)
}

/// The bytes of numbers whose first bytes come first, then their second ones, and so on.
pub(crate) fn joined<const N: usize>(bytes: &[u8], count: usize) -> Result<Vec<[u8; N]>, Broken> {
    if bytes.len() < N * count {
        return Err("a page ends too early");
    }
    Ok((0..count).map(|row| std::array::from_fn(|k| bytes[k * count + row])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of the specification: 0 to 7 in three bits are 0x88 0xc6 0xfa, and a run is its length twice and the value.
    #[test]
    fn runs_and_bits_are_those_of_the_specification() {
        let mut bytes = Bytes(&[0x03, 0x88, 0xc6, 0xfa, 0x08, 0x05]);
        assert_eq!(hybrid(&mut bytes, 3, 12).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 5]);
        assert!(hybrid(&mut Bytes(&[0x03, 0x88]), 3, 8).is_err());
        assert!(hybrid(&mut Bytes(&[]), 1, 1).is_err());
        assert!(hybrid(&mut Bytes(&[0x00]), 1, 1).is_err());
    }

    /// The example of the specification: 7, 5, 3, 1, 2, 3, 4, 5 has the first value 7, the least delta -2 and packed deltas
    /// 0, 0, 0, 3, 3, 3, 3 in two bits; here with a block of eight numbers, which its first four bytes say.
    #[test]
    fn deltas_are_those_of_the_specification() {
        let mut bytes = Bytes(&[8, 1, 8, 14, 3, 2, 0b1100_0000, 0b0011_1111]);
        assert_eq!(deltas(&mut bytes, 100).unwrap(), [7, 5, 3, 1, 2, 3, 4, 5]);
        assert!(deltas(&mut Bytes(&[8, 1, 8, 14, 3, 2, 0]), 100).is_err());
        assert!(deltas(&mut Bytes(&[8, 1, 8, 14]), 4).is_err());
    }

    #[test]
    fn split_bytes_are_joined() {
        let values = [1.5f64, -2.0];
        let split: Vec<u8> = (0..8).flat_map(|k| values.map(|value| value.to_le_bytes()[k])).collect();
        let back = joined::<8>(&split, 2).unwrap();
        assert_eq!(back.map_into(), values);
        assert!(joined::<8>(&split, 3).is_err());
    }

    trait MapInto {
        fn map_into(self) -> Vec<f64>;
    }

    impl MapInto for Vec<[u8; 8]> {
        fn map_into(self) -> Vec<f64> {
            self.into_iter().map(f64::from_le_bytes).collect()
        }
    }

    proptest! {
        #[test]
        fn any_bytes_give_numbers_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), width in 0u32..40, count in 0usize..500) {
            if let Ok(values) = hybrid(&mut Bytes(&bytes), width, count) {
                prop_assert_eq!(values.len(), count);
            }
            if let Ok(values) = deltas(&mut Bytes(&bytes), count) {
                prop_assert!(values.len() <= count);
            }
        }
    }
}
