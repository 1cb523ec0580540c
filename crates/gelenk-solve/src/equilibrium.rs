//! Equilibrium: positions at which nothing accelerates.

use gelenk_system::{Fault, Simulated};
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

use crate::tangent::{derivatives, eigenvalues, free_directions};

/// Steps after which the search is given up.
const ITERATIONS: usize = 2000;
/// Largest step of a coordinate (rad, m).
const LARGEST_STEP: f64 = 0.2;
/// Share of the accelerations in `mu`; one over the step (rad, m) that they call for alone.
const LEVEL: f64 = 1e-3;

/// Distance from a limit that counts as none (rad, m).
const ON_LIMIT: f64 = 1e-9;
/// Steps onto the limits after each step of the search.
const CORRECTIONS: usize = 100;

/// Largest step (rad, m) with which a state at rest is made better.
const POLISH: f64 = 1e-4;

/// Displacement for differences (rad, m).
const DIFFERENCE: f64 = 1e-7;

/// No equilibrium was found.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EquilibriumError {
    /// An evaluation failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A sampled controller.
    #[error(
        "{controller} is sampled, so that its output is not a function of the state; an equilibrium needs a controller \
         that is an expression"
    )]
    Sampled {
        /// Its name.
        controller: String,
    },
    /// The modes change for ever where nothing accelerates.
    #[error(
        "{element} changes its mode repeatedly at the equilibrium; give a switch an \"off\" that differs from its \"on\""
    )]
    Modes {
        /// The element.
        element: String,
    },
    /// Limits that cannot all be kept.
    #[error(
        "no equilibrium was reached: a coordinate violates its limit, or a loop is open, by {gap:.3e} (SI); start \
         inside all ranges, or widen one of them"
    )]
    Limits {
        /// The distance (m, rad).
        gap: f64,
    },
    /// The search ended where accelerations remain.
    #[error(
        "no equilibrium was reached: velocity {velocity} still accelerates by {acceleration:.3e} (SI); start nearer to \
         it, or add an element that holds it"
    )]
    NotFound {
        /// The velocity with the largest acceleration.
        velocity: usize,
        /// That acceleration.
        acceleration: f64,
    },
}

