//! A motion as animated glTF 2.0 in one binary file, for Blender, three.js and whatever else reads it.
//!
//! A node for every body carries its surfaces and moves by channels of translation and rotation; springs and arrows of
//! forces are stretched by a channel of scale. Times begin at 0. glTF has y up: a node above all others turns the model.

use gelenk_math::rotation::to_quaternion;
use gelenk_math::spatial::{Mat3, Vec3};
use serde_json::{Value, json};

use crate::drawing::Colour;
use crate::figure::{Figure, FigurePart, FigurePlace, Item, Transform};
use crate::solid::along;

/// Most instants of an animation.
const MOST_INSTANTS: usize = 200_000;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// Why there is no glTF.
#[derive(Debug, thiserror::Error)]
pub enum GltfError {
    /// The number of pictures in a second.
    #[error("{0} instants per second is out of range: give more than 0 and at most 10000")]
    Rate(f64),
    /// The animation would be too long.
    #[error("the motion has {0} instants, more than {MOST_INSTANTS}: choose fewer per second with --fps")]
    Long(usize),
    /// The file would be larger than the format allows.
    #[error("the file would be larger than 4 GB, which the format cannot hold")]
    Large,
}

/// Writes a figure as one binary file with `per_second` instants in a second.
///
/// # Errors
/// [`GltfError`].
pub fn glb(figure: &Figure, per_second: f64) -> Result<Vec<u8>, GltfError> {
    let span = figure.motion.span();
    let times = instants(span, per_second)?;
    let (start, moves) = (span.0, times.len() > 1);
    let mut file = File::default();
    let clock: Vec<f32> = times.iter().map(|t| (t - start) as f32).collect();
    let clock = file.numbers(&clock, "SCALAR", true, None);
    for (k, body) in figure.scene.bodies.iter().enumerate() {
        let place = FigurePlace::On(Some(k));
        let own = figure.items.iter().filter(|item| item.place == place && item.part != FigurePart::Axes);
        let children: Vec<usize> = own.map(|item| file.surface(item, &item.name)).collect();
        file.moving(figure, &body.name, &place, &times, clock, json!({ "children": children }));
    }
    // Nodes have axes of their own.
    for item in figure.items.iter().filter(|item| item.part != FigurePart::Axes) {
        match &item.place {
            FigurePlace::On(None) => {
                let node = file.surface(item, &item.name);
                file.top.push(node);
            }
            FigurePlace::On(Some(_)) => {}
            place @ (FigurePlace::Between(_) | FigurePlace::Load(..) | FigurePlace::Marker(_)) => {
                let mesh = file.mesh(item);
                file.moving(figure, &item.name, place, &times, clock, json!({ "mesh": mesh }));
            }
        }
    }
    file.finish(figure, moves)
}

/// The instants (s) of an animation from the beginning to the end of a motion, both included.
///
/// # Errors
/// [`GltfError::Rate`] and [`GltfError::Long`].
pub fn instants((start, end): (f64, f64), per_second: f64) -> Result<Vec<f64>, GltfError> {
    if !(per_second > 0.0 && per_second <= 1e4) {
        return Err(GltfError::Rate(per_second));
    }
    let steps = ((end - start) * per_second).ceil().max(0.0) as usize;
    if steps >= MOST_INSTANTS {
        return Err(GltfError::Long(steps));
    }
    Ok((0..=steps).map(|k| (start + k as f64 / per_second).min(end)).collect())
}

/// A file in the making.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<(Colour, f64, Value)>,
    nodes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Nodes below the one that turns the model.
    top: Vec<usize>,
}

