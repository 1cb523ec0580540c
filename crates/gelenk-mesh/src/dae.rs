//! COLLADA files: geometries at the places that their scene gives them, in metres, with the colours of their materials.
//!
//! Coordinates stay along the axes of the file. It may say which of them points up, but programs disagree about what
//! follows: what robots are drawn with (RViz, hpp-fcl, trimesh) does not turn them, and files that say `Y_UP` while their
//! z points up are common (MeshLab writes it always). Textures, animations and skeletons are passed over.

use crate::painted::{Collector, Painted, Rgba};
use crate::polygon::triangulate;
use crate::{MeshError, TriMesh};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Nodes of one file at most.
const MOST_NODES: u32 = 8_000_000;
/// Uses of nodes and geometries at most; those of a node in itself would never end.
const MOST_USES: usize = 200_000;
/// Corners of a polygon at most.
const CORNERS: usize = 10_000;

/// Rows of an affine map.
type Affine = [[f64; 4]; 3];
const IDENTITY: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Triangles of one material, with the material's symbol.
struct Group {
    vertices: Rc<Vec<[f64; 3]>>,
    triangles: Vec<[u32; 3]>,
    symbol: String,
}

/// Reads a COLLADA file.
pub(crate) fn read(bytes: &[u8]) -> Result<Painted, MeshError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| MeshError::Byte { byte: error.valid_up_to(), reason: "not UTF-8 text".into() })?;
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let line = usize::try_from(error.pos().row).unwrap_or(0);
        MeshError::Line { line, reason: format!("invalid XML: {error}") }
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(MeshError::Format("this is not a COLLADA file: its root is not <COLLADA>".into()));
    }
    let mut reader = Reader { document: &document, ids: BTreeMap::new(), geometries: BTreeMap::new() };
    for node in root.descendants().filter(Node::is_element) {
        if let Some(id) = node.attribute("id") {
            reader.ids.entry(id).or_insert(node);
        }
    }
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let unit = match unit.and_then(|unit| Some((unit, unit.attribute("meter")?))) {
        None => 1.0,
        Some((node, text)) => match text.trim().parse::<f64>() {
            Ok(metres) if metres > 0.0 && metres.is_finite() => metres,
            _ => return Err(reader.wrong(node, "the length unit must be positive")),
        },
    };
    reader.unfold(root, unit)
}

struct Reader<'d, 'i> {
    document: &'d Document<'i>,
    ids: BTreeMap<&'d str, Node<'d, 'i>>,
    /// What was read already, by the place in the file.
    geometries: BTreeMap<usize, Rc<Vec<Group>>>,
}

impl<'d, 'i> Reader<'d, 'i> {
    fn wrong(&self, node: Node<'_, '_>, reason: impl Into<String>) -> MeshError {
        let line = usize::try_from(self.document.text_pos_at(node.range().start).row).unwrap_or(0);
        MeshError::Line { line, reason: reason.into() }
    }

    /// The element that a `#name` stands for.
    fn target(&self, node: Node<'_, '_>, attribute: &str) -> Result<Node<'d, 'i>, MeshError> {
        let url = node.attribute(attribute).unwrap_or_default();
        let found = url.strip_prefix('#').and_then(|id| self.ids.get(id)).copied();
        found.ok_or_else(|| {
            self.wrong(node, format!("there is no element with the id \"{}\"", url.escape_debug()))
        })
    }

