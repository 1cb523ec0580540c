//! The book includes the pages of all kinds of elements as they are.

use std::path::Path;

use gelenk_multibody::elements::page;

/// `gelenk element book > docs/src/elements/table.md` brings it up to date.
#[test]
fn the_book_has_the_tables_of_all_elements() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/elements/table.md");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(text, page::book(), "run: gelenk element book > docs/src/elements/table.md");
}
