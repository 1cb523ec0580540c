//! What kind of file something is, by its content: a refusal names the format that it saw and what can be done.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes at the beginning of a file that are read.
const HEAD: u64 = 64 << 10;

/// A format that is recognised. Only few of them are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A recording, or a table of another program.
    Parquet,
    /// Arrow IPC (Feather).
    Arrow,
    /// Text with numbers in columns.
    Csv,
    /// A TOML file, such as a model, a study or a case.
    Toml,
    /// OpenSim's models.
    OpenSimModel,
    /// Other files of OpenSim: setups, forces, markers, controls.
    OpenSim,
    /// OpenSim's tables: STO and MOT.
    Sto,
    /// Marker trajectories.
    Trc,
    /// Motion capture in the binary format C3D.
    C3d,
    /// A skeleton with its motion.
    Bvh,
    /// Robots of ROS.
    Urdf,
    /// A URDF with macros, which `gelenk convert` expands.
    Xacro,
    /// Models of MuJoCo.
    Mjcf,
    /// Models of Gazebo.
    Sdf,
    /// Scenes as glTF, text or binary.
    Gltf,
    /// Scenes as COLLADA.
    Collada,
    /// Meshes as STL.
    Stl,
    /// Meshes as OBJ.
    Obj,
    /// Meshes as PLY.
    Ply,
    /// Matrices of MATLAB.
    Mat,
    /// HDF5, which MATLAB writes, too.
    Hdf5,
    /// Arrays of NumPy.
    Numpy,
    /// Logs of ROS.
    RosBag,
    /// Logs as MCAP.
    Mcap,
    /// Excel workbooks.
    Excel,
    /// Archives as ZIP.
    Zip,
    /// Something compressed with gzip.
    Gzip,
    /// Pictures.
    Png,
    /// Drawings.
    Svg,
    /// Pages, such as a report.
    Html,
    /// Other JSON.
    Json,
    /// Other XML.
    Xml,
}

impl Format {
    /// Recognises a file by the first of its bytes, and where these leave it open by its name; `None` where it is no file or
    /// nothing that is known.
    pub fn of(path: &Path) -> Option<Self> {
        if !std::fs::metadata(path).is_ok_and(|facts| facts.is_file()) {
            return None;
        }
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        let size = std::fs::metadata(path).ok()?.len();
        let ending = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        binary(&head, size, &ending).or_else(|| text(&head, &ending))
    }

    /// What the file is, as the end of a sentence: `an OpenSim model`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parquet => "a Parquet file",
            Self::Arrow => "an Arrow (Feather) file",
            Self::Csv => "a table of numbers (CSV)",
            Self::Toml => "a TOML file",
            Self::OpenSimModel => "an OpenSim model",
            Self::OpenSim => "an OpenSim XML file",
            Self::Sto => "an OpenSim table (STO or MOT)",
            Self::Trc => "a TRC marker file",
            Self::C3d => "a C3D motion capture file",
            Self::Bvh => "a BVH motion capture file",
            Self::Urdf => "a URDF robot",
            Self::Xacro => "a xacro file",
            Self::Mjcf => "an MJCF (MuJoCo) model",
            Self::Sdf => "an SDF (Gazebo) model",
            Self::Gltf => "a glTF scene",
            Self::Collada => "a COLLADA scene",
            Self::Stl => "an STL mesh",
            Self::Obj => "an OBJ mesh",
            Self::Ply => "a PLY mesh",
            Self::Mat => "a MATLAB file",
            Self::Hdf5 => "an HDF5 file (MATLAB 7.3 writes these, too)",
            Self::Numpy => "a NumPy array",
            Self::RosBag => "a ROS bag",
            Self::Mcap => "an MCAP log",
            Self::Excel => "an Excel workbook",
            Self::Zip => "a ZIP archive",
            Self::Gzip => "a gzip-compressed file",
            Self::Png => "a PNG picture",
            Self::Svg => "an SVG drawing",
            Self::Html => "an HTML page",
            Self::Json => "a JSON file",
            Self::Xml => "an XML file",
        }
    }

    /// Whether it is a triangle mesh that is read.
    pub fn is_mesh(self) -> bool {
        matches!(self, Self::Stl | Self::Obj | Self::Ply)
    }

    /// What can be done with it where a recording or a table of numbers was expected.
    pub fn as_table(self) -> &'static str {
        match self {
            Self::Csv => "`gelenk info`, `plot`, `report`, `view` and `export` read it",
            Self::Toml => "`gelenk run` simulates a model and makes a recording",
            Self::Urdf | Self::Xacro | Self::Mjcf | Self::Sdf => {
                "`gelenk convert` makes a model from it, and `gelenk run` a recording"
            }
            Self::Html => "open it in a browser",
            Self::Png | Self::Svg => "open it in a picture viewer",
            Self::Gzip | Self::Zip => "unpack it first",
            Self::Stl | Self::Obj | Self::Ply | Self::Gltf | Self::Collada => "`gelenk mesh info` shows it",
            Self::Arrow
            | Self::Mat
            | Self::Hdf5
            | Self::Numpy
            | Self::RosBag
            | Self::Mcap
            | Self::Excel
            | Self::Json
            | Self::Sto
            | Self::Trc
            | Self::C3d
            | Self::Bvh => "write its columns as CSV or Parquet, with a time column",
            _ => "a recording of `gelenk run`, a CSV table or a Parquet table was expected",
        }
    }
}

