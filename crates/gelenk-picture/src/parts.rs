//! Joints, springs, markers and axes of a figure.

use std::f64::consts::TAU;

use gelenk_math::spatial::{Mat3, Pose, Vec3};

use crate::drawing::Colour;
use crate::figure::{Figure, FigurePart, FigurePlace, Item};
use crate::scene::Carrier;
use crate::solid::{Solid, along};

const JOINT: Colour = Colour(0x5c, 0x66, 0x72);
const SPRING: Colour = Colour(0x9a, 0xa4, 0xaf);
const MARKER: Colour = Colour(0xf2, 0xc1, 0x4e);
/// Colours of axes x, y and z, as most programs have them.
const AXES: [Colour; 3] = [Colour(0xd6, 0x33, 0x33), Colour(0x2f, 0x9e, 0x44), Colour(0x33, 0x66, 0xd6)];

impl Figure<'_> {
    /// Cylinders and balls at joints, rails, and rings where joints stand on the ground.
    pub(crate) fn add_joints(&mut self, radius: f64) {
        for joint in &self.scene.joints {
            // A robot that is seen as it is needs no marks.
            if self.is_dressed(joint.child) || self.is_dressed(joint.parent) && joint.parent.is_some() {
                continue;
            }
            let solid = match (joint.kind.as_str(), joint.axis) {
                ("revolute", Some(axis)) => {
                    Solid::cylinder(1.7 * radius, 3.4 * radius).moved(&Pose::new(along(&axis), Vec3::zeros()))
                }
                // What moves freely over the ground has no joint to see.
                ("general", _) if joint.parent.is_none() && self.is_solid(joint.child) => continue,
                ("ball" | "general", _) => Solid::ball(&Vec3::zeros(), 1.6 * radius),
                ("prismatic", Some(axis)) if joint.parent.is_none() => {
                    // The line along which a body slides, as long as its way.
                    let way = joint.pose.rotation * axis.normalize();
                    let places = self.instants().into_iter().filter_map(|t| self.motion.pose(joint.child, t));
                    let along = places.map(|pose| (pose.position - joint.pose.position).dot(&way));
                    let (low, high) = along.fold((0.0_f64, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
                    let end = |s: f64| joint.pose.position + way * s;
                    let margin = 0.1 * self.size;
                    let solid = Solid::rod(&end(low - margin), &end(high + margin), 0.45 * radius);
                    let (name, place) = ("rail".to_owned(), FigurePlace::On(None));
                    self.items.push(Item {
                        name,
                        colour: JOINT,
                        solid,
                        place,
                        part: FigurePart::Joint,
                        opacity: 1.0,
                    });
                    continue;
                }
                _ => continue,
            };
            // The axis of a joint is the same in the frame that it carries.
            self.items.push(Item {
                name: "joint".into(),
                colour: JOINT,
                solid,
                place: FigurePlace::On(joint.child),
                part: FigurePart::Joint,
                opacity: 1.0,
            });
            if joint.parent.is_none() {
                let foot = ring(2.4 * radius, 0.55 * radius, &joint.pose.position, &self.scene.up);
                self.items.push(Item {
                    name: "foot".into(),
                    colour: JOINT,
                    solid: foot,
                    place: FigurePlace::On(None),
                    part: FigurePart::Joint,
                    opacity: 1.0,
                });
            }
        }
        for (_, between) in &self.scene.loops {
            let frame = &self.scene.frames[between[1]];
            if self.is_dressed(frame.body) {
                continue;
            }
            let solid = Solid::ball(&frame.pose.position, 1.5 * radius);
            self.items.push(Item {
                name: "joint".into(),
                colour: JOINT,
                solid,
                place: FigurePlace::On(frame.body),
                part: FigurePart::Joint,
                opacity: 1.0,
            });
        }
    }

    /// Whether a body has shapes or surfaces of contacts.
    fn is_solid(&self, body: Carrier) -> bool {
        let shaped = body.and_then(|k| self.scene.bodies.get(k)).is_some_and(|body| !body.shapes.is_empty());
        shaped || self.scene.surfaces.iter().any(|(frame, _)| self.scene.frames[*frame].body == body)
    }

    /// Coils and rods between two points.
    pub(crate) fn add_springs(&mut self, radius: f64) {
        let springs = self.scene.links.iter().filter(|(kind, _)| kind != "torque" && kind != "contact");
        let rods = self.scene.loops.iter().filter(|(kind, _)| kind == "distance");
        for (kind, between) in springs.chain(rods) {
            let stiff = matches!(kind.as_str(), "distance" | "line");
            let solid = if stiff { Solid::cylinder(0.5 * radius, 1.0) } else { coil(radius) };
            let ends =
                between.map(|frame| (self.scene.frames[frame].body, self.scene.frames[frame].pose.position));
            let colour = if stiff { JOINT } else { SPRING };
            let place = FigurePlace::Between(ends);
            self.items.push(Item {
                name: kind.clone(),
                colour,
                solid,
                place,
                part: FigurePart::Joint,
                opacity: 1.0,
            });
        }
    }

    /// Small balls.
    pub(crate) fn add_markers(&mut self, radius: f64) {
        for (k, (name, _)) in self.markers.iter().enumerate() {
            let solid = Solid::ball(&Vec3::zeros(), 1.1 * radius);
            let (name, place) = (name.clone(), FigurePlace::Marker(k));
            self.items.push(Item {
                name,
                colour: MARKER,
                solid,
                place,
                part: FigurePart::Marker,
                opacity: 1.0,
            });
        }
    }

    /// Axes of bodies, and shorter ones of frames.
    pub(crate) fn add_axes(&mut self) {
        let bodies = (0..self.scene.bodies.len()).map(|k| (Some(k), Pose::identity(), 0.1));
        let frames = self.scene.frames.iter().map(|frame| (frame.body, frame.pose, 0.05));
        for (carrier, pose, length) in bodies.chain(frames) {
            for (axis, colour) in [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().zip(AXES) {
                let end = pose.point(&(axis * (length * self.size)));
                let solid = Solid::rod(&pose.position, &end, 0.0025 * self.size);
                let (name, place) = ("axis".to_owned(), FigurePlace::On(carrier));
                self.items.push(Item { name, colour, solid, place, part: FigurePart::Axes, opacity: 1.0 });
            }
        }
    }
}

/// A ring about a point in the plane across a direction.
fn ring(radius: f64, thickness: f64, at: &Vec3<f64>, across: &Vec3<f64>) -> Solid {
    let axes: Mat3<f64> = along(across);
    let point = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k) / 40.0).sin_cos();
        at + axes * Vec3::new(radius * cos, radius * sin, 0.0)
    };
    Solid::tube(&(0..=40).map(point).collect::<Vec<_>>(), thickness, 10)
}

/// A coil of unit length along z about the origin.
fn coil(radius: f64) -> Solid {
    const TURNS: u32 = 9;
    const STEPS: u32 = 12;
    let mut points = vec![Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, -0.44)];
    for k in 0..=TURNS * STEPS {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(STEPS)).sin_cos();
        let z = -0.4 + 0.8 * f64::from(k) / f64::from(TURNS * STEPS);
        points.push(Vec3::new(1.5 * radius * cos, 1.5 * radius * sin, z));
    }
    points.extend([Vec3::new(0.0, 0.0, 0.44), Vec3::new(0.0, 0.0, 0.5)]);
    Solid::tube(&points, 0.3 * radius, 6)
}
