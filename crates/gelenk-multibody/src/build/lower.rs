//! Elements and constraints in their runtime form.

use std::ops::Range;

use gelenk_math::expression::Expression;
use gelenk_system::Layout;

use super::BuildError;
use super::names::Names;
use crate::blueprint::{Blueprint, Element, Factor, Loop, LoopKind, Normal, NormalForce, places};
use crate::elements::ElementInfo;
use crate::elements::attachment::Attached;
use crate::elements::contact::ContactPlace;
use crate::elements::factors::{FactorRun, NormalRun, Press, Source};
use crate::elements::{Acting, Attachment};
use crate::loops::Equation;
use crate::mechanism::Link;

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
        kind => match kind.between() {
            Some(between) => places(between),
            None => return Ok(None),
        },
    };
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

/// Whether an element has what its specification asks for.
pub(super) fn check_element(element: &Element) -> Result<(), BuildError> {
    let Element { name, kind, on, parameters, size, inputs } = element;
    let spec = kind.spec();
    if let Attachment::Along { axis: index @ 3.., .. } | Attachment::About { axis: index @ 3.., .. } = *on {
        return Err(BuildError::Index { place: name.clone(), what: "axis", index });
    }
    let refuse = |message: String| Err(BuildError::Tree { message: format!("{name}: {message}") });
    if !spec.place.admits(on) {
        return refuse(format!("a {} cannot act there", spec.name));
    }
    if let Err(reason) = kind.fits(on) {
        return refuse(reason);
    }
    if let Acting::Own(own) = kind {
        own.check(on, *size).or_else(refuse)?;
    }
    let wanted = [spec.param_count(*size), spec.input_count()];
    if [parameters.len(), inputs.len()] != wanted {
        let [parameters, inputs] = wanted;
        return refuse(format!("a {} has {parameters} parameters and {inputs} inputs", spec.name));
    }
    Ok(())
}

/// A factor on parameters of an element.
pub(super) fn lower_factor(
    factor: &Factor,
    elements: &[ElementInfo],
    names: &Names,
) -> Result<FactorRun, BuildError> {
    let missing =
        || BuildError::Index { place: "factors".into(), what: "element", index: factor.element.index() };
    let element = elements.get(factor.element.index()).ok_or_else(missing)?;
    let ElementInfo { kind, parameters, size, p, .. } = element;
    let (range, params) = (&factor.parameters, kind.spec().params.iter());
    let owners = params.flat_map(|spec| std::iter::repeat_n(spec, spec.entries(*size)));
    let wrong = || BuildError::Index { place: element.name.clone(), what: "parameter", index: range.end };
    let spec = owners.clone().nth(range.start).ok_or_else(wrong)?;
    Ok(FactorRun {
        element: factor.element.index(),
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
    let element = element.index();
    let missing = |what, index| BuildError::Index { place: "normals".into(), what, index };
    let info = elements.get(element).filter(|info| info.kind.pressed());
    let info = info.ok_or_else(|| missing("friction element", element))?;
    let mut lagged = |source, lag| {
        *states += 1;
        Press::Lagged { source, lag, z: *states - 1 }
    };
    let force = match *force {
        NormalForce::Given(ref force) => Press::Given(names.program(&info.name, force)?),
        NormalForce::Contact(contact) => match elements.get(contact.index()) {
            Some(ElementInfo { contact: Some(_), .. }) => Press::Contact(contact.index()),
            _ => return Err(missing("contact", contact.index())),
        },
        NormalForce::Joint { joint, lag } => {
            let name = &blueprint.joints[joint].name;
            let carries = |link: &Link| link.inertia.is_some() && link.joint == *name;
            let link = links.iter().position(carries).ok_or_else(|| missing("joint", joint.index()))?;
            lagged(Source::Joint(link), lag)
        }
        NormalForce::Loop { closure, lag } => match blueprint.loops[closure].kind {
            LoopKind::Coupling(_) => return Err(missing("loop between frames", closure.index())),
            _ => lagged(Source::Loop(closure.index()), lag),
        },
    };
    Ok(NormalRun { element, force, nominal: *nominal })
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
    pub(super) contacts: Vec<ContactPlace>,
}

fn taken(next: &mut usize, count: usize) -> Range<usize> {
    *next += count;
    *next - count..*next
}

/// Brings the element with this number into its runtime form.
pub(super) fn lower_element(
    blueprint: &Blueprint,
    (index, element): (usize, &Element),
    names: &Names,
    places: &mut Places,
    layout: &mut Layout,
) -> Result<ElementInfo, BuildError> {
    let Element { name, kind, on, parameters, size, inputs } = element.clone();
    let ball = match on {
        Attachment::Ball(joint) => {
            let joint = &blueprint.joints[joint].name;
            let slot = |part: &str| names.slots.get(&format!("{joint}.{part}")).copied();
            let (Some(quaternion), Some(rate)) = (slot("qw"), slot("wx")) else {
                let message = format!(
                    "{name}: joint {joint} is not a ball joint with a quaternion, so swing and \
                                       twist are not defined"
                );
                return Err(BuildError::Tree { message });
            };
            [quaternion, rate, rate - names.table.v]
        }
        _ => [0; 3],
    };
    // What is a signal, too, reads it.
    let inputs = if kind.is_signal() { vec![Expression::variable(short(&name))] } else { inputs };
    let inputs = inputs.iter().map(|input| names.program(&name, input)).collect::<Result<Vec<_>, _>>()?;
    let contact = match on {
        Attachment::Bodies(between) => {
            places.contacts.push(ContactPlace { element: index, between: crate::blueprint::places(between) });
            Some(places.contacts.len() - 1)
        }
        _ => None,
    };
    let waits =
        |normal: &Normal| normal.element.index() == index && matches!(normal.force, NormalForce::Contact(_));
    let spec = kind.spec();
    Ok(ElementInfo {
        on: Attached { on, ball },
        p: taken(&mut places.parameters, parameters.len()),
        u: taken(&mut places.inputs, inputs.len()),
        y: taken(&mut places.outputs, spec.outputs.len()),
        accounts: taken(&mut layout.nw, spec.accounts.len()),
        z: taken(&mut layout.nz, kind.states(size)),
        m: taken(&mut layout.nm, kind.memory(size)),
        g: taken(&mut layout.ng, kind.switches(size)),
        contact,
        late: blueprint.normals.iter().any(waits),
        name,
        kind,
        parameters,
        size,
        inputs,
    })
}

/// The last part of an element's name, by which formulas name it.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Drives with their short names: they follow the signals in the table.
pub(super) fn drive_elements(blueprint: &Blueprint) -> impl Iterator<Item = (&str, Attachment, &Expression)> {
    blueprint.elements.iter().filter_map(|element| match (element.kind.is_signal(), element.inputs.first()) {
        (true, Some(effort)) => Some((short(&element.name), element.on, effort)),
        _ => None,
    })
}

/// Unit of the effort on an attachment.
pub(super) fn effort_unit(blueprint: &Blueprint, on: Attachment) -> &'static str {
    on.channel(&|coordinate| {
        blueprint.coordinates.get(coordinate.index()).map_or("N m", |c| c.kind.units()[2])
    })
    .0
}
