//! Frames and what stands between them: loops, forces, measures.

use super::lower::{Lower, body_ref};
use crate::check::coordinates::Coordinates;
use crate::elements::{ElementPlace, ElementTable, Lie};
use crate::loops::{Loop, LoopType};
use crate::measures::MeasureType;
use crate::model_file::ModelFile;
use gelenk_file::read::Text;
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{
    self, CoordinateKind, Element, Frame, LoopKind, Measure, Signal, SignalKind,
};
use gelenk_multibody::elements::contract::PlaceKind;

impl Lower<'_, '_> {
    pub(super) fn frames(&mut self, model: &ModelFile) -> Vec<Frame> {
        let mut frames = Vec::new();
        for (name, frame) in model.frames.iter() {
            if let Some(body) = body_ref(model, &frame.body) {
                let position = self.vector(&frame.position);
                let orientation = self.vector(&frame.orientation);
                frames.push(Frame { name: name.text.clone(), body, position, orientation });
            }
        }
        frames
    }

    /// Position of a frame; a body's own frame is added when it is first named.
    pub(super) fn frame(&mut self, model: &ModelFile, name: &Text, frames: &mut Vec<Frame>) -> Option<usize> {
        if let Some(index) = frames.iter().position(|frame| frame.name == name.text) {
            return Some(index);
        }
        let body = body_ref(model, name)?;
        let zero = self.zero();
        frames.push(Frame { name: name.text.clone(), body, position: [zero; 3], orientation: [zero; 3] });
        Some(frames.len() - 1)
    }

    /// A frame at the place of another one, rotated by half a revolution about one of its axes.
    pub(super) fn turned(&mut self, frame: usize, axis: usize, frames: &mut Vec<Frame>) -> usize {
        let (zero, half) = (self.zero(), self.half_turn());
        let orientation = std::array::from_fn(|k| if k == axis { half } else { zero });
        let name = frames.get(frame).map(|frame| format!("{} turned", frame.name)).unwrap_or_default();
        frames.push(Frame { name, body: blueprint::BodyRef::Frame(frame), position: [zero; 3], orientation });
        frames.len() - 1
    }

    pub(super) fn between(
        &mut self,
        model: &ModelFile,
        [first, second]: &[Text; 2],
        frames: &mut Vec<Frame>,
    ) -> Option<[usize; 2]> {
        Some([self.frame(model, first, frames)?, self.frame(model, second, frames)?])
    }

    pub(super) fn loops(&mut self, model: &ModelFile, frames: &mut Vec<Frame>) -> Vec<blueprint::Loop> {
        let loops = model.loops.iter().filter_map(|(name, item)| {
            let kind = self.loop_kind(model, item, frames)?;
            Some(blueprint::Loop { name: name.text.clone(), kind })
        });
        loops.collect()
    }

    fn loop_kind(&mut self, model: &ModelFile, item: &Loop, frames: &mut Vec<Frame>) -> Option<LoopKind> {
        if item.kind.value == LoopType::Coupling {
            return Some(LoopKind::Coupling(self.bind(item.equation.as_ref()?)));
        }
        let between = self.between(model, &item.between.as_ref()?.value.0, frames)?;
        Some(match item.kind.value {
            LoopType::Point | LoopType::Ball => LoopKind::Point(between),
            LoopType::Parallel => LoopKind::Parallel(between),
            LoopType::Perpendicular => LoopKind::Perpendicular(between),
            LoopType::Orientation => LoopKind::Orientation(between),
            LoopType::Distance => {
                let length = &item.length.as_ref()?.value;
                LoopKind::Distance(between, self.positive(length, CoordinateKind::Length))
            }
            LoopType::Plane => LoopKind::Plane(between),
            LoopType::Ellipsoid => {
                let [x, y, z] = &item.radii.as_ref()?.value.0;
                let radii = [x, y, z].map(|radius| self.positive(radius, CoordinateKind::Length));
                LoopKind::Ellipsoid(between, radii)
            }
            LoopType::Rigid => LoopKind::Rigid(between),
            LoopType::Revolute => LoopKind::Revolute(between),
            LoopType::Cylindrical => LoopKind::Cylindrical(between),
            LoopType::Prismatic => LoopKind::Prismatic(between),
            LoopType::Universal => LoopKind::Universal(between),
            LoopType::Coupling => return None,
        })
    }

