//! Robots of other formats as models: URDF with xacro, MJCF (MuJoCo) and SDF (Gazebo).
//!
//! ```
//! use gelenk_import::{Options, import_text};
//!
//! let urdf = r#"<robot name="swing">
//!   <link name="arm"><inertial>
//!     <origin xyz="0 0 -0.2"/><mass value="0.5"/>
//!     <inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/>
//!   </inertial></link>
//!   <link name="base"/>
//!   <joint name="shoulder" type="continuous">
//!     <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
//!   </joint>
//! </robot>"#;
//! let imported = import_text(urdf, &Options::default()).unwrap();
//! assert!(imported.text().contains("[joints.shoulder]"));
//! assert!(imported.model(None).unwrap().file.joints.get("shoulder").is_some());
//! ```
//!
//! | file | content |
//! |---|---|
//! | `xml` | elements with their places, included files |
//! | `values` | numbers and words in attributes |
//! | `robot` | what both formats have in common: links, joints, frames, loops |
//! | `urdf` | URDF to a robot |
//! | `urdf_skins` | its visuals and collisions |
//! | `mjcf` | MJCF to a robot |
//! | `sdf` | SDF to a robot |
//! | `xacro` | macros expanded |
//! | `primitives` | mass, inertia and drawing of simple shapes |
//! | `coupling` | joints that follow others |
//! | `repair` | inertias that no body has |
//! | `massless` | joints that move no mass |
//! | `stops` | elastic stops in place of limits |
//! | `names` | names that a model file can have |
//! | `account` | what was taken over, changed and left out |
//! | `drives` | drives, and couplings by tendons |
//! | `formulas` | expressions over coordinates |
//! | `assets` | files that a robot names |
//! | `closing` | loops that the digits of a file leave open |
//! | `overlaps` | links that overlap where the robot starts |
//! | `skins` | what links look like |
//! | `collisions` | collision shapes as surfaces and contacts |
//! | `writer` | a robot as the document of a model file |
//!
//! The XML is read with `roxmltree` alone. The ready-made readers of the two formats know no places for
//! messages and drop what they do not know, and that has to be listed here.

mod account;
mod assets;
mod closing;
mod collisions;
mod coupling;
mod drives;
mod formulas;
mod massless;
mod mjcf;
mod names;
mod overlaps;
mod primitives;
mod repair;
mod robot;
mod sdf;
mod skins;
mod stops;
mod taken;
mod urdf;
mod urdf_skins;
mod values;
mod writer;
mod xacro;
mod xml;

pub use account::Entry;
pub use assets::Package;
pub use repair::Repair;
pub use skins::MeshFile;

use gelenk_file::draft::Draft;
use gelenk_file::load::Failure;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::{Sources, Span};
use gelenk_model::LoadedModel;
use std::path::{Path, PathBuf};
use xml::Document;

/// A format that can be imported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Unified Robot Description Format, of ROS.
    Urdf,
    /// MuJoCo's own format.
    Mjcf,
    /// Simulation Description Format, of Gazebo.
    Sdf,
}

impl Format {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Urdf => "URDF",
            Self::Mjcf => "MJCF",
            Self::Sdf => "SDF",
        }
    }
}

/// What limits of joints become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limits {
    /// Elastic stops.
    Stops,
    /// Ranges without force, which inverse kinematics keeps.
    Ranges,
    /// Nothing.
    Omitted,
}

/// What a conversion leaves to the user.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Whether the root link of a URDF moves freely; else it is fixed to the ground. MJCF says it itself.
    pub free_base: bool,
    /// Whether rotor inertias (MJCF's armature) are taken over.
    pub armature: bool,
    /// Whether dry friction of joints is taken over.
    pub friction: bool,
    /// What limits of joints become.
    pub limits: Limits,
    /// Time constant (s) of elastic stops; that of the file, or 20 ms, where it is not given.
    pub stop_time: Option<f64>,
    /// Whether actuators and effort limits become drives.
    pub drives: bool,
    /// The keyframe to start at, by its name.
    pub start: Option<String>,
    /// Whether inertias that no body has are replaced by the nearest possible ones.
    pub repair_inertia: bool,
    /// Principal moments of inertia (kg m^2) of links with mass are raised to this value.
    pub least_inertia: Option<f64>,
    /// Folders of packages that the robot names, where they are not found around it.
    pub packages: Vec<Package>,
    /// Values of the arguments of a xacro file.
    pub arguments: Vec<(String, String)>,
    /// Where the meshes of the model are.
    pub meshes: MeshFiles,
    /// What the collision shapes collide with.
    pub collide: Collide,
}

