//! Malformed files, each with the report that it gives, kept as a snapshot (ST-R52: a preprocessor with clear
//! errors that rejects unknown fields).

use gelenk_model::load_model;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed")
}

/// The files of the folder, in the order of their names.
fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}

#[test]
fn st_r52_every_malformed_file_gives_its_report() {
    let files = files();
    assert!(files.len() >= 30, "only {} malformed files", files.len());
    for path in files {
        let failure = load_model(&path).expect_err(&path.display().to_string());
        assert!(failure.report.has_errors());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let text = failure.report.render_with(&failure.sources, &name);
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_path("../malformed");
        settings.bind(|| insta::assert_snapshot!(stem, text));
    }
}

#[test]
fn every_error_names_a_place_inside_its_file() {
    for path in files() {
        let failure = load_model(&path).unwrap_err();
        for diagnostic in failure.report.iter() {
            let places =
                std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|(span, _)| *span));
            for span in places {
                let file = failure.sources.get(span.file).unwrap();
                assert!(file.text.get(span.start..span.end).is_some(), "{}: {diagnostic:?}", path.display());
            }
        }
    }
}
