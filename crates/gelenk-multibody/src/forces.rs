//! Forces and torques on frames, bushings, and measures between frames.

use std::f64::consts::TAU;

use gelenk_laws::stop::Stop;
use gelenk_math::Real;
use gelenk_math::expression::Program;
use gelenk_math::rotation::{rotation_vector_rate_map_inverse, to_rotation_vector};
use gelenk_math::spatial::{Mat3, Vec3, Wrench};
use gelenk_system::Param;

use crate::blueprint::Measure;
use crate::data::Data;
use crate::mechanism::{ElementInfo, ElementRun, Mechanism};

impl Mechanism {
    /// A vector given by components in the axes of a frame, in ground axes.
    pub(crate) fn given_vector<T: Real>(
        &self,
        d: &mut Data<T>,
        axes: Option<usize>,
        components: &[Program; 3],
    ) -> Vec3<T> {
        let [x, y, z] = [0, 1, 2].map(|k| components[k].eval(&d.table, &mut d.scratch));
        let local = Vec3::new(x, y, z);
        match axes {
            Some(frame) => self.orientation(d, frame) * local,
            None => local,
        }
    }

    /// Applies a torque (ground frame) on a frame's body.
    pub(crate) fn twist<T: Real>(&self, d: &mut Data<T>, frame: usize, torque: &Vec3<T>) {
        if let Some(link) = self.frames[frame].link {
            let local = d.links[link].world.rotation.tr_mul(torque);
            d.links[link].applied += Wrench::new(local, Vec3::from_element(T::c(0.0)));
        }
    }

    /// Angular velocity of a frame's body in the ground frame.
    pub(crate) fn turn<T: Real>(&self, d: &Data<T>, frame: usize) -> Vec3<T> {
        match self.frames[frame].link {
            Some(link) => d.links[link].world.rotation * d.links[link].velocity.ang,
            None => Vec3::from_element(T::c(0.0)),
        }
    }

    /// Orientation of a frame in the ground frame.
    pub(crate) fn orientation<T: Real>(&self, d: &Data<T>, frame: usize) -> Mat3<T> {
        match self.frames[frame].link {
            Some(link) => d.links[link].world.rotation * d.frames[frame].rotation,
            None => d.frames[frame].rotation,
        }
    }

    /// Position and velocity of the second frame in the first one, as the first one's observer sees them.
    pub(crate) fn relative<T: Real>(&self, d: &Data<T>, [a, b]: [usize; 2]) -> (Vec3<T>, Vec3<T>) {
        let axes = self.orientation(d, a);
        let line = self.point(d, b) - self.point(d, a);
        let rate = self.point_velocity(d, b) - self.point_velocity(d, a) - self.turn(d, a).cross(&line);
        (axes.tr_mul(&line), axes.tr_mul(&rate))
    }

    /// Value of a measure.
    pub(crate) fn measure<T: Real>(&self, d: &Data<T>, between: [usize; 2], measure: Measure) -> T {
        let [a, b] = between;
        match measure {
            Measure::Distance => (self.point(d, b) - self.point(d, a)).norm(),
            Measure::DistanceRate => {
                let line = self.point(d, b) - self.point(d, a);
                let rate = self.point_velocity(d, b) - self.point_velocity(d, a);
                line.dot(&rate) / line.norm()
            }
            Measure::Position(axis) => self.relative(d, between).0[axis.min(2)],
            Measure::PositionRate(axis) => self.relative(d, between).1[axis.min(2)],
            Measure::Angle => {
                let x = self.axis(d, b, 0);
                let (sin, cos) = (x.dot(&self.axis(d, a, 1)), x.dot(&self.axis(d, a, 0)));
                angle(sin, cos)
            }
            Measure::Counted(_) => {
                let angle = self.measure(d, between, Measure::Angle);
                match self.counted.iter().position(|counted| counted.between == between) {
                    Some(k) => angle + T::c(TAU * ((d.turned[k] - angle.re()) / TAU).round()),
                    None => angle,
                }
            }
            Measure::AngleRate => {
                // The derivative of the angle above: what the x axis of the second frame does in the axes of the first.
                let (x, turn) = (self.axis(d, b, 0), self.turn(d, b) - self.turn(d, a));
                let moved = turn.cross(&x);
                let [cos, sin] = [0, 1].map(|k| self.axis(d, a, k).dot(&x));
                let [cos_rate, sin_rate] = [0, 1].map(|k| self.axis(d, a, k).dot(&moved));
                let square = cos * cos + sin * sin;
                if square.re() > 0.0 {
                    (cos * sin_rate - sin * cos_rate) / square
                } else {
                    // Along the axis of the first frame there is no angle; the turn about it is what is left.
                    self.axis(d, a, 2).dot(&turn)
                }
            }
        }
    }

    /// Takes the angles that are counted over turns from the memory.
    #[inline]
    pub(crate) fn load_turns<T: Real>(&self, d: &mut Data<T>, m: &[f64]) {
        for (turned, counted) in d.turned.iter_mut().zip(&self.counted) {
            *turned = m[counted.place];
        }
    }

    /// Notes the angles that are counted over turns at an accepted state.
    pub(crate) fn count_turns(&self, d: &mut Data<f64>, t: f64, x: &[f64], m: &mut [f64]) {
        if self.counted.is_empty() {
            return;
        }
        d.load(self, t, &x[self.layout.q()], &x[self.layout.v()]);
        self.kinematics(d);
        self.load_turns(d, m);
        for counted in &self.counted {
            m[counted.place] = self.measure(d, counted.between, Measure::Counted(counted.start));
        }
    }

