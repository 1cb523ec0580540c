//! Several busy pairs of meshes on several threads: nothing is allocated once their memory has grown.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use gelenk_laws::contact::Regularisation;
use gelenk_mesh::contact::{Pair, Settings, Surface};
use gelenk_mesh::make;
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{BodyRef, Element, Frame, FrameId};
use gelenk_multibody::elements::mesh_contact::{ContactSide, MeshContact};
use gelenk_system::System;
use gelenk_testing::allocations::{self, Counting};
use gelenk_testing::draft::Draft;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Decision 5: three balls on a fourth one, three busy pairs of meshes that are fine enough to be shared among threads, two threads, the run inside the pool as the program does it.
#[test]
fn busy_pairs_do_not_allocate() {
    let surface = Arc::new(Surface::new(&make::icosphere(0.1, 5)).unwrap());
    let mut draft = Draft::new([0.0; 3]);
    for (i, place) in [[0.0; 3], [0.18, 0.0, 0.0], [0.0, 0.18, 0.0], [0.0, 0.0, 0.18]].into_iter().enumerate()
    {
        let name = format!("ball{i}");
        let body = draft.body(&name, 1.0, [0.0; 3], [0.01; 3]);
        let free = draft.free([0.0; 3], [0.0; 3]);
        draft.joint(&name, BodyRef::Ground, body, place, free);
        let (position, orientation) = (draft.numbers([0.0; 3]), draft.numbers([0.1, 0.2, 0.3]));
        draft.add(Frame { name, body: BodyRef::Body(body), position, orientation });
    }
    for b in 1..4 {
        let [stiffness, damping, depth, friction, speed] = draft.numbers([2e6, 800.0, 1e-3, 0.4, 2e-3]);
        let contact = MeshContact {
            pair: Arc::new(Pair {
                first: surface.clone(),
                second: surface.clone(),
                settings: Settings::default(),
            }),
            sides: [ContactSide::Stiffness(stiffness), ContactSide::Rigid],
            damping,
            depth,
            friction,
            speed,
            form: Regularisation::Quadratic,
            events: false,
        };
        draft.add(Element::new(format!("c{b}"), contact, Attachment::Bodies([0, b].map(FrameId::nth)), &[]));
    }
    let mechanism = draft.build();
    let layout = mechanism.layout();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let mut d = mechanism.data::<f64>();
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    let mut dx = vec![0.0; layout.nx()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let counts = pool.install(|| {
        [0; 3].map(|_| {
            let before = allocations::total();
            for step in 0..20 {
                x[0] = 0.02 * (0.3 * f64::from(step)).sin();
                mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
            }
            allocations::total() - before
        })
    });
    assert!(counts[0] > 0, "the counter does not count");
    assert!(dx[layout.v()].iter().any(|a| a.abs() > 1.0), "no contact");
    assert_eq!(counts[2], 0, "{counts:?}");
}
