//! Frames and what stands between them: loops, forces, measures.

use super::lower::{Lower, body_ref};
use crate::check::coordinates::Coordinates;
use crate::elements::{ElementPlace, ElementTable, Lie};
use crate::forces::{Force, MeasureType};
use crate::loops::{Loop, LoopType};
use crate::model_file::ModelFile;
use crate::quantity::Formula;
use gelenk_file::fields::Three;
use gelenk_file::read::{Named, Text};
use gelenk_math::expression::Expression;
use gelenk_multibody::blueprint::{
    self, CoordinateKind, Element, Frame, LoopKind, Measure, Signal, SignalKind,
};
use gelenk_multibody::{Acting, Attachment};

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

    /// A frame at the place of another one, turned by half a turn about one of its axes.
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

    /// Elements of the registry, and forces.
    pub(super) fn elements(
        &mut self,
        model: &ModelFile,
        coordinates: &Coordinates<'_>,
        frames: &mut Vec<Frame>,
        elements: &mut Vec<Element>,
    ) {
        let mut tables: Vec<_> = model.elements.tables().collect();
        // Forces have a table of their own, and stand where the registry has them.
        let place = |kind: &Acting| Acting::ALL.iter().position(|known| known == kind);
        let forces = tables.partition_point(|(kind, _)| place(kind) < place(&Acting::Force));
        for (_, table) in tables.drain(..forces) {
            self.table(model, coordinates, table, frames, elements);
        }
        for (name, item) in model.forces.iter() {
            elements.extend(self.force(model, &name.text, item, frames));
        }
        for (_, table) in tables {
            self.table(model, coordinates, table, frames, elements);
        }
    }

    fn table(
        &mut self,
        model: &ModelFile,
        coordinates: &Coordinates<'_>,
        table: &Named<ElementTable>,
        frames: &mut Vec<Frame>,
        elements: &mut Vec<Element>,
    ) {
        for (name, item) in table.iter() {
            let kind = coordinates.kind_at(&item.place).unwrap_or(CoordinateKind::Angle);
            let on = match &item.place {
                ElementPlace::Coordinate(on) => coordinates.find(on).map(Attachment::Coordinate),
                ElementPlace::Between(pair, lie) => self.between(model, &pair.0, frames).map(|between| {
                    let between = match (item.reversed, *lie) {
                        // The axis of a turned frame points the other way.
                        (true, Lie::Along(axis)) => {
                            [self.turned(between[0], (axis + 1) % 3, frames), between[1]]
                        }
                        (true, Lie::Angle) => [self.turned(between[0], 0, frames), between[1]],
                        _ => between,
                    };
                    ElementPlace::attachment(*lie, between)
                }),
            };
            let Some(on) = on else { continue };
            let parameters =
                item.numbers().map(|(param, number)| self.specified(param, number, kind)).collect();
            let inputs = item.inputs.iter().map(|input| self.bind(input)).collect();
            let (name, kind) = (format!("{}.{}", item.kind.spec().table, name.text), item.kind.clone());
            elements.push(Element { name, kind, on, parameters, size: item.size, inputs });
        }
    }

    fn force(
        &mut self,
        model: &ModelFile,
        name: &str,
        item: &Force,
        frames: &mut Vec<Frame>,
    ) -> Option<Element> {
        let frame = self.frame(model, &item.on, frames)?;
        // The ground's own frame is what the core takes where no frame is given.
        let axes = match item.axes.as_ref().filter(|axes| &***axes != "ground") {
            Some(axes) => Some(self.frame(model, axes, frames)?),
            None => None,
        };
        let (kind, on, given) = match (&item.force, &item.torque) {
            (Some(force), _) => (Acting::Force, Attachment::Point { frame, axes }, force),
            (None, Some(torque)) => (Acting::Torque, Attachment::Turn { frame, axes }, torque),
            (None, None) => return None,
        };
        let components = self.components(&given.value);
        Some(Element::new(format!("forces.{name}"), kind, on, &[]).with_inputs(&components))
    }

    fn components(&mut self, vector: &Three<Formula>) -> [Expression; 3] {
        let [x, y, z] = &vector.0;
        [x, y, z].map(|component| self.bind(component))
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
