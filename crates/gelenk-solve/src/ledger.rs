//! What the energy balance says about a run: energy that integration makes or loses is an error of the run.

use std::fmt;

use gelenk_system::Simulated;

use crate::auto;
use crate::error::SolveError;
use crate::linearise::matrix_at;
use crate::options::{Method, Options};
use crate::summary::Summary;

/// Shares of the energy exchanged that integration may make or lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyLimits {
    /// Above this share the run gets a warning.
    pub warn: f64,
    /// Above this share the run counts as failed.
    pub fail: f64,
}

impl Default for EnergyLimits {
    fn default() -> Self {
        Self { warn: 0.01, fail: 0.1 }
    }
}

/// What the balance says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The residue is small.
    Good,
    /// It is not; the text says so and gives the way out.
    Warning(String),
    /// The run is not worth its name.
    Failure(SolveError),
}

/// Energy that the integration made or lost, or an account that should keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imbalance {
    /// The account whose work is not the loss of the energy that it stores; `None` for the integration.
    pub account: Option<String>,
    /// Energy made, negative where it was lost (J).
    pub residue: f64,
    /// As a share of the energy exchanged.
    pub share: f64,
    /// The cause, where it is known, and the way out.
    pub cause: String,
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { account, residue, share, cause } = self;
        if !residue.is_finite() || !share.is_finite() {
            return write!(f, "the energy of the run is not finite: {cause}");
        }
        let did = if *residue > 0.0 { "gained" } else { "lost" };
        let (size, share) = (residue.abs(), 100.0 * share.abs());
        match account {
            None => {
                write!(f, "integration {did} {size:.3e} J, {share:.1} % of the energy exchanged: {cause}")
            }
            Some(account) => write!(
                f,
                "{account} {did} {size:.3e} J in addition to what it stores, {share:.1} % of the energy exchanged: \
                 {cause}; where that \
                 does not help, its force is not conservative (book, \"Energy balance\")"
            ),
        }
    }
}

/// Judges the energy balance of a run.
///
/// Energy that integration made or lost, and energy that accounts which should keep it did: contacts whose force is not the
/// gradient of their energy, or that are over within a step. `stepped` and `real-time` damp by construction, so a loss
/// there is at most a warning. Energy that is not finite always fails.
pub fn judge<S: Simulated>(
    system: &S,
    p: &[f64],
    options: &Options,
    summary: &Summary,
    limits: EnergyLimits,
) -> Verdict {
    let energy = &summary.energy;
    let finite = energy.residue.is_finite() && energy.scale.is_finite() && energy.kinetic.is_finite();
    let damps = matches!(options.method, Method::Stepped { .. } | Method::RealTime { .. });
    // What the accounts make is looked at where the integration is sound, too: either is an error of the motion.
    let account = energy.mismatched.and_then(|k| energy.works.get(k)).map(|work| work.name.clone());
    let sides = [(None, energy.residue), (account, energy.mismatch)];
    let worse = |side: &(Option<String>, f64)| {
        let lost = finite && damps && side.1 < 0.0;
        (!lost, side.1.abs())
    };
    let of_account = finite && {
        let (integration, elements) = (worse(&sides[0]), worse(&sides[1]));
        let counts = |side: (bool, f64)| side.1 > energy.floor && side.1 > limits.warn * energy.scale;
        counts(elements) && (!counts(integration) || elements > integration)
    };
    let [integration, elements] = sides;
    let (account, residue) = if of_account { elements } else { integration };
    let share = if energy.scale > 0.0 { residue.abs() / energy.scale } else { 0.0 };
    if finite && (share <= limits.warn || residue.abs() <= energy.floor) {
        return Verdict::Good;
    }
    if finite && residue < 0.0 && damps {
        let cause = format!(
            "\"{}\" damps fast motions; use a smaller step, or method = \"stepped2\"",
            options.method.name()
        );
        return Verdict::Warning(Imbalance { account, residue, share, cause }.to_string());
    }
    let cause = cause(system, p, options.method);
    let imbalance = Imbalance { account, residue, share: if finite { share } else { f64::NAN }, cause };
    if finite && share <= limits.fail {
        Verdict::Warning(imbalance.to_string())
    } else {
        Verdict::Failure(SolveError::Energy(imbalance))
    }
}

/// Why a run may have gone wrong: its step against what is stable at the start.
fn cause<S: Simulated>(system: &S, p: &[f64], method: Method) -> String {
    let name = method.name();
    let (step, limit) = match method {
        Method::Bs23 { .. } | Method::Dopri5 { .. } | Method::Dop853 { .. } => {
            return format!("tighten rtol and atol of \"{name}\", or bound its max_step");
        }
        Method::Stepped { .. } | Method::Stepped2 { .. } | Method::RealTime { .. } => {
            return format!("use a smaller step of \"{name}\"");
        }
        Method::Euler { step } => (step, 0.0),
        Method::SemiImplicitEuler { step } => (step, 2.0),
        // On the imaginary axis Heun's method grows slowly at any step.
        Method::Heun { step } => (step, 0.5),
        Method::FixedBs23 { step } => (step, 1.73),
        Method::Rk4 { step } => (step, 2.78),
    };
    let plain =
        format!("use a smaller step of \"{name}\", or a method with error control such as \"dopri5\"");
    let Ok(speeds) = auto::speeds(system, p) else { return plain };
    if !(speeds.radius.is_finite() && speeds.radius * step.seconds() > limit && limit > 0.0) {
        return plain;
    }
    let most = limit / speeds.radius;
    let where_ =
        fastest(system, p).map(|state| format!(" of {}", system.state_name(state))).unwrap_or_default();
    format!(
        "the step of {step} is too large for \"{name}\" to follow the fastest motion{where_}, {:.3e} rad/s at the \
         start; use a step below {most:.1e} s, or \"dopri5\" or \"stepped2\"",
        speeds.radius
    )
}

/// The velocity that answers most to the state at the start.
fn fastest<S: Simulated>(system: &S, p: &[f64]) -> Option<usize> {
    let layout = system.layout();
    let mut data = system.data();
    system.bind(&mut data, p);
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    system.start(&mut data, &mut x, &mut m).ok()?;
    let linear = matrix_at(system, p, 0.0, &x, &m).ok()?;
    let n = linear.directions.ncols();
    let size = |row: usize| linear.a.row(row).iter().fold(0.0f64, |max, v| max.max(v.abs()));
    let row = (n..(2 * n).min(linear.a.nrows())).max_by(|&i, &k| size(i).total_cmp(&size(k)))?;
    let direction = linear.directions.column(row - n);
    let velocity = (0..layout.nv).max_by(|&i, &k| direction[i].abs().total_cmp(&direction[k].abs()))?;
    Some(layout.nq + velocity)
}
