//! The workspace of one thread.

use std::ops::Range;

use gelenk_math::rotation::{about_axis, cardan};
use gelenk_math::spatial::{Inertia, Mat3, Motion, Pose, Vec3, Wrench, norm, skew};
use gelenk_math::{Lockstep, Real};
use gelenk_system::Param;

use crate::elements::{ContactWork, ElementData};
use crate::loops::LoopData;
use crate::mechanism::{Axis, LinkKind, MassInfo, Mechanism, Shift, Source};
use crate::signals::SignalData;
use crate::tree::aba::Articulated;
use crate::tree::free::Numbers;
use crate::tree::moments::{Field, Moments};

/// Bound parameters and everything that an evaluation computes, reused from call to call.
#[derive(Clone, Debug)]
pub struct Data<T: Lockstep> {
    /// `[t, q, v, p, signals]`: what expressions read.
    pub(crate) table: Vec<T>,
    /// `[q, v]` of the state that was loaded last, and whether it was a state.
    pub(crate) state: Vec<T>,
    pub(crate) numbers: Numbers,
    pub(crate) scratch: Vec<T>,
    pub(crate) gravity: Vec3<T>,
    /// Rotor inertia of each coordinate.
    pub(crate) rotors: Vec<T>,
    pub(crate) links: Vec<LinkData<T>>,
    pub(crate) columns: Columns<T>,
    /// Poses of the frames on their links.
    pub(crate) frames: Vec<Pose<T>>,
    /// Joint scalars; those of ball and free joints are in the table.
    pub(crate) s: Vec<T>,
    /// Tree velocities, their bias accelerations, and their explicit time rates.
    pub(crate) u: Vec<T>,
    pub(crate) bias: Vec<T>,
    pub(crate) eta: Vec<T>,
    /// Tree accelerations.
    pub(crate) du: Vec<T>,
    /// Entries of `F`.
    pub(crate) f: Vec<T>,
    /// Mass matrix over tree velocities, `nu x nu`; empty until it is first asked for.
    pub(crate) tree_mass: Vec<T>,
    /// Mass matrix over `v`, `nv x nv`, factored in place by the solve; empty where articulated bodies take its place.
    pub(crate) mass: Vec<T>,
    /// Bias efforts over tree velocities.
    pub(crate) tree_effort: Vec<T>,
    /// Applied minus bias efforts over `v`.
    pub(crate) effort: Vec<T>,
    /// Solution: accelerations.
    pub(crate) acceleration: Vec<T>,
    pub(crate) q1: Vec<T>,
    pub(crate) dv: Vec<T>,
    pub(crate) q_ref: Vec<T>,
    pub(crate) dx: Vec<T>,
    /// Angles that are counted over turns, at the last accepted state.
    pub(crate) turned: Vec<T::Plain>,
    pub(crate) loops: LoopData<T>,
    pub(crate) elements: ElementData<T>,
    pub(crate) signals: SignalData<T>,
}

