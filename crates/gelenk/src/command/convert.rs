use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gelenk::open::{self, Overrides};
use gelenk_model::import::{self, Imported, Options};

/// Arguments of `convert`.
#[derive(clap::Args)]
pub struct Args {
    /// A URDF or MJCF file.
    robot: PathBuf,
    /// The model file; standard output where none is given.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Let the root link of a URDF move freely; else it is fixed to the ground.
    #[arg(long)]
    free_base: bool,
    /// Leave out rotor inertias (armature).
    #[arg(long)]
    without_armature: bool,
    /// Leave out the limits of joints, which become elastic stops.
    #[arg(long)]
    without_stops: bool,
}

pub fn run(args: &Args) -> super::Done {
    let options =
        Options { free_base: args.free_base, armature: !args.without_armature, stops: !args.without_stops };
    let imported = import::import_file(&args.robot, &options)?;
    match &args.output {
        Some(path) => {
            std::fs::write(path, &imported.text)
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            tell(&imported);
            check(path);
        }
        None => {
            say!("{}", imported.text.trim_end());
            tell(&imported);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Says on standard error what the reader of the model should know.
fn tell(imported: &Imported) {
    for remark in &imported.remarks {
        eprintln!("note: {remark}");
    }
    if !imported.left_out.is_empty() {
        eprintln!("Not converted:");
    }
    for entry in &imported.left_out {
        eprintln!("  {entry}");
    }
}

/// A robot may be wrong in ways that its own format does not mind, such as an inertia that no body has.
fn check(path: &Path) {
    match open::simulation(path, &Overrides::default()) {
        Ok(prepared) => eprintln!(
            "{}: a model of {} bodies, {} velocities and {} loop equations",
            path.display(),
            prepared.mechanism.body_count(),
            prepared.mechanism.velocity_count(),
            prepared.mechanism.constraint_count(),
        ),
        Err(error) => eprintln!("{error}\n\nwarning: {} needs corrections before it can run", path.display()),
    }
}