/// The state at rest at which all accelerations vanish, reached from the start by following them downhill, and the
/// memory there. So it is a stable equilibrium: a pendulum falls to its lowest position, not to its highest.
///
/// Implicit steps `(mu - da/dq) dq = a` in the directions that the constraints admit, each followed by the projection
/// that closes the loops (pseudo-transient continuation, Kelley and Keyes 1998, doi 10.1137/S0036142996304796). `mu`
/// stays above every growing direction and falls with the accelerations, so the last steps are Newton's. Accelerations
/// below `tolerance` (rad/s^2, m/s^2) count as none; from there on steps follow as long as each halves what is left, because
/// where the stiffness vanishes with the displacement (a spring of exponent 1.5 at its rest) small accelerations remain far
/// from the equilibrium, and the stiffness there is not that of the equilibrium.
///
/// Modes are those that a run would have there: limits hold what presses on them, and switches are turned as their
/// conditions say. Friction has no effort: where it can hold, the states around this one are equilibria, too. Laws with a
/// spring of the position have the memory of a straight way from the start.
///
/// # Errors
/// A controller that samples: its output is not a function of the state.
pub fn equilibrium<S: Simulated>(
    system: &S,
    p: &[f64],
    tolerance: f64,
) -> Result<(Vec<f64>, Vec<f64>), EquilibriumError> {
    let layout = system.layout();
    let mut data = system.data();
    system.bind(&mut data, p);
    system.check(&data, false)?;
    if let Some(controller) = system.controller() {
        return Err(EquilibriumError::Sampled { controller: controller.into() });
    }
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    system.start(&mut data, &mut x, &mut m)?;
    x[layout.v()].fill(0.0);
    system.sample(&mut data, gelenk_system::Nanos::ZERO, &x, &mut m)?;
    let mut dx = vec![0.0; layout.nx()];
    let mut q1 = vec![0.0; layout.nq];
    let mut largest = 0.0f64;
    let mut a = DVector::zeros(layout.nv);
    let mut g = vec![0.0; layout.ng];
    let mut held = Vec::with_capacity(layout.nh);
    let mut open = 0.0;
    let mut best: Option<(Vec<f64>, Vec<f64>, f64)> = None;
    for _ in 0..ITERATIONS {
        system.rest(&mut data, 0.0, &mut x, &mut m)?;
        turn(system, &mut data, &mut x, &mut m, &mut g)?;
        system.rates(&mut data, 0.0, &x, &m, &mut dx)?;
        a.copy_from_slice(&dx[layout.v()]);
        largest = largest.max(a.norm());
        // What rests on a limit or sticks does not move by a step.
        held.clear();
        held.extend((0..layout.nh).filter_map(|hold| system.held(&m, hold)));
        let free = free_directions(system, p, 0.0, &x, &held);
        let whole = derivatives(system, p, 0.0, &x, &m)?;
        let mut slope = whole.view((0, 0), (layout.nv, layout.nv)) * &free;
        if layout.nz > 0 {
            // States of laws that go along with the positions.
            let followed = followed(system, &mut data, &x, &m, &free)?;
            slope += whole.view((0, 2 * layout.nv), (layout.nv, layout.nz)) * followed;
        }
        let slope = free.transpose() * slope;
        let growth = eigenvalues(&slope).iter().fold(0.0f64, |max, v| max.max(v.re));
        // A position that balances but grows away from itself is no place to rest: step aside.
        let rests = a.amax() <= tolerance && growth <= 1e-9 * slope.amax();
        let rests = rests && off_limits(system, &data, &x, &m, open).is_none();
        if best.as_ref().is_some_and(|(_, _, left)| !rests || a.amax() > 0.5 * left) {
            break;
        }
        if rests {
            best = Some((x.clone(), m.clone(), a.amax()));
        }
        // Where nothing changes the accelerations, such as a pendulum at its level, they still say where to go.
        let mu = 1.5 * growth + slope.amax() * 0.1 * a.norm() / largest.max(tolerance) + LEVEL * a.norm();
        let mut pull = free.transpose() * &a;
        if !rests && pull.amax() <= tolerance {
            pull.fill(1e-3 * mu);
        }
        // Nothing can move, and yet something accelerates.
        if free.ncols() == 0 {
            break;
        }
        let matrix = DMatrix::from_diagonal_element(free.ncols(), free.ncols(), mu) - slope;
        let Ok(step) = matrix.svd(true, true).solve(&pull, 1e-14) else { break };
        let step = &free * step;
        if rests && !(step.amax() > 0.0 && step.amax() <= POLISH) {
            break;
        }
        let share = (LARGEST_STEP / step.amax()).min(1.0);
        let step: Vec<f64> = step.iter().map(|s| s * share).collect();
        system.retract(&x[layout.q()], &step, &mut q1);
        x[layout.q()].copy_from_slice(&q1);
        system.project(&mut data, 0.0, &mut x, &mut m)?;
        x[layout.v()].fill(0.0);
        stay_within(system, &mut data, &mut x, &mut m)?;
        open = onto_limits(system, p, &mut data, &mut x, &mut m)?;
    }
    if let Some((x, mut m, _)) = best {
        // Sensors that only record show what is there.
        system.sample(&mut data, gelenk_system::Nanos::ZERO, &x, &mut m)?;
        return Ok((x, m));
    }
    if let Some(gap) = off_limits(system, &data, &x, &m, open) {
        return Err(EquilibriumError::Limits { gap });
    }
    Err(EquilibriumError::NotFound { velocity: a.iamax(), acceleration: a.amax() })
}

/// Changes of the states of laws with displacements along the free directions, by differences.
fn followed<S: Simulated>(
    system: &S,
    data: &mut S::Data<f64>,
    x: &[f64],
    m: &[f64],
    free: &DMatrix<f64>,
) -> Result<DMatrix<f64>, Fault> {
    let layout = system.layout();
    let mut changes = DMatrix::zeros(layout.nz, free.ncols());
    for (column, direction) in free.column_iter().enumerate() {
        let (mut x1, mut m1) = (x.to_vec(), m.to_vec());
        let step: Vec<f64> = direction.iter().map(|part| part * DIFFERENCE).collect();
        system.retract(&x[layout.q()], &step, &mut x1[layout.q()]);
        system.rest(data, 0.0, &mut x1, &mut m1)?;
        for (row, k) in layout.z().enumerate() {
            changes[(row, column)] = (x1[k] - x[k]) / DIFFERENCE;
        }
    }
    Ok(changes)
}

