//! Elements on coordinates act between the frames that measure them: the same elements on other attachments.

use super::{AbsoluteError, Converter, Handle, refuse};
use crate::blueprint::{CoordinateId, Element, ElementId};
use crate::elements::Attachment;
use crate::elements::contract::Holding;

impl Converter<'_> {
    pub(super) fn element(&mut self, element: &Element) -> Result<(), AbsoluteError> {
        let mut element = element.clone();
        let holds = element.kind.holding() != Holding::Nothing;
        if (holds && element.on.coordinate().is_some()) || matches!(element.on, Attachment::Ball(_)) {
            let reason = "not available in absolute coordinates: it holds or limits a joint coordinate; use minimal coordinates";
            return Err(refuse(element.name, reason));
        }
        if let Attachment::Coordinate(coordinate) = element.on {
            let Handle { between, along, joint } = self.handle(&element.name, coordinate)?;
            element.on = match along {
                Some(axis) => Attachment::Along { between, axis },
                // Friction needs no angle that is counted over turns.
                None if element.kind.resists() => Attachment::About { between, axis: 2 },
                None => Attachment::Angle(between),
            };
            let next = ElementId::nth(self.out.elements.len());
            self.out.replaced[joint].elements.push(next);
        }
        self.out.add(element);
        Ok(())
    }

    /// How a coordinate is measured.
    fn handle(&self, name: &str, coordinate: CoordinateId) -> Result<Handle, AbsoluteError> {
        self.handles[coordinate.index()].clone().ok_or_else(|| {
            let coordinate = &self.source.coordinates[coordinate].name;
            refuse(name.into(), format!("no measure between frames gives {coordinate}"))
        })
    }
}
