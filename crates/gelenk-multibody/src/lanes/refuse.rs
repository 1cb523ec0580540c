//! What does not run in lockstep.

use gelenk_system::Fault;

use crate::mechanism::{LinkKind, Mechanism};

/// Velocities of a mechanism at most: the Jacobian of a step costs one evaluation each.
const MOST: usize = 12;

impl Mechanism {
    /// Refuses, by its name, the first thing that does not run in lockstep.
    pub(super) fn refuse_in_lanes(&self, stepped: bool) -> Result<(), Fault> {
        match self.alone(stepped) {
            None => Ok(()),
            Some((element, what)) => Err(Fault::Refused {
                element,
                reason: format!("{what} does not run in lanes; run single runs (batch) instead"),
            }),
        }
    }

    /// What needs single runs, and why.
    fn alone(&self, stepped: bool) -> Option<(String, String)> {
        let named = |name: &str, what: &str| Some((name.to_owned(), what.to_owned()));
        if let Some(own) = self.loops.first() {
            return named(&format!("loop {}", own.name), "a loop");
        }
        let turns = |kind: &LinkKind| matches!(kind, LinkKind::Ball { .. } | LinkKind::Free { .. });
        if let Some(link) = self.links.iter().find(|link| turns(&link.kind)) {
            return named(&format!("joint {}", link.joint), "a joint with a quaternion");
        }
        if self.layout.nv > MOST {
            let what = format!("a mechanism of {} velocities, more than {MOST},", self.layout.nv);
            return Some((self.velocity_name(MOST).to_owned(), what));
        }
        if let Some(element) = self.elements.iter().find(|element| element.contact.is_some()) {
            return named(&element.name, "a contact");
        }
        if let Some(hold) = self.elements.holds().first() {
            return named(&self.elements[hold.element].name, "what holds a coordinate at rest or at a limit");
        }
        let pressed = self.elements.normals().iter().map(|run| run.element);
        let follows = self.elements.factors().iter().map(|run| run.element);
        if let Some(element) = pressed.chain(follows).next() {
            return named(&self.elements[element].name, "friction that follows its surroundings");
        }
        if !self.signals.switches().is_empty() {
            return named(self.turned_name(0), "a switch");
        }
        if let Some(counted) = self.counted.first() {
            let name = self.frames[counted.between[1]].name.clone();
            return Some((name, "an angle that is counted over turns".into()));
        }
        if let Some(bent) = self.elements.bent().first() {
            return named(&bent.element, "a bushing between frames");
        }
        let owner = self.elements.switch_owner().first().filter(|_| !stepped);
        let owner = owner.map(|&owner| &self.elements[owner]);
        owner.map(|element| {
            let name = element.kind.spec().name;
            (element.name.clone(), format!("{name}, whose modes change at events in continuous methods,"))
        })
    }
}
