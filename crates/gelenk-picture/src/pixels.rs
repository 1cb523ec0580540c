//! Pixels, PNG and animated PNG.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Why pixels do not become a file.
#[derive(Debug, thiserror::Error)]
pub enum PixelError {
    /// A size without pixels, or with too many.
    #[error("a picture of {width} x {height} pixels cannot be made: each side must be from 1 to {LARGEST}")]
    Size {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },
    /// The PNG could not be written.
    #[error("the PNG could not be written: {0}")]
    Png(#[from] png::EncodingError),
}

/// Largest side of a picture in pixels.
pub const LARGEST: u32 = 20_000;

/// A picture of opaque pixels, row by row from the upper left corner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    width: u32,
    height: u32,
    /// Red, green and blue of every pixel.
    rgb: Vec<u8>,
}

impl Pixels {
    /// A picture from the bytes of its pixels, three each; missing ones are black, more are left out.
    ///
    /// # Errors
    /// [`PixelError::Size`].
    pub fn new(width: u32, height: u32, mut rgb: Vec<u8>) -> Result<Self, PixelError> {
        if !(1..=LARGEST).contains(&width) || !(1..=LARGEST).contains(&height) {
            return Err(PixelError::Size { width, height });
        }
        rgb.resize(width as usize * height as usize * 3, 0);
        Ok(Self { width, height, rgb })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green and blue of every pixel, row by row.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The same bytes to change.
    pub(crate) fn rgb_mut(&mut self) -> &mut [u8] {
        &mut self.rgb
    }

    /// Colour of a pixel; black outside.
    pub fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let start = (y as usize * self.width as usize + x as usize) * 3;
        match self.rgb.get(start..start + 3) {
            Some([r, g, b]) if x < self.width => [*r, *g, *b],
            _ => [0; 3],
        }
    }

    /// Puts another picture over this one, its upper left corner at a pixel; what lies outside is left out.
    pub fn put(&mut self, other: &Self, left: u32, top: u32) {
        let columns = other.width.min(self.width.saturating_sub(left)) as usize;
        let rows = other.height.min(self.height.saturating_sub(top));
        for row in 0..rows {
            let from = row as usize * other.width as usize * 3;
            let to = ((top + row) as usize * self.width as usize + left as usize) * 3;
            let (from, to) =
                (other.rgb.get(from..from + 3 * columns), self.rgb.get_mut(to..to + 3 * columns));
            if let (Some(from), Some(to)) = (from, to) {
                to.copy_from_slice(from);
            }
        }
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// [`PixelError::Png`].
    pub fn png(&self) -> Result<Vec<u8>, PixelError> {
        let mut file = Vec::new();
        let mut encoder = encoder(&mut file, self.width, self.height);
        // Pictures with few colours, such as plots, take a third of the room with a palette.
        if let Some((palette, indices)) = self.palette() {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette);
            encoder.set_filter(png::Filter::NoFilter);
            encoder.write_header()?.write_image_data(&indices)?;
        } else {
            encoder.write_header()?.write_image_data(&self.rgb)?;
        }
        Ok(file)
    }

    /// The colours of the picture and the number of each pixel's, where there are at most 256.
    fn palette(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut colours = std::collections::BTreeMap::new();
        let mut indices = Vec::with_capacity(self.rgb.len() / 3);
        for pixel in self.rgb.chunks_exact(3) {
            let next = colours.len();
            let index = *colours.entry([pixel[0], pixel[1], pixel[2]]).or_insert(next);
            indices.push(u8::try_from(index).ok()?);
        }
        let mut palette = vec![[0; 3]; colours.len()];
        for (colour, index) in colours {
            palette[index] = colour;
        }
        Some((palette.concat(), indices))
    }
}

fn encoder<W: Write>(file: W, width: u32, height: u32) -> png::Encoder<'static, W> {
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder
}

/// An animated PNG, written picture by picture. Browsers and most viewers play it; others show its first picture.
pub struct AnimatedPng<W: Write> {
    writer: png::Writer<W>,
    size: (u32, u32),
}

impl<W: Write> AnimatedPng<W> {
    /// Begins a film of this many pictures that is played again and again.
    ///
    /// # Errors
    /// [`PixelError`].
    pub fn new(file: W, size: (u32, u32), pictures: u32, per_second: f64) -> Result<Self, PixelError> {
        let mut encoder = encoder(file, size.0, size.1);
        encoder.set_animated(pictures.max(1), 0)?;
        let (over, under) = delay(per_second);
        encoder.set_frame_delay(over, under)?;
        Ok(Self { writer: encoder.write_header()?, size })
    }

