//! Lines and texts in a plane, before they become a file.

/// Red, green and blue, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// White, the ground of every picture.
pub const WHITE: Colour = Colour(255, 255, 255);

/// The colours of Okabe and Ito, which people with any kind of colour vision can tell apart; without yellow, which is too
/// pale for lines on white, and with black last.
pub const OKABE_ITO: [Colour; 7] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(0, 0, 0),
];

/// How a line is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    Solid,
    /// Long strokes.
    Dashed,
    /// Short strokes.
    Dotted,
    /// Long and short strokes in turn.
    DashDot,
}

impl Dash {
    /// All patterns, the plainest first.
    pub const ALL: [Self; 4] = [Self::Solid, Self::Dashed, Self::Dotted, Self::DashDot];

    /// Lengths of strokes and gaps in pixels; empty for a solid line.
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[8.0, 4.0],
            Self::Dotted => &[2.0, 3.0],
            Self::DashDot => &[10.0, 3.0, 2.0, 3.0],
        }
    }
}

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// One thing drawn. Places are in pixels from the upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through points, with round corners.
    Line {
        /// The points; one point is a dot as wide as the line.
        points: Vec<[f64; 2]>,
        /// Colour.
        colour: Colour,
        /// Width in pixels.
        width: f64,
        /// Pattern.
        dash: Dash,
    },
    /// A filled rectangle.
    Patch {
        /// Upper left corner.
        from: [f64; 2],
        /// Lower right corner.
        to: [f64; 2],
        /// Colour.
        colour: Colour,
    },
    /// A filled disc.
    Disc {
        /// Centre.
        at: [f64; 2],
        /// Radius in pixels.
        radius: f64,
        /// Colour.
        colour: Colour,
    },
    /// A text on one line, centred in height at its place.
    Text {
        /// The text.
        content: String,
        /// Place.
        at: [f64; 2],
        /// Size of the font in pixels.
        size: f64,
        /// Which end stands at the place.
        anchor: Anchor,
        /// Whether it is bold.
        bold: bool,
        /// Colour.
        colour: Colour,
    },
}

/// Lines and texts on white, in the order in which they cover each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// What it shows, for readers who do not see it.
    pub title: String,
    /// What is drawn, the lowest first.
    pub marks: Vec<Mark>,
}

impl Drawing {
    /// An empty drawing.
    pub fn new(width: u32, height: u32, title: impl Into<String>) -> Self {
        Self { width, height, title: title.into(), marks: Vec::new() }
    }

    /// Adds a solid line.
    pub fn line(&mut self, points: Vec<[f64; 2]>, colour: Colour, width: f64) {
        self.marks.push(Mark::Line { points, colour, width, dash: Dash::Solid });
    }
}

/// Leaves out points of a line that lie closer than `tolerance` to the line through those that stay (Douglas and
/// Peucker); the first and last stay. Points that are not finite are the caller's to leave out.
pub fn simplified(points: &[[f64; 2]], tolerance: f64) -> Vec<[f64; 2]> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut kept = vec![false; points.len()];
    let last = points.len() - 1;
    (kept[0], kept[last]) = (true, true);
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let far = (from + 1..to)
            .map(|i| (i, distance(points[i], points[from], points[to])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((middle, distance)) = far
            && distance > tolerance
        {
            kept[middle] = true;
            open.extend([(from, middle), (middle, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// Distance of a point from the stretch between two others.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let along = [b[0] - a[0], b[1] - a[1]];
    let length = along[0] * along[0] + along[1] * along[1];
    let part = if length > 0.0 {
        (((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1]) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    f64::hypot(p[0] - a[0] - part * along[0], p[1] - a[1] - part * along[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_on_a_straight_line_go_and_corners_stay() {
        let line = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 0.0], [2.0, 0.0], [9.0, 0.0]];
        assert_eq!(simplified(&line, 0.1), [[0.0, 0.0], [2.0, 2.0], [3.0, 0.0], [2.0, 0.0], [9.0, 0.0]]);
        // A closed line has no direction from end to end.
        let there_and_back = [[0.0, 0.0], [5.0, 0.0], [0.0, 0.0]];
        assert_eq!(simplified(&there_and_back, 0.1), there_and_back);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(6), ..ProptestConfig::default() })]
        #[test]
        fn no_point_is_farther_away_than_allowed(
            points in prop::collection::vec(prop::array::uniform2(-50.0..50.0_f64), 2..60),
            tolerance in 0.01..20.0_f64,
        ) {
            let kept = simplified(&points, tolerance);
            for p in points {
                let nearest = kept.windows(2).map(|w| distance(p, w[0], w[1])).fold(f64::MAX, f64::min);
                prop_assert!(nearest <= tolerance, "{p:?} is {nearest} away");
            }
        }
    }
}
