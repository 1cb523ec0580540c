//! Expressions of a model file over the coordinates of a robot.

use crate::drives::{Command, Drive, Target, Tendon, TendonEquality};
use crate::robot::{Joint, Motion, Robot};
use gelenk_file::draft::number;
use std::fmt::Write as _;

/// The motion of a joint that follows another, as an expression.
pub(crate) fn value(robot: &Robot, joint: &Joint) -> Option<String> {
    let coupling = joint.coupling.as_ref()?;
    Some(polynomial(robot, &coupling.coefficients, coupling.master, metres(joint)))
}

/// The power of the metre in the displacement of a joint.
fn metres(joint: &Joint) -> i32 {
    i32::from(joint.motion == Motion::Prismatic)
}

/// A polynomial of what a joint follows; the result has a power of the metre as its unit.
fn polynomial(robot: &Robot, coefficients: &[f64], master: Option<usize>, unit: i32) -> String {
    let master = master.and_then(|master| robot.links.get(master)).map(|link| &link.joint);
    let variable = master.map_or_else(String::new, |master| {
        let name = &master.name.chosen;
        match master.reference {
            0.0 => name.clone(),
            reference => {
                let sign = if reference < 0.0 { "+" } else { "-" };
                format!("({name} {sign} {})", with_unit(reference.abs(), metres(master)))
            }
        }
    });
    let of_variable = master.map_or(0, metres);
    sum(coefficients.iter().enumerate().filter_map(|(power, &coefficient)| {
        if coefficient == 0.0 || (power > 0 && master.is_none()) {
            return None;
        }
        let exponent = i32::try_from(power).unwrap_or(0);
        let factor = with_unit(coefficient.abs(), unit - of_variable * exponent);
        let term = match power {
            0 => factor,
            1 if factor == "1" => variable.clone(),
            1 => format!("{factor}*{variable}"),
            _ => format!("{factor}*{variable}^{power}"),
        };
        Some((coefficient < 0.0, term))
    }))
}

/// Terms with their signs, one behind the other; `0` for none.
pub(crate) fn sum(terms: impl IntoIterator<Item = (bool, String)>) -> String {
    let mut text = String::new();
    for (negative, term) in terms {
        let sign = match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let _ = write!(text, "{sign}{term}");
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// A number in an expression with a power of the metre.
fn with_unit(x: f64, metres: i32) -> String {
    let x = number(x);
    match metres {
        0 => x,
        1 => format!("{x} m"),
        -1 => format!("{x} [1/m]"),
        _ => format!("{x} [1/m^{}]", -metres),
    }
}

/// The joint as it moves: its coordinate, or the one that it follows with the way it does.
struct Moved<'a> {
    /// The coordinate.
    coordinate: &'a str,
    /// The link that has it.
    link: usize,
    /// Displacement as the file counts it.
    position: String,
    rate: String,
    /// Its derivative by the coordinate; one where there is none.
    slope: Option<String>,
}

/// How the joint of a link moves; none where no coordinate moves it.
fn moved(robot: &Robot, index: usize) -> Option<Moved<'_>> {
    let joint = &robot.links.get(index)?.joint;
    if !joint.is_scalar() {
        return None;
    }
    let Some(coupling) = &joint.coupling else {
        let coordinate = joint.name.chosen.as_str();
        let (position, rate) = (coordinate.to_owned(), format!("{coordinate}.rate"));
        return Some(Moved { coordinate, link: index, position, rate, slope: None });
    };
    let link = coupling.master?;
    let master = &robot.links.get(link)?.joint;
    let coordinate = master.name.chosen.as_str();
    // The displacement of a joint that follows another counts from the reference.
    let mut whole = coupling.coefficients.clone();
    match whole.first_mut() {
        Some(constant) => *constant += joint.reference,
        None => whole.push(joint.reference),
    }
    let derivative: Vec<f64> =
        coupling.coefficients.iter().enumerate().skip(1).map(|(k, c)| c * k as f64).collect();
    let position = polynomial(robot, &whole, Some(link), metres(joint));
    let slope = polynomial(robot, &derivative, Some(link), metres(joint) - metres(master));
    let rate = format!("({slope})*{coordinate}.rate");
    Some(Moved { coordinate, link, position: format!("({position})"), rate, slope: Some(slope) })
}

