//! The command line of Gelenk.

#![allow(unreachable_pub)]

#[macro_use]
mod command;
mod console;
mod document;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use console::{Console, FAILED, USAGE};

/// Simulates machines and bodies with contact, friction and control, and identifies their parameters.
#[derive(Parser)]
#[command(name = "gelenk", version, propagate_version = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Threads for parallel work; the results do not depend on their number.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,

    /// Print the results as one JSON document.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  gelenk new swing                                 # a model to start from
  gelenk run swing/model.toml --plot               # runs/swing.parquet and runs/swing.svg
  gelenk view runs/swing.parquet                   # the run in the browser
  gelenk run swing/model.toml --json               # results for a script

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 130 interrupted.";

/// Most threads: more than any machine has cores, and few enough to be started.
const MOST_THREADS: i64 = 1024;

#[derive(Subcommand)]
enum Command {
    /// Simulate a model or a study.
    Run(command::run::Args),
    /// Fit parameters of a model to measurements; the study says which.
    Fit(command::fit::Args),
    /// Run a model or a study for many values of its parameters.
    Sweep(command::sweep::Args),
    /// Record poses, velocities, accelerations, momentum and energies along a motion.
    Kinematics(command::kinematics::Args),
    /// Show the matrices of the equations of motion with names: mass, efforts, bias, constraints, Jacobians.
    Matrices(command::matrices::Args),
    /// Compute the drives, joint wrenches and loop reactions that a motion needs.
    Inverse(command::inverse::Args),
    /// Find positions that bring frames and coordinates to targets (inverse kinematics).
    Ik(command::ik::Args),
    /// Find the stable equilibrium that the start leads to.
    Equilibrium(command::equilibrium::Args),
    /// Linearise about the equilibrium: eigenvalues, frequencies, damping, mode shapes.
    Linearise(command::linearise::Args),
    /// Check model, study and case files and report all errors at once.
    Check(command::check::Args),
    /// Sweep contacts over a position; advise which surface should be the master.
    #[command(subcommand)]
    Contact(command::contact::Args),
    /// Convert a robot (URDF, xacro, SDF, MJCF) to a model.
    Convert(command::convert::Args),
    /// Print the JSON Schema of model, study or case files.
    Schema(command::schema::Args),
    /// List, run and show the reproducible cases.
    #[command(subcommand)]
    Case(command::case::Args),
    /// List, plot, measure and compare friction laws.
    #[command(subcommand)]
    Law(command::law::Args),
    /// List the elements that model files can have.
    #[command(subcommand)]
    Element(command::element::Args),
    /// Inspect, check, repair and make meshes.
    #[command(subcommand)]
    Mesh(command::mesh::Args),
    /// Start a model from a template.
    New(command::new::Args),
    /// List the parameters of a model with their paths, values and units.
    Parameters(command::parameters::Args),
    /// Show the content of a recording.
    Info(command::info::Args),
    /// Compute the head injury criterion of a recorded acceleration.
    Injury(command::injury::Args),
    /// Plot columns of recordings.
    Plot(command::plot::Args),
    /// Write recordings as one HTML file with a 3-D view, plots and the summary.
    Report(command::report::Args),
    /// Show recordings in the browser, served to this computer only.
    View(command::view::Args),
    /// Make pictures and films of the 3-D scene, without a screen.
    Render(command::render::Args),
    /// Write a recording as CSV, or its motion as animated glTF.
    Export(command::export::Args),
    /// Make a recording from the parts that a killed run left behind.
    Recover(command::recover::Args),
    /// Print a completion script for a shell.
    Completions(command::completions::Args),
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let name = command_name(&matches);
    let mut out = Console::new(name.clone(), cli.json);
    if let Some(threads) = cli.threads
        && let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()
    {
        out.error(error);
        return out.finish(FAILED);
    }
    let code = match perform(cli.command, &mut out) {
        Ok(code) => code,
        Err(refusal) => {
            let usage = command::is_usage(&refusal);
            out.error(refusal);
            if usage {
                out.progress(format_args!("\nFor more information, try 'gelenk {name} --help'."));
            }
            if usage { USAGE } else { FAILED }
        }
    };
    out.finish(code)
}

