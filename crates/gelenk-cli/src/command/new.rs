use std::path::PathBuf;

use gelenk::template::{TEMPLATES, Template};
use serde_json::json;

use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk new swing
  gelenk new arm --template servo";

/// Arguments of `new`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Folder to create.
    name: PathBuf,
    /// What to start from.
    #[arg(short, long, default_value = "pendulum", value_parser = names())]
    template: String,
}

fn names() -> clap::builder::PossibleValuesParser {
    let values = TEMPLATES.iter().map(|t| clap::builder::PossibleValue::new(t.name).help(t.about));
    clap::builder::PossibleValuesParser::new(values)
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let template = Template::by_name(&args.template).ok_or("no such template")?;
    template.write(&args.name).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            format!("{} exists already; choose another name", args.name.display())
        }
        _ => format!("the folder {} cannot be created: {error}", args.name.display()),
    })?;
    let model = args.name.join(template.files[0].0);
    say!(out, "{}: {}\nNext: gelenk run {} --plot", args.name.display(), template.about, model.display());
    out.extend(json!({
        "folder": args.name.display().to_string(),
        "template": template.name,
        "about": template.about,
        "model": model.display().to_string(),
    }));
    Ok(DONE)
}
