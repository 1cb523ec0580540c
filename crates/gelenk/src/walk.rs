//! Going along a motion.

use gelenk_multibody::Data;
use gelenk_multibody::inverse::Memory;
use gelenk_system::{Nanos, System};

use crate::motion_study::{MotionStudy, MotionStudyError};

/// Goes along a motion: closes the loops, runs sampled sensors and controllers.
pub(crate) struct Walk<'s> {
    study: &'s MotionStudy,
    pub(crate) data: Data<f64>,
    pub(crate) memory: Memory,
    moves: Vec<bool>,
    now: Option<Nanos>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    /// Largest gap of each loop before it was closed.
    pub(crate) gaps: Vec<f64>,
    /// Positions of the last instant, from which coordinates that are not given go on.
    last: Option<Vec<f64>>,
}

impl<'s> Walk<'s> {
    pub(crate) fn new(study: &'s MotionStudy) -> Result<Self, MotionStudyError> {
        let mechanism = &study.prepared.mechanism;
        let layout = mechanism.layout();
        let mut data = mechanism.data();
        mechanism.bind(&mut data, &study.prepared.parameters.values());
        let memory = mechanism.memory(&mut data)?;
        Ok(Self {
            study,
            data,
            memory,
            moves: study.motion.moves(),
            now: None,
            q: vec![0.0; layout.nq],
            v: vec![0.0; layout.nv],
            a: vec![0.0; layout.nv],
            gaps: vec![0.0; mechanism.loop_count()],
            last: None,
        })
    }

    /// Takes over sample number `k` of the motion.
    pub(crate) fn to(&mut self, k: usize) -> Result<(), MotionStudyError> {
        let (mechanism, motion) = (&self.study.prepared.mechanism, &self.study.motion);
        let t = motion.times[k];
        self.run_samplers(t)?;
        motion.at(mechanism, k, &mut self.q, &mut self.v, &mut self.a);
        self.carry_on();
        let Self { data, q, v, a, moves, gaps, .. } = self;
        mechanism.follow(data, t, q, v, a, moves, gaps)?;
        self.last = Some(self.q.clone());
        Ok(())
    }

    /// Lets coordinates that are not given start from where they were, so that the loops keep to their branch.
    fn carry_on(&mut self) {
        let mechanism = &self.study.prepared.mechanism;
        let Some(last) = self.last.as_ref().filter(|_| mechanism.loop_count() > 0) else { return };
        let given = &self.study.motion.given;
        for k in (0..mechanism.coordinate_names().count()).filter(|&k| !given[k]) {
            self.q[k] = last[k];
        }
        for joint in mechanism.spinning_joints() {
            if !given[joint.turn] {
                let range = joint.quaternion..joint.quaternion + 4;
                self.q[range.clone()].copy_from_slice(&last[range]);
            }
            if let Some((place, _)) = joint.origin.filter(|(_, speed)| !given[*speed]) {
                self.q[place..place + 3].copy_from_slice(&last[place..place + 3]);
            }
        }
    }

    /// Runs the sensors and controllers that are due up to time `t` (s).
    fn run_samplers(&mut self, t: f64) -> Result<(), MotionStudyError> {
        let (mechanism, motion) = (&self.study.prepared.mechanism, &self.study.motion);
        let layout = mechanism.layout();
        let Some(end) = Nanos::from_seconds(t) else { return Ok(()) };
        loop {
            let due = match self.now {
                None => Some(Nanos::ZERO),
                Some(now) => mechanism.next_sample(now),
            };
            let Some(due) = due.filter(|&due| due <= end) else { return Ok(()) };
            motion.instant(mechanism, due.seconds(), &mut self.q, &mut self.v, &mut self.a);
            let mut x = vec![0.0; layout.nx()];
            x[layout.q()].copy_from_slice(&self.q);
            x[layout.v()].copy_from_slice(&self.v);
            let (q, rest) = x.split_at_mut(layout.nq);
            mechanism.origin_to_state(&self.data, q, &mut rest[..layout.nv]);
            mechanism.sample(&mut self.data, due, &x, &mut self.memory.m)?;
            self.now = Some(due);
        }
    }
}
