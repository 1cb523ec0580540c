//! How the memory of friction laws begins.

use gelenk_system::{Fault, System};

use crate::elements::Step;
use crate::mechanism::Mechanism;

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
        for element in self.elements.iter().filter(|element| element.kind.resists() && !element.z.is_empty())
        {
            let sight = self.sight(&d, element);
            let Some(steady) = element.kind.steady(&d.elements.law[element.p.clone()], sight.v[0]) else {
                continue;
            };
            if element.on.on.size() != [1, 1] || !element.kind.modes().continuous {
                continue;
            }
            let (z, m) = (&x[self.layout.z()][element.z.clone()], &m[element.m.clone()]);
            let look = element.seen(&sight, [d.elements.law.as_slice(), &d.elements.given], z, m);
            let resistance = -element.kind.alone(&look, Step::Rate).effort[0];
            if resistance.abs() > BLOW * steady.abs() {
                blows.push(StartBlow { name: element.name.clone(), resistance, steady });
            }
        }
        Ok(blows)
    }
}
