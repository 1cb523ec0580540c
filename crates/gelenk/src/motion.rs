//! Motions that are given: columns of tables and recordings, expressions of time, or a run of the model.
//!
//! Every position number is a track over time. Coordinates differentiate as they are; the quaternion of a ball or free
//! joint is brought to length one, and its angular velocity and acceleration follow in the body frame:
//! `w = 2 vec(q* q')`, `w' = 2 vec(q* q'')`.

use gelenk_io::read_csv_log;
use gelenk_math::expression::Program;
use gelenk_math::rotation::{from_quaternion, normalised, product};
use gelenk_math::spatial::Vec3;
use gelenk_math::spline::{CubicSpline, End};
use gelenk_model::MotionPlan;
use gelenk_multibody::Mechanism;
use gelenk_record::Recording;
use gelenk_signal::low_pass;
use gelenk_solve::Options;
use gelenk_system::System;
use thiserror::Error;

use crate::open::OpenError;
use crate::run::{RunError, run};
use crate::samples::{continuous_quaternions, differentiate, grid};

/// A motion that cannot be had.
#[derive(Debug, Error)]
pub enum MotionError {
    /// Files or settings.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The run that makes the motion.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The evaluation.
    #[error(transparent)]
    Fault(#[from] gelenk_system::Fault),
    /// The data.
    #[error("{0}")]
    Data(String),
}

/// Share of a period by which times may differ and be the same.
const SAME: f64 = 1e-9;
/// Share of the largest speed or acceleration of a coordinate below which it rests.
const REST: f64 = 1e-7;

/// A position number over time.
#[derive(Clone, Debug)]
enum Track {
    /// It keeps its start.
    Held(f64),
    /// A spline through samples.
    Spline(CubicSpline),
    /// An expression with its first and second derivative.
    Formula(Box<[Program; 3]>),
}

impl Track {
    /// Value, first and second derivative at `t` (s).
    fn at(&self, t: f64, scratch: &mut Vec<f64>) -> [f64; 3] {
        match self {
            Self::Held(value) => [*value, 0.0, 0.0],
            Self::Spline(spline) => {
                let jet = spline.jet(t);
                [jet.value, jet.first, jet.second]
            }
            Self::Formula(programs) => {
                let mut values = [0.0; 3];
                for (value, program) in values.iter_mut().zip(programs.iter()) {
                    scratch.resize(program.scratch_len().max(scratch.len()), 0.0);
                    *value = program.eval(&[t], scratch);
                }
                values
            }
        }
    }
}

/// A motion of a mechanism.
#[derive(Clone, Debug)]
pub struct GivenMotion {
    /// Times at which it is looked at (s), rising.
    pub times: Vec<f64>,
    /// Velocity components that the motion gives; the others follow the loops, or keep their start.
    pub given: Vec<bool>,
    /// How the motion was made, in a line.
    pub about: String,
    /// What to know about it.
    pub notes: Vec<String>,
    /// Time (s) from either end within which a filter has made the accelerations up.
    pub unsure: f64,
    tracks: Vec<Track>,
    /// Velocities, and perhaps accelerations, at the times, where they were recorded.
    velocities: Option<Vec<Vec<f64>>>,
    accelerations: Option<Vec<Vec<f64>>>,
}

/// Settings of the sampling of a motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling {
    /// Last time (s).
    pub until: Option<f64>,
    /// Period (s); by default the samples of the file.
    pub period: Option<f64>,
}

impl GivenMotion {
    /// The start of the model, at rest but for its start velocities.
    ///
    /// # Errors
    /// A start that cannot be assembled.
    pub fn start(mechanism: &Mechanism, p: &[f64]) -> Result<Self, MotionError> {
        let layout = mechanism.layout();
        let x = start(mechanism, p)?;
        Ok(Self {
            times: vec![0.0],
            given: vec![false; layout.nv],
            about: "the start of the model, without accelerations".into(),
            notes: Vec::new(),
            unsure: 0.0,
            tracks: x[layout.q()].iter().map(|&q| Track::Held(q)).collect(),
            velocities: Some(vec![x[layout.v()].to_vec()]),
            accelerations: Some(vec![vec![0.0; layout.nv]]),
        })
    }

