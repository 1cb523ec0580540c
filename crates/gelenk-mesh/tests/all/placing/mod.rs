//! Surfaces and where they stand, for tests of contact.

use std::sync::Arc;

use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Pose, Vec3};
use gelenk_mesh::TriMesh;
use gelenk_mesh::contact::{Placement, Surface};

/// A mesh, ready for contact.
pub(crate) fn surface(mesh: &TriMesh) -> Arc<Surface> {
    Arc::new(Surface::new(mesh).unwrap())
}

/// A pose by Cardan angles and a position.
pub(crate) fn pose(angles: [f64; 3], position: [f64; 3]) -> Pose<f64> {
    Pose::new(cardan(angles), Vec3::from(position))
}

/// The same as detection takes it.
pub(crate) fn placement(pose: &Pose<f64>) -> Placement {
    let r = &pose.rotation;
    Placement {
        rotation: [0, 1, 2].map(|i| [r[(i, 0)], r[(i, 1)], r[(i, 2)]]),
        position: pose.position.into(),
    }
}
