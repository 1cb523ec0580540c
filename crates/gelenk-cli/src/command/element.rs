use std::process::ExitCode;

use gelenk_math::suggest::closest;
use gelenk_multibody::Acting;
use gelenk_multibody::elements::page;

/// Actions on kinds of elements.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the tables of elements that a model file can have.
    List,
    /// Show equation, keys, units, outputs and accounts of the elements of a table.
    Show {
        /// The table, such as bushings.
        table: String,
    },
    /// Print the pages of all of them, as the book includes them.
    Book,
}

pub fn run(args: &Args) -> super::Done {
    match args {
        Args::List => say_text(&page::list()),
        Args::Book => say_text(&page::book()),
        Args::Show { table } => match page::show(table) {
            Some(text) => say_text(&text),
            None => {
                let tables =
                    Acting::ALL.iter().map(|kind| kind.spec().table).filter(|table| !table.is_empty());
                let near = closest(table, tables).map(|near| format!("; did you mean \"{near}\"?"));
                let near = near.unwrap_or_else(|| "; `gelenk element list` shows those there are".into());
                return Err(format!("there is no table of elements \"{table}\"{near}").into());
            }
        },
    }
    Ok(ExitCode::SUCCESS)
}

fn say_text(text: &str) {
    text.lines().for_each(|line| say!("{line}"));
}
