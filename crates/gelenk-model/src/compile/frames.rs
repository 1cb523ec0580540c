//! Frames and what stands between them: loops, forces, measures.

use super::lower::{Lower, body_ref};
use crate::check::coordinates::Coordinates;
use crate::elements::{ElementPlace, ElementTable, Lie};
use crate::loops::{Loop, LoopType};
use crate::measures::MeasureType;
use crate::model_file::ModelFile;
use gelenk_file::read::Text;
use gelenk_multibody::Attachment;
use gelenk_multibody::blueprint::{CoordinateKind, Element, Frame, FrameId, LoopKind, Measure, SignalKind};
use gelenk_multibody::elements::contract::PlaceKind;

impl Lower<'_, '_> {
    pub(super) fn frames(&mut self, model: &ModelFile) {
        for (name, frame) in model.frames.iter() {
            if let Some(body) = body_ref(model, &frame.body) {
                let position = self.vector(&frame.position);
                let orientation = self.vector(&frame.orientation);
                self.builder.add(Frame { name: name.text.clone(), body, position, orientation });
            }
        }
    }

    /// The frame with this name, if there is one already.
    pub(super) fn frame_of_name(&self, name: &str) -> Option<FrameId> {
        self.builder.blueprint().frames.iter().position(|frame| frame.name == name).map(FrameId::nth)
    }

    /// A frame by its name; a body's own frame is added when it is first named.
    pub(super) fn frame(&mut self, model: &ModelFile, name: &Text) -> Option<FrameId> {
        if let Some(frame) = self.frame_of_name(name) {
            return Some(frame);
        }
        let body = body_ref(model, name)?;
        let zero = [self.zero(); 3];
        Some(self.builder.add(Frame { name: name.text.clone(), body, position: zero, orientation: zero }))
    }

    /// A frame at the place of another one, rotated by half a revolution about one of its axes.
    pub(super) fn turned(&mut self, frame: FrameId, axis: usize, name: String) -> FrameId {
        let (zero, half) = (self.zero(), self.half_turn());
        let orientation = std::array::from_fn(|k| if k == axis { half } else { zero });
        self.builder.add(Frame { name, body: frame.into(), position: [zero; 3], orientation })
    }

    /// Two frames of which the first is turned about one of its axes, so that another one points the other way.
    pub(super) fn reversed(&mut self, [first, second]: [FrameId; 2], axis: usize) -> [FrameId; 2] {
        let name = format!("{} turned", self.builder.blueprint().frames[first].name);
        [self.turned(first, axis, name), second]
    }

    pub(super) fn between(&mut self, model: &ModelFile, [first, second]: &[Text; 2]) -> Option<[FrameId; 2]> {
        Some([self.frame(model, first)?, self.frame(model, second)?])
    }

    pub(super) fn loops(&mut self, model: &ModelFile) {
        for (name, item) in model.loops.iter() {
            if let Some(kind) = self.loop_kind(model, item) {
                self.builder.constrain(name, kind);
            }
        }
    }

    fn loop_kind(&mut self, model: &ModelFile, item: &Loop) -> Option<LoopKind> {
        if item.kind.value == LoopType::Coupling {
            return Some(LoopKind::Coupling(self.bind(item.equation.as_ref()?)));
        }
        let between = self.between(model, &item.between.as_ref()?.value.0)?;
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
        coordinates: &Coordinates,
        picks: impl Fn(&str) -> bool,
    ) {
        for (table, items) in model.elements.tables().filter(|(table, _)| picks(table)) {
            for (name, item) in items.iter() {
                let kind = coordinates.kind_at(&item.place).unwrap_or(CoordinateKind::Angle);
                if let Some(on) = self.attachment(model, coordinates, item) {
                    self.element(format!("{table}.{}", name.text), item, on, kind);
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
    ) {
        let parameters = self.parameters_of(item, kind);
        let inputs = item.inputs.iter().map(|input| self.bind(input)).collect();
        self.builder.add(Element { name, kind: item.kind.clone(), on, parameters, size: item.size, inputs });
    }

    /// What an element of a table acts on.
    fn attachment(
        &mut self,
        model: &ModelFile,
        coordinates: &Coordinates,
        item: &ElementTable,
    ) -> Option<Attachment> {
        Some(match &item.place {
            ElementPlace::Owner | ElementPlace::Open => return None,
            ElementPlace::Coordinate(on) => Attachment::Coordinate(coordinates.find(on)?),
            ElementPlace::Between(pair, lie) => {
                let between = self.between(model, &pair.0)?;
                let between = match (item.reversed, *lie) {
                    // The axis of a turned frame points the other way.
                    (true, Lie::Along(axis)) => self.reversed(between, (axis + 1) % 3),
                    (true, Lie::Angle) => self.reversed(between, 0),
                    _ => between,
                };
                ElementPlace::attachment(*lie, between)
            }
            ElementPlace::Frame { on, axes } => {
                let frame = self.frame(model, on)?;
                // The ground's own frame is what the core takes where no frame is given.
                let axes = match axes.as_ref().filter(|axes| &***axes != "ground") {
                    Some(axes) => Some(self.frame(model, axes)?),
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
    pub(super) fn measures(&mut self, model: &ModelFile) {
        for (name, item) in model.measures.iter() {
            let Some(between) = self.between(model, &item.between.0) else { continue };
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
                self.builder.push_signal(&name, unit, kind);
            }
        }
    }
}
