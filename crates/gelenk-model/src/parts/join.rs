//! Parts put into the model that uses them.

use super::rename::{Naming, rename};
use super::{Part, Reflection, mirror::mirror};
use crate::model_file::{Frame, ModelFile};
use crate::quantity::{Formula, Number};
use gelenk_file::read::{Named, Read, Text, Visitor};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::suggest::closest;

/// Entries of all tables; models made of parts of parts grow fast.
pub(crate) fn size(model: &ModelFile) -> usize {
    fn len<T>(table: &Named<T>) -> usize {
        table.len()
    }
    len(&model.bodies)
        + len(&model.joints)
        + len(&model.frames)
        + len(&model.parameters)
        + len(&model.curves)
        + len(&model.signals)
        + len(&model.outputs)
        + len(&model.forces)
        + len(&model.loops)
}

/// Puts `model`, the content of the file of a part, into `whole`.
pub(crate) fn join(
    whole: &mut ModelFile,
    name: &Text,
    part: &Part,
    mut model: ModelFile,
    report: &mut Report,
) {
    let prefix = match &part.prefix {
        Some(prefix) => prefix.text.clone(),
        None => format!("{}_", name.text.replace('-', "_")),
    };
    let naming = Naming { prefix: &prefix, ground: name };
    let reflection = part.mirror.map(Reflection::in_plane).unwrap_or_default();
    rename(&mut model, &naming, reflection);
    for (path, value) in &part.set.0 {
        set(&mut model, &naming, name, path, value, report);
    }
    mirror(&mut model, reflection);
    let frame = Frame {
        span: part.span,
        body: part.on.clone(),
        position: part.position.clone(),
        orientation: part.orientation.clone(),
    };
    let taken = whole.frames.names().find(|known| known.text == name.text).map(|known| known.span);
    match taken {
        Some(known) => report.push(
            Diagnostic::error(name.span, format!("\"{}\" names both a part and a frame", name.text))
                .related(known, "the frame")
                .help("the ground of a part is a frame with the name of the part"),
        ),
        None => whole.frames.push(name.clone(), frame),
    }
    let ModelFile {
        span: _,
        schema: _,
        title: _,
        include: _,
        gravity: _,
        up: _,
        // Its own parts are joined already.
        parts: _,
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
    whole.parameters.absorb(parameters, report);
    whole.curves.absorb(curves, report);
    whole.bodies.absorb(bodies, report);
    whole.joints.absorb(joints, report);
    whole.coordinates.absorb(coordinates, report);
    whole.frames.absorb(frames, report);
    whole.loops.absorb(loops, report);
    whole.forces.absorb(forces, report);
    whole.materials.absorb(materials, report);
    whole.pairings.absorb(pairings, report);
    whole.surfaces.absorb(surfaces, report);
    whole.contacts.absorb(contacts, report);
    whole.measures.absorb(measures, report);
    whole.friction.absorb(friction, report);
    whole.signals.absorb(signals, report);
    whole.switches.absorb(switches, report);
    whole.sensors.absorb(sensors, report);
    whole.controllers.absorb(controllers, report);
    whole.drives.absorb(drives, report);
    whole.outputs.absorb(outputs, report);
    whole.elements.absorb(elements, report);
}

/// Gives a number of the part another value, which may use parameters of the whole.
fn set(
    model: &mut ModelFile,
    naming: &Naming<'_>,
    name: &Text,
    path: &Text,
    value: &Number,
    report: &mut Report,
) {
    let mut search =
        Search { path: naming.path(path), value: &value.formula, found: false, known: Vec::new() };
    model.walk(&mut search);
    if !search.found {
        // Paths are told as the file of the part has them.
        let skipped = naming.prefix.len();
        let known: Vec<String> = search
            .known
            .iter()
            .filter_map(|known| {
                let (table, rest) = known.split_once('.')?;
                Some(format!("{table}.{}", rest.get(skipped..)?))
            })
            .collect();
        let near = closest(path, known.iter().map(String::as_str));
        let message = format!("the part \"{}\" has no number \"{}\"", name.text, path.text);
        report.push(
            Diagnostic::error(path.span, message)
                .help("paths are those of the part's own file, as in \"parameters.length\"")
                .meant(near),
        );
    }
}

struct Search<'a> {
    path: String,
    value: &'a Formula,
    found: bool,
    known: Vec<String>,
}

impl Visitor for Search<'_> {
    fn formula(&mut self, _: &mut Formula) {}

    fn number(&mut self, number: &mut Number) {
        if number.path == self.path {
            number.formula = self.value.clone();
            self.found = true;
        } else {
            self.known.push(number.path.clone());
        }
    }
}