/// Formats with bytes of their own at the beginning.
fn binary(head: &[u8], size: u64, ending: &str) -> Option<Format> {
    let magic: [(&[u8], Format); 12] = [
        (b"PAR1", Format::Parquet),
        (b"ARROW1", Format::Arrow),
        (b"glTF", Format::Gltf),
        (b"\x89PNG\r\n\x1a\n", Format::Png),
        (b"\x89HDF\r\n\x1a\n", Format::Hdf5),
        (b"\x89MCAP", Format::Mcap),
        (b"\x93NUMPY", Format::Numpy),
        (b"#ROSBAG", Format::RosBag),
        (b"MATLAB 5.0 MAT-file", Format::Mat),
        (b"\x1f\x8b", Format::Gzip),
        (b"ply\n", Format::Ply),
        (b"ply\r\n", Format::Ply),
    ];
    if let Some((_, format)) = magic.iter().find(|(bytes, _)| head.starts_with(bytes)) {
        return Some(*format);
    }
    match head {
        [b'P', b'K', 3, 4, ..] => {
            return Some(if ending.starts_with("xls") { Format::Excel } else { Format::Zip });
        }
        // The number of the block with the parameters, and the key 0x50.
        [1..=31, 0x50, ..] if size.is_multiple_of(512) || ending == "c3d" => return Some(Format::C3d),
        _ => {}
    }
    // A binary STL has 80 bytes of any content, the number of its triangles, and 50 bytes for each.
    let count = head.get(80..84).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)?;
    (size == 84 + 50 * u64::from(count)).then_some(Format::Stl)
}

/// Formats of text, by their first words.
fn text(head: &[u8], ending: &str) -> Option<Format> {
    if head.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.lines().next().unwrap_or_default();
    if text.starts_with('<') {
        return Some(xml(text));
    }
    if text.starts_with('{') {
        return Some(if text.contains("\"asset\"") { Format::Gltf } else { Format::Json });
    }
    if first.starts_with("PathFileType") {
        return Some(Format::Trc);
    }
    if first.trim() == "HIERARCHY" {
        return Some(Format::Bvh);
    }
    if text.lines().take(100).any(|line| line.trim().eq_ignore_ascii_case("endheader")) {
        return Some(Format::Sto);
    }
    if first.starts_with("solid") && text.contains("facet") {
        return Some(Format::Stl);
    }
    if ending == "obj" && text.lines().any(|line| line.starts_with("v ")) {
        return Some(Format::Obj);
    }
    table(text)
}

/// XML by its root element.
fn xml(text: &str) -> Format {
    let mut rest = text;
    let root = loop {
        let Some(start) = rest.find('<') else { return Format::Xml };
        rest = &rest[start..];
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        if !rest.starts_with("<!--") && !rest.starts_with("<?") && !rest.starts_with("<!") {
            break rest;
        }
        if rest.to_lowercase().starts_with("<!doctype html") {
            return Format::Html;
        }
        let Some(after) = rest.find(end) else { return Format::Xml };
        rest = &rest[after + end.len()..];
    };
    let name: String =
        root[1..].chars().take_while(|c| !c.is_whitespace() && !['>', '/'].contains(c)).collect();
    match name.as_str() {
        "OpenSimDocument" if root.contains("<Model ") || root.contains("<Model>") => Format::OpenSimModel,
        "OpenSimDocument" => Format::OpenSim,
        "robot" if text.contains("xmlns:xacro") || text.contains("<xacro:") => Format::Xacro,
        "robot" => Format::Urdf,
        "mujoco" | "mujocoinclude" => Format::Mjcf,
        "sdf" => Format::Sdf,
        "COLLADA" => Format::Collada,
        "svg" => Format::Svg,
        "html" | "HTML" => Format::Html,
        _ => Format::Xml,
    }
}

