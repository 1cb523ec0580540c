use gelenk_laws::Kind;
use gelenk_math::suggest::closest;
use gelenk_multibody::Acting;
use gelenk_multibody::elements::page;
use serde_json::{Value, json};

use super::Usage;
use crate::console::{Console, DONE};

const LIST: &str = "\
Examples:
  gelenk element list
  gelenk element list --json";

const SHOW: &str = "\
Examples:
  gelenk element show bushings
  gelenk element show springs --json";

const BOOK: &str = "\
Examples:
  gelenk element book > docs/src/elements/table.md";

/// Actions on kinds of elements.
#[derive(clap::Subcommand)]
pub enum Args {
    /// List the tables of elements that a model file can have.
    #[command(after_help = LIST)]
    List,
    /// Show equation, keys, units, outputs and accounts of the elements of a table.
    #[command(after_help = SHOW)]
    Show {
        /// The table, such as bushings.
        table: String,
    },
    /// Print the pages of all elements, as the book includes them.
    #[command(after_help = BOOK)]
    Book,
}

pub fn run(args: &Args, out: &mut Console) -> super::Done {
    match args {
        Args::List => {
            print(out, &page::list());
            let kinds = tables().map(|kind| {
                let spec = kind.spec();
                json!({ "table": spec.table, "title": spec.title })
            });
            out.set("elements", kinds.collect::<Vec<_>>());
        }
        Args::Book => {
            print(out, &page::book());
            out.set("elements", tables().map(described).collect::<Vec<_>>());
            out.set("page", page::book());
        }
        Args::Show { table } => match (page::show(table), Acting::by_table(table)) {
            (Some(text), Some(kind)) => {
                print(out, &text);
                out.extend(described(&kind));
            }
            _ => {
                let known = tables().map(|kind| kind.spec().table);
                let near = closest(table, known).map(|near| format!("; did you mean \"{near}\"?"));
                let near = near.unwrap_or_else(|| "; `gelenk element list` lists them".into());
                return Err(Usage::refusal(format!("there is no table of elements \"{table}\"{near}")));
            }
        },
    }
    Ok(DONE)
}

/// Kinds that model files have a table for.
fn tables() -> impl Iterator<Item = &'static Acting> {
    Acting::ALL.iter().filter(|kind| !kind.spec().table.is_empty())
}

/// A kind for the document.
fn described(kind: &Acting) -> Value {
    let spec = kind.spec();
    let units = |kind: Kind| [false, true].map(|rotation| kind.dimension(rotation).to_string());
    let key = |name: &str, kind: Kind, default: Option<Value>, meaning: &str| {
        let [length, angle] = units(kind);
        let unit = if length == angle { length } else { format!("{length} or {angle}") };
        json!({ "name": name, "unit": unit, "default": default, "meaning": meaning })
    };
    let inputs = spec.inputs.iter().map(|i| key(i.name, i.kind, i.default.map(Value::from), i.meaning));
    let params = spec.params.iter().map(|p| {
        let default = match p.choices.first() {
            Some(word) => Some(json!(word)),
            None => p.default.map(Value::from),
        };
        key(p.name, p.kind, default, p.meaning)
    });
    let outputs = spec.outputs.iter().map(|o| key(o.name, o.kind, None, o.meaning));
    let accounts = spec.accounts.iter().map(|account| match account.name {
        "" => format!("{}.NAME", spec.table),
        name => format!("{}.NAME.{name}", spec.table),
    });
    json!({
        "table": spec.table,
        "title": spec.title,
        "equation": spec.equation,
        "inputs": inputs.collect::<Vec<_>>(),
        "parameters": params.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
        "accounts": accounts.collect::<Vec<_>>(),
        "source": spec.source,
    })
}

fn print(out: &Console, text: &str) {
    text.lines().for_each(|line| say!(out, "{line}"));
}
