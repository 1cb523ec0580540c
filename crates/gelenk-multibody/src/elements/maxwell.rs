//! Generalised Maxwell element: a spectrum of relaxation times.

use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::Real;
use gelenk_system::Effort;

use super::contract::{AccountSpec, Act, Element, ElementSpec, Look, PlaceKind, Step};

/// An equilibrium spring in parallel with any number of Maxwell branches, each a spring in series with a dashpot
/// (kubisch 3.5, K-R8; Weichert model):
///
/// ```text
/// F = -(E_0 (x - x_0) + sum q_k),   dq_k/dt = E_k dx/dt - q_k/tau_k
/// ```
///
/// The states are the branch forces `q_k`. Over a step with a constant rate of the displacement they are exact for any
/// step (`hold = "first-order"`); with the displacement held, `q_k = E_k (x - z_k/tau_k)` and
/// `z_k' = exp(-s) z_k + tau_k (1 - exp(-s)) x`, `s = h/tau_k` (`"exact"`); the thesis has
/// `z_k' = exp(-s) (z_k + h x)` (`"thesis"`), which keeps a spurious static stiffness of about `E_k s/2`.
pub struct Maxwell;

/// How the displacement is held over a step.
const FIRST_ORDER: usize = 0;
const EXACT: usize = 1;

/// Parameters before the lists.
const SINGLE: usize = 4;

impl Maxwell {
    /// Stiffness and relaxation time of branch `k`.
    fn branch<T: Real>(look: &Look<'_, T>, k: usize) -> [T; 2] {
        [look.p[SINGLE + k], look.p[SINGLE + look.size + k]]
    }

    /// The branch force after a step, and its mean over it (or its end value, as the step wants).
    fn stepped<T: Real>(look: &Look<'_, T>, k: usize, h: f64, effort: Effort) -> [T; 2] {
        let [stiffness, tau] = Self::branch(look, k);
        let (q, v, h) = (look.z[k], look.v[0], T::c(h));
        let s = h / tau;
        let decayed = s.decayed();
        // phi_1 = (1 - exp(-s))/s.
        let share = decayed / s;
        let (x1, rest) = (look.x[0], look.p[1]);
        let end = match look.p[2].re() as usize {
            FIRST_ORDER => q * (T::c(1.0) - decayed) + stiffness * share * v * h,
            hold => {
                // The memory z/tau of the displacement, from the branch force at the start of the step.
                let memory = (x1 - v * h - rest) - q / stiffness;
                let kept = match hold {
                    EXACT => memory * (T::c(1.0) - decayed) + (x1 - rest) * decayed,
                    _ => (memory + (x1 - rest) * s) * (T::c(1.0) - decayed),
                };
                stiffness * (x1 - rest - kept)
            }
        };
        let mean = match look.p[2].re() as usize {
            // The mean of the exact course: q decays, and what the motion adds is there for the rest of the step.
            FIRST_ORDER => q * share + stiffness * v * tau * (T::c(1.0) - share),
            _ => end,
        };
        [end, if effort == Effort::End { end } else { mean }]
    }
}

impl Element for Maxwell {
    const SPEC: ElementSpec = ElementSpec {
        name: "Maxwell element",
        table: "maxwell",
        title: "A generalised Maxwell element: a spring in parallel with branches of a spring and a dashpot in series.",
        equation: "F = -(E_0 (x - x_0) + sum q_k), dq_k/dt = E_k dx/dt - q_k/tau_k",
        source: "kubisch 3.5",
        place: PlaceKind::Scalar,
        params: &[
            ParamSpec::positive("equilibrium", "E_0", Kind::Stiffness, "Stiffness after a long time.")
                .or_zero(),
            ParamSpec::positive("rest", "x_0", Kind::Displacement, "Displacement at which it is relaxed.")
                .signed()
                .or(0.0),
            ParamSpec::choice(
                "hold",
                "",
                &["first-order", "exact", "thesis"],
                "What is constant over a step of the stepped modes: the rate, the displacement, or as in the thesis.",
            ),
            ParamSpec::choice(
                "start",
                "",
                &["relaxed", "fresh"],
                "How the branches start: relaxed, or loaded as by a sudden displacement from rest.",
            ),
            ParamSpec::positive("stiffness", "E_k", Kind::Stiffness, "Stiffness of each branch.").each(),
            ParamSpec::positive("time", "tau_k", Kind::Time, "Relaxation time of each branch.").each(),
        ],
        inputs: &[],
        outputs: &[],
        accounts: &[
            AccountSpec { name: "", conservative: true },
            AccountSpec { name: "dashpots", conservative: false },
        ],
    };

    fn states(&self, size: usize) -> usize {
        size
    }

    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        let look = e.look;
        let (x, v) = (look.x[0] - look.p[1], look.v[0]);
        let mut force = look.p[0] * x;
        let mut lost = T::c(0.0);
        for k in 0..look.size {
            let [stiffness, tau] = Self::branch(&look, k);
            let q = match e.step {
                Step::Rate => {
                    let q = look.z[k];
                    e.z_out[k] = stiffness * v - q / tau;
                    q
                }
                Step::Trial { h, effort } => {
                    let [end, acting] = Self::stepped(&look, k, h, effort);
                    e.z_out[k] = end;
                    acting
                }
            };
            force += q;
            lost += q * q / (stiffness * tau);
        }
        e.exert(0, -force);
        // What the dashpots do not take is stored in the springs.
        e.power(0, lost - force * v);
        e.power(1, -lost);
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let x = look.x[0] - look.p[1];
        let mut energy = look.p[0] * x * x * T::c(0.5);
        for k in 0..look.size {
            energy += look.z[k] * look.z[k] / (Self::branch(look, k)[0] * T::c(2.0));
        }
        stored[0] = energy;
    }

    fn start(&self, look: &Look<'_, f64>, z: &mut [f64]) {
        let fresh = look.p[3] != 0.0;
        for (k, z) in z.iter_mut().enumerate() {
            *z = if fresh { Self::branch(look, k)[0] * (look.x[0] - look.p[1]) } else { 0.0 };
        }
    }

    fn rest(&self, _: &Look<'_, f64>, z: &mut [f64]) {
        z.fill(0.0);
    }

    fn scale(&self, p: &[f64], scale: &mut [f64]) {
        for (k, scale) in scale.iter_mut().enumerate() {
            *scale = p.get(SINGLE + k).copied().unwrap_or(1.0);
        }
    }
}