    /// Elements of the tables of the registry that a condition picks by their name.
    pub(super) fn elements(
        &mut self,
        model: &ModelFile,
        coordinates: &Coordinates<'_>,
        frames: &mut Vec<Frame>,
        elements: &mut Vec<Element>,
        picks: impl Fn(&str) -> bool,
    ) {
        for (table, items) in model.elements.tables().filter(|(table, _)| picks(table)) {
            for (name, item) in items.iter() {
                let kind = coordinates.kind_at(&item.place).unwrap_or(CoordinateKind::Angle);
                if let Some(on) = self.attachment(model, coordinates, item, frames) {
                    elements.push(self.element(format!("{table}.{}", name.text), item, on, kind));
                }
            }
        }
    }

    /// An element of a table, or under a key of a joint or coordinate.
    pub(super) fn element(
        &mut self,
        name: String,
        item: &ElementTable,
        on: Attachment,
        kind: CoordinateKind,
    ) -> Element {
        let parameters = self.parameters_of(item, kind);
        let inputs = item.inputs.iter().map(|input| self.bind(input)).collect();
        Element { name, kind: item.kind.clone(), on, parameters, size: item.size, inputs }
    }

    /// What an element of a table acts on.
    fn attachment(
        &mut self,
        model: &ModelFile,
        coordinates: &Coordinates<'_>,
        item: &ElementTable,
        frames: &mut Vec<Frame>,
    ) -> Option<Attachment> {
        Some(match &item.place {
            ElementPlace::Owner | ElementPlace::Open => return None,
            ElementPlace::Coordinate(on) => Attachment::Coordinate(coordinates.find(on)?),
            ElementPlace::Between(pair, lie) => {
                let between = self.between(model, &pair.0, frames)?;
                let between = match (item.reversed, *lie) {
                    // The axis of a turned frame points the other way.
                    (true, Lie::Along(axis)) => [self.turned(between[0], (axis + 1) % 3, frames), between[1]],
                    (true, Lie::Angle) => [self.turned(between[0], 0, frames), between[1]],
                    _ => between,
                };
                ElementPlace::attachment(*lie, between)
            }
            ElementPlace::Frame { on, axes } => {
                let frame = self.frame(model, on, frames)?;
                // The ground's own frame is what the core takes where no frame is given.
                let axes = match axes.as_ref().filter(|axes| &***axes != "ground") {
                    Some(axes) => Some(self.frame(model, axes, frames)?),
                    None => None,
                };
                match item.kind.spec().place {
                    PlaceKind::Torque => Attachment::Turn { frame, axes },
                    _ => Attachment::Point { frame, axes },
                }
            }
        })
    }

    /// Every measure is two signals: its value and its rate.
    pub(super) fn measures(&mut self, model: &ModelFile, frames: &mut Vec<Frame>, signals: &mut Vec<Signal>) {
        for (name, item) in model.measures.iter() {
            let Some(between) = self.between(model, &item.between.0, frames) else { continue };
            let (value, rate) = match item.kind {
                MeasureType::Distance => (Measure::Distance, Measure::DistanceRate),
                MeasureType::X => (Measure::Position(0), Measure::PositionRate(0)),
                MeasureType::Y => (Measure::Position(1), Measure::PositionRate(1)),
                MeasureType::Z => (Measure::Position(2), Measure::PositionRate(2)),
                MeasureType::Angle => (Measure::Angle, Measure::AngleRate),
            };
            let kind = match item.kind {
                MeasureType::Angle => CoordinateKind::Angle,
                _ => CoordinateKind::Length,
            };
            let [unit, rate_unit, _] = kind.units();
            let parts = [(name.text.clone(), unit, value), (format!("{}.rate", name.text), rate_unit, rate)];
            for (name, unit, measure) in parts {
                let kind = match item.reversed {
                    false => SignalKind::Measure(between, measure),
                    true => SignalKind::Reversed(between, measure),
                };
                signals.push(Signal { name, unit: unit.to_owned(), kind });
            }
        }
    }
}
