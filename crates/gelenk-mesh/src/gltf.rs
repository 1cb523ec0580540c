//! glTF 2.0 files, text and binary: meshes at the places that their scene gives them, with the colours of their materials.
//!
//! Coordinates stay along the axes of the file. Textures, skins, morph targets and animations are passed over; what is
//! compressed (Draco, meshopt) is refused.

use crate::painted::{Aside, Collector, Painted, Rgba, srgb};
use crate::{MeshError, TriMesh};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Uses of nodes at most; those of a node in itself would never end.
const MOST_USES: usize = 200_000;
/// Bytes of an external buffer at most.
const LARGEST: usize = 1 << 28;

type Matrix = [[f64; 4]; 3];

/// Reads a glTF file; `aside` reads buffers in files of their own.
pub(crate) fn read(bytes: &[u8], aside: Aside<'_>) -> Result<Painted, MeshError> {
    let (text, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let json: Value = serde_json::from_slice(text).map_err(|error| MeshError::Line {
        line: error.line(),
        reason: format!("the JSON cannot be read: {error}"),
    })?;
    if json["asset"]["version"].as_str().is_none_or(|version| !version.starts_with("2.")) {
        return Err(wrong("this is not a glTF 2.0 file: \"asset.version\" must be 2.x"));
    }
    for name in list(&json, "extensionsRequired") {
        let name = name.as_str().unwrap_or_default();
        if name.contains("draco") || name.contains("meshopt") {
            return Err(wrong(format!(
                "the file is compressed ({}); save it without compression",
                name.escape_debug()
            )));
        }
    }
    let mut buffers = Vec::new();
    for (i, buffer) in list(&json, "buffers").iter().enumerate() {
        buffers.push(match buffer["uri"].as_str() {
            None if i == 0 => binary.map(<[u8]>::to_vec).unwrap_or_default(),
            None => return Err(wrong(format!("buffers[{i}] has no data"))),
            Some(uri) => match uri.split_once(";base64,") {
                Some((head, data)) if head.starts_with("data:") => {
                    STANDARD.decode(data).map_err(|_| wrong(format!("buffers[{i}] is not base64")))?
                }
                _ => aside(uri).filter(|data| data.len() <= LARGEST).ok_or_else(|| {
                    wrong(format!("buffers[{i}]: \"{}\" cannot be read", uri.escape_debug()))
                })?,
            },
        });
    }
    File { json: &json, buffers }.unfold()
}

fn wrong(reason: impl Into<String>) -> MeshError {
    MeshError::Format(reason.into())
}

/// The JSON and the binary data of a binary file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let word = |at: usize| -> Result<u32, MeshError> {
        let four = bytes.get(at..at.saturating_add(4)).and_then(|four| <[u8; 4]>::try_from(four).ok());
        four.map(u32::from_le_bytes)
            .ok_or(MeshError::Byte { byte: at, reason: "the file ends inside its header".into() })
    };
    if word(4)? != 2 {
        return Err(MeshError::Byte { byte: 4, reason: "only glTF 2.0 is supported".into() });
    }
    let (mut at, mut text, mut binary) = (12_usize, None, None);
    while at < bytes.len() {
        let length = word(at)? as usize;
        let kind = word(at + 4)?;
        let data = bytes.get(at + 8..(at + 8).saturating_add(length)).ok_or(MeshError::Byte {
            byte: at,
            reason: format!("the file ends inside a chunk of {length} bytes"),
        })?;
        match kind {
            0x4E4F_534A => text = text.or(Some(data)),
            0x004E_4942 => binary = binary.or(Some(data)),
            _ => {}
        }
        at += 8 + length;
    }
    let text = text.ok_or(MeshError::Byte { byte: 12, reason: "the file contains no JSON chunk".into() })?;
    Ok((text, binary))
}

struct File<'j> {
    json: &'j Value,
    buffers: Vec<Vec<u8>>,
}

