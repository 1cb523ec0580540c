//! Loops at singular positions along a given motion: `kinematics`, `inverse` and `contact sweep` keep to their branch.

use std::path::Path;

use gelenk_record::Recording;
use tempfile::TempDir;

use super::support::{gelenk, text};

const PARALLELOGRAM: &str = "schema = 1\ngravity = [0, \"-9.81 m/s^2\", 0]\nup = \"y\"\n\
    [bodies.left]\nmass = 1\ncentre = [0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n\
    [bodies.right]\nmass = 1\ncentre = [0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n\
    [bodies.coupler]\nmass = 1\ncentre = [1, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n\
    [joints.l]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"left\"\ncoordinate = { name = \"a\", start = \"60 deg\" }\n\
    [joints.r]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"right\"\nposition = [2, 0, 0]\n\
    coordinate = { name = \"b\", start = \"60 deg\" }\n\
    [joints.c]\ntype = \"revolute\"\nparent = \"left\"\nchild = \"coupler\"\nposition = [1, 0, 0]\n\
    coordinate = { name = \"c\", start = \"-60 deg\" }\n\
    [frames.ce]\nbody = \"coupler\"\nposition = [2, 0, 0]\n[frames.re]\nbody = \"right\"\nposition = [1, 0, 0]\n\
    [loops.closing]\ntype = \"point\"\nbetween = [\"ce\", \"re\"]\n";

/// Crank and rod are of the same length, so that the rod folds onto the crank.
const SLIDER_CRANK: &str = "schema = 1\ngravity = [0, \"-9.81 m/s^2\", 0]\nup = \"y\"\n\
    [bodies.crank]\nmass = 1\ncentre = [0.1, 0, 0]\ninertia = [0.01, 0.01, 0.01]\n\
    [bodies.rod]\nmass = 1\ncentre = [0.1, 0, 0]\ninertia = [0.01, 0.01, 0.01]\n\
    [bodies.slider]\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n\
    [joints.main]\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"crank\"\n\
    coordinate = { name = \"a\", start = \"30 deg\" }\n\
    [joints.pin]\ntype = \"revolute\"\nparent = \"crank\"\nchild = \"rod\"\nposition = [0.2, 0, 0]\n\
    coordinate = { name = \"rod\", start = \"-60 deg\" }\n\
    [joints.guide]\ntype = \"prismatic\"\nparent = \"ground\"\nchild = \"slider\"\naxis = [1, 0, 0]\n\
    coordinate = { name = \"x\", start = 0.34641 }\n\
    [frames.tip]\nbody = \"rod\"\nposition = [0.2, 0, 0]\n[frames.eye]\nbody = \"slider\"\n\
    [loops.closing]\ntype = \"point\"\nbetween = [\"tip\", \"eye\"]\n";

struct Study(TempDir);

impl Study {
    fn new(model: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.toml"), model).unwrap();
        Self(folder)
    }

    /// A study along a motion of coordinate `a`; what it printed where it failed.
    fn along(&self, command: &str, motion: &str, until: f64, rows: f64) -> Result<Recording, String> {
        let kind = if command == "inverse" { "inverse-dynamics" } else { command };
        let more = if command == "inverse" { "inverse = { driven = [\"a\"] }\n" } else { "" };
        let study = format!(
            "schema = 1\nkind = \"{kind}\"\nmodel = \"model.toml\"\nuntil = {until}\noutput = {rows}\n\
             motion = {{ values = {{ a = \"{motion}\" }} }}\n{more}"
        );
        std::fs::write(self.0.path().join("study.toml"), study).unwrap();
        self.read(&[command, "study.toml", "-o", "out.parquet"])
    }

    fn read(&self, arguments: &[&str]) -> Result<Recording, String> {
        let output = gelenk(self.0.path(), arguments);
        if !output.status.success() {
            return Err(text(&output));
        }
        Ok(gelenk_io::read(Path::new(&self.0.path().join("out.parquet"))).unwrap())
    }
}

/// Largest difference between a column and what it is by the time and columns of the same row.
fn off(recording: &Recording, column: &str, want: impl Fn(&dyn Fn(&str) -> f64) -> f64) -> f64 {
    let rows = 0..recording.len();
    let differences = rows.map(|k| {
        let at = |name: &str| recording.column(name).unwrap()[k];
        (at(column) - want(&at)).abs()
    });
    differences.fold(0.0, f64::max)
}

fn passages(recording: &Recording) -> usize {
    recording.events().iter().filter(|event| event.what == "passes a singular position").count()
}

/// Opposite sides of a parallelogram stay parallel: `b = a`, `c = -a`. It passes its change points at every half turn.
fn holds_parallelogram(recording: &Recording, name: &str) {
    for (column, sign) in [("b", 1.0), ("b.rate", 1.0), ("c", -1.0), ("c.rate", -1.0)] {
        let of = column.replace(['b', 'c'], "a");
        let within = if column.ends_with("rate") { 1e-6 } else { 1e-8 };
        let off = off(recording, column, |at| sign * at(&of));
        assert!(off < within, "{name}: {column} is off by {off}");
    }
    let off = off(recording, "b.acceleration", |at| at("a.acceleration"));
    assert!(off < 1e-4, "{name}: the acceleration is off by {off}");
}

