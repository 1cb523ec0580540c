//! The recursive algorithms against each other and against energies, on random trees of all kinds of joints.

use gelenk_math::{Dual, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::{BodyRef, FrameId, LoopKind};
use gelenk_system::{Fault, System};
use gelenk_testing::draft::Draft;
use gelenk_testing::random::Random;
use gelenk_testing::trees::{ALL, Scalars, tree};

/// A random state of a tree.
struct State {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

fn state(random: &mut Random, mechanism: &Mechanism) -> State {
    let layout = mechanism.layout();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let mut d = mechanism.data();
    mechanism.start(&mut d, &mut x, &mut m).unwrap();
    let mut q = vec![0.0; layout.nq];
    mechanism.retract_origin(&x[layout.q()], &random.vector(layout.nv), &mut q);
    State { t: random.number(), q, v: random.vector(layout.nv), a: random.vector(layout.nv) }
}

const SEEDS: std::ops::Range<u64> = 0..12;

fn size(seed: u64) -> usize {
    [7, 8, 10, 13][seed as usize % 4]
}

/// Runs `check` on trees of several sizes and kinds.
fn on_trees(kinds: &[Scalars], mut check: impl FnMut(&Mechanism, State, &mut Random, &str)) {
    for seed in SEEDS {
        for &scalars in kinds {
            let mut random = Random::new(1 + seed);
            let bodies = size(seed);
            let mechanism = tree(&mut random, bodies, scalars, &[]);
            let state = state(&mut random, &mechanism);
            check(&mechanism, state, &mut random, &format!("seed {seed}, {scalars:?}"));
        }
    }
}

/// Norm of the difference by the norm of `expected`.
fn error(obtained: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(obtained.len(), expected.len());
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut obtained.iter().zip(expected).map(|(o, e)| o - e)) / norm(&mut expected.iter().copied())
}

fn inverse(mechanism: &Mechanism, s: &State, v: &[f64], a: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; v.len()];
    mechanism.inverse_dynamics(&mut mechanism.data(), s.t, &s.q, v, a, &mut tau).unwrap();
    tau
}

fn mass(mechanism: &Mechanism, s: &State) -> Vec<f64> {
    let mut m = vec![0.0; s.v.len() * s.v.len()];
    mechanism.mass_matrix(&mut mechanism.data(), s.t, &s.q, &mut m).unwrap();
    m
}

fn times(m: &[f64], x: &[f64]) -> Vec<f64> {
    m.chunks(x.len()).map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum()).collect()
}

/// ST-R17, ST-R25, H-R43: forward dynamics (recursive, linear in the bodies) undoes inverse dynamics, both ways; `tau = M a + c`.
#[test]
fn forward_and_inverse_dynamics_agree() {
    on_trees(&ALL, |mechanism, s, random, name| {
        let nv = s.v.len();
        let (tau, mut a) = (random.vector(nv), vec![0.0; nv]);
        let mut d = mechanism.data();
        mechanism.forward_dynamics(&mut d, s.t, &s.q, &s.v, &tau, &mut a).unwrap();
        let back = inverse(mechanism, &s, &s.v, &a);
        assert!(error(&back, &tau) < 1e-9, "{name}: {}", error(&back, &tau));
        let needed = inverse(mechanism, &s, &s.v, &s.a);
        mechanism.forward_dynamics(&mut d, s.t, &s.q, &s.v, &needed, &mut a).unwrap();
        assert!(error(&a, &s.a) < 1e-9, "{name}: {}", error(&a, &s.a));
        let bias = inverse(mechanism, &s, &s.v, &vec![0.0; nv]);
        let sum: Vec<f64> = times(&mass(mechanism, &s), &s.a).iter().zip(bias).map(|(m, c)| m + c).collect();
        assert!(error(&sum, &needed) < 1e-12, "{name}: {}", error(&sum, &needed));
    });
}

/// ST-R17: the mass matrix is the Hessian of the kinetic energy, which is quadratic in `v`.
#[test]
fn mass_matrix_is_the_hessian_of_the_kinetic_energy() {
    on_trees(&ALL, |mechanism, s, _, name| {
        let (layout, nv) = (mechanism.layout(), s.v.len());
        let mut d = mechanism.data();
        let mut kinetic = |units: &[usize]| {
            let mut x = vec![0.0; layout.nx()];
            x[layout.q()].copy_from_slice(&s.q);
            units.iter().for_each(|k| x[layout.v()][*k] += 1.0);
            let (q, rest) = x.split_at_mut(layout.nq);
            mechanism.origin_to_state(&d, q, &mut rest[..layout.nv]);
            mechanism.energies(&mut d, s.t, &x, &vec![0.0; layout.nm], &mut vec![0.0; layout.nw])
        };
        let mut hessian = vec![0.0; nv * nv];
        for i in 0..nv {
            for k in 0..nv {
                hessian[i * nv + k] = kinetic(&[i, k]) - kinetic(&[i]) - kinetic(&[k]) + kinetic(&[]);
            }
        }
        let difference = error(&mass(mechanism, &s), &hessian);
        assert!(difference < 1e-11, "{name}: {difference}");
    });
}