impl File<'_> {
    fn item(&self, key: &str, index: &Value) -> Result<&Value, MeshError> {
        let number = index.as_u64().and_then(|i| usize::try_from(i).ok());
        let found = number.and_then(|i| self.json[key].get(i));
        found.ok_or_else(|| wrong(format!("{key}[{index}] does not exist")))
    }

    fn unfold(&self) -> Result<Painted, MeshError> {
        let mut collector = Collector::default();
        let scene = match &self.json["scene"] {
            Value::Null => self.json["scenes"].get(0),
            index => Some(self.item("scenes", index)?),
        };
        let mut open: Vec<(&Value, Matrix)> = Vec::new();
        const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        match scene {
            Some(scene) => {
                for index in list(scene, "nodes").iter().rev() {
                    open.push((self.item("nodes", index)?, IDENTITY));
                }
            }
            None => {
                for mesh in list(self.json, "meshes") {
                    self.mesh(mesh, &IDENTITY, &mut collector)?;
                }
            }
        }
        let mut uses = 0;
        while let Some((node, outer)) = open.pop() {
            uses += 1;
            if uses > MOST_USES {
                return Err(wrong(format!(
                    "nodes are instantiated more than {MOST_USES} times; check for a cycle"
                )));
            }
            let place = times(&outer, &transform(node)?);
            if !node["mesh"].is_null() {
                self.mesh(self.item("meshes", &node["mesh"])?, &place, &mut collector)?;
            }
            for index in list(node, "children").iter().rev() {
                open.push((self.item("nodes", index)?, place));
            }
        }
        collector.finish()
    }

    fn mesh(&self, mesh: &Value, place: &Matrix, collector: &mut Collector) -> Result<(), MeshError> {
        for primitive in list(mesh, "primitives") {
            let mode = primitive["mode"].as_u64().unwrap_or(4);
            // Points and lines have no surface.
            if !(4..=6).contains(&mode) || primitive["attributes"]["POSITION"].is_null() {
                continue;
            }
            let vertices: Vec<[f64; 3]> =
                self.numbers(&primitive["attributes"]["POSITION"], "VEC3")?.as_chunks::<3>().0.to_vec();
            let corners: Vec<u32> = if primitive["indices"].is_null() {
                (0..u32::try_from(vertices.len()).map_err(|_| MeshError::TooLarge)?).collect()
            } else {
                self.numbers(&primitive["indices"], "SCALAR")?.into_iter().map(|x| x as u32).collect()
            };
            let mut triangles: Vec<[u32; 3]> = match mode {
                4 => corners.as_chunks::<3>().0.to_vec(),
                5 => corners
                    .windows(3)
                    .enumerate()
                    .map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
                    .collect(),
                _ => corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]).collect(),
            };
            if determinant(place) < 0.0 {
                triangles.iter_mut().for_each(|three| three.swap(1, 2));
            }
            let (colour, textured) = self.material(&primitive["material"])?;
            collector.textured |= textured;
            let own = TriMesh::new(vertices, triangles)?;
            let own = own.moved(|[x, y, z]| place.map(|[a, b, c, d]| a * x + b * y + c * z + d))?;
            collector.add(own.vertices(), own.triangles(), colour)?;
            if collector.len() > crate::painted::MOST_TRIANGLES {
                return Err(MeshError::Unfolds { most: crate::painted::MOST_TRIANGLES });
            }
        }
        Ok(())
    }

    /// The numbers of an accessor.
    fn numbers(&self, index: &Value, kind: &str) -> Result<Vec<f64>, MeshError> {
        let accessor = self.item("accessors", index)?;
        let place = |what: &str| wrong(format!("accessors[{index}]: {what}"));
        if accessor["type"].as_str() != Some(kind) {
            return Err(place(&format!("its type must be {kind}")));
        }
        if !accessor["sparse"].is_null() {
            return Err(place("sparse accessors are not supported"));
        }
        let size = |value: &Value| value.as_u64().and_then(|x| usize::try_from(x).ok());
        let width = if kind == "VEC3" { 3 } else { 1 };
        let (bytes, read): (usize, fn(&[u8]) -> f64) = match accessor["componentType"].as_u64() {
            Some(5121) => (1, |b| f64::from(b[0])),
            Some(5123) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]]))),
            Some(5125) => (4, |b| f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            Some(5126) => (4, |b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            _ => return Err(place("its component type is not supported")),
        };
        let count = size(&accessor["count"]).ok_or_else(|| place("it has no count"))?;
        let view = self.item("bufferViews", &accessor["bufferView"])?;
        let buffer = size(&view["buffer"])
            .and_then(|i| self.buffers.get(i))
            .ok_or_else(|| place("its buffer does not exist"))?;
        let stride = size(&view["byteStride"]).unwrap_or(bytes * width);
        let from = size(&view["byteOffset"]).unwrap_or(0);
        let length = size(&view["byteLength"]).unwrap_or(0);
        let data = from.checked_add(length).and_then(|end| buffer.get(from..end));
        let data = data.ok_or_else(|| place("it extends beyond its buffer"))?;
        let start = size(&accessor["byteOffset"]).unwrap_or(0);
        if stride < bytes * width || stride > 1 << 16 {
            return Err(place("its stride is out of range"));
        }
        let end = count.checked_sub(1).map(|last| {
            last.checked_mul(stride)
                .and_then(|x| x.checked_add(start))
                .and_then(|x| x.checked_add(bytes * width))
        });
        if let Some(end) = end
            && end.is_none_or(|end| end > data.len())
        {
            return Err(place(&format!("{count} values declared, but its buffer is shorter")));
        }
        let mut numbers = Vec::with_capacity(count * width);
        for i in 0..count {
            for k in 0..width {
                let at = start + i * stride + k * bytes;
                let value = read(&data[at..at + bytes]);
                if !value.is_finite() {
                    return Err(place(&format!("value {i} is not a finite number")));
                }
                numbers.push(value);
            }
        }
        Ok(numbers)
    }

    /// The colour of a material, and whether it has a texture.
    fn material(&self, index: &Value) -> Result<(Option<Rgba>, bool), MeshError> {
        if index.is_null() {
            return Ok((None, false));
        }
        let material = self.item("materials", index)?;
        let surface = &material["pbrMetallicRoughness"];
        let textured = !surface["baseColorTexture"].is_null();
        let factor: Vec<f64> = list(surface, "baseColorFactor").iter().filter_map(Value::as_f64).collect();
        let [r, g, b, a] = <[f64; 4]>::try_from(factor).unwrap_or([1.0; 4]);
        // Opacity counts only where the material says that it blends.
        let opacity = if material["alphaMode"].as_str() == Some("BLEND") { a.clamp(0.0, 1.0) } else { 1.0 };
        Ok((Some([srgb(r), srgb(g), srgb(b), opacity]), textured))
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The place of a node in its parent.
fn transform(node: &Value) -> Result<Matrix, MeshError> {
    let numbers = |key: &str, or: &[f64]| -> Result<Vec<f64>, MeshError> {
        if node[key].is_null() {
            return Ok(or.to_vec());
        }
        let found: Vec<f64> =
            list(node, key).iter().filter_map(Value::as_f64).filter(|x| x.is_finite()).collect();
        if found.len() == or.len() {
            Ok(found)
        } else {
            Err(wrong(format!("\"{key}\" of a node needs {} numbers", or.len())))
        }
    };
    if !node["matrix"].is_null() {
        let m = numbers("matrix", &[0.0; 16])?;
        return Ok(std::array::from_fn(|i| std::array::from_fn(|k| m[4 * k + i])));
    }
    let (t, s) = (numbers("translation", &[0.0; 3])?, numbers("scale", &[1.0; 3])?);
    let q = numbers("rotation", &[0.0, 0.0, 0.0, 1.0])?;
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(wrong("the rotation quaternion of a node is zero"));
    }
    let [x, y, z, w] = [q[0], q[1], q[2], q[3]].map(|v| v / length);
    let r = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    Ok(std::array::from_fn(|i| [r[i][0] * s[0], r[i][1] * s[1], r[i][2] * s[2], t[i]]))
}

