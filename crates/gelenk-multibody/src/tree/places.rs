//! Motion of frames, bodies and points fixed on bodies.
//!
//! Positions, velocities and accelerations are seen from the ground, in ground axes; they belong to the origin of the
//! place. The acceleration is the second rate of the position, without gravity.

use gelenk_math::Real;
use gelenk_math::spatial::{Motion, Pose, Vec3};
use gelenk_system::Fault;

use crate::data::Data;
use crate::mechanism::Mechanism;

/// A point with axes, fixed on a body or on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    link: Option<usize>,
    frame: Option<usize>,
    offset: [f64; 3],
}

impl Place {
    /// The ground frame.
    pub const GROUND: Self = Self { link: None, frame: None, offset: [0.0; 3] };

    /// The own frame of the body on a link.
    pub(crate) fn body(link: usize) -> Self {
        Self { link: Some(link), ..Self::GROUND }
    }

    /// The link it is fixed on; `None` is the ground.
    pub(crate) fn link(&self) -> Option<usize> {
        self.link
    }

    /// The point at `offset` (m) in the axes of this place, with the same axes.
    pub fn at(self, offset: [f64; 3]) -> Self {
        let sum = [0, 1, 2].map(|k| self.offset[k] + offset[k]);
        Self { offset: sum, ..self }
    }
}

/// How a place moves, in ground axes.
#[derive(Clone, Copy, Debug)]
pub struct PlaceMotion<T: Real> {
    /// Pose in the ground frame (m).
    pub pose: Pose<T>,
    /// Angular velocity (rad/s) and velocity of the origin (m/s).
    pub velocity: Motion<T>,
    /// Angular acceleration (rad/s^2) and acceleration of the origin (m/s^2).
    pub acceleration: Motion<T>,
}

impl Mechanism {
    /// The frame of this name, or else the own frame of the body of this name; `ground` is the ground.
    pub fn place(&self, name: &str) -> Option<Place> {
        if let Some(frame) = self.frames.iter().position(|f| f.name == name) {
            return Some(Place { link: self.frames[frame].link, frame: Some(frame), offset: [0.0; 3] });
        }
        if name == "ground" {
            return Some(Place::GROUND);
        }
        let link = self.links.iter().position(|l| l.inertia.is_some() && l.body == name)?;
        Some(Place::body(link))
    }

    /// The link of a body whose own frame a place is.
    pub(crate) fn joint_of(&self, place: &Place) -> Option<usize> {
        let link = place.link.filter(|_| place.offset == [0.0; 3])?;
        match place.frame {
            None => Some(link),
            // A frame that an element named by its body.
            Some(frame) => (self.frames[frame].name == self.links[link].body).then_some(link),
        }
    }

    /// Names of the bodies, in the order of the tree.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.links.iter().filter(|link| link.inertia.is_some()).map(|link| link.body.as_str())
    }

    /// Names of the frames, in the order of the model.
    pub fn frame_names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().map(|frame| frame.name.as_str())
    }

    /// Takes over positions and velocities at time `t` (s) with all `dv/dt = 0`: poses, velocities and Jacobians can be
    /// asked for, and accelerations are the bias accelerations, the part that is quadratic in the velocities.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn set_state<T: Real>(&self, d: &mut Data<T>, t: T, q: &[T], v: &[T]) -> Result<(), Fault> {
        self.lengths(&[("q", q.len(), self.layout.nq), ("v", v.len(), self.layout.nv)])?;
        d.load_origin(self, t, q, v);
        self.kinematics(d);
        Ok(())
    }

    /// The same with the accelerations `a`.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn set_motion<T: Real>(&self, d: &mut Data<T>, t: T, q: &[T], v: &[T], a: &[T]) -> Result<(), Fault> {
        self.lengths(&[("a", a.len(), self.layout.nv)])?;
        self.set_state(d, t, q, v)?;
        self.spread_accelerations(d, a);
        Ok(())
    }

    /// Motion of a place in the state that was taken over last.
    pub fn motion_of<T: Real>(&self, d: &Data<T>, place: &Place) -> PlaceMotion<T> {
        let local = self.local(d, place);
        let Some(link) = place.link else {
            return PlaceMotion { pose: local, velocity: Motion::zero(), acceleration: Motion::zero() };
        };
        let data = &d.links[link];
        let r = &data.world.rotation;
        let arm = &local.position;
        let (w, dw) = (data.velocity.ang, data.acceleration.ang);
        let velocity = data.velocity.lin + w.cross(arm);
        let rate = data.acceleration.lin + dw.cross(arm) + w.cross(&velocity);
        PlaceMotion {
            pose: data.world * local,
            velocity: Motion::new(r * w, r * velocity),
            // The ground's upward acceleration stands for gravity in the recursion.
            acceleration: Motion::new(r * dw, r * rate + d.gravity),
        }
    }

    /// Pose of a place in the ground frame.
    pub fn pose_of<T: Real>(&self, d: &Data<T>, place: &Place) -> Pose<T> {
        let local = self.local(d, place);
        place.link.map_or(local, |link| d.links[link].world * local)
    }

    /// Jacobian of a place, each half `3 x nv` row by row, in ground axes: velocity of the origin `= linear v`, angular
    /// velocity `= angular v`, up to what explicit functions of time add.
    ///
    /// # Errors
    /// A slice has the wrong length.
    pub fn jacobian_of<T: Real>(
        &self,
        d: &Data<T>,
        place: &Place,
        linear: &mut [T],
        angular: &mut [T],
    ) -> Result<(), Fault> {
        let nv = self.layout.nv;
        self.lengths(&[("linear", linear.len(), 3 * nv), ("angular", angular.len(), 3 * nv)])?;
        linear.fill(T::c(0.0));
        angular.fill(T::c(0.0));
        let point = self.pose_of(d, place).position;
        self.each_freedom(d, place, |column, unit| {
            // About the ground origin, then carried to the point.
            let shift = unit.lin + unit.ang.cross(&point);
            for axis in 0..3 {
                linear[axis * nv + column] += shift[axis];
                angular[axis * nv + column] += unit.ang[axis];
            }
        });
        Ok(())
    }

    /// Calls `f` with the velocities that move a place: each with the motion of the place's body for one unit of it, about
    /// the ground origin.
    pub(crate) fn each_freedom<T: Real>(
        &self,
        d: &Data<T>,
        place: &Place,
        mut f: impl FnMut(usize, Motion<T>),
    ) {
        let mut link = place.link;
        while let Some(i) = link {
            for dof in self.links[i].dofs.clone() {
                let unit = d.links[i].world.motion_out(&self.freedom(d, i, dof));
                for k in self.rows[dof].clone() {
                    f(self.columns[k], Motion::new(unit.ang * d.f[k], unit.lin * d.f[k]));
                }
            }
            link = self.links[i].parent;
        }
    }

    /// Accelerations of all links under `dv/dt = a`, after [`Self::kinematics`].
    pub(crate) fn spread_accelerations<T: Real>(&self, d: &mut Data<T>, a: &[T]) {
        self.tree_accelerations(d, a);
        self.motions(d);
        self.ground_view(d);
    }

    /// Pose of a place on its link.
    pub(crate) fn local<T: Real>(&self, d: &Data<T>, place: &Place) -> Pose<T> {
        let frame = place.frame.map_or(Pose::identity(), |frame| d.frames[frame]);
        let [x, y, z] = place.offset.map(T::c);
        Pose::new(frame.rotation, frame.point(&Vec3::new(x, y, z)))
    }
}