/// TOML or a table of numbers, by the first lines that say something.
fn table(text: &str) -> Option<Format> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next()?;
    let key =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.\"' ".contains(c));
    if first.split_once('=').is_some_and(|(name, _)| key(name.trim()))
        || (first.starts_with('[') && first.ends_with(']'))
    {
        return Some(Format::Toml);
    }
    let cells = |line: &str| -> Vec<String> {
        let separators = |c: char| c == ',' || c == ';' || c == '\t';
        match line.contains(separators) {
            true => line.split(separators).map(|cell| cell.trim().to_owned()).collect(),
            false => line.split_whitespace().map(str::to_owned).collect(),
        }
    };
    let numbers = |line: &str| cells(line).iter().any(|cell| cell.parse::<f64>().is_ok());
    let wide = cells(first).len() > 1;
    (wide && (numbers(first) || lines.take(3).any(numbers))).then_some(Format::Csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, content: &[u8]) -> Option<Format> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Format::of(&path)
    }

    #[test]
    fn formats_are_recognised_by_their_content() {
        let opensim = b"<?xml version=\"1.0\"?>\n<!-- a <robot> -->\n<OpenSimDocument Version=\"40000\">\n<Model name=\"leg\">";
        let mut stl = vec![0; 84 + 50];
        stl[80] = 1;
        let cases: [(&str, &[u8], Format); 27] = [
            ("a", b"PAR1....", Format::Parquet),
            ("a.osim", opensim, Format::OpenSimModel),
            ("a.xml", b"<OpenSimDocument><InverseKinematicsTool name='x'>", Format::OpenSim),
            ("a.trc", b"PathFileType\t4\t(X/Y/Z)\twalk.trc\n", Format::Trc),
            ("a.mot", b"Coordinates\nversion=1\nnRows=2\nendheader\ntime\tq\n0\t1\n", Format::Sto),
            ("a.c3d", &[2, 0x50, 1, 0], Format::C3d),
            ("a.bvh", b"HIERARCHY\nROOT Hips\n", Format::Bvh),
            ("a.urdf", b"<robot name=\"r\"/>", Format::Urdf),
            ("a.urdf", b"<robot xmlns:xacro=\"http://wiki.ros.org/xacro\"/>", Format::Xacro),
            ("a.xml", b"<!-- scene -->\n<mujoco model=\"m\">", Format::Mjcf),
            ("a.xml", b"<sdf version='1.9'>", Format::Sdf),
            ("a.gltf", b"{\"asset\":{\"version\":\"2.0\"}}", Format::Gltf),
            ("a.glb", b"glTF\x02\0\0\0", Format::Gltf),
            ("a.json", b"{\"entries\": []}", Format::Json),
            ("a.stl", b"solid part\n facet normal 0 0 1\n", Format::Stl),
            ("a.bin", &stl, Format::Stl),
            ("a.obj", b"# cube\nv 0 0 0\n", Format::Obj),
            ("a.ply", b"ply\nformat ascii 1.0\n", Format::Ply),
            ("a.html", b"<!DOCTYPE html>\n<html>", Format::Html),
            ("a.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\">", Format::Svg),
            ("a.csv", b"# log\nt,phi\n0,1\n", Format::Csv),
            ("a.csv", b"time;angle\ns;deg\n0,0;1,5\n", Format::Csv),
            ("a.txt", b"0.0 1.0 2.0\n0.1 1.1 2.1\n", Format::Csv),
            ("a.toml", b"# a model\nschema = 1\n", Format::Toml),
            ("a.toml", b"[bodies.arm]\nmass = 1\n", Format::Toml),
            ("a.xlsx", b"PK\x03\x04", Format::Excel),
            ("a.dae", b"<?xml version='1.0'?><COLLADA>", Format::Collada),
        ];
        for (name, content, format) in cases {
            assert_eq!(of(name, content), Some(format), "{name}: {}", String::from_utf8_lossy(content));
        }
        for content in [&b""[..], b"hello", b"\0\0\0", b"one, two"] {
            assert_eq!(of("a", content), None, "{content:?}");
        }
        assert_eq!(Format::of(Path::new("/nowhere")), None);
        assert_eq!(Format::of(Path::new("/")), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_something_or_nothing(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
            let _ = binary(&bytes, 400, "").or_else(|| text(&bytes, "obj"));
        }
    }
}