/// ST-R17, ST-R25: the power of the efforts is the rate of kinetic and potential energy. The kinetic energy comes from
/// the mass matrix alone, so gyroscopic and bias terms are checked by something that has none.
#[test]
fn efforts_feed_the_energy() {
    on_trees(&[Scalars::Plain, Scalars::Shared], |mechanism, s, _, name| {
        let (layout, nv) = (mechanism.layout(), s.v.len());
        let power: f64 = inverse(mechanism, &s, &s.v, &s.a).iter().zip(&s.v).map(|(tau, v)| tau * v).sum();
        let (q, v) = along(mechanism, &s);
        let mut m = vec![Dual::c(0.0); nv * nv];
        mechanism.mass_matrix(&mut mechanism.data(), Dual::c(s.t), &q, &mut m).unwrap();
        let mut kinetic = Dual::c(0.0);
        for i in 0..nv {
            for k in 0..nv {
                kinetic += v[i] * m[i * nv + k] * v[k] * Dual::c(0.5);
            }
        }
        let mut d = mechanism.data();
        let mut potential = |step: f64| {
            let (mut x, mut stored) = (vec![0.0; layout.nx()], vec![0.0; layout.nw]);
            let shift: Vec<f64> = s.v.iter().map(|v| v * step).collect();
            mechanism.retract_origin(&s.q, &shift, &mut x[layout.q()]);
            let (q, rest) = x.split_at_mut(layout.nq);
            mechanism.origin_to_state(&d, q, &mut rest[..layout.nv]);
            mechanism.energies(&mut d, s.t, &x, &vec![0.0; layout.nm], &mut stored);
            stored[0]
        };
        let step = 1e-4;
        let fall = (8.0 * (potential(step) - potential(-step)) - potential(2.0 * step)
            + potential(-2.0 * step))
            / (12.0 * step);
        let rate = partial(kinetic, 0) + fall;
        assert!((power - rate).abs() < 1e-8 * (1.0 + power.abs()), "{name}: {power} {rate}");
    });
}

/// The motion through a state as dual numbers in direction 0: `dq = v`, `dv = a`.
fn along(mechanism: &Mechanism, s: &State) -> (Vec<Dual>, Vec<Dual>) {
    let constant = |x: &[f64]| x.iter().map(|&x| Dual::c(x)).collect::<Vec<_>>();
    let step: Vec<Dual> = s.v.iter().map(|&v| seed(0.0, 0) * Dual::c(v)).collect();
    let mut q = constant(&s.q);
    mechanism.retract_origin(&constant(&s.q), &step, &mut q);
    let v = s.v.iter().zip(&s.a).map(|(&v, &a)| Dual::c(v) + seed(0.0, 0) * Dual::c(a)).collect();
    (q, v)
}

/// ST-R9: Jacobian and bias acceleration of a point on the last body of a tree of any branching: the rows are the
/// derivatives of its place, and rows and bias together give its acceleration.
#[test]
fn jacobians_and_biases_match_the_motion() {
    let mut seeds = SEEDS.flat_map(|seed| ALL.map(|scalars| (seed, scalars)));
    on_trees(&ALL, |mechanism, s, _, name| {
        let (seed, scalars) = seeds.next().unwrap();
        let tied = tree(
            &mut Random::new(1 + seed),
            size(seed),
            scalars,
            &[LoopKind::Point([0, 1].map(FrameId::nth))],
        );
        let (q, v) = along(mechanism, &s);
        let mut d = tied.data();
        let at = tied.origin_constraints(&mut d, gelenk_math::seed(s.t, 0), &q, &v);
        for i in 0..3 {
            let (place, rate) = (partial(at.gap[i], 0), at.rate[i].re());
            assert!(
                (place - rate).abs() < 1e-11 * (1.0 + rate.abs()),
                "{name}, velocity {i}: {place} {rate}"
            );
            let jacobian = at.rows.row(i).map(|(k, entry)| (entry.re(), &s.a[k]));
            let acceleration = jacobian.map(|(c, a)| c * a).sum::<f64>() - at.gamma[i].re();
            let slope = partial(at.rate[i], 0);
            assert!(
                (slope - acceleration).abs() < 1e-10 * (1.0 + slope.abs()),
                "{name}, acceleration {i}: {slope} {acceleration}"
            );
        }
    });
}