impl File {
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.binary.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Puts numbers into the file: the number of their accessor.
    fn numbers(&mut self, values: &[f32], kind: &str, bounds: bool, target: Option<u32>) -> usize {
        let width = match kind {
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 1,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let count = values.len() / width;
        let mut accessor =
            json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": kind });
        if bounds {
            let each = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
                (0..width).map(|k| values.iter().skip(k).step_by(width).copied().fold(start, pick)).collect()
            };
            accessor["min"] = each(f32::min, f32::INFINITY).into();
            accessor["max"] = each(f32::max, f32::NEG_INFINITY).into();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn mesh(&mut self, item: &Item) -> usize {
        const ARRAY: Option<u32> = Some(34962);
        const ELEMENTS: Option<u32> = Some(34963);
        let flat =
            |list: &[Vec3<f64>]| list.iter().flat_map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect();
        let (vertices, normals): (Vec<f32>, Vec<f32>) =
            (flat(&item.solid.vertices), flat(&item.solid.normals));
        let position = self.numbers(&vertices, "VEC3", true, ARRAY);
        let normal = self.numbers(&normals, "VEC3", false, ARRAY);
        let corners: Vec<u8> = item.solid.triangles.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
        let view = self.view(&corners, ELEMENTS);
        let count = 3 * item.solid.triangles.len();
        self.accessors.push(
            json!({ "bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR" }),
        );
        let indices = self.accessors.len() - 1;
        let material = self.material(item.colour, item.opacity);
        let attributes = json!({ "POSITION": position, "NORMAL": normal });
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
        self.meshes.push(json!({ "name": item.name, "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    fn material(&mut self, colour: Colour, opacity: f64) -> usize {
        if let Some(known) = self.materials.iter().position(|(c, o, _)| *c == colour && *o == opacity) {
            return known;
        }
        let Colour(r, g, b) = colour;
        let [r, g, b] = [r, g, b].map(linear);
        let surface =
            json!({ "baseColorFactor": [r, g, b, opacity], "metallicFactor": 0.08, "roughnessFactor": 0.55 });
        let mut material = json!({ "pbrMetallicRoughness": surface });
        if opacity < 1.0 {
            material["alphaMode"] = "BLEND".into();
        }
        self.materials.push((colour, opacity, material));
        self.materials.len() - 1
    }

    /// A node with a surface: its number.
    fn surface(&mut self, item: &Item, name: &str) -> usize {
        let mesh = self.mesh(item);
        self.nodes.push(json!({ "name": name, "mesh": mesh }));
        self.nodes.len() - 1
    }

    /// A node that moves. Where poses are missing the last one stays.
    fn moving(
        &mut self,
        figure: &Figure,
        name: &str,
        place: &FigurePlace,
        times: &[f64],
        clock: usize,
        more: Value,
    ) {
        let Some(mut last) = times.iter().find_map(|&t| figure.transform(place, t)) else { return };
        let (mut shifts, mut turns, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = to_quaternion(&last.pose.rotation);
        // Bodies without poses stay where they were last.
        let resting = matches!(place, FigurePlace::On(_));
        for &t in times {
            let now = figure.transform(place, t);
            last = now.unwrap_or(last);
            let Transform { pose, stretch } = last;
            shifts.extend(pose.position.iter().map(|x| *x as f32));
            // Players blend numbers: neighbours have to be on the same side.
            let mut q = to_quaternion(&pose.rotation);
            if q.iter().zip(before).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                q = q.map(|x| -x);
            }
            before = q;
            let [w, x, y, z] = q.map(|x| x as f32);
            turns.extend([x, y, z, w]);
            // A load that is too small to see, and a marker that was not seen, shrink to nothing.
            let there = if now.is_some() || resting { 1.0 } else { 0.0 };
            scales.extend([there, there, there * stretch as f32]);
        }
        let mut node = json!({ "name": name, "translation": &shifts[..3], "rotation": &turns[..4] });
        if !resting {
            node["scale"] = scales[..3].into();
        }
        // A list of children must not be empty.
        for (key, value) in more.as_object().into_iter().flatten() {
            if value.as_array().is_none_or(|list| !list.is_empty()) {
                node[key] = value.clone();
            }
        }
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        self.top.push(index);
        self.channel(index, "translation", clock, &shifts, "VEC3");
        self.channel(index, "rotation", clock, &turns, "VEC4");
        if !resting {
            self.channel(index, "scale", clock, &scales, "VEC3");
        }
    }

    fn channel(&mut self, node: usize, path: &str, clock: usize, values: &[f32], kind: &str) {
        let output = self.numbers(values, kind, false, None);
        self.samplers.push(json!({ "input": clock, "output": output, "interpolation": "LINEAR" }));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn finish(mut self, figure: &Figure, moves: bool) -> Result<Vec<u8>, GltfError> {
        let [w, x, y, z] = to_quaternion(&upright(&figure.scene.up));
        self.nodes.push(json!({ "name": "model", "rotation": [x, y, z, w], "children": self.top }));
        let root = self.nodes.len() - 1;
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("gelenk ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": self.nodes,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.binary.len() }],
        });
        if !self.meshes.is_empty() {
            document["meshes"] = self.meshes.into();
            document["materials"] = self.materials.into_iter().map(|(_, _, material)| material).collect();
        }
        if moves && !self.channels.is_empty() {
            let (channels, samplers) = (self.channels, self.samplers);
            document["animations"] =
                json!([{ "name": "motion", "channels": channels, "samplers": samplers }]);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let length = |bytes: usize| u32::try_from(bytes).map_err(|_| GltfError::Large);
        let total = length(12 + 8 + text.len() + 8 + self.binary.len())?;
        let mut file = Vec::with_capacity(total as usize);
        file.extend(b"glTF");
        file.extend([2, total].map(u32::to_le_bytes).concat());
        file.extend(length(text.len())?.to_le_bytes());
        file.extend(b"JSON");
        file.extend(text);
        file.extend(length(self.binary.len())?.to_le_bytes());
        file.extend(b"BIN\0");
        file.extend(self.binary);
        Ok(file)
    }
}

/// The rotation that brings a direction to y: first to z, then z to y.
fn upright(up: &Vec3<f64>) -> Mat3<f64> {
    let z_to_y = Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0);
    if (up - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-12 {
        Mat3::identity()
    } else {
        z_to_y * along(up).transpose()
    }
}

/// A component of a colour in linear light, from its sRGB value.
fn linear(value: u8) -> f64 {
    let c = f64::from(value) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
