//! What a run reports.

/// Counts and balances of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Simulated time (s).
    pub time: f64,
    /// What ended the run before its time.
    pub ended: Option<String>,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected steps: by error control, or cut by Newton.
    pub rejected: u64,
    /// Evaluations of the state rate or of the step residual, derivatives included.
    pub evaluations: u64,
    /// Newton iterations.
    pub iterations: u64,
    /// Steps beyond those of the grid, where steps were cut.
    pub substeps: u64,
    /// Mode changes.
    pub events: u64,
    /// Sampling instants.
    pub samples: u64,
    /// Recorded rows.
    pub rows: u64,
    /// Largest distance from the constraints before a projection (m, or excess of a quaternion norm).
    pub drift: f64,
    /// Energy balance.
    pub energy: EnergyBalance,
}

/// What one step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// Step (s).
    pub step: f64,
    /// Order of the method.
    pub order: u32,
    /// Newton iterations.
    pub iterations: u64,
    /// Pieces that the step was taken in, one where it was not cut.
    pub substeps: u64,
    /// Pieces that were tried in vain.
    pub rejected: u64,
}

/// Where the energy went.
///
/// The residue is what integration lost or made: `dT - sum W`, with the kinetic energy `T` and the work
/// `W` of every account, positive where it was made. It is reported as it is at the recorded row where it is largest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    /// Change of kinetic energy (J).
    pub kinetic: f64,
    /// Works of the accounts.
    pub works: Vec<Work>,
    /// Residue at the recorded row where it is largest, with its sign (J); once it is not finite, it stays so.
    pub residue: f64,
    /// Energy that all conservative accounts together gave beyond what they had stored, negative where they kept some, at the
    /// recorded row where it is largest (J).
    pub mismatch: f64,
    /// The account with the largest part in it.
    pub mismatched: Option<usize>,
    /// Energy to compare with: the largest kinetic energy plus work of one account at a recorded row (J).
    pub scale: f64,
    /// Energy below which a residue means nothing: that of motions at the tolerance, and rounding (J).
    pub floor: f64,
}

/// The work of one account.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The account.
    pub name: String,
    /// Work done on the mechanism (J).
    pub work: f64,
    /// Change of the energy that the account holds (J).
    pub stored: f64,
    /// Whether work and loss of stored energy should cancel.
    pub conservative: bool,
}

impl Work {
    /// Energy that left the mechanism for good: `-W - dU` (J). For a conservative account it is the mismatch
    /// of the stored energy that it claims.
    pub fn dissipated(&self) -> f64 {
        -self.work - self.stored
    }
}

impl EnergyBalance {
    /// The magnitude of the residue relative to the energy exchanged; zero where nothing moved.
    pub fn relative_residue(&self) -> f64 {
        self.share(self.residue)
    }

    /// The same for the mismatch of the conservative accounts.
    pub fn relative_mismatch(&self) -> f64 {
        self.share(self.mismatch)
    }

    fn share(&self, energy: f64) -> f64 {
        if self.scale > 0.0 { energy.abs() / self.scale } else { 0.0 }
    }
}
