//! Files of other formats where a model, a robot or a mesh was expected: named, with what can be done.

use std::path::Path;

use gelenk_io::Format;

/// What is to be said about a file that is not a model, a study or a case; `None` where it may be one.
pub fn model(path: &Path) -> Option<String> {
    let format = match Format::of(path) {
        None | Some(Format::Toml) => return None,
        Some(format) => format,
    };
    let (file, toml) = (path.display(), path.with_extension("toml"));
    let help = match format {
        Format::Urdf | Format::Mjcf | Format::Xacro | Format::Sdf => {
            format!("convert it first: gelenk convert {file} -o {}", toml.display())
        }
        Format::Parquet => format!("`gelenk info {file}`, `plot` and `view` show recordings and tables"),
        Format::Csv => format!(
            "`gelenk plot {file}` shows it, and a model reads it as a log: log = {{ file = \"{file}\", ... }}"
        ),
        Format::Trc | Format::C3d | Format::Bvh | Format::Sto => {
            "it contains a motion, not a model; studies read motions from CSV tables".into()
        }
        format if format.is_mesh() || is_scene(format) => {
            format!("`gelenk mesh info {file}` shows it, and a body of a model can have it as its shape")
        }
        _ => "a model is a TOML file; `gelenk new NAME` makes one to start from".into(),
    };
    Some(format!("{file} is {}, not a model or study of Gelenk; {help}", format.name()))
}

/// What is to be said about a file that is not a robot; `None` where it may be one.
pub fn robot(path: &Path) -> Option<String> {
    let format = match Format::of(path) {
        // Other roots of XML have messages of their own, with their line.
        None | Some(Format::Urdf | Format::Mjcf | Format::Xacro | Format::Sdf | Format::Xml) => return None,
        Some(format) => format,
    };
    let file = path.display();
    let help = match format {
        Format::Toml => format!("run it: gelenk run {file}; --spline replaces loops of a model by curves"),
        format if format.is_mesh() || is_scene(format) => format!("`gelenk mesh info {file}` shows it"),
        _ => "robots are read as URDF, xacro, MJCF and SDF".into(),
    };
    Some(format!("{file} is {}, not a robot; {help}", format.name()))
}

/// Scenes that are read as meshes where their names have the usual extensions.
fn is_scene(format: Format) -> bool {
    matches!(format, Format::Gltf | Format::Collada)
}

/// What is to be said about a file that is not a mesh; `None` where it may be one.
pub fn mesh(path: &Path) -> Option<String> {
    let format = Format::of(path).filter(|format| !format.is_mesh())?;
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let scene = matches!(
        (extension.as_deref(), format),
        (Some("gltf" | "glb"), Format::Gltf) | (Some("dae"), Format::Collada)
    );
    if scene {
        return None;
    }
    let formats = "STL, OBJ, PLY, COLLADA, glTF and MSH";
    Some(format!("{} is {}; meshes are read as {formats}", path.display(), format.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named_with_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let said = |name: &str, content: &str, about: fn(&Path) -> Option<String>| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            about(&path).unwrap_or_default()
        };
        let urdf = said("a.urdf", "<robot name=\"r\"/>", model);
        assert!(urdf.contains("is a URDF robot") && urdf.contains("gelenk convert"), "{urdf}");
        let osim = said("a.osim", "<OpenSimDocument><Model name=\"m\">", model);
        assert!(osim.contains("is an OpenSim model, not a model or study of Gelenk"), "{osim}");
        let trc = said("a.trc", "PathFileType\t4\n", model);
        assert!(trc.contains("is a TRC marker file") && trc.contains("a motion, not a model"), "{trc}");
        let gltf = said("a.gltf", "{\"asset\": {}}", model);
        assert!(gltf.contains("is a glTF scene") && gltf.contains("gelenk mesh info"), "{gltf}");
        let collada = said("a.dae", "<COLLADA/>", robot);
        assert!(collada.contains("is a COLLADA scene, not a robot; `gelenk mesh info"), "{collada}");
        let xacro = said("a.xacro", "<robot xmlns:xacro=\"http://wiki.ros.org/xacro\"/>", model);
        assert!(xacro.contains("is a xacro file") && xacro.contains("gelenk convert"), "{xacro}");
        assert_eq!(said("a.toml", "schema = 1\n", model), "");
        assert_eq!(said("b.toml", "nonsense\n", model), "");
        let toml = said("a.toml", "schema = 1\n", robot);
        assert!(toml.contains("is a TOML file, not a robot; run it"), "{toml}");
        assert_eq!(said("a.xml", "<mujoco/>", robot), "");
        let osim = said("a.osim", "<OpenSimDocument><Model name=\"m\">", robot);
        assert!(
            osim.contains("an OpenSim model, not a robot; robots are read as URDF, xacro, MJCF and SDF"),
            "{osim}"
        );
        let mesh_of = said("a.stl", "{\"asset\": {}}", mesh);
        assert!(
            mesh_of.contains("is a glTF scene; meshes are read as STL, OBJ, PLY, COLLADA, glTF and MSH"),
            "{mesh_of}"
        );
    }
}