    /// Everything that the scene shows.
    fn unfold(&mut self, root: Node<'d, 'i>, unit: f64) -> Result<Painted, MeshError> {
        let scaled = IDENTITY.map(|row| row.map(|x| x * unit));
        let mut collector = Collector::default();
        let scene = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let scene = match scene {
            Some(instance) => Some(self.target(instance, "url")?),
            None => root.descendants().find(|node| node.has_tag_name_local("visual_scene")),
        };
        let mut open: Vec<(Node<'d, 'i>, Affine)> = Vec::new();
        match scene {
            Some(scene) => open.push((scene, scaled)),
            None => {
                for geometry in root.descendants().filter(|node| node.has_tag_name_local("geometry")) {
                    self.add(geometry, &scaled, None, &mut collector)?;
                }
            }
        }
        let mut uses = 0;
        while let Some((node, outer)) = open.pop() {
            uses += 1;
            if uses > MOST_USES {
                return Err(self.wrong(
                    node,
                    format!("nodes are instantiated more than {MOST_USES} times; check for a cycle"),
                ));
            }
            let mut place = outer;
            let mut below = Vec::new();
            for item in node.children().filter(Node::is_element) {
                match item.tag_name().name() {
                    "matrix" | "translate" | "rotate" | "scale" | "lookat" | "skew" => {
                        place = times(&place, &self.transform(item)?);
                    }
                    "node" => below.push((item, place)),
                    "instance_node" => below.push((self.target(item, "url")?, place)),
                    "instance_geometry" => {
                        let geometry = self.target(item, "url")?;
                        self.add(geometry, &place, Some(item), &mut collector)?;
                    }
                    "instance_controller" => {
                        // The pose in which a skin was bound to its bones.
                        let controller = self.target(item, "url")?;
                        if let Some(skin) = child(controller, "skin") {
                            let geometry = self.target(skin, "source")?;
                            self.add(geometry, &place, Some(item), &mut collector)?;
                        }
                    }
                    _ => {}
                }
            }
            open.extend(below.into_iter().rev());
        }
        collector.finish()
    }

    fn numbers(&self, node: Node<'_, '_>) -> Result<Vec<f64>, MeshError> {
        let mut list = Vec::new();
        for word in words(node) {
            match word.parse::<f64>() {
                Ok(x) if x.is_finite() => list.push(x),
                _ => {
                    return Err(
                        self.wrong(node, format!("\"{}\" is not a finite number", word.escape_debug()))
                    );
                }
            }
        }
        Ok(list)
    }

