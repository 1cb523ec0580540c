//! Writing what commands found: recordings and pictures.

use std::path::{Path, PathBuf};

use gelenk::plot::{PlotOptions, plot, plot_png};
use gelenk::run::plotted_by_default;
use gelenk_io::{PartOptions, PartWriter};
use gelenk_record::{Recording, Sink};

/// `runs/NAME.parquet`, with the name of the file, or of its folder where the file is called `model` or `study`, and
/// `ending` behind the name.
pub fn default_output(file: &Path, ending: &str) -> PathBuf {
    let stem = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = file.canonicalize().ok().and_then(|path| {
        path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
    });
    let name = match (stem.as_str(), folder) {
        ("model" | "study", Some(folder)) => folder,
        _ => stem,
    };
    Path::new("runs").join(format!("{name}{ending}.parquet"))
}

/// Makes the folder of a file.
pub fn make_folder(out: &Path) -> Result<(), String> {
    match out.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|e| format!("{} cannot be made: {e}", folder.display()))
        }
        None => Ok(()),
    }
}

/// Writes a file and makes its folder. A recording is not replaced by something else, whatever it is called.
pub fn file(out: &Path, content: &[u8]) -> Result<(), String> {
    spare(out)?;
    make_folder(out)?;
    std::fs::write(out, content).map_err(|error| format!("{} cannot be written: {error}", out.display()))
}

/// Draws a plot into a file, by its ending: SVG, or PNG with `scale` pixels for each one of the drawing.
pub fn drawing(
    out: &Path,
    recordings: &[(&str, &Recording)],
    columns: &[String],
    options: &PlotOptions,
    scale: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let ending = out.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let picture = match ending.as_str() {
        "svg" => plot(recordings, columns, options)?.into_bytes(),
        "png" => plot_png(recordings, columns, options, scale)?,
        _ => return Err(format!("{}: a plot is an .svg or a .png file", out.display()).into()),
    };
    Ok(file(out, &picture)?)
}

/// Writes a file that was made from another one, which stays.
pub fn beside(out: &Path, from: &Path, content: &[u8]) -> Result<(), String> {
    let same = out.canonicalize().ok().zip(from.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if same {
        let what = "is what is converted, and is not replaced; choose another output";
        return Err(format!("{} {what}", out.display()));
    }
    file(out, content)
}

/// Refuses the place of a recording for something else.
pub fn spare(out: &Path) -> Result<(), String> {
    if gelenk_io::is_parquet(out) {
        return Err(format!("{} is a recording and is not replaced; choose another output", out.display()));
    }
    Ok(())
}

/// Writes a recording that is complete in memory.
pub fn recording(recording: &Recording, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    make_folder(out)?;
    let columns = recording.columns().to_vec();
    let mut writer = PartWriter::create(out, columns, recording.meta().clone(), PartOptions::default())?;
    let mut row = vec![0.0; recording.columns().len()];
    for i in 0..recording.len() {
        for (k, slot) in row.iter_mut().enumerate() {
            *slot = recording.values(k).and_then(|v| v.get(i)).copied().unwrap_or(f64::NAN);
        }
        writer.row(&row)?;
    }
    for event in recording.events() {
        writer.event(event.clone())?;
    }
    writer.finish()?;
    Ok(())
}

/// Draws a selection of columns beside the recording; an empty one is the coordinates and outputs.
pub fn picture(
    recording: &Recording,
    out: &Path,
    title: &str,
    selection: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let columns = match selection {
        "" => plotted_by_default(recording),
        names => names.split(',').map(|name| name.trim().to_string()).collect(),
    };
    let options = PlotOptions { title: Some(title.into()), ..PlotOptions::default() };
    let path = out.with_extension("svg");
    drawing(&path, &[(&out.display().to_string(), recording)], &columns, &options, 1.0)?;
    say!("  picture     {}", path.display());
    Ok(())
}
