//! The page of a whole robot.

use super::support::{gelenk, text};
use std::path::Path;

/// A Panda of `example-robot-data`, converted with its meshes and run for 1 s: the page with everything in it is below 15 MB.
#[test]
fn the_page_of_a_panda_is_small() {
    let Some(robots) = std::env::var_os("GELENK_ROBOTS") else {
        println!(
            "skipped: the page of a Panda: GELENK_ROBOTS does not name the robots of example-robot-data"
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let urdf = Path::new(&robots).join("panda_description/urdf/panda.urdf").display().to_string();
    for arguments in [
        vec!["convert", &urdf, "-o", "panda.toml"],
        vec!["run", "panda.toml", "--until", "1 s", "-o", "panda.parquet"],
        vec!["report", "panda.parquet", "-o", "panda.html"],
    ] {
        let done = gelenk(folder.path(), &arguments);
        assert!(done.status.success(), "{arguments:?}: {}", text(&done));
    }
    let size = std::fs::metadata(folder.path().join("panda.html")).unwrap().len();
    println!("page of a Panda: {size} bytes");
    assert!((1_000_000..15_000_000).contains(&size), "{size} bytes");
}
