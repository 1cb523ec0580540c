//! Writes a long recording, to try the page with: `long_recording FILE ROWS`.
//!
//! Two waves with noise that is the same in every run, a thousand samples a second, and one spike of a single sample at
//! a third of the way.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use gelenk_io::{PartOptions, PartWriter};
use gelenk_record::{Column, Sink};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give a file")?;
    let rows: u64 = arguments.next().ok_or("give a number of rows")?.parse()?;
    let columns = vec![
        Column::time(),
        Column::new("x", "m", "coordinate"),
        Column::new("x.rate", "m/s", "rate of a coordinate"),
    ];
    let meta = BTreeMap::from([("title".into(), format!("{rows} samples"))]);
    let mut writer = PartWriter::create(Path::new(&file), columns, meta, PartOptions::default())?;
    let mut seed = 1_u32;
    for row in 0..rows {
        let t = row as f64 * 1e-3;
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(seed >> 24) / 256.0;
        let spike = if row == rows / 3 { 100.0 } else { 0.0 };
        writer.row(&[t, (0.01 * t).sin() + 0.1 * noise + spike, 0.01 * (0.01 * t).cos()])?;
    }
    let finished = writer.finish()?;
    println!("{} ({} rows, {} bytes)", finished.path.display(), finished.rows, finished.bytes);
    Ok(())
}
