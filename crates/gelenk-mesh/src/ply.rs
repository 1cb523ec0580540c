//! PLY files, text and binary of either byte order: the vertices and faces. Colours, normals and other elements are
//! passed over.

use crate::polygon::triangulate;
use crate::{MeshError, TriMesh};

/// Largest number of corners of a face that is read.
const CORNERS: usize = 10_000;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Text,
    Little,
    Big,
}

#[derive(Clone, Copy)]
struct Number {
    bytes: usize,
    float: bool,
    signed: bool,
}

struct Property {
    name: String,
    /// Type of the length of a list.
    list: Option<Number>,
    item: Number,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

impl TriMesh {
    /// Reads a PLY file.
    ///
    /// # Errors
    /// What is wrong, with its line or byte. Memory is bounded by the length of `bytes`, whatever a header announces.
    pub fn from_ply(bytes: &[u8]) -> Result<Self, MeshError> {
        let mut source = Source { bytes, at: 0, line: 0, form: Form::Text };
        let elements = header(&mut source)?;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut values = Vec::new();
        for element in &elements {
            if element.name == "tristrips" {
                return Err(source.wrong("triangle strips are not supported; save faces instead".into()));
            }
            for _ in 0..element.count {
                if source.form == Form::Text {
                    source.next_line()?;
                }
                let (mut place, mut corners) = ([0.0; 3], Vec::new());
                for property in &element.properties {
                    values.clear();
                    source.property(property, &mut values)?;
                    match (element.name.as_str(), property.name.as_str()) {
                        ("vertex", "x") => place[0] = first(&values),
                        ("vertex", "y") => place[1] = first(&values),
                        ("vertex", "z") => place[2] = first(&values),
                        ("face", "vertex_indices" | "vertex_index") => corners.clone_from(&values),
                        _ => {}
                    }
                }
                match element.name.as_str() {
                    "vertex" => {
                        if place.iter().any(|x| !x.is_finite()) {
                            return Err(source.wrong("a coordinate is not a finite number".into()));
                        }
                        vertices.push(place);
                    }
                    "face" => {
                        face(&corners, &vertices, &mut triangles).map_err(|reason| source.wrong(reason))?
                    }
                    _ => {}
                }
            }
        }
        Self::new(vertices, triangles)
    }

    /// The mesh as a binary PLY file with coordinates in double precision; every number reads back as the same one.
    pub fn to_ply(&self) -> Vec<u8> {
        let (vertices, triangles) = (self.vertices(), self.triangles());
        let head = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
             property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
            vertices.len(),
            triangles.len()
        );
        let mut bytes = head.into_bytes();
        vertices.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        for triangle in triangles {
            bytes.push(3);
            triangle.iter().for_each(|vertex| bytes.extend(vertex.to_le_bytes()));
        }
        bytes
    }
}

fn first(values: &[f64]) -> f64 {
    values.first().copied().unwrap_or(f64::NAN)
}

/// Adds the triangles of a face.
fn face(corners: &[f64], vertices: &[[f64; 3]], triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    if corners.len() < 3 {
        return Err(format!("a face needs three corners, this one has {}", corners.len()));
    }
    let mut numbers = Vec::with_capacity(corners.len());
    for &corner in corners {
        if !(corner >= 0.0 && corner < vertices.len() as f64 && corner.fract() == 0.0) {
            return Err(format!(
                "there is no vertex {corner}; the file has {}, counted from 0",
                vertices.len()
            ));
        }
        numbers.push(corner as u32);
    }
    let places: Vec<[f64; 3]> = numbers.iter().map(|&vertex| vertices[vertex as usize]).collect();
    triangles.extend(triangulate(&places).into_iter().map(|t| t.map(|i| numbers[i])));
    Ok(())
}

fn header(source: &mut Source) -> Result<Vec<Element>, MeshError> {
    let mut elements: Vec<Element> = Vec::new();
    let mut form = None;
    source.next_line()?;
    if source.word() != Some("ply") {
        return Err(source.wrong("a PLY file begins with the line \"ply\"".into()));
    }
    loop {
        source.next_line()?;
        match source.word() {
            Some("end_header") => break,
            Some("format") => {
                form = Some(match source.word() {
                    Some("ascii") => Form::Text,
                    Some("binary_little_endian") => Form::Little,
                    Some("binary_big_endian") => Form::Big,
                    word => {
                        let word = word.unwrap_or_default().escape_debug().to_string();
                        return Err(source.wrong(format!("\"{word}\" is not a PLY format")));
                    }
                });
            }
            Some("element") => {
                let name = source.word().unwrap_or_default().to_owned();
                let count = source.word().and_then(|word| word.parse().ok());
                let Some(count) = count else {
                    return Err(source.wrong("an element needs a name and a count".into()));
                };
                elements.push(Element { name, count, properties: Vec::new() });
            }
            Some("property") => {
                let property = property(source)?;
                let Some(element) = elements.last_mut() else {
                    return Err(source.wrong("a property comes before the first element".into()));
                };
                element.properties.push(property);
            }
            _ => {}
        }
    }
    // An element without properties has no bytes, so its count could be forged.
    elements.retain(|element| !element.properties.is_empty());
    source.form = form.ok_or_else(|| source.wrong("the header does not state the format".into()))?;
    Ok(elements)
}