/// What an evaluation knows of a link. Spatial quantities are in the link's frame at its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkData<T: Lockstep> {
    /// Pose of the joint frame in the parent frame.
    pub(crate) placement: Pose<T>,
    pub(crate) axis: Vec3<T>,
    /// Rotor inertia of the coordinate that moves the joint.
    pub(crate) rotor: T,
    /// Rotation of a revolute joint, placement included.
    pub(crate) turning: Turning<T>,
    /// Axis of a prismatic joint in the parent frame.
    pub(crate) slide: Vec3<T>,
    pub(crate) inertia: Inertia<T>,
    pub(crate) moments: Moments<T>,
    /// Centre of mass of a free joint's child and of what is fixed on it.
    pub(crate) centre: Vec3<T>,
    /// Orientation of a ball or free joint's child in the joint frame.
    pub(crate) turn: Mat3<T>,
    /// Pose in the parent frame.
    pub(crate) pose: Pose<T>,
    /// Pose in the ground frame.
    pub(crate) world: Pose<T>,
    pub(crate) velocity: Motion<T>,
    /// Acceleration with all `dv/dt = 0`, gravity as an upward acceleration of the ground.
    pub(crate) acceleration: Motion<T>,
    /// The same accelerations by place.
    pub(crate) field: Field<T>,
    /// Applied wrench, then the wrench through the joint.
    pub(crate) applied: Wrench<T>,
    pub(crate) wrench: Wrench<T>,
    /// Mass of the link and all links that it carries.
    pub(crate) composite: Moments<T>,
    /// The same with joints that give way, and the wrench that it needs for its accelerations.
    pub(crate) articulated: Articulated<T>,
    pub(crate) needed: Wrench<T>,
    /// Acceleration of the joint's freedom that the parent's acceleration takes away, of a joint with one freedom.
    pub(crate) gain: Wrench<T>,
    /// Its acceleration by a unit effort.
    pub(crate) compliance: T,
    /// The same of a ball joint for the parent's linear acceleration; for the angular one it is the identity.
    pub(crate) ball_gain: Mat3<T>,
    /// Acceleration beyond the one with all tree accelerations at their bias.
    pub(crate) response: Motion<T>,
}

/// One momentum for every tree velocity, those of a link and of all that it carries beside each other.
#[derive(Clone, Debug)]
pub(crate) struct Columns<T: Lockstep> {
    pub(crate) momenta: Vec<Wrench<T>>,
    /// Tree velocity of each column, and the first velocity that it depends on.
    pub(crate) dofs: Vec<usize>,
    pub(crate) velocities: Vec<usize>,
    /// Columns of each link, its own first.
    pub(crate) spans: Vec<Range<usize>>,
}

impl<T: Lockstep> Columns<T> {
    fn new(mechanism: &Mechanism) -> Self {
        let links = &mechanism.links;
        // Parents stand before their children: sizes are summed towards the ground, places given from there.
        let mut sizes: Vec<usize> = links.iter().map(|link| link.dofs.len()).collect();
        for (i, link) in links.iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                sizes[parent] += sizes[i];
            }
        }
        let mut dofs = vec![0; mechanism.nu];
        let mut spans = Vec::with_capacity(links.len());
        // First free column under each link, and on the ground.
        let mut free = vec![0; links.len()];
        let mut ground = 0;
        for (i, link) in links.iter().enumerate() {
            let next = link.parent.map_or(&mut ground, |parent| &mut free[parent]);
            let start = *next;
            *next += sizes[i];
            spans.push(start..start + sizes[i]);
            free[i] = start + link.dofs.len();
            for (column, dof) in dofs[start..].iter_mut().zip(link.dofs.clone()) {
                *column = dof;
            }
        }
        let first = |&dof: &usize| mechanism.rows[dof].clone().next().map_or(0, |k| mechanism.columns[k]);
        let velocities = dofs.iter().map(first).collect();
        Self { momenta: vec![Wrench::zero(); mechanism.nu], dofs, velocities, spans }
    }
}

/// Rotations by an angle about a fixed axis: `still` and the matrices that its sine and cosine multiply, from the
/// formula of Rodrigues. For any axis it costs little more than a plane rotation, and its derivatives are right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turning<T> {
    still: Mat3<T>,
    sin: Mat3<T>,
    cos: Mat3<T>,
}

impl<T: Lockstep> Turning<T> {
    /// `placement` times the rotations about the unit vector `axis`.
    fn new(placement: &Mat3<T>, axis: &Vec3<T>) -> Self {
        let still = placement * axis * axis.transpose();
        Self { still, sin: placement * skew(axis), cos: placement - still }
    }

    #[inline]
    pub(crate) fn at(&self, sin: T, cos: T) -> Mat3<T> {
        self.still + self.sin * sin + self.cos * cos
    }
}

impl<T: Real> Data<T> {
    /// Time of the loaded instant (s).
    pub fn time(&self) -> f64 {
        self.table[0].re()
    }

