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
            ElementKind::Friction { on: Rubbing::Coordinate(coordinate), law, .. }
                if law.sticking::<f64>(&[]).is_none() =>
            {
                self.friction(element, *coordinate)
            }
            ElementKind::Drive { coordinate, effort } => self.drive(&element.name, *coordinate, effort),
            ElementKind::Friction { on: Rubbing::Coordinate(_), .. }
            | ElementKind::Stop { .. }
            | ElementKind::ImpulseStop { .. }
            | ElementKind::BallStop { .. } => {
                let reason = "it holds or limits a coordinate, and there are none; use minimal coordinates";
                Err(refuse(element.name.clone(), reason))
            }
            ElementKind::PointSpring { .. }
            | ElementKind::Force { .. }
            | ElementKind::Torque { .. }
            | ElementKind::Line { .. }
            | ElementKind::Twist { .. }
            | ElementKind::FrameSpring { .. }
            | ElementKind::FrameEffort { .. }
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
        let Handle { between, along, joint } = self.handle(name, coordinate)?;
        let kind = ElementKind::FrameSpring { between, along, stiffness, damping, rest, power };
        self.push(joint, Element { name: name.into(), kind });
        Ok(())
    }

    /// Friction on a coordinate acts between the frames that measure it.
    fn friction(&mut self, element: &Element, coordinate: usize) -> Result<(), AbsoluteError> {
        let Handle { between, along, joint } = self.handle(&element.name, coordinate)?;
        let mut element = element.clone();
        if let ElementKind::Friction { on, .. } = &mut element.kind {
            *on = match along {
                Some(axis) => Rubbing::Along { between, axis },
                None => Rubbing::About { between, axis: 2 },
            };
        }
        self.push(joint, element);
        Ok(())
    }

    /// How a coordinate is measured.
    fn handle(&self, name: &str, coordinate: usize) -> Result<Handle, AbsoluteError> {
        self.handles[coordinate].clone().ok_or_else(|| {
            let coordinate = &self.source.coordinates[coordinate].name;
            refuse(name.into(), format!("no measure between frames gives {coordinate} back"))
        })
    }

    /// Adds an element of a joint.
    fn push(&mut self, joint: usize, element: Element) {
        self.out.replaced[joint].elements.push(self.out.elements.len());
        self.out.elements.push(element);
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

    /// An effort on a coordinate acts between the frames that measure it.
    fn effort(&mut self, name: &str, coordinate: usize, effort: &Expression) -> Result<(), AbsoluteError> {
        let Handle { between, along, joint } = self.handle(name, coordinate)?;
        let kind = ElementKind::FrameEffort { between, along, effort: effort.clone() };
        self.push(joint, Element { name: name.into(), kind });
        Ok(())
    }
}
