use std::path::PathBuf;
use std::process::ExitCode;

use super::measure::measure;
use gelenk::digits::digits;
use gelenk::injury::{finer_rows, injury};
use gelenk_math::units::Dimension;

/// Arguments of `injury`.
#[derive(clap::Args)]
pub struct Args {
    /// A recording of `gelenk kinematics`.
    recording: PathBuf,
    /// The place whose acceleration counts, such as `frames.skull` or `bodies.head`.
    #[arg(long, value_name = "PLACE")]
    of: String,
    /// Longest interval, such as `--window "15 ms"`; any where none is given.
    #[arg(long, value_name = "TIME")]
    window: Option<String>,
    /// Rate at which the acceleration is resampled, such as `--rate "5 kHz"`; the samples as they are where none is given.
    #[arg(long, value_name = "FREQUENCY")]
    rate: Option<String>,
}

pub fn run(args: &Args) -> super::Done {
    let positive = |name: &str, text: &Option<String>, dimension: Dimension, word: &str| {
        let Some(text) = text else { return Ok(None) };
        let word = format!("{word} above zero was expected");
        match measure(name, text, dimension, &word)? {
            value if value > 0.0 => Ok(Some(value)),
            _ => Err(format!("{name} \"{text}\": {word}")),
        }
    };
    let window = positive("--window", &args.window, Dimension::TIME, "a time")?;
    let rate = positive("--rate", &args.rate, Dimension::FREQUENCY, "a frequency")?;
    let recording = gelenk_io::read(&args.recording)?;
    let found = injury(&recording, &args.of, rate, window)?;
    say!("{}: head injury criterion of {}", args.recording.display(), args.of);
    say!("  HIC         {:.1} s (1000 s is the usual limit)", found.hic);
    say!("  interval    {:.4} s to {:.4} s", found.from, found.to);
    if let Some(interval) = finer_rows(&recording, &args.of, rate, window)? {
        tell!(
            "warning: the rows are too coarse for this acceleration, the criterion may be wrong; record and resample it every {} ms or less",
            digits(1e3 * interval, 2)
        );
    }
    Ok(ExitCode::SUCCESS)
}
