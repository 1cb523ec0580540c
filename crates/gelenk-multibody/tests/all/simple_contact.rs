//! Contact between simple bodies in a mechanism.

use gelenk_laws::contact::{Damped, Regularisation};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_mesh::simple::Simple;
use gelenk_multibody::blueprint::{BodyRef, Element, Frame, FrameId};
use gelenk_multibody::elements::simple_contact::{SimpleContact, SpotPower, SpotStiffness};
use gelenk_multibody::{Attachment, Mechanism};
use gelenk_system::{Fault, Param, System};
use gelenk_testing::draft::Draft;
use gelenk_testing::random::Random;

fn shape(draft: &mut Draft, kind: usize) -> Simple<Param> {
    match kind {
        0 => Simple::Sphere { radius: draft.numbers([0.12])[0] },
        1 => {
            let [radius, length] = draft.numbers([0.07, 0.2]);
            Simple::Capsule { radius, length }
        }
        2 => Simple::Box { size: draft.numbers([0.3, 0.2, 0.16]) },
        3 => Simple::Plane,
        _ => Simple::Point,
    }
}

/// Two free bodies in contact, the second at a place with an orientation.
fn pair(kinds: [usize; 2], place: [f64; 3], turn: [f64; 3], law: usize) -> Mechanism {
    let mut draft = Draft::new([0.0; 3]);
    for (i, name) in ["one", "two"].into_iter().enumerate() {
        let k = i as f64;
        let body = draft.body(name, 2.0 + k, [0.01, 0.0, 0.02], [0.02, 0.03, 0.04]);
        let free = draft.free([0.5 * k, -1.0, 2.0], [0.3, -0.2 * k, 0.1]);
        let at = if i == 0 { [0.0; 3] } else { place };
        draft.joint(name, BodyRef::Ground, body, at, free);
        let orientation = draft.numbers(if i == 0 { [0.0; 3] } else { turn });
        let position = draft.numbers([0.0, 0.01, 0.0]);
        draft.add(Frame { name: format!("f{i}"), body: BodyRef::Body(body), position, orientation });
    }
    let shapes = kinds.map(|kind| shape(&mut draft, kind));
    let [stiffness, damping, depth, dissipation] = draft.numbers([4e5, 300.0, 1e-3, 0.3]);
    let [restitution, slowest, friction, speed] = draft.numbers([0.6, 0.01, 0.4, 2e-3]);
    let (power, damped) = match law {
        0 => (SpotPower::Linear, Damped::Viscous { damping, depth }),
        1 => (SpotPower::Hertz, Damped::HuntCrossley { dissipation }),
        2 => (SpotPower::Hertz, Damped::LankaraniNikravesh { restitution, slowest }),
        _ => (SpotPower::Hertz, Damped::No),
    };
    let contact = SimpleContact {
        shapes,
        stiffness: SpotStiffness::Given(stiffness),
        power,
        damped,
        friction,
        speed,
        form: Regularisation::Tanh,
    };
    draft.add(Element::new("contacts.c", contact, Attachment::Bodies([0, 1].map(FrameId::nth)), &[]));
    draft.build()
}

fn start(mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
    let layout = mechanism.layout();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let mut d = mechanism.data::<f64>();
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    (x, m)
}

