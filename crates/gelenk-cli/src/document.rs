//! JSON for programs that a person can read, too: lists of plain values stay on one line.

use serde_json::Value;

/// The text of a document, with a line break at its end.
pub fn text(document: &Value) -> String {
    let mut text = String::new();
    write(document, 0, &mut text);
    text.push('\n');
    text
}

fn write(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let keys = entries.iter().map(|(key, value)| (Some(key.as_str()), value));
            lines(keys, ['{', '}'], depth, out);
        }
        Value::Array(values) if values.iter().any(|value| value.is_object() || value.is_array()) => {
            lines(values.iter().map(|value| (None, value)), ['[', ']'], depth, out);
        }
        Value::Array(values) => {
            out.push('[');
            for (k, value) in values.iter().enumerate() {
                out.push_str(if k == 0 { "" } else { ", " });
                write(value, depth, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// Entries between brackets, each on a line of its own.
fn lines<'a>(
    entries: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    brackets: [char; 2],
    depth: usize,
    out: &mut String,
) {
    out.push(brackets[0]);
    for (k, (key, value)) in entries.enumerate() {
        out.push_str(if k == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            out.push_str(&Value::from(key).to_string());
            out.push_str(": ");
        }
        write(value, depth + 1, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(brackets[1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_text_reads_back_and_lists_of_numbers_stay_on_one_line() {
        let document = json!({
            "a \"quoted\" key": [1, 2.5, null, "x\ny"],
            "empty": [{}, []],
            "rows": [[1, 2], [3, 4]],
            "deep": { "list": [{ "k": true }] },
        });
        let text = text(&document);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
        assert!(text.contains("[1, 2.5, null, \"x\\ny\"]") && text.contains("    [1, 2],\n"), "{text}");
    }
}
