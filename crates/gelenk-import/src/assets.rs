//! Files that a robot names: where they are, and which of them may be read.
//!
//! A robot is data from elsewhere. Its meshes are read only below its own package folder, below the folders of packages
//! that it names and that are found around it, and below those that the user gives, whatever its paths say and wherever
//! links lead.

use gelenk_file::source::Span;
use gelenk_mesh::{Format, Painted};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Largest mesh file that is read.
const LARGEST: u64 = 1 << 28;
/// Bytes of all files together at most.
const MOST: u64 = 1 << 31;
/// Folders above the robot in which packages are looked for.
const UPWARDS: usize = 8;
/// Files that mark the folder of a package.
const MARKS: [&str; 3] = ["package.xml", "manifest.xml", "model.config"];
/// Folders that usually are inside of a package beside its meshes.
const INNER: [&str; 8] = ["urdf", "robots", "robot", "mjcf", "xml", "model", "sdf", "xacro"];

/// A folder that stands for a package: `--package-path NAME=FOLDER`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Package {
    /// Its name in `package://NAME/...`.
    pub name: String,
    /// Where it is.
    pub folder: PathBuf,
}

/// A mesh file that was read.
pub(crate) struct Asset {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) painted: Painted,
}

/// The files of a robot, each read once.
#[derive(Default)]
pub(crate) struct Assets {
    /// The folder of the robot's file; none for a mere text.
    base: Option<PathBuf>,
    packages: Vec<Package>,
    /// Folders below which files are read, without links.
    roots: Vec<PathBuf>,
    pub(crate) list: Vec<Asset>,
    /// What became of the paths that were asked for.
    known: BTreeMap<PathBuf, Result<usize, String>>,
    bytes: u64,
    /// What could not be read: the path as it is in the file, why, and the first place that names it.
    pub(crate) missing: Vec<(String, String, Span)>,
}

impl Assets {
    pub(crate) fn new(base: Option<&Path>, packages: &[Package]) -> Self {
        // A file without a folder is in the current one.
        let base = base.map(|base| if base.as_os_str().is_empty() { Path::new(".") } else { base });
        let base = base.and_then(|base| base.canonicalize().ok());
        let mut roots: Vec<PathBuf> =
            packages.iter().filter_map(|package| package.folder.canonicalize().ok()).collect();
        roots.extend(base.as_deref().map(package_folder));
        Self { base, packages: packages.to_vec(), roots, ..Self::default() }
    }

    /// The number of the mesh that a path stands for; `folder` is where relative ones start, seen from the robot. What
    /// cannot be read is noted with its place.
    pub(crate) fn mesh(&mut self, uri: &str, folder: &str, place: Span) -> Option<usize> {
        let uri = uri.trim();
        let found = self.resolve(uri, folder).and_then(|path| self.load(path));
        match found {
            Ok(number) => Some(number),
            Err(reason) => {
                if !self.missing.iter().any(|(known, ..)| known == uri) {
                    self.missing.push((uri.to_owned(), reason, place));
                }
                None
            }
        }
    }

    /// The real path of a file, if it may be read.
    pub(crate) fn resolve(&mut self, uri: &str, folder: &str) -> Result<PathBuf, String> {
        let Some(base) = self.base.clone() else {
            return Err("a description given as text has no folder to search in".to_owned());
        };
        let path = if let Some(rest) = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"))
        {
            // Some files have a slash too many.
            let rest = rest.trim_start_matches('/');
            let (name, rest) = rest.split_once(['/', '\\']).unwrap_or((rest, ""));
            self.package(name, &base)?.join(portable(rest))
        } else if let Some(rest) = uri.strip_prefix("$(find ") {
            let (name, rest) = rest.split_once(')').ok_or("\"$(find\" has no closing \")\"")?;
            self.package(name.trim(), &base)?.join(portable(rest.trim_start_matches(['/', '\\'])))
        } else {
            let rest = uri.strip_prefix("file://").unwrap_or(uri);
            base.join(portable(folder)).join(portable(rest))
        };
        let real = path.canonicalize().map_err(|_| "there is no such file".to_owned())?;
        if self.roots.iter().any(|root| real.starts_with(root)) {
            return Ok(real);
        }
        let own = self.roots.last().map(|root| root.display().to_string()).unwrap_or_default();
        Err(format!(
            "it is outside the robot's folder {own}; allow its folder with --package-path NAME=FOLDER"
        ))
    }

