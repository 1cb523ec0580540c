//! Polygons as triangles, dented ones too.

use crate::vector::{V3, add, cross, dot, sub};

/// Triangles that fill a polygon in space whose corners lie about in a plane, as numbers of its corners in the same
/// sense. A convex polygon becomes a fan about its first corner; from any other, corners that stick out and enclose no
/// other corner are cut off one after the other (ear clipping). A polygon that crosses itself still gives
/// `corners - 2` triangles.
pub fn triangulate(corners: &[V3]) -> Vec<[usize; 3]> {
    let n = corners.len();
    if n < 3 {
        return Vec::new();
    }
    // Newell's sum: the normal of the polygon, times twice its area.
    let normal = (0..n).fold([0.0; 3], |sum, i| add(sum, cross(corners[i], corners[(i + 1) % n])));
    let turn =
        |[a, b, c]: [usize; 3]| dot(normal, cross(sub(corners[b], corners[a]), sub(corners[c], corners[b])));
    // Cutting ears takes the cube of the corners at worst; nobody means a face of thousands.
    if n == 3 || n > 1000 || (0..n).all(|i| turn([i, (i + 1) % n, (i + 2) % n]) >= 0.0) {
        return (1..n - 1).map(|i| [0, i, i + 1]).collect();
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut triangles = Vec::with_capacity(n - 2);
    while left.len() > 3 {
        let m = left.len();
        let at = |i: usize| [left[(i + m - 1) % m], left[i], left[(i + 1) % m]];
        let ear = |&i: &usize| {
            let [a, b, c] = at(i);
            turn([a, b, c]) > 0.0
                && !left.iter().any(|&p| {
                    p != a
                        && p != b
                        && p != c
                        && turn([a, b, p]) >= 0.0
                        && turn([b, c, p]) >= 0.0
                        && turn([c, a, p]) >= 0.0
                })
        };
        // Without an ear the polygon crosses itself or is flat; its flattest corner goes then.
        let i = (0..m).find(ear).unwrap_or_else(|| {
            (0..m).min_by(|&i, &k| turn(at(i)).abs().total_cmp(&turn(at(k)).abs())).unwrap_or(0)
        });
        triangles.push(at(i));
        left.remove(i);
    }
    triangles.extend(<[usize; 3]>::try_from(left));
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::doubled_area;

    /// H-R2: the triangles of a dented polygon have its area (shoelace formula) and none is turned.
    #[test]
    fn a_dented_polygon_keeps_its_area() {
        // An arrow head and a comb of five teeth, tilted in space.
        let mut comb = vec![[0.0, 0.0], [10.0, 0.0]];
        for i in (0..5).rev() {
            let x = 2.0 * f64::from(i);
            comb.extend([[x + 2.0, 3.0], [x + 1.0, 0.5]]);
        }
        comb.push([0.0, 3.0]);
        for flat in [vec![[0.0, 0.0], [4.0, -1.0], [1.0, 0.0], [4.0, 1.0]], comb] {
            let corners: Vec<V3> = flat.iter().map(|&[x, y]| [x, y, 0.3 * x - 0.2 * y]).collect();
            let n = flat.len();
            let area: f64 = (0..n)
                .map(|i| {
                    let ([x0, y0], [x1, y1]) = (flat[i], flat[(i + 1) % n]);
                    (x0 * y1 - x1 * y0) / 2.0
                })
                .sum();
            let parts: Vec<f64> =
                triangulate(&corners).iter().map(|t| doubled_area(t.map(|i| corners[i]))[2] / 2.0).collect();
            assert_eq!(parts.len(), n - 2);
            assert!(parts.iter().all(|part| *part > 0.0), "{parts:?}");
            assert!((parts.iter().sum::<f64>() - area).abs() < 1e-12);
        }
    }
}
