//! Going along a motion.

use gelenk_multibody::Data;
use gelenk_multibody::inverse::Memory;
use gelenk_system::{Fault, System};

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
    /// Positions of the last instant, from which coordinates that are not given go on.
    last: Option<Vec<f64>>,
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
        Ok(Self {
            study,
            data,
            memory,
            moves: study.motion.moves(),
            laws,
            q: vec![0.0; layout.nq],
            v: vec![0.0; layout.nv],
            a: vec![0.0; layout.nv],
            gaps: vec![0.0; mechanism.loop_count()],
            last: None,
        })
    }

    /// Takes over sample number `k` of the motion; samples are taken in their order.
    pub(crate) fn to(&mut self, k: usize) -> Result<(), MotionStudyError> {
        let (mechanism, motion) = (&self.study.prepared.mechanism, &self.study.motion);
        let t = motion.times[k];
        let before = self.last.take();
        if let (Some(before), Some(last)) = (&before, k.checked_sub(1)) {
            let Self { study, data, memory, moves, laws, .. } = self;
            let (mut a, mut gaps) = (self.a.clone(), self.gaps.clone());
            let mut path = |d: &mut Data<f64>, t: f64, q: &mut [f64], v: &mut [f64]| -> Result<(), Fault> {
                motion.between(mechanism, k, t, q, v, &mut a);
                carry_on(study, before, q);
                mechanism.follow(d, t, q, v, &mut a, moves, &mut gaps)
            };
            mechanism.pass(data, (motion.times[last], t), memory, *laws, &mut path)?;
        }
        motion.at(mechanism, k, &mut self.q, &mut self.v, &mut self.a);
        if let Some(before) = &before {
            carry_on(self.study, before, &mut self.q);
        }
        let Self { data, q, v, a, moves, gaps, .. } = self;
        mechanism.follow(data, t, q, v, a, moves, gaps)?;
        if before.is_none() {
            mechanism.begin(data, t, q, v, &mut self.memory)?;
        }
        self.last = Some(self.q.clone());
        Ok(())
    }
}

/// Lets coordinates that are not given start from where they were, so that the loops keep to their branch.
fn carry_on(study: &MotionStudy, last: &[f64], q: &mut [f64]) {
    let mechanism = &study.prepared.mechanism;
    if mechanism.loop_count() == 0 {
        return;
    }
    let given = &study.motion.given;
    for k in (0..mechanism.coordinate_names().count()).filter(|&k| !given[k]) {
        q[k] = last[k];
    }
    for joint in mechanism.spinning_joints() {
        if !given[joint.turn] {
            let range = joint.quaternion..joint.quaternion + 4;
            q[range.clone()].copy_from_slice(&last[range]);
        }
        if let Some((place, _)) = joint.origin.filter(|(_, speed)| !given[*speed]) {
            q[place..place + 3].copy_from_slice(&last[place..place + 3]);
        }
    }
}
