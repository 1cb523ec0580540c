//! Elements and constraints in their runtime form.

use gelenk_laws::Friction;
use gelenk_math::expression::Expression;

use super::names::Names;
use super::{BuildError, check_indices};
use crate::ball_stop::{BallStopRun, CONTACTS};
use crate::blueprint::{
    Blueprint, Contact, Element, ElementKind, Factor, Loop, LoopKind, Normal, NormalForce, Rubbing, Touch,
};
use crate::contact::ContactRun;
use crate::factors::{FactorRun, NormalRun, Press, Source};
use crate::holds::{Hold, HoldKind};
use crate::mechanism::{ElementInfo, ElementRun, Equation, Link};
use crate::touch;

/// Writes the equations of a loop; returns the frame on its second body.
pub(super) fn lower_loop(
    blueprint: &Blueprint,
    closure: &Loop,
    names: &Names,
    equations: &mut Vec<Equation>,
) -> Result<Option<usize>, BuildError> {
    let place = format!("loop {}", closure.name);
    let (x, y, z) = (0, 1, 2);
    let point = |between| [x, y, z].map(|axis| Equation::Along { between, axis });
    let across = |between, axes: [usize; 2]| Equation::Perpendicular { between, axes };
    let parallel = |between| [across(between, [z, x]), across(between, [z, y])];
    let along = |between, axis| Equation::Along { between, axis };
    let between = match &closure.kind {
        LoopKind::Coupling(expression) => {
            equations.push(Equation::Coupling(Box::new(names.function(blueprint, &place, expression)?)));
            return Ok(None);
        }
        LoopKind::Point(b)
        | LoopKind::Parallel(b)
        | LoopKind::Perpendicular(b)
        | LoopKind::Orientation(b)
        | LoopKind::Distance(b, _)
        | LoopKind::Plane(b)
        | LoopKind::Ellipsoid(b, _)
        | LoopKind::Rigid(b)
        | LoopKind::Revolute(b)
        | LoopKind::Cylindrical(b)
        | LoopKind::Prismatic(b)
        | LoopKind::Universal(b) => *b,
    };
    check_indices(&place, "frame", &between, blueprint.frames.len())?;
    match closure.kind {
        LoopKind::Point(_) => equations.extend(point(between)),
        LoopKind::Parallel(_) => equations.extend(parallel(between)),
        LoopKind::Perpendicular(_) => equations.push(across(between, [z, z])),
        LoopKind::Orientation(_) => {
            equations.extend(parallel(between));
            equations.push(across(between, [x, y]));
        }
        LoopKind::Distance(_, length) => equations.push(Equation::Distance { between, length }),
        LoopKind::Plane(_) => equations.push(along(between, z)),
        LoopKind::Ellipsoid(_, radii) => equations.push(Equation::Ellipsoid { between, radii }),
        LoopKind::Rigid(_) => {
            equations.extend(point(between));
            equations.extend(parallel(between));
            equations.push(across(between, [x, y]));
        }
        LoopKind::Revolute(_) => {
            equations.extend(point(between));
            equations.extend(parallel(between));
        }
        LoopKind::Cylindrical(_) => {
            equations.extend(parallel(between));
            equations.extend([along(between, x), along(between, y)]);
        }
        LoopKind::Prismatic(_) => {
            equations.extend(parallel(between));
            equations.extend([along(between, x), along(between, y), across(between, [x, y])]);
        }
        LoopKind::Universal(_) => {
            equations.extend(point(between));
            equations.push(across(between, [x, y]));
        }
        LoopKind::Coupling(_) => {}
    }
    Ok(Some(between[1]))
}

