//! mdBook preprocessor: equations in TeX become MathML. mdBook calls it as `docs/book.toml` says.

use std::io::{self, Write};
use std::process::ExitCode;

use gelenk_book::equations;
use serde_json::Value;

fn main() -> ExitCode {
    // `gelenk-book supports RENDERER`: MathML is for HTML only.
    if let Some("supports") = std::env::args().nth(1).as_deref() {
        return ExitCode::from(u8::from(std::env::args().nth(2).as_deref() != Some("html")));
    }
    match book() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(mistakes) => {
            eprintln!("{mistakes} equations cannot be read");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the context and the book from standard input, writes the book with its equations set, and counts the mistakes.
fn book() -> Result<usize, Box<dyn std::error::Error>> {
    let (_context, mut book): (Value, Value) = serde_json::from_reader(io::stdin().lock())?;
    let mistakes = chapters(&mut book);
    serde_json::to_writer(io::stdout().lock(), &book)?;
    io::stdout().flush()?;
    Ok(mistakes)
}

/// Sets the equations of all chapters below a value, whatever mdBook calls the lists around them.
fn chapters(value: &mut Value) -> usize {
    let mut mistakes = 0;
    match value {
        Value::Array(items) => mistakes += items.iter_mut().map(chapters).sum::<usize>(),
        Value::Object(fields) => {
            let path = fields.get("path").and_then(Value::as_str).unwrap_or("?").to_owned();
            if let Some(Value::String(content)) = fields.get_mut("content") {
                let (text, _, wrong) = equations::render(content);
                wrong.iter().for_each(|mistake| eprintln!("{path}, {mistake}"));
                mistakes += wrong.len();
                *content = text;
            }
            mistakes += fields.values_mut().map(chapters).sum::<usize>();
        }
        _ => {}
    }
    mistakes
}
