//! Attachments: what an element acts on. They give displacements and rates, and take efforts.
//!
//! Efforts are conjugate to the rates: what an attachment applies to the bodies has the power `effort . rate`, whatever the
//! element is. Elements in minimal and in absolute coordinates differ in their attachment only.

use gelenk_math::rotation::to_rotation_vector;
use gelenk_math::spatial::{Mat3, Vec3, length, norm};
use gelenk_math::{Job, Lockstep, Mask, Real};
use gelenk_system::Fault;

use crate::blueprint::{CoordinateId, FrameId, JointId, places};
use crate::data::Data;
use crate::mechanism::Mechanism;

/// What an element acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// A coordinate.
    Coordinate(CoordinateId),
    /// The distance of the origins of two frames.
    Distance([FrameId; 2]),
    /// A component of the second origin in the axes of the first frame; the effort acts at the second origin.
    Along {
        /// The frames.
        between: [FrameId; 2],
        /// The axis of the first frame.
        axis: usize,
    },
    /// The angle of the second x axis about the first z axis, from the first x axis; counted over turns from its start, which is
    /// within half a turn.
    Angle([FrameId; 2]),
    /// The turn about an axis of the first frame. It has a rate, but no displacement.
    About {
        /// The frames.
        between: [FrameId; 2],
        /// The axis of the first frame.
        axis: usize,
    },
    /// The second origin on the plane of x and y of the first frame; the effort acts at the second origin.
    Plane([FrameId; 2]),
    /// A point: the origin of a frame, with components in the axes of a frame (`None` is the ground).
    Point {
        /// The frame.
        frame: FrameId,
        /// The frame whose axes the components are given in.
        axes: Option<FrameId>,
    },
    /// The turn of a frame's body, with components in the axes of a frame.
    Turn {
        /// The frame.
        frame: FrameId,
        /// The frame whose axes the components are given in.
        axes: Option<FrameId>,
    },
    /// All displacements between two frames: the second origin in the first frame, and the rotation vector.
    Pose([FrameId; 2]),
    /// The rotation of a ball or free joint: a quaternion, real part first, and the angular velocity in the
    /// child's frame.
    Ball(JointId),
    /// The bodies of two frames, wherever they touch. Contacts look at them for themselves.
    Bodies([FrameId; 2]),
}

impl Attachment {
    /// The two frames that it lies between.
    pub fn between(&self) -> Option<[FrameId; 2]> {
        match *self {
            Self::Distance(between)
            | Self::Along { between, .. }
            | Self::Angle(between)
            | Self::About { between, .. }
            | Self::Plane(between)
            | Self::Pose(between)
            | Self::Bodies(between) => Some(between),
            Self::Coordinate(_) | Self::Point { .. } | Self::Turn { .. } | Self::Ball(_) => None,
        }
    }

    /// The coordinate.
    pub fn coordinate(&self) -> Option<CoordinateId> {
        match *self {
            Self::Coordinate(coordinate) => Some(coordinate),
            _ => None,
        }
    }

    /// What pictures draw: between or on frames, by name; `None` on a coordinate or joint, where an effort is drawn.
    pub fn drawing(&self) -> Option<&'static str> {
        match self {
            Self::Distance(_) => Some("line"),
            Self::Along { .. } => Some("spring"),
            Self::Angle(_) | Self::About { .. } => Some("torque"),
            // Friction is not drawn.
            Self::Plane(_) => None,
            Self::Point { .. } => Some("force"),
            Self::Turn { .. } => Some("torque"),
            Self::Pose(_) => Some("bushing"),
            Self::Bodies(_) => Some("contact"),
            Self::Coordinate(_) | Self::Ball(_) => None,
        }
    }

    /// All frames that it needs.
    pub(crate) fn frames(&self) -> impl Iterator<Item = FrameId> {
        let own = match *self {
            Self::Point { frame, axes } | Self::Turn { frame, axes } => [Some(frame), axes],
            _ => [None; 2],
        };
        self.between().into_iter().flatten().chain(own.into_iter().flatten())
    }

    /// Numbers of its displacement and of its rate.
    pub(crate) fn size(&self) -> [usize; 2] {
        match self {
            Self::Coordinate(_)
            | Self::Distance(_)
            | Self::Along { .. }
            | Self::Angle(_)
            | Self::About { .. } => [1; 2],
            Self::Plane(_) => [2; 2],
            Self::Point { .. } | Self::Turn { .. } => [3; 2],
            Self::Pose(_) => [6; 2],
            Self::Ball(_) => [4, 3],
            Self::Bodies(_) => [0; 2],
        }
    }

    /// Unit and meaning of the effort that is recorded.
    pub(crate) fn channel(
        &self,
        effort_unit: &dyn Fn(CoordinateId) -> &'static str,
    ) -> (&'static str, &'static str) {
        match *self {
            Self::Coordinate(coordinate) => (effort_unit(coordinate), "effort on the coordinate"),
            Self::Distance(_) => ("N", "tension"),
            Self::Along { .. } => ("N", "effort on the second body"),
            Self::Angle(_) => ("N m", "effort on the second body"),
            Self::About { .. } => ("N m", "torque on the second body"),
            Self::Plane(_) => ("N", "minus the magnitude of the force"),
            Self::Point { .. } | Self::Pose(_) | Self::Bodies(_) => ("N", "magnitude of the force"),
            Self::Turn { .. } => ("N m", "magnitude of the torque"),
            Self::Ball(_) => ("N m", "magnitude of the torque"),
        }
    }
}

