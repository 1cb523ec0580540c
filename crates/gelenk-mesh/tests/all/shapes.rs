//! Generators, checks, repair, refinement and files of meshes.

use gelenk_mesh::{Format, MeshError, Mistake, Repair, TriMesh, make};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::f64::consts::PI;

fn closed_shapes() -> Vec<(&'static str, TriMesh, f64)> {
    let (r, h) = (0.3, 0.8);
    let cap = 4.0 / 3.0 * PI * r * r * r;
    vec![
        ("cuboid", make::cuboid([0.4, 0.5, 0.6], 3), 0.12),
        ("sphere", make::sphere(r, 64, 63), cap),
        ("icosphere", make::icosphere(r, 4), cap),
        ("cylinder", make::cylinder(r, h, 96, 4), PI * r * r * h),
        ("cone", make::cone(r, h, 96, 8), PI * r * r * h / 3.0),
        ("capsule", make::capsule(r, h, 64, 32), PI * r * r * h + cap),
        ("torus", make::torus(r, 0.1, 96, 48), 2.0 * PI * PI * r * 0.01),
        ("ellipsoid", make::ellipsoid([0.1, 0.2, 0.3], 3000), 4.0 / 3.0 * PI * 0.006),
        ("even capsule", make::tapered_capsule([r, r], h, 4000), PI * r * r * h + cap),
        ("elliptic loft", make::loft(&[section(0.0), section(0.5)], 5, 80, 2.0), PI * 0.2 * 0.1 * 0.5),
        ("loft to the rear", make::loft(&[section(0.5), section(0.0)], 5, 80, 2.0), PI * 0.2 * 0.1 * 0.5),
    ]
}

fn section(x: f64) -> make::Section {
    make::Section { x, heights: [0.1, 0.3], width: 0.4 }
}

/// H-R7: bodies of even triangles have exactly as many as are asked for, as case H-4 gives them, and none is a sliver.
#[test]
fn even_bodies_have_their_triangles() {
    for triangles in [8, 10, 1704, 2710, 1538, 1236, 1182, 1542, 1240, 1216, 834] {
        for (name, mesh) in [
            ("ellipsoid", make::ellipsoid([0.098, 0.077, 0.112], triangles)),
            ("capsule", make::tapered_capsule([0.04, 0.06], 0.2, triangles)),
        ] {
            assert_eq!(mesh.triangles().len(), triangles, "{name}");
            let survey = mesh.survey().unwrap();
            assert!(survey.closed && survey.findings.is_empty(), "{name} {triangles} {survey:?}");
            let spread = survey.edge_lengths[1] / survey.edge_lengths[0];
            assert!(triangles < 800 || spread < 2.6, "{name} {triangles}: edges differ by {spread}");
        }
    }
    assert!(make::tapered_capsule([0.3, 0.1], 0.1, 100).triangles().is_empty());
    assert!(make::loft(&[section(0.0)], 1, 20, 4.0).triangles().is_empty());
    let back_and_forth = [section(0.0), section(1.0), section(0.5)];
    assert!(make::loft(&back_and_forth, 1, 20, 4.0).triangles().is_empty());
    // 31 stations of 20 vertices and two fans.
    let car: Vec<make::Section> = (0..11).map(|i| section(f64::from(i))).collect();
    assert_eq!(make::loft(&car, 3, 20, 6.0).triangles().len(), 1240);
}

/// H-R7: every generated body is closed, oriented and has the volume of its closed form within 0.5 %.
#[test]
fn generated_bodies_have_their_volume() {
    for (name, mesh, volume) in closed_shapes() {
        let survey = mesh.survey().unwrap();
        assert!(survey.closed && survey.findings.is_empty(), "{name} {survey:?}");
        assert_eq!(survey.components, 1, "{name}");
        assert!((survey.volume / volume - 1.0).abs() < 5e-3, "{name} {} {volume}", survey.volume);
        assert!((mesh.solid().unwrap().volume - survey.volume).abs() < 1e-12);
    }
}

