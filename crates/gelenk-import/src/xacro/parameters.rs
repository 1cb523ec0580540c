//! Parameters of macros: `params="a b:=1 c:=^ d:=^|2 *block **blocks"`.

/// Where a parameter gets its value if the call gives none.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Fallback {
    /// The call has to give it.
    Required,
    /// A text of the file.
    Text(String),
    /// The property of this name around the call, or else a text.
    Outer(Option<String>),
}

/// A parameter of a macro.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Parameter {
    Value {
        name: String,
        fallback: Fallback,
    },
    /// An element of the call, or with `contents` what is in it.
    Block {
        name: String,
        contents: bool,
    },
}

/// The parameters of a macro.
pub(super) fn parse(text: &str) -> Result<Vec<Parameter>, String> {
    let mut list = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == ':' || c == '=').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let stars = name.chars().take_while(|c| *c == '*').count();
        let bare = &name[stars..];
        if bare.is_empty() || stars > 2 {
            return Err(format!("\"{}\" is not a parameter", crate::names::shown(name)));
        }
        if stars > 0 {
            list.push(Parameter::Block { name: bare.to_owned(), contents: stars == 2 });
            rest = behind.trim_start();
            continue;
        }
        let Some(value) = behind.strip_prefix(":=").or_else(|| behind.strip_prefix('=')) else {
            if behind.starts_with(':') {
                return Err(format!("\"{}:\" needs \":=\" and a default", crate::names::shown(name)));
            }
            list.push(Parameter::Value { name: bare.to_owned(), fallback: Fallback::Required });
            rest = behind.trim_start();
            continue;
        };
        let (outer, value) = match value.strip_prefix('^') {
            Some(after) => match after.strip_prefix('|') {
                Some(after) => (true, after),
                None if after.is_empty() || after.starts_with(char::is_whitespace) => {
                    let fallback = Fallback::Outer(None);
                    list.push(Parameter::Value { name: bare.to_owned(), fallback });
                    rest = after.trim_start();
                    continue;
                }
                None => (false, value),
            },
            None => (false, value),
        };
        let length = default_length(value);
        let default = value[..length].to_owned();
        let fallback = if outer { Fallback::Outer(Some(default)) } else { Fallback::Text(default) };
        list.push(Parameter::Value { name: bare.to_owned(), fallback });
        rest = value[length..].trim_start();
    }
    Ok(list)
}

/// Length of a default: up to a space outside of quotes and of `${...}` and `$(...)`.
fn default_length(text: &str) -> usize {
    let mut closing: Option<char> = None;
    let mut before = ' ';
    for (i, c) in text.char_indices() {
        match closing {
            Some(end) if c == end => closing = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => closing = Some(c),
            None if c == '{' && before == '$' => closing = Some('}'),
            None if c == '(' && before == '$' => closing = Some(')'),
            None if c.is_whitespace() => return i,
            None => {}
        }
        before = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_defaults_and_blocks() {
        let value = |name: &str, fallback: Fallback| Parameter::Value { name: name.to_owned(), fallback };
        let text = |text: &str| Fallback::Text(text.to_owned());
        let parsed = parse("a b:=1  c:=${x + 1} d:='p q' e:=^ f:=^|0.5 *g **h i:=").unwrap();
        assert_eq!(
            parsed,
            [
                value("a", Fallback::Required),
                value("b", text("1")),
                value("c", text("${x + 1}")),
                value("d", text("'p q'")),
                value("e", Fallback::Outer(None)),
                value("f", Fallback::Outer(Some("0.5".into()))),
                Parameter::Block { name: "g".into(), contents: false },
                Parameter::Block { name: "h".into(), contents: true },
                value("i", text("")),
            ]
        );
        assert!(parse("a:b").is_err() && parse("***").is_err());
    }
}