pub(super) fn check_element(blueprint: &Blueprint, element: &Element) -> Result<(), BuildError> {
    match &element.kind {
        ElementKind::PointSpring { between, .. }
        | ElementKind::Line { between, .. }
        | ElementKind::Twist { between, .. }
        | ElementKind::FrameSpring { between, .. }
        | ElementKind::FrameEffort { between, .. }
        | ElementKind::Bushing { between, .. } => {
            check_indices(&element.name, "frame", between, blueprint.frames.len())
        }
        ElementKind::Contact(contact) => {
            check_indices(&element.name, "frame", &contact.between, blueprint.frames.len())
        }
        ElementKind::Touch(touch) => {
            check_indices(&element.name, "frame", &touch.between, blueprint.frames.len())
        }
        ElementKind::Force { frame, axes, .. } | ElementKind::Torque { frame, axes, .. } => {
            check_indices(&element.name, "frame", &[*frame, axes.unwrap_or(*frame)], blueprint.frames.len())
        }
        ElementKind::Friction { on, law, .. } => check_rubbing(blueprint, element, on, *law),
        ElementKind::BallStop { joint, .. } => {
            check_indices(&element.name, "joint", &[*joint], blueprint.joints.len())
        }
        ElementKind::Spring { coordinate, .. }
        | ElementKind::PowerSpring { coordinate, .. }
        | ElementKind::Effort { coordinate, .. }
        | ElementKind::Stop { coordinate, .. }
        | ElementKind::ImpulseStop { coordinate, .. }
        | ElementKind::Drive { coordinate, .. } => {
            check_indices(&element.name, "coordinate", &[*coordinate], blueprint.coordinates.len())
        }
    }
}

fn check_rubbing(
    blueprint: &Blueprint,
    element: &Element,
    on: &Rubbing,
    law: Friction,
) -> Result<(), BuildError> {
    if let Rubbing::Coordinate(coordinate) = *on {
        return check_indices(&element.name, "coordinate", &[coordinate], blueprint.coordinates.len());
    }
    check_indices(&element.name, "frame", &on.between().unwrap_or_default(), blueprint.frames.len())?;
    if let Rubbing::Along { axis, .. } | Rubbing::About { axis, .. } = *on {
        check_indices(&element.name, "axis", &[axis], 3)?;
    }
    if law.sticking::<f64>(&[]).is_some() {
        let message = format!(
            "{}: the law {} holds a coordinate at rest, so it acts on coordinates only; between frames take a law with \
             bristles, such as elasto-plastic",
            element.name,
            law.spec().name
        );
        return Err(BuildError::Tree { message });
    }
    match on {
        Rubbing::Plane { law: planar, .. } if planar.line() != law => {
            let message =
                format!("{}: the law on the plane is not a form of {}", element.name, law.spec().name);
            Err(BuildError::Tree { message })
        }
        _ => Ok(()),
    }
}

/// A factor on parameters of a friction element.
pub(super) fn lower_factor(
    factor: &Factor,
    elements: &[ElementInfo],
    names: &Names,
) -> Result<FactorRun, BuildError> {
    let missing =
        || BuildError::Index { place: "factors".into(), what: "friction element", index: factor.element };
    let element = elements.get(factor.element).ok_or_else(missing)?;
    let ElementRun::Friction { law, parameters, elements: count, p, .. } = &element.kind else {
        return Err(missing());
    };
    let (range, params) = (&factor.parameters, law.spec().params.iter());
    let owners = params.flat_map(|spec| std::iter::repeat_n(spec, if spec.per_element { *count } else { 1 }));
    let wrong = || BuildError::Index { place: element.name.clone(), what: "parameter", index: range.end };
    let spec = owners.clone().nth(range.start).ok_or_else(wrong)?;
    Ok(FactorRun {
        element: factor.element,
        slots: p.start + range.start..p.start + range.end,
        parameters: parameters.get(range.clone()).ok_or_else(wrong)?.to_vec(),
        spec,
        factor: names.program(&element.name, &factor.factor)?,
    })
}

