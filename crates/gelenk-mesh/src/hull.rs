//! Convex hulls (quickhull of Barber, Dobkin and Huhdanpaa 1996) with exact signs: whether a point is outside of a face is
//! never a matter of rounding. Faces in whose plane a new point lies are replaced along with those that it sees, so that no
//! face without area comes about.

use crate::vector::{V3, cross, dot, norm, sub};
use crate::{MeshError, TriMesh};
use robust::{Coord3D, orient3d};
use std::collections::BTreeMap;

struct Face {
    corners: [usize; 3],
    /// The faces behind the edges from corner `k` to corner `k + 1`.
    beyond: [usize; 3],
    /// Points outside of it that are still to be taken in.
    outside: Vec<usize>,
    gone: bool,
}

impl TriMesh {
    /// The smallest convex body around all vertices.
    ///
    /// # Errors
    /// Vertices that are all in one plane.
    pub fn hull(&self) -> Result<Self, MeshError> {
        hull(self.vertices())
    }
}

/// The smallest convex body around points.
///
/// # Errors
/// Points that are all in one plane, or that are not finite.
pub fn hull(points: &[V3]) -> Result<TriMesh, MeshError> {
    if let Some(vertex) = points.iter().position(|point| point.iter().any(|x| !x.is_finite())) {
        return Err(MeshError::NotFinite { vertex });
    }
    let side = |[a, b, c]: [usize; 3], p: usize| {
        let at = |i: usize| Coord3D { x: points[i][0], y: points[i][1], z: points[i][2] };
        -orient3d(at(a), at(b), at(c), at(p))
    };
    let start = simplex(points, &side).ok_or(MeshError::Flat)?;
    let mut faces: Vec<Face> = Vec::new();
    let [a, b, c, d] = start;
    for (corners, beyond) in
        [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
    {
        faces.push(Face { corners, beyond, outside: Vec::new(), gone: false });
    }
    for p in (0..points.len()).filter(|p| !start.contains(p)) {
        if let Some(face) = faces.iter_mut().find(|face| side(face.corners, p) > 0.0) {
            face.outside.push(p);
        }
    }
    let mut open: Vec<usize> = vec![0, 1, 2, 3];
    while let Some(index) = open.pop() {
        if faces[index].gone || faces[index].outside.is_empty() {
            continue;
        }
        // The farthest point is certain to be a corner of the hull.
        let corners = faces[index].corners.map(|i| points[i]);
        let normal = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let height = |p: &usize| dot(normal, sub(points[*p], corners[0]));
        let far = faces[index].outside.iter().copied().max_by(|p, q| height(p).total_cmp(&height(q)));
        let Some(p) = far else { continue };
        // What it sees, and what lies in a plane with it.
        let mut seen = vec![index];
        faces[index].gone = true;
        let (mut next, mut rim) = (0, Vec::new());
        while let Some(&face) = seen.get(next) {
            next += 1;
            for k in 0..3 {
                let other = faces[face].beyond[k];
                if faces[other].gone {
                    continue;
                }
                if side(faces[other].corners, p) >= 0.0 {
                    faces[other].gone = true;
                    seen.push(other);
                }
            }
        }
        for &face in &seen {
            for k in 0..3 {
                let other = faces[face].beyond[k];
                if !faces[other].gone {
                    let [from, to] = [faces[face].corners[k], faces[face].corners[(k + 1) % 3]];
                    rim.push((from, to, other));
                }
            }
        }
        let first = faces.len();
        let numbers: BTreeMap<usize, usize> =
            rim.iter().enumerate().map(|(i, (from, ..))| (*from, first + i)).collect();
        let ends: BTreeMap<usize, usize> =
            rim.iter().enumerate().map(|(i, (_, to, _))| (*to, first + i)).collect();
        for (i, &(from, to, other)) in rim.iter().enumerate() {
            let (Some(&after), Some(&before)) = (numbers.get(&to), ends.get(&from)) else {
                return Err(MeshError::Flat);
            };
            // The edge from -> to is seen from the other side in the face that stays.
            if let Some(k) =
                (0..3).find(|&k| faces[other].corners[k] == to && faces[other].corners[(k + 1) % 3] == from)
            {
                faces[other].beyond[k] = first + i;
            }
            faces.push(Face {
                corners: [from, to, p],
                beyond: [other, after, before],
                outside: Vec::new(),
                gone: false,
            });
        }
        for face in seen {
            for q in std::mem::take(&mut faces[face].outside) {
                if q == p {
                    continue;
                }
                let found = (first..faces.len()).find(|&new| side(faces[new].corners, q) > 0.0);
                if let Some(new) = found {
                    faces[new].outside.push(q);
                }
            }
        }
        open.extend(first..faces.len());
    }
    let kept: Vec<[usize; 3]> = faces.iter().filter(|face| !face.gone).map(|face| face.corners).collect();
    let mut numbers: BTreeMap<usize, u32> = kept.iter().flatten().map(|&corner| (corner, 0)).collect();
    let mut vertices = Vec::with_capacity(numbers.len());
    for (&point, number) in &mut numbers {
        *number = u32::try_from(vertices.len()).map_err(|_| MeshError::TooLarge)?;
        vertices.push(points[point]);
    }
    let triangles =
        kept.iter().map(|corners| corners.map(|corner| numbers.get(&corner).copied().unwrap_or(0)));
    TriMesh::new(vertices, triangles.collect())
}

/// Four points that are not in a plane, the first three against the clock as seen from outside.
fn simplex(points: &[V3], side: &impl Fn([usize; 3], usize) -> f64) -> Option<[usize; 4]> {
    let order = |k: usize| move |p: &usize, q: &usize| points[*p][k].total_cmp(&points[*q][k]);
    let all = || 0..points.len();
    // The two that are farthest apart along an axis.
    let spread = |k: usize| {
        let (low, high) = (all().min_by(order(k))?, all().max_by(order(k))?);
        Some((points[high][k] - points[low][k], low, high))
    };
    let (_, a, b) = (0..3).filter_map(spread).max_by(|p, q| p.0.total_cmp(&q.0))?;
    let area = |p: &usize| norm(cross(sub(points[b], points[a]), sub(points[*p], points[a])));
    let c = all().max_by(|p, q| area(p).total_cmp(&area(q)))?;
    let volume = |p: &usize| side([a, b, c], *p).abs();
    let d = all().max_by(|p, q| volume(p).total_cmp(&volume(q)))?;
    match side([a, b, c], d) {
        height if height < 0.0 => Some([a, b, c, d]),
        height if height > 0.0 => Some([b, a, c, d]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: &[V3], volume: f64, faces: usize) {
        let hull = hull(points).unwrap();
        hull.check_closed().unwrap();
        assert!(
            (hull.solid().unwrap().volume - volume).abs() < 1e-12 * volume,
            "{}",
            hull.solid().unwrap().volume
        );
        assert_eq!(hull.triangles().len(), faces);
        for corners in hull.corners() {
            let [a, b, c] = corners;
            let normal = cross(sub(b, a), sub(c, a));
            assert!(norm(normal) > 0.0);
            for p in points {
                assert!(dot(normal, sub(*p, a)) <= 1e-12 * norm(normal), "a point is outside");
            }
        }
    }

    /// A lattice of points in a box has twelve triangles and the volume of the box, whatever lies in its faces and edges.
    #[test]
    fn a_lattice_is_a_box() {
        let mut points = Vec::new();
        for i in 0..6 {
            for j in 0..5 {
                for k in 0..4 {
                    points.push([f64::from(i) * 0.1, f64::from(j) * 0.1, f64::from(k) * 0.1]);
                    points.push([f64::from(i) * 0.1, f64::from(j) * 0.1, f64::from(k) * 0.1]);
                }
            }
        }
        // Sums of tenths are not all in one plane to the last bit; those of eighths are.
        let exact: Vec<V3> = points.iter().map(|p| p.map(|x| (x * 10.0).round() / 8.0)).collect();
        check(&exact, 5.0 * 4.0 * 3.0 / 512.0, 12);
        let rough = hull(&points).unwrap();
        rough.check_closed().unwrap();
        assert!((rough.solid().unwrap().volume - 0.06).abs() < 1e-12);
    }

    #[test]
    fn a_ball_keeps_all_its_points() {
        let ball = crate::make::icosphere(0.3, 4);
        let hull = ball.hull().unwrap();
        assert_eq!(hull.vertices().len(), ball.vertices().len());
        assert!((hull.solid().unwrap().volume - ball.solid().unwrap().volume).abs() < 1e-12);
    }

    #[test]
    fn what_is_flat_has_none() {
        assert!(hull(&[]).is_err());
        assert!(hull(&[[0.0; 3]; 9]).is_err());
        assert!(hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]).is_err());
        assert!(hull(&[[f64::NAN; 3]; 5]).is_err());
    }
}
