//! Elements and constraints in their runtime form.

use std::ops::Range;

use gelenk_laws::Friction;
use gelenk_math::expression::Expression;

use super::names::Names;
use super::{BuildError, check_indices};
use crate::blueprint::{
    Blueprint, Contact, Element, ElementKind, Factor, KindElement, Loop, LoopKind, Normal, NormalForce,
    Rubbing, Touch,
};
use crate::elements::attachment::Attached;
use crate::elements::contact::ContactRun;
use crate::elements::contract::{AccountSpec, ELASTIC_AND_DAMPING, WORK};
use crate::elements::factors::{FactorRun, NormalRun, Press, Source};
use crate::elements::holds::{Hold, HoldKind};
use crate::elements::touch;
use crate::elements::{Acting, Attachment, KindRun};
use crate::mechanism::{ElementInfo, ElementRun, Equation, Link};

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
        ElementKind::Kind(kind) => check_kind(blueprint, element, kind),
        ElementKind::Contact(contact) => {
            check_indices(&element.name, "frame", &contact.between, blueprint.frames.len())
        }
        ElementKind::Touch(touch) => {
            check_indices(&element.name, "frame", &touch.between, blueprint.frames.len())
        }
        ElementKind::Friction { on, law, .. } => check_rubbing(blueprint, element, on, *law),
        ElementKind::ImpulseStop { coordinate, .. } => {
            check_indices(&element.name, "coordinate", &[*coordinate], blueprint.coordinates.len())
        }
    }
}

/// Whether an element of the registry has what its specification asks for.
fn check_kind(blueprint: &Blueprint, element: &Element, kind: &KindElement) -> Result<(), BuildError> {
    let spec = kind.kind.spec();
    let name = &element.name;
    let frames: Vec<usize> = kind.on.frames().collect();
    check_indices(name, "frame", &frames, blueprint.frames.len())?;
    match kind.on {
        Attachment::Coordinate(coordinate) => {
            check_indices(name, "coordinate", &[coordinate], blueprint.coordinates.len())?;
        }
        Attachment::Along { axis, .. } => check_indices(name, "axis", &[axis], 3)?,
        Attachment::Ball(joint) => check_indices(name, "joint", &[joint], blueprint.joints.len())?,
        _ => {}
    }
    let refuse = |message: String| Err(BuildError::Tree { message: format!("{name}: {message}") });
    if !spec.place.admits(&kind.on) {
        return refuse(format!("a {} cannot act there", spec.name));
    }
    let wanted = [spec.param_count(kind.size), spec.input_count()];
    if [kind.parameters.len(), kind.inputs.len()] != wanted {
        let [parameters, inputs] = wanted;
        return refuse(format!("a {} has {parameters} parameters and {inputs} inputs", spec.name));
    }
    Ok(())
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

/// Places that elements take among those of all.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Numbers of laws and elements.
    pub(super) parameters: usize,
    /// Inputs of elements.
    pub(super) inputs: usize,
    /// The next output in the table.
    pub(super) outputs: usize,
    pub(super) contacts: Vec<ContactRun>,
    pub(super) touches: Vec<Touch>,
}

/// The runtime form of an element, and the sizes of its states, memory and switching functions.
pub(super) struct Lowered {
    pub(super) run: ElementRun,
    pub(super) sizes: [usize; 3],
    pub(super) accounts: &'static [AccountSpec],
}

fn taken(next: &mut usize, count: usize) -> Range<usize> {
    *next += count;
    *next - count..*next
}

