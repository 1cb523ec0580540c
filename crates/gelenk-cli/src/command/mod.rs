//! One file a command.

/// Prints a line of the text of a command; see [`Console::line`](crate::console::Console::line).
macro_rules! say {
    ($out:expr) => { $out.line("") };
    ($out:expr, $($argument:tt)*) => { $out.line(format_args!($($argument)*)) };
}

pub mod case;
pub mod check;
pub mod completions;
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
mod progress;
pub mod recover;
pub mod render;
pub mod report;
pub mod run;
pub mod schema;
mod signals;
pub mod sweep;
mod tables;
mod thumbnail;
mod time;
mod usage;
pub mod view;
mod write;

pub use usage::{Usage, is_usage};

/// What stops a command: a message for the user.
pub type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// What a command returns: its exit code, or what stopped it.
pub type Done = Result<u8, Refusal>;