    fn transform(&self, node: Node<'_, '_>) -> Result<Affine, MeshError> {
        let n = self.numbers(node)?;
        let name = node.tag_name().name();
        match (name, n.as_slice()) {
            ("matrix", &[a, b, c, d, e, f, g, h, i, j, k, l, _, _, _, _]) => {
                Ok([[a, b, c, d], [e, f, g, h], [i, j, k, l]])
            }
            ("translate", &[x, y, z]) => Ok([[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]),
            ("scale", &[x, y, z]) => Ok([[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]]),
            ("rotate", &[x, y, z, degrees]) => {
                let length = (x * x + y * y + z * z).sqrt();
                if length == 0.0 {
                    return Ok(IDENTITY);
                }
                let [x, y, z] = [x, y, z].map(|v| v / length);
                let (s, c) = degrees.to_radians().sin_cos();
                let t = 1.0 - c;
                Ok([
                    [t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0],
                    [t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0],
                    [t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0],
                ])
            }
            ("lookat" | "skew", _) => {
                Err(self.wrong(node, format!("<{name}> is not supported; export the scene with matrices")))
            }
            _ => Err(self.wrong(node, format!("<{name}> has {} numbers", n.len()))),
        }
    }

    /// Adds a geometry at a place; `instance` says which materials its symbols stand for.
    fn add(
        &mut self,
        geometry: Node<'d, 'i>,
        place: &Affine,
        instance: Option<Node<'d, 'i>>,
        collector: &mut Collector,
    ) -> Result<(), MeshError> {
        let key = geometry.range().start;
        let groups = match self.geometries.get(&key) {
            Some(known) => known.clone(),
            None => {
                let groups = Rc::new(self.geometry(geometry)?);
                self.geometries.insert(key, groups.clone());
                groups
            }
        };
        let mirrors = determinant(place) < 0.0;
        for group in groups.iter() {
            let material = instance.and_then(|instance| {
                let bound = instance.descendants().find(|node| {
                    node.has_tag_name_local("instance_material")
                        && node.attribute("symbol") == Some(group.symbol.as_str())
                })?;
                self.target(bound, "target").ok()
            });
            let material = material.or_else(|| self.ids.get(group.symbol.as_str()).copied());
            let (colour, textured) = material.map_or((None, false), |material| self.material(material));
            collector.textured |= textured;
            if mirrors {
                let turned: Vec<[u32; 3]> = group.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
                self.put(group, &turned, place, colour, collector)?;
            } else {
                self.put(group, &group.triangles, place, colour, collector)?;
            }
        }
        Ok(())
    }

    /// Adds triangles with the vertices that they use.
    fn put(
        &self,
        group: &Group,
        triangles: &[[u32; 3]],
        place: &Affine,
        colour: Option<Rgba>,
        collector: &mut Collector,
    ) -> Result<(), MeshError> {
        let own = TriMesh::new(group.vertices.to_vec(), triangles.to_vec())?.part(0..triangles.len());
        let own = own.moved(|[x, y, z]| place.map(|[a, b, c, d]| a * x + b * y + c * z + d))?;
        collector.add(own.vertices(), own.triangles(), colour)
    }

    /// The triangles of a geometry.
    fn geometry(&self, geometry: Node<'d, 'i>) -> Result<Vec<Group>, MeshError> {
        let Some(mesh) = child(geometry, "mesh").or_else(|| child(geometry, "convex_mesh")) else {
            // Splines have no surface.
            return Ok(Vec::new());
        };
        let mut groups = Vec::new();
        let mut known: BTreeMap<usize, Rc<Vec<[f64; 3]>>> = BTreeMap::new();
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            if !matches!(kind, "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
                continue;
            }
            let (mut stride, mut at, mut source) = (0, None, None);
            for input in primitive.children().filter(|node| node.has_tag_name_local("input")) {
                let offset: usize = input
                    .attribute("offset")
                    .unwrap_or("0")
                    .trim()
                    .parse()
                    .map_err(|_| self.wrong(input, "the offset of an input is not a number"))?;
                if offset > 64 {
                    return Err(self.wrong(input, "an input has an offset above 64"));
                }
                stride = stride.max(offset + 1);
                if input.attribute("semantic") == Some("VERTEX") {
                    (at, source) = (Some(offset), Some(self.target(input, "source")?));
                }
            }
            let (Some(at), Some(vertices)) = (at, source) else {
                return Err(self.wrong(primitive, "these faces have no VERTEX input"));
            };
            let position = vertices
                .children()
                .find(|node| {
                    node.has_tag_name_local("input") && node.attribute("semantic") == Some("POSITION")
                })
                .ok_or_else(|| self.wrong(vertices, "these vertices have no POSITION input"))?;
            let source = self.target(position, "source")?;
            let places = match known.get(&source.range().start) {
                Some(places) => places.clone(),
                None => {
                    let places = Rc::new(self.positions(source)?);
                    known.insert(source.range().start, places.clone());
                    places
                }
            };
            let triangles = self.faces(primitive, kind, stride, at, &places)?;
            let symbol = primitive.attribute("material").unwrap_or_default().to_owned();
            groups.push(Group { vertices: places, triangles, symbol });
        }
        Ok(groups)
    }

    /// The places of a source, as its accessor orders them.
    fn positions(&self, source: Node<'d, 'i>) -> Result<Vec<[f64; 3]>, MeshError> {
        let array = child(source, "float_array")
            .ok_or_else(|| self.wrong(source, "this source has no float_array"))?;
        let numbers = self.numbers(array)?;
        let accessor = child(source, "technique_common").and_then(|technique| child(technique, "accessor"));
        let read = |name: &str, or: usize| -> Result<usize, MeshError> {
            let text = accessor.and_then(|accessor| accessor.attribute(name));
            text.map_or(Ok(or), |text| {
                text.trim()
                    .parse()
                    .map_err(|_| self.wrong(source, format!("\"{name}\" of the accessor is not a number")))
            })
        };
        let (stride, offset) = (read("stride", 3)?, read("offset", 0)?);
        if stride < 3 {
            return Err(self.wrong(source, "positions need three numbers"));
        }
        let rest = numbers.get(offset..).unwrap_or_default();
        let count = read("count", rest.len() / stride)?;
        if rest.len() / stride < count {
            return Err(
                self.wrong(source, format!("{count} positions declared, {} found", rest.len() / stride))
            );
        }
        Ok(rest.chunks_exact(stride).take(count).map(|place| [place[0], place[1], place[2]]).collect())
    }