    /// The folder of a package.
    pub(crate) fn package_of(&mut self, name: &str) -> Result<PathBuf, String> {
        let base = self.base.clone().ok_or("a description given as text has no folder to search in")?;
        self.package(name, &base)
    }

    /// The folder of a package: given by the user, above the robot, or beside what is above it.
    fn package(&mut self, name: &str, base: &Path) -> Result<PathBuf, String> {
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            return Err("the package name must be a single folder name".to_owned());
        }
        if let Some(given) = self.packages.iter().find(|package| package.name == name) {
            return Ok(given.folder.clone());
        }
        for above in base.ancestors().take(UPWARDS) {
            if above.file_name().is_some_and(|own| own == name) {
                return Ok(self.allow(above.to_path_buf()));
            }
            let beside = above.join(name);
            if MARKS.iter().any(|mark| beside.join(mark).is_file()) {
                return Ok(self.allow(beside));
            }
        }
        Err(format!(
            "the package \"{}\" is not found: give --package-path {0}=FOLDER",
            crate::names::shown(name)
        ))
    }

    fn allow(&mut self, folder: PathBuf) -> PathBuf {
        if let Ok(real) = folder.canonicalize()
            && !self.roots.contains(&real)
        {
            self.roots.insert(0, real);
        }
        folder
    }

    fn load(&mut self, path: PathBuf) -> Result<usize, String> {
        if let Some(known) = self.known.get(&path) {
            return known.clone();
        }
        let read = self.read(&path);
        self.known.insert(path, read.clone());
        read
    }

    fn read(&mut self, path: &Path) -> Result<usize, String> {
        let Some(format) = Format::of_name(&path.to_string_lossy()) else {
            return Err("its name does not end in .stl, .obj, .ply, .dae, .gltf, .glb or .msh".to_owned());
        };
        let bytes = self.bytes_of(path)?;
        // The same content under another name is the same mesh, unless it names files beside it.
        let alone = !matches!(format, Format::Obj | Format::Gltf);
        if let Some(same) = self.list.iter().position(|asset| alone && asset.bytes == bytes) {
            return Ok(same);
        }
        let roots = self.roots.clone();
        let mut aside = |name: &str| {
            let real = path.parent()?.join(portable(name)).canonicalize().ok()?;
            let allowed = roots.iter().any(|root| real.starts_with(root));
            let small = std::fs::metadata(&real).is_ok_and(|facts| facts.is_file() && facts.len() <= LARGEST);
            if allowed && small { std::fs::read(real).ok() } else { None }
        };
        let painted = Painted::from_bytes(format, &bytes, &mut aside).map_err(|error| error.to_string())?;
        let painted = painted.without_strays();
        if painted.mesh.triangles().is_empty() {
            return Err("it contains no triangles".to_owned());
        }
        self.list.push(Asset { path: path.to_path_buf(), bytes, painted });
        Ok(self.list.len() - 1)
    }

    fn bytes_of(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
        // A device or a pipe may never end.
        if !facts.is_file() {
            return Err("it is not a file".to_owned());
        }
        if facts.len() > LARGEST {
            return Err(format!("it is larger than {} MiB", LARGEST >> 20));
        }
        self.bytes += facts.len();
        if self.bytes > MOST {
            return Err(format!("all meshes together are larger than {} MiB", MOST >> 20));
        }
        std::fs::read(path).map_err(|error| error.to_string())
    }

    /// A mesh that is made here rather than read.
    pub(crate) fn make(&mut self, name: &str, painted: Painted) -> usize {
        let same = |asset: &Asset| asset.bytes.is_empty() && asset.painted == painted;
        if let Some(known) = self.list.iter().position(same) {
            return known;
        }
        self.list.push(Asset { path: PathBuf::from(name), bytes: Vec::new(), painted });
        self.list.len() - 1
    }
}

