//! Inverse dynamics of the whole model: drives, joint wrenches and loop reactions that a motion needs.
//!
//! With `r = M a - Q`, where `Q` holds everything that the elements of the model exert, the drives `tau` on the driven
//! coordinates and the multipliers of the loops fulfil `tau = r + C^T lambda`. Loops make the drives redundant; of all
//! that give the motion, those with the least sum of squares are taken (stelzner 3.7).

use gelenk_math::spatial::{Motion, Wrench};
use gelenk_system::{Fault, Nanos, System};
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

use crate::data::Data;
use crate::elements::impacts::STILL;
use crate::loops::following::largest;
use crate::mechanism::{LinkKind, Mechanism, Source};
use crate::studies::ik::algebra::{null_space, pseudo_inverse_beside};
use crate::tree::places::Place;

/// Rounds in which normal forces and friction are brought to agree, and by how much they may still differ.
const ROUNDS: usize = 100;
const AGREED: f64 = 1e-12;
/// Volume that the three axes of a joint span below which its coordinates are singular.
const SINGULAR: f64 = 1e-3;

/// A motion without drives that could make it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InverseError {
    /// The evaluation failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Coordinates that would need a drive and have none.
    #[error(
        "the driven coordinates cannot produce the motion at t = {t} s; a drive is missing on {}; add it to \"driven\", or \
         raise \"tolerance\" where the motion is only measured",
        .lacking.iter().map(|(name, effort)| format!("{name} ({effort:.3e} SI)")).collect::<Vec<_>>().join(", ")
    )]
    Undriven {
        /// Names and missing efforts (N or N m).
        lacking: Vec<(String, f64)>,
        /// Time (s).
        t: f64,
    },
}

/// What inverse dynamics takes as known.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseOptions {
    /// Whether a drive may act, for each velocity component.
    pub driven: Vec<bool>,
    /// Whether the drives of the model act as applied efforts; else they are what is looked for.
    pub apply_drives: bool,
    /// Largest effort that may be missing on a coordinate without drive, as a share of the largest effort.
    pub tolerance: f64,
}

/// An instant of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// Time (s).
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Accelerations.
    pub a: &'a [f64],
}

/// States and memory of the laws while a motion is followed.
#[derive(Clone, Debug)]
pub struct Memory {
    /// States of the laws.
    pub z: Vec<f64>,
    /// Discrete memory, held signals included.
    pub m: Vec<f64>,
    /// Speed and acceleration of each velocity component below which it counts as zero (SI).
    pub rest: Vec<[f64; 2]>,
    /// Time of the last sample.
    pub(crate) now: Nanos,
    /// Time of the last instant (s), and the forces there that friction follows.
    pub(crate) last: Option<(f64, Vec<f64>)>,
}

/// What a motion needs at an instant.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// Drive on each velocity component (N or N m); zero where none may act.
    pub drives: Vec<f64>,
    /// Effort that is missing on components without drive.
    pub missing: Vec<f64>,
    /// Wrench of each joint on its child at the child's origin, in the child's axes.
    pub joints: Vec<JointWrench>,
    /// Wrench of each loop on its second body at its second frame, in ground axes; of a coupling of coordinates the
    /// effort stands in the first component of the force.
    pub loops: Vec<Wrench<f64>>,
    /// A size of the efforts that act (N or N m).
    scale: f64,
}

/// The wrench through a joint, and its parts.
#[derive(Clone, Copy, Debug)]
pub struct JointWrench {
    /// The whole: `drive + reaction`.
    pub total: Wrench<f64>,
    /// Along the freedoms: drives, springs, stops and friction of the joint, `fa = J (J^T J)^-1 J^T f`.
    pub drive: Wrench<f64>,
    /// Across the freedoms, `J^T fz = 0`: it does no work.
    pub reaction: Wrench<f64>,
}

/// Axes and point for the wrench of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WrenchView {
    /// The child's axes, about the child's origin.
    Child,
    /// The axes of the parent body, about the child's origin.
    Parent,
    /// Ground axes, about the child's origin.
    Ground,
    /// The axes of a place, about the origin of that place.
    Place(Place),
}

impl Mechanism {
    /// Names of the joints, in the order of the tree; the same as that of [`Needed::joints`].
    pub fn joint_names(&self) -> impl Iterator<Item = &str> {
        self.links.iter().filter(|link| link.inertia.is_some()).map(|link| link.joint.as_str())
    }

    /// Names of the loops, each with whether it is a coupling of coordinates.
    pub fn loop_names(&self) -> impl Iterator<Item = (&str, bool)> {
        self.loops.iter().map(|closure| (closure.name.as_str(), closure.frame.is_none()))
    }

