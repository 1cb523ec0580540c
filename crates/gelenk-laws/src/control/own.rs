//! A program's own blocks, beside those of the registry.

use std::fmt;

use gelenk_math::Real;
use gelenk_math::lift::lift;

use super::contract::{BlockSpec, Tick};

/// A block of a program's own on numbers, see [`Block`](super::Block); derivatives are taken by differences.
pub trait OwnBlock: Send + Sync {
    /// What it says about itself.
    fn spec(&self) -> &'static BlockSpec;

    /// Length of its memory, which begins with zeros.
    fn memory(&self) -> usize {
        0
    }

    /// Runs it once: parameters, inputs, the instant, the memory, the outputs.
    fn tick(&self, p: &[f64], u: &[f64], tick: Tick, m: &mut [f64], y: &mut [f64]);
}

/// A program's own block; it lives as long as the program.
#[derive(Clone, Copy)]
pub struct Own(&'static dyn OwnBlock);

impl Own {
    /// The block.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(block: &'static dyn OwnBlock) -> super::Sampled {
        super::Sampled::Own(Self(block))
    }

    /// The same of a block that is made while the program runs. Its memory is never given back.
    pub fn boxed(block: Box<dyn OwnBlock>) -> super::Sampled {
        Self::new(Box::leak(block))
    }

    pub(super) fn block(self) -> &'static dyn OwnBlock {
        self.0
    }

    pub(super) fn tick<T: Real>(self, p: &[T], u: &[T], tick: Tick, m: &mut [T], y: &mut [T]) {
        let (np, nu, nm) = (p.len(), u.len(), m.len());
        let before = m.to_vec();
        lift(&[p, u, &before], &mut [m, y], &mut |seen, out| {
            let (p, rest) = seen.split_at(np);
            let (u, before) = rest.split_at(nu);
            let (m, y) = out.split_at_mut(nm);
            m.copy_from_slice(before);
            y.fill(0.0);
            self.0.tick(p, u, tick, m, y);
        });
    }
}

impl PartialEq for Own {
    /// Whether both are the same block: that of one place in the program.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0.spec(), other.0.spec()) && std::ptr::addr_eq(self.0, other.0)
    }
}

impl Eq for Own {}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Own({})", self.0.spec().name)
    }
}
