//! Properties of random mechanisms with loops: all joint kinds, shared coordinates and time-driven scalars.

use crate::closed::{Scalars, looped, moving, start};
use gelenk_math::spatial::{Inertia, Mat3, Vec3};
use gelenk_math::{Dual, LANES, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_multibody::blueprint::{BodyId, BodyRef};
use gelenk_solve::{Method, Options, simulate};
use gelenk_system::{Nanos, System};
use gelenk_testing::draft::Rows;

const KINDS: [Scalars; 3] = [Scalars::Own, Scalars::Shared, Scalars::Driven];

/// Mechanisms with at least one loop that move: number, kind of scalars and draft.
fn mechanisms() -> impl Iterator<Item = (u64, Scalars, gelenk_testing::draft::Draft, Mechanism)> {
    (0..200).filter_map(|seed| {
        let scalars = KINDS[(seed % 3) as usize];
        let draft = looped(seed, scalars, 2);
        let mechanism = draft.blueprint.clone().compile(draft.table.clone()).unwrap();
        let closed = mechanism.constraint_count() > 0 && independent(&mechanism);
        closed.then_some((seed, scalars, draft, mechanism))
    })
}

/// Whether no equation depends on others: at a singular start the answers are not unique.
fn independent(mechanism: &Mechanism) -> bool {
    mechanism.redundant_equations().unwrap().is_empty()
}

/// ST-R9, ST-R10: rates, rows and acceleration terms of the loops of random mechanisms equal dual numbers.
#[test]
fn rows_and_biases_match_duals() {
    let mut seen = 0;
    for (number, scalars, _, mechanism) in mechanisms() {
        let layout = mechanism.layout();
        let (x, m) = start(&mechanism);
        let (mut d, mut dx) = (mechanism.data::<f64>(), vec![0.0; layout.nx()]);
        mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
        let (q, v) = (&x[layout.q()], &x[layout.v()]);
        let mut dual = mechanism.data::<Dual>();
        let lift = |values: &[f64]| values.iter().map(|&value| Dual::c(value)).collect::<Vec<_>>();
        let moved: Vec<Dual> =
            q.iter().zip(&dx).map(|(&q, &dq)| Dual::c(q) + seed(0.0, 0) * Dual::c(dq)).collect();
        let at = mechanism.constraints(&mut dual, seed(0.0, 0), &moved, &lift(v));
        for i in 0..layout.nc {
            let name = format!("mechanism {number} ({scalars:?}), equation {i}");
            let size = 1.0 + at.gamma[i].re().abs();
            assert!((partial(at.gap[i], 0) - at.rate[i].re()).abs() < 1e-12 * size, "{name}");
            assert!((partial(at.rate[i], 0) + at.gamma[i].re()).abs() < 1e-11 * size, "{name}");
        }
        for first in (0..layout.nv).step_by(LANES) {
            let seeded: Vec<Dual> =
                v.iter().enumerate().map(|(k, &v)| seed(v, k.checked_sub(first).unwrap_or(LANES))).collect();
            let at = mechanism.constraints(&mut dual, Dual::c(0.0), &lift(q), &seeded);
            let rows = at.rows.dense();
            for i in 0..layout.nc {
                for k in first..layout.nv.min(first + LANES) {
                    let difference = partial(at.rate[i], k - first) - rows[i * layout.nv + k].re();
                    assert!(difference.abs() < 1e-12, "mechanism {number}, row {i}, column {k}");
                }
            }
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}

/// ST-R24: the reactions of loops do no work: the kinetic energy changes by the power of gravity and of prescribed
/// motion alone. The reactions of joints do none, either: each wrench times the relative velocity vanishes, where no
/// scalar is driven or shared.
#[test]
fn reactions_do_no_work() {
    let mut seen = [0; 2];
    for (number, scalars, draft, mut mechanism) in mechanisms() {
        mechanism.record_reactions();
        let layout = mechanism.layout();
        let (x, m) = start(&mechanism);
        let (mut d, mut dx) = (mechanism.data::<f64>(), vec![0.0; layout.nx()]);
        mechanism.rates(&mut d, 0.0, &x, &m, &mut dx).unwrap();
        let power: f64 = dx[layout.w()].iter().sum();
        let states = moving(&mechanism, &x, &m);
        let p = mechanism.parameters().values();
        let mut kinetic = Dual::c(0.0);
        for body in &draft.blueprint.bodies {
            let state = states.iter().find(|s| s.name == body.name).unwrap();
            let [xx, yy, zz, xy, xz, yz] = body.inertia.map(|i| Dual::c(i.of(&p)));
            let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let centre = Vec3::from(body.centre.map(|c| Dual::c(c.of(&p))));
            let inertia = Inertia::about_centre(Dual::c(body.mass.of(&p)), centre, tensor);
            kinetic += state.velocity.dot(&inertia.momentum(&state.velocity)) * Dual::c(0.5);
        }
        let size = 1.0 + power.abs() + dx[layout.w()].iter().fold(0.0f64, |max, w| max.max(w.abs()));
        let rise = partial(kinetic, 0);
        assert!((rise - power).abs() < 1e-10 * size, "mechanism {number} ({scalars:?}): {rise} {power}");
        seen[0] += 1;
        if scalars != Scalars::Own {
            continue;
        }
        let mut y = vec![0.0; mechanism.channels().len()];
        mechanism.outputs(&mut d, 0.0, &x, &m, &mut y).unwrap();
        let value = |name: String| y[mechanism.channels().iter().position(|c| c.name == name).unwrap()];
        for joint in &draft.blueprint.joints {
            let find = |body: BodyId| {
                let state = states.iter().find(|s| s.name == draft.blueprint.bodies[body].name).unwrap();
                let re = |v: Vec3<Dual>| v.map(Real::re);
                let rotation = state.pose.rotation.map(Real::re);
                let (ang, lin) = (rotation * re(state.velocity.ang), rotation * re(state.velocity.lin));
                (rotation, re(state.pose.position), ang, lin)
            };
            let (rotation, place, mut ang, mut lin) = find(joint.child);
            if let BodyRef::Body(parent) = joint.parent {
                let (_, origin, turn, shift) = find(parent);
                ang -= turn;
                lin -= shift + turn.cross(&(place - origin));
            }
            let part = |parts: [&str; 3]| {
                rotation * Vec3::from(parts.map(|part| value(format!("reactions.{}.{part}", joint.name))))
            };
            let (force, torque) = (part(["fx", "fy", "fz"]), part(["mx", "my", "mz"]));
            let work = force.dot(&lin) + torque.dot(&ang);
            let size = 1.0 + force.norm() * lin.norm() + torque.norm() * ang.norm();
            assert!(work.abs() < 1e-10 * size, "mechanism {number}, joint {}: {work}", joint.name);
            seen[1] += 1;
        }
    }
    assert!(seen[0] > 60 && seen[1] > 60, "{seen:?}");
}

/// Energy is conserved while random loops run, prescribed motion counted. A few mechanisms run into positions where their
/// loops lock or fold; they end there with an error.
#[test]
fn energy_is_conserved() {
    let nanos = |s: f64| Nanos::from_seconds(s).unwrap();
    let method = Method::Dopri5 { rtol: 1e-9, atol: 1e-9, max_step: f64::INFINITY };
    let options = Options { until: nanos(0.1), output: nanos(0.1), method };
    let (mut seen, mut locked) = (0, 0);
    for (number, scalars, _, mechanism) in mechanisms().take(60) {
        let p = mechanism.parameters().values();
        let Ok(summary) = simulate(&mechanism, &p, &options, &mut Rows::default()) else {
            locked += 1;
            continue;
        };
        let residue = summary.energy.relative_residue();
        assert!(residue < 1e-6, "mechanism {number} ({scalars:?}): {residue:e}");
        assert!(summary.drift < 1e-5, "mechanism {number}: {}", summary.drift);
        seen += 1;
    }
    assert!(seen >= 54 && locked <= 6, "{seen} {locked}");
}
