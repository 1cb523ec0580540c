//! The absolute-coordinate formulation (stelzner 3.6, ST-R19): every body moves freely from the ground, and every joint
//! becomes constraint equations between a frame on its parent and one on its child.
//!
//! | file | content |
//! |---|---|
//! | `joint` | joints as the constraints of table 1.1 |
//! | `elements` | elements on coordinates as forces between frames |
//! | `natural` | natural coordinates, and the comparison of all formulations |

mod elements;
mod joint;
mod natural;

use std::collections::BTreeMap;

use gelenk_math::Real;
use gelenk_math::rotation::{Sequence, cardan};
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3};
use gelenk_system::{Fault, Param, ParameterError, ParameterTable, System};
use thiserror::Error;

use crate::blueprint::*;
use crate::build::BuildError;
use crate::data::Data;
use crate::mechanism::Mechanism;
use joint::{Closure, Kind, parts};
pub use natural::Formulation;

/// A mechanism that has no absolute form here.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AbsoluteError {
    /// Something without a counterpart.
    #[error("{element} cannot be written in absolute coordinates: {reason}")]
    Refused {
        /// The body, joint, loop or element.
        element: String,
        /// Why.
        reason: String,
    },
    /// The mechanism cannot be compiled.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The mechanism cannot be assembled.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A number of the new form has the path of an old one.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

fn refuse(element: String, reason: impl Into<String>) -> AbsoluteError {
    AbsoluteError::Refused { element, reason: reason.into() }
}

/// Where a body is and how it moves.
#[derive(Clone, Debug)]
pub struct BodyState<T: Real> {
    /// Its name.
    pub name: String,
    /// Pose in the ground frame.
    pub pose: Pose<T>,
    /// Angular velocity and velocity of the origin, in the body frame.
    pub velocity: Motion<T>,
}

impl Mechanism {
    /// Where all bodies are and how they move at time `t` (s), positions `q` and velocities `v`.
    pub fn body_states<T: Real>(&self, d: &mut Data<T>, t: T, q: &[T], v: &[T]) -> Vec<BodyState<T>> {
        d.load(self, t, q, v);
        self.kinematics(d);
        let bodies = self.links.iter().zip(&d.links).filter(|(link, _)| link.inertia.is_some());
        bodies
            .map(|(link, data)| BodyState {
                name: link.body.clone(),
                pose: data.world,
                velocity: data.velocity,
            })
            .collect()
    }
}

impl Blueprint {
    /// The same mechanism in absolute coordinates, with its parameters: six velocities a body, and a loop (or several)
    /// for every joint, under the joint's name. It starts where the tree starts once its loops are closed.
    ///
    /// A coordinate of a joint with one turn, and every coordinate of a slide, lives on as two measures with its name
    /// and the name of its rate, so that expressions and recordings know them as before; angles are counted over turns.
    /// Axes and orientations of joints are numbers from here on.
    ///
    /// # Errors
    /// By name: bodies without mass or inertia; joints that move by expressions; coordinates that joints share;
    /// couplings of coordinates; stops and friction that sticks on coordinates.
    pub fn absolute(
        &self,
        parameters: &ParameterTable,
    ) -> Result<(Blueprint, ParameterTable), AbsoluteError> {
        let mechanism = self.clone().compile(parameters.clone())?;
        let (mut d, layout) = (mechanism.data::<f64>(), mechanism.layout());
        let (mut x, mut m) = (vec![0.0; layout.nx()], vec![0.0; layout.nm]);
        mechanism.start(&mut d, &mut x, &mut m)?;
        let states = mechanism.body_states(&mut d, 0.0, &x[layout.q()], &x[layout.v()]);
        let states = states.into_iter().map(|state| (state.name.clone(), state)).collect();
        let out = Blueprint {
            bodies: self.bodies.clone(),
            frames: self.frames.clone(),
            signals: self.signals.clone(),
            outputs: self.outputs.clone(),
            ..Blueprint::new(self.gravity)
        };
        let starts = x[..self.coordinates.len()].to_vec();
        let values = mechanism.parameters.values();
        let handles = vec![None; self.coordinates.len()];
        let mut converter = Converter {
            source: self,
            table: parameters.clone(),
            values,
            states,
            out,
            handles,
            starts,
            numbers: 0,
        };
        let followed = self.factors.iter().map(|factor| factor.element);
        if let Some(element) = followed.chain(self.normals.iter().map(|normal| normal.element)).next() {
            let name = self.elements.get(element.index()).map_or("friction", |element| element.name.as_str());
            return Err(refuse(
                name.to_owned(),
                "not available in absolute coordinates: its parameters follow expressions; use minimal coordinates",
            ));
        }
        converter.bodies()?;
        converter.shared()?;
        for joint in &self.joints {
            converter.joint(joint)?;
        }
        for closure in &self.loops {
            if let LoopKind::Coupling(_) = closure.kind {
                let reason = "not available in absolute coordinates: it couples joint coordinates; use minimal coordinates";
                return Err(refuse(format!("loop {}", closure.name), reason));
            }
            converter.out.add(closure.clone());
        }
        for element in &self.elements {
            converter.element(element)?;
        }
        Ok((converter.out, converter.table))
    }
}

