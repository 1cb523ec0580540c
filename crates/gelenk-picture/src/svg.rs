//! A drawing as SVG.

use std::fmt::Write;

use crate::drawing::{Anchor, Colour, Drawing, Mark, WHITE};

/// Parts of a pixel on which places are rounded: fine enough for smooth curves, and whole numbers make short files.
const FINE: f64 = 10.0;

/// Writes a drawing as SVG. Fonts are those of the viewer (sans serif); the same drawing gives the same bytes.
pub fn svg(drawing: &Drawing) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escaped(&drawing.title),
        hex(WHITE),
    );
    for mark in &drawing.marks {
        // Writing to a string never fails.
        let _ = match mark {
            Mark::Line { points, colour, width, dash } => {
                let lengths: Vec<String> = dash.lengths().iter().map(|l| (l * FINE).to_string()).collect();
                let dashes = if lengths.is_empty() {
                    String::new()
                } else {
                    format!(" stroke-dasharray=\"{}\" stroke-linecap=\"butt\"", lengths.join(" "))
                };
                let (colour, width) = (hex(*colour), width * FINE);
                writeln!(
                    text,
                    "<path d=\"{}\" transform=\"scale(.1)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>",
                    path(points)
                )
            }
            Mark::Patch { from: [x, y], to, colour } => {
                let (wide, high) = (to[0] - x, to[1] - y);
                writeln!(
                    text,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" fill=\"{}\"/>",
                    hex(*colour)
                )
            }
            Mark::Disc { at: [x, y], radius, colour } => {
                writeln!(
                    text,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                    hex(*colour)
                )
            }
            Mark::Text { content, at: [x, y], size, anchor, bold, colour } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let weight = if *bold { " font-weight=\"bold\"" } else { "" };
                let (fill, content) = (hex(*colour), escaped(content));
                writeln!(
                    text,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" dy=\".36em\" font-size=\"{size}\" fill=\"{fill}\"{anchor}{weight}>{content}</text>"
                )
            }
        };
    }
    text.push_str("</svg>\n");
    text
}

/// The points in relative whole numbers of the fine grid.
fn path(points: &[[f64; 2]]) -> String {
    // Places far outside are the caller's mistake; the cast of a float to an integer never fails.
    let fine = |[x, y]: [f64; 2]| [(x * FINE).round() as i64, (y * FINE).round() as i64];
    let mut text = String::new();
    let mut before: Option<[i64; 2]> = None;
    for point in points.iter().copied().map(fine) {
        let _ = match before {
            None => write!(text, "M{} {}", point[0], point[1]),
            Some(before) if before == point && points.len() > 1 => continue,
            Some(before) => {
                let [x, y] = [point[0] - before[0], point[1] - before[1]];
                let begin = if text.contains('l') { separated(x) } else { format!("l{x}") };
                write!(text, "{begin}{}", separated(y))
            }
        };
        before = Some(point);
    }
    // A single point is a dot, because ends are round.
    if !text.contains('l') {
        text.push_str("l0 0");
    }
    text
}

/// A number behind another one: its sign is separation enough.
fn separated(value: i64) -> String {
    if value < 0 { value.to_string() } else { format!(" {value}") }
}

fn hex(Colour(r, g, b): Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The text with what means something in XML replaced; characters that XML does not allow are left out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_and_short() {
        assert_eq!(path(&[[1.0, 2.0], [1.5, 1.0], [1.5, 1.0], [1.54, 3.0]]), "M10 20l5-10 0 20");
        assert_eq!(path(&[[1.0, 2.0]]), "M10 20l0 0");
        assert_eq!(path(&[[1.0, 2.0], [1.0, 2.0]]), "M10 20l0 0");
    }

    #[test]
    fn texts_cannot_break_the_picture() {
        assert_eq!(escaped("<a b=\"c\">\u{0}&\n"), "&lt;a b=&quot;c&quot;&gt;&amp; ");
    }
}