fn times(outer: &Matrix, inner: &Matrix) -> Matrix {
    std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            let sum: f64 = (0..3).map(|j| outer[i][j] * inner[j][k]).sum();
            if k == 3 { sum + outer[i][3] } else { sum }
        })
    })
}

fn determinant(m: &Matrix) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(nodes: Value) -> Value {
        let places: Vec<u8> =
            [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&places));
        json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
            "materials": [{ "pbrMetallicRoughness": { "baseColorFactor": [1.0, 0.0, 0.0, 0.5] }, "alphaMode": "BLEND" }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }], "buffers": [{ "byteLength": 36, "uri": uri }],
        })
    }

    fn parse(json: &Value) -> Result<Painted, MeshError> {
        read(json.to_string().as_bytes(), &mut |_| None)
    }

    #[test]
    fn nodes_move_turn_and_scale() {
        // A quarter turn about z after a mirror in x.
        let h = 0.5_f64.sqrt();
        let found = parse(&file(json!([
            { "translation": [0.0, 0.0, 5.0], "children": [1] },
            { "mesh": 0, "rotation": [0.0, 0.0, h, h], "scale": [-1.0, 1.0, 1.0] },
        ])))
        .unwrap();
        let [low, high] = found.mesh.bounding_box().unwrap();
        for (found, expected) in low.iter().chain(&high).zip([-2.0, -1.0, 5.0, 0.0, 0.0, 5.0]) {
            assert!((found - expected).abs() < 1e-6, "{low:?} {high:?}");
        }
        let up = found.mesh.corners().next().map(|c| crate::vector::doubled_area(c)[2]).unwrap();
        assert!(up > 0.0);
        let [r, g, b, a] = found.patches[0].colour.unwrap();
        assert!((r - 1.0).abs() < 1e-12 && [g, b, a] == [0.0, 0.0, 0.5]);
    }

    #[test]
    fn hostile_files_end_in_errors() {
        assert!(parse(&file(json!([{ "children": [0] }]))).is_err());
        for (pointer, value) in [
            ("/accessors/0/count", json!(100_000_000_u64)),
            ("/accessors/0/count", json!(u64::MAX)),
            ("/accessors/0/byteOffset", json!(u64::MAX)),
            ("/bufferViews/0/byteLength", json!(u64::MAX)),
            ("/bufferViews/0/byteStride", json!(1)),
            ("/scenes/0/nodes/0", json!(7)),
            ("/nodes/0/mesh", json!(-1)),
            ("/buffers/0/uri", json!("../../secret")),
            ("/asset/version", json!("1.0")),
        ] {
            let mut json = file(json!([{ "mesh": 0 }]));
            *json.pointer_mut(pointer).unwrap_or(&mut Value::Null) = value.clone();
            if pointer.ends_with("byteOffset") || pointer.ends_with("byteStride") {
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                json.pointer_mut(parent).unwrap()[key] = value;
            }
            assert!(parse(&json).is_err(), "{pointer}");
        }
        assert!(read(b"glTF\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7fJSON", &mut |_| None).is_err());
        assert!(parse(&file(json!([{ "mesh": 0 }]))).is_ok());
    }
}
