//! Inertias that no body has, found where all numbers are known: after reading, and after `--set`.

use super::Compiled;
use crate::model_file::{Body, ModelFile};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_multibody::inertia::Verdict;

/// Why an inertia is refused.
pub(super) const REASON: &str = "the largest principal moment exceeds the sum of the others";

impl Compiled {
    /// Reports the impossible inertias of a model: as errors, or as warnings where they do not matter.
    pub(super) fn report_inertias(&self, model: &ModelFile, report: &mut Report) {
        for (verdict, (name, body)) in
            self.blueprint.inertias(&self.parameters.values()).into_iter().zip(model.bodies.iter())
        {
            let message = format!("the inertia of \"{}\" is physically impossible", name.text);
            let warning = |help: &str| Diagnostic::warning(place(body), &*message).label(REASON).help(help);
            report.push(match verdict {
                Verdict::Possible => continue,
                Verdict::OnGround => {
                    warning("this body is fixed to the ground, so its inertia has no effect")
                }
                Verdict::Together => warning(
                    "together with the bodies fixed to it the inertia is possible, and only the total matters",
                ),
                Verdict::Impossible => Diagnostic::error(place(body), message)
                    .label(REASON)
                    .help("the order is xx, yy, zz, xy, xz, yz; about the centre of mass"),
            });
        }
    }

    /// Bounds the moments of inertia. What was accepted stays admissible: noise below zero does not make a run fail. What
    /// only shapes can have brought about, such as a mesh with a part that faces inwards, is reported here.
    pub(super) fn settle_inertias(&mut self, model: &ModelFile, report: &mut Report) {
        let values = self.parameters.values();
        let verdicts = self.blueprint.inertias(&values);
        let bodies = self.blueprint.bodies.iter().zip(model.bodies.iter());
        for (verdict, (lowered, (name, body))) in verdicts.into_iter().zip(bodies) {
            if verdict == Verdict::Impossible {
                let message = format!("the inertia of \"{}\" is physically impossible", name.text);
                report.push(Diagnostic::error(place(body), message).label(REASON));
            }
            for param in &lowered.inertia[..3] {
                let value = param.of(&values);
                let lower = if verdict == Verdict::Impossible { 0.0 } else { value.min(0.0) };
                self.parameters.bound(*param, lower, f64::INFINITY);
            }
        }
    }
}

/// Where the inertia of a body is given.
fn place(body: &Body) -> Span {
    let mut spans =
        body.inertia.iter().flat_map(|inertia| inertia.0.iter().map(|number| number.formula.span));
    let first = spans.next().unwrap_or(body.span);
    spans.last().map_or(first, |last| Span { end: last.end.max(first.end), ..first })
}
