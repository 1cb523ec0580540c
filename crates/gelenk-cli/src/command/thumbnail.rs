//! A small picture of a case that shows what it is about: its scene at a typical instant and its curves, or its map.

use gelenk::picture::drawing::Drawing;
use gelenk::picture::figure::Figure;
use gelenk::picture::paint::paint;
use gelenk::picture::pixels::Pixels;
use gelenk::picture::quantise::quantised;
use gelenk::picture::render::{RenderOptions, Renderer};
use gelenk::picture::sketch::sketch;
use gelenk::plot::map::without_texts;
use gelenk_record::Recording;

use super::case::Examined;

/// Size in pixels; small, because there are many.
const SIZE: (u32, u32) = (360, 216);
/// Colours, for small files.
const COLOURS: usize = 96;
/// Most curves.
const CURVES: usize = 7;
/// Most bodies whose paths are drawn; more are a tangle.
const PATHS: usize = 4;
/// What events say where bodies meet.
const MEETINGS: [&str; 2] = ["hits", "contact closes"];

/// The picture of a case as a PNG, and whether its scene is in it; nothing where it has neither a scene nor curves.
pub(super) fn thumbnail(examined: &Examined) -> Result<Option<(Vec<u8>, bool)>, String> {
    let figures = Figure::all(&examined.recording).unwrap_or_default();
    let curves = curves(examined);
    let (width, height) = SIZE;
    let mut picture = white(width, height)?;
    if let Some(map) = &examined.map {
        let (map, left, top) = small_map(map)?;
        picture.put(&map, left, top);
        return Ok(Some((encoded(&picture)?, false)));
    }
    let over_time = examined.x.is_none();
    match (figures.first(), curves.is_empty()) {
        (None, true) => return Ok(None),
        (None, false) => picture.put(&drawn(&curves, SIZE, None)?, 0, 0),
        (Some(_), true) => picture.put(&scene(examined, &figures, SIZE)?.0, 0, 0),
        (Some(figure), false) => {
            // What is tall has its curves next to it, what is wide below.
            let tall = is_tall(figure);
            let size = if tall { (width - 150, height) } else { (width, height - 62) };
            let (seen, t) = scene(examined, &figures, size)?;
            picture.put(&seen, 0, 0);
            let rest = if tall { (width - size.0 - 1, height) } else { (width, height - size.1 - 1) };
            let now = (over_time && examined.recording.len() > 1).then_some(t);
            let (left, top) = if tall { (size.0 + 1, 0) } else { (0, size.1 + 1) };
            picture.put(&drawn(&curves, rest, now)?, left, top);
        }
    }
    Ok(Some((encoded(&picture)?, !figures.is_empty())))
}

fn encoded(picture: &Pixels) -> Result<Vec<u8>, String> {
    quantised(picture, COLOURS).png().map_err(|error| error.to_string())
}

/// A map without texts, as large as the picture lets it be, and its upper left corner.
fn small_map(map: &Drawing) -> Result<(Pixels, u32, u32), String> {
    let map = without_texts(map);
    let scale = |size: u32, own: u32| f64::from(size) / f64::from(own);
    let scale = scale(SIZE.0, map.width).min(scale(SIZE.1, map.height));
    let small = paint(&map, scale).map_err(|error| error.to_string())?;
    let (left, top) = (SIZE.0.saturating_sub(small.width()) / 2, SIZE.1.saturating_sub(small.height()) / 2);
    Ok((small, left, top))
}

fn white(width: u32, height: u32) -> Result<Pixels, String> {
    let bytes = 3 * width as usize * height as usize;
    Pixels::new(width, height, vec![255; bytes]).map_err(|error| error.to_string())
}

/// Whether a motion needs more height than width.
fn is_tall(figure: &Figure) -> bool {
    let [low, high] = figure.bounds;
    let (size, up) = (high - low, figure.scene.up);
    let height = size.dot(&up).abs();
    let across = (0..3).filter(|&k| up[k].abs() < 0.5).map(|k| size[k].abs()).fold(0.0, f64::max);
    height > 1.2 * across
}