/// An effort on a coordinate: that of the link with this number.
pub(crate) struct Effort {
    pub(crate) link: usize,
    pub(crate) coordinate: String,
    pub(crate) expression: String,
}

/// Units of an effort along, of a displacement of and of a rate of something that is a length or an angle.
fn units(is_length: bool) -> [&'static str; 3] {
    if is_length { ["N", "m", "m/s"] } else { ["N m", "rad", "rad/s"] }
}

/// A number with its unit in brackets.
fn quantity(x: f64, unit: &str) -> String {
    if unit.is_empty() { number(x) } else { format!("{} [{unit}]", number(x)) }
}

/// An expression within a range.
fn within(expression: String, range: Option<[f64; 2]>, unit: &str) -> String {
    let Some([lower, upper]) = range else { return expression };
    let mut text = expression;
    if lower.is_finite() {
        text = format!("max({text}, {})", quantity(lower, unit));
    }
    if upper.is_finite() {
        text = format!("min({text}, {})", quantity(upper, unit));
    }
    text
}

/// Length and rate of a tendon.
fn tendon_length(robot: &Robot, tendon: &Tendon) -> (String, String) {
    let is_length = tendon.is_length(robot);
    let part = |&(link, factor): &(usize, f64), what: &dyn Fn(Moved<'_>) -> String| {
        let slides = robot.links.get(link).is_some_and(|l| l.joint.motion == Motion::Prismatic);
        let unit = if slides && !is_length { "1/m" } else { "" };
        let what = moved(robot, link).map(what)?;
        let term = match quantity(factor.abs(), unit) {
            one if one == "1" => what,
            factor => format!("{factor}*{what}"),
        };
        Some((factor < 0.0, term))
    };
    let length = sum(tendon.joints.iter().filter_map(|joint| part(joint, &|m| m.position)));
    let rate = sum(tendon.joints.iter().filter_map(|joint| part(joint, &|m| m.rate)));
    (length, rate)
}

/// An effort along a tendon as efforts on its coordinates.
fn spread(robot: &Robot, tendon: &Tendon, effort: &str) -> Vec<Effort> {
    let is_length = tendon.is_length(robot);
    let mut list = Vec::new();
    for &(link, factor) in &tendon.joints {
        let Some(moved) = moved(robot, link) else { continue };
        let slides = robot.links.get(link).is_some_and(|l| l.joint.motion == Motion::Prismatic);
        let factor = quantity(factor, if slides && !is_length { "1/m" } else { "" });
        let slope = moved.slope.map_or_else(String::new, |slope| format!("*({slope})"));
        let expression = match factor.as_str() {
            "1" => format!("{effort}{slope}"),
            factor => format!("{factor}*{effort}{slope}"),
        };
        list.push(Effort { link: moved.link, coordinate: moved.coordinate.to_owned(), expression });
    }
    list
}

/// Springs and dampers of tendons, and those of joints that follow others by a polynomial.
pub(crate) fn passive(robot: &Robot) -> Vec<Effort> {
    let mut list = Vec::new();
    for tendon in &robot.tendons {
        let (length, rate) = tendon_length(robot, tendon);
        let [effort, displacement, speed] = units(tendon.is_length(robot));
        let mut terms = Vec::new();
        if tendon.stiffness != 0.0 {
            let [lower, upper] = tendon.slack.unwrap_or_else(|| [tendon.rest_length(robot); 2]);
            let lower = quantity(lower, displacement);
            let stretch = if Some([upper; 2]) == tendon.slack || tendon.slack.is_none() {
                format!("({length} - {lower})")
            } else {
                let upper = quantity(upper, displacement);
                format!("(max({length} - {upper}, 0) + min({length} - {lower}, 0))")
            };
            terms.push((
                true,
                format!("{}*{stretch}", quantity(tendon.stiffness, &per(effort, displacement))),
            ));
        }
        if tendon.damping != 0.0 {
            terms.push((true, format!("{}*({rate})", quantity(tendon.damping, &per(effort, speed)))));
        }
        if !terms.is_empty() {
            list.extend(spread(robot, tendon, &format!("({})", sum(terms))));
        }
    }
    for (index, link) in robot.links.iter().enumerate() {
        let joint = &link.joint;
        if joint.coupling.is_none() || (joint.stiffness == 0.0 && joint.damping == 0.0) {
            continue;
        }
        let Some(Moved { coordinate, link, position, rate, slope: Some(slope) }) = moved(robot, index) else {
            continue;
        };
        let [effort, displacement, speed] = units(joint.motion == Motion::Prismatic);
        let mut terms = Vec::new();
        if joint.stiffness != 0.0 {
            let rest = quantity(joint.rest, displacement);
            let stiffness = quantity(joint.stiffness, &per(effort, displacement));
            terms.push((true, format!("{stiffness}*({position} - {rest})")));
        }
        if joint.damping != 0.0 {
            terms.push((true, format!("{}*{rate}", quantity(joint.damping, &per(effort, speed)))));
        }
        let expression = format!("({})*({slope})", sum(terms));
        list.push(Effort { link, coordinate: coordinate.to_owned(), expression });
    }
    list
}

