//! The matrices of the equations of motion at an instant, as numbers to look at or to go on with elsewhere.
//!
//! ```text
//! M dv/dt + c + C_q^T lambda = Q        C_q v + C_t = 0        C_q dv/dt = Gamma
//! ```

use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;
use crate::studies::inverse::{Instant, Memory};

/// The matrices at an instant, row by row over the velocities `v`; SI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrices {
    /// Mass matrix `M`, `nv x nv`.
    pub mass: Vec<f64>,
    /// Efforts `Q` of all elements. What sticks or rests on a limit has none here: it is a reaction.
    pub efforts: Vec<f64>,
    /// Bias efforts `c`: centrifugal, Coriolis and gyroscopic ones, gravity, and what prescribed motions need.
    pub bias: Vec<f64>,
    /// The part of `c` that gravity has, at rest.
    pub gravity: Vec<f64>,
    /// Gaps `C` of the loops.
    pub gap: Vec<f64>,
    /// `C_q`, `nc x nv`.
    pub rows: Vec<f64>,
    /// `C_t`, the rates of the gaps that do not come from the velocities.
    pub explicit: Vec<f64>,
    /// `Gamma`, the right sides of the accelerations.
    pub gamma: Vec<f64>,
}

impl Mechanism {
    /// Computes the matrices at an instant. The memory is brought along a motion by [`Self::pass`] and begun by
    /// [`Self::begin`]; modes are settled as a run has them there.
    ///
    /// # Errors
    /// Slices of the wrong length, and faults of elements.
    pub fn matrices(
        &self,
        d: &mut Data<f64>,
        at: Instant<'_>,
        memory: &mut Memory,
        out: &mut Matrices,
    ) -> Result<(), Fault> {
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        self.lengths(&[("q", at.q.len(), self.layout.nq), ("v", at.v.len(), nv), ("a", at.a.len(), nv)])?;
        out.mass.resize(nv * nv, 0.0);
        for list in [&mut out.efforts, &mut out.bias, &mut out.gravity] {
            list.resize(nv, 0.0);
        }
        self.mass_matrix(d, at.t, at.q, &mut out.mass)?;
        self.gravity_efforts(d, at.t, at.q, &mut out.gravity)?;
        self.bias_efforts(d, at.t, at.q, at.v, &mut out.bias)?;
        self.settle_here(d, at, memory);
        d.load_origin(self, at.t, at.q, at.v);
        d.elements.states_mut().copy_from_slice(&memory.z);
        self.kinematics(d);
        self.loop_rows(d);
        d.loops.gaps()[0].clone_into(&mut out.gap);
        d.loops.gamma().clone_into(&mut out.gamma);
        out.rows = self.constraint_matrix(d).dense();
        let row = |k: usize| &out.rows[k * nv..(k + 1) * nv];
        let along = |k: usize| row(k).iter().zip(at.v).map(|(c, v)| c * v).sum::<f64>();
        out.explicit = (0..nc).map(|k| d.loops.gaps()[1][k] - along(k)).collect();
        // Elements act against what the motion needs without accelerations: Q = c - rnea(applied) + efforts.
        let none = vec![0.0; nv];
        self.spread_accelerations(d, &none);
        self.signals(d, &memory.m, None)?;
        self.clear_applied(d);
        d.effort.fill(0.0);
        self.efforts(d, &memory.m, None)?;
        self.rnea(d);
        out.efforts.fill(0.0);
        self.pull_back(&d.f, &d.tree_effort, &mut out.efforts);
        for ((slot, bias), effort) in out.efforts.iter_mut().zip(&out.bias).zip(&d.effort) {
            *slot = bias - *slot + effort;
        }
        match out.efforts.iter().position(|effort| !effort.is_finite()) {
            Some(k) => Err(Fault::NotFinite { element: self.velocity_names[k].clone(), t: at.t }),
            None => Ok(()),
        }
    }

    /// Names of the constraint equations: that of the loop and, of a loop with several, the number of the equation.
    pub fn equation_names(&self) -> Vec<String> {
        let names = self.loops.iter().flat_map(|closure| {
            let several = closure.rows.len() > 1;
            let name = move |k: usize| {
                if several { format!("{}.{}", closure.name, k + 1) } else { closure.name.clone() }
            };
            (0..closure.rows.len()).map(name)
        });
        names.collect()
    }

    /// Names of the velocities: of coordinates, and of ball and free joints by component.
    pub fn velocity_titles(&self) -> impl Iterator<Item = &str> {
        let strip = |name: &'_ String| {
            let name = name.as_str();
            let short = name.strip_prefix("coordinate ").or_else(|| name.strip_prefix("joint "));
            short.map_or(name.len(), str::len)
        };
        self.velocity_names.iter().map(move |name| &name[name.len() - strip(name)..])
    }
}
