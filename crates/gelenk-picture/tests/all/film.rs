//! Films as folders, animated PNG, and through an encoder.
use std::path::Path;

use gelenk_picture::film::{Film, FilmError, FilmOptions};
use gelenk_picture::pixels::Pixels;

const OPTIONS: FilmOptions = FilmOptions { size: (6, 4), pictures: 3, per_second: 25.0 };

fn shoot(path: &Path, encoder: &Path) -> Result<(), FilmError> {
    let mut film = Film::begin(path, &OPTIONS, encoder)?;
    for shade in [10, 20, 30] {
        film.add(&Pixels::new(6, 4, vec![shade; 72])?)?;
    }
    film.finish().map(|pictures| assert_eq!(pictures, 3))
}

#[test]
fn folders_and_animated_png_need_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let none = Path::new("/nowhere/ffmpeg");
    let frames = folder.path().join("new/frames");
    shoot(&frames, none).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&frames).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["frame-000000.png", "frame-000001.png", "frame-000002.png"]);
    let film = folder.path().join("run.apng");
    shoot(&film, none).unwrap();
    let bytes = std::fs::read(film).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
}

#[test]
fn what_is_missing_is_said_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let none = Path::new("/nowhere/ffmpeg");
    let message = shoot(&folder.path().join("run.mp4"), none).unwrap_err().to_string();
    assert!(message.contains("install ffmpeg") && message.contains("run.apng"), "{message}");
    let message = shoot(&folder.path().join("run.avi"), none).unwrap_err().to_string();
    assert!(message.contains(".mp4"), "{message}");
    let options = FilmOptions { per_second: 0.0, ..OPTIONS };
    assert!(matches!(Film::begin(folder.path(), &options, none), Err(FilmError::Rate(_))));
}

/// A stand-in for the encoder keeps what it is told and given: size, rate, and three bytes for each pixel of each picture.
#[cfg(unix)]
#[test]
fn an_encoder_gets_the_pixels() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let keeps = program(
        "keeps",
        "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"$last.reported\"\ncat > \"$last\"\n",
    );
    let video = folder.path().join("run.mp4");
    shoot(&video, &keeps).unwrap();
    let expected: Vec<u8> = [10, 20, 30].into_iter().flat_map(|shade| [shade; 72]).collect();
    assert_eq!(std::fs::read(&video).unwrap(), expected);
    let reported = std::fs::read_to_string(folder.path().join("run.mp4.reported")).unwrap();
    assert!(reported.contains("-video_size 6x4 -framerate 25 -i -"), "{reported}");
    let fails = program("fails", "#!/bin/sh\necho 'no such codec' >&2\nexit 1\n");
    let message = shoot(&video, &fails).unwrap_err().to_string();
    assert!(message.contains("no such codec"), "{message}");
}
