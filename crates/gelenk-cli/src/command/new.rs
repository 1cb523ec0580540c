use std::path::PathBuf;
use std::process::ExitCode;

use gelenk::template::{TEMPLATES, Template};

/// Arguments of `new`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder to make.
    name: PathBuf,
    /// What to start from.
    #[arg(short, long, default_value = "pendulum", value_parser = names())]
    template: String,
}

fn names() -> clap::builder::PossibleValuesParser {
    let values = TEMPLATES.iter().map(|t| clap::builder::PossibleValue::new(t.name).help(t.about));
    clap::builder::PossibleValuesParser::new(values)
}

pub fn run(args: &Args) -> super::Done {
    let template = Template::by_name(&args.template).ok_or("no such template")?;
    template.write(&args.name).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            format!("{} exists already; choose another name", args.name.display())
        }
        _ => format!("{} cannot be made: {error}", args.name.display()),
    })?;
    let model = args.name.join(template.files[0].0);
    say!("{}: {}\nNext: gelenk run {} --plot", args.name.display(), template.about, model.display());
    Ok(ExitCode::SUCCESS)
}
