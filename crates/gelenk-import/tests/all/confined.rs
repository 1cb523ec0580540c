//! Files that a robot names are read only below its folder.

use gelenk_import::{Options, Package, import_file};
use std::path::PathBuf;

/// A robot's folder next to a file that it must not read.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gelenk-confined-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("machine/parts")).unwrap();
    std::fs::create_dir_all(folder.join("shared")).unwrap();
    let arm = "<mujoco><worldbody><body name=\"arm\"><joint name=\"swing\"/><geom size=\"0.1\"/></body></worldbody></mujoco>";
    for file in ["secret.xml", "machine/parts/arm.xml", "shared/arm.xml"] {
        std::fs::write(folder.join(file), arm).unwrap();
    }
    std::fs::write(folder.join("machine/parts/both.xml"), "<mujoco><include file=\"arm.xml\"/></mujoco>")
        .unwrap();
    folder.canonicalize().unwrap()
}

/// Converts a file with one include and returns its text or the errors.
fn include(folder: &std::path::Path, file: &str, options: &Options) -> Result<String, String> {
    let path = folder.join("machine/main.xml");
    std::fs::write(&path, format!("<mujoco>\n<include file=\"{file}\"/>\n</mujoco>")).unwrap();
    import_file(&path, options).map(|imported| imported.text()).map_err(|failure| failure.to_string())
}

#[test]
fn includes_below_the_folder_are_read() {
    let folder = folder("below");
    // From the main file, as MuJoCo does, or from the including one.
    for file in ["parts/arm.xml", "./parts/../parts/arm.xml", "parts/both.xml"] {
        let text =
            include(&folder, file, &Options::default()).unwrap_or_else(|said| panic!("{file}: {said}"));
        assert!(text.contains("[joints.swing]"), "{text}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Paths upwards, absolute ones and links are refused with their place, unless the user allows the folder.
#[test]
fn includes_do_not_lead_out_of_the_folder() {
    let folder = folder("out");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("secret.xml"), folder.join("machine/link.xml")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder, folder.join("machine/up")).unwrap();
    let absolute = folder.join("secret.xml").display().to_string();
    let mut hostile = vec!["../secret.xml", "parts/../../secret.xml", "../shared/arm.xml", &absolute];
    if cfg!(unix) {
        hostile.extend(["link.xml", "up/secret.xml", "/dev/zero", "/etc/hostname"]);
    }
    for file in hostile {
        if !folder.join("machine").join(file).exists() {
            continue;
        }
        let said = include(&folder, file, &Options::default()).unwrap_err();
        assert!(said.contains("main.xml:2:16") && said.contains("cannot be included"), "{file}: {said}");
        assert!(said.contains("outside the robot's folder") && said.contains("--package-path"), "{said}");
    }
    let said = include(&folder, "nowhere.xml", &Options::default()).unwrap_err();
    assert!(said.contains("main.xml:2:16") && said.contains("there is no such file"), "{said}");
    let shared = Package { name: "shared".into(), folder: folder.join("shared") };
    let allowed = Options { packages: vec![shared], ..Options::default() };
    assert!(include(&folder, "../shared/arm.xml", &allowed).is_ok());
    assert!(include(&folder, "../secret.xml", &allowed).is_err());
    std::fs::remove_dir_all(folder).unwrap();
}

/// A mesh outside of the folder is not read; the warning has its place and the way out.
#[test]
fn meshes_outside_are_named_with_their_place() {
    let folder = folder("mesh");
    std::fs::write(folder.join("out.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let urdf = "<robot name=\"r\">\n<link name=\"base\">\n<visual><geometry>\n<mesh filename=\"../out.obj\"/>\n\
                </geometry></visual></link></robot>";
    std::fs::write(folder.join("machine/r.urdf"), urdf).unwrap();
    let imported = import_file(folder.join("machine/r.urdf"), &Options::default()).unwrap();
    let [said] = imported.missing.as_slice() else { panic!("{:?}", imported.missing) };
    assert!(said.contains("\"../out.obj\"") && said.contains("[r.urdf:4]"), "{said}");
    assert!(said.contains("--package-path"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}