    /// Units of the efforts of couplings, in the order of the loops; empty for loops between frames.
    pub fn coupling_units(&self) -> impl Iterator<Item = &str> {
        self.loops.iter().map(|closure| closure.effort.as_str())
    }

    /// States and memory of the laws at the start of the model.
    ///
    /// # Errors
    /// A start that cannot be assembled, and laws without the form that advances over a step.
    pub fn memory(&self, d: &mut Data<f64>) -> Result<Memory, Fault> {
        self.check(d, true)?;
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(d, &mut x, &mut m)?;
        let rest = vec![[STILL; 2]; self.layout.nv];
        Ok(Memory { z: x[self.layout.z()].to_vec(), m, rest, now: Nanos::ZERO, last: None })
    }

    /// Drives, wrenches and reactions that the motion needs at an instant. Everything is as a run has it there: stops and
    /// contacts are closed by where the bodies are, friction slides as the velocities say, what rests is held, and normal
    /// forces are those of the motion. The memory is brought from instant to instant by [`Self::pass`], and the loops must
    /// be closed ([`Self::follow`]).
    ///
    /// # Errors
    /// Faults of elements, and coordinates that lack a drive.
    pub fn needed(
        &self,
        d: &mut Data<f64>,
        at: Instant<'_>,
        memory: &mut Memory,
        options: &InverseOptions,
        out: &mut Needed,
    ) -> Result<(), InverseError> {
        let nv = self.layout.nv;
        self.lengths(&[
            ("q", at.q.len(), self.layout.nq),
            ("v", at.v.len(), nv),
            ("a", at.a.len(), nv),
            ("driven", options.driven.len(), nv),
            ("rest", memory.rest.len(), nv),
        ])?;
        self.settle_here(d, at, memory);
        let mut loads = self.expected_loads(memory);
        let seen: Vec<f64> = self.lags().map(|z| memory.z[z]).collect();
        for _ in 0..ROUNDS {
            self.follow_loads(d, at.t, memory, &seen, &loads);
            self.balance(d, at, memory, options, out)?;
            let before = std::mem::replace(&mut loads, self.loads(d));
            let change = |(a, b): (&f64, &f64)| (a - b).abs() / (1.0 + a.abs());
            if loads.iter().zip(&before).map(change).fold(0.0, f64::max) < AGREED {
                break;
            }
        }
        memory.last = Some((at.t, loads));
        self.name_missing(at.t, options, out)
    }

