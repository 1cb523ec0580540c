//! Characters to words.

use super::ExpressionError;
use crate::units::quantity::number_length;
use std::ops::Range;

/// A word of a formula.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// A unit in brackets; the text between them.
    Unit(&'a str),
    Plus,
    Minus,
    Times,
    Divide,
    Power,
    Open,
    Close,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    End,
}

pub(super) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits a text into words with their places; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, ExpressionError> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let second = rest.chars().nth(1);
        let (token, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            c if c.is_ascii_digit() || (c == '.' && second.is_some_and(|d| d.is_ascii_digit())) => {
                let length = number_length(rest);
                match rest[..length].parse::<f64>() {
                    Ok(value) if value.is_finite() => (Token::Number(value), length),
                    _ => return Err(ExpressionError::new(at..at + length, "this number is too large")),
                }
            }
            c if starts_name(c) => {
                let length = name_length(rest);
                (Token::Name(&rest[..length]), length)
            }
            '[' => match rest.find(']') {
                Some(end) => (Token::Unit(&rest[1..end]), end + 1),
                None => {
                    return Err(ExpressionError::new(at..at + 1, "this `[` is not closed")
                        .with_help("write units in brackets after a number, as in `2 [N m/rad]`"));
                }
            },
            '*' if second == Some('*') => (Token::Power, 2),
            '<' if second == Some('=') => (Token::LessEqual, 2),
            '>' if second == Some('=') => (Token::GreaterEqual, 2),
            '+' => (Token::Plus, 1),
            '-' => (Token::Minus, 1),
            '\u{2212}' => (Token::Minus, first.len_utf8()),
            '*' => (Token::Times, 1),
            '\u{b7}' => (Token::Times, first.len_utf8()),
            '/' => (Token::Divide, 1),
            '^' => (Token::Power, 1),
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            ',' => (Token::Comma, 1),
            '<' => (Token::Less, 1),
            '>' => (Token::Greater, 1),
            // The degree sign and the per cent sign are units of one character.
            '\u{b0}' | '%' => (Token::Name(&rest[..first.len_utf8()]), first.len_utf8()),
            other => {
                let error = ExpressionError::new(
                    at..at + other.len_utf8(),
                    format!("unexpected character `{}`", other.escape_debug()),
                );
                return Err(match other {
                    '=' => error.with_help("compare with < > <= >= inside `if(a < b, x, y)`"),
                    _ => error,
                });
            }
        };
        list.push((token, at..at + length));
        at += length;
    }
    list.push((Token::End, text.len()..text.len()));
    Ok(list)
}

/// Length of a name with its dotted parts; a dot belongs to it only if a name follows.
fn name_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let part = &text[length..];
        length += part.find(|c| !continues_name(c)).unwrap_or(part.len());
        match text[length..].strip_prefix('.') {
            Some(next) if next.chars().next().is_some_and(starts_name) => length += 1,
            _ => return length,
        }
    }
}