/// With rod and crank of the same length `x = 2 r cos(a)`, `rod = -2 a`; it folds at every quarter turn from the line.
fn holds_slider_crank(recording: &Recording, name: &str) {
    let rod = off(recording, "rod", |at| -2.0 * at("a"));
    let x = off(recording, "x", |at| 0.4 * at("a").cos());
    let v = off(recording, "x.rate", |at| -0.4 * at("a").sin() * at("a.rate"));
    assert!(rod < 1e-9 && x < 1e-9 && v < 1e-7, "{name}: rod {rod}, slider {x} m, {v} m/s");
}

/// The rows of some of these are at the singular positions themselves.
const MOTIONS: [(&str, f64, usize, usize); 4] = [
    ("30 deg + 1 [rad/s]*t", 12.0, 3, 4),
    ("30 deg - 3 [rad/s]*t - 0.5 [rad/s^2]*t^2", 4.0, 7, 6),
    ("30 deg + 60 [deg/s]*t", 12.0, 4, 4),
    ("30 deg + 8 [rad]*sin(1 [rad/s]*t)", 6.0, 9, 9),
];

#[test]
fn kinematics_keep_to_their_branch() {
    for rows in [0.003, 0.01, 0.05, 0.1, 0.5] {
        for (motion, until, change, fold) in MOTIONS {
            let name = format!("{motion}, {rows} s");
            let recording = Study::new(PARALLELOGRAM).along("kinematics", motion, until, rows).unwrap();
            holds_parallelogram(&recording, &name);
            assert_eq!(passages(&recording), change, "{name}");
            let recording = Study::new(SLIDER_CRANK).along("kinematics", motion, until, rows).unwrap();
            holds_slider_crank(&recording, &name);
            assert_eq!(passages(&recording), fold, "{name}");
        }
    }
}

/// More coordinates are given than the mechanism has freedoms, and they fit: `x = 2 r cos(a)` (equal crank and rod).
#[test]
fn more_may_be_given_than_moves_freely() {
    for motion in ["31 deg", "30 deg + 2 [rad/s]*t"] {
        let study = Study::new(SLIDER_CRANK);
        let text = format!(
            "schema = 1\nkind = \"kinematics\"\nmodel = \"model.toml\"\nuntil = 6\noutput = 0.01\n\
             motion = {{ values = {{ a = \"{motion}\", x = \"0.4 m*cos({motion})\" }} }}\n"
        );
        std::fs::write(study.0.path().join("study.toml"), text).unwrap();
        let recording = study.read(&["kinematics", "study.toml", "-o", "out.parquet"]).unwrap();
        holds_slider_crank(&recording, motion);
    }
    // What does not fit is refused.
    let study = Study::new(SLIDER_CRANK);
    let text = "schema = 1\nkind = \"kinematics\"\nmodel = \"model.toml\"\nuntil = 1\noutput = 0.01\n\
        motion = { values = { a = \"30 deg + 2 [rad/s]*t\", x = 0.34641016 } }\n";
    std::fs::write(study.0.path().join("study.toml"), text).unwrap();
    let refused = study.read(&["kinematics", "study.toml", "-o", "out.parquet"]).unwrap_err();
    assert!(refused.contains("loop closing"), "{refused}");
}

/// At constant speed the drive carries the weights of the parallelogram, `g (1/2 + 1/2 + 1) cos(a)`; of the slider crank also
/// `w^2/2 dM/da` with the reduced inertia `M = 0.03 + 0.01 cos(a)^2 + 0.25 sin(a)^2` kg m^2.
#[test]
fn inverse_dynamics_too() {
    for rows in [0.01, 0.07] {
        let motion = "30 deg + 1 [rad/s]*t";
        let name = format!("{rows} s");
        let recording = Study::new(PARALLELOGRAM).along("inverse", motion, 12.0, rows).unwrap();
        holds_parallelogram(&recording, &name);
        let drive = off(&recording, "drives.a", |at| 19.62 * at("a").cos());
        assert!(drive < 1e-5 && passages(&recording) == 3, "{name}: drive off by {drive}");
        let recording = Study::new(SLIDER_CRANK).along("inverse", motion, 12.0, rows).unwrap();
        holds_slider_crank(&recording, &name);
        let drive =
            off(&recording, "drives.a", |at| 1.962 * at("a").cos() + 0.24 * at("a").sin() * at("a").cos());
        assert!(drive < 1e-5 && passages(&recording) == 4, "{name}: drive off by {drive}");
    }
    // Rows at the change points themselves, at 2 s and 5 s.
    let recording = Study::new(PARALLELOGRAM).along("inverse", "60 deg + 60 [deg/s]*t", 6.0, 0.5).unwrap();
    holds_parallelogram(&recording, "rows at the change points");
    let drive = off(&recording, "drives.a", |at| 19.62 * at("a").cos());
    assert!(drive < 1e-5 && passages(&recording) == 2, "drive off by {drive}");
    assert!(recording.meta()["notes"].contains("2 rows, first at 2 s, are at a singular position"));
}

