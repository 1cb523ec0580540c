//! Contact between meshes in a mechanism.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use gelenk_laws::contact::Regularisation;
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_mesh::contact::{Pair, Settings, Surface};
use gelenk_mesh::make;
use gelenk_multibody::Attachment;
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::{BodyRef, Element, Frame, FrameId};
use gelenk_multibody::elements::mesh_contact::{ContactSide, MeshContact};
use gelenk_system::{Fault, System};
use gelenk_testing::allocations::{self, Counting};
use gelenk_testing::draft::Draft;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Free bodies with dumb-bells on them, all in contact with each other, at these places.
fn bells(places: &[[f64; 3]]) -> Mechanism {
    bells_of(places, [25, 19])
}

/// The same with these numbers of meridians and rings.
fn bells_of(places: &[[f64; 3]], [meridians, rings]: [usize; 2]) -> Mechanism {
    let surface = Arc::new(Surface::new(&make::dumbbell(0.1, 0.1, 0.025, meridians, rings)).unwrap());
    let mut draft = Draft::new([0.0; 3]);
    for (i, &place) in places.iter().enumerate() {
        let k = i as f64;
        let name = format!("bell{i}");
        let body = draft.body(&name, 2.0 + k, [0.01, 0.0, 0.02], [0.02, 0.03, 0.04]);
        let free = draft.free([0.5 * k, -1.0, 2.0], [0.3, -0.2 * k, 0.1]);
        draft.joint(&name, BodyRef::Ground, body, place, free);
        let (position, orientation) = (draft.numbers([0.0, 0.01, 0.0]), draft.numbers([0.3 * k, 0.2, 0.1]));
        draft.add(Frame { name, body: BodyRef::Body(body), position, orientation });
    }
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            let [stiffness, modulus, poisson, layer] = draft.numbers([2e6, 1e4, 0.3, 0.01]);
            let [damping, depth, friction, speed] = draft.numbers([800.0, 1e-3, 0.4, 2e-3]);
            let contact = MeshContact {
                pair: Arc::new(Pair {
                    first: surface.clone(),
                    second: surface.clone(),
                    settings: Settings::default(),
                }),
                sides: [
                    ContactSide::Stiffness(stiffness),
                    ContactSide::Layer { modulus, poisson, depth: layer },
                ],
                damping,
                depth,
                friction,
                speed,
                form: Regularisation::Quadratic,
                events: false,
            };
            let element = Element::new(
                format!("contact{a}{b}"),
                contact,
                Attachment::Bodies([a, b].map(FrameId::nth)),
                &[],
            );
            draft.add(element);
        }
    }
    draft.build()
}

fn start(mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
    let layout = mechanism.layout();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let mut d = mechanism.data::<f64>();
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    (x, m)
}

const PAIR: [[f64; 3]; 2] = [[0.0; 3], [0.16, 0.03, 0.04]];

/// H-R30: action is reaction, in force and in moment: momentum and angular momentum of two free bodies in contact stay
/// what they are, while the contact changes both of them. The rate along the motion is a derivative by one dual number.
#[test]
fn momentum_is_kept() {
    let mechanism = bells(&PAIR);
    let layout = mechanism.layout();
    let (x, m) = start(&mechanism);
    let mut d = mechanism.data::<f64>();
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
    assert!(dx[layout.v()].iter().any(|a| a.abs() > 1.0), "no contact");
    // Along the motion: x + dx e, with e the direction of the first lane.
    let along: Vec<Dual> =
        x.iter().zip(&dx).map(|(&x, &rate)| Dual::c(x) + seed(0.0, 0) * Dual::c(rate)).collect();
    let mut d = mechanism.data::<Dual>();
    let (mut q, mut v) = (along[layout.q()].to_vec(), along[layout.v()].to_vec());
    mechanism.state_to_origin(&d, &mut q, &mut v);
    mechanism.set_state(&mut d, Dual::c(0.0), &q, &v).unwrap();
    let totals = mechanism.totals(&d);
    for rate in totals.momentum.iter().chain(totals.angular_momentum.iter()) {
        assert!(partial(*rate, 0).abs() < 1e-10, "{}", partial(*rate, 0));
    }
}

/// The power of a contact is what the kinetic energy changes by, and the losses take energy away.
#[test]
fn power_is_accounted() {
    let mechanism = bells(&PAIR);
    let layout = mechanism.layout();
    let (x, m) = start(&mechanism);
    let mut d = mechanism.data::<f64>();
    let mut dx = vec![0.0; layout.nx()];
    mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
    let works = &dx[layout.w()];
    assert!(works[2] < 0.0, "{works:?}");
    let mut stored = vec![0.0; layout.nw];
    let mut energy = |e: f64| {
        let moved: Vec<f64> = x.iter().zip(&dx).map(|(x, rate)| x + e * rate).collect();
        mechanism.energies(&mut d, 0.0, &moved, &m, &mut stored)
    };
    let e = 1e-6;
    let rate = (energy(e) - energy(-e)) / (2.0 * e);
    assert!((rate - works.iter().sum::<f64>()).abs() < 1e-6 * rate.abs().max(1.0), "{rate} {works:?}");
}

