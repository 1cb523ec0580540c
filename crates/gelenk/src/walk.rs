//! Going along a motion.

use gelenk_multibody::Data;
use gelenk_multibody::branch::Branch;
use gelenk_multibody::inverse::Memory;
use gelenk_record::Event;
use gelenk_system::{Fault, System};

use crate::motion::start;
use crate::motion_study::{MotionStudy, MotionStudyError};

/// Goes along a motion: closes the loops, turns switches, runs sampled sensors and controllers, and follows the memory of
/// the laws where it is asked for.
pub(crate) struct Walk<'s> {
    study: &'s MotionStudy,
    pub(crate) data: Data<f64>,
    pub(crate) memory: Memory,
    moves: Vec<bool>,
    laws: bool,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    /// Largest gap of each loop before it was closed.
    pub(crate) gaps: Vec<f64>,
    /// Where the loops are, if they decide about coordinates that are not given.
    branch: Option<Branch>,
    begun: bool,
}

/// Instants beside a singular position, as multiples of the span to where it is left, with their weights; the error of the
/// value between them is of fourth order.
const BESIDE: [(f64, f64); 4] = [(1.0, 2.0 / 3.0), (-1.0, 2.0 / 3.0), (2.0, -1.0 / 6.0), (-2.0, -1.0 / 6.0)];

/// A closed instant of the motion.
pub(crate) struct Known {
    pub(crate) t: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
}

impl<'s> Walk<'s> {
    pub(crate) fn new(study: &'s MotionStudy, laws: bool) -> Result<Self, MotionStudyError> {
        let mechanism = &study.prepared.mechanism;
        let layout = mechanism.layout();
        let mut data = mechanism.data();
        mechanism.bind(&mut data, &study.prepared.parameters.values());
        let mut memory = mechanism.memory(&mut data)?;
        if laws && layout.nh > 0 {
            for (rest, share) in memory.rest.iter_mut().zip(study.motion.rest(mechanism)) {
                *rest = [rest[0].max(share[0]), rest[1].max(share[1])];
            }
        }
        let moves = study.motion.moves();
        let left = layout.nc > 0 && moves.iter().any(|moves| !moves);
        let branch = left.then(|| Branch::new(moves.clone()));
        Ok(Self {
            study,
            data,
            memory,
            moves,
            laws,
            q: vec![0.0; layout.nq],
            v: vec![0.0; layout.nv],
            a: vec![0.0; layout.nv],
            gaps: vec![0.0; mechanism.loop_count()],
            branch,
            begun: false,
        })
    }

    /// Takes over sample number `k` of the motion; samples are taken in their order.
    pub(crate) fn to(&mut self, k: usize) -> Result<(), MotionStudyError> {
        let (mechanism, motion) = (&self.study.prepared.mechanism, &self.study.motion);
        let t = motion.times[k];
        let mut given =
            |t: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]| motion.instant(mechanism, t, q, v, a);
        if let Some(last) = k.checked_sub(1).filter(|_| self.begun) {
            let Self { data, memory, moves, laws, branch, .. } = self;
            let (mut a, mut gaps) = (self.a.clone(), self.gaps.clone());
            let mut path = |d: &mut Data<f64>, t: f64, q: &mut [f64], v: &mut [f64]| -> Result<(), Fault> {
                match branch.clone() {
                    Some(mut on) => {
                        mechanism.follow_branch(d, &mut on, t, &mut given, q, v, &mut a, &mut gaps)
                    }
                    None => {
                        motion.between(mechanism, k, t, q, v, &mut a);
                        mechanism.follow(d, t, q, v, &mut a, moves, &mut gaps)
                    }
                }
            };
            mechanism.pass(data, (motion.times[last], t), memory, *laws, &mut path)?;
        }
        let Self { data, q, v, a, moves, gaps, branch, .. } = self;
        if let Some(branch) = branch.as_mut().filter(|_| !self.begun) {
            let start = start(mechanism, &self.study.prepared.parameters.values())?;
            mechanism.open_branch(data, branch, &start[mechanism.layout().q()], t, &mut given);
        }
        match branch {
            Some(branch) => mechanism.follow_branch(data, branch, t, &mut given, q, v, a, gaps)?,
            None => {
                motion.at(mechanism, k, q, v, a);
                mechanism.follow(data, t, q, v, a, moves, gaps)?;
            }
        }
        if !self.begun {
            mechanism.begin(data, t, q, v, &mut self.memory)?;
        }
        self.begun = true;
        Ok(())
    }

    /// Where the last instant is at a singular position, at which reactions are not bounded: instants around it, each with the
    /// weight that it has in the value between them.
    pub(crate) fn beside(&mut self, k: usize) -> Result<Vec<(f64, Known)>, Fault> {
        let (mechanism, motion) = (&self.study.prepared.mechanism, &self.study.motion);
        let Some(branch) = &self.branch else { return Ok(Vec::new()) };
        let Some((element, span)) = mechanism.within_vicinity(branch) else { return Ok(Vec::new()) };
        let mut given =
            |t: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]| motion.instant(mechanism, t, q, v, a);
        let mut beside = Vec::with_capacity(BESIDE.len());
        for (share, weight) in BESIDE {
            let t = motion.times[k] + share * span;
            let mut at = Known { t, q: self.q.clone(), v: self.v.clone(), a: self.a.clone() };
            let (mut on, mut gaps) = (branch.clone(), self.gaps.clone());
            let Known { q, v, a, .. } = &mut at;
            mechanism.follow_branch(&mut self.data, &mut on, t, &mut given, q, v, a, &mut gaps)?;
            if mechanism.within_vicinity(&on).is_some() {
                return Err(Fault::Singular { element: element.to_owned(), t });
            }
            beside.push((weight, at));
        }
        Ok(beside)
    }

    /// Singular positions that loops have passed since this was called last.
    pub(crate) fn passed(&mut self) -> Vec<Event> {
        let mechanism = &self.study.prepared.mechanism;
        let passed = self.branch.as_mut().map(|branch| mechanism.passed_on_branch(branch));
        let event = |(element, t): (&str, f64)| Event {
            t,
            element: element.to_owned(),
            what: "passes a singular position".to_owned(),
        };
        passed.unwrap_or_default().into_iter().map(event).collect()
    }
}
