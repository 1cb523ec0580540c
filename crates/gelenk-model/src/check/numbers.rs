//! Dimensions and ranges of numbers.

use super::coordinates::{Coordinates, Role, kind_of, role};
use super::parameters::Parameters;
use crate::elements::ElementTable;
use crate::friction::FrictionLaw;
use crate::friction_place::FrictionPlace;
use crate::joints::Joint;
use crate::model_file::ModelFile;
use crate::normal::NormalForce;
use crate::quantity::{Number, OnCoordinate, Quantity, Vec3, measure_of};
use gelenk_file::dimensions;
use gelenk_file::read::Text;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_laws::{Kind, ParamSpec};
use gelenk_math::units::Dimension;
use gelenk_multibody::blueprint::CoordinateKind;

/// Checks all numbers; `true` if there is an inertia that no body has by itself.
pub(super) fn check(
    model: &ModelFile,
    coordinates: &Coordinates,
    parameters: &mut Parameters,
    report: &mut Report,
) -> bool {
    let mut numbers = Numbers { parameters, report, doubtful: false };
    if let Some(gravity) = &model.gravity {
        numbers.vector(gravity);
    }
    for (name, body) in model.bodies.iter() {
        numbers.body(name, body, model);
    }
    for (name, joint) in model.joints.iter() {
        numbers.vector(&joint.position);
        numbers.vector(&joint.orientation);
        let axis = numbers.vector(&joint.axis);
        if kind_of(joint.kind.value).is_some() && axis == Some([0.0; 3]) {
            numbers.error(
                vector_span(&joint.axis),
                format!("the axis of joint \"{}\" must not be zero", name.text),
            );
        }
        if let Some(start) = &joint.start {
            numbers.vector(&start.position);
            numbers.vector(&start.orientation);
            numbers.vector(&start.velocity);
            numbers.vector(&start.angular_velocity);
        }
        numbers.motion(name, joint, model);
        if let Some(stop) = joint.stop.as_ref().filter(|stop| stop.is_of_ball()) {
            numbers.element(stop, Some(CoordinateKind::Angle));
        }
        // Settings of a joint that has no coordinate are refused by name, but read like others.
    }
    for coordinate in &coordinates.list {
        let kind = coordinate.kind;
        for setting in coordinate.start.iter().chain(&coordinate.rate) {
            numbers.number(&setting.value, kind);
        }
        if let Some(rotor) = &coordinate.rotor {
            numbers.at_least(&rotor.value, kind, 0.0);
        }
        for setting in coordinate.spring.iter().chain(&coordinate.stop) {
            numbers.element(&setting.value, kind);
        }
        if let Some(friction) = &coordinate.friction {
            numbers.friction(&friction.value, kind);
        }
    }
    for (_, frame) in model.frames.iter() {
        numbers.vector(&frame.position);
        numbers.vector(&frame.orientation);
    }
    for (name, visual) in model.visuals.iter() {
        numbers.visual(name, visual);
    }
    for (_, item) in model.loops.iter() {
        if let Some(length) = &item.length {
            numbers.positive(&length.value, None);
        }
        for radius in item.radii.iter().flat_map(|radii| &radii.value.0) {
            numbers.positive(radius, None);
        }
    }
    for (_, element) in model.elements.iter() {
        numbers.element(element, coordinates.kind_at(&element.place));
    }
    super::contacts::check(model, &mut numbers);
    for (_, element) in model.friction.iter() {
        let kind = match &element.place {
            FrictionPlace::Coordinate(on) => coordinates.find(on).and_then(|id| coordinates[id].kind),
            FrictionPlace::Between(_, way) => Some(way.kind()),
        };
        numbers.friction(&element.law, kind);
    }
    numbers.doubtful
}

/// The place of a vector: its first number that the file gives.
pub(super) fn vector_span<Q>(vector: &Vec3<Q>) -> Span {
    let [x, y, z] = &vector.0;
    let (first, last) = (x.formula.span, z.formula.span);
    let _ = y;
    Span { file: first.file, start: first.start, end: last.end.max(first.end) }
}

pub(super) struct Numbers<'r, 'p> {
    pub(super) parameters: &'p mut Parameters,
    pub(super) report: &'r mut Report,
    /// Whether an inertia was found that is physically impossible by itself.
    pub(super) doubtful: bool,
}

impl Numbers<'_, '_> {
    pub(super) fn error(&mut self, span: Span, message: String) {
        self.report.push(Diagnostic::error(span, message));
    }

    /// The value of a number whose names and dimension are right.
    pub(super) fn number(&mut self, number: &Number, kind: Option<CoordinateKind>) -> Option<f64> {
        self.parameters.check(number, kind, self.report)
    }

