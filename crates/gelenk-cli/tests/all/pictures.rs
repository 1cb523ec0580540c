//! Plots, pictures of the scene, films, glTF and the gallery, from the command line (ST-R54).

use std::path::Path;
use std::process::{Command, Output};

fn gelenk(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gelenk"));
    // No ffmpeg, whatever the machine has.
    command.current_dir(folder).args(arguments).env("PATH", folder).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn works(folder: &Path, arguments: &[&str]) {
    let output = gelenk(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
}

fn fails(folder: &Path, arguments: &[&str], expected: &str) {
    let output = gelenk(folder, arguments);
    assert!(!output.status.success() && text(&output).contains(expected), "{arguments:?}: {}", text(&output));
}

/// Size of a PNG by its header: width and height stand behind 16 bytes.
fn size(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (side(16), side(20))
}

#[test]
fn a_run_is_seen_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    works(at, &["new", "swing", "--template", "pendulum"]);
    works(at, &["run", "swing/model.toml", "--until", "0.5 s", "-o", "swing.parquet"]);
    works(at, &["plot", "swing.parquet", "-o", "swing.png", "--width", "500", "--scale", "1.5", "--events"]);
    assert_eq!(size(&at.join("swing.png")).0, 750);
    works(
        at,
        &["plot", "swing.parquet", "--x", "phi", "-c", "phi.rate", "--to", "200 ms", "-o", "phase.svg"],
    );
    assert!(std::fs::read_to_string(at.join("phase.svg")).unwrap().contains("phi [rad]"));
    works(
        at,
        &[
            "render",
            "swing.parquet",
            "-o",
            "scene.png",
            "--size",
            "64x48",
            "--view",
            "-30,20",
            "--time",
            "0.3 s",
        ],
    );
    assert_eq!(size(&at.join("scene.png")), (64, 48));
    works(at, &["render", "swing.parquet", "-o", "film.apng", "--size", "64x48", "--fps", "10", "--trace"]);
    assert_eq!(size(&at.join("film.apng")), (64, 48));
    works(
        at,
        &["render", "swing.parquet", "-o", "frames", "--size", "64x48", "--fps", "10", "--from", "0.2"],
    );
    // 0.2 s to 0.5 s at 10 a second, both ends included.
    assert_eq!(std::fs::read_dir(at.join("frames")).unwrap().count(), 4);
    works(at, &["export", "swing.parquet", "-o", "swing.glb"]);
    assert!(std::fs::read(at.join("swing.glb")).unwrap().starts_with(b"glTF"));
}

#[test]
fn mistakes_are_answered_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    works(at, &["new", "swing", "--template", "pendulum"]);
    works(at, &["run", "swing/model.toml", "--until", "0.1 s", "-o", "swing.parquet"]);
    works(at, &["run", "swing/model.toml", "--until", "0.1 s", "-o", "blind.parquet", "--no-poses"]);
    for (arguments, expected) in [
        (vec!["plot", "swing.parquet", "-o", "swing.jpg"], ".svg or a .png"),
        (vec!["plot", "swing.parquet", "--from", "1 m"], "a time was expected"),
        (vec!["render", "swing.parquet", "-o", "swing.mp4"], "install ffmpeg"),
        (vec!["render", "swing.parquet", "-o", "swing.avi"], ".mp4"),
        (vec!["render", "swing.parquet", "-o", "a.png", "--size", "64"], "960x540"),
        (vec!["render", "swing.parquet", "-o", "a.png", "--time", "9 s"], "outside the recording"),
        (vec!["render", "swing.parquet", "-o", "a.png", "--follow", "pendulm"], "there is no body `pendulm`"),
        (vec!["render", "swing.parquet", "-o", "a.png", "--view", "left"], "unknown view"),
        (vec!["render", "swing.parquet", "-o", "film", "--fps", "0"], "0.01 to 1000"),
        (vec!["render", "blind.parquet", "-o", "a.png"], "--no-poses"),
        (vec!["export", "swing.parquet", "-o", "swing.gltf"], "swing.glb"),
        (vec!["export", "swing.parquet", "-o", "swing.xls"], ".csv or .txt"),
        (vec!["report", "swing.parquet", "-o", "swing.txt"], "an .html file"),
        (
            vec!["plot", "swing.parquet", "--from", "3 s"],
            "plot after 3 s: the recordings go from 0 s to 0.1 s",
        ),
        (vec!["plot", "swing.parquet", "--from", "52 ms", "--to", "53 ms"], "go from 0 s to 0.1 s"),
    ] {
        fails(at, &arguments, expected);
    }
}

