//! Natural coordinates (stelzner 4.1, ST-R22) and the comparison of formulations (S-2).
//!
//! A body is its centre of mass `c` and the three unit vectors `u_1, u_2, u_3` of its axes: twelve coordinates, tied by six
//! equations `u_i . u_j = delta_ij`. The mass matrix is constant, `T = m c'^2/2 + sum E_ij u_i' . u_j'/2` with
//! `E = tr(J)/2 1 - J`, so no gyroscopic terms exist. The angular velocity is `w = sum u_i x u_i'/2`, and its rate
//! `sum u_i x u_i''/2`: an equation `r . w' + ... = gamma` of the absolute form has the row `(r x u_i)/2`, and a moment
//! `n` the generalised force `(n x u_i)/2`. All these equations are solved together with their multipliers.

use gelenk_math::dense::solve_general;
use gelenk_math::rotation::from_quaternion;
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_math::{Dual, Real, partial, seed};
use gelenk_system::{Fault, ParameterTable, System};

use super::AbsoluteError;
use crate::blueprint::Blueprint;
use crate::mechanism::{LinkKind, Mechanism};

/// Name, angular acceleration and rate of the velocity of the origin of every body, body axes.
type Accelerations = Vec<(String, [f64; 6])>;

/// One formulation of a mechanism at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Formulation {
    /// `minimal`, `absolute` or `natural`.
    pub name: &'static str,
    /// Number of unknown accelerations.
    pub unknowns: usize,
    /// Number of constraint equations.
    pub equations: usize,
    /// Largest difference of a body's acceleration (m/s^2, rad/s^2) from that of minimal coordinates, as a share of the
    /// largest one.
    pub difference: f64,
}

impl Blueprint {
    /// The accelerations of all bodies at the start in minimal, absolute and natural coordinates, compared.
    ///
    /// # Errors
    /// What [`Blueprint::absolute`] refuses, and starts that are not possible.
    pub fn formulations(&self, parameters: &ParameterTable) -> Result<[Formulation; 3], AbsoluteError> {
        let minimal = self.clone().compile(parameters.clone())?;
        let (blueprint, table) = self.absolute(parameters)?;
        let absolute = blueprint.compile(table)?;
        let reference = minimal.start_accelerations()?;
        let bodies = absolute.start_accelerations()?;
        let (natural, equations) = absolute.natural_accelerations()?;
        let layout = absolute.layout();
        let largest = reference.iter().flat_map(|(_, a)| a).fold(1.0f64, |most, a| most.max(a.abs()));
        let apart = |other: &Accelerations| {
            let mut worst = 0.0f64;
            for (name, a) in &reference {
                let b = other.iter().find(|(other, _)| other == name).map_or([f64::NAN; 6], |(_, b)| *b);
                for (a, b) in a.iter().zip(b) {
                    // A body that is not there, or no number, is no agreement.
                    worst = if (a - b).is_nan() { f64::INFINITY } else { worst.max((a - b).abs()) };
                }
            }
            worst / largest
        };
        Ok([
            Formulation {
                name: "minimal",
                unknowns: minimal.velocity_count(),
                equations: minimal.constraint_count(),
                difference: 0.0,
            },
            Formulation {
                name: "absolute",
                unknowns: layout.nv,
                equations: layout.nc,
                difference: apart(&bodies),
            },
            Formulation { name: "natural", unknowns: 2 * layout.nv, equations, difference: apart(&natural) },
        ])
    }
}

