//! Blocks: sensors and controllers on the sampling clock.
//!
//! A block is one file and one line in the registry at the end of this page, see [`contract`].

mod chance;
pub mod contract;
pub mod own;

pub use contract::{Block, BlockPort, BlockSpec, Stage, Tick};
pub use own::{Own, OwnBlock};

use gelenk_math::Real;

/// Declares the blocks: their files, and one closed enum over them with static dispatch.
macro_rules! blocks {
    ($($file:ident :: $block:ident),+ $(,)?) => {
        $(mod $file; pub use $file::$block;)+

        /// Every block of the product.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sampled {
            $(#[doc = concat!("See [`", stringify!($block), "`](struct@", stringify!($block), ").")] $block,)+
            /// A program's own block.
            Own(Own),
        }

        impl Sampled {
            /// All blocks of the registry, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$block,)+];

            /// What the block says about itself.
            pub fn spec(self) -> &'static BlockSpec {
                match self { $(Self::$block => &<$block as Block>::SPEC,)+ Self::Own(own) => own.block().spec() }
            }

            /// Length of its memory.
            pub fn memory(self) -> usize {
                match self { $(Self::$block => <$block as Block>::MEMORY,)+ Self::Own(own) => own.block().memory() }
            }

            /// Runs it once, see [`Block::tick`].
            pub fn tick<T: Real>(self, p: &[T], u: &[T], tick: Tick, m: &mut [T], y: &mut [T]) {
                match self { $(Self::$block => <$block as Block>::tick(p, u, tick, m, y),)+ Self::Own(own) => own.tick(p, u, tick, m, y) }
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
