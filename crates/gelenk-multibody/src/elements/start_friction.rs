//! How the memory of friction laws begins.

use gelenk_system::{Fault, System};

use crate::blueprint::Rubbing;
use crate::data::Data;
use crate::mechanism::{ElementRun, Mechanism};

/// Time (s) after which sliding is steady.
const LONG: f64 = 1e6;

/// How many times its steady level a resistance may have at the start without a word.
const BLOW: f64 = 2.0;

/// Friction that starts with a blow: bristles that begin straight at full speed give `sigma1 v`.
#[derive(Clone, Debug, PartialEq)]
pub struct StartBlow {
    /// The element.
    pub name: String,
    /// Its resistance at the start (N, N m).
    pub resistance: f64,
    /// Its resistance in steady sliding at the same velocity.
    pub steady: f64,
}

impl Mechanism {
    /// Lets laws that begin as after long sliding do so, at the loaded velocities.
    pub(crate) fn start_sliding(&self, d: &mut Data<f64>, x: &mut [f64], m: &[f64]) {
        self.kinematics(d);
        let z0 = self.layout.z().start;
        for (index, element) in self.elements.iter().enumerate() {
            if let ElementRun::Friction { sliding: true, .. } = &element.kind {
                let straight = vec![0.0; element.z.len()];
                let place = z0 + element.z.start..z0 + element.z.end;
                self.carry_friction(d, index, &straight, &m[element.m.clone()], LONG, &mut x[place]);
            }
        }
    }

    /// Laws on a line whose resistance at the start is far above that of steady sliding.
    ///
    /// # Errors
    /// A start that is not possible.
    pub fn start_blows(&self, p: &[f64]) -> Result<Vec<StartBlow>, Fault> {
        let mut d = self.data::<f64>();
        self.bind(&mut d, p);
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(&mut d, &mut x, &mut m)?;
        d.load(self, 0.0, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(&mut d);
        let mut blows = Vec::new();
        for element in &self.elements {
            let ElementRun::Friction { on, law, p, .. } = &element.kind else { continue };
            if element.z.is_empty() || matches!(on, Rubbing::Plane { .. }) || !law.spec().modes.continuous {
                continue;
            }
            let v = self.sliding(&d, on);
            let (p, z) = (&d.law[p.clone()], &x[self.layout.z()][element.z.clone()]);
            let mut rates = vec![0.0; z.len()];
            let resistance = law.rate(p, z, &m[element.m.clone()], v, &mut rates);
            let steady = law.steady(p, v);
            if resistance.abs() > BLOW * steady.abs() {
                blows.push(StartBlow { name: element.name.clone(), resistance, steady });
            }
        }
        Ok(blows)
    }
}
