//! Parts put into the model that uses them.

use super::rename::{Naming, rename};
use super::{Part, Reflection, mirror::mirror};
use crate::model_file::{Frame, ModelFile};
use crate::quantity::{Formula, Number};
use gelenk_file::read::{Read, Text};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::role::{Role, Sort};
use gelenk_file::visit::Visitor;
use gelenk_math::suggest::closest;

/// Names that a model gives; models made of parts of parts grow fast.
pub(crate) fn size(model: &mut ModelFile) -> usize {
    let mut count = Count(0);
    model.walk(Role::Plain, &mut count);
    count.0
}

struct Count(usize);

impl Visitor for Count {
    fn name(&mut self, _: Sort, _: &mut Text) {
        self.0 += 1;
    }
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
    whole.absorb(model, Role::Plain, report);
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
    model.walk(Role::Plain, &mut search);
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
    fn number(&mut self, _: Role, number: &mut Number) {
        if number.path == self.path {
            number.formula = self.value.clone();
            self.found = true;
        } else {
            self.known.push(number.path.clone());
        }
    }
}
