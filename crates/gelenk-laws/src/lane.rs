//! Laws in lockstep: lane by lane where a law branches as it likes.

use std::marker::PhantomData;

use gelenk_math::{Job, Lockstep, Real, of_lane};

use crate::contract::Law;

/// Gives a law whose [`Law::rate_lanes`] and [`Law::advance_lanes`] run on any scalar the same functions on a single run.
#[macro_export]
macro_rules! in_lanes {
    () => {
        #[inline]
        fn rate<T: $crate::Scalar>(p: &[T], z: &[T], m: &[f64], v: T, dz: &mut [T]) -> T {
            Self::rate_lanes(p, z, m, v, dz)
        }

        #[inline]
        fn advance<T: $crate::Scalar>(p: &[T], z: &[T], m: &[f64], v: T, h: f64, z1: &mut [T]) -> T {
            Self::advance_lanes(p, z, m, v, h, z1)
        }
    };
}

/// One of the two forms of a law, with a step `h` the stepped one: how it is evaluated lane by lane.
pub(crate) struct Lane<'a, L, T: Lockstep> {
    p: &'a [T],
    z: &'a [T],
    m: &'a [T::Plain],
    v: T,
    h: Option<f64>,
    out: &'a mut [T],
    law: PhantomData<L>,
}

impl<'a, L, T: Lockstep> Lane<'a, L, T> {
    /// Parameters and states, memory, velocity, step, and where rates or states go.
    #[inline]
    pub(crate) fn new(
        [p, z]: [&'a [T]; 2],
        m: &'a [T::Plain],
        v: T,
        h: Option<f64>,
        out: &'a mut [T],
    ) -> Self {
        Self { p, z, m, v, h, out, law: PhantomData }
    }
}

/// Numbers of a list that need no place on the heap.
const ROOM: usize = 24;

impl<L: Law, T: Lockstep> Job<T> for Lane<'_, L, T> {
    type Out = T;

    #[inline]
    fn single(self) -> T
    where
        T: Real,
    {
        match self.h {
            None => L::rate(self.p, self.z, self.m, self.v, self.out),
            Some(h) => L::advance(self.p, self.z, self.m, self.v, h, self.out),
        }
    }

    fn lanes(self) -> T {
        let zero = T::One::c(0.0);
        let (mut near, mut far) = ([[zero; ROOM]; 3], [Vec::new(), Vec::new(), Vec::new()]);
        let (mut near_m, mut far_m) = ([0.0; ROOM], Vec::new());
        let mut y = T::of(0.0);
        for k in 0..T::WIDTH {
            let ([near_p, near_z, near_out], [far_p, far_z, far_out]) = (&mut near, &mut far);
            let (p, z) = (of_lane(self.p, k, near_p, far_p), of_lane(self.z, k, near_z, far_z));
            let m = of_lane(self.m, k, &mut near_m, &mut far_m);
            let out = of_lane(self.out, k, near_out, far_out);
            let v = self.v.lane(k);
            let value = match self.h {
                None => L::rate(p, z, m, v, out),
                Some(h) => L::advance(p, z, m, v, h, out),
            };
            y.set_lane(k, value);
            self.out.iter_mut().zip(&*out).for_each(|(slot, &value)| slot.set_lane(k, value));
        }
        y
    }
}
