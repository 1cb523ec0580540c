//! Pictures in a row: a folder of PNG files, an animated PNG, or a video by ffmpeg.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::pixels::{AnimatedPng, PixelError, Pixels};

/// Endings of videos that ffmpeg is asked for.
const VIDEOS: [&str; 4] = ["mp4", "mov", "mkv", "webm"];

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// The ending of the name says nothing.
    #[error("{}: a film is a folder of pictures, an .apng file, or a video (.mp4, .mov, .mkv, .webm)", .0.display())]
    Ending(PathBuf),
    /// The number of pictures in a second.
    #[error("{0} frames per second is out of range: give 0.01 to 1000")]
    Rate(f64),
    /// There is no ffmpeg.
    #[error(
        "videos are made by ffmpeg, and {} cannot be started: {error}; install ffmpeg, or write {} (which browsers \
         play) or a folder of pictures", .program.display(), .instead.display()
    )]
    NoEncoder {
        /// The program that was tried.
        program: PathBuf,
        /// Why it did not start.
        error: std::io::Error,
        /// What can be asked for without it.
        instead: PathBuf,
    },
    /// ffmpeg failed.
    #[error("ffmpeg did not make {}: {message}", .path.display())]
    Encoder {
        /// The video.
        path: PathBuf,
        /// What ffmpeg said.
        message: String,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {source}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The pixels.
    #[error(transparent)]
    Pixels(#[from] PixelError),
}

/// What a film is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilmOptions {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Number of pictures.
    pub pictures: u32,
    /// Pictures in a second.
    pub per_second: f64,
}

/// A film that takes its pictures one by one.
pub struct Film {
    path: PathBuf,
    /// Pictures that were promised, and those that came.
    promised: u32,
    taken: u32,
    kind: Kind,
}

enum Kind {
    Folder,
    Animated(Box<AnimatedPng<BufWriter<File>>>),
    Video { child: Child, input: Option<ChildStdin> },
}

impl Film {
    /// Begins a film whose form the name tells: `.apng`, `.mp4` and the like, or a folder.
    ///
    /// `encoder` is the program that makes videos, usually `ffmpeg`.
    ///
    /// # Errors
    /// [`FilmError`].
    pub fn begin(path: &Path, options: &FilmOptions, encoder: &Path) -> Result<Self, FilmError> {
        if !(0.01..=1000.0).contains(&options.per_second) {
            return Err(FilmError::Rate(options.per_second));
        }
        let file = |source| FilmError::File { path: path.to_owned(), source };
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let kind = match ending.as_deref() {
            _ if path.is_dir() => Kind::Folder,
            None => {
                std::fs::create_dir_all(path).map_err(file)?;
                Kind::Folder
            }
            Some("apng") => {
                let writer = BufWriter::new(File::create(path).map_err(file)?);
                Kind::Animated(Box::new(AnimatedPng::new(
                    writer,
                    options.size,
                    options.pictures,
                    options.per_second,
                )?))
            }
            Some(ending) if VIDEOS.contains(&ending) => encode(path, options, encoder)?,
            Some(_) => return Err(FilmError::Ending(path.to_owned())),
        };
        Ok(Self { path: path.to_owned(), promised: options.pictures, taken: 0, kind })
    }

    /// Takes the next picture.
    ///
    /// # Errors
    /// [`FilmError`].
    pub fn add(&mut self, picture: &Pixels) -> Result<(), FilmError> {
        match &mut self.kind {
            Kind::Folder => {
                let path = self.path.join(format!("frame-{:06}.png", self.taken));
                std::fs::write(&path, picture.png()?).map_err(|source| FilmError::File { path, source })?;
            }
            Kind::Animated(film) => film.add(picture)?,
            Kind::Video { child, input } => {
                let sent = input.as_mut().map_or(Ok(()), |input| input.write_all(picture.rgb()));
                if let Err(error) = sent {
                    // It has ended early; what it said is more telling than a broken pipe.
                    drop(input.take());
                    return Err(ended(child, &self.path).err().unwrap_or(FilmError::Encoder {
                        path: self.path.clone(),
                        message: error.to_string(),
                    }));
                }
            }
        }
        self.taken += 1;
        Ok(())
    }

    /// Ends the film, which may have fewer pictures than were promised; returns their number.
    ///
    /// # Errors
    /// [`FilmError`].
    pub fn finish(self) -> Result<u32, FilmError> {
        match self.kind {
            Kind::Folder => {}
            Kind::Animated(film) if self.taken == self.promised => film.finish()?,
            Kind::Animated(film) => {
                let file = |source| FilmError::File { path: self.path.clone(), source };
                // A film without pictures is none.
                if self.taken == 0 {
                    drop(film);
                    std::fs::remove_file(&self.path).map_err(file)?;
                } else {
                    film.finish_early(&self.path, self.taken).map_err(file)?;
                }
            }
            Kind::Video { mut child, input } => {
                drop(input);
                ended(&mut child, &self.path)?;
            }
        }
        Ok(self.taken)
    }
}

/// Starts the encoder, which reads pixels from its standard input.
fn encode(path: &Path, options: &FilmOptions, encoder: &Path) -> Result<Kind, FilmError> {
    let (width, height) = options.size;
    let mut command = Command::new(encoder);
    command.args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24"]);
    command.args([
        "-video_size",
        &format!("{width}x{height}"),
        "-framerate",
        &options.per_second.to_string(),
    ]);
    command.args(["-i", "-", "-an", "-pix_fmt", "yuv420p"]);
    // Most players want even sides.
    command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"]);
    // A name that begins with a dash is a name, not an option.
    // An interrupt at the terminal goes to us alone: the encoder ends when its input does.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let plain = if path.is_relative() { Path::new(".").join(path) } else { path.to_owned() };
    command.arg(plain).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| FilmError::NoEncoder {
        program: encoder.to_owned(),
        error,
        instead: path.with_extension("apng"),
    })?;
    let input = child.stdin.take();
    Ok(Kind::Video { child, input })
}

/// Waits for the encoder and looks at how it ended.
fn ended(child: &mut Child, path: &Path) -> Result<(), FilmError> {
    let mut message = String::new();
    if let Some(mut said) = child.stderr.take() {
        let _ = said.read_to_string(&mut message);
    }
    let failure = |message: String| FilmError::Encoder { path: path.to_owned(), message };
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) if message.trim().is_empty() => Err(failure(status.to_string())),
        Ok(_) => Err(failure(message.trim().to_owned())),
        Err(error) => Err(failure(error.to_string())),
    }
}
