//! The command line of Gelenk.

#![allow(unreachable_pub)]

#[macro_use]
mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Simulates machines and bodies that move, touch, rub and are driven, and learns their parameters.
#[derive(Parser)]
#[command(name = "gelenk", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    /// Threads for work that can be shared; the results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,

    #[command(subcommand)]
    command: Command,
}

/// Most threads: more than any machine has cores, and few enough to be started.
const MOST_THREADS: i64 = 1024;

#[derive(Subcommand)]
enum Command {
    /// Simulate a model or a study.
    Run(command::run::Args),
    /// Fit parameters of a model to a log, as a study says.
    Fit(command::fit::Args),
    /// Record poses, velocities, accelerations, momentum and energies along a motion.
    Kinematics(command::kinematics::Args),
    /// Show the matrices of the equations of motion with names: mass, efforts, bias, constraints, Jacobians.
    Matrices(command::matrices::Args),
    /// Find the drives, joint wrenches and loop reactions that a motion needs.
    Inverse(command::inverse::Args),
    /// Find positions that bring frames and coordinates to targets.
    Ik(command::ik::Args),
    /// Find the stable position that the start leads to.
    Equilibrium(command::equilibrium::Args),
    /// Linearise about the equilibrium: eigenvalues, frequencies, damping, mode shapes.
    Linearise(command::linearise::Args),
    /// Check model, study and case files and report all errors at once.
    Check(command::check::Args),
    /// Sweep contacts over a position; advise which surface should be the master.
    #[command(subcommand)]
    Contact(command::contact::Args),
    /// Convert a robot (URDF, MJCF) to a model.
    Convert(command::convert::Args),
    /// Print the JSON Schema of model, study or case files.
    Schema(command::schema::Args),
    /// List, run and show the reproducible cases.
    #[command(subcommand)]
    Case(command::case::Args),
    /// Look up, plot and compare friction laws.
    #[command(subcommand)]
    Law(command::law::Args),
    /// Look up the elements that model files can have.
    #[command(subcommand)]
    Element(command::element::Args),
    /// Look at meshes, check, repair and make them.
    #[command(subcommand)]
    Mesh(command::mesh::Args),
    /// Start a model from a template.
    New(command::new::Args),
    /// List the parameters of a model with their paths, values and units.
    Parameters(command::parameters::Args),
    /// Show what a recording holds.
    Info(command::info::Args),
    /// Compute the head injury criterion of a recorded acceleration.
    Injury(command::injury::Args),
    /// Draw columns of recordings.
    Plot(command::plot::Args),
    /// Write recordings as one HTML file with a 3-D view, plots and the summary.
    Report(command::report::Args),
    /// Show recordings in the browser, served to this computer only.
    View(command::view::Args),
    /// Take pictures and films of the 3-D scene, without a screen.
    Render(command::render::Args),
    /// Write a recording as CSV, or its motion as animated glTF.
    Export(command::export::Args),
    /// Make a recording out of what a killed run left behind.
    Recover(command::recover::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(threads) = cli.threads
        && let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()
    {
        tell!("error: {error}");
        return ExitCode::FAILURE;
    }
    let done = match cli.command {
        Command::Run(args) => in_pool(|| command::run::run(&args)),
        Command::Fit(args) => command::fit::run(&args),
        Command::Kinematics(args) => command::kinematics::run(&args),
        Command::Matrices(args) => command::matrices::run(&args),
        Command::Inverse(args) => command::inverse::run(&args),
        Command::Ik(args) => command::ik::run(&args),
        Command::Equilibrium(args) => command::equilibrium::run(&args),
        Command::Linearise(args) => command::linearise::run(&args),
        Command::Check(args) => command::check::run(&args),
        Command::Contact(args) => command::contact::run(&args),
        Command::Convert(args) => command::convert::run(&args),
        Command::Schema(args) => command::schema::run(&args),
        Command::Case(args) => command::case::run(&args),
        Command::Law(args) => command::law::run(&args),
        Command::Element(args) => command::element::run(&args),
        Command::Mesh(args) => command::mesh::run(&args),
        Command::New(args) => command::new::run(&args),
        Command::Parameters(args) => command::parameters::run(&args),
        Command::Info(args) => command::info::run(&args),
        Command::Injury(args) => command::injury::run(&args),
        Command::Plot(args) => command::plot::run(&args),
        Command::Report(args) => command::report::run(&args),
        Command::View(args) => command::view::run(&args),
        Command::Render(args) => command::render::run(&args),
        Command::Export(args) => command::export::run(&args),
        Command::Recover(args) => command::recover::run(&args),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            let message = message.to_string();
            // Reports of files say "error" in every paragraph themselves.
            if message.starts_with("error") {
                tell!("{message}")
            } else {
                tell!("error: {message}")
            }
            ExitCode::FAILURE
        }
    }
}

/// Does it on a thread of the pool: what it shares with the others then needs neither locks nor memory.
fn in_pool(work: impl FnOnce() -> command::Done + Send) -> command::Done {
    rayon::scope(|_| work().map_err(|error| error.to_string())).map_err(Into::into)
}
