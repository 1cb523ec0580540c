//! Curves without axes, for pictures that are too small for more.

use crate::drawing::{Colour, Dash, Drawing, Mark, OKABE_ITO, simplified};

/// Share of the picture that stays free around the curves.
const AIR: f64 = 0.08;
const ZERO: Colour = Colour(0xd5, 0xdb, 0xe1);
const NOW: Colour = Colour(0x8b, 0x96, 0xa2);

/// A curve: horizontal and vertical values, equally many.
pub type Curve<'a> = (&'a [f64], &'a [f64]);

/// Draws curves as large as the picture lets them be, with a line at zero where it lies between their values, and at the
/// horizontal value `now` a line and a dot on each of them.
pub fn sketch(curves: &[Curve<'_>], (width, height): (u32, u32), now: Option<f64>) -> Drawing {
    let mut drawing = Drawing::new(width, height, "");
    let across = Scale::of(curves.iter().map(|(x, _)| *x), [0.0, f64::from(width)]);
    let up = Scale::of(curves.iter().map(|(_, y)| *y), [f64::from(height), 0.0]);
    let (Some(across), Some(up)) = (across, up) else { return drawing };
    let zero = up.place(0.0);
    if (0.0..f64::from(height)).contains(&zero) {
        drawing.line(vec![[0.0, zero], [f64::from(width), zero]], ZERO, 1.0);
    }
    let place = |x: f64, y: f64| [across.place(x), up.place(y)];
    for (k, (x, y)) in curves.iter().enumerate() {
        let (colour, dash) =
            (OKABE_ITO[k % OKABE_ITO.len()], Dash::ALL[k / OKABE_ITO.len() % Dash::ALL.len()]);
        let all: Vec<[f64; 2]> = x.iter().zip(*y).map(|(&x, &y)| place(x, y)).collect();
        for points in all.split(|[x, y]| !(x + y).is_finite()).filter(|points| !points.is_empty()) {
            let points = simplified(points, 0.2);
            drawing.marks.push(Mark::Line { points, colour, width: 1.6, dash });
        }
    }
    if let Some(now) = now {
        let left = across.place(now);
        drawing.line(vec![[left, 0.0], [left, f64::from(height)]], NOW, 1.0);
        for (k, (x, y)) in curves.iter().enumerate() {
            let after = x.partition_point(|&x| x <= now).min(x.len().saturating_sub(1));
            if let Some(value) = y.get(after.saturating_sub(usize::from(x.get(after) > Some(&now)))) {
                let (at, colour) = (place(now, *value), OKABE_ITO[k % OKABE_ITO.len()]);
                if at[1].is_finite() {
                    drawing.marks.push(Mark::Disc { at, radius: 3.0, colour });
                }
            }
        }
    }
    drawing
}

/// From values to pixels.
struct Scale {
    low: f64,
    factor: f64,
    start: f64,
}

impl Scale {
    /// The finite values of some columns between two ends (px), with air; nothing where there are none.
    fn of<'a>(columns: impl Iterator<Item = &'a [f64]>, [from, to]: [f64; 2]) -> Option<Self> {
        let finite = columns.flatten().copied().filter(|value| value.is_finite());
        let (low, high) = finite.fold(None, |range, value| {
            Some(range.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))))
        })?;
        let air = AIR * (to - from);
        // A constant is drawn in the middle.
        let factor = if high > low { (to - from - 2.0 * air) / (high - low) } else { 0.0 };
        let start = if high > low { from + air } else { 0.5 * (from + to) };
        Some(Self { low, factor, start })
    }

    fn place(&self, value: f64) -> f64 {
        self.start + self.factor * (value - self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_fill_the_picture_and_now_is_marked_on_them() {
        let x: Vec<f64> = (0..=100).map(|k| 0.1 * f64::from(k)).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x - 50.0).collect();
        let drawing = sketch(&[(&x, &y)], (100, 50), Some(5.0));
        let Mark::Line { points, .. } = &drawing.marks[1] else { panic!("{:?}", drawing.marks[1]) };
        // 8 % of 100 and of 50 pixels stay free; the curve rises, and pixels count downward.
        assert_eq!((points[0], points[points.len() - 1]), ([8.0, 46.0], [92.0, 4.0]));
        let Some(Mark::Disc { at, .. }) = drawing.marks.last() else { panic!() };
        // Closed form: -25 is a quarter of the way from -50 to 50.
        assert!((at[0] - 50.0).abs() < 1e-9 && (at[1] - (46.0 - 0.25 * 42.0)).abs() < 1e-9, "{at:?}");
    }

    #[test]
    fn gaps_constants_and_nothing_are_drawn_as_such() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0];
        let drawing = sketch(&[(&x, &[1.0, 2.0, f64::NAN, 4.0, 5.0])], (100, 50), None);
        assert_eq!(drawing.marks.iter().filter(|mark| matches!(mark, Mark::Line { .. })).count(), 2);
        let flat = sketch(&[(&x, &[7.0; 5])], (100, 50), None);
        let Mark::Line { points, .. } = &flat.marks[0] else { panic!() };
        assert!(points.iter().all(|p| p[1] == 25.0), "{points:?}");
        assert!(sketch(&[], (100, 50), Some(1.0)).marks.is_empty());
        assert!(sketch(&[(&[], &[])], (100, 50), Some(1.0)).marks.is_empty());
    }
}