/// A compiled attachment; a joint is known by its places in the table and among the velocities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    pub(crate) on: Attachment,
    /// Of a ball joint: the first component of its quaternion and of its angular velocity in the table, and of the latter
    /// among the velocities.
    pub(crate) ball: [usize; 3],
}

impl Attached {
    /// The place of the coordinate among all.
    pub(crate) fn coordinate(&self) -> Option<usize> {
        self.on.coordinate().map(CoordinateId::index)
    }

    /// Displacement and rate.
    ///
    /// # Errors
    /// A line without a direction.
    #[inline]
    pub(crate) fn read<T: Lockstep>(
        &self,
        mechanism: &Mechanism,
        d: &Data<T>,
        x: &mut [T],
        v: &mut [T],
    ) -> Result<(), &'static str> {
        match self.on {
            Attachment::Coordinate(coordinate) => {
                (x[0], v[0]) = mechanism.coordinate(d, coordinate.index());
            }
            Attachment::Distance(between) => {
                let between = places(between);
                let (distance, along) = line(mechanism, d, between)?;
                let [a, b] = between;
                x[0] = distance;
                v[0] = along.dot(&(mechanism.point_velocity(d, b) - mechanism.point_velocity(d, a)));
            }
            Attachment::Along { between, axis } => {
                let between = places(between);
                let (place, rate) = mechanism.relative(d, between);
                (x[0], v[0]) = (place[axis.min(2)], rate[axis.min(2)]);
            }
            Attachment::Angle(between) => {
                let between = places(between);
                let (angle, gradient) = turned(mechanism, d, between);
                x[0] = angle;
                v[0] = gradient.dot(&spin(mechanism, d, between));
            }
            Attachment::About { between, axis } => {
                let between = places(between);
                x[0] = T::of(f64::NAN);
                v[0] = mechanism.axis(d, between[0], axis.min(2)).dot(&spin(mechanism, d, between));
            }
            Attachment::Plane(between) => {
                let between = places(between);
                let (place, rate) = mechanism.relative(d, between);
                [x[0], x[1]] = [place.x, place.y];
                [v[0], v[1]] = [rate.x, rate.y];
            }
            Attachment::Point { frame, axes } => {
                x.fill(T::of(f64::NAN));
                let velocity = mechanism.point_velocity(d, frame.index());
                write(v, &in_axes(mechanism, d, axes, &velocity));
            }
            Attachment::Turn { frame, axes } => {
                x.fill(T::of(f64::NAN));
                let turn = mechanism.turn(d, frame.index());
                write(v, &in_axes(mechanism, d, axes, &turn));
            }
            Attachment::Pose(between) => {
                let between = places(between);
                let (place, rate) = mechanism.relative(d, between);
                let axes = mechanism.orientation(d, between[0]);
                let relative = axes.tr_mul(&mechanism.orientation(d, between[1]));
                write(x, &place);
                write(&mut x[3..], &rotation_vector(&relative));
                write(v, &rate);
                write(&mut v[3..], &axes.tr_mul(&spin(mechanism, d, between)));
            }
            Attachment::Ball(_) => {
                let [quaternion, rate, _] = self.ball;
                x.copy_from_slice(&d.table[quaternion..quaternion + 4]);
                v.copy_from_slice(&d.table[rate..rate + 3]);
            }
            Attachment::Bodies(_) => {}
        }
        Ok(())
    }

    /// Applies an effort, and returns what is recorded of it.
    #[inline]
    pub(crate) fn apply<T: Lockstep>(
        &self,
        mechanism: &Mechanism,
        d: &mut Data<T>,
        index: usize,
        effort: &[T],
    ) -> T {
        match self.on {
            Attachment::Coordinate(coordinate) => {
                d.effort[coordinate.index()] += effort[0];
                effort[0]
            }
            Attachment::Distance(between) => {
                let between = places(between);
                if let Ok((_, along)) = line(mechanism, d, between) {
                    mechanism.pull(d, between[0], &(along * -effort[0]));
                    mechanism.pull(d, between[1], &(along * effort[0]));
                }
                // Tension positive: it pulls the ends together.
                -effort[0]
            }
            Attachment::Along { between, axis } => {
                let between = places(between);
                let force = mechanism.axis(d, between[0], axis.min(2)) * effort[0];
                mechanism.pull_at_second(d, between, &force);
                effort[0]
            }
            Attachment::Angle(between) => {
                let between = places(between);
                let torque = turned(mechanism, d, between).1 * effort[0];
                torque_both(mechanism, d, between, &torque);
                effort[0]
            }
            Attachment::About { between, axis } => {
                let between = places(between);
                let torque = mechanism.axis(d, between[0], axis.min(2)) * effort[0];
                torque_both(mechanism, d, between, &torque);
                effort[0]
            }
            Attachment::Plane(between) => {
                let between = places(between);
                let local = Vec3::new(effort[0], effort[1], T::of(0.0));
                let force = mechanism.orientation(d, between[0]) * local;
                mechanism.pull_at_second(d, between, &force);
                d.elements.vectors[index] = local;
                -length(&local)
            }
            Attachment::Point { frame, axes } => {
                let force = from_axes(mechanism, d, axes, effort);
                mechanism.pull(d, frame.index(), &force);
                d.elements.vectors[index] = force;
                norm(&force)
            }
            Attachment::Turn { frame, axes } => {
                let torque = from_axes(mechanism, d, axes, effort);
                mechanism.torque(d, frame.index(), &torque);
                d.elements.vectors[index] = torque;
                norm(&torque)
            }
            Attachment::Pose(between) => {
                let between = places(between);
                let axes = mechanism.orientation(d, between[0]);
                let force = axes * Vec3::new(effort[0], effort[1], effort[2]);
                let torque = axes * Vec3::new(effort[3], effort[4], effort[5]);
                // The reaction acts on the first body at the point where the second origin is.
                mechanism.pull_at_second(d, between, &force);
                torque_both(mechanism, d, between, &torque);
                norm(&force)
            }
            Attachment::Ball(_) => {
                for (k, &part) in effort.iter().enumerate() {
                    d.effort[self.ball[2] + k] += part;
                }
                norm(&Vec3::new(effort[0], effort[1], effort[2]))
            }
            Attachment::Bodies(_) => T::of(0.0),
        }
    }

    /// What a joint that the element acts along takes of its effort, in ground axes: force and torque.
    pub(crate) fn wrench<T: Lockstep>(&self, mechanism: &Mechanism, d: &Data<T>, effort: T) -> [Vec3<T>; 2] {
        let none = Vec3::from_element(T::of(0.0));
        match self.on {
            Attachment::Along { between, axis } => {
                let between = places(between);
                [mechanism.axis(d, between[0], axis.min(2)) * effort, none]
            }
            Attachment::Angle([first, _]) => [none, mechanism.axis(d, first.index(), 2) * effort],
            Attachment::About { between, axis } => {
                let between = places(between);
                [none, mechanism.axis(d, between[0], axis.min(2)) * effort]
            }
            _ => [none; 2],
        }
    }
}

