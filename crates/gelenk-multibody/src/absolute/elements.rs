//! Elements on coordinates act between the frames that measure them: the same elements on other attachments.

use super::{AbsoluteError, Converter, Handle, refuse};
use crate::blueprint::{Element, ElementKind, KindElement, Rubbing};
use crate::elements::Attachment;

impl Converter<'_> {
    pub(super) fn element(&mut self, element: &Element) -> Result<(), AbsoluteError> {
        let mut element = element.clone();
        let on = match &mut element.kind {
            ElementKind::Kind(KindElement { on: on @ Attachment::Coordinate(_), .. }) => {
                let Attachment::Coordinate(coordinate) = *on else { return Ok(()) };
                let Handle { between, along, joint } = self.handle(&element.name, coordinate)?;
                *on = match along {
                    Some(axis) => Attachment::Along { between, axis },
                    None => Attachment::Angle(between),
                };
                Some(joint)
            }
            ElementKind::Friction { on: on @ Rubbing::Coordinate(_), law, .. }
                if law.sticking::<f64>(&[]).is_none() =>
            {
                let Rubbing::Coordinate(coordinate) = *on else { return Ok(()) };
                let Handle { between, along, joint } = self.handle(&element.name, coordinate)?;
                *on = match along {
                    Some(axis) => Rubbing::Along { between, axis },
                    None => Rubbing::About { between, axis: 2 },
                };
                Some(joint)
            }
            ElementKind::Friction { on: Rubbing::Coordinate(_), .. }
            | ElementKind::ImpulseStop { .. }
            | ElementKind::Kind(KindElement { on: Attachment::Ball(_), .. }) => {
                let reason = "not available in absolute coordinates: it holds or limits a joint coordinate; use minimal coordinates";
                return Err(refuse(element.name, reason));
            }
            ElementKind::Kind(_)
            | ElementKind::Friction { .. }
            | ElementKind::Contact(_)
            | ElementKind::Touch(_) => None,
        };
        if let Some(joint) = on {
            self.out.replaced[joint].elements.push(self.out.elements.len());
        }
        self.out.elements.push(element);
        Ok(())
    }

    /// How a coordinate is measured.
    fn handle(&self, name: &str, coordinate: usize) -> Result<Handle, AbsoluteError> {
        self.handles[coordinate].clone().ok_or_else(|| {
            let coordinate = &self.source.coordinates[coordinate].name;
            refuse(name.into(), format!("no measure between frames gives {coordinate} back"))
        })
    }
}