/// ST-R17, ST-R25: derivatives of all three algorithms by dual numbers, with respect to positions, velocities,
/// accelerations and every parameter of the model, against differences of fourth order.
#[test]
fn derivatives_match_differences() {
    on_trees(&ALL, |mechanism, s, random, name| {
        let nv = s.v.len();
        let directions = [0; 4].map(|_| random.vector(nv));
        let values = mechanism.parameters().values();
        let p_direction: Vec<f64> = random.vector(values.len()).iter().map(|x| 0.1 * x).collect();
        // All answers at the state displaced by `e` along direction `k`; a parameter is direction 4.
        let exact = {
            let lanes: Vec<Dual> = (0..5).map(|k| seed(0.0, k)).collect();
            answers::<Dual>(mechanism, &s, &directions, &values, &p_direction, &lanes)
        };
        for k in 0..5 {
            let at = |e: f64| {
                let lanes: Vec<f64> = (0..5).map(|j| if j == k { e } else { 0.0 }).collect();
                answers::<f64>(mechanism, &s, &directions, &values, &p_direction, &lanes)
            };
            let h = 1e-4;
            let far = at(2.0 * h).into_iter().zip(at(-2.0 * h)).map(|(a, b)| a - b);
            let near = at(h).into_iter().zip(at(-h)).map(|(a, b)| a - b);
            let slopes: Vec<f64> = near.zip(far).map(|(n, f)| (8.0 * n - f) / (12.0 * h)).collect();
            let duals: Vec<f64> = exact.iter().map(|&x| partial(x, k)).collect();
            assert!(error(&duals, &slopes) < 1e-6, "{name}, direction {k}: {}", error(&duals, &slopes));
        }
    });
}

/// Inverse dynamics, forward dynamics and mass matrix behind each other, displaced along directions of `q`, `v`, `a`,
/// `tau` and the parameters.
fn answers<T: Real>(
    mechanism: &Mechanism,
    s: &State,
    directions: &[Vec<f64>; 4],
    parameters: &[f64],
    p_direction: &[f64],
    lanes: &[T],
) -> Vec<T> {
    let nv = s.v.len();
    let displaced = |x: &[f64], direction: &[f64], lane: T| -> Vec<T> {
        x.iter().zip(direction).map(|(&x, &by)| T::c(x) + lane * T::c(by)).collect()
    };
    let still: Vec<T> = s.q.iter().map(|&q| T::c(q)).collect();
    let mut q = still.clone();
    mechanism.retract_origin(&still, &displaced(&vec![0.0; nv], &directions[0], lanes[0]), &mut q);
    let v = displaced(&s.v, &directions[1], lanes[1]);
    let a = displaced(&s.a, &directions[2], lanes[2]);
    let tau = displaced(&vec![0.3; nv], &directions[3], lanes[3]);
    let mut d = mechanism.data::<T>();
    mechanism.bind(&mut d, &displaced(parameters, p_direction, lanes[4]));
    let mut out = vec![T::c(0.0); 2 * nv + nv * nv];
    let (efforts, rest) = out.split_at_mut(nv);
    let (rates, masses) = rest.split_at_mut(nv);
    mechanism.inverse_dynamics(&mut d, T::c(s.t), &q, &v, &a, efforts).unwrap();
    mechanism.forward_dynamics(&mut d, T::c(s.t), &q, &v, &tau, rates).unwrap();
    mechanism.mass_matrix(&mut d, T::c(s.t), &q, masses).unwrap();
    out
}

/// A slice of the wrong length and a freedom without mass are refused by name, in both ways of forward dynamics.
#[test]
fn wrong_lengths_and_missing_mass_are_refused() {
    for shared in [false, true] {
        let mut draft = Draft::new([0.0, 0.0, -9.81]);
        let (phi, psi) = (draft.coordinate("phi", 0.0, 0.0), draft.coordinate("psi", 0.0, 0.0));
        let (arm, tip) =
            (draft.body("arm", 1.0, [0.0; 3], [1.0; 3]), draft.body("tip", 0.0, [0.0; 3], [0.0; 3]));
        let (first, second) = (draft.revolute([0.0, 1.0, 0.0], phi), draft.revolute([1.0, 0.0, 0.0], psi));
        draft.joint("first", BodyRef::Ground, arm, [0.0; 3], first);
        draft.joint("second", BodyRef::Body(arm), tip, [0.0; 3], second);
        if shared {
            let other = draft.body("other", 1.0, [0.0; 3], [1.0; 3]);
            let third = draft.revolute([0.0, 0.0, 1.0], phi);
            draft.joint("third", BodyRef::Ground, other, [0.0; 3], third);
        }
        let mechanism = draft.build();
        let mut d = mechanism.data();
        let (two, mut a) = ([0.1, 0.2], [0.0; 2]);
        let refused = mechanism.forward_dynamics(&mut d, 0.5, &two, &two, &two, &mut a);
        assert_eq!(refused, Err(Fault::NoMass { coordinate: "coordinate psi".into(), t: 0.5 }));
        let short = mechanism.inverse_dynamics(&mut d, 0.0, &two, &two[..1], &two, &mut a).unwrap_err();
        assert_eq!(short.to_string(), "argument v: expected 2 entries, got 1");
    }
}