/// Paths of files that were written elsewhere.
fn portable(path: &str) -> PathBuf {
    PathBuf::from(path.replace('\\', "/"))
}

/// The folder that a robot's files belong to: the nearest one above that is marked as a package, else the folder of the
/// robot, or the one above it where that is a folder such as `urdf`.
fn package_folder(base: &Path) -> PathBuf {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).is_file());
    if let Some(package) = base.ancestors().take(UPWARDS).find(marked) {
        return package.to_path_buf();
    }
    let inner = base.file_name().is_some_and(|name| INNER.iter().any(|inner| name == *inner));
    base.parent().filter(|_| inner).unwrap_or(base).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gelenk-assets-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        for part in ["pack/urdf", "pack/meshes", "other", "far/away"] {
            std::fs::create_dir_all(folder.join(part)).unwrap();
        }
        for file in ["pack/meshes/a.obj", "pack/urdf/b.obj", "secret.obj", "other/c.obj", "far/away/d.obj"] {
            std::fs::write(folder.join(file), MESH).unwrap();
        }
        std::fs::write(folder.join("other/package.xml"), "").unwrap();
        folder.canonicalize().unwrap()
    }

    #[test]
    fn paths_of_all_kinds_are_found() {
        let folder = folder("found");
        let packages = [Package { name: "given".into(), folder: folder.join("far") }];
        let mut assets = Assets::new(Some(&folder.join("pack/urdf")), &packages);
        let absolute = format!("file://{}", folder.join("pack/meshes/a.obj").display());
        for (uri, start) in [
            ("package://pack/meshes/a.obj", ""),
            ("package://other/c.obj", ""),
            ("package:///other/c.obj", ""),
            ("model://pack/urdf/b.obj", ""),
            ("package://given/away/d.obj", ""),
            ("$(find given)/away/d.obj", ""),
            ("../meshes/a.obj", ""),
            ("..\\meshes\\a.obj", ""),
            ("a.obj", "../meshes"),
            (absolute.as_str(), ""),
        ] {
            assert!(assets.mesh(uri, start, Span::default()).is_some(), "{uri}: {:?}", assets.missing);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// A point that no face has would make boxes and hulls larger.
    #[test]
    fn stray_vertices_are_dropped() {
        let folder = folder("stray");
        std::fs::write(
            folder.join("pack/meshes/s.obj"),
            format!("v 9 9 9\n{}", MESH.replace("1 2 3", "2 3 4")),
        )
        .unwrap();
        let mut assets = Assets::new(Some(&folder.join("pack/urdf")), &[]);
        let number = assets.mesh("../meshes/s.obj", "", Span::default()).unwrap();
        let mesh = &assets.list[number].painted.mesh;
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (3, 1));
        assert!(mesh.vertices().iter().flatten().all(|x| *x <= 1.0));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_outside_is_not_read() {
        let folder = folder("outside");
        let secret = folder.join("secret.obj");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&secret, folder.join("pack/meshes/link.obj")).unwrap();
        let mut assets = Assets::new(Some(&folder.join("pack/urdf")), &[]);
        let absolute = secret.display().to_string();
        let url = format!("file://{absolute}");
        for uri in [
            "../../secret.obj",
            "package://pack/../secret.obj",
            "package://../secret.obj",
            "package://far/away/d.obj",
            "../meshes/link.obj",
            &absolute,
            &url,
            "/dev/zero",
            "nothing.obj",
            "",
        ] {
            assert!(assets.mesh(uri, "", Span::default()).is_none(), "{uri}");
        }
        assert!(assets.list.is_empty());
        assert!(Assets::new(None, &[]).mesh("a.obj", "", Span::default()).is_none());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
