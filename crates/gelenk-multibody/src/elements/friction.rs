//! A friction law on a sliding or rotating motion.

use gelenk_laws::friction::planar::Planar;
use gelenk_laws::{Friction, Modes, Sticking};
use gelenk_math::{Lockstep, Real};
use gelenk_record::Change;
use gelenk_system::Effort;

use super::attachment::Attachment;
use super::contract::{Act, Element, ElementSpec, Holding, Look, PlaceKind, Step, WORK};
use super::lane::Lane;

/// Time (s) after which sliding is steady.
const LONG: f64 = 1e6;

/// A friction law where something slides or turns: on a coordinate, along or about an axis between frames, or on a plane.
/// Its parameters are those of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slider {
    law: Friction,
    plane: Option<Planar>,
    sliding: bool,
}

impl Slider {
    /// The law on a line; its memory begins unloaded.
    pub const fn new(law: Friction) -> Self {
        Self { law, plane: None, sliding: false }
    }

    /// A law on a plane, [`Attachment::Plane`].
    pub const fn on_plane(law: Planar) -> Self {
        Self { law: law.line(), plane: Some(law), sliding: false }
    }

    /// The same with a memory that begins as after long sliding at the velocity of the start.
    pub const fn from_sliding(mut self) -> Self {
        self.sliding = true;
        self
    }

    /// The law on a line; on a plane, the one whose form it is.
    pub const fn law(self) -> Friction {
        self.law
    }

    /// The form of the law on a plane, of friction on one.
    pub const fn plane(self) -> Option<Planar> {
        self.plane
    }

    fn sticks(&self) -> bool {
        // A law says that it sticks for any parameters.
        self.law.sticking::<f64>(&[]).is_some()
    }

    #[inline]
    fn on_a_line<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        let Look { p, z, m, load, .. } = e.look;
        let v = e.look.v[0];
        let resistance = match e.step {
            Step::Rate => self.law.rate_lanes(p, z, m, v, e.z_out),
            Step::Trial { h, effort } => {
                let mean = self.law.advance_lanes(p, z, m, v, h, e.z_out);
                match effort {
                    Effort::Mean => mean,
                    // One linear solve must not run away on a falling branch.
                    Effort::Once => T::either(mean.falls_with(v), || T::fixed(mean.plain()), || mean),
                    Effort::End if self.law.spec().modes.continuous => {
                        self.law.rate_lanes(p, e.z_out, m, v, e.spare)
                    }
                    // A law without a continuous form has no other effort.
                    Effort::End => mean,
                }
            }
        };
        e.push(0, 0, -(resistance * load));
    }

    fn on_a_plane<T: Real>(&self, law: Planar, e: &mut Act<'_, T>) {
        let Look { p, load, .. } = e.look;
        let (v, z) = ([e.look.v[0], e.look.v[1]], e.look.z.as_chunks().0);
        let out = e.z_out.as_chunks_mut().0;
        let resistance = match e.step {
            Step::Rate => law.rate(p, z, v, out),
            Step::Trial { h, effort } => {
                let mean = law.advance(p, z, v, h, out);
                match effort {
                    Effort::Mean => mean,
                    Effort::Once => {
                        let along = mean[0] * v[0] + mean[1] * v[1];
                        let square = v[0] * v[0] + v[1] * v[1];
                        // The resistance along the velocity falls with the speed where `along/square * speed` does.
                        let falls = square.re() > 0.0 && (along / square.sqrt()).falls_with(square);
                        if falls { mean.map(|part| T::c(part.re())) } else { mean }
                    }
                    Effort::End if law.continuous() => law.rate(p, out, v, e.spare.as_chunks_mut().0),
                    Effort::End => mean,
                }
            }
        };
        for (k, part) in resistance.into_iter().enumerate() {
            e.exert(k, -(part * load));
        }
        e.power(0, e.effort[0] * v[0] + e.effort[1] * v[1]);
    }
}

/// One specification for every law.
static SPECS: [ElementSpec; Friction::ALL.len()] = {
    let mut specs = [Slider::SPEC; Friction::ALL.len()];
    let mut k = 0;
    while k < specs.len() {
        let law = Friction::ALL[k].spec();
        specs[Friction::ALL[k] as usize] = ElementSpec {
            name: law.name,
            title: law.title,
            equation: law.equation,
            source: law.source,
            params: law.params,
            ..Slider::SPEC
        };
        k += 1;
    }
    specs
};

impl Element for Slider {
    const SPEC: ElementSpec = ElementSpec {
        name: "friction",
        table: "",
        title: "A friction law on a sliding or rotating motion.",
        equation: "F = -F_R(v, ...) N/N_0",
        source: "ruderman 3",
        place: PlaceKind::Slide,
        params: &[],
        inputs: &[],
        outputs: &[],
        accounts: WORK,
    };

