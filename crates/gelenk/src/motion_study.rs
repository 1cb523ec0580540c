//! Studies along a motion: kinematics and inverse dynamics.

use std::path::Path;

use gelenk_model::motion_study::DriveUse;
use gelenk_model::study_file::{StudyFile, StudyKind};
use gelenk_model::{
    FileKind, Known, Loaded, MotionPlan, compile, file_kind, load_model, load_study, motion_plan,
};
use gelenk_multibody::inverse::{Instant, InverseError, InverseOptions, Needed, WrenchView};
use gelenk_multibody::places::Place;
use gelenk_multibody::{Convention, Data, Mechanism};
use gelenk_record::{Column, Recording};
use gelenk_system::System;
use thiserror::Error;

use crate::interrupt::Interrupt;
use crate::motion::{GivenMotion, MotionError, Sampling};
use crate::notes::Notes;
use crate::open::{OpenError, Overrides, Prepared, of_ours, prepare, read_log, study_model};
use crate::turns::Turns;
use crate::walk::Walk;

/// A study along a motion that cannot be made.
#[derive(Debug, Error)]
pub enum MotionStudyError {
    /// The motion.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// Inverse dynamics.
    #[error(transparent)]
    Inverse(#[from] InverseError),
    /// The columns.
    #[error(transparent)]
    Record(#[from] gelenk_record::RecordError),
}

impl From<OpenError> for MotionStudyError {
    fn from(error: OpenError) -> Self {
        Self::Motion(error.into())
    }
}

impl From<gelenk_system::Fault> for MotionStudyError {
    fn from(fault: gelenk_system::Fault) -> Self {
        Self::Motion(fault.into())
    }
}

impl From<gelenk_model::Failure> for MotionStudyError {
    fn from(failure: gelenk_model::Failure) -> Self {
        OpenError::from(failure).into()
    }
}

impl From<gelenk_record::SinkError> for MotionStudyError {
    fn from(error: gelenk_record::SinkError) -> Self {
        Self::Motion(MotionError::Data(error.to_string()))
    }
}

/// A model with a motion.
#[derive(Clone, Debug)]
pub struct MotionStudy {
    /// The model.
    pub prepared: Prepared,
    /// The motion.
    pub motion: GivenMotion,
    /// Ends the walk along the motion early; the instants so far are its answer.
    pub interrupt: Interrupt,
    study: Option<Loaded<StudyFile>>,
}

/// What studies may name of a mechanism.
pub fn known(mechanism: &Mechanism) -> Known {
    let layout = mechanism.layout();
    let positions = mechanism.channels().iter().take(layout.nq);
    let bodies = mechanism.body_names().map(String::from);
    Known {
        positions: positions.map(|c| (c.name.clone(), c.unit.clone())).collect(),
        coordinates: mechanism.coordinate_names().count(),
        places: mechanism.frame_names().map(String::from).chain(bodies).chain(["ground".into()]).collect(),
    }
}

/// Opens a study of one kind.
pub(crate) fn study_of(path: &Path, kind: StudyKind, command: &str) -> Result<Loaded<StudyFile>, OpenError> {
    of_ours(path)?;
    let study = load_study(path)?;
    match study.file.kind {
        Some(found) if found.value != kind => {
            let message = format!(
                "{} is a study of kind \"{}\"; gelenk {command} needs \"{}\"",
                path.display(),
                found.value.word(),
                kind.word()
            );
            Err(OpenError::Usage(message))
        }
        _ => Ok(study),
    }
}

impl MotionStudy {
    /// Opens a study of kind `kinematics` or `inverse-dynamics`, or a model with the recording of a motion; without one
    /// the start of the model is looked at.
    ///
    /// # Errors
    /// Files, settings, motions that cannot be had.
    pub fn open(
        path: &Path,
        kind: StudyKind,
        command: &str,
        recording: Option<&Path>,
        overrides: &Overrides,
    ) -> Result<Self, MotionStudyError> {
        of_ours(path)?;
        match file_kind(path) {
            FileKind::Study => {
                if recording.is_some() {
                    let message = "--motion is for a model; a study names its motion itself".into();
                    return Err(OpenError::Usage(message).into());
                }
                let study = study_of(path, kind, command)?;
                let (model, compiled) = study_model(&study)?;
                let prepared = prepare(&model, Some(&study.file), compiled, overrides)?;
                let p = prepared.parameters.values();
                let sampling = Sampling {
                    until: study.file.until.as_ref().map(|u| u.value),
                    period: study.file.output.as_ref().map(|o| o.value).filter(|_| !simulated(&study)),
                };
                let motion = match motion_plan(&study, &known(&prepared.mechanism))? {
                    Some(plan) => {
                        GivenMotion::open(&prepared.mechanism, &p, &plan, &prepared.options, sampling)?
                    }
                    None => GivenMotion::start(&prepared.mechanism, &p)?,
                };
                Ok(Self { prepared, motion, interrupt: Interrupt::default(), study: Some(study) })
            }
            FileKind::Case => {
                let message = format!("{} is a case; run it with: gelenk case run {0}", path.display());
                Err(OpenError::Usage(message).into())
            }
            FileKind::Model => {
                let model = load_model(path)?;
                let compiled = compile(&model, &mut read_log)?;
                let prepared = prepare(&model, None, compiled, overrides)?;
                let p = prepared.parameters.values();
                let motion = match recording {
                    Some(file) => {
                        let plan = MotionPlan::recording(file.to_path_buf());
                        GivenMotion::open(
                            &prepared.mechanism,
                            &p,
                            &plan,
                            &prepared.options,
                            Sampling::default(),
                        )?
                    }
                    None => GivenMotion::start(&prepared.mechanism, &p)?,
                };
                Ok(Self { prepared, motion, interrupt: Interrupt::default(), study: None })
            }
        }
    }

    /// Poses, velocities, accelerations and sums along the motion; the matrices of the equations of motion where the study
    /// wants them.
    ///
    /// # Errors
    /// Unknown frames, loops that do not close, signals that are not finite.
    pub fn kinematics(&self) -> Result<Recording, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let places = self.places()?;
        let mut channels = mechanism.survey_channels(&places);
        channels.extend(mechanism.loop_names().map(|(name, _)| gelenk_system::Channel {
            name: format!("loops.{name}.gap"),
            unit: "1".into(),
            meaning: "largest gap of the given motion before it was closed, m or dimensionless".into(),
        }));
        let columns = channels.iter().map(|c| Column::new(&c.name, &c.unit, &c.meaning));
        let mut recording = Recording::new(std::iter::once(Column::time()).chain(columns).collect())?;
        let mut walk = Walk::new(self, false)?;
        let mut turns = Turns::new(recording.columns());
        let mut notes = self.notes(&recording);
        let mut row = Vec::with_capacity(channels.len() + 1);
        for k in (0..self.motion.times.len()).take_while(|_| !self.interrupt.asked()) {
            walk.to(k)?;
            walk.passed().into_iter().for_each(|event| recording.push_event(event));
            row.clear();
            row.push(self.motion.times[k]);
            let at = Instant { t: self.motion.times[k], q: &walk.q, v: &walk.v, a: &walk.a };
            mechanism.survey(&mut walk.data, at, &walk.memory.m, &places, |x| row.push(x))?;
            row.extend(&walk.gaps);
            notes.instant(&row, &mut walk.data);
            turns.follow(&mut row);
            recording.push(&row)?;
        }
        let study = self.study.as_ref().map(|study| &study.file);
        if study.and_then(|study| study.matrices).is_some_and(|wanted| wanted.value) {
            let matrices = self.matrices(&[], Convention::Origin)?.recording()?;
            recording.append(&matrices)?;
        }
        self.describe(&mut recording, notes.texts());
        Ok(recording)
    }

    /// Drives, joint wrenches and loop reactions along the motion.
    ///
    /// # Errors
    /// Unknown names, loops that do not close, coordinates that lack a drive.
    pub fn inverse_dynamics(&self) -> Result<Recording, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let (options, view) = self.inverse_options()?;
        let mut columns = vec![Column::time()];
        columns.extend(mechanism.motion_channels().iter().map(|c| Column::new(&c.name, &c.unit, &c.meaning)));
        let layout = mechanism.layout();
        for k in 0..layout.nv {
            let name = mechanism.velocity_name(k);
            let name = name.trim_start_matches("coordinate ").trim_start_matches("joint ");
            let unit = match mechanism.channels()[layout.nq + k].unit.as_str() {
                "m/s" => "N",
                _ => "N m",
            };
            let (group, meaning) = match options.driven[k] {
                true => ("drives", "drive that the motion needs"),
                false => ("missing", "effort that the motion needs where no drive may act"),
            };
            columns.push(Column::new(format!("{group}.{name}"), unit, meaning));
        }
        let parts = [
            ("wrench", "wrench of the joint on its child"),
            ("drive", "part of the wrench along the joint's freedoms"),
            ("reaction", "part of the wrench across the joint's freedoms"),
        ];
        let axes = [("fx", "N"), ("fy", "N"), ("fz", "N"), ("mx", "N m"), ("my", "N m"), ("mz", "N m")];
        for joint in mechanism.joint_names() {
            for (part, meaning) in parts {
                for (axis, unit) in axes {
                    columns.push(Column::new(format!("joints.{joint}.{part}.{axis}"), unit, meaning));
                }
            }
        }
        for ((closure, coupling), unit) in mechanism.loop_names().zip(mechanism.coupling_units()) {
            if coupling {
                let meaning = "effort of the coupling, minus its multiplier";
                columns.push(Column::new(format!("loops.{closure}.effort"), unit, meaning));
                continue;
            }
            for (axis, unit) in axes {
                let meaning = "wrench of the loop on its second body at its frame, ground axes";
                columns.push(Column::new(format!("loops.{closure}.{axis}"), unit, meaning));
            }
        }
        columns.extend(mechanism.pose_columns().iter().map(|c| Column::new(&c.name, &c.unit, &c.meaning)));
        let width = columns.len();
        let mut recording = Recording::new(columns)?;
        let mut walk = Walk::new(self, true)?;
        let mut turns = Turns::new(recording.columns());
        let mut notes = self.notes(&recording);
        let (mut needed, mut row) = (Needed::default(), Vec::with_capacity(width));
        let (mut part, mut between) = (Vec::with_capacity(width), Vec::new());
        for k in (0..self.motion.times.len()).take_while(|_| !self.interrupt.asked()) {
            walk.to(k)?;
            walk.passed().into_iter().for_each(|event| recording.push_event(event));
            row.clear();
            row.push(self.motion.times[k]);
            row.extend(walk.q.iter().chain(&walk.v).chain(&walk.a));
            let first = row.len();
            let beside = walk.beside(k)?;
            let Walk { data, memory, q, v, a, .. } = &mut walk;
            let at = Instant { t: self.motion.times[k], q, v, a };
            if beside.is_empty() {
                mechanism.needed(data, at, memory, &options, &mut needed)?;
                self.write_needed(data, &needed, &view, &mut row);
            }
            for (weight, known) in &beside {
                let near = Instant { t: known.t, q: &known.q, v: &known.v, a: &known.a };
                mechanism.needed(data, near, &mut memory.clone(), &options, &mut needed)?;
                part.clear();
                self.write_needed(data, &needed, &view, &mut part);
                row.resize(first + part.len(), 0.0);
                row[first..].iter_mut().zip(&part).for_each(|(sum, x)| *sum += weight * x);
            }
            if !beside.is_empty() {
                mechanism.survey(data, at, &memory.m, &[], |_| ())?;
                between.push(at.t);
            }
            mechanism.body_poses(&walk.data, |x| row.push(x));
            notes.instant(&row, &mut walk.data);
            turns.follow(&mut row);
            recording.push(&row)?;
        }
        let mut texts = notes.texts();
        if let Some(first) = between.first() {
            texts.push(format!(
                "{} rows, first at {first} s, are at a singular position of a loop, where reactions are not bounded: their drives \
                 and reactions are interpolated from the neighbouring rows",
                between.len()
            ));
        }
        self.describe(&mut recording, texts);
        Ok(recording)
    }