/// The scene, and the time that it shows.
fn scene(examined: &Examined, figures: &[Figure], size: (u32, u32)) -> Result<(Pixels, f64), String> {
    let figure = &figures[0];
    let wanted = examined.scene.as_ref();
    let view = wanted.and_then(|scene| scene.view.as_ref()).map(|view| view.text.parse());
    let view = view.transpose().map_err(|error: gelenk::picture::render::ViewError| error.to_string())?;
    let bodies = figure.scene.bodies.len();
    let options = RenderOptions {
        size,
        view: view.unwrap_or_default(),
        zoom: wanted.map_or(1.0, |scene| scene.zoom.value),
        follow: wanted.and_then(|scene| scene.follow.as_ref()).map(|body| body.text.clone()),
        traces: if bodies <= PATHS { vec!["all".into()] } else { Vec::new() },
        ..RenderOptions::default()
    };
    let mut renderer = Renderer::new(figures, options).map_err(|error| error.to_string())?;
    let elements = examined.elements.as_ref().filter(|elements| !elements.is_empty());
    if let Some(elements) = elements {
        renderer = renderer.with_elements(elements);
    }
    let t = instant(examined, figure);
    Ok((renderer.picture(t).map_err(|error| error.to_string())?, t))
}

/// The most instructive instant: the one that the case names, where a contact is strongest, where bodies meet first, or where
/// they are farthest from their start.
fn instant(examined: &Examined, figure: &Figure) -> f64 {
    if let Some(time) = examined.scene.as_ref().and_then(|scene| scene.time.as_ref()) {
        return time.value;
    }
    if let Some(elements) = examined.elements.as_ref().filter(|elements| !elements.is_empty()) {
        let strongest = |t: f64| elements.at(t).map(|e| e.pressure).fold(0.0, f64::max);
        let by_strength = |a: &f64, b: &f64| strongest(*a).total_cmp(&strongest(*b));
        if let Some(t) = elements.times.iter().copied().max_by(by_strength) {
            return t;
        }
    }
    let met = examined.recording.events().iter().find(|event| MEETINGS.contains(&event.what.as_str()));
    met.map_or_else(|| figure.farthest(), |event| event.t)
}

/// Curves of the case's first unit, as columns of the horizontal axis and values.
fn curves(examined: &Examined) -> Vec<(Vec<f64>, Vec<f64>)> {
    let recordings: Vec<&Recording> = match examined.shown.as_slice() {
        [] => vec![&examined.recording],
        shown => shown.iter().map(|(_, recording)| recording).collect(),
    };
    let mut unit: Option<String> = None;
    let mut found = Vec::new();
    // Law by law with the same column, before the next column.
    for name in &examined.columns {
        for recording in &recordings {
            let group = format!("{name}.");
            let Ok(x) = examined.x.as_deref().map_or(Ok(recording.time()), |x| recording.column(x)) else {
                continue;
            };
            let columns = recording.columns().iter().enumerate();
            for (k, column) in columns.filter(|(_, c)| c.name == *name || c.name.starts_with(&group)) {
                // The rate of a coordinate is in its group, but has another unit.
                if *unit.get_or_insert_with(|| column.unit.clone()) != column.unit || found.len() == CURVES {
                    continue;
                }
                found.push((x.to_vec(), recording.values(k).unwrap_or_default().to_vec()));
            }
        }
    }
    found.retain(|(x, _)| x.len() > 1);
    found
}

fn drawn(curves: &[(Vec<f64>, Vec<f64>)], size: (u32, u32), now: Option<f64>) -> Result<Pixels, String> {
    let curves: Vec<(&[f64], &[f64])> = curves.iter().map(|(x, y)| (x.as_slice(), y.as_slice())).collect();
    paint(&sketch(&curves, size, now), 1.0).map_err(|error| error.to_string())
}