/// H-R30, H-R36: of any two bodies in any pose, momentum and angular momentum stay what they are, and what the elements
/// do is what the kinetic energy changes by; losses only lose.
#[test]
fn momentum_and_power() {
    let mut random = Random::new(11);
    let mut in_contact = 0;
    for round in 0..300 {
        let kinds = [round % 5, round / 5 % 3];
        let (place, turn) = (random.numbers::<3>().map(|x| 0.15 * x), random.numbers::<3>().map(|x| 3.0 * x));
        let law = round % 4;
        let mechanism = pair(kinds, place, turn, law);
        let layout = mechanism.layout();
        let (x, m) = start(&mechanism);
        let mut d = mechanism.data::<f64>();
        let mut dx = vec![0.0; layout.nx()];
        mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
        let along: Vec<Dual> =
            x.iter().zip(&dx).map(|(&x, &rate)| Dual::c(x) + seed(0.0, 0) * Dual::c(rate)).collect();
        let mut d = mechanism.data::<Dual>();
        let (mut q, mut v) = (along[layout.q()].to_vec(), along[layout.v()].to_vec());
        mechanism.state_to_origin(&d, &mut q, &mut v);
        mechanism.set_state(&mut d, Dual::c(0.0), &q, &v).unwrap();
        let totals = mechanism.totals(&d);
        let size = dx[layout.v()].iter().fold(1.0, |size: f64, a| size.max(a.abs()));
        for rate in totals.momentum.iter().chain(totals.angular_momentum.iter()) {
            assert!(partial(*rate, 0).abs() < 1e-12 * size, "{}", partial(*rate, 0));
        }
        let works = &dx[layout.w()];
        assert!(works[2] <= 0.0, "{works:?}");
        let kinetic = partial(totals.kinetic, 0);
        assert!((kinetic - works.iter().sum::<f64>()).abs() < 1e-10 * size * size);
        in_contact += u32::from(size > 100.0);
    }
    assert!(in_contact > 100, "{in_contact}");
}

/// Derivatives by dual numbers are those of differences.
#[test]
fn derivatives() {
    for (kinds, place) in
        [([0, 0], [0.15, 0.05, 0.02]), ([2, 1], [0.16, 0.03, 0.02]), ([2, 2], [0.2, 0.02, 0.03])]
    {
        let mechanism = pair(kinds, place, [0.3, 0.4, 0.2], 1);
        let layout = mechanism.layout();
        let (x, m) = start(&mechanism);
        let mut d = mechanism.data::<f64>();
        let mut duals = mechanism.data::<Dual>();
        let mut out = vec![Dual::c(0.0); layout.nx()];
        let mut largest = 0.0f64;
        for k in [0, 1, 2, 4, layout.nq, layout.nq + 4] {
            let seeded: Vec<Dual> =
                x.iter().enumerate().map(|(i, &x)| if i == k { seed(x, 0) } else { Dual::c(x) }).collect();
            mechanism.rates(&mut duals, Dual::c(0.0), &seeded, &m, &mut out).unwrap();
            let mut rates = |e: f64| {
                let mut x = x.clone();
                x[k] += e;
                let mut dx = vec![0.0; layout.nx()];
                mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
                dx
            };
            let e = 1e-7;
            let (up, down) = (rates(e), rates(-e));
            for i in layout.v() {
                let slope = (up[i] - down[i]) / (2.0 * e);
                let exact = partial(out[i], 0);
                largest = largest.max(exact.abs());
                assert!(
                    (slope - exact).abs() < 1e-4 * (1.0 + exact.abs()),
                    "{kinds:?} {k} {i}: {slope} {exact}"
                );
            }
        }
        assert!(largest > 100.0, "no contact: {kinds:?}");
    }
}

/// Hertz's stiffness needs something that gives way and something round.
#[test]
fn no_stiffness_is_refused() {
    let mut draft = Draft::new([0.0; 3]);
    let body = draft.body("b", 1.0, [0.0; 3], [1.0; 3]);
    let free = draft.free([0.0; 3], [0.0; 3]);
    draft.joint("b", BodyRef::Ground, body, [0.0; 3], free);
    for (name, body) in [("f0", BodyRef::Body(body)), ("f1", BodyRef::Ground)] {
        let (position, orientation) = (draft.numbers([0.0; 3]), draft.numbers([0.0; 3]));
        draft.add(Frame { name: name.into(), body, position, orientation });
    }
    let shapes = [shape(&mut draft, 0), Simple::Plane];
    let [friction, speed] = draft.numbers([0.0, 1.0]);
    let contact = SimpleContact {
        shapes,
        stiffness: SpotStiffness::Hertz([None; 2]),
        power: SpotPower::Hertz,
        damped: Damped::No,
        friction,
        speed,
        form: Regularisation::Linear,
    };
    draft.add(Element::new("contacts.c", contact, Attachment::Bodies([0, 1].map(FrameId::nth)), &[]));
    let mechanism = draft.build();
    let fault = mechanism.check(&mechanism.data::<f64>(), false).unwrap_err();
    assert!(matches!(&fault, Fault::Refused { element, .. } if element == "contacts.c"));
}