#[test]
fn and_sweeps() {
    for poses in ["2", "7", "101", "702"] {
        for (from, to, passed) in [("100 deg", "1000 deg", 5), ("-100 deg", "-1000 deg", 5)] {
            let arguments = ["contact", "sweep", "model.toml", "--over", "a", "--from", from, "--to", to];
            let arguments = [&arguments[..], &["--poses", poses, "-o", "out.parquet"]].concat();
            let contact = "[surfaces.one]\non = \"fore\"\nsimple = { sphere = { radius = 0.001 } }\n[surfaces.two]\non = \"aft\"\n\
                 simple = { sphere = { radius = 0.001 } }\n[contacts.c]\nbetween = [\"one\", \"two\"]\nlaw = { linear = { stiffness = 1 } }\n";
            let model = |text: &str, fore: &str, aft: &str| {
                text.to_owned() + &contact.replace("fore", fore).replace("aft", aft)
            };
            let recording = Study::new(&model(PARALLELOGRAM, "left", "coupler")).read(&arguments).unwrap();
            let b = off(&recording, "b", |at| at("a"));
            assert!(
                b < 1e-9 && passages(&recording) == passed,
                "{poses} poses: off by {b}, {} passages",
                passages(&recording)
            );
            let recording = Study::new(&model(SLIDER_CRANK, "crank", "slider")).read(&arguments).unwrap();
            let x = off(&recording, "x", |at| 0.4 * at("a").cos());
            assert!(
                x < 1e-9 && passages(&recording) == passed,
                "{poses} poses: off by {x} m, {} passages",
                passages(&recording)
            );
        }
    }
}

/// A motion that turns before the change point stays on its branch; one that turns or stops at it does not decide.
#[test]
fn turning_near_and_at_the_change_point() {
    for short in ["5 deg", "1 deg", "0.1 deg"] {
        for rows in [0.01, 0.1] {
            let motion = format!("180 deg - {short} - 1 [rad]*(1 - sin(1 [rad/s]*t))");
            let model = PARALLELOGRAM.replace("60 deg", "120 deg");
            for command in ["kinematics", "inverse"] {
                let recording = Study::new(&model).along(command, &motion, 6.0, rows).unwrap();
                holds_parallelogram(&recording, &format!("{command}, {short} before, {rows} s"));
                assert_eq!(passages(&recording), 0);
            }
        }
    }
    for motion in ["180 deg - 1 [rad]*(1 - sin(1 [rad/s]*t))", "180 deg + 0.1 [rad/s^3]*(t - 2 [s])^3"] {
        for rows in [0.01, 0.1, 0.3] {
            for command in ["kinematics", "inverse"] {
                let refused =
                    Study::new(PARALLELOGRAM).along(command, motion, 4.0, rows).map(|_| ()).unwrap_err();
                assert!(
                    refused.contains("loop closing is at a singular position"),
                    "{motion} {rows}: {refused}"
                );
            }
        }
    }
    // A start at the change point itself, which either branch can leave.
    let model = PARALLELOGRAM.replace("60 deg", "0 deg");
    let refused = Study::new(&model).along("kinematics", "1 [rad/s]*t", 1.0, 0.01).map(|_| ()).unwrap_err();
    assert!(refused.contains("loop closing") && refused.contains("at t = 0 s"), "{refused}");
}

/// A slider that comes within a millionth of its dead points and turns: the crank turns with it, `a = acos(x/0.4)` (closed
/// form), however far apart the rows are; or the study ends with an error that names the loop.
#[test]
fn a_near_miss_is_not_a_passage() {
    let study = Study::new(SLIDER_CRANK);
    for rows in [0.1, 0.03, 0.01] {
        let text = format!(
            "schema = 1\nkind = \"kinematics\"\nmodel = \"model.toml\"\nuntil = 12\noutput = {rows}\n\
             motion = {{ values = {{ x = \"0.399998 m*cos(30 deg + 2 [rad/s]*t)\" }} }}\n"
        );
        std::fs::write(study.0.path().join("study.toml"), text).unwrap();
        match study.read(&["kinematics", "study.toml", "-o", "out.parquet"]) {
            Err(refused) => assert!(refused.contains("closing"), "{refused}"),
            Ok(recording) => {
                let column = |name: &str| {
                    let k = recording.columns().iter().position(|c| c.name == name).unwrap();
                    recording.values(k).unwrap().to_vec()
                };
                for (a, x) in column("a").into_iter().zip(column("x")) {
                    assert!((a - (x / 0.4).acos()).abs() < 1e-5, "{rows}: {a} at {x}");
                }
            }
        }
    }
}