/// H-R7: counts and sizes that the cases H-1, H-2 and H-3 of the specification give.
#[test]
fn cases_have_their_counts() {
    let bubble = make::dumbbell(0.1, 0.1, 0.025, 25, 19);
    assert_eq!(bubble.triangles().len(), 950);
    let survey = bubble.survey().unwrap();
    assert!(survey.closed && survey.findings.is_empty());
    assert!((survey.bounds[1][2] - 0.2).abs() < 1e-15);
    let radius = |v: &[f64; 3]| v[0].hypot(v[1]);
    // 19 rings: the middle one lies at the waist.
    let waist = bubble.vertices().iter().filter(|v| v[2].abs() < 1e-12).map(radius).fold(0.0, f64::max);
    assert!((waist - 0.05).abs() < 1e-12, "{waist}");
    let wheel =
        make::wheel(&[[-100.5, 150.0], [-100.5, 275.94], [0.0, 285.5], [100.5, 277.82], [100.5, 150.0]], 52);
    assert_eq!(wheel.triangles().len(), 416);
    let [low, high] = wheel.bounding_box().unwrap();
    assert!((low[2] + 285.5).abs() < 1e-9 && (high[1] - low[1] - 201.0).abs() < 1e-12);
    assert_eq!(wheel.survey().unwrap().holes, 2);
    for (n, triangles) in [(5, 32), (10, 162), (20, 722)] {
        assert_eq!(make::paraboloid(0.2, 0.024, n).triangles().len(), triangles);
    }
    let funnel = make::funnel(2.0, 0.5);
    assert_eq!(funnel.triangles().len(), 4);
    assert!(funnel.corners().all(|[a, b, c]| (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])));
    assert_eq!(make::icosphere(1.0, 3).triangles().len(), 1280);
    // H-3b: the same funnel of 4 n^2 triangles, with one border.
    for n in [1, 2, 3, 16] {
        let divided = make::divided_funnel(2.0, 0.5, n);
        let (survey, whole) = (divided.survey().unwrap(), funnel.survey().unwrap());
        assert_eq!((survey.triangles, survey.holes, survey.components), (4 * n * n, 1, 1));
        assert!((survey.area - whole.area).abs() < 1e-12 && survey.bounds == whole.bounds);
    }
}

/// H-R4: every mistake is found and counted.
#[test]
fn mistakes_are_found() {
    let found = |mesh: &TriMesh| -> Vec<(Mistake, usize)> {
        mesh.survey().unwrap().findings.iter().map(|finding| (finding.kind, finding.count)).collect()
    };
    let whole = make::cuboid([1.0; 3], 1);
    let (vertices, triangles) = (whole.vertices().to_vec(), whole.triangles().to_vec());
    assert_eq!(found(&whole.reversed()), [(Mistake::Inward, 1)]);
    let open = TriMesh::new(vertices.clone(), triangles[1..].to_vec()).unwrap();
    assert_eq!(found(&open), [(Mistake::Holes, 3)]);
    assert_eq!(open.survey().unwrap().holes, 1);
    let mut turned = triangles.clone();
    turned[0].swap(0, 1);
    let turned = TriMesh::new(vertices.clone(), turned).unwrap();
    assert_eq!(found(&turned), [(Mistake::Orientation, 3)]);
    // What is turned hangs together all the same, and has no holes.
    let survey = turned.survey().unwrap();
    assert_eq!((survey.components, survey.holes), (1, 0));
    let mut wall = triangles.clone();
    wall.push(triangles[0]);
    assert_eq!(found(&TriMesh::new(vertices.clone(), wall).unwrap())[0], (Mistake::NonManifold, 3));
    let mut flat = triangles.clone();
    flat.push([0, 0, 1]);
    let kinds: Vec<Mistake> =
        found(&TriMesh::new(vertices.clone(), flat).unwrap()).iter().map(|entry| entry.0).collect();
    assert!(kinds.contains(&Mistake::Degenerate));
    let mut more = vertices.clone();
    more.push([9.0; 3]);
    assert_eq!(found(&TriMesh::new(more, triangles).unwrap()), [(Mistake::Unused, 1)]);
    // A soup of triangles that share nothing.
    let corners: Vec<[f64; 3]> = whole.corners().flatten().collect();
    let soup = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let soup = TriMesh::new(corners, soup).unwrap();
    assert_eq!(found(&soup), [(Mistake::Duplicates, 28), (Mistake::Holes, 36)]);
    // The same with corners that miss each other by a millionth of a millimetre.
    let shaken = soup.vertices().iter().zip(1..).map(|(p, i)| [p[0] + 1e-9 * f64::from(i % 5), p[1], p[2]]);
    let shaken = TriMesh::new(shaken.collect(), soup.triangles().to_vec()).unwrap();
    assert!(found(&shaken).iter().any(|&(kind, count)| kind == Mistake::Near && count > 20));
    let (joined, _) = shaken.repaired(&Repair { weld: 1e-6, ..Repair::default() }).unwrap();
    assert!(joined.survey().unwrap().findings.is_empty());
    assert_eq!(TriMesh::default().survey(), Err(MeshError::Empty));
}

