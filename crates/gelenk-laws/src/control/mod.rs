//! Blocks: sensors and controllers on the sampling clock.
//!
//! A block is one file and one line in the registry at the end of this page, see [`contract`].

mod chance;
pub mod contract;

pub use contract::{Block, BlockPort, BlockSpec, Stage, Tick};

use gelenk_math::Real;

/// Declares the blocks: their files, and one closed enum over them with static dispatch.
macro_rules! blocks {
    ($($file:ident :: $block:ident),+ $(,)?) => {
        $(mod $file; pub use $file::$block;)+

        /// Every block of the product.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sampled {
            $(#[doc = concat!("See [`", stringify!($block), "`](struct@", stringify!($block), ").")] $block,)+
        }

        impl Sampled {
            /// All blocks, in the order of the registry.
            pub const ALL: &'static [Self] = &[$(Self::$block,)+];

            /// What the block says about itself.
            pub const fn spec(self) -> &'static BlockSpec {
                match self { $(Self::$block => &<$block as Block>::SPEC,)+ }
            }

            /// Length of its memory.
            pub const fn memory(self) -> usize {
                match self { $(Self::$block => <$block as Block>::MEMORY,)+ }
            }

            /// Runs it once, see [`Block::tick`].
            pub fn tick<T: Real>(self, p: &[T], u: &[T], tick: Tick, m: &mut [T], y: &mut [T]) {
                match self { $(Self::$block => <$block as Block>::tick(p, u, tick, m, y),)+ }
            }
        }
    };
}

blocks! {
    sensor::Sensor,
    pi::Pi,
}

impl Sampled {
    /// The controller with this word behind `type` in a model file.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::controllers().find(|block| block.spec().name == name)
    }

    /// All that are not sensors.
    pub fn controllers() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|block| block.spec().stage != Stage::Sense)
    }
}
