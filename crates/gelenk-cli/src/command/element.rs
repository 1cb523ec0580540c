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
    /// Show equation, keys, units, outputs and accounts of the elements of a table, or of a key of joints and coordinates.
    #[command(after_help = SHOW)]
    Show {
        /// The table, such as bushings, or the key, such as spring.
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
            let kinds = page::all().map(|kind| {
                let spec = kind.spec();
                json!({ "table": spec.table, "key": kind.key(), "title": spec.title })
            });
            out.set("elements", kinds.collect::<Vec<_>>());
        }
        Args::Book => {
            print(out, &page::book());
            out.set("elements", page::all().map(described).collect::<Vec<_>>());
            out.set("page", page::book());
        }
        Args::Show { table } => match page::show(table) {
            Some(text) => {
                print(out, &text);
                out.set("elements", page::kinds(table).map(described).collect::<Vec<_>>());
            }
            None => {
                let near = closest(table, page::tables()).map(|near| format!("; did you mean \"{near}\"?"));
                let near = near.unwrap_or_else(|| "; `gelenk element list` lists them".into());
                return Err(Usage::refusal(format!("there is no table of elements \"{table}\"{near}")));
            }
        },
    }
    Ok(DONE)
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
        let default = match (p.choices.first(), p.defaults()) {
            (Some(word), _) => Some(json!(word)),
            (None, Some(values)) if p.parts().is_empty() => values.first().map(|&value| json!(value)),
            (None, values) => values.map(Value::from),
        };
        key(p.name, p.kind, default, p.meaning)
    });
    let outputs = spec.outputs.iter().map(|o| key(o.name, o.kind, None, o.meaning));
    json!({
        "table": spec.table,
        "key": kind.key(),
        "title": spec.title,
        "equation": spec.equation,
        "inputs": inputs.collect::<Vec<_>>(),
        "parameters": params.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
        "accounts": page::accounts(kind),
        "source": spec.source,
    })
}

fn print(out: &Console, text: &str) {
    text.lines().for_each(|line| say!(out, "{line}"));
}