/// Meshes one after the other as one.
fn together(meshes: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let shift = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|vertex| vertex + shift)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// H-R4, H-R5: a cavity faces into itself, and stays so; a body in the cavity, and one beside it, face outwards again.
/// The volume of a hollow box with a ball inside says so.
#[test]
fn cavities_stay() {
    let shift = |mesh: TriMesh, x: f64| mesh.moved(|[a, b, c]| [a + x, b, c]).unwrap();
    let (wall, hollow, ball) =
        (make::cuboid([1.0; 3], 2), make::cuboid([0.8; 3], 1).reversed(), make::icosphere(0.2, 1));
    let sound = together(&[wall.clone(), hollow.clone(), ball.clone(), shift(ball.clone(), 2.0)]);
    let survey = sound.survey().unwrap();
    assert!(survey.findings.is_empty() && survey.components == 4, "{survey:?}");
    let (same, done) = sound.repaired(&Repair::default()).unwrap();
    assert_eq!((same.triangles(), done.turned), (sound.triangles(), 0));
    let volume = |mesh: &TriMesh| mesh.solid().unwrap().volume;
    assert!((volume(&same) - (1.0 - 0.512 + 2.0 * volume(&ball))).abs() < 1e-12);
    // The ball inside and the one beside are inside out, and one triangle of the cavity is.
    let mut broken = together(&[wall, hollow, ball.reversed(), shift(ball.reversed(), 2.0)]);
    assert_eq!(broken.survey().unwrap().findings[0].count, 2);
    let mut triangles = broken.triangles().to_vec();
    triangles[50].swap(0, 1);
    broken = TriMesh::new(broken.vertices().to_vec(), triangles).unwrap();
    let (mended, _) = broken.repaired(&Repair::default()).unwrap();
    assert!(mended.survey().unwrap().findings.is_empty());
    assert!((volume(&mended) - volume(&same)).abs() < 1e-12);
}

/// H-R5: faces that are there twice go.
#[test]
fn doubled_faces_go() {
    let whole = make::torus(0.3, 0.1, 12, 8);
    let mut triangles = whole.triangles().to_vec();
    let [a, b, c] = triangles[7];
    triangles.push([b, c, a]);
    let (mended, done) =
        TriMesh::new(whole.vertices().to_vec(), triangles).unwrap().repaired(&Repair::default()).unwrap();
    assert_eq!((mended.triangles(), done.dropped), (whole.triangles(), 1));
}

/// H-R5: a broken box becomes a closed one of the same volume.
#[test]
fn repair_makes_a_body() {
    let whole = make::cuboid([1.0, 2.0, 3.0], 2);
    let mut corners: Vec<[f64; 3]> = whole.corners().flatten().collect();
    // Vertices off by less than the welding distance, every third triangle turned, a doubled corner.
    corners.iter_mut().enumerate().for_each(|(i, corner)| corner[0] += 1e-7 * (i % 7) as f64);
    let mut triangles: Vec<[u32; 3]> =
        (0..corners.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    triangles.iter_mut().step_by(3).for_each(|t| t.swap(0, 1));
    triangles.push([0, 0, 1]);
    corners.push([5.0; 3]);
    let broken = TriMesh::new(corners, triangles).unwrap();
    let (mesh, done) = broken.repaired(&Repair { weld: 1e-5, ..Repair::default() }).unwrap();
    let survey = mesh.survey().unwrap();
    assert!(survey.closed && survey.findings.is_empty(), "{survey:?}");
    assert!((survey.volume - 6.0).abs() < 1e-5, "{}", survey.volume);
    assert_eq!((mesh.triangles().len(), done.dropped, done.unused), (whole.triangles().len(), 1, 1));
    assert!(done.turned > 0 && done.welded > 0);
}

/// H-R5: a vertex on an edge makes a flat triangle; it goes and the surface stays closed.
#[test]
fn flat_triangles_go() {
    // A tetrahedron whose edge 0-1 has a vertex 4 in its middle, joined only on one side by a flat triangle 0-1-4.
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.0]];
    let triangles = vec![[0, 2, 1], [0, 4, 3], [4, 1, 3], [0, 1, 4], [0, 3, 2], [1, 2, 3]];
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!(mesh.survey().unwrap().closed);
    let (mesh, done) = mesh.repaired(&Repair::default()).unwrap();
    let survey = mesh.survey().unwrap();
    assert!(survey.closed && survey.findings.is_empty(), "{survey:?}");
    assert!((survey.volume - 1.0 / 6.0).abs() < 1e-15);
    assert_eq!(done.turned, 0);
}

