//! The elements of a mechanism.

use std::ops::{Deref, Range};

use gelenk_math::expression::Program;
use gelenk_system::Param;

use super::Acting;
use super::attachment::Attached;
use super::contact::ContactPlace;
use super::factors::{FactorRun, NormalRun};
use super::holds::Hold;

/// The elements of a mechanism, in order, and what lies on them.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(super) list: Vec<ElementInfo>,
    /// Factors on parameters of laws.
    pub(super) factors: Vec<FactorRun>,
    /// Forces that press the surfaces of friction together.
    pub(super) normals: Vec<NormalRun>,
    /// Whether modes of elements depend on frames or inputs, and so need the kinematics and signals.
    pub(super) looks_around: bool,
    /// Elements that are contacts.
    pub(super) contacts: Vec<ContactPlace>,
    /// Coordinates that elements can hold.
    pub(super) holds: Vec<Hold>,
    /// Element of every switching function; those of switches follow.
    pub(super) switch_owner: Vec<usize>,
    /// Rotation vectors that elements act on.
    pub(super) bent: Vec<Bent>,
}

impl Elements {
    /// Elements with factors, normal forces and contacts.
    pub(crate) fn new(
        list: Vec<ElementInfo>,
        factors: Vec<FactorRun>,
        normals: Vec<NormalRun>,
        contacts: Vec<ContactPlace>,
        bent: Vec<Bent>,
    ) -> Self {
        // Contacts look for themselves.
        let around = |e: &ElementInfo| {
            e.contact.is_none() && (e.on.on.frames().next().is_some() || !e.inputs.is_empty())
        };
        let looks_around = list.iter().any(|e| around(e) && !(e.g.is_empty() && e.m.is_empty()));
        let switch_owner =
            list.iter().enumerate().flat_map(|(i, e)| std::iter::repeat_n(i, e.g.len())).collect();
        let holds = list.iter().enumerate().flat_map(|(i, e)| Hold::all(i, e)).collect();
        Self { list, factors, normals, looks_around, contacts, holds, switch_owner, bent }
    }

    /// Factors on parameters of laws.
    pub(crate) fn factors(&self) -> &[FactorRun] {
        &self.factors
    }

    /// Forces that press the surfaces of friction together.
    pub(crate) fn normals(&self) -> &[NormalRun] {
        &self.normals
    }

    /// Elements that are contacts.
    pub(crate) fn contacts(&self) -> &[ContactPlace] {
        &self.contacts
    }

    /// Coordinates that elements can hold.
    #[inline]
    pub(crate) fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// Element of every switching function; those of switches follow.
    #[inline]
    pub(crate) fn switch_owner(&self) -> &[usize] {
        &self.switch_owner
    }

    /// Rotation vectors that elements act on.
    #[inline]
    pub(crate) fn bent(&self) -> &[Bent] {
        &self.bent
    }
}

impl Deref for Elements {
    type Target = [ElementInfo];

    #[inline]
    fn deref(&self) -> &[ElementInfo] {
        &self.list
    }
}

/// A rotation vector between frames that an element acts on. It is unique within half a turn.
#[derive(Clone, Debug)]
pub(crate) struct Bent {
    pub(crate) between: [usize; 2],
    pub(crate) element: String,
    /// Where the memory has its last three components (rad).
    pub(crate) place: usize,
}

/// An element with its places in the flat vectors.
#[derive(Clone, Debug)]
pub(crate) struct ElementInfo {
    pub(crate) name: String,
    pub(crate) kind: Acting,
    pub(crate) on: Attached,
    pub(crate) parameters: Vec<Param>,
    /// Entries of its lists.
    pub(crate) size: usize,
    pub(crate) inputs: Vec<Program>,
    /// Places of its parameters among those of the laws, of its inputs, and of its outputs in the table.
    pub(crate) p: Range<usize>,
    pub(crate) u: Range<usize>,
    pub(crate) y: Range<usize>,
    /// Accounts of the ledger.
    pub(crate) accounts: Range<usize>,
    /// States, memory and switching functions.
    pub(crate) z: Range<usize>,
    pub(crate) m: Range<usize>,
    pub(crate) g: Range<usize>,
    /// Its place among the contacts, if it is one.
    pub(crate) contact: Option<usize>,
    /// Whether its load is the force of a contact, which has to be evaluated first.
    pub(crate) late: bool,
}
