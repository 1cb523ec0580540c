//! Robots that want to be read without end, or to read what they must not: each is an error or a warning with its place.

use gelenk_import::{Imported, Options, import_file};
use std::path::{Path, PathBuf};

/// A folder `machine` for the robot, next to files that it must not read.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gelenk-hostile-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("machine")).unwrap();
    folder.canonicalize().unwrap()
}

fn convert(folder: &Path, file: &str, text: &str) -> Result<Imported, String> {
    let path = folder.join("machine").join(file);
    std::fs::write(&path, text).unwrap();
    import_file(path, &Options::default()).map_err(|failure| failure.to_string())
}

/// A URDF whose mesh is named in line 3.
fn urdf(attributes: &str) -> String {
    format!(
        "<robot name=\"r\"><link name=\"base\">\n<visual><geometry>\n<mesh {attributes}/>\n</geometry></visual></link></robot>"
    )
}

/// Ten entities of ten entities each, nine times over, would be 1e9 words.
#[test]
fn entities_are_refused_with_their_line() {
    let folder = folder("entities");
    let mut bomb = String::from("<!DOCTYPE robot [\n<!ENTITY a0 \"word\">\n");
    for i in 1..10 {
        bomb += &format!("<!ENTITY a{i} \"{}\">\n", format!("&a{};", i - 1).repeat(10));
    }
    bomb += "]>\n";
    let outside = "<!DOCTYPE robot [<!ENTITY a SYSTEM \"file:///etc/hostname\">]>\n";
    for (file, body) in [
        ("r.urdf", "<robot name=\"&a9;\"><link name=\"a\"/></robot>"),
        ("r.xml", "<mujoco model=\"&a9;\"><worldbody/></mujoco>"),
        ("r.sdf", "<sdf version=\"1.9\"><model name=\"&a9;\"><link name=\"a\"/></model></sdf>"),
        ("r.xacro", "<robot xmlns:xacro=\"http://x/xacro\" name=\"&a9;\"/>"),
    ] {
        for text in [format!("{bomb}{body}"), format!("{outside}{}", body.replace("a9", "a"))] {
            let said = convert(&folder, file, &text).err().unwrap_or_else(|| panic!("{file} is read"));
            assert!(said.contains(&format!("{file}:1:")), "{file}: {said}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A header of 1e8 triangles (5 GB of STL) on a few bytes: nothing is reserved for it, and the warning has the place.
#[test]
fn meshes_shorter_than_their_headers_are_named_with_their_place() {
    let folder = folder("headers");
    let many: u32 = 100_000_000;
    let mut stl = vec![0; 80];
    stl.extend(many.to_le_bytes());
    stl.extend([0; 50]);
    let ply = |form: &str| {
        format!(
            "ply\nformat {form} 1.0\nelement vertex {many}\nproperty float x\nproperty float y\nproperty float z\n\
             element face {many}\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let msh: Vec<u8> = [many, 0, 0, many].iter().flat_map(|n| n.to_le_bytes()).collect();
    let gltf = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"mesh\":0}}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{many},\"type\":\"VEC3\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":{many}}}],\
         \"buffers\":[{{\"byteLength\":{many},\"uri\":\"data:application/octet-stream;base64,AAAA\"}}]}}"
    );
    for (file, bytes) in [
        ("m.stl", stl),
        ("a.ply", ply("ascii").into_bytes()),
        ("b.ply", ply("binary_little_endian").into_bytes()),
        ("m.msh", msh),
        ("m.gltf", gltf.into_bytes()),
    ] {
        std::fs::write(folder.join("machine").join(file), bytes).unwrap();
        let robot = urdf(&format!("filename=\"{file}\""));
        let imported = convert(&folder, "r.urdf", &robot).unwrap_or_else(|said| panic!("{file}: {said}"));
        let [said] = imported.missing.as_slice() else { panic!("{file}: {:?}", imported.missing) };
        assert!(said.contains(&format!("mesh \"{file}\" was not read")), "{said}");
        assert!(said.contains("[r.urdf:3]"), "{said}");
        assert!(imported.files.is_empty() && !imported.text().contains("[visuals"), "{file}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Scales without a value are errors in all formats, in their lines.
#[test]
fn scales_that_are_not_finite_are_refused() {
    let folder = folder("scales");
    std::fs::write(folder.join("machine/m.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    for scale in ["nan 1 1", "1 inf 1", "1 1 -inf", "1e999 1 1"] {
        let mjcf = format!(
            "<mujoco><asset>\n\n<mesh name=\"m\" file=\"m.obj\" scale=\"{scale}\"/></asset>\
                            <worldbody><body><joint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>"
        );
        let sdf = format!(
            "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\">\n<visual name=\"v\"><geometry><mesh><uri>m.obj</uri>\n\
                           <scale>{scale}</scale></mesh></geometry></visual></link></model></sdf>"
        );
        let urdf = urdf(&format!("filename=\"m.obj\" scale=\"{scale}\""));
        for (file, text) in [("r.urdf", urdf), ("r.xml", mjcf), ("r.sdf", sdf)] {
            let said =
                convert(&folder, file, &text).err().unwrap_or_else(|| panic!("{file}: {scale} is read"));
            assert!(said.contains(&format!("{file}:3:")), "{file}, {scale}: {said}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Included files of xacro and SDF are confined like those of MJCF, and so are folders of meshes.
#[test]
fn other_includes_do_not_lead_out_of_the_folder() {
    let folder = folder("includes");
    let xacro = |inside: &str| format!("<robot name=\"r\" xmlns:xacro=\"http://x/xacro\">\n{inside}</robot>");
    let sdf = |inside: &str| format!("<sdf version=\"1.9\"><model name=\"m\">\n{inside}</model></sdf>");
    std::fs::write(folder.join("out.xacro"), xacro("<link name=\"secret\"/>")).unwrap();
    std::fs::write(folder.join("out.sdf"), sdf("<link name=\"secret\"/>")).unwrap();
    std::fs::write(folder.join("out.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    #[cfg(unix)]
    for file in ["out.xacro", "out.sdf", "out.obj"] {
        std::os::unix::fs::symlink(folder.join(file), folder.join("machine").join(file)).unwrap();
    }
    let absolute = folder.display().to_string();
    let links = if cfg!(unix) { vec!["."] } else { Vec::new() };
    for from in ["..", "../machine/..", absolute.as_str()].into_iter().chain(links) {
        let include = xacro(&format!("<xacro:include filename=\"{from}/out.xacro\"/>"));
        let said = convert(&folder, "r.xacro", &include).err().unwrap_or_else(|| panic!("{from} is read"));
        assert!(said.contains("r.xacro:2:") && said.contains("cannot be included"), "{from}: {said}");
        let include = sdf(&format!("<include><uri>{from}/out.sdf</uri></include>"));
        let said = convert(&folder, "r.sdf", &include).err().unwrap_or_else(|| panic!("{from} is read"));
        assert!(said.contains("r.sdf:2:") && said.contains("cannot be included"), "{from}: {said}");
        let mjcf = format!(
            "<mujoco><compiler meshdir=\"{from}\"/><asset>\n<mesh name=\"m\" file=\"out.obj\"/></asset><worldbody><body>\
             <joint/><geom size=\"0.1\"/><geom type=\"mesh\" mesh=\"m\" mass=\"0\"/></body></worldbody></mujoco>"
        );
        let imported = convert(&folder, "r.xml", &mjcf).unwrap_or_else(|said| panic!("{from}: {said}"));
        assert!(
            imported.missing.len() == 1 && imported.missing[0].contains("[r.xml:2]"),
            "{from}: {:?}",
            imported.missing
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Two MJCF files that include each other.
#[test]
fn circles_of_mjcf_files_are_refused() {
    let folder = folder("circle");
    std::fs::write(folder.join("machine/b.xml"), "<mujoco>\n<include file=\"a.xml\"/></mujoco>").unwrap();
    let said = convert(&folder, "a.xml", "<mujoco>\n<include file=\"b.xml\"/></mujoco>").err();
    let said = said.unwrap_or_else(|| panic!("the circle is read"));
    assert!(said.contains("b.xml:2:"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}
