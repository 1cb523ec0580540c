//! Inertias that no body has, found where all numbers are known: after reading, and after `--set`.

use super::Compiled;
use crate::inertia::{Piece, Verdict, judge};
use crate::model_file::{Body, ModelFile};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_math::rotation::cardan;
use gelenk_math::spatial::{Mat3, Pose, Vec3};
use gelenk_multibody::blueprint::{BodyRef, JointMotion};
use gelenk_system::Param;

/// Why an inertia is refused.
pub(super) const REASON: &str = "the largest principal moment exceeds the sum of the others";

impl Compiled {
    /// What the inertias of the bodies mean for the motion, with the parameters as they stand.
    pub(super) fn inertias(&self, values: &[f64]) -> Vec<Verdict> {
        let of = |param: &Param| values.get(param.index()).copied().unwrap_or(0.0);
        let vector = |params: &[Param; 3]| Vec3::from_fn(|i, _| of(&params[i]));
        let mut pieces: Vec<Piece> = self
            .blueprint
            .bodies
            .iter()
            .map(|body| {
                let [xx, yy, zz, xy, xz, yz] = body.inertia.map(|param| of(&param));
                Piece {
                    mass: of(&body.mass),
                    centre: vector(&body.centre),
                    tensor: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
                    parent: None,
                    pose: Pose::identity(),
                    rigid: false,
                }
            })
            .collect();
        let pose = |position, orientation| Pose::new(cardan(vector(orientation).into()), vector(position));
        for joint in &self.blueprint.joints {
            let mut place = pose(&joint.position, &joint.orientation);
            let mut on = joint.parent;
            // Frames on frames end at a body; a model that was not checked might not.
            for _ in 0..=self.blueprint.frames.len() {
                let BodyRef::Frame(frame) = on else { break };
                let Some(frame) = self.blueprint.frames.get(frame) else { break };
                place = pose(&frame.position, &frame.orientation) * place;
                on = frame.body;
            }
            let Some(piece) = pieces.get_mut(joint.child) else { continue };
            piece.parent = if let BodyRef::Body(body) = on { Some(body) } else { None };
            piece.pose = place;
            piece.rigid = matches!(joint.motion, JointMotion::Fixed);
        }
        judge(&pieces)
    }

    /// Reports the impossible inertias of a model: as errors, or as warnings where they do not matter.
    pub(super) fn report_inertias(&self, model: &ModelFile, report: &mut Report) {
        for (verdict, (name, body)) in
            self.inertias(&self.parameters.values()).into_iter().zip(model.bodies.iter())
        {
            let message = format!("no body has the inertia of \"{}\"", name.text);
            let warning = |help: &str| Diagnostic::warning(place(body), &*message).label(REASON).help(help);
            report.push(match verdict {
                Verdict::Possible => continue,
                Verdict::OnGround => {
                    warning("this body is fixed to the ground, so its inertia does not count")
                }
                Verdict::Together => warning(
                    "together with the bodies fixed to it the inertia is possible, and only that counts",
                ),
                Verdict::Impossible => Diagnostic::error(place(body), message)
                    .label(REASON)
                    .help("the order is xx, yy, zz, xy, xz, yz; about the centre of mass"),
            });
        }
    }

    /// Bounds the moments of inertia. What was accepted stays admissible: noise below zero is no reason to refuse a run. What
    /// only shapes can have brought about, such as a mesh with a part that faces inwards, is reported here.
    pub(super) fn settle_inertias(&mut self, model: &ModelFile, report: &mut Report) {
        let values = self.parameters.values();
        let verdicts = self.inertias(&values);
        let bodies = self.blueprint.bodies.iter().zip(model.bodies.iter());
        for (verdict, (lowered, (name, body))) in verdicts.into_iter().zip(bodies) {
            if verdict == Verdict::Impossible {
                let message = format!("no body has the inertia of \"{}\"", name.text);
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
