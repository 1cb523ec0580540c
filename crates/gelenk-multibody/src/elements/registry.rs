//! The macro behind the registry of elements: from a list of kinds to enums with static dispatch.

/// Declares the kinds of elements: their files, and one closed enum over them with static dispatch. Kinds of contacts also
/// get an enum of their workspaces.
macro_rules! elements {
    (
        $($file:ident :: $first:ident $(, $other:ident)* ;)+
        @laws $($law_file:ident :: $law:ident ;)+
        @contacts $($contact_file:ident :: $contact:ident ;)+
    ) => {
        $(mod $file; pub use $file::{$first $(, $other)*};)+
        $(mod $law_file; pub use $law_file::$law;)+
        $(pub mod $contact_file; pub use $contact_file::$contact;)+

        elements! { @enum [$($first $($other)*)+] [$($law)+] [$($contact)+] }
        elements! { @contacts_work [$($contact)+] }
        elements! { @dispatch [$($first $($other)*)+] [$($law)+] [$($contact)+]
            /// What the kind says about itself, see [`Element::spec`].
            spec() -> &'static ElementSpec;
            /// Its key in joints and coordinates, see [`Element::key`].
            key() -> &'static str;
            /// Number of continuous states, see [`Element::states`].
            states(size: usize) -> usize;
            /// Length of the memory, see [`Element::memory`].
            memory(size: usize) -> usize;
            /// Number of switching functions, see [`Element::switches`].
            switches(size: usize) -> usize;
            /// Efforts, power, outputs and rates, see [`Element::act`].
            act<T: Real>(e: &mut Act<'_, T>) -> ();
            /// The same of several runs in lockstep, see [`Element::act_lanes`].
            act_lanes<T: Lockstep>(e: &mut Act<'_, T>) -> ();
            /// Stored energy by account, see [`Element::stored`].
            stored<T: Real>(look: &Look<'_, T>, stored: &mut [T]) -> ();
            /// States at the start, see [`Element::start`].
            start(look: &Look<'_, f64>, z: &mut [f64]) -> ();
            /// States after a long time, see [`Element::rest`].
            rest(look: &Look<'_, f64>, z: &mut [f64]) -> ();
            /// Typical sizes of the states, see [`Element::scale`].
            scale(p: &[f64], scale: &mut [f64]) -> ();
            /// Settles the memory, see [`Element::commit`].
            commit(look: &Look<'_, f64>, m: &mut [f64]) -> ();
            /// Switching functions, see [`Element::switching`].
            switching(look: &Look<'_, f64>, g: &mut [f64]) -> ();
            /// Changes a mode, see [`Element::switch`].
            switch(look: &Look<'_, f64>, index: usize, z: &mut [f64], m: &mut [f64]) -> Option<gelenk_record::Change>;
            /// Relations between parameters, see [`Element::validate`]; else the reason why they are refused.
            validate(p: &[f64], size: usize) -> Result<(), String>;
            /// The range that a stop keeps its displacement in, see [`Element::range`].
            range(p: &[f64]) -> Option<[f64; 2]>;
            /// Whether accounts hold energy, see [`Element::stores`].
            stores() -> bool;
            /// The forms that it has, see [`Element::modes`].
            modes() -> Modes;
            /// Why it cannot act on an attachment that its place admits, see [`Element::fits`].
            fits(on: &Attachment) -> Result<(), String>;
            /// Whether its effort is a signal, too, see [`Element::is_signal`].
            is_signal() -> bool;
            /// What pictures draw it as, see [`Element::drawn`].
            drawn() -> Option<&'static str>;
            /// Whether it is friction, see [`Element::resists`].
            resists() -> bool;
            /// Whether its effort grows with a normal force, see [`Element::pressed`].
            pressed() -> bool;
            /// Resistance in steady sliding, see [`Element::steady`].
            steady(p: &[f64], v: f64) -> Option<f64>;
            /// Whether it has a spring of the position in it, see [`Element::follows_position`].
            follows_position() -> bool;
            /// How it can hold a coordinate, see [`Element::holding`].
            holding() -> Holding;
            /// How friction holds what is at rest, see [`Element::sticking`].
            sticking<T: Real>(p: &[T]) -> Option<Sticking<T>>;
            /// The limits of a coordinate, see [`Element::limits`].
            limits(p: &[f64]) -> Option<Limits>;
        }
    };

    (@enum [$($kind:ident)+] [$($law:ident)+] [$($contact:ident)+]) => {
        /// Every kind of element: those that are a file of their own, and a program's own ones.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Acting {
            $(#[doc = concat!("See [`", stringify!($kind), "`](struct@", stringify!($kind), ").")] $kind,)+
            $(#[doc = concat!("See [`", stringify!($law), "`](struct@", stringify!($law), ").")] $law($law),)+
            $(#[doc = concat!("See [`", stringify!($contact), "`](struct@", stringify!($contact), ").")] $contact(Arc<$contact>),)+
            /// A program's own kind.
            Own(Own),
        }

        $(impl From<$law> for Acting {
            fn from(law: $law) -> Self {
                Self::$law(law)
            }
        })+

        $(impl From<$contact> for Acting {
            fn from(contact: $contact) -> Self {
                Self::$contact(Arc::new(contact))
            }
        })+

        impl Acting {
            /// All kinds of the registry that are nothing but a name, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// A workspace of a contact, see [`Contact::work`]; `None` for other kinds.
            pub(crate) fn contact_work<T: Real>(&self, timed: bool) -> Option<ContactWork<T>> {
                match self {
                    $(Self::$contact(kind) => Some(ContactWork::$contact(kind.clone(), Box::new(kind.work(timed)))),)+
                    _ => None,
                }
            }

            /// What is recorded of a contact beside its force, see [`Contact::records`].
            pub(crate) fn records(&self) -> Vec<Record> {
                match self { $(Self::$contact(kind) => kind.records(),)+ _ => Vec::new() }
            }

            /// What is recorded of the times of a contact, see [`Contact::times`].
            pub(crate) fn times(&self) -> Vec<Record> {
                match self { $(Self::$contact(kind) => kind.times(),)+ _ => Vec::new() }
            }
        }
    };

    (@dispatch $kinds:tt $laws:tt $contacts:tt
        $($(#[$meta:meta])* $name:ident $(<$t:ident: $bound:ident>)? ($($arg:ident: $type:ty),*) -> $out:ty;)+
    ) => {
        impl Acting {$(
            elements! { @method $kinds $laws $contacts $(#[$meta])* $name [$(<$t: $bound>)?]
                ($($arg: $type),*) ($($arg),*) -> $out }
        )+}
    };

    (@method [$($kind:ident)+] [$($law:ident)+] [$($contact:ident)+]
        $(#[$meta:meta])* $name:ident [$($generic:tt)*] ($($arg:ident: $type:ty),*) $call:tt -> $out:ty
    ) => {
        $(#[$meta])*
        #[inline]
        pub fn $name $($generic)* (&self, $($arg: $type),*) -> $out {
            match self {
                $(Self::$kind => $kind.$name $call,)+
                $(Self::$law(kind) => kind.$name $call,)+
                $(Self::$contact(kind) => kind.$name $call,)+
                Self::Own(own) => own.$name $call,
            }
        }
    };

    (@contacts_work [$($contact:ident)+]) => {
        /// A contact at work: its kind, and what an evaluation knows of it. One for every thread. For the meaning of its
        /// functions see [`Contact`].
        #[derive(Clone, Debug)]
        pub(crate) enum ContactWork<T: Lockstep> {
            $($contact(Arc<$contact>, Box<<$contact as Contact>::Work<T>>),)+
        }

        impl<T: Real> ContactWork<T> {
            elements! { @works [$($contact)+]
                mut bind(p: &[T]) -> ();
                mut place(seen: &Seen<T>, lagged: bool) -> usize;
                mut find() -> ();
                mut exert(m: &[f64], stepped: bool) -> Option<Exerted<T>>;
                ref energy() -> T;
            }
        }

        impl ContactWork<f64> {
            elements! { @works [$($contact)+]
                ref check(p: &[f64]) -> Result<(), String>;
                ref probes() -> bool;
                mut probe(seen: &Seen<f64>, found: bool) -> ();
                ref settle(m: &mut [f64]) -> ();
                ref boundaries(m: &[f64], g: &mut [f64]) -> ();
                ref turn(m: &mut [f64]) -> gelenk_record::Change;
                mut horizon(seen: &Seen<f64>, gravity: f64, wanted: f64) -> f64;
                mut reach(seen: &Seen<f64>, gravity: f64, wanted: f64) -> [f64; 2];
                ref overlap() -> Overlap;
                ref judges_start() -> bool;
                ref refuse_start() -> Option<String>;
                ref refuse() -> Option<&'static str>;
                ref record(axes: &Mat3<f64>, put: &mut dyn FnMut(f64)) -> ();
                ref record_times(put: &mut dyn FnMut(f64)) -> ();
                ref elements(first: &Pose<f64>, take: &mut dyn FnMut(ContactElement)) -> ();
            }
        }
    };

    (@works $contacts:tt $($how:tt $name:ident ($($arg:ident: $type:ty),*) -> $out:ty;)+) => {
        $(elements! { @work $contacts $how $name work ($($arg: $type),*) (work $(, $arg)*) -> $out })+
    };

    (@work [$($contact:ident)+] ref $name:ident $work:ident ($($arg:ident: $type:ty),*) $call:tt -> $out:ty) => {
        pub(crate) fn $name(&self, $($arg: $type),*) -> $out {
            match self { $(Self::$contact(kind, $work) => kind.$name $call,)+ }
        }
    };

    (@work [$($contact:ident)+] mut $name:ident $work:ident ($($arg:ident: $type:ty),*) $call:tt -> $out:ty) => {
        pub(crate) fn $name(&mut self, $($arg: $type),*) -> $out {
            match self { $(Self::$contact(kind, $work) => kind.$name $call,)+ }
        }
    };
}