fn write<T: Lockstep>(slots: &mut [T], vector: &Vec3<T>) {
    slots.iter_mut().zip(vector.iter()).for_each(|(slot, &part)| *slot = part);
}

/// Length and direction of the line between two frames.
fn line<T: Lockstep>(
    mechanism: &Mechanism,
    d: &Data<T>,
    [a, b]: [usize; 2],
) -> Result<(T, Vec3<T>), &'static str> {
    let line = mechanism.point(d, b) - mechanism.point(d, a);
    let distance = norm(&line);
    // In lanes the run that this happens to goes on with what is no number.
    if distance.equals(T::of(0.0)).all() {
        return Err("its ends coincide, so its direction is undefined");
    }
    Ok((distance, line / distance))
}

/// Relative angular velocity of the second frame, ground axes.
fn spin<T: Lockstep>(mechanism: &Mechanism, d: &Data<T>, [a, b]: [usize; 2]) -> Vec3<T> {
    mechanism.turn(d, b) - mechanism.turn(d, a)
}

/// The angle of the second x axis about the first z axis, counted over turns where they are, and the vector whose product
/// with the relative angular velocity is its rate. Where the axes are parallel that is the first z axis.
fn turned<T: Lockstep>(mechanism: &Mechanism, d: &Data<T>, between: [usize; 2]) -> (T, Vec3<T>) {
    let [a, b] = between;
    let x = mechanism.axis(d, b, 0);
    let [ax, ay] = [0, 1].map(|k| mechanism.axis(d, a, k));
    let (cos, sin) = (x.dot(&ax), x.dot(&ay));
    let square = cos * cos + sin * sin;
    let within = crate::tree::forces::angle(sin, cos);
    let angle = match mechanism.counted.iter().position(|counted| counted.between == between) {
        Some(k) => within + crate::tree::forces::turns(d.turned[k], within),
        None => within,
    };
    // Along the axis of the first frame there is no angle; the turn about it is what is left.
    let gradient = choose(
        square.above(T::of(0.0)),
        || x.cross(&(ay * cos - ax * sin)) / square,
        || mechanism.axis(d, a, 2),
    );
    (angle, gradient)
}