    fn faces(
        &self,
        primitive: Node<'d, 'i>,
        kind: &str,
        stride: usize,
        at: usize,
        places: &[[f64; 3]],
    ) -> Result<Vec<[u32; 3]>, MeshError> {
        let mut triangles = Vec::new();
        let corners = |node: Node<'_, '_>| -> Result<Vec<u32>, MeshError> {
            let mut list = Vec::new();
            for (i, word) in words(node).enumerate() {
                if i % stride == at {
                    let corner = word.parse::<u32>().ok().filter(|&corner| (corner as usize) < places.len());
                    list.push(corner.ok_or_else(|| {
                        let word = word.escape_debug();
                        self.wrong(
                            node,
                            format!("there is no vertex \"{word}\"; {} are defined", places.len()),
                        )
                    })?);
                }
            }
            Ok(list)
        };
        let polygon = |list: &[u32], triangles: &mut Vec<[u32; 3]>| {
            let at: Vec<[f64; 3]> = list.iter().map(|&corner| places[corner as usize]).collect();
            triangles.extend(triangulate(&at).into_iter().map(|three| three.map(|i| list[i])));
        };
        let lists = primitive.children().filter(|node| node.has_tag_name_local("p"));
        match kind {
            "triangles" => {
                for list in lists {
                    triangles.extend(corners(list)?.as_chunks::<3>().0);
                }
            }
            "polylist" => {
                let counts = child(primitive, "vcount");
                let Some((list, counts)) = child(primitive, "p").zip(counts) else { return Ok(triangles) };
                let all = corners(list)?;
                let mut rest = all.as_slice();
                for word in words(counts) {
                    let count = word.parse::<usize>().ok().filter(|&n| n <= CORNERS && n <= rest.len());
                    let count = count.ok_or_else(|| {
                        self.wrong(
                            counts,
                            format!("\"{}\" is not a valid number of corners of a face", word.escape_debug()),
                        )
                    })?;
                    let (face, behind) = rest.split_at(count);
                    polygon(face, &mut triangles);
                    rest = behind;
                }
            }
            "polygons" => {
                for list in lists {
                    let list_corners = corners(list)?;
                    if list_corners.len() > CORNERS {
                        return Err(self.wrong(list, format!("a face has more than {CORNERS} corners")));
                    }
                    polygon(&list_corners, &mut triangles);
                }
            }
            "tristrips" => {
                for list in lists {
                    for (i, three) in corners(list)?.windows(3).enumerate() {
                        let [a, b, c] = [three[0], three[1], three[2]];
                        triangles.push(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
                    }
                }
            }
            _ => {
                for list in lists {
                    let fan = corners(list)?;
                    triangles.extend(fan.windows(2).skip(1).map(|pair| [fan[0], pair[0], pair[1]]));
                }
            }
        }
        Ok(triangles)
    }

    /// The colour of a material, and whether it has a texture instead.
    fn material(&self, material: Node<'d, 'i>) -> (Option<Rgba>, bool) {
        let effect =
            child(material, "instance_effect").and_then(|instance| self.target(instance, "url").ok());
        let Some(effect) = effect else { return (None, false) };
        let find = |name: &str| effect.descendants().find(|node| node.has_tag_name_local(name));
        let numbers = |node: Node<'_, '_>| self.numbers(node).unwrap_or_default();
        let diffuse = find("diffuse").or_else(|| find("emission"));
        let Some(diffuse) = diffuse else { return (None, false) };
        let textured = child(diffuse, "texture").is_some();
        let colour = child(diffuse, "color").map(numbers).unwrap_or_default();
        let [r, g, b] = match colour.as_slice() {
            &[r, g, b, ..] => [r, g, b].map(|x| x.clamp(0.0, 1.0)),
            _ => return (None, textured),
        };
        let amount = find("transparency").and_then(|node| child(node, "float")).map(numbers);
        let amount = amount.and_then(|list| list.first().copied()).unwrap_or(1.0);
        let through = find("transparent");
        let clear = through.and_then(|node| child(node, "color")).map(numbers).unwrap_or_default();
        let opacity = match (through.and_then(|node| node.attribute("opaque")), clear.as_slice()) {
            (Some("RGB_ZERO"), &[r, g, b, ..]) => 1.0 - amount * (r + g + b) / 3.0,
            (_, &[_, _, _, a]) => a * amount,
            _ => amount,
        };
        // Many programs write the reverse of what they mean; nobody draws what cannot be seen.
        let opacity = if opacity > 0.01 && opacity < 1.0 { opacity } else { 1.0 };
        (Some([r, g, b, opacity]), textured)
    }
}

/// Names without their namespaces.
trait Local {
    fn has_tag_name_local(&self, name: &str) -> bool;
}

impl Local for Node<'_, '_> {
    fn has_tag_name_local(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child<'d, 'i>(node: Node<'d, 'i>, name: &str) -> Option<Node<'d, 'i>> {
    node.children().find(|child| child.has_tag_name_local(name))
}

/// The words of an element's text.
fn words<'d>(node: Node<'d, '_>) -> impl Iterator<Item = &'d str> {
    node.children()
        .filter_map(|child| child.is_text().then(|| child.text()).flatten())
        .flat_map(str::split_ascii_whitespace)
}

/// One map after another.
fn times(outer: &Affine, inner: &Affine) -> Affine {
    std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            let sum: f64 = (0..3).map(|j| outer[i][j] * inner[j][k]).sum();
            if k == 3 { sum + outer[i][3] } else { sum }
        })
    })
}