    pub(crate) fn new(mechanism: &Mechanism) -> Self {
        let mut data = Self::with(mechanism, mechanism.contact_work());
        let p: Vec<T> = mechanism.parameters.values().into_iter().map(T::c).collect();
        data.elements.bind_contacts(&p);
        data
    }

    /// Takes over a resolved parameter vector and what follows from it alone.
    pub(crate) fn bind(&mut self, mechanism: &Mechanism, p: &[T]) {
        self.bind_all(mechanism, p);
        self.elements.bind_contacts(p);
    }
}

impl<T: Lockstep> Data<T> {
    /// A workspace with these workspaces of contacts.
    pub(crate) fn with(mechanism: &Mechanism, contacts: Vec<ContactWork<T>>) -> Self {
        let zero = T::of(0.0);
        let layout = mechanism.layout;
        let (nu, nv) = (mechanism.nu, layout.nv);
        let vector = |n: usize| vec![zero; n];
        let dense = |n: usize| vector(if mechanism.articulated { 0 } else { n });
        let link = LinkData {
            placement: Pose::identity(),
            axis: Vec3::from_element(zero),
            rotor: zero,
            turning: Turning::new(&Mat3::identity(), &Vec3::from_element(zero)),
            slide: Vec3::from_element(zero),
            inertia: Inertia::zero(),
            moments: Moments::new(&Inertia::zero()),
            centre: Vec3::from_element(zero),
            turn: Mat3::identity(),
            pose: Pose::identity(),
            world: Pose::identity(),
            velocity: Motion::zero(),
            acceleration: Motion::zero(),
            field: Field { origin: Vec3::from_element(zero), gradient: Mat3::from_element(zero) },
            applied: Wrench::zero(),
            wrench: Wrench::zero(),
            composite: Moments::new(&Inertia::zero()),
            articulated: Articulated::zero(),
            needed: Wrench::zero(),
            gain: Wrench::zero(),
            compliance: zero,
            ball_gain: Mat3::from_element(zero),
            response: Motion::zero(),
        };
        let mut data = Self {
            table: vector(mechanism.table.len),
            state: vector(layout.nq + nv),
            numbers: Numbers::Origin,
            scratch: vector(mechanism.scratch),
            gravity: Vec3::from_element(zero),
            rotors: vector(mechanism.coordinates.len()),
            links: vec![link; mechanism.links.len()],
            columns: Columns::new(mechanism),
            frames: vec![Pose::identity(); mechanism.frames.len()],
            s: vector(nu),
            u: vector(nu),
            bias: vector(nu),
            eta: vector(nu),
            du: vector(nu),
            // Entries of functions are written when they are evaluated; all others stay one.
            f: vec![T::of(1.0); mechanism.columns.len()],
            tree_mass: dense(nu * nu),
            mass: dense(nv * nv),
            tree_effort: vector(nu),
            effort: vector(nv),
            acceleration: vector(nv),
            q1: vector(layout.nq),
            dv: vector(nv),
            q_ref: vector(layout.nq),
            dx: vector(layout.nx()),
            turned: vec![T::Plain::of(0.0); mechanism.counted.len()],
            loops: LoopData::new(mechanism),
            elements: ElementData::new(mechanism, contacts),
            signals: SignalData::new(mechanism),
        };
        let p: Vec<T> = mechanism.parameters.values().into_iter().map(T::of).collect();
        data.bind_all(mechanism, &p);
        data
    }