/// One of two vectors, by the mask.
fn choose<T: Lockstep>(
    mask: T::Mask,
    yes: impl FnOnce() -> Vec3<T>,
    no: impl FnOnce() -> Vec3<T>,
) -> Vec3<T> {
    let parts = |vector: Vec3<T>| [vector.x, vector.y, vector.z];
    Vec3::from(T::either(mask, || parts(yes()), || parts(no())))
}

/// A rotation whose rotation vector is wanted.
struct Turned<'a, T>(&'a Mat3<T>);

impl<T: Lockstep> Job<T> for Turned<'_, T> {
    type Out = Vec3<T>;

    fn single(self) -> Vec3<T>
    where
        T: Real,
    {
        to_rotation_vector(self.0).parameters
    }

    fn lanes(self) -> Vec3<T> {
        let mut out = Vec3::from_element(T::of(0.0));
        for k in 0..T::WIDTH {
            let vector = to_rotation_vector(&self.0.map(|entry| entry.lane(k))).parameters;
            out.iter_mut().zip(&vector).for_each(|(slot, &part)| slot.set_lane(k, part));
        }
        out
    }
}

/// The rotation vector of a matrix on any scalar.
fn rotation_vector<T: Lockstep>(rotation: &Mat3<T>) -> Vec3<T> {
    T::run(Turned(rotation))
}

fn torque_both<T: Lockstep>(mechanism: &Mechanism, d: &mut Data<T>, [a, b]: [usize; 2], torque: &Vec3<T>) {
    mechanism.torque(d, a, &-torque);
    mechanism.torque(d, b, torque);
}

/// Components of a ground vector in the axes of a frame.
fn in_axes<T: Lockstep>(
    mechanism: &Mechanism,
    d: &Data<T>,
    axes: Option<FrameId>,
    vector: &Vec3<T>,
) -> Vec3<T> {
    match axes {
        Some(frame) => mechanism.orientation(d, frame.index()).tr_mul(vector),
        None => *vector,
    }
}

/// A vector in ground axes, from its components in those of a frame.
fn from_axes<T: Lockstep>(mechanism: &Mechanism, d: &Data<T>, axes: Option<FrameId>, parts: &[T]) -> Vec3<T> {
    let local = Vec3::new(parts[0], parts[1], parts[2]);
    match axes {
        Some(frame) => {
            let axes: Mat3<T> = mechanism.orientation(d, frame.index());
            axes * local
        }
        None => local,
    }
}

/// A fault of an attachment, with the name of its element.
pub(crate) fn refused(element: &str, reason: &str) -> Fault {
    Fault::Refused { element: element.into(), reason: reason.into() }
}
