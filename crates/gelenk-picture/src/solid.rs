//! Triangles with normals, and the forms of bodies as triangles.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use gelenk_math::rotation::about_axis;
use gelenk_math::spatial::{Mat3, Pose, Vec3};

use crate::scene::Form;

/// Cosine of the angle between neighbouring triangles beyond which an edge is sharp: 35 degrees.
const CREASE: f64 = 0.82;
/// Triangles around a place that count for its normals; more of them are a fan without a smooth middle.
const MOST_AROUND: usize = 64;
/// Steps around a round form.
const AROUND: u32 = 32;

/// A surface of triangles whose corners have normals; corners count against the clock, seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solid {
    /// Places (m).
    pub vertices: Vec<Vec3<f64>>,
    /// Unit normals, one for each vertex.
    pub normals: Vec<Vec3<f64>>,
    /// Corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Solid {
    /// The surface of a form in its own axes.
    pub fn of(form: &Form) -> Self {
        match form {
            Form::Box(size) => Self::cuboid(size),
            &Form::Sphere(radius) => Self::turned(&arc(radius, 0.0, 0.0, PI, 16)),
            &Form::Cylinder(radius, length) => Self::cylinder(radius, length),
            &Form::Capsule(radius, length) => {
                let mut outline = arc(radius, 0.5 * length, 0.0, 0.5 * PI, 8);
                outline.extend(arc(radius, -0.5 * length, 0.5 * PI, PI, 8));
                Self::turned(&outline)
            }
            Form::Ellipsoid(half) => {
                let mut solid = Self::of(&Form::Sphere(1.0));
                solid.vertices.iter_mut().for_each(|v| v.component_mul_assign(half));
                // Normals of a stretched surface shrink where it grows.
                for normal in &mut solid.normals {
                    let turned = normal.component_div(half);
                    *normal = turned / turned.norm().max(f64::MIN_POSITIVE);
                }
                solid
            }
            Form::Mesh(vertices, triangles) => Self::creased(vertices, triangles),
        }
    }

    /// A box with edges of these lengths about the origin.
    pub fn cuboid(size: &Vec3<f64>) -> Self {
        let half = size * 0.5;
        let mut solid = Self::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut normal = Vec3::zeros();
                normal[axis] = side;
                let corner = |a: f64, b: f64| {
                    let mut p = Vec3::zeros();
                    (p[axis], p[u], p[v]) = (side * half[axis], a * half[u], b * half[v]);
                    p
                };
                let corners =
                    [corner(-side, -1.0), corner(side, -1.0), corner(side, 1.0), corner(-side, 1.0)];
                solid.face(&corners, &[normal; 4]);
            }
        }
        solid
    }

    /// A cylinder along z about the origin.
    pub fn cylinder(radius: f64, length: f64) -> Self {
        let (up, out) = ([0.0, 1.0], [1.0, 0.0]);
        let (top, bottom) = (0.5 * length, -0.5 * length);
        Self::turned(&[
            ([0.0, top], up),
            ([radius, top], up),
            ([radius, top], out),
            ([radius, bottom], out),
            ([radius, bottom], [0.0, -1.0]),
            ([0.0, bottom], [0.0, -1.0]),
        ])
    }

    /// A cone along z with its tip at the origin.
    pub fn tip(radius: f64, length: f64) -> Self {
        let slope = radius.hypot(length).max(f64::MIN_POSITIVE);
        let out = [length / slope, radius / slope];
        let down = [0.0, -1.0];
        Self::turned(&[
            ([0.0, 0.0], out),
            ([radius, -length], out),
            ([radius, -length], down),
            ([0.0, -length], down),
        ])
    }

    /// A rod with round ends between two points.
    pub fn rod(from: &Vec3<f64>, to: &Vec3<f64>, radius: f64) -> Self {
        let pose = Pose::new(along(&(to - from)), (from + to) * 0.5);
        Self::of(&Form::Capsule(radius, (to - from).norm())).moved(&pose)
    }

    /// A ball about a point.
    pub fn ball(at: &Vec3<f64>, radius: f64) -> Self {
        Self::of(&Form::Sphere(radius)).moved(&Pose::new(Mat3::identity(), *at))
    }

    /// A tube through points.
    pub fn tube(points: &[Vec3<f64>], radius: f64, around: u32) -> Self {
        let mut solid = Self::default();
        let count = points.len();
        for (i, point) in points.iter().enumerate() {
            let way = points[(i + 1).min(count - 1)] - points[i.saturating_sub(1)];
            let axes = along(&way);
            for k in 0..around {
                let angle = TAU * f64::from(k) / f64::from(around);
                let normal = axes * Vec3::new(angle.cos(), angle.sin(), 0.0);
                solid.vertices.push(point + normal * radius);
                solid.normals.push(normal);
            }
        }
        let rings = u32::try_from(count.saturating_sub(1)).unwrap_or(0);
        for ring in 0..rings {
            for k in 0..around {
                let next = (k + 1) % around;
                let [a, b] = [ring * around + k, ring * around + next];
                solid.triangles.extend([[a, b, b + around], [a, b + around, a + around]]);
            }
        }
        solid
    }

    /// Rotates an outline of points (distance from the axis, height) with normals about z, from the top down.
    fn turned(outline: &[([f64; 2], [f64; 2])]) -> Self {
        let mut solid = Self::default();
        for k in 0..=AROUND {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            for ([r, z], [nr, nz]) in outline {
                solid.vertices.push(Vec3::new(r * cos, r * sin, *z));
                solid.normals.push(Vec3::new(nr * cos, nr * sin, *nz));
            }
        }
        let rows = u32::try_from(outline.len()).unwrap_or(0);
        for k in 0..AROUND {
            for (i, pair) in outline.windows(2).enumerate() {
                let a = k * rows + i as u32;
                let (b, c, d) = (a + 1, a + 1 + rows, a + rows);
                let flat = |p: &([f64; 2], _), q: &([f64; 2], _)| p.0 == q.0;
                if flat(&pair[0], &pair[1]) {
                    continue;
                }
                // At the axis one of the two triangles has no area.
                if pair[1].0[0] > 0.0 {
                    solid.triangles.push([a, b, c]);
                }
                if pair[0].0[0] > 0.0 {
                    solid.triangles.push([a, c, d]);
                }
            }
        }
        solid
    }

    /// Triangles that look round where they meet at small angles, and have sharp edges where they do not. Corners at the
    /// same place count as one, whatever their numbers.
    fn creased(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        let mut place_of = |vertex: u32| -> Option<u32> {
            let place = vertices.get(vertex as usize)?.map(|x| (x + 0.0).to_bits());
            let next = u32::try_from(known.len()).ok()?;
            Some(*known.entry(place).or_insert(next))
        };
        // Places of the corners, and normals with the length of twice the area.
        let mut faces: Vec<([u32; 3], [Vec3<f64>; 3], Vec3<f64>)> = Vec::with_capacity(triangles.len());
        for corners in triangles {
            let [Some(a), Some(b), Some(c)] = corners.map(&mut place_of) else { continue };
            let points = corners.map(|k| Vec3::from(vertices[k as usize]));
            let normal = (points[1] - points[0]).cross(&(points[2] - points[0]));
            if normal.norm() > 0.0 {
                faces.push(([a, b, c], points, normal));
            }
        }
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); known.len()];
        for (i, (places, ..)) in faces.iter().enumerate() {
            for &place in places {
                if let Some(list) = around.get_mut(place as usize).filter(|list| list.len() < MOST_AROUND) {
                    list.push(i as u32);
                }
            }
        }
        let mut solid = Self::default();
        // What each place has become: normals with the numbers of their vertices.
        let mut made: Vec<Vec<(Vec3<f64>, u32)>> = vec![Vec::new(); known.len()];
        for (places, points, own) in &faces {
            let direction = own / own.norm();
            let corners = [0, 1, 2].map(|k| {
                let near = around[places[k] as usize].iter().map(|&i| faces[i as usize].2);
                let smooth = near.filter(|n| n.dot(&direction) > CREASE * n.norm());
                let sum: Vec3<f64> = smooth.fold(Vec3::zeros(), |sum, n| sum + n);
                let length = sum.norm();
                let normal = if length > 0.0 { sum / length } else { direction };
                let list = &mut made[places[k] as usize];
                if let Some((_, number)) = list.iter().find(|(n, _)| *n == normal) {
                    return *number;
                }
                let number = solid.vertices.len() as u32;
                solid.vertices.push(points[k]);
                solid.normals.push(normal);
                list.push((normal, number));
                number
            });
            solid.triangles.push(corners);
        }
        solid
    }

    /// Adds a plane polygon.
    fn face(&mut self, corners: &[Vec3<f64>], normals: &[Vec3<f64>]) {
        let first = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        self.vertices.extend_from_slice(corners);
        self.normals.extend_from_slice(normals);
        let count = u32::try_from(corners.len()).unwrap_or(0);
        self.triangles.extend((2..count).map(|k| [first, first + k - 1, first + k]));
    }

    /// The same surface at another place.
    pub fn moved(mut self, pose: &Pose<f64>) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = pose.point(v));
        self.normals.iter_mut().for_each(|n| *n = pose.rotation * *n);
        self
    }

    /// Adds another surface.
    pub fn add(&mut self, other: Self) {
        let first = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        self.vertices.extend(other.vertices);
        self.normals.extend(other.normals);
        self.triangles.extend(other.triangles.into_iter().map(|corners| corners.map(|c| c + first)));
    }
}

