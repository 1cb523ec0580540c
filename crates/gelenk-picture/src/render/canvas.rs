//! Samples with depth, normal and colour, and how they become pixels.

use gelenk_math::spatial::Vec3;

use super::camera::Camera;
use super::ground::Ground;
use crate::drawing::Colour;

/// Sky above and below, the ground and its lines.
const SKY: [[f64; 3]; 2] = [[0.985, 0.99, 1.0], [0.90, 0.925, 0.95]];
const FLOOR: [f64; 3] = [0.95, 0.955, 0.96];
const LINES: [f64; 3] = [0.60, 0.64, 0.69];
const SHADOW: f64 = 0.22;

/// A corner of a triangle: place in samples with the reciprocal of its depth, and normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) at: [f64; 3],
    pub(super) normal: Vec3<f64>,
}

/// What a sample sees.
#[derive(Debug, Clone, Copy)]
struct Sample {
    /// Reciprocal of the depth; 0 is nothing.
    near: f32,
    normal: [f32; 3],
    colour: Colour,
    /// Layer, and whether the ground is in shadow here.
    marks: u8,
}

/// What is drawn over what, whichever is nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// Bodies.
    Scene,
    /// Contact elements: seen through bodies, in their own colours whatever the light.
    Patch,
    /// Arrows and axes: seen through bodies.
    Over,
}

/// Bit of a shadow, beside those of the layer.
const SHADED: u8 = 4;

/// The samples of a picture.
#[derive(Debug)]
pub(super) struct Canvas {
    width: u32,
    height: u32,
    samples: Vec<Sample>,
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let nothing = Sample { near: 0.0, normal: [0.0; 3], colour: Colour(0, 0, 0), marks: 0 };
        Self { width, height, samples: vec![nothing; width as usize * height as usize] }
    }

    /// Draws a triangle where nothing is nearer. One that lets something through covers a share of the samples of every
    /// pixel, so that the rest of what is behind it stays.
    pub(super) fn triangle(&mut self, corners: [Corner; 3], colour: Colour, layer: Layer, opacity: f64) {
        let places = corners.map(|c| c.at);
        let (width, side) = (self.width as usize, super::SAMPLES as usize);
        let covered = ((opacity * (side * side) as f64).round() as usize).max(1);
        cover(places, self.width, self.height, |index, [a, b, c]| {
            // The same number of samples in every pixel, else a pattern would be seen.
            let (x, y) = (index % width % side, index / width % side);
            if covered < side * side && rank(x + side * y, side * side) >= covered {
                return;
            }
            let near = (a * places[0][2] + b * places[1][2] + c * places[2][2]) as f32;
            let Some(sample) = self.samples.get_mut(index) else { return };
            if sample.hidden_by(layer, near) {
                let normal = corners[0].normal * a + corners[1].normal * b + corners[2].normal * c;
                *sample = sample.with(layer, near, [0, 1, 2].map(|k| normal[k] as f32), colour);
            }
        });
    }

    /// Draws a contact element: a plain colour with a light border of `border` samples.
    pub(super) fn patch(&mut self, places: [[f64; 3]; 3], colour: Colour, border: f64) {
        let [a, b, c] = places;
        let double = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
        let side = |p: [f64; 3], q: [f64; 3]| f64::hypot(q[0] - p[0], q[1] - p[1]).max(1e-9);
        let heights = [side(b, c), side(c, a), side(a, b)].map(|side| double / side);
        // Of small triangles the borders would hide the colours.
        let border = border.min(0.06 * heights.into_iter().fold(f64::MAX, f64::min));
        let Colour(red, green, blue) = colour;
        let light = |c: u8| (f64::from(c) * 0.45 + 255.0 * 0.55) as u8;
        let edge = Colour(light(red), light(green), light(blue));
        cover(places, self.width, self.height, |index, shares| {
            let near = shares.iter().zip(places).map(|(share, place)| share * place[2]).sum::<f64>() as f32;
            let Some(sample) = self.samples.get_mut(index) else { return };
            if sample.hidden_by(Layer::Patch, near) {
                let on_edge = shares.iter().zip(heights).any(|(share, height)| share * height < border);
                *sample = sample.with(Layer::Patch, near, [0.0; 3], if on_edge { edge } else { colour });
            }
        });
    }

    /// Marks where the ground is in shadow.
    pub(super) fn shadow(&mut self, places: [[f64; 3]; 3]) {
        cover(places, self.width, self.height, |index, _| {
            if let Some(sample) = self.samples.get_mut(index) {
                sample.marks |= SHADED;
            }
        });
    }

    /// The picture: samples lit and averaged, three bytes a pixel.
    pub(super) fn resolve(
        &self,
        camera: &Camera,
        ground: Option<&Ground>,
        light: &Vec3<f64>,
        side: u32,
    ) -> Vec<u8> {
        let (width, height) = (self.width / side, self.height / side);
        let eye = camera.place();
        let mut bytes = Vec::with_capacity(width as usize * height as usize * 3);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 3];
                for k in 0..side * side {
                    let (sx, sy) = (x * side + k % side, y * side + k / side);
                    let seen = self.look([sx, sy], camera, ground, &eye, light);
                    sum.iter_mut().zip(seen).for_each(|(sum, part)| *sum += part);
                }
                let count = f64::from(side * side);
                bytes.extend(sum.map(|c| (c / count * 255.0).round().clamp(0.0, 255.0) as u8));
            }
        }
        bytes
    }

    /// Colour of a sample in its column and row, 0 to 1, as it is shown.
    fn look(
        &self,
        [column, row]: [u32; 2],
        camera: &Camera,
        ground: Option<&Ground>,
        eye: &Vec3<f64>,
        light: &Vec3<f64>,
    ) -> [f64; 3] {
        let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
        let index = row as usize * self.width as usize + column as usize;
        let sky = mix(SKY[0], SKY[1], y / f64::from(self.height));
        let Some(sample) = self.samples.get(index) else { return sky };
        let ray = camera.ray(x, y);
        let plane = ground.and_then(|ground| Some((ground, ground.meets(eye, &ray)?)));
        if sample.layer() == Layer::Patch as u8 {
            let Colour(r, g, b) = sample.colour;
            return [r, g, b].map(|c| f64::from(c) / 255.0);
        }
        if sample.layer() > 0 {
            return lit(sample, &ray, light);
        }
        if sample.near > 0.0
            && plane.is_none_or(|(_, s)| f64::from(sample.near) >= Camera::nearness(s) * 0.9999)
        {
            return lit(sample, &ray, light);
        }
        let Some((ground, s)) = plane else { return sky };
        let point = eye + ray * s;
        // A sample covers more of the ground the farther away and the flatter it is seen.
        let next = ground.meets(eye, &camera.ray(x, y + 1.0)).map_or(s, |below| (below - s).abs() + s * 1e-3);
        let width = (next * ray.norm()).max(1e-12);
        let (line, there) = ground.look(&point, width);
        let floor = mix(FLOOR, LINES, line);
        let shade = if sample.marks & SHADED > 0 { 1.0 - SHADOW } else { 1.0 };
        mix(sky, floor.map(|c| c * shade), there)
    }
}

