//! Friction and hysteresis laws over a sliding velocity.
//!
//! One file a law. The list at the end of this file is the only other place that knows it.

/// Declares an enum over laws with static dispatch: `registry! { pub enum Name { Variant: path::Law, ... } }`.
///
/// Every method of [`Law`](crate::Law) is forwarded, so a new law is one file and one line here.
#[macro_export]
macro_rules! law_registry {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident : $law:ty),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $(#[doc = concat!("See [`", stringify!($law), "`].")] $variant),+ }

        #[allow(dead_code)]
        impl $name {
            /// All laws of the registry, in its order.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The law with this name in a model file.
            $vis fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|law| law.spec().name == name)
            }

            /// What the law says about itself.
            $vis const fn spec(self) -> &'static $crate::LawSpec {
                match self { $(Self::$variant => &<$law as $crate::Law>::SPEC),+ }
            }

            /// Number of continuous states.
            $vis fn states(self, elements: usize) -> usize {
                match self { $(Self::$variant => <$law as $crate::Law>::states(elements)),+ }
            }

            /// Length of the discrete memory.
            $vis fn memory(self, elements: usize) -> usize {
                match self { $(Self::$variant => <$law as $crate::Law>::memory(elements)),+ }
            }

            /// Number of switching functions.
            $vis fn switches(self, elements: usize) -> usize {
                match self { $(Self::$variant => <$law as $crate::Law>::switches(elements)),+ }
            }

            /// Continuous form, see [`Law::rate`](trait@$crate::Law).
            #[inline]
            $vis fn rate<T: $crate::Scalar>(self, p: &[T], z: &[T], m: &[f64], v: T, dz: &mut [T]) -> T {
                match self { $(Self::$variant => <$law as $crate::Law>::rate(p, z, m, v, dz)),+ }
            }

            /// Stepped form, see [`Law::advance`](trait@$crate::Law).
            #[inline]
            $vis fn advance<T: $crate::Scalar>(
                self, p: &[T], z: &[T], m: &[f64], v: T, h: f64, z1: &mut [T],
            ) -> T {
                match self { $(Self::$variant => <$law as $crate::Law>::advance(p, z, m, v, h, z1)),+ }
            }

            /// Continuous form of several runs, see [`Law::rate_lanes`](trait@$crate::Law).
            #[inline]
            $vis fn rate_lanes<T: $crate::Lockstep>(
                self, p: &[T], z: &[T], m: &[T::Plain], v: T, dz: &mut [T],
            ) -> T {
                match self { $(Self::$variant => <$law as $crate::Law>::rate_lanes(p, z, m, v, dz)),+ }
            }

            /// Stepped form of several runs, see [`Law::advance_lanes`](trait@$crate::Law).
            #[inline]
            $vis fn advance_lanes<T: $crate::Lockstep>(
                self, p: &[T], z: &[T], m: &[T::Plain], v: T, h: f64, z1: &mut [T],
            ) -> T {
                match self { $(Self::$variant => <$law as $crate::Law>::advance_lanes(p, z, m, v, h, z1)),+ }
            }

            /// Settles the memory, see [`Law::commit`](trait@$crate::Law).
            $vis fn commit(self, p: &[f64], z: &[f64], v: f64, m: &mut [f64]) {
                match self { $(Self::$variant => <$law as $crate::Law>::commit(p, z, v, m)),+ }
            }

            /// Switching functions, see [`Law::switching`](trait@$crate::Law).
            $vis fn switching(self, p: &[f64], z: &[f64], m: &[f64], v: f64, g: &mut [f64]) {
                match self { $(Self::$variant => <$law as $crate::Law>::switching(p, z, m, v, g)),+ }
            }

            /// Changes the mode, see [`Law::switch`](trait@$crate::Law).
            $vis fn switch(self, p: &[f64], index: usize, z: &mut [f64], m: &mut [f64]) -> Option<$crate::Change> {
                match self { $(Self::$variant => <$law as $crate::Law>::switch(p, index, z, m)),+ }
            }

            /// How it sticks, see [`Law::sticking`](trait@$crate::Law).
            #[inline]
            $vis fn sticking<T: $crate::Scalar>(self, p: &[T]) -> Option<$crate::Sticking<T>> {
                match self { $(Self::$variant => <$law as $crate::Law>::sticking(p)),+ }
            }

            /// Energy held (J), see [`Law::stored`](trait@$crate::Law).
            $vis fn stored<T: $crate::Scalar>(self, p: &[T], z: &[T]) -> T {
                match self { $(Self::$variant => <$law as $crate::Law>::stored(p, z)),+ }
            }

            /// Magnitudes of the states, see [`Law::scale`](trait@$crate::Law).
            $vis fn scale(self, p: &[f64], scale: &mut [f64]) {
                match self { $(Self::$variant => <$law as $crate::Law>::scale(p, scale)),+ }
            }

            /// Output in steady sliding at velocity `v`.
            $vis fn steady(self, p: &[f64], v: f64) -> f64 {
                match self { $(Self::$variant => <$law as $crate::Law>::steady(p, v)),+ }
            }

            /// What to know about the parameters, see [`Law::caution`](trait@$crate::Law).
            $vis fn caution(self, p: &[f64]) -> Option<$crate::LawError> {
                match self { $(Self::$variant => <$law as $crate::Law>::caution(p)),+ }
            }

            /// `(y, dy/dv)` of a trial step, see [`Law::tangent`](trait@$crate::Law).
            $vis fn tangent(self, p: &[f64], z: &[f64], m: &[f64], v: f64, h: f64) -> (f64, f64) {
                match self { $(Self::$variant => <$law as $crate::Law>::tangent(p, z, m, v, h)),+ }
            }

            /// Checks bounds of and relations between the parameters of a law with `elements` elements.
            $vis fn validate(self, p: &[f64], elements: usize) -> Result<(), $crate::LawError> {
                $crate::contract::check_bounds(self.spec(), p, elements)?;
                match self { $(Self::$variant => <$law as $crate::Law>::validate(p)),+ }
            }
        }
    };
}

