//! Contact between two bumpy spheres in stored poses (workload W3), and its cost against the number of triangles.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gelenk_laws::contact::{Areal, Regularisation, Sliding};
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3};
use gelenk_mesh::contact::{Detection, Master, Pair, PairLaw, Placement, Scratch, Settings, Surface};
use gelenk_mesh::{TriMesh, make};

use crate::clock::cpu_time;
use crate::peer::Peer;
use crate::plot::{Curve, Panel, axis, svg};

/// Subdivisions of the stored meshes: 320, 1280, 5120 and 20480 triangles.
const DEPTHS: [usize; 4] = [2, 3, 4, 5];
/// Circles of the meshes for the cost, with about `4 n^2` triangles: 320 to 200,000.
const CIRCLES: [usize; 7] = [9, 16, 28, 50, 89, 158, 224];
/// Alternating blocks; the best one of each program counts.
const BLOCKS: usize = 6;
/// Layer stiffness (N/m^3).
const STIFFNESS: f64 = 1e7;

/// The folder of the stored meshes, where it is there.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/bench/meshes");
    folder.join("poses.txt").exists().then_some(folder)
}

/// Poses of the second body in the frame of the first: nine numbers of the rotation by rows, then the place.
fn poses(folder: &Path) -> Result<Vec<Pose<f64>>, String> {
    let path = folder.join("poses.txt");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |line: &str| {
        let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
        match numbers.as_deref() {
            Ok([rotation @ .., x, y, z]) if rotation.len() == 9 => {
                Ok(Pose::new(Mat3::from_row_slice(rotation), Vec3::new(*x, *y, *z)))
            }
            _ => Err(format!("{}: a pose has twelve numbers", path.display())),
        }
    };
    text.lines().map(row).collect()
}

/// A stored mesh.
fn stored(folder: &Path, depth: usize) -> Result<TriMesh, String> {
    let path = folder.join(format!("bumpy_{depth}.obj"));
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|error| failed(&error))?;
    TriMesh::from_obj(&text).map_err(|error| failed(&error))
}

/// A pair in all poses.
struct Ours {
    pair: Pair,
    law: PairLaw<f64>,
    scratch: Scratch,
}

impl Ours {
    fn new(mesh: &TriMesh, master: Master, detection: Detection) -> Result<Self, String> {
        let surface = Arc::new(Surface::new(mesh).map_err(|error| error.to_string())?);
        let settings = Settings { master, detection, ..Settings::default() };
        let areal = Areal { stiffness: STIFFNESS, damping: 0.0, depth: 0.0 };
        let sliding = Sliding { friction: 0.0, speed: 1e-3, form: Regularisation::Quadratic, lagged: false };
        Ok(Self {
            pair: Pair { first: surface.clone(), second: surface, settings },
            law: PairLaw { areal, share: 0.5, sliding },
            scratch: Scratch::default(),
        })
    }

    /// Magnitude of the force in a pose, from nothing but the pose.
    fn force(&mut self, pose: &Pose<f64>) -> f64 {
        let placement = Placement {
            rotation: [0, 1, 2].map(|i| [0, 1, 2].map(|k| pose.rotation[(i, k)])),
            position: [0, 1, 2].map(|i| pose.position[i]),
        };
        self.pair.find(&placement, &mut self.scratch);
        self.pair.wrench(&self.scratch.elements, &self.law, pose, &Motion::zero()).wrench.lin.norm()
    }

    /// CPU time of a pose (s), mean over one sweep.
    fn time(&mut self, poses: &[Pose<f64>]) -> f64 {
        let start = cpu_time();
        for pose in poses {
            black_box(self.force(pose));
        }
        (cpu_time() - start) / poses.len() as f64
    }
}

/// Ways to evaluate a pair, by name.
const WAYS: [(&str, Master, Detection); 3] = [
    ("one pass", Master::First, Detection::Modern),
    ("two passes", Master::Both, Detection::Modern),
    ("one pass, thesis", Master::First, Detection::Thesis),
];

