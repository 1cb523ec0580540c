//! Every law has its page in the book, with all its parameters and a picture.

use gelenk_laws::Friction;
use std::path::Path;

#[test]
fn every_law_has_a_page() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let read = |path: &str| std::fs::read_to_string(book.join(path)).unwrap_or_default();
    let (summary, index) = (read("SUMMARY.md"), read("laws/index.md"));
    for law in Friction::ALL {
        let spec = law.spec();
        let page = read(&format!("laws/{}.md", spec.name));
        assert!(page.contains(&format!("law = \"{}\"", spec.name)), "no page for {}", spec.name);
        for param in spec.params {
            assert!(page.contains(&format!("| `{}` |", param.name)), "{}: no {}", spec.name, param.name);
        }
        assert!(page.contains("## Source") && page.contains(&format!("pictures/law-{}.svg", spec.name)));
        assert!(book.join(format!("pictures/law-{}.svg", spec.name)).exists(), "no picture of {}", spec.name);
        assert!(summary.contains(&format!("(laws/{}.md)", spec.name)), "{} not in the summary", spec.name);
        let answers = spec.properties;
        let words = [answers.rate_independent, answers.sticks, answers.drifts, answers.passive]
            .map(|answer| if answer { "yes" } else { "no" });
        let row = format!("| {} | {} |", answers.memory.name(), words.join(" | "));
        let line = index.lines().find(|line| line.starts_with(&format!("| [`{}`]", spec.name)));
        assert!(line.is_some_and(|line| line.ends_with(&row)), "the table is wrong about {}", spec.name);
    }
}
