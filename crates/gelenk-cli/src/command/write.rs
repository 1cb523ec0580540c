//! Writing what commands found: recordings, tables and pictures.

use std::path::{Path, PathBuf};

use gelenk::plot::{PlotOptions, plot, plot_png};
use gelenk::run::plotted_by_default;
use gelenk_io::{PartOptions, PartWriter, Pieces};
use gelenk_record::{Recording, Sink};
use serde_json::json;

use super::{Refusal, Usage};
use crate::console::Console;

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

/// The kind of file that `-o` requests, by the extension of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A recording.
    Recording(PathBuf),
    /// A CSV table.
    Table(PathBuf),
}

impl Target {
    /// The target of a command that records: `-o`, or else the default.
    ///
    /// # Errors
    /// An ending that says something else, and a table of the user's at the place of one.
    pub fn new(given: Option<&PathBuf>, default: impl FnOnce() -> PathBuf) -> Result<Self, Refusal> {
        let Some(path) = given else { return Ok(Self::Recording(default())) };
        let ending = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            None | Some("parquet") => Ok(Self::Recording(path.clone())),
            Some("csv" | "txt") => {
                spare_table(path)?;
                Ok(Self::Table(path.clone()))
            }
            Some(_) => Err(Usage::refusal(format!(
                "{}: a recording is a .parquet file, and a table of numbers a .csv or .txt file; `gelenk plot`, `report`, \
                 `render` and `export` make pictures, pages, films and .glb files from a recording",
                path.display()
            ))),
        }
    }

    /// The requested file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Recording(path) | Self::Table(path) => path,
        }
    }

    /// Where a run records: a table is written from a recording beside it, which a killed run leaves behind.
    pub fn recording(&self) -> PathBuf {
        match self {
            Self::Recording(path) => path.clone(),
            Self::Table(path) => {
                let mut name = path.as_os_str().to_owned();
                name.push(".parquet");
                PathBuf::from(name)
            }
        }
    }
}

/// Makes the folder of a file.
pub fn make_folder(out: &Path) -> Result<(), String> {
    match out.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(folder) => std::fs::create_dir_all(folder)
            .map_err(|e| format!("the folder {} cannot be created: {e}", folder.display())),
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
) -> Result<(), Refusal> {
    let ending = out.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let picture = match ending.as_str() {
        "svg" => plot(recordings, columns, options)?.into_bytes(),
        "png" => plot_png(recordings, columns, options, scale)?,
        _ => return Err(Usage::refusal(format!("{}: a plot is an .svg or a .png file", out.display()))),
    };
    Ok(file(out, &picture)?)
}

/// Writes a file that was made from another one, which stays.
pub fn beside(out: &Path, from: &Path, content: &[u8]) -> Result<(), Refusal> {
    spare_input(out, from)?;
    Ok(file(out, content)?)
}

/// Refuses the place of the input for the output.
pub fn spare_input(out: &Path, from: &Path) -> Result<(), Refusal> {
    let same = out.canonicalize().ok().zip(from.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if same {
        let what = "is the input and is not replaced; choose another output";
        return Err(Usage::refusal(format!("{} {what}", out.display())));
    }
    Ok(())
}

/// Refuses the place of a recording for something else.
pub fn spare(out: &Path) -> Result<(), String> {
    if gelenk_io::is_parquet(out) {
        return Err(format!("{} is a recording and is not replaced; choose another output", out.display()));
    }
    Ok(())
}

/// Refuses the place of a table that another program wrote, such as a measured log, before anything is computed.
fn spare_table(out: &Path) -> Result<(), Refusal> {
    spare(out)?;
    if out.exists() && !gelenk_io::csv_table::is_ours(out) {
        return Err(Usage::refusal(format!(
            "{} exists and was not written by gelenk, so it is not replaced; choose another output",
            out.display()
        )));
    }
    Ok(())
}

/// Writes the columns of a recording as CSV.
pub fn table(pieces: &Pieces, path: &Path, columns: &[String]) -> Result<(), Refusal> {
    spare_table(path)?;
    make_folder(path)?;
    Ok(gelenk_io::write_csv(pieces, path, columns)?)
}

/// Writes a recording that is complete in memory, or its table, and reports it; `counted` says what its rows are.
pub fn recording(
    out: &mut Console,
    recording: &Recording,
    target: &Target,
    counted: &str,
) -> Result<(), Refusal> {
    let rows = recording.len();
    match target {
        Target::Recording(path) => complete(recording, path)?,
        Target::Table(path) => table(&Pieces::held(recording.clone()), path, &[])?,
    }
    let kind = match target {
        Target::Recording(_) => "recording",
        Target::Table(_) => "table",
    };
    say!(out, "  {kind:10}  {} ({rows} {counted})", target.path().display());
    out.set(kind, json!({ "path": target.path().display().to_string(), "rows": rows }));
    Ok(())
}

fn complete(recording: &Recording, out: &Path) -> Result<(), Refusal> {
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
    out: &mut Console,
    recording: &Recording,
    target: &Target,
    title: &str,
    selection: &str,
) -> Result<(), Refusal> {
    let columns = match selection {
        "" => plotted_by_default(recording),
        names => names.split(',').map(|name| name.trim().to_string()).collect(),
    };
    let options = PlotOptions { title: Some(title.into()), ..PlotOptions::default() };
    let label = target.path().display().to_string();
    let path = target.path().with_extension("svg");
    drawing(&path, &[(&label, recording)], &columns, &options, 1.0)?;
    drawn(out, &path);
    Ok(())
}

/// Reports a picture.
pub fn drawn(out: &mut Console, path: &Path) {
    say!(out, "  picture     {}", path.display());
    out.set("picture", path.display().to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_what_is_written() {
        let target = |name: &str| Target::new(Some(&PathBuf::from(name)), PathBuf::new);
        assert_eq!(target("a.parquet").unwrap().recording(), PathBuf::from("a.parquet"));
        assert_eq!(target("a/b").unwrap(), Target::Recording("a/b".into()));
        let table = target("a/b.CSV").unwrap();
        assert_eq!(
            (table.path(), table.recording()),
            (Path::new("a/b.CSV"), PathBuf::from("a/b.CSV.parquet"))
        );
        let message = target("a.mat").unwrap_err().to_string();
        assert!(message.starts_with("a.mat: a recording is a .parquet file"), "{message}");
        assert_eq!(
            Target::new(None, || "runs/x.parquet".into()).unwrap().path(),
            Path::new("runs/x.parquet")
        );
    }
}