    pub(super) fn at_least(
        &mut self,
        number: &Number,
        kind: Option<CoordinateKind>,
        lower: f64,
    ) -> Option<f64> {
        let value = self.number(number, kind)?;
        self.refuse(value < lower, number, value, &format!("must be at least {lower}"))
    }

    pub(super) fn positive(&mut self, number: &Number, kind: Option<CoordinateKind>) -> Option<f64> {
        let value = self.number(number, kind)?;
        self.refuse(value <= 0.0, number, value, "must be greater than 0")
    }

    fn refuse(&mut self, wrong: bool, number: &Number, value: f64, rule: &str) -> Option<f64> {
        if wrong {
            let key = last_key(&number.path);
            self.report.push(
                Diagnostic::error(number.formula.span, format!("\"{key}\" {rule}"))
                    .label(format!("this is {value}")),
            );
            return None;
        }
        Some(value)
    }

    pub(super) fn vector<Q>(&mut self, vector: &Vec3<Q>) -> Option<[f64; 3]> {
        let [x, y, z] = &vector.0;
        let values = [x, y, z].map(|number: &Quantity<Q>| self.number(number, None));
        Some([values[0]?, values[1]?, values[2]?])
    }

    fn motion(&mut self, name: &Text, joint: &Joint, model: &ModelFile) {
        for axis in joint.axes.iter().flat_map(|axes| &axes.vectors) {
            if self.vector(axis) == Some([0.0; 3]) {
                let message = format!("an axis of joint \"{}\" must not be zero", name.text);
                self.error(vector_span(axis), message);
            }
        }
        if let Some(lead) = &joint.lead
            && self.number(lead, None).is_some()
            && let Ok(Some(dimension)) = dimensions::of(&lead.formula, &*self.parameters)
            && dimension != Dimension::LENGTH
            && !lead.formula.expression.is_plain_number()
        {
            // Angles do not count where dimensions are compared, but mm/rev would be converted to m/rad.
            self.report.push(
                Diagnostic::error(lead.formula.span, "\"lead\" is a length")
                    .help("give the length of one revolution, as in \"5 mm\""),
            );
        }
        if let Some(motion) = &joint.motion {
            for number in motion.translation().into_iter().chain(motion.rotation()) {
                if matches!(role(number, model), Role::Constant) {
                    self.number(number, None);
                }
            }
        }
    }

    /// Stiffness and exponent of `k x^e`.
    pub(super) fn power_law(
        &mut self,
        stiffness: &Number,
        exponent: Option<&Number>,
        kind: Option<CoordinateKind>,
        positive: bool,
    ) {
        let exponent = exponent.map_or(Some(1.0), |exponent| self.at_least(exponent, None, 1.0));
        let Some(exponent) = exponent else {
            self.parameters.check_names(&stiffness.formula, self.report);
            return;
        };
        self.stiffness_of_power(stiffness, exponent, kind, positive);
    }

    /// The stiffness of a law with a known exponent.
    pub(super) fn stiffness_of_power(
        &mut self,
        stiffness: &Number,
        exponent: f64,
        kind: Option<CoordinateKind>,
        positive: bool,
    ) -> Option<f64> {
        let dimension = kind.map(|kind| power_stiffness(kind, exponent));
        if dimension == Some(None) && !stiffness.formula.expression.is_plain_number() {
            let message = format!("the unit of a stiffness with the exponent {exponent} cannot be written");
            self.report.push(
                Diagnostic::error(stiffness.formula.span, message).help("give a plain number, in SI units"),
            );
            return None;
        }
        if !self.parameters.check_names(&stiffness.formula, self.report) {
            return None;
        }
        let value = self.parameters.check_dimension(stiffness, dimension.flatten(), self.report)?;
        if positive {
            self.refuse(value <= 0.0, stiffness, value, "must be greater than 0")
        } else {
            self.refuse(value < 0.0, stiffness, value, "must be at least 0")
        }
    }

    /// An element of the registry: bounds of its numbers, and relations between them.
    fn element(&mut self, element: &ElementTable, kind: Option<CoordinateKind>) {
        let mut values: Vec<Option<f64>> = Vec::new();
        for (param, numbers) in element.grouped() {
            let found: Vec<Option<f64>> = match param.per_power {
                Some(exponent) => {
                    let exponent = element.number(exponent);
                    numbers.iter().map(|number| self.over_power(number, exponent, kind, param)).collect()
                }
                None => numbers.iter().map(|number| self.within_bounds(number, kind, param)).collect(),
            };
            match (found.as_slice(), numbers) {
                ([Some(low), Some(high)], [lower, upper]) if param.limits && low >= high => {
                    let span = Span { end: upper.formula.span.end, ..lower.formula.span };
                    self.error(span, "the lower limit must be less than the upper one".to_owned());
                }
                ([Some(x), Some(y), Some(z)], [first, _, last]) if param.axis && [*x, *y, *z] == [0.0; 3] => {
                    let span = Span { end: last.formula.span.end, ..first.formula.span };
                    self.error(span, format!("\"{}\" must not be zero", param.name));
                }
                _ => {}
            }
            values.extend(found);
        }
        if let Some(values) = values.into_iter().collect::<Option<Vec<f64>>>()
            && let Err(reason) = element.kind.validate(&values, element.size)
        {
            self.error(element.span, reason);
        }
    }