/// Brings an element into its runtime form.
pub(super) fn lower_element(
    blueprint: &Blueprint,
    element: &Element,
    names: &Names,
    places: &mut Places,
) -> Result<Lowered, BuildError> {
    Ok(match element.kind.clone() {
        ElementKind::Kind(kind) => lower_kind(blueprint, element, kind, names, places)?,
        ElementKind::Friction { on, law, parameters, elements, sliding } => {
            let p = taken(&mut places.parameters, parameters.len());
            let sizes = match on {
                Rubbing::Plane { law, .. } => [2 * law.states(elements), 0, 0],
                _ => [law.states(elements), law.memory(elements), law.switches(elements)],
            };
            let run = ElementRun::Friction { on, law, parameters, elements, sliding, p };
            Lowered { run, sizes, accounts: WORK }
        }
        ElementKind::ImpulseStop { coordinate, range, restitution, poisson, rest } => {
            let run = ElementRun::ImpulseStop { coordinate, range, restitution, poisson, rest };
            // Whether it rests on each limit.
            Lowered { run, sizes: [0, 2, 2], accounts: WORK }
        }
        ElementKind::Contact(contact) => {
            let Contact { between, pair, sides, damping, depth, friction, speed, form, events } = contact;
            let contact = ContactRun { between, pair, sides, damping, depth, friction, speed, form, events };
            places.contacts.push(contact);
            let (run, modes) = (ElementRun::Contact(places.contacts.len() - 1), usize::from(events));
            Lowered { run, sizes: [0, modes, modes], accounts: ELASTIC_AND_DAMPING }
        }
        ElementKind::Touch(touch) => {
            places.touches.push(touch);
            let run = ElementRun::Touch(places.touches.len() - 1);
            Lowered { run, sizes: [0, touch::MEMORY, 1], accounts: ELASTIC_AND_DAMPING }
        }
    })
}

fn lower_kind(
    blueprint: &Blueprint,
    element: &Element,
    kind: KindElement,
    names: &Names,
    places: &mut Places,
) -> Result<Lowered, BuildError> {
    let KindElement { kind, on, parameters, size, inputs } = kind;
    let spec = kind.spec();
    let ball = match on {
        Attachment::Ball(joint) => {
            let joint = &blueprint.joints[joint].name;
            let slot = |part: &str| names.slots.get(&format!("{joint}.{part}")).copied();
            let (Some(quaternion), Some(rate)) = (slot("qw"), slot("wx")) else {
                let message = format!("{}: joint {joint} has no quaternion to stop", element.name);
                return Err(BuildError::Tree { message });
            };
            [quaternion, rate, rate - names.table.v]
        }
        _ => [0; 3],
    };
    // A drive is a signal, too, which it reads.
    let inputs = match kind {
        Acting::Drive => vec![Expression::variable(short(&element.name))],
        _ => inputs,
    };
    let inputs =
        inputs.iter().map(|input| names.program(&element.name, input)).collect::<Result<Vec<_>, _>>()?;
    let run = KindRun {
        kind,
        on: Attached { on, ball },
        size,
        p: taken(&mut places.parameters, parameters.len()),
        parameters,
        u: taken(&mut places.inputs, inputs.len()),
        y: taken(&mut places.outputs, spec.outputs.len()),
        inputs,
    };
    let sizes = [kind.states(size), kind.memory(size), kind.switches(size)];
    Ok(Lowered { run: ElementRun::Kind(run), sizes, accounts: spec.accounts })
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

/// The last part of an element's name, by which formulas name it.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Drives with their short names: they follow the signals in the table.
pub(super) fn drive_elements(blueprint: &Blueprint) -> impl Iterator<Item = (&str, Attachment, &Expression)> {
    registered(blueprint).filter_map(|(_, element, kind)| match (kind.kind, kind.inputs.first()) {
        (Acting::Drive, Some(effort)) => Some((short(&element.name), kind.on, effort)),
        _ => None,
    })
}

/// Elements of the registry with their numbers.
pub(super) fn registered(blueprint: &Blueprint) -> impl Iterator<Item = (usize, &Element, &KindElement)> {
    let elements = blueprint.elements.iter().enumerate();
    elements.filter_map(|(index, element)| Some((index, element, element.kind.registered()?)))
}

/// Unit of the effort on an attachment.
pub(super) fn effort_unit(blueprint: &Blueprint, on: Attachment) -> &'static str {
    on.channel(&|coordinate| blueprint.coordinates.get(coordinate).map_or("N m", |c| c.kind.units()[2])).0
}