/// Where the meshes of a converted model are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeshFiles {
    /// Whether all of them are copied; else the model names those of the robot where they are, and only what is made for
    /// it is written.
    pub copy: bool,
    /// The folder beside the model into which [`Imported::files`] are to be written.
    pub folder: String,
    /// The folder of the model.
    pub base: PathBuf,
}

impl MeshFiles {
    /// The path of a file that is not copied.
    pub(crate) fn link(&self, path: &Path) -> Option<String> {
        if self.copy {
            return None;
        }
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        let base = base.canonicalize().ok();
        let inside = base.and_then(|base| path.strip_prefix(base).ok().map(Path::to_path_buf));
        Some(inside.as_deref().unwrap_or(path).display().to_string())
    }

    /// What is in front of the names of files that are written.
    pub(crate) fn folder(&self) -> String {
        format!("{}/", self.folder)
    }
}

/// What collision shapes collide with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Collide {
    /// Nothing: they are left out.
    #[default]
    None,
    /// The ground.
    Ground,
    /// Other links, except neighbours.
    Own,
    /// The ground and other links.
    All,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            free_base: false,
            armature: true,
            friction: true,
            limits: Limits::Stops,
            stop_time: None,
            drives: true,
            start: None,
            repair_inertia: false,
            least_inertia: None,
            packages: Vec::new(),
            arguments: Vec::new(),
            meshes: MeshFiles { copy: false, folder: "meshes".to_owned(), base: PathBuf::from(".") },
            collide: Collide::None,
        }
    }
}

/// A robot as a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The model file as a document.
    pub document: Draft,
    /// What it was read from.
    pub format: Format,
    /// What the model has from the file, one entry for each kind.
    pub taken: Vec<Entry>,
    /// What the model has otherwise than the file.
    pub changed: Vec<Entry>,
    /// What has no counterpart, one entry for each kind, in the order of the input.
    pub left_out: Vec<Entry>,
    /// What the reader of the model should know: chosen numbers, changed structure.
    pub remarks: Vec<String>,
    /// Mesh files to be written into the folder of meshes beside the model.
    pub files: Vec<MeshFile>,
    /// Meshes that could not be read, with their paths and the reasons.
    pub missing: Vec<String>,
    /// Inertias that were repaired, in the order of the links.
    pub repairs: Vec<Repair>,
    /// Links whose inertias no body has and that would show in the motion: the model cannot run with them.
    pub impossible: Vec<String>,
}

impl Imported {
    /// The text of the model file.
    pub fn text(&self) -> String {
        self.document.text()
    }

    /// The checked model, as if its text had been read; paths inside it start from `base`.
    ///
    /// # Errors
    /// All findings, as [`gelenk_model::load_model`]: a robot may be wrong in ways that its own format does not mind.
    pub fn model(&self, base: Option<&Path>) -> Result<LoadedModel, Failure> {
        gelenk_model::draft_model(&self.document, base)
    }
}

/// Converts a URDF, xacro, MJCF or SDF file; the root element tells which it is.
///
/// # Errors
/// All findings at once, each with its line: unreadable files, XML syntax, missing attributes, numbers that are
/// none, links and joints that do not make a tree.
pub fn import_file(path: impl AsRef<Path>, options: &Options) -> Result<Imported, Failure> {
    let path = path.as_ref();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut report = Report::new();
    let mut document = Document::new(path.parent().map(Path::to_path_buf));
    let root = document.read(path, None, &mut report);
    import(document, root, name.as_deref(), options, report)
}

