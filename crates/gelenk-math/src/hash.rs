//! Fingerprints of texts.

use std::fmt;

/// FNV-1a: short, and the same everywhere. It takes in what is written to it.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Takes in a byte.
    pub fn take(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.take(byte));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fmt::Write;

    /// The numbers of the authors' test vectors (Fowler, Noll, Vo: draft-eastlake-fnv, 64 bits).
    #[test]
    fn test_vectors() {
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            let mut fnv = Fnv::default();
            fnv.write_str(text).unwrap();
            assert_eq!(fnv.0, hash, "{text}");
        }
    }
}