    /// Drives, joint wrenches and loop reactions, in the order of their columns.
    fn write_needed(&self, data: &Data<f64>, needed: &Needed, view: &WrenchView, row: &mut Vec<f64>) {
        let mechanism = &self.prepared.mechanism;
        row.extend(needed.drives.iter().zip(&needed.missing).map(|(drive, missing)| drive + missing));
        for (joint, wrench) in needed.joints.iter().enumerate() {
            for part in [&wrench.total, &wrench.drive, &wrench.reaction] {
                let seen = mechanism.seen(data, joint, part, view);
                row.extend(seen.lin.iter().chain(&seen.ang));
            }
        }
        for ((_, coupling), wrench) in mechanism.loop_names().zip(&needed.loops) {
            match coupling {
                true => row.push(wrench.lin.x),
                false => row.extend(wrench.lin.iter().chain(&wrench.ang)),
            }
        }
    }

    /// The frames and bodies to record, under the names of their columns.
    fn places(&self) -> Result<Vec<(String, Place)>, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let wanted = self.study.as_ref().and_then(|s| s.file.record.as_ref());
        let names: Vec<String> = match wanted {
            Some(names) => names.value.iter().map(|name| name.text.clone()).collect(),
            None => mechanism.body_names().map(String::from).collect(),
        };
        let mut places = Vec::new();
        for name in names {
            let place = self.place(&name, "record")?;
            let group = if mechanism.frame_names().any(|frame| frame == name) { "frames" } else { "bodies" };
            // A body's own frame stands among the frames where an element names it.
            let group = if mechanism.body_names().any(|body| body == name) { "bodies" } else { group };
            places.push((format!("{group}.{name}"), place));
        }
        Ok(places)
    }

    fn place(&self, name: &str, key: &str) -> Result<Place, MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        mechanism.place(name).ok_or_else(|| {
            let known: Vec<&str> = mechanism.frame_names().chain(mechanism.body_names()).collect();
            let hint = gelenk_math::suggest::hint(name, known);
            OpenError::Setting(format!("\"{key}\": the model has no frame or body {name:?}{hint}")).into()
        })
    }

    fn inverse_options(&self) -> Result<(InverseOptions, WrenchView), MotionStudyError> {
        let mechanism = &self.prepared.mechanism;
        let nv = mechanism.layout().nv;
        let table = self.study.as_ref().and_then(|s| s.file.inverse.as_ref());
        let mut driven = vec![true; nv];
        if let Some(names) = table.and_then(|t| t.driven.as_ref()) {
            driven.fill(false);
            for name in names {
                let Some(range) = mechanism.velocities_of(name) else {
                    let joints: Vec<String> =
                        mechanism.spinning_joints().into_iter().map(|joint| joint.name).collect();
                    let known: Vec<&str> =
                        mechanism.coordinate_names().chain(joints.iter().map(String::as_str)).collect();
                    let hint = gelenk_math::suggest::hint(name, known);
                    let message = format!(
                        "\"driven\": the model has no coordinate and no ball or free joint {:?}{hint}",
                        name.text
                    );
                    return Err(OpenError::Setting(message).into());
                };
                driven[range].fill(true);
            }
        }
        let view = match table.map_or("child", |t| t.frame.text.as_str()) {
            "child" => WrenchView::Child,
            "parent" => WrenchView::Parent,
            "ground" => WrenchView::Ground,
            name => WrenchView::Place(self.place(name, "frame")?),
        };
        let apply_drives = table.is_some_and(|t| t.drives == DriveUse::Apply);
        let tolerance = table.map_or(1e-6, |t| t.tolerance.value);
        Ok((InverseOptions { driven, apply_drives, tolerance }, view))
    }

    fn notes(&self, recording: &Recording) -> Notes<'_> {
        Notes::new(&self.prepared.mechanism, &self.prepared.parameters.values(), recording.columns())
    }

    fn describe(&self, recording: &mut Recording, found: Vec<String>) {
        let mut meta = self.prepared.metadata();
        let notes: Vec<String> = self.motion.notes.iter().cloned().chain(found).collect();
        if !notes.is_empty() {
            meta.insert("notes".into(), notes.join("\n"));
        }
        meta.remove("method");
        meta.insert("motion".into(), self.motion.about.clone());
        recording.meta_mut().append(&mut meta);
    }
}

fn simulated(study: &Loaded<StudyFile>) -> bool {
    study.file.motion.as_ref().is_some_and(|motion| motion.simulate.value)
}
