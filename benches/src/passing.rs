//! A car passes through a figure (case H-0b of the specification): trees of boxes beside all pairs of triangles.

use gelenk_mesh::contact::detect::cut;
use gelenk_mesh::contact::{Detection, Placement, Search, Surface};
use gelenk_mesh::{TriMesh, make};

use crate::clock::cpu_time;

/// Poses on the way through.
const POSES: usize = 51;

/// Everything in one mesh.
fn joined(parts: &[TriMesh]) -> Result<TriMesh, String> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(part.vertices());
        triangles.extend(part.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    TriMesh::new(vertices, triangles).map_err(|error| error.to_string())
}

/// A standing figure of capsules and a sphere, about as many triangles as the thesis's (5640).
fn figure() -> Result<TriMesh, String> {
    let limb = |radius: f64, length: f64, at: [f64; 3]| {
        make::capsule(radius, length, 24, 12)
            .moved(|place| std::array::from_fn(|k| place[k] + at[k]))
            .map_err(|error| error.to_string())
    };
    joined(&[
        limb(0.17, 0.45, [0.0, 0.0, 1.15])?,
        limb(0.1, 0.08, [0.0, 0.0, 1.68])?,
        limb(0.08, 0.7, [0.0, 0.1, 0.43])?,
        limb(0.08, 0.7, [0.0, -0.1, 0.43])?,
        limb(0.05, 0.5, [0.0, 0.25, 1.15])?,
    ])
}

/// Prints counts and CPU times of both, with all segments and with the first one only.
pub(crate) fn print() -> Result<(), String> {
    let surface = |mesh: &TriMesh| Surface::new(mesh).map_err(|error| error.to_string());
    let car =
        make::cuboid([3.8, 1.7, 1.0], 10).moved(|[x, y, z]| [x, y, z + 0.7]).map_err(|e| e.to_string())?;
    let start = cpu_time();
    let (car, figure) = (surface(&car)?, surface(&figure()?)?);
    let building = cpu_time() - start;
    let all = car.areas().len() * figure.areas().len();
    println!(
        "H-0b: {} and {} triangles, {POSES} poses; trees of both kinds built in {building:.4} s",
        car.areas().len(),
        figure.areas().len()
    );
    let placement = |k: usize| {
        let x = 2.3 - 4.6 * k as f64 / (POSES - 1) as f64;
        let (sin, cos) = (0.1f64).sin_cos();
        let rotation = [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]];
        Placement { rotation, position: [x, 0.13, 0.01] }
    };
    let mut search = Search::default();
    let pairs = |search: &Search| {
        let mut pairs: Vec<[u32; 2]> = search.segments.iter().map(|s| [s.first, s.second]).collect();
        pairs.sort_unstable();
        pairs
    };
    let start = cpu_time();
    let mut expected = Vec::new();
    for k in 0..POSES {
        search.brute_force(&car, &figure, &placement(k));
        expected.push(pairs(&search));
    }
    let brute = cpu_time() - start;
    let start = cpu_time();
    let mut touching = 0;
    for k in 0..POSES {
        touching += usize::from(first_cut(&car, &figure, &placement(k)));
    }
    let brute_first = cpu_time() - start;
    for detection in [Detection::Modern, Detection::Thesis] {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..5 {
            for (best, detect_only) in best.iter_mut().zip([false, true]) {
                let (start, mut hits) = (cpu_time(), 0);
                for k in 0..POSES {
                    hits += usize::from(search.run(&car, &figure, &placement(k), detection, detect_only));
                }
                *best = best.min(cpu_time() - start);
                if hits != touching {
                    return Err(format!("{detection:?}: {hits} poses touch, {touching} by all pairs"));
                }
            }
        }
        let (mut boxes, mut triangles) = (0, 0);
        for (k, expected) in expected.iter().enumerate() {
            search.run(&car, &figure, &placement(k), detection, false);
            if pairs(&search) != *expected {
                return Err(format!("{detection:?}: other pairs than all pairs give, pose {k}"));
            }
            boxes += search.counts.boxes;
            triangles += search.counts.triangles;
        }
        let share = 100.0 * (boxes + triangles) as f64 / (all * POSES) as f64;
        println!("  {detection:?}: same pairs, {touching} poses touch; {share:.3} % of the tests");
        println!(
            "    all segments {:>10.5} s by {brute:>8.2} s: {:>9.0} times faster",
            best[0],
            brute / best[0]
        );
        println!(
            "    detect only  {:>10.5} s by {brute_first:>8.2} s: {:>9.0} times faster",
            best[1],
            brute_first / best[1]
        );
    }
    Ok(())
}

/// Whether any two triangles cut each other, up to the first two that do.
fn first_cut(first: &Surface, second: &Surface, placement: &Placement) -> bool {
    let corners = |mesh: &TriMesh| mesh.corners().collect::<Vec<_>>();
    let placed: Vec<_> =
        corners(second.mesh()).iter().map(|c| c.map(|place| placement.point(place))).collect();
    corners(first.mesh()).iter().any(|e| placed.iter().any(|f| cut(*e, *f).is_some()))
}