    /// A number within the bounds of its specification.
    fn within_bounds(
        &mut self,
        number: &Number,
        kind: Option<CoordinateKind>,
        param: &ParamSpec,
    ) -> Option<f64> {
        let value = match param.lower {
            _ if !param.choices.is_empty() || param.flag => return self.number(number, kind),
            f64::NEG_INFINITY => self.number(number, kind),
            0.0 if param.lower_open => self.positive(number, kind),
            lower => self.at_least(number, kind, lower),
        }?;
        if value > param.upper {
            let message = format!("\"{}\" must be between {} and {}", param.name, param.lower, param.upper);
            self.error(number.formula.span, message);
            return None;
        }
        Some(value)
    }

    /// A stiffness over a power of the displacement; the exponent is checked for itself.
    fn over_power(
        &mut self,
        number: &Number,
        exponent: Option<&Number>,
        kind: Option<CoordinateKind>,
        param: &ParamSpec,
    ) -> Option<f64> {
        let exponent = exponent.map_or(1.0, |exponent| self.parameters.value(&exponent.formula));
        match Some(exponent).filter(|exponent| *exponent >= 1.0) {
            Some(exponent) => self.stiffness_of_power(number, exponent, kind, param.lower_open),
            None => {
                self.parameters.check_names(&number.formula, self.report);
                None
            }
        }
    }

    fn friction(&mut self, friction: &FrictionLaw, kind: Option<CoordinateKind>) {
        let values: Vec<Option<f64>> =
            friction.parameters.iter().map(|number| self.number(number, kind)).collect();
        if let Some(normal) = &friction.normal {
            let mut positive = vec![("nominal", &normal.nominal)];
            if let NormalForce::From(source) = &normal.force {
                positive.push(("lag", &source.lag));
            }
            for (key, number) in positive {
                if self.number(number, kind).is_some_and(|value| value <= 0.0) {
                    self.error(number.formula.span, format!("\"{key}\" must be greater than 0"));
                }
            }
        }
        let Some(values) = values.into_iter().collect::<Option<Vec<f64>>>() else { return };
        let spec = friction.law.spec();
        let mut valid = true;
        let owners = spec.params.iter().flat_map(|param| {
            std::iter::repeat_n(param, if param.per_element { friction.elements } else { 1 })
        });
        for ((number, &value), param) in friction.parameters.iter().zip(&values).zip(owners) {
            if !param.admits(value) {
                valid = false;
                let rule = if param.lower_open { "must be greater than" } else { "must be at least" };
                let message = format!("\"{}\" {rule} {}", param.name, param.lower);
                self.report
                    .push(Diagnostic::error(number.formula.span, message).label(format!("this is {value}")));
            }
        }
        if !valid {
            return;
        }
        match friction.law.validate(&values, friction.elements) {
            Err(error) => self.report.push(Diagnostic::error(
                place(friction, error.param),
                format!("{}: {}", error.law, error.reason),
            )),
            Ok(()) => {
                if let Some(caution) = friction.law.caution(&values) {
                    let message = format!("{}: {}", caution.law, caution.reason);
                    self.report.push(Diagnostic::warning(place(friction, caution.param), message));
                }
            }
        }
    }
}

/// What the stiffness of `k x^e` measures; `None` where the exponent has too many decimals.
pub(crate) fn power_stiffness(kind: CoordinateKind, exponent: f64) -> Option<Dimension> {
    let displacement = measure_of(Kind::Displacement).on(kind)?.checked_decimal(exponent)?;
    measure_of(Kind::Effort).on(kind)?.checked_div(displacement)
}

/// Where a parameter of a law is given, counted as in its specification; the first entry of a list stands for it.
fn place(friction: &FrictionLaw, param: usize) -> Span {
    let params = friction.law.spec().params;
    let skipped: usize = params[..param.min(params.len())]
        .iter()
        .map(|param| if param.per_element { friction.elements } else { 1 })
        .sum();
    friction
        .parameters
        .get(skipped)
        .filter(|number| number.is_given())
        .map_or(friction.law_span, |number| number.formula.span)
}

/// The key of a number, where the last part of its path is an axis or a place in a list.
fn last_key(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
