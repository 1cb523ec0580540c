//! Ways of keeping loops closed: the circle of S-1, a four-bar, and the derivatives of a partition.

use gelenk_math::expression::Expression;
use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_multibody::blueprint::*;
use gelenk_multibody::{Closing, Mechanism};
use gelenk_solve::Method;
use gelenk_system::{Constrained, Fault, Nanos, System};
use gelenk_testing::draft::{Draft, run};

const TIGHT: Method = Method::Dopri5 { rtol: 1e-12, atol: 1e-12, max_step: f64::INFINITY };

fn rk4(step: f64) -> Method {
    Method::Rk4 { step: Nanos::from_seconds(step).unwrap() }
}

/// A point mass on a circle of 1 m, released at rest from (1, 0).
fn circle(closing: Closing) -> Mechanism {
    let mut draft = Draft::new([0.0, -9.81, 0.0]);
    let (x, y) = (draft.coordinate("x", 1.0, 0.0), draft.coordinate("y", 0.0, 0.0));
    let bead = draft.body("bead", 1.0, [0.0; 3], [1e-3; 3]);
    let zero = draft.number(0.0);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| draft.numbers(axis));
    let translation = [Scalar::Coordinate(x), Scalar::Coordinate(y), Scalar::Constant(zero)];
    let rotation = [0; 3].map(|_| Scalar::Constant(zero));
    draft.joint(
        "plane",
        BodyRef::Ground,
        bead,
        [0.0; 3],
        JointMotion::General { translation, axes, rotation },
    );
    // The square of the distance, as the case has it; the distance itself drifts differently.
    let kind = LoopKind::Coupling(Expression::parse("x^2 + y^2 - 1").unwrap());
    draft.add(Loop { name: "circle".into(), kind });
    let mut mechanism = draft.build();
    mechanism.set_closing(closing);
    mechanism
}

/// Largest `|x^2 + y^2 - 1|` over a run, and the energy error at its end.
fn on_circle(closing: Closing, until: f64) -> (f64, f64) {
    let (rows, _) = run(&circle(closing), rk4(0.01), until, 0.01);
    let off = rows.iter().map(|r| (r[1] * r[1] + r[2] * r[2] - 1.0).abs()).fold(0.0, f64::max);
    let last = rows.last().unwrap();
    (off, 0.5 * (last[3] * last[3] + last[4] * last[4]) + 9.81 * last[2])
}

/// ST-R20, ST-R21, case S-1: drift without closing, and what each method makes of it. The numbers of the drift, of the
/// projection and of the time of 100 s are those of the specification, to 5 %.
#[test]
fn circle_of_s1_with_every_method() {
    let (off, energy) = on_circle(Closing::None, 10.0);
    assert!((off / 7.18e-5 - 1.0).abs() < 0.05, "{off:e}");
    assert!((energy / 4.745e-4 - 1.0).abs() < 0.05, "{energy:e}");
    let (off, _) = on_circle(Closing::None, 100.0);
    assert!((off / 7.20e-3 - 1.0).abs() < 0.05, "{off:e}");
    let (off, energy) = on_circle(Closing::Project, 10.0);
    assert!(off < 1e-10 && (energy / -1.623e-6 - 1.0).abs() < 0.05, "{off:e} {energy:e}");
    // The partition lies on the circle to rounding at every row, also where x and y change roles.
    let (off, energy) = on_circle(Closing::Partition, 10.0);
    assert!(off < 1e-12 && energy.abs() < 1e-4, "{off:e} {energy:e}");
    // Baumgarte's gaps stay bounded: after 100 s no larger than after 10 s.
    let (early, late) = (on_circle(Closing::BAUMGARTE, 10.0).0, on_circle(Closing::BAUMGARTE, 100.0).0);
    assert!(early < 5e-6 && late < 2.0 * early, "{early:e} {late:e}");
}

/// A planar four-bar of slender rods (0.5, 1.0 and 0.8 m on a base of 1 m), whose row across the plane is redundant.
fn four_bar(closing: Closing) -> Mechanism {
    let mut draft = Draft::new([0.0, 0.0, -9.81]);
    let mut link = |name: &str, parent, length: f64, at, start| {
        let q = draft.coordinate(name, start, 0.0);
        let inertia = length.powi(3) / 12.0;
        let body = draft.body(name, length, [0.5 * length, 0.0, 0.0], [1e-6, inertia, inertia]);
        let hinge = draft.revolute([0.0, -1.0, 0.0], q);
        draft.joint(name, parent, body, at, hinge);
        body
    };
    let crank = link("crank", BodyRef::Ground, 0.5, [0.0; 3], 60f64.to_radians());
    let coupler = link("coupler", BodyRef::Body(crank), 1.0, [0.5, 0.0, 0.0], -0.6956164685909153);
    let rocker = link("rocker", BodyRef::Ground, 0.8, [1.0, 0.0, 0.0], 1.3325110145426682);
    for (name, body, length) in [("m", coupler, 1.0), ("n", rocker, 0.8)] {
        let (position, orientation) = (draft.numbers([length, 0.0, 0.0]), draft.numbers([0.0; 3]));
        let body = BodyRef::Body(body);
        draft.add(Frame { name: name.into(), body, position, orientation });
    }
    draft.add(Loop { name: "pin".into(), kind: LoopKind::Point([0, 1].map(FrameId::nth)) });
    let mut mechanism = draft.build();
    mechanism.set_closing(closing);
    mechanism
}

