//! The reflected model. Coordinates, lengths, laws and curves keep their values; vectors change their components.

use super::Reflection;
use crate::forces::MeasureType;
use crate::joints::{Joint, JointType};
use crate::model_file::{Body, ModelFile, Shape};
use crate::quantity::{Formula, Vec3};
use crate::rubbing::{Place, Way};
use crate::stops::JointStop;
use gelenk_file::fields::Three;

impl Reflection {
    fn polar_vector<Q>(self, vector: &mut Vec3<Q>) {
        for (k, number) in vector.0.iter_mut().enumerate() {
            negate_if(self.polar(k), &mut number.0.formula);
        }
    }

    fn axial_vector<Q>(self, vector: &mut Vec3<Q>) {
        for (k, number) in vector.0.iter_mut().enumerate() {
            negate_if(self.axial(k), &mut number.0.formula);
        }
    }

    fn polar_formulas(self, vector: &mut Three<Formula>) {
        vector.0.iter_mut().enumerate().for_each(|(k, formula)| negate_if(self.polar(k), formula));
    }

    fn axial_formulas(self, vector: &mut Three<Formula>) {
        vector.0.iter_mut().enumerate().for_each(|(k, formula)| negate_if(self.axial(k), formula));
    }

    fn joint(self, joint: &mut Joint) {
        joint.reflection = self.after(joint.reflection);
        self.polar_vector(&mut joint.position);
        self.axial_vector(&mut joint.orientation);
        match joint.kind.value {
            JointType::Prismatic => self.polar_vector(&mut joint.axis),
            _ => self.axial_vector(&mut joint.axis),
        }
        for axis in joint.axes.iter_mut().flat_map(|axes| &mut axes.vectors) {
            self.axial_vector(axis);
        }
        if let Some(JointStop::Ball(stop)) = &mut joint.stop {
            self.axial_vector(&mut stop.axis);
        }
        if let Some(start) = &mut joint.start {
            self.polar_vector(&mut start.position);
            self.axial_vector(&mut start.orientation);
            self.polar_vector(&mut start.velocity);
            self.axial_vector(&mut start.angular_velocity);
        }
    }

    /// The tensor `I` becomes `S I S`: products change their sign with that of both axes.
    fn body(self, body: &mut Body) {
        self.polar_vector(&mut body.centre);
        if let Some(Shape::Mesh(mesh)) = &mut body.shape {
            mesh.reflection = self.after(mesh.reflection);
        }
        for (_, piece) in body.shapes.iter_mut() {
            self.polar_vector(&mut piece.position);
            self.axial_vector(&mut piece.orientation);
            piece.mesh.iter_mut().for_each(|mesh| mesh.reflection = self.after(mesh.reflection));
        }
        if let Some(inertia) = &mut body.inertia {
            for (number, (i, k)) in inertia.0.iter_mut().skip(3).zip([(0, 1), (0, 2), (1, 2)]) {
                negate_if(self.polar(i) != self.polar(k), &mut number.0.formula);
            }
        }
    }
}

fn negate_if(reversed: bool, formula: &mut Formula) {
    if reversed {
        formula.negate();
    }
}

/// Reflects the model in a plane of its ground. Frames keep three axes of the right-handed kind, so the components of
/// frames, axes and vectors change as [`Reflection`] says.
pub(super) fn mirror(model: &mut ModelFile, reflection: Reflection) {
    for (_, body) in model.bodies.iter_mut() {
        reflection.body(body);
    }
    for (_, joint) in model.joints.iter_mut() {
        reflection.joint(joint);
    }
    for (_, frame) in model.frames.iter_mut() {
        reflection.polar_vector(&mut frame.position);
        reflection.axial_vector(&mut frame.orientation);
    }
    for (_, force) in model.forces.iter_mut() {
        force.force.iter_mut().for_each(|vector| reflection.polar_formulas(&mut vector.value));
        force.torque.iter_mut().for_each(|vector| reflection.axial_formulas(&mut vector.value));
    }
    for (_, surface) in model.surfaces.iter_mut() {
        surface.reflection = reflection.after(surface.reflection);
    }
    for table in model.elements.tables_mut() {
        table.iter_mut().for_each(|(_, element)| element.mirror(reflection));
    }
    for (_, element) in model.friction.iter_mut() {
        element.reversed ^= match element.place {
            Place::Between(_, Way::Along(axis)) => reflection.polar(axis),
            Place::Between(_, Way::About(axis)) => reflection.axial(axis),
            Place::Between(_, Way::Plane(_)) | Place::Coordinate(_) => false,
        };
    }
    for (_, measure) in model.measures.iter_mut() {
        measure.reversed ^= match measure.kind {
            MeasureType::Distance => false,
            MeasureType::X => reflection.polar(0),
            MeasureType::Y => reflection.polar(1),
            MeasureType::Z => reflection.polar(2),
            MeasureType::Angle => reflection.axial(2),
        };
    }
}
