//! Prefixes of names, paths and formulas.

use super::Reflection;
use crate::elements::ElementPlace;
use crate::friction::FrictionLaw;
use crate::joints::{JointCoordinate, JointType};
use crate::model_file::ModelFile;
use crate::quantity::Formula;
use crate::rubbing::Place;
use gelenk_file::read::{Named, Read, Text, Visitor};
use gelenk_math::expression::Renamed;
use std::collections::BTreeMap;

/// What names of a part become in the model that uses it.
pub(super) struct Naming<'a> {
    /// What they begin with.
    pub(super) prefix: &'a str,
    /// The frame that the part's ground becomes.
    pub(super) ground: &'a str,
}

impl Naming<'_> {
    /// A name that the part defines.
    fn define(&self, name: &mut Text) {
        name.text.insert_str(0, self.prefix);
    }

    /// A name of a body or frame that the part uses.
    fn refer(&self, name: &mut Text) {
        if name.text == "ground" {
            name.text = self.ground.to_owned();
        } else {
            self.define(name);
        }
    }

    /// The path that a path of the part becomes: the name behind its table gets the prefix.
    pub(super) fn path(&self, path: &str) -> String {
        match path.split_once('.') {
            Some((table, rest)) => format!("{table}.{}{rest}", self.prefix),
            None => path.to_owned(),
        }
    }

    fn table<T>(&self, table: &mut Named<T>, mut change: impl FnMut(&Self, &mut T)) {
        for (name, value) in table.iter_mut() {
            self.define(name);
            change(self, value);
        }
        table.broken.iter_mut().for_each(|name| self.define(name));
    }
}

/// Gives everything in the model its prefix. `reflection` is that of the part: formulas use what the part means by the
/// velocities of its free joints, which a mirror reverses.
pub(super) fn rename(model: &mut ModelFile, naming: &Naming<'_>, reflection: Reflection) {
    let signs = spin_signs(model, reflection);
    model.walk(&mut Prefix { naming, signs });
    let ModelFile {
        span: _,
        schema: _,
        title: _,
        include: _,
        gravity: _,
        up: _,
        parts,
        parameters,
        curves,
        bodies,
        joints,
        coordinates,
        frames,
        loops,
        forces,
        materials,
        pairings,
        surfaces,
        contacts,
        measures,
        friction,
        signals,
        switches,
        sensors,
        controllers,
        drives,
        outputs,
        simulate: _,
        elements,
    } = model;
    naming.table(parts, |_, _| {});
    naming.table(parameters, |_, _| {});
    naming.table(curves, |_, _| {});
    naming.table(bodies, |naming, body| body.inertia_frame.iter_mut().for_each(|name| naming.define(name)));
    naming.table(joints, |naming, joint| {
        naming.refer(&mut joint.parent);
        naming.refer(&mut joint.child);
        let several = joint.coordinates.iter_mut().flat_map(|list| &mut list.value);
        for coordinate in joint.coordinate.iter_mut().chain(several) {
            match coordinate {
                JointCoordinate::Name(name) => naming.define(name),
                JointCoordinate::Table(table) => {
                    table.name.iter_mut().for_each(|name| naming.define(name));
                    pressed(naming, table.friction.as_mut());
                }
            }
        }
        pressed(naming, joint.friction.as_mut());
    });
    naming.table(coordinates, |naming, item| pressed(naming, item.friction.as_mut()));
    naming.table(frames, |naming, frame| naming.refer(&mut frame.body));
    let pair =
        |naming: &Naming<'_>, pair: &mut [Text; 2]| pair.iter_mut().for_each(|name| naming.refer(name));
    naming.table(loops, |naming, item| {
        item.between.iter_mut().for_each(|between| pair(naming, &mut between.value.0));
    });
    naming.table(forces, |naming, item| {
        naming.refer(&mut item.on);
        // Components without axes are those of the part's ground.
        let axes = item.axes.get_or_insert_with(|| Text { text: "ground".to_owned(), span: item.on.span });
        naming.refer(axes);
    });
    naming.table(materials, |_, _| {});
    naming.table(pairings, |naming, item| {
        let named = item.between.0.iter_mut().filter(|name| &***name != crate::check::contacts::RIGID);
        named.for_each(|name| naming.define(name));
    });
    naming.table(surfaces, |naming, item| {
        naming.refer(&mut item.on);
        item.material.iter_mut().chain(&mut item.group).for_each(|name| naming.define(name));
    });
    naming.table(contacts, |naming, item| {
        let lists = item.pairs.iter_mut().chain(&mut item.except).flatten();
        let pairs = item.between.iter_mut().chain(lists).flat_map(|pair| &mut pair.0);
        pairs.for_each(|name| naming.define(name));
        let materials = item.materials.iter_mut().flat_map(|pair| &mut pair.0);
        materials
            .filter(|name| &***name != crate::check::contacts::RIGID)
            .for_each(|name| naming.define(name));
    });
    naming.table(measures, |naming, item| pair(naming, &mut item.between.0));
    naming.table(friction, |naming, item| {
        match &mut item.place {
            Place::Coordinate(on) => naming.define(on),
            Place::Between(between, _) => pair(naming, &mut between.0),
        }
        pressed(naming, Some(&mut item.law));
    });
    naming.table(signals, |_, _| {});
    naming.table(switches, |_, _| {});
    naming.table(sensors, |_, _| {});
    naming.table(controllers, |_, _| {});
    naming.table(drives, |naming, item| naming.define(&mut item.on));
    naming.table(outputs, |_, _| {});
    for table in elements.tables_mut() {
        naming.table(table, |naming, item| match &mut item.place {
            ElementPlace::Coordinate(on) => naming.define(on),
            ElementPlace::Between(between, _) => pair(naming, &mut between.0),
        });
    }
}