/// Nothing but a recording takes the place of a recording, and a recording takes no place of something else: neither a
/// model that is named as the output of its own run, nor a run that is named as its own table.
#[test]
fn no_file_of_the_user_is_replaced_by_another_kind() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    works(at, &["new", "swing", "--template", "pendulum"]);
    let run = |out: &'static str| vec!["run", "swing/model.toml", "--until", "0.1 s", "-o", out];
    works(at, &run("swing.parquet"));
    works(at, &run("swing.parquet"));
    let (model, recording) =
        (std::fs::read(at.join("swing/model.toml")), std::fs::read(at.join("swing.parquet")));
    fails(at, &run("swing/model.toml"), "a recording is a .parquet file");
    fails(at, &run("swing"), "is not replaced");
    fails(
        at,
        &["export", "swing.parquet", "-o", "swing.parquet"],
        "swing.parquet is the input and is not replaced",
    );
    fails(at, &["export", "swing.parquet", "-o", "other.parquet"], "a table is a .csv or .txt file");
    for name in ["swing.html", "swing.csv"] {
        std::fs::copy(at.join("swing.parquet"), at.join(name)).unwrap();
    }
    fails(
        at,
        &["export", "swing.parquet", "-o", "swing.csv"],
        "swing.csv is a recording and is not replaced",
    );
    fails(at, &["report", "swing.parquet", "-o", "swing.html"], "is not replaced");
    fails(at, &["report", "swing.parquet", "-o", "swing.parquet"], "an .html file");
    // A measured table is the user's, and a table is not exported onto itself; one of ours is renewed.
    std::fs::write(at.join("log.csv"), "t,u\n0,1\n1,2\n").unwrap();
    fails(at, &run("log.csv"), "log.csv exists and was not written by gelenk");
    fails(at, &["export", "swing.parquet", "-o", "log.csv"], "was not written by gelenk");
    fails(at, &["export", "log.csv", "-o", "./log.csv"], "is the input and is not replaced");
    assert_eq!(std::fs::read_to_string(at.join("log.csv")).unwrap(), "t,u\n0,1\n1,2\n");
    works(at, &run("table.csv"));
    works(at, &run("table.csv"));
    let robot = r#"<robot name="r"><link name="base"/></robot>"#;
    std::fs::write(at.join("r.urdf"), robot).unwrap();
    fails(at, &["convert", "r.urdf", "-o", "./r.urdf"], "is not replaced");
    assert_eq!(std::fs::read_to_string(at.join("r.urdf")).unwrap(), robot);
    assert_eq!(std::fs::read(at.join("swing/model.toml")).unwrap(), model.unwrap());
    assert_eq!(std::fs::read(at.join("swing.parquet")).unwrap(), recording.unwrap());
}

/// Folders of outputs are made, and what one of two recordings does not have is told.
#[test]
fn plots_make_their_folder_and_tell_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    works(at, &["new", "swing", "--template", "pendulum"]);
    works(at, &["run", "swing/model.toml", "--until", "0.1 s", "-o", "swing.parquet"]);
    works(at, &["run", "swing/model.toml", "--until", "0.1 s", "-o", "more.parquet", "--accelerations"]);
    let both = ["plot", "swing.parquet", "more.parquet", "-c", "phi.acceleration", "-o", "a/b/both.svg"];
    let output = gelenk(at, &both);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("note: swing has no column `phi.acceleration`"), "{}", text(&output));
    assert!(at.join("a/b/both.svg").is_file());
}

/// The page of a case has its pictures and each of its numbers; a missed number fails and is marked.
#[test]
fn the_gallery_shows_numbers_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let case = |name: &str| cases.join(name).display().to_string();
    works(at, &["case", "gallery", &case("knee-stop"), "-o", "page"]);
    let page = std::fs::read_to_string(at.join("page/index.md")).unwrap();
    let expected =
        std::fs::read_to_string(cases.join("knee-stop/case.toml")).unwrap().matches("[[expect]]").count();
    assert_eq!(page.matches("stelzner S-10").count(), expected, "{page}");
    assert!(page.contains("](knee-stop.svg)") && page.contains("](knee-stop.png)"), "{page}");
    // It stands alone: it tells how it was made, and leads nowhere else.
    assert!(page.contains("`gelenk case gallery -o page`") && !page.contains("](../"), "{page}");
    assert_eq!(size(&at.join("page/knee-stop.png")), (360, 216));
    // Plots that are there are linked to, others are drawn.
    std::fs::create_dir(at.join("plots")).unwrap();
    for (there, link) in [(false, "](knee-stop.svg)"), (true, "](../plots/knee-stop.svg)")] {
        if there {
            std::fs::rename(at.join("page/knee-stop.svg"), at.join("plots/knee-stop.svg")).unwrap();
        }
        works(at, &["case", "gallery", &case("knee-stop"), "-o", "page", "--plots", "../plots"]);
        assert!(std::fs::read_to_string(at.join("page/index.md")).unwrap().contains(link), "{link}");
        assert_eq!(at.join("page/knee-stop.svg").is_file(), !there);
    }
    let wrong = at.join("wrong");
    std::fs::create_dir(&wrong).unwrap();
    for entry in std::fs::read_dir(cases.join("knee-stop")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, wrong.join(path.file_name().unwrap())).unwrap();
    }
    let text = std::fs::read_to_string(wrong.join("case.toml")).unwrap();
    std::fs::write(wrong.join("case.toml"), text.replace("100.650 N m", "101.650 N m")).unwrap();
    fails(at, &["case", "gallery", "wrong", "-o", "page"], "1 not met");
    assert!(std::fs::read_to_string(at.join("page/index.md")).unwrap().contains("**not met**"));
}