/// The spring of a joint on its own coordinate as a term of a sum.
pub(crate) fn own_spring(joint: &Joint) -> (bool, String) {
    let [effort, displacement, _] = units(joint.motion == Motion::Prismatic);
    let stretch = sum([
        (false, joint.name.chosen.clone()),
        (joint.rest > 0.0, quantity(joint.rest.abs(), displacement)),
    ]);
    let stiffness = quantity(joint.stiffness, &per(effort, displacement));
    (true, format!("{stiffness}*({stretch})"))
}

/// The unit of a quotient.
fn per(above: &str, below: &str) -> String {
    match below {
        "m/s" => format!("{above} s/m"),
        "rad/s" => format!("{above} s/rad"),
        _ => format!("{above}/{below}"),
    }
}

/// The effort of a drive along its target, before the gear; and the efforts on coordinates.
///
/// A drive on several coordinates has one signal for its effort, which comes first.
pub(crate) fn drive(robot: &Robot, drive: &Drive) -> (Option<String>, Vec<Effort>) {
    let (position, rate, is_length) = match drive.target {
        Target::Joint(link) => {
            let Some(moved) = moved(robot, link) else { return (None, Vec::new()) };
            let slides = robot.links.get(link).is_some_and(|l| l.joint.motion == Motion::Prismatic);
            (moved.position, moved.rate, slides)
        }
        Target::Tendon(tendon) => {
            let Some(tendon) = robot.tendons.get(tendon) else { return (None, Vec::new()) };
            let (length, rate) = tendon_length(robot, tendon);
            (format!("({length})"), format!("({rate})"), tendon.is_length(robot))
        }
    };
    let force = along(drive, &position, &rate, is_length);
    let [unit, _, speed] = units(is_length);
    let joint_effort = |effort: &str, rate: &str| {
        let geared = match number(drive.gear) {
            one if one == "1" => effort.to_owned(),
            gear => format!("{gear}*({effort})"),
        };
        let geared = within(geared, drive.joint_range, unit);
        drive.fastest.map_or(geared.clone(), |fastest| slowed(&geared, drive, fastest, rate, [unit, speed]))
    };
    match drive.target {
        Target::Joint(link) => {
            let effort = joint_effort(&force, &rate);
            let list = moved(robot, link).map(|moved| {
                let expression = match moved.slope {
                    None => effort,
                    Some(slope) => format!("({effort})*({slope})"),
                };
                Effort { link: moved.link, coordinate: moved.coordinate.to_owned(), expression }
            });
            (None, list.into_iter().collect())
        }
        Target::Tendon(tendon) => {
            let effort = joint_effort(&force, &rate);
            let name = drive.effort.chosen.as_str();
            let list = robot.tendons.get(tendon).map(|tendon| spread(robot, tendon, name));
            (Some(effort), list.unwrap_or_default())
        }
    }
}