    /// Elastic and damping effort of a spring between frames, its energy (J), and the rate that they work along.
    pub(crate) fn frame_spring<T: Real>(&self, d: &Data<T>, element: &ElementInfo) -> ([T; 2], T, T) {
        let none = T::c(0.0);
        let ElementRun::FrameSpring { between, along, stiffness, damping, rest, power } = &element.kind
        else {
            return ([none; 2], none, none);
        };
        let measures = match along {
            Some(axis) => [Measure::Position(*axis), Measure::PositionRate(*axis)],
            // Counted over turns where the coordinate is.
            None => {
                let counted = self.counted.iter().find(|counted| counted.between == *between);
                [counted.map_or(Measure::Angle, |c| Measure::Counted(c.start)), Measure::AngleRate]
            }
        };
        let [place, rate] = measures.map(|measure| self.measure(d, *between, measure));
        let stretch = place - d.param(self, *rest);
        let (stiffness, damping) = (d.param(self, *stiffness), d.param(self, *damping));
        let Some([exponent, depth]) = power.map(|params| params.map(|param| d.param(self, param))) else {
            let energy = stiffness * stretch * stretch * T::c(0.5);
            return ([-stiffness * stretch, -damping * rate], energy, rate);
        };
        let side = T::c(if stretch.re() < 0.0 { -1.0 } else { 1.0 });
        let law = Stop { stiffness, exponent, damping, depth, clamp: false };
        let efforts = law.in_contact(stretch * side, rate * side).map(|effort| -effort * side);
        (efforts, law.stored(stretch * side), rate)
    }

    /// Applies an effort along an axis of the first frame at the second origin, or about its z axis, to the second body
    /// and opposite to the first one.
    pub(crate) fn act_between<T: Real>(
        &self,
        d: &mut Data<T>,
        [a, b]: [usize; 2],
        along: Option<usize>,
        effort: T,
    ) {
        let Some(axis) = along else {
            let torque = self.axis(d, a, 2) * effort;
            self.twist(d, a, &-torque);
            return self.twist(d, b, &torque);
        };
        let force = self.axis(d, a, axis.min(2)) * effort;
        let arm = self.point(d, b) - self.point(d, a);
        self.pull(d, b, &force);
        self.pull(d, a, &-force);
        self.twist(d, a, &-arm.cross(&force));
    }

    /// Applies a bushing; returns the power of its springs, of its dampers, and the magnitude of its force.
    pub(crate) fn bushing<T: Real>(
        &self,
        d: &mut Data<T>,
        between: [usize; 2],
        stiffness: &[[Param; 3]; 2],
        damping: &[[Param; 3]; 2],
    ) -> (T, T, T) {
        let [a, b] = between;
        let axes = self.orientation(d, a);
        let (line, rate) = self.relative(d, between);
        let relative = axes.tr_mul(&self.orientation(d, b));
        let turn = axes.tr_mul(&(self.turn(d, b) - self.turn(d, a)));
        let rotation = to_rotation_vector(&relative).parameters;
        let each = |params: &[Param; 3], x: &Vec3<T>| Vec3::from_fn(|k, _| -d.param(self, params[k]) * x[k]);
        let (spring, damper) = (each(&stiffness[0], &line), each(&damping[0], &rate));
        // Torque as the gradient of the potential: the transposed inverse of w = G dphi/dt. At a full turn the map is
        // singular, where the plain torque is as good as any.
        let plain = each(&stiffness[1], &rotation);
        let torsion = match rotation_vector_rate_map_inverse(&rotation) {
            Ok(inverse) => inverse.tr_mul(&plain),
            Err(_) => plain,
        };
        let turning = each(&damping[1], &turn);
        let force = axes * (spring + damper);
        let torque = axes * (torsion + turning);
        // The reaction acts on the first body at the point where the second origin is.
        let arm = self.point(d, b) - self.point(d, a);
        self.pull(d, b, &force);
        self.pull(d, a, &-force);
        self.twist(d, b, &torque);
        self.twist(d, a, &-(torque + arm.cross(&force)));
        (spring.dot(&rate) + torsion.dot(&turn), damper.dot(&rate) + turning.dot(&turn), force.norm())
    }

    /// Energy held by the springs of a bushing.
    pub(crate) fn bushing_energy<T: Real>(
        &self,
        d: &Data<T>,
        between: [usize; 2],
        stiffness: &[[Param; 3]; 2],
    ) -> T {
        let (line, _) = self.relative(d, between);
        let [a, b] = between;
        let relative = self.orientation(d, a).tr_mul(&self.orientation(d, b));
        let rotation = to_rotation_vector(&relative).parameters;
        let mut energy = T::c(0.0);
        for k in 0..3 {
            energy += d.param(self, stiffness[0][k]) * line[k] * line[k] * T::c(0.5);
            energy += d.param(self, stiffness[1][k]) * rotation[k] * rotation[k] * T::c(0.5);
        }
        energy
    }
}

/// The angle with this sine and cosine, for any scalar: `d angle = (cos d sin - sin d cos)/(sin^2 + cos^2)`. One Newton
/// step from the value carries the derivatives, also where a quotient would vanish.
pub(crate) fn angle<T: Real>(sin: T, cos: T) -> T {
    let value = sin.re().atan2(cos.re());
    let (s, c) = (T::c(value.sin()), T::c(value.cos()));
    T::c(value) + (sin * c - cos * s) / (cos * c + sin * s)
}
