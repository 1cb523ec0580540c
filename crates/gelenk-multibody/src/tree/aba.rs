//! Forward dynamics by articulated bodies.
//!
//! After Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 7, with one change: the links first get the
//! accelerations that they have with all tree accelerations at their bias values, and the wrenches for these. What is
//! left is linear, a response to the efforts that are missing, and needs no velocities.

use gelenk_math::dense::{backward, cholesky, forward};
use gelenk_math::spatial::{Mat3, Motion, Pose, Vec3, Wrench, skew};
use gelenk_math::{Lockstep, Real};

use crate::data::{Data, LinkData, family, read3};
use crate::mechanism::{Link, LinkKind, Mechanism};
use crate::tree::kernels::{self, along, dot, fma, motion_into, turn_into, turn_out, wrench_out};
use crate::tree::moments::{Moments, Symmetric};

/// Inertia of a link that carries others through joints which give way: `moment = J w + X v`, `force = X^T w + L v`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Articulated<T> {
    pub(crate) ang: Symmetric<T>,
    pub(crate) cross: Mat3<T>,
    pub(crate) lin: Symmetric<T>,
}

impl<T: Lockstep> Articulated<T> {
    pub(crate) fn zero() -> Self {
        let none = Symmetric::diagonal(T::of(0.0));
        Self { ang: none, cross: Mat3::from_element(T::of(0.0)), lin: none }
    }
}

impl<T: Real> Articulated<T> {
    /// Of a rigid mass.
    #[inline]
    fn rigid(mass: &Moments<T>) -> Self {
        Self { ang: mass.second.complement(), cross: skew(&mass.first), lin: Symmetric::diagonal(mass.mass) }
    }

    /// Factor of the angular part, or the turn that moves no mass.
    pub(crate) fn turn_factor(&self) -> ([T; 9], Result<(), usize>) {
        let Symmetric { xx, yy, zz, xy, xz, yz } = self.ang;
        let mut factor = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
        let factored = cholesky(&mut factor, 3);
        (factor, factored)
    }

    /// Factor of the whole, or the motion that moves no mass.
    pub(crate) fn factor(&self) -> ([T; 36], Result<(), usize>) {
        let (ang, lin) = (self.ang.matrix(), self.lin.matrix());
        // Its lower triangle is all that the factorisation reads.
        let mut factor = [T::c(0.0); 36];
        for i in 0..3 {
            for k in 0..3 {
                factor[6 * i + k] = ang[(i, k)];
                factor[6 * (i + 3) + k] = self.cross[(k, i)];
                factor[6 * (i + 3) + k + 3] = lin[(i, k)];
            }
        }
        let factored = cholesky(&mut factor, 6);
        (factor, factored)
    }

    /// Momentum of a unit turn about `axis`.
    #[inline]
    pub(crate) fn of_turn(&self, axis: &Vec3<T>) -> Wrench<T> {
        Wrench::new(self.ang.times(axis), turn_into(&self.cross, axis))
    }

    /// Momentum of a unit shift along `axis`.
    #[inline]
    pub(crate) fn of_shift(&self, axis: &Vec3<T>) -> Wrench<T> {
        Wrench::new(turn_out(&self.cross, axis), self.lin.times(axis))
    }

    /// `self - a b^T` for `b` along `a`.
    #[inline]
    pub(crate) fn without(&self, a: &Wrench<T>, b: &Wrench<T>) -> Self {
        Self {
            ang: self.ang.plus(|i, k, entry| fma(-a.ang[i], b.ang[k], entry)),
            cross: Mat3::from_fn(|i, k| fma(-a.ang[i], b.lin[k], self.cross[(i, k)])),
            lin: self.lin.plus(|i, k, entry| fma(-a.lin[i], b.lin[k], entry)),
        }
    }

    /// The same inertia seen from frame `A`, when `pose` is `X_AB`.
    #[inline]
    fn seen_from(&self, pose: &Pose<T>) -> Self {
        let (r, p) = (&pose.rotation, &pose.position);
        let lin = self.lin.turned(r);
        let column = |m: &Mat3<T>, k: usize| Vec3::new(m[(0, k)], m[(1, k)], m[(2, k)]);
        let row = |m: &Mat3<T>, i: usize| Vec3::new(m[(i, 0)], m[(i, 1)], m[(i, 2)]);
        // R X R^T, column by column.
        let half = [0, 1, 2].map(|k| turn_out(&self.cross, &row(r, k)));
        let turned = half.map(|v| turn_out(r, &v));
        // J' = R J R^T - R X R^T skew(p) + skew(p) X'^T with X' = R X R^T + skew(p) R L R^T
        let l = lin.matrix();
        let cross = [0, 1, 2].map(|k| kernels::cross(p, &column(&l, k), &turned[k]));
        let ang = self.ang.turned(r).plus(|i, k, entry| {
            let (x, y) = ((i + 1) % 3, (i + 2) % 3);
            let (u, v) = ((k + 1) % 3, (k + 2) % 3);
            // Row i of skew(p) X'^T and column k of R X R^T skew(p).
            let outer = fma(p[x], cross[y][k], fma(-p[y], cross[x][k], entry));
            fma(turned[v][i], p[u], fma(-turned[u][i], p[v], outer))
        });
        Self { ang, cross: Mat3::from_columns(&cross), lin }
    }
}

