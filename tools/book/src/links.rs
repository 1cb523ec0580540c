//! Links between pages, and the headings that they lead to.

use crate::fences::fences;

/// A link or picture of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Line of the page, counted from 1.
    pub line: usize,
    /// What it leads to: `../page.md#heading`.
    pub target: String,
}

/// The links and pictures of a page outside of code.
pub fn links(page: &str) -> Vec<Link> {
    let text = without_code(page);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("](").map(|found| at + found + 2) {
        let Some(end) = text[start..].find(')').map(|found| start + found) else { break };
        let line = text[..start].matches('\n').count() + 1;
        let target = text[start..end].split_whitespace().next().unwrap_or_default();
        found.push(Link { line, target: target.to_owned() });
        at = end;
    }
    found
}

/// The places of a page that a link can name: its headings, as mdBook and GitHub call them, and anchors such as
/// `<a id="K-R1">`.
pub fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let blocks = fences(page);
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let code = blocks.iter().any(|fence| fence.block.contains(&at));
        at += line.len();
        if code {
            continue;
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&level) && line[level..].starts_with(' ') {
            let name = slug(line[level..].trim());
            let taken = found.iter().filter(|own| **own == name || twin(own, &name)).count();
            found.push(if taken == 0 { name } else { format!("{name}-{taken}") });
        }
        let mut rest = line;
        while let Some((_, behind)) = rest.split_once("id=\"") {
            found.extend(behind.split('"').next().map(str::to_owned));
            rest = behind;
        }
    }
    found
}

/// Whether one name is another with a number behind it.
fn twin(own: &str, name: &str) -> bool {
    own.strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('-'))
        .is_some_and(|rest| rest.parse::<usize>().is_ok())
}

/// The name of a heading: in small letters, with `-` for spaces, without other signs.
fn slug(heading: &str) -> String {
    let mut name = String::new();
    // Of a link its words count.
    let mut target = 0usize;
    let mut before = ' ';
    for c in heading.chars() {
        match c {
            '(' if target > 0 || before == ']' => target += 1,
            ')' if target > 0 => target -= 1,
            _ if target > 0 => {}
            ' ' => name.push('-'),
            '-' | '_' => name.push(c),
            c if c.is_alphanumeric() => name.extend(c.to_lowercase()),
            _ => {}
        }
        before = c;
    }
    name
}

/// The page with spaces in the place of all code, so that lines keep their numbers.
fn without_code(page: &str) -> String {
    let blank = |text: &str| -> String { text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect() };
    let mut text = String::with_capacity(page.len());
    let mut done = 0;
    for fence in fences(page) {
        text.push_str(&page[done..fence.block.start]);
        text.push_str(&blank(&page[fence.block.clone()]));
        done = fence.block.end;
    }
    text.push_str(&page[done..]);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(tick) = rest.find('`') {
        let run = rest[tick..].bytes().take_while(|byte| *byte == b'`').count();
        let Some(end) = rest[tick + run..].find(&"`".repeat(run)).map(|end| tick + run + end + run) else {
            break;
        };
        plain.push_str(&rest[..tick]);
        plain.push_str(&blank(&rest[tick..end]));
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_outside_of_code() {
        let page = "[a](b.md)\n`[no](no.md)`\n```text\n[no](no.md)\n```\n![p](q.svg \"title\") and [c](#d)\n";
        let found: Vec<_> = links(page).into_iter().map(|link| (link.line, link.target)).collect();
        let wanted = [(1, "b.md"), (6, "q.svg"), (6, "#d")].map(|(line, to)| (line, to.to_owned()));
        assert_eq!(found, wanted);
    }

    #[test]
    fn names_of_headings() {
        let page = "# Which method\n\n## (a) Integration residue\n\n## `run`\n\n## run\n\n```sh\n# no\n```\n<a id=\"K-R1\"></a>\n";
        assert_eq!(anchors(page), ["which-method", "a-integration-residue", "run", "run-1", "K-R1"]);
    }
}
