//! Notices as Markdown: a table of packages, then every text once.

use std::collections::BTreeMap;

use crate::Package;

/// A table of packages and the texts of their licences; a text that several packages share is there once.
pub(crate) fn section(packages: &[Package]) -> String {
    // Texts that differ in line breaks only are the same.
    let key = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut table = String::from("| package | licence | text |\n|---|---|---|\n");
    for package in packages {
        let mut shown = Vec::new();
        for text in &package.texts {
            let number = *numbers.entry(key(text)).or_insert_with(|| {
                texts.push((text, Vec::new()));
                texts.len()
            });
            texts[number - 1].1.push(&package.name);
            shown.push(number.to_string());
        }
        table += &format!("| {} | {} | {} |\n", package.name, package.licence, shown.join(", "));
    }
    for (k, (text, names)) in texts.iter().enumerate() {
        // A fence that is longer than any in the text.
        table += &format!("\n### Text {}\n\n{}\n\n~~~~text\n{text}\n~~~~\n", k + 1, names.join(", "));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_text_is_there_once() {
        let package = |name: &str, text: &str| Package {
            name: name.into(),
            licence: "MIT".into(),
            texts: vec![text.into()],
        };
        let section = section(&[package("a", "One\ntext"), package("b", "other"), package("c", "One text")]);
        assert!(section.contains("| a | MIT | 1 |\n| b | MIT | 2 |\n| c | MIT | 1 |\n"), "{section}");
        assert!(section.contains("### Text 1\n\na, c\n\n~~~~text\nOne\ntext\n~~~~\n"), "{section}");
    }
}
