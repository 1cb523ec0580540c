//! Meshes from any bytes, and pairs of bodies at any pose.

use std::sync::{Arc, LazyLock};

use gelenk_laws::contact::{Areal, Regularisation, Sliding};
use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Motion, Pose, Vec3};
use gelenk_mesh::contact::{
    Detection, Master, Pair, PairLaw, Placement, Queue, Scratch, Settings, Surface, Undercut,
};
use gelenk_mesh::{Format, Repair, TriMesh, make};

/// Reads bytes in every format: what is read can be checked, repaired, coarsened and prepared for contact.
/// Returns whether anything was read.
pub fn reader(bytes: &[u8]) -> bool {
    let mut read = false;
    for format in [Format::Stl, Format::Obj, Format::Ply, Format::Dae, Format::Gltf, Format::Msh] {
        let Ok(mesh) = TriMesh::from_bytes(format, bytes) else { continue };
        read = true;
        let _ = mesh.survey();
        let _ = mesh.solid();
        if let Ok((repaired, _)) = mesh.repaired(&Repair { weld: 1e-6, ..Repair::default() }) {
            let _ = repaired.decimated(8);
        }
        let _ = Surface::new(&mesh);
        let _ = mesh.hull();
    }
    read
}

static BODIES: LazyLock<Vec<Arc<Surface>>> = LazyLock::new(|| {
    let meshes = [
        make::cuboid([0.4, 0.5, 0.6], 1),
        make::cuboid([0.4, 0.4, 0.4], 2),
        make::icosphere(0.3, 1),
        make::sphere(0.3, 8, 5),
        make::torus(0.3, 0.1, 10, 6),
        make::dumbbell(0.2, 0.2, 0.05, 8, 9),
        make::cone(0.3, 0.5, 8, 2),
        make::cylinder(0.2, 0.6, 8, 2),
        make::capsule(0.2, 0.3, 8, 3),
        make::funnel(1.0, 0.3),
        make::plane([1.0, 1.0], [2, 2]),
        make::paraboloid(0.5, 0.8, 5),
    ];
    meshes.iter().map(|mesh| Arc::new(Surface::new(mesh).expect("a made body"))).collect()
});

/// Puts two bodies at a pose that the bytes say, exactly degenerate ones too, and evaluates their contact: lines of
/// closed bodies close, forces are finite. Returns whether they touch.
pub fn pair(bytes: &[u8]) -> bool {
    let mut bytes = bytes.iter().copied();
    let mut next = || i32::from(bytes.next().unwrap_or(0));
    let [one, two, exact] = [next(), next(), next()];
    let (first, second) = (&BODIES[one as usize % BODIES.len()], &BODIES[two as usize % BODIES.len()]);
    let turns = [next(), next(), next()].map(|n| f64::from(n % 4) * std::f64::consts::FRAC_PI_2);
    let steps = [next(), next(), next()].map(|n| f64::from(n % 33 - 16) * 0.05);
    let mut rotation = cardan(turns);
    let mut position = Vec3::from(steps);
    if exact % 2 == 0 {
        rotation.iter_mut().for_each(|entry| *entry = entry.round());
    } else {
        let more = [next(), next(), next()].map(|n| f64::from(n - 128) / 300.0);
        rotation *= cardan(more);
        position += Vec3::from([next(), next(), next()].map(|n| f64::from(n - 128) * 1e-4));
    }
    let pose = Pose::new(rotation, position);
    let r = &pose.rotation;
    let placement = Placement {
        rotation: [0, 1, 2].map(|i| [0, 1, 2].map(|k| r[(i, k)])),
        position: pose.position.into(),
    };
    let how = next();
    let settings = Settings {
        master: [Master::Both, Master::First, Master::Second][how as usize % 3],
        detection: if how & 64 == 0 { Detection::Modern } else { Detection::Thesis },
        steep: if how & 128 == 0 { 0.1 } else { 0.0 },
        undercut: if how & 128 == 0 { Undercut::Nearest } else { Undercut::Thesis },
    };
    let pair = Pair { first: first.clone(), second: second.clone(), settings };
    let mut scratch = Scratch::default();
    pair.find(&placement, &mut scratch);
    if first.is_closed() && second.is_closed() {
        assert!(scratch.lines.lines.iter().all(|line| line.closed), "an open line between closed bodies");
    }
    let gap = pair.gap(&placement, &mut Queue::default());
    assert!(gap.is_finite() && gap >= 0.0, "a distance that is none");
    assert!(gap == 0.0 || scratch.search.segments.is_empty(), "bodies that cut each other at a distance");
    let law = PairLaw {
        areal: Areal { stiffness: 1e6, damping: 1e3, depth: 1e-3 },
        share: 0.3,
        sliding: Sliding { friction: 0.4, speed: 1e-3, form: Regularisation::Quadratic, lagged: false },
    };
    let motion = Motion::new(Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.2, 0.1, -0.7));
    let outcome = pair.wrench(&scratch.elements, &law, &pose, &motion);
    let parts = outcome.wrench.lin.iter().chain(outcome.wrench.ang.iter());
    assert!(
        parts.chain([&outcome.stored, &outcome.loss]).all(|part| part.is_finite()),
        "a force that is not finite"
    );
    gap == 0.0
}
