//! Pictures of the 3-D scene without a screen: a rasteriser of our own.
//!
//! Scenes are small sets of triangles, so a depth buffer on the processor is quick enough, needs no graphics card, no
//! browser and no driver, and gives the same bytes everywhere. Edges are smoothed by several samples in each pixel; the
//! ground has a grid and takes the shadows.

mod camera;
mod canvas;
mod ground;
mod patches;

use gelenk_math::spatial::Vec3;

pub use camera::{Camera, View, ViewError};
use canvas::{Canvas, Corner, Layer};
use gelenk_record::Elements;
use ground::Ground;
use patches::Patches;
pub use patches::{Quantity, QuantityError};

use crate::drawing::Colour;
use crate::figure::{Figure, FigurePart, FigurePlace, Item};
use crate::pixels::{PixelError, Pixels};
use crate::scene::SceneError;
use crate::solid::Solid;

/// Opacity of figures over the first one.
const GHOST: f64 = 0.55;
/// Samples along each side of a pixel.
const SAMPLES: u32 = 3;
/// Largest number of samples of a picture: about 1.6 GB of memory.
const MOST_SAMPLES: u64 = 80_000_000;

/// Colours of several figures, as the page of `gelenk report` has them, brighter.
const FIGURES: [Colour; 5] = [
    Colour(0x2f, 0x95, 0xd4),
    Colour(0xf0, 0x80, 0x2e),
    Colour(0x2a, 0xb9, 0x8f),
    Colour(0xc7, 0x7d, 0xba),
    Colour(0xc9, 0x9c, 0x1f),
];

/// How a picture of the scene is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderOptions {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// From where.
    pub view: View,
    /// Body that stays in the middle; nothing chooses the heaviest one where the mechanism travels far.
    pub follow: Option<String>,
    /// Larger is closer; 1 shows the whole motion.
    pub zoom: f64,
    /// Bodies whose way is drawn; `all` is every one.
    pub traces: Vec<String>,
    /// Whether the ground is drawn.
    pub ground: bool,
    /// Whether forces, torques and contact points are drawn.
    pub loads: bool,
    /// Whether the axes of bodies and frames are drawn.
    pub axes: bool,
    /// What the colours of contact elements show.
    pub elements: Quantity,
}

impl Default for RenderOptions {
    /// 960 by 540 pixels of everything.
    fn default() -> Self {
        Self {
            size: (960, 540),
            view: View::Home,
            follow: None,
            zoom: 1.0,
            traces: Vec::new(),
            ground: true,
            loads: true,
            axes: false,
            elements: Quantity::Pressure,
        }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The recording has no scene, or not the body asked for.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The size.
    #[error(transparent)]
    Pixels(#[from] PixelError),
    /// No figure.
    #[error("there is nothing to draw")]
    Nothing,
    /// The zoom.
    #[error("the zoom must be from 0.01 to 1000, not {0}")]
    Zoom(f64),
}

/// Takes pictures of a figure.
#[derive(Debug)]
pub struct Renderer<'f, 'r> {
    figure: &'f Figure<'r>,
    /// Figures over it.
    ghosts: &'f [Figure<'r>],
    patches: Option<Patches<'f>>,
    options: RenderOptions,
    camera: Camera,
    ground: Ground,
    followed: Option<usize>,
    /// Way from the centre of the followed body to what the camera aims at.
    beside: Vec3<f64>,
    traced: Vec<usize>,
}

impl<'f, 'r> Renderer<'f, 'r> {
    /// Sets up camera, light and ground. Figures after the first are drawn pale over it, in a colour of their own.
    ///
    /// # Errors
    /// [`RenderError`]: no figure, an impossible size or zoom, or a body that is not there.
    pub fn new(figures: &'f [Figure<'r>], options: RenderOptions) -> Result<Self, RenderError> {
        let (figure, ghosts) = figures.split_first().ok_or(RenderError::Nothing)?;
        let (width, height) = options.size;
        Pixels::new(width.min(8), height.min(8), Vec::new())?;
        let samples = u64::from(width) * u64::from(height) * u64::from(SAMPLES * SAMPLES);
        if samples > MOST_SAMPLES {
            return Err(PixelError::Size { width, height }.into());
        }
        if !(0.01..=1000.0).contains(&options.zoom) {
            return Err(RenderError::Zoom(options.zoom));
        }
        let followed = match &options.follow {
            Some(name) => Some(figure.body(name)?),
            None if camera::travels(figure) => camera::heaviest(figure),
            None => None,
        };
        // What travels is kept in the middle as a whole.
        let start = figure.motion.span().0;
        let beside = match (&options.follow, followed, figure.middle(start)) {
            (None, Some(body), Some(middle)) => {
                figure.centre(body, start).map_or(Vec3::zeros(), |centre| middle - centre)
            }
            _ => Vec3::zeros(),
        };
        let all = 0..figure.scene.bodies.len();
        let traced = if options.traces.iter().any(|name| name == "all") {
            all.collect()
        } else {
            options.traces.iter().map(|name| figure.body(name)).collect::<Result<_, _>>()?
        };
        let camera = Camera::new(figure, &options, followed);
        let ground = Ground::new(figure);
        Ok(Self { figure, ghosts, patches: None, options, camera, ground, followed, beside, traced })
    }