fn perform(command: Command, out: &mut Console) -> command::Done {
    match command {
        // On a thread of the pool: what it shares with the others then needs neither locks nor memory.
        Command::Run(args) => rayon::scope(|_| command::run::run(&args, out)),
        Command::Fit(args) => command::fit::run(&args, out),
        Command::Sweep(args) => command::sweep::run(&args, out),
        Command::Kinematics(args) => command::kinematics::run(&args, out),
        Command::Matrices(args) => command::matrices::run(&args, out),
        Command::Inverse(args) => command::inverse::run(&args, out),
        Command::Ik(args) => command::ik::run(&args, out),
        Command::Equilibrium(args) => command::equilibrium::run(&args, out),
        Command::Linearise(args) => command::linearise::run(&args, out),
        Command::Check(args) => command::check::run(&args, out),
        Command::Contact(args) => command::contact::run(&args, out),
        Command::Convert(args) => command::convert::run(&args, out),
        Command::Schema(args) => command::schema::run(&args, out),
        Command::Case(args) => command::case::run(&args, out),
        Command::Law(args) => command::law::run(&args, out),
        Command::Element(args) => command::element::run(&args, out),
        Command::Mesh(args) => command::mesh::run(&args, out),
        Command::New(args) => command::new::run(&args, out),
        Command::Parameters(args) => command::parameters::run(&args, out),
        Command::Info(args) => command::info::run(&args, out),
        Command::Injury(args) => command::injury::run(&args, out),
        Command::Plot(args) => command::plot::run(&args, out),
        Command::Report(args) => command::report::run(&args, out),
        Command::View(args) => command::view::run(&args, out),
        Command::Render(args) => command::render::run(&args, out),
        Command::Export(args) => command::export::run(&args, out),
        Command::Recover(args) => command::recover::run(&args, out),
        Command::Completions(args) => command::completions::run(&args, out),
    }
}

/// The words of the command, such as `law run`.
fn command_name(matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    let mut at = matches;
    while let Some((word, inner)) = at.subcommand() {
        words.push(word);
        at = inner;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands without subcommands, each with its words.
    fn leaves(command: &clap::Command, words: &str, found: &mut Vec<(String, clap::Command)>) {
        let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help").peekable();
        if inner.peek().is_none() {
            found.push((words.to_owned(), command.clone()));
        }
        inner.for_each(|inner| leaves(inner, &format!("{words} {}", inner.get_name()), found));
    }

    /// The words of a line as a shell splits them, up to a comment or a redirection.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
        for c in line.chars() {
            match c {
                '"' => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                '#' | '>' if !quoted && word.is_none() => break,
                c if c.is_whitespace() && !quoted => words.extend(word.take()),
                c => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    #[test]
    fn the_parser_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Every command has examples of itself in its help, and all of them are right.
    #[test]
    fn examples_of_all_commands_parse() {
        let mut found = Vec::new();
        leaves(&Cli::command(), "gelenk", &mut found);
        assert!(found.len() > 40, "{}", found.len());
        for (name, command) in found {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:\n"), "{name} has no examples: {help}");
            assert!(help.contains(&name), "no example of {name}: {help}");
            for line in help.lines().filter(|line| line.trim_start().starts_with("gelenk ")) {
                if let Err(error) = Cli::try_parse_from(words(line)) {
                    panic!("{line}: {error}");
                }
            }
        }
    }

    /// Every command takes `--json`.
    #[test]
    fn json_is_an_option_of_every_command() {
        let cli = Cli::try_parse_from(["gelenk", "law", "list", "--json"]).unwrap();
        assert!(cli.json);
        assert!(Cli::try_parse_from(["gelenk", "--json", "run", "model.toml"]).unwrap().json);
    }
}
