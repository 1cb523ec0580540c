use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use gelenk_studio::server::Server;

use super::tables::TableArgs;
use crate::console::{Console, DONE};

const EXAMPLES: &str = "\
Examples:
  gelenk view runs/swing.parquet
  gelenk view runs/soft.parquet runs/stiff.parquet --port 8080 --no-open
  gelenk view runs/long.parts
  gelenk view measured.csv --time stamp --unit angle=deg";

/// Arguments of `view`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One or more recordings, runs in progress, or tables (CSV, Parquet); later ones are drawn over the first.
    #[arg(required = true)]
    recordings: Vec<PathBuf>,
    /// Port on 127.0.0.1; 0 for a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Print the address without opening a browser.
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    tables: TableArgs,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    let runs = super::report::open(out, &args.recordings, &args.tables, true)?;
    for run in runs.iter().filter(|run| run.is_growing()) {
        out.note(format_args!("{} is not finished; the page follows it", run.name));
    }
    let server = Server::bind(runs, args.port)?;
    let address = format!("http://{}/", server.address());
    if out.json() {
        // The server does not end by itself: the document comes first.
        out.set("address", address.as_str());
        out.flush();
    } else {
        say!(out, "{address}  (stop with Ctrl-C)");
        if !args.no_open && !browse(&address) {
            say!(out, "  open this address in a browser");
        }
    }
    let _ = std::io::stdout().flush();
    server.serve();
    Ok(DONE)
}

/// Opens the address in the browser of the desktop, where there is one.
fn browse(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
