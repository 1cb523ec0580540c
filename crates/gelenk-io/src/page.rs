//! Pages: the values of one column of a group, compressed.
//!
//! Neighbouring samples share sign, exponent and leading digits. The bytes of the numbers are therefore split into eight
//! streams (`BYTE_STREAM_SPLIT`), of which the compressor (LZ4) finds the first ones nearly constant.

use std::io;

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

use crate::footer;

const WIDTH: usize = 8;

/// Makes pages and reads them, with room for one that is used again and again.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    streams: Vec<u8>,
    packed: Vec<u8>,
}

impl Pages {
    /// Appends the page of these values to `out`; returns its size with the values not compressed.
    pub(crate) fn encode(&mut self, values: &[f64], out: &mut Vec<u8>) -> io::Result<u64> {
        let count = values.len();
        self.streams.clear();
        self.streams.resize(WIDTH * count, 0);
        for (k, stream) in self.streams.chunks_exact_mut(count.max(1)).enumerate() {
            for (byte, value) in stream.iter_mut().zip(values) {
                *byte = value.to_le_bytes()[k];
            }
        }
        self.packed.resize(get_maximum_output_size(self.streams.len()), 0);
        let size = compress_into(&self.streams, &mut self.packed).map_err(io::Error::other)?;
        let header = footer::encode_page_header(count, size);
        out.extend_from_slice(&header);
        out.extend_from_slice(&self.packed[..size]);
        Ok((header.len() + self.streams.len()) as u64)
    }

    /// The `count` values of a page, into `values`; `false` where the bytes are not such a page.
    pub(crate) fn decode(&mut self, bytes: &[u8], count: usize, values: &mut Vec<f64>) -> bool {
        values.clear();
        let Some(content) = footer::page_content(bytes, count) else { return false };
        self.streams.clear();
        self.streams.resize(WIDTH * count, 0);
        if !decompress_into(content, &mut self.streams).is_ok_and(|size| size == WIDTH * count) {
            return false;
        }
        let streams: [&[u8]; WIDTH] = std::array::from_fn(|k| &self.streams[k * count..(k + 1) * count]);
        values.extend((0..count).map(|row| f64::from_le_bytes(streams.map(|stream| stream[row]))));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_bit_for_bit() {
        let mut pages = Pages::default();
        let samples: Vec<f64> = (0..5000).map(|k| (f64::from(k) * 1e-3).sin()).collect();
        let odd = [f64::NAN, -0.0, f64::NEG_INFINITY, f64::from_bits(0x7ff0_dead_beef_0001)];
        for values in [&samples[..], &odd, &[1.0]] {
            let mut page = Vec::new();
            pages.encode(values, &mut page).unwrap();
            let mut back = Vec::new();
            assert!(pages.decode(&page, values.len(), &mut back));
            assert!(back.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits()));
            assert!(!pages.decode(&page, values.len() + 1, &mut back));
            assert!(!pages.decode(&page[..page.len() - 1], values.len(), &mut back));
        }
    }

    /// A smooth signal takes less than it has numbers.
    #[test]
    fn smooth_signals_become_shorter() {
        let values: Vec<f64> = (0..65_536).map(|k| (f64::from(k) * 1e-4).sin()).collect();
        let mut page = Vec::new();
        Pages::default().encode(&values, &mut page).unwrap();
        assert!(page.len() < 7 * values.len(), "{}", page.len());
    }
}