/// What the normal force of friction comes from.
fn pressed(naming: &Naming<'_>, law: Option<&mut FrictionLaw>) {
    if let Some(normal) = law.and_then(|law| law.normal.as_mut()) {
        normal.names().for_each(|name| naming.define(name));
    }
}

/// Components of free and ball joints, and whether the mirror reverses them.
fn spin_signs(model: &ModelFile, reflection: Reflection) -> BTreeMap<String, bool> {
    let mut signs = BTreeMap::new();
    for (name, joint) in model.joints.iter() {
        let turning = match joint.kind.value {
            JointType::Free => true,
            JointType::Ball => joint.coordinates.is_none(),
            _ => false,
        };
        if turning {
            for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                for (kind, reversed) in [
                    ("", reflection.polar(k)),
                    ("v", reflection.polar(k)),
                    ("q", reflection.axial(k)),
                    ("w", reflection.axial(k)),
                ] {
                    signs.insert(format!("{}.{kind}{axis}", name.text), reversed);
                }
            }
        }
    }
    signs
}

struct Prefix<'a> {
    naming: &'a Naming<'a>,
    signs: BTreeMap<String, bool>,
}

impl Prefix<'_> {
    fn name(&self, name: &str) -> String {
        let prefix = self.naming.prefix;
        match name.strip_prefix("parameters.") {
            Some(short) => format!("parameters.{prefix}{short}"),
            None if name == "t" => name.to_owned(),
            None => format!("{prefix}{name}"),
        }
    }
}

impl Visitor for Prefix<'_> {
    fn path(&mut self, path: &mut String) {
        *path = self.naming.path(path);
    }

    fn formula(&mut self, formula: &mut Formula) {
        // A formula that is only a name is recognised by its text.
        let alone = formula.text.trim();
        if formula.expression.variables().any(|(name, _)| name == alone) {
            formula.text = self.name(alone);
        }
        formula.expression = formula.expression.renamed(
            &|name| Renamed {
                name: self.name(name),
                reversed: self.signs.get(name).copied().unwrap_or(false),
            },
            &|curve| format!("{}{curve}", self.naming.prefix),
        );
    }
}
