//! Model and study files: reading, units, errors with lines, compiling to a system.
//!
//! ```
//! let text = r#"
//! schema = 1
//! gravity = [0, 0, -9.81]
//! [bodies.ball]
//! mass = "0.2 Kg"
//! inertia = [0, 0, 0]
//! [joints.fall]
//! type = "free"
//! parent = "ground"
//! child = "ball"
//! "#;
//! let failure = gelenk_model::parse_model(text, None).unwrap_err();
//! assert!(failure.to_string().contains("did you mean `kg`?"));
//! assert!(gelenk_model::parse_model(&text.replace("Kg", "kg"), None).is_ok());
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`quantity`] | the quantities of mechanics |
//! | [`curve`] | curves through points |
//! | [`friction`] | friction laws, from the law registry |
//! | [`friction_place`] | where a friction element acts |
//! | [`normal`] | the force that presses the surfaces of friction together |
//! | [`excitations`] | signals that excite: chirps, multisines, staircases and others |
//! | [`model_file`] | the tables of `model.toml` |
//! | [`study_file`] | the tables of `study.toml` |
//! | [`sweep_study`] | those of a sweep |
//! | [`rig`] | experiments on friction laws |
//! | [`motion_study`] | tables of studies about motions |
//! | [`case_file`] | the tables of `case.toml` |
//! | [`bodies`] | bodies and their shapes |
//! | [`joints`] | joints |
//! | [`keyed`] | springs and stops under keys of joints and coordinates |
//! | [`loops`] | constraints |
//! | [`blocks`] | sampled blocks: sensors and controllers |
//! | [`element_place`] | where elements act |
//! | [`elements`] | tables of the registry of elements |
//! | `specified` | numbers that specifications of laws and elements ask for |
//! | [`measures`] | measures between frames |
//! | [`visuals`] | what bodies look like, apart from mass and contact |
//! | [`contacts`] | materials, surfaces and contacts between them |
//! | [`simple`] | simple bodies that touch, and the laws of their contact |
//! | [`sorts`] | what has names, for the roles of fields |
//! | [`parts`] | models as parts of models, mirrored too |
//! | [`splined`] | a model with curves instead of loops |
//! | [`load`] | files to checked descriptions |
//! | [`compile`](mod@compile) | checked descriptions to parameters and a blueprint |

pub mod blocks;
pub mod bodies;
pub mod case_file;
mod check;
pub mod compile;
pub mod contacts;
pub mod curve;
pub mod element_place;
pub mod elements;
pub mod excitations;
pub mod friction;
pub mod friction_place;
pub mod joints;
pub mod keyed;
pub mod load;
pub mod loops;
pub mod measures;
pub mod model_file;
mod motion_check;
pub mod motion_study;
pub mod normal;
pub mod parts;
pub mod quantity;
pub mod rig;
mod rig_check;
pub mod simple;
pub mod solver;
pub mod sorts;
mod specified;
pub mod splined;
pub mod study_file;
pub mod sweep_study;
pub mod visuals;

// What users of models meet of the files below them.
pub use gelenk_file::{dimensions, document, draft, fields, read, report, source};

pub use check::Resolved;
pub use compile::{
    Compiled, Drawn, Form, GoalPlan, Known, LogColumns, LogRequest, MotionPlan, Points, SetError, Swept,
    TaskPlan, Variation, compile, motion_plan, task_plans,
};
pub use gelenk_file::report::{Diagnostic, Report, Severity};
pub use gelenk_file::source::{Sources, Span};
pub use load::{
    Failure, FileKind, Loaded, LoadedModel, case_schema, draft_model, file_kind, load_case, load_model,
    load_study, model_schema, parse_model, parse_study, study_schema,
};
pub use model_file::ModelFile;
pub use rig::{RigRun, rig_runs};
pub use study_file::StudyFile;