/// The normal force of a friction element.
pub(super) fn lower_normal(
    blueprint: &Blueprint,
    normal: &Normal,
    elements: &[ElementInfo],
    links: &[Link],
    names: &Names,
    states: &mut usize,
) -> Result<NormalRun, BuildError> {
    let Normal { element, force, nominal } = normal;
    let missing = |what, index| BuildError::Index { place: "normals".into(), what, index };
    let info = elements.get(*element).filter(|info| matches!(info.kind, ElementRun::Friction { .. }));
    let info = info.ok_or_else(|| missing("friction element", *element))?;
    let mut lagged = |source, lag| {
        *states += 1;
        Press::Lagged { source, lag, z: *states - 1 }
    };
    let force = match *force {
        NormalForce::Given(ref force) => Press::Given(names.program(&info.name, force)?),
        NormalForce::Contact(contact) => match elements.get(contact).map(|element| &element.kind) {
            Some(ElementRun::Contact(_) | ElementRun::Touch(_)) => Press::Contact(contact),
            _ => return Err(missing("contact", contact)),
        },
        NormalForce::Joint { joint, lag } => {
            let name = &blueprint.joints.get(joint).ok_or_else(|| missing("joint", joint))?.name;
            let carries = |link: &Link| link.inertia.is_some() && link.joint == *name;
            let link = links.iter().position(carries).ok_or_else(|| missing("joint", joint))?;
            lagged(Source::Joint(link), lag)
        }
        NormalForce::Loop { closure, lag } => match blueprint.loops.get(closure).map(|closure| &closure.kind)
        {
            None | Some(LoopKind::Coupling(_)) => return Err(missing("loop between frames", closure)),
            Some(_) => lagged(Source::Loop(closure), lag),
        },
    };
    Ok(NormalRun { element: *element, force, nominal: *nominal })
}

