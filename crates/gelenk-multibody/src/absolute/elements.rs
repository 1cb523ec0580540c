//! Elements on coordinates as forces and torques between frames.

use gelenk_math::expression::Expression;
use gelenk_system::Param;

use super::{AbsoluteError, Converter, Handle, refuse};
use crate::blueprint::{Element, ElementKind, Rubbing, Signal, SignalKind};

impl Converter<'_> {
    pub(super) fn element(&mut self, element: &Element) -> Result<(), AbsoluteError> {
        match &element.kind {
            ElementKind::Spring { coordinate, stiffness, damping, rest } => {
                self.spring(&element.name, *coordinate, [*stiffness, *damping, *rest], None)
            }
            ElementKind::PowerSpring { coordinate, stiffness, exponent, damping, depth, rest } => {
                let power = Some([*exponent, *depth]);
                self.spring(&element.name, *coordinate, [*stiffness, *damping, *rest], power)
            }
            ElementKind::Effort { coordinate, effort } => self.effort(&element.name, *coordinate, effort),
            ElementKind::Friction { on: Rubbing::Coordinate(coordinate), law, parameters, .. }
                if law.spec().name == "viscous" =>
            {
                let Some(&viscous) = parameters.first() else {
                    return Err(refuse(element.name.clone(), "its law has no parameter"));
                };
                let d = self.alias(viscous)?;
                let q = &self.source.coordinates[*coordinate].name;
                let effort = self.parse(&element.name, &format!("-{d}*{q}.rate"))?;
                self.effort(&element.name, *coordinate, &effort)
            }
            ElementKind::Drive { coordinate, effort } => self.drive(&element.name, *coordinate, effort),
            ElementKind::Friction { on: Rubbing::Coordinate(_), .. }
            | ElementKind::Stop { .. }
            | ElementKind::ImpulseStop { .. }
            | ElementKind::BallStop { .. } => {
                let reason = "its law has memory on a coordinate or joint, and there are none";
                Err(refuse(element.name.clone(), reason))
            }
            ElementKind::PointSpring { .. }
            | ElementKind::Force { .. }
            | ElementKind::Torque { .. }
            | ElementKind::Line { .. }
            | ElementKind::Twist { .. }
            | ElementKind::FrameSpring { .. }
            | ElementKind::Bushing { .. }
            | ElementKind::Friction { .. }
            | ElementKind::Contact(_)
            | ElementKind::Touch(_) => {
                self.out.elements.push(element.clone());
                Ok(())
            }
        }
    }

    /// A spring on a coordinate acts between the frames that measure it, and keeps its energy.
    fn spring(
        &mut self,
        name: &str,
        coordinate: usize,
        [stiffness, damping, rest]: [Param; 3],
        power: Option<[Param; 2]>,
    ) -> Result<(), AbsoluteError> {
        let Some(Handle { between, along, .. }) = self.handles[coordinate].clone() else {
            let coordinate = &self.source.coordinates[coordinate].name;
            let reason = format!("no measure between frames gives {coordinate} back");
            return Err(refuse(name.into(), reason));
        };
        let kind = ElementKind::FrameSpring { between, along, stiffness, damping, rest, power };
        self.out.elements.push(Element { name: name.into(), kind });
        Ok(())
    }

    /// A drive keeps its names in expressions: its effort becomes a signal.
    fn drive(&mut self, name: &str, coordinate: usize, effort: &Expression) -> Result<(), AbsoluteError> {
        let short = name.rsplit('.').next().unwrap_or(name).to_owned();
        let unit = self.source.coordinates[coordinate].kind.units()[2];
        let kind = SignalKind::Value(effort.clone());
        self.out.signals.push(Signal { name: short.clone(), unit: unit.into(), kind });
        for alias in ["torque", "force", "effort"] {
            let alias = format!("{short}.{alias}");
            if self.names(&alias) {
                let value = Expression::variable(&short);
                let kind = SignalKind::Value(value);
                self.out.signals.push(Signal { name: alias, unit: unit.into(), kind });
            }
        }
        self.effort(name, coordinate, &Expression::variable(&short))
    }

    /// An effort on a coordinate: a torque between the frames of a turn, a pair of forces between those of a slide.
    fn effort(&mut self, name: &str, coordinate: usize, effort: &Expression) -> Result<(), AbsoluteError> {
        let coordinate_name = &self.source.coordinates[coordinate].name;
        let Some(Handle { between, along, straight }) = self.handles[coordinate].clone() else {
            let reason = format!("no measure between frames gives {coordinate_name} back");
            return Err(refuse(name.into(), reason));
        };
        let Some(axis) = along else {
            let kind = ElementKind::Twist { between, torque: effort.clone() };
            self.out.elements.push(Element { name: name.into(), kind });
            return Ok(());
        };
        if !straight {
            let reason = format!("{coordinate_name} slides beside another slide on a body that moves");
            return Err(refuse(name.into(), reason));
        }
        let source = format!("{name}.effort");
        let unit = self.source.coordinates[coordinate].kind.units()[2];
        // One value for both forces, so that they are equal and opposite to the last digit.
        let slot = format!("absolute.effort{}", self.out.signals.len());
        let kind = SignalKind::Value(effort.clone());
        self.out.signals.push(Signal { name: slot.clone(), unit: unit.into(), kind });
        let negative = self.parse(&source, &format!("-{slot}"))?;
        let ends = [
            (between[1], Expression::variable(&slot), name.to_owned()),
            (between[0], negative, format!("{name}.support")),
        ];
        for (frame, value, name) in ends {
            let mut components = [0; 3].map(|_| Expression::plain_number(0.0));
            components[axis] = value;
            let kind = ElementKind::Force { frame, axes: Some(between[0]), components };
            self.out.elements.push(Element { name, kind });
        }
        Ok(())
    }

    /// A path under which expressions find a parameter, whatever its own path looks like.
    fn alias(&mut self, param: Param) -> Result<String, AbsoluteError> {
        self.numbers += 1;
        let path = format!("absolute.n{}", self.numbers);
        let unit = self.table.get(param).map(|entry| entry.unit.clone()).unwrap_or_default();
        let program = Expression::variable("p").compile(&|_| Some(param.index()));
        let program = program.map_err(|error| refuse(path.clone(), error.to_string()))?;
        self.table.derived(&path, program, &unit)?;
        Ok(path)
    }
}
