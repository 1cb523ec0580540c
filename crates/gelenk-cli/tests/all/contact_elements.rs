//! Contact elements beside a recording: they add up to what the recording says of their pair.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gelenk::elements::WithElements;
use gelenk::open::{self, Overrides};
use gelenk::run::{columns, run, run_into};
use gelenk_record::{Recording, elements};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(name).join("model.toml")
}

/// The recording of a case and its table of elements.
fn both(name: &str, until: &str) -> (Recording, Recording, Recording) {
    let overrides = Overrides { until: Some(until.into()), ..Overrides::default() };
    let prepared = open::simulation(&case(name), &overrides).unwrap();
    let (mechanism, p) = (&prepared.mechanism, prepared.parameters.values());
    let mut recording = Recording::new(columns(mechanism)).unwrap();
    let mut table = Recording::new(elements::columns()).unwrap();
    let mut sink = WithElements::new(mechanism, &p, &mut recording, &mut table);
    run_into(mechanism, &p, &prepared.options, None, &mut sink, &mut |_, _| true).unwrap();
    let count = sink.elements();
    assert_eq!(count, table.len() as u64);
    (recording, table, run(mechanism, &p, &prepared.options).unwrap().0)
}

/// Forces of the elements of each row add up to the force of the pair, areas to its area with the same weights, and the
/// largest pressure is the one that is told; H-R53, H-R57 (elements and pressure). With one master (`wheel-plane`) and with both (`two-spheres`).
#[test]
fn elements_add_up_to_what_is_told_of_their_pair() {
    for (name, until, pair, number, weight) in [
        ("wheel-plane", "12 s", "contacts.touch", 0.0, 1.0),
        ("two-spheres", "0.4 s", "contacts.grid20", 2.0, 0.5),
    ] {
        let (recording, table, plain) = both(name, until);
        // What is recorded without elements does not change by a bit.
        for k in 0..plain.columns().len() {
            assert_eq!(recording.values(k), plain.values(k), "{name}: {}", plain.columns()[k].name);
        }
        let reported = |part: &str| recording.column(&format!("{pair}{part}")).unwrap();
        let column = |part: &str| table.column(part).unwrap();
        let mut rows = 0;
        for (row, &t) in recording.time().iter().enumerate() {
            let start = table.time().partition_point(|&s| s < t);
            let end = table.time().partition_point(|&s| s <= t);
            let own: Vec<usize> = (start..end).filter(|&k| column("pair")[k] == number).collect();
            assert_eq!(own.len() as f64, reported(".elements")[row], "{name} at {t} s");
            if own.is_empty() {
                continue;
            }
            rows += 1;
            let sum = |part: &str| own.iter().map(|&k| column(part)[k]).sum::<f64>();
            for part in ["fx", "fy", "fz"] {
                let (sum, force) = (sum(part), reported(&format!(".{part}"))[row]);
                assert!(
                    (sum - force).abs() <= 1e-9 * reported("")[row],
                    "{name}.{part} at {t} s: {sum} and {force}"
                );
            }
            assert!((weight * sum("area") - reported(".area")[row]).abs() <= 1e-12);
            let largest = own.iter().map(|&k| column("pressure")[k]).fold(0.0, f64::max);
            assert!((largest - reported(".max_pressure")[row]).abs() <= 1e-9 * largest, "{name} at {t} s");
        }
        assert!(rows > 5, "{name}: {rows}");
    }
}

fn gelenk(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gelenk")).args(arguments).current_dir(folder).output().unwrap()
}

/// The table stands beside the recording, goes into the report, and is missed where it is gone.
#[test]
fn the_table_stands_beside_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("wheel-plane");
    let model = model.to_str().unwrap();
    let done = gelenk(&["run", model, "--until", "5 s", "--elements", "-o", "a.parquet"], folder.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(String::from_utf8_lossy(&done.stdout).contains("a.elements.parquet"));
    let table = gelenk_io::read(&folder.path().join("a.elements.parquet")).unwrap();
    assert_eq!(table.meta()["pairs"], r#"[{"name":"contacts.touch","surfaces":[0,1]}]"#);
    let picture = gelenk(&["render", "a.parquet", "-o", "with.png", "--time", "5 s"], folder.path());
    assert!(picture.status.success() && picture.stderr.is_empty());
    gelenk(&["render", "a.parquet", "-o", "none.png", "--time", "5 s", "--elements", "none"], folder.path());
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_ne!(bytes("with.png"), bytes("none.png"));
    std::fs::remove_file(folder.path().join("a.elements.parquet")).unwrap();
    let alone = gelenk(&["render", "a.parquet", "-o", "alone.png", "--time", "5 s"], folder.path());
    assert!(alone.status.success());
    assert!(String::from_utf8_lossy(&alone.stderr).contains("a.elements.parquet"));
    assert_eq!(bytes("alone.png"), bytes("none.png"));
}

#[test]
fn a_model_without_meshes_has_no_elements() {
    let folder = tempfile::tempdir().unwrap();
    let model = case("pendulum");
    let done = gelenk(&["run", model.to_str().unwrap(), "--elements", "-o", "a.parquet"], folder.path());
    assert!(!done.status.success());
    assert!(String::from_utf8_lossy(&done.stderr).contains("no contact between meshes"));
    assert!(!folder.path().join("a.parquet").exists());
}