/// Sizes of an element's states, memory and switching functions, its runtime form, and whether it is elastic.
pub(super) fn lower_element(
    blueprint: &Blueprint,
    element: &Element,
    names: &Names,
    law_parameters: &mut usize,
    (contacts, touches): (&mut Vec<ContactRun>, &mut Vec<Touch>),
    next_drive: impl FnOnce() -> usize,
) -> Result<(usize, usize, usize, ElementRun, bool), BuildError> {
    let program = |expression: &Expression| names.program(&element.name, expression);
    let vector = |components: &[Expression; 3]| {
        let [x, y, z] = components;
        Ok::<_, BuildError>([program(x)?, program(y)?, program(z)?])
    };
    let (run, elastic) = match element.kind.clone() {
        ElementKind::Spring { coordinate, stiffness, damping, rest } => {
            (ElementRun::Spring { coordinate, stiffness, damping, rest }, true)
        }
        ElementKind::PowerSpring { coordinate, stiffness, exponent, damping, depth, rest } => {
            (ElementRun::PowerSpring { coordinate, stiffness, exponent, damping, depth, rest }, true)
        }
        ElementKind::FrameSpring { between, along, stiffness, damping, rest, power } => {
            (ElementRun::FrameSpring { between, along, stiffness, damping, rest, power }, true)
        }
        ElementKind::FrameEffort { between, along, effort } => {
            (ElementRun::FrameEffort { between, along, effort: program(&effort)? }, false)
        }
        ElementKind::Effort { coordinate, effort } => {
            (ElementRun::Effort { coordinate, effort: program(&effort)? }, false)
        }
        ElementKind::BallStop { joint, axis, swing, twist, stiffness, exponent, damping, depth, clamp } => {
            let joint = &blueprint.joints[joint].name;
            let slot = |part: &str| names.slots.get(&format!("{joint}.{part}")).copied();
            let (Some(quaternion), Some(rate)) = (slot("qw"), slot("wx")) else {
                let message = format!("{}: joint {joint} has no quaternion to stop", element.name);
                return Err(BuildError::Tree { message });
            };
            let run = BallStopRun {
                quaternion,
                rate,
                v: rate - names.table.v,
                axis,
                swing,
                twist,
                stiffness,
                exponent,
                damping,
                depth,
                clamp,
            };
            // Contact and clamp of swing, lower and upper twist.
            return Ok((0, 2 * CONTACTS, 2 * CONTACTS, ElementRun::BallStop(run), true));
        }
        ElementKind::Friction { on, law, parameters, elements, sliding } => {
            let p = *law_parameters..*law_parameters + parameters.len();
            *law_parameters = p.end;
            let sizes = match on {
                Rubbing::Plane { law, .. } => (2 * law.states(elements), 0, 0),
                _ => (law.states(elements), law.memory(elements), law.switches(elements)),
            };
            let run = ElementRun::Friction { on, law, parameters, elements, sliding, p };
            return Ok((sizes.0, sizes.1, sizes.2, run, false));
        }
        ElementKind::Stop { coordinate, range, stiffness, exponent, damping, depth, clamp } => {
            let run = ElementRun::Stop { coordinate, range, stiffness, exponent, damping, depth, clamp };
            // Contact and clamp at each end.
            return Ok((0, 4, 4, run, true));
        }
        ElementKind::ImpulseStop { coordinate, range, restitution, poisson, rest } => {
            let run = ElementRun::ImpulseStop { coordinate, range, restitution, poisson, rest };
            // Whether it rests on each limit.
            return Ok((0, 2, 2, run, false));
        }
        ElementKind::Drive { coordinate, .. } => {
            (ElementRun::Drive { coordinate, signal: next_drive() }, false)
        }
        ElementKind::PointSpring { between, stiffness, damping, length } => {
            (ElementRun::PointSpring { between, stiffness, damping, length }, true)
        }
        ElementKind::Force { frame, axes, components } => {
            (ElementRun::Force { frame, axes, components: vector(&components)? }, false)
        }
        ElementKind::Torque { frame, axes, components } => {
            (ElementRun::Torque { frame, axes, components: vector(&components)? }, false)
        }
        ElementKind::Line { between, tension } => {
            (ElementRun::Line { between, tension: program(&tension)? }, false)
        }
        ElementKind::Twist { between, torque } => {
            (ElementRun::Twist { between, torque: program(&torque)? }, false)
        }
        ElementKind::Bushing { between, stiffness, damping } => {
            (ElementRun::Bushing { between, stiffness, damping }, true)
        }
        ElementKind::Contact(contact) => {
            let Contact { between, pair, sides, damping, depth, friction, speed, form, events } = contact;
            contacts.push(ContactRun { between, pair, sides, damping, depth, friction, speed, form, events });
            let modes = usize::from(events);
            return Ok((0, modes, modes, ElementRun::Contact(contacts.len() - 1), true));
        }
        ElementKind::Touch(touch) => {
            touches.push(touch);
            return Ok((0, touch::MEMORY, 1, ElementRun::Touch(touches.len() - 1), true));
        }
    };
    Ok((0, 0, 0, run, elastic))
}

/// The holds of an element whose memory begins at `m`; `index` is its number.
pub(super) fn holds(index: usize, element: &ElementInfo) -> Vec<Hold> {
    let m = element.m.start;
    match element.kind {
        // A law says that it sticks for any parameters.
        ElementRun::Friction { on: Rubbing::Coordinate(coordinate), law, .. }
            if law.sticking::<f64>(&[]).is_some() =>
        {
            vec![Hold { element: index, coordinate, memory: m, kind: HoldKind::Stick }]
        }
        ElementRun::ImpulseStop { coordinate, range, .. } => {
            let limit = |k: usize, sign| Hold {
                element: index,
                coordinate,
                memory: m + k,
                kind: HoldKind::Limit { sign, limit: range[k] },
            };
            vec![limit(0, 1.0), limit(1, -1.0)]
        }
        _ => Vec::new(),
    }
}

/// Drives with their short names: they follow the signals in the table.
pub(super) fn drive_elements(blueprint: &Blueprint) -> impl Iterator<Item = (&str, usize, &Expression)> {
    blueprint.elements.iter().filter_map(|element| match &element.kind {
        ElementKind::Drive { coordinate, effort } => {
            let short = element.name.rsplit('.').next().unwrap_or(&element.name);
            Some((short, *coordinate, effort))
        }
        _ => None,
    })
}