fn determinant(m: &Affine) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(scene: &str, unit: &str) -> String {
        format!(
            r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{unit}<up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><phong><diffuse><color>1 0.5 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist material="s" count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#p" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>
</mesh></geometry></library_geometries>
<library_nodes><node id="loop"><instance_node url="#loop"/></node></library_nodes>
<library_visual_scenes><visual_scene id="vs">{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#vs"/></scene></COLLADA>"##
        )
    }

    const USE: &str = r##"<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry>"##;

    /// Units, nested nodes and materials; a node that mirrors turns its triangles over.
    #[test]
    fn places_units_and_colours() {
        let scene = format!(
            "<node><translate>10 0 0</translate><rotate>0 0 1 90</rotate>{USE}<node><scale>-1 1 1</scale>{USE}</node></node>"
        );
        let read = read(file(&scene, r#"<unit meter="0.01" name="cm"/>"#).as_bytes()).unwrap();
        // The square from (0, 0) to (1, 1) is turned to x from -1 to 0, then moved; its mirror image is in y < 0.
        let [low, high] = read.mesh.bounding_box().unwrap();
        for (found, expected) in low.iter().chain(&high).zip([0.09, -0.01, 0.0, 0.1, 0.01, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{low:?} {high:?}");
        }
        assert_eq!(read.mesh.triangles().len(), 4);
        let up = read.mesh.corners().map(|corners| crate::vector::doubled_area(corners)[2]);
        assert!(up.into_iter().all(|z| z > 0.0), "mirrored triangles still face up");
        assert_eq!(read.patches.len(), 1);
        assert_eq!(read.patches[0].colour, Some([1.0, 0.5, 0.0, 1.0]));
    }

    #[test]
    fn hostile_files_end_in_errors() {
        let cycle = file(r##"<node><instance_node url="#loop"/></node>"##, "");
        assert!(read(cycle.as_bytes()).unwrap_err().to_string().contains("check for a cycle"));
        let bomb = r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><COLLADA>&b;</COLLADA>"#;
        assert!(matches!(read(bomb.as_bytes()), Err(MeshError::Line { .. })));
        for (from, to) in [
            ("0 0 1 0 2 0 3 0", "0 0 1 0 9 0 3 0"),
            ("1 1 0 0 1 0", "1 1 0 0 nan 0"),
            ("count=\"4\"", "count=\"99999999\""),
        ] {
            let text = file(&format!("<node>{USE}</node>"), "").replace(from, to);
            assert!(matches!(read(text.as_bytes()), Err(MeshError::Line { .. })), "{to}");
        }
        assert!(read(file("", r#"<unit meter="nan"/>"#).as_bytes()).is_err());
        assert!(read(b"<svg/>").is_err());
    }
}
