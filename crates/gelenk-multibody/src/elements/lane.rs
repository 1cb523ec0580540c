//! Elements in lockstep: lane by lane where an element branches as it likes.

use gelenk_math::{Job, Lockstep, Real, of_lane};

use super::contract::{Act, Element, Look};

/// Numbers of a list that need no place on the heap.
const ROOM: usize = 24;

/// What acts on one lane.
pub(super) trait Single {
    fn act<T: Real>(&self, e: &mut Act<'_, T>);
}

impl<E: Element> Single for E {
    fn act<T: Real>(&self, e: &mut Act<'_, T>) {
        Element::act(self, e);
    }
}

/// An element, and what it sees and does in all lanes.
pub(super) struct Lane<'e, 'a, E, T: Lockstep> {
    element: &'e E,
    e: &'e mut Act<'a, T>,
}

impl<'e, 'a, E: Single, T: Lockstep> Lane<'e, 'a, E, T> {
    #[inline]
    pub(super) fn new(element: &'e E, e: &'e mut Act<'a, T>) -> Self {
        Self { element, e }
    }
}

/// Room for the lists of one lane.
struct Room<T>([[T; ROOM]; 10], [Vec<T>; 10]);

impl<E: Single, T: Lockstep> Job<T> for Lane<'_, '_, E, T> {
    type Out = ();

    #[inline]
    fn single(self)
    where
        T: Real,
    {
        self.element.act(self.e);
    }

    fn lanes(self) {
        let mut room = Room([[T::One::c(0.0); ROOM]; 10], Default::default());
        let (mut near, mut far) = ([0.0; ROOM], Vec::new());
        for k in 0..T::WIDTH {
            let m = of_lane(self.e.look.m, k, &mut near, &mut far);
            one(self.element, self.e, k, m, &mut room);
        }
    }
}

/// Lets an element act on lane `k`.
fn one<E: Single, T: Lockstep>(
    element: &E,
    e: &mut Act<'_, T>,
    k: usize,
    m: &[f64],
    Room(near, far): &mut Room<T::One>,
) {
    let mut rooms = near.iter_mut().zip(far.iter_mut());
    let Look { x, v, p, size, u, z, load, .. } = e.look;
    let seen = [x, v, p, u, z];
    let given = [&*e.effort, &*e.power, &*e.z_out, &*e.outputs, &*e.spare];
    let mut take = |list: &[T]| match rooms.next() {
        Some((near, far)) => of_lane(list, k, near, far),
        None => &mut [],
    };
    let [x, v, p, u, z] = seen.map(&mut take);
    let [effort, power, z_out, outputs, spare] = given.map(&mut take);
    let look = Look { x, v, p, size, u, z, m, load: load.lane(k) };
    let mut own = Act { look, step: e.step, effort, power, z_out, outputs, spare, beyond: None };
    element.act(&mut own);
    let Act { effort, power, z_out, outputs, beyond, .. } = own;
    let back = |to: &mut [T], from: &[T::One]| {
        to.iter_mut().zip(from).for_each(|(slot, &value)| slot.set_lane(k, value));
    };
    back(e.effort, effort);
    back(e.power, power);
    back(e.z_out, z_out);
    back(e.outputs, outputs);
    e.beyond = e.beyond.or(beyond);
}

/// Gives an element whose [`Element::act_lanes`] runs on any scalar the same function on a single run.
macro_rules! in_lanes {
    () => {
        #[inline]
        fn act<T: gelenk_math::Real>(&self, e: &mut Act<'_, T>) {
            self.act_lanes(e);
        }
    };
}

pub(super) use in_lanes;