    /// [`Self::bind`] but for the contacts.
    pub(crate) fn bind_all(&mut self, mechanism: &Mechanism, p: &[T]) {
        let start = mechanism.table.p;
        self.table[start..start + p.len()].copy_from_slice(p);
        let vec3 = |params: &[Param; 3]| Vec3::new(params[0].of(p), params[1].of(p), params[2].of(p));
        self.gravity = vec3(&mechanism.gravity);
        for (slot, coordinate) in self.rotors.iter_mut().zip(&mechanism.coordinates) {
            *slot = coordinate.rotor.map_or(T::of(0.0), |rotor| rotor.of(p));
        }
        for (link, data) in mechanism.links.iter().zip(&mut self.links) {
            data.placement = placed(&link.placement, p);
            data.rotor = match &link.kind {
                LinkKind::Revolute { source: Source::Coordinate(a), .. }
                | LinkKind::Prismatic { source: Source::Coordinate(a), .. } => self.rotors[*a],
                _ => T::of(0.0),
            };
            if let Some(MassInfo { mass, centre, inertia }) = &link.inertia {
                let [xx, yy, zz, xy, xz, yz] = inertia.map(|i| i.of(p));
                let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                data.inertia = Inertia::about_centre(mass.of(p), vec3(centre), tensor);
                data.moments = Moments::new(&data.inertia);
            }
            if let LinkKind::Revolute { axis, .. } | LinkKind::Prismatic { axis, .. } = &link.kind {
                data.axis = match axis {
                    Axis::Unit(axis) => unit(*axis),
                    Axis::Minus(axis) => -unit(*axis),
                    Axis::Given(axis) => normalised(&vec3(axis)),
                };
                data.turning = Turning::new(&data.placement.rotation, &data.axis);
                data.slide = data.placement.rotation * data.axis;
            }
            data.pose = data.placement;
        }
        self.bind_centres(mechanism);
        for (frame, data) in mechanism.frames.iter().zip(&mut self.frames) {
            *data = placed(&frame.placement, p);
        }
        self.elements.bind(mechanism, p);
    }

    /// Value of a bound parameter.
    #[inline]
    pub(crate) fn param(&self, mechanism: &Mechanism, param: Param) -> T {
        self.table[mechanism.table.p + param.index()]
    }
}

/// The product of the factors of a constant pose.
fn placed<T: Lockstep>(placement: &[Shift], p: &[T]) -> Pose<T> {
    let vec3 = |params: &[Param; 3]| Vec3::new(params[0].of(p), params[1].of(p), params[2].of(p));
    let none = Vec3::from_element(T::of(0.0));
    placement.iter().fold(Pose::identity(), |pose, shift| {
        pose * match shift {
            Shift::Position(position) => Pose::new(Mat3::identity(), vec3(position)),
            Shift::Cardan(angles) => Pose::new(cardan(angles.map(|a| a.of(p))), none),
            Shift::Along(axis, length) => Pose::new(Mat3::identity(), unit(*axis) * length.of(p)),
            Shift::Turn(axis, angle) => Pose::new(about_axis(&normalised(&vec3(axis)), angle.of(p)), none),
        }
    })
}

/// Link `i` and its parent.
#[inline]
pub(crate) fn family<T: Lockstep>(
    links: &mut [LinkData<T>],
    i: usize,
    parent: Option<usize>,
) -> (Option<&mut LinkData<T>>, &mut LinkData<T>) {
    let (before, rest) = links.split_at_mut(i);
    (parent.map(|parent| &mut before[parent]), &mut rest[0])
}

/// Three entries of a slice as a vector.
#[inline]
pub(crate) fn read3<T: Lockstep>(x: &[T], i: usize) -> Vec3<T> {
    Vec3::new(x[i], x[i + 1], x[i + 2])
}

/// Four entries of a slice, a quaternion.
#[inline]
pub(crate) fn read4<T: Lockstep>(x: &[T], i: usize) -> [T; 4] {
    [x[i], x[i + 1], x[i + 2], x[i + 3]]
}

/// Unit vector of axis x, y or z.
fn unit<T: Lockstep>(axis: usize) -> Vec3<T> {
    let mut vector = Vec3::from_element(T::of(0.0));
    vector[axis.min(2)] = T::of(1.0);
    vector
}

/// The vector at length one; not finite for a zero vector, which `check` refuses.
fn normalised<T: Lockstep>(vector: &Vec3<T>) -> Vec3<T> {
    vector / norm(vector)
}
