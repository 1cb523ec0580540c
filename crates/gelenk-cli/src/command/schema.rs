use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk schema model > model.schema.json
  gelenk schema study";

/// Arguments of `schema`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Which file.
    #[arg(value_enum, default_value = "model")]
    file: File,
}

/// Files with a schema.
#[derive(Clone, Copy, clap::ValueEnum)]
enum File {
    /// `model.toml`
    Model,
    /// `study.toml`
    Study,
    /// `case.toml`
    Case,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let schema = match args.file {
        File::Model => gelenk_model::model_schema(),
        File::Study => gelenk_model::study_schema(),
        File::Case => gelenk_model::case_schema(),
    };
    say!(out, "{}", serde_json::to_string_pretty(&schema)?);
    out.set("schema", schema);
    Ok(DONE)
}