/// Turns the modes that have run out, as a run does.
fn turn<S: Simulated>(
    system: &S,
    data: &mut S::Data<f64>,
    x: &mut [f64],
    m: &mut [f64],
    g: &mut [f64],
) -> Result<(), EquilibriumError> {
    for _ in 0..2 * g.len() + 1 {
        system.switching(data, 0.0, x, m, g);
        let Some(index) = g.iter().position(|&g| g < 0.0) else { return Ok(()) };
        system.switch(data, 0.0, index, x, m)?;
    }
    let index = g.iter().position(|&g| g < 0.0).unwrap_or_default();
    Err(EquilibriumError::Modes { element: system.switch_name(index).into() })
}

/// Puts what has passed a limit onto it.
fn stay_within<S: Simulated>(
    system: &S,
    data: &mut S::Data<f64>,
    x: &mut [f64],
    m: &mut [f64],
) -> Result<(), Fault> {
    let layout = system.layout();
    for index in 0..layout.nh {
        let gap = system.gap(data, index, &x[layout.q()], &x[layout.v()]);
        if gap.is_some_and(|[gap, _]| gap < 0.0) {
            system.strike(data, 0.0, (index, true), x, m)?;
            x[layout.v()].fill(0.0);
        }
    }
    Ok(())
}

/// Moves what rests on limits onto them along the directions that the loops admit: closing a loop moves it off its limit.
/// Returns the largest gap of a loop (m) that is left.
fn onto_limits<S: Simulated>(
    system: &S,
    p: &[f64],
    data: &mut S::Data<f64>,
    x: &mut [f64],
    m: &mut [f64],
) -> Result<f64, Fault> {
    let layout = system.layout();
    // The rate of a gap at unit velocities is the sign of its coordinate in it.
    let ones = vec![1.0; layout.nv];
    for correction in 0.. {
        // What is held stays where it is, so that loops close in several turns.
        let open = system.project(data, 0.0, x, m)?;
        x[layout.v()].fill(0.0);
        let off: Vec<(usize, f64)> = (0..layout.nh)
            .filter_map(|index| {
                let [gap, sign] = system.gap(data, index, &x[layout.q()], &ones)?;
                Some((system.held(m, index)?, -sign * gap))
            })
            .collect();
        if off.is_empty() {
            return Ok(0.0);
        }
        let near = 1e-3 * ON_LIMIT;
        if correction == CORRECTIONS || (open <= near && off.iter().all(|(_, step)| step.abs() <= near)) {
            return Ok(open);
        }
        let admitted = free_directions(system, p, 0.0, x, &[]);
        let rows = DMatrix::from_fn(off.len(), admitted.ncols(), |i, k| admitted[(off[i].0, k)]);
        let right = DVector::from_iterator(off.len(), off.iter().map(|(_, step)| *step));
        let Ok(step) = rows.svd(true, true).solve(&right, 1e-10) else { return Ok(f64::INFINITY) };
        let step = &admitted * step;
        let share = (LARGEST_STEP / step.amax()).min(1.0);
        let step: Vec<f64> = step.iter().map(|s| s * share).collect();
        let q0 = x[layout.q()].to_vec();
        system.retract(&q0, &step, &mut x[layout.q()]);
    }
    Ok(0.0)
}

/// How far something is behind a limit, off one that holds it, or off a loop that is `open`; `None` if nothing is.
fn off_limits<S: Simulated>(system: &S, data: &S::Data<f64>, x: &[f64], m: &[f64], open: f64) -> Option<f64> {
    let layout = system.layout();
    let off = (0..layout.nh).filter_map(|index| {
        let [gap, _] = system.gap(data, index, &x[layout.q()], &x[layout.v()])?;
        Some(if system.held(m, index).is_some() { gap.abs() } else { -gap })
    });
    Some(off.fold(open, f64::max)).filter(|&off| off > ON_LIMIT)
}
