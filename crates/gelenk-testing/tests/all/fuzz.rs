//! Every fuzz target on the stable compiler: its stored inputs, then 10,000 mutations by a seed. With
//! `GELENK_FULL` the seed comes from the clock and there are ten times as many.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use gelenk_mesh::make;
use gelenk_testing::fuzz::feed::{Input, feed};
use gelenk_testing::fuzz::{
    MESH_PAIR, MESH_READER, MODEL_READER, MODEL_RUNNER, ROBOT_READER, SIMPLE_PAIR, Target,
};

const MUTATIONS: usize = 10_000;
const SEED: u64 = 14;

/// Feeds a target, and fails with the inputs that failed. Each is also written to the folder for temporary files, from
/// where it goes into `tests/corpus/TARGET` once the cause is mended.
fn try_out(target: &Target, mut corpus: Vec<Input>) {
    corpus.extend(files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target.name)));
    let full = std::env::var_os("GELENK_FULL").is_some();
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (mutations, seed) = if full { (10 * MUTATIONS, clock()) } else { (MUTATIONS, SEED) };
    let findings = feed(target, corpus, mutations, seed);
    for (number, finding) in findings.iter().enumerate() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", target.name));
        std::fs::write(&path, &finding.input.bytes).unwrap();
        println!("{}:\n{finding}\n", path.display());
    }
    assert!(findings.is_empty(), "{}: {} kinds of findings with seed {seed}", target.name, findings.len());
}

/// The files of a folder in the order of their names; none where there is no folder.
fn files(folder: &Path) -> Vec<Input> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|p| p.is_file()).collect();
    paths.sort();
    paths.into_iter().map(|path| input(&path)).collect()
}

fn input(path: &Path) -> Input {
    Input { name: path.display().to_string(), bytes: std::fs::read(path).unwrap() }
}

/// Models and studies of the repository: those of the cases, of the reader's tests and the templates.
fn texts() -> Vec<Input> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(root.join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let named = cases.iter().flat_map(|case| ["model.toml", "study.toml"].map(|name| case.join(name)));
    let mut texts: Vec<Input> = named.filter(|path| path.exists()).map(|path| input(&path)).collect();
    for folder in ["gelenk-model/tests/valid", "gelenk-model/tests/malformed", "gelenk/templates"] {
        texts.extend(files(&root.join("crates").join(folder)));
    }
    // Long texts cost time and show little more.
    texts.retain(|text| text.bytes.len() <= 8192);
    assert!(texts.len() > 100, "{} texts", texts.len());
    texts
}

#[test]
fn model_reader() {
    try_out(&MODEL_READER, texts());
}

#[test]
fn model_runner() {
    try_out(&MODEL_RUNNER, texts());
}

#[test]
fn mesh_reader() {
    let mesh = make::cuboid([0.4, 0.5, 0.6], 1);
    let written = [
        ("cuboid.stl", mesh.to_stl()),
        ("cuboid.obj", mesh.to_obj().into_bytes()),
        ("cuboid.ply", mesh.to_ply()),
    ];
    try_out(&MESH_READER, written.map(|(name, bytes)| Input { name: name.into(), bytes }).into());
}

/// Macros and SDF, and the robots of the importers' tests.
#[test]
fn robot_reader() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gelenk-import/tests/import");
    let mut robots = Vec::new();
    for folder in ["formats", "", "peer"] {
        let mut found = files(&root.join(folder));
        found.retain(|file| [".xacro", ".sdf", ".urdf", ".xml"].iter().any(|end| file.name.ends_with(end)));
        robots.extend(found);
    }
    // A text has no folder to include from, so the macros of the crane are put into it.
    let read = |name: &str| std::fs::read_to_string(root.join("formats").join(name)).unwrap();
    let parts = read("parts.xacro");
    let macros = parts.split_once("xacro\">").and_then(|(_, rest)| rest.rsplit_once("</robot>")).unwrap().0;
    let crane = read("crane.urdf.xacro").replace("<xacro:include filename=\"parts.xacro\"/>", macros);
    robots.push(Input { name: "crane in one".into(), bytes: crane.into_bytes() });
    assert!(robots.len() >= 10, "{}", robots.len());
    try_out(&ROBOT_READER, robots);
}

/// Inputs of any content for targets that read numbers from bytes.
fn numbers() -> Vec<Input> {
    let mut random = gelenk_testing::random::Random::new(SEED);
    let mut bytes = move || (0..24).map(|_| random.next() as u8).collect();
    (0..100).map(|k| Input { name: format!("random {k}"), bytes: bytes() }).collect()
}

#[test]
fn mesh_pair() {
    try_out(&MESH_PAIR, numbers());
}

#[test]
fn simple_pair() {
    try_out(&SIMPLE_PAIR, numbers());
}
