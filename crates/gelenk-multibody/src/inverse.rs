//! Inverse dynamics of the whole model: drives, joint wrenches and loop reactions that a motion needs.
//!
//! With `r = M a - Q`, where `Q` holds everything that the elements of the model exert, the drives `tau` on the driven
//! coordinates and the multipliers of the loops fulfil `tau = r + C^T lambda`. Loops make the drives redundant; of all
//! that give the motion, those with the least sum of squares are taken (stelzner 3.7).

use gelenk_math::spatial::{Motion, Wrench};
use gelenk_system::{Fault, System};
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

use crate::data::Data;
use crate::following::largest;
use crate::ik::algebra::{null_space, pseudo_inverse_beside};
use crate::mechanism::{ElementRun, LinkKind, Mechanism, Source};
use crate::places::Place;

/// A motion without drives that could make it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InverseError {
    /// The evaluation failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Coordinates that would need a drive and have none.
    #[error(
        "the driven coordinates cannot make the motion at t = {t} s; a drive is missing on {}; add it to \"driven\", or \
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
    /// Time of the last instant (s).
    last: Option<f64>,
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

    /// States and memory of the laws at the start of the model.
    ///
    /// # Errors
    /// A start that cannot be assembled, and laws without the form that advances over a step.
    pub fn memory(&self, d: &mut Data<f64>) -> Result<Memory, Fault> {
        self.check(d, true)?;
        let (mut x, mut m) = (vec![0.0; self.layout.nx()], vec![0.0; self.layout.nm]);
        self.start(d, &mut x, &mut m)?;
        Ok(Memory { z: x[self.layout.z()].to_vec(), m, last: None })
    }

    /// Drives, wrenches and reactions that the motion needs at an instant. Laws with memory advance from the instant
    /// before, so instants are given in the order of time. The loops must be closed ([`Self::follow`]).
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
        let (nv, nc) = (self.layout.nv, self.layout.nc);
        self.lengths(&[
            ("q", at.q.len(), self.layout.nq),
            ("v", at.v.len(), nv),
            ("a", at.a.len(), nv),
            ("driven", options.driven.len(), nv),
        ])?;
        d.load_origin(self, at.t, at.q, at.v);
        d.z.copy_from_slice(&memory.z);
        self.kinematics(d);
        self.loop_rows(d);
        self.spread_accelerations(d, at.a);
        let h = memory.last.map(|last| at.t - last).filter(|&h| h > 0.0);
        if h.is_none() {
            self.commit_elements(d, &mut memory.m);
        }
        self.signals(d, &memory.m)?;
        self.clear_applied(d);
        d.effort.fill(0.0);
        self.efforts(d, &memory.m, h)?;
        let mut scale = largest(&d.effort);
        if !options.apply_drives {
            for (element, effort) in self.elements.iter().zip(&d.element_effort) {
                if let ElementRun::Drive { coordinate, .. } = element.kind {
                    d.effort[coordinate] -= effort;
                }
            }
        }
        if h.is_some() {
            memory.z.copy_from_slice(&d.z_out);
            d.z.copy_from_slice(&d.z_out);
            self.commit_elements(d, &mut memory.m);
        }
        memory.last = Some(at.t);
        self.rnea(d);
        let mut residual = vec![0.0; nv];
        self.pull_back(&d.f, &d.tree_effort, &mut residual);
        for ((residual, &a), &rotor) in residual.iter_mut().zip(at.a).zip(&d.rotors) {
            *residual += rotor * a;
        }
        scale = scale.max(largest(&residual)).max(self.gravity_effort(d));
        residual.iter_mut().zip(&d.effort).for_each(|(r, q)| *r -= q);
        if let Some(k) = residual.iter().position(|r| !r.is_finite()) {
            return Err(Fault::NotFinite { element: self.velocity_names[k].clone(), t: at.t }.into());
        }

        if nc > 0 {
            let rows = self.constraint_matrix(d).dense();
            let lambda = least_drives(&rows, &residual, &options.driven)?;
            d.lambda.copy_from_slice(lambda.as_slice());
            for (k, r) in residual.iter_mut().enumerate() {
                *r += (0..nc).map(|row| rows[row * nv + k] * d.lambda[row]).sum::<f64>();
            }
            scale = scale.max(largest(&d.lambda));
        }
        let split = |wanted: bool| {
            let parts = residual.iter().zip(&options.driven);
            parts.map(|(&r, &driven)| if driven == wanted { r } else { 0.0 }).collect::<Vec<f64>>()
        };
        (out.drives, out.missing) = (split(true), split(false));
        if largest(&out.missing) > options.tolerance * scale {
            let names = out.missing.iter().enumerate();
            let lacking = names
                .filter(|(_, effort)| effort.abs() > options.tolerance * scale)
                .map(|(k, &effort)| (self.velocity_names[k].clone(), effort))
                .collect();
            return Err(InverseError::Undriven { lacking, t: at.t });
        }
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
                    effort.lin.x = -d.lambda[closure.rows.start];
                    effort
                }
            });
        }
        Ok(())
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
        for (row, equation) in self.equations.iter().enumerate() {
            let Some(frames) = equation.frames() else { continue };
            for (frame, wrench) in frames.into_iter().zip(d.row_wrench[row]) {
                if let Some(link) = self.frames[frame].link {
                    let data = &mut d.links[link];
                    data.applied += data.world.wrench_into(&wrench.scale(-d.lambda[row]));
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

/// Multipliers with which the drives `r + C^T lambda` vanish where none may act, and are of least norm elsewhere. Where
/// loops are redundant, the multipliers of least norm.
fn least_drives(rows: &[f64], residual: &[f64], driven: &[bool]) -> Result<DVector<f64>, Fault> {
    let nv = residual.len();
    let nc = rows.len() / nv.max(1);
    let part = |wanted: bool| {
        let members: Vec<usize> = (0..nv).filter(|&k| driven[k] == wanted).collect();
        let matrix = DMatrix::from_fn(members.len(), nc, |i, row| rows[row * nv + members[i]]);
        let vector = DVector::from_iterator(members.len(), members.iter().map(|&k| residual[k]));
        (matrix, vector)
    };
    let ((held, held_residual), (free, free_residual)) = (part(false), part(true));
    // What is left of a redundant equation is rounding, and must not be divided by.
    let size = DVector::from_column_slice(rows).norm();
    let particular = -pseudo_inverse_beside(&held, size)? * held_residual;
    let open = null_space(&held, size)?;
    let rest = free_residual + &free * &particular;
    let choice = -pseudo_inverse_beside(&(free * &open), size)? * rest;
    Ok(particular + open * choice)
}