impl<T: Real> std::ops::AddAssign for Articulated<T> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.ang += other.ang;
        self.cross += other.cross;
        self.lin += other.lin;
    }
}

impl Mechanism {
    /// Tree accelerations `d.du` under the efforts `d.tree_effort` over tree velocities and the applied wrenches. The
    /// links' accelerations must be those at which all tree accelerations are at their bias ([`Self::motions`]); a
    /// freedom without a column in `F` keeps to it. Refuses a tree velocity that moves no mass.
    ///
    /// With `LOOPS` they are closed ([`Self::loop_rows`] before), and their multipliers go to `d.loops.lambda`.
    pub(crate) fn aba<T: Real, const LOOPS: bool>(&self, d: &mut Data<T>) -> Result<(), usize> {
        // Known when compiled: without loops nothing of them is left in the recursion.
        let carry = if LOOPS { self.loops.carry() } else { None };
        if let Some(carry) = carry {
            self.begin_carry(d, carry);
        }
        for link in &mut d.links {
            link.articulated = Articulated::rigid(&link.moments);
            link.needed = link.load();
        }
        self.release_links::<T, LOOPS>(d)
    }

    /// The answer of loops and masses to `d.loops.gamma` alone.
    pub(crate) fn respond<T: Real>(&self, d: &mut Data<T>) -> Result<(), usize> {
        if let Some(carry) = self.loops.carry() {
            self.begin_carry(d, carry);
        }
        d.tree_effort.fill(T::c(0.0));
        for link in &mut d.links {
            link.articulated = Articulated::rigid(&link.moments);
            link.needed = Wrench::zero();
        }
        self.release_links::<T, true>(d)
    }

    /// From the tips to the ground, and back.
    fn release_links<T: Real, const LOOPS: bool>(&self, d: &mut Data<T>) -> Result<(), usize> {
        let carry = if LOOPS { self.loops.carry() } else { None };
        for (i, link) in self.links.iter().enumerate().rev() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let (efforts, du) = (&d.tree_effort[link.dofs.clone()], &mut d.du[link.dofs.clone()]);
            if let Some(carry) = carry {
                self.complete(carry, &mut d.loops, i, Some(data));
            }
            let felt = match &link.kind {
                _ if self.keeps(link) => Ok(Felt { inertia: data.articulated, wrench: data.needed }),
                LinkKind::Fixed => Ok(Felt { inertia: data.articulated, wrench: data.needed }),
                LinkKind::Revolute { .. } => {
                    let response = data.articulated.of_turn(&data.axis);
                    let spare = efforts[0] - dot(&data.axis, &data.needed.ang);
                    data.release(&response, dot(&data.axis, &response.ang) + data.rotor, spare, &mut du[0])
                }
                LinkKind::Prismatic { .. } => {
                    let response = data.articulated.of_shift(&data.axis);
                    let spare = efforts[0] - dot(&data.axis, &data.needed.lin);
                    data.release(&response, dot(&data.axis, &response.lin) + data.rotor, spare, &mut du[0])
                }
                LinkKind::Ball { .. } => data.release_ball(&read3(efforts, 0), du),
                LinkKind::Free { .. } => {
                    data.release_all(&Wrench::new(read3(efforts, 0), read3(efforts, 3)), du)
                }
            };
            let felt = felt.map_err(|k| link.dofs.start + k)?;
            if let Some(carry) = carry {
                self.lift(carry, &mut d.loops, i, data, du);
            }
            if let Some(parent) = parent {
                parent.articulated += felt.inertia.seen_from(&data.pose);
                parent.needed += wrench_out(&data.pose, &felt.wrench);
            }
        }
        self.responses::<T, LOOPS>(d);
        Ok(())
    }

    /// From the ground to the tips: the additional acceleration of every link, and what it takes from its joint.
    fn responses<T: Real, const LOOPS: bool>(&self, d: &mut Data<T>) {
        let carry = if LOOPS { self.loops.carry() } else { None };
        if let Some(carry) = carry {
            let ground = self.links.len();
            self.complete(carry, &mut d.loops, ground, None);
            self.multipliers(carry, &mut d.loops, ground, &Motion::zero());
        }
        for (i, link) in self.links.iter().enumerate() {
            let (parent, data) = family(&mut d.links, i, link.parent);
            let carried = match parent {
                Some(parent) => motion_into(&data.pose, &parent.response),
                None => Motion::zero(),
            };
            let Motion { ang, lin } = carried;
            let du = &mut d.du[link.dofs.clone()];
            if let Some(carry) = carry {
                self.held_back(carry, &d.loops, i, du);
            }
            data.response = match &link.kind {
                _ if self.keeps(link) => carried,
                LinkKind::Fixed => carried,
                LinkKind::Revolute { .. } => {
                    du[0] -= dot(&ang, &data.gain.ang) + dot(&lin, &data.gain.lin);
                    Motion::new(along(&data.axis, du[0], &ang), lin)
                }
                LinkKind::Prismatic { .. } => {
                    du[0] -= dot(&ang, &data.gain.ang) + dot(&lin, &data.gain.lin);
                    Motion::new(ang, along(&data.axis, du[0], &lin))
                }
                LinkKind::Ball { .. } => {
                    let turn = read3(du, 0) - turn_out(&data.ball_gain, &lin);
                    du.copy_from_slice((turn - ang).as_slice());
                    Motion::new(turn, lin)
                }
                LinkKind::Free { .. } => {
                    let all = Motion::new(read3(du, 0), read3(du, 3));
                    du[..3].copy_from_slice((all.ang - ang).as_slice());
                    du[3..].copy_from_slice((all.lin - lin).as_slice());
                    all
                }
            };
            if let Some(carry) = carry {
                self.multipliers(carry, &mut d.loops, i, &data.response);
            }
        }
    }

    /// Whether the motion of a link in its parent is prescribed.
    #[inline]
    pub(crate) fn keeps(&self, link: &Link) -> bool {
        link.dofs.len() == 1 && self.rows[link.dofs.start].is_empty()
    }
}