    /// The motion that a study plans.
    ///
    /// # Errors
    /// Files that cannot be read, columns that are missing, samples that make no motion.
    pub fn open(
        mechanism: &Mechanism,
        p: &[f64],
        plan: &MotionPlan,
        options: &Options,
        sampling: Sampling,
    ) -> Result<Self, MotionError> {
        let layout = mechanism.layout();
        let x = start(mechanism, p)?;
        let mut motion = Self {
            times: Vec::new(),
            given: vec![false; layout.nv],
            about: String::new(),
            notes: Vec::new(),
            unsure: 0.0,
            tracks: x[layout.q()].iter().map(|&q| Track::Held(q)).collect(),
            velocities: None,
            accelerations: None,
        };
        for (index, expression) in &plan.values {
            let first = expression.derivative("t");
            let second = first.derivative("t");
            let mut programs = Vec::new();
            for expression in [expression, &first, &second] {
                let program = expression.compile(&|name| (name == "t").then_some(0));
                programs.push(program.map_err(|error| MotionError::Data(error.to_string()))?);
            }
            if let Ok(programs) = <[Program; 3]>::try_from(programs) {
                motion.tracks[*index] = Track::Formula(Box::new(programs));
            }
        }
        if plan.simulate {
            let mut runs = mechanism.clone();
            runs.record_accelerations();
            let (recording, _) = run(&runs, p, options)?;
            motion.about = "a run of the model".into();
            motion.take_recording(mechanism, &recording, plan)?;
        } else if let Some(file) = &plan.file {
            motion.about = format!("{}", file.display());
            if plan.recording {
                let recording =
                    gelenk_io::read(file).map_err(|error| MotionError::Data(error.to_string()))?;
                motion.take_recording(mechanism, &recording, plan)?;
            } else {
                motion.take_table(file, plan)?;
            }
        } else {
            motion.about = "expressions of time".into();
        }
        motion.sample(options, sampling)?;
        motion.mark_given(mechanism);
        Ok(motion)
    }

    /// Positions, velocities and accelerations at sample number `k`.
    pub fn at(&self, mechanism: &Mechanism, k: usize, q: &mut [f64], v: &mut [f64], a: &mut [f64]) {
        let t = self.times[k];
        self.instant(mechanism, t, q, v, a);
        if let Some(rows) = &self.velocities {
            v.copy_from_slice(&rows[k]);
        }
        if let Some(rows) = &self.accelerations {
            a.copy_from_slice(&rows[k]);
        }
    }

    /// The same between samples `k - 1` and `k`. Where velocities were recorded, coordinates take the cubic between the
    /// two rows that has them at both ends; so a jump of a velocity elsewhere does not matter.
    pub fn between(
        &self,
        mechanism: &Mechanism,
        k: usize,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        a: &mut [f64],
    ) {
        self.instant(mechanism, t, q, v, a);
        let (Some(rows), Some(before)) = (&self.velocities, k.checked_sub(1)) else { return };
        let (t0, h) = (self.times[before], self.times[k] - self.times[before]);
        let (s, mut scratch) = ((t - t0) / h, Vec::new());
        for n in 0..mechanism.coordinate_names().count() {
            let mut at = |t: f64| self.tracks[n].at(t, &mut scratch)[0];
            let (q0, q1) = (at(t0), at(self.times[k]));
            let (v0, v1) = (rows[before][n], rows[k][n]);
            // Velocity beyond the straight line between its ends: it makes the way come out.
            let bulge = 6.0 * ((q1 - q0) / h - 0.5 * (v0 + v1));
            q[n] = q0 + h * (v0 * s + 0.5 * (v1 - v0) * s * s + bulge * (0.5 * s * s - s * s * s / 3.0));
            v[n] = v0 + (v1 - v0) * s + bulge * s * (1.0 - s);
        }
    }

    /// Speeds and accelerations that count as zero: a share of the largest ones of each velocity component.
    pub(crate) fn rest(&self, mechanism: &Mechanism) -> Vec<[f64; 2]> {
        let layout = mechanism.layout();
        let mut rest = vec![[0.0f64; 2]; layout.nv];
        let (mut q, mut v, mut a) = (vec![0.0; layout.nq], vec![0.0; layout.nv], vec![0.0; layout.nv]);
        for k in 0..self.times.len() {
            self.at(mechanism, k, &mut q, &mut v, &mut a);
            for (rest, (v, a)) in rest.iter_mut().zip(v.iter().zip(&a)) {
                *rest = [rest[0].max(REST * v.abs()), rest[1].max(REST * a.abs())];
            }
        }
        rest
    }

