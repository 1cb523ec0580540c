//! Malformed cases, each with the report that it gives, kept as a snapshot (ST-R52).

use gelenk_model::load_case;
use std::path::{Path, PathBuf};

#[test]
fn st_r52_every_malformed_case_gives_its_report() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed_cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 2);
    for path in files {
        let failure = load_case(&path).expect_err(&path.display().to_string());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let text = failure.report.render_with(&failure.sources, &name);
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_path("../malformed_cases");
        settings.bind(|| insta::assert_snapshot!(path.file_stem().unwrap().to_string_lossy().as_ref(), text));
    }
}