impl Sample {
    fn layer(&self) -> u8 {
        self.marks & 3
    }

    /// Whether something at this nearness is seen before it.
    fn hidden_by(&self, layer: Layer, near: f32) -> bool {
        layer as u8 > self.layer() || (layer as u8 == self.layer() && near > self.near)
    }

    fn with(&self, layer: Layer, near: f32, normal: [f32; 3], colour: Colour) -> Self {
        Self { near, normal, colour, marks: self.marks & SHADED | layer as u8 }
    }
}

/// Place of a sample of a pixel in the order in which they are covered: every second one first.
fn rank(k: usize, count: usize) -> usize {
    if k % 2 == 0 { k / 2 } else { count.div_ceil(2) + k / 2 }
}

fn mix(a: [f64; 3], b: [f64; 3], part: f64) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * part)
}

/// Colour of a surface: light from the sky, from the lamp, and a little gloss.
fn lit(sample: &Sample, ray: &Vec3<f64>, light: &Vec3<f64>) -> [f64; 3] {
    let [x, y, z] = sample.normal.map(f64::from);
    let normal = Vec3::new(x, y, z);
    let length = normal.norm();
    let towards = -ray.normalize();
    let normal = if length > 0.0 { normal / length } else { towards };
    // Open meshes are seen from behind, too.
    let normal = if normal.dot(&towards) < 0.0 { -normal } else { normal };
    let lamp = normal.dot(light).max(0.0);
    let front = normal.dot(&towards).max(0.0);
    let half = (light + towards).normalize();
    let gloss = 0.18 * normal.dot(&half).max(0.0).powi(40);
    let brightness = 0.40 + 0.62 * lamp + 0.22 * front;
    let Colour(r, g, b) = sample.colour;
    // Sums of light are linear; colours of screens are not.
    [r, g, b].map(|c| {
        let linear = (f64::from(c) / 255.0).powf(2.2);
        (linear * brightness + gloss).clamp(0.0, 1.0).powf(1.0 / 2.2)
    })
}

/// Calls `hit` with every sample inside a triangle and its shares of the three corners.
fn cover(places: [[f64; 3]; 3], width: u32, height: u32, mut hit: impl FnMut(usize, [f64; 3])) {
    let [a, b, c] = places;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let bound = |k: usize, limit: u32| {
        let low = a[k].min(b[k]).min(c[k]).floor().clamp(0.0, f64::from(limit));
        let high = a[k].max(b[k]).max(c[k]).ceil().clamp(0.0, f64::from(limit));
        low as u32..high as u32
    };
    for y in bound(1, height) {
        let py = f64::from(y) + 0.5;
        for x in bound(0, width) {
            let px = f64::from(x) + 0.5;
            let part =
                |p: [f64; 3], q: [f64; 3]| ((q[0] - p[0]) * (py - p[1]) - (q[1] - p[1]) * (px - p[0])) / area;
            let (wa, wb) = (part(b, c), part(c, a));
            let wc = 1.0 - wa - wb;
            if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                hit(y as usize * width as usize + x as usize, [wa, wb, wc]);
            }
        }
    }
}
