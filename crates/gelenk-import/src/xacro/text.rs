//! `${...}` and `$(...)` in attributes and texts.

use super::expression;
use super::value::Value;
use super::{Done, Expander, Property, Stopped};
use crate::names::shown;
use gelenk_file::report::Diagnostic;
use gelenk_file::source::Span;

/// Bytes that an attribute may have when it is evaluated.
const LONGEST: usize = 1 << 20;
/// Properties inside each other at most.
const DEEPEST: usize = 100;

impl Expander<'_> {
    /// A text with everything in it evaluated; a single `${...}` keeps the kind of its value.
    pub(super) fn text(&mut self, text: &str, span: Span) -> Done<Value> {
        let mut made = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            made.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(escaped) = rest.strip_prefix("$$") {
                // Two of them stand for one, and what follows is plain.
                let bracket = escaped.chars().next().filter(|c| matches!(c, '{' | '('));
                made.push('$');
                made.extend(bracket);
                rest = &escaped[bracket.map_or(0, char::len_utf8)..];
                continue;
            }
            let (closing, is_expression) = match rest.as_bytes().get(1) {
                Some(b'{') => ('}', true),
                Some(b'(') => (')', false),
                _ => {
                    made.push('$');
                    rest = &rest[1..];
                    continue;
                }
            };
            let Some(length) = closed(&rest[2..], closing) else {
                let message = format!("\"{}\" is not closed", &rest[..2]);
                return self.stop(Diagnostic::error(span, message));
            };
            let inner = &rest[2..2 + length];
            let value =
                if is_expression { self.expression(inner, span)? } else { self.command(inner, span)? };
            rest = &rest[length + 3..];
            if made.is_empty() && rest.is_empty() {
                return Ok(value);
            }
            made.push_str(&value.text());
            if made.len() > LONGEST {
                return self.stop(Diagnostic::error(span, "the expanded text is too long"));
            }
        }
        made.push_str(rest);
        Ok(Value::Text(made))
    }

    fn expression(&mut self, text: &str, span: Span) -> Done<Value> {
        let mut stopped = false;
        let value = {
            let mut lookup = |name: &str| match self.named(name, span) {
                Ok(found) => Ok(found),
                Err(Stopped) => {
                    stopped = true;
                    Err(String::new())
                }
            };
            expression::evaluate(text, &mut lookup)
        };
        match value {
            Ok(Value::Float(x)) if !x.is_finite() => {
                let message = format!("\"${{{}}}\" is not a finite number", shown(text));
                self.stop(Diagnostic::error(span, message))
            }
            Ok(value) => Ok(value),
            Err(_) if stopped => Err(Stopped),
            Err(reason) => {
                let message = format!("\"${{{}}}\" cannot be evaluated: {reason}", shown(text));
                let diagnostic = Diagnostic::error(span, message);
                let python = reason.ends_with("not supported");
                let help = "expand the file first: xacro robot.urdf.xacro > robot.urdf";
                self.stop(if python { diagnostic.help(help) } else { diagnostic })
            }
        }
    }

    /// The value of a property, or of an argument.
    fn named(&mut self, name: &str, span: Span) -> Done<Option<Value>> {
        if let Some(argument) = name.strip_prefix("$(arg ").and_then(|name| name.strip_suffix(')')) {
            return Ok(self.arguments.get(argument.trim()).map(|text| Value::literal(text)));
        }
        match self.find(name).cloned() {
            None => Ok(None),
            Some(Property::Value(value)) => Ok(Some(super::literal(value))),
            Some(Property::Block(_)) => {
                let message = format!("\"{}\" is a block; <xacro:insert_block> inserts it", shown(name));
                self.stop(Diagnostic::error(span, message))
            }
            Some(Property::Text(text, place)) => {
                if self.evaluating.iter().any(|open| open == name) || self.evaluating.len() >= DEEPEST {
                    let cycle = self.evaluating.join(", ");
                    let message = format!("the property \"{}\" depends on itself", shown(name));
                    let help = format!("through {}", shown(&cycle));
                    return self.stop(Diagnostic::error(place, message).help(help));
                }
                self.evaluating.push(name.to_owned());
                let value = self.text(&text, place);
                self.evaluating.pop();
                Ok(Some(super::literal(value?)))
            }
        }
    }

    /// `$(arg NAME)`, `$(find PACKAGE)`, `$(dirname)` and `$(eval EXPRESSION)`.
    fn command(&mut self, text: &str, span: Span) -> Done<Value> {
        let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        match word {
            "arg" => match self.arguments.get(rest.trim()) {
                Some(value) => Ok(Value::Text(value.clone())),
                None => {
                    let name = shown(rest.trim());
                    let message = format!("the argument \"{name}\" has no value");
                    let help = format!("give it a default with <xacro:arg>, or give --argument {name}=VALUE");
                    self.stop(Diagnostic::error(span, message).help(help))
                }
            },
            "find" => match self.assets.package_of(rest.trim()) {
                Ok(folder) => Ok(Value::Text(folder.display().to_string())),
                // Meshes may be missing, so the package is left to those who read files.
                Err(_) => Ok(Value::Text(format!("package://{}", rest.trim()))),
            },
            "dirname" => {
                let file = self.document.sources.get(span.file).and_then(|file| file.path.parent());
                Ok(Value::Text(file.map(|folder| folder.display().to_string()).unwrap_or_default()))
            }
            "eval" => self.expression(rest, span),
            other => {
                let message = format!("$({} ...) is not supported", shown(other));
                let help = "expand the file first: xacro robot.urdf.xacro > robot.urdf";
                self.stop(Diagnostic::error(span, message).help(help))
            }
        }
    }
}

/// Bytes up to the closing bracket, outside of quotes and of inner brackets.
fn closed(text: &str, closing: char) -> Option<usize> {
    let opening = if closing == '}' { '{' } else { '(' };
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    for (i, c) in text.char_indices() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == opening => depth += 1,
            None if c == closing && depth == 0 => return Some(i),
            None if c == closing => depth -= 1,
            None => {}
        }
    }
    None
}
