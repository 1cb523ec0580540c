//! Derivatives of channels and accelerations by states, inputs, parameters and what blocks hold are those of differences.

use gelenk_math::{Dual, Real, partial, seed};
use gelenk_multibody::Mechanism;
use gelenk_solve::{StateSpaceError, state_space};
use gelenk_system::{Hybrid, Nanos, Sampled, System};
use gelenk_testing::guard::{Dice, Sketch, Wishes};

use super::harness::{Finding, Outcome, guard};
use super::trial::{Way, prepared};

/// Steps of the differences: where two of them do not agree, a channel has a corner there.
const STEPS: [f64; 2] = [2e-5, 1e-5];
const FITS: f64 = 1e-6;

fn check(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let way = Way {
        solver: r#"{ method = "dop853", rtol = 1e-9, atol = 1e-9 }"#,
        reactions: true,
        poses: true,
        ..Way::default()
    };
    let built = match prepared(sketch, &way) {
        Ok(built) => built,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let (system, p) = (&built.mechanism, built.parameters.values());
    let layout = system.layout();
    let mut data = system.data::<f64>();
    system.bind(&mut data, &p);
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let begun = system.start(&mut data, &mut x, &mut m);
    let begun = begun.and_then(|()| system.sample(&mut data, Nanos::ZERO, &x, &mut m));
    if let Err(fault) = begun {
        return Ok(Outcome::Refused(fault.to_string()));
    }
    system.settle(&mut data, 0.0, &x, &mut m);
    // Channels that have derivatives.
    let mut seeded = system.data::<Dual>();
    system.bind(&mut seeded, &p.iter().map(|&p| Dual::c(p)).collect::<Vec<_>>());
    let constant: Vec<Dual> = x.iter().map(|&x| Dual::c(x)).collect();
    let mut y = vec![Dual::c(0.0); system.channels().len()];
    if let Err(fault) = system.outputs_on(&mut seeded, Dual::c(0.0), &constant, &m, &mut y) {
        return Ok(Outcome::Refused(fault.to_string()));
    }
    let mut picked: Vec<usize> = (0..y.len()).filter(|&k| y[k].re().is_finite()).collect();
    // The size of a vector has no derivative where it is zero.
    let linear = loop {
        match state_space(system, &p, (0.0, &x, &m), &picked) {
            Ok(linear) => break linear,
            Err(StateSpaceError::Corner { what }) => {
                let all = picked.len();
                picked.retain(|&k| system.channels()[k].name != what || y[k].re() != 0.0);
                if picked.len() == all {
                    return Err(format!("{what} has no derivative"));
                }
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    // One direction of states and inputs at once.
    let (n, states) = (&linear.states.directions, linear.states.a.nrows());
    let k = n.ncols();
    let s = nalgebra::DVector::from_fn(states, |_, _| dice.signed(0.1, 1.0));
    let inputs = linear.b.ncols();
    let u = nalgebra::DVector::from_fn(inputs, |_, _| dice.signed(0.1, 1.0));
    let reported = &linear.c * &s + &linear.d * &u;
    let (xi, eta) = (n * s.rows(0, k), n * s.rows(k, k));
    // Held numbers of inputs; what else they are bound to varies about its value now.
    let values: Vec<f64> = (0..inputs)
        .map(|i| match system.holds(&data, i) {
            true => f64::NAN,
            false => system.input_at(&data, i, 0.0),
        })
        .collect();
    let mut at = |share: f64| -> Result<Vec<f64>, String> {
        let (mut x1, mut m1) = (x.clone(), m.clone());
        let dv: Vec<f64> = xi.iter().map(|xi| share * xi).collect();
        system.retract(&x[layout.q()], &dv, &mut x1[layout.q()]);
        for (i, v) in layout.v().enumerate() {
            x1[v] += share * eta[i];
        }
        for (i, z) in layout.z().enumerate() {
            x1[z] += share * s[2 * k + i];
        }
        for i in 0..inputs {
            let level = system.varying()[i];
            let value = if values[i].is_nan() { m[level] } else { values[i] };
            system.bind_input(&mut data, i, &gelenk_system::Course::Held(value));
            m1[level] = value + share * u[i];
        }
        let mut y = vec![0.0; system.channels().len()];
        system.outputs_on(&mut data, 0.0, &x1, &m1, &mut y).map_err(|fault| fault.to_string())?;
        Ok(picked.iter().map(|&k| y[k]).collect())
    };
    compare(system, &picked, reported.as_slice(), &mut at)
}

/// Holds derivatives of channels against differences of what `at` gives at a share of the direction.
fn compare(
    system: &Mechanism,
    picked: &[usize],
    reported: &[f64],
    at: &mut dyn FnMut(f64) -> Result<Vec<f64>, String>,
) -> Finding {
    let here = at(0.0)?;
    let mut slopes = Vec::new();
    for step in STEPS {
        let (Ok(ahead), Ok(back)) = (at(step), at(-step)) else {
            return Ok(Outcome::Refused("a neighbouring state cannot be evaluated".into()));
        };
        slopes.push(ahead.iter().zip(&back).map(|(a, b)| (a - b) / (2.0 * step)).collect::<Vec<f64>>());
        // One-sided slopes differ at a corner, too.
        slopes.push(ahead.iter().zip(&here).map(|(a, b)| (a - b) / step).collect());
    }
    // What differences of the largest numbers leave in the smallest.
    let rounding = 1e-16 * here.iter().fold(0.0f64, |max, y| max.max(y.abs())) / STEPS[1];
    let mut compared = 0;
    for (row, &channel) in picked.iter().enumerate() {
        let size = reported[row].abs().max(here[row].abs()).max(1e-3);
        let [coarse, coarse_ahead, fine, ahead] = [0, 1, 2, 3].map(|k| slopes[k][row]);
        // Where there is no corner, what a one-sided slope is off halves with the step.
        let curved = (ahead - fine).abs() <= 0.6 * (coarse_ahead - coarse).abs() + 0.3 * FITS * size;
        let smooth = (coarse - fine).abs() <= 0.3 * FITS * size && curved;
        if !smooth {
            continue;
        }
        compared += 1;
        if !((reported[row] - fine).abs() <= FITS * size + 3.0 * rounding) {
            let name = &system.channels()[channel].name;
            return Err(format!("{name}: {} by derivatives, {fine} by differences", reported[row]));
        }
    }
    if 3 * compared < picked.len() {
        return Ok(Outcome::Refused("few channels are smooth".into()));
    }
    Ok(Outcome::Held)
}

/// One direction of parameters and of what blocks hold, at a start state that stays.
fn check_parameters(sketch: &Sketch, dice: &mut Dice) -> Finding {
    let way = Way {
        solver: r#"{ method = "dop853", rtol = 1e-9, atol = 1e-9 }"#,
        reactions: true,
        poses: true,
        ..Way::default()
    };
    let built = match prepared(sketch, &way) {
        Ok(built) => built,
        Err(reason) => return Ok(Outcome::Refused(reason)),
    };
    let (system, p) = (&built.mechanism, built.parameters.values());
    let layout = system.layout();
    let mut data = system.data::<f64>();
    system.bind(&mut data, &p);
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let begun = system.start(&mut data, &mut x, &mut m);
    let begun = begun.and_then(|()| system.sample(&mut data, Nanos::ZERO, &x, &mut m));
    if let Err(fault) = begun {
        return Ok(Outcome::Refused(fault.to_string()));
    }
    system.settle(&mut data, 0.0, &x, &mut m);
    // Whole numbers are words, flags and exponents, which do not vary; sizes do in shares of themselves.
    let along: Vec<f64> =
        p.iter().map(|&p| if p.fract() == 0.0 { 0.0 } else { 0.1 * p * dice.signed(0.1, 1.0) }).collect();
    let held: Vec<f64> = system.varying().iter().map(|_| dice.signed(0.1, 1.0)).collect();
    let one = seed(0.0, 0);
    let mut seeded = system.data::<Dual>();
    let varied: Vec<Dual> = p.iter().zip(&along).map(|(&p, &d)| Dual::c(p) + one * d).collect();
    system.bind(&mut seeded, &varied);
    system.vary(&mut seeded, &held.iter().map(|&d| one * d).collect::<Vec<_>>());
    let constant: Vec<Dual> = x.iter().map(|&x| Dual::c(x)).collect();
    let mut y = vec![Dual::c(0.0); system.channels().len()];
    if let Err(fault) = system.outputs_on(&mut seeded, Dual::c(0.0), &constant, &m, &mut y) {
        return Ok(Outcome::Refused(fault.to_string()));
    }
    // Channels that have derivatives: not counts, nor the size of a vector that is zero.
    let picked: Vec<usize> =
        (0..y.len()).filter(|&k| y[k].re().is_finite() && partial(y[k], 0).is_finite()).collect();
    let reported: Vec<f64> = picked.iter().map(|&k| partial(y[k], 0)).collect();
    let mut at = |share: f64| -> Result<Vec<f64>, String> {
        let moved: Vec<f64> = p.iter().zip(&along).map(|(p, d)| p + share * d).collect();
        system.bind(&mut data, &moved);
        let mut m1 = m.clone();
        system.varying().iter().zip(&held).for_each(|(&place, d)| m1[place] += share * d);
        let mut y = vec![0.0; system.channels().len()];
        system.outputs_on(&mut data, 0.0, &x, &m1, &mut y).map_err(|fault| fault.to_string())?;
        Ok(picked.iter().map(|&k| y[k]).collect())
    };
    compare(system, &picked, &reported, &mut at)
}

#[test]
fn derivatives() {
    guard("derivatives", Wishes::ALL, 60, check);
}

#[test]
fn derivatives_by_parameters() {
    guard("derivatives-by-parameters", Wishes::ALL, 60, check_parameters);
}
