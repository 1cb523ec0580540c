use std::path::{Path, PathBuf};

use gelenk::picture::figure::Figure;
use gelenk::picture::film::{Film, FilmOptions};
use gelenk::picture::pixels::Pixels;
use gelenk::picture::render::{Quantity, RenderOptions, Renderer, View};
use gelenk_io::{ElementTable, Pieces};
use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};

use super::long::for_scene;
use super::progress::Progress;
use super::time::{maybe_seconds, seconds};
use super::{Refusal, Usage};
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk render runs/swing.parquet -o swing.png --time \"1.2 s\" --view 30,20
  gelenk render runs/swing.parquet -o swing.apng --speed 0.5 --trace
  gelenk render runs/swing.parquet -o swing.mp4 --size 1920x1080 --fps 50
  gelenk render runs/soft.parquet runs/stiff.parquet -o both.png --json";

/// Arguments of `render`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One or more recordings; those after the first are drawn pale over it.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// What to make, by its extension: a picture (.png), a film (.apng, .mp4, .mov, .mkv, .webm), or a folder of pictures.
    #[arg(short, long)]
    output: PathBuf,
    /// Time of a single picture, such as "1.5 s" [default: the first of the recording].
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// First time of a film.
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Last time of a film.
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Frames per second of a film.
    #[arg(long, default_value_t = 25.0)]
    fps: f64,
    /// Playback speed of a film; 1 is real time, 0.1 is slow motion.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Width and height in pixels.
    #[arg(long, default_value = "960x540", value_name = "WxH")]
    size: String,
    /// home, front, side, top, or azimuth and elevation in degrees, such as 30,20.
    #[arg(long, default_value = "home", allow_hyphen_values = true)]
    view: View,
    /// Body that the camera follows.
    #[arg(long, value_name = "BODY")]
    follow: Option<String>,
    /// Larger is closer.
    #[arg(long, default_value_t = 1.0)]
    zoom: f64,
    /// Draw the paths of these bodies, separated by commas, or of all.
    #[arg(long, value_name = "BODIES", value_delimiter = ',', num_args = 0..=1, default_missing_value = "all")]
    trace: Vec<String>,
    /// Omit the ground.
    #[arg(long)]
    no_ground: bool,
    /// Omit forces, torques and contact points.
    #[arg(long)]
    no_loads: bool,
    /// Draw the axes of bodies and frames.
    #[arg(long)]
    frames: bool,
    /// What the colours of contact elements show, where they were recorded: pressure, traction or none.
    #[arg(long, default_value = "pressure", value_name = "QUANTITY")]
    elements: Quantity,
}

/// Most pictures of a film.
const MOST: f64 = 1e5;
/// Most instants, and most contact elements at all of them, that pictures are made of.
const MOST_INSTANTS: usize = 200_000;
const MOST_ELEMENTS: usize = 2_000_000;

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let opened = args.recordings.iter().map(|path| Pieces::open(path)).collect::<Result<Vec<_>, _>>()?;
    let Some((first, last)) = opened[0].span().filter(|_| opened[0].rows() > 0) else {
        return Err(
            format!("{} has no rows: there is no motion to draw", args.recordings[0].display()).into()
        );
    };
    let single = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    let times = if single {
        let t = args.time.as_deref().map_or(Ok(first), |text| seconds("--time", text))?;
        if !(first..=last).contains(&t) {
            let message = format!("--time: {t} s is outside the recording, {first} s to {last} s");
            return Err(Usage::refusal(message));
        }
        vec![t]
    } else {
        let from = maybe_seconds("--from", args.from.as_deref())?.unwrap_or(first).max(first);
        let to = maybe_seconds("--to", args.to.as_deref())?.unwrap_or(last).min(last);
        times(from, to, args.fps, args.speed)?
    };
    let recordings = opened.iter().map(|pieces| for_scene(pieces, &times)).collect::<Result<Vec<_>, _>>()?;
    let mut figures = Vec::new();
    for (recording, path) in recordings.iter().zip(&args.recordings) {
        figures.extend(Figure::all(recording).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let elements = match ElementTable::open(&args.recordings[0], &opened[0]) {
        Ok(table) => table.map(|table| table.read(&opened[0], MOST_INSTANTS, MOST_ELEMENTS)).transpose()?,
        Err(error) => {
            out.note(format_args!("contact elements are not shown: {error}"));
            None
        }
    };
    let options = RenderOptions {
        size: size(&args.size)?,
        view: args.view,
        follow: args.follow.clone(),
        zoom: args.zoom,
        traces: args.trace.clone(),
        ground: !args.no_ground,
        loads: !args.no_loads,
        axes: args.frames,
        elements: args.elements,
    };
    let mut renderer = Renderer::new(&figures, options.clone())?;
    if let Some(elements) = &elements {
        renderer = renderer.with_elements(elements);
    }
    if single {
        let mut progress = Progress::new("picture", 1);
        let picture = renderer.picture(times[0])?.png()?;
        progress.advance();
        progress.finish();
        super::write::file(&args.output, &picture)?;
    } else if !film(&renderer, &times, options.size, args)? {
        return Ok(super::signals::interrupted(out, "the pictures so far are in the film"));
    }
    say!(out, "{}", args.output.display());
    out.set("output", args.output.display().to_string());
    out.set("pictures", times.len());
    Ok(DONE)
}

/// Times of the pictures of a film.
fn times(from: f64, to: f64, fps: f64, speed: f64) -> Result<Vec<f64>, Refusal> {
    let step = speed / fps;
    let count = ((to - from) / step + 1e-9).floor();
    if !(step > 0.0 && count >= 0.0) {
        return Err(Usage::refusal(format!(
            "there is no film from {from} s to {to} s at {fps} pictures per second and speed {speed}"
        )));
    }
    if count >= MOST {
        return Err(Usage::refusal(format!(
            "the film would have {count} pictures, more than {MOST}: choose --fps, --speed, --from, --to"
        )));
    }
    Ok((0..=count as u32).map(|k| (from + f64::from(k) * step).min(to)).collect())
}

/// Makes a film; returns whether it was made to its end.
fn film(renderer: &Renderer, times: &[f64], size: (u32, u32), args: &Args) -> Result<bool, Refusal> {
    super::write::spare(&args.output)?;
    super::write::make_folder(&args.output)?;
    let pictures = u32::try_from(times.len())?;
    let options = FilmOptions { size, pictures, per_second: args.fps };
    let mut film = Film::begin(&args.output, &options, Path::new("ffmpeg"))?;
    let mut progress = Progress::new("picture", u64::from(pictures));
    let interrupt = super::signals::interrupt();
    // A few at a time: they are made side by side and kept in order. After an interrupt those that are being made are the
    // last ones.
    let picture = |&t: &f64| (!interrupt.asked()).then(|| renderer.picture(t));
    for some in times.chunks(2 * rayon::current_num_threads().max(1)) {
        let made: Vec<Option<Result<Pixels, _>>> = some.par_iter().map(picture).collect();
        for picture in made.into_iter().map_while(|picture| picture) {
            film.add(&picture?)?;
            progress.advance();
        }
        if interrupt.asked() {
            break;
        }
    }
    let complete = film.finish()? == pictures;
    progress.finish();
    Ok(complete)
}

/// Width and height from a text such as `960x540`.
fn size(text: &str) -> Result<(u32, u32), Refusal> {
    let sides =
        text.split_once('x').and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
    sides.ok_or_else(|| {
        Usage::refusal(format!("--size {text}: width and height in pixels were expected, such as 960x540"))
    })
}