/// Converts the text of a URDF, xacro, MJCF or SDF file; other files cannot be included.
///
/// # Errors
/// As [`import_file`].
pub fn import_text(text: &str, options: &Options) -> Result<Imported, Failure> {
    let mut report = Report::new();
    let mut document = Document::new(None);
    let file = document.sources.add("robot.xml", text);
    let root = document.parse(file, &mut report);
    import(document, root, None, options, report)
}

fn import(
    mut document: Document,
    root: Option<usize>,
    name: Option<&str>,
    options: &Options,
    mut report: Report,
) -> Result<Imported, Failure> {
    let done = root.and_then(|root| {
        let base = document.base().map(Path::to_path_buf);
        let mut assets = assets::Assets::new(base.as_deref(), &options.packages);
        let mut root = root;
        if let Some((span, sign)) = document.xacro() {
            if !matches!(document.name(root), "robot" | "sdf") {
                let help = "macros are expanded in URDF and SDF files; expand this one first: xacro FILE.xacro > FILE.xml";
                report.push(xml::xacro(span, sign, help));
                return None;
            }
            root = xacro::expand(&mut document, root, &options.arguments, &mut assets, &mut report)?;
        }
        let (format, mut robot) = match document.name(root) {
            "robot" => (Format::Urdf, urdf::read(&document, root, options, assets, &mut report)),
            "mujoco" => {
                if options.free_base {
                    let diagnostic =
                        Diagnostic::error(document.span(root), "--free-base is for URDF files")
                            .help("free bodies are declared by <freejoint/> in the file");
                    report.push(diagnostic);
                }
                document.include(root, &mut assets, &mut report);
                (Format::Mjcf, mjcf::read(&document, root, options, assets, &mut report))
            }
            "sdf" => {
                if options.free_base {
                    let message = "--free-base is for URDF files";
                    let diagnostic = Diagnostic::error(document.span(root), message);
                    report.push(diagnostic.help("in SDF, a link that is not the child of a joint is free"));
                }
                sdf::include(&mut document, root, &mut assets, &mut report);
                (Format::Sdf, sdf::read(&document, root, assets, &mut report))
            }
            other => {
                report.push(unknown_root(document.span(root), other));
                return None;
            }
        };
        if options.start.is_some() && format != Format::Mjcf {
            let message = format!("{} files have no keyframes", format.name());
            report.push(Diagnostic::error(document.span(root), message).help("omit --start"));
        }
        robot.finish(options);
        closing::close(&mut robot, closing::rounding(&document, root));
        robot.settle_colliders(options.collide, format == Format::Mjcf);
        if !robot.is_finite() {
            let message = "numbers of this robot overflow when multiplied";
            report.push(Diagnostic::error(document.span(root), message));
        }
        if let Some(least) = options.least_inertia {
            massless::bound(&mut robot, least);
        }
        let repairs = if options.repair_inertia { repair::repair(&mut robot) } else { Vec::new() };
        let impossible = repair::impossible(&robot);
        let (visuals, contacts, files) = robot.skin_tables(&options.meshes);
        let missing = robot.missing_meshes(&document.sources);
        let mut draft = writer::draft(&robot, format, name);
        draft.sections.extend(visuals.into_iter().chain(contacts));
        let sources = &document.sources;
        let taken = taken::count(&robot).finished(sources);
        let (changed, left_out) = (robot.changed.finished(sources), robot.left_out.finished(sources));
        Some(Imported {
            document: draft,
            format,
            taken,
            changed,
            left_out,
            remarks: robot.remarks,
            files,
            missing,
            repairs,
            impossible,
        })
    });
    let report = report.finished();
    match done {
        Some(done) if !report.has_errors() => Ok(done),
        _ => Err(Failure { report, sources: document.sources }),
    }
}

fn unknown_root(span: Span, name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, format!("<{}> is not a robot description", name.escape_debug()));
    match name {
        "mujocoinclude" => diagnostic.help("give the file that includes this one"),
        _ => diagnostic
            .help("a URDF file begins with <robot>, an MJCF file with <mujoco>, an SDF file with <sdf>"),
    }
}

/// A place in front of everything, for findings about a file that cannot be read.
fn nowhere(sources: &mut Sources, path: &Path) -> Span {
    Span { file: sources.add(path, ""), start: 0, end: 0 }
}
