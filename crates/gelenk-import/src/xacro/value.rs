//! Values of properties and expressions: those of Python that plain files need.

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
}

impl Value {
    /// A text of the file as what it means: a number, true or false, or itself.
    pub(super) fn literal(text: &str) -> Self {
        let bare = text.trim();
        let quoted = |quote: char| {
            let inner = bare.strip_prefix(quote)?.strip_suffix(quote)?;
            (!inner.contains(quote)).then(|| Self::Text(inner.to_owned()))
        };
        if let Some(text) = quoted('\'').or_else(|| quoted('"')) {
            return text;
        }
        match bare {
            "true" | "True" => return Self::Bool(true),
            "false" | "False" => return Self::Bool(false),
            _ => {}
        }
        // Words such as "inf" and "nan" are numbers in Python, but no file means them so.
        let numeric =
            bare.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) && !bare.contains('_');
        if numeric && let Ok(whole) = bare.parse() {
            return Self::Int(whole);
        }
        if numeric && let Ok(number) = bare.parse::<f64>() {
            return Self::Float(number);
        }
        Self::Text(text.to_owned())
    }

    /// As a number; true counts as 1.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether it counts as true, as Python has it.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::None => false,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            other => other.number() != Some(0.0),
        }
    }

    /// As the condition of `xacro:if`; none where it is neither.
    pub(super) fn condition(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Int(value) => Some(*value != 0),
            Self::Float(value) => Some(*value != 0.0),
            Self::Text(text) => match text.trim() {
                "true" | "True" | "1" => Some(true),
                "false" | "False" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The word for its kind in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
        }
    }

    /// As Python writes it with `str`.
    pub(super) fn text(&self) -> String {
        match self {
            Self::None => "None".to_owned(),
            Self::Bool(value) => (if *value { "True" } else { "False" }).to_owned(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => float(*value),
            Self::Text(text) => text.clone(),
            Self::List(list) => {
                let items: Vec<String> = list.iter().map(Self::written).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    /// As Python writes it inside a list.
    fn written(&self) -> String {
        match self {
            Self::Text(text) => format!("'{text}'"),
            other => other.text(),
        }
    }
}

/// A number as Python writes it: the shortest digits that give it back, with an exponent below 1e-4 and from 1e16 on.
fn float(x: f64) -> String {
    let size = x.abs();
    if !x.is_finite() || size == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{x:?}").replace("NaN", "nan");
    }
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |rest| ("-", rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python 3.11 prints for the same literals.
    #[test]
    fn numbers_are_written_as_python_writes_them() {
        let cases = [
            (0.1, "0.1"),
            (2.0, "2.0"),
            (1e16, "1e+16"),
            (1.5e-7, "1.5e-07"),
            (-3.25e-5, "-3.25e-05"),
            (123456789012345.6, "123456789012345.6"),
            (1e-4, "0.0001"),
        ];
        for (x, expected) in cases {
            assert_eq!(float(x), expected);
        }
    }

    #[test]
    fn texts_are_numbers_where_they_look_so() {
        assert_eq!(Value::literal(" 3 "), Value::Int(3));
        assert_eq!(Value::literal("-.5"), Value::Float(-0.5));
        assert_eq!(Value::literal("True"), Value::Bool(true));
        assert_eq!(Value::literal("'7'"), Value::Text("7".into()));
        assert_eq!(Value::literal("nan"), Value::Text("nan".into()));
        assert_eq!(Value::literal("1_000"), Value::Text("1_000".into()));
        assert_eq!(Value::literal("0 0 1"), Value::Text("0 0 1".into()));
    }
}
