use std::path::PathBuf;

use super::Usage;
use super::measure::measure;
use crate::console::{Console, DONE};
use gelenk::digits::digits;
use gelenk::injury::{finer_rows, injury};
use gelenk_math::units::Dimension;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  gelenk kinematics cases/pedestrian-head/study.toml -o head.parquet
  gelenk injury head.parquet --of frames.skull
  gelenk injury head.parquet --of frames.skull --window \"15 ms\" --rate \"10 kHz\" --json";

/// Arguments of `injury`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A recording of `gelenk kinematics`.
    recording: PathBuf,
    /// The frame or body whose acceleration counts, such as `frames.skull` or `bodies.head`.
    #[arg(long, value_name = "PLACE")]
    of: String,
    /// Longest interval, such as `--window "15 ms"` [default: any].
    #[arg(long, value_name = "TIME")]
    window: Option<String>,
    /// Rate at which the acceleration is resampled, such as `--rate "5 kHz"` [default: the samples as they are].
    #[arg(long, value_name = "FREQUENCY")]
    rate: Option<String>,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let positive = |name: &str, text: &Option<String>, dimension: Dimension, word: &str| {
        let Some(text) = text else { return Ok(None) };
        let word = format!("{word} above zero was expected");
        match measure(name, text, dimension, &word)? {
            value if value > 0.0 => Ok(Some(value)),
            _ => Err(Usage::refusal(format!("{name} \"{text}\": {word}"))),
        }
    };
    let window = positive("--window", &args.window, Dimension::TIME, "a time")?;
    let rate = positive("--rate", &args.rate, Dimension::FREQUENCY, "a frequency")?;
    let recording = gelenk_io::read(&args.recording)?;
    let found = injury(&recording, &args.of, rate, window)?;
    say!(out, "{}: head injury criterion of {}", args.recording.display(), args.of);
    say!(out, "  HIC         {:.1} s (1000 s is the usual limit)", found.hic);
    say!(out, "  interval    {:.4} s to {:.4} s", found.from, found.to);
    out.extend(json!({
        "recording": args.recording.display().to_string(),
        "of": args.of,
        "hic": found.hic,
        "usual_limit": 1000,
        "from": found.from,
        "to": found.to,
    }));
    if let Some(interval) = finer_rows(&recording, &args.of, rate, window)? {
        out.warning(format_args!(
            "the rows are too coarse for this acceleration, and the criterion may be wrong; record and resample it every {} ms \
             or less",
            digits(1e3 * interval, 2)
        ));
    }
    Ok(DONE)
}
