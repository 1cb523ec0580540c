//! Pictures of the 3-D scene without a screen: a rasteriser of our own.
//!
//! Scenes are small sets of triangles, so a depth buffer on the processor is quick enough, needs no graphics card, no
//! browser and no driver, and gives the same bytes everywhere. Edges are smoothed by several samples in each pixel; the
//! ground has a grid and takes the shadows.

mod camera;
mod canvas;
mod ground;

use gelenk_math::spatial::Vec3;

pub use camera::{Camera, View, ViewError};
use canvas::{Canvas, Corner};
use ground::Ground;

use crate::drawing::Colour;
use crate::figure::Figure;
use crate::pixels::{PixelError, Pixels};
use crate::scene::SceneError;
use crate::solid::Solid;

/// Samples along each side of a pixel.
const SAMPLES: u32 = 3;
/// Largest number of samples of a picture: about 1.6 GB of memory.
const MOST_SAMPLES: u64 = 80_000_000;

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
}

impl Default for RenderOptions {
    /// 960 by 540 pixels of everything.
    fn default() -> Self {
        Self { size: (960, 540), view: View::Home, follow: None, zoom: 1.0, traces: Vec::new(), ground: true }
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
    /// The zoom.
    #[error("a zoom of {0} cannot be drawn: 0.01 to 1000")]
    Zoom(f64),
}

/// Takes pictures of a figure.
#[derive(Debug)]
pub struct Renderer<'f, 'r> {
    figure: &'f Figure<'r>,
    options: RenderOptions,
    camera: Camera,
    ground: Ground,
    followed: Option<usize>,
    traced: Vec<usize>,
}

impl<'f, 'r> Renderer<'f, 'r> {
    /// Sets up camera, light and ground.
    ///
    /// # Errors
    /// [`RenderError`]: an impossible size or zoom, or a body that is not there.
    pub fn new(figure: &'f Figure<'r>, options: RenderOptions) -> Result<Self, RenderError> {
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
        let all = 0..figure.scene.bodies.len();
        let traced = if options.traces.iter().any(|name| name == "all") {
            all.collect()
        } else {
            options.traces.iter().map(|name| figure.body(name)).collect::<Result<_, _>>()?
        };
        let camera = Camera::new(figure, &options, followed);
        let ground = Ground::new(figure);
        Ok(Self { figure, options, camera, ground, followed, traced })
    }

    /// The picture at a time (s).
    ///
    /// # Errors
    /// [`PixelError`].
    pub fn picture(&self, t: f64) -> Result<Pixels, PixelError> {
        let mut camera = self.camera.clone();
        if let Some(centre) = self.followed.and_then(|body| self.figure.centre(body, t)) {
            camera.aim(&centre);
        }
        let (width, height) = self.options.size;
        let mut canvas = Canvas::new(width * SAMPLES, height * SAMPLES);
        let light = self.light(&camera);
        for item in &self.figure.items {
            let Some(transform) = self.figure.transform(&item.place, t) else { continue };
            let points: Vec<Vec3<f64>> = item.solid.vertices.iter().map(|v| transform.point(v)).collect();
            let normals: Vec<Vec3<f64>> = item.solid.normals.iter().map(|n| transform.normal(n)).collect();
            draw(&mut canvas, &camera, &points, &normals, &item.solid.triangles, item.colour);
            if self.options.ground {
                self.shade(&mut canvas, &camera, &points, &item.solid.triangles, &light);
            }
        }
        for &body in &self.traced {
            let path = self.figure.trace(body, t, 1500);
            if path.len() > 1 {
                let line = Solid::tube(&path, 0.0022 * self.figure.size / self.options.zoom.max(1.0), 6);
                draw(
                    &mut canvas,
                    &camera,
                    &line.vertices,
                    &line.normals,
                    &line.triangles,
                    Figure::colour(body),
                );
            }
        }
        let floor = self.options.ground.then_some(&self.ground);
        Pixels::new(width, height, canvas.resolve(&camera, floor, &light, SAMPLES))
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

/// Draws triangles. Those that reach behind the camera are left out.
fn draw(
    canvas: &mut Canvas,
    camera: &Camera,
    points: &[Vec3<f64>],
    normals: &[Vec3<f64>],
    triangles: &[[u32; 3]],
    colour: Colour,
) {
    let seen: Vec<Option<[f64; 3]>> = points.iter().map(|p| camera.project(p)).collect();
    for corners in triangles {
        let corner = |k: u32| {
            let k = k as usize;
            Some(Corner { at: (*seen.get(k)?)?, normal: *normals.get(k)? })
        };
        if let [Some(a), Some(b), Some(c)] = corners.map(corner) {
            canvas.triangle([a, b, c], colour);
        }
    }
}
