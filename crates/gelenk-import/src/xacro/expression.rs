//! Expressions inside `${...}`: arithmetic, comparisons, texts, lists and the functions of mathematics, as Python has them.

use super::value::Value;

/// Parentheses, operators and calls inside each other at most.
const DEEPEST: usize = 60;
/// Characters of a text, or entries of a list, at most.
const LONGEST: usize = 100_000;

/// Why an expression has no value.
pub(super) type Problem = String;

/// Finds the value of a name.
pub(super) type Lookup<'a> = dyn FnMut(&str) -> Result<Option<Value>, Problem> + 'a;

/// The value of an expression.
pub(super) fn evaluate(text: &str, lookup: &mut Lookup<'_>) -> Result<Value, Problem> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, lookup, idle: 0 };
    let value = parser.choice()?;
    match parser.peek() {
        None => Ok(value),
        Some(Token::Name(word)) if word == "for" => Err("comprehensions are not supported".to_owned()),
        Some(token) => Err(format!("unexpected \"{}\"", token.shown())),
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Number(Value),
    Text(String),
    Name(String),
    Sign(&'static str),
}

impl Token {
    fn shown(&self) -> String {
        match self {
            Self::Number(value) => value.text(),
            Self::Text(text) | Self::Name(text) => crate::names::shown(text),
            Self::Sign(sign) => (*sign).to_owned(),
        }
    }
}

/// Longer signs first.
const SIGNS: [&str; 24] = [
    "**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", ",", ".", ":",
    "{", "}", "=", "|",
];

fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let mut rest = text.trim_start();
    let mut list = Vec::new();
    while let Some(first) = rest.chars().next() {
        let number_ahead = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let length;
        if first.is_ascii_digit() || number_ahead {
            length = number_length(rest);
            let word = &rest[..length];
            let value = match word.parse::<i64>() {
                Ok(whole) => Value::Int(whole),
                Err(_) => Value::Float(
                    word.parse().map_err(|_| format!("\"{}\" is not a number", crate::names::shown(word)))?,
                ),
            };
            list.push(Token::Number(value));
        } else if first.is_alphabetic() || first == '_' {
            length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            list.push(Token::Name(rest[..length].to_owned()));
        } else if first == '\'' || first == '"' {
            let inner = &rest[1..];
            let end = inner.find(first).ok_or("unterminated string")?;
            if inner[..end].contains('\\') {
                return Err("escape sequences in strings are not supported".to_owned());
            }
            list.push(Token::Text(inner[..end].to_owned()));
            length = end + 2;
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("unexpected \"{}\"", first.escape_debug()))?;
            list.push(Token::Sign(sign));
            length = sign.len();
        }
        rest = rest[length..].trim_start();
    }
    Ok(list)
}

/// Length of the number at the beginning: digits, a point, an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            end = last;
        }
    }
    end
}

struct Parser<'a, 'l> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    lookup: &'a mut Lookup<'l>,
    /// Above zero inside a branch that is read but not taken.
    idle: usize,
}