    /// One round of [`Self::needed`], with the normal forces in the memory.
    fn balance(
        &self,
        d: &mut Data<f64>,
        at: Instant<'_>,
        memory: &Memory,
        options: &InverseOptions,
        out: &mut Needed,
    ) -> Result<(), InverseError> {
        let nv = self.layout.nv;
        d.load_origin(self, at.t, at.q, at.v);
        d.elements.states_mut().copy_from_slice(&memory.z);
        self.kinematics(d);
        self.loop_rows(d);
        self.spread_accelerations(d, at.a);
        self.signals(d, &memory.m, None)?;
        self.clear_applied(d);
        d.effort.fill(0.0);
        self.efforts(d, &memory.m, None)?;
        out.scale = largest(&d.effort);
        if !options.apply_drives {
            for (element, effort) in self.elements.iter().zip(d.elements.effort()) {
                if let (true, Some(coordinate)) = (element.kind.is_signal(), element.on.coordinate()) {
                    d.effort[coordinate] -= effort;
                }
            }
        }
        self.rnea(d);
        let mut residual = vec![0.0; nv];
        self.pull_back(&d.f, &d.tree_effort, &mut residual);
        for ((residual, &a), &rotor) in residual.iter_mut().zip(at.a).zip(&d.rotors) {
            *residual += rotor * a;
        }
        out.scale = out.scale.max(largest(&residual)).max(self.gravity_effort(d));
        residual.iter_mut().zip(&d.effort).for_each(|(r, q)| *r -= q);
        if let Some(k) = residual.iter().position(|r| !r.is_finite()) {
            return Err(Fault::NotFinite { element: self.velocity_names[k].clone(), t: at.t }.into());
        }
        let shares = Shares::new(self.constraint_matrix(d).dense(), &options.driven)?;
        self.hold_at_rest(d, &memory.m, &shares, &mut residual);
        let lambda = shares.balance(&mut residual);
        d.loops.lambda_mut().copy_from_slice(lambda.as_slice());
        out.scale = out.scale.max(largest(d.loops.lambda()));
        let split = |wanted: bool| {
            let parts = residual.iter().zip(&options.driven);
            parts.map(|(&r, &driven)| if driven == wanted { r } else { 0.0 }).collect::<Vec<f64>>()
        };
        (out.drives, out.missing) = (split(true), split(false));
        // The links have the accelerations of the motion already.
        d.acceleration.fill(0.0);
        self.share_reactions(d);
        self.loop_wrenches(d);
        self.rnea(d);
        out.joints.clear();
        for (i, _) in self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some()) {
            out.joints.push(self.split_wrench(d, i));
        }
        out.loops.clear();
        for (index, closure) in self.loops.iter().enumerate() {
            out.loops.push(match closure.frame {
                Some(_) => self.loop_reaction(d, index),
                None => {
                    let mut effort = Wrench::zero();
                    effort.lin.x = -d.loops.lambda()[closure.rows.start];
                    effort
                }
            });
        }
        Ok(())
    }

    /// Names the coordinates that would need a drive and have none.
    fn name_missing(&self, t: f64, options: &InverseOptions, out: &Needed) -> Result<(), InverseError> {
        let least = options.tolerance * out.scale;
        let lacking: Vec<(String, f64)> = out
            .missing
            .iter()
            .enumerate()
            .filter(|(_, effort)| effort.abs() > least)
            .map(|(k, &effort)| (self.velocity_names[k].clone(), effort))
            .collect();
        if lacking.is_empty() { Ok(()) } else { Err(InverseError::Undriven { lacking, t }) }
    }

    /// Expresses a wrench of joint number `joint`, given in the child's axes at the child's origin, as `view` says.
    pub fn seen(&self, d: &Data<f64>, joint: usize, wrench: &Wrench<f64>, view: &WrenchView) -> Wrench<f64> {
        let links = self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some());
        let Some(link) = links.map(|(i, _)| i).nth(joint) else { return *wrench };
        let world = &d.links[link].world;
        let (moment, force) = (world.rotation * wrench.ang, world.rotation * wrench.lin);
        let turn =
            |axes: &gelenk_math::spatial::Mat3<f64>| Wrench::new(axes.tr_mul(&moment), axes.tr_mul(&force));
        match view {
            WrenchView::Child => *wrench,
            WrenchView::Ground => Wrench::new(moment, force),
            WrenchView::Parent => match self.parent_body(link) {
                Some(parent) => turn(&d.links[parent].world.rotation),
                None => Wrench::new(moment, force),
            },
            WrenchView::Place(place) => {
                let pose = self.pose_of(d, place);
                let moment = moment + (world.position - pose.position).cross(&force);
                Wrench::new(pose.rotation.tr_mul(&moment), pose.rotation.tr_mul(&force))
            }
        }
    }

    /// The links of the joint that carries body link `link`, from the child to the parent.
    fn joint_links(&self, link: usize) -> Vec<usize> {
        let mut links = vec![link];
        let mut next = self.links[link].parent;
        while let Some(i) = next.filter(|&i| self.links[i].inertia.is_none()) {
            links.push(i);
            next = self.links[i].parent;
        }
        links
    }

    /// The link of the body that the joint of body link `link` stands on; `None` is the ground.
    pub(crate) fn parent_body(&self, link: usize) -> Option<usize> {
        self.joint_links(link).last().and_then(|&i| self.links[i].parent)
    }

    /// A joint with three turns of which two have the same axis, so that its coordinates cannot follow a turn across it.
    /// Needs the kinematics.
    pub(crate) fn singular_joint(&self, d: &Data<f64>) -> Option<&str> {
        for (i, link) in self.links.iter().enumerate().filter(|(_, link)| link.inertia.is_some()) {
            let turns = self.joint_links(i).into_iter();
            let turns = turns.filter(|&i| matches!(self.links[i].kind, LinkKind::Revolute { .. }));
            let axes: Vec<_> = turns.map(|i| d.links[i].world.rotation * d.links[i].axis).collect();
            if let [a, b, c] = axes[..]
                && a.dot(&b.cross(&c)).abs() < SINGULAR
            {
                return Some(&link.joint);
            }
        }
        None
    }

    /// Freedoms of the joint of body link `link` in the child's frame: one motion for each velocity component that it
    /// uses, and one for each scalar that time drives.
    pub(crate) fn joint_freedoms(&self, d: &Data<f64>, link: usize) -> Vec<(Option<usize>, Motion<f64>)> {
        let mut freedoms: Vec<(Option<usize>, Motion<f64>)> = Vec::new();
        for i in self.joint_links(link) {
            let timed = match &self.links[i].kind {
                LinkKind::Revolute { source: Source::Function(f), .. }
                | LinkKind::Prismatic { source: Source::Function(f), .. } => f.time.is_some(),
                _ => false,
            };
            for dof in self.links[i].dofs.clone() {
                let ground = d.links[i].world.motion_out(&self.freedom(d, i, dof));
                let unit = d.links[link].world.motion_into(&ground);
                if timed {
                    freedoms.push((None, unit));
                }
                for k in self.rows[dof].clone() {
                    let (column, part) = (Some(self.columns[k]), unit.scale(d.f[k]));
                    match freedoms.iter_mut().find(|(known, _)| *known == column) {
                        Some((_, motion)) => *motion += part,
                        None => freedoms.push((column, part)),
                    }
                }
            }
        }
        freedoms
    }

    /// Splits the wrench through the joint of body link `link` into what acts along and across its freedoms.
    fn split_wrench(&self, d: &Data<f64>, link: usize) -> JointWrench {
        let total = d.links[link].wrench;
        // An orthonormal basis of the freedoms; a freedom that adds no direction is left out.
        let mut basis: Vec<[f64; 6]> = Vec::new();
        for (_, motion) in self.joint_freedoms(d, link) {
            let mut direction = [0, 1, 2, 3, 4, 5].map(|k| motion.get(k));
            let size = norm(&direction);
            for _ in 0..2 {
                for known in &basis {
                    let part: f64 = known.iter().zip(&direction).map(|(a, b)| a * b).sum();
                    direction.iter_mut().zip(known).for_each(|(x, k)| *x -= part * k);
                }
            }
            let rest = norm(&direction);
            if rest > 1e-10 * size && basis.len() < 6 {
                basis.push(direction.map(|x| x / rest));
            }
        }
        let mut drive = Wrench::zero();
        for direction in &basis {
            let part: f64 = (0..6).map(|k| direction[k] * total.get(k)).sum();
            let [a, b, c, x, y, z] = direction.map(|x| x * part);
            drive += Wrench::new([a, b, c].into(), [x, y, z].into());
        }
        JointWrench { total, drive, reaction: total - drive }
    }

    /// Adds what the loops exert to the applied wrenches of the links.
    fn loop_wrenches(&self, d: &mut Data<f64>) {
        for (row, equation) in self.loops.equations().iter().enumerate() {
            let Some(frames) = equation.frames() else { continue };
            for (frame, wrench) in frames.into_iter().zip(*d.loops.wrenches(row)) {
                if let Some(link) = self.frames[frame].link {
                    let data = &mut d.links[link];
                    data.applied += data.world.wrench_into(&wrench.scale(-d.loops.lambda()[row]));
                }
            }
        }
    }

    /// A size of the efforts against gravity: weight, in N or at an arm of 1 m in N m.
    fn gravity_effort(&self, d: &Data<f64>) -> f64 {
        let mass: f64 = d.links.iter().map(|link| link.inertia.mass).sum();
        mass * d.gravity.norm()
    }
}