    /// The same as [`Self::at`] at any time `t` (s), from the positions alone.
    pub fn instant(&self, mechanism: &Mechanism, t: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]) {
        let mut scratch = Vec::new();
        let jets: Vec<[f64; 3]> = self.tracks.iter().map(|track| track.at(t, &mut scratch)).collect();
        let coordinates = mechanism.coordinate_names().count();
        for k in 0..coordinates {
            [q[k], v[k], a[k]] = jets[k];
        }
        for joint in mechanism.spinning_joints() {
            let part = |order: usize| [0, 1, 2, 3].map(|k| jets[joint.quaternion + k][order]);
            let (p, dp, ddp) = (part(0), part(1), part(2));
            let size = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            let unit = normalised(p);
            let conjugate = [unit[0], -unit[1], -unit[2], -unit[3]];
            // What lies along the quaternion itself turns nothing.
            let turned = |x: [f64; 4]| {
                let [_, x, y, z] = product(conjugate, x);
                Vec3::new(x, y, z)
            };
            let growth = unit.iter().zip(&dp).map(|(u, d)| u * d).sum::<f64>();
            let half = turned(dp) / size;
            let w = half * 2.0;
            let dw = (turned(ddp) - half * (2.0 * growth)) * (2.0 / size);
            q[joint.quaternion..joint.quaternion + 4].copy_from_slice(&unit);
            v[joint.turn..joint.turn + 3].copy_from_slice(w.as_slice());
            a[joint.turn..joint.turn + 3].copy_from_slice(dw.as_slice());
            if let Some((place, speed)) = joint.origin {
                let part = |order: usize| {
                    Vec3::new(jets[place][order], jets[place + 1][order], jets[place + 2][order])
                };
                let axes = from_quaternion(unit);
                let velocity = axes.tr_mul(&part(1));
                let acceleration = axes.tr_mul(&part(2)) - w.cross(&velocity);
                q[place..place + 3].copy_from_slice(part(0).as_slice());
                v[speed..speed + 3].copy_from_slice(velocity.as_slice());
                a[speed..speed + 3].copy_from_slice(acceleration.as_slice());
            }
        }
    }

    /// Position numbers that keep their start, by name.
    pub fn held<'m>(&self, mechanism: &'m Mechanism) -> Vec<&'m str> {
        let names = mechanism.position_names().zip(&self.tracks);
        names.filter(|(_, track)| matches!(track, Track::Held(_))).map(|(name, _)| name).collect()
    }

    /// Takes columns of a CSV table.
    fn take_table(&mut self, file: &std::path::Path, plan: &MotionPlan) -> Result<(), MotionError> {
        let names: Vec<&str> = plan.columns.iter().map(|(_, column, _)| column.as_str()).collect();
        let log =
            read_csv_log(file, &plan.time.0, &names).map_err(|error| MotionError::Data(error.to_string()))?;
        if let Some(cell) = log.empty.first() {
            let message = format!("{}:{}: the cell of {} is empty", file.display(), cell.line, cell.column);
            return Err(MotionError::Data(message));
        }
        self.times = log.time.iter().map(|&t| plan.time.1.to_si(t)).collect();
        let mut columns = Vec::new();
        for ((index, _, unit), values) in plan.columns.iter().zip(log.columns) {
            let values = values.into_iter().map(|x| unit.map_or(x, |unit| unit.to_si(x))).collect();
            columns.push((*index, values));
        }
        self.take_samples(columns, plan)
    }

    /// Takes the columns of a recording that have the names of position numbers.
    fn take_recording(
        &mut self,
        mechanism: &Mechanism,
        recording: &Recording,
        plan: &MotionPlan,
    ) -> Result<(), MotionError> {
        // Of rows that share a time, the one after the jump counts.
        let time = recording.time();
        let rows: Vec<usize> =
            (0..time.len()).filter(|&k| time.get(k + 1).is_none_or(|next| *next > time[k])).collect();
        self.times = rows.iter().map(|&k| time[k]).collect();
        let find = |name: &str| {
            let values = recording.column(name).ok()?;
            Some(rows.iter().map(|&k| values[k]).collect::<Vec<f64>>())
        };
        let mut columns = Vec::new();
        for (index, name) in mechanism.position_names().enumerate() {
            if matches!(self.tracks[index], Track::Formula(_)) {
                continue;
            }
            match plan.columns.iter().find(|(known, ..)| *known == index) {
                Some((_, column, unit)) => {
                    let values = find(column).ok_or_else(|| {
                        let error = recording.column(column).err().map(|e| e.to_string());
                        MotionError::Data(error.unwrap_or_default())
                    })?;
                    let si = values.into_iter().map(|x| unit.map_or(x, |unit| unit.to_si(x)));
                    columns.push((index, si.collect()));
                }
                None => columns.extend(find(name).map(|values| (index, values))),
            }
        }
        if columns.is_empty() && mechanism.layout().nq > 0 {
            let message = format!("{} has none of the coordinates of the model", self.about);
            return Err(MotionError::Data(message));
        }
        let complete = columns.len() == mechanism.layout().nq && plan.columns.is_empty();
        self.take_samples(columns, plan)?;
        if complete && plan.recorded && plan.smooth.is_none() {
            let (nq, nv) = (mechanism.layout().nq, mechanism.layout().nv);
            let channels = mechanism.motion_channels();
            let block = |from: usize| {
                let columns: Option<Vec<Vec<f64>>> =
                    channels[from..from + nv].iter().map(|c| find(&c.name)).collect();
                columns.map(|columns| {
                    (0..rows.len()).map(|k| columns.iter().map(|c| c[k]).collect()).collect::<Vec<Vec<f64>>>()
                })
            };
            self.velocities = block(nq);
            self.accelerations = self.velocities.as_ref().and_then(|_| block(nq + nv));
            if let (Some(velocities), None) = (&self.velocities, &self.accelerations) {
                self.accelerations = Some(differentiate(&self.times, velocities)?);
            }
            self.about += match (&self.velocities, block(nq + nv)) {
                (None, _) => "",
                (Some(_), Some(_)) => ", with its velocities and accelerations",
                (Some(_), None) => ", with its velocities; accelerations from splines of them",
            };
        }
        Ok(())
    }

    /// Splines through samples, smoothed where the plan says so.
    fn take_samples(
        &mut self,
        mut columns: Vec<(usize, Vec<f64>)>,
        plan: &MotionPlan,
    ) -> Result<(), MotionError> {
        continuous_quaternions(&mut columns);
        for (index, mut values) in columns {
            if let Some(cutoff) = plan.smooth {
                values = low_pass(&self.times, &values, cutoff)
                    .map_err(|error| MotionError::Data(error.to_string()))?;
            }
            let spline = CubicSpline::new(&self.times, &values, End::NotAKnot)
                .map_err(|error| MotionError::Data(format!("{}: {error}", self.about)))?;
            self.tracks[index] = Track::Spline(spline);
        }
        if let Some(cutoff) = plan.smooth {
            self.about += &format!(", low-pass filtered at {cutoff} Hz without delay");
            self.unsure = 1.0 / cutoff;
        }
        Ok(())
    }

    /// Chooses the times.
    fn sample(&mut self, options: &Options, sampling: Sampling) -> Result<(), MotionError> {
        let from_file = !self.times.is_empty();
        if from_file {
            if let Some(until) = sampling.until {
                if let Some(last) = self.times.last().filter(|last| **last < until * (1.0 - 1e-12)) {
                    self.notes.push(format!("the motion ends at {last} s, before \"until\" = {until} s"));
                }
                let kept = self.times.partition_point(|&t| t <= until * (1.0 + 1e-12));
                self.times.truncate(kept.max(1));
            }
            let Some(period) = sampling.period else { return Ok(()) };
            let (from, to) = (self.times[0], self.times[self.times.len() - 1]);
            let times = grid(from, to, period)?;
            self.resample(times, period);
        } else {
            self.times = grid(0.0, options.until.seconds(), options.output.seconds())?;
        }
        Ok(())
    }

    /// Takes other times. Recorded derivatives stay where all of these were recorded.
    fn resample(&mut self, times: Vec<f64>, period: f64) {
        let mut known = self.times.iter().enumerate().peekable();
        let mut rows = Vec::with_capacity(times.len());
        for &t in &times {
            while known.next_if(|(_, old)| **old < t - SAME * period).is_some() {}
            rows.extend(known.next_if(|(_, old)| **old <= t + SAME * period).map(|(k, _)| k));
        }
        let all = rows.len() == times.len();
        let had = self.velocities.is_some();
        for table in [&mut self.velocities, &mut self.accelerations] {
            *table = table.take().filter(|_| all).map(|old| rows.iter().map(|&k| old[k].clone()).collect());
        }
        if had && !all {
            self.about += " dropped, since \"output\" requires other samples";
        }
        self.times = if all { rows.iter().map(|&k| self.times[k]).collect() } else { times };
    }

    /// Which velocity components the tracks give.
    fn mark_given(&mut self, mechanism: &Mechanism) {
        let has = |k: usize| !matches!(self.tracks[k], Track::Held(_));
        for k in 0..mechanism.coordinate_names().count() {
            self.given[k] = has(k);
        }
        for joint in mechanism.spinning_joints() {
            let turned = (0..4).any(|k| has(joint.quaternion + k));
            self.given[joint.turn..joint.turn + 3].fill(turned);
            if let Some((place, speed)) = joint.origin {
                self.given[speed..speed + 3].fill((0..3).any(|k| has(place + k)));
            }
        }
    }

    /// Velocity components that may move to close the loops: those that are not given, or all.
    pub fn moves(&self) -> Vec<bool> {
        let some = self.given.iter().any(|&given| !given);
        self.given.iter().map(|&given| !some || !given).collect()
    }
}

/// The assembled start of the model, as callers see it: free joints at the origins of their children.
pub(crate) fn start(mechanism: &Mechanism, p: &[f64]) -> Result<Vec<f64>, MotionError> {
    let layout = mechanism.layout();
    let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
    let mut d = mechanism.data();
    mechanism.bind(&mut d, p);
    mechanism.start(&mut d, &mut x, &mut m)?;
    let (q, rest) = x.split_at_mut(layout.nq);
    mechanism.state_to_origin(&d, q, &mut rest[..layout.nv]);
    Ok(x)
}
