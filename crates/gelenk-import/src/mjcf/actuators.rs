//! Actuators as drives: those whose effort is affine in the command, the position and the velocity of a joint or a fixed
//! tendon.

use super::Reader;
use super::effective;
use super::settings::word;
use crate::drives::{Command, Drive, Target};
use crate::names::{Name, shown};
use crate::values::View;

/// Gains, biases and the rest of an actuator, as the kind of the element gives them.
struct Law {
    gain: [f64; 3],
    bias: [f64; 3],
    /// Damping ratio of a position servo, in place of its damping.
    damping_ratio: Option<f64>,
}

impl<'a> Reader<'a, '_> {
    pub(super) fn actuators(&mut self, root: usize) {
        let sections: Vec<usize> = self.document.named(root, "actuator").collect();
        let mut ratios = Vec::new();
        for section in sections {
            for element in self.document.children(section) {
                let own = View::new(self.document, element);
                let class = own.text("class");
                let view = own.with_defaults(self.defaults.of(class, "actuator"));
                self.robot.left_out.at(view.span());
                let made = self.actuator(&view, self.document.name(element));
                self.controls.push(made.as_ref().map(|_| self.robot.drives.len()));
                if let Some((drive, ratio)) = made {
                    ratios.extend(ratio.map(|ratio| (self.robot.drives.len(), ratio)));
                    self.robot.drives.push(drive);
                }
            }
        }
        for (drive, ratio) in ratios {
            self.damp(drive, ratio);
        }
        self.limit_joints();
    }

    /// A drive, and the damping ratio that still has to become its damping.
    fn actuator(&mut self, view: &View<'a>, tag: &'a str) -> Option<(Drive, Option<f64>)> {
        let name = view.name();
        if !self.settings.actuation {
            self.robot.left_out.add("disabled actuators", name);
            return None;
        }
        let law = self.law(view, tag)?;
        let target = self.target(view, tag)?;
        if view.number("delay", self.report).is_some_and(|delay| delay != 0.0) {
            self.robot.left_out.add("delays of actuators", name);
        }
        let given = Some(name).filter(|name| !name.is_empty());
        let base = given.map_or_else(|| self.target_name(target), str::to_owned);
        let (Target::Joint(link) | Target::Tendon(link)) = target;
        let mut drive = Drive::effort(&base, link);
        // A drive cannot have the name of a coordinate.
        if let Some(given) = given.filter(|given| !self.joints.contains_key(given)) {
            drive.name = Name::new(Some(given), "drive");
        }
        drive.target = target;
        let gear = view.numbers("gear", self.report).unwrap_or_default();
        drive.gear = gear.first().copied().unwrap_or(1.0);
        (drive.gain, drive.bias) = (law.gain, law.bias);
        let plain = law.gain[1] == 0.0 && law.gain[2] == 0.0 && law.gain[0] != 0.0;
        drive.kind = match law.bias {
            [_, b1, _] if plain && b1 == -law.gain[0] => Command::Position,
            [_, 0.0, b2] if plain && b2 == -law.gain[0] => Command::Velocity,
            _ => Command::Effort,
        };
        let limited = tag == "damper";
        drive.command_range = if limited {
            view.fixed::<2>("ctrlrange", self.report)
        } else {
            self.limited(view, "ctrlrange", "ctrllimited").or_else(|| self.inherited(view, target))
        };
        drive.effort_range = self.limited(view, "forcerange", "forcelimited");
        self.reflected(view, target, drive.gear);
        Some((drive, law.damping_ratio))
    }

    /// Gain and bias by the kind of the actuator; kinds with a state of their own are listed.
    fn law(&mut self, view: &View<'a>, tag: &str) -> Option<Law> {
        let name = view.name();
        let mut number = |attribute: &str| view.number(attribute, self.report);
        let (kp, kv, time, ratio) = (number("kp"), number("kv"), number("timeconst"), number("dampratio"));
        let gains = view.numbers("gainprm", self.report);
        let first = gains.as_ref().and_then(|gains| gains.first().copied());
        let three = |list: Option<Vec<f64>>, default: [f64; 3]| {
            let list = list.unwrap_or_default();
            [0, 1, 2].map(|i| list.get(i).copied().unwrap_or(default[i]))
        };
        let state = |law: Law, has_state: bool| {
            if has_state { Err("actuators with activation states") } else { Ok(law) }
        };
        let law = |gain, bias| Law { gain, bias, damping_ratio: None };
        let made = match tag {
            "motor" => Ok(law([1.0, 0.0, 0.0], [0.0; 3])),
            "position" => {
                let kp = kp.or(first).unwrap_or(1.0);
                let mut law = law([kp, 0.0, 0.0], [0.0, -kp, -kv.unwrap_or(0.0)]);
                law.damping_ratio = ratio.filter(|ratio| *ratio > 0.0);
                state(law, time.is_some_and(|time| time > 0.0))
            }
            "velocity" => {
                let kv = kv.or(first).unwrap_or(1.0);
                Ok(law([kv, 0.0, 0.0], [0.0, 0.0, -kv]))
            }
            "damper" => Ok(law([0.0, 0.0, -kv.unwrap_or(0.0)], [0.0; 3])),
            "general" => {
                let mut kind = |attribute: &str, default: &'static str, words: &[&'static str]| {
                    view.get(attribute).map_or(Some(default), |value| word(value, words, self.report))
                };
                let dynamics = kind("dyntype", "none", &DYNAMICS)?;
                let gain = kind("gaintype", "fixed", &GAINS)?;
                let bias = kind("biastype", "none", &BIASES)?;
                if !matches!(gain, "fixed" | "affine") || !matches!(bias, "none" | "affine") {
                    Err("actuators that are not affine in command, length and velocity")
                } else if gains.is_none() && (kp.is_some() || kv.is_some()) {
                    Err("general actuators that inherit from another type of actuator")
                } else {
                    let mut g = three(gains, [1.0, 0.0, 0.0]);
                    if gain == "fixed" {
                        (g[1], g[2]) = (0.0, 0.0);
                    }
                    let given = view.numbers("biasprm", self.report);
                    let b = if bias == "affine" { three(given, [0.0; 3]) } else { [0.0; 3] };
                    let mut law = law(g, b);
                    // A positive entry there is a damping ratio.
                    if b[1] == -g[0] && b[2] > 0.0 && gain == "fixed" {
                        law.damping_ratio = Some(b[2]);
                        law.bias[2] = 0.0;
                    }
                    state(law, dynamics != "none")
                }
            }
            other => {
                self.robot.left_out.add(&format!("actuators ({other})"), name);
                return None;
            }
        };
        made.map_err(|kind| self.robot.left_out.add(kind, name)).ok()
    }

    /// What an actuator acts on; what has no counterpart is listed.
    fn target(&mut self, view: &View<'a>, tag: &str) -> Option<Target> {
        for attribute in ["joint", "jointinparent"] {
            if view.get(attribute).is_some() {
                let link = self.joint_named(view, attribute)?;
                if self.robot.links.get(link).is_some_and(|link| link.joint.is_scalar()) {
                    return Some(Target::Joint(link));
                }
                self.robot.left_out.add("actuators of ball and free joints", view.name());
                return None;
            }
        }
        if view.get("tendon").is_some() {
            let found = self.tendon_named(view, "tendon").map(Target::Tendon);
            if found.is_none() {
                self.robot.left_out.add("actuators of tendons that are not converted", view.name());
            }
            return found;
        }
        self.robot.left_out.add(&format!("actuators of sites and bodies ({})", shown(tag)), view.name());
        None
    }

    fn target_name(&self, target: Target) -> String {
        match target {
            Target::Joint(link) => {
                self.robot.links.get(link).map_or("drive", |link| link.joint.name.wanted()).to_owned()
            }
            Target::Tendon(tendon) => {
                self.robot.tendons.get(tendon).map_or("drive", |tendon| tendon.name.as_str()).to_owned()
            }
        }
    }

    /// The range of commands that `inheritrange` takes from the joint.
    fn inherited(&mut self, view: &View<'a>, target: Target) -> Option<[f64; 2]> {
        let share = view.number("inheritrange", self.report).filter(|share| *share > 0.0)?;
        let Target::Joint(link) = target else {
            self.robot.left_out.add("ranges of commands from tendons (inheritrange)", view.name());
            return None;
        };
        let [lower, upper] = self.robot.links.get(link)?.joint.range?;
        let (mean, radius) = ((lower + upper) / 2.0, (upper - lower) / 2.0 * share);
        Some([mean - radius, mean + radius])
    }

    /// Inertia and damping of the actuator itself, seen through the gear.
    fn reflected(&mut self, view: &View<'a>, target: Target, gear: f64) {
        let mut first = |attribute: &str| {
            let list = view.numbers(attribute, self.report).unwrap_or_default();
            (list.first().copied().unwrap_or(0.0), list.iter().skip(1).any(|x| *x != 0.0))
        };
        let ((armature, _), (damping, curved)) = (first("armature"), first("damping"));
        if armature == 0.0 && damping == 0.0 && !curved {
            return;
        }
        let Target::Joint(link) = target else {
            self.robot.left_out.add("inertia and damping of actuators of tendons", view.name());
            return;
        };
        if curved {
            self.robot.left_out.add("nonlinear damping of actuators", view.name());
        }
        if let Some(link) = self.robot.links.get_mut(link) {
            link.joint.armature += armature * gear * gear;
            link.joint.damping += if self.settings.dampers { damping * gear * gear } else { 0.0 };
        }
    }

    /// The damping of a servo from its ratio: `2 z sqrt(k m)` with the inertia `m` that the servo sees.
    fn damp(&mut self, drive: usize, ratio: f64) {
        let Some(found) = self.robot.drives.get(drive) else { return };
        let factors = match found.target {
            Target::Joint(link) => vec![(link, found.gear)],
            Target::Tendon(tendon) => {
                let joints = self.robot.tendons.get(tendon).map_or(&[][..], |tendon| &tendon.joints);
                joints.iter().map(|&(link, factor)| (link, factor * found.gear)).collect()
            }
        };
        let seen = effective::inertia(&self.robot, &factors);
        let Some(drive) = self.robot.drives.get_mut(drive) else { return };
        match seen {
            Some(seen) => drive.bias[2] = -2.0 * ratio * (drive.gain[0] * seen).max(0.0).sqrt(),
            None => self.robot.left_out.add("damping ratios of actuators (dampratio)", drive.name.wanted()),
        }
    }

    /// Limits of what all actuators of a joint may give together.
    fn limit_joints(&mut self) {
        for (i, link) in self.robot.links.iter().enumerate() {
            let Some(range) = link.joint.effort_range else { continue };
            let tendons = &self.robot.tendons;
            let acts = |target: Target| match target {
                Target::Joint(link) => link == i,
                Target::Tendon(t) => tendons.get(t).is_some_and(|t| t.joints.iter().any(|j| j.0 == i)),
            };
            let mut acting = self.robot.drives.iter_mut().filter(|drive| acts(drive.target));
            let (first, second) = (acting.next(), acting.next());
            let kind = match (first, second) {
                (Some(drive), None) if drive.target == Target::Joint(i) => {
                    drive.joint_range = Some(range);
                    continue;
                }
                (None, _) => "effort limits of joints without a drive",
                _ => "effort limits of joints with several drives (actuatorfrcrange)",
            };
            self.robot.left_out.nowhere();
            self.robot.left_out.add(kind, link.joint.name.wanted());
        }
    }
}

const DYNAMICS: [&str; 6] = ["none", "integrator", "filter", "filterexact", "muscle", "user"];
const GAINS: [&str; 4] = ["fixed", "affine", "muscle", "user"];
const BIASES: [&str; 4] = ["none", "affine", "muscle", "user"];