    /// Draws contact elements, too: those of the first figure.
    #[must_use]
    pub fn with_elements(mut self, elements: &'f Elements) -> Self {
        self.patches = Patches::new(self.figure, elements, self.options.elements);
        self
    }

    /// The picture at a time (s).
    ///
    /// # Errors
    /// [`PixelError`].
    pub fn picture(&self, t: f64) -> Result<Pixels, PixelError> {
        let mut camera = self.camera.clone();
        if let Some(centre) = self.followed.and_then(|body| self.figure.centre(body, t)) {
            camera.aim(&(centre + self.beside));
        }
        let (width, height) = self.options.size;
        let mut canvas = Canvas::new(width * SAMPLES, height * SAMPLES);
        let light = self.light(&camera);
        // What lets something through comes last, so that it does not hide what is behind it.
        let (clear, solid): (Vec<&Item>, Vec<&Item>) =
            self.figure.items.iter().filter(|item| self.shows(item)).partition(|item| item.opacity < 1.0);
        for item in solid.into_iter().chain(clear) {
            let layer = if matches!(item.part, FigurePart::Load | FigurePart::Axes) {
                Layer::Over
            } else {
                Layer::Scene
            };
            // Of several figures each has one colour; a single one has a colour for every body.
            let alone = self.ghosts.is_empty()
                || item.part != FigurePart::Body
                || item.place == FigurePlace::On(None);
            let colour = if alone { item.colour } else { shaded(FIGURES[0], item) };
            let Some(points) =
                draw_item(&mut canvas, &camera, self.figure, item, t, colour, layer, item.opacity)
            else {
                continue;
            };
            if self.options.ground && layer == Layer::Scene {
                self.shade(&mut canvas, &camera, &points, &item.solid.triangles, &light);
            }
        }
        for (k, ghost) in self.ghosts.iter().enumerate() {
            // Joints and loads of several figures would only cover each other.
            for item in ghost
                .items
                .iter()
                .filter(|item| item.part == FigurePart::Body && item.place != FigurePlace::On(None))
            {
                let colour = shaded(FIGURES[(k + 1) % FIGURES.len()], item);
                draw_item(&mut canvas, &camera, ghost, item, t, colour, Layer::Scene, GHOST);
            }
        }
        if let Some(patches) = &self.patches {
            patches.at(self.figure, t, |corners, colour| {
                if let [Some(a), Some(b), Some(c)] = corners.map(|p| camera.project(&p)) {
                    canvas.patch([a, b, c], colour, 0.45 * f64::from(SAMPLES));
                }
            });
        }
        for &body in &self.traced {
            let path = self.figure.trace(body, t, 1500);
            if path.len() > 1 {
                let line = Solid::tube(&path, 0.0022 * self.figure.size / self.options.zoom.max(1.0), 6);
                let (layer, colour) = (Layer::Scene, Figure::colour(body));
                draw(
                    &mut canvas,
                    &camera,
                    &line.vertices,
                    &line.normals,
                    &line.triangles,
                    colour,
                    layer,
                    1.0,
                );
            }
        }
        let floor = self.options.ground.then_some(&self.ground);
        let mut picture = Pixels::new(width, height, canvas.resolve(&camera, floor, &light, SAMPLES))?;
        if let Some(patches) = &self.patches {
            patches.legend(&mut picture)?;
        }
        Ok(picture)
    }

    /// Whether an item is wanted.
    fn shows(&self, item: &Item) -> bool {
        match item.part {
            FigurePart::Load => self.options.loads,
            FigurePart::Axes => self.options.axes,
            FigurePart::Body | FigurePart::Joint | FigurePart::Marker => true,
        }
    }

