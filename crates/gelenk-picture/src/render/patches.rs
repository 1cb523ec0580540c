//! Contact elements on the surfaces that give them, coloured by pressure or traction, and their scale.

use std::str::FromStr;

use gelenk_math::spatial::{Pose, Vec3};
use gelenk_record::Elements;
use serde_json::Value;

use crate::colour_map::{mapped, pressure_unit, round_up};
use crate::drawing::{Anchor, Colour, Drawing, Mark};
use crate::figure::Figure;
use crate::paint::paint;
use crate::pixels::{PixelError, Pixels};
use crate::scene::{Carrier, Form};

/// What the colours of contact elements show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// Normal force per area.
    #[default]
    Pressure,
    /// Friction per area.
    Traction,
    /// Nothing: they are left out.
    None,
}

/// A text that names no quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("colours cannot show `{0}`: use pressure, traction or none")]
pub struct QuantityError(String);

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        match text {
            "pressure" => Ok(Self::Pressure),
            "traction" => Ok(Self::Traction),
            "none" => Ok(Self::None),
            _ => Err(QuantityError(text.to_owned())),
        }
    }
}

/// A surface: its carrier, its place there, vertices, corners of the triangles.
type Side<'f> = (Carrier, Pose<f64>, &'f [[f64; 3]], &'f [[u32; 3]]);

/// The contact elements of a figure.
#[derive(Debug)]
pub(super) struct Patches<'f> {
    elements: &'f Elements,
    quantity: Quantity,
    /// Surfaces of every pair.
    pairs: Vec<[Option<Side<'f>>; 2]>,
    /// The value at the end of the scale (N/m^2).
    top: f64,
}

impl<'f> Patches<'f> {
    /// Elements of a figure; `None` where nothing is to be shown.
    pub(super) fn new(figure: &'f Figure, elements: &'f Elements, quantity: Quantity) -> Option<Self> {
        let [pressure, traction] = elements.largest();
        let largest = match quantity {
            Quantity::Pressure => pressure,
            Quantity::Traction => traction,
            Quantity::None => return None,
        };
        let side = |number: &Value| {
            let (frame, form) = figure.scene.surfaces.get(usize::try_from(number.as_u64()?).ok()?)?;
            let frame = figure.scene.frames.get(*frame)?;
            match form {
                Form::Mesh(vertices, triangles) => {
                    Some((frame.body, frame.pose, &vertices[..], &triangles[..]))
                }
                _ => None,
            }
        };
        let pairs: Value = serde_json::from_str(&elements.pairs).unwrap_or_default();
        let list = pairs.as_array().map(Vec::as_slice).unwrap_or_default();
        let pairs =
            list.iter().map(|pair| [side(&pair["surfaces"][0]), side(&pair["surfaces"][1])]).collect();
        Some(Self { elements, quantity, pairs, top: round_up(largest) })
    }

    /// Hands the corners of every element at a time, in the ground frame, with their colour to `take`.
    pub(super) fn at(&self, figure: &Figure, t: f64, mut take: impl FnMut([Vec3<f64>; 3], Colour)) {
        for element in self.elements.at(t) {
            let sides = self.pairs.get(element.pair);
            let Some((carrier, place, vertices, triangles)) = sides.and_then(|s| *s.get(element.surface)?)
            else {
                continue;
            };
            let (Some(pose), Some(corners)) =
                (figure.motion.pose(carrier, t), triangles.get(element.triangle))
            else {
                continue;
            };
            let value = if self.quantity == Quantity::Traction { element.traction } else { element.pressure };
            let pose = pose * place;
            // Corners were checked when the scene was read.
            let point = |k: u32| pose.point(&Vec3::from(vertices[k as usize]));
            take(corners.map(point), mapped(value / self.top));
        }
    }

    /// Puts the scale of colours into the lower left corner of a picture.
    pub(super) fn legend(&self, picture: &mut Pixels) -> Result<(), PixelError> {
        const SIZE: (u32, u32) = (210, 58);
        const INK: Colour = Colour(0x22, 0x2b, 0x36);
        let mut drawing = Drawing::new(SIZE.0, SIZE.1, "scale");
        let mut text = |content: String, x: f64, y: f64, anchor: Anchor, bold: bool| {
            drawing.marks.push(Mark::Text { content, at: [x, y], size: 12.0, anchor, bold, colour: INK });
        };
        let (unit, size) = pressure_unit(self.top);
        let name = if self.quantity == Quantity::Traction { "Traction" } else { "Pressure" };
        text(format!("{name} [{unit}]"), 12.0, 14.0, Anchor::Start, true);
        let (left, right) = (12.0, f64::from(SIZE.0) - 14.0);
        for (share, anchor) in [(0.0, Anchor::Start), (0.5, Anchor::Middle), (1.0, Anchor::End)] {
            text(short(share * self.top / size), left + share * (right - left), 47.0, anchor, false);
        }
        for x in 0..(right - left) as u32 {
            let at = left + f64::from(x) + 0.5;
            drawing.line(vec![[at, 27.0], [at, 36.0]], mapped(f64::from(x) / (right - left)), 1.4);
        }
        // As large as in a picture of 540 lines, where there is room.
        let room = f64::from(picture.width()) / f64::from(SIZE.0 + 24);
        let scale = (f64::from(picture.height()) / 540.0).clamp(0.5, 4.0).min(room);
        let legend = paint(&drawing, scale)?;
        let margin = (12.0 * scale) as u32;
        let Some(top) = picture.height().checked_sub(legend.height() + margin) else { return Ok(()) };
        picture.put(&legend, margin, top);
        Ok(())
    }
}

/// A number of three digits.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