fn property(source: &mut Source) -> Result<Property, MeshError> {
    let mut word = source.word();
    let mut list = None;
    if word == Some("list") {
        list = Some(source.number_type()?);
        word = source.word();
    }
    let item = number_type(word).ok_or_else(|| source.unknown_type(word))?;
    let name = source.word().unwrap_or_default().to_owned();
    Ok(Property { name, list, item })
}

fn number_type(word: Option<&str>) -> Option<Number> {
    let (bytes, float, signed) = match word? {
        "char" | "int8" => (1, false, true),
        "uchar" | "uint8" => (1, false, false),
        "short" | "int16" => (2, false, true),
        "ushort" | "uint16" => (2, false, false),
        "int" | "int32" => (4, false, true),
        "uint" | "uint32" => (4, false, false),
        "float" | "float32" => (4, true, true),
        "double" | "float64" => (8, true, true),
        _ => return None,
    };
    Some(Number { bytes, float, signed })
}

/// The file and the place that is being read. In a text, `at` stands behind the last word of line `line`.
struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    form: Form,
}

impl<'a> Source<'a> {
    fn wrong(&self, reason: String) -> MeshError {
        match self.form {
            Form::Text => MeshError::Line { line: self.line, reason },
            _ => MeshError::Byte { byte: self.at, reason },
        }
    }

    fn unknown_type(&self, word: Option<&str>) -> MeshError {
        self.wrong(format!("\"{}\" is not a PLY type", word.unwrap_or_default().escape_debug()))
    }

    fn number_type(&mut self) -> Result<Number, MeshError> {
        let word = self.word();
        number_type(word).ok_or_else(|| self.unknown_type(word))
    }

    /// Goes to the start of the next line that says something.
    fn next_line(&mut self) -> Result<(), MeshError> {
        loop {
            if self.line > 0 {
                match self.bytes[self.at..].iter().position(|byte| *byte == b'\n') {
                    Some(end) => self.at += end + 1,
                    None => self.at = self.bytes.len(),
                }
            }
            self.line += 1;
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                return Err(self.wrong("unexpected end of file".into()));
            }
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let said = line.iter().any(|byte| !byte.is_ascii_whitespace());
            if said && !line.starts_with(b"comment") && !line.starts_with(b"obj_info") {
                return Ok(());
            }
        }
    }

    /// The next word of the line; after the last word of the header, `at` stands before the end of the line.
    fn word(&mut self) -> Option<&'a str> {
        let rest = &self.bytes[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let start = rest.iter().position(|byte| !blank(byte))?;
        let rest = &rest[start..];
        let end = rest.iter().position(|byte| blank(byte) || *byte == b'\n').unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        self.at += start + end;
        std::str::from_utf8(&rest[..end]).ok()
    }

    fn value(&mut self, number: Number) -> Result<f64, MeshError> {
        if self.form == Form::Text {
            let word = self.word().ok_or_else(|| self.wrong("a value is missing".into()))?;
            return word
                .parse()
                .map_err(|_| self.wrong(format!("\"{}\" is not a number", word.escape_debug())));
        }
        // The data begin behind the end of the header's last line.
        if self.line > 0 {
            let end = self.bytes[self.at..].iter().position(|byte| *byte == b'\n');
            self.at = end.map_or(self.bytes.len(), |end| self.at + end + 1);
            self.line = 0;
        }
        let Some(bytes) = self.bytes.get(self.at..self.at + number.bytes) else {
            return Err(self.wrong("unexpected end of file".into()));
        };
        self.at += number.bytes;
        let mut eight = [0; 8];
        for (i, byte) in bytes.iter().enumerate() {
            let place = if self.form == Form::Little { i } else { number.bytes - 1 - i };
            eight[place] = *byte;
        }
        let bits = u64::from_le_bytes(eight);
        Ok(match (number.float, number.bytes) {
            (true, 8) => f64::from_bits(bits),
            (true, _) => f64::from(f32::from_bits(bits as u32)),
            (false, _) if number.signed => {
                let shift = 64 - 8 * number.bytes as u32;
                ((bits << shift) as i64 >> shift) as f64
            }
            (false, _) => bits as f64,
        })
    }

    fn property(&mut self, property: &Property, values: &mut Vec<f64>) -> Result<(), MeshError> {
        let count = match property.list {
            None => 1,
            Some(number) => {
                let count = self.value(number)?;
                if !(count >= 0.0 && count <= CORNERS as f64) {
                    return Err(self.wrong(format!("a list of {count} entries is too long")));
                }
                count as usize
            }
        };
        for _ in 0..count {
            values.push(self.value(property.item)?);
        }
        Ok(())
    }
}