    /// Direction towards the light: from above, beside the camera.
    fn light(&self, camera: &Camera) -> Vec3<f64> {
        let up = self.figure.scene.up;
        let level = camera.towards() - up * camera.towards().dot(&up);
        let side = up.cross(&level);
        let from = up * 1.5
            + if level.norm() > 1e-6 {
                level.normalize() * 0.5 - side.normalize() * 0.65
            } else {
                Vec3::zeros()
            };
        from.normalize()
    }

    /// Puts the shadow of triangles onto the ground.
    fn shade(
        &self,
        canvas: &mut Canvas,
        camera: &Camera,
        points: &[Vec3<f64>],
        triangles: &[[u32; 3]],
        light: &Vec3<f64>,
    ) {
        let up = self.figure.scene.up;
        let down = |p: &Vec3<f64>| p - light * ((p.dot(&up) - self.ground.level) / light.dot(&up));
        let flat: Vec<Option<[f64; 3]>> = points
            .iter()
            .map(|p| {
                if p.dot(&up) >= self.ground.level - 1e-9 * self.figure.size {
                    camera.project(&down(p))
                } else {
                    None
                }
            })
            .collect();
        for corners in triangles {
            if let [Some(a), Some(b), Some(c)] = corners.map(|k| flat.get(k as usize).copied().flatten()) {
                canvas.shadow([a, b, c]);
            }
        }
    }
}

/// Draws an item at a time: its points in the ground frame.
#[allow(clippy::too_many_arguments)]
fn draw_item(
    canvas: &mut Canvas,
    camera: &Camera,
    figure: &Figure,
    item: &Item,
    t: f64,
    colour: Colour,
    layer: Layer,
    opacity: f64,
) -> Option<Vec<Vec3<f64>>> {
    let transform = figure.transform(&item.place, t)?;
    let points: Vec<Vec3<f64>> = item.solid.vertices.iter().map(|v| transform.point(v)).collect();
    let normals: Vec<Vec3<f64>> = item.solid.normals.iter().map(|n| transform.normal(n)).collect();
    draw(canvas, camera, &points, &normals, &item.solid.triangles, colour, layer, opacity);
    Some(points)
}

/// Draws triangles, those that reach behind the camera as far as they are before it.
#[allow(clippy::too_many_arguments)]
fn draw(
    canvas: &mut Canvas,
    camera: &Camera,
    points: &[Vec3<f64>],
    normals: &[Vec3<f64>],
    triangles: &[[u32; 3]],
    colour: Colour,
    layer: Layer,
    opacity: f64,
) {
    for corners in triangles {
        let corner = |k: u32| Some((*points.get(k as usize)?, *normals.get(k as usize)?));
        let [Some(a), Some(b), Some(c)] = corners.map(corner) else { continue };
        let (seen, count) = before(camera, [a, b, c]);
        let project = |(point, normal): Placed| Some(Corner { at: camera.project(&point)?, normal });
        for k in 2..count {
            if let [Some(a), Some(b), Some(c)] = [seen[0], seen[k - 1], seen[k]].map(project) {
                canvas.triangle([a, b, c], colour, layer, opacity);
            }
        }
    }
}

/// A point and its normal.
type Placed = (Vec3<f64>, Vec3<f64>);

/// The part of a triangle that is before the camera: up to four corners, and how many.
fn before(camera: &Camera, corners: [Placed; 3]) -> ([Placed; 4], usize) {
    let ahead = corners.map(|(point, _)| camera.ahead(&point));
    let (mut kept, mut count) = ([corners[0]; 4], 0);
    let mut keep = |corner| {
        if let Some(slot) = kept.get_mut(count) {
            *slot = corner;
            count += 1;
        }
    };
    for k in 0..3 {
        let next = (k + 1) % 3;
        if ahead[k] >= 0.0 {
            keep(corners[k]);
        }
        if (ahead[k] >= 0.0) != (ahead[next] >= 0.0) {
            let part = ahead[k] / (ahead[k] - ahead[next]);
            let blend = |a: Vec3<f64>, b: Vec3<f64>| a + (b - a) * part;
            keep((blend(corners[k].0, corners[next].0), blend(corners[k].1, corners[next].1)));
        }
    }
    (kept, count)
}

/// A colour that is brighter or darker by the number of the body, so that neighbours are told apart.
fn shaded(Colour(r, g, b): Colour, item: &Item) -> Colour {
    let FigurePlace::On(Some(body)) = item.place else { return Colour(r, g, b) };
    let factor = [0.86, 1.0, 1.12][body % 3];
    let shade = |channel: u8| (f64::from(channel) * factor).min(255.0) as u8;
    Colour(shade(r), shade(g), shade(b))
}
