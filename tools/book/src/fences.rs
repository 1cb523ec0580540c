//! Fenced code blocks.

use std::ops::Range;

/// A fenced code block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// First word behind the opening fence: `toml`, `console`, `math`, or nothing.
    pub language: String,
    /// The words behind it, separated by commas: `console,fragment`.
    pub marks: Vec<String>,
    /// Line of the opening fence, counted from 1.
    pub line: usize,
    /// Bytes of the whole block, from the opening to the end of the closing fence.
    pub block: Range<usize>,
    /// Bytes between the fences.
    pub body: Range<usize>,
}

impl Fence {
    /// Whether the block has a mark such as `fragment`.
    pub fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|own| own == mark)
    }

    /// What stands behind `key=` among the marks.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.marks.iter().find_map(|mark| mark.strip_prefix(key)?.strip_prefix('='))
    }

    /// The file that the first line of the block names: `# arm.toml`, or `<!-- arm.urdf -->` in XML.
    pub fn file<'a>(&self, page: &'a str) -> Option<&'a str> {
        let first = page[self.body.clone()].lines().next()?;
        let comment = first.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let name = comment.or_else(|| first.strip_prefix("# "))?.trim();
        let ending = name.rsplit_once('.')?.1;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        let wanted = self.language == ending || matches!(self.language.as_str(), "text" | "xml");
        (wanted && !name.starts_with('/') && !name.contains("..") && name.chars().all(plain)).then_some(name)
    }
}

/// The fenced blocks of a page in their order. A block without an end goes to the end of the page.
pub fn fences(page: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<(Fence, char, usize)> = None;
    let mut at = 0;
    for (number, line) in page.split_inclusive('\n').enumerate() {
        let text = line.trim();
        let mark = text.chars().next().filter(|c| "`~".contains(*c));
        let run = mark.map_or(0, |mark| text.chars().take_while(|c| *c == mark).count());
        match (&mut open, mark) {
            (None, Some(mark)) if run >= 3 && !text[run..].contains('`') => {
                let mut words = text[run..].split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
                let fence = Fence {
                    language: words.next().unwrap_or_default().to_owned(),
                    marks: words.map(str::to_owned).collect(),
                    line: number + 1,
                    block: at..page.len(),
                    body: at + line.len()..page.len(),
                };
                open = Some((fence, mark, run));
            }
            (Some((fence, with, length)), Some(mark))
                if mark == *with && run >= *length && run == text.len() =>
            {
                fence.body.end = at;
                fence.block.end = at + line.trim_end_matches('\n').len();
                found.push(fence.clone());
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    found.extend(open.map(|(fence, ..)| fence));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_marks_and_names() {
        let page =
            "text\n```toml\n# a/b.toml\nx = 1\n```\n~~~~console,fragment,tolerance=1e-3\n$ ls\n```\n~~~~\n";
        let found = fences(page);
        assert_eq!(found.len(), 2);
        assert_eq!(&page[found[0].body.clone()], "# a/b.toml\nx = 1\n");
        assert_eq!(found[0].file(page), Some("a/b.toml"));
        assert_eq!(found[0].line, 2);
        assert_eq!(&page[found[1].body.clone()], "$ ls\n```\n");
        assert!(found[1].has("fragment") && found[1].value("tolerance") == Some("1e-3"));
        assert_eq!(&page[found[0].block.clone()], "```toml\n# a/b.toml\nx = 1\n```");
    }

    #[test]
    fn names_of_other_kinds_are_no_files() {
        for page in ["```toml\n# ../a.toml\n```\n", "```toml\n# What it is.\n```\n", "```sh\n# a.toml\n```\n"]
        {
            assert_eq!(fences(page)[0].file(page), None, "{page}");
        }
    }
}