/// Prints microseconds a pose of everyone at every size, and ours in one pass by each peer's.
pub(crate) fn print(peers: &[&str]) -> Result<(), String> {
    let Some(folder) = folder() else {
        println!("skipped: no folder shared/bench/meshes beside the repository");
        return Ok(());
    };
    let poses = poses(&folder)?;
    let mut peers = peers.iter().map(|peer| Peer::start(peer, &folder)).collect::<Result<Vec<_>, _>>()?;
    println!(
        "W3: microseconds a pose of two bumpy spheres; a peer's time without what it takes with the bodies apart"
    );
    for depth in DEPTHS {
        let mesh = stored(&folder, depth)?;
        let mut ours = Vec::new();
        for (_, master, detection) in WAYS {
            ours.push(Ours::new(&mesh, master, detection)?);
        }
        let mut best = [f64::INFINITY; WAYS.len()];
        // With the bodies in contact and apart.
        let mut others = vec![[f64::INFINITY; 2]; peers.len()];
        for _ in 0..BLOCKS {
            for (ours, best) in ours.iter_mut().zip(&mut best) {
                *best = best.min(ours.time(&poses));
            }
            for (peer, best) in peers.iter_mut().zip(&mut others) {
                for (best, question) in best.iter_mut().zip(["near", "far"]) {
                    *best = best.min(peer.time(&format!("{question} {depth}"))?);
                }
            }
        }
        println!("{} triangles each", mesh.triangles().len());
        for (((name, ..), best), ours) in WAYS.iter().zip(best).zip(&mut ours) {
            let force = poses.first().map_or(0.0, |pose| ours.force(pose));
            println!("  {:<26}{:>12.1} us   {force:>8.2} N at pose 0", format!("gelenk, {name}"), 1e6 * best);
        }
        for (peer, [near, far]) in peers.iter_mut().zip(&others) {
            let net = (near - far).max(0.0);
            let force = peer.time(&format!("force {depth}"))?;
            let name = &peer.name;
            let ratio = best[0] / net;
            println!("  {name:<26}{:>12.1} us   {force:>8.2} N at pose 0   ratio {ratio:.2}", 1e6 * net);
        }
    }
    Ok(())
}

/// A sphere of 0.1 m with bumps, of about `4 n^2` triangles.
fn bumpy(circles: usize) -> Result<TriMesh, String> {
    let bump = |place: [f64; 3]| {
        let [x, y, z] = place.map(|x| 70.0 * x);
        let factor = 1.0 + 0.04 * x.sin() * (y + 1.0).sin() * (z + 2.0).sin();
        place.map(|x| x * factor)
    };
    make::sphere(0.1, 2 * circles, circles).moved(bump).map_err(|error| error.to_string())
}

/// Poses with the second body 0.19 m away, by a fixed sequence of directions and turns.
fn spread() -> Vec<Pose<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let pose = |k: usize| {
        let (k, height) = (k as f64, 1.0 - (2.0 * k as f64 + 1.0) / 64.0);
        let ring = (1.0 - height * height).sqrt();
        let way = Vec3::new(ring * (golden * k).cos(), ring * (golden * k).sin(), height);
        Pose::new(gelenk_math::rotation::cardan([0.7 * k, 1.3 * k, 2.1 * k]), way * 0.19)
    };
    (0..64).map(pose).collect()
}

/// Evaluations of a pair of some 3000 triangles each in one pass, 256 a sweep, for an instruction counter.
pub(crate) fn sweeps(count: usize) -> Result<(), String> {
    let poses = spread();
    let mut ours = Ours::new(&bumpy(28)?, Master::First, Detection::Modern)?;
    for pose in poses.iter().cycle().take(count * 256) {
        black_box(ours.force(pose));
    }
    Ok(())
}

/// Prints and draws the cost of a pose against the number of triangles.
pub(crate) fn cost(picture: &str) -> Result<(), String> {
    let poses = spread();
    println!("{:>10}{}", "triangles", WAYS.map(|(name, ..)| format!("{name:>20}")).concat());
    let colours = ["#0072b2", "#009e73", "#d55e00"];
    let mut curves: Vec<Curve> = WAYS
        .iter()
        .zip(colours)
        .map(|((name, ..), colour)| Curve { name: (*name).into(), colour, guide: false, points: Vec::new() })
        .collect();
    for circles in CIRCLES {
        let mesh = bumpy(circles)?;
        let count = mesh.triangles().len();
        let mut line = format!("{count:>10}");
        for ((_, master, detection), curve) in WAYS.into_iter().zip(&mut curves) {
            let mut ours = Ours::new(&mesh, master, detection)?;
            let best = (0..4).map(|_| ours.time(&poses)).fold(f64::INFINITY, f64::min);
            line += &format!("{:>17.1} us", 1e6 * best);
            curve.points.push((count as f64, 1e6 * best));
        }
        println!("{line}");
    }
    let first = curves[0].points.first().copied().unwrap_or((1.0, 1.0));
    let to = 200_000.0;
    let guide = |name: &str, power: f64| Curve {
        name: name.into(),
        colour: "#777",
        guide: true,
        points: vec![first, (to, first.1 * (to / first.0).powf(power))],
    };
    curves.push(guide("dashed: the triangles,", 1.0));
    curves.push(guide("dashed: their square root", 0.5));
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let x = axis("triangles of each body", all().map(|p| p.0));
    let y = axis("evaluation, microseconds", all().map(|p| p.1));
    std::fs::write(picture, svg(&[Panel { x, y, curves }])).map_err(|error| format!("{picture}: {error}"))
}
