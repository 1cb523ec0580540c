//! Equations: TeX in Markdown becomes MathML.
//!
//! An equation on its own is a fenced block marked `math`; one in a sentence stands between `` $` `` and `` `$ ``. Both are
//! also what GitHub and GitLab render. Browsers show MathML without a script.

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

use crate::fences::fences;

/// An equation that TeX would not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line of the page, counted from 1.
    pub line: usize,
    /// The equation.
    pub tex: String,
    /// What is wrong with it.
    pub problem: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}\n{}", self.line, self.problem, self.tex.trim())
    }
}

/// An equation of a page and where it stands.
struct Equation<'a> {
    at: std::ops::Range<usize>,
    tex: &'a str,
    display: DisplayMode,
}

/// The page with its equations as MathML, how many there are, and those that cannot be read.
pub fn render(page: &str) -> (String, usize, Vec<Mistake>) {
    let (mut text, mut done, mut mistakes) = (String::new(), 0, Vec::new());
    let equations = equations(page);
    for equation in &equations {
        text.push_str(&page[done..equation.at.start]);
        match mathml(equation.tex, equation.display) {
            Ok(math) if matches!(equation.display, DisplayMode::Block) => {
                text.push_str(&format!("<div class=\"equation\">\n{math}\n</div>\n"));
            }
            Ok(math) => text.push_str(&math),
            Err(problem) => {
                let line = page[..equation.at.start].matches('\n').count() + 1;
                mistakes.push(Mistake { line, tex: equation.tex.to_owned(), problem });
            }
        }
        done = equation.at.end;
    }
    text.push_str(&page[done..]);
    (text, equations.len(), mistakes)
}

/// All equations of a page in their order. Code blocks and code in sentences have none.
fn equations(page: &str) -> Vec<Equation<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    for fence in fences(page) {
        sentences(page, from..fence.block.start, &mut found);
        if fence.language == "math" {
            let tex = &page[fence.body.clone()];
            found.push(Equation { at: fence.block.clone(), tex, display: DisplayMode::Block });
        }
        from = fence.block.end;
    }
    sentences(page, from..page.len(), &mut found);
    found
}

/// Equations in sentences, between fences.
fn sentences<'a>(page: &'a str, range: std::ops::Range<usize>, found: &mut Vec<Equation<'a>>) {
    let text = &page[range.clone()];
    let mut at = 0;
    while let Some(tick) = text[at..].find('`').map(|found| at + found) {
        let run = text[tick..].bytes().take_while(|byte| *byte == b'`').count();
        let body = tick + run;
        let Some(end) = text[body..].find(&"`".repeat(run)).map(|found| body + found) else { break };
        let math = run == 1 && text[..tick].ends_with('$') && text[end + 1..].starts_with('$');
        if math {
            let at = range.start + tick - 1..range.start + end + 2;
            found.push(Equation { at, tex: &text[body..end], display: DisplayMode::Inline });
        }
        at = end + run + usize::from(math);
    }
}

/// MathML of an equation in TeX.
fn mathml(tex: &str, display_mode: DisplayMode) -> Result<String, String> {
    let storage = Storage::new();
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let events: Vec<_> = Parser::new(tex.trim(), &storage).collect();
    if let Some(error) = events.iter().find_map(|event| event.as_ref().err()) {
        return Err(error.to_string());
    }
    let mut math = String::new();
    push_mathml(&mut math, events.into_iter(), config).map_err(|error| error.to_string())?;
    Ok(guarded(&math))
}

/// Characters that Markdown or HTML would take for markup, as numbers; tags stay as they are.
fn guarded(math: &str) -> String {
    let mut text = String::with_capacity(math.len());
    let mut tag = false;
    for (at, c) in math.char_indices() {
        let starts = |rest: &str| rest.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
        match c {
            '<' if !tag && starts(&math[at + 1..]) => tag = true,
            '>' if tag => tag = false,
            '<' | '>' | '*' | '_' | '[' | ']' | '|' | '\\' | '~' | '`' | '\'' | '!' | '$' if !tag => {
                text.push_str(&format!("&#{};", u32::from(c)));
                continue;
            }
            _ => {}
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_sentences() {
        let page = "With $`x_1`$ and `code` and ``a $`b`$``:\n\n```math\n\\frac{1}{2} |v|\n```\n\n```text\n$`no`$\n```\n";
        let (text, count, mistakes) = render(page);
        assert_eq!((count, mistakes.len()), (2, 0));
        assert!(text.starts_with("With <math"), "{text}");
        assert!(
            text.contains("<mi>x</mi><mn>1</mn>") && text.contains("</math> and `code` and ``a $`b`$``:"),
            "{text}"
        );
        assert!(text.contains("<div class=\"equation\">\n<math display=\"block\">"), "{text}");
        assert!(text.contains("<mfrac>") && text.contains("&#124;") && text.contains("$`no`$"), "{text}");
    }

    #[test]
    fn signs_are_no_tags() {
        let (text, ..) = render("$`a < b > c`$ and $`\\lvert v\\rvert`$\n");
        assert!(text.contains("<mo>&#60;</mo>") && text.contains("<mo>&#62;</mo>"), "{text}");
        assert!(!text.contains('|') && text.matches('<').count() == text.matches('>').count(), "{text}");
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        let (_, _, mistakes) = render("a\n\n```math\n\\frac{1}{2\n```\n\n$`\\nosuchcommand`$\n");
        let lines: Vec<usize> = mistakes.iter().map(|mistake| mistake.line).collect();
        assert_eq!(lines, [3, 7]);
    }
}