/// Derivatives at fixed elements agree with differences where no element comes or goes.
#[test]
fn derivatives_are_those_of_fixed_elements() {
    let mechanism = bells(&PAIR);
    let layout = mechanism.layout();
    let (x, m) = start(&mechanism);
    let mut d = mechanism.data::<f64>();
    let mut duals = mechanism.data::<Dual>();
    let mut out = vec![Dual::c(0.0); layout.nx()];
    for k in [0, 1, 2, layout.nq, layout.nq + 4] {
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
        let e = 1e-8;
        let (up, down) = (rates(e), rates(-e));
        for i in layout.v() {
            let slope = (up[i] - down[i]) / (2.0 * e);
            let exact = partial(out[i], 0);
            assert!((slope - exact).abs() < 1e-4 * (1.0 + exact.abs()), "{k} {i}: {slope} {exact}");
        }
    }
}

/// Nothing is allocated once the memory of a pair has grown.
#[test]
fn contact_does_not_allocate() {
    let mechanism = bells(&PAIR);
    let layout = mechanism.layout();
    let (mut x, m) = start(&mechanism);
    let mut d = mechanism.data::<f64>();
    let mut dx = vec![0.0; layout.nx()];
    let mut before = 0;
    for round in 0..2 {
        before = allocations::of_thread();
        for step in 0..20 {
            // From apart to deep.
            x[0] = -0.05 + 0.005 * f64::from(step);
            mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
        }
        assert!(round == 1 || allocations::of_thread() > before);
    }
    assert_eq!(allocations::of_thread(), before);
}

/// H-R52: four bodies, six pairs: the same bits with one thread and with four. The meshes are fine enough that threads
/// share the work as soon as an evaluation has told how much it is.
#[test]
fn threads_change_nothing() {
    let places = [[0.0; 3], [0.16, 0.03, 0.04], [0.02, 0.17, 0.0], [0.15, 0.18, 0.05]];
    let mechanism = bells_of(&places, [120, 90]);
    let (x, m) = start(&mechanism);
    let rates = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut d = mechanism.data::<f64>();
            let mut dx = vec![0.0; mechanism.layout().nx()];
            mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
            let first = dx.clone();
            mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
            assert_eq!(first, dx);
            dx
        })
    };
    let (one, four) = (rates(1), rates(4));
    assert!(one.iter().zip(&four).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert!(one.iter().any(|rate| rate.abs() > 10.0));
}

/// Trap 5 of the specification: a body inside the other stops the run and says so.
#[test]
fn containment_stops_the_run() {
    let mut draft = Draft::new([0.0; 3]);
    let sizes = [make::icosphere(0.1, 2), make::icosphere(0.5, 2)];
    let surfaces = sizes.map(|mesh| Arc::new(Surface::new(&mesh).unwrap()));
    for name in ["small", "large"] {
        let body = draft.body(name, 1.0, [0.0; 3], [1.0; 3]);
        let free = draft.free([0.0; 3], [0.0; 3]);
        draft.joint(name, BodyRef::Ground, body, [0.0; 3], free);
        let (position, orientation) = (draft.numbers([0.0; 3]), draft.numbers([0.0; 3]));
        draft.add(Frame { name: name.into(), body: BodyRef::Body(body), position, orientation });
    }
    let [stiffness, damping, depth, friction, speed] = draft.numbers([1e6, 0.0, 0.0, 0.0, 1e-3]);
    let [first, second] = surfaces;
    let contact = MeshContact {
        pair: Arc::new(Pair { first, second, settings: Settings::default() }),
        sides: [ContactSide::Stiffness(stiffness), ContactSide::Rigid],
        damping,
        depth,
        friction,
        speed,
        form: Regularisation::Tanh,
        events: false,
    };
    draft.add(Element::new("contacts.c", contact, Attachment::Bodies([0, 1].map(FrameId::nth)), &[]));
    let mechanism = draft.build();
    let (x, m) = start(&mechanism);
    let mut d = mechanism.data::<f64>();
    let mut y = vec![0.0; mechanism.channels().len()];
    let fault = mechanism.outputs(&mut d, 0.0, &x, &m, &mut y).unwrap_err();
    assert!(matches!(&fault, Fault::Refused { element, .. } if element == "contacts.c"));
    assert!(fault.to_string().contains("inside the other"));
}

/// H-R53: times are recorded behind everything else that is a function of the state, before accelerations and poses, and
/// change nothing of it.
#[test]
fn times_are_recorded_on_request() {
    let channels = |times: bool| {
        let mut mechanism = bells(&PAIR);
        mechanism.record_accelerations();
        if times {
            mechanism.record_contact_times();
            mechanism.record_contact_times();
        }
        mechanism.record_poses();
        let names: Vec<String> = mechanism.channels().iter().map(|channel| channel.name.clone()).collect();
        let (x, m) = start(&mechanism);
        let mut y = vec![0.0; names.len()];
        mechanism.outputs(&mut mechanism.data(), 0.0, &x, &m, &mut y).unwrap();
        (names, y)
    };
    let ((names, values), (timed, measured)) = (channels(false), channels(true));
    assert_eq!(timed.len(), names.len() + 5);
    assert!(!names.iter().any(|name| name.contains(".time_")));
    let mut others = names.iter().zip(&values);
    let mut total = [0.0; 2];
    for (name, value) in timed.iter().zip(&measured) {
        match name.strip_prefix("contact01.time_") {
            Some("total") => total[1] = *value,
            Some(_) => total[0] += *value,
            None => assert_eq!(others.next(), Some((name, value))),
        }
    }
    assert!(total[0] > 0.0 && (total[0] - total[1]).abs() < 1e-12, "{total:?}");
}
