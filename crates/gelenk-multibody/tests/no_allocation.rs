//! The recursive algorithms allocate nothing: counted by the allocator.

#![allow(clippy::unwrap_used)]

use gelenk_laws::Friction;
use gelenk_math::expression::Expression;
use gelenk_multibody::blueprint::{BodyRef, Element, Loop, LoopKind};
use gelenk_multibody::{Attachment, Closing};
use gelenk_solve::lanes::{Pick, WIDTH, lanes};
use gelenk_solve::{Method, Options};
use gelenk_system::{Constrained, Nanos, System};
use gelenk_testing::allocations::{self, Counting};
use gelenk_testing::draft::Draft;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Once with a coordinate of its own for the second hinge, once with a shared one, so that both ways of forward dynamics
/// are taken.
#[test]
fn algorithms_do_not_allocate() {
    for shared in [false, true] {
        let mut draft = Draft::new([0.0, 0.0, -9.81]);
        let base = draft.body("base", 2.0, [0.1, 0.0, 0.2], [0.3, 0.4, 0.5]);
        let free = draft.free([0.0; 3], [0.0; 3]);
        draft.joint("float", BodyRef::Ground, base, [0.0; 3], free);
        let mut coordinate = draft.coordinate("phi0", 0.0, 0.0);
        for k in 1..3 {
            let arm = draft.body(&format!("arm{k}"), 1.0, [0.0, 0.2, 0.1], [0.1, 0.2, 0.2]);
            let hinge = draft.revolute([0.0, 1.0, 0.3], coordinate);
            draft.joint(&format!("hinge{k}"), BodyRef::Body(base), arm, [0.0, 0.3, 0.0], hinge);
            if !shared && k == 1 {
                coordinate = draft.coordinate("phi1", 0.0, 0.0);
            }
        }
        let mechanism = draft.build();
        let layout = mechanism.layout();
        let mut d = mechanism.data::<f64>();
        let mut q = vec![0.4; layout.nq];
        let (v, given, mut out) = (vec![0.3; layout.nv], vec![0.2; layout.nv], vec![0.0; layout.nv]);
        let mut mass = vec![0.0; layout.nv * layout.nv];
        let before = allocations::of_thread();
        for step in 0..10 {
            q[0] = 0.1 * f64::from(step);
            mechanism.inverse_dynamics(&mut d, 0.0, &q, &v, &given, &mut out).unwrap();
            mechanism.forward_dynamics(&mut d, 0.0, &q, &v, &given, &mut out).unwrap();
            mechanism.mass_matrix(&mut d, 0.0, &q, &mut mass).unwrap();
        }
        assert_eq!(allocations::of_thread() - before, 0, "shared: {shared}");
        assert!(before > 0 && out.iter().all(|a| a.is_finite()));
    }
}

/// Rates and projections of a partitioned loop do not allocate, either, also where the partition is made anew.
#[test]
fn partitions_do_not_allocate() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    for name in ["first", "second"] {
        let coordinate = draft.coordinate(name, 0.6, 0.0);
        let arm = draft.body(name, 1.0, [0.0, 0.2, 0.1], [0.1, 0.2, 0.2]);
        let hinge = draft.revolute([0.0, 1.0, 0.3], coordinate);
        draft.joint(name, BodyRef::Ground, arm, [0.0, 0.3, 0.0], hinge);
    }
    let kind = LoopKind::Coupling(Expression::parse("first^2 + second^2 - 1").unwrap());
    draft.add(Loop { name: "circle".into(), kind });
    let mut mechanism = draft.build();
    mechanism.set_closing(Closing::Partition);
    let layout = mechanism.layout();
    let mut d = mechanism.data::<f64>();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    let mut dx = vec![0.0; layout.nx()];
    // The split is the end of the memory.
    let at = layout.nm - 2;
    let (before, split) = (allocations::of_thread(), (m[at], m[at + 1]));
    for angle in [0.8f64, 0.3, 1.2] {
        x[..2].copy_from_slice(&[angle.cos() + 1e-3, angle.sin()]);
        mechanism.project(&mut d, 0.0, &mut x, &mut m).unwrap();
        mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
    }
    assert_eq!(allocations::of_thread(), before);
    assert!(split.0 + split.1 == 1.0 && m[at] + m[at + 1] == 1.0 && m[at + 1] == 1.0, "{split:?} {m:?}");
}

/// Runs in lockstep allocate for their workspace and results only: as often for ten groups of a thousand steps as for one of ten.
#[test]
fn lanes_do_not_allocate_between_runs_and_steps() {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let coordinate = draft.coordinate("phi", 0.6, 0.0);
    let arm = draft.body("arm", 1.0, [0.0, 0.2, 0.1], [0.1, 0.2, 0.2]);
    let hinge = draft.revolute([1.0, 0.0, 0.0], coordinate);
    draft.joint("hinge", BodyRef::Ground, arm, [0.0; 3], hinge);
    let parameters = draft.numbers([0.02, 0.03, 0.05, 200.0, 0.5, 0.8, 0.004, 2.0, 1.0, 0.0, 0.0]).to_vec();
    draft.add(Element::new("friction", Friction::LuGre, Attachment::Coordinate(coordinate), &parameters));
    let mechanism = draft.build();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let count = |method: Method, groups: usize, steps: u64| {
        let runs = vec![mechanism.parameters().values(); groups * WIDTH];
        let until = Nanos(steps * method.step().unwrap().0);
        let options = Options { until, output: until, method };
        pool.install(|| {
            let before = allocations::of_thread();
            let found = lanes(&mechanism, &options, &[Pick::State(0)], &runs, |_, rows| Ok(rows.alone()));
            let count = allocations::of_thread() - before;
            assert!(found.unwrap().into_iter().all(|alone| alone == Ok(false)));
            count
        })
    };
    // Bristles are stiff in fast sliding.
    for method in [Method::Stepped { step: Nanos(1_000_000) }, Method::Rk4 { step: Nanos(10_000) }] {
        let few = count(method, 1, 10);
        assert!(few > 0);
        assert_eq!(count(method, 10, 1000), few, "{method:?}");
    }
}