    fn spec(&self) -> &'static ElementSpec {
        &SPECS[self.law as usize]
    }

    fn states(&self, size: usize) -> usize {
        self.plane.map_or_else(|| self.law.states(size), |law| 2 * law.states(size))
    }

    fn memory(&self, size: usize) -> usize {
        if self.plane.is_some() { 0 } else { self.law.memory(size) }
    }

    fn switches(&self, size: usize) -> usize {
        if self.plane.is_some() { 0 } else { self.law.switches(size) }
    }

    #[inline]
    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        match self.plane {
            None => self.on_a_line(e),
            Some(law) => self.on_a_plane(law, e),
        }
    }

    #[inline]
    fn act_lanes<T: Lockstep>(&self, e: &mut Act<'_, T>) {
        match self.plane {
            None => self.on_a_line(e),
            Some(_) => T::run(Lane::new(self, e)),
        }
    }

    fn stores(&self) -> bool {
        true
    }

    fn stored<T: Real>(&self, look: &Look<'_, T>, stored: &mut [T]) {
        let held = match self.plane {
            None => self.law.stored(look.p, look.z),
            Some(law) => law.stored(look.p, look.z.as_chunks().0),
        };
        stored[0] = held * look.load;
    }

    fn start(&self, look: &Look<'_, f64>, z: &mut [f64]) {
        if !self.sliding || z.is_empty() {
            return;
        }
        let straight = vec![0.0; z.len()];
        match self.plane {
            None => {
                self.law.advance(look.p, &straight, look.m, look.v[0], LONG, z);
            }
            Some(law) => {
                let v = [look.v[0], look.v[1]];
                law.advance(look.p, straight.as_chunks().0, v, LONG, z.as_chunks_mut().0);
            }
        }
    }

    /// What it has become on the way stays.
    fn rest(&self, _: &Look<'_, f64>, _: &mut [f64]) {}

    fn scale(&self, p: &[f64], scale: &mut [f64]) {
        match self.plane {
            None => self.law.scale(p, scale),
            Some(law) => {
                let mut sizes = vec![0.0; scale.len() / 2];
                law.scale(p, &mut sizes);
                for (pair, size) in scale.as_chunks_mut().0.iter_mut().zip(sizes) {
                    *pair = [size; 2];
                }
            }
        }
    }

    fn commit(&self, look: &Look<'_, f64>, m: &mut [f64]) {
        if self.plane.is_none() {
            self.law.commit(look.p, look.z, look.v[0], m);
        }
    }

    fn switching(&self, look: &Look<'_, f64>, g: &mut [f64]) {
        if self.plane.is_none() {
            self.law.switching(look.p, look.z, look.m, look.v[0], g);
        }
    }

    fn switch(&self, look: &Look<'_, f64>, index: usize, z: &mut [f64], m: &mut [f64]) -> Option<Change> {
        self.law.switch(look.p, index, z, m)
    }

    fn validate(&self, p: &[f64], size: usize) -> Result<(), String> {
        self.law.validate(p, size).map_err(|error| error.reason)
    }

    fn modes(&self) -> Modes {
        let Modes { continuous, stepped } = self.law.spec().modes;
        Modes { continuous: self.plane.map_or(continuous, Planar::continuous), stepped }
    }

    fn fits(&self, on: &Attachment) -> Result<(), String> {
        let name = self.law.spec().name;
        match (on, self.plane) {
            (Attachment::Coordinate(_), None) => Ok(()),
            _ if self.sticks() => Err(format!(
                "the law {name} holds a coordinate at rest, so it acts on coordinates only; between frames use a law \
                 with bristles, such as elasto-plastic"
            )),
            (Attachment::Plane(_), Some(_)) => Ok(()),
            (Attachment::Plane(_), None) => Err(format!("the law {name} acts on a line, not on a plane")),
            (_, Some(_)) => Err(format!("this form of the law {name} acts on a plane only")),
            (_, None) => Ok(()),
        }
    }

    fn resists(&self) -> bool {
        true
    }

    fn pressed(&self) -> bool {
        true
    }

    fn steady(&self, p: &[f64], v: f64) -> Option<f64> {
        (!self.sticks()).then(|| self.law.steady(p, v))
    }

    fn follows_position(&self) -> bool {
        matches!(
            self.law,
            Friction::Play | Friction::Preisach | Friction::PrandtlIshlinskii | Friction::BoucWen
        )
    }

    fn holding(&self) -> Holding {
        if self.sticks() { Holding::Sticking } else { Holding::Nothing }
    }

    fn sticking<T: Real>(&self, p: &[T]) -> Option<Sticking<T>> {
        self.law.sticking(p)
    }
}