/// H-R5: four times the triangles, the same surface.
#[test]
fn subdivision_keeps_the_surface() {
    for (name, mesh, _) in closed_shapes() {
        let (before, fine) = (mesh.survey().unwrap(), mesh.subdivided());
        let after = fine.survey().unwrap();
        assert_eq!(after.triangles, 4 * before.triangles);
        assert!(after.closed, "{name}");
        assert!((after.volume - before.volume).abs() < 1e-12 && (after.area - before.area).abs() < 1e-12);
    }
}

/// H-R5: a fine sphere of 5120 triangles becomes one of 500 that is closed and keeps 98 % of its volume; the flat
/// faces of a box cost nothing.
#[test]
fn decimation_keeps_the_shape() {
    let fine = make::icosphere(1.0, 4);
    let coarse = fine.decimated(500).unwrap();
    let survey = coarse.survey().unwrap();
    assert!(survey.closed && survey.findings.is_empty(), "{survey:?}");
    assert_eq!(survey.triangles, 500);
    assert!((survey.volume / (4.0 / 3.0 * PI) - 1.0).abs() < 0.02, "{}", survey.volume);
    let block = make::cuboid([1.0, 2.0, 3.0], 8).decimated(12).unwrap();
    assert!(block.triangles().len() <= 60, "{}", block.triangles().len());
    assert!((block.solid().unwrap().volume - 6.0).abs() < 1e-3, "{:?}", block.solid());
    // The rim of an open surface stays.
    let plane = make::plane([2.0, 2.0], [8, 8]).decimated(10).unwrap();
    let survey = plane.survey().unwrap();
    assert!((survey.area - 4.0).abs() < 1e-9 && survey.holes == 1, "{survey:?}");
}

/// H-R1: text and binary PLY of both orders, polygons, further properties and elements.
#[test]
fn ply_files_are_read() {
    let mesh = make::torus(1.0, 0.3, 7, 5);
    for format in [Format::Ply, Format::Obj] {
        assert_eq!(TriMesh::from_bytes(format, &mesh.to_bytes(format).unwrap()).unwrap(), mesh);
    }
    let head = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\n\
                property float z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\n\
                element other 1\nproperty list uchar float w\nend_header\n";
    let text = format!("{head}0 0 0 9\n4 -1 0 9\n1 0 0 9\n4 1 0 9\n4 0 1 2 3\n2 1 1\n");
    let mesh = TriMesh::from_ply(text.as_bytes()).unwrap();
    // The arrow head is dented at corner 2.
    assert_eq!(mesh.triangles().len(), 2);
    assert!(mesh.triangles().iter().all(|t| t.contains(&2) && t.contains(&0)));
    let mut big = b"ply\r\nformat binary_big_endian 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty double y\r\nproperty short z\r\nelement face 1\r\nproperty list uint ushort vertex_index\r\nend_header\r\n".to_vec();
    for (x, y, z) in [(0.5f32, 0.0f64, -1i16), (1.5, 0.0, -1), (0.0, 2.0, 7)] {
        big.extend(x.to_be_bytes());
        big.extend(y.to_be_bytes());
        big.extend(z.to_be_bytes());
    }
    big.extend(3u32.to_be_bytes());
    [0u16, 1, 2].iter().for_each(|i| big.extend(i.to_be_bytes()));
    let mesh = TriMesh::from_ply(&big).unwrap();
    assert_eq!(mesh.vertices(), [[0.5, 0.0, -1.0], [1.5, 0.0, -1.0], [0.0, 2.0, 7.0]]);
    let error = |text: &str| TriMesh::from_ply(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error("plx\n"), "line 1: a PLY file begins with the line \"ply\"");
    assert_eq!(
        error(&format!("{head}0 0 0 9\n4 -1 0 9\n1 0 0 9\n4 1 0 9\n4 0 1 2 5\n2 1 1\n")),
        "line 18: there is no vertex 5; the file has 4, counted from 0"
    );
    assert_eq!(error(&format!("{head}0 0 0 9\n")), "line 15: unexpected end of file");
    assert_eq!(error("ply\nelement vertex many\n"), "line 2: an element needs a name and a count");
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// No file makes the reader panic or ask for memory that its length does not justify.
    #[test]
    fn any_ply_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), n in 0u64..u64::MAX, form in 0..3usize) {
        let form = ["ascii", "binary_little_endian", "binary_big_endian"][form];
        let mut file = format!("ply\nformat {form} 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face {n}\nproperty list uchar int vertex_indices\nend_header\n").into_bytes();
        file.extend(&bytes);
        let _ = TriMesh::from_ply(&file).map(|mesh| mesh.survey().map(|_| mesh.repaired(&Repair::default()).map(|m| m.0.decimated(4))));
        let _ = TriMesh::from_ply(&bytes);
    }
}
