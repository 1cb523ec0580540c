//! The study of hippmann 5.3 (case H-3b): how the work of the detection depends on the triangles of a surface and on which
//! of the two is the first one.

use gelenk_mesh::contact::{Detection, Master, Pair, Placement, Search, Settings, Surface};
use gelenk_mesh::make;
use std::sync::Arc;

/// Operations of a box test and of a triangle test, in the middle of what hippmann 4.1 gives: 12 to 36 and 76 to 181.
const WORK: [f64; 2] = [24.0, 128.0];

/// The funnel in the frame of a bubble whose long axis (z) lies horizontally at a height above the tip, turned by `yaw`.
fn funnel_from_bubble(height: f64, yaw: f64) -> Placement {
    let (s, c) = yaw.sin_cos();
    // Axes of the bubble in the frame of the funnel, as columns; its z lies in the horizontal plane.
    let bubble = [[0.0, -s, c], [0.0, c, s], [-1.0, 0.0, 0.0]];
    let rotation: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|k| bubble[k][i]));
    let position: [f64; 3] = std::array::from_fn(|i| -rotation[i][2] * height);
    Placement { rotation, position }
}

fn inverse(placement: &Placement) -> Placement {
    let rotation: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|k| placement.rotation[k][i]));
    let position = placement.turn_back(placement.position).map(|x| -x);
    Placement { rotation, position }
}

/// Mean work over the poses, with the bubble first and with the funnel first.
fn work(bubble: &Surface, funnel: &Surface, detection: Detection) -> [f64; 2] {
    let mut sums = [0.0; 2];
    let mut search = Search::default();
    // Deep in contact, touching, and in flight.
    let poses = 3 * 19;
    for k in 0..poses {
        let height = [0.13, 0.16, 0.3][k as usize % 3];
        let placement = funnel_from_bubble(height, f64::from(k / 3 * 5).to_radians());
        let mut cost = |first: &Surface, second: &Surface, placement: &Placement| {
            search.run(first, second, placement, detection, false);
            search.counts.boxes as f64 * WORK[0] + search.counts.triangles as f64 * WORK[1]
        };
        sums[0] += cost(bubble, funnel, &placement);
        sums[1] += cost(funnel, bubble, &inverse(&placement));
    }
    sums.map(|sum| sum / f64::from(poses))
}

/// H-R59, H-R60: fifty meshes of one funnel, from 4 to 10,000 triangles, in both roles. The three trends of the thesis:
/// with a coarse funnel it saves about a third to have the surface with the larger boxes first; refining to about 1000
/// triangles more than halves the work and makes the order nearly irrelevant; finer meshes raise it slowly. The advice of a
/// pair says the same.
#[test]
fn fifty_meshes_show_the_trends_of_the_thesis() {
    let bubble = Arc::new(Surface::new(&make::dumbbell(0.1, 0.1, 0.025, 25, 19)).unwrap());
    let mut costs = Vec::new();
    for n in 1..=50 {
        let funnel = Arc::new(Surface::new(&make::divided_funnel(2.0, 0.5, n)).unwrap());
        let thesis = work(&bubble, &funnel, Detection::Thesis);
        let modern = work(&bubble, &funnel, Detection::Modern);
        println!(
            "{} triangles: thesis {:.0} / {:.0}, modern {:.0} / {:.0}",
            4 * n * n,
            thesis[0],
            thesis[1],
            modern[0],
            modern[1]
        );
        let settings =
            Settings { master: Master::First, detection: Detection::Thesis, ..Settings::default() };
        let pair = Pair { first: bubble.clone(), second: funnel, settings };
        costs.push((thesis, modern, pair.advice()));
    }
    let (coarse, _, advice) = costs[0];
    assert!(coarse[1] < 0.75 * coarse[0], "{coarse:?}");
    assert!(advice.exchange && advice.master == Master::First && !advice.coarse_master);
    // 4 * 16^2 = 1024 triangles.
    let (middle, _, _) = costs[15];
    assert!(middle[0] < 0.5 * coarse[0] && middle[1] < 0.5 * coarse[0], "{middle:?} {coarse:?}");
    // What the order still matters, of what it mattered.
    assert!(middle[0] - middle[1] < 0.25 * (coarse[0] - coarse[1]), "{middle:?} {coarse:?}");
    let (fine, _, last) = costs[49];
    assert!(!last.exchange);
    assert!(fine[0] > middle[0] && fine[0] < 2.0 * middle[0], "{fine:?} {middle:?}");
    // The boxes of today are never more work, and do not mind the order.
    for (thesis, modern, advice) in &costs {
        assert!(!advice.exchange || thesis[1] < thesis[0], "{thesis:?}");
        assert!(modern[0] < thesis[0] && modern[1] < thesis[1], "{modern:?} {thesis:?}");
        assert!((modern[0] / modern[1] - 1.0).abs() < 0.1, "{modern:?}");
    }
}
