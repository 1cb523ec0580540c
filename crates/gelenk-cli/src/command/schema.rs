use std::process::ExitCode;

/// Arguments of `schema`.
#[derive(clap::Args)]
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

pub fn run(args: &Args) -> super::Done {
    let schema = match args.file {
        File::Model => gelenk_model::model_schema(),
        File::Study => gelenk_model::study_schema(),
        File::Case => gelenk_model::case_schema(),
    };
    say!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(ExitCode::SUCCESS)
}