/// What the parent feels of a link through a joint that gives way.
struct Felt<T> {
    inertia: Articulated<T>,
    wrench: Wrench<T>,
}

/// How joints give way. Each writes the acceleration of the freedoms while the parent has no additional one, and refuses
/// a freedom that moves no mass.
impl<T: Real> LinkData<T> {
    /// One freedom: `response` is the articulated inertia times its unit motion, `inertia` the effort of that on the
    /// freedom itself, `spare` the effort that is left to accelerate it.
    #[inline]
    fn release(&mut self, response: &Wrench<T>, inertia: T, spare: T, du: &mut T) -> Result<Felt<T>, usize> {
        if inertia.re().is_nan() || inertia.re() <= 0.0 {
            return Err(0);
        }
        let inverse = T::c(1.0) / inertia;
        let gain = response.scale(inverse);
        (self.gain, self.compliance) = (gain, inverse);
        *du = spare * inverse;
        let needed = &self.needed;
        Ok(Felt {
            inertia: self.articulated.without(response, &gain),
            wrench: Wrench::new(along(&gain.ang, spare, &needed.ang), along(&gain.lin, spare, &needed.lin)),
        })
    }

    /// All turns: with `w' = J^-1 (moment - X v')`, only `L - X^T J^-1 X` is left.
    fn release_ball(&mut self, effort: &Vec3<T>, du: &mut [T]) -> Result<Felt<T>, usize> {
        let Articulated { cross, lin, .. } = self.articulated;
        let (factor, factored) = self.articulated.turn_factor();
        factored?;
        let solve = |b: &mut [T]| {
            forward(&factor, 3, b);
            backward(&factor, 3, b);
        };
        du.copy_from_slice((effort - self.needed.ang).as_slice());
        solve(du);
        self.ball_gain = cross;
        self.ball_gain.as_mut_slice().chunks_exact_mut(3).for_each(solve);
        let lost = cross.tr_mul(&self.ball_gain);
        let lin = lin.plus(|i, k, entry| entry - lost[(i, k)]);
        Ok(Felt {
            inertia: Articulated { lin, ..Articulated::zero() },
            wrench: Wrench::new(*effort, self.needed.lin + turn_into(&cross, &read3(du, 0))),
        })
    }

    /// All six freedoms: the parent feels only the effort.
    fn release_all(&mut self, effort: &Wrench<T>, du: &mut [T]) -> Result<Felt<T>, usize> {
        let (factor, factored) = self.articulated.factor();
        factored?;
        let spare = *effort - self.needed;
        du[..3].copy_from_slice(spare.ang.as_slice());
        du[3..].copy_from_slice(spare.lin.as_slice());
        forward(&factor, 6, du);
        backward(&factor, 6, du);
        Ok(Felt { inertia: Articulated::zero(), wrench: *effort })
    }
}
