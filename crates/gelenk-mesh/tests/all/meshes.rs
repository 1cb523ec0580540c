//! Files, checks and mass properties of meshes.

use gelenk_mesh::{MeshError, Solid, TriMesh};
use proptest::prelude::*;
use std::f64::consts::PI;

/// A box with these edges and its lowest corner at `at`.
fn cuboid(edges: [f64; 3], at: [f64; 3]) -> TriMesh {
    let corner = |i: usize| [0, 1, 2].map(|k| at[k] + if i >> k & 1 == 1 { edges[k] } else { 0.0 });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

fn icosphere(depth: usize) -> TriMesh {
    let octahedron = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    let mut corners: Vec<[[f64; 3]; 3]> =
        faces.iter().map(|face| face.map(|i: usize| octahedron[i])).collect();
    for _ in 0..depth {
        let half = |a: [f64; 3], b: [f64; 3]| {
            let m = [0, 1, 2].map(|k| a[k] + b[k]);
            let length = m.iter().map(|x| x * x).sum::<f64>().sqrt();
            m.map(|x| x / length)
        };
        corners = corners
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (half(a, b), half(b, c), half(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let vertices: Vec<[f64; 3]> = corners.iter().flatten().copied().collect();
    let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} {expected}");
}

/// Closed form: `m (b^2 + c^2)/12`, no products, wherever the box stands.
#[test]
fn a_box_is_exact() {
    let [a, b, c] = [0.3, 0.5, 0.7];
    for at in [[0.0; 3], [10.0, -20.0, 5.0]] {
        let Solid { volume, centre, inertia } = cuboid([a, b, c], at).solid().unwrap();
        near(volume, a * b * c, 1e-15);
        for k in 0..3 {
            near(centre[k], at[k] + [a, b, c][k] / 2.0, 1e-14);
        }
        let expected = [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| volume * sum / 12.0);
        for k in 0..3 {
            near(inertia[k], expected[k], 1e-14);
            near(inertia[3 + k], 0.0, 1e-14);
        }
    }
}

/// Closed form of the corner of a cube: `V = 1/6`, centre 1/4, `integral x^2 = 1/60`, `integral x y = 1/120`.
#[test]
fn a_tetrahedron_has_products() {
    let corner =
        TriMesh::from_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    let Solid { volume, centre, inertia } = corner.unwrap().solid().unwrap();
    near(volume, 1.0 / 6.0, 1e-16);
    let square = 1.0 / 60.0 - volume / 16.0;
    let product = 1.0 / 120.0 - volume / 16.0;
    for k in 0..3 {
        near(centre[k], 0.25, 1e-15);
        near(inertia[k], 2.0 * square, 1e-16);
        near(inertia[3 + k], -product, 1e-16);
    }
}

/// The refined sphere tends to `4 pi/3` and `8 pi/15`; every refinement makes the error four times smaller.
#[test]
fn a_sphere_converges() {
    let mut before = f64::INFINITY;
    for depth in 2..6 {
        let solid = icosphere(depth).solid().unwrap();
        let error = (solid.volume - 4.0 * PI / 3.0).abs().max((solid.inertia[0] - 8.0 * PI / 15.0).abs());
        assert!(error < 0.3 * before, "{depth} {error}");
        near(solid.centre[1], 0.0, 1e-14);
        before = error;
    }
    assert!(before < 0.01);
}

#[test]
fn faults_say_where() {
    let whole = cuboid([1.0, 2.0, 3.0], [0.0; 3]);
    let mut open = whole.triangles().to_vec();
    open.pop();
    let open = TriMesh::new(whole.vertices().to_vec(), open).unwrap();
    let Err(MeshError::Open { count, .. }) = open.solid() else { panic!() };
    assert_eq!(count, 3);
    let mut turned = whole.triangles().to_vec();
    turned[0].swap(0, 1);
    let turned = TriMesh::new(whole.vertices().to_vec(), turned).unwrap();
    assert!(matches!(turned.solid(), Err(MeshError::Inconsistent { .. })));
    assert_eq!(whole.reversed().solid(), Err(MeshError::InsideOut));
    assert_eq!(TriMesh::default().solid(), Err(MeshError::Empty));
    let flat = whole.moved(|[x, y, _]| [x, y, 0.0]).unwrap();
    assert!(flat.solid().is_err());
    assert!(matches!(TriMesh::new(vec![[0.0; 3]], vec![[0, 0, 1]]), Err(MeshError::Index { vertex: 1, .. })));
    assert!(matches!(
        TriMesh::new(vec![[0.0, f64::NAN, 0.0]], vec![]),
        Err(MeshError::NotFinite { vertex: 0 })
    ));
}

#[test]
fn files_are_read_back() {
    let whole = cuboid([1.0, 2.0, 3.0], [0.5, 0.25, -4.0]);
    assert_eq!(TriMesh::from_obj(&whole.to_obj()).unwrap(), whole);
    let stl = TriMesh::from_stl(&whole.to_stl()).unwrap();
    assert_eq!(stl.vertices().len(), 8);
    assert_eq!(stl.solid().unwrap(), whole.solid().unwrap());
    let mut text = String::from("solid box\n");
    for corners in whole.corners() {
        text += " facet normal 0 0 0\n  outer loop\n";
        corners.iter().for_each(|[x, y, z]| text += &format!("   vertex {x:e} {y} {z}\n"));
        text += "  endloop\n endfacet\n";
    }
    text += "endsolid box\n";
    assert_eq!(TriMesh::from_stl(text.as_bytes()).unwrap().solid().unwrap(), whole.solid().unwrap());
    // Polygons, corners with normals, counted from the end.
    let obj = "o wedge\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf -4/1/1 2//1 3 4 # a square\n";
    assert_eq!(TriMesh::from_obj(obj).unwrap().triangles(), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn wrong_files_name_the_place() {
    let error = |text: &str| TriMesh::from_obj(text).unwrap_err().to_string();
    assert_eq!(error("v 0 0 0\nv 1 x 0\n"), "line 2: \"x\" is not a number");
    assert_eq!(error("v 0 0 0\nf 1 1 2\n"), "line 2: there is no vertex 2; 1 are defined before this line");
    assert_eq!(error("v 0 0 0\nf 1 1\n"), "line 2: a face needs three corners, this one has 2");
    assert_eq!(error("v 0 0 inf\n"), "line 1: a coordinate is not a finite number");
    let error = |text: &[u8]| TriMesh::from_stl(text).unwrap_err().to_string();
    assert_eq!(error(b"solid\nfacet\nvertex 0 0\n"), "line 3: a vertex needs three coordinates");
    assert_eq!(error(b"solid\nfacet normal 0 0 1\n"), "line 2: the file ends inside a facet");
    // A forged count must not ask for memory.
    let mut forged = vec![0; 84];
    forged[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(TriMesh::from_stl(&forged), Err(MeshError::NoStl { triangles: u32::MAX, .. })));
    let mut broken = cuboid([1.0; 3], [0.0; 3]).to_stl();
    broken[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(error(&broken), "byte 146: a coordinate is not a finite number");
}

proptest! {
    /// Volume and principal sums do not depend on where and how the body lies.
    #[test]
    fn rigid_motions_change_nothing(angle in -3.0..3.0f64, shift in prop::array::uniform3(-5.0..5.0f64)) {
        let start = cuboid([0.3, 0.5, 0.7], [0.1, 0.2, 0.3]);
        let (s, c) = angle.sin_cos();
        let moved = start.moved(|[x, y, z]| [c * x - s * y + shift[0], s * x + c * y + shift[1], z + shift[2]]).unwrap();
        let (a, b) = (start.solid().unwrap(), moved.solid().unwrap());
        prop_assert!((a.volume - b.volume).abs() < 1e-13);
        prop_assert!((a.inertia[2] - b.inertia[2]).abs() < 1e-13);
        prop_assert!((a.inertia[0] + a.inertia[1] - b.inertia[0] - b.inertia[1]).abs() < 1e-13);
        let expected = [c * a.centre[0] - s * a.centre[1] + shift[0], s * a.centre[0] + c * a.centre[1] + shift[1]];
        prop_assert!((b.centre[0] - expected[0]).abs() < 1e-12 && (b.centre[1] - expected[1]).abs() < 1e-12);
    }

    /// No file makes the readers panic.
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), solid in any::<bool>()) {
        let mut file = if solid { b"solid ".to_vec() } else { Vec::new() };
        file.extend(&bytes);
        let _ = TriMesh::from_stl(&file).map(|mesh| mesh.solid());
        let _ = TriMesh::from_obj(&String::from_utf8_lossy(&file)).map(|mesh| mesh.solid());
    }

    /// Files made of the words of the format, in any order.
    #[test]
    fn any_words_are_answered(words in prop::collection::vec("(v|f|vertex|facet|endfacet|outer loop|-?[0-9]{1,3}|/|\n|1e999|nan)", 0..80)) {
        let text = words.join(" ");
        let _ = TriMesh::from_obj(&text).map(|mesh| mesh.solid());
        let _ = TriMesh::from_stl(format!("solid\n{text}").as_bytes()).map(|mesh| mesh.solid());
    }
}