impl Mechanism {
    /// Accelerations at the start.
    fn start_accelerations(&self) -> Result<Accelerations, Fault> {
        let layout = self.layout;
        let (mut d, mut x, mut m) = (self.data(), vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        let mut dx = vec![0.0; layout.nx()];
        self.rates(&mut d, 0.0, &x, &m, &mut dx)?;
        Ok(self.moving(&x, &dx))
    }

    /// The same from a state and its rate.
    fn moving(&self, x: &[f64], dx: &[f64]) -> Accelerations {
        let (layout, time) = (self.layout, seed(0.0, 0));
        let along: Vec<Dual> = x.iter().zip(dx).map(|(&x, &dx)| Dual::c(x) + time * Dual::c(dx)).collect();
        let states = self.body_states(&mut self.data(), time, &along[layout.q()], &along[layout.v()]);
        let parts = |state: super::BodyState<Dual>| {
            let (ang, lin) = (state.velocity.ang, state.velocity.lin);
            (state.name, [ang[0], ang[1], ang[2], lin[0], lin[1], lin[2]].map(|v| partial(v, 0)))
        };
        states.into_iter().map(parts).collect()
    }

    /// The same of a mechanism in absolute coordinates, by its equations in natural ones; also their number.
    fn natural_accelerations(&self) -> Result<(Accelerations, usize), Fault> {
        let layout = self.layout;
        let (mut d, mut x, mut m) = (self.data(), vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        let mut dx = vec![0.0; layout.nx()];
        self.rates(&mut d, 0.0, &x, &m, &mut dx)?;
        let (nv, nc) = (layout.nv, layout.nc);
        d.load(self, 0.0, &x[layout.q()], &x[layout.v()]);
        d.elements.states_mut().copy_from_slice(&x[layout.z()]);
        self.evaluate(&mut d, &m, None)?;
        let gamma: Vec<f64> = d.loops.gamma().to_vec();
        let mut rows = vec![0.0; nc * nv];
        for row in 0..nc {
            for (k, entry) in self.constraint_matrix(&d).row(row) {
                rows[row * nv + k] += entry;
            }
        }
        let mut mass = vec![0.0; nv * nv];
        self.mass(&mut d, &mut mass);
        // Without accelerations Newton-Euler gives what the efforts have to balance.
        self.rnea(&mut d);
        let mut bias = vec![0.0; nv];
        self.pull_back(&d.f, &d.tree_effort, &mut bias);
        let force: Vec<f64> = d.effort.iter().zip(&bias).map(|(effort, bias)| effort - bias).collect();

        let spins: Vec<_> = self.links.iter().filter_map(|link| free_spin(&link.kind)).collect();
        let (n, equations) = (12 * spins.len(), 6 * spins.len() + nc);
        let size = n + equations;
        let (mut matrix, mut right) = (vec![0.0; size * size], vec![0.0; size]);
        let v = &x[layout.v()];
        let three = |list: &[f64], from: usize| Vec3::new(list[from], list[from + 1], list[from + 2]);
        for (b, &(q, w, c)) in spins.iter().enumerate() {
            let turn: Mat3<f64> = from_quaternion([x[q], x[q + 1], x[q + 2], x[q + 3]]);
            let spin = three(v, w);
            let inertia = Mat3::from_fn(|i, k| mass[(w + i) * nv + w + k]);
            let moments = Mat3::from_diagonal_element(0.5 * inertia.trace()) - inertia;
            let rate =
                turn * Mat3::new(0.0, -spin[2], spin[1], spin[2], 0.0, -spin[0], -spin[1], spin[0], 0.0);
            let moment = turn * (three(&force, w) + spin.cross(&(inertia * spin)));
            let axis = |i: usize| -> Vec3<f64> { turn.column(i).into() };
            let push = three(&force, c);
            for k in 0..3 {
                let centre = 12 * b + k;
                matrix[centre * size + centre] = mass[(c + k) * nv + c + k];
                right[centre] = push[k];
                for i in 0..3 {
                    let at = 12 * b + 3 + 3 * i + k;
                    right[at] = 0.5 * moment.cross(&axis(i))[k];
                    for j in 0..3 {
                        matrix[at * size + 12 * b + 3 + 3 * j + k] = moments[(i, j)];
                    }
                }
            }
            let mut tie = |equation: usize, at: usize, entry: f64| {
                matrix[(n + equation) * size + at] += entry;
                matrix[at * size + n + equation] += entry;
            };
            let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
            for (p, (i, j)) in pairs.into_iter().enumerate() {
                let equation = 6 * b + p;
                for k in 0..3 {
                    tie(equation, 12 * b + 3 + 3 * i + k, turn[(k, j)]);
                    tie(equation, 12 * b + 3 + 3 * j + k, turn[(k, i)]);
                }
                right[n + equation] = -2.0 * rate.column(i).dot(&rate.column(j));
            }
            for row in 0..nc {
                let equation = 6 * spins.len() + row;
                let about = turn * three(&rows, row * nv + w);
                for k in 0..3 {
                    tie(equation, 12 * b + k, rows[row * nv + c + k]);
                    for i in 0..3 {
                        tie(equation, 12 * b + 3 + 3 * i + k, 0.5 * about.cross(&axis(i))[k]);
                    }
                }
                right[n + equation] = gamma[row];
            }
        }
        let mut solution = vec![0.0; size];
        solve_general(&mut matrix, size, &mut right, &mut vec![0; size], &mut solution);
        for (b, &(q, w, c)) in spins.iter().enumerate() {
            let turn: Mat3<f64> = from_quaternion([x[q], x[q + 1], x[q + 2], x[q + 3]]);
            let about = (0..3).fold(Vec3::zeros(), |sum: Vec3<f64>, i| {
                let axis: Vec3<f64> = turn.column(i).into();
                sum + axis.cross(&three(&solution, 12 * b + 3 + 3 * i)) * 0.5
            });
            let about = turn.transpose() * about;
            for k in 0..3 {
                dx[layout.v().start + w + k] = about[k];
                dx[layout.v().start + c + k] = solution[12 * b + k];
            }
        }
        Ok((self.moving(&x, &dx), equations))
    }
}

/// First components of the quaternion in `q`, of the angular velocity and of that of the centre in `v`.
fn free_spin(kind: &LinkKind) -> Option<(usize, usize, usize)> {
    match kind {
        LinkKind::Free { spin, .. } => spin.origin.map(|(_, centre)| (spin.q, spin.v, centre)),
        _ => None,
    }
}