    /// Adds the next picture, which has the size of the film.
    ///
    /// # Errors
    /// [`PixelError`].
    pub fn add(&mut self, picture: &Pixels) -> Result<(), PixelError> {
        if (picture.width, picture.height) != self.size {
            return Err(PixelError::Size { width: picture.width, height: picture.height });
        }
        Ok(self.writer.write_image_data(&picture.rgb)?)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`PixelError::Png`].
    pub fn finish(self) -> Result<(), PixelError> {
        Ok(self.writer.finish()?)
    }
}

impl AnimatedPng<BufWriter<File>> {
    /// Ends the file `path`, which it is written to, with fewer pictures than were promised.
    ///
    /// # Errors
    /// A failure of the disk.
    pub fn finish_early(self, path: &Path, pictures: u32) -> io::Result<()> {
        // Without its last pictures the writer refuses to finish, but leaves a complete file behind.
        drop(self.writer);
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut head = Vec::new();
        (&file).take(HEAD).read_to_end(&mut head)?;
        let Some(place) = head.windows(4).position(|name| name == b"acTL") else { return Ok(()) };
        let Some(chunk) = head.get_mut(place..place + 16) else { return Ok(()) };
        // Name, number of pictures, number of plays; then the checksum of these.
        chunk[4..8].copy_from_slice(&pictures.to_be_bytes());
        let sum = crc(&chunk[..12]).to_be_bytes();
        chunk[12..].copy_from_slice(&sum);
        file.seek(SeekFrom::Start(place as u64))?;
        file.write_all(&head[place..place + 16])
    }
}

/// Bytes of a file in which the number of its pictures stands.
const HEAD: u64 = 4096;

/// CRC-32 of a chunk of a PNG file (PNG specification, annex D).
fn crc(bytes: &[u8]) -> u32 {
    let bit = |sum: u32| if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| bit(sum)))
}

/// Time of a picture as a fraction of a second.
fn delay(per_second: f64) -> (u16, u16) {
    let ms = (1000.0 / per_second).round().clamp(1.0, 65535.0);
    if per_second.fract() == 0.0 && (1.0..65535.0).contains(&per_second) {
        (1, per_second as u16)
    } else {
        (ms as u16, 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> (png::OutputInfo, Vec<u8>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        (info, bytes)
    }

    /// What was written is read back by an independent reader, with few and with many colours.
    #[test]
    fn a_png_holds_its_pixels() {
        for colours in [4_u32, 300] {
            let rgb: Vec<u8> = (0..30 * 20)
                .flat_map(|i| [(i % colours % 251) as u8, (i % colours / 251) as u8, 7])
                .collect();
            let picture = Pixels::new(30, 20, rgb.clone()).unwrap();
            let (info, bytes) = decode(&picture.png().unwrap());
            assert_eq!((info.width, info.height, bytes), (30, 20, rgb));
            assert_eq!(picture.at(2, 0), [2, 0, 7]);
        }
    }

    #[test]
    fn a_film_tells_its_pictures_and_speed() {
        let mut file = Vec::new();
        let mut film = AnimatedPng::new(&mut file, (4, 3), 2, 25.0).unwrap();
        for shade in [0, 200] {
            film.add(&Pixels::new(4, 3, vec![shade; 36]).unwrap()).unwrap();
        }
        film.finish().unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let control = reader.info().animation_control().unwrap();
        assert_eq!((control.num_frames, control.num_plays), (2, 0));
        let frame = reader.info().frame_control().unwrap();
        assert_eq!((frame.delay_num, frame.delay_den), (1, 25));
    }

    /// A film that ends early tells how many pictures it has, and an independent reader takes it.
    #[test]
    fn a_film_may_end_early() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film.apng");
        let file = BufWriter::new(File::create(&path).unwrap());
        let mut film = AnimatedPng::new(file, (4, 3), 20, 25.0).unwrap();
        for shade in [0, 100, 200] {
            film.add(&Pixels::new(4, 3, vec![shade; 36]).unwrap()).unwrap();
        }
        film.finish_early(&path, 3).unwrap();
        let file = std::fs::read(&path).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        for _ in 0..3 {
            reader.next_frame(&mut bytes).unwrap();
        }
        reader.finish().unwrap();
    }

    #[test]
    fn a_picture_over_another_is_cut_at_its_border() {
        let mut below = Pixels::new(4, 3, vec![9; 36]).unwrap();
        below.put(&Pixels::new(3, 3, vec![200; 27]).unwrap(), 2, 1);
        let bright = |x, y| below.at(x, y) == [200; 3];
        assert_eq!((0..12).filter(|k| bright(k % 4, k / 4)).collect::<Vec<_>>(), [6, 7, 10, 11]);
        below.put(&Pixels::new(3, 3, vec![1; 27]).unwrap(), 9, 9);
        assert_eq!(below.at(3, 2), [200; 3]);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for (width, height) in [(0, 4), (4, 0), (LARGEST + 1, 4)] {
            assert!(matches!(Pixels::new(width, height, Vec::new()), Err(PixelError::Size { .. })));
        }
    }
}
