//! Models that could not move a moment: coordinates that move nothing, rotations that start where they are singular.

use super::coordinates::{Coordinates, Role, role};
use super::frames::body_of;
use super::parameters::Parameters;
use crate::joints::{Joint, JointType, Sequence};
use crate::model_file::{Body, ModelFile};
use crate::quantity::{Formula, Number};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_math::rotation::about_axis;
use gelenk_math::spatial::{Mat3, Vec3};
use gelenk_multibody::blueprint::CoordinateId;

/// Sine of the angle between the axes of three rotations below which they count as dependent.
const SINGULAR: f64 = 1e-6;

pub(super) fn check(
    model: &ModelFile,
    coordinates: &Coordinates,
    parameters: &Parameters,
    report: &mut Report,
) {
    if !report.has_errors() {
        massless(model, coordinates, parameters, report);
        singular(model, coordinates, parameters, report);
    }
}

/// Whether the values that the file gives make a body light as nothing.
fn weightless(body: &Body, parameters: &Parameters) -> bool {
    let zero = |formula: &Formula| parameters.value(formula) == 0.0;
    let mass = body.mass.as_ref().is_some_and(|mass| zero(&mass.formula));
    // An inertia from shapes is a share of the mass.
    mass && body.inertia.as_ref().is_none_or(|inertia| inertia.0.iter().all(|number| zero(&number.formula)))
}

/// A moving end of the tree without mass: nothing determines its motion.
fn massless(model: &ModelFile, coordinates: &Coordinates, parameters: &Parameters, report: &mut Report) {
    let bodies = &model.bodies;
    let parent_of = |joint: &Joint| bodies.position(body_of(model, &joint.parent));
    let mut heavy: Vec<bool> = bodies.iter().map(|(_, body)| !weightless(body, parameters)).collect();
    let joints: Vec<(Option<usize>, usize)> = model
        .joints
        .iter()
        .filter_map(|(_, joint)| Some((parent_of(joint), bodies.position(&joint.child)?)))
        .collect();
    // What carries weight is heavy; a tree is done after as many rounds as it is deep.
    loop {
        let light: Vec<usize> = joints
            .iter()
            .filter(|(_, child)| heavy[*child])
            .filter_map(|(parent, _)| parent.filter(|&parent| !heavy[parent]))
            .collect();
        if light.is_empty() {
            break;
        }
        light.into_iter().for_each(|parent| heavy[parent] = true);
    }
    let used_in_functions = |name: &str| {
        model.joints.iter().any(|(_, joint)| {
            let value = joint.value.iter();
            let numbers = joint.motion.iter().flat_map(|motion| {
                motion
                    .translation()
                    .into_iter()
                    .chain(motion.rotation())
                    .filter(|n| matches!(role(n, model), Role::Function))
            });
            value
                .chain(numbers.map(|number| &number.formula))
                .any(|formula| formula.expression.depends_on(name))
        })
    };
    for (index, coordinate) in coordinates.list.iter().enumerate() {
        let moves = coordinates.of_joint.iter().flatten().any(|other| other.index() == index);
        if !moves && coordinate.rotor.is_none() && !used_in_functions(&coordinate.name) {
            let message = format!("coordinate \"{}\" moves no joint", coordinate.name.text);
            report.push(
                Diagnostic::error(coordinate.name.span, message)
                    .help("use it in a joint, remove it, or give it a \"rotor_inertia\""),
            );
        }
    }
    for ((name, joint), moved) in model.joints.iter().zip(&coordinates.of_joint) {
        let Some(child) = bodies.position(&joint.child).filter(|&child| !heavy[child]) else { continue };
        let spins = match joint.kind.value {
            JointType::Free => true,
            JointType::Ball => joint.coordinates.is_none(),
            _ => false,
        };
        let alone = moved.iter().find(|&&index| {
            let uses = coordinates.of_joint.iter().flatten().filter(|&&other| other == index).count();
            let coordinate = &coordinates[index];
            uses == 1 && coordinate.rotor.is_none() && !used_in_functions(&coordinate.name)
        });
        if !spins && alone.is_none() {
            continue;
        }
        let Some((body, _)) = bodies.iter().nth(child) else { continue };
        let what = match alone {
            Some(&index) => format!("coordinate \"{}\"", coordinates[index].name.text),
            None => format!("joint \"{}\"", name.text),
        };
        report.push(
            Diagnostic::error(body.span, format!("body \"{}\" and what it carries have no mass", body.text))
                .label(format!("so nothing determines how {what} moves"))
                .related(name.span, "the joint that lets it move")
                .help("give it a mass or an inertia, make the joint \"fixed\", or give the coordinate a \"rotor_inertia\""),
        );
    }
}

/// Three successive rotations whose axes lie in a plane at the start.
fn singular(model: &ModelFile, coordinates: &Coordinates, parameters: &Parameters, report: &mut Report) {
    let start = |id: CoordinateId| {
        let start = coordinates[id].start.as_ref();
        start.map_or(0.0, |start| parameters.value(&start.value.formula))
    };
    for ((name, joint), moved) in model.joints.iter().zip(&coordinates.of_joint) {
        let found = match (joint.kind.value, moved.as_slice()) {
            (JointType::Ball, &[a, b, c]) => {
                let sequence = joint.sequence.map_or(Sequence::Xyz, |sequence| sequence.value);
                let axes = sequence.axes().map(|axis| Vec3::from_fn(|k, _| f64::from(u8::from(k == axis))));
                Some((axes, [a, b, c]))
            }
            (JointType::General, _) => general(model, joint, coordinates, parameters),
            _ => None,
        };
        let Some((axes, [a, b, c])) = found else { continue };
        let [first, second] = [about_axis(&axes[0], start(a)), about_axis(&axes[1], start(b))];
        let third = first * second * axes[2];
        let volume = Mat3::from_columns(&[axes[0], first * axes[1], third]).determinant();
        if volume.abs() < SINGULAR {
            let middle = &coordinates[b];
            let span = middle.start.as_ref().map_or(middle.name.span, |start| start.value.formula.span);
            let angle = start(b).to_degrees();
            report.push(
                Diagnostic::error(
                    span,
                    format!("joint \"{}\" starts where its angles are singular", name.text),
                )
                .label(format!("at {angle} degrees of \"{}\" two of its axes coincide", middle.name.text))
                .related(
                    coordinates[c].name.span,
                    "the first and the last angle then describe the same rotation",
                )
                .help(
                    "start elsewhere, choose another \"sequence\", or use a ball joint without coordinates",
                ),
            );
        }
    }
}

/// Axes and coordinates of a general joint that turns by three coordinates.
fn general(
    model: &ModelFile,
    joint: &Joint,
    coordinates: &Coordinates,
    parameters: &Parameters,
) -> Option<([Vec3<f64>; 3], [CoordinateId; 3])> {
    let coordinate = |number: &Number| match role(number, model) {
        Role::Coordinate(name) => coordinates.find(&name),
        _ => None,
    };
    let [a, b, c] = joint.motion.as_ref()?.rotation().map(coordinate);
    let turns = [a?, b?, c?];
    let axes = match &joint.axes {
        None => [0, 1, 2].map(|axis| Vec3::from_fn(|k, _| f64::from(u8::from(k == axis)))),
        Some(axes) => {
            let vector = |i: usize| {
                let vector = Vec3::from_fn(|k, _| parameters.value(&axes.vectors[i].0[k].formula));
                vector / vector.norm()
            };
            [vector(0), vector(1), vector(2)]
        }
    };
    Some((axes, turns))
}