/// `(g0 + g1 l + g2 v) u + b0 + b1 l + b2 v` within the range of efforts.
fn along(drive: &Drive, position: &str, rate: &str, is_length: bool) -> String {
    let [effort, displacement, speed] = units(is_length);
    let command_unit = match drive.kind {
        Command::Effort => effort,
        Command::Position => displacement,
        Command::Velocity => speed,
    };
    let of_command = match drive.kind {
        Command::Effort => String::new(),
        _ => per(effort, command_unit),
    };
    let command = within(drive.command.chosen.clone(), drive.command_range, command_unit);
    let gear = drive.gear;
    let [g0, g1, g2] = [drive.gain[0], drive.gain[1] * gear, drive.gain[2] * gear];
    let [b0, b1, b2] = [drive.bias[0], drive.bias[1] * gear, drive.bias[2] * gear];
    let term = |x: f64, unit: &str, rest: &str| {
        let factor = match quantity(x.abs(), unit) {
            one if one == "1" => rest.to_owned(),
            factor if rest.is_empty() => factor,
            factor => format!("{factor}*{rest}"),
        };
        (x != 0.0).then_some((x < 0.0, factor))
    };
    // A servo reads best as stiffness times deviation.
    let servo = |g: f64, b: f64| gear == 1.0 && g == -b && g1 == 0.0 && g2 == 0.0;
    let mut terms = Vec::new();
    match drive.kind {
        Command::Position if servo(g0, b1) => {
            terms.extend(term(g0, &of_command, &format!("({command} - {position})")));
            terms.extend(term(b2, &per(effort, speed), rate));
        }
        Command::Velocity if servo(g0, b2) => {
            terms.extend(term(g0, &of_command, &format!("({command} - {rate})")));
            terms.extend(term(b1, &per(effort, displacement), position));
        }
        _ => {
            terms.extend(term(g0, &of_command, &command));
            let unit =
                |x: &str| if of_command.is_empty() { one_per(x) } else { format!("{of_command}/({x})") };
            terms.extend(term(g1, &unit(displacement), &format!("{position}*{command}")));
            terms.extend(term(g2, &unit(speed), &format!("{rate}*{command}")));
            terms.extend(term(b1, &per(effort, displacement), position));
            terms.extend(term(b2, &per(effort, speed), rate));
        }
    }
    terms.extend(term(b0, effort, ""));
    within(sum(terms), drive.effort_range, effort)
}

/// The unit of an inverse.
fn one_per(unit: &str) -> String {
    match unit {
        "m/s" => "s/m".to_owned(),
        "rad/s" => "s/rad".to_owned(),
        unit => format!("1/{unit}"),
    }
}

/// An effort that fades over the last tenth of the largest speed in its direction.
fn slowed(expression: &str, drive: &Drive, fastest: f64, rate: &str, [unit, speed]: [&str; 2]) -> String {
    let Some([lower, upper]) = drive.effort_range else { return expression.to_owned() };
    let band = quantity(fastest / 10.0, speed);
    let fastest = quantity(fastest, speed);
    let fade = |sign: char| format!("min(1, max(0, ({fastest} {sign} {rate})/({band})))");
    let upper = format!("{}*{}", quantity(upper, unit), fade('-'));
    let lower = format!("{}*{}", quantity(lower, unit), fade('+'));
    // Its own range is inside the two.
    let command = within(drive.command.chosen.clone(), drive.command_range, unit);
    let plain = expression == within(command.clone(), drive.effort_range, unit);
    let inner = if plain { command } else { format!("({expression})") };
    format!("min(max({inner}, {lower}), {upper})")
}

/// The equation of an equality between tendons.
pub(crate) fn equation(robot: &Robot, equality: &TendonEquality) -> Option<String> {
    let stretch = |tendon: &Tendon| {
        let [_, unit, _] = units(tendon.is_length(robot));
        let (length, rest) = (tendon_length(robot, tendon).0, tendon.length(robot));
        if rest == 0.0 { format!("({length})") } else { format!("({length} - {})", quantity(rest, unit)) }
    };
    let first = robot.tendons.get(equality.tendon)?;
    let power_of_metre = |tendon: &Tendon| i32::from(tendon.is_length(robot));
    let unit = power_of_metre(first);
    let other = equality.other.and_then(|other| robot.tendons.get(other));
    let mut terms = vec![(false, stretch(first))];
    for (power, &coefficient) in equality.coefficients.iter().enumerate() {
        let exponent = i32::try_from(power).unwrap_or(0);
        let of_other = other.map_or(0, power_of_metre);
        let factor = with_unit(coefficient.abs(), unit - of_other * exponent);
        let term = match (power, other) {
            (0, _) => factor,
            (_, None) => continue,
            (1, Some(other)) => format!("{factor}*{}", stretch(other)),
            (_, Some(other)) => format!("{factor}*{}^{power}", stretch(other)),
        };
        if coefficient != 0.0 {
            terms.push((coefficient > 0.0, term));
        }
    }
    Some(sum(terms))
}