fn norm(x: &[f64; 6]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// How the loops share efforts: multipliers with which the drives `r + C^T lambda` vanish where none may act, and are of least
/// norm elsewhere. Where loops are redundant, the multipliers of least norm.
pub(crate) struct Shares {
    /// The constraint matrix, row by row.
    rows: Vec<f64>,
    pub(crate) driven: Vec<bool>,
    /// Multipliers by unit efforts on each component.
    answer: DMatrix<f64>,
}

impl Shares {
    fn new(rows: Vec<f64>, driven: &[bool]) -> Result<Self, Fault> {
        let nv = driven.len();
        let nc = rows.len() / nv.max(1);
        let driven = driven.to_vec();
        if nc == 0 {
            return Ok(Self { rows, driven, answer: DMatrix::zeros(0, nv) });
        }
        let part = |wanted: bool| {
            let members: Vec<usize> = (0..nv).filter(|&k| driven[k] == wanted).collect();
            let matrix = DMatrix::from_fn(members.len(), nc, |i, row| rows[row * nv + members[i]]);
            let choice = DMatrix::from_fn(members.len(), nv, |i, k| if members[i] == k { 1.0 } else { 0.0 });
            (matrix, choice)
        };
        let ((held, held_part), (free, free_part)) = (part(false), part(true));
        // What is left of a redundant equation is rounding, and must not be divided by.
        let size = DVector::from_column_slice(&rows).norm();
        let particular = -pseudo_inverse_beside(&held, size)? * held_part;
        let open = null_space(&held, size)?;
        let rest = free_part + &free * &particular;
        let choice = -pseudo_inverse_beside(&(free * &open), size)? * rest;
        let answer = particular + open * choice;
        Ok(Self { rows, driven, answer })
    }

    /// Adds what the loops exert on the components to what the motion needs there, and returns the multipliers.
    pub(crate) fn balance(&self, residual: &mut [f64]) -> DVector<f64> {
        let nv = residual.len();
        let lambda = &self.answer * DVector::from_column_slice(residual);
        for (row, &multiplier) in lambda.iter().enumerate() {
            for (k, r) in residual.iter_mut().enumerate() {
                *r += self.rows[row * nv + k] * multiplier;
            }
        }
        lambda
    }
}
