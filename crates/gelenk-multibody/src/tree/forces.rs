//! Forces and torques on frames, and measures between frames.

use std::f64::consts::{PI, TAU};

use gelenk_math::rotation::to_rotation_vector;
use gelenk_math::spatial::{Mat3, Vec3, Wrench, norm};
use gelenk_math::{Formula, Lockstep, Real, each};
use gelenk_system::Fault;

use crate::blueprint::Measure;
use crate::data::Data;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Applies a torque (ground frame) on a frame's body.
    pub(crate) fn torque<T: Lockstep>(&self, d: &mut Data<T>, frame: usize, torque: &Vec3<T>) {
        if let Some(link) = self.frames[frame].link {
            let local = d.links[link].world.rotation.tr_mul(torque);
            d.links[link].applied += Wrench::new(local, Vec3::from_element(T::of(0.0)));
        }
    }

    /// Angular velocity of a frame's body in the ground frame.
    pub(crate) fn turn<T: Lockstep>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => d.links[link].world.rotation * d.links[link].velocity.ang,
            None => Vec3::from_element(T::of(0.0)),
        }
    }

    /// Orientation of a frame in the ground frame.
    pub(crate) fn orientation<T: Lockstep>(&self, d: &Data<T>, frame: usize) -> Mat3<T> {
        match self.frames[frame].link {
            Some(link) => d.links[link].world.rotation * d.frames[frame].rotation,
            None => d.frames[frame].rotation,
        }
    }

    /// Position and velocity of the second frame in the first one, as the first one's observer sees them.
    pub(crate) fn relative<T: Lockstep>(&self, d: &Data<T>, [a, b]: [usize; 2]) -> (Vec3<T>, Vec3<T>) {
        let axes = self.orientation(d, a);
        let line = self.point(d, b) - self.point(d, a);
        let rate = self.point_velocity(d, b) - self.point_velocity(d, a) - self.turn(d, a).cross(&line);
        (axes.tr_mul(&line), axes.tr_mul(&rate))
    }

    /// Value of a measure.
    pub(crate) fn measure<T: Lockstep>(&self, d: &Data<T>, between: [usize; 2], measure: Measure) -> T {
        let [a, b] = between;
        match measure {
            Measure::Distance => norm(&(self.point(d, b) - self.point(d, a))),
            Measure::DistanceRate => {
                let line = self.point(d, b) - self.point(d, a);
                let rate = self.point_velocity(d, b) - self.point_velocity(d, a);
                line.dot(&rate) / norm(&line)
            }
            Measure::Position(axis) => self.relative(d, between).0[axis.min(2)],
            Measure::PositionRate(axis) => self.relative(d, between).1[axis.min(2)],
            Measure::Angle => {
                let x = self.axis(d, b, 0);
                let (sin, cos) = (x.dot(&self.axis(d, a, 1)), x.dot(&self.axis(d, a, 0)));
                angle(sin, cos)
            }
            Measure::Counted(_) => self.counted_angle(d, between),
            Measure::AngleRate => {
                // The derivative of the angle above: what the x axis of the second frame does in the axes of the first.
                let (x, turn) = (self.axis(d, b, 0), self.turn(d, b) - self.turn(d, a));
                let moved = turn.cross(&x);
                let [cos, sin] = [0, 1].map(|k| self.axis(d, a, k).dot(&x));
                let [cos_rate, sin_rate] = [0, 1].map(|k| self.axis(d, a, k).dot(&moved));
                let square = cos * cos + sin * sin;
                T::either(
                    square.above(T::of(0.0)),
                    || (cos * sin_rate - sin * cos_rate) / square,
                    // Along the axis of the first frame there is no angle; the turn about it is what is left.
                    || self.axis(d, a, 2).dot(&turn),
                )
            }
        }
    }

    /// The angle of the second x axis about the first z axis, counted over turns where it is.
    fn counted_angle<T: Lockstep>(&self, d: &Data<T>, between: [usize; 2]) -> T {
        let angle = self.measure(d, between, Measure::Angle);
        match self.counted.iter().position(|counted| counted.between == between) {
            Some(k) => angle + turns(d.turned[k], angle),
            None => angle,
        }
    }

    /// Takes the angles that are counted over turns from the memory.
    #[inline]
    pub(crate) fn load_turns<T: Lockstep>(&self, d: &mut Data<T>, m: &[T::Plain]) {
        for (turned, counted) in d.turned.iter_mut().zip(&self.counted) {
            *turned = m[counted.place];
        }
    }

    /// Notes the angles that are counted over turns, and the rotation vectors that elements act on, at an accepted state.
    ///
    /// # Errors
    /// A rotation vector that has passed half a turn, behind which it would count from the other side.
    pub(crate) fn count_turns(
        &self,
        d: &mut Data<f64>,
        t: f64,
        x: &[f64],
        m: &mut [f64],
    ) -> Result<(), Fault> {
        if self.counted.is_empty() && self.elements.bent().is_empty() {
            return Ok(());
        }
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.load_turns(d, m);
        for counted in &self.counted {
            m[counted.place] = self.counted_angle(d, counted.between);
        }
        for bent in self.elements.bent() {
            let [a, b] = bent.between.map(|frame| self.orientation(d, frame));
            let now = to_rotation_vector(&a.tr_mul(&b)).parameters;
            let slots = &mut m[bent.place..bent.place + 3];
            let last = Vec3::new(slots[0], slots[1], slots[2]);
            if now.dot(&last) < 0.0 && now.norm() + last.norm() > PI {
                return Err(Fault::Refused {
                    element: bent.element.clone(),
                    reason: format!(
                        "its frames are rotated by more than half a revolution relative to each other at t = {t} s, \
                         where the torque of a bushing is not defined; use a joint for the rotation, with a spring \
                         on its coordinate"
                    ),
                });
            }
            slots.copy_from_slice(now.as_slice());
        }
        Ok(())
    }
}

/// The angle with this sine and cosine, for any scalar: `d angle = (cos d sin - sin d cos)/(sin^2 + cos^2)`. One Newton
/// step from the value carries the derivatives, also where a quotient would vanish.
pub(crate) fn angle<T: Lockstep>(sin: T, cos: T) -> T {
    each(&Angle, [sin, cos])
}

/// The angle of one run.
struct Angle;

impl Formula<2> for Angle {
    #[inline]
    fn eval<T: Real>(&self, [sin, cos]: [T; 2]) -> T {
        let value = sin.re().atan2(cos.re());
        let (s, c) = (T::c(value.sin()), T::c(value.cos()));
        T::c(value) + (sin * c - cos * s) / (cos * c + sin * s)
    }
}

/// Whole turns (rad) that bring an angle next to where it was last.
pub(crate) fn turns<T: Lockstep>(last: T::Plain, angle: T) -> T {
    let turn = T::Plain::of(TAU);
    T::fixed(turn * ((last - angle.plain()) / turn).round())
}