impl Parser<'_, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(next)) if next == word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(self.peek().map_or_else(
            || format!("expected \"{sign}\" at the end"),
            |token| format!("expected \"{sign}\" before \"{}\"", token.shown()),
        ))
    }

    fn nested<T>(&mut self, action: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("expressions are nested more than {DEEPEST} times"));
        }
        let done = action(self);
        self.depth -= 1;
        done
    }

    /// Reads without evaluating names, where `idle`.
    fn maybe(
        &mut self,
        idle: bool,
        action: impl FnOnce(&mut Self) -> Result<Value, Problem>,
    ) -> Result<Value, Problem> {
        self.idle += usize::from(idle);
        let done = action(self);
        self.idle -= usize::from(idle);
        done
    }

    /// `a if condition else b`.
    fn choice(&mut self) -> Result<Value, Problem> {
        self.nested(|parser| {
            // The condition stands behind the first branch; names there may exist only if it holds.
            let start = parser.at;
            let first = parser.maybe(true, Self::either)?;
            if !parser.takes_word("if") {
                if parser.idle > 0 {
                    return Ok(first);
                }
                parser.at = start;
                return parser.either();
            }
            let holds = parser.either()?.truth();
            if !parser.takes_word("else") {
                return Err("expected \"else\"".to_owned());
            }
            let other = parser.maybe(holds, Self::choice)?;
            if !holds || parser.idle > 0 {
                return Ok(other);
            }
            let end = std::mem::replace(&mut parser.at, start);
            let first = parser.either()?;
            parser.at = end;
            Ok(first)
        })
    }

    fn either(&mut self) -> Result<Value, Problem> {
        let mut value = self.both()?;
        while self.takes_word("or") {
            let done = value.truth();
            let next = self.maybe(done, Self::both)?;
            value = if done { value } else { next };
        }
        Ok(value)
    }

    fn both(&mut self) -> Result<Value, Problem> {
        let mut value = self.negation()?;
        while self.takes_word("and") {
            let done = !value.truth();
            let next = self.maybe(done, Self::negation)?;
            value = if done { value } else { next };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Value, Problem> {
        if self.takes_word("not") {
            return self.nested(|parser| Ok(Value::Bool(!parser.negation()?.truth())));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Value, Problem> {
        let mut left = self.sum()?;
        let mut result = None;
        loop {
            let start = self.at;
            let negated = self.takes_word("not");
            let sign = if self.takes_word("in") {
                "in"
            } else if negated {
                self.at = start;
                break;
            } else {
                let Some(Token::Sign(sign @ ("<" | ">" | "<=" | ">=" | "==" | "!="))) = self.peek() else {
                    break;
                };
                let sign = *sign;
                self.at += 1;
                sign
            };
            let right = self.sum()?;
            let holds = self.idle > 0 || compare(&left, sign, &right)? != negated;
            result = Some(result.unwrap_or(true) && holds);
            left = right;
        }
        Ok(result.map_or(left, Value::Bool))
    }

    fn sum(&mut self) -> Result<Value, Problem> {
        let mut value = self.product()?;
        loop {
            let sign = if self.takes("+") {
                "+"
            } else if self.takes("-") {
                "-"
            } else {
                return Ok(value);
            };
            let next = self.product()?;
            value = self.apply(sign, value, next)?;
        }
    }

    fn product(&mut self) -> Result<Value, Problem> {
        let mut value = self.signed()?;
        loop {
            let Some(sign) = ["*", "//", "/", "%"].into_iter().find(|sign| self.takes(sign)) else {
                return Ok(value);
            };
            let next = self.signed()?;
            value = self.apply(sign, value, next)?;
        }
    }

    fn apply(&self, sign: &str, left: Value, right: Value) -> Result<Value, Problem> {
        if self.idle > 0 { Ok(Value::None) } else { arithmetic(&left, sign, &right) }
    }

    fn signed(&mut self) -> Result<Value, Problem> {
        if self.takes("-") {
            return self.nested(|parser| {
                let value = parser.signed()?;
                parser.apply("-", Value::Int(0), value)
            });
        }
        if self.takes("+") {
            return self.nested(Self::signed);
        }
        let base = self.postfix()?;
        if self.takes("**") {
            let exponent = self.nested(Self::signed)?;
            return self.apply("**", base, exponent);
        }
        Ok(base)
    }

    /// A value with indices behind it.
    fn postfix(&mut self) -> Result<Value, Problem> {
        let mut value = self.atom()?;
        loop {
            if self.takes("[") {
                let index = self.choice()?;
                if self.takes(":") {
                    return Err("slices are not supported".to_owned());
                }
                self.expect("]")?;
                value = if self.idle > 0 { Value::None } else { at(&value, &index)? };
            } else if self.takes(".") {
                let name = match self.peek() {
                    Some(Token::Name(name)) => name.clone(),
                    _ => String::new(),
                };
                return Err(format!("the member \".{}\" is not supported", crate::names::shown(&name)));
            } else {
                return Ok(value);
            }
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Value>, Problem> {
        let mut list = Vec::new();
        while !self.takes(end) {
            list.push(self.choice()?);
            if matches!(self.peek(), Some(Token::Sign("="))) {
                return Err("keyword arguments are not supported".to_owned());
            }
            if matches!(self.peek(), Some(Token::Name(word)) if word == "for") {
                return Err("comprehensions are not supported".to_owned());
            }
            if !self.takes(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(list)
    }

    fn atom(&mut self) -> Result<Value, Problem> {
        let token = self.peek().cloned().ok_or("expected a value at the end")?;
        self.at += 1;
        match token {
            Token::Number(value) => Ok(value),
            Token::Text(text) => Ok(Value::Text(text)),
            Token::Sign("(") => {
                let value = self.choice()?;
                if self.takes(",") {
                    let mut list = vec![value];
                    list.extend(self.list(")")?);
                    return Ok(Value::List(list));
                }
                self.expect(")")?;
                Ok(value)
            }
            Token::Sign("[") => self.list("]").map(Value::List),
            Token::Sign("{") => Err("dictionaries are not supported".to_owned()),
            Token::Sign(sign) => Err(format!("unexpected \"{sign}\"")),
            Token::Name(name) => self.name(name),
        }
    }

    fn name(&mut self, mut name: String) -> Result<Value, Problem> {
        match name.as_str() {
            "True" => return Ok(Value::Bool(true)),
            "False" => return Ok(Value::Bool(false)),
            "None" => return Ok(Value::None),
            "lambda" => return Err("\"lambda\" is not supported".to_owned()),
            _ => {}
        }
        if matches!(name.as_str(), "math" | "xacro" | "python") && self.takes(".") {
            match self.peek() {
                Some(Token::Name(member)) => name = format!("{name}.{member}"),
                _ => return Err(format!("\"{name}.\" has no members")),
            }
            self.at += 1;
        }
        if self.takes("(") {
            let arguments = self.list(")")?;
            if self.idle > 0 {
                return Ok(Value::None);
            }
            if name == "xacro.arg" {
                let argument = arguments.first().map(Value::text).unwrap_or_default();
                let found = (self.lookup)(&format!("$(arg {argument})"))?;
                return found.ok_or_else(|| format!("there is no argument \"{argument}\""));
            }
            return call(&name, &arguments);
        }
        if self.idle > 0 {
            return Ok(Value::None);
        }
        if let Some(value) = (self.lookup)(&name)? {
            return Ok(value);
        }
        match name.strip_prefix("math.").unwrap_or(&name) {
            "pi" => Ok(Value::Float(std::f64::consts::PI)),
            "e" => Ok(Value::Float(std::f64::consts::E)),
            "tau" => Ok(Value::Float(std::f64::consts::TAU)),
            _ => Err(format!("there is no property \"{}\"", crate::names::shown(&name))),
        }
    }
}

fn compare(left: &Value, sign: &str, right: &Value) -> Result<bool, Problem> {
    if sign == "in" {
        return match right {
            Value::List(list) => Ok(list.contains(left)),
            Value::Text(text) => Ok(text.contains(&left.text())),
            other => Err(format!("\"in\" does not apply to {}", other.kind())),
        };
    }
    let order = match (left.number(), right.number(), left, right) {
        (Some(a), Some(b), _, _) => a.partial_cmp(&b),
        (_, _, Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        _ if sign == "==" => return Ok(left == right),
        _ if sign == "!=" => return Ok(left != right),
        _ => return Err(format!("cannot compare {} with {}", left.kind(), right.kind())),
    };
    Ok(order.is_some_and(|order| match sign {
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        "==" => order.is_eq(),
        _ => order.is_ne(),
    }))
}

fn arithmetic(left: &Value, sign: &str, right: &Value) -> Result<Value, Problem> {
    match (left, sign, right) {
        (Value::Text(a), "+", Value::Text(b)) if a.len() + b.len() <= LONGEST => {
            return Ok(Value::Text(format!("{a}{b}")));
        }
        (Value::List(a), "+", Value::List(b)) if a.len() + b.len() <= LONGEST => {
            return Ok(Value::List(a.iter().chain(b).cloned().collect()));
        }
        (Value::Int(a), _, Value::Int(b)) => {
            if let Some(value) = whole(*a, sign, *b) {
                return Ok(Value::Int(value));
            }
        }
        _ => {}
    }
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        return Err(format!("{sign} does not apply to {} and {}", left.kind(), right.kind()));
    };
    if matches!(sign, "/" | "//" | "%") && b == 0.0 {
        return Err("division by zero".to_owned());
    }
    Ok(Value::Float(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        _ => a.powf(b),
    }))
}

/// Whole numbers stay whole, but for a quotient; none where they would be too large.
fn whole(a: i64, sign: &str, b: i64) -> Option<i64> {
    match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "//" => a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q }),
        "%" => a.checked_rem_euclid(b).map(|r| if b < 0 && r != 0 { r + b } else { r }),
        "**" => a.checked_pow(u32::try_from(b).ok()?),
        _ => None,
    }
}

fn at(value: &Value, index: &Value) -> Result<Value, Problem> {
    let Value::Int(index) = index else { return Err("an index must be an integer".to_owned()) };
    let place = |length: usize| {
        let index = if *index < 0 { index + i64::try_from(length).unwrap_or(0) } else { *index };
        usize::try_from(index).ok().filter(|index| *index < length)
    };
    let found = match value {
        Value::List(list) => place(list.len()).and_then(|i| list.get(i).cloned()),
        Value::Text(text) => {
            place(text.chars().count()).and_then(|i| text.chars().nth(i)).map(|c| Value::Text(c.to_string()))
        }
        other => return Err(format!("{} cannot be indexed", other.kind())),
    };
    found.ok_or_else(|| format!("index {index} is out of range"))
}

fn call(name: &str, arguments: &[Value]) -> Result<Value, Problem> {
    let bare = name.strip_prefix("math.").or(name.strip_prefix("python.")).unwrap_or(name);
    let number = |value: &Value| {
        let text = match value {
            Value::Text(text) => Value::literal(text),
            other => other.clone(),
        };
        text.number().ok_or_else(|| format!("{bare} needs numbers, not {}", value.kind()))
    };
    let wrong = || format!("{bare} takes a different number of arguments");
    if let [Value::List(list)] = arguments
        && matches!(bare, "min" | "max")
    {
        return call(bare, list);
    }
    match (bare, arguments) {
        ("min" | "max", [first, ..]) => {
            let mut best = (number(first)?, first);
            for value in arguments {
                let x = number(value)?;
                if (bare == "min" && x < best.0) || (bare == "max" && x > best.0) {
                    best = (x, value);
                }
            }
            return Ok(best.1.clone());
        }
        ("str", [value]) => return Ok(Value::Text(value.text())),
        ("len", [Value::List(list)]) => return Ok(Value::Int(i64::try_from(list.len()).unwrap_or(0))),
        ("len", [Value::Text(text)]) => {
            return Ok(Value::Int(i64::try_from(text.chars().count()).unwrap_or(0)));
        }
        ("bool", [value]) => return Ok(Value::Bool(value.truth())),
        ("int", [value]) => return to_whole(number(value)?.trunc()),
        ("abs", [Value::Int(value)]) => return Ok(Value::Int(value.saturating_abs())),
        ("round", [value]) => return to_whole(number(value)?.round_ties_even()),
        ("floor", [value]) => return to_whole(number(value)?.floor()),
        ("ceil", [value]) => return to_whole(number(value)?.ceil()),
        _ => {}
    }
    let numbers = arguments.iter().map(number).collect::<Result<Vec<f64>, Problem>>();
    let single: Option<fn(f64) -> f64> = match bare {
        "float" => Some(|x| x),
        "abs" | "fabs" => Some(f64::abs),
        "sin" => Some(f64::sin),
        "cos" => Some(f64::cos),
        "tan" => Some(f64::tan),
        "asin" => Some(f64::asin),
        "acos" => Some(f64::acos),
        "atan" => Some(f64::atan),
        "sinh" => Some(f64::sinh),
        "cosh" => Some(f64::cosh),
        "tanh" => Some(f64::tanh),
        "sqrt" => Some(f64::sqrt),
        "exp" => Some(f64::exp),
        "log" => Some(f64::ln),
        "log10" => Some(f64::log10),
        "radians" => Some(f64::to_radians),
        "degrees" => Some(f64::to_degrees),
        _ => None,
    };
    let value = match (single, bare) {
        (Some(function), _) => match numbers?.as_slice() {
            [x] => function(*x),
            _ => return Err(wrong()),
        },
        (None, "atan2" | "pow" | "hypot" | "fmod" | "copysign") => match numbers?.as_slice() {
            [a, b] => match bare {
                "atan2" => a.atan2(*b),
                "pow" => a.powf(*b),
                "hypot" => a.hypot(*b),
                "fmod" => a % b,
                _ => a.copysign(*b),
            },
            _ => return Err(wrong()),
        },
        _ => return Err(format!("the function \"{}\" is not supported", crate::names::shown(name))),
    };
    if value.is_nan() {
        return Err(format!("{bare} is undefined for this argument"));
    }
    Ok(Value::Float(value))
}

fn to_whole(x: f64) -> Result<Value, Problem> {
    if x.abs() < 9e15 {
        Ok(Value::Int(x as i64))
    } else {
        Err("a number is too large for an integer".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value, Problem> {
        evaluate(text, &mut |name| {
            Ok(match name {
                "x" => Some(Value::Float(1.5)),
                "n" => Some(Value::Int(3)),
                "side" => Some(Value::Text("left".into())),
                "v" => Some(Value::List(vec![Value::Int(7), Value::Int(8)])),
                _ => None,
            })
        })
    }

    /// What Python 3.11 gives for the same expressions.
    #[test]
    fn expressions_mean_what_they_mean_in_python() {
        for (text, expected) in [
            ("1 + 2*3", "7"),
            ("2**3**2", "512"),
            ("-2**2", "-4"),
            ("7 // -2", "-4"),
            ("-7 % 3", "2"),
            ("7 % -3", "-2"),
            ("7/2", "3.5"),
            ("4/2", "2.0"),
            ("x*n", "4.5"),
            ("1 if side == 'left' else -1", "1"),
            ("missing if n < 0 else 5", "5"),
            ("not n > 2 or side in ['left', 'right']", "True"),
            ("1 < n < 3", "False"),
            ("'arm_' + side + '_' + str(n)", "arm_left_3"),
            ("v[1] + v[-2]", "15"),
            ("max(1, 2.5, n)", "3"),
            ("sin(pi/2) + math.cos(0)", "2.0"),
            ("radians(180)", "3.141592653589793"),
            ("1e-3*2", "0.002"),
            ("int(3.9) + len(v)", "5"),
            ("round(2.5)", "2"),
            ("side and n", "3"),
        ] {
            assert_eq!(value(text).map(|value| value.text()), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (text, expected) in [
            ("load_yaml('a.yaml')", "the function \"load_yaml\" is not supported"),
            ("xacro.load_yaml('a.yaml')", "the function \"xacro.load_yaml\" is not supported"),
            ("[i for i in v]", "comprehensions are not supported"),
            ("side.upper()", "the member \".upper\" is not supported"),
            ("{'a': 1}", "dictionaries are not supported"),
            ("y", "there is no property \"y\""),
            ("1/0", "division by zero"),
            ("(1", "expected \")\" at the end"),
            ("n + side", "+ does not apply to a number and a string"),
            ("sqrt(-1)", "sqrt is undefined for this argument"),
        ] {
            assert_eq!(value(text), Err(expected.to_owned()), "{text}");
        }
        let deep = "(".repeat(500) + "1" + &")".repeat(500);
        assert!(value(&deep).unwrap_err().contains("nested more than"));
    }
}
