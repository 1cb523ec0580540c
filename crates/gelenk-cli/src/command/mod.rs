//! One file a command.

/// Prints a line. Nobody may be listening any more (`gelenk ... | head`); then there is nothing to tell.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}

/// Prints a line to standard error, as [`say`] does: `eprintln` ends the program where nobody listens.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

/// Prints a text that ends its lines itself to standard error.
macro_rules! tell_text {
    ($($argument:tt)*) => {{
        use std::io::Write;
        let _ = write!(std::io::stderr(), $($argument)*);
    }};
}

pub mod case;
pub mod check;
pub mod contact;
pub mod convert;
pub mod element;
pub mod equilibrium;
pub mod export;
pub mod fit;
mod gallery;
pub mod ik;
pub mod info;
pub mod injury;
pub mod inverse;
pub mod kinematics;
pub mod law;
pub mod law_map;
pub mod law_suggest;
pub mod linearise;
mod long;
pub mod matrices;
mod measure;
pub mod mesh;
mod names;
pub mod new;
pub mod parameters;
pub mod plot;
pub mod recover;
pub mod render;
pub mod report;
pub mod run;
pub mod schema;
mod signals;
mod time;
pub mod view;
mod write;

use std::process::ExitCode;

/// What a command returns: its exit code, or a message for the user.
pub type Done = Result<ExitCode, Box<dyn std::error::Error>>;
