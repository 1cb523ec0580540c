//! A drawing as pixels, with the font DejaVu Sans, so that it looks the same on every machine.

use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

use crate::drawing::{Anchor, Colour, Drawing, Mark};
use crate::pixels::{PixelError, Pixels};

/// Paints a drawing with `scale` pixels for each of its own.
///
/// # Errors
/// [`PixelError::Size`] where the picture would have no pixels or too many.
pub fn paint(drawing: &Drawing, scale: f64) -> Result<Pixels, PixelError> {
    let scaled = |side: u32| (f64::from(side) * scale).round().clamp(0.0, f64::from(u32::MAX)) as u32;
    let (width, height) = (scaled(drawing.width), scaled(drawing.height));
    let blank = Pixels::new(width, height, Vec::new())?;
    let Some(mut map) = Pixmap::new(width, height) else { return Ok(blank) };
    map.fill(Color::WHITE);
    let fonts = Fonts::load();
    let to_pixels = Transform::from_scale(scale as f32, scale as f32);
    for mark in &drawing.marks {
        match mark {
            Mark::Line { points, colour, width, dash } => {
                let Some(path) = line(points) else { continue };
                let lengths: Vec<f32> = dash.lengths().iter().map(|&l| l as f32).collect();
                let cap = if lengths.is_empty() { LineCap::Round } else { LineCap::Butt };
                let dash = StrokeDash::new(lengths, 0.0);
                let stroke = Stroke {
                    width: *width as f32,
                    line_cap: cap,
                    line_join: LineJoin::Round,
                    dash,
                    ..Stroke::default()
                };
                map.stroke_path(&path, &ink(*colour), &stroke, to_pixels, None);
            }
            Mark::Patch { from, to, colour } => {
                let [x, y, x1, y1] = [from[0], from[1], to[0], to[1]].map(|v| v as f32);
                if let Some(rectangle) = Rect::from_ltrb(x, y, x1, y1) {
                    map.fill_rect(rectangle, &ink(*colour), to_pixels, None);
                }
            }
            Mark::Disc { at: [x, y], radius, colour } => {
                if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                    map.fill_path(&path, &ink(*colour), FillRule::Winding, to_pixels, None);
                }
            }
            Mark::Text { content, at, size, anchor, bold, colour } => {
                let face = if *bold { &fonts.bold } else { &fonts.regular };
                let Some(path) = face.as_ref().and_then(|face| letters(face, content, *at, *size, *anchor))
                else {
                    continue;
                };
                map.fill_path(&path, &ink(*colour), FillRule::Winding, to_pixels, None);
            }
        }
    }
    let rgb = map.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    Pixels::new(width, height, rgb)
}

/// The fonts; always there, as they are part of the program.
struct Fonts {
    regular: Option<Face>,
    bold: Option<Face>,
}

impl Fonts {
    fn load() -> Self {
        Self { regular: Face::new(dejavu::sans::regular()), bold: Face::new(dejavu::sans::bold()) }
    }
}

/// A font with what its letters need, in units of the font.
struct Face {
    font: FontRef<'static>,
    units_per_em: f64,
    metrics: GlyphMetrics<'static>,
    outlines: OutlineGlyphCollection<'static>,
}

impl Face {
    fn new(bytes: &'static [u8]) -> Option<Self> {
        let font = FontRef::new(bytes).ok()?;
        let (size, place) = (Size::unscaled(), LocationRef::default());
        let units_per_em = f64::from(font.metrics(size, place).units_per_em);
        let (metrics, outlines) = (font.glyph_metrics(size, place), font.outline_glyphs());
        Some(Self { font, units_per_em, metrics, outlines })
    }

    /// The glyph of a letter; that of unknown ones where there is none.
    fn glyph(&self, letter: char) -> GlyphId {
        self.font.charmap().map(letter).unwrap_or_default()
    }