/// Points and normals of an arc with centre at height `z`, angles from the top.
fn arc(radius: f64, z: f64, from: f64, to: f64, steps: u32) -> Vec<([f64; 2], [f64; 2])> {
    let point = |k: u32| {
        let (sin, cos) = (from + (to - from) * f64::from(k) / f64::from(steps)).sin_cos();
        // Exactly on the axis at the poles.
        let sin = if sin.abs() < 1e-12 { 0.0 } else { sin };
        ([radius * sin, z + radius * cos], [sin, cos])
    };
    (0..=steps).map(point).collect()
}

/// A rotation that turns z into a direction.
pub fn along(direction: &Vec3<f64>) -> Mat3<f64> {
    let length = direction.norm();
    if length <= 0.0 || !length.is_finite() {
        return Mat3::identity();
    }
    let to = direction / length;
    let axis = Vec3::new(0.0, 0.0, 1.0).cross(&to);
    let sin = axis.norm();
    if sin < 1e-12 {
        return if to.z > 0.0 { Mat3::identity() } else { about_axis(&Vec3::new(1.0, 0.0, 0.0), PI) };
    }
    about_axis(&(axis / sin), sin.atan2(to.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume inside by the theorem of Gauss, and whether normals point outwards.
    fn volume(solid: &Solid) -> f64 {
        let mut volume = 0.0;
        for corners in &solid.triangles {
            let [a, b, c] = corners.map(|k| solid.vertices[k as usize]);
            let face = (b - a).cross(&(c - a));
            for &k in corners {
                assert!(face.dot(&solid.normals[k as usize]) > 0.0, "normals and corners agree");
            }
            volume += a.dot(&face) / 6.0;
        }
        volume
    }

    /// Closed forms of the volumes, less what polygons cut off round forms (at most 2 per cent at 32 steps).
    #[test]
    fn forms_enclose_their_volume() {
        let (r, l) = (0.3, 1.1);
        let (ball, rod) = (4.0 / 3.0 * PI * r * r * r, PI * r * r * l);
        let cases = [
            (Form::Box(Vec3::new(1.0, 2.0, 3.0)), 6.0, 1e-12),
            (Form::Sphere(r), ball, 0.02),
            (Form::Cylinder(r, l), rod, 0.02),
            (Form::Capsule(r, l), ball + rod, 0.02),
        ];
        for (form, expected, relative) in cases {
            let found = volume(&Solid::of(&form));
            assert!(
                found <= expected * (1.0 + 1e-12) && found > expected * (1.0 - relative),
                "{form:?}: {found}"
            );
        }
        let turned = Solid::rod(&Vec3::new(1.0, 2.0, 3.0), &Vec3::new(1.0, 2.0, 1.9), r);
        assert!((volume(&turned) / (ball + rod) - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_mesh_keeps_its_triangles() {
        let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let solid = Solid::of(&Form::Mesh(corners, faces));
        assert!((volume(&solid) - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn z_is_turned_into_any_direction() {
        for d in [[0.0, 0.0, 1.0], [0.0, 0.0, -2.0], [3.0, -1.0, 0.5], [0.0, 1.0, 0.0]].map(Vec3::from) {
            let turned = along(&d) * Vec3::new(0.0, 0.0, 1.0);
            assert!((turned - d / d.norm()).norm() < 1e-12, "{d:?}");
        }
        assert_eq!(along(&Vec3::zeros()), Mat3::identity());
    }
}