mod curve;
pub mod planar;

/// Declares the law files of this folder and the registry over them.
macro_rules! friction_laws {
    ($($file:ident :: $law:ident),+ $(,)?) => {
        $(mod $file; pub use $file::$law;)+

        law_registry! {
            /// Every friction law of the product.
            pub enum Friction { $($law: $law),+ }
        }
    };
}

friction_laws! {
    viscous::Viscous,
    power_viscous::PowerViscous,
    coulomb::Coulomb,
    karnopp::Karnopp,
    stribeck::Stribeck,
    stribeck_raw::StribeckRaw,
    regularised::Regularised,
    makkar::Makkar,
    asymmetric::Asymmetric,
    gear_loss::GearLoss,
    power::PowerBased,
    power_lti::PowerLti,
    power_lpv::PowerLpv,
    dahl::Dahl,
    bliman_sorine_1::BlimanSorine1,
    bliman_sorine_2::BlimanSorine2,
    lugre::LuGre,
    lugre_original::LuGreOriginal,
    lugre_asymmetric::LuGreAsymmetric,
    elasto_plastic::ElastoPlastic,
    maxwell_slip::MaxwellSlip,
    gms::Gms,
    leuven::Leuven,
    mms::Mms,
    two_sep::TwoSep,
    two_sep_v1::TwoSepV1,
    two_sep_v3::TwoSepV3,
    bouc_wen::BoucWen,
    play::Play,
    prandtl_ishlinskii::PrandtlIshlinskii,
    preisach::Preisach,
}

pub use power::dissipation;
pub use power_lpv::{POWER_STABILITY_LIMIT, PowerSuggestion, power_stability, suggest_power};