    /// Draws the outline of a glyph; a glyph that is damaged is left out.
    fn outline(&self, glyph: GlyphId, pen: &mut Pen<'_>) {
        if let Some(outline) = self.outlines.get(glyph) {
            let _ = outline.draw(DrawSettings::unhinted(Size::unscaled(), LocationRef::default()), pen);
        }
    }
}

fn ink(Colour(r, g, b): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint.anti_alias = true;
    paint
}

fn line(points: &[[f64; 2]]) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (&[x, y], rest) = points.split_first()?;
    path.move_to(x as f32, y as f32);
    for &[x, y] in rest {
        path.line_to(x as f32, y as f32);
    }
    if rest.is_empty() {
        // Too short to see, but long enough to have a direction for its round ends.
        path.line_to(x as f32 + 0.01, y as f32);
    }
    path.finish()
}

/// Outlines of a text.
fn letters(face: &Face, content: &str, [x, y]: [f64; 2], size: f64, anchor: Anchor) -> Option<Path> {
    let scale = size / face.units_per_em;
    let glyphs: Vec<_> = content.chars().map(|c| face.glyph(c)).collect();
    let advance = |glyph| f64::from(face.metrics.advance_width(glyph).unwrap_or(0.0)) * scale;
    let width: f64 = glyphs.iter().copied().map(advance).sum();
    let mut x = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - 0.5 * width,
        Anchor::End => x - width,
    };
    let mut path = PathBuilder::new();
    for glyph in glyphs {
        let mut pen = Pen { path: &mut path, x, y: y + 0.36 * size, scale };
        face.outline(glyph, &mut pen);
        x += advance(glyph);
    }
    path.finish()
}

/// Puts the outline of a letter at its place; letters count upwards, pictures downwards.
struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + f64::from(x) * self.scale) as f32, (self.y - f64::from(y) * self.scale) as f32)
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{Dash, OKABE_ITO};

    fn drawing(mark: Mark) -> Drawing {
        let mut drawing = Drawing::new(40, 20, "");
        drawing.marks.push(mark);
        drawing
    }

    /// A horizontal line of width 2 covers two rows of pixels, and twice as many at twice the scale.
    #[test]
    fn a_line_covers_the_pixels_under_it() {
        let points = vec![[5.0, 10.0], [35.0, 10.0]];
        let line = drawing(Mark::Line { points, colour: OKABE_ITO[0], width: 2.0, dash: Dash::Solid });
        for (scale, rows) in [(1.0, 2), (2.0, 4)] {
            let picture = paint(&line, scale).unwrap();
            let x = (20.0 * scale) as u32;
            let inked = (0..picture.height()).filter(|&y| picture.at(x, y) == [0, 114, 178]).count();
            assert_eq!(inked, rows);
            assert_eq!(picture.at(1, 1), [255; 3]);
        }
    }

    /// Texts leave ink on the side of their place that the anchor says, with the signs that plots use.
    #[test]
    fn texts_have_ink_where_they_are_anchored() {
        for (anchor, left, right) in
            [(Anchor::Start, false, true), (Anchor::End, true, false), (Anchor::Middle, true, true)]
        {
            let mark = Mark::Text {
                content: "\u{2212}\u{207b}\u{2076}".into(),
                at: [20.0, 10.0],
                size: 10.0,
                anchor,
                bold: false,
                colour: Colour(0, 0, 0),
            };
            let picture = paint(&drawing(mark), 1.0).unwrap();
            let inked = |range: std::ops::Range<u32>| {
                range.into_iter().any(|x| (0..20).any(|y| picture.at(x, y) != [255; 3]))
            };
            assert_eq!((inked(0..19), inked(21..40)), (left, right), "{anchor:?}");
        }
    }

    #[test]
    fn impossible_scales_are_refused() {
        let empty = Drawing::new(40, 20, "");
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(paint(&empty, scale).is_err(), "{scale}");
        }
    }
}
