//! Rules of the polygonal contact model, one by one: segments, modes, order, undercut, places, names, purity.

use std::sync::Arc;

use gelenk_laws::contact::{Areal, Regularisation, Sliding};
use gelenk_math::spatial::{Motion, Pose, Vec3};
use gelenk_mesh::contact::{
    Detection, Lines, Master, Pair, PairElement, PairLaw, Placement, Regions, Scratch, Search, Settings,
    Surface, Undercut,
};
use gelenk_mesh::{TriMesh, make};

use crate::placing::{placement, pose, surface};

fn law(share: f64) -> PairLaw<f64> {
    PairLaw {
        areal: Areal { stiffness: 1e6, damping: 1e4, depth: 1e-3 },
        share,
        sliding: Sliding { friction: 0.3, speed: 1e-3, form: Regularisation::Quadratic, lagged: false },
    }
}

fn pair(first: &Arc<Surface>, second: &Arc<Surface>, master: Master) -> Pair {
    let settings = Settings { master, ..Settings::default() };
    Pair { first: first.clone(), second: second.clone(), settings }
}

fn triangle(corners: [[f64; 3]; 3]) -> Arc<Surface> {
    surface(&TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap())
}

/// H-R12: the ends of the segment of two triangles are those of the closed form, in the sense of eq. 4.10 and the other
/// way round with the roles exchanged; triangles in one plane have none (whether they overlap is told by `contact::coplanar`).
#[test]
fn a_segment_has_its_ends() {
    let flat = triangle([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    let upright = triangle([[0.5, 0.2, -1.0], [0.5, 3.0, 0.5], [0.5, 0.2, 1.0]]);
    let start = |first: &Surface, second: &Surface| {
        let mut search = Search::default();
        for detection in [Detection::Modern, Detection::Thesis] {
            assert!(search.run(first, second, &Placement::IDENTITY, detection, false));
            assert_eq!(search.segments.len(), 1);
        }
        let mut lines = Lines::default();
        lines.join(first, second, &Placement::IDENTITY, &mut search);
        // H-R16: a border leaves the line open, and it is there all the same.
        assert_eq!((lines.lines.len(), lines.lines[0].closed), (1, false));
        lines.points[0]
    };
    // n_e = z, n_f = x: along n_e x n_f = y the flat triangle holds 0 to 1.5, the upright one 0.2 to 2.07.
    let ends = [start(&flat, &upright), start(&upright, &flat)];
    for (end, y) in ends.iter().zip([0.2, 1.5]) {
        for (found, expected) in end.iter().zip([0.5, y, 0.0]) {
            assert!((found - expected).abs() < 1e-15, "{ends:?}");
        }
    }
    let shifted = triangle([[0.3, 0.3, 0.0], [2.3, 0.3, 0.0], [0.3, 2.3, 0.0]]);
    let mut search = Search::default();
    assert!(!search.run(&flat, &shifted, &Placement::IDENTITY, Detection::Modern, false));
    assert_eq!(search.counts.triangles, 1);
}

/// H-R11: detection alone says the same as all segments, and ends with the first one.
#[test]
fn detection_alone_ends_early() {
    let (ball, ring) = (surface(&make::icosphere(0.1, 3)), surface(&make::torus(0.2, 0.05, 40, 20)));
    for detection in [Detection::Modern, Detection::Thesis] {
        let mut search = Search::default();
        for (x, hit) in [(0.2, true), (0.08, true), (0.0, false), (0.4, false)] {
            let placed = placement(&pose([0.1, 0.2, 0.3], [x, 0.0, 0.0]));
            assert_eq!(search.run(&ring, &ball, &placed, detection, false), hit, "{x}");
            let (all, counts) = (search.segments.len(), search.counts);
            assert_eq!(search.run(&ring, &ball, &placed, detection, true), hit, "{x}");
            assert_eq!(search.segments.len(), usize::from(hit));
            assert!(!hit || (all > 10 && search.counts.triangles < counts.triangles), "{:?}", search.counts);
        }
    }
}

/// H-R19: lines, regions and active triangles do not depend on the order in which segments were found.
#[test]
fn the_order_of_segments_does_not_matter() {
    let bell = surface(&make::dumbbell(0.1, 0.1, 0.025, 25, 19));
    let placed = placement(&pose([0.02, 0.01, 0.4], [0.185, 0.01, 0.02]));
    let find = |turn: bool| {
        let mut search = Search::default();
        assert!(search.run(&bell, &bell, &placed, Detection::Modern, false));
        if turn {
            search.segments.reverse();
            search.segments.rotate_left(7);
        }
        let (mut lines, mut regions) = (Lines::default(), Regions::default());
        lines.join(&bell, &bell, &placed, &mut search);
        regions.find(&bell, &bell, &placed, &mut search, &lines);
        let active = [regions.active(0).to_vec(), regions.active(1).to_vec()];
        (lines.lines, lines.points, lines.next, regions.count(), active)
    };
    assert_eq!(find(false), find(true));
}

/// H-R23: of several faces behind an element the nearest one counts. A slab hangs into a standing ring: its lower face
/// looks down into the lower tube, and the lines upwards leave the lower tube at once and the upper one 0.4 m later.
#[test]
fn undercut_takes_the_nearest_face() {
    let slab = surface(&make::cuboid([0.6, 0.2, 0.71], 20));
    let ring = surface(&make::torus(0.2, 0.05, 60, 30));
    // The slab's lower face is at z = -0.21 of the ring, whose tube reaches from -0.25 to -0.15 below.
    let standing = pose([std::f64::consts::FRAC_PI_2, 0.0, 0.0], [0.003, 0.002, -0.355 + 0.21]);
    let pair = pair(&slab, &ring, Master::First);
    let mut scratch = Scratch::default();
    pair.find(&placement(&standing), &mut scratch);
    assert!(scratch.elements.len() > 10, "{}", scratch.elements.len());
    for element in &scratch.elements {
        let state = pair.element(element, &law(0.5), &standing, &Motion::zero());
        assert!(state.depth > 0.0 && state.depth < 0.2, "{}", state.depth);
    }
}

/// A triangle whose centroid is outside the slave gives no element, whatever its line meets behind: of a ball that has come
/// out of a thin plate on the far side, and of a slab through the two tubes of a standing ring. The rule of the thesis
/// counts them with the depth to the far side.
#[test]
fn what_is_outside_gives_no_element() {
    let plate = surface(&make::cuboid([0.5, 0.5, 0.01], 8));
    let (ball, ring) = (surface(&make::icosphere(0.1, 3)), surface(&make::torus(0.2, 0.05, 60, 30)));
    let slab = surface(&make::cuboid([0.6, 0.2, 0.71], 20));
    let through = pose([0.1, 0.2, 0.0], [0.003, 0.002, 0.05]);
    let standing = pose([std::f64::consts::FRAC_PI_2, 0.0, 0.0], [0.003, 0.002, -0.355 + 0.19]);
    for (first, second, place, known) in [(&plate, &ball, through, true), (&slab, &ring, standing, false)] {
        for master in [Master::First, Master::Second] {
            let mut outside = [0; 2];
            for (rule, count) in [Undercut::Nearest, Undercut::Thesis].into_iter().zip(&mut outside) {
                let mut pair = pair(first, second, master);
                pair.settings.undercut = rule;
                let mut scratch = Scratch::default();
                pair.find(&placement(&place), &mut scratch);
                assert!(!scratch.elements.is_empty());
                for element in &scratch.elements {
                    let triangle = element.master as usize;
                    let inside = if master == Master::First {
                        second.contains(placement(&place).point_back(first.centroids()[triangle]))
                    } else {
                        first.contains(placement(&place).point(second.centroids()[triangle]))
                    };
                    *count += usize::from(!inside);
                }
            }
            assert_eq!(outside[0], 0);
            assert!(!known || master == Master::First || outside[1] > 20, "{outside:?}");
        }
    }
}

/// H-R24: the force acts at the share `lambda` of the way from the first surface to the second, whichever is the master:
/// with parallel faces `d` apart at `-lambda d` (closed form).
#[test]
fn elements_stand_where_lambda_says() {
    let block = surface(&make::cuboid([1.0, 1.0, 1.0], 6));
    let small = surface(&make::cuboid([0.37, 0.41, 0.3], 5));
    // The top of the block is at z = 0.5; the small one sinks in by 10 mm.
    let sunk = pose([0.0, 0.0, 0.3], [0.02, 0.01, 0.5 + 0.15 - 0.01]);
    for share in [0.0, 0.25, 1.0] {
        for master in [Master::First, Master::Second] {
            let pair = pair(&block, &small, master);
            let mut scratch = Scratch::default();
            pair.find(&placement(&sunk), &mut scratch);
            assert!(scratch.elements.len() > 4);
            for element in &scratch.elements {
                let state = pair.element(element, &law(share), &sunk, &Motion::zero());
                assert!((state.depth - 0.01).abs() < 1e-12);
                assert!((state.position[2] - (0.5 - share * 0.01)).abs() < 1e-12, "{:?}", state.position);
                assert!((state.normal[2] + 1.0).abs() < 1e-12, "into the first body");
            }
        }
    }
}

/// H-R26: an element has a name, its side and its triangle, which occurs once and stays while it is in contact.
#[test]
fn elements_keep_their_names() {
    let ball = surface(&make::icosphere(0.1, 3));
    let pair = pair(&ball, &ball, Master::Both);
    let names = |x: f64| {
        let mut scratch = Scratch::default();
        pair.find(&placement(&pose([0.1, 0.2, 0.3], [x, 0.0, 0.0])), &mut scratch);
        let name = |element: &PairElement| (element.second_is_master, element.master);
        scratch.elements.iter().map(name).collect::<Vec<_>>()
    };
    let (shallow, deep) = (names(0.19), names(0.1895));
    assert!(shallow.is_sorted_by(|a, b| a < b) && !shallow.is_empty());
    assert!(deep.len() >= shallow.len() && shallow.iter().all(|name| deep.contains(name)));
}

/// H-R31: an evaluation is a function of pose and velocity alone, to the bit, whatever the memory was used for before.
#[test]
fn evaluations_remember_nothing() {
    let (ball, bell) = (surface(&make::icosphere(0.1, 3)), surface(&make::dumbbell(0.1, 0.1, 0.025, 25, 19)));
    let pair = pair(&ball, &bell, Master::Both);
    let motion = Motion::new(Vec3::new(0.3, -0.2, 0.1), Vec3::new(-0.1, 0.02, 0.3));
    let evaluate = |scratch: &mut Scratch, pose: &Pose<f64>| {
        pair.find(&placement(pose), scratch);
        let outcome = pair.wrench(&scratch.elements, &law(0.5), pose, &motion);
        let wrench = outcome.wrench;
        let numbers: Vec<u64> = wrench.lin.iter().chain(wrench.ang.iter()).map(|x| x.to_bits()).collect();
        (numbers, outcome.stored.to_bits(), scratch.search.counts)
    };
    let here = pose([0.1, 0.2, 0.3], [0.15, 0.01, 0.1]);
    let fresh = evaluate(&mut Scratch::default(), &here);
    let mut scratch = Scratch::default();
    for other in [[0.05, 0.0, 0.0], [0.4, 0.0, 0.0], [0.12, 0.05, -0.1]] {
        evaluate(&mut scratch, &pose([0.0, 0.7, 0.1], other));
        assert_eq!(evaluate(&mut scratch, &here), fresh);
    }
    scratch.timed = true;
    assert_eq!(evaluate(&mut scratch, &here), fresh);
    // H-R53: times are measured where they are asked for.
    assert!(scratch.times[0] > 0.0 && scratch.times[2] > 0.0, "{:?}", scratch.times);
}