/// ST-R20, ST-R21: projection, partition and stabilisation move a four-bar alike. The crank turns over, so that the
/// partition is made anew on the way. The angle at 1 s is that of case four-bar (one minimal coordinate, SciPy).
#[test]
fn the_methods_agree_on_a_four_bar() {
    for closing in [Closing::Project, Closing::Partition, Closing::BAUMGARTE] {
        let (rows, summary) = run(&four_bar(closing), TIGHT, 5.0, 1.0);
        assert!((rows[1][1] + 3.931342733909739).abs() < 1e-7, "{closing:?} {}", rows[1][1]);
        assert!((rows[5][1] - 0.988231974971448).abs() < 1e-6, "{closing:?} {}", rows[5][1]);
        assert!(summary.energy.relative_residue() < 1e-8, "{closing:?} {:?}", summary.energy);
        assert!(summary.drift < 1e-9, "{closing:?} {}", summary.drift);
    }
}

/// ST-R21: the classical method keeps its order 4 with a partition: halving the step divides the error by 16.
#[test]
fn partition_keeps_the_order() {
    let reference = run(&four_bar(Closing::Partition), TIGHT, 0.4, 0.4).0[1][1];
    let error = |step| (run(&four_bar(Closing::Partition), rk4(step), 0.4, 0.4).0[1][1] - reference).abs();
    let (coarse, fine) = (error(0.01), error(0.005));
    let order = (coarse / fine).log2();
    assert!((3.7..4.6).contains(&order), "{order} from {coarse:e} and {fine:e}");
}

/// ST-R21: with a partition, derivatives of the rates follow the closed loops. The independent coordinate moves, the
/// dependent ones are as good as ignored; the references are central differences.
#[test]
fn derivatives_of_a_partition_match_differences() {
    let mechanism = four_bar(Closing::Partition);
    let layout = mechanism.layout();
    let mut d = mechanism.data::<f64>();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    x[layout.v()].fill(0.7);
    mechanism.project(&mut d, 0.0, &mut x, &mut m).unwrap();
    let mut dual = mechanism.data::<Dual>();
    let columns = layout.nq + layout.nv;
    assert!(columns <= LANES);
    let seeded: Vec<Dual> = x.iter().enumerate().map(|(k, &x)| seed(x, k)).collect();
    let mut dx = vec![Dual::c(0.0); layout.nx()];
    mechanism.rates(&mut dual, Dual::c(0.0), &seeded, &m, &mut dx).unwrap();
    let mut rates = |k: usize, h: f64| {
        let (mut moved, mut out) = (x.clone(), vec![0.0; layout.nx()]);
        moved[k] += h;
        mechanism.rates(&mut d, 0.0, &moved, &m, &mut out).unwrap();
        out
    };
    let mut felt = 0;
    for k in 0..columns {
        let (up, down) = (rates(k, 1e-6), rates(k, -1e-6));
        for i in 0..columns {
            let (exact, difference) = (partial(dx[i], k), (up[i] - down[i]) / 2e-6);
            assert!((exact - difference).abs() < 1e-6 * (1.0 + exact.abs()), "{i} {k}: {exact} {difference}");
            felt += usize::from(exact.abs() > 1e-3);
        }
    }
    assert!(felt >= 8, "the independent coordinate and its rate act on everything: {felt}");
}

/// The stepped mode says which methods it has no use for.
#[test]
fn the_stepped_mode_refuses_by_name() {
    for (closing, refused) in [(Closing::Partition, true), (Closing::BAUMGARTE, true), (Closing::None, false)]
    {
        let mechanism = four_bar(closing);
        let answer = mechanism.check(&mechanism.data(), true);
        assert_eq!(matches!(answer, Err(Fault::Refused { .. })), refused, "{answer:?}");
    }
}

/// ST-R20: closing is there by itself and says what it did: the gap before and after, what moved, and the one freedom.
#[test]
fn assembly_tells_what_it_did() {
    let mechanism = four_bar(Closing::Project);
    let mut d = mechanism.data();
    let mut p = mechanism.parameters().values();
    // The crank's start value is the first one of the first coordinate: open the loop by about 0.02 * 0.5 m.
    let start = p.iter().position(|&v| v == 60f64.to_radians()).unwrap();
    p[start] += 0.02;
    mechanism.bind(&mut d, &p);
    let assembly = mechanism.assemble(&mut d).unwrap();
    let [before, after] = assembly.loops[0].1;
    assert!(before > 5e-3 && after < 1e-12, "{before} {after}");
    assert_eq!(assembly.moved.len(), 3);
    assert_eq!(assembly.independent.len(), 1, "{:?}", assembly.independent);
    assert!(assembly.hurried.is_empty());
}
