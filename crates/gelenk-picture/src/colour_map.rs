//! Colours for numbers: viridis, whose steps look equally large and rise in brightness for every kind of colour vision.

use crate::drawing::Colour;

const STOPS: [Colour; 9] = [
    Colour(0x44, 0x01, 0x54),
    Colour(0x47, 0x2d, 0x7b),
    Colour(0x3b, 0x52, 0x8b),
    Colour(0x2c, 0x72, 0x8e),
    Colour(0x21, 0x91, 0x8c),
    Colour(0x28, 0xae, 0x80),
    Colour(0x5e, 0xc9, 0x62),
    Colour(0xad, 0xdc, 0x30),
    Colour(0xfd, 0xe7, 0x25),
];

/// Colour of a share of the largest value; below 0 and what is no number is as 0, above 1 as 1.
pub fn mapped(share: f64) -> Colour {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let place = share * (STOPS.len() - 1) as f64;
    let low = (place as usize).min(STOPS.len() - 2);
    let part = place - low as f64;
    let (Colour(r, g, b), Colour(r1, g1, b1)) = (STOPS[low], STOPS[low + 1]);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    Colour(mix(r, r1), mix(g, g1), mix(b, b1))
}

/// A round number that is not smaller than a positive one, so that a scale ends well; 1 for others.
pub fn round_up(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|&step| step >= value * (1.0 - 1e-9)).unwrap_or(value)
}

/// A unit of pressure that suits a value, and its size (N/m^2).
pub fn pressure_unit(value: f64) -> (&'static str, f64) {
    match value {
        v if v >= 1e9 => ("GPa", 1e9),
        v if v >= 1e6 => ("MPa", 1e6),
        v if v >= 1e3 => ("kPa", 1e3),
        _ => ("Pa", 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Luminance rises all the way: the order is seen without colours.
    #[test]
    fn brighter_is_more() {
        let light = |share: f64| {
            let Colour(r, g, b) = mapped(share);
            let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
            0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
        };
        assert!((0..100).all(|k| light(f64::from(k) / 100.0) < light(f64::from(k + 1) / 100.0)));
        assert_eq!((mapped(-1.0), mapped(f64::NAN), mapped(7.0)), (STOPS[0], STOPS[0], STOPS[8]));
    }

    #[test]
    fn scales_end_at_round_numbers() {
        for (value, end) in
            [(9.69e6, 1e7), (1.01, 1.2), (3.0, 3.0), (0.0041, 0.005), (0.0, 1.0), (f64::NAN, 1.0)]
        {
            assert!((round_up(value) - end).abs() <= 1e-12 * end, "{value}");
        }
        assert_eq!(pressure_unit(2.5e6), ("MPa", 1e6));
    }
}
