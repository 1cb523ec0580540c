//! Fewer colours, for small files.

use std::collections::BTreeMap;

use crate::pixels::Pixels;

/// Bits of a channel that tell colours apart before they are put together.
const BITS: u32 = 6;

/// Sum of the pixels whose colours agree in their leading bits.
#[derive(Clone, Copy, Default)]
struct Bin {
    sum: [u64; 3],
    count: u64,
}

impl Bin {
    fn mean(&self, k: usize) -> f64 {
        self.sum[k] as f64 / self.count.max(1) as f64
    }
}

/// The picture with at most so many colours (median cut); up to 256 its PNG has a palette and takes a third of the room.
pub fn quantised(picture: &Pixels, colours: usize) -> Pixels {
    let key = |p: &[u8]| p.iter().fold(0_u32, |key, &c| (key << BITS) | u32::from(c >> (8 - BITS)));
    let mut bins: BTreeMap<u32, Bin> = BTreeMap::new();
    for pixel in picture.rgb().chunks_exact(3) {
        let bin = bins.entry(key(pixel)).or_default();
        bin.count += 1;
        bin.sum.iter_mut().zip(pixel).for_each(|(sum, &c)| *sum += u64::from(c));
    }
    let mut boxes: Vec<Vec<(u32, Bin)>> = vec![bins.into_iter().collect()];
    while boxes.len() < colours {
        // The box whose colours are farthest apart, seen by how many pixels have them.
        let worst = boxes.iter().enumerate().map(|(i, list)| (i, spread(list)));
        let Some((index, (axis, size))) = worst.max_by(|a, b| a.1.1.total_cmp(&b.1.1)) else { break };
        if size <= 0.0 {
            break;
        }
        let mut list = boxes.swap_remove(index);
        list.sort_by(|a, b| a.1.mean(axis).total_cmp(&b.1.mean(axis)));
        let total: u64 = list.iter().map(|(_, bin)| bin.count).sum();
        let mut before = 0;
        let half = list.iter().position(|(_, bin)| {
            before += bin.count;
            2 * before >= total
        });
        let rest = list.split_off((half.unwrap_or(0) + 1).clamp(1, list.len() - 1));
        boxes.extend([list, rest]);
    }
    let mut means: BTreeMap<u32, [u8; 3]> = BTreeMap::new();
    for list in boxes {
        let mut all = Bin::default();
        for (_, bin) in &list {
            all.count += bin.count;
            all.sum.iter_mut().zip(bin.sum).for_each(|(sum, part)| *sum += part);
        }
        let colour = [0, 1, 2].map(|k| all.mean(k).round() as u8);
        means.extend(list.into_iter().map(|(key, _)| (key, colour)));
    }
    let mut fewer = picture.clone();
    for pixel in fewer.rgb_mut().chunks_exact_mut(3) {
        if let Some(colour) = means.get(&key(pixel)) {
            pixel.copy_from_slice(colour);
        }
    }
    fewer
}

/// The channel in which colours differ most, and by how much, weighted by the pixels; 0 for a single colour.
fn spread(list: &[(u32, Bin)]) -> (usize, f64) {
    if list.len() < 2 {
        return (0, 0.0);
    }
    let count: u64 = list.iter().map(|(_, bin)| bin.count).sum();
    let range = |k: usize| {
        let means = list.iter().map(|(_, bin)| bin.mean(k));
        means.clone().fold(f64::MIN, f64::max) - means.fold(f64::MAX, f64::min)
    };
    let widest = [0, 1, 2].map(|k| (k, range(k)));
    let (axis, size) =
        widest.into_iter().fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    // Large even areas show steps; few pixels with other colours still count by their distance.
    (axis, size * (count as f64).powf(0.25))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slow gradient with some strong colours: few colours remain, and none is far from what it was.
    #[test]
    fn few_colours_remain_close() {
        let mut rgb = Vec::new();
        for y in 0..200_u32 {
            for x in 0..200_u32 {
                let pale = (220 + (x + y) / 12) as u8;
                rgb.extend(if (x / 20 + y / 20) % 9 == 0 {
                    [x as u8, y as u8, 90]
                } else {
                    [pale, pale, 250]
                });
            }
        }
        let picture = Pixels::new(200, 200, rgb).unwrap();
        let fewer = quantised(&picture, 256);
        let mut colours: Vec<&[u8]> = fewer.rgb().chunks_exact(3).collect();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() <= 256, "{}", colours.len());
        let far = picture.rgb().iter().zip(fewer.rgb()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(far <= 24, "{far}");
    }

    #[test]
    fn one_colour_stays() {
        let picture = Pixels::new(3, 3, vec![77; 27]).unwrap();
        assert_eq!(quantised(&picture, 256), picture);
    }
}