/// How a coordinate is measured and acted on.
#[derive(Clone, Debug)]
struct Handle {
    between: [FrameId; 2],
    /// Along an axis of the first frame, or about its z axis.
    along: Option<usize>,
    /// The joint, by its place among those that are replaced.
    joint: usize,
}

struct Converter<'a> {
    source: &'a Blueprint,
    table: ParameterTable,
    values: Vec<f64>,
    states: BTreeMap<String, BodyState<f64>>,
    out: Blueprint,
    handles: Vec<Option<Handle>>,
    /// Coordinates at the assembled start.
    starts: Vec<f64>,
    numbers: usize,
}

impl Converter<'_> {
    fn number(&mut self, value: f64) -> Result<Param, AbsoluteError> {
        self.numbers += 1;
        Ok(self.table.free(&format!("absolute.{}", self.numbers), value, "")?)
    }

    fn vector(&mut self, values: [f64; 3]) -> Result<[Param; 3], AbsoluteError> {
        let [x, y, z] = values;
        Ok([self.number(x)?, self.number(y)?, self.number(z)?])
    }

    fn angles(&mut self, rotation: &Mat3<f64>) -> Result<[Param; 3], AbsoluteError> {
        self.vector(Sequence::Xyz.angles(rotation).parameters)
    }

    fn values(&self, params: &[Param; 3]) -> [f64; 3] {
        params.map(|param| param.of(&self.values))
    }

    /// Every body must be able to move by itself (stelzner 8, pitfall 10).
    fn bodies(&self) -> Result<(), AbsoluteError> {
        for body in &self.source.bodies {
            let [xx, yy, zz, xy, xz, yz] = body.inertia.map(|i| i.of(&self.values));
            let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            if body.mass.of(&self.values) <= 0.0 || tensor.cholesky().is_none() {
                let reason =
                    "it has no mass or no inertia about some axis; give it both, or use minimal coordinates";
                return Err(refuse(format!("body {}", body.name), reason));
            }
        }
        Ok(())
    }

    /// A coordinate belongs to one joint, and carries no rotor.
    fn shared(&self) -> Result<(), AbsoluteError> {
        if let Some(coordinate) = self.source.coordinates.iter().find(|c| c.rotor.is_some()) {
            let reason = "its rotor inertia belongs to no body; use minimal coordinates";
            return Err(refuse(format!("coordinate {}", coordinate.name), reason));
        }
        let mut uses = vec![0; self.source.coordinates.len()];
        for joint in &self.source.joints {
            for scalar in joint.motion.scalars() {
                if let Scalar::Coordinate(a) = scalar
                    && let Some(count) = uses.get_mut(a.index())
                {
                    *count += 1;
                    if *count > 1 {
                        let name = &self.source.coordinates[*a].name;
                        return Err(refuse(format!("coordinate {name}"), "several joints depend on it"));
                    }
                }
            }
        }
        Ok(())
    }

    fn joint(&mut self, joint: &Joint) -> Result<(), AbsoluteError> {
        let placement =
            Pose::new(cardan(self.values(&joint.orientation)), self.values(&joint.position).into());
        self.free(joint, &placement)?;
        let parts = parts(&joint.motion, &self.values)
            .map_err(|reason| refuse(format!("joint {}", joint.name), reason))?;
        let origin = placement.point(&parts.origin);
        let (number, mut loops) = (self.out.replaced.len(), Vec::new());
        for Closure { kind, suffix, parent, child } in &parts.closures {
            let name = format!("{}{suffix}", joint.name);
            let between = self.frames(joint, &name, &origin, &(placement.rotation * parent), child)?;
            let kind = match kind {
                Kind::Rigid => LoopKind::Rigid(between),
                Kind::Revolute => LoopKind::Revolute(between),
                Kind::Prismatic => LoopKind::Prismatic(between),
                Kind::Cylindrical => LoopKind::Cylindrical(between),
                Kind::Universal => LoopKind::Universal(between),
                Kind::Point => LoopKind::Point(between),
                Kind::Plane => LoopKind::Plane(between),
                Kind::Orientation => LoopKind::Orientation(between),
                Kind::Parallel => LoopKind::Parallel(between),
                Kind::Perpendicular => LoopKind::Perpendicular(between),
            };
            loops.push(self.out.add(Loop { name, kind }));
        }
        for measured in &parts.measured {
            let name = self.source.coordinates[measured.coordinate].name.clone();
            let parent = placement.rotation * measured.parent;
            let between = self.frames(joint, &name, &origin, &parent, &measured.child)?;
            let units = self.source.coordinates[measured.coordinate].kind.units();
            let measures = match measured.along {
                Some(k) => [Measure::Position(k), Measure::PositionRate(k)],
                None => {
                    let start = self.number(self.starts[measured.coordinate.index()])?;
                    [Measure::Counted(start), Measure::AngleRate]
                }
            };
            for ((name, unit), measure) in
                [(name.clone(), units[0]), (format!("{name}.rate"), units[1])].into_iter().zip(measures)
            {
                let kind = SignalKind::Measure(between, measure);
                self.out.add(Signal { name, unit: unit.into(), kind });
            }
            self.handles[measured.coordinate.index()] =
                Some(Handle { between, along: measured.along, joint: number });
        }
        self.out.replaced.push(Replaced {
            name: joint.name.clone(),
            body: joint.child,
            loops,
            elements: Vec::new(),
        });
        Ok(())
    }

    /// The free joint of a body, at its assembled start. One that was free on the ground keeps its name and frame.
    fn free(&mut self, joint: &Joint, placement: &Pose<f64>) -> Result<(), AbsoluteError> {
        let body = &self.source.bodies[joint.child].name;
        let Some(state) = self.states.get(body).cloned() else {
            return Err(refuse(format!("body {body}"), "no joint carries it"));
        };
        let kept = joint.parent == BodyRef::Ground && matches!(joint.motion, JointMotion::Free { .. });
        let (name, place, pose) = if kept {
            let rotation = placement.rotation.tr_mul(&state.pose.rotation);
            let position = placement.rotation.tr_mul(&(state.pose.position - placement.position));
            (joint.name.clone(), (joint.position, joint.orientation), Pose::new(rotation, position))
        } else {
            (body.clone(), (self.vector([0.0; 3])?, self.vector([0.0; 3])?), state.pose)
        };
        let motion = JointMotion::Free {
            position: self.vector(pose.position.into())?,
            orientation: self.angles(&pose.rotation)?,
            angular_velocity: self.vector(state.velocity.ang.into())?,
            velocity: self.vector(state.velocity.lin.into())?,
        };
        self.out.add(Joint {
            name,
            parent: BodyRef::Ground,
            child: joint.child,
            position: place.0,
            orientation: place.1,
            motion,
        });
        Ok(())
    }

    /// A frame on the parent and one at the origin of the child.
    fn frames(
        &mut self,
        joint: &Joint,
        name: &str,
        origin: &Vec3<f64>,
        parent: &Mat3<f64>,
        child: &Mat3<f64>,
    ) -> Result<[FrameId; 2], AbsoluteError> {
        let mut frame = |end: &str, body: BodyRef, position: &Vec3<f64>, rotation: &Mat3<f64>| {
            let frame = Frame {
                name: format!("{name}.{end}"),
                body,
                position: self.vector((*position).into())?,
                orientation: self.angles(rotation)?,
            };
            Ok::<_, AbsoluteError>(self.out.add(frame))
        };
        Ok([
            frame("parent", joint.parent, origin, parent)?,
            frame("child", joint.child.into(), &Vec3::zeros(), child)?,
        ])
    }
}
